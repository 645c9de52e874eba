"""Elements by indices, as kernels with a thread for each element of the result.

An array is seen as (outer, size, inner), of which `size` is indexed. Elements are moved as they
are, whatever they mean.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from nbgraph.errors import INDEX_CODE
from nbgraph.kernels.cuda.unit import UnitCall, is_narrow, split, text, unit
from nbgraph.kernels.written import Record
from nbgraph.operator import elsewhere
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import axis_of
from nbgraph.ops.indexing import take

_TAKE = Record(("total", "size"), ("x", "indices", "out"), ("count", "inner"))
FOUND = (
    "at = int64(load(index, k))",
    "if at < 0 - size or at >= size:",
    f"    return at * 256 + {INDEX_CODE}",
    "if at < 0:",
    "    at += size",
)


def raw(spec: Spec) -> str:
    """The integers that hold a dtype's bits."""
    return f"uint{8 * spec.dtype.itemsize}"


def _take_text(kind: str, index: str, *, narrow: bool) -> str:
    return text(
        "take",
        _TAKE,
        "total",
        *split("i", ("o", ""), ("k", "count"), ("c", "inner"), narrow=narrow),
        *FOUND,
        "store(y, i, load(given, (o * size + at) * inner + c))",
        before=(
            f"given = {kind}_pointer(x)",
            f"index = {index}_pointer(indices)",
            f"y = {kind}_pointer(out)",
        ),
    )


@elsewhere.unit(take)
def taken(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> UnitCall:
    """out[o, k, c] = x[o, indices[k], c]."""
    (x, indices), (out,) = operands, outputs
    place = axis_of("take", axis, len(x.shape))
    total, inner = math.prod(out.shape), math.prod(x.shape[place + 1 :])
    made = _take_text(raw(x), indices.dtype.name, narrow=is_narrow(total))
    code = unit("take", made, 3, 2, fails=True)
    return UnitCall(code, (total, x.shape[place]), (math.prod(indices.shape), inner), total)
