"""Scalar functions over Dask arrays, block by block."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.blocks.tasks import Task, is_known, lifted, per_block
from nbgraph.errors import ArgumentError
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.spec import Attributes, Spec
from nbgraph.shape import broadcast


def mapped(op: Mapper, operands: Sequence[Any], attributes: Attributes) -> Any:
    """Return the operator's result for arrays with one at least of Dask; a tuple for several.

    Shape and dtype are inferred as for other arrays. ShapeError, DTypeError and ArgumentError are
    raised here, not when blocks are computed.
    """
    if op.scalar.draws:
        raise ArgumentError(
            f"{op.__name__}: it draws random numbers, which Dask may draw again for a block; add "
            "numbers of dask.array.random instead"
        )
    op.require_certificate()
    op.refresh()
    parameters = op.parameters_of(dict(attributes))
    names = op.scalar.operands
    values: list[Any] = [
        v if isinstance(v, (bool, int, float, np.generic)) else lifted(op.__name__, name, v)
        for name, v in zip(names, operands, strict=True)
    ]
    arrays = [v for v in values if is_lazy(v)]
    if all(is_known(v.shape) for v in arrays):
        shapes = [v.shape if is_lazy(v) else () for v in values]
        broadcast(op.__name__, list(zip(names, shapes, strict=True)))
    kinds = [v if type(v) in (bool, int, float) else v.dtype for v in values]
    dtypes = op.invoker.plan_of(kinds, parameters).typed.outputs
    outputs = per_block(Task(op, parameters), values, [Spec((), dtype) for dtype in dtypes])
    return outputs[0] if len(outputs) == 1 else tuple(outputs)
