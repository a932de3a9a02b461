"""`gradclinic run` on whole training scripts, each broken in three ways: the line is named, nothing else changes."""

from __future__ import annotations

import json
import subprocess
import sys
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from typing import Any

import pytest

SCRIPTS = Path(__file__).parents[1] / "scripts"
NAMES = ("cnn", "transformer", "gan", "rnn", "finetune")


def _breakages() -> dict[str, tuple[str, str, str]]:
    spec = spec_from_file_location("breakages", SCRIPTS / "breakages.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    found: dict[str, tuple[str, str, str]] = module.BREAKAGES
    return found


BREAKAGES = _breakages()


def run(at: Path, *command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=at, capture_output=True, text=True, timeout=300)


def both(folder: Path, text: str) -> dict[str, Any]:
    """The report, after a look at all that must be the same with and without it."""
    (folder / "train.py").write_text(text)
    plain = run(folder, "train.py")
    traced = run(folder, "-m", "gradclinic", "run", "--json", "--report", "report.json", "train.py")
    assert (traced.returncode, traced.stdout, traced.stderr) == (plain.returncode, plain.stdout, plain.stderr)
    report: dict[str, Any] = json.loads((folder / "report.json").read_text())
    return report


@pytest.mark.parametrize("name", NAMES)
def test_a_healthy_script_gives_no_alarm(name: str, tmp_path: Path) -> None:
    report = both(tmp_path, (SCRIPTS / f"{name}.py").read_text())
    assert report["ok"], report["findings"]


@pytest.mark.parametrize("name", BREAKAGES)
def test_a_broken_script_gets_its_line(name: str, tmp_path: Path) -> None:
    before, after, cause = BREAKAGES[name]
    text = (SCRIPTS / f"{name.partition(':')[0]}.py").read_text()
    assert text.count(before) == 1
    text = text.replace(before, after)
    report = both(tmp_path, text)
    marked = [number for number, line in enumerate(text.splitlines(), 1) if line.endswith("# <- here")]
    marked = marked or [number for number, line in enumerate(text.splitlines(), 1) if line.strip() == "loss.backward()"]
    told = {(one["cause"], (one["location"] or {}).get("line")) for one in report["findings"]}
    assert told == {(cause, marked[0])}


def test_there_are_three_ways_to_break_each() -> None:
    assert sorted(name.partition(":")[0] for name in BREAKAGES) == sorted(NAMES * 3)
