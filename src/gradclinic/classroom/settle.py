"""Which of a learner's files for one exercise are graded: attempts apart, copies once, contradictions not at all."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass, replace

from gradclinic.classroom.submission import Submission

_MOST = 20  # attempts: each costs the time of grading


@dataclass(frozen=True)
class Answer:
    """A file that answers an exercise, before its attempt is known.

    `told` is the attempt that a folder names. Answers of the same `series` are versions of one file, the older having
    the smaller `version`. `untouched` is the exercise as the course gives it.
    """

    submission: Submission
    told: int | None = None
    series: str = ""
    version: tuple[int, int] = (0, 0)
    untouched: bool = False

    @property
    def text(self) -> bytes:
        return self.submission.text


def settle(answers: Iterable[Answer]) -> tuple[list[Submission], list[tuple[str, str]]]:
    """The attempts in order, and what is wrong, as origins with messages."""
    files = sorted(answers, key=lambda answer: answer.submission.origin)
    versions = files[0].series != "" and len({(answer.series, answer.told) for answer in files}) == 1
    numbered = _by_version(files) if versions else _by_folder(files)
    kept, wrong = [], []
    for attempt, rivals in sorted(numbered.items()):
        if len(rivals) == 1:
            kept.append(replace(rivals[0].submission, attempt=attempt))
        else:
            wrong.append((rivals[0].submission.origin, _contradiction(rivals)))
    if len(kept) > _MOST:
        wrong.append((kept[0].origin, f"Only the last {_MOST} of {len(kept)} attempts are graded."))
    return kept[-_MOST:], wrong


def _by_version(files: list[Answer]) -> dict[int, list[Answer]]:
    texts: dict[bytes, Answer] = {}
    for answer in sorted(files, key=lambda answer: answer.version):
        texts.setdefault(answer.text, answer)
    return {number: [answer] for number, answer in enumerate(texts.values(), 1)}


def _by_folder(files: list[Answer]) -> dict[int, list[Answer]]:
    """The differing answers of each attempt. The exercise as it was given says nothing beside a real answer."""
    attempts: dict[int, dict[bytes, Answer]] = defaultdict(dict)
    for answer in files:
        attempts[answer.told or 1].setdefault(answer.text, answer)
    return {
        number: [answer for answer in texts.values() if not answer.untouched] or list(texts.values())[:1]
        for number, texts in attempts.items()
    }


def _contradiction(rivals: list[Answer]) -> str:
    names = ", ".join(answer.submission.origin for answer in rivals[:3])
    more = f" and {len(rivals) - 3} more" if len(rivals) > 3 else ""
    return (
        f"These differ, and none is graded: {names}{more}. Keep one, or put them into folders attempt1, attempt2, ... "
        "from the oldest to the newest."
    )
