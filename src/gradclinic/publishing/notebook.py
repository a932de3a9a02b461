"""A lesson to take along: a notebook, with or without outputs, and a percent file. No header, no hidden cells."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from gradclinic.publishing.execute import ExecutedLesson
from gradclinic.publishing.outputs import Piece
from gradclinic.publishing.reading import Story, without_graphs

_KERNEL = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
_ERROR = re.compile(r"(?:line \d+: .*\n)?([\w.]+): (.*)", re.DOTALL)


def downloads(executed: ExecutedLesson) -> dict[str, str]:
    """File name and text of each form. Hints, answers and notes stay on the site."""
    slug, story = executed.story.lesson.slug, executed.story
    return {
        f"{slug}.ipynb": _text(_notebook(story)),
        f"{slug}-with-outputs.ipynb": _text(_notebook(story, executed.outputs)),
        f"{slug}.py": _percent(_notebook(story)),
    }


def _notebook(story: Story, outputs: Sequence[Sequence[Piece]] = ()) -> Any:
    """The same for the same lesson. `outputs` has an entry for each cell of the story."""
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    lesson = story.lesson
    cells = [new_markdown_cell(f"# {lesson.title}\n\n{lesson.question}")]
    count = 0
    for i, cell in enumerate(story.cells):
        if cell.kind == "markdown":
            cells.append(new_markdown_cell(without_graphs(cell.source)))
        elif "remove-cell" not in cell.tags:
            declared = {"tags": ["raises-exception"]} if "raises-exception" in cell.tags else {}
            cells.append(new_code_cell(cell.source, metadata=declared))
            if outputs:
                count += 1
                cells[-1].execution_count = count
                cells[-1].outputs = list(_outputs(outputs[i], count))
        if "predict" in cell.tags and lesson.choices:
            choices = "\n".join(f"- {choice.text}" for choice in lesson.choices)
            cells.append(new_markdown_cell(f"**{lesson.ask}**\n\n{choices}"))
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"  # nbformat draws them at random
    return new_notebook(cells=cells, metadata=_KERNEL)


def _outputs(pieces: Sequence[Piece], count: int) -> Iterator[Any]:
    from nbformat.v4 import new_output

    for kind, text in ((piece.kind, piece.text) for piece in pieces):
        if kind in ("prints", "warns"):
            yield new_output("stream", name="stdout" if kind == "prints" else "stderr", text=text)
        elif kind == "raises":
            name, message = _ERROR.fullmatch(text.rstrip("\n")).groups()  # type: ignore[union-attr]
            yield new_output("error", ename=name, evalue=message, traceback=text.rstrip("\n").split("\n"))
        elif kind == "shows":
            yield new_output("execute_result", execution_count=count, data={"text/plain": text.rstrip("\n")})
        else:
            yield new_output("display_data", data={"image/svg+xml": text, "text/plain": "<a picture>"})


def _text(notebook: Any) -> str:
    import nbformat

    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"


def _percent(notebook: Any) -> str:
    import jupytext

    notebook.metadata["jupytext"] = {"notebook_metadata_filter": "-all", "cell_metadata_filter": "tags,-all"}
    return str(jupytext.writes(notebook, fmt="py:percent"))
