"""Numba as a front end: functions of integers to LLVM modules, quickly.

Numba finishes each function by itself: it links in everything below, optimises that, and makes
machine code of it, so that a function six calls deep is optimised six times. Here its libraries
only collect: each keeps the LLVM module of one function, and whoever wants the whole links each
module once and optimises once. The pipeline lacks the passes that have nothing to do in functions
of plain integers, and a function is compiled once for all integers, be they literals or not.
Measured on 60 functions in a tree six deep: 3.6 s instead of 9 s.

`pipeline_class` is Numba's door for this; that a library may be given, and what a library is asked
for, are insides of Numba 0.68, which pyproject.toml pins.
"""

from __future__ import annotations

import gc
from collections.abc import Generator, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import llvmlite.binding as llvm
import numba
from numba.core import cgutils, typed_passes, untyped_passes
from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import Compiler
from numba.core.compiler_machinery import PassManager
from numba.core.errors import NumbaError
from numba.core.registry import CPUDispatcher

from nbgraph.codegen import elements, target
from nbgraph.codegen.optimise import run_passes
from nbgraph.errors import CompileError

_PASSES = (
    untyped_passes.TranslateByteCode,
    untyped_passes.FixupArgs,
    untyped_passes.IRProcessing,
    untyped_passes.GenericRewrites,
    untyped_passes.ReconstructSSA,
    typed_passes.NopythonTypeInference,
    typed_passes.PreLowerStripPhis,
    typed_passes.NoPythonSupportedFeatureValidation,
    typed_passes.IRLegalization,
    typed_passes.AnnotateTypes,
    typed_passes.NativeLowering,
    typed_passes.NoPythonBackend,
)


class _NoEnvironments:
    """What a library's code generator is asked for when nothing is loaded."""

    def set_env(self, name: str, environment: object) -> None:
        """Functions of integers reach no Python object."""


class _Collected(JITCodeLibrary):
    """A library that is neither optimised nor loaded; its module waits to be linked."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironments()

    def add_ir_module(self, ir_module: Any) -> None:
        text = elements.described(cgutils.normalize_ir_text(str(ir_module)))
        module = llvm.parse_assembly(text)
        module.name = ir_module.name
        module.verify()
        self.add_llvm_module(module)

    def _optimize_functions(self, ll_module: llvm.ModuleRef) -> None:
        pass

    def finalize(self) -> None:
        self._raise_if_finalized()
        self._finalized = True

    def get_pointer_to_function(self, name: str) -> int:
        self._ensure_finalized()
        return 0

    def modules(self, seen: dict[Any, None]) -> Iterator[llvm.ModuleRef]:
        """The module of the function and those of all it calls, each once."""
        pending: list[Any] = [self]
        while pending:
            library = pending.pop()
            if library in seen:
                continue
            seen[library] = None
            if isinstance(library, _Collected):
                pending += library._linking_libraries
                yield library._final_module.clone()
            else:  # one of Numba's own, which holds all it needs
                yield library._get_module_for_linking().clone()


class _Pipeline(Compiler):
    def compile_extra(self, func: Any) -> Any:
        codegen = self.state.targetctx.codegen()
        self.state.library = _Collected(codegen, func.__qualname__)
        return super().compile_extra(func)

    def define_pipelines(self) -> list[PassManager]:
        passes = PassManager("nbgraph")
        for each in _PASSES:
            passes.add_pass(each, each.__name__)
        passes.finalize()
        return [passes]


class _Function(CPUDispatcher):
    """Compiled once for all integers: Numba would compile `f(0)` for the literal 0 apart."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        plain = tuple(numba.types.unliteral(kind) for kind in args)
        named = {name: numba.types.unliteral(kind) for name, kind in dict(kws).items()}
        return super().get_call_template(plain, named)


def jit(function: Any, **more: Any) -> Any:
    """A dispatcher whose code only `link` can have; it compiles when a caller is compiled.

    `more`: further options of Numba's.
    """
    options = {
        "nopython": True,
        "error_model": "numpy",
        "boundscheck": False,
        "no_cpython_wrapper": True,
        "no_cfunc_wrapper": True,
        **more,
    }
    return _Function(function, targetoptions=options, pipeline_class=_Pipeline)


def link(roots: Mapping[str, tuple[Any, int]]) -> llvm.ModuleRef:
    """One optimised module in which each symbol is a C function of so many int64 words."""
    module = llvm.parse_assembly("")
    seen: dict[Any, None] = {}
    with target.COMPILING, _no_collections():
        for symbol, (dispatcher, arity) in roots.items():
            library, inner = _compiled(symbol, dispatcher, arity)
            for part in library.modules(seen):
                module.link_in(part)
            module.link_in(llvm.parse_assembly(target.wrapper(symbol, inner, arity)))
        target.hide(module, roots)
        run_passes(module, target.machine(), llvm.create_pipeline_tuning_options(speed_level=3))
    return module


def _compiled(symbol: str, dispatcher: Any, arity: int) -> tuple[_Collected, str]:
    signature = numba.types.int64(*[numba.types.int64] * arity)
    try:
        dispatcher.compile(signature)
    except NumbaError as error:
        raise CompileError(
            f"{symbol}: could not be compiled: {error}", details=str(error)
        ) from None
    result = dispatcher.overloads[signature.args]
    return result.library, str(result.fndesc.llvm_func_name)


@contextmanager
def _no_collections() -> Generator[None]:
    """A compiler makes many objects that live; looking for garbage among them takes a tenth."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()
