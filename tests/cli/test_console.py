"""Lines on the screen: wrapped below their own indentation, whole words, no control codes, with and without colour."""

from __future__ import annotations

import pytest

from gradclinic.cli.console import printable, say


@pytest.fixture(params=[False, True], ids=["plain", "coloured"])
def coloured(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    monkeypatch.setenv("COLUMNS", "24")
    monkeypatch.delenv("NO_COLOR", raising=False)
    if request.param:
        monkeypatch.setenv("FORCE_COLOR", "1")
    else:
        monkeypatch.delenv("FORCE_COLOR", raising=False)
    return bool(request.param)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("", "\n"),
        ("  one two three four five six", "  one two three four\n  five six\n"),
        ("see /a/very/long/path/to/a/file.py now", "see\n/a/very/long/path/to/a/file.py\nnow\n"),
        ("first\n\n    second", "first\n\n    second\n"),
        ("梯度梯度梯度 在哪里呢 梯度 到", "梯度梯度梯度 在哪里呢\n梯度 到\n"),
        ("bell\x07 and\x1b[31m red\r", "bell  and [31m red\n"),
    ],
)
def test_lines_are_wrapped_at_words(coloured: bool, capsys: pytest.CaptureFixture[str], text: str, shown: str) -> None:
    say(text)
    assert capsys.readouterr().out == shown


def test_code_is_never_wrapped(coloured: bool, capsys: pytest.CaptureFixture[str]) -> None:
    say("    x = 1 + 2 + 3 + 4 + 5 + 6 + 7", "code")
    assert "x = 1 + 2 + 3 + 4 + 5 + 6 + 7" in capsys.readouterr().out


def test_symbols_where_the_encoding_lacks_them() -> None:
    assert printable("✓ a → b … ½", "utf-8") == "✓ a → b … ½"
    assert printable("✓ a → b … ½", "ascii") == "+ a -> b ... 1/2"
    assert printable("é ½", "latin-1") == "é ½"
