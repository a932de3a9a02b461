"""Commands for `watch`: single key presses on a terminal, lines on a pipe."""

from __future__ import annotations

import os
import re
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

_SEQUENCE = re.compile(rb"\x1b(?:\[[0-9;]*[A-Za-z~]|O[A-Za-z])?")  # an arrow or function key
END = "end"  # the pipe is at its end, or the terminal is gone


@contextmanager
def keys(put: Callable[[str], None]) -> Iterator[None]:
    """Calls `put` from a thread with each key (in lower case), and with END at the end of the input."""
    if not sys.stdin.isatty():
        _in_background(_read_lines, put)
        yield
    elif sys.platform == "win32":
        _in_background(_read_windows, put)
        yield
    else:
        with _unbuffered():
            _in_background(_read_terminal, put)
            yield


def _in_background(read: Callable[[Callable[[str], None]], None], put: Callable[[str], None]) -> None:
    def work() -> None:
        try:
            read(put)
        except (OSError, ValueError):  # the terminal hung up, or the stream was closed
            put(END)

    threading.Thread(target=work, daemon=True).start()


def _read_lines(put: Callable[[str], None]) -> None:
    for line in sys.stdin:
        if line.strip():
            put(line.strip()[0].lower())
    put(END)


if sys.platform == "win32":
    import msvcrt

    def _read_windows(put: Callable[[str], None]) -> None:
        while True:
            key = msvcrt.getwch()
            if key in "\x00\xe0":
                msvcrt.getwch()  # an arrow or function key comes as two
            else:
                put("q" if key == "\x03" else key.lower())

else:
    import termios
    import tty

    @contextmanager
    def _unbuffered() -> Iterator[None]:
        """Keys arrive at once and unseen, also after Ctrl-Z and `fg`; the terminal is as before in the end."""
        terminal = sys.stdin.fileno()
        before = termios.tcgetattr(terminal)
        earlier = signal.signal(signal.SIGCONT, lambda *_: tty.setcbreak(terminal, termios.TCSANOW))
        tty.setcbreak(terminal, termios.TCSANOW)  # keeps what was typed while PyTorch was imported
        try:
            yield
        finally:
            signal.signal(signal.SIGCONT, earlier)
            with suppress(termios.error):  # the terminal was closed
                termios.tcsetattr(terminal, termios.TCSADRAIN, before)

    def _read_terminal(put: Callable[[str], None]) -> None:
        while pressed := os.read(sys.stdin.fileno(), 64):
            for key in _SEQUENCE.sub(b"", pressed).decode(errors="ignore").lower():
                put(END if key == "\x04" else key)
        put(END)
