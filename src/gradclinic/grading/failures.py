"""What can go wrong with a learner's file, each in a sentence that says what to do."""

from __future__ import annotations

import difflib
import re
import signal
from typing import Any

import torch

from gradclinic.grading import limits, scratch
from gradclinic.grading.answers import Answer
from gradclinic.grading.checking import CheckFailed, describe
from gradclinic.grading.session import ChildEnded
from gradclinic.grading.verdict import CheckRow

# after these the other checks of the exercise would only say the same
FINAL = {
    "syntax": "not reached: the file is not Python yet",
    "load": "not reached: the file does not load",
    "timeout": "not reached: the time was used up",
}
_LONGEST = 160
_MESSAGE = 1000
REPLAYED = ("none", "lost", "value", "shape", "exception")
FALLBACK = {"type": "wrong_type", "shape": "wrong_shape", "none": "wrong_type", "load": "exception"}


def read_source(answer: Answer) -> tuple[str, CheckRow | None]:
    """The text of the file, or the failed row that tells why there is none. Reading runs nothing."""
    file = answer.file

    def unreadable(cause: str, message: str) -> tuple[str, CheckRow]:
        return "", CheckRow("", "failed", cause=cause, message=message)

    if not file.exists():
        remedy = f"`gradclinic reset {answer.lesson.id}` brings the exercise back" if answer.own else "check the path"
        return unreadable("not_started", f"{file.name} is missing: {remedy}")
    try:
        data = answer.read()
    except OSError as error:
        return unreadable("not_started", f"{file.name} cannot be read: {error.strerror}")
    if not data.strip():
        return unreadable("not_started", f"{file.name} is empty: `gradclinic reset {answer.lesson.id}` brings it back")
    if b"\0" in data:
        return unreadable("not_utf8", f"{file.name} holds NUL bytes: is it a text file? Save it as UTF-8")
    try:
        return data.decode("utf-8-sig").replace("\r\n", "\n"), None
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        return unreadable("not_utf8", f"{file.name}, line {line}: not UTF-8 text. Save the file as UTF-8")


def raise_for_load(report: dict[str, Any]) -> None:
    """Raises CheckFailed when the file could not be imported."""
    told = report["exception"]
    if told is None:
        return
    if "syntax" in told and told["own_file"]:
        where = (told["syntax"]["line"], told["syntax"]["column"])
        raise CheckFailed(f"this is not Python yet: {told['text']}", kind="syntax", cause="syntax_error", where=where)
    _raise_for(told, "the file", kind="load")


def raise_for_call(report: dict[str, Any], name: str, args: tuple[Any, ...]) -> None:
    """Raises CheckFailed when a call gave no value."""
    if "missing" in report:
        near = difflib.get_close_matches(name, report["has"], n=1)
        hint = f"; is {near[0]} the one, renamed?" if near else ""
        raise CheckFailed(f"the file has no function {name}{hint}", kind="function", cause="missing_function")
    if "signature" in report:
        message = f"{report['signature']} cannot be called with {len(args)} arguments: {report['why']}"
        raise CheckFailed(message, kind="function", cause="wrong_signature")
    if report["exception"] is not None:
        _raise_for(report["exception"], name, kind="exception")
    if "refused" in report:
        message = f"{name} should return tensors and plain values; it returned {report['refused']}"
        raise CheckFailed(message, kind="type", cause="wrong_type")


def _raise_for(told: dict[str, Any], name: str, kind: str) -> None:
    first = _first_sentence(told["text"])
    if told["type"] == "SystemExit":
        message = f"{name} left the program: sys.exit({first})"
        raise CheckFailed(message, kind="exit", cause="exited", where=_frame(told))
    if told["type"] == "KeyboardInterrupt":
        raise CheckFailed(f"{name} raised KeyboardInterrupt", kind="exit", cause="exited", where=_frame(told))
    cause = "out_of_memory" if "MemoryError" in told["kinds"] else None
    where = _frame(told) if kind == "load" else None
    said = f"{told['type']}: {first}" if first else told["type"]
    raise CheckFailed(f"{name} raised {said}", kind=kind, cause=cause, where=where)


def _first_sentence(text: str) -> str:
    """The first sentence of an error text: PyTorch's run on for a paragraph."""
    line = text.strip().split("\n")[0]
    sentence = re.split(r"(?<=[a-z)])\. ", line)[0]
    return sentence if len(sentence) <= _LONGEST else sentence[:_LONGEST] + "..."


def _frame(told: dict[str, Any]) -> tuple[int, None] | None:
    return (told["frames"][-1]["line"], None) if told["frames"] else None


def from_end(ended: ChildEnded, name: str) -> CheckFailed:
    """The failure of a child that gave no reply."""
    where = (ended.line, None) if ended.line else None
    if ended.how == "timeout":
        return CheckFailed(f"timeout: {name} was still running", kind="timeout", cause="timeout", where=where)
    if ended.how == "disk":
        most = f"{scratch.MOST_BYTES // 2**20} MB in {scratch.MOST_FILES} files"
        return CheckFailed(f"{name} filled its folder: it may hold {most}", kind="end", cause="crashed")
    if ended.how == "threads":
        return CheckFailed(f"{name} started more than {limits.MOST_THREADS} threads", kind="end", cause="crashed")
    if ended.how == "garbled":
        message = f"the program around {name} sent something unreadable: {ended.text}"
        return CheckFailed(message, kind="end", cause="crashed", where=where)
    if ended.status is not None and ended.status >= 0:
        return CheckFailed(f"{name} ended the whole program: exit status {ended.status}", kind="end", cause="exited")
    died = f"signal {_signal(ended.status)}" if ended.status else ended.text or "it was killed"
    return CheckFailed(f"{name} crashed the program: {died}", kind="end", cause="crashed", where=where)


def _signal(status: int | None) -> str:
    try:
        return f"{-(status or 0)}, {signal.Signals(-(status or 0)).name}"
    except ValueError:
        return str(-(status or 0))


def show(value: Any, like: Any) -> str:
    """A value in one short line: shape and first numbers."""
    if value is None:
        return "" if like is None else "None"
    if isinstance(value, torch.Tensor):
        first = value.flatten()[:4].tolist()
        flat = [f"{number:.4g}" if isinstance(number, float) else str(number) for number in first]
        more = ", ..." if value.numel() > 4 else ""
        shape = f" (shape {'x'.join(map(str, value.shape))})" if value.ndim else ""
        return f"{', '.join(flat)}{more}{shape}"
    if isinstance(value, float):
        return f"{value:.4g}"
    if isinstance(value, (list, tuple)) and value and len(value) <= 6:
        return "[" + "; ".join(show(item, "") for item in value) + "]"
    return describe(value)


def short(text: str) -> str:
    """A message may quote what a learner's code has chosen: names, keys, a signature."""
    return text if len(text) <= _MESSAGE else text[:_MESSAGE] + "..."


def nonzero(value: Any) -> bool:
    """Whether a value says anything: zeros are their own story."""
    return not isinstance(value, torch.Tensor) or bool(value.ne(0).any())


def columns(source: str, frame: dict[str, Any]) -> tuple[int | None, int | None]:
    """Character columns from 1 of a traceback frame; the interpreter counts UTF-8 bytes from 0."""
    lines = source.splitlines()
    if None in (frame["line"], frame["column"]) or frame["end_line"] != frame["line"] or frame["line"] > len(lines):
        return None, None
    raw = lines[frame["line"] - 1].encode()
    start = len(raw[: frame["column"]].decode(errors="replace")) + 1
    return start, len(raw[: frame["end_column"]].decode(errors="replace")) + 1
