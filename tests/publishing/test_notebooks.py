"""What each lesson of the course offers to take along: every notebook runs, and shows what the page shows."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import nbformat
import pytest
from nbclient import NotebookClient

from gradclinic.course import Course, shipped_root
from gradclinic.publishing.scrub import scrub

SLUGS = [lesson.slug for lesson in Course(shipped_root()).lessons]
_OUTPUT = re.compile(r"^( *)(`{3,}) \{ \.text \.gc-output [^\n]*\n(.*?)\n\1\2$", re.MULTILINE | re.DOTALL)


def read(course: Course, name: str) -> Any:
    return nbformat.read(course.root / "site" / "downloads" / name, as_version=4)


def told(output: Any) -> tuple[str, str]:
    """Where a piece of output belongs, and its text as the reader of a page gets it."""
    if output.output_type == "stream":
        return output.name, scrub(output.text)
    if output.output_type == "error":
        return "error", f"{output.ename}: {scrub(output.evalue)}"
    return "value", scrub(output.data["text/plain"])


def said(cell: Any) -> dict[str, str]:
    """What a cell put out by kind: how prints and warnings mix is the one thing that a plain kernel does not keep."""
    kinds: dict[str, str] = {}
    for kind, text in map(told, cell.outputs):
        kinds[kind] = kinds.get(kind, "") + text
    return kinds


def code(notebook: Any) -> list[Any]:
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


@pytest.mark.parametrize("slug", SLUGS)
def test_the_notebook_runs_and_puts_out_what_the_one_with_outputs_says(
    course: Course, slug: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "1")
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path))  # nobody's own settings
    monkeypatch.delenv("PYTHONWARNINGS", raising=False)
    ran = read(course, f"{slug}.ipynb")
    assert not any(cell.outputs for cell in code(ran))
    NotebookClient(ran, timeout=300, kernel_name="python3", shutdown_kernel="immediate").execute(cwd=str(tmp_path))
    kept = read(course, f"{slug}-with-outputs.ipynb")
    assert [cell.source for cell in kept.cells] == [cell.source for cell in ran.cells]
    assert [said(cell) for cell in code(ran)] == [said(cell) for cell in code(kept)]
    assert sum(bool(cell.outputs) for cell in code(kept)) >= 3


@pytest.mark.parametrize("slug", SLUGS)
def test_the_outputs_of_the_notebook_are_those_of_the_page(course: Course, slug: str) -> None:
    page = (course.root / "docs" / "lessons" / f"{slug[3:]}.md").read_text(encoding="utf-8")
    on_page = [re.sub(f"^{found[1]}", "", found[3], flags=re.MULTILINE) for found in _OUTPUT.finditer(page)]
    in_notebook = []
    for cell in code(read(course, f"{slug}-with-outputs.ipynb")):
        parts = ["\n".join(o.traceback) if o.output_type == "error" else told(o)[1] for o in cell.outputs]
        text = "".join(part if part.endswith("\n") else f"{part}\n" for part in parts)
        in_notebook += [text.strip("\n")] if text.strip() else []
    assert on_page == in_notebook


@pytest.mark.parametrize("slug", SLUGS)
def test_the_python_file_holds_the_same_cells_and_no_hints(course: Course, slug: str) -> None:
    import jupytext

    path = course.root / "site" / "downloads" / f"{slug}.py"
    again = jupytext.read(path)
    same = read(course, f"{slug}.ipynb")
    assert [(c.cell_type, c.source) for c in again.cells] == [(c.cell_type, c.source) for c in same.cells]
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# %% [markdown]\n# # ")
    lesson = course.find(slug)
    assert not any(words in text for words in (*lesson.hints, *(choice.because for choice in lesson.choices)))
