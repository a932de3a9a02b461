"""All files of RESULTS that are made at the end, each from the same `Results`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from gradclinic.classroom.autograder import autograder
from gradclinic.classroom.feedback_files import feedback
from gradclinic.classroom.gradebook import filled
from gradclinic.classroom.gradescope import gradescope
from gradclinic.classroom.junit import junit
from gradclinic.classroom.leftovers import only
from gradclinic.classroom.names import file_name
from gradclinic.classroom.plain import one_line
from gradclinic.classroom.points import Points
from gradclinic.classroom.results import Learner, Results
from gradclinic.classroom.summary import summary
from gradclinic.course import Course, CourseError
from gradclinic.files import write_whole


def write_all(
    results: Results,
    out: Path,
    *,
    gradebooks: Sequence[Path] = (),
    course: Course | None = None,
    points: Points | None = None,
) -> list[str]:
    """Writes summary, JUnit file, feedback, files for Gradescope, gradebooks and the report; each whole or not at all.

    Files of learners that only an earlier run knew are removed. The autograder for Gradescope is made where the course
    is given. Returns what an instructor should know of the
    gradebooks, in sentences; one that cannot be read is told there too, since the results must not be lost for it.
    """
    from gradclinic.classroom.report import write_report

    write_whole(out / "summary.csv", summary(results))
    write_whole(out / "junit.xml", junit(results))
    with only(out, [name for learner in results.learners for name in _names(learner)]):
        for learner in results.learners:
            page, told = _names(learner)
            _write_below(out, page, feedback(results, learner).encode())
            _write_below(out, told, gradescope(results, learner))
    if course is not None:
        archive = autograder(course, results.exercises, points or Points())
        _write_below(out, "gradescope/autograder.zip", archive)
    notes = list(_gradebooks(results, out, gradebooks, _titles(results, course)))
    write_report(results, out, course=course)
    return notes


def _names(learner: Learner) -> tuple[str, str]:
    name = file_name(learner.id)
    return f"feedback/{name}.md", f"gradescope/{name}/results.json"


def _write_below(out: Path, name: str, content: bytes) -> None:
    (out / name).parent.mkdir(parents=True, exist_ok=True)
    write_whole(out / name, content)


def _titles(results: Results, course: Course | None) -> dict[str, str]:
    if course is None:
        return {exercise: exercise for exercise in results.exercises}
    return {exercise: course.find(exercise).title for exercise in results.exercises}


def _gradebooks(results: Results, out: Path, files: Iterable[Path], titles: dict[str, str]) -> Iterator[str]:
    used: set[str] = set()
    for file in files:
        try:
            content, notes = filled(file, results, titles)
        except CourseError as error:
            yield str(error)
            continue
        name, again = f"gradebook-{file.stem}.csv", 1
        while name.casefold() in used:
            again += 1
            name = f"gradebook-{file.stem}-{again}.csv"
        used.add(name.casefold())
        write_whole(out / name, content)
        yield from (one_line(f"{name}: {note}.") for note in notes)
    for left in sorted(out.glob("gradebook-*.csv")):
        if left.name.casefold() not in used:
            yield one_line(f"{left.name} is from an earlier run: name its sheet with --gradebook to fill it again.")
