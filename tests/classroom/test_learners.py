"""Whose a file is: the platforms' rules, a pattern, the entry's name; and ids that can be shown."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.classroom.files import Refused
from gradclinic.classroom.identify import exercises_of
from gradclinic.classroom.learners import Whose, by_entry, by_pattern, printable
from gradclinic.course import Course

REPOSITORY = Path(__file__).parents[2]
rule = by_entry(exercises_of(Course(REPOSITORY)))


# What the platforms write: moodle/moodle, mod/assign/classes/downloader.php (get_student_prefix,
# load_submissionplugin_filelist); instructure/canvas-lms, lib/content_zipper.rb (get_filename, add_upload_submission,
# add_text_or_url).
@pytest.mark.parametrize(
    ("path", "in_folder", "learner", "name", "inner"),
    [
        ("Ada L_1234567_assignsubmission_file/a.py", True, "1234567", "Ada L", ("a.py",)),
        ("Ada L_1234567_assignsubmission_file_/x/a.py", True, "1234567", "Ada L", ("x", "a.py")),
        ("Ada L_1234567_assignsubmission_file_a.py", False, "1234567", "Ada L", ("a.py",)),
        ("Ada L_1234567_assignsubmission_file_a.zip/x/a.py", False, "1234567", "Ada L", ("a.zip", "x", "a.py")),
        ("Ada_L_12_assignsubmission_file_a.py", False, "12", "Ada_L", ("a.py",)),
        ("Ada L_1234567_assignsubmission_onlinetext/onlinetext.html", True, "1234567", "Ada L", ("onlinetext.html",)),
        ("Teilnehmer_in 9_77_assignsubmission_file/a.py", True, "77", "Teilnehmer_in 9", ("a.py",)),
        ("Default team_assignsubmission_file/a.py", True, "Default team", "Default team", ("a.py",)),
        ("O'Neil-Ümit 3_8_assignsubmission_file/a.py", True, "8", "O'Neil-Ümit 3", ("a.py",)),
    ],
)
def test_moodles_downloads(path: str, in_folder: bool, learner: str, name: str, inner: tuple[str, ...]) -> None:
    assert rule(path, in_folder) == Whose(learner, inner, name, timed=False)


def test_a_file_that_names_another_moodle_learner_stays_the_first_ones() -> None:
    whose = rule("Ada_1_assignsubmission_file_Ben_2_assignsubmission_file_a.py", False)
    assert (whose.id, whose.inner) == ("1", ("Ben_2_assignsubmission_file_a.py",))
    below = rule("ada/Ben_2_assignsubmission_file_/ben_3_4_exercise.py", True)
    assert below == Whose("ada", ("Ben_2_assignsubmission_file_", "ben_3_4_exercise.py"))


@pytest.mark.parametrize(
    ("path", "learner", "name", "late", "own", "series", "version"),
    [
        ("lada_101_9001_exercise.py", "101", "lada", False, "exercise.py", "exercise.py", (0, 9001)),
        ("lada_LATE_101_9001_exercise.py", "101", "lada", True, "exercise.py", "exercise.py", (0, 9001)),
        ("l--ada_late_101_9001_exercise.py", "101", "l--ada", True, "exercise.py", "exercise.py", (0, 9001)),
        ("lada_101_9001_exercise-2.py", "101", "lada", False, "exercise-2.py", "exercise.py", (2, 9001)),
        ("l_ada_101_9001_05_off.py", "101", "l_ada", False, "05_off.py", "05_off.py", (0, 9001)),
        ("ümit7_101_9001_a b (1).ipynb", "101", "ümit7", False, "a b (1).ipynb", "a b (1).ipynb", (0, 9001)),
        ("anon_Ab3dE_9001_a.py", "anon_Ab3dE", "", False, "a.py", "a.py", (0, 9001)),
        ("LATE_anon_Ab3dE_9001_a.py", "anon_Ab3dE", "", True, "a.py", "a.py", (0, 9001)),
        ("lada_101_text.html", "101", "lada", False, "text.html", "text.html", (0, 0)),
        ("lada_LATE_101_link.html", "101", "lada", True, "link.html", "link.html", (0, 0)),
        (
            "lada_101_9001_exercise-0b1c2d3e-1111-4222-8333-444455556666.py",
            "101",
            "lada",
            False,
            "exercise-0b1c2d3e-1111-4222-8333-444455556666.py",
            "exercise.py",
            (1000, 9001),
        ),
    ],
)
def test_canvass_downloads(
    path: str, learner: str, name: str, late: bool, own: str, series: str, version: tuple[int, int]
) -> None:
    assert rule(path, False) == Whose(learner, (own,), name, series=series, version=version, late=late, timed=False)


def test_versions_of_an_archive_in_canvas() -> None:
    whose = rule("lada_101_9001_work-1.zip/x/a.py", False)
    assert (whose.inner, whose.series, whose.version) == (("work-1.zip", "x", "a.py"), "work.zip/x/a.py", (1, 9001))


@pytest.mark.parametrize("path", ["2024_01_ada.py", "ada_12.py", "ada_b_c_d.py"])
def test_a_name_that_only_resembles_canvas_is_a_learners(path: str) -> None:
    assert rule(path, False) == Whose(path.removesuffix(".py"), (path,))


@pytest.mark.parametrize(
    ("path", "in_folder", "learner", "inner"),
    [
        ("ada/x/exercise.py", True, "ada", ("x", "exercise.py")),
        ("ada.b/exercise.py", True, "ada.b", ("exercise.py",)),
        ("ada.zip/exercise.py", False, "ada", ("exercise.py",)),
        ("ada@x.example.py", False, "ada@x.example", ("ada@x.example.py",)),
        ("ada.IPYNB", False, "ada", ("ada.IPYNB",)),
        ("ada_05_off_the_path.py", False, "ada", ("ada_05_off_the_path", "ada_05_off_the_path.py")),
        ("ada 05-off-the-path/x.py", True, "ada", ("ada 05-off-the-path", "x.py")),
        ("lada_101_9001_work/x.py", True, "lada_101_9001_work", ("x.py",)),
        ("learner-001/x.py", True, "learner-001", ("x.py",)),
    ],
)
def test_an_entry_is_a_learners(path: str, in_folder: bool, learner: str, inner: tuple[str, ...]) -> None:
    assert rule(path, in_folder) == Whose(learner, inner)


@pytest.mark.parametrize(
    ("path", "in_folder"),
    [
        ("exercise.py", False),
        ("Exercise (1).py", False),
        ("05_off_the_path.py", False),
        ("off_the_path-2.ipynb", False),
        ("05_off_the_path/ada.py", True),
        ("attempt1/ada.py", True),
        ("roster.csv", False),
        ("../ada.py", True),
        ("C:\\ada.py", False),
    ],
)
def test_an_entry_that_names_nobody_is_refused(path: str, in_folder: bool) -> None:
    with pytest.raises(Refused):
        rule(path, in_folder)


@pytest.mark.parametrize(
    ("path", "attempt"),
    [
        ("ada/attempt1/a.py", 1),
        ("ada/Attempt_2/x/a.py", 2),
        ("ada/attempt-003/a.py", 3),
        ("ada/attempt1/attempt 4/a.py", 4),
        ("ada/attempt0/a.py", None),
        ("ada/attempts/a.py", None),
        ("ada/attempt99999/a.py", None),
        ("ada/attempt2.py", None),
    ],
)
def test_a_folder_tells_the_attempt(path: str, attempt: int | None) -> None:
    assert rule(path, True).attempt == attempt


def test_a_pattern_tells_learner_exercise_and_attempt() -> None:
    own = by_pattern(re.compile(r"^(?P<exercise>[^/]+)/(?P<id>[a-z]+)(?:-try(?P<attempt>\d+))?"))
    assert own("step/ada-try2/x.py", True) == Whose("ada", ("step", "ada-try2", "x.py"), exercise="step", attempt=2)
    assert own("step/ben/attempt3/x.py", True).attempt == 3
    with pytest.raises(Refused, match="does not fit --id-pattern"):
        own("ada.py", False)


def test_a_group_that_took_no_part_tells_nobody() -> None:
    with pytest.raises(Refused, match="does not fit --id-pattern"):
        by_pattern(re.compile(r"(?P<id>[a-z]+@)?x"))("x.py", False)


@pytest.mark.parametrize(
    "text",
    ["ada", "Åsa Öz", "李小龙", "نیم\u200cفاصله", "=1+1", "<script>alert(1)</script>", "a/b\\c", "a@x.example"],
)
def test_an_id_that_can_be_shown_stays(text: str) -> None:
    assert printable(text) == text


def test_an_accent_is_composed_as_a_gradebook_has_it() -> None:
    assert printable("Jose\u0301") == "Jos\u00e9"


@pytest.mark.parametrize("text", ["a\x1b[31mb", "a\x00b", "a\u202eb", "a\udc80b", "a\nb", "a\u2028b", "", "x" * 201])
def test_an_id_that_cannot_be_shown_is_made_unlike_any_other(text: str) -> None:
    shown = printable(text)
    assert re.fullmatch(r"(a\ufffd(\[31m)?b|x{191}|)~[0-9a-f]{8}", shown)
    assert shown != printable(text + "c")


@given(st.text(st.characters(), max_size=300))
def test_any_id_is_printable_short_and_its_own(text: str) -> None:
    shown = printable(text)
    shown.encode("utf-8")
    assert 0 < len(shown) <= 200
    assert shown.isprintable() or set("\u200c\u200d") & set(shown) or any(letter.isspace() for letter in shown)
    assert printable(shown) == shown
