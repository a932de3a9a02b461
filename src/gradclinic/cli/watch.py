"""`gradclinic watch`: a verdict on the current exercise at each save; it goes on to another only when asked."""

from __future__ import annotations

import argparse
import queue
import sys
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from gradclinic.cli import check, hint, reset, saves
from gradclinic.cli import list as listing
from gradclinic.cli.bar import show_bar, show_end
from gradclinic.cli.common import open_course
from gradclinic.cli.console import passing, say, shown
from gradclinic.cli.keys import END, keys
from gradclinic.course import Course, CourseError
from gradclinic.grading.answers import find_answers
from gradclinic.progress import Progress

if TYPE_CHECKING:
    from gradclinic.grading.judge import Judge

_SAVED, _NO_EVENTS, _TICK = "saved", "no events", "tick"
_LOOK_EVERY = 0.5  # seconds: for the saves of which no event tells
_KEYS = "n next  p previous  h hint  l list  c check all  r reset  q quit"


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    passing("importing PyTorch…")
    from gradclinic.grading.judge import Judge  # imports torch

    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    with Judge() as judge, keys(events.put):  # the judge before any thread, since it forks
        saves.listen(course.root / "lessons", lambda: events.put(_SAVED), lambda: events.put(_NO_EVENTS))
        watch = Watch(course, judge)
        watch.check()
        return watch.follow(events)


class Watch:
    """The current exercise, and what was last seen of it. Everything happens in the calling thread."""

    def __init__(self, course: Course, judge: Judge) -> None:
        self._course, self._judge = course, judge
        self._progress = Progress(course.root)
        self._lesson = self._progress.next_lesson(course) or course.lessons[-1]
        self._seen: tuple[int, int, int] | None = None
        self._passed = False
        self._asked_to_reset = False

    def follow(self, events: queue.SimpleQueue[str]) -> int:
        """Acts on saves and keys until the end. Returns the exit code."""
        while True:
            try:
                event = events.get(timeout=_LOOK_EVERY)
            except queue.Empty:
                event = _TICK
            if event == "q":
                return 0
            if event == END:
                return 0 if self._passed else 1
            if event == _NO_EVENTS:
                say(f"This system tells of no saves; the file is looked at every {_LOOK_EVERY} s instead.", "dim")
            elif event in (_SAVED, _TICK):
                self._look(patient=event == _SAVED)
            else:
                self._press(event)

    def _look(self, patient: bool) -> None:
        """Checks if the file changed. A file that is gone or empty may be in the middle of a save: give it a moment."""
        now = saves.look(self._lesson.exercise_file)
        if now != self._seen and not (patient and now is None):
            self.check()

    def check(self) -> None:
        """Grades the current exercise and shows the verdict."""
        self._seen = saves.look(self._lesson.exercise_file)
        say()
        say(f"─── {self._lesson.slug} · {time.strftime('%H:%M:%S')} ───", "title")
        for verdict in check.graded(self._judge, find_answers(self._course, None, [self._lesson])):
            check.remember(verdict)
            check.show(verdict)
            self._passed = verdict.passed
        self._footer()

    def _footer(self) -> None:
        if self._progress.next_lesson(self._course) is None:
            show_end(self._course)
        elif self._passed:
            say("Try other ways if you like. `n` goes on to the next exercise.")
        show_bar(self._course)
        say(shown(self._lesson.exercise_file), "code")
        if sys.stdin.isatty():
            say(_KEYS, "dim")

    def _press(self, key: str) -> None:
        if self._asked_to_reset:
            self._asked_to_reset = False
            self._reset(key == "y")
            return
        match key:
            case "n" | "p":
                self._move(1 if key == "n" else -1)
            case "h":
                self._try(lambda: hint.show(self._lesson))
            case "l":
                listing.show(self._course, self._lesson)
            case "c":
                self._check_all()
            case "r":
                self._try(self._ask_to_reset)
            case _ if key.strip():
                say(f"`{key}` is no key here: {_KEYS}", "dim")

    def _move(self, by: int) -> None:
        """To the neighbour; after the last comes the first that is still open."""
        order = self._course.lessons
        place = order.index(self._lesson) + by
        if place < 0:
            say("This is the first exercise.")
            return
        onward = order[place] if place < len(order) else self._progress.next_lesson(self._course)
        if onward is None:
            show_end(self._course)
            return
        self._lesson = onward
        check.stand_at(onward)
        self.check()

    def _check_all(self) -> None:
        for verdict in check.graded(self._judge, find_answers(self._course)):
            check.remember(verdict)
            check.show_briefly(verdict)
        self._footer()

    def _ask_to_reset(self) -> None:
        if reset.is_untouched(self._lesson):
            say(f"{shown(self._lesson.exercise_file)} is as it was. There is nothing to reset.")
        else:
            self._asked_to_reset = True
            say(f"Reset {self._lesson.slug}? Your file is kept as a backup. y/N")

    def _reset(self, agreed: bool) -> None:
        if agreed:
            self._try(lambda: reset.do(self._lesson))
            self.check()
        else:
            say("Nothing was changed.")

    def _try(self, action: Callable[[], None]) -> None:
        """What cannot be done is said, and watching goes on."""
        try:
            action()
        except CourseError as error:
            say(str(error), "bad")
