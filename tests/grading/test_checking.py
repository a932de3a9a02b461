"""`expect` and what surrounds it: what passes, what fails and how, and when inputs are drawn again."""

from __future__ import annotations

from typing import Any

import pytest
import torch
from torch import tensor

from gradclinic.grading.checking import (
    CheckFailed,
    Exercise,
    Redraw,
    Returned,
    describe,
    drawing,
    expect,
    integers,
    normal,
    redraw_unless,
    same,
    uniform,
)

RIGHT = [
    (tensor([1.0, 2.0]), tensor([1.0, 2.0]).double()),
    (tensor([1.0, 2.0001]), tensor([1.0, 2.0])),  # half a tolerance of the largest number away
    (tensor(3.0), 3.0),
    (3, tensor(3.0)),
    (3.0, 3),
    ([1.0, 2], (1, 2.0)),
    (tensor([[1.0, 2.0], [3.0, 4.0]]), [tensor([1.0, 2.0]), tensor([3.0, 4.0])]),  # rows of a table
    ({"b": 2.0, "a": tensor([1.0])}, {"a": tensor([1.0]), "b": 2.0}),  # in any order
    ({"w": [1.0, {"v": 2.0}]}, {"w": [1.0, {"v": 2.0}]}),
    (torch.empty(0), torch.empty(0)),
    (tensor([0, 1]), tensor([0.0, 1.0])),
    (tensor([0.00005, 0.0]), tensor([0.0, 0.0])),  # beside zeros the tolerance is absolute
    (Returned("f", 2.0), 2.0),
]


@pytest.mark.parametrize(("got", "expected"), RIGHT)
def test_equal_values_pass(got: Any, expected: Any) -> None:
    expect("it", got, expected, {"wrong_scale": 17.0})


WRONG = [
    (None, tensor([1.0]), "none", "it is None"),
    ([None, 1.0], [1.0, 1.0], "none", "it[0] is None"),
    ({"w": None}, {"w": 1.0}, "none", "it['w'] is None"),
    ("text", tensor([1.0, 2.0]), "type", "it should be a tensor of shape (2,), and is str 'text'"),
    (True, 1.0, "type", "it should be float 1.0, and is bool True"),
    ([1.0], tensor([1.0]), "type", "it should be a tensor of shape (1,), and is a list of 1"),
    (1.0, [1.0], "type", "it should be a list of 1, and is float 1.0"),
    ([1.0], [1.0, 2.0], "type", "it should be a list of 2, and is a list of 1"),
    ({"a": 1}, {"a": 1, "b": 2}, "type", "it should be a dict with 'a', 'b', and is a dict with 'a'"),
    ({"w": [1, "x"]}, {"w": [1, 2]}, "type", "it['w'][1] should be int 2, and is str 'x'"),
    (tensor([[1.0, 2.0]]), tensor([1.0, 2.0]), "shape", "it has the shape (1, 2), expected (2,)"),
    (tensor([1.0]), 1.0, "shape", "it has the shape (1,), expected ()"),
    (tensor([1.0, float("nan")]), tensor([1.0, 2.0]), "value", "it holds nan or inf"),
    (float("inf"), 1.0, "value", "it holds nan or inf"),
    (tensor([1.0, 2.001]), tensor([1.0, 2.0]), "value", "it has wrong numbers"),
    ({"a": 1.0, "b": [2.0, 9.0]}, {"a": 1.0, "b": [2.0, 3.0]}, "value", "it['b'][1] has wrong numbers"),
]


@pytest.mark.parametrize(("got", "expected", "kind", "message"), WRONG, ids=[row[3] for row in WRONG])
def test_other_values_fail_with_a_kind_and_a_sentence(got: Any, expected: Any, kind: str, message: str) -> None:
    with pytest.raises(CheckFailed) as failure:
        expect("it", got, expected)
    assert (failure.value.kind, failure.value.message, failure.value.cause) == (kind, message, None)


def test_each_tensor_of_a_list_is_measured_against_its_own_largest_number() -> None:
    with pytest.raises(CheckFailed, match=r"it\[1\] has wrong numbers"):
        expect("it", [tensor([1000.0]), tensor([0.011])], [tensor([1000.0]), tensor([0.010])])


NAMED = {"accumulated": 4.0, "wrong_scale": [6.0, 8.0]}


@pytest.mark.parametrize(("got", "cause"), [(4.0, "accumulated"), (6.0, "wrong_scale"), (8.0, "wrong_scale")])
def test_a_named_wrong_value_gives_its_cause(got: float, cause: str) -> None:
    with pytest.raises(CheckFailed) as failure:
        expect("it", got, 2.0, NAMED)
    assert (failure.value.kind, failure.value.cause) == ("value", cause)
    assert (failure.value.got, failure.value.expected) == (got, 2.0)


def test_a_value_between_the_named_ones_has_no_cause() -> None:
    with pytest.raises(CheckFailed) as failure:
        expect("it", 7.0, 2.0, NAMED)
    assert failure.value.cause is None


def test_no_gradient_arrived_is_left_to_the_events() -> None:
    unmoved, moved = ({"w": tensor([w]), "v": tensor([3.0])} for w in (1.0, 2.0))
    with pytest.raises(CheckFailed) as failure:
        expect("w", unmoved, moved, {"lost": {"w": tensor([1.0]), "v": tensor([3.0])}})
    assert (failure.value.kind, failure.value.cause, failure.value.name) == ("lost", None, "w['w']")
    assert failure.value.message == "w['w'] is what comes out when no gradient is applied"


def test_a_named_list_for_a_list_is_one_value() -> None:
    with pytest.raises(CheckFailed) as failure:
        expect("it", [2.0, 1.0], [1.0, 2.0], {"hook_order": [2.0, 1.0]})
    assert failure.value.cause == "hook_order"


def test_inputs_are_drawn_again_when_a_named_wrong_value_is_too_near() -> None:
    expect("it", 1.0, 1.0, {"wrong_scale": 1.0021})
    with pytest.raises(Redraw):  # 20 tolerances of 1e-4 are 0.002
        expect("it", 1.0, 1.0, {"wrong_scale": 1.0019})
    with pytest.raises(Redraw):
        expect("it", "not even a number", tensor([0.0, 0.0]), {"lost": tensor([0.0, 0.0])})
    expect("it", 1.0, 1.0, {"wrong_scale": 1.0019}, tolerance=1e-5)


def test_a_named_value_of_another_shape_is_far_enough() -> None:
    expect("it", tensor([1.0]), tensor([1.0]), {"wrong_shape": tensor([[1.0]])})


def test_redraw_unless() -> None:
    redraw_unless(tensor(1.0) > 0)
    with pytest.raises(Redraw):
        redraw_unless(False)


INDEXED = [
    ({"a": 1}, "b", "f returned no 'b'; it returned ['a']"),
    (None, "b", "f should return a dict with 'b', and returned None"),
    ([1], "b", "f should return a dict with 'b', and returned a list of 1"),
    ((1, 2), 5, "f returned no 5; it returned 2 items"),
    (tensor([1.0, 2.0]), 0, "f should return a tuple with an item 0, and returned a tensor of shape (2,)"),
]


@pytest.mark.parametrize(("value", "key", "message"), INDEXED, ids=[row[2] for row in INDEXED])
def test_indexing_tells_the_learner_what_is_missing(value: Any, key: str | int, message: str) -> None:
    with pytest.raises(CheckFailed) as failure:
        Returned("f", value)[key]
    assert (failure.value.kind, failure.value.message) == ("type", message)


def test_indexing_gives_the_value() -> None:
    assert Returned("f", {"a": 1})["a"] == 1
    assert Returned("f", (1, 2))[1] == 2


def test_an_exercise_hands_name_and_arguments_on() -> None:
    asked: list[tuple[str, tuple[Any, ...]]] = []
    exercise = Exercise(lambda name, args: asked.append((name, args)))
    assert exercise.some_function(1, [2]).value is None
    assert asked == [("some_function", (1, [2]))]
    with pytest.raises(AttributeError):
        exercise._private  # noqa: B018


def test_inputs_come_from_their_own_generator() -> None:
    before = torch.get_rng_state()
    with drawing(7):
        first = normal(3), uniform(4, low=2, high=3), integers(0, 5, 6)
    torch.manual_seed(99)
    with drawing(7):
        again = normal(3), uniform(4, low=2, high=3), integers(0, 5, 6)
    torch.set_rng_state(before)
    assert [x.tolist() for x in first] == [x.tolist() for x in again]
    assert [x.dtype for x in first] == [torch.float32, torch.float32, torch.int64]
    assert ((first[1] >= 2) & (first[1] < 3)).all()
    assert ((first[2] >= 0) & (first[2] < 5)).all()
    with drawing(8):
        assert normal(3).tolist() != first[0].tolist()


def test_same_is_number_for_number() -> None:
    assert same(tensor([1.0]), tensor([1.0]))
    assert same(None, None)
    assert not same(tensor([1.0]), tensor([1.0001]))
    assert not same(None, tensor([1.0]))


def test_describe() -> None:
    assert describe([1, 2]) == "a list of 2"
    assert describe({}) == "a dict with nothing"
    assert describe("x" * 100) == "str '" + "x" * 55
