"""`report.html`: the class on one page for its instructor, complete in itself and closed to everything else."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from importlib.resources import files
from pathlib import Path
from statistics import quantiles

from gradclinic.classroom.misconceptions import ranked
from gradclinic.classroom.plain import count, number
from gradclinic.classroom.report_causes import bar, reteach
from gradclinic.classroom.report_learners import learners
from gradclinic.classroom.report_matrix import matrix
from gradclinic.classroom.results import Results
from gradclinic.classroom.shown import name, shown
from gradclinic.course import Course
from gradclinic.files import write_whole
from gradclinic.grading.isolation import LEVELS

_SECTIONS = {"reteach": "Re-teach", "exercises": "Exercises", "matrix": "Matrix", "learners": "Learners"}
_BINS = 20


def write_report(results: Results, out: Path, *, course: Course | None = None) -> None:
    """Writes `out/report.html`. With the course, misconceptions come with the lesson to teach again.

    Equal results give equal bytes; the time of grading is `results.facts["graded"]`, where it is told.
    """
    write_whole(out / "report.html", page(results, course))


def page(results: Results, course: Course | None = None) -> str:
    """The whole page as HTML."""
    style, script = (
        f"#grid {{ min-width: {15 + 6.75 * len(results.exercises):g}rem; }}\n{_part('report.css')}",
        _part("report.js"),
    )
    ranking = ranked(results)
    lessons = {lesson.id: lesson for lesson in course.lessons} if course else {}
    sections = (
        _figures(results),
        reteach(ranking, lessons, len(results.learners)),
        _exercises(results),
        matrix(results, ranking),
        learners(results, ranking),
        _problems(results),
    )
    policy = (
        f"default-src 'none'; style-src {_hash(style)}; script-src {_hash(script)}; base-uri 'none'; form-action 'none'"
    )
    body = "\n".join(sections)
    title = f"{shown(results.facts.get('course', 'Class'), 80)}: report of the class"
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer"><meta name="color-scheme" content="light dark">\n'
        f"<title>{title}</title>\n<style>{style}</style></head>\n"
        f'<body><a class="skip" href="#main">Skip to the content</a>\n{_head(results)}\n'
        f'<main id="main" tabindex="-1">{body}</main>\n<script>{script}</script></body></html>\n'
    )


def _part(file: str) -> str:
    return files("gradclinic.classroom").joinpath(file).read_text(encoding="utf-8")


def _hash(text: str) -> str:
    """How a Content-Security-Policy names an inline part."""
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


def _head(results: Results) -> str:
    facts = results.facts
    made = [f"graded {shown(facts['graded'], 60)}"] if facts.get("graded") else []
    made += [f"{tool} {shown(facts[tool], 40)}" for tool in ("gradclinic", "torch", "python") if facts.get(tool)]
    made += [f"isolation {shown(facts['isolation'], 200)}"] if facts.get("isolation") else []
    sections = _SECTIONS | ({"problems": "Problems"} if results.problems else {})
    links = "".join(f'<li><a href="#{part}">{word}</a></li>' for part, word in sections.items())
    return (
        f'<header><p class="over">Report of the class</p><h1>{shown(facts.get("course", "Class"), 80)}</h1>'
        f'<p class="facts">{" · ".join(made)}</p>{_isolation(results)}'
        f'<nav aria-label="Parts of this page"><ul>{links}</ul></nav></header>'
    )


def _isolation(results: Results) -> str:
    """Says plainly how many verdicts were reached without full confinement."""
    levels = Counter(row.isolation.partition(";")[0] for row in results.rows)
    below = {level: many for level, many in sorted(levels.items()) if level != LEVELS[-1]}
    if not below:
        return ""
    said = ", ".join(
        f"{count(many, 'answer')} at level <code>{shown(level, 40)}</code>" for level, many in below.items()
    )
    return (
        f'<p class="notice"><b>Not fully confined:</b> {said}. That code could reach files and programs of the machine '
        f"that graded it. <code>--require-isolation {LEVELS[-1]}</code> refuses to grade this way.</p>"
    )


def _figures(results: Results) -> str:
    rows = [row for learner in results.learners for row in results.of_learner(learner.id)]
    whole, right = len(results.learners) * len(results.exercises), sum(row.passed for row in rows)
    silent = sum(not results.of_learner(learner.id) for learner in results.learners)
    strange = sum(not learner.on_roster for learner in results.learners)
    quarters = _quarters([results.points(learner.id) for learner in results.learners])
    figures = [
        ("learners", f"{len(results.learners):,}", _both(silent, "without any answer", strange, "not on the roster")),
        ("answers", f"{len(rows):,}", f"of {whole:,} expected"),
        ("right", _share(right, len(rows)), f"{right:,} of {len(rows):,} answers"),
        ("median points", number(quarters[1]), f"of {number(results.most)}"),
        ("late", f"{sum(row.late for row in rows):,}", "answers"),
        ("problems", f"{len(results.problems):,}", "with what was handed in"),
    ]
    items = "".join(f"<div><dt>{label}</dt><dd><b>{value}</b> {more}</dd></div>" for label, value, more in figures)
    return (
        f'<section id="figures"><h2 class="v">Key figures</h2><dl class="figures">{items}</dl>'
        f"{_spread(results)}</section>"
    )


def _both(silent: int, of_silent: str, strange: int, of_strange: str) -> str:
    return ", ".join(f"{many} {words}" for many, words in ((silent, of_silent), (strange, of_strange)) if many)


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "–"


def _quarters(points: Sequence[float]) -> list[float]:
    """The lower quartile, the median and the upper quartile."""
    return quantiles(points, n=4, method="inclusive") if len(points) > 1 else [*points, 0.0][:1] * 3


def _spread(results: Results) -> str:
    """How the points of the class lie between none and all."""
    points = [results.points(learner.id) for learner in results.learners]
    if len(points) < 2 or not results.most:
        return ""
    bins = Counter(min(int(_BINS * one / results.most), _BINS - 1) for one in points)
    highest, width = max(bins.values()), 100 / _BINS
    columns = "".join(
        f'<rect x="{width * place + 0.3:.2f}%" width="{width - 0.6:.2f}%" y="{100 - 100 * many / highest:.2f}%" '
        f'height="{100 * many / highest:.2f}%"/>'
        for place, many in sorted(bins.items())
    )
    low, middle, high = map(number, _quarters(points))
    half = f"has {low} points" if low == high else f"has between {low} and {high} points"
    said = f"The middle half of the class {half}; the median is {middle}."
    return (
        f'<figure class="spread"><svg aria-hidden="true">{columns}</svg><div class="ends" aria-hidden="true">'
        f"<span>0</span><span>{number(results.most)} points</span></div><figcaption>{said}</figcaption></figure>"
    )


def _exercises(results: Results) -> str:
    items = []
    for exercise in results.exercises:
        rows = [row for learner in results.learners if (row := results.of(learner.id, exercise))]
        right = sum(row.passed for row in rows)
        wrong, missing = len(rows) - right, len(results.learners) - len(rows)
        items.append(
            f"<li><code>{name(exercise)}</code>{bar([('ok', right), ('no', wrong), ('na', missing)])}"
            f"<span>{right} right, {wrong} wrong, {missing} missing</span></li>"
        )
    return (
        f'<section id="exercises"><h2>How each exercise went</h2><ul class="exercises">{"".join(items)}</ul></section>'
    )


def _problems(results: Results) -> str:
    if not results.problems:
        return ""
    items = "".join(
        f'<tr><th scope="row"><bdi>{shown(one.learner, 60) or "unknown"}</bdi></th><td>{name(one.exercise)}</td>'
        f"<td><bdi>{shown(one.origin, 160)}</bdi></td><td>{shown(one.message)}</td></tr>"
        for one in results.problems
    )
    return (
        '<section id="problems"><h2 id="problems-title">Problems with what was handed in</h2>'
        '<div class="scroll" role="region" aria-labelledby="problems-title" tabindex="0"><table><thead><tr>'
        '<th scope="col">Learner</th><th scope="col">Exercise</th><th scope="col">File</th><th scope="col">What</th>'
        f"</tr></thead><tbody>{items}</tbody></table></div></section>"
    )
