"""Runs one short program in this process, plain or under the trace, and keeps what it put out. Called in a fork."""

from __future__ import annotations

import linecache
import os
import sys
import tempfile
import traceback
import types
from dataclasses import asdict
from typing import Any

from gradclinic.diagnosis.graph import Facts
from gradclinic.diagnosis.tell.picture import LARGEST
from gradclinic.publishing.graph_facts import collect
from gradclinic.publishing.outputs import Piece, joined
from gradclinic.publishing.reading import Cell
from gradclinic.publishing.scrub import scrub, short_traceback

NAME = "program.py"


def run_program(source: str, name: str = NAME) -> dict[str, Any]:
    """The `pieces` that the program put out, in order; an error is the last of them."""
    pieces, _, _ = run(source, name)
    return {"pieces": _plain(pieces)}


def ask_program(source: str, question: str, values: bool) -> dict[str, Any]:
    """The same under `trace(values)`, and what is `said`: by explain to its error, else by the question.

    `graph` is the path that the diagnosis shows; where it shows none, what lies behind `loss`.
    """
    from gradclinic import diagnose, explain, trace

    with trace(values):
        pieces, names, error = run(source)
        asked = compile(question.strip(), "question", "eval")
        said = explain(error) if error is not None else eval(asked, {**names, "diagnose": diagnose})
    symptoms = [finding.cause.id for finding in said.findings if finding.role == "symptom"]
    graph = said.path or _behind_loss(Cell("code", source, (), 1), names)
    drawn = asdict(graph) if graph and len(graph.nodes) <= LARGEST else None
    told = {"cause": said.cause.id if said.cause else None, "symptoms": symptoms, "ok": said.ok, "graph": drawn}
    return {"pieces": _plain(pieces), "said": {**told, "summary": said.summary, "text": scrub(str(said))}}


def _behind_loss(program: Cell, names: dict[str, Any]) -> Facts | None:
    """None where an error came before there was a loss."""
    try:
        return collect(names, "loss", program.names, program.asked)
    except LookupError:
        return None


def run(source: str, name: str = NAME) -> tuple[list[Piece], dict[str, Any], Exception | None]:
    module = sys.modules["__main__"] = types.ModuleType("__main__")
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    pieces: list[Piece] = []
    streams = sys.stdout, sys.stderr
    sys.stdout, sys.stderr = _Stream("prints", pieces), _Stream("warns", pieces)
    try:
        with tempfile.TemporaryDirectory(prefix="gradclinic-") as folder:
            os.chdir(folder)
            exec(compile(source, name, "exec"), vars(module))
    except Exception as error:
        pieces.append(Piece("raises", _short(error, name)))
        return pieces, vars(module), error
    finally:
        os.chdir("/")
        sys.stdout, sys.stderr = streams
    return pieces, vars(module), None


def _short(error: Exception, name: str) -> str:
    """The line of the program, and what PyTorch says."""
    lines = [frame for frame in traceback.extract_tb(error.__traceback__) if frame.filename == name]
    if not lines:
        return f"{type(error).__name__}: {error}\n"
    return short_traceback(type(error).__name__, str(error), lines[-1].line or "", lines[-1].lineno or 0)


def _plain(pieces: list[Piece]) -> list[dict[str, str]]:
    return [asdict(piece) for piece in joined(pieces)]


class _Stream:
    """Stands for stdout or stderr: both write into one list, so the order is that of the program."""

    def __init__(self, kind: str, pieces: list[Piece]) -> None:
        self._kind, self._pieces = kind, pieces

    def write(self, text: str) -> int:
        self._pieces.append(Piece(self._kind, text))
        return len(text)

    def flush(self) -> None:
        pass
