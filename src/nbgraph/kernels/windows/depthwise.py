"""Texts of convolutions with one window per channel, over one or two axes.

A body computes some rows of places, a vector wide, in registers: each vector of the data under them
is loaded once, and multiplied with all weights that apply there. Lanes outside the data are zeros.
The window is part of the text, shapes are not. [lo, hi) counts planes, or channels for the gradient
by weights; an element's sum has one order, whichever thread computes it.
"""

import functools
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.kernels.compiler.lanes import Lanes
from nbgraph.kernels.compiler.written import Compute, Record
from nbgraph.kernels.loops.lanewise import register
from nbgraph.kernels.windows.convolution import SPACE

Pair = tuple[int, int]
Extents = tuple[int, ...]  # of two axes
MOST = 128  # elements of a window that is part of a text
_BODY = 360  # products of vectors in a body
_ROWS = 7  # rows of places at once
_SUMS = 24  # sums in registers, besides loaded vectors


class Window(NamedTuple):
    """Extents, steps, pads and gaps over (height, width)."""

    kernel: Extents
    step: Extents
    pad: Extents
    gap: Extents


class Shape(NamedTuple):
    """The places of a body: rows, and lanes of a row; whether the rows are all there are, so that
    no body of one row is needed for a remainder."""

    rows: int
    lanes: int
    whole: bool


class _Axis(NamedTuple):
    """The relation of places and cells along an axis: source = place * `near` + offset gives target
    = place * `far` + phase; `taps` lists, per phase, the window's elements with their offsets."""

    near: int
    far: int
    taps: Sequence[Sequence[Pair]]


def shape_of(dtype: str, outs: Extents, window: Window, *, phases: int = 1) -> Shape:
    """Return the body for so many places, with little waste; `phases`: targets per place."""
    volume = window.kernel[0] * window.kernel[1]
    wide = register(dtype)
    most = max(1, min(_ROWS, _BODY // volume, _SUMS // phases, outs[0]))
    rows = min(range(most, 0, -1), key=lambda n: -(-outs[0] // n) * (n + 1))
    half = wide // 2
    narrow = half >= 4 and -(-outs[1] // half) * 0.6 < -(-outs[1] // wide)
    return Shape(rows, half if narrow else wide, outs[0] % rows == 0)


@functools.lru_cache(maxsize=256)
def depthwise_text(
    dtype: Compute, window: Window, shape: Shape, *, bias: bool, spreads: bool
) -> str:
    """Return the text of the convolution, or (`spreads`) its gradient by data, reading places."""
    t = Lanes(dtype, shape.lanes, _layout("x", "w", *(["bias"] if bias else []), "out"))
    names = "out", "in"
    high, wide = (_axis(window, d, spreads=spreads) for d in range(2))
    out_h, out_w, read_h, read_w = (
        t.word(f"{names[spreads ^ k]}_{d}") for k in range(2) for d in "hw"
    )
    x, w, out, groups = t.pointer("x"), t.pointer("w"), t.pointer("out"), t.word("groups")
    begins = t.pointer("bias") if bias else ""
    places_h, places_w = _ceil_divided(t, out_h, high.far), _ceil_divided(t, out_w, wide.far)
    zeros = _zeros(t, wide)
    with t.loop("%lo", "%hi") as plane:
        group = t.number("srem", plane, groups)
        volume = window.kernel[0] * window.kernel[1]
        own = t.at(w, t.product(group, volume))
        weights = [t.spread(t.at(own, k)) for k in range(volume)]
        first = t.spread(t.at(begins, group)) if bias else "zeroinitializer"
        source = t.at(x, t.product(plane, read_h, read_w))
        target = t.at(out, t.product(plane, out_h, out_w))
        with t.loop(0, places_h, shape.rows) as row, t.loop(0, places_w, t.lanes) as column:
            cells = _Cells(t, source, (read_h, read_w), column, wide, zeros)
            edges = t.mask(t.product(column, wide.far), out_w, t.lanes * wide.far)
            sums = _sums(cells, row, (high, wide), weights, first, shape.rows)
            for (n, phase), lanes in sums.items():
                y = t.sum(t.product(t.sum(row, n), high.far), phase)
                at = t.sum(t.product(y, out_w), t.product(column, wide.far))
                t.fetch(
                    t.at(target, t.sum(at, t.product(shape.rows * high.far, out_w))), write=True
                )
                with t.when(t.compare("slt", y, out_h)):
                    t.store(t.at(target, at), _interleaved(t, lanes), edges, len(lanes) * t.lanes)
    return t.text()


@functools.lru_cache(maxsize=256)
def depthwise_weights_text(dtype: Compute, window: Window, shape: Shape) -> str:
    """Return the text of the gradient by weights: sums over images and places, per channel."""
    t = Lanes(dtype, shape.lanes, _layout("x", "g", "out"))
    volume = window.kernel[0] * window.kernel[1]
    in_h, in_w, out_h, out_w = (t.word(f"{n}_{d}") for n in ("in", "out") for d in "hw")
    x, g, out, groups, images = (
        *(t.pointer(n) for n in ("x", "g", "out")), *(t.word(n) for n in ("groups", "images")),
    )  # fmt: skip
    wide = _axis(window, 1, spreads=False)
    zeros = _zeros(t, wide)
    totals, sums = ([t.cell() for _ in range(volume)] for _ in range(2))
    whole = t.number("sub", out_h, t.number("srem", out_h, shape.rows))
    lines = max(1, _SUMS // window.kernel[1])  # lines of the window whose sums fit the registers
    with t.loop("%lo", "%hi") as group:
        for cell in totals:
            t.put(cell, "zeroinitializer")
        with t.loop(0, images) as image:
            plane = t.sum(t.product(image, groups), group)
            source = t.at(x, t.product(plane, in_h, in_w))
            grads = t.at(g, t.product(plane, out_h, out_w))
            for k in range(0, window.kernel[0], lines):
                part = range(k, min(k + lines, window.kernel[0]))
                own = [kh * window.kernel[1] + kw for kh in part for kw in range(window.kernel[1])]
                for n in own:
                    t.put(sums[n], "zeroinitializer")
                runs = [(shape.rows, "0", whole), (1, whole, out_h)]
                for rows, begin, end in runs[: 1 if shape.whole else 2]:
                    with t.loop(begin, end, rows) as row, t.loop(0, out_w, t.lanes) as column:
                        inside = t.mask(column, out_w)
                        cells = _Cells(t, source, (in_h, in_w), column, wide, zeros, inside)
                        _gather(cells, row, window, part, sums, (grads, out_w, inside), rows)
                for n in own:
                    t.put(totals[n], t.added(t.get(totals[n]), t.get(sums[n])))
        for n, cell in enumerate(totals):
            t.write(t.at(out, t.sum(t.product(group, volume), n)), t.total(t.get(cell)))
    return t.text()


# pieces -----------------------------------------------------------------------------------------


def _layout(*addresses: str) -> Record:
    return Record(("images", "groups"), addresses, SPACE)


def _axis(window: Window, d: int, *, spreads: bool) -> _Axis:
    size, step, pad, gap = (part[d] for part in window)
    if not spreads:
        return _Axis(step, 1, [[(k, k * gap - pad) for k in range(size)]])
    taps = [
        [(k, (r + pad - k * gap) // step) for k in range(size) if (r + pad - k * gap) % step == 0]
        for r in range(step)
    ]
    return _Axis(1, step, taps)


def _zeros(t: Lanes, wide: _Axis) -> str:
    """Return the address of as many zeros as the loads of a row may touch."""
    offsets = [off for taps in wide.taps for _, off in taps] or [0]
    count = max(offsets) - min(offsets) + t.lanes * wide.near
    room = t.room(count)
    for k in range(count):
        t.write(t.at(room, k), "0.0")
    return room


def _ceil_divided(t: Lanes, extent: str, by: int) -> str:
    """Return how many times `by` covers an extent, rounded up."""
    return extent if by == 1 else t.number("sdiv", t.sum(extent, by - 1), by)


class _Cells:
    """Vectors of the source under a column block of places: cells place * near + offset.

    `zeros`: as many as a row's loads may touch. `only`: mask of lanes with existing places, if
    others must not be read.
    """

    def __init__(
        self, t: Lanes, source: str, extents: Pair | tuple[str, str], column: str, wide: _Axis,
        zeros: str, only: str = "",
    ) -> None:  # fmt: skip
        self.t, self.source, self.extents, self.zeros = t, source, extents, zeros
        self.near, self.start = wide.near, t.product(column, wide.near)
        offsets = sorted({off for taps in wide.taps for _, off in taps})
        least = offsets[0] if offsets else 0
        # one load of `near` times as many lanes covers neighbouring offsets
        self.parts = {off: (off - (off - least) % self.near, (off - least) % self.near)
                      for off in offsets}  # fmt: skip
        self.masks: dict[int, str] = {}
        for base in {b for b, _ in self.parts.values()}:
            mask = t.mask(t.sum(self.start, base), str(extents[1]), t.lanes * self.near)
            self.masks[base] = t.value(f"and {self._ones} {mask}, {self._wide(only)}") \
                if only else mask  # fmt: skip

    @property
    def _ones(self) -> str:
        return f"<{self.t.lanes * self.near} x i1>"

    def _wide(self, only: str) -> str:
        """Return the mask of places as a mask of cells."""
        places = [k // self.near for k in range(self.t.lanes * self.near)]
        listed = ", ".join(f"i32 {k}" for k in places)
        kind = f"<{self.t.lanes} x i1>"
        return self.t.value(
            f"shufflevector {kind} {only}, {kind} poison, <{len(places)} x i32> <{listed}>"
        )

    def row(self, y: str, ahead: int) -> dict[int, str]:
        """Return a vector for each offset of a row of cells; zeros for rows outside the data.

        Such rows are loaded from zeros on the stack, so the masks of columns, which stay in
        registers, serve all rows.
        """
        t, lanes = self.t, self.t.lanes * self.near
        begin = t.at(self.source, t.sum(t.product(y, self.extents[1]), self.start))
        least = min(self.masks, default=0)
        t.fetch(t.at(begin, t.product(ahead, self.extents[1])))
        exists = t.compare("ult", y, self.extents[0])
        at = t.value(f"select i1 {exists}, ptr {begin}, ptr {t.at(self.zeros, -least)}")
        loaded = {base: t.load(t.at(at, base), mask, lanes) for base, mask in self.masks.items()}
        return {
            off: loaded[base]
            if self.near == 1
            else t.picked(loaded[base], lanes, range(lane, lanes, self.near))
            for off, (base, lane) in self.parts.items()
        }


def _sums(
    cells: _Cells, row: str, axes: tuple[_Axis, _Axis], weights: Sequence[str], first: str,
    rows: int,
) -> dict[Pair, list[str]]:  # fmt: skip
    """Return for each row of places and phase of target rows a vector per phase of columns."""
    t, (high, wide) = cells.t, axes
    across = sum(len(taps) for taps in wide.taps)
    sums = {(n, r): [first] * len(wide.taps) for n in range(rows) for r in range(len(high.taps))}
    meets: defaultdict[int, list[tuple[int, int, int]]] = defaultdict(list)
    for n in range(rows):
        for r, taps in enumerate(high.taps):
            for k, off in taps:
                meets[n * high.near + off].append((n, r, k))
    begin = t.product(row, high.near)
    for off in sorted(meets):
        line = cells.row(t.sum(begin, off), rows * high.near)
        for n, r, kh in meets[off]:
            own = sums[n, r]
            for phase, taps in enumerate(wide.taps):
                for kw, at in taps:
                    own[phase] = t.fused(line[at], weights[kh * across + kw], own[phase])
    return sums


def _gather(
    cells: _Cells, row: str, window: Window, part: range, sums: Sequence[str],
    places: tuple[str, str, str], rows: int,
) -> None:  # fmt: skip
    """Add the contributions of rows of places to the sums of some lines of the window."""
    t, (grads, out_w, inside) = cells.t, places
    column = t.number("sdiv", cells.start, cells.near)
    spots = [t.at(grads, t.sum(t.product(t.sum(row, n), out_w), column)) for n in range(rows)]
    for spot in spots:
        t.fetch(t.at(spot, t.product(rows, out_w)))
    inputs = [t.load(spot, inside) for spot in spots]
    meets: defaultdict[int, list[Pair]] = defaultdict(list)
    for n in range(rows):
        for kh in part:
            meets[n * window.step[0] + kh * window.gap[0] - window.pad[0]].append((n, kh))
    begin = t.product(row, window.step[0])
    for off in sorted(meets):
        line = cells.row(t.sum(begin, off), rows * window.step[0])
        for n, kh in meets[off]:
            for kw in range(window.kernel[1]):
                cell = sums[kh * window.kernel[1] + kw]
                value = line[kw * window.gap[1] - window.pad[1]]
                t.put(cell, t.fused(value, inputs[n], t.get(cell)))


def _interleaved(t: Lanes, vectors: Sequence[str]) -> str:
    """Return the vectors interleaved lane by lane."""
    if len(vectors) == 1:
        return vectors[0]
    count = len(vectors) * t.lanes
    turns = [k // len(vectors) for k in range(count)]
    woven, *others = (t.picked(v, t.lanes, turns) for v in vectors)
    for r, other in enumerate(others, 1):
        places = [k + count if k % len(vectors) == r else k for k in range(count)]
        woven = t.picked(woven, count, places, other)
    return woven
