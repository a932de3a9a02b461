"""What docs/grade.md shows is what happens: its commands run, their output, its options, names and table of files."""

from __future__ import annotations

import argparse
import csv
import os
import re
import shlex
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from gradclinic.classroom.intake import take_in
from gradclinic.classroom.points import Points, check_names
from gradclinic.cli import grade_options
from gradclinic.course import find_course
from gradclinic.grading.isolation import LEVELS

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "grade.md").read_text(encoding="utf-8")
COURSE = find_course(ROOT)
confined = pytest.mark.skipif(sys.platform != "linux", reason="submissions are confined on Linux only")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder whose `bin` holds `gradclinic`, as an installation puts it there."""
    folder = tmp_path_factory.mktemp("home")
    (folder / "bin").mkdir()
    command = folder / "bin" / "gradclinic"
    command.write_text(f'#!/bin/sh\nexec {shlex.quote(sys.executable)} -m gradclinic "$@"\n')
    command.chmod(0o755)
    return folder


def run(home: Path, script: str, folder: Path) -> str:
    """What the script prints in all; each of its commands has to end well."""
    done = subprocess.run(
        ["sh", "-e", "-c", script],
        cwd=folder,
        env={
            **os.environ, "PATH": f"{home / 'bin'}:{os.environ['PATH']}", "PYTHONIOENCODING": "utf-8",
            "OMP_NUM_THREADS": "1", "NO_COLOR": "1", "COLUMNS": "80",
        },
        capture_output=True, text=True, encoding="utf-8", timeout=600, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture(scope="module")
def clinic(home: Path) -> Path:
    """The course folder after the trial of the page, with what its last command printed in `told`."""
    script = next(block for block in re.findall(r"```sh\n(.*?)```", PAGE, re.DOTALL) if "class.csv" in block)
    printed = run(home, script, home)
    (home / "told").write_text(printed[printed.index("gradclinic\n", printed.index("cd my-clinic")) + 11 :])
    return home / "my-clinic"


@confined
def test_the_trial_prints_what_the_page_shows(clinic: Path) -> None:
    [shown] = re.findall(r"```text\n(.*?)```", PAGE, re.DOTALL)
    assert _any_level((clinic.parent / "told").read_text()) == _any_level(shown)


def _any_level(told: str) -> str:
    return re.sub(r"Isolation: \w+.*", "Isolation:", told).strip()


@confined
def test_the_way_to_the_gradebook_ends_with_a_filled_sheet(clinic: Path, home: Path) -> None:
    [command] = re.findall(r"`(gradclinic grade .*? --gradebook .*?)`", PAGE)
    answer = (ROOT / "lessons" / "03_leaf_or_not" / "exercise.py").read_text(encoding="utf-8")
    solved = (ROOT / "solutions" / "03_leaf_or_not.py").read_text(encoding="utf-8")
    with zipfile.ZipFile(clinic / "submissions.zip", "w") as archive:
        archive.writestr("Ada A_101_assignsubmission_file_/exercise.py", solved)
        archive.writestr("Ben B_102_assignsubmission_file_/exercise.py", answer)
    sheet = [
        ["Identifier", "Grade", "Maximum Grade", "Last modified (grade)"],
        *(["Participant " + number, "", "26.00", "-"] for number in ("101", "102", "103")),
    ]
    with (clinic / "export.csv").open("w", newline="") as file:
        csv.writer(file).writerows(sheet)
    told = run(home, command, clinic)
    assert "no learner found for 1 row: Participant 103." in " ".join(told.split())
    with (clinic / "results" / "gradebook-export.csv").open(newline="") as file:
        assert [row[1] for row in csv.reader(file)] == ["Grade", "2.00", "0.00", ""]
    for names in re.findall(r"^\| (`.*?`) \| ", PAGE.split("| In RESULTS |")[1].split("\n\n")[0], re.MULTILINE):
        for name in re.findall(r"`(.*?)`", names):
            found = clinic / "results" / name.replace("ID", "101").replace("NAME", "export")
            assert found.stat().st_size > 0


def test_every_option_is_on_the_page_and_each_on_the_page_exists() -> None:
    parser = argparse.ArgumentParser()
    grade_options.add(parser)
    known = set(re.findall(r"--[a-z-]+", parser.format_help())) - {"--help"}
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", PAGE)) - {"--course"} == known
    for words in re.findall(r"`(--[a-z-]+ [^`]+)`", PAGE):
        parser.parse_args(["class", "--out", "results", *shlex.split(words)])


def test_every_level_of_isolation_is_on_the_page() -> None:
    assert [level for level in LEVELS if f"`{level}`" not in PAGE] == []


def test_the_points_of_the_page_are_those_of_checks() -> None:
    points = Points.parse(re.findall(r"--points ([\w.=]+)", PAGE), COURSE)
    assert (points.of("leaf_or_not", "test_w_after_three_steps"), points.of("off_the_path", "x")) == (2.0, 3.0)
    assert points.of("off_the_path", "test_the_pull_on_demand") == 5.0
    assert {len(check_names(lesson)) for lesson in COURSE.lessons} == {2, 3, 4}


@pytest.mark.parametrize("name", re.findall(r"`([^`]*off_the_path[^`]*\.py)`", PAGE))
def test_an_exercise_is_known_by_the_names_of_the_page(name: str, tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / name).write_text("x = 1\n")
    assert [one.exercise for one in take_in(tmp_path, COURSE).submissions] == ["off_the_path"]


def test_an_exercise_is_known_by_its_first_line_or_its_functions(tmp_path: Path) -> None:
    [line] = re.findall(r"`(# exercise: .*?)`", PAGE)
    (tmp_path / "ada.py").write_text(f"{line}\nx = 1\n")
    shutil.copy(ROOT / "solutions" / "05_off_the_path.py", tmp_path / "ben.py")
    without = (tmp_path / "ben.py").read_text(encoding="utf-8").replace("# exercise: off_the_path", "")
    (tmp_path / "ben.py").write_text(without, encoding="utf-8")
    found = take_in(tmp_path, COURSE).submissions
    assert [(one.learner, one.exercise) for one in found] == [("ada", "off_the_path"), ("ben", "off_the_path")]


def test_the_pattern_of_the_page_names_the_learner(tmp_path: Path) -> None:
    [pattern] = re.findall(r'`--id-pattern "(.*?)"`', PAGE)
    (tmp_path / "ada" / "late").mkdir(parents=True)
    (tmp_path / "ada" / "late" / "off_the_path.py").write_text("x = 1\n")
    found = take_in(tmp_path, COURSE, id_pattern=re.compile(pattern)).submissions
    assert [(one.learner, one.exercise) for one in found] == [("ada", "off_the_path")]


def test_attempts_are_numbered_as_the_page_says(tmp_path: Path) -> None:
    for attempt in ("attempt1", "attempt2"):
        (tmp_path / "class" / "ada" / attempt).mkdir(parents=True)
        (tmp_path / "class" / "ada" / attempt / "off_the_path.py").write_text(f"x = '{attempt}'\n")
    (tmp_path / "canvas").mkdir()
    for name, text in (("exercise.py", "attempt1"), ("exercise-1.py", "attempt2")):
        given = f"# exercise: off_the_path\nx = '{text}'\n"
        (tmp_path / "canvas" / f"testerada_101_9001_{name}").write_text(given)
    for folder in ("class", "canvas"):
        found = take_in(tmp_path / folder, COURSE).submissions
        assert [(one.attempt, b"attempt1" in one.text, b"attempt2" in one.text) for one in found] == [
            (1, True, False),
            (2, False, True),
        ]
