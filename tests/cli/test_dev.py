"""dev check and dev new: what an author is told, and what is laid out."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

SLUG = "01_backward_first"
REPOSITORY = Path(__file__).parents[2]


def gradclinic(course: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = os.environ | {"PYTHONIOENCODING": "utf-8", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "gradclinic", "--course", str(course), *arguments]
    return subprocess.run(command, capture_output=True, encoding="utf-8", env=environment)


@pytest.fixture
def course(tmp_path: Path) -> Path:
    """The first lesson of the real course, on its own."""
    root = tmp_path / "course"
    for folder in (f"lessons/{SLUG}", "lessons/claims", f"checks/answers/{SLUG}"):
        shutil.copytree(REPOSITORY / folder, root / folder, ignore=shutil.ignore_patterns("__pycache__"))
    (root / "solutions").mkdir()
    for file in (f"solutions/{SLUG}.py", f"checks/test_{SLUG}.py"):
        shutil.copy(REPOSITORY / file, root / file)
    return root


def edit(file: Path, pattern: str, replacement: str) -> None:
    text = file.read_text(encoding="utf-8")
    changed = re.sub(pattern, replacement, text, count=1, flags=re.MULTILINE | re.DOTALL)
    assert changed != text
    file.write_text(changed, encoding="utf-8")


def header(pattern: str, replacement: str) -> Callable[[Path], None]:
    return lambda course: edit(course / "lessons" / SLUG / "lesson.py", pattern, replacement)


def exercise(pattern: str, replacement: str) -> Callable[[Path], None]:
    return lambda course: edit(course / "lessons" / SLUG / "exercise.py", pattern, replacement)


def without(path: str) -> Callable[[Path], None]:
    return lambda course: (course / path).unlink()


def fewer_answers(kind: str) -> Callable[[Path], None]:
    def remove(course: Path) -> None:
        for file in (course / "checks" / "answers" / SLUG).glob(f"{kind}_*.py"):
            file.unlink()

    return remove


def a_second_owner(course: Path) -> None:
    shutil.copytree(course / "lessons" / SLUG, course / "lessons" / "02_twin")
    shutil.copy(course / "checks" / f"test_{SLUG}.py", course / "checks" / "test_02_twin.py")


def first_line_of_an_answer(text: str) -> Callable[[Path], None]:
    def change(course: Path) -> None:
        file = course / "checks" / "answers" / SLUG / "wrong_constants.py"
        file.write_text("\n".join([text, *file.read_text().splitlines()[1:]]))

    return change


REFUSALS: dict[str, tuple[Callable[[Path], None], str]] = {
    "two hints": (
        header(r"#     hints:.*?# ---", "#     hints: [one, two]\n# ---"),
        r"lesson\.py:4\d: There are 2 hints",
    ),
    "no objectives": (header(r"#     objectives:", "#     aims:"), r"lesson\.py:\d+: There is no objective"),
    "no minutes": (header(r"#     minutes: .*?\n", ""), r"lesson\.py:\d+: The minutes are missing"),
    "no question": (header(r"#     question: .*?\n", ""), r"lesson\.py:\d+: The header has no question"),
    "another id": (header(r"#     id: \w+", "#     id: other"), r"lesson\.py:\d+: The id is other"),
    "a note on no beat": (header(r"#       predict: \[", "#       prelude: ["), r"lesson\.py:3\d: prelude is no beat"),
    "a TODO in the lesson": (header(r"Three numbers", "TODO: numbers"), r"lesson\.py:5\d: TODO still stands here\."),
    "an author's TODO": (
        exercise(r"TODO", "TODO (author): a story.\n\nTODO"),
        r"exercise\.py:\d+: TODO \(author\) still",
    ),
    "an author's TODO in an answer": (
        lambda course: edit(course / "checks" / "answers" / SLUG / "wrong_constants.py", r"\Z", "# TODO (author)\n"),
        r"wrong_constants\.py:\d+: TODO \(author\) still stands here",
    ),
    "unknown cause": (
        header(r"#     causes: \[", "#     causes: [bad_luck, "),
        r"lesson\.py:7: bad_luck is not known among the causes",
    ),
    "unknown claim": (header(r"#     claims: \[", "#     claims: [Z9, "), r"Z9 is not known among the claims"),
    "unknown prerequisite": (
        header(r"#     prerequisites: .*?\n", "#     prerequisites: [zebra]\n"),
        r"lesson\.py:\d\d: zebra is not known among the prerequisites",
    ),
    "no choices": (header(r"#       choices:", "#       options:"), r"The choices to predict are missing"),
    "broken header": (header(r"#     title: ", "#     title: [ "), r"lesson\.py:\d+: the header is not YAML"),
    "no such cell": (header(r"cell: [\w-]+", "cell: nowhere"), r"lesson\.py:10: No cell is tagged nowhere"),
    "no beat": (header(r"# ## Modify", "# ## Change"), r"The beat Modify is missing"),
    "no first line": (exercise(r"\A.*?\n", ""), r"exercise\.py:1: The first line does not name the exercise"),
    "no todo": (exercise(r"TODO", "NOTE"), r"exercise\.py:1: There is no TODO"),
    "no solution": (without(f"solutions/{SLUG}.py"), rf"{SLUG}\.py:1: {SLUG} has no such file"),
    "no lesson": (without(f"lessons/{SLUG}/lesson.py"), rf"lesson\.py:1: {SLUG} has no such file"),
    "no wrong answers": (fewer_answers("wrong"), r"has 0 wrong answers, and needs 5"),
    "no right answers": (fewer_answers("right"), r"has 0 right answers, and needs 3"),
    "no expected cause": (
        first_line_of_an_answer("# nothing"),
        r"wrong_constants\.py:1: The first line names no cause",
    ),
    "unknown expected cause": (
        first_line_of_an_answer("# expects: bad_luck"),
        r"wrong_constants\.py:1: There is no cause bad_luck",
    ),
    "a name twice": (a_second_owner, r"02_twin/exercise\.py:\d+: `first_step` is a function of backward_first, too"),
}


@pytest.mark.parametrize(("spoil", "said"), REFUSALS.values(), ids=REFUSALS.keys())
def test_what_is_missing_is_refused_with_its_place_and_the_remedy(
    course: Path, spoil: Callable[[Path], None], said: str
) -> None:
    spoil(course)
    result = gradclinic(course, "dev", "check", "--quick")
    assert result.returncode == 1, result.stderr
    lines = result.stdout.splitlines()
    at = next((number for number, line in enumerate(lines) if re.search(said, line)), None)
    assert at is not None, result.stdout
    assert lines[at + 1].startswith("    ")


def test_the_real_course_is_in_order_as_far_as_reading_tells() -> None:
    result = gradclinic(REPOSITORY, "dev", "check", "--quick")
    assert result.returncode == 0, result.stdout


def test_a_course_in_order_passes_everything(course: Path) -> None:
    result = gradclinic(course, "dev", "check")
    assert (result.returncode, result.stderr) == (0, ""), result.stdout
    assert result.stdout == "✓ Nothing to repair.\n"


def test_running_shows_what_reading_cannot(course: Path) -> None:
    original = (course / "lessons" / SLUG / "exercise.py").read_text()
    (course / "lessons" / SLUG / "exercise.py").write_text((course / "solutions" / f"{SLUG}.py").read_text())
    (course / "solutions" / f"{SLUG}.py").write_text(original)
    header(r'text: "[^"]*", kind: error', 'text: "no such words", kind: error')(course)
    first_line_of_an_answer("# expects: timeout")(course)
    result = gradclinic(course, "dev", "check")
    assert result.returncode == 1
    for said in (
        rf"lessons/{SLUG}/exercise\.py:1: This passes, and should not",
        rf"solutions/{SLUG}\.py:\d+: This should pass: test_\w+: ",
        r"lesson\.py:\d+: the cell [\w-]+ does not print the symptom \"no such words\"",
        r"wrong_constants\.py:\d+: The cause comes out as not_computed, not timeout",
    ):
        assert re.search(said, result.stdout), result.stdout


def test_what_reading_finds_is_told_before_anything_is_run(course: Path) -> None:
    header(r"#     title: .*?\n", "")(course)
    (course / "solutions" / f"{SLUG}.py").write_text("# exercise: backward_first\nraise SystemExit\n")
    result = gradclinic(course, "dev", "check")
    assert result.returncode == 1
    assert "The header has no title" in result.stdout
    assert "This should pass" not in result.stdout
    assert result.stdout.splitlines()[-2].startswith("✗ 1 to repair. Reading found this, and nothing was run yet.")


def test_one_lesson_alone(course: Path) -> None:
    gradclinic(course, "dev", "new", "second_look")
    assert gradclinic(course, "dev", "check", "--quick", "backward").returncode == 0
    other = gradclinic(course, "dev", "check", "--quick", "02")
    assert other.returncode == 1
    assert "02_second_look has 1 wrong answer, and needs 5" in other.stdout
    assert SLUG not in other.stdout
    edit(course / "lessons" / "claims" / "A1.py", r"verdict: false", "verdict: true")
    assert gradclinic(course, "dev", "check", "01").stdout == "✓ Nothing to repair.\n"  # the claims are not its own


def test_the_check_of_a_new_lesson_tells_its_mistakes_apart(course: Path) -> None:
    gradclinic(course, "dev", "new", "second_look")
    solution = (course / "solutions" / "02_second_look.py").read_text()
    twice = "loss.backward(retain_graph=True)\n    loss.backward()"
    for cause, answer in {
        "accumulated": solution.replace("loss.backward()", twice),
        "wrong_scale": solution.replace(".sum()", ".mean()"),
    }.items():
        (course / "lessons" / "02_second_look" / "exercise.py").write_text(answer)
        assert f"cause: {cause} " in gradclinic(course, "check", "2").stdout


def test_a_new_lesson_has_all_files_and_is_listed(course: Path) -> None:
    result = gradclinic(course, "dev", "new", "second_look")
    assert result.returncode == 0
    slug = "02_second_look"
    for file in (
        f"lessons/{slug}/lesson.py",
        f"lessons/{slug}/exercise.py",
        f"solutions/{slug}.py",
        f"checks/test_{slug}.py",
        f"checks/answers/{slug}/wrong_constants.py",
    ):
        assert (course / file).exists()
    assert "02 second_look" in gradclinic(course, "list").stdout
    remarks = gradclinic(course, "dev", "check", "--quick").stdout
    assert "There are 0 hints" in remarks
    assert "TODO (author) still stands here" in remarks
    assert SLUG not in remarks


def test_what_a_new_lesson_brings_is_graded_right(course: Path) -> None:
    gradclinic(course, "dev", "new", "second_look")
    failing = gradclinic(course, "check", "2")
    assert failing.returncode == 1
    assert "cause: no_backward" in failing.stdout
    solution = course / "solutions" / "02_second_look.py"
    assert gradclinic(course, "check", "--answers", str(solution)).returncode == 0


@pytest.mark.parametrize("name", [SLUG, "backward_first", "07_backward_first", "01_other", "Bad-Name", "../up", "9_x"])
def test_a_name_that_is_taken_or_no_name_changes_nothing(course: Path, name: str) -> None:
    before = sorted(course.rglob("*"))
    result = gradclinic(course, "dev", "new", name)
    assert result.returncode == 2
    assert sorted(course.rglob("*")) == before
