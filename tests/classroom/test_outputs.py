"""All files at once: which there are, that each is whole, and what an instructor is told."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from gradclinic.classroom.outputs import write_all
from gradclinic.classroom.points import Points
from gradclinic.classroom.results import Learner
from gradclinic.course import Course

from .small_class import NEVER, results, right, row

COURSE = Course(Path(__file__).parents[1] / "course")
MADE = results(right("Ada"), row("ben", "slope", NEVER), learners=(Learner("../x"), Learner("Ada"), Learner("ben")))


def files(folder: Path) -> dict[str, bytes]:
    return {file.relative_to(folder).as_posix(): file.read_bytes() for file in folder.rglob("*") if file.is_file()}


def test_every_file_is_in_its_place(tmp_path: Path) -> None:
    assert write_all(MADE, tmp_path, course=COURSE) == []
    # the hashes come from `printf %s ID | sha256sum | cut -c1-16`
    ada, parent = "Ada_99a563ab2f6e21e9", "_.._x_d6b96a97d147daaa"
    assert sorted(files(tmp_path)) == sorted(
        ["summary.csv", "junit.xml", "report.html", "gradescope/autograder.zip", ".grade/made"]
        + [f"feedback/{name}.md" for name in (ada, parent, "ben")]
        + [f"gradescope/{name}/results.json" for name in (ada, parent, "ben")]
    )


def test_the_same_results_give_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        write_all(MADE, tmp_path / name, course=COURSE)
    assert files(tmp_path / "one") == files(tmp_path / "two")


def test_what_was_made_for_a_learner_who_left_is_removed_and_nothing_else(tmp_path: Path) -> None:
    write_all(MADE, tmp_path, course=COURSE)
    own = {"feedback/notes.md": b"mine", "feedback/cy.md": b"mine", "gradescope/Ada_99a563ab2f6e21e9/mine.txt": b"mine"}
    for name, text in own.items():
        (tmp_path / name).write_bytes(text)
    write_all(results(row("ben", "slope", NEVER)), tmp_path, course=COURSE)
    kept = ["feedback/ben.md", "gradescope/autograder.zip", "gradescope/ben/results.json"]
    found = files(tmp_path)
    assert sorted(name for name in found if "/" in name and name != ".grade/made") == sorted([*own, *kept])
    assert {name: found[name] for name in own} == own
    assert sorted(folder.name for folder in (tmp_path / "gradescope").iterdir() if folder.is_dir()) == [
        "Ada_99a563ab2f6e21e9",
        "ben",
    ]
    assert not [name for name, text in found.items() if name not in own and b"Ada" in text]


def test_a_run_that_was_stopped_among_the_files_leaves_none_that_a_later_one_does_not_know(tmp_path: Path) -> None:
    (tmp_path / "feedback" / "ben.md").mkdir(parents=True)  # the file of ada is written, that of ben cannot be
    with pytest.raises(IsADirectoryError):
        write_all(results(right("ada"), right("ben")), tmp_path)
    assert (tmp_path / "feedback" / "ada.md").exists()
    (tmp_path / "feedback" / "ben.md").rmdir()
    write_all(results(right("ben")), tmp_path)
    assert [file.name for file in (tmp_path / "feedback").iterdir() if not file.name.startswith(".")] == ["ben.md"]


@pytest.mark.parametrize("listed", ["../mine.md", "feedback/../../mine.md", "feedback/..", "summary.csv", "\u00e9"])
def test_a_list_that_somebody_changed_removes_nothing_else(listed: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (out / ".grade").mkdir(parents=True)
    (out / ".grade" / "made").write_text(f"{listed}\nfeedback/cy.md\n", encoding="utf-8")
    (tmp_path / "mine.md").write_text("mine")
    write_all(MADE, out)
    assert (tmp_path / "mine.md").exists()
    assert (out / "summary.csv").exists()


def test_points_travel_to_the_autograder(tmp_path: Path) -> None:
    folders = [tmp_path / "one", tmp_path / "two"]
    for folder, points in zip(folders, (None, Points.parse(["2"], COURSE)), strict=True):
        folder.mkdir()
        write_all(MADE, folder, course=COURSE, points=points)
    one, two = (files(folder) for folder in folders)
    assert [name for name in one if one[name] != two[name]] == ["gradescope/autograder.zip"]


def test_gradebooks_are_filled_under_names_of_their_own(tmp_path: Path) -> None:
    sheet = "Identifier,Grade,Maximum Grade,Last modified (grade)\nParticipant 7,,10.00,-\n"
    books = [tmp_path / "a" / "export.csv", tmp_path / "b" / "export.csv", tmp_path / "none.csv", tmp_path / "odd.csv"]
    for book in (*books[:2], books[3]):
        book.parent.mkdir(exist_ok=True)
        book.write_text("a,b\n" if book.name == "odd.csv" else sheet)
    out = tmp_path / "out"
    out.mkdir()
    notes = write_all(results(right("7")), out, gradebooks=books)
    assert (out / "gradebook-export.csv").read_text() == sheet.replace("7,,", "7,4.00,")
    assert (out / "gradebook-export-2.csv").read_text() == sheet.replace("7,,", "7,4.00,")
    assert notes[:2] == [
        'gradebook-export.csv: 1 grade put into "Grade" (the total of 2 exercises, scaled to 10.00).',
        "gradebook-export.csv: joined by Identifier.",
    ]
    assert notes[4] == f"{books[2]}: No such file or directory."
    assert notes[5].startswith(f"{books[3]}: the first line is neither that of Moodle's")
    assert (out / "summary.csv").exists()
    left = [name for name in files(out) if name.startswith("gradebook-")]
    assert write_all(results(right("7")), out) == [
        f"{name} is from an earlier run: name its sheet with --gradebook to fill it again." for name in sorted(left)
    ]


def test_exercises_are_known_by_their_titles_where_the_course_is(tmp_path: Path) -> None:
    title = COURSE.find("slope").title
    book = tmp_path / "grades.csv"
    book.write_text(f"Student,ID,Section,{title} (5),Other (6)\n    Points Possible,,,6,6\nAda,7,One,,\n")
    write_all(results(right("7", "slope")), tmp_path, gradebooks=[book], course=COURSE)
    assert (tmp_path / "gradebook-grades.csv").read_text().splitlines()[2] == "Ada,7,One,6.00,"


def test_a_sheet_of_no_platform_is_told_before_anything_is_graded(tmp_path: Path) -> None:
    (tmp_path / "submissions").mkdir()
    (tmp_path / "odd.csv").write_text("a,b\n")
    asked = ["grade", "submissions", "--out", "out", "--gradebook", "odd.csv"]
    done = subprocess.run(
        [sys.executable, "-m", "gradclinic", "--course", str(COURSE.root), *asked],
        cwd=tmp_path, capture_output=True, text=True, timeout=120,
    )  # fmt: skip
    assert (done.returncode, (tmp_path / "out").exists()) == (2, False)
    assert "odd.csv: the first line is neither that of Moodle's" in done.stderr


def test_nothing_imports_torch_or_jupyter(tmp_path: Path) -> None:
    program = (
        "import sys\nfrom pathlib import Path\nfrom gradclinic.classroom import container, outputs, results, roster\n"
        f"outputs.write_all(results.Results((), {{}}, (results.Learner('ada'),), ()), Path({str(tmp_path)!r}))\n"
        "print(sorted({'torch', 'jupytext', 'nbformat'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert (done.stdout, done.stderr) == ("[]\n", "")
