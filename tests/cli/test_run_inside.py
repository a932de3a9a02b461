"""`gradclinic run` around programs that run others, or switch torch's own tools on: they do the same as without."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

CUT = """\
import sys, unittest
import torch
from torch import nn


def pass_of(model):
    loss = model[1](torch.relu(model[0](torch.ones(2, 3))).detach()).sum()
    loss.backward()


class Tests(unittest.TestCase):
    def test_the_head_learns(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        pass_of(model)
        self.assertIsNotNone(model[1].weight.grad)

    def test_the_body_learns(self):
        model = nn.Sequential(nn.Linear(3, 3), nn.Linear(3, 1))
        pass_of(model)
        self.assertEqual(model[0].weight.grad.norm() > 0, True)
"""
NAN = """\
import torch
x = torch.tensor([0.0, 4.0], requires_grad=True)
with torch.autograd.detect_anomaly(check_nan=True):
    loss = torch.where(x > 0, x.sqrt(), 0.0).sum()
    loss.backward()
"""
ZERO = """\
import torch
x = torch.tensor([5.0, 6.0], requires_grad=True)
optimizer = torch.optim.SGD([x], 0.1)
loss = x.clamp(max=1.0).sum()
loss.backward()
optimizer.step()
print(x.grad)
"""


def both(folder: Path, *words: str, options: tuple[str, ...] = ()) -> tuple[tuple[int, str, str], ...]:
    """Exit code, output and complaints, plain and under the trace, without times and numbers of threads."""
    ends = []
    for way in ([], ["-m", "gradclinic", "run", *options, "--json", "--report", "report.json"]):
        end = subprocess.run([sys.executable, *way, *words], cwd=folder, capture_output=True, text=True, timeout=300)
        said, complained = (re.sub(r"\d+\.\d+ ?s", "T s", text) for text in (end.stdout, end.stderr))
        ends.append((end.returncode, said, complained))
    return tuple(ends)


@pytest.mark.parametrize("runner", ["unittest", "pytest"])
def test_a_test_runner_runs_inside(runner: str, tmp_path: Path) -> None:
    (tmp_path / "test_own.py").write_text(CUT)
    options = ["-q", "-p", "no:cacheprovider"] if runner == "pytest" else []
    plain, traced = both(tmp_path, "-m", runner, *options, "test_own.py")
    assert traced == plain
    assert plain[0] == 1
    assert "AttributeError: 'NoneType' object has no attribute 'norm'" in plain[1] + plain[2]
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(one["cause"], one["location"]["line"]) for one in report["findings"]] == [("detached", 7)]


WAY = re.compile(r"(?<=caused the error:\n).*(?= \(Triggered)", re.DOTALL)


def test_anomaly_mode_says_the_same_and_its_way_to_the_operation_also_goes_through_ours(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(NAN)
    plain, traced = both(tmp_path, "own.py")
    assert (*traced[:2], WAY.sub("", traced[2])) == (*plain[:2], WAY.sub("", plain[2]))
    for end in (plain, traced):
        (way,) = WAY.findall(end[2])
        assert 'own.py", line 4, in <module>\n    loss = torch.where(x > 0, x.sqrt(), 0.0).sum()\n' in way
    assert plain[0] == 1
    assert "returned nan values in its 0th output" in plain[2]


def test_values_show_where_a_zero_begins(tmp_path: Path) -> None:
    (tmp_path / "own.py").write_text(ZERO)
    plain, traced = both(tmp_path, "own.py", options=("--values",))
    assert traced == plain
    report = json.loads((tmp_path / "report.json").read_text())
    assert [(one["cause"], one["location"]["line"]) for one in report["findings"]] == [("zero_derivative", 4)]
