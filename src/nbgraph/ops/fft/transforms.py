"""Discrete Fourier transforms by pocketfft (`numpy.fft`): three operators, a table of functions.

On hosts they are kernels of NumPy's own loops. All are linear. By nbgraph's convention for complex
gradients theirs are the transposed maps: that of a transform is the same transform.
"""

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import inexact, real_dtype
from nbgraph.errors import DTypeError, ShapeError, require_word
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.declared import DOCS, parse
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered, of_space
from nbgraph.operator.layout import layout
from nbgraph.ops.define import as_known, axes_of, by_numpy, define_rows, library
from nbgraph.ops.define import whole as whole
from nbgraph.ops.define import whole_tuple as whole_tuple
from nbgraph.settings import config
from nbgraph.shape import Array, space

_SWAPPED = {"backward": "forward", "forward": "backward", "ortho": "ortho"}


@functools.cache
def _complex_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    """Return the complex dtype of a transform: integers count as float64."""
    return np.result_type(dtype if inexact(dtype) else np.float64, np.complex64)


def _size(name: str, shape: Sequence[int], axis: int, n: int | None) -> int:
    """Return the number of points along an axis; ShapeError for none."""
    (place,) = axes_of(name, axis, len(shape))
    points = shape[place] if n is None else n
    if points < 1:
        raise ShapeError(f"{name}: {points} points along axis {axis}; expected 1 or more")
    return points


def _resized(x: Any, axis: int, size: int) -> Any:
    """Return an array truncated, or padded with zeros, at the end of an axis."""
    axis %= len(x.shape)
    missing = size - x.shape[axis]
    if missing > 0:
        return library.pad(x, [(0, missing if d == axis else 0) for d in range(len(x.shape))])
    return x if not missing else library.slice_view(x, (*[slice(None)] * axis, slice(size)))


def _wide(x: Array) -> Array:
    """Return an array in the dtype that pocketfft uses, of 32 bits at least."""
    return x.astype(_complex_of(x.dtype) if x.dtype.kind == "c" else _real_of(x.dtype), copy=False)


def _real_of(dtype: np.dtype[Any]) -> np.dtype[Any]:
    return real_dtype(_complex_of(dtype))


# the operators ----------------------------------------------------------------------------------


class _TransformOp(ArrayOp):
    """A transform along an axis, by NumPy's loop as a kernel."""

    kernels = takes_complex = ("host",)

    def lower(self, case: Application) -> Lowered | None:
        from nbgraph.kernels.products import fourier

        (x,), (out,), own = case.operands, case.outputs, case.attributes
        real, axis = _real_of(out.dtype), own["axis"] % len(x.shape)
        source = real if self is _RFFT else _complex_of(real)
        places = [None if x.dtype == source else layout(x.shape, source), None]
        if case.requests[0] == "add":
            places[1] = layout(out.shape, out.dtype)
        arrays = places[0] or x, places[1] or out
        inverse, points = own.get("inverse", self is _IRFFT), out.shape[axis]
        name = "irfft" if self is _IRFFT else "ifft" if inverse else "fft"
        if self is _RFFT:
            points = _size("rfft", x.shape, axis, own["n"])
            name = "rfft_n_odd" if points % 2 else "rfft_n_even"
        loop = fourier.loop_of(name, real.char) if x.size and out.size else None
        if loop is None:
            return None
        strides = [(*a.strides[:axis], *a.strides[axis + 1 :]) for a in arrays]
        where = space((*out.shape[:axis], *out.shape[axis + 1 :]), strides)
        factor = fourier.factor_of(own["norm"], points, real, inverse=inverse)
        line = *(a.shape[axis] for a in arrays), *(a.strides[axis] for a in arrays)
        call = KernelCall(
            *(self.__name__, fourier.kernel()),
            order=(0, 1),
            size=where.size,
            cost=where.size * points * points.bit_length(),  # roughly a nanosecond each
            **of_space(where, (*loop, factor, *line)),
        )
        return Lowered((call,), tuple(places), adds=False)


def _fft_infer(x: Spec, *, n: int | None, axis: int, norm: Any, inverse: bool) -> Spec:
    shape = list(x.shape)
    shape[axis] = _size("fft", x.shape, axis, n)
    return Spec(tuple(shape), _complex_of(x.dtype))


def run_fft(
    xp: Any, x: Any, out: Any, *, n: int | None, axis: int, norm: Any, inverse: bool
) -> None:
    """Compute `fft_complex` by an array library."""
    function = xp.fft.ifft if inverse else xp.fft.fft
    out[...] = function(_wide(x), out.shape[axis], axis, norm)


def _fft_rule(g: Gradients) -> list[Any]:
    axis, spectrum = g.attributes["axis"], _FFT(g.out_grad, **{**g.attributes, "n": None})
    return [_resized(spectrum, axis, g.specs[0].shape[axis])]


_FFT = _TransformOp("fft_complex", _fft_infer, by_numpy(run_fft), gradient=_fft_rule)


def _rfft_infer(x: Spec, *, n: int | None, axis: int, norm: Any) -> Spec:
    if x.dtype.kind == "c":
        raise DTypeError(f"rfft: x has dtype {x.dtype}, not a real one; give ng.real(x), or fft")
    shape = list(x.shape)
    shape[axis] = _size("rfft", x.shape, axis, n) // 2 + 1
    return Spec(tuple(shape), _complex_of(x.dtype))


def run_rfft(xp: Any, x: Any, out: Any, *, n: int | None, axis: int, norm: Any) -> None:
    """Compute `fft_real` by an array library."""
    out[...] = xp.fft.rfft(_wide(x), n, axis, norm)


def _rfft_rule(g: Gradients) -> list[Any]:
    """Transform out_grad with zeros for the other half."""
    (spec,), axis = g.specs, g.attributes["axis"]
    points = _size("rfft", spec.shape, axis, g.attributes["n"])
    norm, grad = g.attributes["norm"], _resized(g.out_grad, axis, points)
    spectrum = _FFT(grad, n=None, axis=axis, norm=norm, inverse=False)
    return [_resized(library.real(spectrum), axis, spec.shape[axis])]


_RFFT = _TransformOp("fft_real", _rfft_infer, by_numpy(run_rfft), gradient=_rfft_rule)


def _points(x: Spec, n: int | None, axis: int) -> int:
    """Return the number of real points that half a transform represents."""
    _size("irfft", x.shape, axis, None)
    return _size("irfft", x.shape, axis, 2 * (x.shape[axis] - 1) if n is None else n)


def _irfft_infer(x: Spec, *, n: int | None, axis: int, norm: Any) -> Spec:
    shape = list(x.shape)
    shape[axis] = _points(x, n, axis)
    return Spec(tuple(shape), _real_of(x.dtype))


def run_irfft(xp: Any, x: Any, out: Any, *, n: int | None, axis: int, norm: Any) -> None:
    """Compute `fft_hermitian` by an array library."""
    out[...] = xp.fft.irfft(_wide(x), out.shape[axis], axis, norm)


def _irfft_rule(g: Gradients) -> list[Any]:
    """Return half of the transform of out_grad, doubled except for points without a counterpart."""
    (spec,), axis = g.specs, g.attributes["axis"]
    points = _points(spec, g.attributes["n"], axis)
    half, later = points // 2 + 1, len(spec.shape) - 1 - axis % len(spec.shape)
    weights = np.where(2 * np.arange(half) % points == 0, 1, 2).astype(_real_of(spec.dtype))
    weights = weights.reshape(-1, *[1] * later)
    spectrum = _FFT(g.out_grad, n=None, axis=axis, norm=g.attributes["norm"], inverse=True)
    spectrum = library.multiply(_resized(spectrum, axis, half), weights)
    return [_resized(spectrum, axis, spec.shape[axis])]


_IRFFT = _TransformOp("fft_hermitian", _irfft_infer, by_numpy(run_irfft), gradient=_irfft_rule)


# functions --------------------------------------------------------------------------------------

_ONE = "n=None, axis=-1, norm=None"
_SEVERAL = "s=None, axes=None, norm=None"
_TWO = "s=None, axes=(-2, -1), norm=None"
_TABLE = f"""
fft_complex(x, *, n, axis, norm, inverse): The transform of complex points along an axis.
fft_real(x, *, n, axis, norm): Half of the transform of real points along an axis.
fft_hermitian(x, *, n, axis, norm): Real points of which `x` is half of the transform.
fft_fft(a, {_ONE}): The discrete Fourier transform along an axis.
    >>> fft_fft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    = along(a, n, axis, norm, False)
fft_ifft(a, {_ONE}): The inverse of `fft`.
    >>> fft_ifft([4.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j, 1.+0.j])
    = along(a, n, axis, norm, True)
fft_fftn(a, {_SEVERAL}): The transform along several axes, by default all.
    >>> fft_fftn([[1.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    = along_axes("fftn", a, s, axes, norm, False)
fft_ifftn(a, {_SEVERAL}): The inverse of `fftn`.
    >>> fft_ifftn([[2.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    = along_axes("ifftn", a, s, axes, norm, True)
fft_fft2(a, {_TWO}): The transform along two axes.
    >>> fft_fft2([[1.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    = along_axes("fft2", a, s, axes, norm, False)
fft_ifft2(a, {_TWO}): The inverse of `fft2`.
    >>> fft_ifft2([[2.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    = along_axes("ifft2", a, s, axes, norm, True)
fft_rfft(a, {_ONE}): Half of the transform of real points: n // 2 + 1 numbers.
    >>> fft_rfft([1.0, 0.0, 0.0, 0.0])
    array([1.+0.j, 1.+0.j, 1.+0.j])
    = half(a, n, axis, norm)
fft_irfft(a, {_ONE}): The inverse of `rfft`; by default of an even number of points.
    >>> fft_irfft([4.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    = from_half(a, n, axis, norm)
fft_rfftn(a, {_SEVERAL}): The transform of real points along several axes, half of it along the last
    one.
    >>> fft_rfftn([[1.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    = half_of_axes("rfftn", a, s, axes, norm)
fft_irfftn(a, {_SEVERAL}): The inverse of `rfftn`.
    >>> fft_irfftn([[2.0, 0.0]])
    array([[1., 1.]])
    = from_half_of_axes("irfftn", a, s, axes, norm)
fft_rfft2(a, {_TWO}): The transform of real points along two axes, half of it along the last one.
    >>> fft_rfft2([[1.0, 0.0]])
    array([[1.+0.j, 1.+0.j]])
    = half_of_axes("rfft2", a, s, axes, norm)
fft_irfft2(a, {_TWO}): The inverse of `rfft2`.
    >>> fft_irfft2([[2.0, 0.0]])
    array([[1., 1.]])
    = from_half_of_axes("irfft2", a, s, axes, norm)
fft_hfft(a, {_ONE}): The transform, which is real, of points that are Hermitian: half of them are
    given.
    >>> fft_hfft([1.0, 0.0, 0.0])
    array([1., 1., 1., 1.])
    = from_half(library.conj(a), n, axis, swapped_norm(norm))
fft_ihfft(a, {_ONE}): The inverse of `hfft`.
    >>> fft_ihfft([1.0, 1.0]).real
    array([1., 0.])
    = library.conj(half(a, n, axis, swapped_norm(norm)))
fft_fftshift(x, axes=None): Zero frequency in the middle of axes, by default all.
    >>> fft_fftshift([0, 1, -1])
    array([-1,  0,  1])
    = moved(x, axes, 1)
fft_ifftshift(x, axes=None): The inverse of `fftshift`.
    >>> fft_ifftshift([-1, 0, 1])
    array([ 0,  1, -1])
    = moved(x, axes, -1)
fft_fftfreq(n, d=1.0, *, dtype=None, device=None): The frequencies of the numbers of a transform.
    n : int, how many points
    d : number, from one point to the next
    >>> fft_fftfreq(4).tolist()
    [0.0, 0.25, -0.5, -0.25]
    = frequencies("fftfreq", n, d, dtype, device)
fft_rfftfreq(n, d=1.0, *, dtype=None, device=None): The frequencies of half a transform.
    n : int, how many points
    d : number, from one point to the next
    >>> fft_rfftfreq(4).tolist()
    [0.0, 0.25, 0.5]
    = frequencies("rfftfreq", n, d, dtype, device)
"""
_DOCS = {
    **DOCS,
    "a": "array",
    "x": "array",
    "n": "int, points along the axis: it is cut, or filled with zeros",
    "axis": "int",
    "s": "ints, points along each of the axes",
    "axes": "ints",
    "norm": 'which way has the factor 1 / n: "backward" (None), "forward", or "ortho" for both',
    "dtype": "of the result, by default `ng.config.default_float`",
    "device": "Context, by default the host",
}


def norm_of(norm: Any) -> str:
    """Return the word for a norm; ArgumentError for an unknown one."""
    return require_word("fft: norm", "backward" if norm is None else norm, _SWAPPED)


def swapped_norm(norm: Any) -> str:
    """Return the norm of the other direction."""
    return _SWAPPED[norm_of(norm)]


def along(a: Any, n: Any, axis: Any, norm: Any, inverse: bool) -> Any:
    """Return the transform along an axis."""
    points = None if n is None else whole("fft", "n", n)
    axis = whole("fft", "axis", axis)
    return _FFT(a, n=points, axis=axis, norm=norm_of(norm), inverse=inverse)


def _bound_axes(name: str, a: Any, s: Any, axes: Any) -> tuple[Any, Any, Any]:
    """Return the array, the axes, and the requested sizes or None."""
    a = as_known(f"fft.{name}", a)
    sizes = None if s is None else whole_tuple(name, "s", s)
    if axes is None:
        count = len(a.shape) if sizes is None else len(sizes)
        places = tuple(range(len(a.shape) - count, len(a.shape)))
    else:
        places = whole_tuple(name, "axes", axes)
    if not places and "rfft" in name:
        raise ShapeError(f"fft.{name}: a has shape {a.shape}; expected an axis to transform along")
    if sizes is not None and len(sizes) != len(places):
        raise ShapeError(f"fft.{name}: s={s!r} and axes={axes!r}; expected equally many")
    return a, places, sizes


def along_axes(name: str, a: Any, s: Any, axes: Any, norm: Any, inverse: bool) -> Any:
    """Return the transform along several axes."""
    a, places, sizes = _bound_axes(name, a, s, axes)
    return _each(a, places, sizes, norm, inverse)


def _each(a: Any, places: Any, sizes: Any, norm: Any, inverse: bool) -> Any:
    """Return an array transformed along one axis after another, the last one first."""
    for place, size in zip(places[::-1], (sizes or places)[::-1], strict=True):
        a = along(a, size if sizes else None, place, norm, inverse)
    return a if places else library.astype(a, _complex_of(a.dtype))


def half(a: Any, n: Any, axis: Any, norm: Any) -> Any:
    """Return half of the transform of real points."""
    points = None if n is None else whole("rfft", "n", n)
    return _RFFT(a, n=points, axis=whole("rfft", "axis", axis), norm=norm_of(norm))


def from_half(a: Any, n: Any, axis: Any, norm: Any) -> Any:
    """Return the real points of half a transform."""
    points = None if n is None else whole("irfft", "n", n)
    return _IRFFT(a, n=points, axis=whole("irfft", "axis", axis), norm=norm_of(norm))


def half_of_axes(name: str, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """Return the transform of real points along several axes: half of it along the last one."""
    a, places, sizes = _bound_axes(name, a, s, axes)
    spectrum = half(a, None if sizes is None else sizes[-1], places[-1], norm)
    if len(places) == 1:
        return spectrum
    return _each(spectrum, places[:-1], sizes and sizes[:-1], norm, inverse=False)


def from_half_of_axes(name: str, a: Any, s: Any, axes: Any, norm: Any) -> Any:
    """Return the real points of half a transform along several axes."""
    a, places, sizes = _bound_axes(name, a, s, axes)
    if len(places) > 1:
        a = _each(a, places[:-1], sizes and sizes[:-1], norm, inverse=True)
    return from_half(a, None if sizes is None else sizes[-1], places[-1], norm)


def moved(x: Any, axes: Any, sign: int) -> Any:
    """Return an array with its halves swapped along axes."""
    x = as_known("fft.fftshift", x)
    axes = None if axes is None else whole_tuple("fftshift", "axes", axes)
    places = axes_of("fftshift", axes, len(x.shape))
    by = [x.shape[d] // 2 if sign > 0 else -(x.shape[d] // 2) for d in places]
    return library.roll(x, tuple(by), tuple(places))


def frequencies(name: str, n: Any, d: Any, dtype: Any, device: Any) -> Any:
    """Return the frequencies of a transform's points."""
    count = whole(name, "n", n)
    values = getattr(np.fft, name)(count, d)
    zeros = library.zeros(values.shape, dtype=dtype or config.default_float, device=device)
    return library.add(zeros, values.astype(zeros.dtype))


_SHAPED = "fftn ifftn fft2 ifft2 rfftn irfftn rfft2 irfft2 fftshift ifftshift hfft ihfft"
_BY_SHAPE = frozenset(f"fft_{name}" for name in _SHAPED.split())
define_rows(_TABLE, globals(), ("a", "x"), _BY_SHAPE, _DOCS)
_OPERATORS = {"fft_complex", "fft_real", "fft_hermitian"}
NAMES = [row.name.removeprefix("fft_") for row in parse(_TABLE) if row.name not in _OPERATORS]
