"""From what a class handed in to answers and problems: layouts, downloads, attempts, contradictions, lateness."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic.classroom.intake import take_in
from gradclinic.classroom.submission import Intake, Problem
from gradclinic.course import Course, CourseError

REPOSITORY = Path(__file__).parents[2]
COURSE = Course(REPOSITORY / "tests" / "course")
DOUBLE = b"# exercise: double\ndef double(x):\n    return 2 * x\n"
SLOPE = b"# exercise: slope\ndef slope(w, x):\n    return 2 * w * x * x\n"
STEP = b"# exercise: step\ndef step(w, x):\n    return {}\n"
DIFFER = (
    "These differ, and none is graded: {}. Keep one, or put them into folders attempt1, attempt2, ... from the oldest "
    "to the newest."
)
EMPTY = "Nothing was handed in here."
UTF16 = "It is not text, or text in UTF-16, which Python does not read: save it as UTF-8."


def zipped(members: Mapping[str, bytes], when: tuple[int, int, int, int, int, int] = (2026, 3, 1, 12, 0, 0)) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in members.items():
            archive.writestr(zipfile.ZipInfo(name, when), text, zipfile.ZIP_DEFLATED)
    return content.getvalue()


def notebook(*sources: str) -> bytes:
    cells = [{"cell_type": "code", "metadata": {}, "source": source, "outputs": []} for source in sources]
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def put(place: Path, files: Mapping[str, bytes]) -> Path:
    for path, content in files.items():
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(content)
    return place


def answers(intake: Intake) -> list[tuple[str, str, int, str]]:
    return [(one.learner, one.exercise, one.attempt, one.origin) for one in intake.submissions]


def problems(intake: Intake) -> list[tuple[str, str, str]]:
    return [(one.learner, one.origin, one.message) for one in intake.problems]


def test_each_kind_of_entry_is_a_learners(place: Path) -> None:
    put(
        place,
        {
            "ada/01_double/exercise.py": DOUBLE,
            "ada/02_slope.py": SLOPE,
            "ben.zip": zipped({"work/exercise.py": DOUBLE, "work/exercise (1).py": SLOPE}),
            "cyd.py": STEP,
            "dan.ipynb": notebook("!pip install torch", "def double(x):\n    return x + x"),
        },
    )
    intake = take_in(place, COURSE)
    assert answers(intake) == [
        ("ada", "double", 1, "ada/01_double/exercise.py"),
        ("ada", "slope", 1, "ada/02_slope.py"),
        ("ben", "double", 1, "ben.zip/work/exercise.py"),
        ("ben", "slope", 1, "ben.zip/work/exercise (1).py"),
        ("cyd", "step", 1, "cyd.py"),
        ("dan", "double", 1, "dan.ipynb"),
    ]
    assert [one.text for one in intake.submissions[:5]] == [DOUBLE, SLOPE, DOUBLE, SLOPE, STEP]
    assert intake.submissions[5].text == (
        b"# %% cell 1\n# !pip install torch\n\n# %% cell 2\ndef double(x):\n    return x + x\n"
    )
    assert (intake.problems, intake.learners, intake.names) == ((), ("ada", "ben", "cyd", "dan"), {})


def test_eight_files_called_exercise_are_told_apart(place: Path) -> None:
    course = Course(REPOSITORY)
    names = ["exercise.py", *(f"exercise ({number}).py" for number in range(1, 8))]
    for name, lesson in zip(names, reversed(course.lessons), strict=True):
        headless = lesson.exercise_file.read_bytes().split(b"\n", 1)[1]  # by its functions alone
        put(place, {f"ada/{name}": lesson.exercise_file.read_bytes(), f"ben/{name}": headless})
    intake = take_in(place, course)
    assert intake.problems == ()
    assert [(one.exercise, one.origin) for one in intake.submissions if one.learner == "ada"] == [
        ("autograd_grad", "ada/exercise (1).py"),
        ("backward_first", "ada/exercise (7).py"),
        ("in_place_add", "ada/exercise (2).py"),
        ("late_retain_grad", "ada/exercise (4).py"),
        ("leaf_or_not", "ada/exercise (5).py"),
        ("off_the_path", "ada/exercise (3).py"),
        ("requires_grad_false", "ada/exercise (6).py"),
        ("retain_graph", "ada/exercise.py"),
    ]
    assert [one.exercise for one in intake.submissions[8:]] == [one.exercise for one in intake.submissions[:8]]


def test_a_moodle_download_in_folders(tmp_path: Path) -> None:
    download = tmp_path / "Course-Double-4711.zip"
    download.write_bytes(
        zipped(
            {
                "Ada L_1234567_assignsubmission_file/exercise.py": DOUBLE,
                "Ada L_1234567_assignsubmission_onlinetext/onlinetext.html": b"<p>done</p>",
                "Ben M_1234568_assignsubmission_file/deep/work.zip": zipped({"02_slope.py": b"def slope(w, x): ..."}),
                "Ben M_1234568_assignsubmission_file/Ada L_1234567_assignsubmission_file_x.py": SLOPE,
                "Cyd N_1234569_assignsubmission_onlinetext/onlinetext.html": b"<p>sorry</p>",
            }
        )
    )
    intake = take_in(download, COURSE, due=datetime(2020, 1, 1))
    ben = "Ben M_1234568_assignsubmission_file/"
    assert answers(intake) == [("1234567", "double", 1, "Ada L_1234567_assignsubmission_file/exercise.py")]
    html = "Only .py, .ipynb and .zip are read."
    assert problems(intake) == [
        ("1234567", "Ada L_1234567_assignsubmission_onlinetext/onlinetext.html", html),
        (
            "1234568",
            f"{ben}Ada L_1234567_assignsubmission_file_x.py",
            DIFFER.format(f"{ben}Ada L_1234567_assignsubmission_file_x.py, {ben}deep/work.zip/02_slope.py"),
        ),
        ("1234569", "Cyd N_1234569_assignsubmission_onlinetext/onlinetext.html", html),
    ]
    assert intake.problems[1].exercise == "slope"
    assert intake.names == {"1234567": "Ada L", "1234568": "Ben M", "1234569": "Cyd N"}
    # The members carry the time of the download: nothing is known of the handing in.
    assert [(one.submitted, one.late) for one in intake.submissions] == [("", False)]


def test_a_moodle_download_without_folders(place: Path) -> None:
    put(
        place,
        {
            "Ada L_1234567_assignsubmission_file_exercise.py": DOUBLE,
            "Ada L_1234567_assignsubmission_file_02_slope.py": b"pass",
            "Ada L_1234567_assignsubmission_file_notes.pdf": b"%PDF",
        },
    )
    intake = take_in(place, COURSE)
    assert answers(intake) == [
        ("1234567", "double", 1, "Ada L_1234567_assignsubmission_file_exercise.py"),
        ("1234567", "slope", 1, "Ada L_1234567_assignsubmission_file_02_slope.py"),
    ]
    assert [one.learner for one in intake.problems] == ["1234567"]


def test_a_canvas_download(tmp_path: Path) -> None:
    download = tmp_path / "submissions.zip"
    download.write_bytes(
        zipped(
            {
                "lada_101_9001_exercise.py": DOUBLE,
                "lada_101_9002_exercise-1.py": SLOPE,
                "mben_LATE_102_9003_exercise-2.py": DOUBLE + b"# second\n",
                "mben_LATE_102_10004_exercise-10.py": DOUBLE + b"# third\n",
                "mben_LATE_102_9000_exercise.py": DOUBLE,
                "ncyd_103_9005_work.zip": zipped({"step.py": b"def step(w, x): ..."}),
                "odan_104_text.html": b"<p>I could not</p>",
            }
        )
    )
    intake = take_in(download, COURSE, due=datetime(2020, 1, 1))
    assert answers(intake) == [
        ("101", "double", 1, "lada_101_9001_exercise.py"),
        ("101", "slope", 1, "lada_101_9002_exercise-1.py"),
        ("102", "double", 1, "mben_LATE_102_9000_exercise.py"),
        ("102", "double", 2, "mben_LATE_102_9003_exercise-2.py"),
        ("102", "double", 3, "mben_LATE_102_10004_exercise-10.py"),
        ("103", "step", 1, "ncyd_103_9005_work.zip/step.py"),
    ]
    assert [one.late for one in intake.submissions] == [False, False, True, True, True, False]
    assert problems(intake) == [("104", "odan_104_text.html", "Only .py, .ipynb and .zip are read.")]
    assert intake.learners == ("101", "102", "103", "104")
    assert intake.names == {"101": "lada", "102": "mben", "103": "ncyd", "104": "odan"}


def test_somebody_whose_name_poses_as_anothers_id_changes_nothing_of_theirs(place: Path) -> None:
    put(place, {"lada_101_9001_exercise.py": DOUBLE, "x_101_102_9002_exercise.py": DOUBLE + b"# evil\n"})
    put(place, {"101 (x).py": SLOPE})
    intake = take_in(place, COURSE)
    assert answers(intake) == [
        ("101 (lada)", "double", 1, "lada_101_9001_exercise.py"),
        ("101 (x)", "slope", 1, "101 (x).py"),
        ("101 (x)'", "double", 1, "x_101_102_9002_exercise.py"),
    ]
    assert {message for _, _, message in problems(intake)} == {
        "The id 101 comes with several names; they are kept apart."
    }


def test_a_pattern_of_ones_own(place: Path) -> None:
    put(
        place,
        {
            "slope/ada-1.py": b"one",
            "slope/ada-2.py": b"two",
            "no_such/ben-1.py": b"x",
            "readme.txt": b"",
            "slope/bé.py": b"x",
        },
    )
    pattern = re.compile(r"^(?P<exercise>\w+)/(?P<id>[a-z]+)-(?P<attempt>\d+)")
    intake = take_in(place, COURSE, id_pattern=pattern)
    assert answers(intake) == [("ada", "slope", 1, "slope/ada-1.py"), ("ada", "slope", 2, "slope/ada-2.py")]
    assert problems(intake) == [
        ("", "readme.txt", "Its path does not fit --id-pattern."),
        ("", "slope/bé.py", "Its path does not fit --id-pattern."),
        ("ben", "no_such/ben-1.py", "The exercise in its path is none of the course."),
    ]
    with pytest.raises(CourseError, match="group named id"):
        take_in(place, COURSE, id_pattern=re.compile("(?P<name>.)"))


def test_attempts_in_folders(place: Path) -> None:
    files = {"attempt_10/exercise.py": b"# ten\n", "attempt2/exercise.py": b"# two\n", "attempt1/double.py": b"# one\n"}
    put(place, {f"ada/{path}": DOUBLE + text for path, text in files.items()})
    put(place, {f"ben/attempt{number}/exercise.py": DOUBLE + b"#%d\n" % number for number in range(1, 26)})
    intake = take_in(place, COURSE)
    assert answers(intake)[:3] == [
        ("ada", "double", 1, "ada/attempt1/double.py"),
        ("ada", "double", 2, "ada/attempt2/exercise.py"),
        ("ada", "double", 10, "ada/attempt_10/exercise.py"),
    ]
    assert [attempt for learner, _, attempt, _ in answers(intake) if learner == "ben"] == list(range(6, 26))
    assert problems(intake) == [("ben", "ben/attempt1/exercise.py", "Only the last 20 of 25 attempts are graded.")]


def test_two_answers_to_one_exercise_are_not_chosen_from(place: Path) -> None:
    put(place, {"ada/a.py": DOUBLE, "ada/b.py": DOUBLE + b"\n", "ada/exercise.py": SLOPE, "ada.py": DOUBLE + b"\n"})
    intake = take_in(place, COURSE)
    assert answers(intake) == [("ada", "slope", 1, "ada/exercise.py")]
    assert intake.problems == (Problem("ada", "ada.py", DIFFER.format("ada.py, ada/a.py"), "double"),)


def test_copies_are_one_answer(place: Path) -> None:
    put(place, {"ada/a.py": DOUBLE, "ada/b.py": DOUBLE, "ada.zip": zipped({"c.py": DOUBLE})})
    intake = take_in(place, COURSE)
    assert answers(intake) == [("ada", "double", 1, "ada.zip/c.py")]
    assert intake.problems == ()


def test_the_exercise_as_it_was_given_yields_to_an_answer(place: Path) -> None:
    given_out = (COURSE.root / "lessons" / "01_double" / "exercise.py").read_bytes()
    put(place, {"ada/exercise.py": given_out, "ada/mine.py": DOUBLE, "ben/x.py": given_out.replace(b"\n", b"\r\n")})
    intake = take_in(place, COURSE)
    assert answers(intake) == [("ada", "double", 1, "ada/mine.py"), ("ben", "double", 1, "ben/x.py")]
    assert intake.problems == ()


def test_a_learner_who_hands_in_the_whole_course_is_graded_by_its_exercises(place: Path) -> None:
    gradclinic = [sys.executable, "-m", "gradclinic"]
    subprocess.run([*gradclinic, "init", str(place / "ada" / "my-clinic")], check=True, capture_output=True)
    intake = take_in(place, Course(REPOSITORY))
    assert [(one.exercise, one.origin) for one in intake.submissions[:2]] == [
        ("autograd_grad", "ada/my-clinic/lessons/07_autograd_grad/exercise.py"),
        ("backward_first", "ada/my-clinic/lessons/01_backward_first/exercise.py"),
    ]
    assert (len(intake.submissions), intake.problems) == (8, ())


def test_a_learner_who_hands_in_only_what_the_course_gave_has_nothing(place: Path) -> None:
    put(place, {"ada/lessons/01_double/lesson.py": b"x", "ada/checks/test_01_double.py": b"def test(exercise): ..."})
    intake = take_in(place, COURSE)
    assert (intake.learners, problems(intake)) == (("ada",), [("ada", "ada", EMPTY)])


def test_one_notebook_may_answer_all(place: Path) -> None:
    cells = "def double(x):\n    return 2 * x", "def slope(w, x): ...", "def step(w, x): ..."
    put(place, {"ada.ipynb": notebook(*cells)})
    intake = take_in(place, COURSE)
    assert answers(intake) == [("ada", name, 1, "ada.ipynb") for name in ("double", "slope", "step")]
    assert len({one.text for one in intake.submissions}) == 1


def test_what_answers_nothing_is_told_once_for_each_learner(place: Path) -> None:
    put(place, {f"ada/{name}.py": b"x = 1" for name in "abcde"})
    put(place, {"ada/r.pdf": b"", "ada/i.PNG": b"", "ben/__pycache__/a.py": DOUBLE, "cyd/.hidden.py": DOUBLE})
    (place / "dan").mkdir()
    put(place, {"fay.rar": b"Rar!", "gus.tar.gz": b"", "notes.txt": b""})
    put(place, {"eve.zip": zipped({}), "roster.csv": b"", "exercise.py": DOUBLE, "02_slope/fay.py": SLOPE})
    intake = take_in(place, COURSE)
    nobody = "Its name tells no learner: name the learner, or describe the paths with --id-pattern."
    assert intake.submissions == ()
    assert intake.learners == ("ada", "ben", "cyd", "dan", "eve", "fay", "gus")
    assert problems(intake) == [
        ("", "02_slope/fay.py", nobody),
        ("", "exercise.py", nobody),
        ("", "notes.txt", "It is no entry of a learner: neither a folder nor a .zip, .py or .ipynb."),
        ("", "roster.csv", "It is no entry of a learner: neither a folder nor a .zip, .py or .ipynb."),
        (
            "ada",
            "ada/a.py",
            "a.py, b.py, c.py and 2 more: which exercise is this? Neither a first line such as `# exercise: name` "
            "tells it, nor the file's name, nor a function of an exercise.",
        ),
        ("ada", "ada/i.PNG", "i.PNG, r.pdf: only .py, .ipynb and .zip are read."),
        ("ben", "ben", EMPTY),
        ("cyd", "cyd", EMPTY),
        ("dan", "dan", EMPTY),
        ("eve", "eve.zip", EMPTY),
        ("fay", "fay.rar", "Only .py, .ipynb and .zip are read."),
        ("gus", "gus.tar.gz", "Only .py, .ipynb and .zip are read."),
    ]


def test_text_is_kept_as_it_was_encoded(place: Path) -> None:
    latin = b"# -*- coding: latin-1 -*-\n# exercise: double\ndef double(x): return 2 * x  # \xe9\n"
    texts = {
        "ada": latin,
        "ben": b"\xef\xbb\xbf" + DOUBLE,
        "cyd": DOUBLE + b"\xff\xfe",
        "dan": b"# exercise: double\n(",
    }
    put(place, {f"{name}.py": text for name, text in texts.items()})
    intake = take_in(place, COURSE)
    assert {one.learner: one.text for one in intake.submissions} == texts
    assert intake.problems == ()


def test_what_is_no_text_is_told(place: Path) -> None:
    put(
        place,
        {
            "ada/double.py": DOUBLE.decode().encode("utf-16"),
            "ben/double.py": DOUBLE.decode().encode("utf-16-be"),
            "cyd/double.py": b"",
            "dan/double.py": b" \n\n",
            "eve/double.py": b"x" * (2**20 + 1),
            "fay/double.ipynb": b"{",
            "fay/__init__.py": b"",  # in each package
        },
    )
    intake = take_in(place, COURSE)
    assert intake.submissions == ()
    assert problems(intake) == [
        ("ada", "ada/double.py", UTF16),
        ("ben", "ben/double.py", UTF16),
        ("cyd", "cyd/double.py", "It is empty."),
        ("dan", "dan/double.py", "It is empty."),
        ("eve", "eve/double.py", "It is larger than 1 MiB; an answer has a few kB."),
        ("fay", "fay/__init__.py", "It is empty."),
        ("fay", "fay/double.ipynb", "It is no notebook, or a damaged one."),
    ]


def test_a_fault_of_many_files_is_told_once(place: Path) -> None:
    put(place, {"ada.zip": zipped({f"../{number:02}.py": b"x" for number in range(30)} | {"double.py": DOUBLE})})
    intake = take_in(place, COURSE)
    assert answers(intake) == [("ada", "double", 1, "ada.zip/double.py")]
    assert problems(intake) == [
        ("ada", "ada.zip/../00.py", "Its name leads elsewhere or nowhere. So it is with 29 more.")
    ]


def test_a_download_with_members_that_lead_elsewhere_is_nobodys(tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({"../ada/double.py": DOUBLE, "C:\\ben.py": DOUBLE, "cyd.py": DOUBLE}))
    intake = take_in(tmp_path / "all.zip", COURSE)
    assert answers(intake) == [("cyd", "double", 1, "cyd.py")]
    assert [(one.learner, one.origin) for one in intake.problems] == [("", "../ada/double.py"), ("", "C:\\ben.py")]


def test_one_learners_flood_is_cut_and_nobody_elses(place: Path) -> None:
    many = {f"attempt{number}/exercise.py": DOUBLE + b"#" * 1_000_000 + b"%d" % number for number in range(1, 41)}
    put(place, {"ada.zip": zipped(many), "ben.py": DOUBLE})
    intake = take_in(place, COURSE)
    assert 2**20 < sum(len(one.text) for one in intake.submissions) < 32 * 2**20
    assert answers(intake)[-1] == ("ben", "double", 1, "ben.py")
    assert [message for _, _, message in problems(intake)] == [  # 34 files with 16 KiB each make the 32 MiB full
        "This learner's files are too many or too large to be read all. So it is with 5 more.",
        "Only the last 20 of 34 attempts are graded.",
    ]


def test_late_is_what_came_after_the_due_time(place: Path) -> None:
    put(place, {"ada.py": DOUBLE, "ben.py": DOUBLE, "cyd.zip": zipped({"a.py": DOUBLE}, (2020, 1, 1, 0, 0, 0))})
    for name, second in (("ada.py", 0), ("ben.py", 1), ("cyd.zip", 1)):
        time = datetime(2026, 5, 5, 12, 0, second).timestamp()
        os.utime(place / name, (time, time))
    due = datetime(2026, 5, 5, 12)
    expected = [("2026-05-05T12:00:00", False), ("2026-05-05T12:00:01", True), ("2026-05-05T12:00:01", True)]
    far = due.astimezone().astimezone(timezone(timedelta(hours=9)))
    for told in (due, due.astimezone(UTC), far):
        assert [(one.submitted, one.late) for one in take_in(place, COURSE, due=told).submissions] == expected
    assert not any(one.late for one in take_in(place, COURSE).submissions)


def test_the_time_of_a_member_of_the_download_tells_when_it_came(tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({"ada.py": DOUBLE}))
    (one,) = take_in(tmp_path / "all.zip", COURSE, due=datetime(2026, 3, 1, 11)).submissions
    assert (one.submitted, one.late) == ("2026-03-01T12:00:00", True)


def test_hostile_names_stay_apart_and_printable(place: Path) -> None:
    raw = [b"a\x1b[31m", b"a\xff", b"a\xfe", b"a\n", "a\u202e".encode(), b"=cmd()", b"<b>"]
    for name in raw:
        folder = os.path.join(os.fsencode(place), name)
        os.mkdir(folder)
        Path(os.fsdecode(folder), "double.py").write_bytes(DOUBLE)
    intake = take_in(place, COURSE)
    assert len(intake.submissions) == len(intake.learners) == 7
    assert intake.problems == ()
    assert {"<b>", "=cmd()"} < set(intake.learners)
    for one in intake.submissions:
        assert one.learner.isprintable()
        assert one.origin.isprintable()
        (one.learner + one.origin).encode("utf-8")


def test_the_order_of_the_file_system_means_nothing(place: Path, tmp_path: Path) -> None:
    files = {f"{name}/{path}": text for name in "cab" for path, text in (("y.py", SLOPE), ("x.py", DOUBLE), ("z", b""))}
    put(place, files)
    (tmp_path / "all.zip").write_bytes(zipped(dict(reversed(files.items()))))
    first, second = take_in(place, COURSE), take_in(tmp_path / "all.zip", COURSE)
    assert answers(first) == answers(second)
    assert first.problems == second.problems
    assert first.learners == second.learners == ("a", "b", "c")


def test_a_course_is_no_class() -> None:
    with pytest.raises(CourseError, match="is a course"):
        take_in(COURSE.root, COURSE)


def test_an_empty_folder_is_an_empty_class(place: Path) -> None:
    assert take_in(place, COURSE) == Intake((), (), ())


def test_the_intake_loads_neither_torch_nor_nbformat(place: Path) -> None:
    put(place, {"ada.py": DOUBLE})
    code = (
        "import sys; from pathlib import Path; from gradclinic.course import Course\n"
        "from gradclinic.classroom.intake import take_in\n"
        f"assert len(take_in(Path({str(place)!r}), Course(Path({str(COURSE.root)!r}))).submissions) == 1\n"
        "print({'torch', 'nbformat', 'jupytext'} & set(sys.modules))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "set()\n"


NAMES = """ada ben.zip .. attempt1 attempt2 lessons checks 01_double exercise.py double.py x_1_2_double-1.py
x_1_2_double.py A_1_assignsubmission_file_ A_1_assignsubmission_file_slope.py \a"""
PARTS = st.sampled_from(NAMES.split())
CONTENTS = st.sampled_from([DOUBLE, SLOPE, b"", b"def double(x): ...", zipped({"a.py": DOUBLE}), b"\0", b"{}"])


@given(
    members=st.dictionaries(st.lists(PARTS, min_size=1, max_size=4).map("/".join), CONTENTS, max_size=8),
    pattern=st.sampled_from([None, re.compile("(?P<id>[a-z]+)(?P<attempt>[0-9])?")]),
)
@settings(max_examples=200, deadline=None)
def test_any_class_gives_sorted_distinct_answers(
    members: dict[str, bytes], pattern: re.Pattern[str] | None, tmp_path_factory: pytest.TempPathFactory
) -> None:
    download = tmp_path_factory.mktemp("in") / "all.zip"
    download.write_bytes(zipped(members))
    intake = take_in(download, COURSE, id_pattern=pattern)
    keys = [(one.learner, one.exercise, one.attempt) for one in intake.submissions]
    assert keys == sorted(set(keys))
    assert {one.learner for one in intake.submissions} <= set(intake.learners)
    assert {one.learner for one in intake.problems} <= {"", *intake.learners}
    told = {one.learner for one in intake.submissions} | {one.learner for one in intake.problems}
    assert set(intake.learners) <= told
    assert intake == take_in(download, COURSE, id_pattern=pattern)
