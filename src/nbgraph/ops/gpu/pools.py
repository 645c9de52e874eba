"""Pools on GPUs: a thread per place, or per cell for gradients.

A thread sums the contributions of all places whose windows contain its cell, in order, so there are
no races. The first of equal values in a window is its maximum, and so is NaN, as on the host.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.kernels.scalar.kinds import Element
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.units import Units
from nbgraph.operator.spec import Specs
from nbgraph.ops.define import Shape
from nbgraph.ops.gpu.columns import is_one, sweep_of, swept
from nbgraph.ops.gpu.windows import in_one_dtype
from nbgraph.ops.windows.pool_windows import pool_windows
from nbgraph.ops.windows.pools import (
    avg_pooling,
    avg_pooling_gradient,
    max_pooling,
    max_pooling_gradient,
    max_pooling_pick,
)
from nbgraph.ops.windows.windows import Windows

Lines = Callable[[Element, Windows, bool], Sequence[str]]


def _pool(op: Any, names: Sequence[str], *, places: bool) -> Callable[[Lines], Lines]:
    """Decorate a function of element, windows and `counted` that returns the lines of a kernel over
    the places or the cells of the result, which set `value`. `names`: of operands, whose memory is
    `x_at` and so on; operands of several dtypes are cast first."""
    name = getattr(op, "op", op).__name__
    if len(names) > 1:
        in_one_dtype(op)

    def decorate(lines: Lines) -> Lines:
        @device_forms.unit(op)
        def form(
            operands: Specs,
            outputs: Specs,
            *,
            size: Shape | None = None,
            counted: bool = False,
            **how: Any,
        ) -> Units | None:
            if not is_one(operands):
                return None
            (out,), of = outputs, Element(outputs[0].dtype.name)
            windows = pool_windows(name, (operands[0] if places else out).shape, **how)
            sweep = sweep_of(windows)
            space = sweep.parts("p", "out") if places else sweep.parts("z", "in")
            begin = ["first = plane * cells", "begin = plane * places"]
            return swept(
                name,
                windows,
                (*names, "out"),
                math.prod(out.shape),
                {"planes": math.prod(out.shape[:2])},
                [*begin, *lines(of, windows, counted), of.store("target, i", "value")],
                parts=[("plane", ""), *space],
                before=[
                    *(f"{each}_at = {of.pointer(each)}" for each in names),
                    f"target = {of.pointer('out')}",
                ],
                compute=of.compute,
            )

        return lines

    return decorate


@_pool(max_pooling, ["x"], places=True)
def largest(of: Element, windows: Windows, counted: bool) -> Sequence[str]:
    """Return lines for the largest value under a window."""
    read = of.load("x_at, first + cell")
    each = sweep_of(windows).under([f"value = acc_max(value, {read})"])
    return [f"value = {of.compute}(-1e999)", *each]


@_pool(max_pooling_gradient, ["g", "x", "y"], places=False)
def to_largest(of: Element, windows: Windows, counted: bool) -> Sequence[str]:
    """Return lines for the sum over places whose maximum is the cell, the first in the window."""
    sweep = sweep_of(windows)
    before = [
        f"cell_value = {of.load('x_at, first + cell_')}",
        "if element_ < element and (cell_value == top or cell_value != cell_value):",
        "    own = 0",
    ]
    each = [
        f"top = {of.load('y_at, begin + spot')}",
        "if mine == top or mine != mine:",
        "    own = 1",
        *(f"    {line}" for line in sweep.under(before, end="_")),
        "    if own == 1:",
        f"        value = value + {of.load('g_at, begin + spot')}",
    ]
    return [f"value = {of.compute}(0)", f"mine = {of.load('x_at, i')}", *sweep.over(each)]


@_pool(max_pooling_pick, ["v", "x", "y"], places=True)
def of_largest(of: Element, windows: Windows, counted: bool) -> Sequence[str]:
    """Return lines for the value in the first cell with the maximum."""
    each = [
        f"cell_value = {of.load('x_at, first + cell')}",
        "if left == 1 and (cell_value == top or cell_value != cell_value):",
        f"    value = {of.load('v_at, first + cell')}",
        "    left = 0",
    ]
    begin = [f"value = {of.compute}(0)", f"top = {of.load('y_at, i')}", "left = 1"]
    return [*begin, *sweep_of(windows).under(each)]


def _count(windows: Windows, kind: str, counted: bool) -> str:
    """Return the text of the number of cells in the mean of a place."""
    sweep, parts = sweep_of(windows), []
    for d, (n, pad) in enumerate(zip(windows.kernel, windows.pad, strict=True)):
        edge, start = pad if counted else 0, sweep.first(d)
        parts.append(f"(min({start} + {n}, in{d} + {edge}) - max({start}, 0 - {edge}))")
    return f"{kind}({' * '.join(parts)})"


@_pool(avg_pooling, ["x"], places=True)
def mean(of: Element, windows: Windows, counted: bool) -> Sequence[str]:
    """Return lines for the mean of the values under a window."""
    each = sweep_of(windows).under([f"value = value + {of.load('x_at, first + cell')}"])
    count = _count(windows, of.compute, counted)
    return [f"value = {of.compute}(0)", *each, f"value = value / {count}"]


@_pool(avg_pooling_gradient, ["g"], places=False)
def of_mean(of: Element, windows: Windows, counted: bool) -> Sequence[str]:
    """Return lines for the contributions of places to a cell."""
    share = f"{of.load('g_at, begin + spot')} / {_count(windows, of.compute, counted)}"
    return [f"value = {of.compute}(0)", *sweep_of(windows).over([f"value = value + {share}"])]
