"""File names made from the ids of learners, which are hostile text."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.classroom.names import file_name


@pytest.mark.parametrize("plain", ["ada", "learner-001", "12345", "ada@example.org", "a.b+c_d", "_x", "x" * 100])
def test_a_safe_id_is_its_own_name(plain: str) -> None:
    assert file_name(plain) == plain


@pytest.mark.parametrize(
    ("learner", "name"),
    [
        # the hashes come from `printf '%s' ID | sha256sum | cut -c1-16`
        ("Ada", "Ada_99a563ab2f6e21e9"),
        ("../../etc/passwd", "_.._.._etc_passwd_3754d6cb3a38e118"),
        ("", "_e3b0c44298fc1c14"),
        ("nul", "_nul_99e6242759016035"),
        ("con.md", "_con.md_fbdfe56b1c45b9a6"),
        ("a.", "a._5ab640fad553cbf9"),
    ],
)
def test_what_is_changed_carries_a_hash(learner: str, name: str) -> None:
    assert file_name(learner) == name


@pytest.mark.parametrize(("one", "other"), [("Ada", "ada"), ("a/b", "a_b"), ("a b", "a\tb"), ("x" * 101, "x" * 102)])
def test_ids_that_look_alike_get_two_names(one: str, other: str) -> None:
    assert file_name(one).lower() != file_name(other).lower()


def test_nobody_can_choose_the_name_of_anothers_file() -> None:
    victim = file_name("ada b")
    assert file_name(victim) != victim


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_text_gives_a_safe_name(learner: str) -> None:
    name = file_name(learner)
    assert re.fullmatch(r"[A-Za-z0-9@+_-][A-Za-z0-9@+._-]{0,99}", name)


@given(st.lists(st.text(alphabet="aAbB._- /é", max_size=6), unique=True, max_size=50))
def test_different_ids_have_different_names_where_case_is_ignored(learners: list[str]) -> None:
    assert len({file_name(learner).lower() for learner in learners}) == len(learners)


def test_the_disk_takes_the_longest_name(tmp_path: Path) -> None:
    file = tmp_path / f"{file_name('ä' * 400)}.md"
    file.write_text("x")
    assert file.read_text() == "x"
