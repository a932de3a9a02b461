"""read: a lesson in the terminal, with what its code really puts out."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from gradclinic.cli.live import Live
from gradclinic.cli.percent import read_cells
from gradclinic.course import Course, CourseError, Lesson, shipped_root
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.reading import read_story

from .test_watch import watching

if TYPE_CHECKING:
    from .conftest import Clinic

SECRET = "because seven is odd"
LESSON = """\
# ---
# jupyter:
#   gradclinic:
#     title: Twice
#     id: double
#     question: What is twice the value?
#     objectives: [Double a number.]
#     predict:
#       ask: What comes out?
#       choices:
#         - {text: seven, when: "7", because: because seven is odd}
#         - {text: eight, when: "8", because: because four and four make eight}
#     hints: [the first hint, two, three]
# ---

# %% [markdown]
# ## Predict
#
# Some *plain* text with `a * b` that is
# on two lines.
#
# - an item
#   of two lines

# %% tags=["remove-cell"]
import warnings; hidden = 4; print("unseen")

# %% tags=["predict"]
x = hidden

# %% [markdown]
# ## Run

# %% tags=["run"]
warnings.warn("take care")
print(2 * x)

# %% [markdown]
# ## Investigate
#
# [graph: predict root=x]

# %% tags=["hide-input"]
print("input", "hidden"[:0] + "unseen too"[:6])

# %% tags=["oops", "raises-exception"]
def fail():
    raise ValueError("first line\\nlast line")
fail()

# %%
x + 1

# %% [markdown]
# ## Modify

# %% tags=["fold-output"]
print("folded", __name__, sorted(name for name in globals() if name.startswith("_r")))
LONG = "PADDING"

# %% [markdown]
# ## Make
#
# Go on.
""".replace("PADDING", 90 * "x")


@pytest.fixture
def story(clinic: Clinic) -> Clinic:
    write(clinic, LESSON)
    return clinic


def write(clinic: Clinic, text: str) -> None:
    (clinic.root / "lessons" / "01_double" / "lesson.py").write_text(text, encoding="utf-8")


def test_on_a_pipe_everything_at_once_with_the_real_output(story: Clinic) -> None:
    result = story.run("read", "double")
    assert (result.returncode, result.stderr) == (0, "")
    order = [
        "1. Twice",
        "What is twice the value?",
        "  - Double a number.",
        "## Predict",
        "Some plain text with `a * b` that is on two lines.",
        "  - an item of two lines",
        "    x = hidden",
        "What comes out?",
        "  A. seven",
        "  B. eight",
        "## Run",
        "    print(2 * x)",
        "  │ UserWarning: take care",
        "  │ 8",
        "✓ B. eight: because four and four make eight",
        "✗ A. seven: because seven is odd",
        "(Here the site shows a picture of the graph.)",
        "  │ input unseen",
        "    def fail():",
        "  │ ValueError: first line",
        "  │ last line",
        "    x + 1",
        "  │ 5",
        "(what came out:)",
        "  │ folded __main__ []",
        "## Make",
        "gradclinic check double",
    ]
    places = [result.stdout.index(words) for words in order]
    assert places == sorted(places)
    assert f'    LONG = "{90 * "x"}"' in result.stdout.splitlines()
    for words in ("hidden = 4", "hide-input", "[graph", "the first hint", "# %%"):
        assert words not in result.stdout
    assert not [line for line in result.stdout.splitlines() if line == "  │ unseen"]


def test_without_an_id_it_is_the_current_exercise(story: Clinic) -> None:
    assert story.run("read").stdout.startswith("1. Twice\n")


def test_in_ascii(story: Clinic) -> None:
    assert "  | 8" in story.run("read", "1", PYTHONIOENCODING="ascii").stdout


def test_on_a_terminal_it_waits_for_a_guess_and_between_beats(story: Clinic) -> None:
    with watching(story, "read", "double") as terminal:
        assert "eight: because" not in terminal.until("Choose one, then press Enter")
        terminal.press("\n")
        shown = terminal.until("Press Enter to go on")
        assert "✓ B. eight" in shown
        assert "## Investigate" not in shown
        terminal.press("\n")
        assert "## Modify" not in terminal.until("Press Enter to go on")
        terminal.press("\n")
        assert "folded __main__" not in terminal.until("Guess what comes out")
        terminal.press("\n")
        terminal.until("folded __main__")
        terminal.until("Press Enter to go on")
        terminal.press("q\n")
        assert terminal.process.wait(60) == 0
        assert "## Make" not in terminal.shown


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("1 / 0", "This cell should not raise an error. Nothing after it was run."),
        ("import os; os._exit(7)", "Python itself ended in this cell, with exit code 7. Nothing after it was run."),
    ],
)
def test_after_a_cell_that_goes_wrong_nothing_is_claimed(clinic: Clinic, cell: str, said: str) -> None:
    write(clinic, LESSON.replace("x + 1\n", f"{cell}\n"))
    result = clinic.run("read", "double")
    line = LESSON[: LESSON.index("x + 1")].count("\n") + 1
    assert result.returncode == 2
    assert result.stderr == f"gradclinic: lessons/01_double/lesson.py:{line}: {said}\n"
    assert f"    {cell}" in result.stdout
    assert "## Modify" not in result.stdout
    assert ("ZeroDivisionError: division by zero" in result.stdout) == (cell == "1 / 0")


def test_an_error_that_does_not_come_any_more_is_said(clinic: Clinic) -> None:
    write(clinic, LESSON.replace("\nfail()\n", "\nprint('fine')\n"))
    result = clinic.run("read", "double")
    assert result.returncode == 0
    assert "  │ fine\n\n(The lesson expects an error here, and none came.)" in result.stdout


def test_no_choice_is_called_right_that_is_not_what_came_out(clinic: Clinic) -> None:
    write(clinic, LESSON.replace("hidden = 4", "hidden = 5"))
    shown = clinic.run("read", "double").stdout
    assert "None of the choices is what came out here." in shown
    assert "✓" not in shown


def test_a_cell_without_end_is_stopped() -> None:
    with Live(["print('before')", "while True: pass"], seconds=2) as live:
        assert live.next_output() == (Piece("prints", "before\n"),)
        with pytest.raises(CourseError, match="did not end within 2 seconds"):
            live.next_output()


def test_output_past_python_comes_too() -> None:
    with Live(["import os; os.write(1, b'from below\\n'); print('above')"]) as live:
        assert live.next_output() == (Piece("prints", "from below\nabove\n"),)


def test_the_same_warning_is_shown_in_each_cell() -> None:
    cell = "import warnings; warnings.warn('again')"
    with Live([cell, cell]) as live:
        assert live.next_output() == live.next_output() == (Piece("warns", f"line 1: {cell}\nUserWarning: again\n"),)


def test_without_torch_it_says_so(story: Clinic) -> None:
    code = """
import sys
class NoTorch:
    def find_spec(self, name, path=None, target=None):
        if name == "torch":
            raise ModuleNotFoundError("No module named 'torch'", name="torch")
sys.meta_path.insert(0, NoTorch())
from gradclinic.cli.main import main
sys.exit(main(sys.argv[1:]))
"""
    for command in ("read", "check"):
        result = subprocess.run(
            [sys.executable, "-c", code, command, "1"],
            cwd=story.root,
            env=story.environment(),
            capture_output=True,
            encoding="utf-8",
        )
        assert (result.returncode, result.stdout) == (2, "")
        assert result.stderr.startswith("gradclinic: PyTorch cannot be imported: No module named 'torch'.")


@pytest.mark.parametrize("lesson", Course(shipped_root()).lessons, ids=lambda lesson: lesson.slug)
def test_cells_are_read_as_jupytext_reads_them(lesson: Lesson) -> None:
    assert read_cells(lesson) == read_story(lesson).cells


def test_tags_that_cannot_be_read_are_named(clinic: Clinic) -> None:
    write(clinic, LESSON.replace('tags=["run"]', "tags=[run]"))
    result = clinic.run("read", "double")
    assert result.returncode == 2
    line = LESSON[: LESSON.index('tags=["run"]')].count("\n") + 1
    assert f"lesson.py:{line}: write the tags as" in result.stderr


def test_every_lesson_of_the_course_can_be_read() -> None:
    root = shipped_root()
    for lesson in Course(root).lessons:
        command = [sys.executable, "-m", "gradclinic", "--course", str(root), "read", lesson.id]
        result = subprocess.run(command, capture_output=True, encoding="utf-8", cwd=Path(root))
        assert (result.returncode, result.stderr) == (0, "")
        assert "none came" not in result.stdout
        assert result.stdout.count("✓ ") == 1
