"""Products of bfloat16 and of bytes as kernel calls: see `nbgraph.kernels.products.narrow`."""

import numpy as np

from nbgraph.codegen.host import features
from nbgraph.kernels.products.axes import Axis, Call
from nbgraph.kernels.products.narrow import BLOCK, COLUMNS, ROWS, WORD, Along, multiplying, packing
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, layout

_WORDS = np.dtype("int32")
_LEAST = 1 << 20  # multiplications from which packing pays
_NEEDS = {"bfloat16": "+avx512bf16", "int8": "+avx512vnni", "uint8": "+avx512vnni"}
_RATE = {"bfloat16": 80, "int8": 160, "uint8": 160}  # rough multiplications per nanosecond


def suits(dtype: str, item: int, call: Call) -> bool:
    """Return whether the processor has instructions for a product, and packing pays."""
    if _NEEDS.get(dtype, "never") not in features().split(","):
        return False
    u, v, k = call.u.extent, call.v.extent, call.k.extent
    return not call.vector and min(u, v, k) >= WORD and u * v * k >= _LEAST


def packed(call: Call, item: int) -> tuple[Layout, Layout]:
    """Return the layouts of the packed columns and rows, in words of 32 bits."""
    words = -(-call.k.extent * item // WORD) * call.products
    panels, groups = -(-call.u.extent // COLUMNS), -(-call.v.extent // ROWS)
    sizes = panels * COLUMNS * words, groups * ROWS * words
    return layout((sizes[0],), _WORDS), layout((sizes[1],), _WORDS)


def calls(
    name: str, dtype: str, item: int, call: Call, *, adds: bool, bias: bool = False
) -> tuple[KernelCall, ...]:
    """Return the kernel calls of a product, added to a `bias` if there is one."""
    out = 3 if bias else 2
    depth, first, second = call.k.extent, call.first, 1 - call.first
    words = -(-depth * item // WORD)
    panels, groups = -(-call.u.extent // COLUMNS), -(-call.v.extent // ROWS)
    across, along = -(-panels // BLOCK), -(-groups // BLOCK)
    work = call.u.extent * call.v.extent * depth * call.products
    packs = [
        _pack(f"{name}: packing", item, (operand, target), axis, count, call)
        for operand, target, axis, count in (
            (first, out + 1, call.u, COLUMNS), (second, out + 2, call.v, ROWS),
        )
    ]  # fmt: skip
    multiply = KernelCall(
        name,
        multiplying(dtype, bias=bias),
        head=(across * along, len(call.outer)),
        order=(out + 1, out + 2, *([2] if bias else []), out),
        words=(
            *(call.u.extent, call.v.extent, words, call.v.steps[2]),
            *(panels, groups, across, int(adds)),
        ),
        size=across * along * call.products,
        cost=work // _RATE[dtype],
        tail=call.outside(2),
    )
    return *packs, multiply


def _pack(
    name: str, item: int, order: tuple[int, int], lines: Axis, count: int, call: Call
) -> KernelCall:
    """Return the call that packs the lines of an operand; `order`: its index, and its scratch's."""
    operand, depth = order[0], call.k.extent
    extent, step = lines.extent, lines.steps[operand]
    along: Along = "lines" if step == item else "depth"
    groups = -(-extent // count)
    return KernelCall(
        name,
        packing(item, along, count),
        head=(groups, len(call.outer)),
        order=order,
        words=(extent, step, depth, call.k.steps[operand]),
        size=groups * call.products,
        cost=extent * depth * call.products // 8,
        tail=call.outside(operand),
    )
