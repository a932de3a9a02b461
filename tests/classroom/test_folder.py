"""The folder of results: what a killed run left behind is removed, whatever a learner's code had made in it."""

from __future__ import annotations

import os
from pathlib import Path

from gradclinic.classroom.folder import ResultsFolder


def test_folders_deeper_than_a_recursion_or_a_path_are_removed(tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "out")
    results.private.mkdir(parents=True)
    left = tmp_path / "gradclinic-class-killed"
    (left / "desk-1" / "gradclinic-1" / "empty").mkdir(parents=True)
    (results.private / "scratch").write_text(str(left))
    here = os.open(".", os.O_RDONLY)
    try:
        os.chdir(left / "desk-1" / "gradclinic-1" / "empty")
        for _ in range(3000):
            os.mkdir("in" * 20)
            os.chdir("in" * 20)
        Path("file").write_text("deep")
        os.chmod(".", 0)
    finally:
        os.fchdir(here)
        os.close(here)
    with results.open() as scratch:
        assert [path for path in tmp_path.iterdir() if path.name != "out"] == []
        assert scratch.is_dir()
    assert not scratch.exists()


def test_no_link_in_it_is_followed(tmp_path: Path) -> None:
    results = ResultsFolder(tmp_path / "out")
    results.private.mkdir(parents=True)
    left, other = tmp_path / "gradclinic-class-killed", tmp_path / "other"
    left.mkdir()
    other.mkdir()
    (other / "kept").write_text("kept")
    (left / "link").symlink_to(other)
    (results.private / "scratch").write_text(str(left))
    with results.open():
        assert not left.exists()
    assert (other / "kept").read_text() == "kept"
