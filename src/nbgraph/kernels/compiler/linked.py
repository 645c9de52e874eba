"""Kernels as C functions in one object file, which needs neither Python nor this library.

Each function has the contiguous elements of arrays as its range, and packs the argument record of
its kernel on the stack; all other symbols are local.
"""

from collections.abc import Sequence
from typing import NamedTuple

import llvmlite.binding as llvm

from nbgraph.codegen import optimise, target
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.loops.writer import Source
from nbgraph.scopes import attended

_KERNEL = "{name}.kernel"
_FUNCTION = """
define i32 @"{name}"({parameters}) {{
  %record = alloca [{count} x i64], align 16
{stores}
  %args = ptrtoint ptr %record to i64
  %status = call i64 @"{kernel}"(i64 %args, i64 0, i64 %n)
  %good = icmp eq i64 %status, 0
  %code = select i1 %good, i32 0, i32 1
  ret i32 %code
}}
declare i64 @"{kernel}"(i64, i64, i64)
"""


class Scalar(NamedTuple):
    """A scalar word of the record: a C parameter `name` of type double or int64_t, or a constant if
    it has no name. `narrow` says that the record holds a float32."""

    name: str
    floating: bool
    narrow: bool
    word: int


class Function(NamedTuple):
    """A C function `int name(int64_t n, arrays..., scalars..., outputs...)` that calls a kernel."""

    name: str
    source: Source
    sizes: Sequence[int]  # bytes of an element of each operand, then of each output
    outputs: int
    scalars: Sequence[Scalar]


@attended
def object_file(functions: Sequence[Function]) -> tuple[bytes, tuple[str, ...]]:
    """Return an object file of position-independent code, and the C functions that it calls."""
    context = llvm.create_context()
    machine = target.new_machine(relocation="pic", code_model="default")
    whole = llvm.parse_assembly("", context)
    whole.triple, whole.data_layout = machine.triple, str(machine.target_data)
    linked: set[str] = set()
    for function in functions:
        module, called = cpu.module(function.source, cpu.compiler(function.source))
        kernel = _KERNEL.format(name=function.name)
        text = str(module).replace(f"@{target.SYMBOL}(", f'@"{kernel}"(')
        texts = [text, _wrapper(function, kernel)]
        for each in called:
            if each.symbol not in linked:
                linked.add(each.symbol)
                texts.append(str(optimise.optimised(each.text, each.symbol)))
        for piece in texts:
            whole.link_in(llvm.parse_assembly(_placed(piece, whole), context))
    target.hide(whole, [function.name for function in functions])
    whole.verify()
    optimise.run_passes(whole, machine, llvm.create_pipeline_tuning_options(speed_level=1))
    return bytes(machine.emit_object(whole)), target.externals(whole)


def _placed(text: str, whole: llvm.ModuleRef) -> str:
    """Return a module's text with the target triple and data layout of `whole`."""
    lines = [x for x in text.splitlines() if not x.startswith(("target ", "; ModuleID"))]
    header = f'target datalayout = "{whole.data_layout}"\ntarget triple = "{whole.triple}"'
    return "\n".join([header, *lines])


def _wrapper(function: Function, kernel: str) -> str:
    """Return the LLVM text of the C function around `kernel`."""
    operands = len(function.sizes) - function.outputs
    arrays = [f"%a{i}" for i in range(len(function.sizes))]
    named = [s for s in function.scalars if s.name]
    types = {s.name: "double" if s.floating else "i64" for s in named}
    parameters = ["i64 %n", *(f"ptr {a}" for a in arrays[:operands])]
    parameters += [f"{types[s.name]} %p_{s.name}" for s in named]
    parameters += [f"ptr {a}" for a in arrays[operands:]]
    words, lines = ["%n", "0"], list[str]()
    for i, array in enumerate(arrays):
        lines.append(f"  %w{i} = ptrtoint ptr {array} to i64")
        words.append(f"%w{i}")
    words += map(str, function.sizes)
    for scalar in function.scalars:
        words.append(f"%s_{scalar.name}" if scalar.name else str(scalar.word))
        lines += _scalar_word(scalar) if scalar.name else []
    for i, word in enumerate(words):
        lines.append(f"  %at{i} = getelementptr i64, ptr %record, i64 {i}")
        lines.append(f"  store i64 {word}, ptr %at{i}")
    return _FUNCTION.format(
        name=function.name,
        parameters=", ".join(parameters),
        count=len(words),
        stores="\n".join(lines),
        kernel=kernel,
    )


def _scalar_word(scalar: Scalar) -> list[str]:
    """Return the lines that compute a scalar parameter as the record holds it."""
    name, argument = f"%s_{scalar.name}", f"%p_{scalar.name}"
    if not scalar.floating:
        return [f"  {name} = add i64 {argument}, 0"]
    if not scalar.narrow:
        return [f"  {name} = bitcast double {argument} to i64"]
    return [
        f"  {name}.f = fptrunc double {argument} to float",
        f"  {name}.i = bitcast float {name}.f to i32",
        f"  {name} = zext i32 {name}.i to i64",
    ]
