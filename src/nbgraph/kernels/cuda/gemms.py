"""Products on devices: a call of BLAS as requests to the driver.

A `Call` may have separate products along several axes. One axis becomes part of each request to the
driver, in equal steps; the others become successive requests.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.device import RunContext, driver
from nbgraph.device.gemm import Gemm
from nbgraph.kernels.compiler.kernel import Text
from nbgraph.kernels.products.axes import Axis, Call

MOST = 1 << 15  # products per request: grids end at 65535 along an axis
_ONE = Axis(1)
_FLIPPED = {"N": "T", "T": "N"}
_MODEL = """\
def product(first, second, out):
    # by the device's BLAS, on its stream
    for gemm, a, b, c in requests(first, second, out):
        stream.multiply(gemm, a, b, c)
"""


def requests(call: Call, item: int) -> int:
    """Return the number of requests for a product.

    >>> steps = (4, 0, 4), (0, 4, 12), (12, 8, 0)
    >>> axes = [Axis(3, steps[0]), Axis(3, steps[1]), Axis(5, steps[2])]
    >>> call = Call(0, *axes, "NT", (3, 2, 3), vector=False, outer=(Axis(7, (60, 40, 36)),))
    >>> requests(call, 4)
    1
    """
    batch = _batch(call, item)
    others = call.products // batch.extent
    return others * -(-batch.extent // MOST)


class Gemms:
    """A product that can be issued repeatedly, like `Launches`, and inspected like a `Kernel`.
    Addresses of the record: the call's first operand, the second, the result.

    `dtype`: of operands and result. `adds`: accumulate into the result.
    """

    fails, replays = False, "one record"  # as in `Launches`; the launch is the library's

    def __init__(self, call: Call, dtype: np.dtype[Any], *, adds: bool, tf32: bool) -> None:
        self.name = "product"
        self.loop = self.source = Text(self.name, _MODEL)
        gemm, self._exchanged = _gemm(call, dtype, adds=adds, tf32=tf32)
        self._requests = list(_requests(call, gemm, exchanged=self._exchanged))

    def require(self, device: int) -> None:
        """Raise now if the driver has no library of products; see `Launches`."""
        driver().require_products()

    def ready(self, record: Sequence[int], device: int) -> Gemms:
        """See `Launches`."""
        self.require(device)
        return self

    def issue(self, run_ctx: RunContext, record: Sequence[int], ready: Gemms) -> None:
        """Enqueue the product on the stream."""
        a, b, c = record[2:5]
        if self._exchanged:
            a, b = b, a
        for gemm, at in self._requests:
            run_ctx.stream.multiply(gemm, a + at[0], b + at[1], c + at[2])


def _gemm(call: Call, dtype: np.dtype[Any], *, adds: bool, tf32: bool) -> tuple[Gemm, bool]:
    """Return one of the products, and whether its operands are exchanged."""
    m, n, k = call.u.extent, call.v.extent, call.k.extent
    forms, lds, exchanged = call.forms, call.lds, False
    if call.vector:
        ld, step, target = call.lds
        if target == 1:  # a column vector, as well as it lies
            column = step == 1
            forms = forms[0] + ("N" if column else "T")
            lds = ld, (k if column else step), m
        else:  # columns of one element each
            forms, lds, exchanged = "N" + _FLIPPED[forms[0]], (step, ld, target), True
            m, n = 1, m
    return Gemm(m, n, k, forms, lds, dtype, adds, tf32=tf32), exchanged


def _requests(
    call: Call, gemm: Gemm, *, exchanged: bool
) -> Iterator[tuple[Gemm, tuple[int, int, int]]]:
    """Yield the driver's requests, with byte offsets to the addresses."""
    order = (1 - call.first, call.first, 2) if exchanged else (call.first, 1 - call.first, 2)
    item = gemm.dtype.itemsize
    batch = _batch(call, item)
    steps = tuple(batch.steps[x] for x in order)
    others = [axis for axis in call.outer if axis is not batch]
    for place in itertools.product(*(range(axis.extent) for axis in others)):
        own = [sum(axis.steps[x] * i for axis, i in zip(others, place, strict=True)) for x in order]
        for start in range(0, batch.extent, MOST):
            count = min(MOST, batch.extent - start)
            a, b, c = (s // item if count > 1 else 0 for s in steps)
            x, y, z = (at + start * step for at, step in zip(own, steps, strict=True))
            yield gemm._replace(products=count, steps=(a, b, c)), (x, y, z)


def _batch(call: Call, item: int) -> Axis:
    """Return the longest axis of separate products whose steps are multiples of an element."""
    fitting = [
        axis
        for axis in call.outer
        if axis.steps[2] > 0 and all(s >= 0 and s % item == 0 for s in axis.steps)
    ]
    return max(fitting, key=lambda axis: axis.extent, default=_ONE)
