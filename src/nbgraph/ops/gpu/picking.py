"""Elements by indices, as kernels with a thread for each element of the result.

Elements are moved as they are, whatever they mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from nbgraph.operator.arrays import elsewhere
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import Shape, axis_of
from nbgraph.ops.gpu.addressing import (
    Chosen,
    Dim,
    along,
    chosen,
    counted,
    extents,
    indexed,
    looked_at,
    merged,
    raw,
    steps,
    strides,
    threads,
    together,
    total,
)
from nbgraph.ops.indexing.gathering import gather
from nbgraph.ops.indexing.indexing import take, take_along_axis
from nbgraph.ops.indexing.keys import Template
from nbgraph.ops.shapes.slicing import at_axis

NOWHERE = f"(0 - {1 << 62})"  # as text; places are negative where steps are


def _call(name: str, kind: str | None, indices: Sequence[Spec], places: Chosen) -> KernelCall:
    """The kernel that stores the chosen elements, or, without a kind, their places."""
    dims = merged(places.dims)
    words = {"total": math.prod(dim.extent for dim in places.dims), "base": places.base}
    words |= {f"e{k}": n for k, n in enumerate(extents(dims), 1)} | steps(dims, 0, "s")
    lines = [f"at = base + {total(dims, 0, 's')}"]
    arrays = {f"from{k}": (f"i{k}", spec.dtype.name) for k, spec in enumerate(indices)}
    for k in range(len(indices)):
        words |= dict(zip((f"n{k}", f"m{k}"), places.axes[k], strict=True))
        words |= steps(dims, 1 + k, f"t{k}_")
        looks = looked_at if kind is None else indexed
        lines += [*looks(k, f"n{k}", total(dims, 1 + k, f"t{k}_")), f"at += a{k} * m{k}"]
    if kind is None:
        lines = ["fits = i >= 0", *lines, f"store(y, i, select(fits, at, {NOWHERE}))"]
    else:
        lines.append("store(y, i, load(given, at))")
    return threads(
        name,
        words,
        {**({"x": ("given", kind)} if kind else {}), **arrays, "out": ("y", kind or "int64")},
        *lines,
        parts=counted(dims),
        before=[] if kind else ["wrong = 0"],
        fails=bool(indices),
        end="0" if kind else "wrong",
    )


@elsewhere.unit(gather)
def gathered(operands: Sequence[Spec], outputs: Sequence[Spec], *, key: Template) -> KernelCall:
    """x[key]."""
    x, *indices = operands
    places = chosen(key, x.shape, [spec.shape for spec in indices])
    return _call("gather", raw(x), indices, places)


@elsewhere.unit(take)
def taken(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> KernelCall:
    """x[:, indices]."""
    x, indices = operands
    key = at_axis(axis_of("take", axis, len(x.shape)), "array")
    return _call("take", raw(x), [indices], chosen(key, x.shape, [indices.shape]))


@elsewhere.unit(take_along_axis)
def taken_along(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> KernelCall:
    """out[o, k, c] = x[o, indices[o, k, c], c]."""
    (x, indices), (out,) = operands, outputs
    places = lined(x.shape, indices.shape, out.shape, axis)
    return _call("take_along_axis", raw(x), [indices], places)


def lined(shape: Shape, indices: Shape, out: Shape, axis: int) -> Chosen:
    """What indices of an axis choose that have lines of their own."""
    place = axis_of("take_along_axis", axis, len(shape))
    own = [0 if d == place else step for d, step in enumerate(along(shape, out))]
    dims = [Dim(n, (a, b)) for n, a, b in zip(out, own, along(indices, out), strict=True)]
    return Chosen(0, (), tuple(dims), (), ((shape[place], strides(shape)[place]),))


def _places_infer(*indices: Spec, base: int, axes: tuple[tuple[int, int], ...]) -> Spec:
    return Spec(np.broadcast_shapes(*(spec.shape for spec in indices)), np.dtype("int64"))


PLACES = ArrayOp("places", _places_infer, operands=("*indices",))


@elsewhere.unit(PLACES)
def placed(
    operands: Sequence[Spec],
    outputs: Sequence[Spec],
    *,
    base: int,
    axes: tuple[tuple[int, int], ...],
) -> KernelCall:
    """The sum of a base and of indices, in bounds, by the steps of their axes."""
    dims = together([spec.shape for spec in operands])
    return _call("places", None, operands, Chosen(base, (), dims, (), axes))
