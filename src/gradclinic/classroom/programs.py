"""The programs of one learner, read from .py files and notebooks, as long as they are not too much work."""

from __future__ import annotations

from gradclinic.classroom import notebooks
from gradclinic.classroom.files import File, Refused

ENDINGS = (".py", ".ipynb")
_LARGEST = 2**20
_LARGEST_NOTEBOOK = 8 * 2**20  # pictures in its outputs count; its code has to keep to the limit of a program
_WORK = 32 * 2**20  # bytes that are read for one learner
_LEAST = 2**14  # bytes that a file counts at least
_TIMES = 8  # what a byte of a notebook's code costs beside one that is only read
_UTF16 = (b"\xff\xfe", b"\xfe\xff")


class Programs:
    """Reads, and counts what was read."""

    def __init__(self) -> None:
        self._left = _WORK

    def read(self, file: File) -> bytes:
        """The text to grade, as the learner encoded it: Python itself knows what a first line says of that.

        Raises Refused for what Python cannot take for a program, whatever it says, and when it becomes too much.
        """
        if self._left <= 0:
            raise Refused("this learner's files are too many or too large to be read all")
        is_notebook = file.path.lower().endswith(".ipynb")
        self._left -= _LEAST
        text = file.read(_LARGEST_NOTEBOOK if is_notebook else _LARGEST)
        self._left -= len(text)
        if is_notebook:
            text = notebooks.program(text, _LARGEST)
            self._left -= _TIMES * len(text)
        if not text.strip():
            raise Refused("it is empty")
        if text.startswith(_UTF16) or b"\0" in text:
            raise Refused("it is not text, or text in UTF-16, which Python does not read: save it as UTF-8")
        return text
