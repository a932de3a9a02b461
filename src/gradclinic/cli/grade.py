"""`gradclinic grade`: a folder of submissions, graded in confined processes, told in every form that is needed."""

from __future__ import annotations

import argparse
import errno
from collections import Counter
from contextlib import closing
from pathlib import Path

from gradclinic.causes import CAUSES
from gradclinic.classroom.crew import Crew, Workers, cores
from gradclinic.classroom.folder import ResultsFolder
from gradclinic.classroom.grade import Class, Grading
from gradclinic.classroom.gradebook import recognised
from gradclinic.classroom.intake import take_in
from gradclinic.classroom.joining import listed
from gradclinic.classroom.outputs import write_all
from gradclinic.classroom.plain import count
from gradclinic.classroom.points import Points
from gradclinic.classroom.results import Results
from gradclinic.classroom.roster import read_roster
from gradclinic.classroom.work import Settings
from gradclinic.cli.common import open_course
from gradclinic.cli.console import note, say, shown
from gradclinic.cli.counting import Progress
from gradclinic.course import CourseError
from gradclinic.grading.limits import Limits

_NO_ROOM = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)  # EDQUOT, EFBIG: of this person, for one file
_COMMON = 3  # causes that are told at the end


def run(arguments: argparse.Namespace) -> int:
    asked = _asked(arguments)
    if not arguments.submissions.exists():
        raise CourseError(f"There is no folder {arguments.submissions}. Name the folder that holds the submissions.")
    if arguments.out.resolve().is_relative_to(arguments.submissions.resolve()):
        raise CourseError(
            f"{arguments.out} lies in the folder of the submissions and would be taken for one of them. "
            "Name a folder beside it with --out."
        )
    folder = ResultsFolder(arguments.out)
    with folder.open() as scratch, closing(_workers(arguments, asked, scratch)) as workers:
        if arguments.require_isolation:
            workers.surroundings.require(arguments.require_isolation)
        grading = Grading(asked, workers.surroundings, folder)
        try:
            _round(arguments, grading, workers)
            if arguments.watch:
                _watch(arguments, grading, workers)
        except KeyboardInterrupt:
            note("")
            note(f"Stopped. What is done is kept in {shown(folder.journal.file)}; the same command goes on from there.")
            return 0 if arguments.watch else 130
        except OSError as error:
            if error.errno not in _NO_ROOM:
                raise
            raise CourseError(
                f"There is no room left to write in {shown(arguments.out)} ({error.strerror}). Make some; what is done "
                "is kept, and the same command goes on from there."
            ) from None
    return 0


def _asked(arguments: argparse.Namespace) -> Class:
    course = open_course(arguments)
    for gradebook in arguments.gradebook:
        recognised(gradebook)  # a wrong one is told before the work and not after it
    lessons = [course.find(name) for name in dict.fromkeys(arguments.exercise)] or course.lessons
    return Class(
        course,
        tuple(lesson for lesson in course.lessons if lesson in lessons),
        Limits(seconds=arguments.seconds, memory_mb=arguments.memory),
        Points.parse(arguments.points, course),
        tuple(read_roster(arguments.roster)) if arguments.roster else (),
        arguments.attempts,
        arguments.retry,
    )


def _workers(arguments: argparse.Namespace, asked: Class, scratch: Path) -> Workers:
    settings = Settings(str(asked.course.root), asked.limits.seconds, asked.limits.memory_mb)
    if arguments.dask:
        from gradclinic.classroom.cluster import Cluster

        return Cluster(arguments.dask, settings)
    return Crew(settings, arguments.jobs or cores(), scratch)


def _round(arguments: argparse.Namespace, grading: Grading, workers: Workers, *, only_with_work: bool = False) -> None:
    """One look at the submissions, all work that it finds, and the outputs."""
    intake = take_in(arguments.submissions, grading.asked.course, id_pattern=arguments.id_pattern, due=arguments.due)
    found = grading.look(intake)
    if only_with_work and not found.tasks:
        return
    reused = len(found.rows)
    with Progress(len(found.tasks), "answers graded") as progress:
        for _ in grading.work(found, workers):
            progress.advance()
    results = grading.results(found, intake)
    asked = grading.asked
    told = write_all(results, arguments.out, gradebooks=arguments.gradebook, course=asked.course, points=asked.points)
    _sum_up(results, reused)
    for sentence in told:
        say(sentence)
    say(f"Report: {shown(arguments.out / 'report.html')}")


def _watch(arguments: argparse.Namespace, grading: Grading, workers: Workers) -> None:
    from watchfiles import watch

    say(f"Waiting for new submissions in {shown(arguments.submissions)}. Ctrl-C ends it.", "dim")
    begun = False
    for changes in watch(arguments.submissions, step=200, rust_timeout=500, yield_on_timeout=True):
        if changes:
            _round(arguments, grading, workers)
        elif not begun:  # what came after the first look and before the watch is no change that it sees
            _round(arguments, grading, workers, only_with_work=True)
        begun = True


def _sum_up(results: Results, reused: int) -> None:
    graded = len(results.rows) - reused
    known = f", {reused} known from before" if reused else ""
    size = f"{count(len(results.learners), 'learner')}, {count(len(results.exercises), 'exercise')}"
    say(f"{count(graded, 'answer')} graded{known}; {size}.")
    counted = [row for row in results.rows if row.counts]
    passed = sum(row.passed for row in counted)
    say(f"{passed} of {len(counted)} answers pass.", "good" if passed == len(counted) else "plain")
    causes = Counter(row.root or row.cause for row in counted if not row.passed)
    for cause, times in causes.most_common(_COMMON):
        if cause in CAUSES:
            say(f"  {times} × {cause}: {CAUSES[cause].title}", "cause")
    if results.problems:
        say(f"{count(len(results.problems), 'problem')} with what was handed in; the report names each.", "bad")
    answered = {row.learner for row in results.rows} | {problem.learner for problem in results.problems}
    _name("handed in nothing", [learner.id for learner in results.learners if learner.id not in answered])
    _name("not on the roster", [learner.id for learner in results.learners if not learner.on_roster])
    say(f"Isolation: {results.facts['isolation']}", "dim")


def _name(what: str, learners: list[str]) -> None:
    if learners:
        say(f"{count(len(learners), 'learner')} {what}: {listed(learners)}.")
