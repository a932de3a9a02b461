"""The report at the end of a run, as text and as JSON."""

from __future__ import annotations

import json
import os
import textwrap
from dataclasses import dataclass
from typing import Any

import torch

from ..diagnosis import Diagnosis, Location, TraceFacts
from ..record.ledger import Trace
from ..tell.render import WIDTH, underlined, where
from ..words import many
from .program import Program
from .verdicts import Entry, entries
from .watch import Watch

_MOST_PLACES = 3


@dataclass(frozen=True)
class Report:
    """What is said after a program has run; it holds no tensor."""

    program: str
    found: tuple[Entry, ...]
    passes: int
    steps: int
    notes: tuple[str, ...]
    failures: tuple[str, ...]
    trace: TraceFacts

    @classmethod
    def of(cls, what: Program, seen: Trace, watch: Watch, error: BaseException | None) -> Report:
        facts = TraceFacts(seen.complete, seen.dropped)
        found = tuple(entries(watch, error))
        return cls(what.shown, found, watch.passes, watch.steps, tuple(seen.notes), tuple(seen.failures), facts)

    @property
    def alarms(self) -> tuple[Entry, ...]:
        return tuple(one for one in self.found if one.alarm)

    def rendered(self, as_json: bool, folder: str) -> str:
        """folder: where the program was started; the text shows the files below it by their relative names."""
        return self.json() if as_json else _text(self, folder)

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "torch": str(torch.__version__),
            "program": self.program,
            "ok": not self.alarms,
            "passes": self.passes,
            "steps": self.steps,
            "findings": [_entry_as_dict(one) for one in self.found],
            "notes": list(self.notes),
            "failures": list(self.failures),
            "trace": self.trace.as_dict(),
        }

    def json(self) -> str:
        return json.dumps(self.as_dict(), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def _entry_as_dict(one: Entry) -> dict[str, Any]:
    return one.answer.as_dict() | {
        "kind": one.kind,
        "alarm": one.alarm,
        "headline": one.headline,
        "names": one.names,
        "read_at": one.read_at[0].as_dict() if one.read_at else None,
        "also_read_at": [place.as_dict() for place in one.read_at[1:]],
        "backward_at": one.pass_at.as_dict() if one.pass_at else None,
        "step_at": one.step_at.as_dict() if one.step_at else None,
    }


# ---- as text


def _text(report: Report, folder: str) -> str:
    blocks = [_first(report)]
    numbered = len(report.alarms) > 1
    for number, one in enumerate(report.alarms, 1):
        blocks.append("\n".join(_entry(one, folder, f"{number}. " if numbered else "")))
    for one in report.found:
        if not one.alarm:
            blocks.append("\n".join(_note(one, folder)))
    blocks += ["\n".join(_wrap(note)) for note in report.notes]
    if not report.trace.complete:
        blocks.append("\n".join(_wrap(_incomplete(report))))
    return "\n\n".join(blocks) + "\n"


def _first(report: Report) -> str:
    rank = os.environ.get("RANK") if os.environ.get("WORLD_SIZE", "1") != "1" else None
    head = "gradclinic run" + (f", rank {rank}" if rank else "")
    counts = f"{many(report.passes, 'backward pass', 'es')}, {many(report.steps, 'optimizer step')}"
    said = f"{many(len(report.alarms), 'thing')} to repair" if report.alarms else "nothing to repair"
    title = f"---- {head}: {said} "
    return "\n".join([title + "-" * max(WIDTH - len(title), 4), *_wrap(f"{counts}, torch {torch.__version__}.")])


def _incomplete(report: Report) -> str:
    parts = []
    if report.trace.dropped:
        parts.append(f"{report.trace.dropped} operations were dropped to bound the memory")
    if report.failures:
        parts.append(f"the trace itself failed at something and left it out ({report.failures[0]})")
    return f"The trace is not complete: {'; '.join(parts) or 'old events were dropped'}."


def _entry(one: Entry, folder: str, number: str) -> list[str]:
    answer = one.answer
    lines = _wrap(number + one.headline)
    for words, places in (
        ("Read", one.read_at),
        ("Backward", [one.pass_at] if one.pass_at else []),
        ("Step", [one.step_at] if one.step_at else []),
    ):
        for place in places[:_MOST_PLACES]:
            lines += _place(place, folder, words)
        if len(places) > _MOST_PLACES:
            lines.append(f"  and read at {len(places) - _MOST_PLACES} more places")
    if not answer.findings:
        lines += ["", *_wrap(answer.summary)]
    for finding in answer.findings:
        sure = "" if finding.certainty == "proved" else f", {finding.certainty}"
        lines += ["", *_wrap(f"{finding.role.capitalize()}: {finding.cause.title} ({finding.cause.id}{sure})")]
        lines += _wrap(finding.text, "  ")
        for place in [at for at in (finding.location, *finding.also) if at is not None][:_MOST_PLACES]:
            lines += _place(place, folder)
    return [*lines, *_advice(answer)]


def _advice(answer: Diagnosis) -> list[str]:
    if answer.cause is not None:
        lesson = f" (lesson: {answer.lesson})" if answer.lesson else ""
        return ["", *_wrap(f"Fix: {answer.cause.fix}{lesson}")]
    if not answer.candidates:
        return []
    fits = [line for cause in answer.candidates for line in _wrap(f"- {cause.title} ({cause.id})", "  ", "    ")]
    return ["", "These fit what was seen:", *fits]


def _note(one: Entry, folder: str) -> list[str]:
    why = f"{one.answer.cause.title} ({one.answer.cause.id})" if one.answer.cause else one.answer.summary
    lines = _wrap(f"Note: {one.headline} {why}{'' if why.endswith('.') else '.'}")
    for place in (one.read_at[:1], [one.answer.location] if one.answer.location else []):
        lines += [line for at in place for line in _place(at, folder)]
    return lines


def _place(place: Location, folder: str, words: str = "") -> list[str]:
    lines = _wrap((f"{words} at " if words else "") + where(place, folder), "  ", "    ")
    if place.source.strip():
        lines += ["    " + line for line in underlined(place, WIDTH - 4)]
    if place.called_from:
        lines += _place(place.called_from, folder, "called")
    return lines


def _wrap(text: str, first: str = "", rest: str | None = None) -> list[str]:
    return textwrap.wrap(
        text,
        WIDTH,
        initial_indent=first,
        subsequent_indent=first if rest is None else rest,
        break_long_words=False,
        break_on_hyphens=False,
    )
