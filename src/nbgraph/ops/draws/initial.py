"""`ng.init`: initial values as functions of shape and dtype, for `ng.var(init=)` and `param`.

Each call here gives such a function. Random ones draw from `ng.random`, so a seed repeats them.
Weights of layers begin scaled by how many values a unit sees, or passes on: a weight's first axis
counts units (outputs), its second one inputs; further axes are those of a kernel that is moved over
its input.

>>> import nbgraph as ng
>>> exe = ng.var("w", shape=(2, 2), init=ng.init.eye()).simple_bind()
>>> exe.arg_dict["w"]
array([[1., 0.],
       [0., 1.]], dtype=float32)
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_word
from nbgraph.foreign import published
from nbgraph.operator.declared import define, parse
from nbgraph.ops.draws import categories, distributions
from nbgraph.shape import Array, Shape

__dir__, __getattr__ = published("ng.init", globals())

Initialiser = Callable[[Shape, Any], Any]
_DEVIATION = 0.8796256610342398  # of normal numbers between -2 and 2


def from_lambda(fn: Callable[[Array], Any]) -> Initialiser:
    """Return the initialiser of the array that `fn` writes, starting from zeros, or returns.

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


def dropout(p: float) -> Initialiser:
    """A mask: 0 with probability `p`, else 1 / (1 - p), so that its mean is 1."""
    if not 0 <= p < 1:
        raise ArgumentError(f"init.dropout: p={p!r}; give a probability from 0 up to less than 1")
    return lambda shape, dtype: (distributions.bernoulli(1 - p, shape) * (1 / (1 - p))).astype(
        dtype
    )


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


def _fans(shape: Shape) -> tuple[int, int]:
    """Return how many values a unit reads, and how many units read each of its inputs.

    >>> _fans((64, 3, 5, 5))
    (75, 1600)
    """
    if len(shape) < 2:
        raise ShapeError(f"init: shape {shape} has no inputs; give a shape of two axes or more")
    kernel = math.prod(shape[2:])
    return shape[1] * kernel, shape[0] * kernel


def _glorot(shape: Shape, fan_in: bool, fan_out: bool, scale: float) -> float:
    """Return the standard deviation of `glorot_uniform`."""
    if len(shape) < 2:
        raise ShapeError(f"init.glorot: shape {shape}; give a matrix, its rows and columns count")
    rows, columns = shape if len(shape) == 2 else _fans(shape)
    if fan_in == fan_out:
        return scale * math.sqrt(2 / (rows + columns))
    return scale / math.sqrt(rows if fan_in else columns)


def _within(spread: float, shape: Shape, dtype: Any) -> Any:
    """Return uniform numbers of mean 0 and this standard deviation."""
    bound = math.sqrt(3) * spread
    return distributions.uniform(-bound, bound, shape, dtype=dtype)


def variance_scaling(
    scale: float = 1.0, *, mode: str = "in", distribution: str = "normal"
) -> Initialiser:
    """Numbers of mean 0 and variance scale / n, where n is the number of a unit's inputs ("in"), of
    units per input ("out"), or their mean ("mean"); "normal", "truncated" or "uniform".

    >>> import numpy as np
    >>> w = np.asarray(variance_scaling(2.0, distribution="uniform")((4, 6), "float32"))
    >>> bool((abs(w) <= 1).all())
    True
    """
    require_word("init.variance_scaling: mode", mode, ("in", "out", "mean"))
    kinds = ("normal", "truncated", "uniform")
    require_word("init.variance_scaling: distribution", distribution, kinds)

    def fill(shape: Shape, dtype: Any) -> Any:
        seen, passed = _fans(shape)
        count = {"in": seen, "out": passed, "mean": (seen + passed) / 2}[mode]
        spread = math.sqrt(scale / max(1, count))
        if distribution == "uniform":
            return _within(spread, shape, dtype)
        if distribution == "truncated":
            return truncated_normal(0.0, spread / _DEVIATION)(shape, dtype)
        return distributions.normal(0.0, spread, shape, dtype=dtype)

    return fill


def truncated_normal(
    mean: float = 0.0, stddev: float = 1.0, *, low: float = -2.0, high: float = 2.0
) -> Initialiser:
    """Normal numbers, of which only those from `low` to `high` deviations off the mean appear.

    >>> import numpy as np
    >>> x = np.asarray(truncated_normal(1.0, 0.5)((1000,), "float32"))
    >>> bool((x >= 0).all() and (x <= 2).all())
    True
    """
    if not low < high:
        raise ArgumentError(f"init.truncated_normal: low={low}, high={high}; expected low < high")

    return lambda shape, dtype: categories.truncated_normal(
        mean, stddev, shape, low=low, high=high, dtype=dtype
    )


def orthogonal(gain: float = 1.0) -> Initialiser:
    """`gain` times a matrix with orthonormal rows, or columns if there are fewer of these; axes
    behind the first are one (Saxe, McClelland and Ganguli, 2014).

    >>> import numpy as np
    >>> w = np.asarray(orthogonal()((3, 5), "float64"))
    >>> np.allclose(w @ w.T, np.eye(3))
    True
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        _fans(shape)  # raises for fewer than two axes
        rows, columns = shape[0], math.prod(shape[1:])
        drawn = distributions.normal(0.0, 1.0, (max(rows, columns), min(rows, columns)))
        q, r = np.linalg.qr(np.asarray(drawn, np.float64))
        q *= np.where(np.diag(r) < 0, -1.0, 1.0)  # otherwise signs would depend on the algorithm
        return (gain * (q if rows >= columns else q.T)).reshape(shape).astype(dtype)

    return fill


def bilinear() -> Initialiser:
    """Weights of a transposed convolution that interpolates between cells, as `UpSampling` has.

    Along an axis of n elements element i is 1 - abs(i - c) / f, f = ceil(n / 2) and c the middle of
    a window of 2 * f - f % 2 elements (Long, Shelhamer and Darrell, 2015).

    >>> bilinear()((1, 1, 4, 4), "float64")[0, 0, 1]
    array([0.1875, 0.5625, 0.5625, 0.1875])
    """

    def fill(shape: Shape, dtype: Any) -> Array:
        if len(shape) < 3:
            raise ShapeError(
                f"init: shape {shape} has no window; give a shape of three axes or more"
            )
        weights = np.ones(())
        for n in shape[2:]:
            reach = -(-n // 2)
            middle = (2 * reach - 1 - reach % 2) / (2 * reach)
            weights = weights[..., None] * (1 - np.abs(np.arange(n) / reach - middle))
        return np.broadcast_to(weights, shape).astype(dtype)

    return fill


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
uniform(low: float = 0.0, high: float = 1.0): Uniformly distributed numbers between two bounds.
    >>> 2 <= float(uniform(2, 3)((), "float32")) < 3
    True
    = lambda shape, dtype: distributions.uniform(low, high, shape, dtype=dtype)
bernoulli(p: float, scale: float = 1.0, shift: float = 0.0): `scale` with probability `p`, else 0;
    plus `shift`.
    = lambda shape, dtype: (distributions.bernoulli(p, shape) * scale + shift).astype(dtype)
glorot_uniform(*, fan_in=False, fan_out=False, scale: float = 1.0): Uniform numbers of variance
    2 / (rows + columns) times `scale`**2, or with one of the two alone: 1 / rows for `fan_in`,
    1 / columns for `fan_out` (Glorot and Bengio, 2010). Of windows (features, channels, *window)
    channels and features count, times the elements of a window.
    = lambda shape, dtype: _within(_glorot(shape, fan_in, fan_out, scale), shape, dtype)
he_normal(slope: float = 0.0): Normal numbers of variance 2 / (1 + slope**2) per input of a unit,
    for activations that multiply negative values by `slope`, as relu by 0 (He et al., 2015).
    = variance_scaling(2 / (1 + slope * slope))
he_uniform(slope: float = 0.0): Uniform numbers of the variance that `he_normal` has.
    = variance_scaling(2 / (1 + slope * slope), distribution="uniform")
lecun_normal(): Normal numbers of variance 1 / (inputs of a unit) (LeCun et al., 1998).
    = variance_scaling(1.0)
lecun_uniform(): Uniform numbers of the variance that `lecun_normal` has.
    = variance_scaling(1.0, distribution="uniform")
gumbel(loc: float = 0.0, scale: float = 1.0): Gumbel-distributed numbers.
    = lambda shape, dtype: distributions.gumbel(loc, scale, shape, dtype=dtype)
"""
define(parse(_TABLE), globals(), "Initialiser")


def _filled(make: Any, args: Any, kwargs: Any, shape: Shape, dtype: Any) -> Any:
    return make.__wrapped__(*args, **kwargs)(shape, dtype)


def _pickled(make: Callable[..., Initialiser]) -> Callable[..., Initialiser]:
    """Have what `make` returns be pickled as its call."""

    @functools.wraps(make)
    def call(*args: Any, **kwargs: Any) -> Initialiser:
        make(*args, **kwargs)  # it refuses its options now
        return functools.partial(_filled, call, args, kwargs)

    return call


globals().update({name: _pickled(globals()[name]) for name in __dir__()})
