"""Tiles of a convolution, and the calls of its kernels; see `kernels.windows.convolution`.

Tiles depend on shapes alone, and are enough for several workers.
"""

import math
from typing import Any, NamedTuple

from nbgraph.operator.arrays.array_op import Specs
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.ops.define import Shape
from nbgraph.ops.windows.convolution_shapes import How, Layer, layer_of, of_data, of_weights
from nbgraph.ops.windows.windows import share

_ROWS = 192, 384  # of columns multiplied at once: BLAS packs about as many
_FEW = 144  # of a gradient by weights
_SPOTS = 512  # places at once without columns
_GRANULE = 16  # rows and places that BLAS handles well
_SHARED = 8  # least number of tiles, for the workers
# texts grow with these; columns and BLAS are as fast beyond them, and have one text
_STEP, _DEPTHWISE_STEP = 3, 16  # of windows without columns
_REACH = 1024  # cells between the first and the last under a window without channels
ONE = {"float32": 0x3F800000, "float64": 0x3FF0000000000000}  # the bits of 1.0


class _Tiles(NamedTuple):
    """The sizes of tiles; see `nbgraph.kernels.windows.convolution`."""

    tiles: int
    size: int  # places at once
    blocks: int
    share: int  # of features, channels or rows, per tile
    parts: int
    panel: int  # rows or channels at once


def _shared(tiles: int, extent: int, least: int) -> int:
    """Return the share of a tile if `tiles` are divided further, so that there are enough."""
    parts = min(-(-_SHARED // tiles), max(1, extent // least))
    return -(-extent // parts)


def _panel(rows: int, spots: int, room: int) -> int:
    """Return rows of columns at once: few enough that all places fit, if possible."""
    return share(rows, max(1, min(_ROWS[1], max(_ROWS[0], room // spots), room)))


def _places(layer: Layer, room: int) -> int:
    """Return places at once: whole lines if one fits, since their columns are built fastest."""
    width = layer.windows.outs[-1]
    if width > room:
        return share(layer.windows.spots, room, _GRANULE)
    return share(layer.windows.spots // width, room // width) * width


def _forward_tiles(layer: Layer, room: int) -> _Tiles:
    spots, rows = layer.windows.spots, layer.rows
    panel = rows if layer.windows.plain else _panel(rows, spots, room)
    plain = layer.windows.plain
    size = share(spots, _SPOTS, _GRANULE) if plain else _places(layer, room // panel)
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
    size = share(spots, _SPOTS, _GRANULE) if plain else _places(layer, room // (panel * volume))
    return _Tiles(images * parts, size, 0, own, parts, panel)


def _weight_tiles(layer: Layer, room: int) -> _Tiles:
    """Return tiles with `panel` features in `blocks` parts. Few rows, so that many places fit: a
    product's sums are then long, and reads are local."""
    own = share(layer.rows, min(_FEW, room), _GRANULE)
    parts = -(-layer.rows // own)
    tiles, features = layer.groups * parts, layer.features
    if layer.windows.plain:  # no columns that each part would rebuild
        features = _shared(tiles, features, 64)
    elif tiles == 1:
        own = _shared(_SHARED // 2, layer.rows, 8)
        parts = -(-layer.rows // own)
    blocks = -(-layer.features // features)
    plain, spots = layer.windows.plain, layer.windows.spots
    size = share(spots, _SPOTS, _GRANULE) if plain else _places(layer, room // own)
    return _Tiles(layer.groups * parts * blocks, size, blocks, own, parts, features)


def _room(dtype: str) -> int:
    """Return the elements of columns at once."""
    from nbgraph.kernels.loops.loop import ROOM

    return ROOM[dtype]


def _call(name: str, text: str, layer: Layer, tiles: Any, dtype: Any) -> KernelCall | None:
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.products.blas import routine  # SciPy is loaded with the first product

    cut: _Tiles | None = tiles(layer, _room(dtype))
    if cut is None:
        return None
    blas = routine()
    words = (
        *(blas.address, *blas.pointers(dtype), blas.threads.address, ONE[dtype]),
        *layer.windows.words(),
        *(layer.channels, layer.features, cut.size, cut.blocks, cut.share, cut.parts),
        *(cut.panel, int(layer.windows.plain)),
    )
    code, head = written(name, text, dtype), (layer.images, layer.groups)
    return tile_call(code, head, words, cut.tiles, layer.cost(dtype))


def _depthwise(layer: Layer, dtype: Any, kind: str, **how: bool) -> KernelCall | None:
    """Return the call for one window per channel; None for other convolutions."""
    from nbgraph.kernels.compiler.lanes import kernel
    from nbgraph.kernels.windows import depthwise

    windows = layer.windows.wide()
    deep = (windows.ins[0], windows.outs[0], windows.kernel[0])
    if layer.channels != 1 or layer.features != 1 or max(deep) > 1 or windows.pad[0]:
        return None
    reach = max((k - 1) * g for k, g in zip(windows.kernel, windows.gap, strict=True))
    if windows.volume > depthwise.MOST or reach > _REACH or max(windows.step) > _DEPTHWISE_STEP:
        return None
    parts = (windows.kernel, windows.step, windows.pad, windows.gap)
    window = depthwise.Window(*(part[1:] for part in parts))
    text = getattr(depthwise, f"{kind}_text")
    phases = math.prod(window.step) if how.get("spreads") else 1
    body = depthwise.shape_of(dtype, windows.outs[1:], window, phases=phases)
    code = kernel(kind, text(dtype, window, body, **how), dtype)
    planes = layer.images * layer.groups
    cost = int(planes * windows.spots * windows.volume * 0.05)
    tiles = planes if how else layer.groups
    return tile_call(code, (layer.images, layer.groups), layer.windows.words(), tiles, cost)


def _direct(layer: Layer, dtype: Any, *, bias: bool, flips: bool = False) -> KernelCall | None:
    """Return the call without columns; None if its planes do not fit, or waste is large."""
    from nbgraph.kernels.compiler.lanes import kernel
    from nbgraph.kernels.windows import direct
    from nbgraph.kernels.windows.depthwise import Window

    windows = layer.windows.wide()
    deep = (windows.ins[0], windows.outs[0], windows.kernel[0])
    out_channels, read = layer.features, layer.channels
    widest = 1 if flips else _STEP
    if max(deep) > 1 or windows.pad[0] or windows.volume == 1 or max(windows.step) > widest:
        return None
    outs = windows.outs[1:]
    if flips:
        out_channels, read, outs = read, out_channels, windows.ins[1:]
    window = Window(windows.kernel[1:], windows.step[1:], (0, 0), windows.gap[1:])
    out_places = outs[0] * direct.line_of(window, outs[1])  # places, including wasted ones
    rows = direct.rows_of(dtype, window, outs, read, _room(dtype))
    if rows == 0 or windows.spots < direct.worth() * out_places:
        return None
    bands = -(-outs[0] // rows)
    tiles = layer.images * layer.groups * bands
    own = _shared(tiles, out_channels, 64)
    parts = -(-out_channels // own)
    body = direct.body_of(dtype, own)
    code = kernel("direct", direct.direct_text(dtype, window, body, bias=bias, flips=flips), dtype)
    words = (*layer.windows.words(), out_channels, read, rows, bands, own, parts)
    head = (layer.images, layer.groups)
    return tile_call(code, head, words, tiles * parts, layer.cost(dtype))


def tiling(specs: Specs, dtype: Any, **attributes: Any) -> KernelCall | None:
    """Return the call for a convolution."""
    from nbgraph.kernels.windows.convolution import convolution_text

    layer = layer_of("convolution", specs[0].shape, specs[1].shape, How.of(attributes))
    bias = len(specs) > 2
    return (
        _depthwise(layer, dtype, "depthwise", bias=bias, spreads=False)
        or _direct(layer, dtype, bias=bias)
        or _call("convolution", convolution_text(dtype, bias=bias), layer, _forward_tiles, dtype)
    )


def data_tiling(specs: Specs, dtype: Any, *, size: Shape, **attributes: Any) -> KernelCall | None:
    """Return the call for the gradient by data; None for windows too large for a room."""
    from nbgraph.kernels.windows.convolution import data_text

    layer = of_data(specs, size, How.of(attributes))
    bias = len(specs) > 2
    return (
        _depthwise(layer, dtype, "depthwise", bias=bias, spreads=True)
        or _direct(layer, dtype, bias=bias, flips=True)
        or _call("convolution_data", data_text(dtype, bias=bias), layer, _data_tiles, dtype)
    )


def weight_tiling(specs: Specs, dtype: Any, *, size: Shape, **attributes: Any) -> KernelCall | None:
    """Return the call for the gradient by weights."""
    from nbgraph.kernels.windows.convolution import weight_text

    layer = of_weights(specs, size, How.of(attributes))
    return _depthwise(layer, dtype, "depthwise_weights") or _call(
        "convolution_weights", weight_text(dtype), layer, _weight_tiles, dtype
    )
