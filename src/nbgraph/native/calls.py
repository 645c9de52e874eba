"""Calls through an address.

Numba intrinsics only. The function at the address must outlive all of its callers; see
`nbgraph.codegen.target`.
"""

# mypy: ignore-errors
# pyright: basic

from llvmlite import ir
from numba import types

from nbgraph.native.intrinsics import llvm_intrinsic

_I64 = ir.IntType(64)
_KERNEL = ir.FunctionType(_I64, [_I64] * 3)


@llvm_intrinsic(types.int64(types.int64, types.int64, types.int64, types.int64))
def call_kernel(builder, function, args, lo, hi):
    """Run the kernel at address `function` on `[lo, hi)`; return 0 or an error code."""
    return builder.call(builder.inttoptr(function, _KERNEL.as_pointer()), [args, lo, hi])
