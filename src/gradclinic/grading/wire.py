"""Plain values across a pipe: JSON for the structure, bytes for the numbers, no pickle.

A message is `frame header | JSON | bytes`. Sizes are checked before anything is built, so that a hostile or
broken sender can cost the receiver an error and nothing else. Sharing survives: two views of one storage
arrive as two views of one storage.
"""

from __future__ import annotations

import ctypes
import json
import struct
from collections.abc import Callable
from typing import IO, Any

import torch

MAX_BYTES = 16 * 2**20  # of one message; the exercises of the course need some kilobytes
MAX_REFERRED = 4 * MAX_BYTES  # of all tensors, those counted again that a value holds again: each is compared
MAX_NODES = 20_000
MAX_DEPTH = 20
MAX_DIGITS = 1100  # of an int in hexadecimal: Python refuses to show one that is far longer
MAX_MARKS = 10**6  # commas and brackets of the JSON: each costs the receiver an object
_FRAME = struct.Struct("<4sIQ")
_MAGIC = b"gcl1"

DTYPES = {
    str(dtype).removeprefix("torch."): dtype
    for dtype in (
        *(torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64, torch.complex128),
        *(torch.int64, torch.int32, torch.int16, torch.int8, torch.uint8, torch.bool),
    )
}
_DTYPE_NAMES = {dtype: name for name, dtype in DTYPES.items()}


class WireError(Exception):
    """A value that cannot cross, or a message that cannot be read; the text says which."""


class Pack:
    """Collects values into one message; tensors and storages that appear twice are sent once."""

    def __init__(self) -> None:
        self.tensors: list[dict[str, Any]] = []
        self.storages: list[list[int]] = []
        self.blob = bytearray()
        self._tensor_ids: dict[int, int] = {}
        self._storage_ids: dict[int, int] = {}
        self._keep: list[torch.Tensor] = []  # an id() is only unique while its object lives
        self._nodes = 0

    def node(self, value: Any, depth: int = 0) -> list[Any]:
        """The JSON form of one value. Raises WireError for anything but plain data and CPU tensors."""
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > MAX_NODES:
            raise WireError("a value nested too deep or with too many parts")
        kind = type(value)
        if value is None:
            return ["none"]
        if kind is bool:
            return ["bool", value]
        if kind is int:
            if value.bit_length() > 4096:
                raise WireError("an enormous int")
            return ["int", hex(value)]  # text, since JSON numbers are not exact
        if kind is float:
            return ["float", value.hex()]  # hex keeps every bit, nan and inf included
        if kind is complex:
            return ["complex", value.real.hex(), value.imag.hex()]
        if kind is str:
            return ["str", value]
        if isinstance(value, torch.Tensor):
            return ["tensor", self._tensor(value)]
        if issubclass(kind, dict):
            return ["dict", [[self._key(key), self.node(item, depth + 1)] for key, item in dict.items(value)]]
        if issubclass(kind, list):
            return ["list", [self.node(item, depth + 1) for item in list.__iter__(value)]]
        if issubclass(kind, tuple):
            return ["tuple", [self.node(item, depth + 1) for item in tuple.__iter__(value)]]
        raise WireError(f"a value of type {kind.__module__}.{kind.__qualname__}".replace("builtins.", ""))

    def _key(self, key: Any) -> list[Any]:
        if type(key) not in (str, int, bool, float):
            raise WireError(f"a dict with a key of type {type(key).__qualname__}")
        return self.node(key)

    def _tensor(self, tensor: torch.Tensor) -> int:
        known = self._tensor_ids.get(id(tensor))
        if known is not None:
            return known
        with torch._C.DisableTorchFunctionSubclass():  # a subclass could answer anything
            facts = self._facts(tensor)
        index = len(self.tensors)
        self.tensors.append(facts)
        self._tensor_ids[id(tensor)] = index
        self._keep.append(tensor)
        with torch._C.DisableTorchFunctionSubclass():
            grad = _grad(tensor)
        facts["grad"] = None if grad is None else self._tensor(grad)
        return index

    def _facts(self, tensor: torch.Tensor) -> dict[str, Any]:
        T = torch.Tensor
        if tensor.layout is not torch.strided or tensor.is_quantized:
            raise WireError(f"a tensor of layout {tensor.layout}")
        if tensor.device.type != "cpu":
            raise WireError(f"a tensor on the device {tensor.device}")
        if tensor.dtype not in _DTYPE_NAMES:
            raise WireError(f"a tensor of {tensor.dtype}")
        if T.numel(tensor) * tensor.dtype.itemsize > MAX_BYTES:  # an expanded view is larger than its storage
            raise WireError(f"a tensor of {T.numel(tensor)} numbers")
        facts = {
            "class": type(tensor).__qualname__,
            "requires_grad": tensor.requires_grad,
            "is_leaf": tensor.is_leaf,
            "retains_grad": tensor.retains_grad,
            "version": None if T.is_inference(tensor) else tensor._version,
        }
        plain = T.resolve_neg(T.resolve_conj(T.detach(tensor)))
        storage = T.untyped_storage(plain)
        return facts | {
            "dtype": _DTYPE_NAMES[plain.dtype],
            "shape": list(T.size(plain)),
            "stride": list(T.stride(plain)),
            "offset": T.storage_offset(plain),
            "storage": self._storage(storage, plain),
        }

    def _storage(self, storage: torch.UntypedStorage, owner: torch.Tensor) -> int:
        address, size = storage.data_ptr(), storage.nbytes()
        known = self._storage_ids.get(address) if size else None
        if known is not None:
            return known
        if len(self.blob) + size > MAX_BYTES:
            raise WireError(f"a tensor of {size / 2**20:.0f} MB (at most {MAX_BYTES // 2**20} MB can be sent)")
        index = len(self.storages)
        self.storages.append([len(self.blob), size])
        self.blob += ctypes.string_at(address, size) if size else b""
        self._storage_ids[address] = index
        self._keep.append(owner)
        return index

    def message(self, head: dict[str, Any]) -> bytes:
        """The finished frame: `head` is JSON of the caller's, nodes included. Raises WireError when too large."""
        text = json.dumps({"head": head, "tensors": self.tensors, "storages": self.storages}).encode("utf-8", "replace")
        if len(text) + len(self.blob) > MAX_BYTES:
            raise WireError(f"a value of more than {MAX_BYTES // 2**20} MB")
        return _FRAME.pack(_MAGIC, len(text), len(self.blob)) + text + self.blob


def _grad(tensor: torch.Tensor) -> torch.Tensor | None:
    if not (tensor.is_leaf or tensor.retains_grad):
        return None  # reading it would warn, and there is none
    return tensor.grad


class Unpack:
    """A received message: `head`, and tensors built anew with the sharing they had."""

    def __init__(self, text: bytes, blob: bytes) -> None:
        try:
            if sum(map(text.count, (b",", b"[", b"{"))) > MAX_MARKS:
                raise WireError("a message with too many parts")
            message = json.loads(text)
            self.head: dict[str, Any] = dict(message["head"])
            self.facts: list[dict[str, Any]] = [dict(facts) for facts in message["tensors"]]
            spans = [(int(start), int(size)) for start, size in message["storages"]]
            if any(start < 0 or size < 0 or start + size > len(blob) for start, size in spans):
                raise WireError("a storage outside the message")
            if sum(size for _, size in spans) > len(blob):  # each is copied
                raise WireError("storages that overlap")
            self._storages = [bytearray(blob[start : start + size]) for start, size in spans]
            self.tensors = [self._build(facts) for facts in self.facts]
        except WireError:
            raise
        except Exception as error:  # whatever a broken sender made fail here is one thing: an unreadable message
            raise WireError(f"an unreadable message ({type(error).__name__})") from None
        self._nodes = self._referred = 0

    def _build(self, facts: dict[str, Any]) -> torch.Tensor:
        dtype = DTYPES[facts["dtype"]]
        shape, stride = [int(n) for n in facts["shape"]], [int(n) for n in facts["stride"]]
        offset, storage = int(facts["offset"]), self._storages[int(facts["storage"])]
        if len(shape) != len(stride) or len(shape) > 64 or min([offset, *shape, *stride]) < 0:
            raise WireError("a tensor with impossible sizes")
        count, last = 1, offset
        for n, step in zip(shape, stride, strict=True):
            count *= n
            last += (n - 1) * step if n else 0
        if count * dtype.itemsize > MAX_BYTES:
            raise WireError(f"a tensor of {count} numbers")
        if count == 0:
            return torch.empty(shape, dtype=dtype)
        if (last + 1) * dtype.itemsize > len(storage):
            raise WireError("a tensor larger than its storage")
        flat = torch.frombuffer(storage, dtype=torch.uint8)
        return torch.empty(0, dtype=dtype).set_(flat.untyped_storage(), offset, shape, stride)

    def value(self, node: Any, depth: int = 0) -> Any:
        """The value of one node. Raises WireError."""
        try:
            return self._value(node, depth)
        except WireError:
            raise
        except Exception as error:
            raise WireError(f"an unreadable value ({type(error).__name__})") from None

    def _value(self, node: Any, depth: int) -> Any:
        self._nodes += 1
        if depth > MAX_DEPTH or self._nodes > 2 * MAX_NODES:
            raise WireError("a value nested too deep or with too many parts")
        kind = node[0]
        if kind == "dict":
            return {self._key(key, depth): self._value(item, depth + 1) for key, item in node[1]}
        if kind in ("list", "tuple"):
            items = [self._value(item, depth + 1) for item in node[1]]
            return items if kind == "list" else tuple(items)
        if kind == "tensor":
            return self._tensor(node)
        return _ATOMS[kind](self, node)

    def _tensor(self, node: Any) -> torch.Tensor:
        tensor = self.tensors[int(node[1])]
        self._referred += tensor.numel() * tensor.itemsize
        if self._referred > MAX_REFERRED:
            raise WireError("tensors of too many numbers")
        return tensor

    def _key(self, node: Any, depth: int) -> Any:
        if node[0] not in ("str", "int", "bool", "float"):
            raise WireError("a dict with a key that is no plain value")
        return self._value(node, depth + 1)


_ATOMS: dict[str, Callable[[Unpack, Any], Any]] = {
    "none": lambda _, node: None,
    "bool": lambda _, node: bool(node[1]),
    "int": lambda _, node: int(node[1][:MAX_DIGITS], 16),
    "float": lambda _, node: float.fromhex(node[1]),
    "complex": lambda _, node: complex(float.fromhex(node[1]), float.fromhex(node[2])),
    "str": lambda _, node: str(node[1]),
}


def message(head: dict[str, Any] | None = None, **values: Any) -> bytes:
    """A frame of JSON `head` and named values. Raises WireError for a value that cannot cross."""
    pack = Pack()
    nodes = {name: pack.node(value) for name, value in values.items()}
    return pack.message({**(head or {}), "values": nodes})


def read(stream: IO[bytes]) -> Unpack | None:
    """The next message, or None at the end of the stream. Raises WireError."""
    header = stream.read(_FRAME.size)
    if not header:
        return None
    if len(header) < _FRAME.size:
        raise WireError("half a message")
    magic, text_size, blob_size = _FRAME.unpack(header)
    if magic != _MAGIC or text_size + blob_size > MAX_BYTES:
        raise WireError("something that is no message")
    text, blob = stream.read(text_size), stream.read(blob_size)
    if len(text) < text_size or len(blob) < blob_size:
        raise WireError("half a message")
    return Unpack(text, blob)
