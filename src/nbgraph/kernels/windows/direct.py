"""Texts of convolutions over one or two axes without columns: planes padded with zeros.

The planes under some rows of places are copied to the stack, padded with zeros, so that an element
of the window is at the same distance from all places; with steps, every step-th cell forms a plane
of its own. Places of all rows are then one run, in which those at the ends of rows are computed in
vain. A body computes some features (channels, for the gradient by data) at some vectors of places:
its sums stay in registers over all inputs. [lo, hi) counts tiles: rows of places and features of a
group in an image. An element's sum has one order, whichever thread computes it.
"""

import functools
from typing import NamedTuple

from nbgraph.codegen.host import features
from nbgraph.kernels.compiler.lanes import Lanes
from nbgraph.kernels.compiler.written import Compute, Record
from nbgraph.kernels.loops.lanewise import register
from nbgraph.kernels.loops.loop import ROOM
from nbgraph.kernels.windows.convolution import SPACE
from nbgraph.kernels.windows.depthwise import Window
from nbgraph.native.processor import vector_bytes

_VECTORS = 3  # of places, in a body
_WRITTEN = 9  # most elements of a window that a body unrolls: more are slow to compile
_TERMS = 128  # terms of a sum before it is added to the total: more would lose digits
_WORTH = {16: 0.5, 32: 0.5, 64: 0.75}  # measured against columns and BLAS, by bytes of a vector
_SIZES = ("made", "read", "rows", "bands", "share", "parts")


class Body(NamedTuple):
    """The size of a body: planes, and lanes of a vector of places."""

    planes: int
    lanes: int


def body_of(dtype: str, channels: int) -> Body:
    """Return the body for so many planes: as many sums as registers hold besides loaded vectors."""
    wide = vector_bytes(features())
    most = 8 if wide == 64 else 4
    return Body(-(-channels // -(-channels // most)), register(dtype))


def worth() -> float:
    """Return the least useful share of computed places for this to beat columns and BLAS."""
    return _WORTH[vector_bytes(features())]


def line_of(window: Window, out_w: int) -> int:
    """Return the cells of a line of the planes."""
    return out_w + _reach(window, 1)


def rows_of(dtype: str, window: Window, outs: tuple[int, ...], read: int, room: int) -> int:
    """Return how many rows of places have planes that fit the room; 0 if too few."""
    line, wide = line_of(window, outs[1]), register(dtype)
    slack = (_VECTORS + 1) * wide + line
    each = read * window.step[0] * window.step[1] * line
    rows = min((room - slack) // each - _reach(window, 0), (room // 16 - slack) // line, outs[0])
    if rows < 1:
        return 0
    rows = -(-outs[0] // -(-outs[0] // rows))
    return rows if rows == outs[0] or rows * line >= 4 * wide else 0


@functools.lru_cache(maxsize=256)
def direct_text(dtype: Compute, window: Window, body: Body, *, bias: bool, flips: bool) -> str:
    """Return the text of the convolution; `flips`: of the gradient by data of one with steps of
    one, whose window is reversed. The pads of `window` are ignored."""
    layout = Record(
        ("images", "groups"), ("x", "w", *(["bias"] if bias else []), "out"), (*SPACE, *_SIZES)
    )
    t = Lanes(dtype, body.lanes, layout)
    return _Direct(t, dtype, window, body, bias=bias, flips=flips).text()


# pieces -----------------------------------------------------------------------------------------


def _reach(window: Window, d: int) -> int:
    """Return the cells of a plane between a place and the last cell under its window."""
    return (window.kernel[d] - 1) * window.gap[d] // window.step[d]


class _Direct:
    """The writer of one such text."""

    def __init__(
        self, t: Lanes, dtype: str, window: Window, body: Body, *, bias: bool, flips: bool
    ) -> None:
        self.t, self.window, self.body, self.flips = t, window, body, flips
        self.volume = window.kernel[0] * window.kernel[1]
        self.room = t.room(ROOM[dtype])
        self.stage = t.room(ROOM[dtype] // 2)
        names = ("out", "in") if flips else ("in", "out")
        self.read_h, self.read_w, self.out_h, self.out_w = (
            t.word(f"{name}_{d}") for name in names for d in "hw"
        )
        self.out_features, self.read = t.word("made"), t.word("read")
        self.line = t.sum(self.out_w, _reach(window, 1))
        self.x, self.w, self.out = (t.pointer(name) for name in ("x", "w", "out"))
        self.bias = t.pointer("bias") if bias else ""
        # offsets of the lines of planes where rows of the window begin
        self.starts = t.cell(f"[{window.kernel[0]} x i64]")

    def text(self) -> str:
        """Return the complete text."""
        t = self.t
        groups, rows, bands, share, parts = (
            t.word(n) for n in ("groups", "rows", "bands", "share", "parts")
        )
        with t.loop("%lo", "%hi") as tile:
            place = t.number("sdiv", tile, parts)
            first = t.product(t.number("srem", tile, parts), share)
            last = t.least(t.sum(first, share), self.out_features)
            image = t.number("sdiv", place, bands)
            row = t.product(t.number("srem", place, bands), rows)
            count = t.least(rows, t.number("sub", self.out_h, row))
            plane = t.product(t.sum(count, _reach(self.window, 0)), self.line)
            self._copy_planes(image, row, plane)
            self._starts(plane)
            group = t.number("srem", image, groups)
            places = t.product(count, self.line)
            with t.loop(first, last, self.body.planes) as begin:
                self._compute_planes(group, begin, last, plane, places)
                self._copy_to_result(image, begin, last, row, count, places)
        return t.text()

    def _starts(self, plane: str) -> None:
        (kernel, _), (step, across), (gap, _) = (
            self.window.kernel, self.window.step, self.window.gap,
        )  # fmt: skip
        for k in range(kernel):
            phase, shift = k * gap % step, k * gap // step
            at = self.t.sum(self.t.product(plane, phase * across), self.t.product(self.line, shift))
            self.t.put_at(self.starts, k, at)

    def _copy_planes(self, image: str, row: str, plane: str) -> None:
        """Copy the input planes of a tile to the stack, cells a step apart, padded with zeros."""
        t, (step_h, step_w) = self.t, self.window.step
        pad_h, pad_w = (self._pad(d) for d in range(2))
        with t.loop(0, self.read) as n:
            source = t.at(
                self.x, t.product(t.sum(t.product(image, self.read), n), self.read_h, self.read_w)
            )
            for phase in range(step_h * step_w):
                down, along = divmod(phase, step_w)
                at = t.product(t.sum(t.product(n, step_h * step_w), phase), plane)
                with t.loop(0, plane, self.line) as begin:
                    j = t.number("sdiv", begin, self.line)
                    y = t.sum(t.product(t.sum(row, j), step_h), down, pad_h)
                    holds = t.value(f"icmp ult i64 {y}, {self.read_h}")
                    cells = t.at(source, t.product(y, self.read_w))
                    with t.loop(0, self.line, t.lanes) as q:
                        column = t.sum(t.product(q, step_w), along, pad_w)
                        wide = t.lanes * step_w
                        mask = t.both(t.mask(column, self.read_w, wide), holds, wide)
                        value = t.load(t.at(cells, column), mask, wide)
                        if step_w > 1:
                            value = t.picked(value, wide, range(0, wide, step_w))
                        t.store(t.at(self.room, t.sum(at, begin, q)), value)

    def _pad(self, d: int) -> str:
        """Return the first cell under the first place: minus the number of zeros there."""
        pad = self.t.word(f"pad_{'hw'[d]}")
        if self.flips:
            reach = (self.window.kernel[d] - 1) * self.window.gap[d]
            return self.t.number("sub", pad, reach)
        return self.t.number("sub", 0, pad)

    def _compute_planes(self, group: str, begin: str, last: str, plane: str, places: str) -> None:
        """Compute all places of some planes into the stage."""
        t = self.t
        vectors = t.number("sdiv", t.sum(places, t.lanes - 1), t.lanes)
        rest = t.number("srem", vectors, _VECTORS)
        whole = t.product(t.number("sub", vectors, rest), t.lanes)
        own = [
            t.least(t.sum(begin, m), t.sum(last, -1)) for m in range(self.body.planes)
        ]  # the last one repeats if there are too few
        firsts = [
            t.spread(t.at(self.bias, t.sum(t.product(group, self.out_features), m)))
            if self.bias
            else "zeroinitializer"
            for m in own
        ]
        along = self.volume if self.flips else t.product(self.read, self.volume)
        across = t.product(self.out_features, self.volume) if self.flips else str(self.volume)
        base = t.product(group, self.out_features, self.read, self.volume)
        weights = [t.sum(base, t.product(m, along)) for m in own]
        some = max(1, _TERMS // self.volume)
        with t.loop(0, self.read, some) as block:
            part = block, t.least(t.sum(block, some), self.read)
            behind = t.least(t.sum(part[1], some), self.read)
            with t.loop(part[1], behind) as n:  # the hardware prefetcher does not predict these
                for at in weights:
                    t.fetch(t.at(self.w, t.sum(at, t.product(n, across))))
            with t.loop(0, whole, _VECTORS * t.lanes) as p:
                self._sums(_VECTORS, p, part, plane, places, weights, across, firsts)
            for count in range(1, _VECTORS):
                with t.when(t.value(f"icmp eq i64 {rest}, {count}")):
                    self._sums(count, whole, part, plane, places, weights, across, firsts)

    def _sums(
        self, vectors: int, p: str, part: tuple[str, str], plane: str, places: str,
        weights: list[str], across: str, firsts: list[str],
    ) -> None:  # fmt: skip
        """Write a body: some vectors of places from `p` on, of some planes; sums over a part of the
        inputs are added to the stage, or to `firsts`."""
        t, (kernel_h, kernel_w) = self.t, self.window.kernel
        lines = kernel_h if self.volume <= _WRITTEN else 1  # lines of the window per iteration
        sums = [[t.cell() for _ in range(vectors)] for _ in weights]
        for cell in (cell for row in sums for cell in row):
            t.put(cell, "zeroinitializer")
        phases = self.window.step[0] * self.window.step[1]
        with t.loop(*part) as n:
            cells = t.sum(t.product(n, phases, plane), p)
            offset = t.product(n, across)
            with t.loop(0, kernel_h, lines) as top:
                first = t.product(top, kernel_w)
                if self.flips:
                    first = t.number("sub", self.volume - 1, first)
                factors = [t.at(self.w, t.sum(at, offset, first)) for at in weights]
                for kh in range(lines):
                    cell = t.at(self.room, t.sum(cells, t.get_at(self.starts, t.sum(top, kh))))
                    for kw in range(kernel_w):
                        at = kh * kernel_w + kw
                        at = -at if self.flips else at
                        self._tap(kw, cell, plane, [t.at(f, at) for f in factors], sums)
        step = t.sum(places, _VECTORS * t.lanes)
        begins = t.compare("eq", part[0], 0)
        for m, (row, bias) in enumerate(zip(sums, firsts, strict=True)):
            for k, cell in enumerate(row):
                place = t.at(self.stage, t.sum(t.product(step, m), p, k * t.lanes))
                old = f"select i1 {begins}, {t.vector} {bias}, {t.vector} {t.load(place)}"
                t.store(place, t.added(t.value(old), t.get(cell)))

    def _tap(
        self, kw: int, cell: str, plane: str, factors: list[str], sums: list[list[str]]
    ) -> None:
        """Add the products with one element of the window."""
        t, step, u = self.t, self.window.step[1], kw * self.window.gap[1]
        at = t.at(cell, t.sum(t.product(plane, u % step), u // step))
        loaded = [t.load(t.at(at, k * t.lanes)) for k in range(len(sums[0]))]
        for factor, own in zip(factors, sums, strict=True):
            weight = t.spread(factor)
            for total, value in zip(own, loaded, strict=True):
                t.put(total, t.fused(weight, value, t.get(total)))

    def _copy_to_result(
        self, image: str, begin: str, last: str, row: str, count: str, places: str
    ) -> None:
        """Copy rows of places from the stage to the result."""
        t = self.t
        step = t.sum(places, _VECTORS * t.lanes)
        with t.loop(begin, t.least(t.sum(begin, self.body.planes), last)) as m:
            plane = t.product(t.sum(t.product(image, self.out_features), m), self.out_h, self.out_w)
            target = t.at(self.out, t.sum(plane, t.product(row, self.out_w)))
            staged = t.at(self.stage, t.product(t.number("sub", m, begin), step))
            with t.loop(0, count) as r:
                source = t.at(staged, t.product(r, self.line))
                spots = t.at(target, t.product(r, self.out_w))
                with t.loop(0, self.out_w, t.lanes) as q:
                    inside = t.mask(q, self.out_w)
                    t.store(t.at(spots, q), t.load(t.at(source, q)), inside)
