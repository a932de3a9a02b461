"""The wire: plain values arrive bit for bit, with the sharing they had; all else is refused by name."""

from __future__ import annotations

import io
import math
import sys
from typing import Any

import numpy as np
import pytest
import torch
from hypothesis import given, settings
from hypothesis import strategies as st
from torch import Tensor

from gradclinic.grading import wire

FLOATS = st.floats() | st.sampled_from([float("nan"), float("inf"), -0.0, 5e-324])
ATOMS = st.none() | st.booleans() | st.integers() | FLOATS | st.text() | st.builds(complex, FLOATS, FLOATS)
KEYS = st.text(max_size=5) | st.integers() | st.booleans()
VALUES = st.recursive(
    ATOMS, lambda inner: st.lists(inner) | st.lists(inner).map(tuple) | st.dictionaries(KEYS, inner), max_leaves=15
)
SIZES = st.lists(st.integers(0, 4), max_size=4)


def sent(value: Any) -> wire.Unpack:
    unpack = wire.read(io.BytesIO(wire.message({}, value=value)))
    assert unpack is not None
    return unpack


def crossed(value: Any) -> Any:
    unpack = sent(value)
    return unpack.value(unpack.head["values"]["value"])


def facts(value: Tensor) -> dict[str, Any]:
    return sent(value).facts[0]


def exact(value: Any) -> Any:
    """A form in which equality means: same types, same bits."""
    if isinstance(value, float):
        return "nan" if math.isnan(value) else value.hex()
    if isinstance(value, complex):
        return ("complex", exact(value.real), exact(value.imag))
    if isinstance(value, dict):
        return [(exact(key), exact(item)) for key, item in value.items()]
    if isinstance(value, (list, tuple)):
        return (type(value), [exact(item) for item in value])
    return (type(value), value)


def bits(tensor: Tensor) -> tuple[torch.dtype, list[int], bytes]:
    return tensor.dtype, list(tensor.shape), bytes(tensor.detach().contiguous().view(-1).view(torch.uint8).numpy())


@given(VALUES)
def test_nested_plain_values_arrive_unchanged(value: Any) -> None:
    assert exact(crossed(value)) == exact(value)


@given(st.sampled_from(list(wire.DTYPES.values())), SIZES, st.binary(min_size=16, max_size=64))
def test_tensors_of_every_dtype_and_shape_arrive_bit_for_bit(dtype: torch.dtype, shape: list[int], seed: bytes) -> None:
    count = math.prod(shape)
    raw = (seed * (count + 1))[: count * dtype.itemsize]
    if dtype is torch.bool:
        raw = bytes(byte & 1 for byte in raw)
    flat = torch.frombuffer(bytearray(raw), dtype=dtype) if raw else torch.empty(0, dtype=dtype)
    assert bits(crossed(flat.reshape(shape))) == (dtype, shape, raw)


@given(SIZES, st.data())
def test_views_of_any_stride_arrive_with_their_numbers(shape: list[int], data: st.DataObject) -> None:
    base = torch.arange(math.prod(shape), dtype=torch.float64).reshape(shape)
    view = base.permute(data.draw(st.permutations(range(len(shape)))))
    if view.ndim and view.shape[0] > 1:
        view = view[1 :: data.draw(st.integers(1, 2))]
    arrived = crossed(view)
    assert arrived.tolist() == view.tolist()
    assert arrived.stride() == view.stride() or not arrived.numel()


def test_two_views_of_one_storage_arrive_as_two_views_of_one_storage() -> None:
    base = torch.zeros(3, 4)
    whole, column, same = crossed([base, base.t()[1], base])
    whole[2, 1] = 7
    assert column.tolist() == [0, 0, 7]
    assert same is whole


def test_an_expanded_tensor_keeps_its_stride_of_zero() -> None:
    arrived = crossed(torch.tensor([5.0]).expand(3, 4))
    assert (arrived.stride(), arrived.tolist()) == ((0, 0), [[5.0] * 4] * 3)
    assert arrived.untyped_storage().nbytes() == 4


def test_tensors_that_do_not_share_stay_apart() -> None:
    first, second = crossed([torch.zeros(2), torch.zeros(2)])
    first[0] = 1
    assert second.tolist() == [0, 0]


def test_conjugate_and_negative_views_arrive_as_numbers() -> None:
    z = torch.tensor([1 + 2j, 3 - 4j])
    assert crossed(z.conj()).tolist() == [1 - 2j, 3 + 4j]
    assert crossed(z.conj().imag).tolist() == [-2.0, 4.0]


def test_what_arrives_is_plain_and_its_facts_come_beside_it() -> None:
    w = torch.nn.Parameter(torch.tensor([3.0, 4.0]))
    y = w * 2
    y.retain_grad()
    y.sum().backward()
    unpack = sent([w, y])
    assert [type(tensor) for tensor in unpack.tensors] == [Tensor] * 4
    assert [tensor.requires_grad for tensor in unpack.tensors] == [False] * 4
    told_w, told_y = unpack.facts[0], unpack.facts[2]
    assert unpack.tensors[told_w["grad"]].tolist() == [2, 2]
    assert unpack.tensors[told_y["grad"]].tolist() == [1, 1]
    kept = ("class", "requires_grad", "is_leaf", "retains_grad")
    assert [told_w[key] for key in kept] == ["Parameter", True, True, False]
    assert [told_y[key] for key in kept] == ["Tensor", True, False, True]


def test_the_version_counts_edits_and_a_missing_gradient_is_none() -> None:
    x = torch.zeros(2)
    x += 1
    x.mul_(2)
    assert (facts(x)["version"], facts(x)["grad"]) == (2, None)
    with torch.inference_mode():
        made = torch.zeros(2)
    assert facts(made)["version"] is None


def test_the_gradient_of_a_non_leaf_is_not_asked_for_since_that_warns() -> None:
    x = torch.ones(2, requires_grad=True) * 2
    assert facts(x)["grad"] is None  # warnings are errors in this suite


class Liar(Tensor):
    """A subclass that answers every question with yes."""

    @classmethod
    def __torch_function__(cls, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        return True

    def __eq__(self, other: object) -> bool:  # type: ignore[override]
        return True

    __hash__ = Tensor.__hash__


def test_a_subclass_that_lies_arrives_as_its_plain_numbers() -> None:
    liar = torch.tensor([1.0, 2.0]).as_subclass(Liar)
    assert liar.sum() is True  # type: ignore[comparison-overlap]
    unpack = sent(liar)
    assert type(unpack.tensors[0]) is Tensor
    assert unpack.tensors[0].tolist() == [1.0, 2.0]
    assert unpack.facts[0]["class"] == "Liar"
    assert unpack.facts[0]["shape"] == [2]


class OddDict(dict[str, int]):
    def items(self) -> Any:
        raise RuntimeError("not for you")


def test_subclasses_of_containers_are_read_past_their_own_methods() -> None:
    assert crossed(OddDict(a=1)) == {"a": 1}


DEEP: list[Any] = []
for _ in range(30):
    DEEP = [DEEP]
ROUND: list[Any] = []
ROUND.append(ROUND)

REFUSED = [
    (torch.eye(3).to_sparse(), "a tensor of layout torch.sparse_coo"),
    (torch.zeros(2, device="meta"), "a tensor on the device meta"),
    (torch.zeros(2, dtype=torch.uint16), "a tensor of torch.uint16"),
    (torch.zeros(1).expand(10**9), "a tensor of 1000000000 numbers"),
    (torch.zeros(20 * 2**20, dtype=torch.uint8)[:1], "a tensor of 20 MB (at most 16 MB can be sent)"),
    ([torch.zeros(9 * 2**20, dtype=torch.uint8) for _ in range(2)], "a tensor of 9 MB (at most 16 MB can be sent)"),
    ("x" * 17 * 2**20, "a value of more than 16 MB"),
    (np.zeros(3), "a value of type numpy.ndarray"),
    (np.float64(1.0), "a value of type numpy.float64"),
    (torch.nn.Linear(1, 1), "a value of type torch.nn.modules.linear.Linear"),
    (torch.float32, "a value of type torch.dtype"),
    (sys, "a value of type module"),
    ({1, 2}, "a value of type set"),
    (object(), "a value of type object"),
    (b"bytes", "a value of type bytes"),
    (len, "a value of type builtin_function_or_method"),
    ({(1, 2): 3}, "a dict with a key of type tuple"),
    (2**5000, "an enormous int"),
    (DEEP, "a value nested too deep or with too many parts"),
    (ROUND, "a value nested too deep or with too many parts"),
    ([0] * 30_000, "a value nested too deep or with too many parts"),
]


@pytest.mark.parametrize(("value", "name"), REFUSED, ids=[name for _, name in REFUSED])
def test_other_values_are_refused_by_name(value: Any, name: str) -> None:
    with pytest.raises(wire.WireError) as refusal:
        wire.message({}, value=value)
    assert str(refusal.value) == name


@settings(max_examples=25)
@given(st.lists(VALUES, min_size=1, max_size=3))
def test_messages_follow_each_other_on_one_stream(values: list[Any]) -> None:
    stream = io.BytesIO(b"".join(wire.message({"n": n}, value=value) for n, value in enumerate(values)))
    for n, value in enumerate(values):
        unpack = wire.read(stream)
        assert unpack is not None
        assert unpack.head["n"] == n
        assert exact(unpack.value(unpack.head["values"]["value"])) == exact(value)
    assert wire.read(stream) is None
