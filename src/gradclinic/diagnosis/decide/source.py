"""What a line of the user's code does with names: read from its source, never run."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from ..record.site import Site


@dataclass(frozen=True)
class Assignment:
    """One name (or attribute) given a value: which names it is given to, which ones the value reads."""

    statement: ast.stmt
    targets: frozenset[str]
    reads: frozenset[str]
    value: ast.expr

    def holds(self, site: Site) -> bool:
        """Whether a place lies in this statement."""
        return _lies_in(self.statement, site)


def assignment(site: Site) -> Assignment | None:
    """The assignment whose value the place is in; None where the statement is another one, or has no source."""
    statement = _statement(site)
    if isinstance(statement, ast.AugAssign):
        value: ast.expr = ast.BinOp(statement.target, statement.op, statement.value)
        targets = [statement.target]
        reads = _names(statement.target) | _names(statement.value)
        return Assignment(statement, _joined(targets), frozenset(reads), value)
    if isinstance(statement, ast.AnnAssign) and statement.value is not None:
        return _made(statement, [statement.target], statement.value)
    if not isinstance(statement, ast.Assign):
        return None
    left, right = statement.targets[0], statement.value
    if isinstance(left, ast.Tuple) and isinstance(right, ast.Tuple) and len(left.elts) == len(right.elts):
        for target, value in zip(left.elts, right.elts, strict=True):
            if _covers(value, site):
                return _made(statement, [target], value)
    return _made(statement, statement.targets, right)


def _made(statement: ast.stmt, targets: list[ast.expr], value: ast.expr) -> Assignment:
    return Assignment(statement, _joined(targets), frozenset(_names(value)), value)


def _joined(targets: Sequence[ast.expr]) -> frozenset[str]:
    return frozenset(name for target in targets for name in _names(target))


def _names(expression: ast.expr) -> set[str]:
    return {ast.unparse(one) for one in ast.walk(expression) if isinstance(one, (ast.Name, ast.Attribute))}


def _end(node: ast.stmt | ast.expr) -> int:
    return node.end_lineno or node.lineno


def _covers(node: ast.expr, site: Site) -> bool:
    if node.lineno != site.line or node.end_col_offset is None or site.column is None:
        return False
    column = len(site.source[: site.column].encode())
    return node.col_offset <= column < node.end_col_offset


def expression(within: Assignment, site: Site) -> ast.expr | None:
    """The very expression that the place underlines."""
    if site.column is None or site.end_column is None:
        return None
    start, end = (len(site.source[:column].encode()) for column in (site.column, site.end_column))
    for node in ast.walk(within.value):
        if not isinstance(node, ast.expr) or getattr(node, "lineno", None) != site.line:
            continue
        if (node.col_offset, node.end_col_offset) == (start, end):
            return node
    return None


def is_attribute(site: Site) -> bool:
    """Whether the place is the read of an attribute, `layer.weight`, and no call."""
    tree = tree_of(site.file)
    if tree is None or site.column is None or site.end_column is None:
        return False
    span = tuple(len(site.source[:column].encode()) for column in (site.column, site.end_column))
    return any(
        isinstance(one, ast.Attribute) and one.lineno == site.line and (one.col_offset, one.end_col_offset) == span
        for one in ast.walk(tree)
    )


def in_generator(site: Site) -> bool:
    """Whether the function that the place is in has a `yield` of its own."""
    tree = tree_of(site.file)
    if tree is None or site.line is None:
        return False
    around = [
        one
        for one in ast.walk(tree)
        if isinstance(one, (ast.FunctionDef, ast.AsyncFunctionDef)) and one.lineno <= site.line <= _end(one)
    ]
    return bool(around) and any(isinstance(one, (ast.Yield, ast.YieldFrom)) for one in _own(around[-1]))


def _own(function: ast.AST) -> Iterator[ast.AST]:
    for child in ast.iter_child_nodes(function):
        if not isinstance(child, (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)):
            yield child
            yield from _own(child)


def covered(tree: ast.Module, site: Site) -> list[ast.AST]:
    """The expressions that the place underlines; of one that is given a value, the whole statement."""
    if site.column is None or site.end_column is None:
        return []
    start, end = (len(site.source[:column].encode()) for column in (site.column, site.end_column))
    whole = end == len(site.source.encode())  # also where it goes on in the next line
    found: list[ast.AST] = []
    for node in ast.walk(tree):
        if not isinstance(node, ast.expr | ast.stmt) or node.lineno != site.line or node.col_offset != start:
            continue
        if (node.end_col_offset == end and node.end_lineno == site.line) or (whole and _end(node) > node.lineno):
            stored = isinstance(getattr(node, "ctx", None), ast.Store)
            inner = _statement(site) if stored else node
            if inner is not None and not hasattr(inner, "body"):
                found.append(inner)
    return found


def _statement(site: Site) -> ast.stmt | None:
    tree = tree_of(site.file)
    if tree is None or site.line is None:
        return None
    found = [
        one for one in ast.walk(tree) if isinstance(one, ast.stmt) and not hasattr(one, "body") and _lies_in(one, site)
    ]
    return found[-1] if found else None


def _lies_in(statement: ast.stmt, site: Site) -> bool:
    """Told by lines, and by columns where they are known: a line may hold several statements."""
    if site.line is None or not statement.lineno <= site.line <= _end(statement):
        return False
    if site.column is None or statement.end_col_offset is None:
        return True
    here = site.line, len(site.source[: site.column].encode())
    return (statement.lineno, statement.col_offset) <= here < (_end(statement), statement.end_col_offset)


@lru_cache(maxsize=64)
def tree_of(file: str) -> ast.Module | None:
    try:
        return ast.parse("".join(linecache.getlines(file)))
    except (SyntaxError, ValueError):
        return None
