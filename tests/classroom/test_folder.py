"""The folder of results between two runs: what a killed run left behind is removed, however it was made."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest

from gradclinic.classroom.folder import ResultsFolder


def test_a_scratch_folder_of_a_killed_run_is_removed_though_it_is_deeper_than_python_can_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    folder = ResultsFolder(tmp_path / "results")
    left = tmp_path / "gradclinic-class-killed"
    left.mkdir()
    here = os.open(left, os.O_RDONLY)
    for _ in range(1500):
        os.mkdir("deeper", dir_fd=here)
        inner = os.open("deeper", os.O_RDONLY, dir_fd=here)
        os.close(here)
        here = inner
    os.close(here)
    folder.private.mkdir(parents=True)
    (folder.private / "scratch").write_text(str(left))
    with folder.open() as scratch:
        assert not left.exists()
        assert scratch.is_dir()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["results"]


def test_a_note_that_names_something_else_removes_nothing(tmp_path: Path) -> None:
    folder = ResultsFolder(tmp_path / "results")
    (tmp_path / "thesis").mkdir()
    folder.private.mkdir(parents=True)
    (folder.private / "scratch").write_text(str(tmp_path / "thesis"))
    with folder.open():
        pass
    assert (tmp_path / "thesis").is_dir()
