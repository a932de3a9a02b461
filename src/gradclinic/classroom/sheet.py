"""A CSV file that somebody else exported: read whatever its form, written back with nothing changed but some cells."""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass, field
from pathlib import Path

from gradclinic.course import CourseError
from gradclinic.files import regular

_MOST = 64 * 2**20
_BOMS = ((codecs.BOM_UTF8, "utf-8"), (codecs.BOM_UTF16_LE, "utf-16-le"), (codecs.BOM_UTF16_BE, "utf-16-be"))
_DELIMITERS = ",;\t|"


@dataclass
class Sheet:
    """Cells as they stand in the file (quotes and all), so that what is not set is kept byte for byte.

    `ends` holds what ended each cell: the delimiter, a line end, or nothing at the end of the file.
    """

    file: Path
    bom: bytes
    encoding: str
    delimiter: str
    raw: list[list[str]] = field(repr=False)
    ends: list[list[str]] = field(repr=False)

    def __len__(self) -> int:
        return len(self.raw)

    def row(self, number: int) -> list[str]:
        """The texts of a row's cells, outer blanks taken off."""
        return [_text(cell) for cell in self.raw[number]]

    def set(self, row: int, column: int, text: str) -> None:
        """Puts a text without quotes and line ends into a cell, in quotes if the cell had them or it needs them."""
        quoted = self.raw[row][column].lstrip().startswith('"') or self.delimiter in text
        self.raw[row][column] = f'"{text}"' if quoted else text

    def line(self, row: int) -> int:
        """The line of the file, from 1, on which a row begins."""
        return 1 + sum(
            len(_LINE_END.findall(cell + end))
            for cells, ends in zip(self.raw[:row], self.ends[:row], strict=True)
            for cell, end in zip(cells, ends, strict=True)
        )

    def as_bytes(self) -> bytes:
        """The file's contents as they stand now, in its own encoding."""
        text = "".join(
            cell + end
            for cells, ends in zip(self.raw, self.ends, strict=True)
            for cell, end in zip(cells, ends, strict=True)
        )
        return self.bom + text.encode(self.encoding)


_LINE_END = re.compile(r"\r\n|\n|\r")


def read_sheet(file: Path) -> Sheet:
    """A file in UTF-8, UTF-16 with its mark, Windows-1252 or Latin-1, with any usual delimiter. Raises CourseError."""
    try:
        with regular(file).open("rb") as stream:
            content = stream.read(_MOST + 1)
    except OSError as error:
        raise CourseError(f"{file}: {error.strerror or error}.") from None
    if len(content) > _MOST:
        raise CourseError(f"{file}: this is larger than {_MOST // 2**20} MB, so it is no list of a class.")
    bom, encoding = next(((mark, name) for mark, name in _BOMS if content.startswith(mark)), (b"", ""))
    encoding, text = _decoded(content[len(bom) :], encoding, file)
    delimiter = _delimiter(text)
    raw, ends = _cells(text, delimiter)
    return Sheet(file, bom, encoding, delimiter, raw, ends)


def _decoded(content: bytes, encoding: str, file: Path) -> tuple[str, str]:
    for name in (encoding,) if encoding else ("utf-8", "cp1252", "latin-1"):
        try:
            return name, content.decode(name)
        except UnicodeDecodeError:
            continue
    raise CourseError(f"{file}: this is not text in {encoding}. Save it as CSV in UTF-8.")


def _delimiter(text: str) -> str:
    """The sign that parts the cells of the first line that has any; of a tie the more usual one."""
    for line in _LINE_END.split(text)[:20]:
        bare = re.sub(r'"[^"]*"', "", line)
        if counts := [(bare.count(sign), -i, sign) for i, sign in enumerate(_DELIMITERS) if sign in bare]:
            return max(counts)[2]
    return ","


def _cells(text: str, delimiter: str) -> tuple[list[list[str]], list[list[str]]]:
    sign = re.escape(delimiter)
    # a quote that is never closed is an ordinary sign; possessive, so that no text makes it slow
    pattern = re.compile(
        rf'( *+"(?:[^"]|"")*+"[^{sign}\r\n"]*+(?={sign}|\r|\n|\Z)|[^{sign}\r\n]*+)({sign}|\r\n|\n|\r|\Z)'
    )
    raw: list[list[str]] = [[]]
    ends: list[list[str]] = [[]]
    place = 0
    while place < len(text) or raw[-1]:
        found = pattern.match(text, place)
        assert found is not None  # the second way of a cell always fits
        raw[-1].append(found[1])
        ends[-1].append(found[2])
        place = found.end()
        if found[2] != delimiter:
            if place == len(text):
                break
            raw.append([])
            ends.append([])
    return [cells for cells in raw if cells], [cells for cells in ends if cells]


def _text(cell: str) -> str:
    bare = cell.strip()
    if len(bare) >= 2 and bare.startswith('"') and bare.endswith('"'):
        bare = bare[1:-1].replace('""', '"').strip()
    return bare
