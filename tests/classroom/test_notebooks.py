"""A notebook becomes the program of its code cells, and what only IPython understands becomes comments."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.classroom import notebooks
from gradclinic.classroom.files import Refused


def program(content: bytes) -> bytes:
    return notebooks.program(content, 1_000_000)


def notebook(*cells: dict[str, Any], major: int = 4, **more: Any) -> bytes:
    return json.dumps({"nbformat": major, "nbformat_minor": 5, "metadata": {}, "cells": list(cells), **more}).encode()


def code(source: str | list[str], **more: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": {}, "source": source, "outputs": [], "execution_count": None, **more}


def of(source: str) -> str:
    """The program of one cell, without the comment above it."""
    first, _, rest = program(notebook(code(source))).decode().partition("\n")
    assert first == "# %% cell 1"
    return rest


def test_the_code_cells_follow_each_other_in_order() -> None:
    text = {"cell_type": "markdown", "metadata": {}, "source": "# exercise: no"}
    output = {"output_type": "stream", "name": "stdout", "text": "print('no')"}
    cells = [text, code(["# exercise: double\n", "a = 1"], outputs=[output]), code(""), code("b = 2\n"), text]
    assert program(notebook(*cells)) == b"# %% cell 2\n# exercise: double\na = 1\n\n# %% cell 4\nb = 2\n"


def test_a_notebook_of_version_3_is_read() -> None:
    sheet = {"cells": [{"cell_type": "code", "language": "python", "input": ["a = 1\n", "b = 2"], "outputs": []}]}
    old = {"nbformat": 3, "nbformat_minor": 0, "metadata": {"name": ""}, "worksheets": [sheet]}
    assert program(json.dumps(old).encode()) == b"# %% cell 1\na = 1\nb = 2\n"


@pytest.mark.parametrize(
    ("source", "plain"),
    [
        ("%matplotlib inline\nx = 1", "# %matplotlib inline\nx = 1\n"),
        ("!pip install torch", "# !pip install torch\n"),
        ("!echo \"don't\nx = 1", "# !echo \"don't\nx = 1\n"),
        ("!ls \\\n  -l\nx = 1", "# !ls \\\n  # -l\nx = 1\n"),
        ("?print\nprint?\nprint??  \nx = a?", "# ?print\n# print?\n# print??  \n# x = a?\n"),
        ("files = !ls\nt = %timeit -o f()", "# files = !ls\n# t = %timeit -o f()\n"),
        ("if x:\n    %pdb\n    y = 1", "if x:\n    pass  # %pdb\n    y = 1\n"),
        ("%%bash\nls\nrm x", "# %%bash\n# ls\n# rm x\n"),
        ("%%time\nx = 1\n!ls", "# %%time\nx = 1\n# !ls\n"),
        ("\n%%capture out\n%%time\nx = 1", "# %%capture out\n# %%time\nx = 1\n"),
        ("%%writefile a.py\ndef f(): ...", "# %%writefile a.py\n# def f(): ...\n"),
        ("x = 1)\n!ls", "x = 1)\n# !ls\n"),
        ("x = 7 % 2\r\ny = 1", "x = 7 % 2\ny = 1\n"),
    ],
)
def test_what_only_ipython_understands_is_a_comment(source: str, plain: str) -> None:
    assert of(source) == plain


@pytest.mark.parametrize(
    "source",
    [
        "x = (7\n% 2)",
        "x = 7 \\\n% 2",
        'x = """\n%matplotlib\n!ls\nwhy?\n"""',
        "x = '''a \\''' \n!ls\n'''",
        "x = 'it\\'s' # isn't it?\ny = [\n  1,  # why?\n]",
        "def f(\n    a,\n):\n    '''What is\n    this?\n    '''\n    return a != 1",
        "print('why?')",
        "x = 'a\\\n%b'",
    ],
)
def test_python_stays_as_it_is(source: str) -> None:
    ast.parse(source)
    assert of(source) == source + "\n"


def test_code_that_does_not_parse_stays_for_the_grader_to_explain() -> None:
    assert of("def f(:\n  x = (\n!ls") == "def f(:\n  x = (\n!ls\n"


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"", "no notebook"),
        (b"{}", "no notebook"),
        (b"[1]", "no notebook"),
        (b'{"nbformat": 4', "no notebook"),
        (notebook(code("x"), major=99), "no notebook"),
        (notebook({"cell_type": "code"}), "no notebook"),
        (notebook(code(7)), "no notebook"),  # type: ignore[arg-type]
        (notebook(code([1, 2])), "no notebook"),  # type: ignore[list-item]
        (b'{"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": 5}', "no notebook"),
        (b'{"nbformat": ' + b"[" * 90_000 + b"]" * 90_000 + b"}", "no notebook"),
        (b'{"nbformat": ' + b"9" * 9_000 + b"}", "no notebook"),
        (b"\xff\xfe{}", "no notebook"),
        (b"[" + b"{}," * 100_001 + b"1]", "too many parts"),
        (notebook(), "without code"),
        (notebook(code("  \n"), {"cell_type": "raw", "metadata": {}, "source": "x"}), "without code"),
    ],
)
def test_a_damaged_notebook_is_refused_in_silence(
    content: bytes, why: str, capfd: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with pytest.raises(Refused, match=why):
        program(content)
    assert capfd.readouterr() == ("", "")
    assert caplog.text == ""


def test_an_invalid_notebook_of_version_3_says_nothing_on_the_terminal(capfd: pytest.CaptureFixture[str]) -> None:
    odd = {"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "evil": "\x1b[31m", "worksheets": [{"cells": []}]}
    with pytest.raises(Refused, match="without code"):
        program(json.dumps(odd).encode())
    assert capfd.readouterr() == ("", "")


def test_the_code_is_limited_and_the_outputs_are_not() -> None:
    picture = {"output_type": "display_data", "metadata": {}, "data": {"image/png": "A" * 2_000_000}}
    assert program(notebook(code("x = 1", outputs=[picture]))) == b"# %% cell 1\nx = 1\n"
    with pytest.raises(Refused, match="larger than 1 MiB"):
        notebooks.program(notebook(code("#" * 2**19), code("#" * (2**19 + 1))), 2**20)


def test_lone_surrogates_become_text() -> None:
    assert of("x = '\ud800'") == "x = '\\ud800'\n"


@given(st.text(st.sampled_from("\"'\\\n#()[]{}%!? ax="), max_size=60))
def test_any_cell_keeps_its_lines(source: str) -> None:
    try:
        plain = of(source)
    except Refused:
        assert not source.strip()
        return
    kept = [line.strip() for line in source.strip().split("\n") if line.strip()]
    found = iter(plain.split("\n"))
    assert all(any(line in other for other in found) for line in kept)


@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.lists(inner, max_size=3)))
def test_any_json_in_the_place_of_the_cells_is_taken_or_refused(cells: object) -> None:
    for make in (notebook_of, worksheet_of):
        try:
            program(make(cells))
        except Refused:
            continue


def notebook_of(cells: object) -> bytes:
    return json.dumps({"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": cells}).encode()


def worksheet_of(cells: object) -> bytes:
    return json.dumps({"nbformat": 3, "nbformat_minor": 0, "metadata": {}, "worksheets": cells}).encode()


@pytest.mark.parametrize(
    "hostile",
    [
        lambda n: '"""' + "\\" * n,
        lambda n: '"' * n,
        lambda n: "?" + " " * n + "x",
        lambda n: "?x" * (n // 2),
        lambda n: "(" * n,
        lambda n: "a " * (n // 2),
        lambda n: "!" + "\\\n" * (n // 2),
        lambda n: "%%time\n" * (n // 7),
        lambda n: "'\n" * (n // 2),
    ],
)
def test_a_megabyte_made_to_be_slow_is_read(hostile: Callable[[int], str]) -> None:
    assert program(notebook(code("x\n" + hostile(900_000)))).startswith(b"# %% cell 1\nx\n")
    program(notebook(code(hostile(900_000))))
