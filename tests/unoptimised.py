"""Compile seven of eight kernels of an everyday run without LLVM's optimisation, which is three
quarters of what compiling takes. Results are the same to the bit, as the tests see.

Which ones is drawn by SEED from their text, so that kernels of one text are compiled once. Always
optimised is what a test reads of a kernel (its assembly, its LLVM text), sums, whose order in short
rows is that of LLVM's vectors, and products and convolutions, where training spends its time.
"""

import os
import re
import threading
import zlib

SHARE = 7 / 8
# what keeps functions for the vectoriser, which LLVM's passes drop; its code generator refuses it
_KEPT = re.compile(r"^@llvm\.compiler\.used = .*$", re.MULTILINE)


def drawn(text):
    """Whether a kernel of this text is one of them."""
    return zlib.crc32(f"{os.environ.get('SEED', '20260101')} {text}".encode()) < SHARE * 2**32


def install():
    """Compile so in this process from now on."""
    from nbgraph.codegen import optimise, target
    from nbgraph.kernels.compiler import cpu

    compile_source, optimised, emitted = cpu.compile_source, optimise.optimised, cpu._emitted
    here = threading.local()

    def compile_some(source, by):
        here.quickly = by == "llvm" and not source.lowered and drawn(source.text)
        try:
            return compile_source(source, by)
        finally:
            here.quickly = False

    def perhaps_optimised(text, what, **options):
        here.quickly = getattr(here, "quickly", False) and "reassoc" not in text
        if here.quickly:
            return optimised(_KEPT.sub("", text), what, **options | {"level": 0})
        return optimised(text, what, **options)

    def emitted_alike(module, level=3):
        if not here.quickly:
            return emitted(module, level)
        code = bytes(target.machine(0).emit_object(module))
        return cpu.Compiled(code, target.externals(module), 0.0)

    cpu.compile_source, cpu._emitted = compile_some, emitted_alike
    optimise.optimised = perhaps_optimised
