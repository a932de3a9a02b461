"""A place is found again exactly, whatever the line holds."""

from __future__ import annotations

import sys
import sysconfig
from pathlib import Path

import torch

from gradclinic.diagnosis.record.site import HIDDEN, LIBRARY, USER, Places, kind_of_file, resolve
from gradclinic.diagnosis.trace import trace


def test_whose_code_a_file_holds() -> None:
    stdlib = Path(sysconfig.get_paths()["stdlib"])
    kinds = [
        kind_of_file(str(Path(torch.__file__).parent / "nn" / "functional.py")),
        kind_of_file(str(stdlib / "copy.py")),
        kind_of_file("<frozen runpy>"),
        kind_of_file(str(stdlib / "site-packages" / "somelib" / "loss.py")),
        kind_of_file("/home/user/train.py"),
        kind_of_file("<stdin>"),
    ]
    assert kinds == [HIDDEN, HIDDEN, HIDDEN, LIBRARY, USER, USER]


def test_columns_count_characters_and_not_bytes() -> None:
    ä = torch.ones(2, requires_grad=True)
    with trace() as seen:
        _ = torch.stack([ä.exp() * 2, ä.detach()])
    site = next(op for op in seen.ops() if op.name == "detach").site
    assert site.column is not None
    assert site.end_column is not None
    assert site.source[site.column : site.end_column] == "ä.detach()"
    assert (Path(site.file), site.function) == (Path(__file__), "test_columns_count_characters_and_not_bytes")


def test_an_expression_over_two_lines_ends_with_its_first_line() -> None:
    with trace() as seen:
        _ = torch.ones(
            2,
        )
    site = next(seen.ops()).site
    assert site.column is not None
    assert site.end_column is not None
    assert site.source[site.column : site.end_column] == "torch.ones("


def test_a_source_that_is_gone_gives_a_line_without_columns() -> None:
    code = compile("def f():\n    return g()\n", "gone.py", "exec").co_consts[0]
    site = resolve(code, 10)
    assert (site.file, site.line, site.column, site.end_column, site.source) == ("gone.py", 2, None, None, "")


def test_a_librarys_line_comes_with_the_users() -> None:
    library: dict[str, object] = {}
    path = str(Path(sysconfig.get_paths()["purelib"], "somelib.py"))
    exec(compile("def loss(a):\n    return a.detach().sum()\n", path, "exec"), library)
    x = torch.ones(2, requires_grad=True)
    with trace() as seen:
        here = sys._getframe().f_lineno + 1
        library["loss"](x)  # type: ignore[operator]
    site = next(op for op in seen.ops() if op.cut).site
    assert (site.file, site.line) == (path, 2)
    assert site.called_from is not None
    assert (site.called_from.file, site.called_from.line) == (__file__, here)


def test_the_same_place_is_stored_once() -> None:
    places = Places()
    frame = sys._getframe()
    found = {places.index(frame) for _ in range(3)}
    assert len(found) == 1
    assert places.site(0).line is None
