"""The files of SUBMISSIONS, entry by entry: a folder or one archive, the same from both, whatever was put into it.

Nothing is written to disk, no link is followed, nothing but a regular file is opened, and never more is read than asked
for. What cannot be used is told as `Trouble`.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from datetime import datetime
from itertools import groupby
from pathlib import Path

from gradclinic.classroom.archives import members, opened
from gradclinic.classroom.files import File, Item, Refused, Tree, Trouble, is_junk, too_large
from gradclinic.course import CourseError

_DEEPEST = 30  # folders below each other
_NO_LINK = getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)  # a pipe that takes a file's place never blocks


def trees(submissions: Path) -> Iterator[Tree]:
    """Each entry of SUBMISSIONS, by name. Raises CourseError if there is neither a folder nor a .zip."""
    if submissions.is_dir():
        for name in _names(submissions):
            if not is_junk(name):
                place = submissions / name
                is_folder = place.is_dir() and not place.is_symlink()
                yield _tree(name, is_folder, list(_walk(place, name)))
    elif submissions.is_file() and submissions.suffix.lower() == ".zip":
        yield from _trees_of_archive(submissions)
    else:
        raise CourseError(
            f"{submissions} is neither a folder nor a .zip. Give the folder that holds one entry per learner, or the\n"
            ".zip that your platform downloads."
        )


def _names(submissions: Path) -> list[str]:
    try:
        return sorted(os.listdir(submissions))
    except OSError as error:
        raise CourseError(f"{submissions} cannot be read: {error.strerror}.") from None


def _trees_of_archive(archive: Path) -> Iterator[Tree]:
    with archive.open("rb") as stream:
        try:
            items, folders = members(stream, most=200_000)
        except Refused as error:
            raise CourseError(f"{archive} cannot be read: {error}. Download it again.") from None
        tops = {path.split("/")[0] for path in (*folders, *(item.path for item in items))}
        if tops == {archive.stem}:  # somebody packed the folder instead of what is in it
            items = [item.moved(item.path.removeprefix(f"{archive.stem}/")) for item in items]
            folders = [path.removeprefix(f"{archive.stem}/") for path in folders if "/" in path]
        by_top: dict[str, list[Item]] = {path.split("/")[0]: [] for path in folders}
        for top, below in groupby(sorted(items, key=lambda item: item.path), lambda item: item.path.split("/")[0]):
            by_top.setdefault(top, []).extend(below)
        for top in sorted(by_top):
            yield _tree(top, not any(item.path == top for item in by_top[top]), by_top[top])


def _tree(name: str, is_folder: bool, items: list[Item]) -> Tree:
    """The entry with its archives opened: itself, if it is one, and one level within a learner's files."""
    return Tree(name, is_folder, opened(items, levels=1 if is_folder else 2))


def _walk(place: Path, path: str, depth: int = 0) -> Iterator[Item]:
    try:
        told = place.lstat()
        if stat.S_ISDIR(told.st_mode):
            if depth == _DEEPEST:
                raise Refused(f"it lies deeper than {_DEEPEST} folders")
            for name in sorted(os.listdir(place)):
                if not is_junk(name):
                    yield from _walk(place / name, f"{path}/{name}", depth + 1)
        elif stat.S_ISREG(told.st_mode):
            yield File(path, _time(told.st_mtime), lambda limit: _read(place, limit))
        else:
            raise Refused(f"it is {_kind(told.st_mode)}, and is not followed")
    except Refused as error:
        yield Trouble(path, str(error))
    except OSError as error:
        yield Trouble(path, f"it cannot be read: {error.strerror}")


def _read(place: Path, limit: int) -> bytes:
    try:
        with open(os.open(place, os.O_RDONLY | _NO_LINK), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise Refused("it is no regular file")
            content = stream.read(limit + 1)
    except OSError as error:
        raise Refused(f"it cannot be read: {error.strerror}") from None
    if len(content) > limit:
        raise too_large(limit)
    return content


def _kind(mode: int) -> str:
    kinds = {stat.S_IFLNK: "a link", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
    return kinds.get(stat.S_IFMT(mode), "a device")


def _time(seconds: float) -> datetime | None:
    try:
        return datetime.fromtimestamp(int(seconds))
    except (OverflowError, OSError, ValueError):  # a file system holds years that no calendar has
        return None
