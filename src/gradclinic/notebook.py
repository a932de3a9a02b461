"""`%%diagnose` in a notebook: the cell runs under the trace, and the report follows.

Torch is imported when the magic is first used, not when it is loaded.
"""

from __future__ import annotations

import ast
import asyncio
import contextlib
import types
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .diagnosis.diagnosis import Diagnosis

_PACKAGE = Path(__file__).parent
_USAGE = "%%diagnose [TARGET ...] [--loss NAME]"


def load_ipython_extension(shell: Any) -> None:
    """What `%load_ext gradclinic` calls."""
    magic = _Magic(shell)
    shell.register_magic_function(magic.run, "cell", "diagnose")


class _Magic:
    def __init__(self, shell: Any) -> None:
        self._shell = shell

    def run(self, line: str, cell: str) -> None:
        """%%diagnose [TARGET ...] [--loss NAME]: runs the cell under the trace, then says what is the matter.

        TARGET is a tensor or a module of yours, by name or expression without blanks: `model.encoder.weight`.
        Without one, the modules and the leaf tensors that require grad and that the cell names are asked about.
        --loss: the tensor that backward() is called on; without it, the last one that the trace has seen.
        """
        from .diagnosis.trace import trace

        targets, loss = _arguments(line)
        self._refuse_await(cell)
        with trace():
            error = self._executed(cell)
            said = list(self._asked(targets, loss, cell)) if error is None else _explained(error)
        for name, one in said:
            self._show(name, one)
        if error is not None:
            raise error

    def _refuse_await(self, cell: str) -> None:
        from IPython.core.error import UsageError

        try:
            asyncio.get_running_loop()
        except RuntimeError:
            return
        if self._shell.should_run_async(cell, transformed_cell=self._shell.transform_cell(cell)):
            raise UsageError("%%diagnose runs no cell with a top-level await: write `with trace():` around it instead.")

    def _executed(self, cell: str) -> BaseException | None:
        """Runs the cell as IPython runs any; its error comes back, to be shown once, after the report, as it is."""
        quiet = {"_showtraceback": lambda *shown: None}
        vars(self._shell).update(quiet)
        try:
            result = self._shell.run_cell(cell, store_history=False)
        finally:
            for name in quiet:
                del vars(self._shell)[name]
        before, inside = result.error_before_exec, result.error_in_exec
        error: BaseException | None = before or inside
        if error is not None:
            if isinstance(error, SyntaxError) and inside is None:
                lines = self._shell.SyntaxTB.structured_traceback(type(error), error, [])
            else:
                error.__traceback__ = _without_us(error.__traceback__)
                lines = self._shell.InteractiveTB.structured_traceback(type(error), error, error.__traceback__)
            with contextlib.suppress(AttributeError):
                error._render_traceback_ = lambda: lines  # type: ignore[attr-defined]
        return error

    def _asked(self, targets: list[str], loss: str, cell: str) -> Iterator[tuple[str, Diagnosis | str]]:
        from .diagnosis.ask import diagnose

        root = None
        if loss:
            root, trouble = self._value(loss)
            if trouble:
                yield "", trouble
                return
        chosen = targets or self._named(cell)
        if not chosen:
            yield "", f"The cell names no module and no tensor that requires grad. Name what to ask: {_USAGE}"
        for name in chosen:
            value, trouble = self._value(name)
            try:
                yield name, trouble or diagnose(value, root)
            except TypeError as error:
                yield "", f"{name}: {error}."

    def _value(self, expression: str) -> tuple[Any, str]:
        """The value of an expression in the user's namespace, or one line that says why there is none."""
        try:
            return eval(
                compile(expression, "<%%diagnose>", "eval"), self._shell.user_global_ns, self._shell.user_ns
            ), ""
        except Exception as error:
            return None, f"{expression}: there is no such thing after this cell ({type(error).__name__}: {error})."

    def _named(self, cell: str) -> list[str]:
        """The modules, and the leaves that require grad, that the cell names, in its order."""
        import torch

        try:
            tree = ast.parse(self._shell.transform_cell(cell))
        except SyntaxError:
            return []
        names = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
        names.sort(key=lambda node: (node.lineno, node.col_offset))
        values = {node.id: self._shell.user_ns.get(node.id) for node in names}
        return [
            name
            for name, value in values.items()
            if isinstance(value, torch.nn.Module)
            or (isinstance(value, torch.Tensor) and value.requires_grad and value.is_leaf)
        ]

    def _show(self, name: str, said: Diagnosis | str) -> None:
        from IPython.display import display

        if name:
            print(f"{name}:")
        if isinstance(said, str) or _is_terminal(self._shell):
            print(said)
        else:
            display(said)


def _explained(error: BaseException) -> list[tuple[str, Diagnosis | str]]:
    """The diagnosis of an error that autograd raised; nothing about any other."""
    from .diagnosis.errors import explain

    said = explain(error)
    return [("", said)] if said.candidates else []


def _without_us(frames: types.TracebackType | None) -> types.TracebackType | None:
    """The traceback without IPython's first frame and without the frames of this package."""
    kept = []
    frames = frames.tb_next if frames else None
    while frames is not None:
        if not Path(frames.tb_frame.f_code.co_filename).is_relative_to(_PACKAGE):
            kept.append(frames)
        frames = frames.tb_next
    for frame, following in zip(kept, [*kept[1:], None], strict=True):
        frame.tb_next = following
    return kept[0] if kept else None


def _is_terminal(shell: Any) -> bool:
    return not hasattr(shell, "kernel")


def _arguments(line: str) -> tuple[list[str], str]:
    """The targets, and the loss or nothing. Raises UsageError."""
    from IPython.core.error import UsageError

    words, loss, targets = line.split(), "", list[str]()
    while words:
        word = words.pop(0)
        option, _, value = word.partition("=")
        if option == "--loss":
            loss = value or (words.pop(0) if words else "")
            if not loss:
                raise UsageError(f"{_USAGE}: --loss takes the name of a tensor.")
        elif word.startswith("-"):
            raise UsageError(f"{_USAGE}: there is no {word}.")
        else:
            targets.append(word)
    return targets, loss
