"""`gradclinic watch`: a verdict on the current exercise at each save; it goes on to another only when asked."""

from __future__ import annotations

import argparse
import queue
import sys
import time
from typing import TYPE_CHECKING

from gradclinic.cli import check, hint, reset, saves
from gradclinic.cli import list as listing
from gradclinic.cli.bar import show_bar, show_end, show_lesson
from gradclinic.cli.common import open_course, tell_name
from gradclinic.cli.console import in_words, passing, say, shown
from gradclinic.cli.keys import END, keys
from gradclinic.course import Course, CourseError, Lesson
from gradclinic.grading.answers import find_answers
from gradclinic.progress import Progress

if TYPE_CHECKING:
    from gradclinic.grading.judge import Judge

_SAVED, _NO_EVENTS, _TICK = "saved", "no events", "tick"
_LOOK_EVERY = 0.5  # seconds: for the saves of which no event tells
_KEYS = "n next  p previous  h hint  l list  c check all  r reset  q quit"


def run(arguments: argparse.Namespace) -> int:
    course = open_course(arguments)
    lesson = _current(course)
    say(lesson.slug, "title")
    show_lesson(lesson)
    return follow(course)


def follow(course: Course) -> int:
    """Watches the current exercise until the learner leaves. Returns the exit code."""
    try:
        code = _watch(course)
    except KeyboardInterrupt:  # a way to leave like `q`: no error, neither to a shell nor to make
        code = 0
    if sys.stdin.isatty():
        tell_name()
    return code


def _watch(course: Course) -> int:
    passing("importing PyTorch…")
    from gradclinic.grading.judge import Judge  # imports torch

    events: queue.SimpleQueue[str] = queue.SimpleQueue()
    with Judge() as judge, keys(events.put):  # the judge before any thread, since it forks
        saves.listen(course.root / "lessons", lambda: events.put(_SAVED), lambda: events.put(_NO_EVENTS))
        watch = Watch(course, judge)
        watch.check()
        return watch.follow(events)


def _current(course: Course) -> Lesson:
    return Progress(course.root).next_lesson(course) or course.lessons[-1]


class Watch:
    """The current exercise, and what was last seen of it. Everything happens in the calling thread."""

    def __init__(self, course: Course, judge: Judge) -> None:
        self._course, self._judge = course, judge
        self._progress = Progress(course.root)
        self._lesson = _current(course)
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
                self._try(event)

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
            check.show(verdict)
            check.remember(verdict)
            self._passed = verdict.passed
        self._footer()

    def _footer(self) -> None:
        with check.tolerant():
            if self._progress.next_lesson(self._course) is None:
                show_end(self._course)
            elif self._passed:
                say("Try other ways if you like. `n` goes on to the next exercise.")
            show_bar(self._course)
        say(shown(self._lesson.exercise_file), "code")
        if sys.stdin.isatty():
            say(_KEYS, "dim")

    def _try(self, key: str) -> None:
        """What cannot be done is said, and watching goes on."""
        try:
            self._press(key)
        except (CourseError, OSError) as error:
            say(in_words(error), "bad")

    def _press(self, key: str) -> None:
        if self._asked_to_reset:
            self._asked_to_reset = False
            self._reset(key == "y")
            return
        match key:
            case "n" | "p":
                self._move(1 if key == "n" else -1)
            case "h":
                hint.show(self._lesson, "press h")
            case "l":
                listing.show(self._course, self._lesson)
            case "c":
                self._check_all()
            case "r":
                self._ask_to_reset()
            case _ if key.strip():
                say(f"`{key}` is no key here: {_KEYS}", "dim")

    def _move(self, by: int) -> None:
        """To the neighbour; after the last comes the first of the others that is still open."""
        order = self._course.lessons
        place = order.index(self._lesson) + by
        if place < 0:
            say("This is the first exercise.")
        elif place < len(order):
            self._go_to(order[place])
        else:
            self._go_on_from_the_last()

    def _go_on_from_the_last(self) -> None:
        passed = self._progress.passed()
        still_open = [lesson for lesson in self._course.lessons if lesson.id not in passed]
        onward = next((lesson for lesson in still_open if lesson != self._lesson), None)
        if onward:
            say("That was the last exercise. The first that is still open:")
            self._go_to(onward)
        elif still_open:
            say("This is the last exercise, and the only one that is still open.")
        else:
            show_end(self._course)

    def _go_to(self, lesson: Lesson) -> None:
        self._lesson = lesson
        check.stand_at(lesson)
        say()
        say(lesson.slug, "title")
        show_lesson(lesson)
        self.check()

    def _check_all(self) -> None:
        for verdict in check.graded(self._judge, find_answers(self._course)):
            check.show_briefly(verdict)
            check.remember(verdict)
        self._footer()

    def _ask_to_reset(self) -> None:
        if reset.is_untouched(self._lesson):
            say(f"{shown(self._lesson.exercise_file)} is as it was. There is nothing to reset.")
        else:
            self._asked_to_reset = True
            say(f"Reset {self._lesson.slug}? Your file is kept as a backup. y/N")

    def _reset(self, agreed: bool) -> None:
        if agreed:
            reset.do(self._lesson)
            self.check()
        else:
            say("Nothing was changed.")
