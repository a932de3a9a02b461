"""One executed lesson as a deck of slides: an HTML file that asks no other host, and works without a script."""

from __future__ import annotations

import itertools
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from html import escape
from math import ceil

from gradclinic.claims import ClaimResult
from gradclinic.course import Lesson
from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.markdown import bullets, code, output
from gradclinic.publishing.outputs import text_of
from gradclinic.publishing.page import claim_box, picture
from gradclinic.publishing.predict import answers, asked
from gradclinic.publishing.reading import Cell, at_graphs
from gradclinic.publishing.verify import right_choice

# As the pages have it, where these slides need it.
_EXTENSIONS = (
    "admonition",
    "attr_list",
    "md_in_html",
    "tables",
    "pymdownx.highlight",
    "pymdownx.inlinehilite",
    "pymdownx.superfences",
)
_ROWS = 15  # of prose, that a slide holds in letters of the full size
_LINES = 20  # of a program
_COLUMNS = 95
_CODE_ROW = 0.75
_HEADING = re.compile(r"#{2,} +(.+)")
_LINK = re.compile(r"\]\((?!\w+:)([\w./-]+)\.md(#[\w-]+)?\)")


@dataclass(frozen=True)
class Slide:
    """`parts` are Markdown; `beat` is the section of the lesson that it belongs to."""

    kind: str  # title, text, code, predict or picture
    beat: str
    heading: str
    parts: tuple[str, ...]


def deck(executed: ExecutedLesson, claims: Mapping[str, ClaimResult]) -> str:
    """The file. The notes of a beat stand in its first slide, and show only when they are asked for."""
    from markdown import Markdown

    lesson = executed.story.lesson
    convert, told, sections = Markdown(extensions=_EXTENSIONS), set[str](), []
    for number, slide in enumerate(slides(executed, claims), 1):
        notes = "" if slide.beat in told else bullets(lesson.notes.get(slide.beat.lower(), ()))
        told.add(slide.beat)
        html = convert.reset().convert(_as_linked_from_here("\n\n".join((_head(slide), *slide.parts))))
        beside = f'<aside class="notes" hidden>{convert.reset().convert(notes)}</aside>' if notes else ""
        sections.append(
            f'<section class="slide slide-{slide.kind}" id="{number}" data-beat="{escape(slide.beat)}" tabindex="-1" '
            f'aria-label="Slide {number}"><div class="stage">\n{html}\n</div>{beside}</section>'
        )
    return _PAGE.format(
        title=escape(f"Slides: {lesson.number}. {lesson.title}"),
        description=escape(lesson.question, quote=True),
        lesson=lesson.id,
        slides="\n".join(sections),
    )


def slides(executed: ExecutedLesson, claims: Mapping[str, ClaimResult]) -> list[Slide]:
    """One for each program with its output, for each picture, and for what is only said."""
    return _Deck(executed, claims).made


class _Deck:
    """Gathers what is said until it knows on which slide that belongs."""

    def __init__(self, executed: ExecutedLesson, claims: Mapping[str, ClaimResult]) -> None:
        self._executed, self._claims = executed, claims
        self._lesson = executed.story.lesson
        self._beat = self._heading = self._picture = ""
        self._said: list[str] = []
        self.made = [Slide("title", "", self._lesson.title, tuple(_title(executed)))]
        numbers = itertools.count(1)
        for i, cell in enumerate(executed.story.cells):
            if cell.kind == "markdown":
                self._prose(cell.source, numbers)
            elif "remove-cell" not in cell.tags:
                self._program(i, cell)
        self._said.append(_exercise(self._lesson))
        self._close()

    def _prose(self, markdown: str, numbers: Iterator[int]) -> None:
        for text, graph in at_graphs(markdown):
            for paragraph in filter(None, map(str.strip, re.split(r"\n{2,}", text))):
                if heading := _HEADING.fullmatch(paragraph):
                    self._close()
                    self._heading = heading[1]
                    self._beat = heading[1] if paragraph.startswith("## ") else self._beat
                else:
                    self._said.append(paragraph)
            if graph is not None:
                self._close()
                self._picture = picture(self._executed, graph, next(numbers))

    def _program(self, i: int, cell: Cell) -> None:
        printed = output(self._executed.outputs[i])
        boxes = [claim_box(self._lesson, self._claims, tag[6:]) for tag in cell.tags if tag.startswith("claim-")]
        *before, program = [""] if "hide-input" in cell.tags else _pages(cell.source)
        if "predict" in cell.tags and self._lesson.choices:
            self._add("predict", *self._said, _column(program), _column(asked(self._lesson)))
            self._said = []
            return
        for page in before:
            self._close(keep=_rows(*self._said[-1:], page) <= _ROWS)
            self._add("code", *self._said, page)
            self._said = []
        result = [printed, *boxes]
        if self._picture:
            self._close(keep=bool(self._said) and self._said[-1][-1] in ":?")
        elif _rows(*self._said, program, *result) > _ROWS:
            self._close(keep=_rows(*self._said[-1:], program) <= _ROWS)
        fits = _rows(program, *result) <= _ROWS
        if "fold-output" in cell.tags or (printed and _rows(*self._said, program, *result) > _ROWS):
            self._add("code", *self._said, program)
            self._add("code", *([program] if fits else []), *result)
        else:
            self._add("code", *self._said, program, *result)
        self._said = []
        if "run" in cell.tags and self._lesson.choices:
            right = right_choice(self._lesson, text_of(self._executed.output("run"), "prints", "shows"))[0]
            self._add("text", answers(self._lesson, right))

    def _close(self, keep: bool = False) -> None:
        """Makes a slide of the picture and of what was said, but for the last paragraph if that is to be kept."""
        end = len(self._said) - keep
        said, self._said = self._said[:end], self._said[end:]
        if self._picture:
            self._add("picture", self._picture, _column(*said))
        elif said:
            self._add("text", *said)
        self._picture = ""

    def _add(self, kind: str, *parts: str) -> None:
        self.made.append(Slide(kind, self._beat, self._heading, tuple(part for part in parts if part.strip())))


def _column(*parts: str) -> str:
    return "\n\n".join(("<div markdown>", *parts, "</div>")) if parts else ""


def _pages(source: str) -> list[str]:
    """A program in as few pieces as slides hold, split between definitions, where two lines are empty."""
    pieces: list[str] = []
    for part in re.split(r"\n{3,}", source.strip()):
        longer = f"{pieces[-1]}\n\n{part}" if pieces else part
        pieces[-1:] = [longer] if longer.count("\n") < _LINES else [*pieces[-1:], part]
    return [code(piece) for piece in pieces]


def _title(executed: ExecutedLesson) -> Iterator[str]:
    lesson = executed.story.lesson
    teach, exercise = lesson.minutes
    yield f"{lesson.question}\n{{ .gc-question }}"
    yield bullets(lesson.strings("objectives"))
    yield (
        f"{teach} minutes to teach, {exercise} for the exercise · run with torch {executed.torch.partition('+')[0]} "
        f"on {executed.date}\n{{ .gc-facts }}"
    )


def _exercise(lesson: Lesson) -> str:
    return f"The file to repair is `lessons/{lesson.slug}/exercise.py`."


def _head(slide: Slide) -> str:
    if slide.kind == "title":
        return f"# {slide.heading}"
    above = f"{slide.beat}\n{{ .beat }}\n\n" if slide.beat != slide.heading else ""
    return f"{above}## {slide.heading}"


def _rows(*parts: str) -> float:
    """About how many rows of prose these take."""
    rows = 0.0
    for part in parts:
        lines = part.strip().splitlines()
        verbatim = part.startswith(("```", "!!!"))
        rows += len(lines) * _CODE_ROW if verbatim else ceil(len(part) / _COLUMNS)
        rows += 0.6 if part else 0
    return rows


def _as_linked_from_here(markdown: str) -> str:
    """Links of the lesson's page, which stands in another folder and links to Markdown files."""
    return _LINK.sub(lambda link: f"](../lessons/{link[1]}/{link[2] or ''})", markdown)


_PAGE = """\
<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>{title}</title>
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="description" content="{description}">
<link rel="icon" href="data:,">
<link rel="stylesheet" href="../assets/clinic.css">
<link rel="stylesheet" href="../assets/step.css">
<link rel="stylesheet" href="../assets/slides.css">
<script src="../assets/step.js"></script>
</head>
<body data-md-color-scheme="default">
<script src="../assets/slides.js"></script>
<main class="md-typeset">
{slides}
</main>
<p class="home"><a href="../lessons/{lesson}/">The page of this lesson</a></p>
</body>
</html>
"""
