"""Arrays put together, along axes that they have or a new one."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import accumulate
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import Attributes, Gradients, Infer, Partial, Spec
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.tiled_op import PlacingOp, tile_call
from nbgraph.ops.define import axis_of, cast, define_rows, library, optional_dtype, public, whole
from nbgraph.ops.shapes.shape import ravel
from nbgraph.ops.shapes.slicing import at_axis
from nbgraph.shape import Array, Arrays, PartialShape, Shapes, merged


def _common(specs: Sequence[Spec], dtype: np.dtype[Any] | None) -> np.dtype[Any]:
    return dtype or np.result_type(*(spec.dtype for spec in specs))


def arrays_of(name: str, arrays: Any) -> list[Any]:
    """The arrays of a sequence; an array is a sequence of its slices."""
    if hasattr(arrays, "shape"):
        return list(library.unstack(arrays))
    found = list(arrays)
    if not found:
        raise ArgumentError(f"{name}: no arrays were given; give at least one")
    return found


_MANY, _SHORT = 4096, 16  # rows, and elements of a run: NumPy is quicker at more, and shorter, ones


class JoiningOp(PlacingOp):
    """A TiledOp that puts arrays of one dtype beside each other along its attribute `axis`; NumPy
    arrays, those to be cast, and many short runs are left to `join(arrays, out, **attributes)`."""

    def __init__(
        self,
        name: str,
        infer: Infer,
        join: Callable[..., None],
        gradient: Callable[[Gradients], Sequence[Any]],
        partial: Partial | None = None,
    ) -> None:
        super().__init__(
            *(name, infer, self._runs, self._apart),
            gradient=gradient,
            operands=("*arrays",),
            partial=partial,
        )
        self._join = join

    def made(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """See TiledOp."""
        return dtype

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        """See TiledOp."""
        return all(each == dtypes[0] for each in dtypes)

    def compute(
        self, inputs: Arrays, outputs: Arrays, attributes: Attributes, resources: Sequence[Any] = ()
    ) -> None:
        """See ArrayOp; straight into the result."""
        self._join(inputs, outputs[0], **attributes)

    def _apart(self, *arrays: Array, **attributes: Any) -> Array:
        made = np.empty(*self.infer([Spec.of(x) for x in arrays], attributes)[0])
        self._join(arrays, made, **attributes)
        return made

    def _runs(
        self, specs: Sequence[Spec], dtype_name: str, /, **attributes: Any
    ) -> KernelCall | None:
        from nbgraph.kernels.picking import join_text
        from nbgraph.kernels.written import written

        (made,) = self.infer(specs, attributes)
        if made.dtype != specs[0].dtype:
            return None
        place = axis_of(self.__name__, attributes["axis"], len(made.shape))
        rows = math.prod(made.shape[:place])
        runs = [math.prod(spec.shape) // rows for spec in specs]
        if rows > _MANY and sum(runs) < _SHORT * len(runs):
            return None
        starts = accumulate(runs, initial=0)
        words = [word for pair in zip(runs, starts, strict=False) for word in pair]
        item = made.dtype.itemsize
        code = written("join", join_text(f"uint{8 * item}"), "float32")
        tiles, total = rows * len(runs), sum(runs)
        cost = 3 * tiles + rows * total * item // 10
        return tile_call(code, (len(runs), total), tuple(words), tiles, cost)


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


def _concatenate(inputs: Arrays, out: Array, *, axis: int, dtype: Any) -> None:
    np.concatenate(inputs, axis, out=out, casting="unsafe")


def _concatenate_rule(g: Gradients) -> list[Any]:
    place = axis_of("concatenate", g.attributes["axis"], len(g.specs[0].shape))
    stops = list(accumulate(spec.shape[place] for spec in g.specs))
    return [
        cast(
            library.slice_view(g.out_grad, at_axis(place, slice(stop - spec.shape[place], stop))),
            spec,
        )
        if wanted
        else None
        for spec, stop, wanted in zip(g.specs, stops, g.wanted, strict=True)
    ]


def _concatenated_partly(
    in_shapes: Shapes, out_shapes: Shapes, *, axis: int, dtype: np.dtype[Any] | None
) -> tuple[Shapes, Shapes]:
    """All but the axis is the same; along it one extent follows from all others."""
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
    made = [(*beside[:place], n, *beside[place + 1 :]) for n in (*parts, total)]
    return made[:-1], made[-1:]


_CONCATENATE = JoiningOp(
    "concatenate", _concatenated, _concatenate, _concatenate_rule, _concatenated_partly
)


@public(_CONCATENATE, "concat")
def concatenate(arrays: Any, /, axis: int | None = 0, *, dtype: Any = None, out: Any = None) -> Any:
    """Arrays one after another along an axis they have.

    arrays : sequence of arrays, of one shape but for that axis; dtypes promote
    axis : int; None flattens them first
    dtype : of the result, optional
    ! ShapeError where other axes differ, ArgumentError where there is no array.
    >>> concatenate([[1, 2], [3]])
    array([1, 2, 3])
    """
    given = arrays_of("concatenate", arrays)
    if axis is None:
        given, axis = [ravel(x) for x in given], 0
    axis = whole("concatenate", "axis", axis)
    return _CONCATENATE(*given, axis=axis, dtype=optional_dtype(dtype), out=out)


concat = concatenate


# stack ------------------------------------------------------------------------------------------


def _stacked(*specs: Spec, axis: int, dtype: np.dtype[Any] | None) -> Spec:
    first = specs[0].shape
    for i, spec in enumerate(specs):
        if spec.shape != first:
            raise ShapeError(
                f"stack: arrays[{i}] has shape {spec.shape}, arrays[0] has {first}; give equal "
                "shapes"
            )
    place = axis_of("stack", axis, len(first) + 1)
    return Spec((*first[:place], len(specs), *first[place:]), _common(specs, dtype))


def _stack(inputs: Arrays, out: Array, *, axis: int, dtype: Any) -> None:
    np.stack(inputs, axis, out=out, casting="unsafe")


def _stack_rule(g: Gradients) -> list[Any]:
    place = axis_of("stack", g.attributes["axis"], len(g.specs[0].shape) + 1)
    return [
        cast(library.slice_view(g.out_grad, at_axis(place, i)), spec) if wanted else None
        for i, (spec, wanted) in enumerate(zip(g.specs, g.wanted, strict=True))
    ]


def _stacked_partly(
    in_shapes: Shapes, out_shapes: Shapes, *, axis: int, dtype: np.dtype[Any] | None
) -> tuple[Shapes, Shapes]:
    """All have one shape, which the result has without its new axis."""
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


_STACK = JoiningOp("stack", _stacked, _stack, _stack_rule, _stacked_partly)

_TABLE = """
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
