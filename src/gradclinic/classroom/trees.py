"""The files of a folder or a zip, as plain data: nothing is unpacked to disk, no link followed, no size trusted."""

from __future__ import annotations

import io
import os
import stat
import time
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

MAX_FILE = 2**20  # bytes; an exercise has a few kilobytes, a notebook with its outputs may have more
MAX_NOTEBOOK = 16 * 2**20
MAX_FILES = 2_000  # of one entry
MAX_TOTAL = 64 * 2**20
_PASSED_OVER = {"__pycache__", "__MACOSX", ".git", ".venv", "venv", "node_modules", ".ipynb_checkpoints", ".gradclinic"}


@dataclass(frozen=True)
class File:
    """One file of an entry: where it was, what it holds, and when it was changed (seconds since 1970)."""

    path: PurePosixPath
    data: bytes
    changed: float = 0.0


@dataclass(frozen=True)
class Refused:
    """Something in an entry that was not taken, and why."""

    path: str
    why: str


def files_below(place: Path) -> Iterator[File | Refused]:
    """Those of a folder, or of a single file; a zip among them is read as the folder that it is."""
    room = _Room()
    if not place.is_dir() or place.is_symlink():
        yield from _one(place, PurePosixPath(place.name), room)
        return
    todo = [place]
    while todo:
        folder = todo.pop()
        try:
            entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
        except OSError as error:
            yield Refused(str(folder.relative_to(place)), f"cannot be read: {error.strerror}")
            continue
        for entry in entries:
            if _is_noise(entry.name):
                continue
            if entry.is_dir(follow_symlinks=False):
                todo.append(Path(entry.path))
            else:
                path = Path(entry.path)
                yield from _one(path, PurePosixPath(path.relative_to(place).as_posix()), room)


def files_of_zip(data: bytes) -> Iterator[File | Refused]:
    """Those of a zip, and of zips in it."""
    yield from _zip(data, PurePosixPath(), _Room(), 0)


class _Room:
    """What an entry may still hold; a zip of a few bytes can claim to hold gigabytes."""

    def __init__(self) -> None:
        self.files, self.bytes = MAX_FILES, MAX_TOTAL

    def take(self, size: int) -> bool:
        self.files -= 1
        self.bytes -= size
        return self.files >= 0 and self.bytes >= 0


def _is_noise(name: str) -> bool:
    return name in _PASSED_OVER or name.startswith((".", "~$"))


def _one(path: Path, name: PurePosixPath, room: _Room) -> Iterator[File | Refused]:
    try:
        about = path.lstat()
        if stat.S_ISLNK(about.st_mode):
            yield Refused(str(name), "a symbolic link; the file itself is needed")
        elif not stat.S_ISREG(about.st_mode):
            yield Refused(str(name), "no ordinary file")
        elif about.st_size > _most(name):
            yield Refused(str(name), f"larger than {_most(name) // 2**20} MB")
        elif not room.take(about.st_size):
            yield Refused(str(name), "the entry holds too much")
        else:
            data = path.read_bytes()
            if name.suffix.lower() == ".zip":
                yield from _zip(data, name.with_suffix(""), room, 0)
            else:
                yield File(name, data, about.st_mtime)
    except OSError as error:
        yield Refused(str(name), f"cannot be read: {error.strerror}")


def _most(name: PurePosixPath) -> int:
    return MAX_FILE if name.suffix.lower() == ".py" else MAX_NOTEBOOK


def _zip(data: bytes, inside: PurePosixPath, room: _Room, depth: int) -> Iterator[File | Refused]:
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
        members = archive.infolist()
    except (zipfile.BadZipFile, OSError, ValueError, NotImplementedError):
        yield Refused(str(inside), "not a readable zip file")
        return
    with archive:
        for member in members:
            path = PurePosixPath(member.filename.replace("\\", "/"))
            if member.is_dir() or any(_is_noise(part) for part in path.parts if part != ".."):
                continue
            if (why := _unfit(member, path)) is not None:
                yield Refused(f"{inside}/{_shown(member.filename)}", why)
            elif room.files <= 0:
                yield Refused(str(inside), f"more than {MAX_FILES} files; the rest was not read")
                return
            else:
                yield from _member(archive, member, inside / path, room, depth)


def _unfit(member: zipfile.ZipInfo, path: PurePosixPath) -> str | None:
    if path.is_absolute() or ".." in path.parts or (path.parts and ":" in path.parts[0]):
        return "its path leads out of the zip"
    if stat.S_ISLNK(member.external_attr >> 16):
        return "a symbolic link; the file itself is needed"
    if member.flag_bits & 1:
        return "encrypted"
    if not path.parts or "\0" in member.filename:
        return "it has no usable name"
    return None


def _member(
    archive: zipfile.ZipFile, member: zipfile.ZipInfo, path: PurePosixPath, room: _Room, depth: int
) -> Iterator[File | Refused]:
    most = _most(path)
    try:
        with archive.open(member) as stream:
            data = stream.read(most + 1)
    except Exception as error:  # zlib, CRC, unknown methods, and what a hostile header can cause
        yield Refused(str(path), f"damaged ({type(error).__name__})")
        return
    if len(data) > most:
        yield Refused(str(path), f"larger than {most // 2**20} MB")
    elif not room.take(len(data)):
        yield Refused(str(path), "the entry holds too much")
    elif path.suffix.lower() == ".zip":
        if depth >= 2:
            yield Refused(str(path), "zips in zips in zips")
        else:
            yield from _zip(data, path.with_suffix(""), room, depth + 1)
    else:
        yield File(path, data, _time(member))


def _time(member: zipfile.ZipInfo) -> float:
    try:
        return time.mktime((*member.date_time, 0, 0, -1))
    except (ValueError, OverflowError):
        return 0.0


def _shown(name: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in name)[:200]
