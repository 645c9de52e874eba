"""Pools and other changes of resolution by MXNet's names and parameters.

Arrays have shape (images, channels, *space). Parameters are values or text.
"""

import math
from typing import Any, Literal

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.parameters import Param, field
from nbgraph.operator.registry import register
from nbgraph.ops.define import as_known, composed, deferrable, library
from nbgraph.ops.draws.initial import bilinear
from nbgraph.ops.named.calls import Axes, Layout, applied, channels_last, documented, named, read
from nbgraph.ops.named.deconvolutions import DECONVOLUTION
from nbgraph.ops.windows.pools import avg_pooling, max_pooling

_EXTENTS = ("kernel", "stride", "pad")  # numbers per axis of space


class _Pooling(Param):
    """Parameters of Pooling."""

    kernel: Axes = field((), lower=1, doc="Extents of the window.")
    pool_type: Literal["max", "avg", "sum", "lp"] = field("max", doc="What is made of a window.")
    global_pool: bool = field(False, doc="Whether the window is the whole space.")
    stride: Axes = field((), lower=1, doc="Cells from place to place.")
    pad: Axes = field((), lower=0, doc="Cells around the data.")
    pooling_convention: Literal["valid", "full", "same"] = field(
        "valid",
        doc="full: places up to the end of the pad, with a last window that begins within it; "
        "same: as many as begin before that end.",
    )
    count_include_pad: bool = field(True, doc="Whether the pad counts in a mean.")
    p_value: int | None = field(None, lower=1, upper=3, doc="Of lp: the exponent.")
    cudnn_off: bool = field(False, doc="Ignored.")
    layout: Layout = field(None, doc="Where channels are, by default second.")


@composed("data")
@documented(_Pooling)
@deferrable()
def Pooling(data: Any, *, name: str | None = None, **options: Any) -> Any:
    """One number per window, by MXNet's name: its maximum, mean, sum or norm.

    "lp" is (sum of x ** p_value) ** (1 / p_value), with the signs of x. The gradient of a maximum
    goes to the first cell that has it; with `global_pool`, in equal parts to all that have it.

    data : array (images, channels, *space), one to three axes of space, floats; or channels last
    kernel, stride, pad : one number, or one per axis of space; `global_pool` needs no kernel
    -> array (images, channels, *places): along each axis of n cells there are
        (n + 2 * pad - kernel) / stride + 1 places, rounded down ("valid") or up ("full"), or
        (n + 2 * pad) / stride, rounded up ("same"); with `global_pool` one. Windows begin `pad`
        cells before the data, and cells behind the pad do not count.
    ! ArgumentError for parameters, a missing kernel, lp without p_value; DTypeError for integers.
    >>> Pooling(np.array([[[1.0, 3.0, 2.0, 0.0]]]), kernel=(2,), stride=(2,), pool_type="avg")
    array([[[2., 1.]]])
    >>> Pooling(np.array([[[1.0, 3.0, 2.0]]]), global_pool=True)
    array([[[3.]]])
    """
    numbers = {n: (options[n],) for n in _EXTENTS if isinstance(options.get(n), int)}
    p = read("Pooling", _Pooling, options | numbers)
    if p.pool_type == "lp" and p.p_value is None:
        raise ArgumentError("Pooling: pool_type='lp' without p_value; give 1, 2 or 3")
    if not p.kernel and not p.global_pool:
        raise ArgumentError("Pooling: no kernel is given; give its extents, or global_pool=True")
    moves = channels_last("Pooling", data, p.layout)
    if moves is not None:
        pooled = Pooling(library.transpose(data, moves[0]), **options | {"layout": None})
        return named(library.transpose(pooled, moves[1]), name)
    if p.global_pool:
        return named(_over_all(data, p), name)
    p = _spelled(data, p)
    if p.pooling_convention == "same":
        return named(_same(data, p), name)
    pooled = _windowed(data, p)
    return named(_to_the_end(data, pooled, p) if p.pooling_convention == "full" else pooled, name)


def _over_all(data: Any, p: Any) -> Any:
    axes = len(p.kernel) or len(as_known("Pooling", data).shape) - 2
    how: dict[str, Any] = {"axis": tuple(range(-axes, 0)), "keepdims": True}
    if p.pool_type == "lp":
        return _root(library.sum(_powers(data, p.p_value), **how), p.p_value)
    over: dict[str, Any] = {"max": library.max, "avg": library.mean, "sum": library.sum}
    return over[p.pool_type](data, **how)


def _spelled(data: Any, p: _Pooling) -> _Pooling:
    """Return parameters with one number per axis of space."""
    lengths = [len(p.kernel), len(p.stride), len(p.pad)]
    if 1 not in lengths:
        return p
    axes = max(lengths) if max(lengths) > 1 else len(as_known("Pooling", data).shape) - 2
    wide = {n: v * axes for n in _EXTENTS if len(v := getattr(p, n)) == 1}
    return _with(p, **wide)


def _with(p: _Pooling, **changed: Any) -> _Pooling:
    """Return parameters with some replaced."""
    return _Pooling(**{**{n: getattr(p, n) for n in _Pooling.__fields__}, **changed})


def _same(data: Any, p: _Pooling) -> Any:
    """Pool with cells after the data, so that the last windows lie within; a mean excludes them."""
    data, axes = as_known("Pooling", data), len(p.kernel)
    if axes != len(data.shape) - 2:
        return _windowed(data, p)  # which raises the error
    each = zip(data.shape[2:], p.kernel, p.stride or (1,) * axes, p.pad or (0,) * axes, strict=True)
    more = tuple((0, max(0, -(-(n + 2 * q) // s) * s - s + k - n - 2 * q)) for n, k, s, q in each)
    fill = _least(data.dtype) if p.pool_type == "max" else 0
    wide = library.pad(data, ((0, 0), (0, 0), *more), constant_values=fill)
    kind = "sum" if p.pool_type == "avg" else p.pool_type
    pooled = _windowed(wide, _with(p, pooling_convention="valid", pool_type=kind))
    if p.pool_type != "avg":
        return pooled
    return library.divide(pooled, _counts(data, pooled, p, counted=p.count_include_pad))


def _windowed(data: Any, p: Any) -> Any:
    how: dict[str, Any] = {"stride": p.stride or 1, "pad": p.pad or 0}
    how["ceil"] = p.pooling_convention == "full"
    if p.pool_type == "max":
        return max_pooling(data, p.kernel, **how)
    if p.pool_type == "avg":
        return avg_pooling(data, p.kernel, counted=p.count_include_pad, **how)
    powers = data if p.pool_type == "sum" else _powers(data, p.p_value)
    mean = avg_pooling(powers, p.kernel, **how)
    total = library.multiply(mean, _counts(data, mean, p) if how["ceil"] else math.prod(p.kernel))
    return total if p.pool_type == "sum" else _root(total, p.p_value)


def _to_the_end(data: Any, pooled: Any, p: Any) -> Any:
    """Add MXNet's places whose windows hold no data: their value is the least number, or 0.

    They occur if strides are longer than the part of a window beyond the pad.
    """
    axes = len(p.kernel)
    steps, around = p.stride or (1,) * axes, p.pad or (0,) * axes
    each = list(zip(p.kernel, steps, around, strict=True))
    if all(step + pad <= window for window, step, pad in each):
        return pooled
    space = as_known("Pooling", data).shape[2:]
    wanted = [-(-(n + 2 * q - k) // s) + 1 for n, (k, s, q) in zip(space, each, strict=True)]
    more = [n - have for n, have in zip(wanted, pooled.shape[2:], strict=True)]
    if not any(more):
        return pooled
    empty = _least(pooled.dtype) if p.pool_type == "max" else 0
    return library.pad(pooled, ((0, 0), (0, 0), *((0, n) for n in more)), constant_values=empty)


def _least(dtype: np.dtype[Any]) -> float:
    """Return the least finite number of a floating dtype."""
    return float(np.nextafter(np.array(-np.inf, dtype), np.array(0, dtype)))


def _counts(data: Any, mean: Any, p: Any, *, counted: bool = True) -> Any:
    """Return the cells of each mean: the last windows may reach beyond the pad."""
    data, counts = as_known("Pooling", data), np.ones(())
    for d, (n, window) in enumerate(zip(data.shape[2:], p.kernel, strict=True)):
        step, pad = (p.stride or (1,) * len(p.kernel))[d], (p.pad or (0,) * len(p.kernel))[d]
        first = np.arange(mean.shape[2 + d]) * step - pad
        edge = pad if counted else 0
        own = np.maximum(np.minimum(first + window, n + edge) - np.maximum(first, -edge), 1)
        counts = counts[..., None] * own
    return counts.astype(data.dtype)


def _powers(data: Any, exponent: int) -> Any:
    """Return powers with the signs of data, as in MXNet."""
    return data if exponent == 1 else library.power(data, exponent)


def _root(total: Any, exponent: int) -> Any:
    if exponent == 1:
        return total
    return library.sqrt(total) if exponent == 2 else library.cbrt(total)


class _UpSampling(Param):
    """Parameters of UpSampling."""

    scale: int = field(lower=1, doc="Cells made of one, along both axes.")
    sample_type: Literal["nearest", "bilinear"] = field(
        "nearest", doc="Each cell is repeated, or a transposed convolution by weights."
    )
    multi_input_mode: Literal["concat", "sum"] = field("concat", doc="Of several operands.")
    num_args: int = field(1, lower=1, doc="How many operands there are.")
    num_filter: int = field(0, lower=0, doc="Of bilinear: the channels of data.")
    workspace: int = field(512, lower=0, doc="Ignored.")


@register
@documented(_UpSampling)
@deferrable()
def UpSampling(*data: Any, name: str | None = None, weight: Any = None, **options: Any) -> Any:
    """Images with `scale` cells for each one along both axes of space.

    *data : arrays (images, channels, height, width). Several are brought to the size of the first
        one's result, then concatenated along channels, or added (`multi_input_mode`).
    weight : array (channels, 1, k, k), k = 2 * scale - scale % 2, only for "bilinear", also as the
        last positional argument; `ng.init.bilinear()` interpolates. On symbols, a missing one
        becomes a variable, `name_weight`, with that initial value.
    -> array (images, channels, scale * height, scale * width); gradients are summed over copies
    ! ArgumentError for parameters, no array, or a missing weight.
    >>> UpSampling(np.array([[[[1.0, 2.0]]]]), scale=2)
    array([[[[1., 1., 2., 2.],
             [1., 1., 2., 2.]]]])
    """
    p = read("UpSampling", _UpSampling, options)
    if not data:
        raise ArgumentError("UpSampling: no array is given")
    if p.sample_type == "bilinear":
        weights = [weight] if weight is not None or len(data) < 2 else []
        return _interpolated([*data, *weights], p, name)
    if len(data) == 1:
        return named(_repeated(data[0], p.scale), name)
    known = [as_known("UpSampling", x) for x in data]
    rows = known[0].shape[2] * p.scale
    repeated = [_repeated(x, rows // x.shape[2]) for x in known]
    if p.multi_input_mode == "concat":
        return named(library.concatenate(repeated, 1), name)
    return named(library.add_n(*repeated), name)


def _interpolated(operands: Any, p: _UpSampling, name: str | None) -> Any:
    """Return data interpolated by weights, a transposed convolution of each channel."""
    if len(operands) != 2 or not p.num_filter:
        raise ArgumentError(
            f"UpSampling: {len(operands)} arrays and num_filter={p.num_filter} for "
            "sample_type='bilinear'; expected data, weight and the number of channels"
        )
    window = 2 * p.scale - p.scale % 2
    how = {"stride": p.scale, "pad": p.scale // 2, "dilation": 1, "groups": p.num_filter}
    shape = (p.num_filter, 1, window, window)
    known = {"weight": (shape, bilinear()(shape, "float32"))}  # values, which a file can hold
    asked = {"num_filter": p.num_filter, "scale": p.scale}
    how |= {"adj": 0, "target": ()}
    return applied(DECONVOLUTION, operands, how, name, known, ("UpSampling", asked))


def _repeated(x: Any, scale: int) -> Any:
    return library.repeat(library.repeat(x, scale, 2), scale, 3)
