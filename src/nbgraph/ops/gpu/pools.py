"""Pools on GPUs: a thread for each place, or for each cell in gradients.

A cell adds up what the places have for it whose windows hold it, in their order, so there are no
races. Of equal values the first cell of a window gave its maximum, and so does NaN, as on the host.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.kernels.cuda.sweeps import Element
from nbgraph.operator import elsewhere
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import Shape
from nbgraph.ops.gpu.columns import is_one, sweep_of, swept
from nbgraph.ops.gpu.windows import one_dtype
from nbgraph.ops.windows.pool_windows import pool_windows
from nbgraph.ops.windows.pools import (
    avg_pooling,
    avg_pooling_gradient,
    max_pooling,
    max_pooling_gradient,
    max_pooling_pick,
)
from nbgraph.ops.windows.windows import Windows


def _pooled(
    name: str,
    windows: Windows,
    names: Sequence[str],
    out: Spec,
    lines: Sequence[str],
    *,
    places: bool,
) -> KernelCall:
    """A kernel over the places or the cells of `out`, which become `value`; `names`: of operands,
    whose memory is `x_at` and so on."""
    of, sweep = Element(out.dtype.name), sweep_of(windows)
    space = sweep.parts("p", "out") if places else sweep.parts("z", "in")
    return swept(
        name,
        windows,
        (*names, "out"),
        math.prod(out.shape),
        {"planes": math.prod(out.shape[:2])},
        ["first = plane * cells", "begin = plane * places", *lines, of.store("made, i", "value")],
        parts=[("plane", ""), *space],
        before=[
            *(f"{each}_at = {of.pointer(each)}" for each in names),
            f"made = {of.pointer('out')}",
        ],
        compute=of.compute,
    )


# the largest value ------------------------------------------------------------------------------


@elsewhere.unit(max_pooling)
def largest(operands: Sequence[Spec], outputs: Sequence[Spec], **how: Any) -> KernelCall:
    """The largest of what lies under a window."""
    (x,), of = operands, Element(operands[0].dtype.name)
    windows = pool_windows("max_pooling", x.shape, **how)
    read = of.load("x_at, first + cell")
    lines = [
        f"value = {of.compute}(-1e999)",
        *sweep_of(windows).under([f"value = acc_max(value, {read})"]),
    ]
    return _pooled("max_pooling", windows, ("x",), outputs[0], lines, places=True)


@elsewhere.composed(max_pooling_gradient)
def gradient_in_one_dtype(*operands: Any, **how: Any) -> Any:
    """Operands of several dtypes are cast first."""
    given, same = one_dtype(operands)
    return None if same else max_pooling_gradient(*given, **how)


@elsewhere.unit(max_pooling_gradient)
def to_largest(operands: Sequence[Spec], outputs: Sequence[Spec], **how: Any) -> KernelCall | None:
    """Of the places whose maximum the cell gave: no cell of the window before it did."""
    if not is_one(operands):
        return None
    (out,), of = outputs, Element(outputs[0].dtype.name)
    windows = pool_windows("max_pooling_gradient", out.shape, **how)
    sweep = sweep_of(windows)
    before = [
        f"held = {of.load('x_at, first + cell_')}",
        "if element_ < element and (held == top or held != held):",
        "    own = 0",
    ]
    lines = [
        f"value = {of.compute}(0)",
        f"mine = {of.load('x_at, i')}",
        *sweep.over(
            [
                f"top = {of.load('y_at, begin + spot')}",
                "if mine == top or mine != mine:",
                "    own = 1",
                *(f"    {line}" for line in sweep.under(before, end="_")),
                "    if own == 1:",
                f"        value = value + {of.load('g_at, begin + spot')}",
            ]
        ),
    ]
    names = ("g", "x", "y")
    return _pooled("max_pooling_gradient", windows, names, out, lines, places=False)


@elsewhere.composed(max_pooling_pick)
def pick_in_one_dtype(*operands: Any, **how: Any) -> Any:
    """Operands of several dtypes are cast first."""
    given, same = one_dtype(operands)
    return None if same else max_pooling_pick(*given, **how)


@elsewhere.unit(max_pooling_pick)
def of_largest(operands: Sequence[Spec], outputs: Sequence[Spec], **how: Any) -> KernelCall | None:
    """The value in the first cell that gave the maximum."""
    if not is_one(operands):
        return None
    (out,), of = outputs, Element(outputs[0].dtype.name)
    windows = pool_windows("max_pooling_pick", operands[0].shape, **how)
    each = [
        f"held = {of.load('x_at, first + cell')}",
        "if left == 1 and (held == top or held != held):",
        f"    value = {of.load('v_at, first + cell')}",
        "    left = 0",
    ]
    lines = [
        f"value = {of.compute}(0)",
        f"top = {of.load('y_at, i')}",
        "left = 1",
        *sweep_of(windows).under(each),
    ]
    return _pooled("max_pooling_pick", windows, ("v", "x", "y"), out, lines, places=True)


# the mean ---------------------------------------------------------------------------------------


def _count(windows: Windows, kind: str, *, counted: bool) -> str:
    """The text of how many cells the mean of a place is of."""
    sweep, parts = sweep_of(windows), []
    for d, (n, pad) in enumerate(zip(windows.kernel, windows.pad, strict=True)):
        edge, start = pad if counted else 0, sweep.first(d)
        parts.append(f"(min({start} + {n}, in{d} + {edge}) - max({start}, 0 - {edge}))")
    return f"{kind}({' * '.join(parts)})"


@elsewhere.unit(avg_pooling)
def mean(
    operands: Sequence[Spec], outputs: Sequence[Spec], *, counted: bool, **how: Any
) -> KernelCall:
    """The mean of what lies under a window."""
    (x,), of = operands, Element(operands[0].dtype.name)
    windows = pool_windows("avg_pooling", x.shape, **how)
    read = of.load("x_at, first + cell")
    lines = [
        f"value = {of.compute}(0)",
        *sweep_of(windows).under([f"value = value + {read}"]),
        f"value = value / {_count(windows, of.compute, counted=counted)}",
    ]
    return _pooled("avg_pooling", windows, ("x",), outputs[0], lines, places=True)


@elsewhere.unit(avg_pooling_gradient)
def of_mean(
    operands: Sequence[Spec], outputs: Sequence[Spec], *, size: Shape, counted: bool, **how: Any
) -> KernelCall:
    """What places give to their cells."""
    (out,), of = outputs, Element(outputs[0].dtype.name)
    windows = pool_windows("avg_pooling_gradient", out.shape, **how)
    share = f"{of.load('g_at, begin + spot')} / {_count(windows, of.compute, counted=counted)}"
    lines = [f"value = {of.compute}(0)", *sweep_of(windows).over([f"value = value + {share}"])]
    return _pooled("avg_pooling_gradient", windows, ("g",), out, lines, places=False)
