"""Where a learner is: kept by id, in order, and never lost."""

from __future__ import annotations

import datetime
import json
from pathlib import Path

import pytest

from gradclinic.course import Course, CourseError
from gradclinic.progress import Progress


@pytest.fixture
def course(tmp_path: Path) -> Course:
    for slug in ("01_first", "02_second", "03_third"):
        (tmp_path / "lessons" / slug).mkdir(parents=True)
        (tmp_path / "lessons" / slug / "exercise.py").write_text(f"# mine: {slug}\n")
        (tmp_path / "checks").mkdir(exist_ok=True)
        (tmp_path / "checks" / f"test_{slug}.py").touch()
    return Course(tmp_path)


def test_a_new_learner_has_passed_nothing_and_starts_with_the_first(course: Course) -> None:
    progress = Progress(course.root)
    assert progress.passed() == {}
    assert progress.next_lesson(course) == course.lessons[0]
    assert not (course.root / ".gradclinic").exists()


def test_a_pass_is_kept_by_id_with_the_day_of_the_first(course: Course) -> None:
    progress = Progress(course.root)
    progress.file.parent.mkdir()
    progress.file.write_text('{"passed": {"second": "2020-02-29"}}')
    progress.mark_passed(course.lessons[1])
    progress.mark_passed(course.lessons[0])
    stored = json.loads(progress.file.read_text())
    assert stored["passed"] == {"second": "2020-02-29", "first": datetime.date.today().isoformat()}


def test_renumbering_loses_nothing(course: Course) -> None:
    Progress(course.root).mark_passed(course.lessons[1])
    (course.root / "checks" / "test_02_second.py").rename(course.root / "checks" / "test_07_second.py")
    renumbered = Course(course.root)
    assert [lesson.id in Progress(course.root).passed() for lesson in renumbered.lessons] == [False, False, True]


def test_next_is_the_current_exercise_until_it_is_passed(course: Course) -> None:
    progress = Progress(course.root)
    first, second, third = course.lessons
    progress.stand_at(second)
    assert progress.next_lesson(course) == second
    progress.mark_passed(second)
    assert progress.next_lesson(course) == third
    progress.mark_passed(third)
    assert progress.next_lesson(course) == first
    progress.mark_passed(first)
    assert progress.next_lesson(course) is None


def test_done_again_after_a_reset(course: Course) -> None:
    progress = Progress(course.root)
    for lesson in course.lessons:
        progress.mark_passed(lesson)
    progress.mark_open(course.lessons[1])
    assert progress.next_lesson(course) == course.lessons[1]


def test_backups_of_the_same_second_stand_beside_each_other(course: Course) -> None:
    progress, lesson = Progress(course.root), course.lessons[0]
    copies = []
    for text in ("one", "two", "three"):
        lesson.exercise_file.write_text(text)
        copies.append(progress.back_up(lesson))
    assert [copy.read_text() for copy in copies] == ["one", "two", "three"]
    assert {copy.parent for copy in copies} == {course.root / ".gradclinic" / "backups"}


@pytest.mark.parametrize(
    "damage", [b'{"passed": {', b"[]", b'{"hints": {"first": "many"}}', b"\xff\xfe", b'{"passed": 3}']
)
def test_a_damaged_file_is_named_and_left_as_it_is(course: Course, damage: bytes) -> None:
    progress = Progress(course.root)
    progress.file.parent.mkdir()
    progress.file.write_bytes(damage)
    with pytest.raises(CourseError, match=r"progress\.json cannot be read"):
        progress.mark_passed(course.lessons[0])
    assert progress.file.read_bytes() == damage


def test_writing_leaves_the_record_and_its_lock(course: Course) -> None:
    progress = Progress(course.root)
    progress.stand_at(course.lessons[2])
    progress.mark_passed(course.lessons[2])
    assert {file.name for file in progress.file.parent.iterdir()} == {"progress.json", "lock"}
