"""The part of the report that shows the class at a glance: a row for each learner, a column for each exercise."""

from __future__ import annotations

from collections.abc import Sequence

from gradclinic.classroom.misconceptions import Misconception, causes_of
from gradclinic.classroom.plain import number
from gradclinic.classroom.report_causes import title_of
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row
from gradclinic.classroom.shown import name, shown


def matrix(results: Results, ranking: Sequence[Misconception]) -> str:
    """The section, with its filters; sorting and filtering are added by the script of the page."""
    places = {one.cause: place for place, one in enumerate(ranking)}
    heads = "".join(
        f'<th scope="col">{name(exercise)}<small> {number(results.possible[exercise])} p</small></th>'
        for exercise in results.exercises
    )
    rows = "".join(_row(place, learner, results, places) for place, learner in enumerate(results.learners))
    return (
        '<section id="matrix"><h2 id="matrix-title">Learners and exercises</h2>'
        '<p class="key"><span class="ok"><b aria-hidden="true">✓</b> right</span> '
        '<span class="no"><b aria-hidden="true">✗</b> wrong, with its first cause</span> '
        '<span class="na"><b aria-hidden="true">–</b> missing</span> <span class="late">late</span></p>'
        f"{_filters(results, ranking)}"
        '<div class="scroll" role="region" aria-labelledby="matrix-title" tabindex="0"><table id="grid">'
        '<thead><tr><th scope="col">Learner</th><th scope="col">Points'
        f"<small> of {number(results.most)}</small></th>{heads}</tr></thead><tbody>{rows}</tbody>"
        f"<tfoot>{_foot(results)}</tfoot></table></div></section>"
    )


def _row(place: int, learner: Learner, results: Results, places: dict[str, int]) -> str:
    extra = f" <small>{shown(learner.name, 60)}</small>" if learner.name else ""
    extra += "" if learner.on_roster else " <small>not on the roster</small>"
    cells = "".join(
        _cell(f"l{place}e{column}", results.of(learner.id, exercise), places)
        for column, exercise in enumerate(results.exercises)
    )
    points = number(results.points(learner.id))
    return (
        f'<tr><th scope="row"><a href="#l{place}"><bdi>{shown(learner.id, 60)}</bdi></a>{extra}</th>'
        f'<td data-p="{points}">{points}</td>{cells}</tr>'
    )


def _cell(target: str, row: Row | None, places: dict[str, int]) -> str:
    if row is None:
        return '<td class="na" data-p="-1">–<span class="v"> missing</span></td>'
    late, mark = (" data-late", ' <i class="late">late</i>') if row.late else ("", "")
    points = number(row.points)
    if row.passed:
        return f'<td class="ok" data-p="{points}"{late}>✓ {points}{mark}</td>'
    causes = causes_of(row)
    said = name(causes[0]) if causes else "no cause"
    more = f" +{len(causes) - 1}" if len(causes) > 1 else ""
    numbers = " ".join(str(places[cause]) for cause in causes)
    return (
        f'<td class="no" data-p="{points}" data-c="{numbers}"{late}><a href="#{target}">✗ '
        f"{points}/{number(row.possible)} <span>{said}{more}</span></a>{mark}</td>"
    )


def _foot(results: Results) -> str:
    """How many have each exercise right."""
    right = "".join(
        f"<td>{sum(row.passed for learner in results.learners if (row := results.of(learner.id, exercise)))}</td>"
        for exercise in results.exercises
    )
    return f'<tr><th scope="row">Right, of {len(results.learners):,}</th><td></td>{right}</tr>'


def _filters(results: Results, ranking: Sequence[Misconception]) -> str:
    exercises = "".join(
        f'<option value="{column}">{shown(exercise, 80)}</option>' for column, exercise in enumerate(results.exercises)
    )
    causes = "".join(
        f'<option value="{place}">{shown(one.cause, 80)} ({len(one.learners)}) {title_of(one.cause)}</option>'
        for place, one in enumerate(ranking)
    )
    return (
        '<form id="filters" hidden><label>Learner <input type="search" id="f-text" autocomplete="off"></label>'
        f'<label>Exercise <select id="f-exercise"><option value="">any</option>{exercises}</select></label>'
        '<label>State <select id="f-state"><option value="">any</option><option value="ok">right</option>'
        '<option value="no">wrong</option><option value="na">missing</option><option value="late">late</option>'
        "</select></label>"
        f'<label>Cause <select id="f-cause"><option value="">any</option>{causes}</select></label>'
        '<button type="reset">Clear</button><output id="f-count"></output></form>'
    )
