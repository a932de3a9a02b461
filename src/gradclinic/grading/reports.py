"""What a child reports of a call, read field by field: a learner's code can write to the pipe whatever it likes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from gradclinic.grading.wire import WireError

_SHORT, _LONG, _MANY, _EVENTS, _LARGEST_LINE = 300, 2000, 20, 2000, 10**6


def read_report(head: Mapping[str, Any]) -> dict[str, Any]:
    """The known fields, each of its own type, cut to a length, and without codes for a terminal. Raises WireError."""
    try:
        report: dict[str, Any] = {
            "exception": None if head["exception"] is None else _exception(head["exception"]),
            "warnings": [_warning(one) for one in head["warnings"][:_MANY]],
        }
    except KeyError:
        if not {"missing", "signature"} & head.keys():
            raise WireError("an unreadable message (no report)") from None
        report = {}
    except (TypeError, AttributeError) as error:
        raise WireError(f"an unreadable message ({type(error).__name__})") from None
    report |= {name: _text(head[name]) for name in ("missing", "signature", "why", "refused") if name in head}
    if "missing" in report:
        report["has"] = _texts(head.get("has"))
    if "signature" in report:
        report.setdefault("why", "")
    if isinstance(events := head.get("events"), list) and all(isinstance(event, dict) for event in events):
        report["events"] = events[-_EVENTS:]
    return report


def _exception(told: Mapping[str, Any]) -> dict[str, Any]:
    exception: dict[str, Any] = {
        "type": _text(told["type"], _SHORT),
        "text": _text(told["text"]),
        "kinds": _texts(told["kinds"]),
        "frames": [
            {name: _number(frame.get(name)) for name in ("line", "column", "end_column", "end_line")}
            for frame in told["frames"][-_MANY:]
        ],
    }
    if "syntax" in told:
        syntax = told["syntax"]
        exception["syntax"] = {"line": _number(syntax["line"]), "column": _number(syntax["column"])}
        exception["own_file"] = told.get("own_file") is True
    return exception


def _warning(told: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "category": _text(told["category"], _SHORT),
        "text": _text(told["text"]),
        "line": _number(told["line"]),
    }


def _texts(value: Any) -> list[str]:
    return [_text(one, _SHORT) for one in value[:_MANY]] if isinstance(value, list) else []


def _text(value: Any, most: int = _LONG) -> str:
    if not isinstance(value, str):
        raise WireError("an unreadable message (a text is missing)")
    return "".join(sign if sign.isprintable() or sign in "\n\t" else " " for sign in value[:most])


def _number(value: Any) -> int | None:
    """A line or a column; an exception's own may be anything."""
    return value if type(value) is int and 0 <= value <= _LARGEST_LINE else None
