"""`lessons/causes/<id>.py`: a program that shows the cause, the question to the diagnosis, and the repaired program."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from gradclinic.causes import CAUSES
from gradclinic.course import Course, CourseError
from gradclinic.diagnosis.graph import Facts, Node
from gradclinic.publishing.forks import Answer, Call
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.reading import Cell, read_cells
from gradclinic.publishing.verify import Problem, errors_as_declared

_SYMPTOMS = ("loss_has_no_graph", "loss_patched")  # a diagnosis names them, and then goes on to what is behind them
_PARTS = ("broken", "ask", "fixed")


@dataclass(frozen=True)
class CauseFile:
    """Three cells that show the cause `id`; `values` is whether the question needs `trace(values=True)`."""

    id: str
    file: Path
    broken: Cell
    ask: Cell
    fixed: Cell

    @property
    def values(self) -> bool:
        return "values" in self.ask.tags

    @property
    def unnamed(self) -> bool:
        """Whether the diagnosis has no name for it: then it must give none, and no false one."""
        return "unnamed" in self.ask.tags

    @property
    def raises(self) -> bool:
        return "raises-exception" in self.broken.tags

    def calls(self) -> list[Call]:
        """What has to run for the page: the program as it is, the same under the trace, and the repaired one."""
        return [
            Call("gradclinic.publishing.programs:run_program", {"source": self.broken.source}),
            *(
                Call(
                    "gradclinic.publishing.programs:ask_program",
                    {"source": cell.source, "question": self.ask.source, "values": self.values},
                )
                for cell in (self.broken, self.fixed)
            ),
        ]


@dataclass(frozen=True)
class Said:
    """What the diagnosis said, as far as the page needs it."""

    cause: str | None
    symptoms: tuple[str, ...]
    ok: bool
    summary: str
    text: str
    graph: Facts | None


@dataclass(frozen=True)
class ExecutedCause:
    """The programs of a cause with what they put out and what was said, of a run on `date` with this `torch`."""

    program: CauseFile
    broken: tuple[Piece, ...]
    said: Said
    fixed: tuple[Piece, ...]
    said_of_fixed: Said
    torch: str
    date: str

    def to_json(self) -> str:
        rows = {name: value for name, value in asdict(self).items() if name != "program"}
        return json.dumps(rows, indent=1)

    @classmethod
    def from_json(cls, program: CauseFile, text: str) -> ExecutedCause:
        stored = json.loads(text)
        return cls(
            program,
            _pieces(stored["broken"]),
            _said(stored["said"]),
            _pieces(stored["fixed"]),
            _said(stored["said_of_fixed"]),
            stored["torch"],
            stored["date"],
        )


def cause_address(course: Course, id: str) -> str:
    """The place of a cause on the site, from its root: its own page, or else its entry in the index."""
    return f"causes/{id}.md" if (course.root / "lessons" / "causes" / f"{id}.py").exists() else f"causes.md#{id}"


def read_causes(course: Course) -> list[CauseFile]:
    """The course's causes, in the order of the catalogue. Raises CourseError for a file of another form."""
    files = sorted((course.root / "lessons" / "causes").glob("*.py"))
    for file in files:
        if file.stem not in CAUSES:
            raise CourseError(f"{file}:1: the catalogue knows no cause {file.stem}. `gradclinic cause` lists them.")
    order = list(CAUSES)
    return [read_program(file, file.stem) for file in sorted(files, key=lambda file: order.index(file.stem))]


def read_program(file: Path, cause: str) -> CauseFile:
    """The three cells of a file that shows this cause. Raises CourseError for other cells."""
    cells = read_cells(file)
    parts = {part: cell for part, cell in zip(_PARTS, cells, strict=False) if part in cell.tags}
    if len(cells) != len(_PARTS) or len(parts) != len(_PARTS):
        raise CourseError(
            f"{file}:1: the page of a {file.parent.name.removesuffix('s')} has three cells, in this order: "
            + ", ".join(f'`# %% tags=["{part}"]`' for part in _PARTS)
            + "."
        )
    return CauseFile(cause, file, **parts)


def judged(
    program: CauseFile, plain: Answer, traced: Answer, fixed: Answer, torch: str, date: str
) -> tuple[ExecutedCause | None, list[Problem]]:
    """The executed page, and what keeps it from being published.

    The program must do what it declares, with the trace as without; the diagnosis must name this very cause; and the
    repaired program must leave it nothing to find.
    """
    failed = [
        Problem(program.file, cell.line, f"this program could not be run: {answer.failed}", "Run it by hand.")
        for cell, answer in ((program.broken, plain), (program.broken, traced), (program.fixed, fixed))
        if answer.failed
    ]
    if failed:
        return None, failed
    executed = ExecutedCause(
        program,
        _pieces(plain.value["pieces"]),
        _said(traced.value["said"]),
        _pieces(fixed.value["pieces"]),
        _said(fixed.value["said"]),
        torch,
        date,
    )
    return executed, list(_problems(executed, _pieces(traced.value["pieces"])))


def _problems(executed: ExecutedCause, under_trace: tuple[Piece, ...]) -> Iterator[Problem]:
    program, said = executed.program, executed.said
    declared = list(errors_as_declared(program.file, program.broken, executed.broken))
    declared += errors_as_declared(program.file, program.fixed, executed.fixed)
    yield from declared
    if declared:
        return
    if under_trace != executed.broken:
        what = f"under the trace the program puts out something else:\n{text_of(under_trace)}"
        yield Problem(program.file, program.broken.line, what, "The trace must change nothing: this is its fault.")
    expected = None if program.unnamed else program.id
    # Behind a symptom there may be one of several causes: the page tells one of them.
    enough = _SYMPTOMS if program.file.stem == program.id else (program.id,)
    if said.cause != expected and not (expected in enough and expected in said.symptoms):
        what = f"the diagnosis names {said.cause or 'no cause'} and not {expected or 'none'}:\n{said.text}"
        remedy = "Let the program show this cause alone, or repair the diagnosis."
        yield Problem(program.file, program.ask.line, what, remedy)
    if not executed.said_of_fixed.ok:
        what = f"the diagnosis still finds something in the repaired program:\n{executed.said_of_fixed.text}"
        yield Problem(program.file, program.fixed.line, what, "Repair the program, or the diagnosis.")


def _pieces(rows: list[dict[str, str]]) -> tuple[Piece, ...]:
    return tuple(Piece(**row) for row in rows)


def _said(row: Mapping[str, Any]) -> Said:
    graph = row["graph"] and Facts(tuple(map(Node.of, row["graph"]["nodes"])))
    return Said(**{**row, "symptoms": tuple(row["symptoms"]), "graph": graph})
