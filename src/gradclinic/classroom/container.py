"""What runs in Gradescope's container: grades the submission that lies there and writes `results/results.json`.

Started as `python -m gradclinic.classroom.container AUTOGRADER`, the folder that holds `source`, `submission`,
`results` and `submission_metadata.json`.
"""

from __future__ import annotations

import json
import platform
import re
import sys
import tempfile
import traceback
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime
from importlib.metadata import version
from pathlib import Path
from secrets import randbits
from typing import Any

from gradclinic import __version__
from gradclinic.classroom.autograder import SETTINGS
from gradclinic.classroom.gradescope import gradescope
from gradclinic.classroom.intake import take_in
from gradclinic.classroom.points import Points
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.rows import Row, counting
from gradclinic.classroom.submission import Submission
from gradclinic.classroom.work import Desk, Settings, Task
from gradclinic.course import Course
from gradclinic.files import write_whole
from gradclinic.grading.limits import Limits

_OURS = re.compile(r"(?P<id>submission)/")  # what else lies there was handed in by nobody
_NO_RESULT = {
    "score": 0,
    "output": "The grader did not come to an end. This is not your fault: please tell your instructor.",
    "output_format": "text",
    "stdout_visibility": "hidden",
}


def main(autograder: Path) -> int:
    """Leaves a results file in any case: Gradescope has nothing to show for a run without one."""
    file = autograder / "results" / "results.json"
    file.parent.mkdir(exist_ok=True)
    write_whole(file, json.dumps(_NO_RESULT))
    try:
        results = graded(autograder)
    except Exception:
        traceback.print_exc()  # to the output that only the instructor sees
        return 1
    write_whole(file, gradescope(results, results.learners[0]))
    return 0


def graded(autograder: Path) -> Results:
    """The class of one learner. All that decides is read before the first line of the submission runs."""
    source = autograder / "source"
    settings = json.loads((source / SETTINGS).read_text(encoding="utf-8"))
    course = Course(source / "course")
    points = Points.parse(settings["points"], course)
    lessons = [course.find(exercise) for exercise in settings["exercises"]]
    learner, late = _learner(autograder / "submission_metadata.json")
    intake = take_in(autograder, course, id_pattern=_OURS)
    given = [
        replace(one, learner=learner.id, origin=one.origin.removeprefix("submission/"), late=late)
        for one in intake.submissions
        if one.exercise in settings["exercises"]
    ]
    return Results(
        exercises=tuple(settings["exercises"]),
        possible={lesson.id: points.possible(lesson) for lesson in lessons},
        learners=(learner,),
        rows=tuple(points.valued(row) for row in _rows(course, given)),
        problems=tuple(
            replace(one, learner=learner.id, origin=one.origin.removeprefix("submission/"))
            for one in intake.problems
            if one.learner
        ),
        facts={"gradclinic": __version__, "torch": version("torch"), "python": platform.python_version()},
    )


def _rows(course: Course, given: Sequence[Submission]) -> list[Row]:
    limits = Limits()
    with tempfile.TemporaryDirectory() as scratch:
        desk = Desk(Settings(str(course.root), limits.seconds, limits.memory_mb), Path(scratch))
        from gradclinic.grading.runner import load_checks  # imports torch

        try:
            for lesson in course.lessons:  # where the machine confines little, a learner could write to them
                load_checks(lesson.check_file)
            rows = [desk.grade(Task(one, randbits(64), "")) for one in given]
        finally:
            desk.close()
    return counting(rows, "last")


def _learner(metadata: Path) -> tuple[Learner, bool]:
    """Who handed in, and whether that was late; Gradescope tells both, a test run on a laptop may not."""
    try:
        told: dict[str, Any] = json.loads(metadata.read_text(encoding="utf-8"))
        user = told["users"][0]
        learner = Learner(str(user["email"]), str(user["name"]), str(user["email"]))
        due = told["assignment"]["due_date"]
        late = bool(due) and datetime.fromisoformat(told["created_at"]) > datetime.fromisoformat(due)
    except (OSError, ValueError, LookupError, TypeError):
        return Learner("learner"), False
    return learner, late


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]).resolve()))
