"""`lessons/symptoms/<slug>.py`: what a person sees, the cause behind it, and a program in which it is seen.

A file without cells shows the program of its cause, `lessons/causes/<cause>.py`; nothing is run twice.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from gradclinic.causes import CAUSES, Cause
from gradclinic.course import Course, CourseError, read_header
from gradclinic.publishing.cause_programs import CauseFile, ExecutedCause, read_program
from gradclinic.publishing.outputs import Piece, text_of
from gradclinic.publishing.reading import line_of, read_cells
from gradclinic.publishing.verify import Problem

KINDS = ("error", "warning", "silent")
_KEYS = {"text", "kind", "cause", "shows", "also", "because", "helps", "boost"}
_BOOST = 4  # in the search a page of a symptom comes before the lessons and causes that show the same message
# A warning as Python prints it: `file:line: Category: message`, then the line of the program, indented.
_WARNING = re.compile(r"^\S+:\d+: (\w+: .*?)(?=\n  |\n\S+:\d+: \w+: |\Z)", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class SymptomFile:
    """One symptom. `text`: words of the message, or for a silent one what happens; `also`: other words for the same.

    shows: what the program of a silent symptom prints. because, helps: told in place of the cause's own sentences.
    boost: more than the usual weight in the search, where two messages are nearly the same.
    """

    slug: str
    file: Path
    text: str
    kind: str
    cause: Cause
    program: CauseFile
    shows: str = ""
    also: tuple[str, ...] = ()
    because: str = ""
    helps: str = ""
    boost: float = _BOOST

    @property
    def has_own_program(self) -> bool:
        return self.program.file == self.file


@dataclass(frozen=True)
class ExecutedSymptom:
    """A symptom with the run of its program; `message` is the whole message as printed, empty for a silent one."""

    symptom: SymptomFile
    run: ExecutedCause
    message: str


def read_symptoms(course: Course, causes: Sequence[CauseFile]) -> list[SymptomFile]:
    """The course's symptoms, by kind and then by slug. Raises CourseError for a file of another form."""
    programs = {cause.id: cause for cause in causes}
    files = sorted((course.root / "lessons" / "symptoms").glob("*.py"))
    return sorted((_read(file, programs) for file in files), key=lambda symptom: KINDS.index(symptom.kind))


def _read(file: Path, programs: Mapping[str, CauseFile]) -> SymptomFile:
    header = read_header(file)
    missing = {"text", "kind", "cause"} - header.keys()
    if missing or header.keys() - _KEYS:
        named = ", ".join(sorted(missing or header.keys() - _KEYS))
        raise CourseError(f"{file}:3: the header {'lacks' if missing else 'knows no'} {named}.")
    kind, cause = str(header["kind"]), str(header["cause"])
    if kind not in KINDS or (kind == "silent") != ("shows" in header):
        raise CourseError(f"{file}:3: the kind is error or warning, or silent with `shows:`, what its program prints.")
    if cause not in CAUSES:
        raise CourseError(f"{file}:3: the catalogue knows no cause {cause}. `gradclinic cause` lists them.")
    program = read_program(file, cause) if read_cells(file) else programs.get(cause)
    if program is None:
        raise CourseError(f"{file}:1: give it a program of three cells: there is no lessons/causes/{cause}.py to show.")
    boost = float(header.get("boost", _BOOST))
    also = tuple(str(words) for words in header.get("also") or ())
    words = {key: " ".join(str(header.get(key, "")).split()) for key in ("text", "shows", "because", "helps")}
    seen = words.pop("text")
    return SymptomFile(file.stem, file, seen, kind, CAUSES[cause], program, also=also, boost=boost, **words)


def as_printed(symptoms: Sequence[SymptomFile], runs: Mapping[Path, ExecutedCause]) -> list[ExecutedSymptom]:
    """Each symptom whose program was run, with the message that it printed."""
    found = [(symptom, runs[symptom.program.file]) for symptom in symptoms if symptom.program.file in runs]
    return [ExecutedSymptom(symptom, run, _message(symptom, run.broken) or "") for symptom, run in found]


def symptom_problems(executed: Sequence[ExecutedSymptom]) -> Iterator[Problem]:
    """A page is refused when its program prints something else than the page is about."""
    for one in executed:
        symptom, printed = one.symptom, text_of(one.run.broken)
        if symptom.kind != "silent" and not one.message:
            what = f"{symptom.program.file.name} prints no {symptom.kind} with these words: {symptom.text}"
        elif symptom.shows and symptom.shows not in _flat(printed):
            what = f"{symptom.program.file.name} does not print {symptom.shows}"
        else:
            continue
        remedy = f"It prints: {_flat(printed) or 'nothing'}"
        yield Problem(symptom.file, line_of(symptom.file, symptom.text), what, remedy)


def messages_of(pieces: Sequence[Piece]) -> Iterator[tuple[str, str]]:
    """Every (kind, message) that the pieces hold, each message whole, with its type in front."""
    for piece in pieces:
        if piece.kind == "raises":
            yield "error", re.sub(r"\Aline \d+: .*\n", "", piece.text).strip()
        elif piece.kind == "warns":
            yield from (("warning", found.strip()) for found in _WARNING.findall(piece.text))


def _message(symptom: SymptomFile, pieces: Sequence[Piece]) -> str | None:
    said = (message for kind, message in messages_of(pieces) if kind == symptom.kind)
    return next((message for message in said if symptom.text in _flat(message)), None)


def _flat(text: str) -> str:
    return " ".join(text.split())
