"""A lesson file becomes cells that know their lines, their names and their pictures."""

from __future__ import annotations

from typing import Any

import pytest

from gradclinic.course import CourseError
from gradclinic.publishing.reading import Graph, at_graphs, read_story, without_graphs


def test_each_cell_knows_its_kind_its_tags_and_the_line_where_it_starts(workshop: Any) -> None:
    story = read_story(workshop.write())
    lines = story.lesson.lesson_file.read_text().splitlines()
    assert [cell.kind for cell in story.cells] == ["markdown", "code", "markdown", "code", "code"]
    assert [lines[cell.line - 1] for cell in story.cells] == [
        "# ## Predict",
        "total = 1 + 1",
        "# ## Run",
        "print(total)",
        "print(",
    ]
    assert story.cells[4].tags == ("asking", "raises-exception")
    assert story.cell("run") == 3
    assert story.cell("nowhere") is None


def test_the_asked_variables_are_those_whose_gradient_the_code_wants(workshop: Any) -> None:
    cells = """
# %%
a.grad; b.retain_grad(); c.register_hook(print); torch.autograd.grad(d, [e, f]); g.data; h.item()
"""
    assert read_story(workshop.write(cells)).asked == {"a", "b", "c", "e", "f"}


def test_a_picture_is_asked_for_on_a_line_of_its_own(workshop: Any) -> None:
    cells = """
# %% [markdown]
# Look:
#
# [graph: run]
#
# Not this: a [graph: run] within a line.
#
# [graph: run root=total]

# %% tags=["run"]
total = 1
"""
    story = read_story(workshop.write(cells))
    assert [graph for graph, _ in story.graphs] == [Graph("run", "loss"), Graph("run", "total")]
    lines = story.lesson.lesson_file.read_text().splitlines()
    assert [lines[line - 1] for _, line in story.graphs] == ["# [graph: run]", "# [graph: run root=total]"]


@pytest.mark.parametrize(
    ("directive", "told"),
    [
        ("[graph: nowhere]", "no code cell is tagged nowhere; the tags are run."),
        ("[graph: run top=y]", "write [graph: cell] or [graph: cell root=y], not [graph: run top=y]."),
    ],
)
def test_a_picture_that_cannot_be_found_is_refused_at_its_line(workshop: Any, directive: str, told: str) -> None:
    lesson = workshop.write(f'\n# %% [markdown]\n# Look.\n#\n# {directive}\n\n# %% tags=["run"]\nloss = 1\n')
    line = lesson.lesson_file.read_text().splitlines().index(f"# {directive}") + 1
    with pytest.raises(CourseError) as caught:
        _ = read_story(lesson).graphs
    assert str(caught.value) == f"{lesson.lesson_file}:{line}: {told}"


def test_a_marker_inside_a_string_is_refused_rather_than_misread(workshop: Any) -> None:
    lesson = workshop.write("\ntext before the first marker = 1\n\n# %%\nprint(1)\n")
    with pytest.raises(CourseError, match=r"1 lines start with `# %%`, but 2 cells were read"):
        read_story(lesson)


def test_a_page_gets_the_pictures_in_place_and_a_notebook_none() -> None:
    markdown = "One.\n\n[graph: a]\n\nTwo.\n[graph: b root=y]\nThree."
    pieces = [(text.strip(), graph) for text, graph in at_graphs(markdown)]
    assert pieces == [("One.", Graph("a", "loss")), ("Two.", Graph("b", "y")), ("Three.", None)]
    assert without_graphs(markdown) == "One.\n\nTwo.\n\nThree."
