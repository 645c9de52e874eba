"""Compilation of emitted text to optimised LLVM modules."""

import re

import llvmlite.binding as llvm

from nbgraph.codegen import optimise
from nbgraph.kernels.llvm.module import Module
from nbgraph.kernels.llvm.shared import Shared, closure
from nbgraph.kernels.llvm.vocabulary import RUNTIME
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.vector_math.texts import texts


def lowered(source: Source) -> tuple[str, list[Shared]]:
    """Return the unoptimised LLVM text of an emitted kernel, and the modules to link it with."""
    module_text = Module(source, shares=True)
    names = sorted(module_text.mathematics)
    mathematics = texts(
        (n for n in names if n[0] not in RUNTIME), [n for n, _ in names if n in RUNTIME]
    )
    return f"{module_text.text()}\n{mathematics}", closure(module_text.shared)


def text(source: Source) -> str:
    """Return the LLVM text of an emitted kernel; see `lowered`."""
    return lowered(source)[0]


def module(source: Source, level: int = 3) -> tuple[llvm.ModuleRef, list[Shared]]:
    """Return the optimised module, with only the kernel visible, and those to link it with."""
    text, called = lowered(source)
    if not level:  # marks that optimisation would drop, and that the code generator rejects
        text = re.sub(r"^@llvm\.compiler\.used = .*$", "", text, flags=re.MULTILINE)
    return optimise.optimised(text, source.name, level=level), called
