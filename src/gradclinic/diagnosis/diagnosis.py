"""What a diagnosis says: a state, a cause as far as the facts carry it, and where in the code."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass, field
from pathlib import PurePath
from typing import Any, Literal

from ..causes import Cause
from .graph import Facts

State = Literal["none", "zero", "nonfinite", "present", "error", "unmoved"]
Certainty = Literal["proved", "likely", "open"]
Role = Literal["symptom", "root"]


@dataclass(frozen=True)
class Location:
    """A place in the code; columns count characters from 0 and are None where Python does not know them."""

    file: str
    line: int | None
    column: int | None = None
    end_column: int | None = None
    source: str = ""
    function: str = ""
    module_path: str = ""
    called_from: Location | None = None

    @property
    def is_typed(self) -> bool:
        """Whether the line was typed into IPython or a notebook: its file is a name that tells nobody anything."""
        return "ipykernel_" in self.file or self.file.startswith("<ipython-input")

    @property
    def short(self) -> str:
        """`train.py:12`, and `a cell:3` for a line that was typed in."""
        return f"{'a cell' if self.is_typed else PurePath(self.file).name}:{self.line}"

    def as_dict(self) -> dict[str, Any]:
        fields = {name: getattr(self, name) for name in self.__dataclass_fields__}
        fields["called_from"] = self.called_from.as_dict() if self.called_from else None
        return fields


@dataclass(frozen=True)
class Finding:
    """One thing to repair, or to know: `text` says what was seen, in one or two sentences."""

    cause: Cause
    role: Role
    certainty: Certainty
    text: str
    location: Location | None = None
    also: tuple[Location, ...] = ()  # the other end of it, or further places of the same kind
    names: tuple[str, ...] = ()  # the parameters of a module that it is about
    # Where the way breaks, for the picture: rows of the trace, (the value or 0, the operation that used it).
    lost: tuple[tuple[int, int], ...] = field(default=(), repr=False, compare=False)

    def as_dict(self) -> dict[str, Any]:
        return {
            "cause": self.cause.id,
            "role": self.role,
            "certainty": self.certainty,
            "text": self.text,
            "location": self.location.as_dict() if self.location else None,
            "also": [place.as_dict() for place in self.also],
            "names": list(self.names),
        }


@dataclass(frozen=True)
class TraceFacts:
    """How much of the run the trace has seen; `dropped` operations were left out to bound the memory."""

    complete: bool
    dropped: int

    def as_dict(self) -> dict[str, Any]:
        return {"complete": self.complete, "dropped": self.dropped}


@dataclass(frozen=True)
class Diagnosis:
    """The answer to: what is the matter with this gradient?

    state: what is there now. ok: nothing to repair was found.
    cause: what to repair first; None when the facts leave more than one cause, or when there is none.
    certainty: `proved`, no other cause fits the recorded facts; `likely`, both ends were seen and not the link between
    them; `open` otherwise. candidates: every cause that fits, exactly the cause when it is proved.
    findings: in the order of repair, a symptom before its root. path: the way from the tensor to the loss, in words.
    """

    state: State
    ok: bool
    summary: str
    cause: Cause | None = None
    certainty: Certainty = "open"
    candidates: tuple[Cause, ...] = ()
    findings: tuple[Finding, ...] = ()
    path: Facts | None = None
    notes: tuple[str, ...] = ()
    target: str = ""
    torch_version: str = ""
    trace: TraceFacts | None = None
    reached: bool | None = field(default=None, repr=False)  # whether the loss's graph leads to the tensor

    @property
    def fix(self) -> str | None:
        return self.cause.fix if self.cause else None

    @property
    def lesson(self) -> str | None:
        return self.cause.lesson if self.cause else None

    @property
    def location(self) -> Location | None:
        """Where the cause sits: the place of the first finding of that cause."""
        return next((one.location for one in self.findings if one.cause is self.cause and one.location), None)

    def text(self) -> str:
        from .tell.render import plain

        return plain(self)

    def __str__(self) -> str:
        return self.text()

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        """What IPython shows where it cannot show HTML."""
        printer.text(self.text())

    def _repr_html_(self) -> str:
        from .tell.render import html

        return html(self)

    def as_dict(self) -> dict[str, Any]:
        return {
            "schema": 1,
            "torch": self.torch_version,
            "target": self.target,
            "state": self.state,
            "ok": self.ok,
            "summary": self.summary,
            "cause": self.cause.id if self.cause else None,
            "title": self.cause.title if self.cause else None,
            "certainty": self.certainty,
            "candidates": [cause.id for cause in self.candidates],
            "location": self.location.as_dict() if self.location else None,
            "findings": [finding.as_dict() for finding in self.findings],
            "fix": self.fix,
            "lesson": self.lesson,
            "path": [asdict(node) for node in self.path.nodes] if self.path else [],
            "notes": list(self.notes),
            "trace": self.trace.as_dict() if self.trace else None,
        }

    def json(self, indent: int | None = 2) -> str:
        """The fields as JSON, `schema` 1; it holds no number that JSON does not know."""
        return json.dumps(self.as_dict(), indent=indent, ensure_ascii=False, allow_nan=False)
