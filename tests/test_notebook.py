"""`%%diagnose` in real notebooks, each executed by a kernel of its own."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import nbformat
from nbformat.v4 import new_code_cell, new_notebook

RUN = """
import sys, nbformat
from nbclient import NotebookClient
notebook = nbformat.read(sys.argv[1], as_version=4)
NotebookClient(notebook, timeout=120, kernel_name="python3", allow_errors=True).execute()
nbformat.write(notebook, sys.argv[1])
"""
LOAD = "%load_ext gradclinic\nimport sys\nprint('torch' in sys.modules)"
LEAVES = "import torch\nw = torch.tensor(2.0, requires_grad=True)\nb = torch.tensor(3.0, requires_grad=True)\n"
CUT = LEAVES + "loss = w.detach() * b\nloss.backward()\n"


def executed(folder: Path, *cells: str) -> list[Any]:
    """The outputs of each cell after the one that loads the extension."""
    file = folder / "a.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell(cell) for cell in (LOAD, *cells)]), file)
    subprocess.run([sys.executable, "-c", RUN, str(file)], check=True, timeout=300, capture_output=True)
    first, *rest = nbformat.read(file, as_version=4).cells
    assert [output.text for output in first.outputs] == ["False\n"]
    return [cell.outputs for cell in rest]


def shown(outputs: Any) -> str:
    return "\n".join(o.get("text", "") or o.get("data", {}).get("text/plain", "") for o in outputs)


def test_the_value_of_the_cell_comes_first_and_the_report_as_html_after_it(tmp_path: Path) -> None:
    report, kept = executed(tmp_path, "%%diagnose w\n" + CUT + "print('mine')\nloss", "print(w, w.grad)")
    kinds = [output.output_type for output in report]
    assert kinds == ["stream", "execute_result", "stream", "display_data"]
    assert [report[0].text, report[1].data["text/plain"], report[2].text] == [
        "mine\n",
        "tensor(6., grad_fn=<MulBackward0>)",
        "w:\n",
    ]
    assert "w.detach()" in report[3].data["text/html"]
    assert "detach(), detach_() or .data cut it" in report[3].data["text/plain"]
    assert shown(kept) == "tensor(2., requires_grad=True) None\n"


def test_without_a_target_the_leaves_and_modules_of_the_cell_are_asked_in_its_order(tmp_path: Path) -> None:
    model = "%%diagnose\nnet = torch.nn.Linear(1, 1)\nloss = net(w.reshape(1, 1)).sum() * b\nloss.backward()"
    _, report, nothing = executed(tmp_path, LEAVES, model, "%%diagnose\nc = 1")
    assert [line for line in shown(report).splitlines() if line in ("net:", "w:", "b:", "loss:")] == [
        "net:",
        "w:",
        "b:",
    ]
    assert shown(nothing).startswith("The cell names no module and no tensor that requires grad.")


def test_an_error_fails_the_cell_once_with_the_users_own_traceback(tmp_path: Path) -> None:
    (failed, other, syntax) = executed(
        tmp_path,
        "%%diagnose\n" + LEAVES + "loss = (w.detach() * 2)\nloss.backward()",
        "%%diagnose\n1 / 0",
        "%%diagnose\nx =",
    )
    assert [output.output_type for output in failed] == ["display_data", "error"]
    assert "w.detach()" in failed[0].data["text/plain"]
    assert failed[1].ename == "RuntimeError"
    assert "loss.backward()" in "\n".join(failed[1].traceback)
    assert "doors.py" not in "\n".join(failed[1].traceback)
    assert "run_cell_magic" not in "\n".join(failed[1].traceback)
    assert [(output.output_type, output.ename) for output in other] == [("error", "ZeroDivisionError")]
    assert [(output.output_type, output.ename) for output in syntax] == [("error", "SyntaxError")]


def test_dotted_targets_a_named_loss_missing_names_line_magics_and_nesting(tmp_path: Path) -> None:
    cells = (
        "%%diagnose net.weight --loss first\n" + LEAVES + "net = torch.nn.Linear(1, 1)\n"
        "first = net.weight.detach().sum() * b\nsecond = net(b.reshape(1, 1)).sum()\nsecond.backward()",
        "%%diagnose w gone.weight --loss second\n%pwd\n"
        "from gradclinic import trace\nwith trace():\n    second = w * 2\nsecond.backward()",
        "%%diagnose w --loss\nw",
        "%%diagnose w\nawait other()",
    )
    cut, missing, usage, waiting = (shown(outputs) for outputs in executed(tmp_path, *cells))
    assert "net.weight:" in cut
    assert ".detach()" in cut
    assert "There is a gradient." in missing
    assert "gone.weight: there is no such thing after this cell (NameError: name 'gone' is not defined)." in missing
    assert "--loss takes the name of a tensor" in usage
    assert "with trace():" in waiting


def test_the_report_on_the_page_is_what_its_cell_prints(tmp_path: Path) -> None:
    page = (Path(__file__).parents[1] / "docs" / "notebook.md").read_text(encoding="utf-8")
    cell, report = re.findall(r"```text\n(.*?)```", page, re.DOTALL)[2:4]
    _, outputs = executed(tmp_path, LEAVES, cell)
    assert shown(outputs) == report.replace("w:\n", "w:\n\n", 1)[:-1]
