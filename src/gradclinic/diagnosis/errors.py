"""Why an operation or a backward pass raised an error."""

from __future__ import annotations

from dataclasses import replace

import torch

from ..causes import CAUSES, from_message
from .decide.none_used import tensor_without
from .decide.places import of_exception
from .decide.reach import unrecorded
from .decide.traced_errors import nothing_was_cut, root_of
from .decide.untraced import CUTS, NO_GRAPH
from .diagnosis import Certainty, Diagnosis, Finding, Role, TraceFacts
from .trace import Trace, current

# Messages that tell what happened and not why. Everything that may be behind them, the message's own cause included.
_ROOTS = {
    "loss_has_no_graph": ("loss_has_no_graph", *NO_GRAPH, "modified_after_use"),
    "unused": ("unused", "off_the_path", "shadowed_leaf", *CUTS, "modified_after_use", "frozen"),
    "requires_grad_false": ("requires_grad_false", *CUTS, "frozen", "flag_on_module", "inference_tensor"),
    "shadowed_leaf": ("shadowed_leaf", "not_a_leaf"),
    "not_a_leaf": ("not_a_leaf", "shadowed_leaf"),
    "nonfinite_derivative": ("nonfinite_derivative", "edited_through_data"),
    "inplace_on_saved": ("inplace_on_saved", "modified_after_use"),
}


_NEVER_ASKED = ("loss_has_no_graph", "requires_grad_false", "frozen", "flag_on_module", "unused", "flag_too_late")


def explain(error: BaseException) -> Diagnosis:
    """Says what an error of autograd means and where it was raised; with a trace, which line is behind it.

    Raises TypeError for anything that is no exception; a failure of the diagnosis itself is reported as such.
    """
    if not isinstance(error, BaseException):
        raise TypeError(f"explain() takes an exception, not a {type(error).__name__}")
    try:
        with unrecorded():
            return _explain(error, current())
    except Exception as failure:
        from .ask import failed

        return failed(failure)


def _explain(error: BaseException, trace: Trace | None) -> Diagnosis:
    if (without := tensor_without(error)) is not None:
        return _of_none(error, *without)
    said = from_message(str(error)) if isinstance(error, (RuntimeError, ValueError, TypeError)) else None
    facts = TraceFacts(trace.complete, trace.dropped) if trace is not None else None
    version = str(torch.__version__)
    first = f"{type(error).__name__}: {_first_sentence(error)}"
    if said is None or CAUSES[said].outcome == "work":
        end = "" if first.endswith((".", "!", "?", ":")) else "."
        summary = f"{first}{end} This is not an error of autograd that the catalogue knows."
        other = (CAUSES[said or "exception"],)
        return Diagnosis("error", False, summary, candidates=other, torch_version=version, trace=facts)
    place = of_exception(error)
    fits = _ROOTS.get(said, (said,))
    if said == "loss_has_no_graph" and trace is not None and nothing_was_cut(trace, error):
        fits = _NEVER_ASKED
    certainty: Certainty = "proved" if len(fits) == 1 else "open"
    elsewhere = said in ("inplace_on_saved", "modified_after_use")  # raised far from the line that is to blame
    role: Role = "root" if len(fits) == 1 else "symptom"
    places = (None, (place,)) if elsewhere and place else (place, ())
    raised = Finding(CAUSES[said], role, "proved", first, *places)
    root = root_of(said, error, place, trace) if trace is not None else None
    if root is not None:
        same = root.cause.id == said
        rest = () if root.certainty == "proved" else tuple(one for one in fits if one != root.cause.id)
        return Diagnosis(
            "error",
            False,
            first,
            cause=root.cause,
            certainty=root.certainty,
            candidates=tuple(CAUSES[one] for one in (root.cause.id, *rest)),
            findings=(root,) if same else (raised, root),
            torch_version=version,
            trace=facts,
        )
    return Diagnosis(
        "error",
        False,
        first,
        cause=CAUSES[said] if certainty == "proved" else None,
        certainty=certainty,
        candidates=tuple(CAUSES[one] for one in fits),
        findings=(raised,),
        torch_version=version,
        trace=facts,
    )


def _of_none(error: BaseException, name: str, tensor: torch.Tensor) -> Diagnosis:
    """The error is Python's own; what there is to explain is the gradient that was not there."""
    from .ask import diagnose

    answer = diagnose(tensor)
    if answer.cause is CAUSES["unused"]:  # by the loss of the last backward(), which may have been about another tensor
        both = (CAUSES["no_backward"], CAUSES["unused"])
        answer = replace(answer, cause=None, certainty="open", candidates=both, findings=())
    first = f"{type(error).__name__}: {_first_sentence(error)}".removesuffix(".")
    summary = f"{first}: `{name}.grad` was None. {answer.summary}"
    return replace(answer, state="error", ok=False, summary=summary, target=name)


def _first_sentence(error: BaseException) -> str:
    text = " ".join(str(error).split())
    end = text.find(". ")
    text = text[: end + 1] if end >= 0 else text
    return text if len(text) <= 300 else text[:299] + "…"
