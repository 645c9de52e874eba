"""Expressions: arithmetic, comparisons, calls; everything that is not a statement."""

from __future__ import annotations

import ast
import functools
import itertools
from enum import Enum
from typing import Any, NoReturn

import numpy as np

from nbgraph.kernels.capture import (
    comparing,
    complex_numbers,
    digits,
    objects,
    refusals,
    trying,
    typed,
)
from nbgraph.kernels.capture.arrays import METHODS, STEPS, spread
from nbgraph.kernels.capture.builtins import BINARY
from nbgraph.kernels.capture.calls import NUMBER_METHODS, Calls
from nbgraph.kernels.capture.classes import DICT_CHANGES
from nbgraph.kernels.capture.containers import (
    ARRAY_ATTRIBUTES,
    MAPPING_METHODS,
)
from nbgraph.kernels.capture.context import Call, Method
from nbgraph.kernels.capture.distributions import method_of
from nbgraph.kernels.capture.environment import FROZEN, placed
from nbgraph.kernels.capture.intervals import Intervals, decided
from nbgraph.kernels.capture.joining import ListJoin, chosen, join_value
from nbgraph.kernels.capture.lists import CHANGES
from nbgraph.kernels.capture.records import Record, record_of
from nbgraph.kernels.capture.sequences import as_list, distinct
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import (
    REFERS,
    Array,
    Choice,
    Complex,
    Env,
    List,
    Mapping,
    Optional,
    Partly,
    Reference,
    Resizable,
    Static,
    Undefined,
    Unknown,
    Value,
    View,
    as_number,
    described,
    mapping,
    on_path,
)
from nbgraph.kernels.kinds import is_boolean, kind_of_value
from nbgraph.kernels.scalar import Node

_WHOLE = (ast.Is, ast.IsNot, ast.In, ast.NotIn)  # comparisons of arrays, not of entries


class Expressions(Calls):
    """Evaluates expression trees to values; Tracer adds statements."""

    def expression(self, node: ast.expr, env: Env, path: Node) -> Value:
        """The value of any expression; of a list or an array what it holds now."""
        return self.read(node, self.object(node, env, path), env)

    def object(self, node: ast.expr, env: Env, path: Node) -> Value:
        """The value of any expression, where a list or an array may be a reference to it."""
        if self.survey is not None:
            return self.survey.value(self, node, env, path)
        return self.evaluated(node, env, path)

    def evaluated(self, node: ast.expr, env: Env, path: Node) -> Value:
        """`object`, or an error of what is not understood."""
        try:
            return self._expression(node, env, path)
        except (TypeError, OverflowError) as error:
            self._refuse_numbers(node, error)

    def number(self, node: ast.expr, env: Env, path: Node) -> Node:
        """The value of an expression that must be one number."""
        return self.number_of(node, self.expression(node, env, path))

    def number_of(self, node: ast.expr, value: Value) -> Node:
        """A value that must be one number."""
        value = as_number(self.graph, value)
        if isinstance(value, Node):
            return value
        what, remedy = described(value), "use a number"
        if isinstance(value, Complex):
            remedy = "use z.real, z.imag or abs(z)"
        self.refuse(node, f"a number is needed here, this is {what}", remedy)

    def operand(self, node: ast.expr, env: Env, path: Node) -> Node | Complex:
        """The value of an expression that must be a number, which may be complex."""
        return self.operand_of(node, self.expression(node, env, path))

    def operand_of(self, node: ast.expr, value: Value) -> Node | Complex:
        """A value that must be a number, which may be complex."""
        value = as_number(self.graph, value)
        return value if isinstance(value, Complex) else self.number_of(node, value)

    def condition(self, node: ast.expr, env: Env, path: Node) -> Node:
        """The truth of an expression."""
        if isinstance(node, ast.BoolOp):
            denied: Any = lambda part: ast.copy_location(ast.UnaryOp(ast.Not(), part), part)
            truths = [denied(denied(part)) for part in node.values]
            node = ast.copy_location(ast.BoolOp(node.op, truths), node)
        value = self.expression(node, env, path)
        if isinstance(value, Unknown) and self.survey is not None:
            return self.survey.truth(self.graph)
        try:
            cond = self.truth(value)
        except TypeError as error:
            self._refuse_numbers(node, error)
        return decided(self.graph, path, cond) if self.decides else cond

    def truth(self, value: Value) -> Node:
        """The truth of a value."""
        if isinstance(value, Static):
            return self.graph.const(bool(value.value))
        if isinstance(value, Choice):
            return chosen(self.graph, value, lambda option, _: self.truth(option))
        if isinstance(value, Array) and len(value) == 1:
            return self.truth(value[0])
        if isinstance(value, Array) and value:
            raise TypeError("the truth of an array of several entries is not defined: use any()")
        if isinstance(value, (tuple, Mapping)):
            entries = value.entries if isinstance(value, Mapping) else value
            return self.graph.const(bool(entries) or isinstance(value, Record))
        if isinstance(value, Complex):
            return complex_numbers.truth(self.graph, value)
        if isinstance(value, Resizable):
            return self.graph.compare("gt", value.length, self.graph.const(0))
        if isinstance(value, digits.Digits):
            some = value.size is None or value.length(self, self.graph.const(True))
            return self.graph.const(True) if some is True else self.graph.truth(some)
        if isinstance(value, Optional):
            present = self.graph.logical_not(value.absent)
            return self.graph.logical_and(present, self.truth(value.value))
        return self.graph.truth(value)

    def static(self, node: ast.expr, env: Env) -> Any:
        """The Python object an expression names (a function, a module), or None."""
        if isinstance(node, ast.Name):
            if node.id in env:
                value = env[node.id]
                return value.value if isinstance(value, Static) else None
            try:
                return self.scope.lookup(node.id)
            except NameError:
                return None
        if isinstance(node, ast.Attribute):
            owner = self.static(node.value, env)
            if owner is not None:
                return getattr(owner, node.attr, None)
        return None

    def constant(self, value: Any, node: ast.expr) -> Value:
        """A value found outside the function: numbers become literals."""
        if kind_of_value(value) is not None:
            return self.graph.const(value)
        if complex_numbers.is_complex(value):
            return complex_numbers.constant(self.graph, value)
        if isinstance(value, tuple) and type(value).__name__ != "float_info":  # that of sys
            fields = getattr(value, "_fields", None)
            items = tuple(self.constant(item, node) for item in value)
            named = dict(zip(fields or (), items, strict=False))
            return record_of(type(value), named) if fields else items
        if isinstance(value, (list, dict, set, frozenset, np.ndarray)):
            return self.container(value, node)
        return Static(value)

    # kinds of expression ----------------------------------------------------------------------

    def _expression(self, node: ast.expr, env: Env, path: Node) -> Value:
        match node:
            case ast.Constant(value=value):
                return self.constant(value, node)
            case ast.Name(id=name):
                return on_path(self._name(node, name, env), path)
            case ast.BinOp():
                return self._binaries(node, env, path)
            case ast.UnaryOp():
                return self._unary(node, env, path)
            case ast.Compare():
                return self._compare(node, env, path)
            case ast.BoolOp():
                return self._boolean(node, env, path)
            case ast.IfExp():
                return self._ternary(node, env, path)
            case ast.Call():
                return self.call(node, env, path)
            case ast.Attribute():
                return self._attribute(node, env, path)
            case ast.NamedExpr(target=ast.Name(id=name)):
                env[name] = placed(self.object(node.value, env, path), env, name)
                return env[name]
        return self._other(node, env, path)

    def _binaries(self, node: ast.BinOp, env: Env, path: Node) -> Value:
        """A binary operation; those on its left are done in a loop, as their tree may be deep."""
        rest = [node]
        while isinstance(rest[-1].left, ast.BinOp):
            rest.append(rest[-1].left)
        rest.reverse()
        value = self.object(rest[0].left, env, path)
        rights = [self.object(operation.right, env, path) for operation in rest]
        for operation, right in zip(rest, rights, strict=True):
            try:
                value = self._binary(operation, value, right, env, path)
            except (TypeError, OverflowError) as error:
                self._refuse_numbers(operation, error)
        return value

    def _binary(self, node: ast.BinOp, a: Value, b: Value, env: Env, path: Node) -> Value:
        name, self.frame = BINARY.get(type(node.op), "matmul"), env
        for one, other, side in ((a, b, ""), (b, a, "r")):
            method = f"__{side}{'truediv' if name == 'div' else name}__"
            special = self.special(Call(self, node, path), method, one, other)
            if special is not None:
                return special
        a, b = self.read(node.left, a, env), self.read(node.right, b, env)
        if objects.are_objects(a, b):
            return objects.binary(self, node, BINARY.get(type(node.op), "@"), a, b)
        if isinstance(a, (tuple, Resizable)) or isinstance(b, (tuple, Resizable)):
            return self.of_sequences(node, a, b, env, path)
        a, b = self.operand_of(node.left, a), self.operand_of(node.right, b)
        if type(node.op) not in BINARY:
            self.refuse(node, "a matrix product of numbers", "multiply them by *")
        if isinstance(node.op, ast.Pow) and "f" not in (getattr(v, "kind", "f") for v in (a, b)):
            self._whole_power(node, b, path)
        return self.binary(BINARY[type(node.op)], a, b, path)

    def _whole_power(self, node: ast.expr, exponent: Node, path: Node) -> None:
        """Raise for the elements where an integer power is a fraction."""
        if exponent.op not in ("const", "neg") and Intervals(self.graph, path).of(exponent)[0] < 0:
            below = self.graph.compare("lt", exponent, self.graph.const(0))
            words = "an integer to a negative power is a float: write float(x) ** n"
            self.raises_lookup(node, ValueError, words, below)  # type: ignore[arg-type]

    def _refuse_numbers(self, node: ast.expr, error: TypeError | OverflowError) -> NoReturn:
        if type(error) not in (TypeError, OverflowError):
            raise error
        self.refuse(node, str(error), "convert the value first, e.g. with float() or int()")

    def _other(self, node: ast.expr, env: Env, path: Node) -> Value:
        """Tuples and nested functions; the rest is refused."""
        match node:
            case ast.Tuple():
                return self.elements(node.elts, env, path)
            case ast.List():
                return List(self.taken(v, env) for v in self.elements(node.elts, env, path))
            case ast.ListComp():
                return as_list(self.comprehension(node, env, path))
            case ast.GeneratorExp():
                return self.comprehension(node, env, path)
            case ast.Lambda():
                return self.local(node, env, path)
            case ast.Subscript():
                return self._subscript(node, env, path)
            case ast.Dict():
                return self._dict(node, env, path)
            case ast.Set():
                return distinct(Call(self, node, path), self.elements(node.elts, env, path))
            case ast.SetComp():
                return distinct(Call(self, node, path), self.comprehension(node, env, path))
            case ast.DictComp():
                return self._listed_dict(node, env, path)
            case ast.JoinedStr():
                return objects.formatted(self, node, env, path)
        what = "this expression is not understood in a scalar function"
        self.refuse(node, what, refusals.expression(node))

    def _dict(self, node: ast.Dict, env: Env, path: Node) -> Record:
        entries: dict[Any, Value] = {}
        for key, item in zip(node.keys, node.values, strict=True):
            value = placed(self.object(item, env, path), env)
            if key is None and isinstance(value := self.read(item, value, env), Mapping):
                entries |= value.entries
                continue
            if key is None:
                self.refuse(item, "what follows ** is not a dict", "write the items out")
            entries[self._key(key, self.expression(key, env, path))] = value
        return record_of(dict, entries)

    def _listed_dict(self, node: ast.DictComp, env: Env, path: Node) -> Record:
        pair = ast.copy_location(ast.Tuple([node.key, node.value], ast.Load()), node.key)
        items = ast.copy_location(ast.ListComp(pair, node.generators), node)
        entries: dict[Any, Value] = {}
        for key, value in self.listed(node, self.comprehension(items, env, path)):
            entries[self._key(node.key, key)] = value
        return record_of(dict, entries)

    def _key(self, node: ast.expr, key: Value) -> Any:
        """The Python object that a key of a dict is."""
        known = objects.known(key)
        if known is None:
            self.refuse(node, "a key of the dict is not constant", "use constant keys")
        return known[0]

    def _name(self, node: ast.Name, name: str, env: Env) -> Value:
        if name in env:
            value = env[name]
            if isinstance(value, Unknown) and self.survey is not None:
                return self.survey.unknown()
            if isinstance(value, Undefined):
                self.refuse(node, f"{name!r} {value.why}", f"give {name!r} a value on every path")
            if isinstance(value, Partly):
                self.raises_unset(node, name, value)
                return value.value
            return value
        local = name in self.fn.__code__.co_varnames
        try:
            if local:  # Python does not look outside for it
                raise NameError(name)
            known = self.scope.lookup(name)
        except NameError:
            if name == self.fn.__name__:  # the operator that is being made
                return Static(self.fn)
            remedy = f"give {name!r} a value first" if local else "define it before it is used"
            self.refuse(node, f"the name {name!r} is not defined", remedy)
        return self.constant(known, node)

    def _attribute(self, node: ast.Attribute, env: Env, path: Node) -> Value:
        call = node.value
        if isinstance(call, ast.Call) and self.static(call.func, env) is super:
            return self.of_super(node, call, env, path)
        owner = referred = self.object(node.value, env, path)
        owner = self.read(node.value, owner, env)
        if isinstance(owner, Record):
            return self.of_record(Call(self, node, path, None, [referred]), env)
        if isinstance(owner, Array) and node.attr == "T":
            return self.view(Call(self, node, path), referred, np.transpose, env)
        if isinstance(owner, Array) and node.attr in ARRAY_ATTRIBUTES:
            return ARRAY_ATTRIBUTES[node.attr](self.graph, owner)
        if isinstance(owner, Mapping) and node.attr in MAPPING_METHODS:
            return Static(Method(referred if node.attr in DICT_CHANGES else owner, node.attr))
        if isinstance(owner, (tuple, Resizable)) and any(
            node.attr in names for names in (METHODS, CHANGES, STEPS)
        ):
            return Static(Method(referred, node.attr))
        if isinstance(owner, (tuple, Resizable)):
            what = f"a tuple of values has no attribute {node.attr!r} here (a list is one, too)"
            self.refuse(node, what, "name each value, or build the tuple at once")
        if isinstance(owner, (Node, Complex)) and node.attr in ("real", "imag"):
            return complex_numbers.part(self.graph, owner, node.attr)
        if isinstance(owner, (Node, Complex)) and node.attr in NUMBER_METHODS:
            return Static(Method(owner, node.attr))
        if isinstance(owner, digits.Digits) and node.attr in digits.METHODS:
            return Static(Method(owner, node.attr))
        if isinstance(owner, Node) and node.attr in typed.ATTRIBUTES:
            return typed.ATTRIBUTES[node.attr](self.graph, owner)
        if isinstance(owner, Choice):
            return chosen(self.graph, owner, lambda v, _: self.attribute(node, v.value, node.attr))
        if isinstance(owner, Node) and isinstance(known := self.static(node.value, env), Enum):
            owner = Static(known)
        if not isinstance(owner, Static):
            is_digits = isinstance(owner, digits.Digits)
            one = "a string of digits" if is_digits else "an operand is one number and"
            what = f"{one} has no attribute {node.attr!r} here"
            remedy = "write the scalar formula; the loop over the array is made for you"
            self.refuse(node, what, remedy)
        return self.attribute(node, owner.value, node.attr)

    def attribute(self, node: ast.expr, owner: Any, name: str) -> Value:
        """An attribute of a Python object."""
        method = method_of(owner, name)
        if method is not None:
            return Static(method)
        try:
            value = self.watch.read_attribute(owner, name)
        except AttributeError as error:
            own = type(owner).__module__.startswith("nbgraph.")
            problem = f"{described(Static(owner))} has no attribute {name!r} here" if own else error
            self.refuse(node, str(problem), "check the spelling")
        return self.constant(value, node)

    def binary(self, op: str, a: Node | Complex, b: Node | Complex, path: Node) -> Value:
        """A Python binary operator over two numbers."""
        if isinstance(a, Complex) or isinstance(b, Complex):
            return complex_numbers.binary(self, op, a, b, path)
        if op in ("pow", "div", "floordiv", "mod"):
            result = self._divided(op, a, b, path)
            if self.catching:
                trying.of_binary(self, op, a, b, result)
            return result
        if op in ("band", "bor", "bxor", "shl", "shr"):
            return self.graph.bitwise(op, a, b)
        if op in ("lt", "le", "gt", "ge", "eq", "ne"):
            return self.graph.compare(op, a, b)
        return self.graph.arithmetic(op, a, b)

    def _divided(self, op: str, a: Node, b: Node, path: Node) -> Value:
        """A power, or one of the divisions."""
        if op == "pow":
            return self.power(a, b, path)
        whole = op in ("floordiv", "mod")
        return self.divide_floor(op, a, b, path) if whole else self.graph.arithmetic(op, a, b)

    def _unary(self, node: ast.UnaryOp, env: Env, path: Node) -> Value:
        if isinstance(node.op, ast.Not):
            return self.graph.logical_not(self.condition(node.operand, env, path))
        referred, self.frame = self.object(node.operand, env, path), env
        value = self.read(node.operand, referred, env)
        if isinstance(value, Array):
            return spread(Call(self, node, path), lambda entry: self._signed(node.op, entry), value)
        own = self.special(Call(self, node, path), "__neg__", referred)
        if isinstance(node.op, ast.USub) and own is not None:
            return own
        return self._signed(node.op, self.operand_of(node.operand, value))

    def _signed(self, op: ast.unaryop, a: Node | Complex) -> Value:
        graph = self.graph
        if isinstance(a, Complex):
            if isinstance(op, ast.Invert):
                raise TypeError("bit inversion of a complex number is not defined")
            return complex_numbers.negate(graph, a) if isinstance(op, ast.USub) else a
        if isinstance(op, ast.USub):
            return graph.negate(a)
        if isinstance(op, ast.Invert):
            return graph.invert(a)
        if a.kind == "bool":
            raise TypeError("positive of a boolean is not defined (as in NumPy): cast it to int")
        return graph.cast(a, "i") if a.kind == "b" else a

    def _compare(self, node: ast.Compare, env: Env, path: Node) -> Value:
        graph, result = self.graph, self.graph.const(True)
        self.frame = env
        same = isinstance(node.ops[0], (ast.Is, ast.IsNot))
        left = self.object(node.left, env, path)
        left = left if same else self.deep(node.left, left, env)
        for op, right_node in zip(node.ops, node.comparators, strict=True):
            if isinstance(right_node, ast.Set) and isinstance(op, (ast.In, ast.NotIn)):
                right_node = ast.copy_location(ast.Tuple(right_node.elts, ast.Load()), right_node)
            right = self._guarded(right_node, env, path, result)
            right = right if same else self.deep(right_node, right, env)
            compare = functools.partial(comparing.compare, self, node, op)
            spreads = len(node.ops) == 1 and not isinstance(op, _WHOLE)
            if spreads and (isinstance(left, Array) or isinstance(right, Array)):
                return spread(Call(self, node, path), compare, left, right)
            result = graph.logical_and(result, compare(left, right))
            left = right
        return result

    def _boolean(self, node: ast.BoolOp, env: Env, path: Node) -> Value:
        graph, is_and = self.graph, isinstance(node.op, ast.And)
        value = self.object(node.values[0], env, path)
        for before, item in itertools.pairwise(node.values):
            first, value = value, self.read(before, value, env)
            if isinstance(value, Static):
                value = graph.const(bool(value.value))
            truth = self.truth(value)
            taken = truth if is_and else graph.logical_not(truth)
            if taken.op == "const" and not taken.data:
                return first
            other = self._guarded(item, env, path, taken)
            if taken.op == "const":
                value = other
                continue
            if isinstance(other, Static):
                other = graph.const(bool(other.value))
            if _is_truth(value) and _is_truth(other):
                join = graph.logical_and if is_and else graph.logical_or
                value = join(truth, graph.truth(other))
            else:
                value = first if isinstance(first, REFERS) else value
                value = self._either(
                    node, taken, other, value, env, "write `a if condition else b`"
                )
        return value

    def _either(
        self, node: ast.expr, cond: Node, a: Value, b: Value, env: Env, remedy: str
    ) -> Value:
        """The first value where a condition holds, else the second; of lists one that is either."""
        lists = ListJoin(self.graph, cond, env, env, env)
        value = join_value(self.graph, cond, placed(a, env), placed(b, env), lists)
        lists.freeze()
        return self.joined(node, value, remedy)

    def _guarded(self, node: ast.expr, env: Env, path: Node, cond: Node) -> Value:
        """An expression that is evaluated where `cond` holds: `:=` inside assigns there only."""
        inner = dict(env)
        with self.under(cond):
            value = self.object(node, inner, self.graph.logical_and(path, cond))
        lists = ListJoin(self.graph, cond, inner, dict(env), env)
        for name, new in inner.items():
            old = env.get(name)
            if old is None or isinstance(old, Undefined) or name == FROZEN:
                env[name] = new  # elsewhere Python has no value to read
            elif new is not old:
                env[name] = join_value(self.graph, cond, new, old, lists)
        lists.freeze()
        return value

    def _ternary(self, node: ast.IfExp, env: Env, path: Node) -> Value:
        graph = self.graph
        cond = self.condition(node.test, env, path)
        if cond.op == "const":
            return self.object(node.body if cond.data else node.orelse, env, path)
        a = self._guarded(node.body, env, path, cond)
        b = self._guarded(node.orelse, env, path, graph.logical_not(cond))
        return self._either(node, cond, a, b, env, "give both branches one type")

    def _subscript(self, node: ast.Subscript, env: Env, path: Node) -> Value:
        owner = mapping(self.object(node.value, env, path))
        if isinstance(owner, (Reference, View)):
            return self.part(node, owner, env, path)
        if isinstance(owner, Mapping):
            return self.at_key(node, owner, self.expression(node.slice, env, path))
        if isinstance(owner, Choice):
            return chosen(self.graph, owner, lambda one, _: self._of_text(node, one, env, path))
        return self._of_text(node, owner, env, path)

    def _of_text(self, node: ast.Subscript, owner: Value, env: Env, path: Node) -> Value:
        """Part of a string, or of a tuple."""
        call = Call(self, node, path)
        if isinstance(owner, digits.Digits) and (part := owner.part(call, node)) is not None:
            return part
        characters = objects.characters(call, owner)
        if characters is not owner:
            places = self.places(node, characters, env, path)
            return objects.joined(call, self.entries(node, characters, places, path))
        if objects.is_text(owner):
            what = "the digits of a floating value are not understood"
            self.refuse(node, what, "make it an integer with int()", KindError)
        if not isinstance(owner, (tuple, Resizable)):
            self.refuse(
                node,
                f"{ast.unparse(node.value)} is one number here and cannot be indexed",
                "write the scalar formula; neighbouring elements are reached by passing shifted "
                "views as further operands",
            )
        return self.entries(node, owner, self.places(node, owner, env, path), path)


def _is_truth(value: Value) -> bool:
    return isinstance(value, Node) and is_boolean(value.kind)
