"""Seeds: the same for the same learner and exercise, and telling nothing of the secret."""

from __future__ import annotations

import hashlib
import stat
import sys
from pathlib import Path

import pytest

from gradclinic.classroom.seeds import read_secret, seed


def test_a_seed_is_the_hmac_of_its_parts_each_with_its_length() -> None:
    secret = bytes(range(32))
    text = b"\x00\x00\x00\x03ada" + b"\x00\x00\x00\x05slope"
    key = secret.ljust(64, b"\0")
    inner = hashlib.sha256(bytes(byte ^ 0x36 for byte in key) + text).digest()
    outer = hashlib.sha256(bytes(byte ^ 0x5C for byte in key) + inner).hexdigest()
    assert f"{seed(secret, 'ada', 'slope'):064x}" == outer


def test_parts_that_read_the_same_together_are_told_apart() -> None:
    assert seed(b"s", "ab", "c") != seed(b"s", "a", "bc")


def test_the_secret_is_made_once_and_for_its_owner_only(tmp_path: Path) -> None:
    first = read_secret(tmp_path / "secret")
    assert len(first) == 32
    assert read_secret(tmp_path / "secret") == first
    assert read_secret(tmp_path / "another") != first
    assert [file.name for file in sorted(tmp_path.iterdir())] == ["another", "secret"]


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such permissions")
def test_nobody_else_may_read_the_secret(tmp_path: Path) -> None:
    read_secret(tmp_path / "secret")
    assert stat.S_IMODE((tmp_path / "secret").stat().st_mode) == 0o600
