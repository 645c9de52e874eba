"""Windows of pools: their positions, kernel arguments, and the options of calls."""

import math
from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.ops.define import Shape
from nbgraph.ops.windows.windows import Windows, per_axis, require_space, spelled


def pool_windows(
    name: str, shape: Shape, window: Any, stride: Any, pad: Any, *, ceil: bool, dilation: Any = 1
) -> Windows:
    """Return windows over data of a shape; ShapeError if none fits."""
    axes = require_space(name, "x", shape)
    kernel = spelled(name, "window", window, axes)
    step = kernel if stride is None else spelled(name, "stride", stride, axes)
    around, gap = spelled(name, "pad", pad, axes), spelled(name, "dilation", dilation, axes)
    reach = tuple((k - 1) * g + 1 for k, g in zip(kernel, gap, strict=True))
    if any(p >= r for p, r in zip(around, reach, strict=True)):
        raise ShapeError(
            f"{name}: pad={around} beside window={kernel}: some windows would hold nothing but "
            "padding; a pad has to be smaller than the window"
        )
    each = zip(shape[2:], reach, step, around, strict=True)
    outs = tuple(_places(*own, ceil=ceil) for own in each)
    if min(outs) < 1:
        raise ShapeError(
            f"{name}: a window of {reach} does not fit into space {shape[2:]} with pad {around}; "
            "give a smaller window"
        )
    return Windows(shape[2:], outs, kernel, step, around, gap)


def _places(cells: int, window: int, step: int, pad: int, *, ceil: bool) -> int:
    """Return the number of places along an axis; the last window begins within the data."""
    rest = cells + 2 * pad - window
    if not ceil:
        return rest // step + 1
    places = -(-rest // step) + 1
    return places - 1 if (places - 1) * step >= cells + pad else places


def pool_call(
    text: str, windows: Windows, planes: int, dtype: Any, *, counted: bool = False
) -> KernelCall | None:
    """Return the call of a kernel, or None for long lines. `text`: the name of the function of
    `nbgraph.kernels.windows.pools`."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.loops.loop import ROOM
    from nbgraph.kernels.windows import pools

    if windows.outs[-1] > ROOM[dtype]:
        return None
    line = pools.Line(windows.kernel[-1], windows.step[-1], windows.gap[-1])
    text_of = getattr(pools, f"{text}_text")(dtype, line)
    name = text_of.rsplit("def ", 1)[1].split("(", 1)[0]
    words = windows.words()
    cost = int(planes * (windows.spots * windows.volume * 0.4 + math.prod(windows.ins) * 0.2))
    return tile_call(written(name, text_of, dtype), (planes, int(counted)), words, planes, cost)


def pool_options(
    name: str, window: Any, stride: Any, pad: Any, ceil: Any, dilation: Any = 1
) -> dict[str, Any]:
    """Return the attributes of the operators; gaps only if there are any."""
    options = {
        "window": per_axis(name, "window", window, 1),
        "stride": None if stride is None else per_axis(name, "stride", stride, 1),
        "pad": per_axis(name, "pad", pad, 0),
        "ceil": bool(ceil),
    }
    gap = per_axis(name, "dilation", dilation, 1)
    return {**options, "dilation": gap} if np.max(gap) > 1 else options
