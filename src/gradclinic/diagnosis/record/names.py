"""What kind of thing a torch function is, told by its name."""

from __future__ import annotations

import inspect
import types
from collections.abc import Sequence
from enum import IntEnum
from typing import Any

import torch

Role = IntEnum("Role", "OP QUIET LEAVES GRAD SET_DATA SET_GRAD SET_FLAG FLAG RETAIN BACKWARD FUNCTIONAL HOOK GRAD_MODE")

# Nothing is computed from the tensor's values, or what is computed ends as a decision of the program.
_QUIET = frozenset(
    [
        "size",
        "dim",
        "ndimension",
        "numel",
        "nelement",
        "stride",
        "is_contiguous",
        "__len__",
        "element_size",
        "data_ptr",
        "storage_offset",
        "is_floating_point",
        "is_complex",
        "is_signed",
        "__hash__",
        "__bool__",
        "get_device",
        "type",
        "is_same_size",
        "_is_view",
        "is_inference",
        "is_nonzero",
        "equal",
        "allclose",
        "is_storage",
        "is_tensor",
        "__dlpack_device__",
        "__reversed__",
        "is_shared",
        "is_pinned",
        "is_coalesced",
        "is_neg",
        "is_conj",
        "dense_dim",
        "sparse_dim",
        "has_names",
        "is_set_to",
        "result_type",
        "can_cast",
        "get_num_threads",
        "manual_seed",
        "typename",
        "__dir__",
        "__contains__",
        "_version",
        "is_distributed",
        "nbytes",
        "__reduce_ex__",
        "__setstate__",
        "__reduce__",
        "record_stream",
        "share_memory_",
        "pin_memory_",
        "_has_symbolic_sizes_strides",
    ]
)
_LEAVES = frozenset(
    [
        "item",
        "tolist",
        "numpy",
        "__float__",
        "__int__",
        "__index__",
        "__complex__",
        "__long__",
        "__array__",
        "__dlpack__",
        "__array_wrap__",
        "storage",
        "untyped_storage",
        "__format__",
        "__repr__",
    ]
)
_ROLES = {
    "retain_grad": Role.RETAIN,
    "requires_grad_": Role.FLAG,
    "register_hook": Role.HOOK,
    "register_post_accumulate_grad_hook": Role.HOOK,
    "_set_grad_enabled": Role.GRAD_MODE,
    "backward": Role.BACKWARD,
}
_SETTERS = {"data": Role.SET_DATA, "grad": Role.SET_GRAD, "requires_grad": Role.SET_FLAG}
_VIEWS = frozenset({"data", "T", "mT", "H", "mH", "real", "imag"})  # attributes that are operations

_COMPARE = frozenset({"mse_loss", "l1_loss", "smooth_l1_loss", "huber_loss", "sub", "rsub", "subtract"})

BUILDERS = frozenset({"tensor", "as_tensor", "asarray", "new_tensor", "from_numpy", "from_dlpack", "Parameter"})
NUMBERS = frozenset({"linspace", "logspace", "arange", "full", "full_like", "new_full", "scalar_tensor", "range"})


class Kind:
    """A torch function as the ledger sees it."""

    __slots__ = ("alias", "compares", "in_place", "name", "number", "plain", "quiet", "role", "shape_only", "switch")

    def __init__(self, name: str, role: Role, function: Any = None) -> None:
        self.name = name
        self.role = role
        self.alias = name in ("data", "detach")  # the result shares the memory behind autograd's back
        dunder = name.startswith("__") and name.endswith("__")
        self.in_place = name == "__setitem__" or (
            name.startswith("__i") and name not in ("__invert__", "__index__") if dunder else name.endswith("_")
        )
        # zeros_like and the like read the shape of a tensor and none of its values
        self.shape_only = (name.endswith("_like") and name != "full_like") or (
            name.startswith("new_") and name not in ("new_tensor", "new_full")
        )
        code = getattr(function, "__code__", None)
        known = code.co_varnames[: code.co_argcount] if code is not None else ()
        self.switch = known.index("inplace") if "inplace" in known else 0  # where relu(x, inplace=True) has that
        self.compares = name.strip("_") in _COMPARE
        special = self.compares or self.in_place or self.alias or self.shape_only
        self.plain = role is Role.OP and not special  # the common case has a shorter way
        self.quiet = role is Role.QUIET
        self.number = -1  # of the name, in the ledger that has learned this kind
        if dunder:
            self.name = {"__deepcopy__": "deepcopy", "__setitem__": name, "__getitem__": name}.get(name, name[2:-2])

    def writes(self, args: Sequence[Any], kwargs: dict[str, Any]) -> bool:
        """Whether this call of a function with an `inplace` switch has it on."""
        return bool(kwargs.get("inplace") or (len(args) > self.switch and args[self.switch]))


def kind_of(function: Any) -> Kind:
    """The kind of a function that a mode was handed; a name that is not known is an operation."""
    name = str(getattr(function, "__name__", type(function).__name__))
    if name in ("__get__", "__set__", "__delete__"):
        attribute = str(getattr(getattr(function, "__self__", None), "__name__", ""))
        if name == "__get__":
            role = Role.GRAD if attribute == "grad" else Role.OP if attribute in _VIEWS else Role.QUIET
            return Kind(attribute, role)
        return Kind(attribute, _SETTERS.get(attribute, Role.QUIET))
    if name == "grad" and function is torch.autograd.grad:
        return Kind("autograd.grad", Role.FUNCTIONAL)
    if name in _ROLES and (name != "backward" or isinstance(function, types.FunctionType)):
        return Kind(name, _ROLES[name])
    if name in _QUIET or str(getattr(function, "__module__", "")).startswith("torch._ops.profiler"):
        return Kind(name, Role.QUIET)
    return Kind(name, Role.LEAVES if name in _LEAVES else Role.OP, function)


def may_be_kept(function: Any) -> bool:
    """Whether the function lives as long as torch does, so that a table may hold on to it."""
    if inspect.isfunction(function):
        return (function.__module__ or "").partition(".")[0] == "torch" and "<locals>" not in function.__qualname__
    return (
        type(function).__module__ == "torch._ops"
        or isinstance(function, types.BuiltinFunctionType | types.MethodDescriptorType | types.WrapperDescriptorType)
        or (
            isinstance(function, types.MethodWrapperType)
            and isinstance(function.__self__, types.GetSetDescriptorType | property)
        )
    )
