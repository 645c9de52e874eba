"""Compilation of a loop to PTX: emitted text, its LLVM text, LLVM's code generator for GPUs."""

from __future__ import annotations

import functools
import hashlib
import re
from typing import TYPE_CHECKING, NamedTuple

from nbgraph._version import __version__, sources
from nbgraph.errors import CompileError
from nbgraph.kernels import llvm as by_llvm
from nbgraph.kernels import vector_math
from nbgraph.kernels.cuda.grid import BLOCKS, Grid
from nbgraph.kernels.cuda.vocabulary import DEVICE, HOST
from nbgraph.kernels.llvm.module import Module
from nbgraph.kernels.llvm.vocabulary import RUNTIME
from nbgraph.kernels.loops.body import loop_may_fail
from nbgraph.kernels.loops.loop import Loop
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.vector_math.texts import texts

if TYPE_CHECKING:
    import llvmlite.binding as llvm

TRIPLE = "nvptx64-nvidia-cuda"
CAPABILITIES = ((8, 0), (8, 6), (8, 9), (9, 0), (10, 0), (12, 0))  # targets of PTX
_PTX = {(8, 0): 70, (8, 6): 71, (8, 9): 78, (9, 0): 78, (10, 0): 86, (12, 0): 87}  # by target
_LONG = 81  # first version with records over 4 KB
# LLVM aborts the process for a function it has no code for; it has code for these
_KNOWN = re.compile(
    r"llvm\.(nvvm|fma|fabs|sqrt|floor|ceil|trunc|rint|nearbyint|roundeven|copysign|minimum|maximum|"
    r"minnum|maxnum|[su]min|[su]max|abs|ctlz|cttz|ctpop|bswap|bitreverse|fsh[lr]|[su]cmp|"
    r"[su](add|sub|mul)\.(with\.overflow|sat)|fpto[su]i\.sat|is\.fpclass|assume|lifetime|"
    r"memcpy|memset|experimental\.noalias)\."
)
_DECLARED = re.compile(r"^declare [^@]*@\"?([\w.$]+)", re.MULTILINE)
_WIDE_DIVISION = re.compile(r"= [su](?:div|rem) i128 ")

_ENTRY = """
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()

define ptx_kernel void @{name}(ptr byval([{words} x i64]) align 8 %record) #0 {{
entry:
  %thread = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %threads = call i32 @llvm.nvvm.read.ptx.sreg.ntid.x()
  %block = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %blocks = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
{units}
  %status = call i64 @{body}(ptr %record, i64 %start, i64 %step)
{end}
}}
attributes #0 = {{ nounwind convergent "nvvm.maxntid"="{count}" }}
"""
_END = "  ret void"
# an error code is stored where the record's last word points; the host reads it
_STATUS = """  %wrong = icmp ne i64 %status, 0
  br i1 %wrong, label %tell, label %over
tell:
  %last = getelementptr inbounds i64, ptr %record, i64 {place}
  %slot = load i64, ptr %last, align 8
  %far = inttoptr i64 %slot to ptr addrspace(1)
  store i64 %status, ptr addrspace(1) %far, align 8
  br label %over
over:
  ret void"""
_BY_BLOCK = """  %start = zext i32 %block to i64
  %step = zext i32 %blocks to i64"""
_BY_THREAD = """  %first = mul i32 %block, %threads
  %place = add i32 %first, %thread
  %start = zext i32 %place to i64
  %all = mul i32 %blocks, %threads
  %step = zext i32 %all to i64"""


class Form(NamedTuple):
    """The form of a launch: words of the record, its one parameter; threads per block; whether
    units are blocks of threads; whether the record's last word is an address to report failure
    at."""

    words: int
    threads: int
    blocks: bool = False
    fails: bool = False


def form_of(loop: Loop, grid: Grid) -> Form:
    """Return the form of a loop's kernel for a grid."""
    fails = loop_may_fail(loop)
    words = loop.outer_at + grid.rank * (1 + loop.pointers) + fails
    return Form(words, grid.threads, loop.form in BLOCKS, fails)


def entry_name(source: Source) -> str:
    """Return a kernel's name in PTX, which must differ from instructions."""
    return "nbgraph_" + re.sub(r"[^A-Za-z0-9_]", "_", source.name)


def content_key(source: Source, form: Form, capability: tuple[int, int]) -> str:
    """Return the cache key of a kernel's PTX: text, constants, functions, launch, compiler."""
    import llvmlite

    parts = [
        "ptx",
        source.text,
        repr(sorted(source.namespace.functions.items())),
        repr((source.fastmath, tuple(form), capability)),
        vector_math.VERSION,
        f"nbgraph {__version__} {by_llvm.version()} {sources('kernels/cuda/*')}",
        f"llvmlite {llvmlite.__version__}",
    ]
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()


def ptx(source: Source, form: Form, capability: tuple[int, int]) -> str:
    """Return the PTX of a kernel's text for a compute capability."""
    machine = _machine(capability, long=form.words > 512)
    return str(machine.emit_assembly(device_module(source, form, capability)))


def device_module(source: Source, form: Form, capability: tuple[int, int]) -> llvm.ModuleRef:
    """Return the optimised module of an emitted kernel for the device."""
    import llvmlite.binding as llvm

    from nbgraph.codegen.optimise import run_passes

    machine = _machine(capability)
    # set first: with a later layout, loads are aligned to 4 bytes and split
    layout = f'target datalayout = "{machine.target_data}"\ntarget triple = "{TRIPLE}"\n'
    text = layout + _device_text(source, form)
    try:
        module = llvm.parse_assembly(text, llvm.create_context())
        module.verify()
    except RuntimeError as error:
        raise CompileError(
            f"{source.name}: LLVM does not accept the GPU text that was made of it; please report "
            "this",
            details=f"{error}\n\n{text}",
        ) from None
    options = llvm.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization = options.slp_vectorization = False  # a thread has no vectors
    run_passes(module, machine, options)
    _require_device_code(source, str(module))
    return module


def _require_device_code(source: Source, text: str) -> None:
    """Require that LLVM has device code for all functions that a module calls."""
    unknown = [n for n in _DECLARED.findall(text) if not _KNOWN.match(f"{n}.")]
    unknown += ["128-bit division"] if _WIDE_DIVISION.search(text) else []
    if unknown:
        raise CompileError(
            f"{source.name}: needs {', '.join(unknown)}, which there is no GPU code for; use "
            "device='cpu' for this operator, and please report this",
            details=text,
        )


def host_text(source: Source) -> str:
    """Return LLVM text of the kernel for this machine, with the common symbol."""
    written = Module(source, HOST)
    return f"{written.text()}\n{_mathematics(written)}"


def _device_text(source: Source, form: Form) -> str:
    def entry(body: str) -> str:
        return _ENTRY.format(
            name=entry_name(source),
            body=body,
            words=form.words,
            units=_BY_BLOCK if form.blocks else _BY_THREAD,
            count=form.threads,
            end=_STATUS.format(place=form.words - 1) if form.fails else _END,
        )

    written = Module(source, DEVICE, entry)
    text = written.text()
    declared = set(re.findall(r"^declare .*$", text, re.MULTILINE))
    lines = [x for x in text.splitlines() if x not in declared]
    return "\n".join([*sorted(declared), *lines, _mathematics(written)])


def _mathematics(written: Module) -> str:
    """Return the text of the mathematics that a module calls."""
    wanted = sorted(n for n in written.mathematics if n[0] not in RUNTIME)
    names = [n for n, _ in written.mathematics if n in RUNTIME]
    return texts(wanted, names, portable=True) if wanted or names else ""


@functools.cache
def _machine(capability: tuple[int, int], *, long: bool = False) -> llvm.TargetMachine:
    import llvmlite.binding as llvm

    if capability not in CAPABILITIES:
        known = ", ".join(f"{a}.{b}" for a, b in CAPABILITIES)
        raise CompileError(
            f"compute capability {capability[0]}.{capability[1]}: PTX is made for {known}; a "
            "device takes the PTX of a capability that is not above its own"
        )
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    major, minor = capability
    version = max(_PTX[capability], _LONG) if long else _PTX[capability]
    return llvm.Target.from_triple(TRIPLE).create_target_machine(
        cpu=f"sm_{major}{minor}", features=f"+ptx{version}", opt=3
    )
