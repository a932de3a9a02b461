"""pytest's face of the runner: every check of every answer is an item, and no learner's line runs in this process."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from _pytest._code.code import TerminalRepr

from gradclinic.course import Course, CourseError, Lesson, find_course
from gradclinic.grading import feedback
from gradclinic.grading.answers import Answer, find_answers
from gradclinic.grading.judge import Judge
from gradclinic.grading.verdict import CheckRow

if TYPE_CHECKING:
    from gradclinic.grading.runner import Attempt, Check

JUDGE = pytest.StashKey[Judge]()
ROW = pytest.StashKey[CheckRow]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("gradclinic")
    group.addoption("--answers", metavar="PATH", type=Path, help="grade the answers below PATH, not those in lessons/")
    group.addoption("--seed", type=int, help="make the checks' inputs repeatable")
    group.addoption(
        "--in-process",
        action="store_true",
        help="run the learner's code in this process, for breakpoint(): no deadline, no limits, the code is trusted",
    )


def pytest_configure(config: pytest.Config) -> None:
    # before any check is read: the forkserver must know nothing of the answers
    if not config.option.collectonly and not config.option.help:
        config.stash[JUDGE] = Judge(in_process=config.option.in_process)


def pytest_unconfigure(config: pytest.Config) -> None:
    if (judge := config.stash.get(JUDGE, None)) is not None:
        judge.close()


def pytest_report_header(config: pytest.Config) -> list[str]:
    if (judge := config.stash.get(JUDGE, None)) is None:
        return []
    trusted = " (the learner's code runs in this process and is trusted)" if config.option.in_process else ""
    return [f"gradclinic: isolation {judge.isolation}{trusted}"]


@pytest.hookimpl(tryfirst=True)  # before -k and the like take items away
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if config.option.answers is not None and not items:
        raise pytest.UsageError(
            f"--answers {config.option.answers} holds no answer. Files are found by the exercise's name."
        )


def pytest_pycollect_makemodule(module_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    """A check file becomes a collector of answers; it is not imported as a test module."""
    if not module_path.name.startswith("test_"):
        return None
    return CheckFile.from_parent(parent, path=module_path)


class CheckFile(pytest.File):
    """`checks/test_NN_slug.py`: the checks of one exercise, for one answer or several."""

    def collect(self) -> Iterator[pytest.Item | pytest.Collector]:
        from gradclinic.grading.runner import load_checks

        where = self.config.option.answers
        try:
            course = find_course(self.path.parent)
            lesson = course.find(self.path.stem.removeprefix("test_"))
            answers = _answers(course, where, lesson)
            load_checks(lesson.check_file)
        except CourseError as error:
            raise self.CollectError(str(error)) from None
        for answer in answers:
            if where is None:
                yield from _items(self, answer)
            else:
                yield AnswerCollector.from_parent(self, name=answer.label, answer=answer)


def _answers(course: Course, where: Path | None, lesson: Lesson) -> list[Answer]:
    if where is not None and not where.exists():
        raise CourseError(f"--answers {where}: there is no such file or folder.")
    if where is not None and where.is_file():
        return [answer for answer in find_answers(course, where) if answer.lesson == lesson]
    try:
        return find_answers(course, where, [lesson])
    except CourseError:
        return []  # this exercise has no answer there; another may


class AnswerCollector(pytest.Collector):
    """One answer out of several, shown as `slug[stem]`."""

    def __init__(self, *, answer: Answer, name: str, parent: pytest.Collector) -> None:
        super().__init__(name, parent)
        self.answer = answer

    def collect(self) -> Iterator[pytest.Item]:
        return _items(self, self.answer)


def _items(parent: pytest.Collector, answer: Answer) -> Iterator[pytest.Item]:
    from gradclinic.grading.runner import load_checks

    shared: list[Attempt] = []
    for check in load_checks(answer.lesson.check_file):
        yield CheckItem.from_parent(parent, name=check.name, answer=answer, check=check, shared=shared)


class CheckItem(pytest.Item):
    """One check of one answer; the checks of an answer share its time."""

    def __init__(
        self, *, name: str, parent: pytest.Collector, answer: Answer, check: Check, shared: list[Attempt]
    ) -> None:
        super().__init__(name, parent)
        self.answer, self.check, self._shared = answer, check, shared

    def runtest(self) -> None:
        if not self._shared:
            self._shared.append(self.config.stash[JUDGE].attempt(self.answer, self.config.option.seed))
        row = self._shared[0].run(self.check)
        if row.state == "broken":
            raise RuntimeError(row.message)
        if not row.passed:
            raise NotPassed(row, self._shared[0])
        self._show(row)

    def _show(self, row: CheckRow) -> None:
        for remark in row.remarks:
            self.add_report_section("call", "remark", f"passed, with a remark: {remark}")
        if row.warnings:
            self.add_report_section("call", "warnings (not scored)", "\n".join(row.warnings))
        if row.prints:
            self.add_report_section("call", "printed", row.prints)

    def repr_failure(
        self, excinfo: pytest.ExceptionInfo[BaseException], style: str | None = None
    ) -> str | TerminalRepr:
        if not isinstance(excinfo.value, NotPassed):
            return super().repr_failure(excinfo)
        row, attempt = excinfo.value.row, excinfo.value.attempt
        if row.state == "not_reached":
            return f"  {row.message}"
        lines = [*feedback.failure(replace(row, name=""), self.answer.lesson.id), *feedback.noise((row,), row)]
        lines.append(feedback.Line(f"  repeat with: --seed {attempt.seed}"))
        return "\n".join(line.text for line in lines)

    def reportinfo(self) -> tuple[Path, int | None, str]:
        return self.answer.lesson.check_file, None, f"{self.answer.label}: {self.name}"


class NotPassed(Exception):
    """Carries a failed row to the report."""

    def __init__(self, row: CheckRow, attempt: Attempt) -> None:
        super().__init__(row.message)
        self.row, self.attempt = row, attempt
