"""The Gradient Clinic: why is my gradient None, and where did it get lost?

Importing this package imports neither torch nor any tool of the site; `diagnose`, `explain` and `trace` import torch
when they are first asked for.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagnosis.ask import diagnose
    from .diagnosis.diagnosis import Diagnosis
    from .diagnosis.errors import explain
    from .diagnosis.trace import trace

__version__ = "0.1.0"
__all__ = ["Diagnosis", "diagnose", "explain", "trace"]


_HOMES = {"Diagnosis": "diagnosis", "diagnose": "ask", "explain": "errors", "trace": "trace"}


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".diagnosis.{_HOMES[name]}", __name__), name)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext gradclinic`: the cell magic `%%diagnose`. Imports no torch."""
    from .notebook import load_ipython_extension as load

    load(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
