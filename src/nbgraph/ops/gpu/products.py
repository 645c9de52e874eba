"""Products by other operators; those with compressed sparse matrices by a thread per element of the
result."""

import math
from typing import Any

import numpy as np

from nbgraph.kernel_errors import INDEX_CODE
from nbgraph.operator.arrays import device_forms
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Specs
from nbgraph.ops.define import library
from nbgraph.ops.indexing.addressing import indexed
from nbgraph.ops.products import attention_rules
from nbgraph.ops.products.attention import attention_gradient, attention_parts
from nbgraph.ops.products.connected import BIASED, fully_connected
from nbgraph.ops.products.sparse import csr_dot
from nbgraph.ops.reductions.reductions import accumulator

_LINES = """\
k = int64(load(bounds, row))
last = int64(load(bounds, row + 1))
if k < 0 or last > count or k > last:
    return last * 256 + {code}
acc = {zero}
while k < last:
    {index}
    acc += load(source, k) * load(lines, a0 * width + column)
    k += 1
store(y, i, acc)"""


@device_forms.composed(fully_connected, BIASED)
def connected(x: Any, weight: Any, *bias: Any, flatten: bool) -> Any:
    """A product of matrices, and a sum."""
    features, inputs = weight.shape
    lead = x.shape[:1] if flatten else x.shape[:-1]
    flat = library.reshape(x, (math.prod(lead), inputs))
    product = library.dot(flat, weight, transpose_b=True)
    if bias:
        product = library.add(product, bias[0])
    return library.reshape(product, (*lead, features))


# products and a softmax, with the scores in memory
device_forms.composed(attention_parts)(attention_rules.parts)
device_forms.composed(attention_gradient)(attention_rules.gradient)


@device_forms.composed(csr_dot)
def in_one_dtype(
    values: Any, indices: Any, offsets: Any, dense: Any, *, columns: int, transpose: bool
) -> Any:
    """Return the product of values and lines cast to one dtype; None if they have one."""
    wide = accumulator(np.result_type(values.dtype, dense.dtype))
    if transpose:
        return _transposed(values, indices, offsets, dense, columns, wide)
    if values.dtype == dense.dtype == wide:
        return None
    cast_operands = library.astype(values, wide), indices, offsets, library.astype(dense, wide)
    return csr_dot(*cast_operands, columns=columns)


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


@device_forms.unit(csr_dot)
def product(operands: Specs, outputs: Specs, *, columns: int, transpose: bool) -> Units:
    """Return the kernel of a matrix row times a column of lines, summed in the order of the row."""
    values, indices, offsets, _ = operands
    (out,), kind = outputs, values.dtype.name
    lines = _LINES.format(
        code=INDEX_CODE, zero=f"{kind}(0)", index="\n    ".join(indexed(0, "columns", "k"))
    )
    words = {"total": math.prod(out.shape), "width": math.prod(out.shape[1:])}
    return threads(
        "csr_dot",
        {**words, "count": math.prod(values.shape), "columns": columns},
        {
            "values": ("source", kind),
            "indices": ("i0", indices.dtype.name),
            "offsets": ("bounds", offsets.dtype.name),
            "dense": ("lines", kind),
            "out": ("y", kind),
        },
        lines,
        parts=[("row", ""), ("column", "width")],
        compute="float64" if kind == "float64" else "float32",
        fails=True,
    )
