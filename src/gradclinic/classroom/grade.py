"""Grades a class: what is new is graded, what is known is kept, and all outputs are made from both."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from gradclinic.classroom.crew import Workers
from gradclinic.classroom.folder import ResultsFolder
from gradclinic.classroom.keys import Keys
from gradclinic.classroom.points import Points
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row, counting
from gradclinic.classroom.seeds import read_secret, seed
from gradclinic.classroom.submission import Intake, Problem, Submission
from gradclinic.classroom.surroundings import Surroundings
from gradclinic.classroom.work import Task
from gradclinic.course import Course, Lesson
from gradclinic.grading.limits import Limits

_WORTH_ANOTHER_TRY = ("timeout", "crashed", "out_of_memory")


@dataclass(frozen=True)
class Class:
    """One class and how it is to be graded; `attempts` is `best` or `last`, `retry` grades timeouts again."""

    course: Course
    lessons: tuple[Lesson, ...]
    limits: Limits
    points: Points
    roster: tuple[Learner, ...] = ()
    attempts: str = "last"
    retry: bool = False


@dataclass
class Round:
    """What one look at the submissions found to do. `rows` fills as the work goes on; `besides` are known rows of
    exercises that are not asked for: they are kept, and in no output.
    """

    tasks: list[Task]
    rows: list[Row]
    besides: list[Row] = field(default_factory=list)
    problems: list[Problem] = field(default_factory=list)


class Grading:
    """The rounds of one run over one folder of results, which is held open meanwhile."""

    def __init__(self, asked: Class, surroundings: Surroundings, folder: ResultsFolder) -> None:
        self.asked, self._surroundings, self._folder = asked, surroundings, folder
        self._keys = Keys(asked.course, asked.limits, surroundings)
        self._secret = read_secret(folder.secret)

    def look(self, intake: Intake) -> Round:
        """Parts what is known from what is to be graded."""
        known = self._folder.journal.read()
        found = Round([], [], problems=list(intake.problems))
        asked = {lesson.id for lesson in self.asked.lessons}
        for given in intake.submissions:
            key = self._keys.of(given)
            row = known.get(key)
            if given.exercise not in asked:
                found.besides += [row] if row else []
            elif row is None or (self.asked.retry and row.cause in _WORTH_ANOTHER_TRY):
                found.tasks.append(Task(given, seed(self._secret, given.learner, given.exercise, given.digest), key))
            else:
                found.rows.append(self.asked.points.valued(_of(given, row)))
        return found

    def work(self, found: Round, workers: Workers) -> Iterator[Row | Problem]:
        """Grades the tasks of a round; each row is on disk before it comes out."""
        with self._folder.journal.writing() as add:
            for done in workers.grade(found.tasks):
                if isinstance(done, Row):
                    row = self.asked.points.valued(done)
                    add(row)
                    found.rows.append(row)
                    yield row
                else:
                    found.problems.append(done)
                    yield done

    def results(self, found: Round, intake: Intake) -> Results:
        """The class as a whole, and the journal put in order."""
        asked = self.asked
        rows = counting(found.rows, asked.attempts)
        self._folder.journal.rewrite([*rows, *counting(found.besides, asked.attempts)])
        return Results(
            exercises=tuple(lesson.id for lesson in asked.lessons),
            possible={lesson.id: asked.points.possible(lesson) for lesson in asked.lessons},
            learners=_learners(asked.roster, intake),
            rows=tuple(rows),
            problems=tuple(sorted(found.problems, key=lambda one: (one.learner, one.origin, one.message))),
            facts={
                "course": asked.course.root.name,
                "graded": datetime.now().astimezone().strftime("%Y-%m-%d %H:%M %z"),
                **self._surroundings.facts(),
            },
        )


def _of(given: Submission, row: Row) -> Row:
    """A row that is known, with the circumstances of the same text as it was handed in now."""
    return replace(row, attempt=given.attempt, submitted=given.submitted, late=given.late)


def _learners(roster: Sequence[Learner], intake: Intake) -> tuple[Learner, ...]:
    known = {learner.id: learner for learner in roster}
    for id in intake.learners:
        known.setdefault(id, Learner(id, intake.names.get(id, ""), on_roster=not roster))
    return tuple(known[id] for id in sorted(known))
