"""Whatever bytes arrive, the reader gives a value or a WireError, and builds nothing larger than the message."""

from __future__ import annotations

import contextlib
import io
import json
import struct
from typing import Any

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from gradclinic.grading import wire
from gradclinic.grading.session import Reply

GOOD = wire.message(
    {"exception": None, "warnings": []},
    result={"w": torch.arange(6.0).reshape(2, 3), "n": [1, 2.5, None, True, "text", 1j]},
    args=[torch.ones(2, dtype=torch.int64)],
)
JSONS = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**70), 2**70) | st.floats() | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=12,
)


def framed(text: bytes, blob: bytes = b"") -> bytes:
    return struct.pack("<4sIQ", b"gcl1", len(text), len(blob)) + text + blob


def survive(data: bytes) -> None:
    """Reads the way the judge does; only a WireError may come out."""
    with contextlib.suppress(wire.WireError):
        read(data)


def read(data: bytes) -> None:
    if (unpack := wire.read(io.BytesIO(data))) is not None:
        Reply.of(unpack)


@given(st.binary(max_size=200))
def test_arbitrary_bytes(data: bytes) -> None:
    survive(data)
    survive(framed(data))
    survive(framed(b'{"head": {}, "tensors": [], "storages": [[0, 1]]}', data))


@given(st.data())
def test_a_good_message_with_bytes_changed(data: st.DataObject) -> None:
    mutated = bytearray(GOOD)
    for _ in range(data.draw(st.integers(1, 5))):
        mutated[data.draw(st.integers(0, len(GOOD) - 1))] = data.draw(st.integers(0, 255))
    survive(bytes(mutated))


@given(st.integers(0, len(GOOD) - 1), st.binary(max_size=8))
def test_a_good_message_cut_short(length: int, more: bytes) -> None:
    survive(GOOD[:length] + more)


def test_half_a_message_is_told_from_the_end_of_the_stream() -> None:
    assert wire.read(io.BytesIO(b"")) is None
    for cut in (1, 15, 16, 40, len(GOOD) - 1):
        with pytest.raises(wire.WireError, match="half a message"):
            wire.read(io.BytesIO(GOOD[:cut]))


@given(JSONS, JSONS, JSONS)
def test_json_of_any_form(head: Any, tensors: Any, storages: Any) -> None:
    survive(framed(json.dumps(head).encode()))
    survive(framed(json.dumps({"head": head, "tensors": tensors, "storages": storages}).encode(), b"12345678"))
    survive(framed(json.dumps({"head": {"values": head}, "tensors": [], "storages": []}).encode()))
    survive(framed(json.dumps({"head": {"values": {"result": head}}, "tensors": [], "storages": []}).encode()))


@given(
    st.sampled_from(["float32", "float64", "bool", "complex128", "uint16", "", 3, None]),
    *[st.lists(st.integers(-3, 2**40), max_size=4)] * 2,
    st.integers(-2, 2**65),
    st.integers(-2, 3),
)
def test_tensors_that_cannot_be(dtype: Any, shape: list[int], stride: list[int], offset: int, storage: int) -> None:
    facts = {"dtype": dtype, "shape": shape, "stride": stride, "offset": offset, "storage": storage, "grad": None}
    head = {"values": {"result": ["tensor", 0]}}
    survive(framed(json.dumps({"head": head, "tensors": [facts], "storages": [[0, 16]]}).encode(), b"\0" * 16))


def told(text: str, blob: bytes = b"") -> str:
    with pytest.raises(wire.WireError) as error:
        read(framed(text.encode(), blob))
    return str(error.value)


def tensor(**facts: Any) -> str:
    whole = {"dtype": "uint8", "shape": [2], "stride": [1], "offset": 0, "storage": 0} | facts
    return json.dumps({"head": {}, "tensors": [whole], "storages": [[0, 4]]})


def test_a_bad_message_is_named() -> None:
    blob = b"1234"
    assert told("{}") == "an unreadable message (KeyError)"
    assert told("[" * 100_000) == "an unreadable message (RecursionError)"
    assert told('{"head": {}, "tensors": [], "storages": [[0, 5]]}', blob) == "a storage outside the message"
    assert told('{"head": {}, "tensors": [], "storages": [[-1, 2]]}', blob) == "a storage outside the message"
    assert told(tensor(shape=[5]), blob) == "a tensor larger than its storage"
    assert told(tensor(offset=3), blob) == "a tensor larger than its storage"
    assert told(tensor(shape=[2**20, 2**20], stride=[0, 0]), blob) == "a tensor of 1099511627776 numbers"
    assert told(tensor(stride=[-1]), blob) == "a tensor with impossible sizes"
    assert told(tensor(shape=[1, 1]), blob) == "a tensor with impossible sizes"
    assert told('{"head": {"values": {"result": ["odd"]}}, "tensors": [], "storages": []}') == (
        "an unreadable value (KeyError)"
    )


def test_a_header_that_promises_too_much_is_refused_before_anything_is_read() -> None:
    for text, blob in ((2**32 - 1, 0), (0, 2**63), (2**24, 1)):
        stream = io.BytesIO(struct.pack("<4sIQ", b"gcl1", text, blob) + b"rest")
        with pytest.raises(wire.WireError, match="something that is no message"):
            wire.read(stream)
        assert stream.read() == b"rest"


def test_many_small_references_to_one_large_tensor_build_it_once() -> None:
    node = ["list", [["tensor", 0]] * 50]
    text = {
        "head": {"exception": None, "warnings": [], "values": {"result": node}},
        "tensors": [{"dtype": "uint8", "shape": [2**20], "stride": [0], "offset": 0, "storage": 0}],
        "storages": [[0, 1]],
    }
    unpack = wire.read(io.BytesIO(framed(json.dumps(text).encode(), b"7")))
    assert unpack is not None
    result = Reply.of(unpack).result
    assert len(result) == 50
    assert all(item is result[0] for item in result)


def test_a_large_tensor_that_a_value_holds_a_thousand_times_is_refused() -> None:
    text = {
        "head": {"exception": None, "warnings": [], "values": {"result": ["list", [["tensor", 0]] * 1000]}},
        "tensors": [{"dtype": "uint8", "shape": [2**20], "stride": [0], "offset": 0, "storage": 0}],
        "storages": [[0, 1]],
    }
    unpack = wire.read(io.BytesIO(framed(json.dumps(text).encode(), b"7")))
    assert unpack is not None
    with pytest.raises(wire.WireError, match="tensors of too many numbers"):
        Reply.of(unpack)
