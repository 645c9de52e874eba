"""`ng.init`: how arrays begin. Functions of shape and dtype, for `ng.var(..., init=)` and `param`.

Each call here gives such a function. Random ones draw from `ng.random`, so a seed repeats them.

>>> import nbgraph as ng
>>> exe = ng.var("w", shape=(2, 2), init=ng.init.eye()).simple_bind()
>>> exe.arg_dict["w"]
array([[1., 0.],
       [0., 1.]], dtype=float32)
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph._listing import public_names
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.foreign import missing
from nbgraph.operator.declared import define, parse
from nbgraph.ops.draws import distributions
from nbgraph.ops.draws.layered import bilinear as bilinear
from nbgraph.ops.draws.layered import fans as _fans
from nbgraph.ops.draws.layered import he_normal as he_normal
from nbgraph.ops.draws.layered import he_uniform as he_uniform
from nbgraph.ops.draws.layered import lecun_normal as lecun_normal
from nbgraph.ops.draws.layered import lecun_uniform as lecun_uniform
from nbgraph.ops.draws.layered import orthogonal as orthogonal
from nbgraph.ops.draws.layered import truncated_normal as truncated_normal
from nbgraph.ops.draws.layered import variance_scaling as variance_scaling
from nbgraph.shape import Array

__dir__ = public_names(globals())
__getattr__ = missing("ng.init", globals())

Shape = tuple[int, ...]
Initialiser = Callable[[Shape, Any], Any]


def from_lambda(fn: Callable[[Array], Any]) -> Initialiser:
    """What `fn` writes into an array of zeros, or returns.

    >>> from_lambda(lambda a: a + 2)((2,), "float32")
    array([2., 2.], dtype=float32)
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        array = np.zeros(shape, dtype)
        result = fn(array)
        return array if result is None else np.asarray(result, dtype)

    return fill


def from_values(values: Any) -> Initialiser:
    """These values (a list, an array, what `ng.load` gave) in row-major order; ShapeError where
    their number is another one.

    >>> from_values([1, 2, 3, 4])((2, 2), "float32")
    array([[1., 2.],
           [3., 4.]], dtype=float32)
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        flat = np.asarray(values, dtype).reshape(-1)
        if flat.size != math.prod(shape):
            raise ShapeError(
                f"init.from_values: {flat.size} values for shape {shape}, which takes "
                f"{math.prod(shape)}; give as many"
            )
        return flat.reshape(shape)

    return fill


def from_sparse(indices: Sequence[int], values: Sequence[float]) -> Initialiser:
    """Zeros but for values at indices, counted in row-major order.

    >>> from_sparse([1, 3], [5.0, 7.0])((2, 2), "float32")
    array([[0., 5.],
           [0., 7.]], dtype=float32)
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        array = np.zeros(math.prod(shape), dtype)
        try:
            array[np.asarray(indices, np.int64)] = values
        except IndexError as problem:
            raise ShapeError(f"init.from_sparse: {problem}, in an array of {shape}") from None
        return array.reshape(shape)

    return fill


def eye(value: float = 1.0) -> Initialiser:
    """`value` on the diagonal of a matrix, zeros elsewhere.

    >>> eye(2)((2, 2), "float32").tolist()
    [[2.0, 0.0], [0.0, 2.0]]
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        if len(shape) != 2:
            raise ShapeError(f"init.eye: shape {shape} is not a matrix; give two extents")
        return np.eye(*shape, dtype=dtype) * np.dtype(dtype).type(value)

    return fill


def bernoulli(p: float, scale: float = 1.0, shift: float = 0.0) -> Initialiser:
    """`scale` with probability `p`, else 0; plus `shift`."""
    return lambda shape, dtype: (distributions.bernoulli(p, shape) * scale + shift).astype(dtype)


def dropout(p: float) -> Initialiser:
    """A mask: 0 with probability `p`, else 1 / (1 - p), so that its mean is 1."""
    if not 0 <= p < 1:
        raise ArgumentError(f"init.dropout: p={p!r}; give a probability from 0 up to less than 1")
    return bernoulli(1 - p, 1 / (1 - p))


def glorot_uniform(
    *, fan_in: bool = False, fan_out: bool = False, scale: float = 1.0
) -> Initialiser:
    """Uniform numbers of variance 2 / (rows + columns) times `scale`**2, or with one of the two
    alone: 1 / rows for `fan_in`, 1 / columns for `fan_out` (Glorot and Bengio, 2010). Of windows
    (features, channels, *window) channels and features count, times the elements of a window."""

    def fill(shape: Shape, dtype: Any) -> Any:
        bound = math.sqrt(3) * _glorot(shape, fan_in, fan_out, scale)
        return distributions.uniform(-bound, bound, shape, dtype=dtype)

    return fill


def glorot_normal(
    *, fan_in: bool = False, fan_out: bool = False, scale: float = 1.0
) -> Initialiser:
    """Normal numbers of the variance that `glorot_uniform` has."""

    def fill(shape: Shape, dtype: Any) -> Any:
        return distributions.normal(0.0, _glorot(shape, fan_in, fan_out, scale), shape, dtype=dtype)

    return fill


def sinusoidal(start: int = 0) -> Initialiser:
    """Positions as waves, a row each: sines in the first half of the columns, cosines in the
    second, of wavelengths from 2 pi to 10,000 times 2 pi (Vaswani et al., 2017).

    >>> sinusoidal()((2, 4), "float64")[1].round(4).tolist()
    [0.8415, 0.0001, 0.5403, 1.0]
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        if len(shape) < 2 or shape[-1] % 2:
            raise ShapeError(
                f"init.sinusoidal: shape {shape}; give rows and an even number of columns"
            )
        half, rows = shape[-1] // 2, math.prod(shape[:-1])
        steps = 10_000.0 ** (-np.arange(half) / max(1, half - 1))
        angle = (start + np.arange(rows))[:, None] * steps
        return np.concatenate([np.sin(angle), np.cos(angle)], axis=1).astype(dtype).reshape(shape)

    return fill


def _glorot(shape: Shape, fan_in: bool, fan_out: bool, scale: float) -> float:
    """The standard deviation."""
    if len(shape) < 2:
        raise ShapeError(f"init.glorot: shape {shape}; give a matrix, its rows and columns count")
    rows, columns = shape if len(shape) == 2 else _fans(shape)
    if fan_in == fan_out:
        return scale * math.sqrt(2 / (rows + columns))
    return scale / math.sqrt(rows if fan_in else columns)


_TABLE = """
from_value(value: float): One number everywhere.
    >>> from_value(3)((2,), "float32")
    array([3., 3.], dtype=float32)
    = lambda shape, dtype: np.full(shape, value, dtype)
zeros(): Zeros.
    >>> zeros()((2,), "float32")
    array([0., 0.], dtype=float32)
    = from_value(0)
ones(): Ones.
    >>> ones()((2,), "float32")
    array([1., 1.], dtype=float32)
    = from_value(1)
arange(start: float = 0, step: float = 1): Numbers in steps, in row-major order.
    >>> arange(1, 2)((3,), "float32")
    array([1., 3., 5.], dtype=float32)
    = lambda shape, dtype: (start + step * np.arange(math.prod(shape))).astype(dtype).reshape(shape)
normal(mean: float = 0.0, stddev: float = 1.0): Normally distributed numbers.
    >>> normal(1.0, 0.0)((2,), "float32")
    array([1., 1.], dtype=float32)
    = lambda shape, dtype: distributions.normal(mean, stddev, shape, dtype=dtype)
uniform(low: float = 0.0, high: float = 1.0): Numbers between two bounds, all equally
    likely.
    >>> 2 <= float(uniform(2, 3)((), "float32")) < 3
    True
    = lambda shape, dtype: distributions.uniform(low, high, shape, dtype=dtype)
gumbel(loc: float = 0.0, scale: float = 1.0): Gumbel-distributed numbers.
    = lambda shape, dtype: distributions.gumbel(loc, scale, shape, dtype=dtype)
"""
define(parse(_TABLE), globals(), "Initialiser")
