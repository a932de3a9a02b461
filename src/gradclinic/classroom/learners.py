"""Whose a file is: told by the names that Moodle and Canvas give, by a pattern, or by its entry in SUBMISSIONS.

The id of a learner is what the platform's own gradebook can be joined by:

- Moodle: the number, as in the column "Identifier" ("Participant 1234567") of the grading worksheet. Moodle draws a
  new one for each assignment, so a folder holds the download of one assignment.
- Canvas: the user id, as in the column "ID" of the exported gradebook; with anonymous grading `anon_` and five letters.
- else: the name of the folder, or of the file without its ending.

Only the entry's own name is looked at: what lies below it, the learner named, and could name somebody else.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import PurePosixPath

from gradclinic.classroom.files import Refused
from gradclinic.classroom.identify import Exercises

# moodle/moodle, mod/assign/classes/downloader.php: the name (its underscores made spaces), `_`, the number that the
# assignment gives the learner, `_assignsubmission_` and `file` or `onlinetext`: a folder of that name (since 3.1, for
# long with `_` at its end), or `_` and the name of the file. A team has its own name and number, the default team none.
_MOODLE = re.compile(r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?:file|onlinetext)(?:_(?P<rest>.*))?", re.S)

# instructure/canvas-lms, lib/content_zipper.rb: the sortable name in lower case and of word characters, `LATE`, the
# user's id, the id of the attached file, and its name, all in one folder; instead of name and id `anon_` and letters.
# A text entry ends in `_text.html`, a link in `_link.html`. Old downloads write `late`, and hyphens in names.
# app/models/attachment.rb, make_unique_filename: a name that was there before gets `-1`, `-2`, in the end a UUID.
_CANVAS = re.compile(
    r"(?:(?!LATE_|anon_)(?P<name>[\w-]+?)_)?(?:(?P<late>LATE|late)_)?(?P<id>\d+|anon_[A-Za-z0-9]{5})_"
    r"(?:(?P<file>\d+)_(?P<rest>.+)|(?P<entry>text|link)\.html)",
    re.S,
)
_RESUBMITTED = re.compile(
    r"(?P<stem>.+)-(?:(?P<times>\d{1,3})|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?P<ending>(?:\.\w+)*)", re.S
)
_BEYOND = 1000  # the place of a UUID after the numbers
_ATTEMPT = re.compile(r"attempt[ _-]?0*([1-9]\d{0,3})", re.IGNORECASE)
_NO_NAME = re.compile(r"(?:exercise|solution|answer|submission|attempt[ _-]?\d*)(?:[ _-]*\(?\d*\)?)", re.IGNORECASE)
_STRAY = re.compile(r"\.{0,2}|[A-Za-z]:.*|.*\\.*", re.S)  # of a member that an archive means to put elsewhere
_ENTRIES = ("", ".zip", ".py", ".ipynb")
_UNREAD = (".rar", ".7z", ".tar", ".gz", ".tgz", ".xz", ".docx", ".doc", ".odt", ".rtf", ".pdf")  # by mistake, mostly
_LONGEST = 200


@dataclass(frozen=True)
class Whose:
    """Whose a file is, and what its path says besides.

    `inner` are the names that the learner gave: the folders and the file, without the platform's part. `series` and
    `version` are told by Canvas: files of one series are versions of one file. `late` is None if nobody tells;
    `timed` says whether the file's time can be the time of handing in: platforms write the time of the download.
    """

    id: str
    inner: tuple[str, ...]
    name: str = ""
    exercise: str = ""
    attempt: int | None = None
    series: str = ""
    version: tuple[int, int] = (0, 0)
    late: bool | None = None
    timed: bool = True


Rule = Callable[[str, bool], Whose]
"""From a path, and whether its first part is a folder, to whose it is. Raises Refused if the path tells nobody."""


def by_entry(exercises: Exercises) -> Rule:
    """The rule that knows Moodle's and Canvas's downloads, and takes any other entry for one learner's."""

    def rule(path: str, in_folder: bool) -> Whose:
        top, *below = path.split("/")
        return _moodle(top, below) or (None if in_folder else _canvas(top, below)) or _plain(top, below, in_folder)

    def _plain(top: str, below: list[str], in_folder: bool) -> Whose:
        if _STRAY.fullmatch(top):
            raise Refused("its name tells no learner")
        stem, ending = (top, "") if in_folder else (PurePosixPath(top).stem, PurePosixPath(top).suffix.lower())
        if not below and ending not in (*_ENTRIES, *_UNREAD):
            raise Refused("it is no entry of a learner: neither a folder nor a .zip, .py or .ipynb")
        learner, exercise = exercises.split(stem.removesuffix(".tar"))
        if not learner or _NO_NAME.fullmatch(stem) or (not exercise and exercises.called(stem)):
            raise Refused("its name tells no learner: name the learner, or describe the paths with --id-pattern")
        return Whose(learner, tuple([stem] * bool(exercise) + (below or [top])), attempt=_attempt(below))

    return rule


def by_pattern(pattern: re.Pattern[str]) -> Rule:
    """The rule of a pattern that is searched in the path, with a group `id` and perhaps `exercise` and `attempt`."""

    def rule(path: str, in_folder: bool) -> Whose:
        found = pattern.search(path)
        told = found.groupdict() if found else {}
        if not told.get("id"):
            raise Refused("its path does not fit --id-pattern")
        number = told.get("attempt") or ""
        return Whose(
            str(told["id"]),
            tuple(path.split("/")),
            exercise=told.get("exercise") or "",
            attempt=int(number) if re.fullmatch(r"[0-9]{1,4}", number) else _attempt(path.split("/")),
        )

    return rule


def _moodle(top: str, below: list[str]) -> Whose | None:
    found = _MOODLE.fullmatch(top)
    if not found:
        return None
    inner = ([found["rest"]] if found["rest"] else []) + below
    return Whose(found["id"] or found["name"], tuple(inner), found["name"], attempt=_attempt(inner), timed=False)


def _canvas(top: str, below: list[str]) -> Whose | None:
    found = _CANVAS.fullmatch(top)
    if not found or not (found["name"] or found["id"].startswith("anon_")):
        return None
    own = found["rest"] or f"{found['entry']}.html"
    again = _RESUBMITTED.fullmatch(own)
    return Whose(
        found["id"],
        (own, *below),
        found["name"] or "",
        attempt=_attempt(below),
        series="/".join((again["stem"] + again["ending"] if again else own, *below)),
        version=(int(again["times"] or _BEYOND) if again else 0, int(found["file"] or 0)),
        late=bool(found["late"]),
        timed=False,
    )


def _attempt(folders: list[str]) -> int | None:
    """The number that a folder such as `attempt1` or `attempt_2` tells; the innermost has it."""
    for name in reversed(folders):
        if found := _ATTEMPT.fullmatch(name):
            return int(found[1])
    return None


def printable(text: str, longest: int = _LONGEST) -> str:
    """The same text, where it can be shown as it is; else with a mark of its own, so that no two become the same.

    Control characters, lone surrogates (bytes of a name in another encoding) and characters that turn the direction of
    writing are replaced; letters of any script stay, composed, as a gradebook has them.
    """
    plain = unicodedata.normalize("NFC", text).strip()
    kept = "".join("�" if _hidden(letter) else letter for letter in plain)
    if kept == plain and 0 < len(plain) <= longest:
        return plain
    mark = "~" + hashlib.sha256(text.encode("utf-8", errors="surrogatepass")).hexdigest()[:8]
    return kept[: longest - len(mark)] + mark


def _hidden(letter: str) -> bool:
    kind = unicodedata.category(letter)
    return kind in ("Cc", "Cs", "Zl", "Zp", "Co", "Cn") or (kind == "Cf" and letter not in "\u200c\u200d")
