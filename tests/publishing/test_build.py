"""From a course folder to pages and notebooks, by the command that `make site` runs."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nbformat
import pytest

CLAIM = '''"""One and one is three.

source: A
verdict: false
"""


def measure() -> tuple[str, str]:
    return ("true" if 1 + 1 == 3 else "false"), f"1 + 1 = {1 + 1}, and [no link], *no* <b>"
'''
TRUE_CLAIM = CLAIM.replace("three", "two").replace("== 3", "== 2").replace("verdict: false", "verdict: true")
TAGS = """
# %% tags=["more", "fold-output"]
print("folded")

# %% tags=["hide-input"]
print("only shown")

# %% tags=["remove-cell"]
print("never shown")

# %% tags=["claim-A1"]
print("three?")

# %% tags=["two"]
import torch

loss = torch.tensor(1.0, requires_grad=True) * 2

# %% [markdown]
# [graph: two]
#
# The same once more:
#
# [graph: two]
"""


def publish(root: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "gradclinic.publishing", "--course", str(root)]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)


def with_tags(text: str) -> str:
    return text.replace('["run"]', '["run", "claim-A2"]') + TAGS


@pytest.fixture(scope="module")
def built(make_workshop: Callable[[Path], Any], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The docs of a course that was published once; for tests that only read."""
    workshop = make_workshop(tmp_path_factory.mktemp("built") / "course")
    (workshop.root / "lessons" / "claims" / "A1.py").write_text(CLAIM)
    (workshop.root / "lessons" / "claims" / "A2.py").write_text(TRUE_CLAIM)
    workshop.write(change=with_tags)
    done = publish(workshop.root)
    assert (done.returncode, done.stderr) == (0, "")
    return Path(workshop.root, "docs")


@pytest.fixture
def published(built: Path, tmp_path: Path) -> Path:
    """A copy of it, with its cache, for tests that change something."""
    return Path(shutil.copytree(built.parent, tmp_path / "course"), "docs")


def test_a_lesson_page_has_the_beats_the_outputs_and_everything_folded_that_would_spoil(built: Path) -> None:
    page = (built / "lessons" / "tiny.md").read_text()
    assert page.startswith("---\ntitle: Tiny\ndescription: What does 1 + 1 print?\n---\n\n# 1. Tiny\n")
    assert "5 minutes to read, 7 for the exercise" in page
    printed = '    ``` { .text .gc-output .gc-prints title="prints" }\n    2\n    ```\n'
    assert f'```python\nprint(total)\n```\n\n??? note gc-run "What it prints"\n\n{printed}' in page
    assert "NameError: name 'lost' is not defined" in page
    assert '??? question "Decide first. Then open the answer."\n\n    **A** is what this build measured.\n' in page
    assert '    - **A. two**: right. <span class="gc-because">It adds.</span>\n' in page
    assert '    - **B. three**: no. <span class="gc-because">It does not count the plus.</span>\n' in page
    assert '??? note "What comes out"\n\n    ``` { .text .gc-output .gc-prints title="prints" }\n    folded\n' in page
    assert "only shown" in page
    assert 'print("only shown")' not in page
    assert "never shown" not in page
    assert [page.count(f'??? tip gc-hint "Hint {i} of 3"') for i in (1, 2, 3)] == [1, 1, 1]
    assert page.index("Hint 3 of 3") < page.index("### A solution") < page.index("def two(): return 2")
    assert "who says three?" not in page


def test_a_claim_of_the_run_cell_is_folded_behind_its_output(built: Path) -> None:
    page = (built / "lessons" / "tiny.md").read_text()
    fold = page.partition('??? note gc-run "What it prints"\n\n')[2].partition("```python\nprint(\n")[0]
    assert all(line.startswith("    ") for line in fold.splitlines() if line)
    assert fold.index("\n    2\n") < fold.index('    !!! success "Claim A2 of article A: true"\n')
    assert page.count("Claim A2") == 1


def test_a_picture_that_is_asked_for_twice_has_other_ids_the_second_time(built: Path) -> None:
    page = (built / "lessons" / "tiny.md").read_text()
    ids = re.findall(r' id="([^"]*)"', page)
    assert ids == ["graph-1-title", "graph-1-desc", "graph-2-title", "graph-2-desc"]


def test_page_and_timetable_link_to_the_slides(built: Path) -> None:
    assert [path.name for path in (built / "slides").iterdir()] == ["tiny.html"]
    assert " · [slides](../slides/tiny.html)\n" in (built / "lessons" / "tiny.md").read_text()
    row = "| [1. Tiny](tiny.md) | core | 5 | 7 | 12 | [slides](../slides/tiny.html) |\n"
    assert row in (built / "lessons" / "timetable.md").read_text()


def test_a_claim_stands_before_its_cell_with_what_was_measured(built: Path) -> None:
    page = (built / "lessons" / "tiny.md").read_text()
    box = page.index('!!! failure "Claim A1 of article A: false"\n\n    The article says: One and one is three.\n')
    assert box < page.index('print("three?")')
    assert "1 + 1 = 2, and \\[no link\\], \\*no\\* &lt;b&gt;" in page
    claims = (built / "claims.md").read_text()
    assert "| A1 | One and one is three. | ✗ false | 1 + 1 = 2, and" in claims
    assert "**1 true, 0 half true, 1 false**" in claims


def test_the_pages_around_the_lessons_say_what_the_headers_say(built: Path) -> None:
    timetable = (built / "lessons" / "timetable.md").read_text()
    assert "| [1. Tiny](tiny.md) | core | 5 | 7 | 12 |" in timetable
    assert "| **The whole course** | | 5 min | 7 min | 12 min |" in timetable
    assert "## [1. Tiny](tiny.md)\n\n**Predict**\n\n- Ask: who says three?" in timetable
    assert "| [1. Tiny](tiny.md) | What does 1 + 1 print? | 12 |" in (built / "lessons" / "index.md").read_text()
    symptoms = (built / "symptoms.md").read_text()
    assert "- `NameError: name 'lost' is not defined`: [1. Tiny](lessons/tiny.md)\n" in symptoms
    assert "- nothing happens: [1. Tiny](lessons/tiny.md)\n" in symptoms
    assert "{ #off_the_path }" in (built / "causes.md").read_text()


def test_the_notebook_has_no_header_no_outputs_no_hidden_cells_and_runs(built: Path, tmp_path: Path) -> None:
    path = built / "downloads" / "01_tiny.ipynb"
    notebook = nbformat.read(path, as_version=4)
    assert dict(notebook.metadata) == {
        "kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}
    }
    code = [cell.source for cell in notebook.cells if cell.cell_type == "code"]
    assert code[:2] == ["total = 1 + 1", "print(total)"]
    assert not any("never shown" in source or "gradclinic" in source for source in code)
    assert all(not cell.outputs for cell in notebook.cells if cell.cell_type == "code")
    assert "It adds." not in path.read_text()
    command = [
        sys.executable,
        "-m",
        "nbconvert",
        "--to",
        "notebook",
        "--execute",
        "--output-dir",
        str(tmp_path),
        str(path),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    ran = nbformat.read(tmp_path / "01_tiny.ipynb", as_version=4)
    assert [o.text for cell in ran.cells if cell.source == "print(total)" for o in cell.outputs] == ["2\n"]


def test_what_has_not_changed_is_not_run_and_not_written_again(published: Path) -> None:
    page, stale = published / "lessons" / "tiny.md", published / "lessons" / "gone.md"
    written = page.stat().st_mtime_ns
    stale.write_text("a lesson that was renamed")
    done = publish(published.parent)
    told = sorted(line.partition(",")[0] for line in done.stdout.splitlines())  # claims and lessons run side by side
    assert told == ["01_tiny  unchanged", "2 claims  unchanged"]
    assert page.stat().st_mtime_ns == written
    assert not stale.exists()


def test_a_faulty_lesson_fails_the_build_and_leaves_the_pages_alone(published: Path) -> None:
    before = (published / "lessons" / "tiny.md").read_text()
    lesson = published.parent / "lessons" / "01_tiny" / "lesson.py"
    lesson.write_text(lesson.read_text().replace("print(\n    lost)", "pass"))
    line = lesson.read_text().splitlines().index("pass") + 1
    done = publish(published.parent)
    assert done.returncode == 1
    assert done.stderr.startswith(f"{lesson}:{line}: this cell should raise an error, and it did not.\n")
    assert (published / "lessons" / "tiny.md").read_text() == before


def test_a_claim_that_shows_another_verdict_fails_the_build(published: Path) -> None:
    claim = published.parent / "lessons" / "claims" / "A1.py"
    claim.write_text(CLAIM.replace("verdict: false", "verdict: true"))
    done = publish(published.parent)
    assert done.returncode == 1
    assert f"{claim}:1: claim A1 is recorded as true, and this run says false: 1 + 1 = 2" in done.stderr


PAGE = """\
# By hand

```python
print(1 + 1)
```

```text
3
```

```python
1 / 0
```

```python
print("four")
```

<!-- not run: there is no such name -->

```python
nothing()
```
"""


def test_a_block_of_a_page_by_hand_is_run_and_shows_what_it_prints(published: Path) -> None:
    page = published / "by_hand.md"
    page.write_text(PAGE)
    done = publish(published.parent)
    assert done.returncode == 1
    assert f"{page}:3: this block prints\n    2\n  where the page shows\n    3\n" in done.stderr
    assert f"{page}:11: this block raised:\n" in done.stderr
    assert "ZeroDivisionError: division by zero" in done.stderr
    assert f"{page}:15: this block prints\n    four\n  where the page shows\n    nothing\n" in done.stderr
    assert "nothing()" not in done.stderr
    right = PAGE.replace("\n3\n", "\n2\n").replace("1 / 0", "one = 1").replace('print("four")', "four = 4")
    page.write_text(right)
    assert publish(published.parent).returncode == 0


def test_a_folder_without_a_course_is_wrong_usage(tmp_path: Path) -> None:
    done = publish(tmp_path)
    assert done.returncode == 2
    assert "is no course" in done.stderr
