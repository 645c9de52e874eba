"""Products of integers as kernel calls: see `nbgraph.kernels.products.integers`."""

from nbgraph.kernels.products.axes import Axis, Call
from nbgraph.kernels.products.integers import multiplying
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout

_RATE = 8  # rough multiplications per nanosecond
_FEW = 16  # elements of a row up to which each is computed as its own sum


def suits(dtype: str, item: int, call: Call) -> bool:
    """Return whether elements are contiguous along the kernel's loops."""
    whole = dtype.startswith(("int", "uint")) and _dense(call.u, 2, item)
    return whole and (_dense(call.u, call.first, item) or _summed_densely(call, item))


def _dense(axis: Axis, array: int, item: int) -> bool:
    return axis.extent == 1 or axis.steps[array] == item


def _summed_densely(call: Call, item: int) -> bool:
    return _dense(call.k, 0, item) and _dense(call.k, 1, item)


def packed(call: Call, item: int) -> tuple[Layout, ...]:
    """Return the layouts of scratch memory: none."""
    return ()


def calls(name: str, dtype: str, item: int, call: Call, *, adds: bool) -> tuple[KernelCall, ...]:
    """Return the kernel calls of a product: one."""
    first, second = call.first, 1 - call.first
    u, v, k = call.u, call.v, call.k
    lines = _dense(u, first, item) and not (u.extent < _FEW and _summed_densely(call, item))
    steps = u.steps[first], k.steps[first], v.steps[second], k.steps[second], v.steps[2]
    kernel = KernelCall(
        name,
        multiplying(name, dtype, lines=lines),
        head=(v.extent, len(call.outer)),
        order=(first, second, 2),
        words=(u.extent, k.extent, *steps, int(adds)),
        size=v.extent * call.products,
        cost=max(1, u.extent * v.extent * k.extent * call.products // _RATE),
        tail=call.outside(first, second, 2),
    )
    return (kernel,)
