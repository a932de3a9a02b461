"""Whatever a child writes to its pipe is read as a report, or refused as one; the judge never stumbles over it."""

from __future__ import annotations

import io
import json
import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.grading import wire
from gradclinic.grading.reports import read_report
from gradclinic.grading.wire import WireError

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=12,
)
FIELDS = ("exception", "warnings", "missing", "has", "signature", "why", "refused", "events")
PARTS = ("type", "text", "kinds", "frames", "line", "column", "syntax", "own_file", "category")
HEADS = st.dictionaries(
    st.sampled_from(FIELDS), JSON | st.lists(st.dictionaries(st.sampled_from(PARTS), JSON)), max_size=8
) | st.fixed_dictionaries(
    {"exception": st.dictionaries(st.sampled_from(PARTS), JSON | st.just([{}])), "warnings": st.lists(JSON)}
)


def texts(value: Any) -> list[str]:
    if isinstance(value, dict):
        return [text for key, item in value.items() if key != "events" for text in texts(item)]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]
    return [value] if isinstance(value, str) else []


@given(HEADS)
def test_any_head_is_a_report_or_no_message(head: dict[str, Any]) -> None:
    try:
        report = read_report(head)
    except WireError:
        return
    for text in texts(report):
        assert len(text) <= 2000
        assert not set(text) & set(map(chr, (*range(9), *range(11, 32), 0x202E, 0xD800)))
    error = report.get("exception")
    lines = [frame["line"] for frame in error["frames"]] if error else []
    assert all(line is None or 0 <= line <= 10**6 for line in lines)


def test_what_an_honest_child_says_is_kept() -> None:
    frame = {"line": 7, "column": 4, "end_column": 9, "end_line": 7, "in": "double"}
    error = {"type": "ValueError", "text": "no\nway", "frames": [frame], "kinds": ["ValueError", "Exception"]}
    warning = {"category": "UserWarning", "text": "careful", "line": None}
    report = read_report({"exception": error, "warnings": [warning], "values": {}, "events": [{"op": "cut"}]})
    frame.pop("in")
    assert report == {"exception": error, "warnings": [warning], "events": [{"op": "cut"}]}
    missing = {"missing": "double", "has": ["doubel"]}
    assert read_report(missing) == missing


def frame(head: dict[str, Any], storages: list[list[int]], blob: bytes = b"") -> io.BytesIO:
    text = json.dumps({"head": head, "tensors": [], "storages": storages}).encode()
    return io.BytesIO(struct.pack("<4sIQ", b"gcl1", len(text), len(blob)) + text + blob)


def test_storages_that_overlap_are_not_copied() -> None:
    with pytest.raises(WireError, match="storages that overlap"):
        wire.read(frame({}, [[0, 8], [0, 8]], bytes(8)))
    assert wire.read(frame({}, [[0, 4], [4, 4]], bytes(8))) is not None


def test_a_million_parts_are_not_built() -> None:
    with pytest.raises(WireError, match="too many parts"):
        wire.read(frame({"x": [[]] * 600_000}, []))


def test_a_number_too_long_to_show_and_a_key_that_is_none_are_refused_or_cut() -> None:
    unpack = wire.read(frame({}, []))
    assert unpack is not None
    assert len(str(unpack.value(["int", "0x" + "f" * 10**6]))) < 4300
    with pytest.raises(WireError, match="a key that is no plain value"):
        unpack.value(["dict", [[["tuple", []], ["none"]]]])
