"""Complex numbers, element by element: parts, and functions in graphs, with a table of slopes.

Kernels load and store both parts of a number (`_PairsOp`), by the formulas of the operator's text;
loops of an array library serve devices. Gradients follow JAX's convention: that of a holomorphic
function is its derivative times out_grad, that of a real function u of z = x + iy is du/dx - i
du/dy. Sums of products then need no conjugates, and the rules of products, sums and shapes are
those of real arrays.
"""

import functools
import inspect
import math
from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import inexact, real_dtype
from nbgraph.errors import DTypeError
from nbgraph.kernels.capture import complex_functions
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.call import carrier_of
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.mapper.complex_call import known_dtype
from nbgraph.operator.scalar.invoke import Invoker
from nbgraph.operator.scalar.map_call import Plan, map_call
from nbgraph.operator.spec import Attributes
from nbgraph.ops.define import (
    as_known,
    by_numpy,
    composed,
    deferrable,
    define_rows,
    library,
    public,
)
from nbgraph.shape import broadcast
from nbgraph.signatures import Function

# parts ------------------------------------------------------------------------------------------


def _part_infer(x: Spec) -> Spec:
    return Spec(x.shape, real_dtype(x.dtype))


_REAL = ArrayOp("real", _part_infer, view=lambda x: x.real, gradient=lambda g: [g.out_grad])


_IMAG = ArrayOp(
    "imag",
    _part_infer,
    view=lambda x: x.imag,
    gradient=lambda g: [library.multiply(g.out_grad, -1j)],
)


@public(_IMAG)
@deferrable()
def imag(x: Any, *, out: Any = None) -> Any:
    """The imaginary part of each element: a view; of arrays that are not complex zeros.

    >>> imag([1 + 2j, 3.0])
    array([2., 0.])
    """
    x = as_known("imag", x)
    if x.dtype.kind != "c":
        zeros = library.zeros_like(x)
        return zeros if out is None else library.copy(zeros, out=out)
    return _IMAG(x, out=out)


def _parts_infer(x: Spec, y: Spec) -> Spec:
    shape = broadcast("complex_parts", [("x", x.shape), ("y", y.shape)])
    return Spec(shape, np.result_type(x.dtype, y.dtype, np.complex64))


def run_parts(xp: Any, x: Any, y: Any, out: Any) -> None:
    """Compute `complex_parts` by an array library."""
    out.real, out.imag = x, y


class _PairsOp(ArrayOp):
    """An operator whose kernel loads or stores pairs: that of the library's operator of its name,
    or of the complex number of two parts."""

    kernels = takes_complex = ("host",)

    def lower(self, case: Application) -> Lowered | None:
        (out,), dtypes = case.outputs, [x.dtype for x in case.operands]
        if not out.size:
            return None
        name = case.attributes.get("function")
        plan = _JOINING.plan(dtypes, out.dtype, {}) if name is None else _plan(name, dtypes)
        call = map_call(plan, out.shape, case.operands, [out], case.requests)
        return Lowered((call,), (None,) * (len(dtypes) + 1))


_JOINING = Invoker(WrittenFunction(complex_functions.joined))
_PARTS = _PairsOp(
    "complex_parts",
    _parts_infer,
    by_numpy(run_parts),
    operands=("x", "y"),
    gradient=lambda g: [library.real(g.out_grad), library.negative(library.imag(g.out_grad))],
)


@composed("z")
@deferrable()
def angle(z: Any, deg: bool = False) -> Any:
    """The angle of each number, from -pi to pi.

    z : array
    deg : whether it is in degrees
    >>> angle([1j, -1.0])
    array([1.57079633, 3.14159265])
    """
    z = as_known("angle", z)
    z = z if inexact(z.dtype) else library.astype(z, np.result_type(z.dtype, np.float16))
    radians = library.arctan2(imag(z), library.real(z))
    return library.degrees(radians) if deg else radians


# functions by name ------------------------------------------------------------------------------


def _divisor(size: Any) -> Any:
    """Return |z|, but 1 at 0, where the dividend is 0."""
    return size + library.astype(library.equal(size, 0), size.dtype)


def _log_slope(g: Any, out: Any, x: Any) -> Any:
    """Return g * out * log(x); 0 where x is 0."""
    zero = library.equal(x, 0)
    return library.where(zero, 0, g * out * library.log(library.where(zero, 1, x)))


# name -> in-gradients by operand, as functions of what they read: the out-gradient g, the result,
# and operands: c, x, y of `where`, else x, y
_SLOPES: dict[str, tuple[Function, ...]] = {
    "add": (lambda g: g, lambda g: g),
    "subtract": (lambda g: g, lambda g: -g),
    "multiply": (lambda g, y: g * y, lambda g, x: g * x),
    "divide": (lambda g, y: g / y, lambda g, out, y: -g * out / y),
    "power": (lambda g, x, y: g * y * x ** (y - 1), _log_slope),
    "where": (
        lambda: None,
        lambda g, c: library.where(c, g, 0),
        lambda g, c: library.where(c, 0, g),
    ),
    "positive": (lambda g: g,),
    "negative": (lambda g: -g,),
    "conjugate": (lambda g: library.conj(g),),  # noqa: PLW0108 the library is not there yet
    "absolute": (lambda g, out, x: g * library.conj(x) / _divisor(out),),
    # the part of a change that is perpendicular to x
    "sign": (
        lambda g, out, x: (g - library.conj(g * out * out)) / (2 * _divisor(library.absolute(x))),
    ),
    "square": (lambda g, x: 2 * g * x,),
    "reciprocal": (lambda g, out: -g * out * out,),
    "sqrt": (lambda g, out: 0.5 * g / out,),
    "exp": (lambda g, out: g * out,),
    "exp2": (lambda g, out: g * out * math.log(2),),
    "expm1": (lambda g, out: g * (out + 1),),
    "log": (lambda g, x: g / x,),
    "log2": (lambda g, x: g / (x * math.log(2)),),
    "log10": (lambda g, x: g / (x * math.log(10)),),
    "log1p": (lambda g, x: g / (1 + x),),
    "sin": (lambda g, x: g * library.cos(x),),
    "cos": (lambda g, x: -g * library.sin(x),),
    "tan": (lambda g, out: g * (1 + out * out),),
    "asin": (lambda g, x: g / library.sqrt(1 - x * x),),
    "acos": (lambda g, x: -g / library.sqrt(1 - x * x),),
    "atan": (lambda g, x: g / (1 + x * x),),
    "sinh": (lambda g, x: g * library.cosh(x),),
    "cosh": (lambda g, x: g * library.sinh(x),),
    "tanh": (lambda g, out: g * (1 - out * out),),
    "asinh": (lambda g, x: g / library.sqrt(1 + x * x),),
    "acosh": (lambda g, x: g / (library.sqrt(x - 1) * library.sqrt(x + 1)),),
    "atanh": (lambda g, x: g / (1 - x * x),),
}
_CONSTANT = (
    "equal not_equal isnan isinf isfinite logical_and logical_or logical_xor logical_not rint round"
)
# functions of order or bits: NumPy refuses some, none has a meaning here
REFUSED = frozenset(
    "less less_equal greater greater_equal maximum minimum fmax fmin floor ceil trunc "
    "floor_divide remainder fmod divmod atan2 hypot copysign nextafter signbit bitwise_and "
    "bitwise_or bitwise_xor bitwise_invert bitwise_left_shift bitwise_right_shift logaddexp "
    "logaddexp2 cbrt clip".split()
)
FUNCTIONS = frozenset((*_SLOPES, *_CONSTANT.split(), *REFUSED))


def _map_infer(*specs: Spec, function: str) -> Spec:
    dtypes = [spec.dtype for spec in specs]
    if function in REFUSED:
        raise DTypeError(
            f"{function}: it is not defined for complex numbers (dtypes "
            f"{', '.join(map(str, dtypes))}); give it real or imaginary parts, or sizes (ng.abs)"
        )
    shape = broadcast(function, [(f"operand {i}", spec.shape) for i, spec in enumerate(specs)])
    return Spec(shape, _plan(function, dtypes).typed.outputs[0])


def _plan(function: str, dtypes: Sequence[Any]) -> Plan:
    op = getattr(library, function)
    return op.invoker.plan_of(dtypes, op.parameters_of({}))


def run_map(xp: Any, *arrays: Any, function: str) -> None:
    """Compute `complex_map` by an array library."""
    *operands, out = arrays
    with np.errstate(all="ignore"):
        out[...] = getattr(xp, function)(*operands)


@functools.cache
def _slopes(function: str) -> Sequence[tuple[Function, Sequence[str]]]:
    """Return the in-gradients of a function, and the names of the values that each reads."""
    return [(slope, (*inspect.signature(slope).parameters,)) for slope in _SLOPES.get(function, ())]


def _operand_names(function: str) -> Sequence[str]:
    if function == "where":
        return ("c", "x", "y")
    return ("x", "y")[: len(_slopes(function))] or ("*x",)


def _map_rule(g: Gradients) -> list[Any]:
    function = g.attributes["function"]
    values = dict(zip(_operand_names(function), g.inputs, strict=False))
    values |= {"g": g.out_grad, "out": g.outputs[0]}
    return [partial(slope, *[values[n] for n in names]) for slope, names in _slopes(function)]


_COMPLEX_MAP = _PairsOp(
    "complex_map",
    _map_infer,
    by_numpy(run_map),
    gradient=_map_rule,
    operands=("*x",),
    keeps=("*x", "out"),
)


class _RecordedOp(ArrayOp):
    """`complex_map` of a function on a tape, which keeps only what in-gradients read."""

    def __init__(self, function: str) -> None:
        keeps = [name for _, names in _slopes(function) for name in names]
        own = _operand_names(function)
        super().__init__("complex_map", _map_infer, gradient=_map_rule, operands=own, keeps=keeps)
        self.crossed, self.function = function == "multiply", function

    def on_symbols(self, operands: Sequence[Any]) -> list[Any]:
        """Return the function applied to symbols."""
        return [getattr(library, self.function)(*operands)]


op_of = functools.cache(_RecordedOp)


def mapped(function: str, operands: Sequence[Any], out: Any = None) -> Any:
    """Apply a NumPy function by name; Python numbers take the dtype of the arrays."""
    op, arrays, attributes = as_map(function, operands)
    return op(*arrays, **attributes, out=None if out is None else out[0])


def as_map(function: str, operands: Sequence[Any]) -> tuple[ArrayOp, Sequence[Any], Attributes]:
    """Return the operator that represents a NumPy function, its operands and attributes."""
    numbers = bool, int, float, complex
    arrays = [x if type(x) in numbers or carrier_of((x,)) else np.asarray(x) for x in operands]
    if any(type(x) in numbers for x in arrays):
        counted = arrays[1:] if function == "where" else arrays
        common = np.result_type(*[x if type(x) in numbers else known_dtype(x) for x in counted])
        arrays = [np.asarray(x, common) if type(x) in numbers else x for x in arrays]
    return _COMPLEX_MAP, arrays, {"function": function}


_TABLE = """
real(x, *, out=None): The real part of each element: a view.
    x : array; one that is not complex is its own real part
    >>> real([1 + 2j, 3.0])
    array([1., 3.])
complex_parts(x, y, *, out=None): x + iy.
complex_map(*x, function: str, out=None): A function of NumPy, by its name, on arrays of which some
    are complex.
"""
define_rows(_TABLE, globals())
