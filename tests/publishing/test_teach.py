"""The plans for a short workshop keep to the minutes in the headers of the lessons."""

from __future__ import annotations

import re

import pytest

from gradclinic.course import Course, Lesson, shipped_root

COURSE = Course(shipped_root())
ROW = re.compile(r"^\| \[(.+)\]\(lessons/(\w+)\.md\) \| (\d+) \| (\d+|home) \| (\d+) \|$", re.MULTILINE)
SUM = re.compile(r"^\| \*\*Together\*\* \| (\d+) \| (\d+) \| (\d+) \|$", re.MULTILINE)


def plan(heading: str) -> tuple[list[tuple[Lesson, str, str]], tuple[int, ...]]:
    """The rows of one plan (lesson, exercise, together), held against the headers, and its sums."""
    text = (shipped_root() / "docs" / "teach.md").read_text(encoding="utf-8")
    section = text.partition(f"\n### {heading}\n")[2].partition("\n#")[0]
    rows = []
    for title, name, teach, exercise, together in ROW.findall(section):
        lesson = COURSE.find(name)
        assert (title, int(teach)) == (f"{lesson.number}. {lesson.title}", lesson.minutes[0])
        assert exercise in ("home", str(lesson.minutes[1])), name
        rows.append((lesson, exercise, together))
    assert len(rows) == section.count("](lessons/")
    sums = SUM.search(section)
    assert sums is not None
    return rows, tuple(map(int, sums.groups()))


@pytest.mark.parametrize("heading", ["90 minutes", "Half a day"])
def test_each_row_and_the_sums_agree_with_the_headers(heading: str) -> None:
    rows, sums = plan(heading)
    teach = [lesson.minutes[0] for lesson, _, _ in rows]
    exercise = [lesson.minutes[1] if where != "home" else 0 for lesson, where, _ in rows]
    assert [int(together) for _, _, together in rows] == [a + b for a, b in zip(teach, exercise, strict=True)]
    assert sums == (sum(teach), sum(exercise), sum(teach) + sum(exercise))


@pytest.mark.parametrize("heading", ["90 minutes", "Half a day"])
def test_no_lesson_comes_before_one_that_it_builds_on(heading: str) -> None:
    names = [lesson.id for lesson, _, _ in plan(heading)[0]]
    for lesson, _, _ in plan(heading)[0]:
        assert set(lesson.strings("prerequisites")) <= set(names[: names.index(lesson.id)])


def test_the_short_plan_fits_and_the_long_one_is_the_core_of_the_course() -> None:
    assert plan("90 minutes")[1][2] <= 90
    assert [lesson.id for lesson, _, _ in plan("Half a day")[0]] == [n.id for n in COURSE.lessons if n.core]
    assert plan("Half a day")[1][2] == 185  # the text adds 45 minutes and says 3 hours and 50 minutes
