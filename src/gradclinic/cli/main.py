"""`gradclinic`: reads the arguments and hands over to the command's own module."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TypeAlias

from gradclinic import __version__
from gradclinic.course import CourseError

_ID = "number, name or a clear part of the name: 5, off_the_path, path"


def main(argv: Sequence[str] | None = None) -> int:
    """Runs one command. Returns 0 when done, 1 when the learner's work is not right yet, 2 for a wrong call."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")
    code = _answer(argv)
    if "torch" in sys.modules:
        os._exit(code)  # everything is flushed; taking torch down in good order costs 0.3 s
    return code


def _answer(argv: Sequence[str] | None) -> int:
    arguments = _parser().parse_args(argv)
    try:
        code = int(import_module(f"gradclinic.cli.{arguments.module}").run(arguments))
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = 130
    except BrokenPipeError:  # `gradclinic list | head`: the reader has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 141
    except CourseError as error:
        code = _complain(str(error))
    except OSError as error:
        code = _complain(f"{error.filename}: {error.strerror}." if error.filename else f"{error}.")
    sys.stderr.flush()
    return code


def _complain(text: str) -> int:
    print(f"gradclinic: {text}", file=sys.stderr)
    return 2


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="gradclinic",
        description="Why is my gradient None, zero or wrong, and where did it get lost?",
        epilog="Without a command: where you are and what to do next; on a terminal, it goes on to watch.",
    )
    parser.add_argument("--version", action="version", version=f"gradclinic {__version__}")
    parser.add_argument("--course", type=Path, metavar="DIR", help="a course folder (default: the one you are in)")
    parser.set_defaults(module="status")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    _for_learners(commands)
    _for_authors(commands)
    return parser


_Commands: TypeAlias = "argparse._SubParsersAction[argparse.ArgumentParser]"


def _command(commands: _Commands, name: str, about: str, module: str = "") -> argparse.ArgumentParser:
    parser: argparse.ArgumentParser = commands.add_parser(name, help=about, description=about)
    parser.set_defaults(module=module or name)
    return parser


def _for_learners(commands: _Commands) -> None:
    _command(commands, "list", "Show the exercises and which of them you passed.")
    check = _command(commands, "check", "Check your exercises, or other answers, and say what is wrong and where.")
    check.add_argument("ids", nargs="*", metavar="ID", help=f"{_ID} (default: all)")
    check.add_argument("--answers", type=Path, metavar="PATH", help="check these files instead of those in lessons/")
    check.add_argument("--json", action="store_true", help="print the verdicts as one JSON list")
    check.add_argument("--seed", type=int, metavar="N", help="draw the same inputs as a verdict with this seed")
    check.add_argument("--in-process", action="store_true", help="run the answer in this process, for breakpoint()")
    _command(commands, "watch", "Check the current exercise each time you save it.")
    hint = _command(commands, "hint", "Show one more of the three hints.")
    hint.add_argument("id", metavar="ID", help=_ID)
    solution = _command(commands, "solution", "Show the solution, once you passed.")
    solution.add_argument("id", metavar="ID", help=_ID)
    solution.add_argument("--give-up", action="store_true", help="show it before you passed")
    reset = _command(commands, "reset", "Bring back the exercise as it was. Your file is kept as a backup.")
    reset.add_argument("id", metavar="ID", help=_ID)
    reset.add_argument("--yes", action="store_true", help="do not ask")
    init = _command(commands, "init", "Lay out the course in a new folder.")
    init.add_argument("folder", type=Path, metavar="DIR", help="a folder that does not exist yet, or is empty")
    claims = _command(commands, "claims", "Run every claim of the two articles and show what comes out.")
    claims.add_argument("--json", action="store_true", help="print them as one JSON list")


def _for_authors(commands: _Commands) -> None:
    dev = commands.add_parser("dev", help="For authors of a course.", description="For authors of a course.")
    inner = dev.add_subparsers(title="commands", metavar="COMMAND", required=True)
    check = _command(inner, "check", "Refuse what is missing or wrong in a course.", "dev_check")
    check.add_argument("--quick", action="store_true", help="only what can be told without running anything")
    new = _command(inner, "new", "Lay out the files of a new lesson.", "dev_new")
    new.add_argument("slug", metavar="SLUG", help="the lesson's name, with or without a number: 09_double_backward")
