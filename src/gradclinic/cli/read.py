"""`gradclinic read`: a lesson in the terminal, its code run now, its answers kept until you have guessed."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from importlib.util import find_spec

from gradclinic.cli.common import open_course
from gradclinic.cli.console import passing, say, shown
from gradclinic.cli.live import Live
from gradclinic.cli.percent import read_cells
from gradclinic.cli.prose import show_code, show_markdown, wrapped
from gradclinic.course import CourseError, Lesson
from gradclinic.progress import Progress
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.reading import Cell, at_graphs
from gradclinic.publishing.verify import right_choice

_LETTERS = "ABCDEFGH"
_BAR = "  │ "  # before each line that came out
_STYLES = {"raises": "bad", "warns": "cause"}
_BEAT_AFTER_A_PAUSE = re.compile(r"^(?=## (?:Investigate|Modify|Make)$)", re.MULTILINE)  # Run has that of Predict


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    chosen = course.find(arguments.id) if arguments.id else None
    lesson = chosen or Progress(course.root).next_lesson(course) or course.lessons[-1]
    if not lesson.lesson_file.exists():
        raise CourseError(f"{lesson.id} has no lesson to read: {shown(lesson.lesson_file)} does not exist.")
    if find_spec("torch") is None:
        raise ModuleNotFoundError("No module named 'torch'", name="torch")
    cells = read_cells(lesson)
    with Live([cell.source for cell in cells if cell.kind == "code"]) as live:
        _head(lesson)
        if _Reader(lesson, live).show(cells):
            say("  edit   ", "dim", (shown(lesson.exercise_file), "plain"))
            say("  check  ", "dim", (f"gradclinic check {lesson.id}", "plain"))
    return 0


def _head(lesson: Lesson) -> None:
    say(f"{lesson.number}. {lesson.title}", "title")
    if lesson.question:
        say(lesson.question)
    say()
    if lesson.strings("objectives"):
        say("After this lesson you can:")
        show_markdown("\n".join(f"- {objective}" for objective in lesson.strings("objectives")))


class _Left(Exception):
    """The reader has had enough."""


class _Reader:
    """Shows cell after cell; on a terminal it waits for the person."""

    def __init__(self, lesson: Lesson, live: Live) -> None:
        self._lesson, self._live = lesson, live
        self._on_terminal = sys.stdin.isatty() and sys.stdout.isatty()

    def show(self, cells: Sequence[Cell]) -> bool:
        """Whether the person stayed to the end. Raises CourseError where a cell does what no lesson should."""
        try:
            for cell in cells:
                if cell.kind == "markdown":
                    self._prose(cell.source)
                else:
                    self._code(cell)
        except _Left:
            return False
        return True

    def _prose(self, markdown: str) -> None:
        for number, part in enumerate(_BEAT_AFTER_A_PAUSE.split(markdown)):
            if number or _BEAT_AFTER_A_PAUSE.match(part):
                self._pause("Press Enter to go on, q and Enter to leave.")
            for text, graph in at_graphs(part):
                show_markdown(text)
                if graph:
                    say("(Here the site shows a picture of the graph.)", "dim")
                    say()

    def _code(self, cell: Cell) -> None:
        hidden = "remove-cell" in cell.tags
        if not hidden and "hide-input" not in cell.tags:
            show_code(cell.source)
        if not hidden and "fold-output" in cell.tags:
            self._pause("Guess what comes out, then press Enter.")
        output = self._output(cell)
        raised = any(piece.kind == "raises" for piece in output)
        expected = "raises-exception" in cell.tags
        if not hidden or (raised and not expected):
            self._show(output, "fold-output" in cell.tags)
        if raised and not expected:
            raise self._fault(cell, "This cell should not raise an error. Nothing after it was run.")
        if expected and not raised:
            say("(The lesson expects an error here, and none came.)", "cause")
            say()
        if "predict" in cell.tags and self._lesson.choices:
            self._ask()
        if "run" in cell.tags and self._lesson.choices:
            self._tell(text_of(output, "prints", "shows"))

    def _output(self, cell: Cell) -> tuple[Piece, ...]:
        passing("running…")
        try:
            return self._live.next_output()
        except CourseError as error:
            raise self._fault(cell, f"{error} Nothing after it was run.") from None
        finally:
            passing()

    def _fault(self, cell: Cell, what: str) -> CourseError:
        return CourseError(f"{shown(self._lesson.lesson_file)}:{cell.line}: {what}")

    def _show(self, output: Sequence[Piece], folded: bool) -> None:
        if not output:
            return
        if folded:
            say("(what came out:)", "dim")
        for piece in output:
            for line in piece.text.strip("\n").split("\n"):
                for row in wrapped(line, _BAR, _BAR) or [_BAR]:
                    say(_BAR, "code", (row.removeprefix(_BAR), _STYLES.get(piece.kind, "plain")))
        say()

    def _ask(self) -> None:
        say(self._lesson.ask, "title")
        for letter, choice in zip(_LETTERS, self._lesson.choices, strict=False):
            say(f"  {letter}. {choice.text}")
        say()
        self._pause("Choose one, then press Enter to see what happens.")

    def _tell(self, printed: str) -> None:
        right = right_choice(self._lesson, printed)
        if len(right) != 1:
            say("None of the choices is what came out here.", "cause")
        for number, choice in sorted(enumerate(self._lesson.choices), key=lambda pair: pair[0] not in right):
            mark, style = ("✓", "good") if number in right else ("✗", "dim")
            say("\n".join(wrapped(f"{choice.text}: {choice.because}", f"{mark} {_LETTERS[number]}. ")), style)
        say()

    def _pause(self, prompt: str) -> None:
        if not self._on_terminal:
            return
        try:
            answer = input(f"{prompt} ")
        except EOFError:
            answer = "q"
        print()
        if answer.strip().lower() == "q":
            raise _Left
