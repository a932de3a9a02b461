"""SUBMISSIONS as a list of answers: whose, to which exercise, which attempt; and what is wrong with the rest.

Nothing that a learner hands in stops the intake, and nothing of it is run, unpacked to disk or believed about others.
"""

from __future__ import annotations

import contextlib
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import Path, PurePosixPath

from gradclinic.classroom.files import File, Refused, Tree, Trouble
from gradclinic.classroom.identify import Exercises, exercises_of
from gradclinic.classroom.learners import Rule, Whose, by_entry, by_pattern, printable
from gradclinic.classroom.programs import ENDINGS, Programs
from gradclinic.classroom.settle import Answer, settle
from gradclinic.classroom.submission import Intake, Problem, Submission
from gradclinic.classroom.trees import trees
from gradclinic.course import Course, CourseError, is_course

_LONGEST = 1000  # characters of a path, as it is told
_ALIKE = 5  # files with the same fault are told one by one up to here
_UNKNOWN = (
    "which exercise is this? Neither a first line such as `# exercise: name` tells it, nor the file's name, nor a "
    "function of an exercise."
)


def take_in(
    folder: Path, course: Course, *, id_pattern: re.Pattern[str] | None = None, due: datetime | None = None
) -> Intake:
    """All that SUBMISSIONS holds; `due` without a time zone is local time.

    Raises CourseError if it is neither a folder nor a .zip, or a course, or if the pattern has no group `id`.
    """
    if is_course(folder):
        raise CourseError(
            f"{folder} is a course. Give the folder with what the learners handed in, one entry for each."
        )
    if id_pattern is not None and "id" not in id_pattern.groupindex:
        raise CourseError("--id-pattern needs a group named id, such as (?P<id>[^/]+).")
    exercises = exercises_of(course)
    rule = by_entry(exercises) if id_pattern is None else by_pattern(id_pattern)
    desk = _Desk(exercises, rule, due.astimezone().replace(tzinfo=None) if due is not None and due.tzinfo else due)
    for tree in trees(folder):
        desk.take(tree)
    return desk.intake()


@dataclass
class _Pile:
    """What one learner handed in: answers, and the files that are none, by path."""

    origin: str
    answers: list[Answer] = field(default_factory=list)
    refused: dict[str, list[str]] = field(default_factory=lambda: defaultdict(list))  # paths by the reason
    unknown: list[str] = field(default_factory=list)
    others: list[str] = field(default_factory=list)
    programs: Programs = field(default_factory=Programs)

    def remarks(self) -> Iterator[tuple[str, str]]:
        """Paths with what is wrong there; of many files alike it is said once."""
        for reason, paths in self.refused.items():
            more = f" So it is with {len(paths) - 1:,} more." if len(paths) > _ALIKE else ""
            yield from ((path, _sentence(reason) + more) for path in (paths[:1] if more else paths))
        if self.unknown:
            yield self.unknown[0], _said_of(self.unknown, _UNKNOWN)
        if self.others:
            yield self.others[0], _said_of(self.others, "only .py, .ipynb and .zip are read.")
        if not (self.refused or self.unknown or self.others or self.answers):
            yield self.origin, "Nothing was handed in here."


@dataclass
class _Desk:
    exercises: Exercises
    rule: Rule
    due: datetime | None
    piles: dict[tuple[str, str], _Pile] = field(default_factory=dict)  # by id and name
    nobodys: dict[tuple[str, str], list[str]] = field(default_factory=lambda: defaultdict(list))

    def take(self, tree: Tree) -> None:
        items = list(tree.items)
        courses = self._courses(item.path for item in items)
        for item in items:
            try:
                whose, pile = self._pile(item.path, tree)
            except Refused as error:
                message = item.message if isinstance(item, Trouble) else str(error)
                self.nobodys[tree.name, message].append(item.path)
                continue
            if self._is_of_course(item.path, courses):
                continue
            if isinstance(item, File):
                self._file(item, whose, pile)
            else:
                pile.refused[item.message].append(item.path)
        if not items:
            with contextlib.suppress(Refused):
                self._pile(f"{tree.name}/", tree)

    def _pile(self, path: str, tree: Tree) -> tuple[Whose, _Pile]:
        whose = self.rule(path, tree.is_folder)
        key = printable(whose.id), printable(whose.name) if whose.name else ""
        return whose, self.piles.setdefault(key, _Pile(tree.name))

    def _file(self, file: File, whose: Whose, pile: _Pile) -> None:
        if not file.path.lower().endswith(ENDINGS):
            pile.others.append(file.path)
            return
        try:
            text = pile.programs.read(file)
            exercises = self._exercises(text, whose)
        except Refused as error:
            pile.refused[str(error)].append(file.path)
            return
        if not exercises:
            pile.unknown.append(file.path)
            return
        time = file.modified if whose.timed else None
        late = whose.late if whose.late is not None else bool(time and self.due and time > self.due)
        for exercise in exercises:
            submission = Submission(
                "", exercise, text, _shown(file.path), submitted=time.isoformat() if time else "", late=late
            )
            untouched = text.replace(b"\r\n", b"\n") == self.exercises.starters[exercise]
            pile.answers.append(Answer(submission, whose.attempt, whose.series, whose.version, untouched))

    def _exercises(self, text: bytes, whose: Whose) -> tuple[str, ...]:
        if whose.exercise:
            told = self.exercises.called(whose.exercise)
            if not told:
                raise Refused("the exercise in its path is none of the course")
            return (told,)
        return self.exercises.answered(text, map(_stem, reversed(whose.inner)))

    def _courses(self, paths: Iterable[str]) -> set[str]:
        """The folders in which a whole course was handed in, each with a slash at its end."""
        parts = (path.split("/") for path in paths)
        return {
            "".join(f"{name}/" for name in part[:at])
            for part in parts
            for at, name in enumerate(part[:-1])
            if name == "lessons" and self.exercises.split(part[at + 1])[1]
        }

    def _is_of_course(self, path: str, courses: set[str]) -> bool:
        """Whether the learner was given this file and was not to edit it."""
        parts = path.split("/") if courses else []
        for at in range(len(parts)):
            if "".join(f"{name}/" for name in parts[:at]) in courses:
                first, *rest = parts[at:]
                if not rest:
                    return not first.lower().endswith((*ENDINGS, ".zip"))
                if first == "lessons":
                    return not self.exercises.split(rest[0])[1] or rest[1:] == ["lesson.py"]
                return first in ("checks", "solutions")
        return False

    def _learners(self) -> Iterator[tuple[str, str, _Pile]]:
        """Each learner's id, name and pile. An id that comes with several names is nobody's for sure."""
        times = Counter(number for number, _ in self.piles)
        taken = {number for number, _ in self.piles if times[number] == 1}
        for (number, name), pile in sorted(self.piles.items(), key=lambda named: named[0]):
            learner = number
            if times[number] > 1:
                pile.refused[f"the id {number} comes with several names; they are kept apart"].append(pile.origin)
                learner = printable(f"{number} ({name or 'without a name'})")
                while learner in taken:
                    learner = printable(f"{learner}'")
                taken.add(learner)
            yield learner, name, pile

    def intake(self) -> Intake:
        submissions: list[Submission] = []
        problems: list[Problem] = []
        names: dict[str, str] = {}
        for learner, name, pile in self._learners():
            names[learner] = name
            by_exercise: dict[str, list[Answer]] = defaultdict(list)
            for answer in pile.answers:
                by_exercise[answer.submission.exercise].append(answer)
            for exercise, answers in by_exercise.items():
                kept, wrong = settle(answers)
                submissions.extend(replace(one, learner=learner) for one in kept)
                problems.extend(Problem(learner, origin, message, exercise) for origin, message in wrong)
            problems.extend(Problem(learner, _shown(path), message) for path, message in pile.remarks())
        for (_, message), paths in self.nobodys.items():
            count = f" So it is with {len(paths) - 1:,} more." if len(paths) > 1 else ""
            problems.append(Problem("", _shown(paths[0]), _sentence(message) + count))
        return Intake(
            tuple(sorted(submissions, key=lambda one: (one.learner, one.exercise, one.attempt))),
            tuple(sorted(problems, key=lambda one: (one.learner, one.exercise, one.origin, one.message))),
            tuple(sorted(names)),
            {learner: name for learner, name in sorted(names.items()) if name},
        )


def _stem(name: str) -> str:
    path = PurePosixPath(name)
    return path.stem if path.suffix.lower() in (*ENDINGS, ".zip") else name


def _shown(path: str) -> str:
    return printable(path, _LONGEST)


def _sentence(message: str) -> str:
    return f"{message[0].upper()}{message[1:]}."


def _said_of(paths: Sequence[str], what: str) -> str:
    """The sentence about the files; the name of a single one stands beside it anyway."""
    if len(paths) == 1:
        return what[0].upper() + what[1:]
    names = ", ".join(printable(PurePosixPath(path).name) for path in paths[:3])
    more = f" and {len(paths) - 3:,} more" if len(paths) > 3 else ""
    return f"{names}{more}: {what}"
