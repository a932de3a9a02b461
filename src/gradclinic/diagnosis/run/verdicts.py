"""From what was seen during a run to what is said of it: alarms, and notes that need no repair."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import torch

from ...causes import CAUSES
from ..decide.model import flags_on_modules
from ..decide.places import frames
from ..decide.registry import unregistered
from ..diagnosis import Diagnosis, Finding, Location
from ..errors import explain
from ..words import some
from .watch import Known, Read, Watch

_NO_ALARM = ("frozen",)  # somebody switched it off: no alarm, unless the program fell over it


@dataclass
class Entry:
    """One thing to say. headline: what was seen; answer: why. read_at, step_at, pass_at: where it showed."""

    kind: str
    headline: str
    answer: Diagnosis
    alarm: bool = True
    names: list[str] = field(default_factory=list)
    read_at: list[Location] = field(default_factory=list)
    step_at: Location | None = None
    pass_at: Location | None = None


def entries(watch: Watch, error: BaseException | None) -> list[Entry]:
    """Everything there is to say, alarms first; one entry for all that has the same reason."""
    died = list(_of_error(watch, error))
    missing = _missing(watch)
    for one in died:
        missing = _joined(one, missing)
    found = [*died, *missing, *_values(watch), *_models(watch)]
    for read in _reads(watch):
        same = next((one for one in found if _is_about(one, read)), None)
        if same is None:
            found.append(read)
        else:
            same.read_at += [place for place in read.read_at if place not in same.read_at]
    return sorted(found, key=lambda one: not one.alarm)


def _joined(died: Entry, missing: list[Entry]) -> list[Entry]:
    """Adds to the error what has the same reason; returns the others."""
    same = [one for one in missing if _reason(one.answer) == _reason(died.answer)]
    for one in same:
        died.names += [name for name in one.names if name not in died.names]
        died.step_at, died.pass_at = one.step_at, one.pass_at
    return [one for one in missing if one not in same]


def _is_about(one: Entry, read: Entry) -> bool:
    """Whether an entry gives the same reason for at least these tensors."""
    if one.kind == "error" and any(place in one.read_at for place in read.read_at):
        return True
    return (
        one.kind in ("missing", "error")
        and _reason(one.answer) == _reason(read.answer)
        and set(read.names) <= set(one.names)
    )


def _reason(answer: Diagnosis) -> object:
    places = tuple((one.cause.id, one.location) for one in answer.findings)
    return answer.state, answer.cause, answer.certainty, answer.candidates, places


def _of_error(watch: Watch, error: BaseException | None) -> Iterator[Entry]:
    """The error that ended the program, if autograd raised it, or if it met a gradient that was None."""
    if error is None or isinstance(error, (SystemExit, KeyboardInterrupt)):
        return
    for one in _causes(error):
        read = _fatal_read(watch, one)
        if read is not None:
            at = [read.at] if read.at else []
            text = f"The program ended at a .grad that was None: {read.name}."
            yield Entry("error", text, read.answer, names=[read.name], read_at=at)
            return
        answer = explain(one)
        if answer.findings:
            yield Entry("error", "The program ended with an error of autograd.", answer)
            return


def _causes(error: BaseException) -> Iterator[BaseException]:
    one: BaseException | None = error
    for _ in range(10):
        if one is None:
            return
        yield one
        one = one.__cause__ or (None if one.__suppress_context__ else one.__context__)


def _fatal_read(watch: Watch, error: BaseException) -> Read | None:
    if not isinstance(error, (AttributeError, TypeError)) or "NoneType" not in str(error):
        return None
    lines = {(step.tb_frame.f_code, step.tb_lineno) for step in frames(error)}
    for site, ref in reversed(watch.last_reads):
        row = watch.trace.places.instruction(site)
        tensor, place = ref(), watch.trace.places.site(site)
        if row is not None and tensor is not None and (row[0], place.line) in lines:
            return watch.read_of(tensor, site)
    return None


def _missing(watch: Watch) -> list[Entry]:
    """What an optimizer held, and no pass of the whole run gave a gradient."""
    learned = [one for one in watch.known if one.in_module and one.had and not one.held]
    groups: dict[object, Entry] = {}
    for one in watch.known:
        if not one.held or one.had or not one.without or not one.missing:
            continue
        for pass_at, answer in _different(one.missing):
            said = _stale(answer) if _is_stale(one, learned) else answer
            entry = groups.setdefault(
                (_reason(said), one.step),
                Entry("missing", "", said, step_at=one.step, pass_at=pass_at, alarm=not said.ok),
            )
            if one.name not in entry.names:
                entry.names.append(one.name)
    for entry in groups.values():
        entry.headline = f"{some(entry.names)}: no backward pass gave it a gradient, and an optimizer stepped without."
    return list(groups.values())


def _different(said: Iterable[tuple[Location | None, Diagnosis]]) -> list[tuple[Location | None, Diagnosis]]:
    kept: dict[object, tuple[Location | None, Diagnosis]] = {}
    for place, answer in said:
        kept.setdefault(_reason(answer), (place, answer))
    return list(kept.values())


def _is_stale(one: Known, learned: list[Known]) -> bool:
    return not one.in_module and not one.outside and any(other.shape == one.shape for other in learned)


def _stale(answer: Diagnosis) -> Diagnosis:
    cause = CAUSES["stale_optimizer"]
    text = (
        "The optimizer holds it, no module that ran has it; a parameter of the same shape gets a gradient and is held "
        "by no optimizer that stepped."
    )
    others = tuple(one for one in answer.candidates if one is not cause)
    finding = Finding(cause, "root", "likely", text)
    return replace(
        answer, cause=cause, certainty="likely", candidates=(cause, *others), findings=(finding,), summary=text
    )


def _values(watch: Watch) -> list[Entry]:
    """Gradients that were wrong, nan or inf at a step; and those that were zero at every step that was looked at."""
    groups: dict[object, Entry] = {}
    for one in watch.known:
        flat = one.zero is not None and not one.nonzero and one.zero.cause is not None
        answer = one.bad if one.bad is not None else one.zero if flat else None
        if answer is None or (answer is one.zero and answer.certainty != "proved"):
            continue
        words = {"zero": "zero at every step that was looked at", "nonfinite": "nan or inf at a step"}
        headline = f"the gradient was {words.get(answer.state, 'there at a step, and wrong')}."
        groups.setdefault(_reason(answer), Entry("value", headline, answer)).names.append(one.name)
    for entry in groups.values():
        entry.headline = f"{some(entry.names)}: {entry.headline}"
    return list(groups.values())


def _models(watch: Watch) -> list[Entry]:
    """What the modules that ran hold without registering it, and flags that are plain attributes."""
    found = []
    lost = [one for one in watch.known if one.outside and one.had and not one.held and not one.in_module]
    if lost and any(one.in_module and one.held for one in watch.known):
        text = "It gets gradients, it is not in parameters(), and no optimizer that stepped holds it."
        names = list(dict.fromkeys(one.outside for one in lost))
        found.append(_model_entry("unregistered_parameter", text, names))
    for ref, name in watch.roots.values():
        root = ref()
        if root is None:
            continue
        names = [f"{name}.{one.name}" for one in unregistered(root) if one.kind == "result"]
        if names:
            text = "This is the result of an operation on a parameter that has no name of its own."
            found.append(_model_entry("shadowed_leaf", text, names))
        found += [_model_entry(one.cause.id, one.text, [name]) for one in flags_on_modules(root)]
    return found


def _model_entry(cause: str, text: str, names: list[str]) -> Entry:
    finding = Finding(CAUSES[cause], "root", "proved", text, names=tuple(names))
    answer = Diagnosis(
        "unmoved",
        False,
        text,
        cause=CAUSES[cause],
        certainty="proved",
        candidates=(CAUSES[cause],),
        findings=(finding,),
        torch_version=str(torch.__version__),
    )
    return Entry("model", f"{some(names)}: {text}", answer, names=names)


def _reads(watch: Watch) -> list[Entry]:
    groups: dict[object, Entry] = {}
    for read in watch.reads:
        harmless = read.later or (read.answer.cause is not None and read.answer.cause.id in _NO_ALARM)
        key = (_reason(read.answer), read.at, harmless)
        entry = groups.setdefault(key, Entry("read", "", read.answer, alarm=not harmless))
        if read.name not in entry.names:
            entry.names.append(read.name)
        if read.at is not None and read.at not in entry.read_at:
            entry.read_at.append(read.at)
    for entry in groups.values():
        entry.headline = f"{some(entry.names)}: its .grad was None when it was read."
    return list(groups.values())
