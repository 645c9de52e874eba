"""The carrier of Dask arrays; see `nbgraph.operator.call`."""

from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.array.core import handle_out

from nbgraph.array import NDArray
from nbgraph.blocks import routes
from nbgraph.blocks.elementwise import mapped
from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.arrays.at_once import check_out
from nbgraph.operator.call import carrier_of, recording
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.spec import Attributes, Spec

da.register_chunk_type(NDArray)


class Blocks:
    """The carrier of operators on Dask arrays: results are Dask arrays, nothing is computed.

    NumPy arrays, NDArrays and numbers may be further operands.
    """

    __nbgraph_priority__ = 25  # above NDArrays and symbols, below arrays of a trace

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Apply an operator; see `nbgraph.operator.call`."""
        recorder = recording.get()
        if recorder is not None and recorder.traces:
            return recorder.carry(op, operands, attributes, out)
        for value in operands:
            require_plain(op.__name__, value, recorder)
        apply: Any = mapped if isinstance(op, Mapper) else routes.applied
        results = apply(op, operands, attributes)
        return results if out is None else _delivered(op.__name__, results, out)

    @classmethod
    def __nbgraph_dynamic__(cls, name: str, *_: Any) -> Any:
        """Refuse a function whose result's shape depends on values."""
        raise ArgumentError(
            f"{name}: the shape of the result depends on values, which a Dask array does not have "
            f"yet; compute() it first, or use dask.array.{name} where there is one"
        )


def require_plain(name: str, value: Any, recorder: Any) -> None:
    """Raise ArgumentError for a symbol, and for an array whose gradient would be lost."""
    if isinstance(value, NDArray):
        if recorder is not None and recorder.records and value._node is not None:
            raise ArgumentError(
                f"{name}: an NDArray whose gradient is recorded meets a Dask array, which the tape "
                "cannot follow; give the Dask array as an argument of the function that "
                "ng.value_and_grad differentiates, or decorate that function with ng.jit"
            )
    elif carrier_of((value,)) not in (None, Blocks):
        raise ArgumentError(
            f"{name}: {noun(value)} stands beside a Dask array; a graph takes arrays "
            "when it is bound: use ng.var, or ng.jit of a function of Dask arrays"
        )


def _delivered(name: str, results: Any, out: Sequence[Any]) -> Any:
    """Return the results; `out` arrays are rebound to them, as in Dask."""
    values = list(results) if isinstance(results, tuple) else [results]
    for i, (result, target) in enumerate(zip(values, out, strict=True)):
        if target is None:
            continue
        if not is_lazy(target):
            raise ArgumentError(
                f"{name}: out is {noun(target)}, but the operands are Dask arrays, "
                "which compute later; leave out= away and write the result with dask.array.store"
            )
        check_out(name, target, Spec(result.shape, np.dtype(result.dtype)), i)
        values[i] = handle_out(target, result.astype(target.dtype))
    return values[0] if len(values) == 1 else tuple(values)
