"""`summary.csv`: a row per learner, for a spreadsheet."""

from __future__ import annotations

import csv
import io

from gradclinic.classroom.plain import csv_cell, number
from gradclinic.classroom.results import Results


def summary(results: Results) -> bytes:
    """The table: id, name, points of most, counts of what passed, is late and is missing, then points by exercise.

    A cell is empty where nothing was handed in. An id or a name that begins like a formula, or with an apostrophe, has
    an apostrophe in front: take one off to join the table with another. Control characters are left out; the exact ids
    stand in `results.jsonl`. Lines end as RFC 4180 wants it; a byte order mark is written only where there are other
    letters than those of ASCII, which Excel would not read without it.
    """
    table = io.StringIO()
    writer = csv.writer(table)
    writer.writerow(["id", "name", "points", "most", "passed", "late", "missing", *results.exercises])
    for learner in results.learners:
        rows = {row.exercise: row for row in results.of_learner(learner.id)}
        writer.writerow(
            [
                csv_cell(learner.id),
                csv_cell(learner.name),
                number(results.points(learner.id)),
                number(results.most),
                sum(row.passed for row in rows.values()),
                sum(row.late for row in rows.values()),
                len(results.exercises) - len(rows),
                *(number(rows[exercise].points) if exercise in rows else "" for exercise in results.exercises),
            ]
        )
    text = table.getvalue()
    return text.encode("ascii" if text.isascii() else "utf-8-sig")
