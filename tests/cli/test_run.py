"""`gradclinic run` on real programs, as real processes, beside plain `python`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

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


HEAD = "import os, signal, sys, torch\nw = torch.ones(2, requires_grad=True)\n"
ALIKE = {
    "reads its input": "print(input(), sys.stdin.read())",
    "leaves with words": "sys.exit('that was all')",
    "leaves with nothing": "raise SystemExit",
    "an error of torch's": "torch.ones(2) @ torch.ones(3)",
    "an error in backward": "loss = (w * w).sum()\nloss.backward()\nloss.backward()",
    "a chain of errors": "try:\n    1 / 0\nexcept ZeroDivisionError as error:\n    raise KeyError('x') from error",
    "warnings": "h = w * 2\nfor _ in range(3):\n    h.grad\n    torch.tensor(w)",
    "a handler of its own": "signal.signal(2, lambda *_: (print('mine'), sys.exit(7)))\n"
    "os.kill(os.getpid(), 2)\ninput()",
    "Ctrl-C": "os.kill(os.getpid(), 2)\ninput()",
    "a signal that ends it": "print('on', flush=True)\nos.kill(os.getpid(), 15)\ninput()",
    "another folder": "os.makedirs('sub')\nos.chdir('sub')\nprint(sorted(os.listdir('..')))",
    "something at exit": "import atexit\natexit.register(print, 'late', w.sum().item())",
    "an error in a thread": "import threading\nt = threading.Thread(target=lambda: 1 / 0)\nt.start()\nt.join()",
    "children": "import multiprocessing as many\nimport pickle\nclass Own: pass\npickle.loads(pickle.dumps(Own()))\n"
    "if __name__ == '__main__':\n    for how in ('fork', 'spawn'):\n"
    "        with many.get_context(how).Pool(1) as pool:\n            print(pool.map(abs, [-1]))",
    "its own trace": "from gradclinic import diagnose, trace\nwith trace():\n    loss = w.detach().sum()\n"
    "    print(diagnose(w, loss).cause.id)",
    "LBFGS": "o = torch.optim.LBFGS([w])\ndef closure():\n    o.zero_grad()\n    loss = (w * w).sum()\n"
    "    loss.backward()\n    return loss\nprint(o.step(closure), w)",
    "heads in turns": "a, b = torch.nn.Linear(2, 1), torch.nn.Linear(2, 1)\n"
    "o = torch.optim.SGD([*a.parameters(), *b.parameters()], 0.1)\nfor i in range(4):\n    o.zero_grad()\n"
    "    (a if i % 2 else b)(w.detach()).sum().backward()\n    o.step()",
    "a compiled model": "net = torch.compile(torch.nn.Linear(2, 1), backend='eager')\nnet(w).sum().backward()",
}


@pytest.mark.parametrize("name", ALIKE)
def test_a_program_does_the_same_as_without(name: str, tmp_path: Path) -> None:
    report, ends = tmp_path / "report.json", []
    for way, words in {"plain": [], "traced": ["-m", "gradclinic", "run", "--json", "--report", str(report)]}.items():
        folder = tmp_path / way
        folder.mkdir()
        (folder / "own.py").write_text(HEAD + ALIKE[name])
        end = subprocess.run(
            [sys.executable, *words, "own.py"],
            cwd=folder,
            input="one\ntwo\n",
            capture_output=True,
            text=True,
            timeout=300,
        )
        told = re.sub(r"Thread-\d+", "Thread", end.stderr.replace(str(folder), "HERE"))
        ends.append((end.returncode, end.stdout, told))
    plain, traced = ends
    assert traced == plain
    if name != "a signal that ends it":
        found = json.loads(report.read_text())
        assert found["ok"] == (name != "an error in backward"), found["findings"]
        assert any("uncompiled" in note for note in found["notes"]) == (name == "a compiled model")


def test_a_module_of_a_package_finds_its_neighbours(tmp_path: Path) -> None:
    (tmp_path / "pkg").mkdir()
    (tmp_path / "pkg" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "near.py").write_text("def cut(t):\n    return t.detach()\n")
    (tmp_path / "pkg" / "train.py").write_text(
        "import sys, torch\nfrom .near import cut\nw, v = (torch.ones(2, requires_grad=True) for _ in 'wv')\n"
        "o = torch.optim.SGD([w, v], 0.1)\n(cut(w) * v).sum().backward()\no.step()\nprint(sys.argv, __package__)\n"
    )
    plain = run("-m", "pkg.train", "--x", at=tmp_path)
    traced = run("-m", "gradclinic", "run", "--json", "--report", "r.json", "-m", "pkg.train", "--x", at=tmp_path)
    assert (traced.returncode, traced.stdout, traced.stderr) == (0, plain.stdout, plain.stderr)
    first = json.loads((tmp_path / "r.json").read_text())["findings"][0]
    assert (first["cause"], Path(first["location"]["file"]).name, first["location"]["line"]) == (
        "detached",
        "near.py",
        2,
    )
