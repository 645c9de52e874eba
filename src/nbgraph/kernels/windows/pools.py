"""Texts of kernels that reduce the values under a window to one, and of their transposes.

[lo, hi) counts planes: the space of one channel in one image. A line of places is computed at once,
on the stack: for each line of cells under it, all elements of the window along that line. Their
number and the step are part of the text if they are small, so that LLVM vectorises; at the edges
elements are handled one by one.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.kernels.compiler.written import Record, function, part, run
from nbgraph.kernels.loops.loop import ROOM
from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.kernels.windows.convolution import SPACE

_WIDEST, _FARTHEST = 8, 4  # elements along a line, and a step, that are part of a text


class Line(NamedTuple):
    """The windows along a line: elements, and the cells between places and between elements."""

    width: int
    step: int
    gap: int


class _Pool(NamedTuple):
    """One kind of pool.

    `spots`, `cells`: arrays with a value per place and per cell, in the order of the record; "line"
    is the stack's. `begin`, `each`, `end`: lines for a place before, for every element of the
    window (`{at}` is its cell), and after.
    """

    spots: tuple[str, ...]
    cells: tuple[str, ...]
    begin: Sequence[str]
    each: Sequence[str]
    end: Sequence[str]

    def run(
        self, name: str, group: int, step: str, dtype: str, *, gap: int = 1, apart: bool
    ) -> str:
        """Return the function for places [0, m), for `group` elements of the window, `gap` cells
        apart. `apart`: different places access different cells."""
        lines = [*self.begin]
        for j in range(group):
            at = f"i * {step}" + (f" + {j * gap}" if j else "")
            lines += [line.replace("{at}", at) for line in self.each]
        lines += self.end
        says = "_element" if apart else ""
        body = "\n".join(f"    {line}" for line in lines)
        for word in ("load", "store"):
            body = body.replace(f"{word}(", f"{word}{says}(")
        arguments = ", ".join((*self.spots, "line", *self.cells, "step", "m"))
        return part(
            f"{name}({arguments})", f"zero = {dtype}(0)", "for i in range(m):", body, "return 0"
        )


_MAX = _Pool(
    (), ("x",), ["t = load(line, i)"], ["t = acc_max(t, load(x, {at}))"], ["store(line, i, t)"]
)
_SUM = _Pool((), ("x",), ["t = load(line, i)"], ["t = t + load(x, {at})"], ["store(line, i, t)"])
_SPREAD = _Pool((), ("out",), ["t = load(line, i)"], ["store(out, {at}, load(out, {at}) + t)"], [])
# `line` is 1 until the place reaches the cell of its maximum: the first one that equals it
_FIRST = ["c = load(x, {at})", "t = select((c == o) | (c != c), f, zero)", "f = f - t"]
_TO_MAX = _Pool(
    ("g", "y"),
    ("x", "out"),
    ["f = load(line, i)", "o = load(y, i)", "d = load(g, i)"],
    [*_FIRST, "store(out, {at}, load(out, {at}) + select(t != zero, d, zero))"],
    ["store(line, i, f)"],
)
_OF_MAX = _Pool(
    ("y", "out"),
    ("v", "x"),
    ["f = load(line, i)", "o = load(y, i)", "d = load(out, i)"],
    [*_FIRST, "d = d + select(t != zero, load(v, {at}), zero)"],
    ["store(line, i, f)", "store(out, i, d)"],
)


def max_text(dtype: str, line: Line) -> str:
    """Return the text of out = the largest value; NaN if there is one."""
    layout = record("x", "out", adds=True)
    begin = [f"done = filled(line, {dtype}(-1e999), out_w)"]
    end = [f"done = delivered({_at('out', dtype)}, line, out_w, adds)"]
    planes, helpers = _tiling_windows(dtype, line)
    return helpers + _text(
        "max_pooling", layout, _MAX, dtype, line, begin=begin, end=end, planes=planes
    )


def mean_text(dtype: str, line: Line) -> str:
    """Return the text of out = the mean; `counted`: cells of the pad count as zeros."""
    layout = record("x", "out", adds=True)
    begin = [f"done = filled(line, {dtype}(0), out_w)"]
    end = [
        *_COUNTED,
        "done = divided(args, line, line, count)",
        f"done = delivered({_at('out', dtype)}, line, out_w, adds)",
    ]
    return _text("avg_pooling", layout, _SUM, dtype, line, begin=begin, end=end)


def mean_gradient_text(dtype: str, line: Line) -> str:
    """Return the text of out[cell] = the sum of the gradients of places above it, each divided."""
    layout = record("g", "out")
    begin = [*_COUNTED, f"done = divided(args, line, {_at('g', dtype)}, count)"]
    return _text("avg_pooling_gradient", layout, _SPREAD, dtype, line, begin=begin)


def max_gradient_text(dtype: str, line: Line) -> str:
    """Return the text of out[cell] = the gradients of the places whose maximum it is."""
    layout = record("g", "x", "y", "out")
    begin = [f"done = filled(line, {dtype}(1), out_w)"]
    return _text("max_pooling_gradient", layout, _TO_MAX, dtype, line, begin=begin)


def max_pick_text(dtype: str, line: Line) -> str:
    """Return the text of out[place] = the value of `v` in the cell of the maximum."""
    layout = record("v", "x", "y", "out", adds=True)
    begin = [f"done = filled(line, {dtype}(1), out_w)"]
    begin += ["if adds == 0:", f"    done = filled({_at('out', dtype)}, {dtype}(0), out_w)"]
    return _text("max_pooling_pick", layout, _OF_MAX, dtype, line, begin=begin)


def record(*addresses: str, adds: bool = False) -> Record:
    """Return the record of a pool: planes, whether cells of the pad count; addresses, and the rest.
    `adds`: whether a call may add to the result."""
    return Record(("planes", "counted"), addresses, (*SPACE, *(["adds"] if adds else [])))


# pieces -----------------------------------------------------------------------------------------


def _tiling_windows(dtype: str, line: Line) -> tuple[list[str], str]:
    """Return lines and functions for a plane whose lines the windows tile: first the maximum over
    rows, of many lines, so that one long run remains."""
    width, step, gap = line
    if gap > 1 or not 1 < width <= min(step, _FARTHEST):
        return [], ""
    upright = part(
        "upright(line, x, n, m, step, height)",
        "for j in range(n):",
        "    for i in range(m):",
        "        store_output(line, j * m + i, load_input(x, j * step + i))",
        "    for k in range(1, height):",
        "        for c in range(m):",
        "            t = acc_max(load(line, j * m + c), load_input(x, j * step + k * m + c))",
        "            store_output(line, j * m + c, t)",
        "return 0",
    )
    across = part(
        "across(out, line, n)",
        "for i in range(n):",
        f"    t = load_input(line, i * {step})",
        *(f"    t = acc_max(t, load_input(line, i * {step} + {k}))" for k in range(1, width)),
        "    store_output(out, i, t)",
        "return 0",
    )
    item = ITEMSIZE[dtype]
    planes = [
        "begun = 0",
        "fits = pad_h + pad_w + adds == 0 and gap_h == 1 and in_d == 1 and kernel_d == 1",
        f"if fits and step_w * out_w == in_w and in_w <= {ROOM[dtype]}:",
        "    last = min(out_h, max(0, in_h - kernel_h + step_h) // step_h)",  # wholly within
        "    while begun < last:",
        f"        n = min({ROOM[dtype]} // in_w, last - begun)",
        f"        cell = x + (plane * in_h + begun * step_h) * in_w * {item}",
        f"        done = upright(line, {dtype}_pointer(cell), n, in_w, step_h * in_w, kernel_h)",
        f"        spot = out + (plane * out_h + begun) * out_w * {item}",
        f"        done = across({dtype}_pointer(spot), line, n * out_w)",
        "        begun += n",
    ]
    return planes, upright + across


def _at(name: str, dtype: str) -> str:
    """Return the text of the address of a line of places in an array."""
    return f"{dtype}_pointer({name} + spot * {ITEMSIZE[dtype]})"


_COUNTED = [
    "edge_d = pad_d if counted != 0 else 0",
    "edge_h = pad_h if counted != 0 else 0",
    "top = d * step_d - pad_d",
    "left = h * step_h - pad_h",
    "count = min(top + kernel_d, in_d + edge_d) - max(top, 0 - edge_d)",
    "count = count * (min(left + kernel_h, in_h + edge_h) - max(left, 0 - edge_h))",
]


def _helpers(layout: Record, dtype: str) -> str:
    delivered = part(
        "delivered(y, line, m, adds)",
        "if adds != 0:",
        "    for i in range(m):",
        "        store_output(y, i, load(y, i) + load_input(line, i))",
        "else:",
        "    for j in range(m):",
        "        store_output(y, j, load_input(line, j))",
        "return 0",
    )
    filled = run("filled(y, value, m)", "store(y, i, value)")
    divided = part(
        "divided(args, line, x, count)",
        *layout.reading("counted", "in_w", "out_w", "kernel_w", "step_w", "pad_w"),
        "edge = pad_w if counted != 0 else 0",
        "for i in range(out_w):",
        "    first = i * step_w - pad_w",
        "    n = min(first + kernel_w, in_w + edge) - max(first, 0 - edge)",
        f"    store(line, i, load(x, i) / {dtype}(count * n))",
        "return 0",
    )
    return delivered + filled + divided


def _text(
    name: str,
    layout: Record,
    pool: _Pool,
    dtype: str,
    line: Line,
    *,
    begin: Sequence[str],
    end: Sequence[str] = (),
    planes: Sequence[str] = (),
) -> str:
    """Return the complete text for windows along a line. `planes`: lines that may handle the lines
    of places from the first to the one before `begun`."""
    width, step, gap = line
    group = width if width <= _WIDEST else 1
    near = step <= _FARTHEST
    runs = pool.run("one", 1, "step", dtype, apart=True)
    if group > 1:
        by = str(step) if near else "step"
        apart = (group - 1) * gap < step
        runs += pool.run("all", group, by, dtype, gap=gap, apart=apart)
    item = ITEMSIZE[dtype]
    whole = f"{dtype}_pointer(out + plane * cells * {item})"
    clears = [f"done = filled({whole}, {dtype}(0), cells)"] if "out" in pool.cells else []
    return (
        _helpers(layout, dtype)
        + runs
        + _line(layout, pool, dtype, group, gap)
        + function(
            f"def {name}(args, lo, hi):",
            *layout.reading(*(n for n in layout.names if n != "planes")),
            f"line = room_{dtype}()",
            "cells = in_d * in_h * in_w",
            "done = 0",
            "for plane in range(lo, hi):",
            *(f"    {text}" for text in clears),
            *(f"    {text}" for text in planes or ["begun = 0"]),
            "    for d in range(out_d):",
            "        for h in range(begun, out_h):",
            "            spot = ((plane * out_d + d) * out_h + h) * out_w",
            *(f"            {text}" for text in begin),
            "            done = placed(args, line, plane, d, h, spot)",
            *(f"            {text}" for text in end),
            "return 0",
        )
    )


def _line(layout: Record, pool: _Pool, dtype: str, group: int, gap: int) -> str:
    """Return a line of places: all lines of cells under it, in order."""
    item = ITEMSIZE[dtype]
    names = (*pool.spots, *pool.cells)

    def call(run: str, start: str, count: str, k: str) -> str:
        spots = [f"{dtype}_pointer({n} + (spot + {start}) * {item})" for n in pool.spots]
        own = f"shifted(line, ({start}) * {item})"
        cells = [
            f"{dtype}_pointer({n} + (cell + ({start}) * step_w + {k}) * {item})" for n in pool.cells
        ]
        return f"done = {run}({', '.join((*spots, own, *cells, 'step_w', count))})"

    edges = [
        "begin = (max(0, 0 - k) + step_w - 1) // step_w",
        "end = min(out_w, (max(0, in_w - k) + step_w - 1) // step_w)",
    ]
    if group == 1:
        inner = [
            "for j in range(kernel_w):",
            "    k = j * gap_w - pad_w",
            *(f"    {line}" for line in edges),
            "    if end > begin:",
            "        " + call("one", "begin", "end - begin", "k"),
        ]
    else:
        reach = (group - 1) * gap
        inner = [
            "a = min(out_w, (pad_w + step_w - 1) // step_w)",
            f"b = max(a, min(out_w, (max(0, in_w + pad_w - {reach}) + step_w - 1) // step_w))",
            # edges go place by place, to keep the window's order for each place
            "if b > a:",
            "    " + call("all", "a", "b - a", "0 - pad_w"),
            "if a > 0 or b < out_w:",
            "    for j in range(kernel_w):",
            "        k = j * gap_w - pad_w",
            *(f"        {line}" for line in edges),
            "        if min(a, end) > begin:",
            "            " + call("one", "begin", "min(a, end) - begin", "k"),
            "        if end > max(b, begin):",
            "            " + call("one", "max(b, begin)", "end - max(b, begin)", "k"),
        ]
    return part(
        "placed(args, line, plane, d, h, spot)",
        *layout.reading(*names, *SPACE),
        "done = 0",
        "for kd in range(kernel_d):",
        "    z = d * step_d + kd * gap_d - pad_d",
        "    for kh in range(kernel_h):",
        "        y_ = h * step_h + kh * gap_h - pad_h",
        "        if (0 <= z < in_d) and (0 <= y_ < in_h):",
        "            cell = ((plane * in_d + z) * in_h + y_) * in_w",
        *(f"            {text}" for text in inner),
        "return done",
    )
