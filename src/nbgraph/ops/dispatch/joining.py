"""NumPy's functions that join arrays, and products of them."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DTypeError, ShapeError
from nbgraph.ops.define import as_array, library
from nbgraph.ops.dispatch.table import rows

_ROWS = """
concatenate concat(arrays, /, axis=0, out=None, *, dtype=None, casting="same_kind"): ours
    = library.concatenate(castable(arrays, dtype, casting), axis, dtype=dtype, out=out)
stack(arrays, axis=0, out=None, *, dtype=None, casting="same_kind"): ours
    = library.stack(castable(arrays, dtype, casting), axis, dtype=dtype, out=out)
hstack(tup, *, dtype=None, casting="same_kind"): ours
    = library.hstack(castable(tup, dtype, casting), dtype=dtype)
vstack(tup, *, dtype=None, casting="same_kind"): ours
    = library.vstack(castable(tup, dtype, casting), dtype=dtype)
dstack(tup): ours
column_stack(tup): ours
block(arrays): composed
    = blocks(arrays)
dot(a, b, out=None): ours
    = library.dot(a, b, out=out)
vdot(a, b, /): ours
    = library.dot(library.conj(library.ravel(a)), library.ravel(b))
inner(a, b, /): ours
outer(a, b, out=None): ours
    = library.outer(a, b, out=out)
tensordot(a, b, axes=2): ours
    = library.tensordot(a, b, axes=axes)
vecdot(x1, x2, /, out=None, *, axis=-1): ours
    = written(library.vecdot(x1, x2, axis=axis), out)
matvec(x1, x2, /, out=None): ours
    = written(products(x1, x2), out)
vecmat(x1, x2, /, out=None): ours
    = written(products(library.swapaxes(x2, -1, -2), library.conj(x1)), out)
einsum(*operands, out=None, optimize=False, dtype=None, **options): ours
    = contracted(operands, out, dtype)
kron(a, b): composed
    = kronecker(as_array(a), as_array(b))
cross(a, b, axisa=-1, axisb=-1, axisc=-1, axis=None): kept
    = crossed(a, b, axisa, axisb, axisc, axis)
meshgrid(*xi, copy=True, sparse=False, indexing="xy"): ours
    = grids(xi, sparse, indexing)
ix_(*args): composed
    = tuple(along(d, len(args), v) for d, v in enumerate(args))
"""


_LETTERS = string.ascii_uppercase + string.ascii_lowercase  # in the order of result axes


def castable(arrays: Any, dtype: Any, casting: str) -> Sequence[Any]:
    """Return arrays; DTypeError if a casting rule forbids casting them to a dtype."""
    listed = arrays if isinstance(arrays, (list, tuple)) else list(arrays)
    if dtype is not None or casting != "same_kind":
        known = [as_array(x) for x in listed]
        wanted = np.result_type(*[x.dtype for x in known]) if dtype is None else np.dtype(dtype)
        for x in known:
            if not np.can_cast(x.dtype, wanted, casting):  # type: ignore[arg-type]
                raise DTypeError(
                    f"np.concatenate: an array of dtype {x.dtype} is not cast to {wanted} by "
                    f"casting={casting!r}; give another casting=, or astype"
                )
    return listed


def blocks(arrays: Any) -> Any:
    """Return one array from nested lists of blocks: the innermost are along the last axis."""

    def depth(part: Any) -> int:
        return 1 + max(map(depth, part)) if isinstance(part, list) else 0

    def axes(part: Any) -> int:
        return max(map(axes, part)) if isinstance(part, list) else len(as_array(part).shape)

    levels = depth(arrays)
    ndim = max(levels, axes(arrays))

    def joined(part: Any, level: int) -> Any:
        if isinstance(part, list):
            return library.concatenate([joined(p, level - 1) for p in part], -level)
        x = as_array(part)
        return library.reshape(x, (1,) * (ndim - len(x.shape)) + tuple(x.shape))

    return library.copy(joined(arrays, levels)) if not levels else joined(arrays, levels)


def products(matrices: Any, vectors: Any) -> Any:
    """Return matrices times vectors, stacks of both."""
    return library.squeeze(library.matmul(matrices, library.expand_dims(vectors, -1)), -1)


def written(result: Any, out: Any) -> Any:
    """Return a result, written to `out` if there is one."""
    return result if out is None else library.copy(result, out=out)


def contracted(operands: Sequence[Any], out: Any, dtype: Any) -> Any:
    """Return a sum of products, by subscripts or by lists of axis numbers."""
    text, arrays = operands[0], list(operands[1:])
    if not isinstance(text, str):
        several = list(operands)
        output = [several.pop()] if len(several) % 2 else []
        arrays = several[::2]
        numbers = [n for part in (*several[1::2], *output) for n in part if n is not Ellipsis]
        if not all(0 <= n < len(_LETTERS) for n in numbers):
            raise ValueError(f"np.einsum: axes {numbers}; number them from 0 to 51")
        texts = [
            "".join("..." if n is Ellipsis else _LETTERS[n] for n in part)
            for part in (*several[1::2], *output)
        ]
        text = ",".join(texts[: len(arrays)]) + "".join(f"->{t}" for t in texts[len(arrays) :])
    if dtype is not None:
        arrays = [library.astype(x, dtype) for x in arrays]
    return library.einsum(text, *arrays, out=out)


def kronecker(a: Any, b: Any) -> Any:
    """Return the products of every element of `a` with all of `b`, as blocks."""
    ndim = max(a.ndim, b.ndim)
    first = (1,) * (ndim - a.ndim) + tuple(a.shape)
    second = (1,) * (ndim - b.ndim) + tuple(b.shape)
    left = library.reshape(a, tuple(n for size in first for n in (size, 1)))
    right = library.reshape(b, tuple(n for size in second for n in (1, size)))
    whole = tuple(m * n for m, n in zip(first, second, strict=True))
    return library.reshape(library.multiply(left, right), whole)


def crossed(a: Any, b: Any, axisa: int, axisb: int, axisc: int, axis: int | None) -> Any:
    """Return the cross product of vectors of three elements along an axis."""
    if axis is not None:
        axisa = axisb = axisc = axis
    x, y = (library.moveaxis(as_array(v), d, -1) for v, d in ((a, axisa), (b, axisb)))
    if x.shape[-1] != 3 or y.shape[-1] != 3:
        raise ValueError(
            f"np.cross: vectors have {x.shape[-1]} and {y.shape[-1]} numbers; expected 3 each"
        )
    p, q = ([v[..., k] for k in range(3)] for v in (x, y))
    parts = [p[i] * q[j] - p[j] * q[i] for i, j in ((1, 2), (2, 0), (0, 1))]
    return library.stack(parts, axisc)


def grids(vectors: Sequence[Any], sparse: bool, indexing: str) -> Any:
    """Return the coordinates of a grid; with axes of size 1 where `sparse`."""
    if not sparse:
        return tuple(library.meshgrid(*vectors, indexing=indexing))
    place = list(range(len(vectors)))
    if indexing == "xy" and len(vectors) > 1:
        place[:2] = [1, 0]
    return tuple(
        library.reshape(v, (1,) * d + (-1,) + (1,) * (len(vectors) - d - 1))
        for v, d in zip(vectors, place, strict=True)
    )


def along(d: int, ndim: int, value: Any) -> Any:
    """Return indices, or those where a mask is true, along one of so many axes."""
    x = as_array(value)
    if x.dtype.kind == "b":
        (x,) = library.nonzero(x)
    if x.ndim != 1:
        raise ShapeError(f"np.ix_: args[{d}] has shape {x.shape}; give vectors")
    return library.reshape(x, (1,) * d + (-1,) + (1,) * (ndim - d - 1))


FUNCTIONS = rows(_ROWS, globals())
