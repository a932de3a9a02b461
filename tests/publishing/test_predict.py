"""The furniture of a lesson page as it is written: question, hints, solution, downloads, links to the repository."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from gradclinic.course import Course, shipped_root
from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.notebook import downloads
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.page import lesson_page
from gradclinic.publishing.predict import list_of_questions, question
from gradclinic.publishing.reading import read_story
from gradclinic.publishing.repository import Repository, repository

WORKFLOW = shipped_root() / ".github" / "workflows" / "notebooks.yml"


def executed(workshop: Any, printed: str = "2\n") -> ExecutedLesson:
    """The tiny lesson, with outputs laid down here: its cells are text, program, text, print, error."""
    raised = Piece("raises", "line 2: lost)\nNameError: name 'lost' is not defined\n")
    outputs = ((), (), (), (Piece("prints", printed), Piece("warns", "careful\n")), (raised,))
    return ExecutedLesson(read_story(workshop.course.lessons[0]), outputs, {}, (), "2.9.1+cpu", "2026-01-02")


def page_of(workshop: Any, where: Repository | None = None) -> str:
    return lesson_page(workshop.course, executed(workshop), {}, where)


@pytest.mark.parametrize(("printed", "right"), [("2\n", "0"), ("3\n", "1")])
def test_the_right_choice_is_the_one_that_was_printed(workshop: Any, printed: str, right: str) -> None:
    text = question(workshop.course.lessons[0], printed)
    assert text.startswith(f'<div class="gc-predict" data-lesson="tiny" data-right="{right}" markdown>\n\n**What will ')
    assert f"    **{'AB'[int(right)]}** is what this build measured.\n" in text
    before, _, folded = text.partition('??? question "Decide first. Then open the answer."\n')
    assert "\n- **A.** two\n- **B.** three\n" in before
    assert "It adds." not in before
    reasons = re.findall(r'<span class="gc-because">(.*?)</span>', folded)
    assert reasons == ["It adds.", "It does not count the plus."]


def test_the_script_of_questions_names_lessons_with_a_question_only(workshop: Any) -> None:
    text = list_of_questions(workshop.course.lessons)
    assert json.loads(text.removeprefix("const gradclinicQuestions = ").removesuffix(";\n")) == [
        {"id": "tiny", "title": "1. Tiny"}
    ]
    start, end = "#     predict:\n", "#     notes:\n"
    without = workshop.write(change=lambda old: old[: old.index(start)] + old[old.index(end) :])
    assert list_of_questions([without]) == "const gradclinicQuestions = [];\n"


def test_hints_and_the_second_click_are_marked_for_the_script(workshop: Any) -> None:
    page = page_of(workshop)
    assert re.findall(r'\?\?\? tip gc-hint "(.*)"', page) == ["Hint 1 of 3", "Hint 2 of 3", "Hint 3 of 3"]
    assert '??? note gc-run "What it prints"' in page
    first, second = page.index('??? success gc-solution "Show'), page.index('    ??? success "I have tried: show it"')
    assert first < second < page.index("def two(): return 2")
    assert '```python title="lessons/01_tiny/exercise.py"' in page


def test_the_head_of_the_page_says_what_to_expect(workshop: Any) -> None:
    page = page_of(workshop)
    assert "5 minutes to read, 7 for the exercise · core · run with torch 2.9.1 on 2026-01-02\n" in page
    assert "- Add two numbers.\n" in page
    assert re.findall(r"\]\(\.\./downloads/([^)]*)\)\{ download \}", page) == [
        "01_tiny.ipynb",
        "01_tiny-with-outputs.ipynb",
        "01_tiny.py",
    ]


def test_without_an_address_of_the_repository_there_is_no_link_to_it(workshop: Any) -> None:
    assert repository(workshop.root / "mkdocs.yml") is None  # not there
    (workshop.root / "mkdocs.yml").write_text('site_name: x\nextra:\n  repository: ""\n')
    assert repository(workshop.root / "mkdocs.yml") is None
    page = page_of(workshop)
    assert not re.search(r"colab|edit this", page, re.IGNORECASE)


def test_an_address_in_the_settings_gives_links_to_edit_and_to_colab(workshop: Any) -> None:
    (workshop.root / "mkdocs.yml").write_text("extra:\n  repository: https://github.com/ada/clinic/\n")
    page = page_of(workshop, repository(workshop.root / "mkdocs.yml"))
    assert "[edit this lesson](https://github.com/ada/clinic/edit/main/lessons/01_tiny/lesson.py)" in page
    notebook = "https://colab.research.google.com/github/ada/clinic/blob/notebooks/01_tiny.ipynb"
    assert f"[open in Colab]({notebook})" in page


def test_colab_reads_from_one_place_only(workshop: Any) -> None:
    page = page_of(workshop, Repository("https://git.example/ada/clinic"))
    assert "[edit this lesson](https://git.example/ada/clinic/edit/main/lessons/01_tiny/lesson.py)" in page
    assert "colab" not in page


def test_the_workflow_publishes_the_notebooks_that_colab_is_sent_to() -> None:
    (job,) = yaml.safe_load(WORKFLOW.read_text(encoding="utf-8"))["jobs"].values()
    script = "\n".join(step.get("run", "") for step in job["steps"])
    assert "cp docs/downloads/*.ipynb" in script
    assert "rm -- *-with-outputs.ipynb" in script
    assert "--initial-branch notebooks" in script
    named = re.findall(r"tests/\S+\.py", script)
    assert named
    assert all((shipped_root() / name).is_file() for name in named)


def test_every_lesson_of_the_course_has_a_question_with_a_reason_for_each_choice() -> None:
    for lesson in Course(shipped_root()).lessons:
        assert len(lesson.choices) >= 3, lesson.id
        assert len({choice.text for choice in lesson.choices}) == len(lesson.choices), lesson.id
        assert all(len(choice.because) > 20 for choice in lesson.choices), lesson.id


def test_the_notebook_with_outputs_keeps_prints_warnings_and_errors_apart(workshop: Any) -> None:
    files = downloads(executed(workshop))
    assert set(files) == {"01_tiny.ipynb", "01_tiny-with-outputs.ipynb", "01_tiny.py"}
    cells = [c for c in json.loads(files["01_tiny-with-outputs.ipynb"])["cells"] if c["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in cells] == [1, 2, 3]
    assert [(o["output_type"], o.get("name"), o["text"]) for o in cells[1]["outputs"]] == [
        ("stream", "stdout", ["2\n"]),
        ("stream", "stderr", ["careful\n"]),
    ]
    (error,) = cells[2]["outputs"]
    assert (error["ename"], error["evalue"]) == ("NameError", "name 'lost' is not defined")
    assert error["traceback"] == ["line 2: lost)", "NameError: name 'lost' is not defined"]


def test_the_python_file_is_the_notebook_without_anything_around_it(workshop: Any, tmp_path: Path) -> None:
    text = downloads(executed(workshop))["01_tiny.py"]
    assert text.startswith("# %% [markdown]\n# # Tiny\n#\n# What does 1 + 1 print?\n")
    assert "\n# %%\ntotal = 1 + 1\n" in text
    assert '\n# %% tags=["raises-exception"]\nprint(\n    lost)\n' in text
    assert "gradclinic" not in text
    assert "It adds." not in text
