"""`gradclinic run` on real programs, as real processes, beside plain `python`."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

HEALTHY = """\
import sys, torch
from torch import nn
G, D = nn.Linear(4, 2), nn.Linear(2, 1)
og, od = torch.optim.Adam(G.parameters()), torch.optim.Adam(D.parameters())
bce = nn.BCEWithLogitsLoss()
for step in range(3):
    fake = G(torch.ones(6, 4))
    od.zero_grad()
    bce(D(fake.detach()), torch.zeros(6, 1)).backward()
    od.step()
    og.zero_grad()
    bce(D(fake), torch.ones(6, 1)).backward()  # <- here
    og.step()
print(sys.argv[1:], __name__)
raise SystemExit(3)
"""
BROKEN = HEALTHY.replace("bce(D(fake), ", "bce(D(fake.detach()), ").replace(
    "raise SystemExit(3)", "G.weight.grad.norm()"
)


def run(*command: str, at: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, *command], cwd=at, capture_output=True, text=True, timeout=120)


def test_a_healthy_gan_keeps_its_output_and_its_status(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(HEALTHY)
    traced = run("-m", "gradclinic", "run", "train.py", "--help", at=tmp_path)
    assert (traced.returncode, traced.stdout) == (3, "['--help'] __main__\n")
    assert "nothing to repair" in traced.stderr


def test_a_broken_gan_gets_the_line_of_its_own_pass(tmp_path: Path) -> None:
    (tmp_path / "train.py").write_text(BROKEN)
    plain = run("train.py", at=tmp_path)
    traced = run("-m", "gradclinic", "run", "--json", "--report", "report.json", "train.py", at=tmp_path)
    assert (traced.returncode, traced.stdout, traced.stderr) == (1, plain.stdout, plain.stderr)
    report = json.loads((tmp_path / "report.json").read_text())
    first = report["findings"][0]
    here = next(number for number, line in enumerate(BROKEN.splitlines(), 1) if "# <- here" in line)
    assert (report["schema"], report["ok"], first["cause"], first["location"]["line"]) == (1, False, "detached", here)
    assert first["read_at"]["line"] == len(BROKEN.splitlines())


def test_what_is_not_there_is_said_in_one_line(tmp_path: Path) -> None:
    for words in (["nosuch.py"], ["."], ["-m", "nosuch"], []):
        result = run("-m", "gradclinic", "run", *words, at=tmp_path)
        assert (result.returncode, result.stdout, result.stderr.count("\n")) == (2, "", 1), result.stderr
