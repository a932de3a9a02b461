"""From a failure and the witness's events to a cause and a line. First match wins; no match is no guess."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from gradclinic import causes

Event = dict[str, Any]


@dataclass(frozen=True)
class Explanation:
    """A cause id and the line to name; either may be unknown. `root` stands behind a cause that is a symptom."""

    cause: str | None = None
    line: int | None = None
    root: str | None = None


def explain(kind: str, cause: str | None, exception: Event | None, events: Sequence[Event], source: str) -> Explanation:
    """`kind` and `cause` are what the values said; the events refine the cause only where values cannot tell."""
    if exception is not None:
        return _exception(exception, events, source)
    if cause is not None:
        return Explanation(cause, _line_of(cause, events))
    if kind in ("none", "lost"):
        found = _missing(events, source) if kind == "none" else _lost(events, source)
        return found or Explanation()
    return Explanation()


def _last(events: Sequence[Event], op: str, **facts: Any) -> Event | None:
    matching = (e for e in reversed(events) if e["op"] == op and all(e.get(k) == v for k, v in facts.items()))
    return next(matching, None)


def _at(event: Event | None, cause: str) -> Explanation | None:
    return None if event is None else Explanation(cause, event["line"])


# ---- the value is a known wrong one: only the line is open


def _line_of(cause: str, events: Sequence[Event]) -> int | None:
    backward = _last(events, "backward") or _last(events, "grad")
    edits = [e for e in events if e["op"] == "edit"]
    hidden = [e for e in edits if e.get("through")] or [e for e in edits if not e.get("grad_mode", True)] or edits
    flag = _last(events, "flag", parameter=True) or _last(events, "flag")
    keeping = next((e for e in events if e["op"] == "backward" and e["retain_graph"]), backward)
    named = {
        "accumulated": backward,
        "wrong_scale": backward,
        "wrong_scalar": backward,
        "history_kept": keeping,
        "materialized_zero": _last(events, "grad", materialize=True),
        "functional_grad": _last(events, "grad"),
        "edited_through_data": hidden[0] if hidden else None,
        "grad_cleared": _last(events, "clear"),
        "frozen": flag,
        "detached": _last(events, "cut", cause="detached"),
        "rewrapped": _last(events, "cut", cause="rewrapped"),
        "truncated_too_much": _last(events, "cut", cause="detached"),
        "no_backward": _last(events, "read"),
    }
    event = named.get(cause)
    return event["line"] if event else None


# ---- the learner's code raised


def _exception(exception: Event, events: Sequence[Event], source: str) -> Explanation:
    raised_at = exception["frames"][-1]["line"] if exception["frames"] else None
    cause = causes.from_message(exception["text"])
    if cause in ("unused", "off_the_path"):
        asked = _last(events, "grad")
        return _unreached(asked["lost"][0], raised_at) if asked and asked["lost"] else Explanation(cause, raised_at)
    if cause == "loss_has_no_graph":
        return _no_graph(events, raised_at)
    if cause == "inplace_on_saved":
        keeping = _last(events, "backward", retain_graph=True)
        again = _last(events, "backward", raised=True)
        if keeping and again and again["again"]:
            return Explanation("history_kept", keeping["line"])
        edit = _last(events, "edit")
        return Explanation(cause, edit["line"] if edit else raised_at)
    if cause is not None:
        return Explanation(cause, raised_at)
    if "MemoryError" in exception["kinds"]:
        return Explanation("out_of_memory", raised_at)
    if "NoneType" in exception["text"]:  # a None gradient usually ends as somebody else's complaint
        return _missing(events, source, raised_at) or Explanation("exception", raised_at)
    return Explanation("exception", raised_at)


def _no_graph(events: Sequence[Event], raised_at: int | None) -> Explanation:
    asked = _last(events, "backward", raised=True) or _last(events, "grad", raised=True)
    if asked and asked["late_flag"]:
        return Explanation("flag_too_late", asked["late_flag"])
    if asked and asked["cut"]:
        return Explanation("loss_has_no_graph", asked["cut"][1], root=asked["cut"][0])
    if asked and asked["untracked"]:
        return Explanation("loss_has_no_graph", raised_at, root="requires_grad_false")
    if (frozen := _last(events, "flag", parameter=True, on=False)) is not None:
        return Explanation("loss_has_no_graph", frozen["line"], root="frozen")
    return Explanation("loss_has_no_graph", raised_at)


def _unreached(asked: Event, raised_at: int | None) -> Explanation:
    """An input of autograd.grad that the outputs were not computed from."""
    line = asked["made_line"] or raised_at
    if asked["modified"]:
        return Explanation("modified_after_use", asked["modified"])
    if not asked["requires"]:
        return Explanation("detached", asked["cut"][1]) if asked["cut"] else Explanation("requires_grad_false", line)
    if asked["leaf"] and asked["cut"]:
        return Explanation(asked["cut"][0], asked["cut"][1])
    return Explanation("unused" if asked["leaf"] else "off_the_path", line)


# ---- a gradient is None


def _missing(events: Sequence[Event], source: str, raised_at: int | None = None) -> Explanation | None:
    read, asked = _none_read(events, raised_at), _last(events, "grad", none=True)
    if asked and (read is None or asked["at"] > read["at"]):
        return _unreached(asked["lost"][0], asked["line"]) if asked["lost"] else None
    if read is None:
        return _nothing_read(events)
    if not read["backward_before"]:
        return _at(_asking(events, read["target"]), "functional_grad") or Explanation("no_backward", read["line"])
    if read["cleared"] and _nothing_after_clearing(events, read["at"]):
        return Explanation("grad_cleared", read["cleared"])
    if (patched := _patched(events)) is not None:
        return patched
    if not read["requires"]:
        if read["cut"]:
            return Explanation(read["cut"][0], read["cut"][1])
        if read["parameter"]:
            return Explanation("frozen", read["flag_line"] or read["line"])
        return Explanation("requires_grad_false", read["made_line"] or read["line"])
    return _leaf(read, events) if read["leaf"] else _non_leaf(read, source)


def _none_read(events: Sequence[Event], raised_at: int | None = None) -> Event | None:
    """The None that mattered: of the line that raised, else the first one after the last backward, else the last."""
    reads = [e for e in events if e["op"] == "read" and e["none"]]
    if here := [e for e in reads if e["line"] == raised_at]:
        return here[-1]
    backward = _last(events, "backward")
    return next((e for e in reads if backward and e["at"] > backward["at"]), reads[-1] if reads else None)


def _asking(events: Sequence[Event], target: int) -> Event | None:
    """The autograd.grad call that asked for this tensor, else the first one."""
    calls = [e for e in events if e["op"] == "grad"]
    return next((e for e in calls if target in e["asked"]), calls[0] if calls else None)


def _nothing_after_clearing(events: Sequence[Event], until: int) -> bool:
    cleared, backward = _last(events[:until], "clear"), _last(events[:until], "backward")
    return cleared is not None and backward is not None and cleared["at"] > backward["at"]


def _nothing_read(events: Sequence[Event]) -> Explanation | None:
    if not any(e["op"] in ("backward", "grad") for e in events):
        return Explanation("no_backward")
    return None


def _patched(events: Sequence[Event]) -> Explanation | None:
    patched = _last(events, "backward", patched=True)
    return _at(_last(events, "flag", patched=True), "loss_patched") if patched else None


def _leaf(read: Event, events: Sequence[Event]) -> Explanation:
    if read["cut"]:
        return Explanation(read["cut"][0], read["cut"][1])
    if read["late_flag"]:
        return Explanation("flag_too_late", read["flag_line"])
    backward = _last(events, "backward")
    if backward and backward["inputs"] and read["target"] not in backward["inputs"]:
        return Explanation("functional_grad", backward["line"])
    if backward and backward["cut"]:
        return Explanation(backward["cut"][0], backward["cut"][1])
    return Explanation("unused", read["made_line"] or read["line"])


def _non_leaf(read: Event, source: str) -> Explanation:
    line = read["made_line"] or read["line"]
    if read["modified"]:
        return Explanation("modified_after_use", read["modified"])
    if read["retained"] and read["retained"]["late"]:
        return Explanation("retained_late", read["retained"]["line"])
    if read["from_leaf"] and not read["retained"] and _shadows(source, read["line"], read["made_line"]):
        return Explanation("shadowed_leaf", line)
    if read["on_path"] or read["made_line"] == read["line"]:  # a tensor made in the very expression that asks it
        return Explanation("not_a_leaf", line)
    return Explanation("off_the_path", line)


def _shadows(source: str, read_line: int | None, made_line: int | None) -> bool:
    """Whether the name read at one line was given, at the other, to an operation on itself or on a leaf made there."""
    tree = parse(source)
    if tree is None or made_line is None:
        return False
    names = {
        ast.unparse(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Attribute) and node.attr == "grad" and node.lineno == read_line
    }
    for node in ast.walk(tree):
        if not isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)) or node.value is None:
            continue
        if not node.lineno <= made_line <= (node.end_lineno or node.lineno):
            continue
        targets = node.targets if isinstance(node, ast.Assign) else [node.target]
        given = {ast.unparse(part) for target in targets for part in ast.walk(target) if isinstance(part, ast.expr)}
        used = {ast.unparse(part) for part in ast.walk(node.value) if isinstance(part, (ast.Name, ast.Attribute))}
        makes_leaf = any(word in ast.unparse(node.value) for word in ("requires_grad", "Parameter("))
        if (given & used & names if names else given & used) or (makes_leaf and (given & names or not names)):
            return True
    return False


def parse(source: str) -> ast.Module | None:
    try:
        return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None


# ---- no gradient arrived, though none was read as None


def _lost(events: Sequence[Event], source: str) -> Explanation | None:
    if _none_read(events) is not None:
        return _missing(events, source)
    backward = _last(events, "backward")
    if backward is None:
        return _at(_asking(events, 0), "functional_grad") or Explanation("no_backward")
    if (patched := _patched(events)) is not None:
        return patched
    for cause in ("rewrapped", "left_torch", "grad_mode_off", "detached", "not_differentiable"):
        if backward["cut"] and backward["cut"][0] == cause:
            return Explanation(cause, backward["cut"][1])
    for event in events:
        if event["op"] == "cut" and event["direct"] and event["cause"] in ("rewrapped", "detached"):
            return Explanation(event["cause"], event["line"])
    if backward["inputs"]:
        return Explanation("functional_grad", backward["line"])
    cleared = _last(events, "clear")
    if cleared and _nothing_after_clearing(events, len(events)):
        return Explanation("grad_cleared", cleared["line"])
    if (frozen := _last(events, "flag", parameter=True, on=False)) is not None:
        return Explanation("frozen", frozen["line"])
    if backward["untracked"]:
        return Explanation("requires_grad_false", backward["untracked"])
    return None


# ---- right answers that a person should still hear about


def remarks(events: Sequence[Event]) -> list[str]:
    """Accepted oddities, each in one sentence. A line in a loop is odd only if it is so each time."""
    keeping = [e for e in events if e["op"] == "backward" and e["retain_graph"]]
    needed = {e["line"] for e in keeping if e.get("needed")}
    said = [
        f"line {e['line']}: retain_graph=True was not needed; nothing goes through this graph again."
        for e in keeping
        if e["line"] not in needed
    ]
    said += [
        f"line {e['line']}: an edit through .data hides from autograd's checks; "
        "`with torch.no_grad():` does the same in the open."
        for e in events
        if e["op"] == "edit" and e.get("through") == "data" and e["direct"]
    ]
    return list(dict.fromkeys(said))
