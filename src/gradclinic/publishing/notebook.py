"""A lesson as a notebook to download: no outputs, no header, no hidden cells."""

from __future__ import annotations

from gradclinic.publishing.reading import Story, without_graphs


def notebook_text(story: Story) -> str:
    """The notebook as JSON, the same for the same lesson. Hints, answers and notes stay on the site."""
    import nbformat
    from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

    lesson = story.lesson
    cells = [new_markdown_cell(f"# {lesson.title}\n\n{lesson.question}")]
    for cell in story.cells:
        if cell.kind == "markdown":
            cells.append(new_markdown_cell(without_graphs(cell.source)))
        elif "remove-cell" not in cell.tags:
            declared = {"tags": ["raises-exception"]} if "raises-exception" in cell.tags else {}
            cells.append(new_code_cell(cell.source, metadata=declared))
        if "predict" in cell.tags and lesson.choices:
            choices = "\n".join(f"- {choice.text}" for choice in lesson.choices)
            cells.append(new_markdown_cell(f"**{lesson.ask}**\n\n{choices}"))
    for i, cell in enumerate(cells):
        cell["id"] = f"cell-{i}"  # nbformat draws them at random
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = new_notebook(cells=cells, metadata=kernel)
    nbformat.validate(notebook)
    return str(nbformat.writes(notebook)) + "\n"
