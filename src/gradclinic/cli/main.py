"""`gradclinic`: reads the arguments and hands over to the command's own module."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import traceback
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import NoReturn, TypeAlias

from gradclinic import __version__
from gradclinic.cli import grade_options
from gradclinic.cli.console import in_words
from gradclinic.course import CourseError

_ID = "number, name or a clear part of the name: 5, off_the_path, path"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0 when done, 1 when the learner's work is not right yet, 2 for a wrong call.

    `run` is apart: streams, signals and the end of the process are the program's own.
    """
    words = list(sys.argv[1:] if argv is None else argv)
    if words[:1] == ["run"]:
        return _run(words[1:])
    _open_closed_streams()
    _leave_in_good_order()
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _answer(argv)
    if "torch" in sys.modules and code < 128:  # what was interrupted in its making is cleared up at a regular exit
        os._exit(code)  # everything is flushed; taking torch down in good order costs 0.3 s
    return code


def _run(words: Sequence[str]) -> int:
    try:
        start = import_module("gradclinic.cli.run").prepared(words)
    except Exception as error:
        print(f"gradclinic: {_explained(error)}", file=sys.stderr)
        return 2
    start()
    return 0


def _open_closed_streams() -> None:
    """A command started with `>&-` writes to nowhere, and no pipe of ours gets the number of a standard stream."""
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        if getattr(sys, name) is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115 - open to the end


def _leave_in_good_order() -> None:
    """A closed terminal or a `kill` ends like Ctrl-C: the terminal is set back, scratch folders are removed."""

    def leave(number: int, _: object) -> NoReturn:
        raise SystemExit(128 + number)

    for name in ("SIGTERM", "SIGHUP"):
        number = getattr(signal, name, None)  # Windows has no SIGHUP
        if number and signal.getsignal(number) == signal.SIG_DFL:  # `nohup` ignores one on purpose
            signal.signal(number, leave)


def _answer(argv: Sequence[str] | None) -> int:
    arguments = _arguments(argv)
    try:
        code = int(import_module(f"gradclinic.cli.{arguments.module}").run(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except SystemExit as left:
        code = int(left.code or 0)
    except BrokenPipeError:  # `gradclinic list | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except Exception as error:
        print(f"gradclinic: {_explained(error)}", file=sys.stderr)
        code = 2
    sys.stderr.flush()
    return code


def _explained(error: Exception) -> str:
    """What a person can do about it. A mistake of this program itself is raised again."""
    if _importing_torch(error):
        return f"PyTorch cannot be imported: {error}.\nInstall it with `pip install torch` (README, Start)."
    if isinstance(error, FileNotFoundError) and error.filename is None:  # only the question for it names none
        return "The folder that you are in is gone. Go to another one with `cd`."
    if isinstance(error, (CourseError, OSError)):
        return in_words(error)
    raise error


def _importing_torch(error: Exception) -> bool:
    """Whether torch is missing, or a library of it."""
    if not isinstance(error, (ImportError, OSError)):
        return False
    frames = (frame for frame, _ in traceback.walk_tb(error.__traceback__))
    return getattr(error, "name", None) == "torch" or any(
        frame.f_globals.get("__name__") == "torch" and frame.f_code.co_name == "<module>" for frame in frames
    )


def _arguments(argv: Sequence[str] | None) -> argparse.Namespace:
    parser = _parser()
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        remedy = " (--course goes before the command)" if any(word.startswith("--course") for word in unknown) else ""
        parser.error(f"unrecognized arguments: {' '.join(unknown)}{remedy}")
    return arguments


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradclinic",
        description="Why is my gradient None, zero or wrong, and where did it get lost?",
        epilog="Without a command: where you are and what to do next; on a terminal, it goes on to watch.",
    )
    parser.add_argument("--version", action="version", version=f"gradclinic {__version__}")
    parser.add_argument("--course", type=Path, metavar="DIR", help="a course folder (default: the one you are in)")
    parser.set_defaults(module="status")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _for_learners(commands)
    _for_instructors(commands)
    _for_authors(commands)
    return parser


_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _command(commands: _Commands, name: str, about: str, module: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    parser.set_defaults(module=module or name)
    return parser


def _for_learners(commands: _Commands) -> None:
    _command(commands, "list", "Show the exercises and which of them you passed.")
    read = _command(commands, "read", "Show a lesson here, and run its code.")
    read.add_argument("id", nargs="?", metavar="ID", help=f"{_ID} (default: the current one)")
    check = _command(commands, "check", "Check your exercises, or other answers, and say what is wrong and where.")
    check.add_argument("ids", nargs="*", metavar="ID", help=f"{_ID} (default: all)")
    check.add_argument("--answers", type=Path, metavar="PATH", help="check these files instead of those in lessons/")
    check.add_argument("--json", action="store_true", help="print the verdicts as one JSON list")
    check.add_argument("--seed", type=int, metavar="N", help="draw the same inputs as a verdict with this seed")
    check.add_argument("--in-process", action="store_true", help="run the answer in this process, for breakpoint()")
    _command(commands, "watch", "Check the current exercise each time you save it.")
    hint = _command(commands, "hint", "Show one more of the three hints.")
    hint.add_argument("id", metavar="ID", help=_ID)
    solution = _command(commands, "solution", "Show the solution, once you passed.")
    solution.add_argument("id", metavar="ID", help=_ID)
    solution.add_argument("--give-up", action="store_true", help="show it before you passed")
    reset = _command(commands, "reset", "Bring back the exercise as it was. Your file is kept as a backup.")
    reset.add_argument("id", metavar="ID", help=_ID)
    reset.add_argument("--yes", action="store_true", help="do not ask")
    about = "Run a program unchanged, then say which gradients were None, why, and at which line (run --help)."
    _command(commands, "run", about)
    init = _command(commands, "init", "Lay out the course in a new folder.")
    init.add_argument("folder", type=Path, metavar="DIR", help="a folder that does not exist yet, or is empty")
    cause = _command(commands, "cause", "Explain a cause that a verdict names, and what helps.")
    cause.add_argument("id", nargs="?", metavar="ID", help="its name, or a clear part of it (default: list them all)")
    claims = _command(commands, "claims", "Run every claim of the two articles and show what comes out.")
    claims.add_argument("--json", action="store_true", help="print them as one JSON list")


def _for_instructors(commands: _Commands) -> None:
    about = "Grade the submissions of a whole class, each in a confined process."
    grade_options.add(_command(commands, "grade", about))


def _for_authors(commands: _Commands) -> None:
    dev = commands.add_parser("dev", help="For authors of a course.", description="For authors of a course.")
    inner = dev.add_subparsers(title="commands", metavar="COMMAND", required=True)
    about = "Refuse what is missing or wrong in a course (--quick: without running anything)."
    check = _command(inner, "check", about, "dev_check")
    check.add_argument("ids", nargs="*", metavar="ID", help=f"{_ID} (default: all, and the claims)")
    check.add_argument("--quick", action="store_true", help="only what can be told without running anything")
    new = _command(inner, "new", "Lay out the files of a new lesson.", "dev_new")
    new.add_argument("slug", metavar="SLUG", help="the lesson's name, with or without a number: 09_double_backward")
