"""`gradclinic solution ID`: the reference answer, after passing or with `--give-up`."""

from __future__ import annotations

import argparse
import sys

from gradclinic.cli.common import open_course
from gradclinic.cli.console import note, printable, shown
from gradclinic.cli.originals import solution_file
from gradclinic.files import regular
from gradclinic.progress import Progress


def run(arguments: argparse.Namespace) -> int:
    lesson = open_course(arguments).find(arguments.id)
    if not arguments.give_up and lesson.id not in Progress(lesson.root).passed():
        note(f"{lesson.id} is not passed yet, and finding it yourself teaches more than reading it.")
        note(f"`gradclinic hint {lesson.id}` helps a step further; --give-up shows the solution now.")
        return 1
    file = solution_file(lesson)
    note(shown(file))
    print(printable(regular(file).read_text(encoding="utf-8"), sys.stdout.encoding), end="")
    return 0
