"""A lesson file as cells, each with the line where it starts, and what the cells ask of the publisher."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from gradclinic.course import CourseError, Lesson, read_header

_GRAPH = re.compile(r"^\[graph:\s*([\w-]+)(?:\s+root=([A-Za-z_]\w*))?\s*\]\s*$", re.MULTILINE)
_ANY_GRAPH = re.compile(r"^\[graph\b.*$", re.MULTILINE)
_ASKING = {"grad", "retain_grad", "register_hook"}


@dataclass(frozen=True)
class Graph:
    """`[graph: cell root=loss]`: draw what lies behind `root` after that cell."""

    cell: str
    root: str


@dataclass(frozen=True)
class Cell:
    """One cell; `line` is where its first line stands in the lesson file."""

    kind: str  # code or markdown
    source: str
    tags: tuple[str, ...]
    line: int

    @property
    def names(self) -> frozenset[str]:
        """The variables that the code speaks of."""
        return frozenset(node.id for node in ast.walk(_parsed(self.source)) if isinstance(node, ast.Name))

    @property
    def asked(self) -> frozenset[str]:
        """The variables whose gradient the code asks for: `x.grad`, `x.retain_grad()`, `autograd.grad(loss, x)`."""
        return frozenset(_asked(_parsed(self.source)))


@dataclass(frozen=True)
class Story:
    """The cells of one lesson, in order."""

    lesson: Lesson
    cells: tuple[Cell, ...]

    @cached_property
    def graphs(self) -> tuple[tuple[Graph, int], ...]:
        """The pictures asked for, each with the line that asks. Raises CourseError for one that names no cell."""
        found = []
        for cell in self.cells:
            for match in _ANY_GRAPH.finditer(cell.source) if cell.kind == "markdown" else ():
                line = cell.line + cell.source[: match.start()].count("\n")
                found.append((self._graph(match.group(), line), line))
        return tuple(found)

    def _graph(self, text: str, line: int) -> Graph:
        known = ", ".join(sorted({tag for cell in self.cells if cell.kind == "code" for tag in cell.tags}))
        match = _GRAPH.match(text)
        if match is None:
            raise CourseError(
                f"{self.lesson.lesson_file}:{line}: write [graph: cell] or [graph: cell root=y], not {text}."
            )
        if self.cell(match[1]) is None:
            raise CourseError(
                f"{self.lesson.lesson_file}:{line}: no code cell is tagged {match[1]}; the tags are {known}."
            )
        return Graph(match[1], match[2] or "loss")

    def cell(self, tag: str) -> int | None:
        """The index of the code cell with this tag."""
        return next((i for i, cell in enumerate(self.cells) if cell.kind == "code" and tag in cell.tags), None)

    @cached_property
    def asked(self) -> frozenset[str]:
        """The variables whose gradient any cell asks for."""
        return frozenset(name for cell in self.cells if cell.kind == "code" for name in cell.asked)


def read_story(lesson: Lesson) -> Story:
    """The cells of the lesson file. Raises CourseError when a cell marker is not at the start of its line."""
    read_header(lesson.lesson_file)  # jupytext takes a broken header for a cell
    return Story(lesson, read_cells(lesson.lesson_file))


def read_cells(file: Path) -> tuple[Cell, ...]:
    """The cells of a percent file, with a header or without. Raises CourseError as above."""
    import jupytext

    text = file.read_text(encoding="utf-8")
    notebook = jupytext.reads(text, fmt="py:percent")
    starts = _cell_starts(text)
    if len(starts) != len(notebook.cells):
        raise CourseError(
            f"{file}:{starts[0] if starts else 1}: {len(starts)} lines start with `# %%`, but "
            f"{len(notebook.cells)} cells were read. Start every cell with a `# %%` line and use that nowhere else."
        )
    return tuple(
        Cell(cell.cell_type, cell.source, tuple(cell.metadata.get("tags", ())), line)
        for cell, line in zip(notebook.cells, starts, strict=True)
    )


def without_graphs(markdown: str) -> str:
    """The text of a markdown cell for a notebook, which draws no pictures."""
    return re.sub(r"\n{3,}", "\n\n", _GRAPH.sub("", markdown)).strip()


def at_graphs(markdown: str) -> Iterator[tuple[str, Graph | None]]:
    """The text in pieces, each with the picture that follows it."""
    position = 0
    for match in _GRAPH.finditer(markdown):
        yield markdown[position : match.start()], Graph(match[1], match[2] or "loss")
        position = match.end()
    yield markdown[position:], None


def line_of(path: Path, text: str) -> int:
    """The line of the header that gives this text under `text:`, or 1: YAML, once read, knows no lines."""
    lines = path.read_text(encoding="utf-8").splitlines()
    given = re.compile(r"\btext: *[\"']?" + re.escape(text))
    return next((i for i, line in enumerate(lines, 1) if given.search(line.replace('\\"', '"'))), 1)


def _cell_starts(text: str) -> list[int]:
    """For each cell marker below the header, if there is one, the next line that is not blank."""
    lines = text.splitlines()
    fences = [i for i, line in enumerate(lines) if line.rstrip() == "# ---"]
    header_ends = fences[1] if fences[:1] == [0] else -1
    starts = []
    for i, line in enumerate(lines):
        if i > header_ends and line.startswith("# %%"):
            following = (j for j in range(i + 1, len(lines)) if lines[j].strip())
            starts.append(next(following, i) + 1)
    return starts


def _parsed(source: str) -> ast.Module:
    try:
        return ast.parse(source)
    except SyntaxError:  # a cell may show one on purpose
        return ast.Module([], [])


def _asked(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and node.attr in _ASKING and isinstance(node.value, ast.Name):
            yield node.value.id
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "grad":
            for argument in [*node.args[1:2], *(k.value for k in node.keywords if k.arg == "inputs")]:
                yield from (name.id for name in ast.walk(argument) if isinstance(name, ast.Name))
