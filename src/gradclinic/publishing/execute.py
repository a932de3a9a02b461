"""One lesson, executed: what each cell put out, the facts of its graphs, and what is wrong with it."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

from gradclinic.course import Lesson
from gradclinic.diagnosis.graph import Facts
from gradclinic.diagnosis.tell.picture import LARGEST
from gradclinic.publishing.graph_facts import MIME
from gradclinic.publishing.kernel import hidden_and_visible, run
from gradclinic.publishing.outputs import Piece, pieces_of, text_of
from gradclinic.publishing.reading import Graph, Story, read_story
from gradclinic.publishing.verify import Problem, errors_as_declared, words_as_measured


@dataclass(frozen=True)
class ExecutedLesson:
    """A story with its outputs, one entry a cell (markdown cells included), of a run on `date` with this `torch`."""

    story: Story
    outputs: tuple[tuple[Piece, ...], ...]
    graphs: dict[Graph, Facts]
    problems: tuple[Problem, ...]
    torch: str
    date: str

    def output(self, tag: str) -> tuple[Piece, ...]:
        """What the cell with this tag put out; nothing when there is no such cell."""
        at = self.story.cell(tag)
        return () if at is None else self.outputs[at]

    def to_json(self) -> str:
        graphs = [[graph.cell, graph.root, facts.to_json()] for graph, facts in self.graphs.items()]
        outputs = [[asdict(piece) for piece in pieces] for pieces in self.outputs]
        return json.dumps({"outputs": outputs, "graphs": graphs, "torch": self.torch, "date": self.date}, indent=1)

    @classmethod
    def from_json(cls, story: Story, text: str) -> ExecutedLesson:
        stored = json.loads(text)
        outputs = tuple(tuple(Piece(**piece) for piece in pieces) for pieces in stored["outputs"])
        graphs = {Graph(cell, root): Facts.from_json(facts) for cell, root, facts in stored["graphs"]}
        return cls(story, outputs, graphs, (), stored["torch"], stored["date"])


def execute_lesson(lesson: Lesson) -> ExecutedLesson:
    """Runs the lesson in a fresh kernel, in an empty folder. Raises CourseError when the file cannot be read.

    Everything else that is wrong is told in `problems`: an error that nobody declared or a declared one that did not
    happen, a symptom that no cell prints, a question without exactly one right choice, a picture that cannot be drawn.
    """
    story = read_story(lesson)
    notebook, place = hidden_and_visible(story)
    stopped = run(notebook)
    sources = {cell.execution_count: cell.source for cell in notebook.cells if cell.execution_count}
    outputs: list[tuple[Piece, ...]] = [()] * len(story.cells)
    graphs: dict[Graph, Facts] = {}
    problems: list[Problem] = []
    for cell, at in zip(notebook.cells, place, strict=True):
        if cell.execution_count is None or at is None:
            continue  # after an undeclared error nothing runs
        if isinstance(at, Graph):
            problems += _keep(cell.outputs, story, at, graphs)
        else:
            outputs[at] = pieces_of(cell.outputs, sources)
            problems += errors_as_declared(lesson.lesson_file, story.cells[at], outputs[at])
    if stopped:
        last = max((i for i in place if isinstance(i, int) and outputs[i]), default=0)
        remedy = "Run the lesson as a notebook to see where it stops; this cell is the last that put something out."
        problems.append(Problem(lesson.lesson_file, story.cells[last].line, stopped, remedy))
    if not problems:
        problems += words_as_measured(story, outputs)
    today = datetime.now(UTC).date().isoformat()
    return ExecutedLesson(story, tuple(outputs), graphs, tuple(problems), version("torch"), today)


def _keep(outputs: list[Any], story: Story, graph: Graph, graphs: dict[Graph, Facts]) -> Iterator[Problem]:
    """Puts the facts that a hidden cell told into `graphs`, if a picture can be made of them."""
    told = next((output.data[MIME] for output in outputs if MIME in output.get("data", ())), None)
    what = text_of(pieces_of(outputs, {}))
    if told is not None:
        facts = Facts.from_json(json.dumps(told)) if "nodes" in told else None
        what = str(told.get("error"))
        if facts and len(facts.nodes) <= LARGEST:
            graphs[graph] = facts
            return
        if facts:
            what = f"the graph of {graph.root} has {len(facts.nodes)} nodes, and a picture holds {LARGEST} at most"
    line = next(line for asked, line in story.graphs if asked == graph)
    remedy = f"Picture a smaller program or another tensor: [graph: {graph.cell} root=y]."
    yield Problem(story.lesson.lesson_file, line, f"no picture after the cell {graph.cell}: {what}.", remedy)
