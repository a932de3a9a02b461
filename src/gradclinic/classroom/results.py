"""A graded class as a whole: what every output is made from."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

from gradclinic.classroom.rows import Row
from gradclinic.classroom.submission import Problem


@dataclass(frozen=True)
class Learner:
    """A learner of the class: the id that submissions carry, and what a roster adds to it."""

    id: str
    name: str = ""
    email: str = ""
    on_roster: bool = True


@dataclass(frozen=True)
class Results:
    """Sorted throughout: exercises in the order of the course, learners by id, rows by their `order`.

    `possible` are the points of each exercise; `facts` tell the versions of gradclinic, torch and python, the level of
    `isolation`, and the name of the course.
    """

    exercises: tuple[str, ...]
    possible: dict[str, float]
    learners: tuple[Learner, ...]
    rows: tuple[Row, ...]
    problems: tuple[Problem, ...] = ()
    facts: dict[str, str] = field(default_factory=dict)

    def of(self, learner: str, exercise: str) -> Row | None:
        """The row that counts, if there is one."""
        return self._counting.get((learner, exercise))

    def refused(self, learner: str) -> list[Problem]:
        """What is wrong with what this learner handed in."""
        return self._refused.get(learner, [])

    def tried(self, learner: str, exercise: str) -> bool:
        """Whether something was handed in that is, or may be, an answer to this exercise and could not be graded."""
        return any(problem.exercise in ("", exercise) for problem in self.refused(learner))

    def points(self, learner: str) -> float:
        """The sum over all exercises; what is missing earns nothing."""
        return sum(row.points for row in self.of_learner(learner))

    def of_learner(self, learner: str) -> list[Row]:
        return [row for exercise in self.exercises if (row := self.of(learner, exercise))]

    @property
    def most(self) -> float:
        """The points of all exercises together."""
        return sum(self.possible[exercise] for exercise in self.exercises)

    @cached_property
    def _refused(self) -> dict[str, list[Problem]]:
        found: dict[str, list[Problem]] = {}
        for problem in self.problems:
            found.setdefault(problem.learner, []).append(problem)
        return found

    @cached_property
    def _counting(self) -> dict[tuple[str, str], Row]:
        return {(row.learner, row.exercise): row for row in self.rows if row.counts}
