"""Products on devices: by the driver's BLAS, or by a kernel that sums multiplications.

BLAS takes floats. Layouts that it cannot describe, and operands of another dtype than the result,
are copied first; so is the result. Integers and bool are multiplied and summed by a kernel, a block
of threads per element of the result, and so are floats if each product has one element: that kernel
is good at long sums, BLAS is not.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from nbgraph.dtype import is_float
from nbgraph.kernels.cuda.gemms import Gemms, requests
from nbgraph.kernels.loops.loop import Combine
from nbgraph.operator.arrays.array_op import Attributes, Spec
from nbgraph.operator.kernel_call import KernelCall, Lowered
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.operator.mapper.decorator import op as scalar_op
from nbgraph.operator.rows.reduce_call import reduce_call, same
from nbgraph.operator.scalar.map_call import map_call
from nbgraph.settings import config

_FEW = 16  # requests that take less time than copies that would merge them
Places = tuple[Layout | None, Layout | None, Layout | None]  # of a, b, the result; None: unchanged


@scalar_op
def multiply(x1: Any, x2: Any) -> Any:
    """Return the product to be summed."""
    return x1 * x2


def gemms_lowered(
    op: Any, operands: Layouts, out: Layout, request: str, attributes: Attributes
) -> Lowered | None:
    """Return the kernels of a ProductOp, or None if there are none.

    >>> import numpy as np
    >>> from nbgraph.ops.define import operator_of
    >>> from nbgraph.ops.products.products import matmul
    >>> single = np.dtype("float32")
    >>> a, b = layout((5, 4), single, (32, 8)), layout((4, 6), single)
    >>> gemms_lowered(operator_of(matmul), [a, b], layout((5, 6), single), "write", {}).places
    (Layout(float32[5, 4], strides=(16, 4)), None, None)
    """
    if op.meaning(operands, attributes) is None:
        return None
    if not all(x.size for x in operands):
        return _zeros(len(operands), out, request)
    dtype = op.infer([Spec(x.shape, x.dtype) for x in operands], attributes)[0].dtype
    arrays = [*operands, out]
    cast = [x if x.dtype == dtype else layout(x.shape, dtype) for x in arrays]
    if not is_float(dtype):
        return _sums(op, operands, out, cast[2], request, attributes)
    gemms = None
    for most in (_FEW, 1 << 30):
        gemms = gemms or op.replacements(
            cast[:2],
            cast[2],
            attributes,
            (dtype,),
            lambda call, most=most: requests(call, dtype.itemsize) <= most,
        )
    if gemms is None:
        return None
    laid = [x if own is None else own for x, own in zip(cast, gemms, strict=True)]
    call = op.arranged(laid[:2], laid[2], attributes, (dtype,))
    assert call is not None, op
    scalar = call.u.extent == call.v.extent == 1
    if scalar and dtype.itemsize > 2 and all(x.dtype == dtype for x in arrays):
        return _sums(op, operands, out, cast[2], request, attributes)
    a, b, c = (None if own is x else own for own, x in zip(laid, arrays, strict=True))
    code: Any = Gemms(call, dtype, adds=request == "add" and c is None, tf32=bool(config.tf32))
    order = call.first, 1 - call.first, 2
    launch = KernelCall(op.__name__, code, (0, 0), order, (), 1, 1, device=code)
    # an addition to a 16-bit result is not rounded first, so it is not a sum of two values
    return Lowered((launch,), (a, b, c), adds=dtype.itemsize > 2)


def _zeros(count: int, out: Layout, request: str) -> Lowered:
    """Return the call that fills the result of empty sums with zeros."""
    plan = same.invoker.plan([out.dtype], out.dtype, {})
    call = map_call(plan, out.shape, [None], [out], [request])
    zero = replace(call, words=(*call.words, 0), scalars=(), order=(count,))
    return Lowered((zero,), (None,) * (count + 1))


def _sums(
    op: Any, operands: Layouts, out: Layout, result: Layout, request: str, attributes: Attributes
) -> Lowered:
    """Return the product by a kernel that sums multiplications."""
    fits = result is out and out.contiguous
    target, word = (out, request) if fits else (layout(result.shape, result.dtype), "write")
    stages = _sum_stages(op, operands, target, word, attributes)
    return stages._replace(places=(None, None, None if fits else target))


def _sum_stages(
    op: Any, operands: Layouts, out: Layout, request: str, attributes: Attributes
) -> Lowered:
    """Return the kernels of a contiguous result."""
    labels = op.meaning(operands, attributes)
    assert labels is not None, op
    sizes = labels.sizes(operands[0].shape, operands[1].shape)
    order = [*labels.out, *(label for label in sizes if label not in labels.out)]
    shape = *(sizes[label] for label in order), 1  # sums may be empty
    spread = [_spread(x, own, order) for x, own in zip(operands, (labels.a, labels.b), strict=True)]
    plan = multiply.invoker.plan_of([x.dtype for x in operands], {})
    combine: Combine = "max" if out.dtype.kind == "b" else "add"
    axes = len(shape) - len(labels.out)
    return reduce_call(plan, shape, spread, [out], [request], [combine], axes, disjoint=True)


def _spread(x: Layout, own: Sequence[str], order: Sequence[str]) -> Layout:
    """Return the layout with the axes of `order` and one more; missing axes have one element."""
    dims = dict(zip(own, zip(x.shape, x.strides, strict=True), strict=True))
    pairs = [*(dims.get(label, (1, 0)) for label in order), (1, 0)]
    return layout(tuple(n for n, _ in pairs), x.dtype, tuple(s for _, s in pairs))
