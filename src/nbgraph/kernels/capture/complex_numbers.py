"""Complex numbers among the values of a capture: two real nodes, and functions of them."""

import cmath
import functools
import sys
from collections.abc import Callable
from types import FunctionType

import numpy as np

from nbgraph.kernels.capture import complex_functions
from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.joining import join_value
from nbgraph.kernels.capture.values import Complex, Graph, Node, Static, Value
from nbgraph.kernels.scalar.kinds import is_integer

MAX_POWER = 100  # constant integer exponents up to this are products, as in CPython
_MIXED = sys.version_info >= (3, 14)  # a real operand is not made complex in + - * /
_ALIASES = {
    "abs": "absolute",
    "conj": "conjugate",
    **{f"arc{name}": f"a{name}" for name in ("sin", "cos", "tan", "sinh", "cosh", "tanh")},
}
_CMATH = (
    "exp log log10 sqrt sin cos tan sinh cosh tanh asin acos atan asinh acosh atanh phase polar "
    "rect isnan isinf isfinite isclose"
).split()
_NUMPY = (
    "exp exp2 expm1 log log1p log2 log10 sqrt sin cos tan sinh cosh tanh arcsin arccos arctan "
    "arcsinh arccosh arctanh abs real imag conj conjugate angle isnan isinf isfinite sign square "
    "reciprocal rint round logical_and logical_or logical_xor logical_not"
).split()


FUNCTIONS: dict[object, FunctionType] = {
    abs: complex_functions.absolute,
    **{getattr(cmath, name): getattr(complex_functions, name) for name in _CMATH},
    **{getattr(np, name): getattr(complex_functions, _ALIASES.get(name, name)) for name in _NUMPY},
}
_PARTS: dict[object, str] = {
    np.real: "real",
    np.imag: "imag",
    np.conjugate: "real",
}  # of a real number
_TYPES = (complex, np.complex128, np.complex64)
# function -> part -> the same function for numbers of which that part is always 0
_SHORTER: dict[FunctionType, dict[str, FunctionType]] = {
    complex_functions.exp: {"real": complex_functions.turn},
    complex_functions.sqrt: {"imag": complex_functions.sqrt_of_real},
    complex_functions.log: {"imag": complex_functions.log_of_real},
}
# functions and types of complex numbers, even with real arguments
OPERATIONS = [*(getattr(cmath, name) for name in _CMATH), *_TYPES, *_PARTS, np.angle]
_REAL = "use z.real, z.imag or abs(z) where one number is needed, and cmath for functions of z"


def constant(graph: Graph, value: complex) -> Complex:
    """Return a literal."""
    return Complex(graph.const(float(value.real)), graph.const(float(value.imag)))


def is_complex(value: object) -> bool:
    """Return whether a Python object is a complex number."""
    return isinstance(value, (complex, np.complexfloating))


def truth(graph: Graph, z: Complex) -> Node:
    """Return bool(z) as a node."""
    zero = graph.const(0.0)
    return graph.logical_or(graph.compare("ne", z.real, zero), graph.compare("ne", z.imag, zero))


def part(graph: Graph, value: Node | Complex, name: str) -> Node:
    """Return `value.real` or `value.imag`."""
    if isinstance(value, Complex):
        return value.real if name == "real" else value.imag
    if name == "real":
        return value
    return graph.cast(graph.const(0), "f" if value.kind == "f" else "i")


def negate(graph: Graph, z: Complex) -> Complex:
    """Return -z."""
    return Complex(graph.negate(z.real), graph.negate(z.imag))


def binary(tracer: Tracer, op: str, a: Value, b: Value, path: Node) -> Value:
    """Return a binary operator's value where a number is complex; TypeError for an order."""
    graph = tracer.graph
    if op == "pow":
        return _power(tracer, a, b, path)
    z, w = Complex.of(graph, a), Complex.of(graph, b)
    if op in ("eq", "ne"):
        same = graph.logical_and(
            graph.compare("eq", z.real, w.real), graph.compare("eq", z.imag, w.imag)
        )
        return same if op == "eq" else graph.logical_not(same)
    if op in ("add", "sub"):
        if _MIXED and isinstance(b, Node):
            return Complex(graph.arithmetic(op, z.real, w.real), z.imag)
        if _MIXED and isinstance(a, Node):
            imag = graph.negate(w.imag) if op == "sub" else w.imag
            return Complex(graph.arithmetic(op, z.real, w.real), imag)
        return Complex(graph.arithmetic(op, z.real, w.real), graph.arithmetic(op, z.imag, w.imag))
    if op in ("mul", "div"):
        if _MIXED and isinstance(b, Node):
            return _scaled(graph, op, z, w.real)
        if _MIXED and isinstance(a, Node) and op == "mul":
            return _scaled(graph, op, w, z.real)
        fn = complex_functions.product if op == "mul" else complex_functions.quotient
        return tracer.compose(fn, [z, w], path)
    raise TypeError(f"{op} is not defined for complex numbers (as in Python)")


def _scaled(graph: Graph, op: str, z: Complex, factor: Node) -> Complex:
    return Complex(graph.arithmetic(op, z.real, factor), graph.arithmetic(op, z.imag, factor))


def _power(tracer: Tracer, a: Value, b: Value, path: Node) -> Value:
    graph, exponent = tracer.graph, _literal(b)
    z = Complex.of(graph, a)
    if exponent is not None and exponent.is_integer() and abs(exponent) <= MAX_POWER:
        one, multiply = constant(graph, 1.0), functools.partial(binary, tracer, "mul", path=path)
        whole = by_squaring(multiply, z, int(abs(exponent))) or one
        return whole if exponent >= 0 else binary(tracer, "div", one, whole, path)
    if isinstance(b, Node) and is_integer(b.kind):
        return tracer.compose(complex_functions.power_of_integer, [z, graph.cast(b, "i")], path)
    return tracer.compose(complex_functions.power, [z, Complex.of(graph, b)], path)


def _literal(value: Value) -> float | None:
    """Return the real number that a value is known to equal, or None."""
    if isinstance(value, Complex):
        real = value.imag.op == "const" and value.imag.data == 0
        return _literal(value.real) if real else None
    return float(value.data) if value.op == "const" else None


def by_squaring(multiply: Callable[[Value, Value], Value], a: Value, n: int) -> Value | None:
    """Return `a ** n` by repeated squaring; None for n = 0."""
    result: Value | None = None
    while n:
        if n & 1:
            result = a if result is None else multiply(result, a)
        n >>= 1
        if n:
            a = multiply(a, a)
    return result


def apply(call: Call, operation: tuple[str, object]) -> Value:
    """Return the value of a function of complex numbers, or of a complex type."""
    graph, target, args = call.graph, call.target, call.args
    sort, detail = operation
    if sort == "operator" or detail == "pow":
        return _operator(call, str(detail))
    if detail == "where" and len(args) == 3:
        return join_value(graph, call.tracer.truth(args[0]), args[1], args[2])
    if target is bool and len(args) == 1:
        return call.tracer.truth(args[0])
    if target in _TYPES:
        return _of_type(call)
    if target in _PARTS and len(args) == 1 and isinstance(args[0], Node):
        return part(graph, args[0], _PARTS[target])
    fn = FUNCTIONS.get(target)
    if fn is None or not all(isinstance(v, (Node, Complex)) for v in call.values):
        what = "a complex number" if fn is None else "what is not a number"
        call.refuse(f"{call.name}() is called with {what}", _REAL)
    whole = {id(v): Complex.of(graph, v) for v in call.values}
    numbers: list[Value] = [whole.get(id(v), v) for v in call.in_order(fn)]  # without the defaults
    for name, short in _SHORTER.get(fn, {}).items():
        fn = short if _vanishes(part(graph, numbers[0], name)) else fn
    return call.tracer.compose(fn, numbers, call.path)


def _operator(call: Call, op: str) -> Value:
    """Return the value of an operator called by its name, as `operator.mul` or `np.add`."""
    count, args = 1 if op in ("neg", "invert") else 2, call.values
    if len(args) != count:
        what = f"{call.name}() takes {count} numbers, not {len(args)}"
        call.refuse(what, "give as many numbers")
    if op == "neg":
        return negate(call.graph, args[0])
    return binary(call.tracer, op, args[0], args[1], call.path)


def _of_type(call: Call) -> Value:
    """Return `complex(real, imag)`, `complex(z)`, `complex("1j")` or `np.complex64(z)`."""
    graph, tracer, args = call.graph, call.tracer, call.args
    if not call.kwargs and len(args) == 1 and isinstance(args[0], Static):
        try:
            return constant(graph, complex(args[0].value))
        except (TypeError, ValueError):
            call.refuse(f"{args[0].value!r} is not a complex number", "give two numbers")
    parts = dict(zip(("real", "imag"), args, strict=False)) | dict(call.kwargs)
    known = len(args) <= 2 and parts.keys() <= {"real", "imag"}
    if not known or not all(isinstance(v, (Node, Complex)) for v in parts.values()):
        call.refuse("complex() takes a real and an imaginary part", "give two numbers")
    nothing = graph.const(0.0)
    real, imag = (parts.get(name, nothing) for name in ("real", "imag"))
    if isinstance(real, Node) and isinstance(imag, Node):
        z = Complex(graph.float(real), graph.float(imag))
    elif "imag" not in parts:
        z = Complex.of(graph, real)
    else:
        turned = binary(tracer, "mul", constant(graph, 1j), imag, call.path)
        z = binary(tracer, "add", real, turned, call.path)
    if call.target is np.complex64:
        z = Complex(graph.narrow(z.real, "float32"), graph.narrow(z.imag, "float32"))
    return z


def _vanishes(a: Node) -> bool:
    """Return whether a floating value is 0 or NaN for all operands."""
    if a.op == "const":
        return a.data == 0
    if a.op == "mul":
        return any(_vanishes(part) for part in a.args)
    return a.op in ("add", "sub", "neg") and all(_vanishes(part) for part in a.args)
