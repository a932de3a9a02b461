"""Confines a child that runs code which nobody has vetted, in layers: rlimits, landlock, capabilities, seccomp.

What may be read is the standard library and PyTorch with what it needs, never this package: the course with its
solutions lies in it, and landlock cannot take a folder out of one that it allows. A package that Python finds below
an allowed folder therefore makes that folder be allowed entry by entry.
"""

from __future__ import annotations

import ctypes
import importlib.metadata
import importlib.util
import re
import resource
import struct
import sysconfig
from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path

from gradclinic.grading import landlock, limits, seccomp

_OWN = Path(__file__).parents[1]
_PACKAGES = ("torch", "numpy")
_DEVICES = (Path("/dev/urandom"), Path("/dev/null"), Path("/proc/cpuinfo"))  # torch.seed asks the first
_FILE_BYTES, _OPEN_FILES = 2**20, 64
_NO_CAPABILITIES = struct.pack("<Ii", 0x20080522, 0), bytes(24)  # root's rights would raise a limit again
_FOLDERS = ("site-packages", "dist-packages")
_STDLIB = {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}


class Confinement:
    """What is made ready before the fork, so that each child pays for a few system calls only.

    A child gets two sets of landlock rules, and may do what both allow. The long one, made once, names each part of the
    libraries and allows all below `root`, where everybody's folders lie; the short one, made in the child, allows the
    folders around the libraries and, of `root`, the child's own part.
    """

    def __init__(self, root: Path) -> None:
        self._around = tuple({Path(folder) for path in readable() if (folder := _library_around(path))})
        self._missing: list[str] = []
        self._long = self._filter = None
        try:
            self._long = landlock.Rules()
            self._long.allow([*readable(), *_DEVICES])
            self._long.allow([root], write=True)
        except OSError as error:
            self._missing.append(f"no landlock ({error.strerror})")
        try:
            self._filter = seccomp.Filter()
        except seccomp.Unsupported as error:
            self._missing.append(f"no seccomp ({error})")

    def apply(self, answer: Path, scratch: Path, memory_mb: int, cpu_seconds: float) -> list[str]:
        """Confines the calling process for good; returns the layers that this machine does not have, in words."""
        missing = [*self._missing, *limits.apply_in_child(memory_mb)]
        for limit, most in (
            (resource.RLIMIT_CPU, int(cpu_seconds) + 1),
            (resource.RLIMIT_FSIZE, _FILE_BYTES),
            (resource.RLIMIT_NOFILE, _OPEN_FILES),
        ):
            hard = resource.getrlimit(limit)[1]
            most = most if hard == resource.RLIM_INFINITY else min(most, hard)
            resource.setrlimit(limit, (most, most))
        if self._long is not None:
            own = landlock.Rules()
            own.allow([*self._around, *_DEVICES, answer])
            own.allow([scratch], write=True)
            for rules in (self._long, own):
                rules.apply()
                rules.close()
        if ctypes.CDLL(None).capset(*_NO_CAPABILITIES):
            missing.append("capabilities kept")
        if self._filter is not None:
            try:
                self._filter.install()
            except OSError as error:
                missing.append(f"no seccomp ({error.strerror})")
        return missing


def _library_around(path: Path) -> str:
    """The folder of libraries that a readable path lies in."""
    return next((str(folder) for folder in path.parents if folder.name in _FOLDERS or folder in _STDLIB), str(path))


@cache
def readable() -> tuple[Path, ...]:
    """The standard library, and the named packages with all that they require."""
    found: dict[Path, None] = {}
    for path in [*_STDLIB, *_packages(_PACKAGES)]:
        found |= dict.fromkeys(_without_own(path.resolve()))
    return tuple(found)


def _without_own(path: Path) -> Iterator[Path]:
    """The path, or what lies in it, as deep as it takes to leave out other packages and this one."""
    if path == _OWN or path.name in _FOLDERS:
        return
    if not path.is_dir() or not _holds_others(path):
        yield path
        return
    for entry in sorted(path.iterdir()):
        yield from _without_own(entry)


def _holds_others(folder: Path) -> bool:
    return folder in _OWN.parents or any((folder / name).is_dir() for name in _FOLDERS)


def _packages(names: Iterable[str]) -> Iterator[Path]:
    todo, seen = list(names), set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        try:
            distribution = importlib.metadata.distribution(name)
        except importlib.metadata.PackageNotFoundError:
            continue
        todo += [
            re.split(r"[^\w.-]", need, maxsplit=1)[0] for need in distribution.requires or () if "extra ==" not in need
        ]
        yield from _files(distribution)


def _files(distribution: importlib.metadata.Distribution) -> Iterator[Path]:
    """Where the top-level modules of a distribution lie."""
    listed = distribution.read_text("top_level.txt")
    tops = (
        listed.split()
        if listed
        else {Path(str(file)).parts[0].removesuffix(".py") for file in distribution.files or ()}
    )
    for top in tops:
        spec = importlib.util.find_spec(top) if top.isidentifier() and not top.startswith("__") else None
        if spec is not None:
            yield from map(Path, spec.submodule_search_locations or ([spec.origin] if spec.origin else []))
        beside = Path(str(distribution.locate_file(f"{top}.libs")))  # numpy's shared libraries
        if beside.is_dir():
            yield beside
