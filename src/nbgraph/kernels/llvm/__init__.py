"""The second compiler of kernels: from emitted text directly to LLVM, without Numba.

`nbgraph.kernels.loops.source` writes a loop description as Python text in a small vocabulary:
numbers, pointers, `for i in range(n)`, `while`, `if`, and the primitives of `nbgraph.native`. Numba
reads that text as the reference; this room lowers the same text to LLVM text in a tenth of the
time. So a new loop form is written once for both compilers.

values      LLVM operands with their kinds
function    one LLVM function being written
arithmetic  Numba's rules for operators and conversions, as instructions
vocabulary  the primitives
lowering    statements and expressions
helpers     small functions of the library that kernels call, from their own source text
wide        mathematics called for several vectors, where a loop calls it many times
shared      functions that kernels share, compiled once by content
unit        the text of one LLVM module: functions, declarations, metadata
frame       the loops around inner runs, which kernels share
module      a whole kernel: its parts, mathematics and loop metadata
compile     from emitted text to an optimised module of LLVM
"""

from nbgraph._version import sources


def version() -> str:
    """Return a hash of the files that lower emitted text, except the mathematics."""
    native = "native/integers", "native/memory"
    return sources("kernels/llvm/*", *native, "codegen/instructions", "codegen/optimise")
