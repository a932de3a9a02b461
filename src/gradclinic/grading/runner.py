"""Runs checks on one answer: the one place where a verdict is made, whoever asks."""

from __future__ import annotations

import hashlib
import importlib.util
import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, partial
from pathlib import Path
from typing import Any

from gradclinic.course import CourseError
from gradclinic.grading import explain, failures
from gradclinic.grading.answers import Answer
from gradclinic.grading.checking import CheckFailed, Exercise, Redraw, drawing, same
from gradclinic.grading.events import Explanation
from gradclinic.grading.servers import NoProcess, ServerLost
from gradclinic.grading.session import Budget, ChildEnded, NewSession, Reply, Session
from gradclinic.grading.verdict import CheckRow, Location, Verdict
from gradclinic.grading.wire import WireError

_DRAWS = 50
_REPLAY_SECONDS = 10.0  # for all replays of one answer: code can hang in each of them, and only there
_LONGEST_LINE = 1000  # characters of a line that is quoted: a file may be one line
_REMARKS = 20  # a forged replay may make as many as it likes
_TELLING = ("retain_graph", ".data")  # words of a right answer that may deserve a remark


@dataclass(frozen=True)
class Check:
    """A function `test_…(exercise)` of a check file."""

    name: str
    function: Callable[[Exercise], None]


@cache
def load_checks(file: Path) -> tuple[Check, ...]:
    """The checks of a file, in its order. The file is the course's own and trusted. Raises CourseError."""
    spec = importlib.util.spec_from_file_location(f"gradclinic_{file.stem}", file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except Exception as error:
        raise CourseError(f"{file}: this check file does not load: {_told(error)}.") from None
    return tuple(Check(name, value) for name, value in vars(module).items() if name.startswith("test_"))


@dataclass
class _Run:
    """One check with one draw of inputs, and the last call it made."""

    session: Session | None = None
    reply: Reply | None = None
    function: str = ""
    args: tuple[Any, ...] = ()
    seed: int = 0
    calls: int = 0
    warnings: list[str] = field(default_factory=list)
    prints: str = ""


class Attempt:
    """One answer under grading; checks may be run one by one (pytest) or all (`verdict`)."""

    def __init__(self, answer: Answer, new_session: NewSession, seconds: float, seed: int, isolation: str) -> None:
        self.answer, self.seed, self.isolation = answer, seed, isolation
        self.checks = load_checks(answer.lesson.check_file)
        self._new_session, self._budget = new_session, Budget(seconds)
        self._replays = Budget(_REPLAY_SECONDS)
        self.source, self._unreadable = failures.read_source(answer)
        self._stopped: str | None = None
        self._remarked: set[str] = set()  # functions; a remark that was made once is not made again for each check

    def verdict(self) -> Verdict:
        begun = time.monotonic()
        rows = tuple(self.run(check) for check in self.checks)
        return Verdict(self.answer, rows, self.isolation, time.monotonic() - begun, self.seed)

    def run(self, check: Check) -> CheckRow:
        """One check's row; it never raises for anything that the learner's code did."""
        if self._stopped is not None:
            return CheckRow(check.name, "not_reached", message=self._stopped)
        if self._unreadable is not None:
            self._stopped = "not reached: the file cannot be read"
            return replace(self._unreadable, name=check.name)
        try:
            run, failure = self._draw(check)
        except CourseError:
            raise
        except Exception as error:
            return CheckRow(check.name, "broken", message=f"the check itself is wrong: {_told(error)}")
        if failure is None:
            return CheckRow(
                check.name,
                "passed",
                function=run.function,
                warnings=tuple(run.warnings),
                prints=run.prints,
                remarks=self._remarks(run),
            )
        return self._explained(check, run, failure)

    def _draw(self, check: Check, first: int = 0) -> tuple[_Run, CheckFailed | None]:
        """Runs the check with the first draw of inputs that tells right from wrong."""
        for draw in range(first, first + _DRAWS):
            run = _Run()
            try:
                with drawing(_derive(self.seed, "inputs", check.name, draw)):
                    check.function(Exercise(partial(self._call, run, check, draw)))
            except Redraw:
                continue
            except CheckFailed as failure:
                return run, failure
            finally:
                self._end(run)
            return run, None
        raise AssertionError(f"no inputs in {_DRAWS} draws tell the right answer from the named wrong ones")

    def _call(self, run: _Run, check: Check, draw: int, name: str, args: tuple[Any, ...]) -> Any:
        run.function, run.args, run.calls = name, args, run.calls + 1
        run.seed = _derive(self.seed, "call", check.name, draw, run.calls)
        running = "the file"
        try:
            if run.session is None:
                run.session = self._start()
                run.reply = run.session.load()
                self._note_warnings(run)
                failures.raise_for_load(run.reply.report)
            running = name
            run.reply = run.session.call(name, args, seed=run.seed)
        except ChildEnded as ended:
            raise failures.from_end(ended, running) from None
        self._note_warnings(run)
        failures.raise_for_call(run.reply.report, name, args)
        return run.reply.result

    def _start(self) -> Session:
        try:
            return self._new_session(self.answer.file, self._budget)
        except (OSError, ServerLost) as error:
            raise NoProcess(f"No process for the answer can be started on this machine: {_told(error)}.") from None

    def _note_warnings(self, run: _Run) -> None:
        assert run.reply is not None
        for warning in run.reply.report.get("warnings", ()):
            where = f"line {warning['line']}: " if warning["line"] else ""
            said = f"{where}{warning['category']}: {warning['text']}"
            if said not in run.warnings:
                run.warnings.append(said)

    def _end(self, run: _Run) -> None:
        if run.session is not None:
            run.prints = run.session.close()
            run.session = None

    def _explained(self, check: Check, run: _Run, failure: CheckFailed) -> CheckRow:
        if failure.kind in failures.FINAL:
            self._stopped = failures.FINAL[failure.kind]
        exception = run.reply.report.get("exception") if run.reply and failure.kind == "exception" else None
        events = self._replay(run) if failure.kind in failures.REPLAYED else None
        found = self._advice(failure, exception, events)
        cause = found.cause or failure.cause
        if cause is None and failure.kind in ("value", "shape", "type") and self._same_for_other_inputs(check, failure):
            cause = "not_computed"
        return CheckRow(
            check.name,
            "failed",
            root=found.root,
            cause=cause or failures.FALLBACK.get(failure.kind, "wrong_value"),
            message=failures.short(failure.message),
            location=self._location(found.line, run, exception, failure),
            got=failures.short(failures.show(failure.got, failure.expected)),
            expected=failures.show(failure.expected, failure.expected),
            function=run.function,
            warnings=tuple(run.warnings),
            prints=run.prints,
        )

    def _advice(
        self, failure: CheckFailed, exception: dict[str, Any] | None, events: list[dict[str, Any]] | None
    ) -> Explanation:
        """What the events explain. A child may send anything: what makes no sense explains nothing."""
        try:
            found = explain.explain(failure.kind, failure.cause, exception, events)
            if found.is_sound(len(self.source.splitlines())):
                return found
        except Exception:
            pass
        return explain.explain(failure.kind, failure.cause, exception, None)

    def _replay(self, run: _Run) -> list[dict[str, Any]] | None:
        """The last call again, same inputs, under the trace; a failing replay costs the explanation only."""
        if self._replays.seconds <= 0:
            return None
        session = None
        try:
            session = self._new_session(self.answer.file, self._replays, replay=True)
            session.load()
            events = session.call(run.function, run.args, seed=run.seed, replay=True).report.get("events")
            return events if isinstance(events, list) else None
        except (ChildEnded, ServerLost, WireError, OSError):
            return None
        finally:
            if session is not None:
                session.close()

    def _remarks(self, run: _Run) -> tuple[str, ...]:
        if run.function in self._remarked or not any(word in self.source for word in _TELLING):
            return ()
        self._remarked.add(run.function)
        try:
            return tuple(map(failures.short, explain.remarks(self._replay(run) or ())[:_REMARKS]))
        except Exception:  # as in _advice
            return ()

    def _same_for_other_inputs(self, check: Check, failure: CheckFailed) -> bool:
        """A constant gives itself away: the same answer where the right one differs."""
        try:
            _, other = self._draw(check, first=_DRAWS)
        except Exception:
            return False
        return (
            other is not None
            and other.name == failure.name
            and failures.nonzero(failure.got)
            and same(other.got, failure.got)
            and not same(other.expected, failure.expected)
        )

    def _location(
        self, line: int | None, run: _Run, exception: dict[str, Any] | None, failure: CheckFailed
    ) -> Location | None:
        column = end_column = None
        if exception and exception["frames"] and exception["frames"][-1]["line"] == line:
            frame = exception["frames"][-1]
            column, end_column = failures.columns(self.source, frame)
        if line is None and failure.where is not None:
            line, column = failure.where
        line = line or self._definition(run.function) or (1 if self.source else None)
        if line is None:
            return None
        lines = self.source.splitlines()
        text = lines[line - 1] if line <= len(lines) else ""
        return Location(self.answer.file, line, text[:_LONGEST_LINE], column, end_column)

    def _definition(self, function: str) -> int | None:
        # looked for as text: the syntax tree of a hostile file takes a gigabyte
        found = re.search(rf"^def[ \t]+{re.escape(function)}\b", self.source, re.MULTILINE)
        return self.source.count("\n", 0, found.start()) + 1 if found else None


def _derive(seed: int, *parts: object) -> int:
    """Seeds that do not tell each other: the child's says nothing of the judge's."""
    text = "/".join(map(str, (seed, *parts)))
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:6], "big")


def _told(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
