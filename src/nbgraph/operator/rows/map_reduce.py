"""A scalar operator with reductions of its results, as one operator over whole arrays.

A graph contains it where a loop ends in sums or extremes. `compute` is the naive version: the
scalar operator over whole arrays, then the reductions' own operators. A carrier that makes one loop
of it reads `Reduction.combine` and `axes`, and stores no array that is only reduced.
"""

import math
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from nbgraph.kernels.loops.loop import Combine
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.layout import Layout, layout, layout_of
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.request import kWriteTo
from nbgraph.operator.rows.reduce_call import block_on, reduce_call, result_dtype, total_dtype
from nbgraph.operator.scalar.map_call import Plan
from nbgraph.operator.scalar.typing import Array
from nbgraph.shape import Arrays, axes_of, broadcast

Numbers = tuple[bool | int | float, ...]


class Reduction(NamedTuple):
    """The reduction of one output: `combine` over `axes` trailing axes. `op` with `attributes` is
    the same operation over whole arrays, which also infers shape and dtype."""

    combine: Combine
    axes: int
    op: ArrayOp
    attributes: tuple[tuple[str, Any], ...]

    def spec(self, source: Spec) -> Spec:
        """Return the shape and dtype of the result."""
        return self.op.infer([source], dict(self.attributes))[0]

    def __repr__(self) -> str:
        return f"{self.op.__name__}[{self.axes}]"


Reductions = tuple[Reduction | None, ...]


class MapReduce(ArrayOp):
    """`mapper` over the operands and `numbers`; output i is reduced if `reductions[i]` is not None.

    Created by `map_reduce_op`. Attributes: `mapper`, its `parameters` as pairs, `numbers`: Python
    numbers that are its last operands, and `reductions`.
    """

    kernels = ("host", "devices")
    kernels_at_once = False

    def __init__(self, name: str, nout: int) -> None:
        super().__init__(name, _infer, _compute, operands=("*x",), nout=nout)

    def inplace_pairs(self, attributes: Attributes) -> Sequence[tuple[int, int]]:
        """See ArrayOp: outputs that are not reduced may overwrite any operand."""
        results = [k for k, r in enumerate(attributes["reductions"]) if r is None]
        return [(i, k) for i in range(attributes["mapper"].nin) for k in results]

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[Any]:
        return attributes["numbers"]

    def mode(self, attributes: Attributes) -> bool | None:
        return False

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one loop with reductions at its end; None if there are no elements."""
        operands, outputs, requests, attributes, host = case
        if any(x.size == 0 for x in operands):
            return None
        mapper, numbers = attributes["mapper"], attributes["numbers"]
        parameters, reductions = dict(attributes["parameters"]), attributes["reductions"]
        inner = elementwise(operands, mapper, parameters, numbers)
        plan = mapper.invoker.plan_of([*(x.dtype for x in operands), *numbers], parameters)
        needed = [word != "null" for word in requests]
        return reduce_call(
            plan,
            inner[0].shape,
            [*operands, *(None for _ in numbers)],
            [
                own if n else layout(*before)
                for own, n, before in zip(outputs, needed, inner, strict=True)
            ],
            requests,
            [None if r is None else r.combine for r in reductions],
            max(r.axes for r in reductions if r is not None),
            disjoint=True,
            block=block_on(host, math.prod(inner[0].shape)),
        )

    def __reduce__(self) -> Any:
        return map_reduce_op, (self.__name__, self.nout)


@lru_cache(maxsize=512)
def map_reduce_op(name: str, nout: int) -> MapReduce:
    """Return the operator of this name with `nout` outputs; equal arguments give one object.

    >>> import nbgraph as ng
    >>> total = Reduction("add", 1, ng.sum.op, (("axis", -1), ("dtype", None), ("keepdims", False)))
    >>> doubled_sum = map_reduce_op("doubled_sum", 1)
    >>> x, given = np.float32([[1, 2], [3, 4]]), {"parameters": (), "numbers": (2.0,)}
    >>> doubled_sum(x, mapper=ng.multiply, reductions=(total,), **given)
    array([ 6., 14.], dtype=float32)
    """
    return MapReduce(name, nout)


def elementwise(
    operands: Sequence[Spec | Layout],
    mapper: Mapper,
    parameters: Mapping[str, Any],
    numbers: Numbers,
) -> tuple[Spec, ...]:
    """Return the results of the scalar operator before any reduction."""
    plan = mapper.invoker.plan_of([*(spec.dtype for spec in operands), *numbers], parameters)
    shapes = [*(spec.shape for spec in operands), *(() for _ in numbers)]
    names = zip(mapper.scalar.operands, shapes, strict=True)
    shape = broadcast(mapper.__name__, list(names))
    return tuple(Spec(shape, dtype) for dtype in plan.typed.outputs)


def _infer(
    *operands: Spec,
    mapper: Mapper,
    parameters: tuple[tuple[str, Any], ...],
    numbers: Numbers,
    reductions: Reductions,
) -> tuple[Spec, ...]:
    specs_in = elementwise(operands, mapper, dict(parameters), numbers)
    return tuple(
        spec if reduction is None else reduction.spec(spec)
        for spec, reduction in zip(specs_in, reductions, strict=True)
    )


def _compute(
    inputs: Arrays,
    outputs: Arrays,
    *,
    mapper: Mapper,
    parameters: tuple[tuple[str, Any], ...],
    numbers: Numbers,
    reductions: Reductions,
) -> None:
    results = mapper(*inputs, *numbers, **dict(parameters))
    values = results if mapper.nout > 1 else (results,)
    for value, reduction, out in zip(values, reductions, outputs, strict=True):
        if reduction is None:
            out[...] = value
        else:
            reduction.op.run([np.asarray(value)], [out], [kWriteTo], dict(reduction.attributes))


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
    """Return `combine` of `op(*operands)` over axes, without an array of intermediate values.

    Floats keep their dtype (sums accumulate in blocks, block totals in float64) unless `wide` asks
    for the dtype of totals; integers sum to int64 or uint64. Max and min of nothing raise
    ValueError.
    """
    values = op.parameters_of(dict(parameters))
    arrays, plan = op.invoker.prepare(operands, values)
    names = list(zip(op.scalar.operands, (a.shape for a in arrays), strict=True))
    shape = broadcast(op.__name__, names)
    axes = sorted(axes_of(op.__name__, axis, len(shape)))
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
    plan: Plan, views: Sequence[Array], axes: Sequence[int], combine: Combine, result: Array
) -> None:
    """Run the kernels over views of one shape, with the reduced axes last."""
    order = [*(d for d in range(views[0].ndim) if d not in axes), *axes]
    turned = [view.transpose(order) for view in views]
    in_layouts, out_layout = [layout_of(view) for view in turned], layout_of(result)
    combines: list[Combine | None] = [combine]
    shape = turned[0].shape
    reduction = reduce_call(plan, shape, in_layouts, [out_layout], ["write"], combines, len(axes))
    arrays = [*turned, result, *(own.empty() for own in reduction.scratch)]
    for call in reduction.calls:
        call.run(arrays)
