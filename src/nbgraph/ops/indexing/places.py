"""Elements by indices, as kernels with a unit per element of the result.

Elements are copied as bits, whatever their meaning.
"""

import math

from nbgraph.operator.arrays.units import Units, raw, threads
from nbgraph.operator.spec import Specs
from nbgraph.ops.define import Shape, axis_of
from nbgraph.ops.indexing.addressing import (
    Chosen,
    Dim,
    Template,
    along,
    chosen,
    counted,
    extents,
    indexed,
    looked_at,
    merged,
    steps,
    strides,
    total,
)
from nbgraph.ops.shapes.slicing import at_axis

NOWHERE = f"(0 - {1 << 62})"  # as text; offsets are negative where steps are


def units_of(name: str, kind: str | None, indices: Specs, places: Chosen) -> Units:
    """Return the kernel that stores the selected elements, or, without a kind, their offsets."""
    dims, count = merged(places.dims), math.prod(dim.extent for dim in places.dims)
    words = {"total": count, "base": places.base}
    words |= {f"e{k}": n for k, n in enumerate(extents(dims), 1)} | steps(dims, 0, "s")
    arrays = {f"from{k}": (f"i{k}", spec.dtype.name) for k, spec in enumerate(indices)}
    lines, place = list[str](), f"base + {total(dims, 0, 's')}"
    for k in range(len(indices)):
        size, step = places.axes[k]
        words |= {f"n{k}": size} | ({} if step == 1 else {f"m{k}": step})
        words |= steps(dims, 1 + k, f"t{k}_")
        looks = looked_at if kind is None else indexed
        lines += looks(k, f"n{k}", total(dims, 1 + k, f"t{k}_"))
        place += f" + a{k}" if step == 1 else f" + a{k} * m{k}"
    if kind is None:
        lines = ["fits = i >= 0", *lines, f"store(y, i, select(fits, {place}, {NOWHERE}))"]
    else:
        lines.append(f"store_output(y, i, load_input(source, {place}))")
    run = dims[-1].extent if dims and not any(dims[-1].steps[1:]) else 1
    return threads(
        name,
        words,
        {**({"x": ("source", kind)} if kind else {}), **arrays, "out": ("y", kind or "int64")},
        *lines,
        parts=counted(dims),
        before=[] if kind else ["wrong = 0"],
        fails=bool(indices),
        end="0" if kind else "wrong",
        cost=1 + count // max(run, 1) * 3 * len(indices) + count // 3,
    )


def gathered(operands: Specs, outputs: Specs, *, key: Template) -> Units:
    """Return the kernel of x[key]."""
    x, *indices = operands
    places = chosen(key, x.shape, [spec.shape for spec in indices])
    return units_of("gather", raw(x), indices, places)


def taken(operands: Specs, outputs: Specs, *, axis: int) -> Units:
    """Return the kernel of x[:, indices]."""
    x, indices = operands
    key = at_axis(axis_of("take", axis, len(x.shape)), "array")
    return units_of("take", raw(x), [indices], chosen(key, x.shape, [indices.shape]))


def taken_along(operands: Specs, outputs: Specs, *, axis: int) -> Units:
    """Return the kernel of out[o, k, c] = x[o, indices[o, k, c], c]."""
    (x, indices), (out,) = operands, outputs
    places = _lined(x.shape, indices.shape, out.shape, axis)
    return units_of("take_along_axis", raw(x), [indices], places)


def _lined(shape: Shape, indices: Shape, out: Shape, axis: int) -> Chosen:
    """Return the selection of indices along an axis, with separate lines."""
    place = axis_of("take_along_axis", axis, len(shape))
    own = [0 if d == place else step for d, step in enumerate(along(shape, out))]
    dims = [Dim(n, (a, b)) for n, a, b in zip(out, own, along(indices, out), strict=True)]
    return Chosen(0, (), tuple(dims), (), ((shape[place], strides(shape)[place]),))


def signed(operands: Specs, outputs: Specs, **_: object) -> bool:
    """Return whether indices have dtypes that fit a signed word."""
    return all(spec.dtype.name != "uint64" for spec in operands[1:])
