"""`lessons/why.yaml`: the questions that lead from a lost gradient to its cause, read and checked."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import yaml

from gradclinic.causes import CAUSES
from gradclinic.course import CourseError


@dataclass(frozen=True)
class Choice:
    """One answer: taken when the line shows exactly `shows`, or a text that holds one of `holds`, or neither is set.

    to: the id of the next question, of a cause, or of another end. link: the next question is listed elsewhere.
    """

    to: str
    says: str = ""
    shows: str | None = None
    holds: tuple[str, ...] = ()
    link: bool = False

    def fits(self, shown: str) -> bool:
        if self.shows is not None:
            return shown == self.shows
        return not self.holds or any(piece in shown for piece in self.holds)


@dataclass(frozen=True)
class Question:
    """What is asked, and the line of code that answers it."""

    id: str
    ask: str
    line: str
    choices: tuple[Choice, ...]
    note: str = ""

    def taken(self, shown: str) -> Choice | None:
        """The first answer that fits what the line showed."""
        return next((choice for choice in self.choices if choice.fits(shown)), None)


@dataclass(frozen=True)
class End:
    """Where a path ends without a cause; `program` is one that comes here, besides the repaired programs."""

    id: str
    title: str
    text: str
    program: str = ""


@dataclass(frozen=True)
class Tree:
    """The whole path; `programs` says what `x` and `model` are in the program of a cause."""

    file: Path
    start: str
    questions: Mapping[str, Question]
    ends: Mapping[str, End]
    programs: Mapping[str, Mapping[str, str]]

    @property
    def parents(self) -> dict[str, str]:
        """For each question of the list, the question that it is listed below; the start has none."""
        found, before = {self.start: ""}, [self.start]
        for asked in before:
            for choice in self.questions[asked].choices:
                if choice.to in self.questions and choice.to not in found and not choice.link:
                    found[choice.to] = asked
                    before.append(choice.to)
        return found


def read_tree(file: Path, causes: Collection[str]) -> Tree:
    """The path, if each of `causes` is an end of it. Raises CourseError, with the line, for anything amiss."""
    tree = load_tree(file)
    for id, problem in _problems(tree, causes):
        raise CourseError(f"{file}:{_line_of(file, id)}: {problem}")
    return tree


def load_tree(file: Path) -> Tree:
    """The path as it is written. Raises CourseError for a file of another form."""
    try:
        data = yaml.safe_load(file.read_text(encoding="utf-8"))
        questions = {id: _question(id, row) for id, row in data["questions"].items()}
        ends = {id: End(id, **row) for id, row in data["ends"].items()}
        return Tree(file, data["start"], questions, ends, data.get("programs", {}))
    except (yaml.YAMLError, KeyError, TypeError, AttributeError) as error:
        raise CourseError(f"{file}:1: this is no path of questions: {error!r}. Look at its own first lines.") from error


def _question(id: str, row: Mapping[str, Any]) -> Question:
    choices = tuple(Choice(**{**choice, "holds": tuple(choice.get("holds", ()))}) for choice in row["answers"])
    return Question(id, row["ask"], str(row.get("line") or ""), choices, row.get("note", ""))


def _problems(tree: Tree, causes: Collection[str]) -> Iterator[tuple[str, str]]:
    """The place of each fault, and what is wrong there."""
    if tree.start not in tree.questions:
        yield "start", f"the path starts with {tree.start}, which is no question."
        return
    for question in tree.questions.values():
        yield from _faults(question, {*tree.questions, *tree.ends, *causes})
    named = {choice.to for question in tree.questions.values() for choice in question.choices}
    for id in sorted(set(causes) - named):
        yield "questions", f"no answer leads to the cause {id}, which has a program in lessons/causes."
    for id in sorted(set(tree.ends) - named):
        yield id, f"no answer leads to the end {id}."
    for id in tree.questions.keys() - tree.parents.keys():
        yield id, f"no answer leads to the question {id}, or only those with `link`."
    for id in sorted(set(tree.programs) - set(causes)):
        yield id, f"lessons/causes has no program {id}."
    if loop := _loop(tree):
        yield loop, f"the answers lead from the question {loop} back to it."


def _faults(question: Question, known: Collection[str]) -> Iterator[tuple[str, str]]:
    id = question.id
    if id in CAUSES:
        yield id, f"the question {id} has the name of a cause: give it another."
    try:
        compile(question.line, "line", "eval")
    except SyntaxError as error:
        yield id, f"the question {id} needs one line of code that can be run: {error.msg}."
    if len(question.line.splitlines()) > 1:
        yield id, f"the question {id} needs one line of code, and has several."
    for choice in question.choices:
        if choice.to not in known:
            yield id, f"an answer to the question {id} leads to {choice.to}, which is no question, cause or end here."


def _loop(tree: Tree) -> str | None:
    """A question that can be met twice."""
    after = {id: {c.to for c in q.choices if c.to in tree.questions} for id, q in tree.questions.items()}
    while free := [id for id, following in after.items() if not following & after.keys()]:
        for id in free:
            del after[id]
    return next(iter(after), None)


def _line_of(file: Path, id: str) -> int:
    """Where the file defines this id; 1 if it does not."""
    lines = enumerate(file.read_text(encoding="utf-8").splitlines(), 1)
    return next((number for number, line in lines if line.strip().startswith(f"{id}:")), 1)
