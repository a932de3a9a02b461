"""`gradclinic run`: another program under the trace, and after it the report on its gradients."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import NoReturn

_ABOUT = """Run a program unchanged, and say afterwards which gradients were None, why, and which line cut them.

The program keeps its arguments, its input, its output and its exit status; the report follows on stderr."""


def prepared(words: Sequence[str]) -> Callable[[], None]:
    """Reads the command line and returns what runs the program. Exits with 2 if there is nothing to run."""
    options, name, arguments, is_module = _split(words)
    parser = _parser()
    chosen = parser.parse_args(options)
    if name is None:
        _refuse("Which program? Write `gradclinic run script.py`, or `gradclinic run -m module`.")
    _look_for(name, is_module)
    file = _target(chosen.report)

    from gradclinic.diagnosis.run.program import Program  # what follows imports torch
    from gradclinic.diagnosis.run.session import run

    return lambda: run(Program(name, tuple(arguments), is_module), values=chosen.values, json=chosen.json, file=file)


def run(_: argparse.Namespace) -> int:
    """Reached only with options of `gradclinic` before the command's name."""
    _refuse("`run` takes none of the options before it: write `gradclinic run …`.")


def _split(words: Sequence[str]) -> tuple[list[str], str | None, list[str], bool]:
    """Our options, the program, and what is the program's: everything after its name."""
    options: list[str] = []
    rest = list(words)
    while rest:
        word = rest.pop(0)
        if word == "-m":
            return options, rest[0] if rest else None, rest[1:], True
        if word.startswith("-m"):
            return options, word[2:], rest, True
        if not word.startswith("-") or word == "-":
            return options, word, rest, False
        options.append(word)
        if word == "--report" and rest:
            options.append(rest.pop(0))
    return options, None, [], False


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradclinic run",
        usage="%(prog)s [options] script.py [arguments]\n       %(prog)s [options] -m module [arguments]",
        description=_ABOUT,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--values", action="store_true", help="find where a zero or a nan begins, too (more memory)")
    parser.add_argument("--report", type=Path, metavar="FILE", help="write the report to this file, not to stderr")
    parser.add_argument("--json", action="store_true", help="the report as JSON")
    return parser


def _look_for(name: str, is_module: bool) -> None:
    if is_module:
        where = None if sys.flags.safe_path else os.getcwd()
        if where is not None:
            sys.path[0] = where
        try:
            missing = not name or name.startswith(".") or find_spec(name.partition(".")[0]) is None
        except (ImportError, ValueError):
            missing = True
        if missing:
            _refuse(f"There is no module {name!r} here or among the installed ones.")
        return
    if os.path.isdir(name):
        _refuse(f"{name} is a folder. Name the script in it.")
    try:
        with open(name, "rb"):
            pass
    except OSError as error:
        _refuse(f"The script {name} cannot be read: {error.strerror or error}.")


def _target(given: Path | None) -> Path | None:
    """The file of the report: told now if it cannot be written, not after an hour; one for each process of a group."""
    if given is None:
        return None
    if os.environ.get("WORLD_SIZE", "1") != "1" and os.environ.get("RANK"):
        given = given.with_name(f"{given.stem}.{os.environ['RANK']}{given.suffix}")
    try:
        with open(given, "ab"):
            pass
    except OSError as error:
        _refuse(f"The report cannot be written to {given}: {error.strerror or error}.")
    return given.absolute()


def _refuse(text: str) -> NoReturn:
    print(f"gradclinic: {text}", file=sys.stderr)
    raise SystemExit(2)
