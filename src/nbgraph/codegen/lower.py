"""Numba as a fast front end, from functions of integers to LLVM modules.

Numba finishes each function separately: it links in all its callees, optimises them, and generates
machine code, so that a function six calls deep is optimised six times. Here its libraries only
collect: each holds the LLVM module of one function, and the final link takes each module once and
optimises once. The pipeline omits passes without an effect on functions of plain integers, and a
function is compiled once for all integers, literal or not. Measured on 60 functions in a tree six
deep: 3.6 s instead of 9 s.

`pipeline_class` is Numba's public option for this; the replacement of its library, and the
library's interface, are internals of Numba 0.68, which pyproject.toml pins.

Metadata tell LLVM what it may assume of loops: that elements are independent, that interleaving
pays. A load or store of an independent loop is in the access group ELEMENTS; this module completes
the group's metadata, and marks the loop as one whose accesses of the group may run for several
elements at once. Accesses of one element are not covered: they keep their order, so that a loop
that overwrites its input, element by element, stays correct and is vectorised all the same. A
module marked INTERLEAVE requests several vectors in turn.

llvmlite writes neither distinct nor self-referential metadata, so this works on text. Numba names
the blocks of a function after offsets in its byte code, which identifies backward branches.
"""

import gc
import re
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

from nbgraph.codegen import target
from nbgraph.codegen.optimise import run_passes
from nbgraph.errors import CompileError
from nbgraph.native.memory import ELEMENTS, GROUP, INTERLEAVE

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
    """The code generator of a library that is never loaded."""

    def set_env(self, name: str, environment: object) -> None:
        """Do nothing: functions of integers use no Python objects."""


class _Collected(JITCodeLibrary):
    """A library that is neither optimised nor loaded; `link` links its module."""

    @property
    def codegen(self) -> Any:
        return _NoEnvironments()

    def add_ir_module(self, ir_module: Any) -> None:
        text = described(cgutils.normalize_ir_text(str(ir_module)))
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
        """Yield the module of the function and those of all functions it calls, each once."""
        pending: list[Any] = [self]
        while pending:
            library = pending.pop()
            if library in seen:
                continue
            seen[library] = None
            if isinstance(library, _Collected):
                pending += library._linking_libraries
                yield library._final_module.clone()
            else:  # one of Numba's own, which contains its dependencies
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
    """A dispatcher that compiles once for all integers; Numba's compiles `f(0)` for a literal 0."""

    def get_call_template(self, args: Any, kws: Any) -> Any:
        plain = tuple(numba.types.unliteral(kind) for kind in args)
        named = {name: numba.types.unliteral(kind) for name, kind in dict(kws).items()}
        return super().get_call_template(plain, named)


def jit(function: Any, **more: Any) -> Any:
    """Return a dispatcher whose code is for `link` only; it compiles when a caller is compiled.

    `more`: further options of Numba.
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
    """Return an optimised module with the roots as C functions; each has its number of words."""
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
    """Disable garbage collection, which takes a tenth of the time of a compilation."""
    enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if enabled:
            gc.enable()


VECTORS = 4  # that an interleaved loop processes in turn

_NODE = re.compile(r"^!(\d+) = (.*)$", re.MULTILINE)
_FUNCTION = re.compile(r"^define .*?^}$", re.MULTILINE | re.DOTALL)
_BLOCK = re.compile(r"^\"?B(\d+)[\w.]*\"?:")
_JUMP = re.compile(r"^ +br label %\"?B(\d+)\"?$")


def described(ir: str) -> str:
    """Return LLVM text whose loops have the metadata that the marks in it request."""
    nodes = {int(number): text for number, text in _NODE.findall(ir)}
    group = next((n for n, text in nodes.items() if text == f'!{{ !"{ELEMENTS}" }}'), None)
    interleaved = f"!{INTERLEAVE} =" in ir
    if group is None and not interleaved:
        return ir
    hints: list[str] = []
    marked = ""
    if group is not None:
        ir = ir.replace(f"!{group} = {nodes[group]}", f"!{group} = distinct !{{}}")
        marked = f"!{GROUP} !{group}"
        hints.append(f'!{{ !"llvm.loop.parallel_accesses", !{group} }}')
    if interleaved:
        hints.append(f'!{{ !"llvm.loop.interleave.count", i32 {VECTORS} }}')
    loop = max(nodes) + 1
    ir = _FUNCTION.sub(lambda m: _with_marked_jumps(m[0], loop) if marked in m[0] else m[0], ir)
    listed = ", ".join(f"!{loop + k}" for k in range(len(hints) + 1))
    lines = [f"!{loop} = distinct !{{ {listed} }}"]
    lines += [f"!{loop + k} = {text}" for k, text in enumerate(hints, start=1)]
    return "\n".join([ir, *lines, ""])


def _with_marked_jumps(function: str, loop: int) -> str:
    """Return the function with the backward jumps of its outermost loop marked."""
    lines = function.split("\n")
    jumps: list[tuple[int, int]] = []  # where a loop begins, and the line that jumps back there
    here = -1
    for k, line in enumerate(lines):
        block, jump = _BLOCK.match(line), _JUMP.match(line)
        if block:
            here = int(block[1])
        elif jump and int(jump[1]) <= here:
            jumps.append((int(jump[1]), k))
    outermost = min((start for start, _ in jumps), default=-1)
    for start, k in jumps:
        if start == outermost:
            lines[k] += f", !llvm.loop !{loop}"
    return "\n".join(lines)
