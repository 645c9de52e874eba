"""Products with matrices in compressed sparse rows: a thread for each element of the result."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import INDEX_CODE
from nbgraph.kernels.cuda.unit import is_narrow, split, text, unit
from nbgraph.kernels.written import Record
from nbgraph.operator import elsewhere
from nbgraph.operator.elsewhere import unit_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import library
from nbgraph.ops.gpu.addressing import indexed
from nbgraph.ops.products.sparse import csr_dot
from nbgraph.ops.reductions.reductions import accumulator

_RECORD = Record(
    ("total", "width"), ("values", "indices", "offsets", "dense", "out"), ("count", "columns")
)
_LINES = """\
k = int64(load(bounds, row))
last = int64(load(bounds, row + 1))
if k < 0 or last > count or k > last:
    return last * 256 + {code}
held = {zero}
while k < last:
    {index}
    held += load(given, k) * load(lines, a0 * width + column)
    k += 1
store(y, i, held)"""


@elsewhere.composed(csr_dot)
def in_one_dtype(
    values: Any, indices: Any, offsets: Any, dense: Any, *, columns: int, transpose: bool
) -> Any:
    """The same of values and lines of one dtype; None where they are. Transposed: lines times
    values, added up at their columns."""
    wide = accumulator(np.result_type(values.dtype, dense.dtype))
    if transpose:
        return _transposed(values, indices, offsets, dense, columns, wide)
    if values.dtype == dense.dtype == wide:
        return None
    given = library.astype(values, wide), indices, offsets, library.astype(dense, wide)
    return csr_dot(*given, columns=columns)


def _transposed(
    values: Any, indices: Any, offsets: Any, dense: Any, columns: int, dtype: Any
) -> Any:
    count = math.prod(values.shape)
    numbers = library.cumsum(library.ones_like(indices, "int64"))
    ends = library.searchsorted(offsets, library.subtract(numbers, 1), side="right")
    rows = library.subtract(ends, 1)
    lines = library.astype(library.take(dense, rows, 0), dtype)
    own = library.reshape(library.astype(values, dtype), (count, *(1,) * (len(dense.shape) - 1)))
    shape = (columns, *dense.shape[1:])
    return library.scatter_add(library.multiply(lines, own), indices, shape=shape, key=("array",))


@elsewhere.unit(csr_dot)
def product(
    operands: Sequence[Spec], outputs: Sequence[Spec], *, columns: int, transpose: bool
) -> KernelCall:
    """A row of the matrix times a column of lines, added up in the order of the row."""
    values, indices, offsets, _ = operands
    (out,), kind = outputs, values.dtype.name
    total, width = math.prod(out.shape), math.prod(out.shape[1:])
    lines = _LINES.format(
        code=INDEX_CODE, zero=f"{kind}(0)", index="\n    ".join(indexed(0, "columns", "k"))
    )
    made = text(
        "csr_dot",
        _RECORD,
        "total",
        *split("i", ("row", ""), ("column", "width"), narrow=is_narrow(total)),
        lines,
        before=(
            f"given = {kind}_pointer(values)",
            f"i0 = {indices.dtype.name}_pointer(indices)",
            f"bounds = {offsets.dtype.name}_pointer(offsets)",
            f"lines = {kind}_pointer(dense)",
            f"y = {kind}_pointer(out)",
        ),
    )
    code = unit("csr_dot", made, 5, 2, compute=kind, fails=True)
    return unit_call(code, (total, width), (math.prod(values.shape), columns), total)
