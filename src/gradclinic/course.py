"""What a course is: a folder with `lessons/` and `checks/`, and one lesson per `NN_slug`.

Reads text only: neither torch nor a learner's file is imported here.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import yaml

_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)  # the C loader keeps `gradclinic list` quick
_SLUG = re.compile(r"(\d\d)_([a-z][a-z0-9_]*)")


class CourseError(Exception):
    """A mistake in how the course is laid out or asked for; its text tells the user what to do."""


@dataclass(frozen=True)
class Choice:
    """One answer to "what will this print?": right when the run cell's output equals `when`."""

    text: str
    when: str
    because: str


@dataclass(frozen=True)
class Symptom:
    """What a person sees: a text that the cell's output must contain, or a silent fact."""

    text: str
    kind: str  # error, warning or silent
    cell: str


@dataclass(frozen=True)
class Lesson:
    """One lesson, told by the header of its `lesson.py`; the slug joins all its files."""

    root: Path
    slug: str

    @property
    def number(self) -> int:
        return int(self.slug[:2])

    @property
    def id(self) -> str:
        """The slug without its number: stable when lessons are renumbered."""
        return self.slug[3:]

    @property
    def lesson_file(self) -> Path:
        return self.root / "lessons" / self.slug / "lesson.py"

    @property
    def exercise_file(self) -> Path:
        return self.root / "lessons" / self.slug / "exercise.py"

    @property
    def solution_file(self) -> Path:
        return self.root / "solutions" / f"{self.slug}.py"

    @property
    def check_file(self) -> Path:
        return self.root / "checks" / f"test_{self.slug}.py"

    @property
    def answers_folder(self) -> Path:
        return self.root / "checks" / "answers" / self.slug

    @cached_property
    def header(self) -> dict[str, Any]:
        """The mapping under `jupyter: gradclinic:`; empty when the lesson has no story (a course of exercises only)."""
        return read_header(self.lesson_file) if self.lesson_file.exists() else {}

    @property
    def title(self) -> str:
        return str(self.header.get("title", self.id.replace("_", " ").capitalize()))

    @property
    def question(self) -> str:
        return str(self.header.get("question", ""))

    @property
    def core(self) -> bool:
        """Whether a short workshop keeps this lesson."""
        return bool(self.header.get("core", True))

    @property
    def minutes(self) -> tuple[int, int]:
        """Minutes to teach, minutes for the exercise."""
        minutes = self.header.get("minutes") or {}
        try:
            return int(minutes.get("teach", 0)), int(minutes.get("exercise", 0))
        except (AttributeError, TypeError, ValueError):
            raise CourseError(f"{self.lesson_file}: `minutes` should read {{teach: 10, exercise: 15}}.") from None

    def strings(self, key: str) -> tuple[str, ...]:
        """A list of the header: causes, claims, objectives, prerequisites or hints."""
        items = self.header.get(key) or ()
        if not isinstance(items, (list, tuple)):
            raise CourseError(f"{self.lesson_file}: `{key}` should be a list.")
        return tuple(str(item) for item in items)

    @property
    def hints(self) -> tuple[str, ...]:
        return self.strings("hints")

    @property
    def ask(self) -> str:
        return str((self.header.get("predict") or {}).get("ask", ""))

    @property
    def choices(self) -> tuple[Choice, ...]:
        choices = (self.header.get("predict") or {}).get("choices") or ()
        return tuple(Choice(str(c["text"]), str(c["when"]), str(c["because"])) for c in choices)

    @property
    def symptoms(self) -> tuple[Symptom, ...]:
        symptoms = self.header.get("symptoms") or ()
        return tuple(Symptom(str(s["text"]), str(s["kind"]), str(s["cell"])) for s in symptoms)

    @property
    def notes(self) -> dict[str, tuple[str, ...]]:
        """The instructor's cues (Note, Ask, Demo) by beat."""
        return {str(beat): tuple(map(str, cues)) for beat, cues in (self.header.get("notes") or {}).items()}


@dataclass(frozen=True)
class Course:
    """A course folder and its lessons, in order."""

    root: Path

    @cached_property
    def lessons(self) -> tuple[Lesson, ...]:
        """Every `NN_slug` that has a check, in the order of the numbers."""
        checks = (path.stem.removeprefix("test_") for path in (self.root / "checks").glob("test_*.py"))
        return tuple(Lesson(self.root, slug) for slug in sorted(checks) if _SLUG.fullmatch(slug))

    def find(self, name: str) -> Lesson:
        """The lesson of a number, slug, id or unambiguous part of one. Raises CourseError."""
        wanted = name.strip().lower().replace("-", "_")
        for lesson in self.lessons:
            if wanted in (lesson.slug, lesson.id, str(lesson.number), f"{lesson.number:02}"):
                return lesson
        near = [lesson for lesson in self.lessons if wanted and wanted in lesson.slug]
        if len(near) == 1:
            return near[0]
        if near:
            raise CourseError(f'"{name}" fits {", ".join(n.id for n in near)}. Say which.')
        raise CourseError(f'No exercise is called "{name}". `gradclinic list` shows their names.')


def read_header(path: Path) -> dict[str, Any]:
    """The `gradclinic` mapping of a percent file's commented YAML header. Raises CourseError."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except UnicodeDecodeError:
        raise CourseError(f"{path}: not UTF-8 text. Save the file as UTF-8.") from None
    if not lines or lines[0].rstrip() != "# ---":
        raise CourseError(f"{path}:1: a lesson starts with a header between two `# ---` lines.")
    try:
        end = next(i for i, line in enumerate(lines[1:], 1) if line.rstrip() == "# ---")
    except StopIteration:
        raise CourseError(f"{path}:1: the header has no closing `# ---` line.") from None
    text = "\n".join(line.removeprefix("#").removeprefix(" ") for line in lines[1:end])
    try:
        loaded = yaml.load(text, Loader=_Loader)  # a safe loader, chosen above
        header = loaded["jupyter"]["gradclinic"]
    except yaml.MarkedYAMLError as error:
        line = error.problem_mark.line + 2 if error.problem_mark else 1
        raise CourseError(f"{path}:{line}: the header is not YAML: {error.problem}.") from None
    except yaml.YAMLError as error:
        raise CourseError(f"{path}:1: the header is not YAML: {error}.") from None
    except (TypeError, KeyError):
        raise CourseError(f"{path}:2: the header needs `jupyter:` with `gradclinic:` below it.") from None
    if not isinstance(header, dict):
        raise CourseError(f"{path}:2: `gradclinic:` in the header should hold a mapping.")
    return header


def shipped_root() -> Path:
    """The course that came with this installation: inside the wheel, or the repository around `src/`."""
    packaged = Path(__file__).parent / "course_files"
    return packaged if packaged.is_dir() else Path(__file__).parents[2]


def is_course(folder: Path) -> bool:
    return (folder / "lessons").is_dir() and (folder / "checks").is_dir()


def find_course(start: Path | None = None, *, given: Path | None = None) -> Course:
    """The course at `given`, or the nearest one at or above `start` (default: here). Raises CourseError."""
    if given is not None:
        if is_course(given):
            return Course(given.resolve())
        raise CourseError(f"{given} is no course: a course folder holds lessons/ and checks/.")
    here = (start or Path.cwd()).resolve()
    for folder in (here, *here.parents):
        if is_course(folder):
            return Course(folder)
    raise CourseError(
        "There is no course here or above. Make one with `gradclinic init my-clinic`, then `cd my-clinic`;\n"
        "or name one: `gradclinic --course DIR ...`."
    )
