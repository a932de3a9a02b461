"""The folder of a child: when it holds too much, and that all of it is removed."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from gradclinic.grading.scratch import Scratch

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs /proc/PID/maps, which is Linux only")


def test_bytes_are_counted(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    (scratch.folder / "in").mkdir()
    with open(scratch.folder / "in" / "large", "wb") as file:
        file.truncate(64 * 2**20)
    assert scratch.overfull()
    os.truncate(scratch.folder / "in" / "large", 60 * 2**20)
    assert not scratch.overfull()


def test_files_are_counted(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    for n in range(1000):
        (scratch.folder / str(n)).touch()
    assert not scratch.overfull()
    (scratch.folder / "one more").mkdir()
    assert scratch.overfull()


@linux
def test_deleted_files_that_are_still_mapped_are_counted(tmp_path: Path) -> None:
    scratch = Scratch(tmp_path)
    code = """if 1:
        import mmap, os, sys
        kept = []
        for n in range(70):
            with open("part", "w+b") as file:
                file.write(bytes(4096)); file.flush()
                kept.append(mmap.mmap(file.fileno(), 4096))
            os.unlink("part")
            if n in (50, 69):
                print(n, flush=True); sys.stdin.readline()
    """
    command = [sys.executable, "-c", code]
    process = subprocess.Popen(
        command, cwd=scratch.folder, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert process.stdin
    assert process.stdout
    with process:
        assert process.stdout.readline() == "50\n"
        assert not scratch.overfull(process.pid)
        process.stdin.write("\n")
        assert process.stdout.readline() == "69\n"
        assert scratch.overfull(process.pid)


@pytest.mark.parametrize("levels", [1, 3000])
def test_folders_of_any_depth_are_removed_also_closed_ones(tmp_path: Path, levels: int) -> None:
    scratch = Scratch(tmp_path)
    scratch.trace.touch()
    here = os.getcwd()
    try:
        os.chdir(scratch.folder)
        for _ in range(levels):
            os.mkdir("d" * 20)
            Path("file").touch()
            os.chdir("d" * 20)
        os.mkdir("closed", 0)
    finally:
        os.chdir(here)
    scratch.remove()
    assert list(tmp_path.iterdir()) == []
