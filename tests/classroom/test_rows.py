"""Rows on disk: added one by one, read back after a kill, put in order at the end; and which of them counts."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from gradclinic.classroom.rows import Journal, Row, counting


def a_row(learner: str = "ada", key: str = "k1", **other: object) -> Row:
    row = Row(learner, "slope", True, 1.0, 1.0, None, None, [], "strict", 0.5, key, "ada/slope.py")
    return replace(row, **other)  # type: ignore[arg-type]


def test_a_row_is_on_disk_as_soon_as_it_is_added(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    assert journal.read() == {}
    with journal.writing() as add:
        add(a_row())
        told = json.loads(journal.file.read_text())
    assert (told["learner"], told["exercise"], told["passed"], told["points"]) == ("ada", "slope", True, 1.0)
    assert journal.read() == {"k1": a_row()}


def test_a_line_that_a_kill_has_cut_off_is_passed_over_and_followed_by_whole_ones(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    with journal.writing() as add:
        add(a_row())
        add(a_row(key="k2"))
    journal.file.write_bytes(journal.file.read_bytes()[:-20])
    with journal.writing() as add:
        add(a_row(key="k3"))
    assert sorted(journal.read()) == ["k1", "k3"]


@pytest.mark.parametrize(
    "line", [b"{}", b"[]", b"null", b"\xff\xfe", b'{"learner": "x"}', b'{"strange": 1}', b"{" * 5000]
)
def test_a_line_that_is_no_row_is_passed_over(line: bytes, tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    journal.file.write_bytes(line + b"\n" + a_row().line().encode() + b"\n")
    assert list(journal.read()) == ["k1"]


def test_the_final_file_is_sorted_by_learner_exercise_and_attempt(tmp_path: Path) -> None:
    journal = Journal(tmp_path / "results.jsonl")
    rows = [a_row("ben", "k4"), a_row(key="k3", attempt=2), a_row(key="k2"), a_row(key="k1", exercise="double")]
    journal.rewrite(rows)
    keys = [json.loads(line)["key"] for line in journal.file.read_text().splitlines()]
    assert keys == ["k1", "k2", "k3", "k4"]
    assert [file.name for file in tmp_path.iterdir()] == ["results.jsonl"]


def test_text_of_any_kind_stays_in_one_line_of_ascii() -> None:
    line = a_row("a\nb\u2028\ud800é").line()
    assert line.isascii()
    assert "\n" not in line
    assert Row(**json.loads(line)).learner == "a\nb\u2028\ud800é"


TRIED = (
    a_row(key="1", attempt=1, points=2.0),
    a_row(key="2", attempt=2, points=3.0),
    a_row(key="3", attempt=3, points=3.0),
    a_row(key="4", attempt=4, points=0.0),
    a_row("ben", "5"),
)


@pytest.mark.parametrize(("attempts", "keys"), [("last", ["4", "5"]), ("best", ["3", "5"])])
def test_of_several_attempts_one_counts(attempts: str, keys: list[str]) -> None:
    assert [row.key for row in counting(reversed(TRIED), attempts) if row.counts] == keys
