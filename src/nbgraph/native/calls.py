"""Calls through an address.

Numba intrinsics and nothing else. The address is one of a function that lives as long as whoever
may call it; see `nbgraph.codegen.target`.
"""

# mypy: ignore-errors
# pyright: basic

from __future__ import annotations

from llvmlite import ir
from numba import types
from numba.extending import intrinsic

_I64 = ir.IntType(64)
_KERNEL = ir.FunctionType(_I64, [_I64] * 3)


@intrinsic
def call_kernel(typingctx, function, args, lo, hi):
    """Run the kernel at address `function` on `[lo, hi)`; its result, 0 or an error code."""

    def codegen(context, builder, signature, values):
        return builder.call(builder.inttoptr(values[0], _KERNEL.as_pointer()), values[1:])

    return types.int64(types.int64, types.int64, types.int64, types.int64), codegen
