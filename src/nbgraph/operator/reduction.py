"""Map and reduce in one pass: a scalar function's values combined over axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.errors import AxisError
from nbgraph.kernels.loops import Combine
from nbgraph.operator.layout import layout_of
from nbgraph.operator.map_call import Plan
from nbgraph.operator.reduce_call import reduce_call, result_dtype, total_dtype
from nbgraph.operator.typing import Array
from nbgraph.shape import broadcast

if TYPE_CHECKING:
    from nbgraph.operator.mapper import Mapper

_IDENTITY: dict[str, float] = {"add": 0.0, "multiply": 1.0}


def map_reduce(
    op: Mapper,
    *operands: Any,
    axis: int | tuple[int, ...] | None = None,
    combine: Combine = "add",
    keepdims: bool = False,
    wide: bool = False,
    **parameters: Any,
) -> Any:
    """`combine` of `op(*operands)` over axes, without an array of the values in between.

    Floats keep their dtype (sums accumulate in blocks, block totals in float64), unless the result
    is asked for `wide`, as a total among others; integers sum to int64 or uint64. Max and min of
    nothing raise ValueError.
    """
    values = op.parameters(dict(parameters))
    arrays, plan = op.invoker.prepare(operands, values)
    names = list(zip(op.scalar.operands, (a.shape for a in arrays), strict=True))
    shape = broadcast(op.__name__, names)
    axes = _axes(op.__name__, shape, axis)
    final = plan.typed.outputs[0]
    if combine not in ("max", "min"):
        final = (total_dtype if wide else result_dtype)(final, combine)
    kept_shape = tuple(n for d, n in enumerate(shape) if d not in axes)
    if math.prod(shape):
        result = np.empty(kept_shape, final)
        _run(plan, [np.broadcast_to(a, shape) for a in arrays], axes, combine, result)
    elif combine in _IDENTITY or not math.prod(kept_shape):
        result = np.full(kept_shape, _IDENTITY.get(combine, 0), final)
    else:
        raise ValueError(f"{op.__name__}: {combine} of an empty array has no value")
    if keepdims:
        result = result.reshape([1 if d in axes else n for d, n in enumerate(shape)])
    return result[()] if result.ndim == 0 else result


def _run(
    plan: Plan,
    views: Sequence[Array],
    axes: Sequence[int],
    combine: Combine,
    result: Array,
) -> None:
    """The kernels over views of one shape, with the reduced axes last."""
    order = [*(d for d in range(views[0].ndim) if d not in axes), *axes]
    turned = [view.transpose(order) for view in views]
    given, made = [layout_of(view) for view in turned], layout_of(result)
    combines: list[Combine | None] = [combine]
    shape = turned[0].shape
    found = reduce_call(plan, shape, given, [made], ["write"], combines, len(axes))
    arrays = [*turned, result, *(own.empty() for own in found.scratch)]
    for call in found.calls:
        call.run(arrays)


def _axes(name: str, shape: tuple[int, ...], axis: int | tuple[int, ...] | None) -> list[int]:
    if axis is None:
        return list(range(len(shape)))
    given = axis if isinstance(axis, tuple) else (axis,)
    for d in given:
        if not -len(shape) <= d < len(shape):
            raise AxisError(f"{name}: axis {d} is out of bounds for shape {shape}")
    return sorted({d % len(shape) for d in given})
