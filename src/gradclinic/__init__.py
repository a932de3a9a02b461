"""The Gradient Clinic: why is my gradient None, and where did it get lost?

Importing this package imports neither torch nor any tool of the site; `diagnose`, `explain` and `trace` import torch
when they are first asked for.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagnosis import Diagnosis, diagnose, explain, trace

__version__ = "0.1.0"
__all__ = ["Diagnosis", "diagnose", "explain", "trace"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from . import diagnosis

    return getattr(diagnosis, name)


def load_ipython_extension(shell: Any) -> None:
    """`%load_ext gradclinic`: the cell magic `%%diagnose`. Imports no torch."""
    from .notebook import load_ipython_extension as load

    load(shell)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
