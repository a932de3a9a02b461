"""Where a path breaks: as the findings say, and at the operations that the trace saw cut."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from ..diagnosis import Finding, Location
from ..graph import Node
from ..record import rows as columns
from ..record.rows import CUTS
from ..trace import Trace
from .way import Numbers, behind

_MOST_BRIDGES = 5
_SAID = {
    "detached": "the history ends here",
    "left_torch": "the value left PyTorch here",
    "rewrapped": "a new tensor begins here",
    "grad_mode_off": "gradients were switched off",
    "not_differentiable": "no derivative here",
    "no_create_graph": "taken without create_graph",
    "checkpoint_cut": "the checkpoint gave no history",
    "flag_too_late": "used before requires_grad was on",
    "backward_returned_none": "its backward returned None",
    "zero_derivative": "the derivative is zero here",
    "nonfinite_derivative": "passes on nan or inf",
}
_FLOWS = ("zero_derivative", "nonfinite_derivative")  # a gradient comes through, and it is worth nothing
ENDING = ("detach", "detach_", "data", ".data")  # also where what came in had no history any more
AS_WELL = "would end the history as well"
_NAMES = {"data": ".data", "grad": ".grad", "__getitem__": "[ ]"}
_LONGEST = 30  # letters of an expression


class Breaks:
    """bridges: pairs of rows between which a value went by a way that no row tells of. rows: what stands alone.

    all_rows: these, and what a value was in before it was lost.
    """

    def __init__(self, trace: Trace, findings: Iterable[Finding]) -> None:
        self._trace = trace
        self._at: dict[int, Finding] = {}
        self._direct: dict[int, dict[int, Finding]] = {}
        self._by_bridge: dict[tuple[int, int], Finding] = {}
        for finding in findings:
            for value, use in finding.lost:
                if not value:
                    self._at.setdefault(use, finding)
                elif any(given >> 1 == value for given in trace.rows.get(use)[1]):
                    self._direct.setdefault(use, {})[value] = finding
                elif len(self._by_bridge) < _MOST_BRIDGES and value < use:
                    self._by_bridge[value, use] = finding
        self.bridges = list(self._by_bridge)
        self.rows = [*self._at, *self._direct]
        values = (value for given in self._direct.values() for value in given)
        self.all_rows = [*self.rows, *values, *(row for pair in self.bridges for row in pair)]

    def __bool__(self) -> bool:
        return bool(self.rows or self.bridges)

    def ancestors(self, last: Sequence[int]) -> set[int]:
        return behind(self._trace.rows, last)

    def outside(self, group: Mapping[int, int]) -> dict[int, Node]:
        """By their places: what happened to values between two groups, where no row tells of it."""
        found = {}
        for nth, ((value, use), finding) in enumerate(self._by_bridge.items()):
            if value not in group or use not in group:
                continue
            said = "the value left PyTorch here" if finding.cause.id == "left_torch" else "written, without history"
            to = (place_of(group[value]),)
            lost = bool(self._trace.rows.get(value)[0] & columns.TRACKED_OUT)
            node = Node("operation", shown(finding.location), _expression(finding.location), None, to, said)
            found[place_of(group[use], nth)] = replace(node, broken=to) if lost else replace(node, unwalked=to)
        return found

    def mark(
        self,
        node: Node,
        number: int,
        rows: Sequence[int],
        packed: Numbers,
        feeders: Mapping[int, bool],
        group: Mapping[int, int],
    ) -> Node:
        """The node with the places of what it was made from, and what became of the gradient on the way to each."""
        ways = {early: "" if tracked else "unwalked" for early, tracked in feeders.items()}
        told = self._at.get(rows[0]) if len(rows) == 1 else None
        said = ""
        if (packed >> columns._CUT & 15).any():
            ways = {early: way or "broken" for early, way in ways.items()}
            cause = CUTS[columns.cut_of(int(packed[0]))] if len(rows) == 1 else None
            said = _SAID[cause] if cause else ""
        elif told is not None:
            said = _said(told)
            if told.cause.id not in _FLOWS:
                ways = dict.fromkeys(ways, _sureness(told, "broken"))
        for use, values in self._direct.items():
            for value, finding in values.items():
                if group.get(use) == number and group.get(value, number) in ways:
                    ways[group[value]] = _sureness(finding, "broken")
                    said = said or _said(finding)
        placed = {place_of(early): way for early, way in ways.items()}
        for nth, ((value, use), finding) in enumerate(self._by_bridge.items()):
            if value in group and group.get(use) == number:
                if not feeders.get(group[value]):
                    placed.pop(place_of(group[value]), None)  # the value came around, and not straight
                placed[place_of(number, nth)] = _sureness(finding, "unwalked")
                said = said or _back(finding)
        if not said and len(rows) == 1 and node.name in ENDING:
            said = AS_WELL
        broken, unwalked, unsure = (tuple(at for at, way in placed.items() if way == kind) for kind in _KINDS)
        return replace(node, to=tuple(placed), missing=said, broken=broken, unwalked=unwalked, unsure=unsure)


_KINDS = ("broken", "unwalked", "unsure")


def place_of(number: int, outside: int | None = None) -> int:
    """Where a group stands, and where what happened outside PyTorch stands before it: later groups have more."""
    return number * (_MOST_BRIDGES + 1) - (0 if outside is None else outside + 1)


def _sureness(finding: Finding, sure: str) -> str:
    return sure if finding.certainty == "proved" else "unsure"


def _said(finding: Finding) -> str:
    text = _SAID.get(finding.cause.id, "the gradient is lost here")
    return text if finding.certainty == "proved" else f"likely: {text}"


def _back(finding: Finding) -> str:
    if finding.cause.id != "left_torch":
        return "uses what was written"
    return "the value came back here" if finding.certainty == "proved" else "it likely came back here"


def words(name: str) -> str:
    """The name of an operation as a program writes it."""
    return _NAMES.get(name, name)


def shown(place: Location | None) -> str:
    """File, line and module, in few letters."""
    if place is None or not place.file:
        return ""
    inside = f" in {place.module_path}" if place.module_path else ""
    return f"{place.short}{inside}"


def _expression(place: Location | None) -> str:
    if place is None or place.column is None or place.end_column is None:
        return "outside"
    text = place.source[place.column : place.end_column].strip()
    return text if len(text) <= _LONGEST else "…" + text[1 - _LONGEST :]
