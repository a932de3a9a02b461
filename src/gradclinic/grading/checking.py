"""What a check uses: the exercise as if it were local, fresh inputs, and `expect`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

import torch

TOLERANCE = 1e-4  # of the largest expected number: float32 in the child against float64 here
APART = 20  # tolerances between the truth and every named wrong value

_generator: ContextVar[torch.Generator] = ContextVar("generator")


class CheckFailed(Exception):
    """The learner's answer is not right. `kind` tells the runner how to look for the cause.

    `where` is the line (and column) of the learner's file, if the failure itself knows it.
    """

    def __init__(
        self,
        message: str,
        *,
        kind: str,
        cause: str | None = None,
        got: Any = None,
        expected: Any = None,
        name: str = "",
        where: tuple[int, int | None] | None = None,
    ) -> None:
        super().__init__(message)
        self.message, self.kind, self.cause = message, kind, cause
        self.got, self.expected, self.name, self.where = got, expected, name, where


class Redraw(Exception):
    """These inputs do not tell a right answer from a wrong one: the runner draws others."""


class Returned:
    """What a function of the learner's returned; indexing tells the learner what is missing."""

    def __init__(self, function: str, value: Any) -> None:
        self.function, self.value = function, value

    def __getitem__(self, key: str | int) -> Any:
        wanted = dict if isinstance(key, str) else (list, tuple)
        if not isinstance(self.value, wanted):
            shape = f"a dict with {key!r}" if isinstance(key, str) else f"a tuple with an item {key}"
            message = f"{self.function} should return {shape}, and returned {describe(self.value)}"
            raise CheckFailed(message, kind="type")
        try:
            return self.value[key]  # type: ignore[index]
        except LookupError:
            there = list(self.value) if isinstance(self.value, dict) else f"{len(self.value)} items"
            raise CheckFailed(f"{self.function} returned no {key!r}; it returned {there}", kind="type") from None


class Exercise:
    """The learner's file: every attribute is a function that runs in the child and returns plain values."""

    def __init__(self, call: Callable[[str, tuple[Any, ...]], Any]) -> None:
        self._call = call

    def __getattr__(self, name: str) -> Callable[..., Returned]:
        if name.startswith("_"):
            raise AttributeError(name)
        return lambda *args: Returned(name, self._call(name, args))


@contextmanager
def drawing(seed: int) -> Iterator[None]:
    """Inputs drawn inside come from this seed, and from no generator that the learner's code could reach."""
    token = _generator.set(torch.Generator().manual_seed(seed))
    try:
        yield
    finally:
        _generator.reset(token)


def normal(*shape: int, scale: float = 1.0) -> torch.Tensor:
    """float32, standard normal times `scale`."""
    return torch.randn(shape, generator=_generator.get()) * scale


def uniform(*shape: int, low: float = 0.0, high: float = 1.0) -> torch.Tensor:
    """float32, uniform in [low, high)."""
    return torch.rand(shape, generator=_generator.get()) * (high - low) + low


def integers(low: int, high: int, *shape: int) -> torch.Tensor:
    """int64, uniform in [low, high)."""
    return torch.randint(low, high, shape, generator=_generator.get())


def redraw_unless(condition: bool | torch.Tensor) -> None:
    """Starts the check again with other inputs unless the condition holds: for kinks, and draws that decide nothing."""
    if not bool(condition):
        raise Redraw


def expect(
    name: str, got: Any, expected: Any, otherwise: Mapping[str, Any] | None = None, *, tolerance: float = TOLERANCE
) -> None:
    """Fails unless `got` is `expected`: a tensor, a number, or a list or dict of them.

    `otherwise` names wrong values: cause id -> the value (or list of values) that this mistake would give. The key
    `lost` is the value that comes out when no gradient arrived; the events then tell why. Raises CheckFailed, or
    Redraw when a named wrong value is too near to the truth.
    """
    if isinstance(got, Returned):
        got = got.value
    named = [(cause, value) for cause, values in (otherwise or {}).items() for value in _several(values, expected)]
    for _, wrong in named:
        if not _apart(wrong, expected, APART * tolerance):
            raise Redraw
    if _close(got, expected, tolerance):
        return
    for cause, wrong in named:
        if _close(got, wrong, tolerance):
            part, mine, right = _first_wrong(name, got, expected, tolerance)
            if cause == "lost":
                message = f"{part} is what comes out when no gradient is applied"
                raise CheckFailed(message, kind="lost", got=mine, expected=right, name=part)
            message = f"{part} has wrong numbers"
            raise CheckFailed(message, kind="value", cause=cause, got=mine, expected=right, name=part)
    if (problem := _unlike(name, got, expected)) is not None:
        kind, message = problem
        raise CheckFailed(message, kind=kind, got=got, expected=expected, name=name)
    part, mine, right = _first_wrong(name, got, expected, tolerance)
    raise CheckFailed(f"{part} has wrong numbers", kind="value", got=mine, expected=right, name=part)


def _first_wrong(name: str, got: Any, expected: Any, tolerance: float) -> tuple[str, Any, Any]:
    """The first part of a list or dict that differs, with the name that reaches it."""
    parts, mine = _parts(expected), _parts_like(got, expected)
    for key, right in (parts or {}).items():
        if mine is not None and key in mine and not _close(mine[key], right, tolerance):
            return _first_wrong(name + key, mine[key], right, tolerance)
    return name, got, expected


def _several(values: Any, expected: Any) -> Sequence[Any]:
    return values if isinstance(values, list) and not isinstance(expected, list) else [values]


def _parts(value: Any) -> dict[str, Any] | None:
    """The items of a list or dict by the text that reaches them; None for a single value."""
    if isinstance(value, dict):
        return {f"[{key!r}]": item for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return {f"[{i}]": item for i, item in enumerate(value)}
    return None


def _parts_like(value: Any, expected: Any) -> dict[str, Any] | None:
    """The same of a learner's value, where a tensor may stand for a list of its rows."""
    if isinstance(value, torch.Tensor) and isinstance(expected, (list, tuple)) and value.ndim:
        return _parts(list(value)) if len(value) == len(expected) else None  # each row is an object, of millions
    return _parts(value)


def _unlike(name: str, got: Any, expected: Any) -> tuple[str, str] | None:
    """Why the two cannot even be compared: the failure's kind and its sentence."""
    if got is None:
        return "none", f"{name} is None"
    if (parts := _parts(expected)) is not None:
        mine = _parts_like(got, expected)
        if mine is None or mine.keys() != parts.keys():
            return "type", f"{name} should be {describe(expected)}, and is {describe(got)}"
        return next((p for key in parts if (p := _unlike(name + key, mine[key], parts[key])) is not None), None)
    if isinstance(got, bool) or not isinstance(got, (torch.Tensor, int, float)) or _too_large(got):
        return "type", f"{name} should be {describe(expected)}, and is {describe(got)}"
    a, b = _tensor(got), _tensor(expected)
    if a.shape != b.shape:
        return "shape", f"{name} has the shape {tuple(a.shape)}, expected {tuple(b.shape)}"
    if not torch.isfinite(a).all():
        return "value", f"{name} holds nan or inf"
    return None


def _too_large(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > 1000  # no float holds it


def _tensor(value: Any) -> torch.Tensor:
    tensor = value if isinstance(value, torch.Tensor) else torch.tensor(float(value))
    return tensor if tensor.is_complex() else tensor.double()


def _pairs(got: Any, expected: Any) -> list[tuple[torch.Tensor, torch.Tensor]]:
    """Tensor by tensor, since each is measured against its own largest number."""
    parts = _parts(expected)
    if parts is None:
        return [(_tensor(got), _tensor(expected))]
    mine = _parts_like(got, expected) or {}
    return [pair for key in parts for pair in _pairs(mine[key], parts[key])]


def same(one: Any, other: Any) -> bool:
    """Whether two answers are equal, number for number."""
    return one is other or (one is not None and other is not None and _close(one, other, 0.0))


def _close(got: Any, expected: Any, tolerance: float) -> bool:
    if _unlike("", got, expected) is not None:
        return False
    return all(float((a - b).abs().max()) <= tolerance * _scale(b) for a, b in _pairs(got, expected) if b.numel())


def _scale(expected: torch.Tensor) -> float:
    return float(expected.abs().max()) or 1.0


def _apart(wrong: Any, expected: Any, distance: float) -> bool:
    if _unlike("", wrong, expected) is not None:
        return True  # another shape is told apart by itself
    return any(float((a - b).abs().max()) >= distance * _scale(b) for a, b in _pairs(wrong, expected) if b.numel())


def describe(value: Any) -> str:
    """A value in a few words for a sentence: `None`, `a tensor of shape (3,)`, `a list of 2`."""
    if value is None:
        return "None"
    if isinstance(value, torch.Tensor):
        return f"a tensor of shape {tuple(value.shape)}"
    if isinstance(value, dict):
        return f"a dict with {', '.join(map(repr, value)) or 'nothing'}"
    if isinstance(value, (list, tuple)):
        return f"a {type(value).__name__} of {len(value)}"
    if isinstance(value, (bool, int, float, str)):
        return f"{type(value).__name__} {value!r}"[:60]
    return f"a {type(value).__name__}"
