"""Lowering of statements and expressions of emitted text to LLVM instructions.

The text is a small subset of Python in which every name has one kind. Kinds follow from the
arguments, statement by statement, as every name is assigned before its use.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import Protocol

from nbgraph.errors import CompileError
from nbgraph.kernels.llvm import arithmetic
from nbgraph.kernels.llvm.function import Function
from nbgraph.kernels.llvm.values import Value, constant

_OPERATORS = (
    *(ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod),
    *(ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift),
    *(ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq),
)
_SIGNS: dict[type[ast.AST], str] = dict(
    zip(_OPERATORS, "+ - * / // % & | ^ << >> < <= > >= == !=".split(), strict=True)
)
_ZERO = Value("int64", "0")


class Names(Protocol):
    """The module that lowering writes for."""

    def known(self, name: str) -> Value:
        """Return the constant that a name stands for."""
        ...

    def call(self, f: Function, name: str, args: Sequence[Value]) -> tuple[Value, ...]:
        """Call a function by its name in the text."""
        ...

    def loop(self, f: Function) -> str:
        """Return the metadata of a function's outermost loops."""
        ...


class Lowering:
    """The lowering of one function definition; `arguments` are its parameters' values."""

    def __init__(
        self, names: Names, f: Function, definition: ast.FunctionDef, arguments: dict[str, Value]
    ) -> None:
        self.names, self.f = names, f
        self._values: dict[str, Value] = dict(arguments)  # assigned once: the value itself
        self._places: dict[str, tuple[str, str]] = {}  # assigned again: kind and place
        self._counters: dict[str, Value] = {}  # counters of the enclosing loops
        self._once = _assigned_once(definition)
        self._breaks: list[str] = []
        for name, value in arguments.items():
            if name not in self._once:
                self._assign(name, value)
        self.statements(definition.body)

    # statements -------------------------------------------------------------------------------

    def statements(self, body: Sequence[ast.stmt]) -> None:
        """Lower a block."""
        for node in body:
            if isinstance(node, (ast.For, ast.While)) and node.orelse:
                raise _unknown(node)
            if isinstance(node, ast.Assign):
                self._assignment(node)
            elif isinstance(node, ast.AugAssign):
                self._augmented(node)
            elif isinstance(node, ast.Expr):
                if isinstance(node.value, ast.Call):
                    self._call(node.value)
            elif isinstance(node, ast.If):
                self._if(node)
            elif isinstance(node, ast.While):
                self._while(node)
            elif isinstance(node, ast.For):
                self._for(node)
            elif isinstance(node, ast.Return):
                self._return(node)
            elif isinstance(node, ast.Break):
                self.f.scalar |= len(self._breaks) == 1
                self.f.jump(self._breaks[-1])
            else:
                raise _unknown(node)

    def _assignment(self, node: ast.Assign) -> None:
        target = node.targets[-1]
        names = target.elts if isinstance(target, ast.Tuple) else [target]
        values = self._several(node.value)
        if len(node.targets) > 1 or len(names) != len(values):
            raise _unknown(node)
        for name, value in zip(names, values, strict=True):
            self._assign(_name(name), value)

    def _several(self, node: ast.expr) -> Sequence[Value]:
        if isinstance(node, ast.Tuple):
            return [self.value(each) for each in node.elts]
        if isinstance(node, ast.Call):
            return self._call(node)
        return [self.value(node)]

    def _augmented(self, node: ast.AugAssign) -> None:
        name, op = _name(node.target), _sign(node.op, node)
        old, new = self._read(name), self.value(node.value)
        self._assign(name, arithmetic.binary(self.f, op, old, new))

    def _assign(self, name: str, value: Value) -> None:
        if name in self._counters:
            raise CompileError(f"{self.f.name}: {name} counts a loop and is assigned in it")
        if name in self._once:
            self._values[name] = value
            return
        if name not in self._places:
            self._places[name] = value.kind, self.f.place(value.kind)
        kind, place = self._places[name]
        if kind != value.kind:
            raise CompileError(f"{self.f.name}: {name} is {kind} and then {value.kind}")
        self.f.put(place, value)

    def _read(self, name: str) -> Value:
        if name in self._counters:
            return self._counters[name]
        if name in self._values and name in self._once:
            return self._values[name]
        if name in self._places:
            kind, place = self._places[name]
            return self.f.get(place, kind)
        return self.names.known(name)

    def _if(self, node: ast.If) -> None:
        f = self.f
        yes, no, after = f.label("then"), f.label("else"), f.label("after")
        f.branch(self._truth(node.test), yes, no if node.orelse else after)
        f.block(yes)
        self.statements(node.body)
        f.jump(after)
        if node.orelse:
            f.block(no)
            self.statements(node.orelse)
        f.block(after)

    def _while(self, node: ast.While) -> None:
        f = self.f
        head, body, after = f.label("while"), f.label("do"), f.label("after")
        f.block(head)
        if isinstance(node.test, ast.Constant):
            f.jump(body)
        else:
            f.branch(self._truth(node.test), body, after)
        f.block(body)
        self._inside(node.body, after)
        f.jump(head, self._loop_metadata())
        f.block(after)

    def _for(self, node: ast.For) -> None:
        """Lower `for name in range(start, stop)`; the name is local and not assigned."""
        f, name, bounds_of = self.f, _name(node.target), _range(node)
        bounds = [arithmetic.cast(f, self.value(a), "int64") for a in bounds_of]
        start, stop = bounds if len(bounds) == 2 else (_ZERO, bounds[0])
        counter = f.place("int64")
        f.put(counter, start)
        head, body, after = f.label("for"), f.label("do"), f.label("after")
        f.block(head)
        f.branch(arithmetic.compare(f, "<", f.get(counter, "int64"), stop), body, after)
        f.block(body)
        if name in self._counters or name in self._places:
            raise CompileError(f"{f.name}: {name} counts a loop and is something else, too")
        self._counters[name] = f.get(counter, "int64")
        self._inside(node.body, after)
        f.put(counter, f.value("int64", f"add nsw {self._counters.pop(name).typed}, 1"))
        f.jump(head, self._loop_metadata())
        f.block(after)

    def _inside(self, body: Sequence[ast.stmt], after: str) -> None:
        self._breaks.append(after)
        self.statements(body)
        self._breaks.pop()

    def _loop_metadata(self) -> str:
        """Return the metadata of the loop that ends here, if outermost or over lanes."""
        return "" if self._breaks and not self.f.straight else self.names.loop(self.f)

    def _return(self, node: ast.Return) -> None:
        if node.value is None:
            raise _unknown(node)
        self.f.give(self._several(node.value))

    # expressions ------------------------------------------------------------------------------

    def value(self, node: ast.expr) -> Value:
        """Return the value of an expression."""
        f = self.f
        if isinstance(node, ast.Name):
            return self._read(node.id)
        if isinstance(node, ast.Constant):
            return _literal(node)
        if isinstance(node, ast.Call):
            results = self._call(node)
            if len(results) != 1:
                raise _unknown(node)
            return results[0]
        if isinstance(node, ast.BinOp):
            op = _sign(node.op, node)
            return arithmetic.binary(f, op, self.value(node.left), self.value(node.right))
        if isinstance(node, ast.Compare):
            return self._comparison(node)
        if isinstance(node, ast.UnaryOp):
            return self._unary(node)
        if isinstance(node, ast.IfExp):
            return self._choice(node)
        if isinstance(node, ast.BoolOp):
            op = "and" if isinstance(node.op, ast.And) else "or"
            result, *others = [self._truth(each) for each in node.values]
            for other in others:
                result = f.value("bool", f"{op} {result.typed}, {other.text}")
            return result
        raise _unknown(node)

    def _call(self, node: ast.Call) -> tuple[Value, ...]:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else _name(node.func)
        if node.keywords:
            raise _unknown(node)
        return self.names.call(self.f, name, [self.value(a) for a in node.args])

    def _truth(self, node: ast.expr) -> Value:
        return arithmetic.cast(self.f, self.value(node), "bool")

    def _comparison(self, node: ast.Compare) -> Value:
        """Return `a < b`, or `a <= b < c`."""
        result: Value | None = None
        left = self.value(node.left)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            right = self.value(right_node)
            part = arithmetic.compare(self.f, _sign(op, node), left, right)
            if result is not None:
                part = self.f.value("bool", f"and {result.typed}, {part.text}")
            result, left = part, right
        assert result is not None
        return result

    def _unary(self, node: ast.UnaryOp) -> Value:
        if isinstance(node.op, ast.Not):
            return arithmetic.inverted(self.f, self._truth(node.operand))
        operand = self.value(node.operand)
        if isinstance(node.op, ast.USub):
            return arithmetic.negative(self.f, operand)
        if isinstance(node.op, ast.Invert):
            return arithmetic.inverted(self.f, operand)
        raise _unknown(node)

    def _choice(self, node: ast.IfExp) -> Value:
        """Return `a if test else b` by a branch: only the side taken is computed."""
        f = self.f
        yes, no, after = f.label("then"), f.label("else"), f.label("after")
        f.branch(self._truth(node.test), yes, no)
        f.block(yes)
        value = self.value(node.body)
        place = f.place(value.kind)
        f.put(place, value)
        f.jump(after)
        f.block(no)
        other = self.value(node.orelse)
        if other.kind != value.kind:
            raise CompileError(f"{f.name}: one side is {value.kind}, the other {other.kind}")
        f.put(place, other)
        f.block(after)
        return f.get(place, value.kind)


def _literal(node: ast.Constant) -> Value:
    if isinstance(node.value, bool):
        return constant("bool", node.value)
    if isinstance(node.value, int):
        return constant("int64", node.value)
    if isinstance(node.value, float):
        return constant("float64", node.value)
    raise _unknown(node)


def _name(node: ast.expr) -> str:
    if not isinstance(node, ast.Name):
        raise _unknown(node)
    return node.id


def _sign(op: ast.AST, node: ast.AST) -> str:
    """Return an operator as text."""
    if type(op) not in _SIGNS:
        raise _unknown(node)
    return _SIGNS[type(op)]


def _range(node: ast.For) -> Sequence[ast.expr]:
    """Return the bounds of a loop's counter."""
    call = node.iter
    if not (isinstance(call, ast.Call) and _name(call.func) == "range"):
        raise _unknown(node)
    if call.keywords or len(call.args) not in (1, 2):
        raise _unknown(node)
    return call.args


def _unknown(node: ast.AST) -> CompileError:
    return CompileError(f"no LLVM text is known for `{ast.unparse(node).splitlines()[0][:80]}`")


def _assigned_once(definition: ast.FunctionDef) -> frozenset[str]:
    """Return the names with one assignment, read only in its block or in blocks within.

    Such a value is available at every read, so it needs no place on the stack.
    """
    written: dict[str, list[tuple[int, ...]]] = {a.arg: [()] for a in definition.args.args}
    read: list[tuple[str, tuple[int, ...]]] = []

    def visit(node: ast.AST, path: tuple[int, ...]) -> None:
        if isinstance(node, ast.Name):
            if isinstance(node.ctx, ast.Store):
                written.setdefault(node.id, []).append(path)
            else:
                read.append((node.id, path))
            return
        if isinstance(node, ast.AugAssign):
            visit(ast.Name(node.target.id, ast.Load()), path)  # type: ignore[union-attr]
        for field, child in ast.iter_fields(node):
            if isinstance(child, list):
                inner = (*path, id(child)) if field in ("body", "orelse") else path
                for each in child:  # type: ignore[reportUnknownVariableType]
                    visit(each, inner)  # type: ignore[reportUnknownArgumentType]
            elif isinstance(child, ast.AST):
                visit(child, path)

    for statement in definition.body:
        visit(statement, ())
    once = {name: paths[0] for name, paths in written.items() if len(paths) == 1}
    for name, path in read:
        if name in once and path[: len(once[name])] != once[name]:
            del once[name]
    return frozenset(once)
