"""Zip archives as a learner may make them: read in memory, within bounds, by members whose names mean no harm."""

from __future__ import annotations

import contextlib
import io
import re
import stat
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import IO

from gradclinic.classroom.files import File, Item, Refused, Trouble, is_junk, too_large

_LARGEST = 32 * 2**20  # an archive within SUBMISSIONS, in bytes
_MOST = 10_000  # members of one
_NESTED = 10  # archives in one
_UNPACKED = 64 * 2**20  # bytes that are unpacked of one, in all: against many members over the same data
_LONGEST, _DEEPEST = 1000, 30  # characters and folders of a path
_MEMBER = b"PK\x01\x02"  # begins each member's record in the directory of an archive
_DRIVE = re.compile(r"[A-Za-z]:")
_UTF8, _ENCRYPTED = 0x800, 0x41  # flag bits of a member


def opened(items: Iterable[Item], levels: int) -> Iterator[Item]:
    """The items by path, with archives replaced by their members, down to so many levels."""
    for item in sorted(items, key=lambda item: item.path):
        if isinstance(item, Trouble) or not item.path.lower().endswith(".zip"):
            yield item
        elif not levels:
            yield Trouble(item.path, "it is an archive within an archive, and is not opened")
        else:
            try:
                yield from opened(_few_archives(_members_of(item)), levels - 1)
            except Refused as error:
                yield Trouble(item.path, str(error))


def _few_archives(items: list[Item]) -> Iterator[Item]:
    """The same, with those archives refused that are too many."""
    met = 0
    for item in items:
        met += item.path.lower().endswith(".zip")
        if met > _NESTED and item.path.lower().endswith(".zip"):
            yield Trouble(item.path, f"its archive holds more than {_NESTED} archives")
        else:
            yield item


def members(stream: IO[bytes], *, most: int, unpacked: float = float("inf")) -> tuple[list[Item], list[str]]:
    """The members that are files, and the paths of the folders. Raises Refused for what is no archive."""
    archive = _Archive(_open(stream), unpacked)
    infos = archive.zip.infolist()
    if len(infos) > most:
        raise Refused(f"it holds more than {most:,} files")
    names = [_name(info) for info in infos]
    times = Counter(names)
    items: dict[str, Item] = {}
    folders = []
    for info, name in zip(infos, names, strict=True):
        parts = name.rstrip("/").split("/")
        if any(is_junk(part) for part in parts if part not in (".", "..")):
            continue
        wrong = "the archive holds this name twice" if times[name] > 1 else _wrong(info, name)
        if wrong:
            shown = name[:_LONGEST].lstrip("/") or "(no name)"
            items[shown] = Trouble(shown, wrong)
        elif name.endswith("/"):
            folders.append("/".join(parts))
        else:
            items[name] = File(name, _time(info), archive.reader(info))
    return list(items.values()), folders


def _members_of(file: File) -> list[Item]:
    content = file.read(_LARGEST)
    if content.count(_MEMBER) > _MOST:  # counted before zipfile makes an object of each
        raise Refused(f"it holds more than {_MOST:,} files")
    items, _ = members(io.BytesIO(content), most=_MOST, unpacked=_UNPACKED)
    return [
        Trouble(f"{file.path}/{item.path}", item.message)
        if isinstance(item, Trouble)
        else File(f"{file.path}/{item.path}", file.modified, item.read)
        for item in items
    ]


@dataclass
class _Archive:
    zip: zipfile.ZipFile
    left: float  # bytes that may still be unpacked

    def reader(self, info: zipfile.ZipInfo) -> _Reader:
        return _Reader(self, info)


@dataclass(frozen=True)
class _Reader:
    archive: _Archive
    info: zipfile.ZipInfo

    def __call__(self, limit: int) -> bytes:
        if self.info.file_size > limit:
            raise too_large(limit)
        if self.archive.left <= 0:
            raise Refused(f"its archive unpacks to more than {_UNPACKED // 2**20} MiB")
        try:
            with self.archive.zip.open(self.info) as stream:
                content = stream.read(limit + 1)
        except Exception:  # of damaged data zipfile raises many kinds, not all of them told in its documentation
            raise Refused("it is damaged in its archive") from None
        self.archive.left -= len(content)
        if len(content) > limit:
            raise too_large(limit)
        return content


def _open(stream: IO[bytes]) -> zipfile.ZipFile:
    try:
        return zipfile.ZipFile(stream)
    except Exception:  # the same
        raise Refused("it is no .zip, or a damaged one") from None


def _name(info: zipfile.ZipInfo) -> str:
    """The member's name. macOS and others write UTF-8 without saying so, which zipfile takes for code page 437."""
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    return re.sub(r"^(?:\./)+", "", name)


def _wrong(info: zipfile.ZipInfo, name: str) -> str:
    """Why a member is left alone, or nothing."""
    if "\0" in name or "\\" in name or name.startswith("/") or _DRIVE.match(name):
        return "its name is a path of another kind: absolute, with a backslash, a drive or a null character"
    if any(part in ("", ".", "..") for part in name.removesuffix("/").split("/")):
        return "its name leads elsewhere or nowhere"
    if len(name) > _LONGEST or name.count("/") > _DEEPEST:
        return f"its path has more than {_LONGEST} characters or {_DEEPEST} folders"
    if stat.S_IFMT(info.external_attr >> 16) not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "it is a link, a pipe or a device, and is not followed"
    if info.flag_bits & _ENCRYPTED:
        return "it is encrypted"
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return "it is compressed in a way that is not read here; the usual one is called deflate"
    return ""


def _time(info: zipfile.ZipInfo) -> datetime | None:
    """The member's time; the first of 1980 is what a tool writes that knows none."""
    try:
        time = datetime(*info.date_time)
    except ValueError:
        return None
    return time if time > datetime(1980, 1, 1) else None
