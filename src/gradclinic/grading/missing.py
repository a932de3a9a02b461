"""Why a gradient is None, or did not arrive: from the events of its replay to a cause and a line. First match wins."""

from __future__ import annotations

from collections.abc import Sequence

from gradclinic.grading.events import Event, Explanation, at, last


def unreached(asked: Event, raised_at: int | None) -> Explanation:
    """An input of autograd.grad that the outputs were not computed from."""
    line = asked["made_line"] or raised_at
    if asked["modified"]:
        return Explanation("modified_after_use", asked["modified"])
    if not asked["requires"]:
        return Explanation("detached", asked["cut"][1]) if asked["cut"] else Explanation("requires_grad_false", line)
    if asked["leaf"] and asked["cut"]:
        return Explanation(asked["cut"][0], asked["cut"][1])
    return _said(asked) or Explanation("unused" if asked["leaf"] else "off_the_path", line)


def _said(asked: Event) -> Explanation | None:
    """The second opinion: a cut on the way that leads from the tensor, not on the one to it."""
    return Explanation(*asked["said"]) if asked["said"] else None


def missing(events: Sequence[Event], raised_at: int | None = None) -> Explanation | None:
    read, asked = _none_read(events, raised_at), last(events, "grad", none=True)
    if asked and (read is None or asked["at"] > read["at"]):
        return unreached(asked["lost"][0], asked["line"]) if asked["lost"] else None
    if read is None:
        return _nothing_read(events)
    if not read["backward_before"]:
        return at(_asking(events, read["target"]), "functional_grad") or Explanation("no_backward", read["line"])
    if read["cleared"] and _nothing_after_clearing(events, read["at"]):
        return Explanation("grad_cleared", read["cleared"])
    if (patched := _patched(events)) is not None:
        return patched
    if (taken := _taken(events, read["target"])) is not None:
        return Explanation("functional_grad", taken["line"])
    backward = last(events, "backward")
    if backward and backward["leaf_root"] and backward["cut"]:  # the loss itself is a fresh leaf
        return Explanation(backward["cut"][0], backward["cut"][1])
    if not read["requires"]:
        if read["cut"]:
            return Explanation(read["cut"][0], read["cut"][1])
        if read["parameter"]:
            return Explanation("frozen", read["flag_line"] or read["line"])
        return Explanation("requires_grad_false", read["made_line"] or read["line"])
    return _leaf(read, events) if read["leaf"] else _non_leaf(read)


def _none_read(events: Sequence[Event], raised_at: int | None = None) -> Event | None:
    """The None that mattered: of the line that raised, else the first one after the last backward."""
    reads = [e for e in events if e["op"] == "read" and e["none"]]
    if here := [e for e in reads if e["line"] == raised_at]:
        return here[-1]
    backward = last(events, "backward")
    return next((e for e in reads if backward and e["at"] > backward["at"]), reads[0] if reads else None)


def _asking(events: Sequence[Event], target: int) -> Event | None:
    """The autograd.grad call that asked for this tensor, else the first one."""
    calls = [e for e in events if e["op"] == "grad"]
    return next((e for e in calls if target in e["asked"]), calls[0] if calls else None)


def _taken(events: Sequence[Event], target: int) -> Event | None:
    """The autograd.grad call that asked for this tensor and got its gradient."""
    calls = (e for e in events if e["op"] == "grad" and target in e["asked"])
    return next((e for e in calls if not any(lost["target"] == target for lost in e["lost"])), None)


def _nothing_after_clearing(events: Sequence[Event], until: int) -> bool:
    cleared, backward = last(events[:until], "clear"), last(events[:until], "backward")
    return cleared is not None and backward is not None and cleared["at"] > backward["at"]


def _nothing_read(events: Sequence[Event]) -> Explanation | None:
    if not any(e["op"] in ("backward", "grad") for e in events):
        return Explanation("no_backward")
    if (hook := last(events, "hook", reached=False)) is not None:  # it waits for a gradient that does not come this way
        return Explanation("unused" if hook["leaf"] else "off_the_path", hook["made_line"] or hook["line"])
    return None


def _patched(events: Sequence[Event]) -> Explanation | None:
    patched = last(events, "backward", patched=True)
    return at(last(events, "flag", patched=True), "loss_patched") if patched else None


def _leaf(read: Event, events: Sequence[Event]) -> Explanation:
    if read["cut"]:
        return Explanation(read["cut"][0], read["cut"][1])
    if read["late_flag"]:
        return Explanation("flag_too_late", read["flag_line"])
    backward = last(events, "backward")
    if backward and backward["inputs"] and read["target"] not in backward["inputs"] and read["on_path"]:
        return Explanation("functional_grad", backward["line"])
    if backward and backward["cut"]:
        return Explanation(backward["cut"][0], backward["cut"][1])
    return _said(read) or Explanation("unused", read["made_line"] or read["line"])


def _non_leaf(read: Event) -> Explanation:
    line = read["made_line"] or read["line"]
    if read["modified"]:
        return Explanation("modified_after_use", read["modified"])
    if read["retained"] and read["retained"]["late"]:
        return Explanation("retained_late", read["retained"]["line"])
    if read["shadowed"] and not read["retained"]:
        return Explanation("shadowed_leaf", line)
    if read["on_path"] or read["made_line"] == read["line"]:  # a tensor made in the very expression that asks it
        return Explanation("not_a_leaf", line)
    return _said(read) or Explanation("off_the_path", line)


def lost(events: Sequence[Event]) -> Explanation | None:
    backward, read = last(events, "backward"), _none_read(events)
    if read is not None and (backward is None or read["at"] > backward["at"]):
        return missing(events)
    if backward is None:
        return at(_asking(events, 0), "functional_grad") or Explanation("no_backward")
    if (patched := _patched(events)) is not None:
        return patched
    if (cleared := _cleared_unread(events)) is not None:
        return Explanation("grad_cleared", cleared["line"])
    cut = backward["cut"]
    if cut and (backward["unreached"] or backward["leaf_root"] or cut[0] == "left_torch"):
        return Explanation(cut[0], cut[1])
    if backward["inputs"]:
        return Explanation("functional_grad", backward["line"])
    if (frozen := last(events, "flag", parameter=True, on=False)) is not None:
        return Explanation("frozen", frozen["line"])
    if backward["untracked"]:
        return Explanation("requires_grad_false", backward["untracked"])
    step = last(events, "step")
    if step and not step["reached"]:
        return Explanation("stale_optimizer", step["line"])
    return missing(events) if read is not None and read["leaf"] else None


def _cleared_unread(events: Sequence[Event]) -> Event | None:
    """The first clearing of gradients that nobody had used since the backward pass that made them."""
    fresh, suspect = False, None
    for event in events:
        if event["op"] == "backward":
            fresh, suspect = True, None
        elif suspect and event["op"] in ("read", "step") and not _clears(events, event):
            return suspect
        elif event["op"] == "step" or (event["op"] == "read" and not _clears(events, event)):
            fresh = False
        elif event["op"] == "clear":
            if fresh:
                return event
            suspect = suspect or event
    return None


def _clears(events: Sequence[Event], read: Event) -> bool:
    """Whether this read is the `.grad` of `w.grad.zero_()`."""
    return any(e["op"] == "clear" and e["line"] == read["line"] and e["at"] > read["at"] for e in events)
