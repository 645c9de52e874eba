"""Convolutions over one to three axes, and the two operators that are their gradients.

<convolution(x, w), g> is linear in each of x, w and g. What belongs to g is the convolution, to x
`convolution_data`, to w `convolution_weights`; so the gradient of each of the three is made of the
other two, to any order. A transposed convolution is `convolution_data` under another name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.array_op import Gradients, Spec
from nbgraph.operator.tiled_op import TiledCall, TiledOp
from nbgraph.ops.define import Shape, cast, library, public, whole, whole_tuple
from nbgraph.ops.windows import Windows, convolved, per_axis, require_space, share, spelled
from nbgraph.shape import Shapes

Array = np.ndarray[Any, Any]
_ROWS = 192, 384  # of columns multiplied at once: BLAS packs about so many
_SPOTS = 512  # places where no columns are made
_SHARED = 8  # tiles that there should be, for the workers
ONE = {"float32": 0x3F800000, "float64": 0x3FF0000000000000}  # 1.0 in bits


class Layer(NamedTuple):
    """Shapes of a convolution. Channels and features are those of a group."""

    images: int
    groups: int
    channels: int
    features: int
    windows: Windows

    @property
    def rows(self) -> int:
        """Rows of the columns."""
        return self.channels * self.windows.volume

    @property
    def x(self) -> Shape:
        """The shape of the data."""
        return (self.images, self.groups * self.channels, *self.windows.ins)

    @property
    def w(self) -> Shape:
        """The shape of the weights."""
        return (self.groups * self.features, self.channels, *self.windows.kernel)

    @property
    def out(self) -> Shape:
        """The shape of the result."""
        return (self.images, self.groups * self.features, *self.windows.outs)

    def cost(self, dtype: str) -> int:
        """Nanoseconds, roughly."""
        each = self.rows * self.windows.spots * self.images * self.groups
        return int(each * (self.features / (32 if dtype == "float32" else 16) + 0.3))


class How(NamedTuple):
    """The attributes of a convolution."""

    stride: Any
    pad: Any
    dilation: Any
    groups: int

    @classmethod
    def of(cls, attributes: Any) -> How:
        """Those among others."""
        return cls(*(attributes[field] for field in cls._fields))


# shapes -----------------------------------------------------------------------------------------


def _layer(name: str, x: Shape, w: Shape, how: How) -> Layer:
    axes = require_space(name, "x", x)
    if len(w) != len(x):
        raise ShapeError(
            f"{name}: weight has shape {w} beside x{x}; expected (features, channels / groups, "
            "*window) with as many axes of space"
        )
    groups = how.groups
    if x[1] != groups * w[1] or w[0] % groups:
        raise ShapeError(
            f"{name}: x{x} has {x[1]} channels and weight{w} takes {w[1]} in each of {groups} "
            f"group(s); channels have to be {groups} * {w[1]}, and features a multiple of {groups}"
        )
    step, pad, gap = (
        spelled(name, argument, value, axes)
        for argument, value in zip(("stride", "pad", "dilation"), how, strict=False)
    )
    if 0 in w[2:]:
        raise ShapeError(f"{name}: weight has shape {w}; a window has at least one element")
    windows = convolved(name, x[2:], w[2:], step, pad, gap)
    return Layer(x[0], groups, w[1], w[0] // groups, windows)


def _require(name: str, specs: Sequence[Spec]) -> np.dtype[Any]:
    dtype = np.result_type(*(spec.dtype for spec in specs))
    if not is_float(dtype) or any(not is_float(s.dtype) for s in specs):
        listed = ", ".join(str(s.dtype) for s in specs)
        raise DTypeError(f"{name}: operands have dtypes {listed}; expected floats: use astype")
    return dtype


def _infer(*specs: Spec, **attributes: Any) -> Spec:
    dtype = _require("convolution", specs)
    layer = _layer("convolution", specs[0].shape, specs[1].shape, How.of(attributes))
    if specs[2:] and specs[2].shape != layer.w[:1]:
        raise ShapeError(
            f"convolution: bias has shape {specs[2].shape}; expected {layer.w[:1]}, one value for "
            "each feature"
        )
    return Spec(layer.out, dtype)


def _of_data(specs: Sequence[Spec], size: Shape, how: How) -> Layer:
    """`size`: the shape of the data's space."""
    name = "convolution_data"
    g, w = specs[0].shape, specs[1].shape
    require_space(name, "out_grad", g)
    if len(w) != len(g) or g[1] != w[0]:
        raise ShapeError(
            f"{name}: out_grad has shape {g} and weight {w}; expected (images, features, *space) "
            "and (features, channels / groups, *window)"
        )
    layer = _layer(name, (g[0], how.groups * w[1], *size), w, how)
    if layer.out != g:
        raise ShapeError(f"{name}: out_grad has shape {g}; data of space {size} give {layer.out}")
    return layer


def _infer_data(*specs: Spec, size: Shape, **attributes: Any) -> Spec:
    layer = _of_data(specs, size, How.of(attributes))
    if specs[2:] and specs[2].shape != layer.x[1:2]:
        raise ShapeError(
            f"convolution_data: bias has shape {specs[2].shape}; expected {layer.x[1:2]}, one "
            "value for each channel"
        )
    return Spec(layer.x, _require("convolution_data", specs))


def _of_weights(specs: Sequence[Spec], size: Shape, how: How) -> Layer:
    """`size`: the shape of the window."""
    name = "convolution_weights"
    x, g = specs[0].shape, specs[1].shape
    require_space(name, "x", x)
    if len(g) != len(x) or x[1] % how.groups:
        raise ShapeError(
            f"{name}: x has shape {x} and out_grad {g}; expected as many axes, and channels that "
            f"are a multiple of groups={how.groups}"
        )
    layer = _layer(name, x, (g[1], x[1] // how.groups, *size), how)
    if layer.out != g:
        raise ShapeError(f"{name}: out_grad has shape {g}; x{x} gives {layer.out}")
    return layer


def _infer_weights(*specs: Spec, size: Shape, **attributes: Any) -> Spec:
    layer = _of_weights(specs, size, How.of(attributes))
    return Spec(layer.w, _require("convolution_weights", specs))


def _partial(
    in_shapes: Shapes, out_shapes: Shapes, *, groups: int, **_: Any
) -> tuple[Shapes, Shapes]:
    """Channels of the weights follow from the data; features from weights, bias or result."""
    (x, w, *bias), (out,) = in_shapes, out_shapes
    known = [s[0] for s in (w, *bias) if s] + ([out[1]] if out and len(out) > 1 else [])
    features = next((n for n in known if n is not None), None)
    if x is not None and len(x) > 2 and (w is None or len(w) == len(x)):
        channels = None if x[1] is None or x[1] % groups else x[1] // groups
        window = (None,) * (len(x) - 2) if w is None else w[2:]
        w = (features, w[1] if w and w[1] is not None else channels, *window)
        out = (x[0], features, *(out[2:] if out and len(out) == len(x) else (None,) * (len(x) - 2)))
    return (x, w, *[(features,) for _ in bias]), (out,)


# kernels ----------------------------------------------------------------------------------------


class _Tiles(NamedTuple):
    """See `nbgraph.kernels.windows`."""

    tiles: int
    size: int  # places at once
    blocks: int
    share: int  # of features, channels or rows, in a tile
    parts: int
    panel: int  # rows or channels at once


def _shared(tiles: int, extent: int, least: int) -> int:
    """The share of a tile where `tiles` are cut further, so that there are enough of them."""
    parts = min(-(-_SHARED // tiles), max(1, extent // least))
    return -(-extent // parts)


def _panel(rows: int, spots: int, room: int) -> int:
    """Rows of columns at once: few enough that all places fit in, where that is possible."""
    return share(rows, max(1, min(_ROWS[1], max(_ROWS[0], room // spots), room)))


def _forward_tiles(layer: Layer, room: int) -> _Tiles:
    spots, rows = layer.windows.spots, layer.rows
    panel = rows if layer.windows.plain else _panel(rows, spots, room)
    size = share(spots, _SPOTS if layer.windows.plain else room // panel, 16)
    blocks = -(-spots // size)
    tiles = layer.images * layer.groups * blocks
    own = _shared(tiles, layer.features, 64)
    parts = -(-layer.features // own)
    return _Tiles(tiles * parts, size, blocks, own, parts, panel)


def _data_tiles(layer: Layer, room: int) -> _Tiles | None:
    volume, spots, plain = layer.windows.volume, layer.windows.spots, layer.windows.plain
    if volume > room:
        return None
    images = layer.images * layer.groups
    own = _shared(images, layer.channels, 64 if plain else 8)
    parts = -(-layer.channels // own)
    panel = own if plain else share(own, max(1, _panel(own * volume, spots, room) // volume))
    size = share(spots, _SPOTS if plain else room // (panel * volume), 16)
    return _Tiles(images * parts, size, 0, own, parts, panel)


def _weight_tiles(layer: Layer, room: int) -> _Tiles:
    """`panel`: features of a tile, `blocks`: how many such parts."""
    own = min(_shared(layer.groups, layer.rows, 48), share(layer.rows, min(_ROWS[1], room)))
    parts = -(-layer.rows // own)
    tiles, features = layer.groups * parts, layer.features
    if layer.windows.plain:  # there are no columns that each part would make anew
        features = _shared(tiles, features, 64)
    elif tiles == 1:
        own = _shared(_SHARED // 2, layer.rows, 8)
        parts = -(-layer.rows // own)
    blocks = -(-layer.features // features)
    size = share(layer.windows.spots, _SPOTS if layer.windows.plain else room // own, 16)
    return _Tiles(layer.groups * parts * blocks, size, blocks, own, parts, features)


def _call(name: str, text: str, layer: Layer, tiles: Any, dtype: Any) -> TiledCall | None:
    from nbgraph.kernels.blas import routine  # SciPy comes with the first product
    from nbgraph.kernels.loops import ROOM
    from nbgraph.kernels.written import written

    found: _Tiles | None = tiles(layer, ROOM[dtype])
    if found is None:
        return None
    blas = routine()
    pointers = (blas.pointers[kind][dtype] for kind in ("gemm", "gemv"))
    words = (
        *(blas.address, *pointers, blas.threads.address, ONE[dtype]),
        *layer.windows.words(),
        *(layer.channels, layer.features, found.size, found.blocks, found.share, found.parts),
        *(found.panel, int(layer.windows.plain)),
    )
    code, head = written(name, text, dtype), (layer.images, layer.groups)
    return TiledCall(code, head, words, found.tiles, layer.cost(dtype))


def _tiling(specs: Sequence[Spec], dtype: Any, **attributes: Any) -> TiledCall | None:
    from nbgraph.kernels.windows import convolution_text

    layer = _layer("convolution", specs[0].shape, specs[1].shape, How.of(attributes))
    text = convolution_text(dtype, bias=len(specs) > 2)
    return _call("convolution", text, layer, _forward_tiles, dtype)


def _data_tiling(
    specs: Sequence[Spec], dtype: Any, *, size: Shape, **attributes: Any
) -> TiledCall | None:
    from nbgraph.kernels.windows import data_text

    layer = _of_data(specs, size, How.of(attributes))
    text = data_text(dtype, bias=len(specs) > 2)
    return _call("convolution_data", text, layer, _data_tiles, dtype)


def _weight_tiling(
    specs: Sequence[Spec], dtype: Any, *, size: Shape, **attributes: Any
) -> TiledCall | None:
    from nbgraph.kernels.windows import weight_text

    layer = _of_weights(specs, size, How.of(attributes))
    return _call("convolution_weights", weight_text(dtype), layer, _weight_tiles, dtype)


# the specification ------------------------------------------------------------------------------


def _grouped(a: Array, groups: int, axis: int) -> Array:
    return a.reshape(*a.shape[:axis], groups, a.shape[axis] // groups, *a.shape[axis + 1 :])


def _naive(x: Array, w: Array, *bias: Array, **attributes: Any) -> Array:
    layer = _layer("convolution", x.shape, w.shape, How.of(attributes))
    windows, padded = layer.windows, layer.windows.padded(x)
    weights = _grouped(w, layer.groups, 0)
    out = _grouped(np.zeros(layer.out, x.dtype), layer.groups, 1)
    for at in windows.offsets():
        under = _grouped(padded[windows.under(at)], layer.groups, 1)
        out += np.einsum("ngc...,gfc->ngf...", under, weights[(..., *at)])
    out = out.reshape(layer.out)
    return out + _beside(bias[0], out) if bias else out


def _beside(bias: Array, out: Array) -> Array:
    return bias.reshape(-1, *(1,) * (out.ndim - 2))


def _naive_data(g: Array, w: Array, *bias: Array, size: Shape, **attributes: Any) -> Array:
    layer = _of_data([Spec.of(g), Spec.of(w)], size, How.of(attributes))
    windows, weights = layer.windows, _grouped(w, layer.groups, 0)
    made = windows.padded(np.zeros(layer.x, g.dtype))
    out_grad = _grouped(g, layer.groups, 1)
    for at in windows.offsets():
        each = np.einsum("ngf...,gfc->ngc...", out_grad, weights[(..., *at)])
        made[windows.under(at)] += each.reshape(g.shape[0], -1, *each.shape[3:])
    out = made[windows.inside()]
    return out + _beside(bias[0], out) if bias else out


def _naive_weights(x: Array, g: Array, *, size: Shape, **attributes: Any) -> Array:
    layer = _of_weights([Spec.of(x), Spec.of(g)], size, How.of(attributes))
    windows, padded = layer.windows, layer.windows.padded(x)
    out = np.zeros(layer.w, x.dtype)
    out_grad = _grouped(g, layer.groups, 1).reshape(g.shape[0], layer.groups, layer.features, -1)
    for at in windows.offsets():
        under = _grouped(padded[windows.under(at)], layer.groups, 1)
        under = under.reshape(*under.shape[:3], -1)
        each = np.einsum("ngcs,ngfs->gfc", under, out_grad)
        out[(..., *at)] = each.reshape(layer.w[:2])
    return out


# gradients --------------------------------------------------------------------------------------


def _by_data(g: Any, w: Any, x: Spec, how: How) -> Any:
    return cast(convolution_data(g, w, size=x.shape[2:], **how._asdict()), x)


def _by_weights(x: Any, g: Any, w: Spec, how: How) -> Any:
    return cast(convolution_weights(x, g, size=w.shape[2:], **how._asdict()), w)


def _bias_gradient(g: Any, spec: Spec, axes: int) -> Any:
    return cast(library.sum(g, axis=(0, *range(2, axes))), spec)


def _chosen(wanted: Sequence[bool], *makers: Callable[[], Any]) -> list[Any]:
    return [make() if one else None for one, make in zip(wanted, makers, strict=False)]


def _rule(g: Gradients) -> Sequence[Any]:
    how, (x, w), specs = How.of(g.attributes), g.inputs[:2], g.specs
    return _chosen(
        g.wanted,
        lambda: _by_data(g.out_grad, w, specs[0], how),
        lambda: _by_weights(x, g.out_grad, specs[1], how),
        lambda: _bias_gradient(g.out_grad, specs[2], len(specs[0].shape)),
    )


def _data_rule(g: Gradients) -> Sequence[Any]:
    how, (out_grad, w), specs = How.of(g.attributes), g.inputs[:2], g.specs
    return _chosen(
        g.wanted,
        lambda: cast(convolution(g.out_grad, w, **how._asdict()), specs[0]),
        lambda: _by_weights(g.out_grad, out_grad, specs[1], how),
        lambda: _bias_gradient(g.out_grad, specs[2], len(specs[0].shape)),
    )


def _weight_rule(g: Gradients) -> Sequence[Any]:
    how, (x, out_grad), specs = How.of(g.attributes), g.inputs, g.specs
    return _chosen(
        g.wanted,
        lambda: _by_data(out_grad, g.out_grad, specs[0], how),
        lambda: cast(convolution(x, g.out_grad, **how._asdict()), specs[1]),
    )


# the operators ----------------------------------------------------------------------------------


def _op(name: str, operands: Sequence[str], *functions: Any, keeps: Sequence[str]) -> TiledOp:
    infer, tiling, naive, rule = functions
    partial = _partial if name == "convolution" else None
    return TiledOp(
        name, infer, tiling, naive, gradient=rule, keeps=keeps, operands=operands, partial=partial
    )


_XW, _GW = ("x", "weight"), ("out_grad", "weight")
_CONVOLUTION = _op("convolution", _XW, _infer, _tiling, _naive, _rule, keeps=_XW)
BIASED = _op("convolution", (*_XW, "bias"), _infer, _tiling, _naive, _rule, keeps=_XW)
_DATA = _op("convolution_data", _GW, _infer_data, _data_tiling, _naive_data, _data_rule, keeps=_GW)
_BIASED_DATA = _op(
    "convolution_data", (*_GW, "bias"), _infer_data, _data_tiling, _naive_data, _data_rule,
    keeps=_GW,
)  # fmt: skip
_WEIGHTS = _op(
    "convolution_weights", ("x", "out_grad"), _infer_weights, _weight_tiling, _naive_weights,
    _weight_rule, keeps=("x", "out_grad"),
)  # fmt: skip


def _how(name: str, stride: Any, pad: Any, dilation: Any, groups: Any) -> dict[str, Any]:
    count = whole(name, "groups", groups)
    if count < 1:
        raise ArgumentError(f"{name}: groups={groups!r}; expected a whole number from 1 on")
    return {
        "stride": per_axis(name, "stride", stride, 1),
        "pad": per_axis(name, "pad", pad, 0),
        "dilation": per_axis(name, "dilation", dilation, 1),
        "groups": count,
    }


@public(_CONVOLUTION)
def convolution(
    x: Any,
    weight: Any,
    bias: Any = None,
    *,
    stride: Any = 1,
    pad: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    out: Any = None,
) -> Any:
    """What lies under a window, times weights, summed: for every place, feature and image.

    `x` has shape (images, channels, *space), one to three axes of space; `weight` (features,
    channels / groups, *window); `bias` one value a feature. `stride`: cells from place to place;
    `pad`: zeros on both sides; `dilation`: cells from one element of the window to the next; each a
    number, or one an axis. The result has shape (images, features, *places). The window is not
    flipped. ShapeError where shapes do not fit, DTypeError for integers.

    >>> convolution(np.ones((1, 1, 4)), np.ones((1, 1, 3)), pad=1)
    array([[[2., 3., 3., 2.]]])
    """
    how = _how("convolution", stride, pad, dilation, groups)
    if bias is None:
        return _CONVOLUTION(x, weight, out=out, **how)
    return BIASED(x, weight, bias, out=out, **how)


@public(_DATA)
def convolution_data(
    out_grad: Any,
    weight: Any,
    bias: Any = None,
    *,
    size: Any,
    stride: Any = 1,
    pad: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    out: Any = None,
) -> Any:
    """The gradient of a convolution by its data, whose space has the shape `size`.

    >>> convolution_data(np.ones((1, 1, 2)), np.ones((1, 1, 3)), size=(4,))
    array([[[1., 2., 2., 1.]]])
    """
    how = _how("convolution_data", stride, pad, dilation, groups)
    size = whole_tuple("convolution_data", "size", size)
    if bias is None:
        return _DATA(out_grad, weight, out=out, size=size, **how)
    return _BIASED_DATA(out_grad, weight, bias, out=out, size=size, **how)


@public(_WEIGHTS)
def convolution_weights(
    x: Any,
    out_grad: Any,
    *,
    size: Any,
    stride: Any = 1,
    pad: Any = 0,
    dilation: Any = 1,
    groups: int = 1,
    out: Any = None,
) -> Any:
    """The gradient of a convolution by its weights, whose window has the shape `size`.

    >>> convolution_weights(np.ones((1, 1, 4)), np.ones((1, 1, 2)), size=(3,))
    array([[[2., 2., 2.]]])
    """
    how = _how("convolution_weights", stride, pad, dilation, groups)
    size = whole_tuple("convolution_weights", "size", size)
    return _WEIGHTS(x, out_grad, out=out, size=size, **how)
