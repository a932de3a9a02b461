"""`python -m gradclinic.publishing`: executes the lessons and writes the pages that mkdocs builds."""

from __future__ import annotations

import argparse
import sys
from importlib.util import find_spec
from pathlib import Path

from gradclinic.course import CourseError, find_course

_NEEDED = ("jupytext", "nbclient", "nbformat", "ipykernel")


def main() -> int:
    """0: written; 1: a lesson is not as it says; 2: wrong usage."""
    parser = argparse.ArgumentParser(prog="python -m gradclinic.publishing", description=__doc__)
    parser.add_argument("--course", type=Path, metavar="DIR", help="the course folder (default: the one around here)")
    given = parser.parse_args().course
    absent = [name for name in _NEEDED if find_spec(name) is None]
    if absent:
        print(f"The site needs {', '.join(absent)}. Install it with: pip install 'gradclinic[site]'", file=sys.stderr)
        return 2
    from gradclinic.publishing.build import build

    try:
        problems = build(find_course(given=given), lambda line: print(line, flush=True))
    except CourseError as error:
        print(error, file=sys.stderr)
        return 2
    for problem in problems:
        print(problem, file=sys.stderr)
    if problems:
        print(f"{len(problems)} problems; no page was written.", file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    raise SystemExit(main())
