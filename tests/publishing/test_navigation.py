"""A new lesson appears in the navigation of the site by itself."""

from __future__ import annotations

from pathlib import Path

from gradclinic.course import Course
from gradclinic.publishing.navigation import refresh

CONFIG = """\
site_name: Tiny
nav:
  - Home: index.md
  - Lessons:
      - lessons/index.md
      - lessons/gone.md
  - Teach:
      - Timetable and notes: lessons/timetable.md
"""


def lay_out(root: Path, *slugs: str) -> Course:
    for slug in slugs:
        (root / "lessons" / slug).mkdir(parents=True)
        (root / "lessons" / slug / "lesson.py").write_text("# %%\n")
        (root / "checks").mkdir(exist_ok=True)
        (root / "checks" / f"test_{slug}.py").write_text("")
    return Course(root)


def test_the_lessons_of_the_course_replace_those_that_were_there(tmp_path: Path) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG)
    told: list[str] = []
    refresh(config, lay_out(tmp_path, "01_tiny", "02_other"), told.append)
    assert config.read_text() == CONFIG.replace(
        "      - lessons/gone.md\n", "      - lessons/tiny.md\n      - lessons/other.md\n"
    )
    assert told == ["mkdocs.yml now lists tiny, other: commit it"]


def test_a_lesson_that_is_gone_is_told_as_well(tmp_path: Path) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG.replace("gone.md\n", "gone.md\n      - lessons/tiny.md\n"))
    told: list[str] = []
    refresh(config, lay_out(tmp_path, "01_tiny"), told.append)
    assert config.read_text() == CONFIG.replace("gone", "tiny")
    assert told == ["mkdocs.yml now lists the lessons as they are: commit it"]


def test_a_config_that_is_right_is_not_written(tmp_path: Path) -> None:
    config = tmp_path / "mkdocs.yml"
    config.write_text(CONFIG.replace("gone", "tiny"))
    before = config.stat().st_mtime_ns
    told: list[str] = []
    refresh(config, lay_out(tmp_path, "01_tiny"), told.append)
    assert told == []
    assert config.stat().st_mtime_ns == before
    assert config.read_text() == CONFIG.replace("gone", "tiny")
