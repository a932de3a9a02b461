"""What is read of a folder or an archive full of tricks: regular files within bounds, and the reason for the rest."""

from __future__ import annotations

import io
import os
import socket
import stat
import struct
import tempfile
import warnings
import zipfile
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gradclinic.classroom.files import File, Refused, Trouble
from gradclinic.classroom.trees import trees
from gradclinic.course import CourseError

MIB = 2**20


def read(place: Path, limit: int = MIB) -> dict[str, bytes | str]:
    """Each path with its content, or with why there is none."""
    found: dict[str, bytes | str] = {}
    for tree in trees(place):
        for item in tree.items:
            if isinstance(item, Trouble):
                found[item.path] = item.message
                continue
            try:
                found[item.path] = item.read(limit)
            except Refused as error:
                found[item.path] = str(error)
    return found


def zipped(members: dict[str, bytes] | list[tuple[str, bytes]], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", method) as archive, warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the warning of a name that is there twice
        for name, text in members.items() if isinstance(members, dict) else members:
            archive.writestr(zipfile.ZipInfo(name), text, method)
    return content.getvalue()


def of_mode(name: str, mode: int, content: bytes) -> bytes:
    info = zipfile.ZipInfo(name)
    info.create_system, info.external_attr = 3, mode << 16
    archived = io.BytesIO()
    with zipfile.ZipFile(archived, "w") as archive:
        archive.writestr(info, content)
    return archived.getvalue()


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    return tmp_path / "in"


def test_a_folder_and_its_archive_give_the_same(place: Path, tmp_path: Path) -> None:
    for path in ("ben/b.py", "ada/deep/a.py", "ada/z.py", "cyd.py"):
        (place / path).parent.mkdir(parents=True, exist_ok=True)
        (place / path).write_bytes(path.encode())
    packed = tmp_path / "all.zip"
    packed.write_bytes(zipped({path: path.encode() for path in ("cyd.py", "ben/b.py", "ada/z.py", "ada/deep/a.py")}))
    expected = {path: path.encode() for path in ("ada/deep/a.py", "ada/z.py", "ben/b.py", "cyd.py")}
    for whole in (read(place), read(packed)):
        assert whole == expected
        assert list(whole) == list(expected)
    assert [(tree.name, tree.is_folder) for tree in trees(packed)] == [("ada", True), ("ben", True), ("cyd.py", False)]


def test_an_empty_folder_is_an_entry(place: Path, tmp_path: Path) -> None:
    (place / "ada").mkdir()
    packed = tmp_path / "all.zip"
    packed.write_bytes(zipped({"ada/": b"", "ben/": b"", "ben/x.py": b"x"}))
    assert [(tree.name, tree.is_folder, list(tree.items)) for tree in trees(place)] == [("ada", True, [])]
    assert [(tree.name, tree.is_folder) for tree in trees(packed)] == [("ada", True), ("ben", True)]


def test_a_folder_that_was_packed_as_a_whole_is_unwrapped(tmp_path: Path) -> None:
    packed = tmp_path / "class.zip"
    packed.write_bytes(zipped({"class/": b"", "class/ada/x.py": b"x", "class/ben.py": b"y", "__MACOSX/class/._x": b""}))
    assert read(packed) == {"ada/x.py": b"x", "ben.py": b"y"}


@pytest.mark.parametrize("name", ["missing", "notes.txt"])
def test_what_is_no_folder_and_no_archive_is_the_users_mistake(name: str, tmp_path: Path) -> None:
    (tmp_path / "notes.txt").write_text("no")
    with pytest.raises(CourseError, match="neither a folder nor"):
        list(trees(tmp_path / name))


def test_a_download_that_is_damaged_is_the_users_to_repeat(tmp_path: Path) -> None:
    (tmp_path / "all.zip").write_bytes(zipped({"ada.py": b"x"})[:40])
    with pytest.raises(CourseError, match="Download it again"):
        list(trees(tmp_path / "all.zip"))


def test_by_products_of_tools_are_passed_over(place: Path) -> None:
    names = [
        "__MACOSX/._a.py",
        ".DS_Store",
        "__pycache__/a.pyc",
        ".ipynb_checkpoints/a.ipynb",
        ".git/x.py",
        "Thumbs.db",
    ]
    (place / "ben.zip").write_bytes(zipped({**dict.fromkeys(names, b"junk"), "a.py": b"kept"}))
    for name in names:
        (place / "ada" / name).parent.mkdir(parents=True, exist_ok=True)
        (place / "ada" / name).write_bytes(b"junk")
    (place / "ada" / "a.py").write_bytes(b"kept")
    assert read(place) == {"ada/a.py": b"kept", "ben.zip/a.py": b"kept"}


def test_a_link_is_refused_wherever_it_leads(place: Path, tmp_path: Path) -> None:
    secret = tmp_path / "secret.py"
    secret.write_text("secret")
    (place / "ada").mkdir()
    for name, target in (("a.py", secret), ("b.py", tmp_path / "nowhere"), ("loop", place), ("c.py", Path("c.py"))):
        (place / "ada" / name).symlink_to(target)
    (place / "ben").symlink_to(tmp_path)
    words = "it is a link, and is not followed"
    assert read(place) == dict.fromkeys(("ada/a.py", "ada/b.py", "ada/c.py", "ada/loop", "ben"), words)
    assert [(tree.name, tree.is_folder) for tree in trees(place)] == [("ada", True), ("ben", False)]


def test_a_file_that_becomes_a_link_before_it_is_read_is_refused(place: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text("secret")
    (place / "ada.py").write_text("mine")
    (item,) = next(iter(trees(place))).items
    assert isinstance(item, File)
    (place / "ada.py").unlink()
    (place / "ada.py").symlink_to(tmp_path / "secret.py")
    with pytest.raises(Refused, match="cannot be read"):
        item.read(MIB)


def test_a_pipe_that_takes_a_files_place_does_not_block(place: Path) -> None:
    (place / "ada.py").write_text("mine")
    (item,) = next(iter(trees(place))).items
    assert isinstance(item, File)
    (place / "ada.py").unlink()
    os.mkfifo(place / "ada.py")
    with pytest.raises(Refused, match="no regular file"):
        item.read(MIB)


def test_pipes_sockets_and_devices_are_refused(place: Path) -> None:
    os.mkfifo(place / "a.py")
    listener = socket.socket(socket.AF_UNIX)
    here = Path.cwd()
    os.chdir(place)  # a socket's path has a short limit
    try:
        listener.bind("b.py")
    finally:
        os.chdir(here)
        listener.close()
    expected = {"a.py": "it is a pipe, and is not followed", "b.py": "it is a socket, and is not followed"}
    if os.geteuid() == 0:
        os.mknod(place / "c.py", stat.S_IFCHR | 0o600, os.makedev(1, 5))
        expected["c.py"] = "it is a device, and is not followed"
    assert read(place) == expected


def test_what_may_not_be_read_is_told() -> None:
    with tempfile.TemporaryDirectory() as name:  # pytest's own folder is closed to other users
        place = Path(name)
        place.chmod(0o755)
        (place / "ada").mkdir(mode=0o000)
        (place / "ben.py").touch(mode=0o000)
        (place / "cyd.py").write_text("x")
        (place / "cyd.py").chmod(0o644)
        user = os.geteuid()
        if user == 0:
            os.seteuid(65534)
        try:
            found = read(place)
        finally:
            os.seteuid(user)
    words = "it cannot be read: Permission denied"
    assert found == {"ada": words, "ben.py": words, "cyd.py": b"x"}


def test_no_more_is_read_than_asked_for(place: Path) -> None:
    (place / "a.py").write_bytes(b"x" * MIB)
    (place / "b.py").write_bytes(b"x" * (MIB + 1))
    with (place / "c.py").open("wb") as hole:
        hole.truncate(2**40)
    (place / "d.zip").write_bytes(zipped({"a.py": b"x" * MIB, "b.py": b"x" * (MIB + 1)}))
    large = "it is larger than 1 MiB; an answer has a few kB"
    found = read(place)
    assert found.pop("a.py") == found.pop("d.zip/a.py") == b"x" * MIB
    assert found == {"b.py": large, "c.py": large, "d.zip/b.py": large}


def test_a_chain_of_folders_ends(place: Path) -> None:
    deep = place / "ada" / "/".join("d" * 40)
    deep.mkdir(parents=True)
    (deep / "a.py").write_text("x")
    (place / "ben.zip").write_bytes(zipped({"d/" * 40 + "a.py": b"x"}))
    (first, told), (second, other) = read(place).items()
    assert (first, told) == ("ada" + "/d" * 30, "it lies deeper than 30 folders")
    assert (second, other) == ("ben.zip/" + "d/" * 40 + "a.py", "its path has more than 1000 characters or 30 folders")


PATH = "its name is a path of another kind: absolute, with a backslash, a drive or a null character"
ELSEWHERE = "its name leads elsewhere or nowhere"


@pytest.mark.parametrize(
    ("name", "shown", "why"),
    [
        ("../../a.py", "../../a.py", ELSEWHERE),
        ("x/../a.py", "x/../a.py", ELSEWHERE),
        ("x//a.py", "x//a.py", ELSEWHERE),
        ("x/./a.py", "x/./a.py", ELSEWHERE),
        ("/etc/passwd", "etc/passwd", PATH),
        ("C:\\a.py", "C:\\a.py", PATH),
        ("c:a.py", "c:a.py", PATH),
        ("x\\..\\a.py", "x\\..\\a.py", PATH),
    ],
)
def test_a_member_whose_name_is_a_trick_is_refused(name: str, shown: str, why: str, place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({name: b"evil", "fine.py": b"fine"}))
    assert read(place) == {f"ada.zip/{shown}": why, "ada.zip/fine.py": b"fine"}


def test_a_null_character_in_a_name_is_refused(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({"a.py_.png": b"evil"}).replace(b"a.py_.png", b"a.py\0.png"))
    assert read(place) == {"ada.zip/a.py\0.png": PATH}


def test_a_dot_before_each_name_is_the_same_name(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({"./x/a.py": b"a"}))
    assert read(place) == {"ada.zip/x/a.py": b"a"}


@pytest.mark.parametrize("kind", [stat.S_IFLNK, stat.S_IFIFO, stat.S_IFCHR, stat.S_IFBLK, stat.S_IFSOCK])
def test_a_member_that_is_no_file_is_refused(kind: int, place: Path) -> None:
    (place / "ada.zip").write_bytes(of_mode("a.py", kind | 0o777, b"/etc/passwd"))
    assert read(place) == {"ada.zip/a.py": "it is a link, a pipe or a device, and is not followed"}


def test_a_name_that_is_there_twice_is_refused(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped([("a.py", b"one"), ("a.py", b"two"), ("b.py", b"b")]))
    assert read(place) == {"ada.zip/a.py": "the archive holds this name twice", "ada.zip/b.py": b"b"}


def test_an_encrypted_member_is_refused(place: Path) -> None:
    content = bytearray(zipped({"a.py": b"x"}))
    for signature, flags in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(signature) + flags] |= 1
    (place / "ada.zip").write_bytes(content)
    assert read(place) == {"ada.zip/a.py": "it is encrypted"}


@pytest.mark.parametrize("method", [zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA])
def test_a_method_that_unpacks_without_bounds_is_refused(method: int, place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({"a.py": b"x"}, method))
    assert read(place) == {
        "ada.zip/a.py": "it is compressed in a way that is not read here; the usual one is called deflate"
    }


def test_a_bomb_that_lies_about_its_size_stays_small(place: Path) -> None:
    content = zipped({"a.py": b"\0" * (64 * MIB)})
    told, lie = struct.pack("<L", 64 * MIB), struct.pack("<L", 100)
    assert content.count(told) == 2
    (place / "ada.zip").write_bytes(content.replace(told, lie))
    assert read(place) == {"ada.zip/a.py": "it is damaged in its archive"}


def test_an_archive_unpacks_only_so_much(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({f"{number:03}.py": b"x" * MIB for number in range(70)}))
    told = list(read(place).values())
    assert told == [b"x" * MIB] * 64 + ["its archive unpacks to more than 64 MiB"] * 6


def test_an_archive_of_countless_members_is_refused(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({f"{number}": b"" for number in range(10_001)}, zipfile.ZIP_STORED))
    assert read(place) == {"ada.zip": "it holds more than 10,000 files"}


def test_an_archive_is_opened_within_a_learners_files_once(place: Path) -> None:
    inner = zipped({"a.py": b"a"})
    middle = zipped({"inner.zip": inner, "b.py": b"b"})
    (place / "ada").mkdir()
    (place / "ada" / "work.zip").write_bytes(middle)
    (place / "ben.zip").write_bytes(zipped({"middle.ZIP": middle}))
    nested = "it is an archive within an archive, and is not opened"
    assert read(place) == {
        "ada/work.zip/b.py": b"b",
        "ada/work.zip/inner.zip": nested,
        "ben.zip/middle.ZIP/b.py": b"b",
        "ben.zip/middle.ZIP/inner.zip": nested,
    }


def test_ten_archives_in_one_are_enough(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({f"{number:02}.zip": zipped({"a.py": b"a"}) for number in range(12)}))
    found = read(place)
    assert [path for path, told in found.items() if told == b"a"] == [f"ada.zip/{n:02}.zip/a.py" for n in range(10)]
    assert found["ada.zip/10.zip"] == found["ada.zip/11.zip"] == "its archive holds more than 10 archives"


def test_an_archive_larger_than_32_mib_is_not_opened(place: Path) -> None:
    with (place / "ada.zip").open("wb") as hole:
        hole.truncate(32 * MIB + 1)
    assert read(place) == {"ada.zip": "it is larger than 32 MiB; an answer has a few kB"}


def test_damage_is_told(place: Path) -> None:
    whole = zipped({"a.py": b"some text that is stored"}, zipfile.ZIP_STORED)
    (place / "ada.zip").write_bytes(whole.replace(b"stored", b"STORED"))
    (place / "ben.zip").write_bytes(b"not an archive at all")
    (place / "cyd.zip").write_bytes(b"")
    broken = "it is no .zip, or a damaged one"
    assert read(place) == {"ada.zip/a.py": "it is damaged in its archive", "ben.zip": broken, "cyd.zip": broken}


def test_names_in_utf8_that_do_not_say_so_are_read_right(place: Path) -> None:
    content = zipped({"aXX.py": b"x"})
    (place / "ada.zip").write_bytes(content.replace(b"aXX.py", "aé.py".encode()))
    (place / "ben.zip").write_bytes(content.replace(b"aXX.py", b"a\x82\xe1.py"))  # code page 437
    assert list(read(place)) == ["ada.zip/aé.py", "ben.zip/aéß.py"]


def test_a_name_that_is_no_utf8_though_it_says_so_is_damage(place: Path) -> None:
    (place / "ada.zip").write_bytes(zipped({"é.py": b"x"}).replace("é.py".encode(), b"\xff\xff.py"))
    assert read(place) == {"ada.zip": "it is no .zip, or a damaged one"}


def test_the_time_is_that_of_what_the_instructor_holds(place: Path, tmp_path: Path) -> None:
    info = zipfile.ZipInfo("a.py", (2026, 3, 1, 12, 0, 0))
    unknown = zipfile.ZipInfo("b.py", (1980, 1, 1, 0, 0, 0))
    impossible = zipfile.ZipInfo("c.py", (2026, 2, 31, 12, 0, 0))
    packed = tmp_path / "all.zip"
    with zipfile.ZipFile(packed, "w") as archive:
        for member in (info, unknown, impossible):
            archive.writestr(member, b"x")
    (place / "ada.zip").write_bytes(packed.read_bytes())
    noon = datetime(2026, 5, 5, 12).timestamp()
    os.utime(place / "ada.zip", (noon, noon))

    def times(submissions: Path) -> list[datetime | None]:
        return [item.modified for tree in trees(submissions) for item in tree.items if isinstance(item, File)]

    assert times(packed) == [datetime(2026, 3, 1, 12), None, None]
    assert times(place) == [datetime(2026, 5, 5, 12)] * 3


NAMES = st.text(
    st.one_of(st.sampled_from("./\\:a~ \0\n"), st.characters(exclude_categories=["Cs"])), min_size=1, max_size=40
)


@given(members=st.lists(st.tuples(NAMES, st.binary(max_size=20)), max_size=6), nested=st.booleans())
@settings(max_examples=200, deadline=None)
def test_whatever_a_member_is_called_nothing_escapes(members: list[tuple[str, bytes]], nested: bool) -> None:
    with tempfile.TemporaryDirectory() as outside:
        packed = Path(outside, "in", "all.zip")
        packed.parent.mkdir()
        packed.write_bytes(zipped({"ada.zip": zipped(members)}) if nested else zipped(members))
        found = read(packed)
        assert sorted(Path(outside).rglob("*")) == [packed.parent, packed]
    for path, content in found.items():
        if isinstance(content, bytes):
            assert content in [text for _, text in members]
            assert not {"", ".", ".."} & set(path.split("/"))
            assert not set("\\\0") & set(path)


def damaged() -> Iterator[bytes]:
    whole = zipped({"a.py": b"def double(x): return 2 * x\n" * 9, "b/c.py": b"x"})
    for at in range(len(whole)):
        for value in (0x00, 0xFF, whole[at] ^ 0x10):
            yield whole[:at] + bytes([value]) + whole[at + 1 :]


def test_no_damaged_byte_raises(place: Path) -> None:
    for content in damaged():
        (place / "ada.zip").write_bytes(content)
        read(place)
