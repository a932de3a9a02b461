"""From a failure and the events of its replay to a cause and a line. First match wins; no match is no guess."""

from __future__ import annotations

from collections.abc import Sequence

from gradclinic import causes
from gradclinic.grading.events import Event, Explanation, at, last
from gradclinic.grading.missing import lost, missing, unreached


def explain(kind: str, cause: str | None, exception: Event | None, events: Sequence[Event] | None) -> Explanation:
    """`kind` and `cause` are what the values said; the events refine the cause only where values cannot tell.

    events: None where there was no replay, or where it failed; that nothing happened is another matter.
    """
    if events is None:
        return Explanation(cause) if exception is None else _message(exception)
    if exception is not None:
        return _exception(exception, events)
    if cause is not None:
        cause = _seen(cause, events)
        return Explanation(cause, _line_of(cause, events))
    if kind in ("none", "lost"):
        found = missing(events) if kind == "none" else lost(events)
        if found is not None:
            return found
    said = last(events, "said") if kind in ("value", "lost") else None
    return Explanation(said["cause"], said["line"]) if said else Explanation()


# ---- the value is a known wrong one: only the line is open


def _seen(cause: str, events: Sequence[Event]) -> str:
    """Two mistakes can give one value; the events tell which it was."""
    if cause == "grad_cleared" and last(events, "clear") is None:
        return "wrong_scalar"
    edits = [e for e in events if e["op"] == "edit"]
    if cause == "edited_through_data" and edits and not any(e.get("through") for e in edits):
        return "modified_after_use"
    return cause


def _line_of(cause: str, events: Sequence[Event]) -> int | None:
    backward = last(events, "backward") or last(events, "grad")
    edits = [e for e in events if e["op"] == "edit"]
    hidden = [e for e in edits if e.get("through")] or [e for e in edits if not e.get("grad_mode", True)] or edits
    flag = last(events, "flag", parameter=True) or last(events, "flag")
    keeping = next((e for e in events if e["op"] == "backward" and e["retain_graph"]), backward)
    named = {
        "accumulated": backward,
        "wrong_scale": backward,
        "wrong_scalar": backward,
        "history_kept": keeping,
        "materialized_zero": last(events, "grad", materialize=True),
        "functional_grad": last(events, "grad"),
        "edited_through_data": hidden[0] if hidden else None,
        "grad_cleared": last(events, "clear"),
        "frozen": flag,
        "detached": last(events, "cut", cause="detached"),
        "rewrapped": last(events, "cut", cause="rewrapped"),
        "truncated_too_much": _truncating(events),
        "modified_after_use": edits[-1] if edits else None,
        "no_backward": last(events, "read"),
    }
    event = named.get(cause)
    return event["line"] if event else None


def _truncating(events: Sequence[Event]) -> Event | None:
    """The cut inside the window, whichever way it was made, rather than the one at its edge."""
    other = ("grad_mode_off", "left_torch", "rewrapped")
    cuts = [e for e in events if e["op"] in ("cut", "left") and e["cause"] in other]
    return cuts[0] if cuts else last(events, "cut", cause="detached")


# ---- the learner's code raised


def _exception(exception: Event, events: Sequence[Event]) -> Explanation:
    raised_at = _raised_at(exception)
    cause = causes.from_message(exception["text"])
    if cause in ("unused", "off_the_path"):
        asked = last(events, "grad")
        return unreached(asked["lost"][0], raised_at) if asked and asked["lost"] else Explanation(cause, raised_at)
    if cause == "loss_has_no_graph":
        return _no_graph(events, raised_at)
    if cause == "requires_grad_false" and (found := _untracked_asked(events)) is not None:
        return found
    if cause == "inplace_on_saved":
        keeping = last(events, "backward", retain_graph=True)
        again = last(events, "backward", raised=True)
        if keeping and again and again["again"]:
            return Explanation("history_kept", keeping["line"])
        edit = max((last(events, "edit"), last(events, "step")), key=lambda one: one["at"] if one else -1)
        return Explanation(cause, edit["line"] if edit else raised_at)
    if cause is None and "NoneType" in exception["text"]:  # a None gradient usually ends as somebody else's complaint
        return missing(events, raised_at) or _message(exception)
    return _message(exception)


def _message(exception: Event) -> Explanation:
    """What the error itself says."""
    cause = causes.from_message(exception["text"])
    if cause is None:
        cause = "out_of_memory" if "MemoryError" in exception["kinds"] else "exception"
    return Explanation(cause, _raised_at(exception))


def _raised_at(exception: Event) -> int | None:
    return exception["frames"][-1]["line"] if exception["frames"] else None


def _untracked_asked(events: Sequence[Event]) -> Explanation | None:
    """retain_grad() or autograd.grad() on a tensor without a flag: what took it away."""
    asked = last(events, "grad", raised=True)
    cuts = [lost["cut"] for lost in asked["lost"] if not lost["requires"]] if asked else []
    if (retain := last(events, "retain_grad", raised=True)) is not None:
        cuts.append(retain["cut"])
    if cut := next((cut for cut in cuts if cut), None):
        return Explanation(cut[0], cut[1])
    return at(last(events, "flag", parameter=True, on=False), "frozen")


def _no_graph(events: Sequence[Event], raised_at: int | None) -> Explanation:
    asked = last(events, "backward", raised=True) or last(events, "grad", raised=True)
    if asked and asked["late_flag"]:
        return Explanation("flag_too_late", asked["late_flag"])
    if asked and asked["cut"]:
        return Explanation("loss_has_no_graph", asked["cut"][1], root=asked["cut"][0])
    if asked and asked["untracked"]:
        return Explanation("loss_has_no_graph", asked["untracked"], root="requires_grad_false")
    if (frozen := last(events, "flag", parameter=True, on=False)) is not None:
        return Explanation("loss_has_no_graph", frozen["line"], root="frozen")
    return Explanation("loss_has_no_graph", raised_at)


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
