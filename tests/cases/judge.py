"""Compares what was said of a case with what is true of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

from expected import Want

Result = Literal["right", "open", "wrong"]


@dataclass
class Verdict:
    """`cause` and `line` are None where there is nothing to score; `false` lists every statement that does not hold."""

    cause: Result | None
    line: Result | None
    false: list[str] = field(default_factory=list)
    said: str = ""


def judge(answer: dict[str, Any], want: Want, file: str, traced: bool) -> Verdict:
    if "failed" in answer:
        return Verdict("wrong" if want.root else None, None, [f"no answer: {answer['failed']}"], "nothing")
    false = [*_false_statements(answer, want, file, traced), *(f"not so: {rule}" for rule in answer["breaches"])]
    said = f"{answer['state']}, cause {answer['cause']} ({answer['certainty']}), candidates {answer['candidates']}"
    found = [f"{one['cause']} at {_line(one, file)}" for one in answer["findings"]]
    said += f", findings {found}" if found else ""
    if want.root is None:
        return Verdict(None, None, false, said)
    cause: Result
    claimed = [one["cause"] for one in answer["findings"] if one["certainty"] != "open"] + [answer["cause"]]
    if want.root in claimed and answer["cause"] in (want.root, *want.symptoms, None):
        cause = "right"
    elif answer["cause"] in (None, *want.symptoms):
        cause = "open"
    else:
        cause = "wrong"
    if not traced or not want.lines:
        return Verdict(cause, None, false, said)
    lines = {line for one in answer["findings"] if one["cause"] == want.root for line in _lines(one["location"], file)}
    return Verdict(cause, "right" if lines & set(want.lines) else "wrong" if lines else "open", false, said)


def _false_statements(answer: dict[str, Any], want: Want, file: str, traced: bool) -> list[str]:
    true = {want.root, *want.symptoms, *want.also} - {None}
    false = []
    if answer["cause"] is not None and answer["cause"] not in true:
        false.append(f"the cause is {answer['cause']} ({answer['certainty']})")
    false += [
        f"a finding is {one['cause']} ({one['certainty']})"
        for one in answer["findings"]
        if one["certainty"] != "open" and one["cause"] not in true and one["cause"] != answer["cause"]
    ]
    if want.root is None:
        if want.scored and not answer["ok"] and answer["cause"] not in true:
            false.append("something is to be repaired")
        return false
    unseen = want.blind and want.root in answer["candidates"]  # a gradient that is there may be called one: open
    if answer["ok"] and not unseen and not (want.blind and not traced):
        false.append("nothing is to be repaired")
    named = {answer["cause"], *answer["candidates"], *(one["cause"] for one in answer["findings"])}
    if not answer["ok"] and not named & {want.root, *want.symptoms}:
        false.append(f"{want.root} is not among the candidates")
    false += [
        f"{one['cause']} is proved at line {_line(one, file)}, not at {want.lines}"
        for one in answer["findings"]
        if one["cause"] == want.root and one["certainty"] == "proved" and want.lines
        if (lines := _lines(one["location"], file)) and not set(lines) & set(want.lines)
    ]
    return false


def _lines(location: dict[str, Any] | None, file: str) -> list[int]:
    """The lines of the case that a location names: its own, or that of the library's caller."""
    lines = []
    while location:
        if location["file"] == file and location["line"]:
            lines.append(int(location["line"]))
        location = location["called_from"]
    return lines


def _line(finding: dict[str, Any], file: str) -> str:
    lines = _lines(finding["location"], file)
    return str(lines[0]) if lines else "no line"
