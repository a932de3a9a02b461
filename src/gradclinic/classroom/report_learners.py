"""The part of the report about each learner: folded, with every answer, its checks, and what is behind a failure."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from gradclinic.classroom.misconceptions import Misconception, causes_of
from gradclinic.classroom.plain import count, number
from gradclinic.classroom.report_causes import title_of
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row
from gradclinic.classroom.shown import name, shown
from gradclinic.classroom.submission import Problem

_MOST_NOTES = 3  # warnings and lines printed, of each answer
_STATES = {"passed": "y", "failed": "n", "not_reached": "u", "broken": "b"}


def learners(results: Results, ranking: Sequence[Misconception]) -> str:
    """The section; part `l7` belongs to the row of the matrix that links to it, `l7e2` to its third exercise."""
    places = {one.cause: place for place, one in enumerate(ranking)}
    attempts: dict[tuple[str, str], list[Row]] = defaultdict(list)
    for tried in results.rows:
        attempts[tried.learner, tried.exercise].append(tried)
    problems: dict[str, list[Problem]] = defaultdict(list)
    for problem in results.problems:
        problems[problem.learner].append(problem)
    parts = []
    for place, learner in enumerate(results.learners):
        answers = [
            _answer(f"l{place}e{column}", row, attempts[learner.id, exercise], places)
            for column, exercise in enumerate(results.exercises)
            if (row := results.of(learner.id, exercise))
        ]
        found = "".join(f"<li>{_place(problem)}: {shown(problem.message)}</li>" for problem in problems[learner.id])
        found = f'<ul class="problems">{found}</ul>' if found else ""
        parts.append(
            f'<details class="learner"><summary>{_summary(learner, results)}</summary><div id="l{place}">{found}'
            f"{''.join(answers)}{_missing(learner, results)}"
            '<p><a href="#matrix">Back to the matrix</a></p></div></details>'
        )
    return (
        '<section id="learners"><h2>Each learner</h2>'
        '<p class="fold" hidden><button type="button" id="open-all">Open all</button> '
        '<button type="button" id="close-all">Close all</button></p>'
        f'<p class="quiet screen">What is open here is printed too.</p>{"".join(parts)}</section>'
    )


def _summary(learner: Learner, results: Results) -> str:
    rows = results.of_learner(learner.id)
    right, late = sum(row.passed for row in rows), sum(row.late for row in rows)
    told = {"right": right, "wrong": len(rows) - right, "missing": len(results.exercises) - len(rows), "late": late}
    said = ", ".join(f"{many} {word}" for word, many in told.items() if many)
    who = " · ".join(shown(part, 80) for part in (learner.name, learner.email) if part)
    who += "" if learner.on_roster else " · not on the roster"
    return (
        f'<h3><bdi>{shown(learner.id, 100)}</bdi></h3> <span class="who">{who.removeprefix(" · ")}</span>'
        f"<b>{number(results.points(learner.id))} of {number(results.most)}</b><span>{said}</span>"
    )


def _missing(learner: Learner, results: Results) -> str:
    missing = [exercise for exercise in results.exercises if results.of(learner.id, exercise) is None]
    said = ", ".join(f"<code>{name(exercise)}</code>" for exercise in missing)
    return f'<p class="quiet">Missing: {said}</p>' if missing else ""


def _answer(target: str, row: Row, tried: list[Row], places: dict[str, int]) -> str:
    facts = [f"{number(row.points)} of {number(row.possible)} points"]
    facts += ["late"] if row.late else []
    facts += [f"attempt {row.attempt} of {len(tried)}"] if len(tried) > 1 else []
    facts += [f"handed in {shown(row.submitted.replace('T', ' '), 40)}"] if row.submitted else []
    state, mark = ("ok", "✓ right") if row.passed else ("no", "✗ wrong")
    return (
        f'<article id="{target}" class="{state}"><h4>{shown(row.exercise, 80)} <b>{mark}</b></h4>'
        f'<p class="facts">{" · ".join(facts)} · {shown(row.origin, 120)}</p>'
        f"{_checks(row)}{_failures(row, places)}{_notes(row)}{_earlier(row, tried)}</article>"
    )


def _checks(row: Row) -> str:
    if row.passed:  # most answers of a class: kept short, the page holds thousands of them
        return f'<p class="checks">Passed: {", ".join(map(_title, row.checks))}</p>'
    items = "".join(
        f'<li class="{_STATES.get(check["state"], "u")}">{_title(check)} {number(check.get("points", 0))}/'
        f"{number(check.get('possible', 0))}</li>"
        for check in row.checks
    )
    return f'<ul class="checks">{items}</ul>' if items else '<p class="quiet">No check could run.</p>'


def _title(check: dict[str, Any]) -> str:
    return shown(str(check["name"]).removeprefix("test_").replace("_", " "), 80)


def _failures(row: Row, places: dict[str, int]) -> str:
    """Checks that failed for the same reason are told once."""
    alike: dict[str, list[str]] = {}
    for check in row.checks:
        if not check["passed"]:
            alike.setdefault(_failure(check, places), []).append(_title(check))
    several = len(alike) > 1
    heads = {told: f"<h5>{', '.join(titles)}</h5>" if several else "" for told, titles in alike.items()}
    return "".join(f'<div class="failure">{heads[told]}{told}</div>' for told in alike)


def _failure(check: dict[str, Any], places: dict[str, int]) -> str:
    parts = [f"<p>{shown(check['message'])}</p>"] if check.get("message") else []
    if check.get("state") == "broken":
        parts.append("<p>This is a fault of the course, not of the learner.</p>")
    if check.get("location"):
        parts.append(_line(check["location"]))
    compared = [(word, check.get(word)) for word in ("got", "expected") if check.get(word)]
    if compared:
        said = "".join(f"<dt>{word}</dt><dd>{shown(value, 300)}</dd>" for word, value in compared)
        parts.append(f"<dl>{said}</dl>")
    for label, cause in (("Cause", check.get("cause")), ("Behind it", check.get("root"))):
        if cause:
            parts.append(f'<p class="cause">{label}: {_cause(str(cause), places)}</p>')
    return "".join(parts)


def _cause(cause: str, places: dict[str, int]) -> str:
    """Its id, a link if it has a card above, and its title."""
    said = shown(cause, 80)
    linked = f'<a href="#c{places[cause]}">{said}</a>' if cause in places else f"<code>{said}</code>"
    return f"{linked} {title_of(cause)}"


def _line(location: dict[str, Any]) -> str:
    """The learner's line with its number; the part that is meant is marked."""
    source = str(location["source"]).rstrip()
    start, end = location.get("column"), location.get("end_column")
    indent = len(source) - len(source.lstrip())
    if start and end and indent < start < end and end <= 200:
        before, meant, after = source[indent : start - 1], source[start - 1 : end - 1], source[end - 1 :]
        code = f"{shown(before)}<mark>{shown(meant)}</mark>{shown(after, 200)}"
    else:
        code = shown(source.strip(), 200)
    return f'<pre><span class="line">{int(location["line"])}</span><code>{code}</code></pre>'


def _notes(row: Row) -> str:
    """Warnings (never scored), remarks and prints."""
    told = []
    for word, label in (("warnings", "Warning, not scored"), ("remarks", "Remark")):
        said = dict.fromkeys(str(one) for check in row.checks for one in check.get(word) or ())
        told += [f"<li>{label}: {shown(one, 240)}</li>" for one in list(said)[:_MOST_NOTES]]
        told += [f"<li>{len(said) - _MOST_NOTES:,} more</li>"] if len(said) > _MOST_NOTES else []
    printed = next((str(check["prints"]) for check in row.checks if check.get("prints")), "").strip().split("\n")
    for line in printed[:_MOST_NOTES] if printed != [""] else ():
        told.append(f"<li>Printed: <code>{shown(line, 160)}</code></li>")
    if len(printed) > _MOST_NOTES:
        told.append(f"<li>{count(len(printed) - _MOST_NOTES, 'more line')} printed</li>")
    return f'<ul class="notes">{"".join(told)}</ul>' if told else ""


def _earlier(row: Row, tried: list[Row]) -> str:
    others = [one for one in tried if one is not row]
    said = "; ".join(
        f"attempt {one.attempt}: {number(one.points)} of {number(one.possible)}"
        + (f", {name(causes[0])}" if (causes := causes_of(one)) else "")
        for one in others
    )
    return f'<p class="quiet">Does not count: {said}</p>' if others else ""


def _place(problem: Problem) -> str:
    exercise = f"<code>{name(problem.exercise)}</code>, " if problem.exercise else ""
    return f"{exercise}<bdi>{shown(problem.origin, 160)}</bdi>"
