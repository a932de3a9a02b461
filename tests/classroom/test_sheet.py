"""CSV files of others: every cell is read, and what is not set is written back byte for byte."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from gradclinic.classroom.sheet import Sheet, read_sheet
from gradclinic.course import CourseError


def sheet(tmp_path: Path, content: bytes) -> Sheet:
    file = tmp_path / "export.csv"
    file.write_bytes(content)
    return read_sheet(file)


def cells(read: Sheet) -> list[list[str]]:
    return [read.row(number) for number in range(len(read))]


ODD = [
    b"",
    b"\n",
    b"a,b\n1,2",
    b"a,b\r\n1,2\r\n",
    b'"a";"b ""c"""\r"1;2";"3\r\n4"\r',
    b'a,"never closed\n1,2\n',
    b'a"b,c\n,,\n',
    b"\xef\xbb\xbfa\tb\n\xc3\xa9\t\n",
    b"a,b\n\xe9,\x81\n",
    "\ufeffa,b\né,x\n".encode("utf-16-le"),
]


@pytest.mark.parametrize("content", ODD)
def test_nothing_changes_where_nothing_is_set(tmp_path: Path, content: bytes) -> None:
    assert sheet(tmp_path, content).as_bytes() == content


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.binary(max_size=60) | st.text(alphabet='a,;"\t \r\n', max_size=40).map(str.encode))
def test_any_bytes_come_back(tmp_path: Path, content: bytes) -> None:
    try:
        assert sheet(tmp_path, content).as_bytes() == content
    except CourseError:
        assert content[:2] in (b"\xff\xfe", b"\xfe\xff")  # said to be UTF-16, and is not


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.lists(st.text(alphabet='ab,;"\r\n é=', max_size=6), min_size=2, max_size=2), min_size=1, max_size=5))
def test_cells_are_those_that_pythons_own_writer_wrote(tmp_path: Path, rows: list[list[str]]) -> None:
    text = io.StringIO()
    csv.writer(text, quoting=csv.QUOTE_ALL).writerows([["id", "name"], *rows])
    read = cells(sheet(tmp_path, text.getvalue().encode()))
    assert read == [["id", "name"], *([cell.strip() for cell in row] for row in rows)]


def test_an_empty_cell_at_the_end_of_a_line_takes_nothing_of_the_next(tmp_path: Path) -> None:
    assert cells(sheet(tmp_path, b'a,\n "b" ,\n,"c"\n"d",')) == [["a", ""], ["b", ""], ["", "c"], ["d", ""]]


def test_a_cell_is_set_in_the_form_that_it_had(tmp_path: Path) -> None:
    read = sheet(tmp_path, b'id,"grade"\r\nada,"1"\r\nben,2')
    read.set(1, 1, "3.5")
    read.set(2, 1, "4,5")
    assert read.as_bytes() == b'id,"grade"\r\nada,"3.5"\r\nben,"4,5"'


def test_a_row_knows_its_line(tmp_path: Path) -> None:
    read = sheet(tmp_path, b'id,name\r\nada,"A\r\nB"\r\n\r\nben,B\r\n')
    assert [read.line(number) for number in range(len(read))] == [1, 2, 4, 5]


def test_text_of_many_quotes_takes_no_time(tmp_path: Path) -> None:
    assert len(sheet(tmp_path, b'"' * 200_001 + b",\n")) >= 1


def test_a_file_too_large_for_a_class_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "large.csv"
    with file.open("wb") as stream:
        stream.truncate(64 * 2**20 + 1)
    with pytest.raises(CourseError, match="larger than 64 MB"):
        read_sheet(file)
