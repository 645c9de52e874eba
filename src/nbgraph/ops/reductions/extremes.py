"""Extremes and tests over axes: max, min, any, all, count_nonzero.

The slope of an extreme is shared equally by the elements that attain it. NaN counts as the
extreme, as in NumPy.
"""

from collections.abc import Callable
from typing import Any, Literal

import numpy as np

from nbgraph.kernels.loops.loop import Combine
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.ops.define import define_rows, library
from nbgraph.ops.elementwise.arithmetic import divide, multiply
from nbgraph.ops.elementwise.casting import truth
from nbgraph.ops.elementwise.comparison import equal
from nbgraph.ops.reductions.reductions import kept, reduced, reduction_infer, spread, sum
from nbgraph.ops.reductions.rows import plain_rows


def shared_equally(x: Any, g: Gradients) -> Any:
    """Return the in-gradient of an extreme of `x`: equal shares for the elements equal to it."""
    attained = library.astype(equal(x, kept(g.outputs[0], g)), g.specs[0].dtype)
    share = divide(attained, sum(attained, g.attributes["axis"], keepdims=True))
    return multiply(spread(g), share)


def _extreme(name: Literal["max", "min"], ufunc: np.ufunc) -> ReduceOp:
    return ReduceOp(
        name,
        reduction_infer(name, lambda operand, asked: operand, empty=False),
        reduced(name, lambda x, axes, _: ufunc.reduce(x, axis=axes)),
        combine=name,
        short_rows=plain_rows(name),
        gradient=lambda g: [shared_equally(g.inputs[0], g)],
        keeps=("x", "out"),
    )


_MAX, _MIN = _extreme("max", np.maximum), _extreme("min", np.minimum)


def _test_op(name: str, dtype: str, answer: Callable[..., Any], combine: Combine) -> ReduceOp:
    return ReduceOp(
        name,
        reduction_infer(name, lambda operand, asked: np.dtype(dtype)),
        reduced(name, lambda x, axes, _: answer(x, axis=axes)),
        asks=(truth, combine),
    )


_ANY = _test_op("any", "bool", np.any, "max")
_ALL = _test_op("all", "bool", np.all, "min")
_COUNT = _test_op("count_nonzero", "int64", np.count_nonzero, "add")

_EXTREME = """
{name} a{name}(x, axis=None, *, keepdims=False, initial: Any = None, where: Any = True,
    exclude=False, out=None): The {size} element over axes; NaN where there is one.
    ShapeError of no elements.

    Several elements that are the {size} share the gradient in equal parts.
    where : array of bool that broadcasts to x: which elements count; needs `initial`
    initial : number that counts as one more element
    >>> {name}([[1, 4], [3, 2]], axis=0)
    array({example})
"""
_TABLE = """
any(x, axis=None, *, keepdims=False, where: Any = True, out=None): Whether any element is not zero;
    NaN is not zero.
    -> array of bool
    where : array of bool that broadcasts to x: which elements count; by default all
    >>> any([[0, 0], [0, 1]], axis=0)
    array([False,  True])
all(x, axis=None, *, keepdims=False, where: Any = True, out=None): Whether no element is zero; True
    of no elements.
    x, axis, keepdims, where : as those of `any`
    -> array of bool
    >>> all([[0, 1], [1, 1]], axis=0)
    array([False,  True])
count_nonzero(x, axis=None, *, keepdims=False, out=None): The number of elements that are not zero.
    x, axis, keepdims : as those of `any`
    -> array of int64
    >>> count_nonzero([[0, 1], [1, 1]], axis=0)
    array([1, 2])
"""
_LARGEST = _EXTREME.format(name="max", size="largest", example="[3, 4]")
_SMALLEST = _EXTREME.format(name="min", size="smallest", example="[1, 2]")
define_rows(_LARGEST + _SMALLEST + _TABLE, globals())
