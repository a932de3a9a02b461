"""cause: one entry of the catalogue, or all of them by what is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from gradclinic.causes import CAUSES

if TYPE_CHECKING:
    from .conftest import Clinic


@pytest.mark.parametrize("name", ["off_the_path", "off-the", "OFF_THE_PATH"])
def test_an_entry_has_explanation_remedy_and_lesson(clinic: Clinic, name: str) -> None:
    result = clinic.run("cause", name)
    assert result.returncode == 0
    shown = " ".join(result.stdout.split())
    assert shown.startswith("off_the_path The loss was computed from something else than this copy")
    assert "What you see: .grad is None." in shown
    assert CAUSES["off_the_path"].explanation in shown
    assert CAUSES["off_the_path"].fix in shown
    assert shown.endswith("gradclinic read off_the_path")


def test_an_exact_name_comes_before_longer_ones(clinic: Clinic) -> None:
    assert clinic.run("cause", "wrong_scale").stdout.startswith("wrong_scale ")


def test_the_list_has_every_cause_below_what_is_seen(clinic: Clinic) -> None:
    result = clinic.run("cause")
    assert result.returncode == 0
    lines = result.stdout.splitlines()
    ids = [line.split()[0] for line in lines if line.startswith("  ") and line.split()[0] in CAUSES]
    assert sorted(ids) == sorted(CAUSES)
    assert lines.index(".grad is None") < next(n for n, line in enumerate(lines) if line.startswith("  detached "))
    assert "PyTorch raises an error" in lines
