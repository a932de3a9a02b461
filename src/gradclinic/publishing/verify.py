"""Holds a lesson against its own words: declared errors, symptoms, and the one right choice."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradclinic.course import Lesson
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.reading import Cell, Story, line_of


@dataclass(frozen=True)
class Problem:
    """Why a lesson must not be published: where, what, and what to do."""

    file: Path
    line: int
    what: str
    remedy: str

    def __str__(self) -> str:
        return f"{self.file}:{self.line}: {self.what}\n    {self.remedy}"


def errors_as_declared(file: Path, cell: Cell, pieces: Sequence[Piece]) -> Iterator[Problem]:
    """A cell raises if and only if it is tagged `raises-exception`."""
    raised = text_of(pieces, "raises").strip()
    declared = "raises-exception" in cell.tags
    if raised and not declared:
        remedy = 'Repair the cell, or tag it "raises-exception" if the error is what it shows.'
        yield Problem(file, cell.line, "this cell raised:\n" + textwrap.indent(raised, "    "), remedy)
    if declared and not raised:
        remedy = 'Show an error that still happens, or take the tag "raises-exception" away and tell the new truth.'
        yield Problem(file, cell.line, "this cell should raise an error, and it did not.", remedy)


def words_as_measured(story: Story, outputs: Sequence[Sequence[Piece]]) -> Iterator[Problem]:
    """Each symptom stands in the output of its cell, and exactly one choice is what the run cell printed."""
    yield from _symptoms(story, outputs)
    if story.lesson.choices:
        yield from _choices(story, outputs)


def right_choice(lesson: Lesson, printed: str) -> list[int]:
    """The indices of the choices that the run cell's output makes right."""
    return [i for i, choice in enumerate(lesson.choices) if choice.when.strip() == printed.strip()]


def _symptoms(story: Story, outputs: Sequence[Sequence[Piece]]) -> Iterator[Problem]:
    file = story.lesson.lesson_file
    for symptom in story.lesson.symptoms:
        at = story.cell(symptom.cell)
        if at is None:
            remedy = f'Tag the cell that shows it: # %% tags=["{symptom.cell}"]'
            yield Problem(file, line_of(file, symptom.text), f"no code cell is tagged {symptom.cell}.", remedy)
        elif symptom.kind != "silent" and _flat(symptom.text) not in _flat(text_of(outputs[at])):
            what = f'the cell {symptom.cell} does not print the symptom "{symptom.text}"'
            remedy = f"Copy the words from what it does print: {_flat(text_of(outputs[at])) or 'nothing'}"
            yield Problem(file, line_of(file, symptom.text), what, remedy)


def _choices(story: Story, outputs: Sequence[Sequence[Piece]]) -> Iterator[Problem]:
    file, at = story.lesson.lesson_file, story.cell("run")
    if at is None:
        yield Problem(file, 1, "there are choices, but no code cell is tagged run.", "Tag the cell that prints.")
        return
    printed = text_of(outputs[at], "prints", "shows").strip()
    right = right_choice(story.lesson, printed)
    if len(right) != 1:
        line = line_of(file, story.lesson.choices[right[1] if right else 0].text)
        what = f"{len(right)} of the choices are right, and exactly one should be: the run cell printed\n    {printed}"
        yield Problem(file, line, what, "Let exactly one choice say it in its `when`.")


def _flat(text: str) -> str:
    return " ".join(text.split())
