"""How a diagnosis is shown: text of 80 columns, HTML, JSON; and what importing the package costs."""

from __future__ import annotations

import json
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import torch

from gradclinic import Diagnosis, diagnose, trace
from gradclinic.causes import CAUSES
from gradclinic.diagnosis.diagnosis import Finding, Location
from gradclinic.diagnosis.tell.render import underlined


def a_diagnosis() -> Diagnosis:
    source = "    h = x.detach() * 2"
    place = Location("train.py", 12, 8, 18, source, "forward", "encoder.layers.2")
    finding = Finding(CAUSES["detached"], "root", "proved", "`detach` gave the value without its history.", place)
    return Diagnosis(
        state="none",
        ok=False,
        summary="The gradient is None.",
        cause=CAUSES["detached"],
        certainty="proved",
        candidates=(CAUSES["detached"],),
        findings=(finding,),
        target="leaf of shape (2,), float32",
        torch_version="2.13.0",
    )


def test_the_text() -> None:
    assert (
        str(a_diagnosis())
        == """\
The gradient is None. Cause: detach(), detach_() or .data cut it.

  `detach` gave the value without its history.
    train.py:12, in forward (module encoder.layers.2)
      h = x.detach() * 2
          ^^^^^^^^^^

`detach()` and `.data` give the same values without their history; `detach_()`
takes the history from the tensor itself. The loss has the right value, but
`backward()` stops there: what lies before it keeps `.grad` None.
Fix: Take the `detach()` or `.data` off the way to the loss, and use it only for
values that you log or store. Where a new leaf is wanted, add
`.requires_grad_()`."""
    )


@pytest.mark.parametrize(
    ("source", "column", "end", "shown"),
    [
        ("y = a + b", 4, 9, ["y = a + b", "    ^^^^^"]),
        ("\ty = größe.detach()", 5, 19, ["y = größe.detach()", "    ^^^^^^^^^^^^^^"]),
        ("数 = 値.detach()", 4, 14, ["数 = 値.detach()", "     ^^^^^^^^^^^"]),
        ("y = a", None, None, ["y = a"]),
        ("y = f(" + "a, " * 20 + "b.detach())", 66, 76, ["…a, a, a, b.detach())", "          ^^^^^^^^^^"]),
    ],
)
def test_the_underline(source: str, column: int | None, end: int | None, shown: list[str]) -> None:
    width = 30 if len(source) > 60 else 74
    lines = underlined(Location("f.py", 1, column, end, source), width)
    assert all(len(line) <= width for line in lines)
    if len(source) <= 60:
        assert lines == shown
    else:
        start = lines[1].index("^")
        assert lines[0][start : start + 10] == "b.detach()"


def test_no_line_is_longer_than_80_columns() -> None:
    with trace():
        a_long_name_for_a_tensor_that_is_detached = torch.ones(2, requires_grad=True)
        other = torch.ones(2, requires_grad=True)
        loss = (a_long_name_for_a_tensor_that_is_detached.detach().exp().log().exp().log().exp() * other).sum()
        loss.backward()
        said = diagnose(a_long_name_for_a_tensor_that_is_detached, loss)
    text = said.text()
    assert max(len(line) for line in text.splitlines() if "test_report.py" not in line) <= 80
    assert "detach()" in text


def test_html_escapes_and_says_the_same() -> None:
    said = replace(a_diagnosis(), summary="shape <2> & 3.", certainty="open")
    assert said._repr_html_().startswith(
        '<div class="gradclinic-diagnosis"><p><strong>shape &lt;2&gt; &amp; 3.</strong></p>'
    )
    assert "h = x.detach() * 2" in said._repr_html_()


def test_json() -> None:
    said = json.loads(a_diagnosis().json())
    place = {
        "file": "train.py",
        "line": 12,
        "column": 8,
        "end_column": 18,
        "source": "    h = x.detach() * 2",
        "function": "forward",
        "module_path": "encoder.layers.2",
        "called_from": None,
    }
    assert said == {
        "schema": 1,
        "torch": "2.13.0",
        "target": "leaf of shape (2,), float32",
        "state": "none",
        "ok": False,
        "summary": "The gradient is None.",
        "cause": "detached",
        "title": "detach(), detach_() or .data cut it",
        "certainty": "proved",
        "candidates": ["detached"],
        "location": place,
        "findings": [
            {
                "cause": "detached",
                "role": "root",
                "certainty": "proved",
                "text": "`detach` gave the value without its history.",
                "location": place,
                "also": [],
                "names": [],
            }
        ],
        "fix": CAUSES["detached"].fix,
        "lesson": None,
        "path": [],
        "notes": [],
        "trace": None,
    }


def test_json_of_nan_values_is_strict() -> None:
    x = torch.tensor([float("nan")], requires_grad=True)
    loss = x.sum() * float("nan")
    loss.backward()

    def refuse(name: str) -> float:
        raise AssertionError(name)

    assert json.loads(diagnose(x, loss).json(), parse_constant=refuse)["state"] == "nonfinite"


def test_the_trace_is_told() -> None:
    with trace():
        x = torch.ones(2, requires_grad=True)
        said = diagnose(x, x.sum())
    assert said.as_dict()["trace"] == {"complete": True, "dropped": 0}


def test_importing_the_package_imports_no_torch() -> None:
    code = (
        "import sys, gradclinic; assert 'torch' not in sys.modules; assert 'diagnose' in dir(gradclinic); "
        "from gradclinic import diagnose, explain, trace, Diagnosis; assert 'torch' in sys.modules; print('ok')"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert (ran.stdout, ran.returncode) == ("ok\n", 0), ran.stderr


def test_an_unknown_name_is_an_attribute_error() -> None:
    import gradclinic

    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        gradclinic.nothing  # noqa: B018


def test_a_failure_inside_is_reported_and_raises_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    class Strange(torch.Tensor):
        @property
        def is_leaf(self) -> bool:  # type: ignore[override]
            raise ValueError("strange")

    said = diagnose(torch.ones(2).as_subclass(Strange), torch.ones(1, requires_grad=True))
    assert (said.state, said.cause, said.ok) == ("error", None, False)
    assert said.summary == "The diagnosis itself failed, and nothing of yours was changed: ValueError: strange"
    assert {"detached", "no_backward", "zero_derivative"} <= {cause.id for cause in said.candidates}


CUT = """\
import torch
from gradclinic import diagnose, trace
with trace():
    größe, b = (torch.ones(2, requires_grad=True) for _ in range(2))
    数 =\tgröße.detach(
        ) * b
    loss = 数.sum()
    loss.backward()
    print(diagnose(größe, loss))
"""


def ran(program: str, *options: str, folder: Path) -> str:
    """What a program prints, run as a file of its own in `folder`."""
    (folder / "program.py").write_text(program, encoding="utf-8")
    command = [sys.executable, *options, "program.py"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, encoding="utf-8", timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_place_in_a_file_that_is_not_ascii_has_tabs_and_breaks_a_line(tmp_path: Path) -> None:
    said = ran(CUT, "-X", "utf8", folder=tmp_path)
    assert "    program.py:5\n      数 = größe.detach(\n           ^^^^^^^^^^^^^\n" in said


def test_without_columns_the_line_is_shown_alone(tmp_path: Path) -> None:
    said = ran(CUT, "-X", "utf8", "-X", "no_debug_ranges", folder=tmp_path)
    assert "    program.py:5\n      数 = größe.detach(\n\n" in said
    assert "^" not in said


def test_without_a_source_the_number_is_shown_alone(tmp_path: Path) -> None:
    said = ran(f"exec(compile({CUT!r}, '<made>', 'exec'))", "-X", "utf8", folder=tmp_path)
    assert "    <made>:5\n\n" in said


def test_a_line_of_a_library_is_shown_with_the_users_own(tmp_path: Path) -> None:
    library = tmp_path / "site-packages"
    library.mkdir()
    (library / "metrics.py").write_text("def score(x):\n    return x.detach() * 2\n")
    said = ran(
        "import sys; sys.path.insert(0, 'site-packages')\nimport torch, metrics\n"
        "from gradclinic import diagnose, trace\n"
        "with trace():\n    w, b = (torch.ones(2, requires_grad=True) for _ in range(2))\n"
        "    loss = (metrics.score(w) * b).sum()\n    loss.backward()\n    print(diagnose(w, loss))\n",
        folder=tmp_path,
    )
    assert (
        "site-packages/metrics.py:2, in score\n      return x.detach() * 2\n             ^^^^^^^^^^\n"
        "    called from program.py:6\n      loss = (metrics.score(w) * b).sum()\n              ^^^^^^^^^^^^^^^^\n"
    ) in said


def test_a_long_path_and_a_long_name_stay_within_80_columns() -> None:
    place = Location("/" + "deep/" * 30 + "train.py", 3, 0, 200, "x" * 300, "f" * 90, "a.b" * 40)
    said = replace(a_diagnosis(), findings=(replace(a_diagnosis().findings[0], location=place, names=("n" * 200,)),))
    assert max(len(line) for line in said.text().splitlines()) <= 80


def test_signs_that_a_terminal_would_obey_are_not_printed() -> None:
    assert underlined(Location("f.py", 1, 4, 9, "y = \x1b[2J x"), 60)[0] == "y =  [2J x"


def test_a_line_that_writes_the_value_three_times_is_told_once() -> None:
    with trace():
        w, kept = (torch.ones(2, requires_grad=True) for _ in range(2))
        for _ in range(3):
            kept.data.add_(w.data)
        loss = (kept * 2).sum()
        loss.backward()
        said = diagnose(w, loss)
    assert [one.cause.id for one in said.findings] == ["detached"]
