"""Runs a story's cells in a fresh kernel, with hidden cells between them that keep order and collect graphs."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Any

from gradclinic.publishing.reading import Graph, Story

CELL_SECONDS = 120

_PREPARE = """\
from gradclinic.publishing.streams import keep_order
keep_order()
del keep_order
"""
_COLLECT = """\
from gradclinic.publishing.graph_facts import show as _show
_show(globals(), {root!r}, {seen!r}, {asked!r})
del _show
"""


def hidden_and_visible(story: Story) -> tuple[Any, list[int | Graph | None]]:
    """The notebook to run; for each of its cells the index in the story, the graph that it collects, or None."""
    from nbformat.v4 import new_code_cell, new_notebook

    cells, place = [new_code_cell(_PREPARE)], list[int | Graph | None]([None])
    for i, cell in enumerate(story.cells):
        if cell.kind != "code":
            continue
        cells.append(new_code_cell(cell.source, metadata={"tags": list(cell.tags)}))
        place.append(i)
        for graph in dict.fromkeys(graph for graph, _ in story.graphs if story.cell(graph.cell) == i):
            source = _COLLECT.format(root=graph.root, seen=sorted(cell.names), asked=sorted(story.asked))
            cells.append(new_code_cell(source))
            place.append(graph)
    return new_notebook(cells=cells), place


def run(notebook: Any) -> str:
    """Runs the cells in place, up to the first undeclared error; says why the kernel gave up, if it did."""
    from nbclient import NotebookClient
    from nbclient.exceptions import CellExecutionError, CellTimeoutError, DeadKernelError

    with tempfile.TemporaryDirectory(prefix="gradclinic-") as folder:
        work = Path(folder, "work")
        work.mkdir()
        # A person's own IPython set-up and warning filters must not change what a page shows.
        env = {**os.environ, "OMP_NUM_THREADS": "1", "IPYTHONDIR": folder}
        env.pop("PYTHONWARNINGS", None)
        client = NotebookClient(
            notebook,
            timeout=CELL_SECONDS,
            kernel_name="python3",
            extra_arguments=["--log-level=ERROR"],
            shutdown_kernel="immediate",  # a polite end of a process that holds torch takes half a second
        )
        try:
            client.execute(env=env, cwd=str(work))
        except CellExecutionError:
            return ""  # the cell's own output tells it
        except CellTimeoutError:
            return f"a cell did not end within {CELL_SECONDS} seconds."
        except DeadKernelError:
            return "the kernel died."
    return ""
