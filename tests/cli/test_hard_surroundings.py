"""Surroundings that lack something: streams, PyTorch, the folder that one is in, rights to write."""

from __future__ import annotations

import os
import re
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

import gradclinic
from gradclinic.course import shipped_root

if TYPE_CHECKING:
    from .conftest import Clinic

posix = pytest.mark.skipif(sys.platform == "win32", reason="a POSIX shell")


def shell(clinic: Clinic, line: str) -> subprocess.CompletedProcess[str]:
    """The line in a shell, with `gradclinic` as a function."""
    function = f'gradclinic() {{ "{sys.executable}" -m gradclinic "$@"; }}; '
    command = ["sh", "-c", function + line]
    return subprocess.run(
        command, cwd=clinic.root, env=clinic.environment(), capture_output=True, encoding="utf-8", timeout=120
    )


@posix
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
@pytest.mark.parametrize(("slug", "code"), [("01_double", 0), ("02_slope", 1)])
def test_a_closed_stream_costs_no_verdict(clinic: Clinic, closed: str, slug: str, code: int) -> None:
    clinic.solve("01_double")
    result = shell(clinic, f"gradclinic check {slug} {closed}")
    assert (result.returncode, result.stderr) == (code, "")
    mark = "✗" if code else "✓"
    assert (f"{mark} {slug}" in result.stdout) == (">&-" not in closed or closed == "2>&-")


@posix
@pytest.mark.parametrize("arguments", ["", "list", "hint 1", "watch"])
def test_the_other_commands_live_without_streams(clinic: Clinic, arguments: str) -> None:
    result = shell(clinic, f"gradclinic {arguments} <&- >&- 2>&-")
    assert result.returncode == (1 if arguments == "watch" else 0)


@pytest.mark.parametrize(
    "broken",
    [
        "raise ModuleNotFoundError(\"No module named 'torch'\", name='torch')",
        "raise ImportError('libtorch_cpu.so: cannot open shared object file')",
        "raise OSError('libtorch_global_deps.so: cannot open shared object file')",
    ],
)
@pytest.mark.parametrize(
    "command",
    [["check"], ["watch"], ["claims"], ["--course", str(shipped_root()), "dev", "check"]],
    ids=lambda words: words[-1],
)
def test_without_pytorch_it_says_how_to_get_it(clinic: Clinic, tmp_path: Path, broken: str, command: list[str]) -> None:
    (tmp_path / "broken" / "torch").mkdir(parents=True)
    (tmp_path / "broken" / "torch" / "__init__.py").write_text(broken + "\n")
    claims = clinic.root / "lessons" / "claims"
    claims.mkdir()
    (claims / "Q1.py").write_text('"""A claim.\n\nsource: Q\nverdict: true\n"""\n')
    result = clinic.run(*command, PYTHONPATH=str(tmp_path / "broken"))
    assert result.returncode == 2
    assert "gradclinic: PyTorch cannot be imported: " in result.stderr
    assert "Install it with `pip install torch` (README, Start)." in result.stderr
    assert "Traceback" not in result.stderr


@posix
def test_in_a_folder_that_is_gone(clinic: Clinic, tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    result = shell(clinic, "cd ../gone; rmdir ../gone; gradclinic list")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.splitlines()[-1].startswith("gradclinic: The folder that you are in is gone.")
    assert "Traceback" not in result.stderr


@pytest.mark.parametrize("arguments", [["list", "--course", "."], ["check", "1", "--course=."]])
def test_course_after_the_command_is_told_its_place(clinic: Clinic, arguments: list[str]) -> None:
    result = clinic.run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert "unrecognized arguments: --course" in result.stderr
    assert "(--course goes before the command)" in result.stderr
    assert "goes before" not in clinic.run("list", "--colour").stderr


@posix
def test_init_from_a_read_only_installation_can_be_edited(tmp_path: Path) -> None:
    package = tmp_path / "site" / "gradclinic"
    shutil.copytree(Path(gradclinic.__file__).parent, package, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("lessons", "checks"):
        shutil.copytree(shipped_root() / name, package / "course_files" / name)
    for path in package.rglob("*"):
        path.chmod(path.stat().st_mode & ~0o222)
    command = [sys.executable, "-m", "gradclinic", "init", "mine"]
    environment = os.environ | {"PYTHONPATH": str(tmp_path / "site"), "PYTHONDONTWRITEBYTECODE": "1"}
    subprocess.run(command, cwd=tmp_path, env=environment, check=True, capture_output=True)
    made = [tmp_path / "mine", *(tmp_path / "mine").rglob("*")]
    assert len(made) > 20
    assert [path for path in made if not path.stat().st_mode & stat.S_IWUSR] == []
    for path in package.rglob("*"):  # so that it can be removed again
        path.chmod(path.stat().st_mode | stat.S_IWUSR)


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("class", "no word of Python itself"),
        ("09_import", "no word of Python itself"),
        ("a" * 61, "at most 60 characters"),
    ],
)
def test_a_new_lesson_needs_a_name_that_a_function_can_have(clinic: Clinic, name: str, said: str) -> None:
    before = sorted(clinic.root.rglob("*"))
    result = clinic.run("dev", "new", name)
    assert (result.returncode, result.stdout) == (2, "")
    assert said in result.stderr
    assert sorted(clinic.root.rglob("*")) == before


def test_a_name_of_sixty_characters_will_do(clinic: Clinic) -> None:
    assert clinic.run("dev", "new", "a" * 60).returncode == 0
    assert re.search(r"04 a{60}\b", clinic.run("list").stdout)


def test_after_99_a_new_lesson_needs_a_number_of_its_own(clinic: Clinic) -> None:
    assert clinic.run("dev", "new", "99_last").returncode == 0
    result = clinic.run("dev", "new", "one_more")
    assert (result.returncode, result.stdout) == (2, "")
    assert "Choose a free one: 42_one_more." in result.stderr
    assert not list(clinic.root.rglob("*one_more*"))
    assert clinic.run("dev", "new", "42_one_more").returncode == 0
