"""Softmax and its kin along an axis, as row programs: one pass over memory, no overflow.

Rows with -inf have probability 0 there; a row of only -inf, or with +inf or NaN, is NaN throughout
in softmax and log_softmax. logsumexp of such a row is the limit: -inf, inf, NaN. Integers give
float64.
"""

import math
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result
from nbgraph.ops.define import (
    as_known,
    axis_of,
    composed,
    deferrable,
    define_rows,
    library,
    number,
    whole,
)
from nbgraph.ops.elementwise.arithmetic import multiply, subtract
from nbgraph.ops.reductions.reductions import kept, spread
from nbgraph.ops.rowwise.derived import derived

_element = lambda x: x


def checked_temperature(name: str, value: Any) -> Any:
    """Return a float; ArgumentError unless a positive number or a row operator's parameter."""
    if value is None or hasattr(value, "traced"):
        return 1.0 if value is None else value
    if isinstance(value, (str, bool)) or not float(number(name, "temperature", value)) > 0:
        raise ArgumentError(f"{name}: temperature={value!r}; expected a number above 0")
    return float(value)


# softmax ----------------------------------------------------------------------------------------


_weight = lambda x, top, *, temperature=1.0: math.exp((x - top) * (1 / temperature))


def _share(x, top, total, *, temperature=1.0):
    return _weight(x, top, temperature=temperature) * (1 / total)


_WEIGHTS = {"top": ("max", _element), "total": ("add", _weight)}
_SOFTMAX = RowOp.of("softmax", "x", _WEIGHTS, [_share], derived, "out")


@composed("x", "length")
@deferrable()
def softmax_within(x: Any, length: Any, axis: Any, temperature: Any, out: Any) -> Any:
    """Return `softmax` of the first `length` elements of each row; 0 for the others."""
    x = as_known("softmax", x)
    place = axis_of("softmax", whole("softmax", "axis", axis), len(x.shape))
    steps = np.arange(x.shape[place]).reshape((-1,) + (1,) * (len(x.shape) - 1 - place))
    length = library.expand_dims(length, place)
    there = library.less(steps, length)
    some = library.logical_or(there, library.equal(length, 0))  # avoids rows of only -inf
    shares = library.softmax(library.where(some, x, -np.inf), place, temperature=temperature)
    return library.where(there, shares, 0, out=out)


# log-softmax ------------------------------------------------------------------------------------


def _log_share(x, top, total, *, temperature=1.0):
    return (x - top) * (1 / temperature) - math.log(total)


_LOG_SOFTMAX = RowOp.of("log_softmax", "x", _WEIGHTS, [_log_share], derived, "out")


# log-sum-exp ------------------------------------------------------------------------------------


_finite = lambda top: top if abs(top) < math.inf else 0.0
_above = lambda x, top: math.exp(x - _finite(top))
_log_total = lambda top, total: math.log(total) + _finite(top)


def _logsumexp_rule(g: Gradients) -> list[Any]:
    (x,), (out,) = g.inputs, g.outputs
    some = library.where(library.equal(out, -math.inf), 0, out)  # a row of -inf has slopes of 0
    return [multiply(spread(g), library.exp(subtract(x, kept(some, g))))]


_LOGSUMEXP = RowOp.of(
    "logsumexp",
    "x",
    {"top": ("max", _element), "total": ("add", _above)},
    [Result(_log_total, row=True)],
    _logsumexp_rule,
    "x out",
)

_TABLE = """
softmax(x, axis=-1, *, temperature: float | None = None, length=None, out=None): exp(x /
    temperature) over its sum along `axis`: shares that add up to 1, without overflow.
    x : array; integers become floats
    temperature : float, optional: larger ones make shares more equal
    length : array of the shape of x without `axis`, optional: how many elements of each row count;
        the others get 0
    -> array of the shape of x
    ! AxisError where there is no such axis.
    >>> softmax([0.0, 0.0, -float("inf")])
    array([0.5, 0.5, 0. ])
    >>> softmax([[0.0, 0.0, 9.0]], length=[2])
    array([[0.5, 0.5, 0. ]])
    = softmax_within(x, length, axis, temperature, out) if length is not None else _SOFTMAX(x,
        axis=hashable_axis("softmax", axis), out=out,
        temperature=checked_temperature("softmax", temperature))
log_softmax logsoftmax(x, axis=-1, *, temperature: float | None = None, out=None): The logarithm of
    `softmax`, exact where that would be 0.
    x : array; integers become floats
    temperature : float, optional, a divisor of x
    -> array of the shape of x
    >>> log_softmax([0.0, -1000.0])
    array([    0., -1000.])
    = op(..., temperature=checked_temperature("log_softmax", temperature))
logsumexp(x, axis=None, *, keepdims=False, out=None): log(sum(exp(x))) over axes, without overflow;
    -inf of no elements.

    The gradient is out_grad * softmax(x).
    x : array; integers become floats
    >>> import numpy as np
    >>> logsumexp([1000.0, 1000.0]) == 1000 + np.log(2)
    np.True_
"""
define_rows(_TABLE, globals())
