"""Whose entry this is: by the rules of the platforms that name the files, or by a pattern that the instructor gives."""

from __future__ import annotations

import re
from dataclasses import dataclass

# Moodle, "Download all submissions": Full name_1234567_assignsubmission_file[_original.zip]
_MOODLE = re.compile(r"^(?P<name>.+)_(?P<id>\d+)_assignsubmission_(?:file|onlinetext)_?(?P<rest>.*)$")
# Canvas, "Download submissions": lastnamefirstname[_LATE]_4567_891011_original[-2].py: user, submission, attempt
_CANVAS = re.compile(
    r"^(?P<name>[^_]+)_(?P<late>LATE_)?(?P<id>\d+)_(?P<submission>\d+)_(?P<rest>.+?)(?:-(?P<attempt>\d+))?(?P<end>\.\w+)?$"
)


@dataclass(frozen=True)
class Learner:
    """id: unique in the class; name: as the platform shows it, or the id."""

    id: str
    name: str


@dataclass(frozen=True)
class Sender:
    """What the name of an entry tells: whose it is, the file's own name, whether it came late, and which attempt."""

    learner: Learner
    rest: str = ""
    late: bool = False
    attempt: int = 0


class PatternError(Exception):
    """An `--id-pattern` that cannot be used; the text says why."""


def compiled(pattern: str) -> re.Pattern[str]:
    """Raises PatternError."""
    try:
        found = re.compile(pattern)
    except re.error as error:
        raise PatternError(f"--id-pattern is no regular expression: {error}.") from None
    if not found.groups:
        raise PatternError("--id-pattern needs a group that holds the id, such as '^(\\w+)_' or '(?P<id>\\d+)'.")
    return found


def sender(entry: str, pattern: re.Pattern[str] | None = None) -> Sender:
    """From the name of a folder, a zip or a file as it was downloaded."""
    if pattern is not None and (match := pattern.search(entry)):
        groups = match.groupdict()
        found = groups.get("id") or match.group(1)
        if found:
            return Sender(Learner(found, groups.get("name") or found), entry[match.end() :].lstrip("_-"))
    if match := _MOODLE.match(entry):
        return Sender(Learner(match["id"], match["name"]), match["rest"])
    if match := _CANVAS.match(entry):
        rest = match["rest"] + (match["end"] or "")
        return Sender(Learner(match["id"], match["name"]), rest, bool(match["late"]), int(match["attempt"] or 0))
    stem = re.sub(r"\.(py|ipynb|zip)$", "", entry, flags=re.IGNORECASE)
    return Sender(Learner(stem, stem), entry)
