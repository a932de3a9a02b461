"""The options of `gradclinic grade`."""

from __future__ import annotations

import argparse
import re
from datetime import datetime
from pathlib import Path

from gradclinic.grading.isolation import LEVELS


def add(parser: argparse.ArgumentParser) -> None:
    """Adds them to the parser of the command."""
    option = parser.add_argument
    about = "a folder with one entry per learner, or the archive that a platform made of it"
    option("submissions", type=Path, metavar="SUBMISSIONS", help=about)
    about = "the folder for results: a new one, or one of an earlier run"
    option("--out", type=Path, metavar="RESULTS", required=True, help=about)
    about = "only this exercise (default: all; may be repeated)"
    option("--exercise", action="append", default=[], metavar="ID", help=about)
    option("--roster", type=Path, metavar="FILE", help="a CSV of the class: who handed in nothing is told, too")
    about = "a sheet exported from Moodle or Canvas, to be filled in (may be repeated)"
    option("--gradebook", type=Path, action="append", default=[], metavar="FILE", help=about)
    about = "points of each check: N, EXERCISE=N or EXERCISE.CHECK=N (default: 1 for each; may be repeated)"
    option("--points", action="append", default=[], metavar="N", help=about)
    about = "which of several attempts counts (default: last)"
    option("--attempts", choices=("best", "last"), default="last", help=about)
    option("--due", type=moment, metavar="TIME", help="what is newer is marked late, such as '2027-03-01 18:00'")
    about = "a regular expression for paths below SUBMISSIONS, with (?P<id>...) around the learner"
    option("--id-pattern", type=pattern, metavar="REGEX", help=about)
    about = "time for all checks of one answer (default: 10)"
    option("--seconds", type=above_zero, default=10.0, metavar="N", help=about)
    about = "memory for the code of one answer, beyond PyTorch (default: 512)"
    option("--memory", type=count, default=512, metavar="MB", help=about)
    option("--jobs", type=count, metavar="N", help="how many answers are graded at once (default: one per core)")
    about = "a Dask scheduler, such as tcp://host:8786, whose workers grade instead of this machine"
    option("--dask", metavar="ADDRESS", help=about)
    option("--retry", action="store_true", help="grade timeouts and crashes again")
    option("--watch", action="store_true", help="go on, and grade new submissions as they come")
    about = f"refuse to grade if this machine confines less: {', '.join(reversed(LEVELS[1:]))} or {LEVELS[0]}"
    option("--require-isolation", metavar="LEVEL", help=about)


def moment(text: str) -> datetime:
    """A local date and time, such as `2027-03-01 18:00`, for argparse."""
    try:
        return datetime.fromisoformat(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no date and time such as 2027-03-01 18:00") from None


def pattern(text: str) -> re.Pattern[str]:
    """A regular expression that names the learner, for argparse."""
    try:
        found = re.compile(text)
    except re.error as error:
        raise argparse.ArgumentTypeError(f"{text!r} is no regular expression: {error}") from None
    if "id" not in found.groupindex:
        raise argparse.ArgumentTypeError("it names no learner: put (?P<id>...) around the part that does")
    return found


def above_zero(text: str) -> float:
    """A number above zero, for argparse."""
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not 0 < value < float("inf"):
        raise argparse.ArgumentTypeError(f"{text!r} is no number above 0")
    return value


def count(text: str) -> int:
    """A whole number above zero, for argparse."""
    if not (text.isascii() and text.isdigit() and 0 < int(text) < 10_000):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number above 0")
    return int(text)
