"""Operators of numbers, arrays, lists and strings; powers and divisions."""

import ast
import functools
import math
import operator
from collections.abc import Sequence
from typing import NoReturn

from nbgraph.errors import CaptureError
from nbgraph.kernels.capture import (
    complex_numbers,
    composed,
    integers,
    list_texts,
    objects,
    refusals,
    resizable,
    trying,
)
from nbgraph.kernels.capture.arrays import MAX_SIZE, matmul, spread, whole
from nbgraph.kernels.capture.complex_numbers import by_squaring
from nbgraph.kernels.capture.containers import (
    Array,
    List,
    Mapping,
    Resizable,
    as_set,
    described,
    is_set,
    record_of,
)
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.environment import placed
from nbgraph.kernels.capture.intervals import Intervals
from nbgraph.kernels.capture.lookups import entry_at
from nbgraph.kernels.capture.results import present
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.capture.values import Complex, Env, Node, Value
from nbgraph.kernels.scalar.graph import BITWISE, Graph
from nbgraph.kernels.scalar.kinds import is_boolean, is_integer, promote

_ARITHMETIC = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Pow)
_BITS = (ast.BitAnd, ast.BitOr, ast.BitXor, ast.LShift, ast.RShift)
_NAMES = "add sub mul div floordiv mod pow band bor bxor shl shr".split()
BINARY: dict[type[ast.operator], str] = dict(zip((*_ARITHMETIC, *_BITS), _NAMES, strict=True))
# Powers with constant whole exponents up to this are products by squaring. Their error is at most
# that of an x that is off by half a unit in its last place, the accuracy of x itself.
MAX_POWER = 512
# operations whose lower 64 bits follow from those of the operands
_KEEPING = ("add", "sub", "mul", "neg", "invert", "bor", "bxor", "shl", "select", "check")
_BEYOND = "write `& (2**64 - 1)` behind it for the lower 64 bits, or use float(x)"
_WEAK = ("b", "i", "f")  # kinds of literals
NUMBERS = {"bool": "int8", "b": "i"}  # kinds of bools where NumPy needs a number


def binaries(tracer: Tracer, node: ast.BinOp, env: Env, path: Node) -> Value:
    """Return the value of a binary operation; a loop follows left operands, for deep trees."""
    rest = [node]
    while isinstance(left := _left(tracer, rest[-1], env), ast.BinOp):
        rest.append(left)
    rest.reverse()
    value = tracer.object(rest[0].left, env, path)
    rights = [tracer.object(operation.right, env, path) for operation in rest]
    k = 0
    while k < len(rest):
        try:
            modulo = _modular_power(tracer, rest[k : k + 2], (value, *rights[k : k + 2]), path)
            value = modulo or _binary(tracer, rest[k], value, rights[k], env, path)
        except (TypeError, OverflowError) as error:
            refuse_numbers(tracer, rest[k], error)
        k += 1 if modulo is None else 2
    return value


def _left(tracer: Tracer, node: ast.BinOp, env: Env) -> ast.expr:
    """Return the left operand of an operator; before `%`, `pow(a, b)` as `a ** b`."""
    left = node.left
    if isinstance(node.op, ast.Mod) and isinstance(left, ast.Call) and len(left.args) == 2:
        if tracer.static(left.func, env) is pow and not left.keywords:
            return ast.copy_location(ast.BinOp(left.args[0], ast.Pow(), left.args[1]), left)
    return left


def _modular_power(
    tracer: Tracer, operations: Sequence[ast.BinOp], values: Sequence[Value], path: Node
) -> Value | None:
    """Return `a ** b % m` of integers, whose power may exceed 64 bits; None for other kinds."""
    whole = (isinstance(value, Node) and value.kind in ("i", "int64") for value in values)
    if [type(each.op) for each in operations] != [ast.Pow, ast.Mod] or not all(whole):
        return None
    call, (a, n, _) = Call(tracer, operations[0], path), values
    if _is_fraction(n) or (n.op == "const" and (n.data < 3 or a.op == "const")):
        return None
    check_power(call, a, n, "mod")
    return call.text(integers.power_modulo, *(tracer.graph.cast(n, "i") for n in values))


def _binary(tracer: Tracer, node: ast.BinOp, a: Value, b: Value, env: Env, path: Node) -> Value:
    name, tracer.frame = BINARY.get(type(node.op), "matmul"), env
    changing = ((a, b, "i"),) if hasattr(node, "changes") else ()
    for one, other, side in (*changing, (a, b, ""), (b, a, "r")):
        method = f"__{side}{'truediv' if name == 'div' else name}__"
        special = tracer.special(Call(tracer, node, path), method, one, other)
        if special is not None:
            return special
    a, b = tracer.read(node.left, a, env), tracer.read(node.right, b, env)
    if objects.are_objects(a, b):
        return objects.binary(tracer, node, BINARY.get(type(node.op), "@"), a, b)
    if isinstance(a, Mapping) and isinstance(b, Mapping) and name == "bor":
        return record_of(dict, {**a.entries, **b.entries})
    if isinstance(a, (tuple, Resizable)) or isinstance(b, (tuple, Resizable)):
        return _of_sequences(tracer, node, a, b, env, path)
    a, b = _operand(tracer, node.left, a, path), _operand(tracer, node.right, b, path)
    if type(node.op) not in BINARY:
        tracer.refuse(node, "a matrix product of numbers", "multiply them by *")
    if isinstance(node.op, (ast.Pow, ast.LShift, ast.RShift)):
        check_power(Call(tracer, node, path), a, b, name)
    value = tracer.binary(name, a, b, path)
    if name in _KEEPING[:3] and isinstance(value, Node) and value.kind == "uint64":
        ends = [n for n in (a, b) if n.kind in ("i", "int64")]  # but not for arrays of uint64
        if len(ends) == 2 and any(n.op == "const" for n in ends):
            what = f"{ast.unparse(node)} has more than 64 bits"
            error = refusals.refusal(tracer, node, what, _BEYOND)
            tracer.graph.wrapped.setdefault(value.id, error)
            in_floats = tracer.binary(name, tracer.graph.float(a), tracer.graph.float(b), path)
            tracer.graph.wide[value.id] = in_floats
    return value


def refuse_wrapped(graph: Graph, results: Sequence[Node]) -> None:
    """Raise the error of a result that needs more than the lower 64 bits of a larger value."""
    errors = dict(graph.wrapped)
    for node in graph.reachable(results) if errors else ():
        error = next((errors[n.id] for n in node.args if n.id in errors), None)
        power = node.op == "mod" and node.args[1].op == "const" and int(node.args[1].data)
        if error is None or node.op == "band" or power.bit_count() == 1:  # const: a power of two
            continue
        if node.op not in _KEEPING and not (node.op == "cast" and is_integer(node.kind)):
            raise error
        errors.setdefault(node.id, error)
    for node in results:
        if node.id in errors:
            raise errors[node.id]


def _of_sequences(
    tracer: Tracer, node: ast.BinOp, a: Value, b: Value, env: Env, path: Node
) -> Value:
    """Return the value of an operator of arrays, or of `+` or `*` of lists and tuples."""
    call = Call(tracer, node, path)
    if not all(type(v) in (tuple, List, Node) for v in (a, b)):
        a, b = tracer.deep(node.left, a, env), tracer.deep(node.right, b, env)
    if isinstance(node.op, ast.MatMult):
        return matmul(call, a, b)
    name = BINARY[type(node.op)]
    if isinstance(a, Array) or isinstance(b, Array):
        return spread(call, lambda x, y: tracer.binary(name, x, y, path), a, b)
    if is_set(a) and is_set(b) and name in list_texts.SET_OPERATORS:
        return as_set(call.text(list_texts.SET_OPERATORS[name], a, b))
    if is_set(a) or is_set(b):
        call.refuse(f"{ast.unparse(node)}: Python has no such operator of sets", "use list(values)")
    if isinstance(node.op, ast.Add) and type(a) is type(b) and type(a) is not Resizable:
        return type(a)((*a, *b))
    if isinstance(node.op, ast.Add) and all(isinstance(v, (List, Resizable)) for v in (a, b)):
        return resizable.joined(call, a, b)
    items, count = (a, b) if isinstance(a, tuple) else (b, a)
    if isinstance(node.op, ast.Mult) and not isinstance(count, tuple):
        if type(items) is List and isinstance(count, Node) and count.op != "const":
            return resizable.repeated(call, items, count)
        times = whole(call, count, "how often a list is repeated")
        if times * len(items) > MAX_SIZE:
            call.refuse(f"a list of more than {MAX_SIZE} items is made", "use fewer items")
        return type(items)([placed(item, env) for item in items] * times)
    if isinstance(a, Resizable) or isinstance(b, Resizable):
        sized = described(a if isinstance(a, Resizable) else b)
        call.refuse(f"this operator of {sized} is not understood", "write a loop, or use sets")
    remedy = "use NumPy arrays, numbers or sets"
    call.refuse("this operator of tuples is not understood", remedy)


def binary(tracer: Tracer, op: str, a: Value, b: Value, path: Node) -> Value:
    """Return the value of a Python binary operator over two numbers."""
    if isinstance(a, Complex) or isinstance(b, Complex):
        return complex_numbers.binary(tracer, op, a, b, path)
    if op in ("pow", "div", "floordiv", "mod"):
        if op == "pow":
            result = power(tracer, a, b, path)
        elif op == "div":
            result = tracer.graph.arithmetic(op, a, b)
        else:
            result = divide_floor(tracer, op, a, b, path)
        if tracer.catching:
            trying.of_binary(tracer, op, a, b, result)
        return result
    if op in ("band", "bor", "bxor", "shl", "shr"):
        return tracer.graph.bitwise(op, a, b)
    if op in ("lt", "le", "gt", "ge", "eq", "ne"):
        return tracer.graph.compare(op, a, b)
    return tracer.graph.arithmetic(op, a, b)


def power(tracer: Tracer, a: Node, b: Node, path: Node) -> Value:
    """Return `a ** b`; small constant integer exponents become products."""
    graph = tracer.graph
    exponent = b.data if b.op == "const" else None
    folded = _constant_power(a, b)
    if folded is not None:
        return graph.const(folded)
    if is_boolean(a.kind):
        a = graph.cast(a, NUMBERS.get(kind := promote(a.kind, b.kind), kind))
    if exponent is not None and float(exponent).is_integer() and abs(exponent) <= MAX_POWER:
        if isinstance(exponent, float) or b.kind == "f":
            a = graph.float(a)
        if exponent >= 0:
            power = _product(tracer, a, int(exponent))
            if a.kind != "f" and exponent > 2:  # Python's integers may exceed 64 bits
                graph.wide[power.id] = _product(tracer, graph.float(a), int(exponent))
            return power
        whole = _product(tracer, graph.float(a), -int(exponent))
        return graph.arithmetic("div", graph.const(1.0), whole)
    if _is_fraction(b) and "f" not in (a.kind, b.kind):
        a = graph.float(a)
    if a.kind == "f" or b.kind == "f":
        if exponent == 0.5:
            return graph.call("sqrt", a)
        if exponent == -0.5:
            return graph.call("rsqrt", a)
        return graph.call("pow", a, b)
    kind = promote(a.kind, b.kind)
    a, b = graph.cast(a, kind), graph.cast(b, kind)
    if kind == "f":  # int64 with uint64
        return graph.call("pow", a, b)
    if a.op == "const" and kind in ("i", "int64") and abs(a.data) > 1:
        powers = [graph.const(a.data**n) for n in range(63) if abs(a.data) ** n < 1 << 63]
        below = graph.compare("lt", b, graph.const(len(powers)))
        inside = graph.logical_and(graph.compare("ge", b, graph.const(0)), below)
        return entry_at(graph, powers, graph.select(inside, b, graph.const(0)))
    return tracer.compose(composed.integer_power, [a, b], path)


def check_power(call: Call, base: Value, exponent: Value, op: str = "pow") -> None:
    """Note the elements that raise: an integer power that is a fraction or exceeds 64 bits, or a
    shift by a negative count or by too many bits."""
    if not isinstance(base, Node) or not isinstance(exponent, Node):
        return
    graph, kind = call.graph, promote(base.kind, exponent.kind)
    if exponent.op == "const" or (op == "pow" and _is_fraction(exponent)) or kind == "f":
        return
    words, (low, high) = ": write float(x) ** n", Intervals(graph, call.path).of(exponent)
    raises = functools.partial(call.tracer.raises_lookup, call.node)
    if low < 0:
        below = graph.compare("lt", exponent, graph.const(0))
        power = f"an integer to a negative power is a float{words}"
        raises(ValueError, "negative shift count" if op in ("shl", "shr") else power, below)
    most: float = math.inf if op == "mod" else 1  # of a power modulo m
    if base.op == "const" and op != "mod":
        compute = BITWISE.get(op, operator.pow)
        powers = (compute(abs(base.data), n + 1) >> 63 for n in range(63))
        most = next((n for n, over in enumerate(powers) if over), math.inf)
    # other kinds wrap as in NumPy, and shifted values lose bits
    if high <= most or kind not in ("b", "i", "int64") or (op != "pow" and base.op != "const"):
        return
    large = graph.compare("gt", exponent, graph.const(most))
    if base.op != "const":
        value = graph.call("pow", graph.float(graph.absolute(base)), graph.float(exponent))
        limit = graph.const(2.0**63 * (1 - 2.0**-40))  # other powers are further away
        large = graph.logical_and(large, graph.compare("ge", value, limit))
    what, words = ("power", words) if op == "pow" else ("shift", ": write float(x) * 2.0 ** n")
    raises(OverflowError, f"an integer {what} of more than 64 bits{words}", large)


def _is_fraction(exponent: Node) -> bool:
    """Return whether an integer power is a float in Python: `10 ** -n`, `2 ** (-3 * n)`."""
    factors = exponent.args if exponent.op == "mul" else ()
    return exponent.op == "neg" or any(n.op == "const" and n.data < 0 for n in factors)


def _product(tracer: Tracer, a: Node, n: int) -> Node:
    """Return `a ** n` by repeated squaring."""
    graph = tracer.graph
    result = by_squaring(lambda a, b: graph.arithmetic("mul", a, b), a, n)
    return graph.cast(graph.const(1), a.kind) if result is None else result


def _constant_power(a: Node, b: Node) -> float | int | None:
    """Return `a ** b` of literals as in Python; None where it raises or is complex."""
    if not (a.op == b.op == "const") or a.kind not in _WEAK or b.kind not in _WEAK:
        return None
    try:
        value = a.data**b.data
    except (ZeroDivisionError, OverflowError):
        return None
    return value if isinstance(value, (int, float)) else None


def divide_floor(tracer: Tracer, op: str, a: Node, b: Node, path: Node) -> Value:
    """Return `//` or `%`, with the sign of the divisor as in Python."""
    graph = tracer.graph
    if a.kind == b.kind == "bool":
        a, b = graph.cast(a, "int8"), graph.cast(b, "int8")
    if "f" in (a.kind, b.kind):
        a, b = graph.float(a), graph.float(b)
        if op == "mod" and b.op == "const" and b.data == 1:  # rounded once, as `fmod(a, 1) + 1`
            return graph.arithmetic("sub", a, graph.call("floor", a))
        fn = composed.floor_divide if op == "floordiv" else composed.remainder
        return tracer.compose(fn, [a, b], path)
    result = graph.arithmetic(op, a, b)
    if result.kind == "f":  # int64 with uint64
        return divide_floor(tracer, op, graph.float(a), graph.float(b), path)
    return result


def as_kind(tracer: Tracer, value: Value, kind: str) -> Value:
    """Return a number cast to the kind of an array."""
    if isinstance(value, Node) and value.kind == "f" and kind != "f" and not is_boolean(kind):
        value = tracer.graph.call("trunc", value)
    return tracer.graph.cast(value, kind) if isinstance(value, Node) else value


def _operand(tracer: Tracer, node: ast.expr, value: Value, path: Node) -> Node | Complex:
    """Return a value that must be a real or complex number."""
    value = present(call := Call(tracer, node, path), value)
    return value if isinstance(value, Complex) else tracer.number_of(call, value)


def refuse_numbers(tracer: Tracer, node: ast.expr, error: TypeError | OverflowError) -> NoReturn:
    """Raise the graph's error about operands, at the user's line."""
    if type(error) not in (TypeError, OverflowError):
        raise error
    sort = KindError if "floating-point" in str(error) else CaptureError  # a bitwise operation
    remedy = "convert the value first, e.g. with float() or int()"
    if isinstance(error, OverflowError):
        remedy = "write the literal as a float, or give operands of 64 bits, as by int(x)"
    tracer.refuse(node, str(error), remedy, sort)


def unary(tracer: Tracer, node: ast.UnaryOp, env: Env, path: Node) -> Value:
    """Return the value of `-a`, `+a`, `~a` or `not a`."""
    if isinstance(node.op, ast.Not):
        return tracer.graph.logical_not(tracer.condition(node.operand, env, path))
    referred, tracer.frame = tracer.object(node.operand, env, path), env
    value = tracer.read(node.operand, referred, env)
    if isinstance(value, Array):
        return spread(
            Call(tracer, node, path), lambda entry: _signed(tracer, node.op, entry), value
        )
    negative = tracer.special(Call(tracer, node, path), "__neg__", referred)
    if isinstance(node.op, ast.USub) and negative is not None:
        return negative
    return _signed(tracer, node.op, _operand(tracer, node.operand, value, path))


def _signed(tracer: Tracer, op: ast.unaryop, a: Node | Complex) -> Value:
    graph = tracer.graph
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
