"""Common parts of the room: arrays as Dask arrays, and functions of blocks that can be sent."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

import dask.array as da
import numpy as np

from nbgraph.array import NDArray
from nbgraph.array.create import array
from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.operator.spec import Attributes, Spec, Specs
from nbgraph.ops.define import library
from nbgraph.signatures import Function

Shape = tuple[Any, ...]
_UNKNOWN = 1 << 40  # stands for an extent unknown to Dask


class Task:
    """An operator with its attributes as a function of blocks."""

    def __init__(self, op: Any, attributes: Attributes) -> None:
        self.op, self.attributes = op, dict(attributes)
        self.__name__ = op.__name__

    def __call__(self, *blocks: Any) -> Any:
        """Apply the operator."""
        return self.op(*blocks, **self.attributes)

    def __reduce__(self) -> Any:
        if not isinstance(self.op, ArrayOp):
            return Task, (self.op, self.attributes)  # mappers are pickled by content
        from nbgraph.graph.recipes import RecipeWriter

        writer = RecipeWriter()
        number = writer.number(self.op)
        return _task, (json.dumps(writer.recipes), number, self.attributes)

    def __dask_tokenize__(self) -> Any:
        return self.__reduce__()


def _task(recipes: str, number: int, attributes: Attributes) -> Task:
    from nbgraph.graph.recipe_reader import RecipeReader, Trust

    reader = RecipeReader(json.loads(recipes), [], Trust(allow_code=True), "Dask task")
    return Task(reader.operator(number), attributes)


def lifted(name: str, operand: str, value: Any) -> Any:
    """Return a Dask array of any array; one of NDArrays keeps them."""
    if is_lazy(value):
        return value
    if isinstance(value, NDArray):
        return da.from_array(value, chunks=-1, asarray=False)  # type: ignore[arg-type]
    return da.asarray(np.asarray(as_operand(name, operand, value)))


def meta_of(arrays: Sequence[Any], ndim: int, dtype: Any) -> Any:
    """Return an array without elements, of the class that results of such arrays have."""
    empty = np.empty((0,) * ndim, dtype)
    ours = any(isinstance(getattr(a, "_meta", None), NDArray) for a in arrays)
    return array(empty) if ours else empty


def along(ndim: int) -> tuple[int, ...]:
    """Return the labels of axes in `dask.array.blockwise`: the last is 0, as in broadcasting."""
    return tuple(range(ndim))[::-1]


def pairs(values: Sequence[Any]) -> Iterator[Any]:
    """Yield arrays with their labels, values with None."""
    for value in values:
        yield value
        yield along(value.ndim) if is_lazy(value) else None


def per_block(
    function: Function, values: Sequence[Any], specs: Specs, chunks: Sequence[Any] | None = None
) -> list[Any]:
    """Return the results of a function of blocks at the same position of arrays that broadcast.

    `chunks` are those of each result; by default the operands'.
    """
    ndim = max(v.ndim for v in values if is_lazy(v))
    shared: dict[str, Any] = {"align_arrays": True, "concatenate": True, "token": function.__name__}
    if len(specs) == 1:
        (spec,) = specs
        changed = {} if chunks is None else dict(zip(along(ndim), chunks[0], strict=True))
        meta = meta_of(values, ndim, spec.dtype)
        return [
            da.blockwise(
                *(function, along(ndim), *pairs(values)),
                adjust_chunks=changed or None,
                dtype=spec.dtype,
                meta=meta,
                **shared,
            )
        ]
    tuples = da.blockwise(
        *(function, along(ndim), *pairs(values)),
        dtype=object,
        meta=np.empty((0,) * ndim, object),
        **shared,
    )
    return [
        da.map_blocks(
            *(_item, tuples, i),
            chunks=None if chunks is None else chunks[i],
            dtype=spec.dtype,
            meta=meta_of(values, ndim, spec.dtype),
        )
        for i, spec in enumerate(specs)
    ]


def cast(x: Any, dtype: np.dtype[Any]) -> Any:
    """Return the array in another dtype, without NumPy's warnings."""
    if x.dtype == dtype:
        return x
    return per_block(Task(library.astype.op, {"dtype": dtype}), [x], [Spec((), dtype)])[0]


def _item(results: Any, index: int) -> Any:
    return results[index]


# shapes of which Dask does not know all ---------------------------------------------------------


def is_known(shape: Shape) -> bool:
    """Return whether all extents are known."""
    return not any(np.isnan(n) for n in shape)


def spec_of(array: Any) -> Spec:
    """Return shape and dtype; the same large number stands for unknown extents along an axis."""
    ndim = array.ndim
    shape = tuple(_UNKNOWN + ndim - d if np.isnan(n) else n for d, n in enumerate(array.shape))
    return Spec(shape, np.dtype(array.dtype))


def shape_for(spec: Spec) -> Shape:
    """Return the shape of a spec that was inferred from those of `spec_of`."""
    return tuple(np.nan if n > _UNKNOWN else n for n in spec.shape)


def whole(array: Any, axes: Sequence[int]) -> bool:
    """Return whether an array is in one block along axes."""
    return all(array.numblocks[d] == 1 for d in axes)


def require_pure(op: ArrayOp) -> None:
    """Raise ArgumentError for an operator that must not run again for a block."""
    if op.resources or op.auxiliary or op.effect:
        raise ArgumentError(
            f"{op.__name__}: it draws random numbers or changes a state, which Dask may do again "
            "for a block; compute() the Dask array first"
        )


def refusal(name: str, array: Any, what: str) -> ArgumentError:
    """Return the error for blocks that depend on each other."""
    return ArgumentError(
        f"{name}: a Dask array of {array.shape} in {array.numblocks} blocks; {what}, or compute() "
        "it first"
    )
