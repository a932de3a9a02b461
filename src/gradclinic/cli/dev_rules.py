"""What `dev check` demands of a course's files, as far as reading them tells."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from gradclinic.causes import CAUSES
from gradclinic.claims import read_claims
from gradclinic.course import Course, CourseError, Lesson
from gradclinic.files import regular
from gradclinic.publishing.verify import Problem

WRONG_ANSWERS, RIGHT_ANSWERS, HINTS = 5, 3, 3
_BEATS = ("Predict", "Run", "Investigate", "Modify", "Make")
_LINES = range(15, 61)
_SLUG = re.compile(r"\d\d_[a-z][a-z0-9_]*")


def problems_to_read(course: Course, chosen: Iterable[Lesson]) -> Iterator[Problem]:
    """Everything about the chosen lessons (and the claims) that can be refused without running anything."""
    claims: set[str] = set()
    try:
        claims = {claim.id for claim in read_claims(course)}
    except CourseError as error:
        yield from_error(error, course.root / "lessons" / "claims", "Repair the claim's docstring.")
    chosen = tuple(chosen)
    yield from _missing_files(course, chosen)
    yield from (problem for lesson, problem in _shared_names(course.lessons) if lesson in chosen)
    for lesson in chosen:
        if lesson.lesson_file.is_file():
            try:
                yield from _header(lesson, {other.id for other in course.lessons}, claims)
            except CourseError as error:
                yield from_error(error, lesson.lesson_file, "Repair the header between the two `# ---` lines.")
        if lesson.exercise_file.is_file():
            yield from _exercise(lesson)
        if lesson.solution_file.is_file():
            yield from _first_line(lesson, lesson.solution_file)
        yield from _answers(lesson)
        yield from _left_over(lesson)


def expected_causes(answer: Path) -> tuple[str, ...]:
    """The causes that a wrong answer's first line names, `# expects: detached, rewrapped`; empty if it has none."""
    first = (regular(answer).read_text(encoding="utf-8", errors="replace").splitlines() or [""])[0]
    match = re.fullmatch(r"# expects: ([a-z_]+(?:, *[a-z_]+)*)", first.strip())
    return tuple(re.split(r", *", match[1])) if match else ()


def marked_line(answer: Path) -> int | None:
    """The line that the feedback must name, marked by `# <- here`."""
    lines = regular(answer).read_text(encoding="utf-8", errors="replace").splitlines()
    return next((number for number, line in enumerate(lines, 1) if line.rstrip().endswith("# <- here")), None)


def from_error(error: CourseError, file: Path, remedy: str) -> Problem:
    """The same as a Problem: a CourseError may tell its own file and line in front."""
    match = re.fullmatch(r"(.+?):(\d+): (.+)", str(error), re.DOTALL)
    return Problem(Path(match[1]), int(match[2]), match[3], remedy) if match else Problem(file, 1, str(error), remedy)


def _missing_files(course: Course, chosen: tuple[Lesson, ...]) -> Iterator[Problem]:
    root = course.root
    lessons = (path.name for path in (root / "lessons").iterdir())
    solutions = (path.stem for path in (root / "solutions").glob("*.py"))
    checks = (path.stem.removeprefix("test_") for path in (root / "checks").glob("test_*.py"))
    started = {slug for slug in {*lessons, *solutions, *checks} if _SLUG.fullmatch(slug)}
    if chosen != course.lessons:
        started = {lesson.slug for lesson in chosen}
    for slug in sorted(started):
        lesson = Lesson(root, slug)
        for file in (lesson.lesson_file, lesson.exercise_file, lesson.solution_file, lesson.check_file):
            if not file.is_file():
                yield Problem(file, 1, f"{slug} has no such file.", f"`gradclinic dev new {slug}` shows its form.")


def _shared_names(lessons: Iterable[Lesson]) -> Iterator[tuple[Lesson, Problem]]:
    """A name says which exercise a function belongs to, in a message as in a submission."""
    owner: dict[str, Lesson] = {}
    for lesson in lessons:
        for function in _functions(lesson.exercise_file):
            first = owner.setdefault(function.name, lesson)
            if first != lesson:
                what = f"`{function.name}` is a function of {first.id}, too."
                remedy = "Give it another name: function names are unique across the course."
                yield lesson, Problem(lesson.exercise_file, function.lineno, what, remedy)


def _functions(file: Path) -> list[ast.FunctionDef]:
    try:
        tree = ast.parse(regular(file).read_text(encoding="utf-8"))
    except (OSError, SyntaxError, UnicodeDecodeError):
        return []
    return [node for node in tree.body if isinstance(node, ast.FunctionDef) and not node.name.startswith("_")]


def _exercise(lesson: Lesson) -> Iterator[Problem]:
    file = lesson.exercise_file
    yield from _first_line(lesson, file)
    text = file.read_text(encoding="utf-8")
    lines = len(text.splitlines())
    if "TODO" not in text:
        yield Problem(file, 1, "There is no TODO.", "Say in the docstring what is to be done: `TODO: ...`.")
    if lines not in _LINES:
        yield Problem(file, lines, f"It has {lines} lines.", f"Keep an exercise to {_LINES[0]}-{_LINES[-1]} lines.")
    if not _functions(file):
        yield Problem(file, 1, "It defines no function.", "An exercise is one or two functions that a check can call.")


def _first_line(lesson: Lesson, file: Path) -> Iterator[Problem]:
    wanted = f"# exercise: {lesson.id}"
    if (file.read_text(encoding="utf-8").splitlines() or [""])[0] != wanted:
        yield Problem(file, 1, "The first line does not name the exercise.", f"Make it `{wanted}`.")


def _answers(lesson: Lesson) -> Iterator[Problem]:
    for kind, least in (("wrong", WRONG_ANSWERS), ("right", RIGHT_ANSWERS)):
        found = len(list(lesson.answers_folder.glob(f"{kind}_*.py")))
        if found < least:
            answers = "answer" if found == 1 else "answers"
            what = f"{lesson.slug} has {found} {kind} {answers}, and needs {least}."
            yield Problem(lesson.answers_folder, 1, what, f"Add {kind}_NAME.py files that differ in approach.")
    for file in sorted(lesson.answers_folder.glob("wrong_*.py")):
        causes = expected_causes(file)
        unknown = [cause for cause in causes if cause not in CAUSES]
        if not causes:
            yield Problem(file, 1, "The first line names no cause.", "Begin a wrong answer with `# expects: detached`.")
        elif unknown:
            yield Problem(file, 1, f"There is no cause {', '.join(unknown)}.", "src/gradclinic/causes.py lists them.")


def _left_over(lesson: Lesson) -> Iterator[Problem]:
    """What `dev new` left to the author."""
    others = (lesson.exercise_file, lesson.solution_file, lesson.check_file, *lesson.answers_folder.glob("*.py"))
    for file, words in ((lesson.lesson_file, "TODO"), *((other, "TODO (author)") for other in sorted(others))):
        text = file.read_text(encoding="utf-8", errors="replace") if file.is_file() else ""
        lines = [number for number, line in enumerate(text.splitlines(), 1) if words in line]
        if lines:
            further = f", and in {len(lines) - 1} more of its lines" if len(lines) > 1 else ""
            yield Problem(file, lines[0], f"{words} still stands here{further}.", "Do it, and take the word away.")


def _line_of_field(file: Path, key: str) -> int:
    """The line where the header gives this field; 1 if it does not."""
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((n for n, line in enumerate(lines, 1) if re.match(rf"# [ -]*{re.escape(key)}:", line)), 1)


def _line_with(file: Path, text: str) -> int:
    lines = file.read_text(encoding="utf-8").splitlines()
    return next((n for n, line in enumerate(lines, 1) if text in line), 1)


def _header(lesson: Lesson, lessons: set[str], claims: set[str]) -> Iterator[Problem]:
    header = lesson.header
    for key, what, remedy in _fields(header, lesson, lessons, claims):
        yield Problem(lesson.lesson_file, _line_of_field(lesson.lesson_file, key), what, remedy)
    text = lesson.lesson_file.read_text(encoding="utf-8")
    for beat in _BEATS:
        if not re.search(rf"^# ## {beat}$", text, re.MULTILINE):
            what = f"The beat {beat} is missing."
            yield Problem(lesson.lesson_file, 1, what, f"Add a markdown cell with `## {beat}`.")
    tags = {
        tag
        for found in re.findall(r"^# %%.*tags=\[(.*?)\]", text, re.MULTILINE)
        for tag in re.findall(r'"(.*?)"', found)
    }
    for tag in ("predict", "run", *(str(s.get("cell")) for s in _mappings(header.get("symptoms")))):
        if tag not in tags:
            at = _line_with(lesson.lesson_file, f"cell: {tag}")
            yield Problem(lesson.lesson_file, at, f"No cell is tagged {tag}.", f'Tag one: `# %% tags=["{tag}"]`.')


def _fields(
    header: dict[str, Any], lesson: Lesson, lessons: set[str], claims: set[str]
) -> Iterator[tuple[str, str, str]]:
    """Each refusal of the header: the key, what is wrong, the remedy."""
    for key in ("title", "question"):
        if not header.get(key):
            yield key, f"The header has no {key}.", f"Add `{key}: ...`."
    if header.get("id") != lesson.id:
        yield "id", f"The id is {header.get('id')}.", f"Write `id: {lesson.id}`: the slug without its number."
    if not _texts(header.get("objectives")):
        yield "objectives", "There is no objective.", "List what a learner can do afterwards, as `- Say ...`."
    if len(_texts(header.get("hints"))) != HINTS:
        remedy = "Write exactly three: where to look, what is happening, almost the code."
        yield "hints", f"There are {len(_texts(header.get('hints')))} hints.", remedy
    minutes = _mapping(header.get("minutes"))
    if not all(isinstance(minutes.get(part), int) and minutes[part] > 0 for part in ("teach", "exercise")):
        yield "minutes", "The minutes are missing.", "Write `minutes: {teach: 10, exercise: 15}`."
    if not _texts(header.get("causes")):
        yield "causes", "There is no cause.", "Name those that the lesson teaches, by their ids in causes.py."
    known = (("causes", set(CAUSES)), ("claims", claims), ("prerequisites", lessons - {lesson.id}))
    for key, names in known:
        for name in _texts(header.get(key)):
            if name not in names:
                yield key, f"{name} is not known among the {key}.", f"Known: {', '.join(sorted(names)) or 'none'}."
    yield from _predict(header.get("predict"))
    yield from _symptoms(header.get("symptoms"))
    for beat in _mapping(header.get("notes")):
        if str(beat).capitalize() not in _BEATS:
            yield str(beat), f"{beat} is no beat.", f"Notes belong to {', '.join(_BEATS).lower()}."


def _predict(predict: Any) -> Iterator[tuple[str, str, str]]:
    predict = _mapping(predict)
    choices = _mappings(predict.get("choices"))
    if not predict.get("ask"):
        yield "predict", "There is no question to predict.", "Add `ask: ...` below `predict:`."
    if len(choices) < 2 or not all({"text", "when", "because"} <= set(choice) for choice in choices):
        remedy = "Give at least two, each as `{text: ..., when: ..., because: ...}`."
        yield "choices", "The choices to predict are missing or not whole.", remedy


def _symptoms(symptoms: Any) -> Iterator[tuple[str, str, str]]:
    if not _mappings(symptoms):
        yield "symptoms", "There is no symptom.", "Add what people see: `- {text: ..., kind: error, cell: ...}`."
    for symptom in _mappings(symptoms):
        whole = {"text", "kind", "cell"} <= set(symptom) and symptom["kind"] in ("error", "warning", "silent")
        if not whole:
            yield "symptoms", "A symptom is not whole.", "Each has a text, a kind (error, warning, silent) and a cell."


def _texts(value: Any) -> list[str]:
    """The texts of a header's list that are not empty; a value of another form counts as none."""
    return [str(item) for item in value if str(item).strip()] if isinstance(value, list) else []


def _mapping(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _mappings(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
