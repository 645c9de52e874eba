"""NumPy's differences, integrals, interpolation and convolution of sampled functions."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import DTypeError
from nbgraph.ops.define import as_array, axes_of, library
from nbgraph.ops.dispatch.choosing import floats
from nbgraph.ops.dispatch.host import on_host
from nbgraph.ops.dispatch.table import rows

_ROWS = """
diff(a, n=1, axis=-1, prepend=None, append=None): ours
    = library.diff(a, n, axis, prepend=prepend, append=append)
ediff1d(ary, to_end=None, to_begin=None): composed
    = differences(ary, to_end, to_begin)
gradient(f, *varargs, axis=None, edge_order=1): kept
    = slopes(f, varargs, axis, edge_order)
trapezoid(y, x=None, dx=1.0, axis=-1): composed
    = area(as_array(y), x, dx, axis)
interp(x, xp, fp, left=None, right=None, period=None): kept
    = interpolated(x, xp, fp, left, right, period)
unwrap(p, discont=None, axis=-1, *, period=6.283185307179586): kept
    = unwrapped(as_array(p), discont, axis, period)
convolve(a, v, mode="full"): kept
    = folded(as_array(a), as_array(v), mode, True)
correlate(a, v, mode="valid"): kept
    = folded(as_array(a), as_array(v), mode, False)
"""


def differences(ary: Any, to_end: Any, to_begin: Any) -> Any:
    """Return the differences of the flattened elements, with numbers before and behind."""
    steps = library.diff(library.ravel(ary))
    ends = [None if e is None else library.ravel(as_array(e)) for e in (to_begin, to_end)]
    for end in ends:
        if end is not None and not np.can_cast(end.dtype, steps.dtype, "same_kind"):
            raise DTypeError(
                f"np.ediff1d: ary of {steps.dtype} holds no {end.dtype} of to_begin or to_end; "
                "give it in a wider dtype, as with ary.astype(float)"
            )
    parts = [ends[0], steps, ends[1]]
    kept = [library.astype(p, steps.dtype, copy=False) for p in parts if p is not None]
    return library.concatenate(kept) if len(kept) > 1 else steps


def slopes(f: Any, spacings: Sequence[Any], axis: Any, edge_order: int) -> Any:
    """Return central differences along axes, one-sided ones at the ends."""
    x = floats(f)
    axes = axes_of("np.gradient", axis, x.ndim)
    steps = list(spacings) or [1.0]
    steps = steps * len(axes) if len(steps) == 1 else steps
    if len(steps) != len(axes):
        raise TypeError(f"np.gradient: {len(steps)} spacings for {len(axes)} axes")
    gradients = []
    for d, step in zip(axes, steps, strict=True):
        if x.shape[d] < edge_order + 1:
            raise ValueError(
                f"np.gradient: axis {d} has {x.shape[d]} elements; edge_order={edge_order} needs "
                f"{edge_order + 1}"
            )
        line = library.moveaxis(x, d, -1)
        gradients.append(library.moveaxis(_slope(line, step, edge_order), -1, d))
    return gradients[0] if len(gradients) == 1 else tuple(gradients)


def _slope(y: Any, step: Any, order: int) -> Any:
    """Return slopes along the last axis."""
    step = as_array(step)
    h: Any = library.diff(floats(step)) if step.ndim else step
    before, after = (h[:-1], h[1:]) if step.ndim else (h, h)
    left, middle, right = y[..., :-2], y[..., 1:-1], y[..., 2:]
    if step.ndim:
        weights = (
            -after / (before * (before + after)),
            (after - before) / (before * after),
            before / (after * (before + after)),
        )
        inner = sum_of(weights, (left, middle, right))
    else:
        inner = (right - left) / (2.0 * _number(h))
    first, last = (h[:1], h[-1:]) if step.ndim else (_number(h), _number(h))
    if order == 1:
        ends = (y[..., 1:2] - y[..., :1]) / first, (y[..., -1:] - y[..., -2:-1]) / last
    else:
        h0, h1, h2, h3 = (h[:1], h[1:2], h[-2:-1], h[-1:]) if step.ndim else (_number(h),) * 4
        ends = _edge(y[..., :3], h0, h1, 1), _edge(y[..., -3:], h2, h3, -1)
    return library.concatenate([ends[0], inner, ends[1]], -1)


def _number(h: Any) -> Any:
    """Return a step that is a number as a weak one."""
    return h.item() if type(h) is np.ndarray else h


def sum_of(weights: Sequence[Any], parts: Sequence[Any]) -> Any:
    """Return the sum of parts times weights."""
    products = [w * p for w, p in zip(weights, parts, strict=True)]
    return products[0] + products[1] + products[2]


def _edge(y: Any, p: Any, q: Any, side: int) -> Any:
    """Return the slope at the first (1) or the last (-1) of three elements, to second order."""
    if side > 0:
        weights = (-(2.0 * p + q) / (p * (p + q)), (p + q) / (p * q), -p / (q * (p + q)))
    else:
        weights = (q / (p * (p + q)), -(q + p) / (p * q), (2.0 * q + p) / (q * (p + q)))
    return sum_of(weights, (y[..., :1], y[..., 1:2], y[..., 2:]))


def area(y: Any, x: Any, dx: Any, axis: int) -> Any:
    """Return the integral along an axis by trapezoids."""
    line = library.moveaxis(y, axis, -1)
    width: Any = dx
    if x is not None:
        at = as_array(x)
        width = library.diff(at if at.ndim == 1 else library.moveaxis(at, axis, -1))
    parts = library.divide(library.multiply(width, library.add(line[..., 1:], line[..., :-1])), 2.0)
    return library.sum(parts, -1)


def interpolated(x: Any, xp: Any, fp: Any, left: Any, right: Any, period: Any) -> Any:
    """Return linear interpolation between points at x, in float64 as in NumPy."""
    kinds = np.float64, np.float64, np.result_type(as_array(fp).dtype, np.float64)
    if "c" in as_array(x).dtype.kind + as_array(xp).dtype.kind:
        raise DTypeError("np.interp: x and xp are complex, which have no order; give real numbers")
    at, known, values = (
        library.astype(as_array(v), kind, copy=False)
        for v, kind in zip((x, xp, fp), kinds, strict=True)
    )
    if known.ndim != 1 or known.shape != values.shape or not known.size:
        raise ValueError(
            f"np.interp: xp has shape {known.shape}, fp {values.shape}; give one axis, not empty"
        )
    if period is not None:
        at, known = library.remainder(at, period), library.remainder(known, period)
        order = library.argsort(known)
        known, values = library.take(known, order), library.take(values, order)
        known = library.concatenate([known[-1:] - period, known, known[:1] + period])
        values = library.concatenate([values[-1:], values, values[:1]])
        left = right = None
    last = known.shape[0] - 1
    if not last:
        values_at = library.add(library.multiply(at, 0), values[0])
    else:
        upper = library.clip(library.searchsorted(known, at, side="right"), 1, last)
        lower = library.subtract(upper, 1)
        x0, x1 = library.take(known, lower), library.take(known, upper)
        y0, y1 = library.take(values, lower), library.take(values, upper)
        slope = library.divide(library.subtract(y1, y0), library.subtract(x1, x0))
        values_at = library.add(library.multiply(slope, library.subtract(at, x0)), y0)
        other = library.add(library.multiply(slope, library.subtract(at, x1)), y1)
        level = library.logical_and(library.isnan(other), library.equal(y0, y1))
        other = library.where(library.logical_or(level, library.equal(at, x0)), y0, other)
        # if one end is infinite, use the other
        values_at = library.where(library.isnan(values_at), other, values_at)
        values_at = library.where(library.isnan(at), at, values_at)
    begin = values[0] if left is None else left
    end = values[last] if right is None else right
    values_at = library.where(library.less(at, known[0]), begin, values_at)
    values_at = library.where(library.equal(at, known[last]), values[last], values_at)
    return library.where(library.greater(at, known[last]), end, values_at)


def unwrapped(p: Any, discont: Any, axis: int, period: Any) -> Any:
    """Return phases without jumps of more than half a period."""
    line = library.moveaxis(p, axis, -1)
    whole = line.dtype.kind in "iu" and isinstance(period, int)
    steps = library.diff(line)
    half = period // 2 if whole else period / 2
    turned = library.subtract(library.remainder(library.add(steps, half), period), half)
    at_edge = library.logical_and(library.equal(turned, -half), library.greater(steps, 0))
    if not (whole and period % 2):
        turned = library.where(at_edge, half, turned)
    least = half if discont is None else max(discont, half)
    correction = library.subtract(turned, steps)
    correction = library.where(library.less(library.absolute(steps), least), 0, correction)
    rest = library.add(line[..., 1:], library.cumsum(correction, -1))
    first = library.astype(line[..., :1], rest.dtype, copy=False)
    return library.moveaxis(library.concatenate([first, rest], -1), -1, axis)


def folded(a: Any, v: Any, mode: str, flipped: bool) -> Any:
    """Return the convolution or correlation of two vectors; for integers by NumPy."""
    name = "convolve" if flipped else "correlate"
    dtype = np.result_type(a.dtype, v.dtype)
    if mode not in ("full", "same", "valid"):
        raise ValueError(f"np.{name}: mode={mode!r}; expected 'full', 'same' or 'valid'")
    if not is_float(dtype):
        gradient = "refused" if dtype.kind == "c" else "constant"
        return on_host(getattr(np, name), (a, v, mode), {}, gradient)
    if a.ndim > 1 or v.ndim > 1 or not a.size or not v.size:
        raise ValueError(f"np.{name}: shapes {a.shape} and {v.shape}; give two vectors, not empty")
    a, v = (library.astype(library.ravel(x), dtype, copy=False) for x in (a, v))
    swapped = a.size < v.size
    data, window = (v, a) if swapped else (a, v)
    window = library.flip(window) if flipped else window
    n, m = data.shape[0], window.shape[0]
    reach = {"full": (m - 1, m - 1), "valid": (0, 0), "same": (m // 2, m - 1 - m // 2)}[mode]
    data = library.pad(data, (reach,))
    result = library.convolution(library.reshape(data, (1, 1, -1)), window.reshape((1, 1, m)))
    result = library.reshape(result, (n + sum(reach) - m + 1,))
    return library.flip(result) if swapped and not flipped else result


FUNCTIONS = rows(_ROWS, globals())
