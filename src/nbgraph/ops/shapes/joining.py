"""Arrays joined along existing axes or a new one."""

from functools import partial
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, noun, require_shape
from nbgraph.operator.arrays.array_op import Gradients, Spec, Specs
from nbgraph.operator.arrays.device_forms import Writes
from nbgraph.operator.arrays.pieces_op import PiecesOp
from nbgraph.ops.define import axis_of, define_rows, library
from nbgraph.ops.shapes.shape import ravel as ravel
from nbgraph.ops.shapes.slicing import at_axis
from nbgraph.shape import Array, PartialShape, Shapes, merged


def _common(specs: Specs, dtype: np.dtype[Any] | None) -> np.dtype[Any]:
    return dtype or np.result_type(*(spec.dtype for spec in specs))


def arrays_of(name: str, arrays: Any) -> list[Any]:
    """Return the arrays of a sequence; an array is a sequence of its slices."""
    try:
        listed = list(library.unstack(arrays) if hasattr(arrays, "shape") else arrays)
    except TypeError:
        error = ArgumentError(f"{name}: arrays is {noun(arrays)}; give a list of arrays")
        raise error from None
    if not listed:
        raise ArgumentError(f"{name}: no arrays were given; give at least one")
    return listed


# concatenate ------------------------------------------------------------------------------------


def _concatenated(*specs: Spec, axis: int, dtype: np.dtype[Any] | None) -> Spec:
    first = specs[0].shape
    if not first:
        raise ShapeError("concatenate: arrays[0] has no axes; use stack, or atleast_1d before")
    place = axis_of("concatenate", axis, len(first))
    for i, spec in enumerate(specs):
        ndim_fits = len(spec.shape) == len(first)
        if not ndim_fits or any(
            n != m for d, (n, m) in enumerate(zip(spec.shape, first)) if d != place
        ):
            raise ShapeError(
                f"concatenate: arrays[{i}] has shape {spec.shape}, arrays[0] has {first}; all but "
                f"axis {place} must be equal"
            )
    total = sum(spec.shape[place] for spec in specs)
    return Spec((*first[:place], total, *first[place + 1 :]), _common(specs, dtype))


def _concatenate(out: Array, *operands: Array, axis: int, dtype: Any) -> Writes:
    """Yield the copy of each operand after the previous one."""
    place, begin = axis_of("concatenate", axis, out.ndim), 0
    for k, x in enumerate(operands):
        yield out[(*[slice(None)] * place, slice(begin, begin + x.shape[place]), ...)], k, x
        begin += x.shape[place]


def _concatenate_rule(g: Gradients) -> list[Any]:
    place = axis_of("concatenate", g.attributes["axis"], len(g.specs[0].shape))
    stops = accumulate((spec.shape[place] for spec in g.specs), initial=0)
    keys = [at_axis(place, slice(*ends)) for ends in pairwise(stops)]
    return [partial(library.slice_view, g.out_grad, key) for key in keys]


def _concatenated_partly(
    in_shapes: Shapes, out_shapes: Shapes, *, axis: int, dtype: np.dtype[Any] | None
) -> tuple[Shapes, Shapes]:
    """Infer equal shapes except along the axis, where one extent follows from the others."""
    shapes = [*in_shapes, *out_shapes]
    ranks = [len(s) for s in shapes if s]
    if not ranks:
        return in_shapes, out_shapes
    place = axis_of("concatenate", axis, ranks[0])
    beside: PartialShape = None
    for s in shapes:
        beside = merged(beside, s and (*s[:place], None, *s[place + 1 :]), "concatenate")
    assert beside is not None
    *parts, total = [s[place] if s else None for s in shapes]
    known = sum(n for n in parts if n is not None)
    if None not in parts:
        total = known
    elif parts.count(None) == 1 and total is not None and total >= known:
        parts[parts.index(None)] = total - known
    extents = [(*beside[:place], n, *beside[place + 1 :]) for n in (*parts, total)]
    return extents[:-1], extents[-1:]


_CONCATENATE = PiecesOp(
    "concatenate",
    _concatenated,
    _concatenate,
    gradient=_concatenate_rule,
    operands=("*arrays",),
    partial=_concatenated_partly,
)


# stack ------------------------------------------------------------------------------------------


def _stacked(*specs: Spec, axis: int, dtype: np.dtype[Any] | None) -> Spec:
    first = specs[0].shape
    for i, spec in enumerate(specs):
        require_shape(f"stack: arrays[{i}]", spec.shape, first, of="arrays[0] has")
    place = axis_of("stack", axis, len(first) + 1)
    return Spec((*first[:place], len(specs), *first[place:]), _common(specs, dtype))


def _stack(out: Array, *operands: Array, axis: int, dtype: Any) -> Writes:
    """Yield the copy of each operand to its index of the new axis."""
    place = axis_of("stack", axis, out.ndim)
    for k, x in enumerate(operands):
        yield out[(*[slice(None)] * place, k, ...)], k, x


def _stack_rule(g: Gradients) -> list[Any]:
    place = axis_of("stack", g.attributes["axis"], len(g.specs[0].shape) + 1)
    keys = [at_axis(place, i) for i in range(len(g.specs))]
    return [partial(library.slice_view, g.out_grad, key) for key in keys]


def _stacked_partly(
    in_shapes: Shapes, out_shapes: Shapes, *, axis: int, dtype: np.dtype[Any] | None
) -> tuple[Shapes, Shapes]:
    """Infer one shape for all operands, which is the result's without its new axis."""
    shape: PartialShape = None
    for s in in_shapes:
        shape = merged(shape, s, "stack")
    for s in out_shapes:
        place = axis_of("stack", axis, len(s)) if s else 0
        shape = merged(shape, s and (*s[:place], *s[place + 1 :]), "stack")
    if shape is None:
        return in_shapes, out_shapes
    place = axis_of("stack", axis, len(shape) + 1)
    return [shape] * len(in_shapes), [(*shape[:place], len(in_shapes), *shape[place:])]


_STACK = PiecesOp(
    "stack", _stacked, _stack, gradient=_stack_rule, operands=("*arrays",), partial=_stacked_partly
)

_TABLE = """
concatenate concat(arrays, /, axis: int | None = 0, *, dtype=None, out=None): Arrays one after
    another along an axis they have.
    arrays : sequence of arrays, of one shape but for that axis; dtypes promote
    axis : int; None flattens them first
    dtype : of the result, optional
    ! ShapeError where other axes differ, ArgumentError where there is no array.
    >>> concatenate([[1, 2], [3]])
    array([1, 2, 3])
    = _CONCATENATE(*arrays_of("concatenate", arrays) if axis is not None else
        [ravel(x) for x in arrays_of("concatenate", arrays)],
        axis=0 if axis is None else whole("concatenate", "axis", axis),
        dtype=optional_dtype(dtype), out=out)
stack(arrays, /, axis: int = 0, *, dtype=None, out=None): Arrays of one shape side by side along a
    new axis.
    arrays : sequence of arrays of one shape; dtypes promote
    axis : int, the place of the new axis in the result
    dtype : of the result, optional
    >>> stack([[1, 2], [3, 4]], axis=1)
    array([[1, 3],
           [2, 4]])
    = _STACK(*arrays_of("stack", arrays), axis=whole("stack", "axis", axis),
        dtype=optional_dtype(dtype), out=out)
"""
define_rows(_TABLE, globals())
