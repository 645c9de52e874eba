"""From emitted text to an optimised module of LLVM."""

from __future__ import annotations

import llvmlite.binding as llvm

from nbgraph.codegen import optimise
from nbgraph.kernels.llvm.module import Module
from nbgraph.kernels.llvm.vocabulary import RUNTIME
from nbgraph.kernels.vector_math.texts import texts
from nbgraph.kernels.writer import Source


def text(source: Source) -> str:
    """The whole LLVM text of an emitted kernel, as it is before optimisation."""
    made = Module(source)
    names = sorted(made.mathematics)
    mathematics = texts(
        (n for n in names if n[0] not in RUNTIME), [n for n, _ in names if n in RUNTIME]
    )
    return f"{made.text()}\n{mathematics}"


def module(source: Source) -> llvm.ModuleRef:
    """The optimised module; only the kernel's symbol is visible outside."""
    return optimise.optimised(text(source), source.name)
