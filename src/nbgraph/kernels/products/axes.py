"""The layout of a product of two arrays for BLAS: which axes are its m, n and k.

A product is described by labels, as in einsum: `out[labels] = sum of a[labels] * b[labels]`. Labels
of the result that both operands have, or neither, count separate products; labels of one operand
are its rows or columns, and labels that the result lacks are summed. Contiguous axes of one kind
are merged. Of several that do not merge, BLAS takes one, the others count products.

>>> call = arrange(
...     {"i": 3, "j": 4, "k": 5},
...     [{"i": 20, "k": 4}, {"k": 16, "j": 4}, {"i": 16, "j": 4}],
...     4,
... )
>>> call.u.extent, call.v.extent, call.k.extent, call.forms
(4, 3, 5, 'NN')
"""

import itertools
import math
import os
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from nbgraph.shape import space

Steps = Mapping[str, int]  # of an array: byte strides by label
# BLAS packs both operands of a tile: some 24 / u + 24 / v of its time. So tiles are as large as
# possible with one per core of the machine; results must not depend on the number of workers.
CORES = os.cpu_count() or 1
LEAST, MOST = 96 * 128, 2048 * 2048  # elements of a tile
WORTH = 1 << 22  # least multiplications of a tile: below, a second core joins too late
_VECTOR_TILE = 1 << 17  # elements of a matrix per tile of its product with a vector
_LONG = 2048  # least rows of such a tile along columns
_GRANULE = 16  # tiles begin at cache lines of float32
_MOST = (1 << 31) - 1  # BLAS uses int32 sizes
_GIGAFLOPS = {4: 64.0, 8: 32.0, 16: 8.0}  # rough rate of a thread, by bytes of an element
_CALL = 150  # nanoseconds per call of BLAS


class Axis(NamedTuple):
    """An axis of the product: its extent, and byte strides in a, b and out."""

    extent: int
    steps: tuple[int, int, int] = (0, 0, 0)


class Call(NamedTuple):
    """Arguments of BLAS. Along `u` the result is contiguous, `v` crosses its rows; `first` (0 or 1)
    is the index of the operand that has `u`, the other one has `v`."""

    first: int
    u: Axis
    v: Axis
    k: Axis
    forms: str  # of first and second: "N" or "T", for BLAS's column-major order
    lds: tuple[int, int, int]  # leading dimensions of first, second, out, in elements
    vector: bool  # gemv: second and out are vectors
    outer: tuple[Axis, ...]  # separate products, innermost first

    @property
    def products(self) -> int:
        """The number of separate products."""
        return math.prod(axis.extent for axis in self.outer)

    def outside(self, *arrays: int) -> tuple[int, ...]:
        """Return the extent of each outer axis, and its strides in these arrays."""
        each = [(axis.extent, *(axis.steps[k] for k in arrays)) for axis in self.outer]
        return tuple(itertools.chain(*each))

    @property
    def tile(self) -> tuple[int, int]:
        """The extents of a tile of one product; they depend on its shape and the machine alone."""
        u, v = self.u.extent, self.v.extent
        if self.vector:
            least = _LONG if self.forms[0] == "N" else _GRANULE
            parts = max(1, round(u * self.k.extent / _VECTOR_TILE))
            return max(least, _share(u, parts)), 1
        return tile_of(u, v, self.k.extent)

    @property
    def tiles(self) -> tuple[int, int]:
        """The number of tiles of one product along u and v."""
        own = self.tile
        return -(-self.u.extent // own[0]), -(-self.v.extent // own[1])

    def cost(self, itemsize: int) -> int:
        """Return a rough time in nanoseconds."""
        work = 2 * self.u.extent * self.v.extent * self.k.extent
        rate = _GIGAFLOPS[itemsize] / (8 if self.vector else 1)  # bound by memory
        return int(self.products * (_CALL + work / rate))


def tile_of(u: int, v: int, k: int) -> tuple[int, int]:
    """Return the extents of a tile of a u by v result, with sums of k products.

    >>> tile_of(64, 48, 500)
    (64, 48)
    """
    worth = min(CORES, u * v // LEAST, u * v * k // WORTH)
    parts = max(-(-u * v // MOST), worth, 1)
    ways = [(_share(u, p), _share(v, -(-parts // p))) for p in range(1, parts + 1)]
    return min(ways, key=lambda tile: 1 / min(tile[0], u) + 1 / min(tile[1], v))


def _share(extent: int, parts: int) -> int:
    """Return the size of equal parts, rounded up to granules."""
    return max(_GRANULE, -(-extent // (parts * _GRANULE)) * _GRANULE)


def arrange(sizes: Mapping[str, int], arrays: Sequence[Steps], itemsize: int) -> Call | None:
    """Return the call for operands a, b and the result; `sizes` are the extents of all labels.

    An array that broadcasts along a label lacks it, or has stride 0 there. None if BLAS cannot take
    the arrays' layouts, or if nothing is summed, as it would not write the result.
    """
    if 0 in sizes.values():
        return None
    groups: dict[str, list[str]] = {"outer": [], "rows": [], "columns": [], "inner": []}
    a, b, out = arrays
    for label, extent in sizes.items():
        if extent == 1:
            continue
        has = bool(a.get(label)), bool(b.get(label))
        if label not in out:
            if has != (True, True):
                return None
            groups["inner"].append(label)
        else:
            name = {(True, False): "rows", (False, True): "columns"}.get(has, "outer")
            groups[name].append(label)
    inner = _axes(groups["inner"], sizes, arrays)
    if len(inner) > 1:
        return None
    k = inner[0] if inner else Axis(1)
    outer = _axes(groups["outer"], sizes, arrays)
    rows, columns = (_axes(groups[name], sizes, arrays) for name in ("rows", "columns"))
    calls = list(_calls(rows, columns, k, outer, itemsize))
    return max(calls, key=lambda c: (c.u.extent * c.v.extent, c.vector), default=None)


def _axes(labels: Sequence[str], sizes: Mapping[str, int], arrays: Sequence[Steps]) -> list[Axis]:
    """Return labels as axes, innermost first, merged where contiguous in all arrays."""
    if not labels:
        return []
    extents = [sizes[label] for label in labels]
    steps = [[own.get(label, 0) for label in labels] for own in arrays]
    nest = space(extents, steps)
    dims = [(nest.inner, nest.steps), *nest.outer]
    return [Axis(extent, (own[0], own[1], own[2])) for extent, own in dims]


def _calls(
    rows: Sequence[Axis], columns: Sequence[Axis], k: Axis, outer: Sequence[Axis], item: int
) -> Iterator[Call]:
    """Yield every call that BLAS can take, over the rows and columns assigned to it."""
    for m in rows or [Axis(1)]:
        for n in columns or [Axis(1)]:
            rest = (*outer, *(x for x in (*rows, *columns) if x is not m and x is not n))
            for first, u, v in ((1, n, m), (0, m, n)):
                call = _call(first, u, v, k, rest, item)
                if call is not None:
                    yield call


def _call(first: int, u: Axis, v: Axis, k: Axis, outer: tuple[Axis, ...], item: int) -> Call | None:
    second = 1 - first
    one = _matrix(u.extent, u.steps[first], k.extent, k.steps[first], item)
    if one is None or max(u.extent, v.extent, k.extent) > _MOST:
        return None
    if v.extent == 1:
        strides = _stride(k, second, item), _stride(u, 2, item)
        if 0 in strides:
            return None
        lds = (one[1], *strides)
        return Call(first, u, v, k, one[0] + "N", lds, vector=True, outer=outer)
    other = _matrix(k.extent, k.steps[second], v.extent, v.steps[second], item)
    target = _matrix(u.extent, u.steps[2], v.extent, v.steps[2], item)
    if other is None or target is None or target[0] != "N":
        return None
    lds = one[1], other[1], target[1]
    return Call(first, u, v, k, one[0] + other[0], lds, vector=False, outer=outer)


def _matrix(m: int, down: int, n: int, across: int, item: int) -> tuple[str, int] | None:
    """Return the form of an m by n matrix with these strides for column-major BLAS, "N" or "T", and
    its leading dimension in elements; or None."""
    forms = ("N", m, down, n, across), ("T", n, across, m, down)
    for form, extent, own, other, step in reversed(forms) if m == 1 else forms:
        if own != item and extent > 1:
            continue
        ld, rest = divmod(step, item) if other > 1 else (max(1, extent), 0)
        if not rest and max(1, extent) <= ld <= _MOST:
            return form, ld
    return None


def _stride(axis: Axis, array: int, item: int) -> int:
    """Return a vector's stride in elements; 0 if BLAS cannot take it."""
    if axis.extent <= 1:
        return 1
    stride, rest = divmod(axis.steps[array], item)
    return stride if not rest and 0 < stride <= _MOST else 0
