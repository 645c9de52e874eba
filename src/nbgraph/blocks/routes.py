"""Operators over whole arrays on Dask arrays: a row per way to keep blocks independent."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import dask.array as da
import numpy as np
from dask.delayed import delayed

from nbgraph.blocks.reductions import by_rows, place, reduced
from nbgraph.blocks.tasks import (
    Task,
    cast,
    is_known,
    lifted,
    meta_of,
    per_block,
    refusal,
    require_pure,
    shape_for,
    spec_of,
    whole,
)
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.rows.reduce_op import ReduceOp
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.spec import Attributes, Specs
from nbgraph.ops.define import library
from nbgraph.shape import axis_of

Route = Callable[..., Any]


def applied(op: ArrayOp, operands: Sequence[Any], attributes: Attributes) -> Any:
    """Return the result of an operator over whole arrays with one at least of Dask; a tuple for
    several. Raise ArgumentError if blocks depend on each other in a way that Dask cannot express.
    """
    require_pure(op)
    attributes = op.normalise(attributes)
    arrays = [lifted(op.__name__, op.operand_name(i), v) for i, v in enumerate(operands)]
    specs = op.infer([spec_of(x) for x in arrays], attributes)
    outputs = _outputs(op, arrays, attributes, specs)
    outputs = [cast(value, spec.dtype) for value, spec in zip(outputs, specs, strict=True)]
    return outputs[0] if len(outputs) == 1 else tuple(outputs)


def _outputs(op: ArrayOp, arrays: list[Any], attributes: Attributes, specs: Specs) -> Sequence[Any]:
    name = op.__name__
    if hasattr(op, "body_form"):  # a loop or a branch
        raise refusal(name, arrays[-1], "give a function of blocks to x.map_blocks")
    if all(x.npartitions == 1 for x in arrays):
        return _one_block(op, arrays, attributes, specs)
    if isinstance(op, ReduceOp):
        return [reduced(op, arrays[0], attributes, specs[0])]
    if isinstance(op, RowOp):
        return by_rows(op, arrays, attributes, specs)
    if name in ELEMENTWISE:
        return per_block(Task(op, attributes), arrays, specs)
    if name in ALONG_AXIS:
        axis = attributes["axis"]
        if axis is not None and whole(arrays[0], [axis_of(name, axis, arrays[0].ndim)]):
            return _lines(op, arrays, attributes, specs)
    if name in BATCHED and all(whole(x, range(1, x.ndim)) for x in arrays):
        if all(whole(x, range(x.ndim)) for i, x in enumerate(arrays) if i not in BATCHED[name]):
            return _batches(op, arrays, attributes, specs)
    if name in ROUTES:
        if name in _SIZED and not all(is_known(x.shape) for x in arrays):
            raise refusal(name, arrays[0], "let Dask find sizes by compute_chunk_sizes()")
        try:
            return [ROUTES[name](*arrays, **attributes)]
        except NotImplementedError as problem:
            raise refusal(name, arrays[0], "rechunk it to one block") from problem
    axis = attributes.get("axis")
    where = "" if axis is None else f" along axis={axis}"
    raise refusal(name, max(arrays, key=lambda x: x.npartitions), f"rechunk it to one block{where}")


# ways -------------------------------------------------------------------------------------------


def _one_block(
    op: ArrayOp, arrays: Sequence[Any], attributes: Attributes, specs: Specs
) -> list[Any]:
    """Return the results of the operator as one task."""
    blocks = [x.to_delayed().item() for x in arrays]
    results: Any = delayed(Task(op, attributes), pure=True)(*blocks)
    each = [results] if len(specs) == 1 else [results[i] for i in range(len(specs))]
    return [
        da.from_delayed(value, shape_for(spec), meta=meta_of(arrays, len(spec.shape), spec.dtype))
        for value, spec in zip(each, specs, strict=True)
    ]


def _lines(op: ArrayOp, arrays: Sequence[Any], attributes: Attributes, specs: Specs) -> list[Any]:
    """Return the results of the operator on blocks that hold whole lines along its axis."""
    axis = axis_of(op.__name__, attributes["axis"], arrays[0].ndim)
    keepdims = {"keepdims": True} if "keepdims" in attributes else {}
    extents = [1 if keepdims else spec.shape[axis] for spec in specs]
    chunks = [
        tuple((n,) if d == axis else c for d, c in enumerate(arrays[0].chunks)) for n in extents
    ]
    outputs = per_block(Task(op, {**attributes, **keepdims}), arrays, specs, chunks)
    lost = len(specs[0].shape) < arrays[0].ndim
    return [da.squeeze(value, axis) for value in outputs] if lost else outputs


def _batches(op: ArrayOp, arrays: Sequence[Any], attributes: Attributes, specs: Specs) -> list[Any]:
    """Return the result on samples: the first axis of some operands, and of the only result."""
    chosen, (spec,) = BATCHED[op.__name__], specs
    labelled: list[Any] = []
    for i, x in enumerate(arrays):
        first = "samples" if i in chosen else f"{i}.0"
        labelled += [x, (first, *(f"{i}.{d}" for d in range(1, x.ndim)))]
    out = ("samples", *(f"out.{d}" for d in range(1, len(spec.shape))))
    return [
        da.blockwise(
            *(Task(op, attributes), out, *labelled),
            new_axes={label: spec.shape[d] for d, label in enumerate(out) if d},
            concatenate=True,
            dtype=spec.dtype,
            meta=meta_of(arrays, len(out), spec.dtype),
            token=op.__name__,
        )
    ]


# each element of the result depends on the same element of the operands
ELEMENTWISE = frozenset(
    (
        "astype copy stop_gradient checkpoint make_loss MakeLoss clip_gradient "
        "linear_regression_output mae_regression_output logistic_regression_output"
    ).split()
)

# lines along `axis` are independent
ALONG_AXIS = frozenset(
    (
        "sort argsort topk argmax argmin sparsemax cumulative_sum cumulative_prod cummax cummin "
        "cumargmax cumargmin logcumsumexp linear_recurrence"
    ).split()
)

# samples along the first axis of these operands are independent
BATCHED: dict[str, tuple[int, ...]] = {
    "fully_connected": (0,),
    "convolution": (0,),
    "convolution_data": (0,),
    "max_pooling": (0,),
    "max_pooling_gradient": (0, 1, 2),
    "max_pooling_pick": (0, 1, 2),
    "avg_pooling": (0,),
    "avg_pooling_gradient": (0,),
    "batch_dot": (0, 1),
    "im2col": (0,),
    "col2im": (0,),
    "one_hot": (0,),
    "isin": (0,),
    "searchsorted": (1,),
    "Embedding": (0,),
}


def _sliced(x: Any, key: Sequence[Any]) -> Any:
    parts = (slice(*p) if isinstance(p, tuple) else p for p in key)
    return x[tuple(parts)]


def _scattered(x: Any, shape: Any, key: Sequence[Any]) -> Any:
    """Return the reverse of a slice: zeros elsewhere, in the chunks of `x` if that has all."""
    whole, named = key.index(Ellipsis) if Ellipsis in key else len(key), len(key)
    named -= sum(part is None or part is Ellipsis for part in key)
    parts = [*key[:whole], *[(None, None, None)] * (len(shape) - named), *key[whole + 1 :]]
    x = x[tuple(0 if p is None else None if isinstance(p, int) else slice(None) for p in parts)]
    own = [part for part in parts if part is not None]
    for axis, (part, n) in enumerate(zip(own, shape, strict=True)):
        at = slice(part % n, part % n + 1) if isinstance(part, int) else slice(*part)
        start, stop, step = at.indices(n)
        if step < 0:
            x, start, stop, step = da.flip(x, axis), *_forward(start, stop, step)
        if step > 1:  # zeros between elements, as further elements along a new axis
            x = da.concatenate([x[..., None], _zeros(x[..., None], -1, step - 1)], -1)
            x = da.moveaxis(x, -1, axis + 1)
            x = x.reshape((*x.shape[:axis], -1, *x.shape[axis + 2 :]))
        count = x.shape[axis]
        after = n - start - count
        if after < 0:
            x = x[(slice(None),) * axis + (slice(0, count + after),)]
        sides = [_zeros(x, axis, start), x, _zeros(x, axis, max(after, 0))]
        x = da.concatenate([side for side in sides if side.shape[axis]] or [x], axis)
    return x


def _forward(start: int, stop: int, step: int) -> tuple[int, int, int]:
    """Return the slice of the same elements in increasing order."""
    places = range(start, stop, step)
    return (places[-1], start + 1, -step) if places else (0, 0, 1)


def _zeros(x: Any, axis: int, count: int) -> Any:
    """Return zeros of extent `count` along an axis, otherwise like `x`."""
    axis %= x.ndim
    shape = tuple(count if d == axis else n for d, n in enumerate(x.shape))
    own = (count,) if 0 in shape else "auto"
    chunks = tuple(own if d == axis else c for d, c in enumerate(x.chunks))
    return da.zeros(shape, dtype=x.dtype, chunks=chunks)


def _split_part(x: Any, sections: Any, index: int, axis: int, equal: bool) -> Any:
    if isinstance(sections, int):
        size, more = divmod(x.shape[axis], sections)
        bounds = np.cumsum([0] + [size + (i < more) for i in range(sections)])
    else:
        bounds = np.asarray([0, *sections, x.shape[axis]])
    at = slice(int(bounds[index]), int(bounds[index + 1]))
    return x[(slice(None),) * axis_of("split", axis, x.ndim) + (at,)]


def _full_like(x: Any, fill_value: Any, dtype: Any, shape: Any) -> Any:
    value = np.asarray(fill_value or 0, dtype or x.dtype)
    if shape is None or tuple(shape) == x.shape:
        return da.broadcast_to(value, x.shape, chunks=x.chunks)
    return da.broadcast_to(value, shape)


def _flipped(x: Any, axis: Any) -> Any:
    return da.flip(x, tuple(range(x.ndim)) if axis is None else axis)


def _dot(a: Any, b: Any, transpose_a: bool, transpose_b: bool) -> Any:
    a = da.moveaxis(a, 0, -1) if transpose_a else a
    b = da.moveaxis(b, -1, 0) if transpose_b else b
    return da.tensordot(a, b, axes=1) if a.ndim and b.ndim else a * b


def _connected(x: Any, weight: Any, bias: Any = None, flatten: bool = True) -> Any:
    x = x.reshape((x.shape[0], -1)) if flatten else x
    product = da.tensordot(x, weight, axes=((x.ndim - 1,), (1,)))
    return product if bias is None else product + bias


def _taken(x: Any, indices: Any, axis: int) -> Any:
    """Return `take` with independent blocks of indices; each reads the whole axis."""
    axis, labels = axis_of("take", axis, x.ndim), tuple(range(x.ndim))
    picked = tuple(range(x.ndim, x.ndim + indices.ndim))
    out = (*labels[:axis], *picked, *labels[axis + 1 :])
    return da.blockwise(
        *(Task(library.take.op, {"axis": axis}), out, x, labels, indices, picked),
        concatenate=True,
        dtype=x.dtype,
        meta=meta_of([x, indices], len(out), x.dtype),
    )


def _along(function: Callable[..., Any]) -> Route:
    """Return a running total by Dask's, which crosses blocks."""

    def running(x: Any, axis: int, dtype: Any, include_initial: bool) -> Any:
        result = function(x, axis=axis, dtype=dtype)
        if not include_initial:
            return result
        first = result[(slice(None),) * axis_of("cumulative", axis, x.ndim) + (slice(0, 1),)]
        start = da.full_like(first, function is da.cumprod)
        return da.concatenate([start, result], axis=axis)

    return running


def _joined(function: Callable[..., Any]) -> Route:
    return lambda *arrays, axis, dtype: function(arrays, axis=axis)


ROUTES: dict[str, Route] = {
    "reshape": lambda x, shape: x.reshape(shape),
    "transpose": da.transpose,
    "swapaxes": da.swapaxes,
    "moveaxis": da.moveaxis,
    "expand_dims": da.expand_dims,
    "squeeze": da.squeeze,
    "broadcast_to": da.broadcast_to,
    "slice_view": _sliced,
    "slice_scatter": _scattered,
    "flip": _flipped,
    "roll": da.roll,
    "tril": da.tril,
    "triu": da.triu,
    "diagonal": da.diagonal,
    "split_part": _split_part,
    "take": _taken,
    "concatenate": _joined(da.concatenate),
    "stack": _joined(da.stack),
    "full_like": _full_like,
    "argmax": functools.partial(place, combine="max"),
    "argmin": functools.partial(place, combine="min"),
    "cumulative_sum": _along(da.cumsum),
    "cumulative_prod": _along(da.cumprod),
    "matmul": da.matmul,
    "dot": _dot,
    "inner": lambda a, b: da.tensordot(a, b, axes=((-1,), (-1,))) if a.ndim and b.ndim else a * b,
    "tensordot": da.tensordot,
    "einsum": lambda *arrays, subscripts: da.einsum(subscripts, *arrays),
    "fully_connected": _connected,
}
_SIZED = frozenset("reshape broadcast_to roll diagonal split_part flip argmax argmin".split())
