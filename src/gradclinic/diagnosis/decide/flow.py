"""Whether a number that left PyTorch at one place can have come to another, by the names in the source.

Nothing is run. A value is followed through assignments, containers, arguments and results of functions in the files of
the two places; what a function from elsewhere keeps for itself cannot be followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import lru_cache

from ..record.site import Site
from .source import covered, tree_of

Key = tuple[object, ...]
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
Function = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda

_INTO = frozenset({"append", "appendleft", "extend", "insert", "add", "update", "setdefault", "put"})
_SILENT = frozenset({"print"})  # gives nothing back
_PURE = frozenset(
    {"abs", "all", "any", "bool", "dict", "divmod", "enumerate", "float", "format", "int", "isinstance", "len", "list"}
    | {"map", "max", "min", "pow", "range", "repr", "reversed", "round", "set", "sorted", "str", "sum", "tuple", "zip"}
)
_PURE_MODULES = frozenset({"math", "cmath", "np", "numpy", "statistics", "torch", "F"})
_OPAQUE = frozenset({"eval", "exec", "globals", "locals", "vars", "getattr", "setattr", "__dict__"})


def flows(out: Site, back: Site) -> bool | None:
    """Whether names carry a value from `out` to `back`; None where the source does not tell."""
    if not out.file or not back.file:
        return None
    flow = _flow(out.file, out.line, out.column, out.end_column, out.source, back.file)
    return None if flow is None else flow.reaches(back)


@lru_cache(maxsize=256)
def _flow(
    file: str, line: int | None, column: int | None, end_column: int | None, source: str, other: str
) -> Flow | None:
    trees = {one: tree for one in (file, other) if (tree := tree_of(one)) is not None}
    if len(trees) < len({file, other}):
        return None
    seeds = covered(trees[file], Site(file, line, column, end_column, source, ""))
    return Flow(trees, seeds) if seeds else None


class Flow:
    """What one expression's value can have come to, within a few files."""

    def __init__(self, trees: dict[str, ast.Module], seeds: list[ast.AST]) -> None:
        self.trees = trees
        self.seeds = {id(one) for one in seeds}
        self.tainted: set[Key] = set()
        self.escaped = False
        nodes = [node for tree in trees.values() for node in ast.walk(tree)]
        self.up: dict[int, ast.AST] = {id(kid): node for node in nodes for kid in ast.iter_child_nodes(node)}
        self.functions: dict[str, list[tuple[Function, int]]] = {}
        for node in nodes:
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                owner = self.up.get(id(node))
                method = isinstance(owner, ast.ClassDef)
                self.functions.setdefault(node.name, []).append((node, int(method)))
                if method and node.name == "__init__":
                    self.functions.setdefault(owner.name, []).append((node, 1))  # type: ignore[union-attr]
        names = {one.id for one in nodes if isinstance(one, ast.Name)}
        names |= {one.attr for one in nodes if isinstance(one, ast.Attribute)}
        self.opaque = bool(names & _OPAQUE)
        self._bound: dict[int, frozenset[str]] = {}
        before = -1
        while before != len(self.tainted):
            before = len(self.tainted)
            for node in nodes:
                self._step(node)

    def reaches(self, back: Site) -> bool | None:
        """Whether the expression at a place reads what was tainted."""
        there = covered(self.trees[back.file], back)
        if not there:
            return None
        if any(self._reads(one) for one in there):
            return True
        return None if self.escaped or self.opaque else False

    # ---- one pass over the file

    def _step(self, node: ast.AST) -> None:
        if isinstance(node, ast.Assign):
            for target in node.targets:
                self._bind(target, node.value)
        elif isinstance(node, ast.AnnAssign | ast.AugAssign | ast.NamedExpr):
            if node.value is not None:
                self._bind(node.target, node.value)
        elif isinstance(node, ast.For | ast.AsyncFor | ast.comprehension):
            if self._reads(node.iter):
                self._taint(node.target)
        elif isinstance(node, ast.withitem):
            if node.optional_vars is not None and self._reads(node.context_expr):
                self._taint(node.optional_vars)
        elif isinstance(node, ast.Return | ast.Yield | ast.YieldFrom):
            if node.value is not None and self._reads(node.value):
                self._returns(node)
        elif isinstance(node, ast.Lambda):
            if self._reads(node.body):
                self._escape()
        elif isinstance(node, ast.Call):
            self._call(node)

    def _bind(self, target: ast.expr, value: ast.expr) -> None:
        several = isinstance(target, ast.Tuple | ast.List) and isinstance(value, ast.Tuple | ast.List)
        pairs = zip(target.elts, value.elts, strict=False) if several else ()  # type: ignore[attr-defined]
        if several and len(target.elts) == len(value.elts):  # type: ignore[attr-defined]
            for one, given in pairs:
                self._bind(one, given)
        elif self._reads(value):
            self._taint(target)

    def _taint(self, target: ast.expr) -> None:
        if isinstance(target, ast.Tuple | ast.List):
            for one in target.elts:
                self._taint(one)
        elif isinstance(target, ast.Starred):
            self._taint(target.value)
        elif isinstance(target, ast.Subscript):
            self._escape()  # it may be memory that something else shares
            self._taint(target.value)
        elif isinstance(target, ast.Attribute):
            self.tainted.add(("attribute", target.attr))
        elif isinstance(target, ast.Name):
            self.tainted.add(self._key(target))

    def _escape(self) -> None:
        self.escaped = True

    def _returns(self, node: ast.AST) -> None:
        function = self._function(node)
        if isinstance(function, ast.FunctionDef | ast.AsyncFunctionDef):
            self.tainted.add(("result", function.name))
            if function.decorator_list or function.name.startswith("__"):
                self._escape()

    def _call(self, call: ast.Call) -> None:
        given = [(index, one) for index, one in enumerate(call.args) if self._reads(one)]
        named = [one for one in call.keywords if self._reads(one.value)]
        if not given and not named:
            return
        name = _name(call.func)
        if name in self.functions:
            for function, skip in self.functions[name]:
                self._arguments(function, skip, given, named)
            return
        if isinstance(call.func, ast.Attribute) and name in _INTO:
            self._taint(call.func.value)
            return
        if name in _SILENT | _PURE and isinstance(call.func, ast.Name):
            return
        owner = call.func.value if isinstance(call.func, ast.Attribute) else None
        if isinstance(owner, ast.Name) and owner.id in _PURE_MODULES:
            return
        if isinstance(owner, ast.Constant | ast.JoinedStr):
            return  # "{}".format(value)
        self._escape()

    def _arguments(
        self, function: Function, skip: int, given: list[tuple[int, ast.expr]], named: list[ast.keyword]
    ) -> None:
        rules = function.args
        places = [*rules.posonlyargs, *rules.args][skip:]
        rest = [one for one in (rules.vararg, rules.kwarg) if one is not None]
        for index, one in given:
            hit = places[index:] if isinstance(one, ast.Starred) else places[index : index + 1]
            self.tainted |= {(id(function), place.arg) for place in hit or rest}
        for keyword in named:
            hit = [place for place in (*places, *rules.kwonlyargs) if keyword.arg in (None, place.arg)]
            self.tainted |= {(id(function), place.arg) for place in hit or rest}

    # ---- what an expression reads

    def _reads(self, node: ast.AST) -> bool:
        if id(node) in self.seeds:
            return True
        if isinstance(node, ast.Name):
            return isinstance(node.ctx, ast.Load) and self._carries(node)
        if isinstance(node, ast.Attribute) and ("attribute", node.attr) in self.tainted:
            return True
        if isinstance(node, ast.Lambda):
            return False
        if isinstance(node, ast.Call):
            name = _name(node.func)
            if name in _SILENT and isinstance(node.func, ast.Name):
                return False
            if ("result", name) in self.tainted:
                return True
        return any(self._reads(one) for one in ast.iter_child_nodes(node))

    def _carries(self, name: ast.Name) -> bool:
        """Whether a name holds the value where it is read: the last assignment decides, where it is plain which."""
        if self._key(name) not in self.tainted:
            return False
        value = self._last_value(name)
        return value is None or self._reads(value)

    def _last_value(self, name: ast.Name) -> ast.expr | None:
        """The value last given to a name before it is read; None where it may be one of several."""
        node: ast.AST = name
        while (block := self.up.get(id(node))) is not None:
            for body in (getattr(block, part, None) for part in ("body", "orelse", "finalbody", "handlers")):
                if not isinstance(body, list) or node not in body:
                    continue
                for statement in reversed(body[: body.index(node)]):
                    if name.id in _assigned(statement):
                        return _plain_value(statement, name.id)
            if isinstance(block, ast.For | ast.AsyncFor | ast.While) and name.id in _assigned(block):
                return None
            if isinstance(block, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.Module):
                return None
            node = block
        return None

    def _key(self, name: ast.Name) -> Key:
        """A name and the function, or the file, that it belongs to."""
        scope = self._function(name)
        while scope is not None:
            if name.id in self._names_of(scope):
                return id(scope), name.id
            scope = self._function(scope)
        return None, name.id

    def _names_of(self, function: Function) -> frozenset[str]:
        known = self._bound.get(id(function))
        if known is None:
            rules = function.args
            several = (*rules.posonlyargs, *rules.args, *rules.kwonlyargs, rules.vararg, rules.kwarg)
            body = function.body if isinstance(function.body, list) else [function.body]
            inside = {name for one in body for name in _assigned(one)}
            foreign = {
                name for one in ast.walk(function) if isinstance(one, ast.Global | ast.Nonlocal) for name in one.names
            }
            known = frozenset(inside - foreign | {one.arg for one in several if one is not None})
            self._bound[id(function)] = known
        return known

    def _function(self, node: ast.AST) -> Function | None:
        above = self.up.get(id(node))
        while above is not None and not isinstance(above, _FUNCTIONS):
            above = self.up.get(id(above))
        return above


def _assigned(node: ast.AST) -> set[str]:
    """The names that a statement gives values to, functions inside it left out."""
    return {one.id for one in _own(node) if isinstance(one, ast.Name) and not isinstance(one.ctx, ast.Load)}


def _own(node: ast.AST) -> Iterator[ast.AST]:
    yield node
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef | ast.Lambda):
        return
    for child in ast.iter_child_nodes(node):
        yield from _own(child)


def _plain_value(statement: ast.AST, name: str) -> ast.expr | None:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return None
    target, value = statement.targets[0], statement.value
    if isinstance(target, ast.Name):
        return value
    if isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple) and len(target.elts) == len(value.elts):
        pairs: Iterable[tuple[ast.expr, ast.expr]] = zip(target.elts, value.elts, strict=True)
        return next((given for one, given in pairs if isinstance(one, ast.Name) and one.id == name), None)
    return None


def _name(called: ast.expr) -> str:
    return called.id if isinstance(called, ast.Name) else called.attr if isinstance(called, ast.Attribute) else ""
