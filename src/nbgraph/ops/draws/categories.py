"""Random classes, counts of classes, and truncated normal numbers."""

import math
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype, compute_dtype
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import constant
from nbgraph.ops.define import (
    as_array,
    as_known,
    composed,
    deferrable,
    library,
    public,
    shape_tuple,
    whole,
)
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.distributions import gumbel
from nbgraph.ops.draws.drawing import (
    NOT_NEGATIVE,
    Array,
    Drawing,
    DrawnKernel,
    drawn,
    float_dtype,
    moved,
    named,
    parameter,
    with_random_docs,
)

Generator = np.random.Generator


def _fill_truncated(
    rng: Generator, out: Array, loc: float, scale: float, *, low: float, high: float
) -> None:
    values = plain.truncated_normal(plain.words_for(rng, out), low, high)
    out[...] = (loc + scale * values).astype(compute_dtype(out.dtype))


def _truncated_kernel(
    dtype: str, loc: float, scale: float, *, low: float, high: float
) -> DrawnKernel | None:
    from nbgraph.kernels.draws.quantiles import FARTHEST, truncated

    if low > FARTHEST or high < -FARTHEST:
        return None
    ends = low / math.sqrt(2), high / math.sqrt(2)
    below, above = math.erfc(-ends[0]) / 2, math.erfc(ends[1]) / 2
    if low > 0:
        inside = math.erfc(ends[0]) / 2 - above
    else:
        inside = (math.erfc(-ends[1]) - math.erfc(-ends[0])) / 2
    return truncated(dtype), (scale, loc, low, high, below, above, inside)


def _fill_multinomial(rng: Generator, out: Array, n: Any, pvals: Any) -> None:
    shares = np.asarray(pvals, "float64")
    if ((shares < 0) | ~np.isfinite(shares)).any() or (shares.sum(-1) <= 0).any():
        raise ValueError("random.multinomial: pvals has negative shares, or none; expected shares")
    shares = shares / shares.sum(-1, keepdims=True)
    count = n[..., 0] if isinstance(n, np.ndarray) else n
    out[...] = rng.multinomial(count, shares, out.shape[:-1])


_TRUNCATED = Drawing(
    "truncated_normal", _fill_truncated, gradient=constant, kernel=_truncated_kernel
)
_MULTINOMIAL = Drawing("multinomial", _fill_multinomial)


@public(_TRUNCATED)
@with_random_docs
def truncated_normal(
    loc: Any = 0.0,
    scale: Any = 1.0,
    size: Any = None,
    *,
    low: float = -2.0,
    high: float = 2.0,
    dtype: Any = None,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Numbers of the normal distribution between loc + low * scale and loc + high * scale.

    loc, scale : numbers, or arrays that broadcast: mean and standard deviation before the cut
    low, high : numbers, in standard deviations
    >>> import nbgraph as ng
    >>> x = ng.random.truncated_normal(size=1000, high=0.5)
    >>> float(x.min()) >= -2, float(x.max()) <= 0.5
    (True, True)
    """
    name = "random.truncated_normal"
    low, high = float(low), float(high)
    if not low < high:
        raise ArgumentError(f"{name}: low={low}, high={high}; expected low < high")
    loc = parameter(name, "loc", loc)
    scale = parameter(name, "scale", scale, NOT_NEGATIVE)
    options = {"size": size, "device": device, "rng": rng, "low": low, "high": high}
    return moved(_TRUNCATED, loc, scale, dtype=dtype, **options)


@public(_MULTINOMIAL)
@with_random_docs
def multinomial(
    n: Any,
    pvals: Any,
    size: Any = None,
    *,
    dtype: Any = "int64",
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """The number of `n` trials that fall in each class.

    n : number from 0, or array
    pvals : array (..., classes), probabilities; those that do not add up to 1 are divided by their
        sum
    -> array (*size, classes)
    >>> import nbgraph as ng
    >>> ng.random.multinomial(5, [0.0, 1.0])
    array([0, 5])
    """
    name = "random.multinomial"
    pvals = as_known(name, as_array(pvals))
    if not pvals.shape:
        raise ShapeError(f"{name}: pvals={pvals!r} is a number; expected one for each class")
    n = parameter(name, "n", n, NOT_NEGATIVE)
    if not isinstance(n, (int, float)):
        n = library.expand_dims(n, -1)
    elif int(n) != n:
        raise ArgumentError(f"{name}: n={n}; expected a whole number")
    wanted = None if size is None else (*shape_tuple(name, size, "size"), pvals.shape[-1])
    own = parameter(name, "pvals", pvals, NOT_NEGATIVE)
    options = {"size": wanted, "dtype": as_dtype(dtype), "device": device, "rng": rng}
    return drawn(_MULTINOMIAL, [int(n) if isinstance(n, float) else n, own], **options)


def _results(*_: Any, get_prob: bool = False, **__: Any) -> int:
    """Return the number of results of a call; see `deferrable`."""
    return 2 if get_prob else 0


@named("random_categorical")
@deferrable(_results, draws=True)
def categorical(
    logits: Any, size: Any = None, axis: int = -1, *, get_prob: bool = False, rng: Any = None
) -> Any:
    """Random classes with probabilities softmax(logits) along an axis, which is reduced.

    Parameters
    ----------
    logits : array, floats, classes along `axis`
    size : shape of the result: by default that of logits without `axis`, else it must end with that
    axis : int
    get_prob : whether to return the logarithms of the drawn classes' probabilities, too; gradients
        flow through them to `logits`
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream

    Returns
    -------
    array of int64, drawn as the largest of logits with Gumbel numbers added; with `get_prob` also
        an array of that shape, of the dtype of logits

    >>> import nbgraph as ng
    >>> ng.random.categorical([[0.0, -1e9], [-1e9, 0.0]])
    array([0, 1])
    """
    name = "random.categorical"
    logits = as_known(name, as_array(logits))
    dtype = float_dtype(name, None, [logits])
    axis = whole(name, "axis", axis)
    last = library.moveaxis(logits, axis, -1)
    rows = tuple(last.shape[:-1])
    wanted = rows if size is None else shape_tuple(name, size, "size")
    if wanted[len(wanted) - len(rows) :] != rows:
        raise ShapeError(f"{name}: size={size!r}; expected a shape that ends in {rows}")
    classes = _drawn(last, (*wanted, last.shape[-1]), dtype, rng)
    return (classes, _of_chosen(library.log_softmax(last, -1), classes)) if get_prob else classes


def _drawn(logits: Any, shape: tuple[int, ...], dtype: Any, rng: Any) -> Any:
    """Return classes along the last axis; the operand fixes the device of the numbers."""
    logits = library.stop_gradient(logits)
    noise = gumbel(library.zeros_like(logits, dtype), 1.0, shape, dtype=dtype, rng=rng)
    return library.argmax(library.add(noise, library.astype(logits, dtype)), axis=-1)


def _of_chosen(values: Any, classes: Any) -> Any:
    """Return elements at classes along the last axis, where classes have further leading axes."""
    more = len(classes.shape) - len(values.shape) + 1
    if more:
        values = library.broadcast_to(values, (*classes.shape, values.shape[-1]))
    return library.squeeze(
        library.take_along_axis(values, library.expand_dims(classes, -1), -1), -1
    )


@composed("data")
@deferrable(_results, draws=True)
def sample_multinomial(
    data: Any, shape: Any = (), *, get_prob: bool = False, dtype: Any = "int32", rng: Any = None
) -> Any:
    """Random classes with given probabilities, by MXNet's name.

    data : array (..., classes), floats: probabilities, which add up to 1
    shape : that of the classes drawn for each row of probabilities
    get_prob : whether to return the logarithms of the drawn classes' probabilities, too; gradients
        flow through them to `data`
    dtype : of the classes
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream
    -> array (..., *shape); with `get_prob` also one of the dtype of data
    >>> import nbgraph as ng
    >>> classes, chances = ng.sample_multinomial([[0.0, 1.0], [1.0, 0.0]], 2, get_prob=True)
    >>> classes.tolist(), chances.tolist()
    ([[1, 1], [0, 0]], [[0.0, 0.0], [0.0, 0.0]])
    """
    name = "sample_multinomial"
    data, more = as_known(name, as_array(data)), shape_tuple(name, shape, "shape")
    rows, dtype_of = tuple(data.shape[:-1]), float_dtype(name, None, [data])
    drawn = _drawn(library.log(data), (*more, *data.shape), dtype_of, rng)
    front = tuple(range(len(more)))
    behind = tuple(range(len(rows), len(rows) + len(more)))
    classes = library.moveaxis(drawn, front, behind) if more else drawn
    if not get_prob:
        return library.astype(classes, dtype)
    chances = library.log(_of_chosen(data, drawn))  # none of them is 0
    chances = library.moveaxis(chances, front, behind) if more else chances
    return library.astype(classes, dtype), chances
