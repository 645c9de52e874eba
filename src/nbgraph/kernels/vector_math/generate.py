"""LLVM text of functions for any 64-bit processor, made by Numba from the sources of this room.

Numba lowers the function as it does for a kernel; the module is optimised alone, without
vectorisation, so that short scalar code is later inlined into loops. Then names are normalised:
values are numbered in order, and a table is named by its content, so that the same source gives the
same text and functions may share a table.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator
from typing import Any

import llvmlite.binding as llvm
from numba import types
from numba.core.compiler import DefaultPassBuilder
from numba.core.compiler_machinery import PassManager

from nbgraph.codegen import lower, target
from nbgraph.errors import CompileError
from nbgraph.kernels.vector_math import DTYPES, NAMES, WIDE, implementation, pairwise
from nbgraph.kernels.vector_math.symbols import RUNTIME, join, signature, symbol
from nbgraph.native import floats

_KINDS = {
    "float": types.float32,
    "double": types.float64,
    "i16": types.uint16,
    "i64": types.int64,
    "ptr": types.CPointer(types.float64),
}
_CONVERSIONS = {
    "float16_to_float32": floats.half_to_float,
    "float32_to_float16": floats.float_to_half,
    "bfloat16_to_float32": floats.bfloat16_to_float,
    "float32_to_bfloat16": floats.float_to_bfloat16,
    "float64_to_float16": floats.float_to_half,
    "float64_to_bfloat16": floats.float_to_bfloat16,
}
# Some processor of today with fused multiply-add and rounding instructions: what they cost decides
# whether a branch becomes a select.
_TRIPLE, _FEATURES = "x86_64-unknown-linux-gnu", "+fma,+avx2"
_HEAD = "; Made by scripts/vector_math_texts.py from nbgraph/kernels/vector_math. Do not edit."
_RAISED = "nbgraph.raised"
_WRAPPER = """
declare i32 @"{inner}"(ptr, ptr, {types})
declare void @{raised}()
define {result} @{symbol}({parameters}) {{
entry:
  %result = alloca {result}
  %error = alloca ptr
  %status = call i32 @"{inner}"(ptr %result, ptr %error, {parameters})
  %failed = icmp ne i32 %status, 0
  br i1 %failed, label %bad, label %good
bad:
  call void @{raised}()
  unreachable
good:
  %value = load {result}, ptr %result
  ret {result} %value
}}
"""
_LOCAL = re.compile(r'%("[^"]*"|[-\w.$]+)')
_GLOBAL = re.compile(r'@("[^"]*"|[-\w.$]+)')
_LABEL = re.compile(r'^("[^"]*"|[-\w.$]+):')
_NOISE = re.compile(r"(, ![\w.]+ !\d+)+$| #\d+$|\s+; preds = .*$")
_TABLE = re.compile(r"^@(\S+) = .*?\bconstant (.*)$")


class _Pipeline(lower._Pipeline):
    """Numba's own passes, since functions of this room consist of steps that these inline."""

    def define_pipelines(self) -> list[PassManager]:
        return [DefaultPassBuilder.define_nopython_pipeline(self.state)]


def whole(header: str, kind: str = "usual") -> str:
    """Return a shipped text: of the "special" functions, of those that use AVX-512 instructions
    ("evex"), or of all but the special ones, after comment lines that end with `header`."""
    if not floats.HARDWARE_FMA:
        raise CompileError("texts are shipped for processors with fused multiply-add")
    if kind == "special":
        symbols = [symbol(name, "float64") for name in sorted(WIDE)]
    else:
        symbols = [symbol(name, dtype) for name in sorted(NAMES - WIDE) for dtype in DTYPES]
        symbols += [symbol(name) for name in RUNTIME if kind == "usual"]
    definitions: dict[str, str] = {}
    for each in symbols:
        parts = entities(each, evex=kind == "evex")
        if kind != "evex" or "@i_" in parts[each]:
            definitions.update(parts)
    return f"{_HEAD}\n{header}\n\n{join(dict(sorted(definitions.items())))}"


def entities(symbol: str, *, evex: bool = False) -> dict[str, str]:
    """Return LLVM text by symbol: a function after all that it needs."""
    result, arguments = signature(symbol)
    with target.COMPILING, lower._no_collections():
        module = _linked(symbol, result, arguments, evex)
        _optimise(module)
        text = str(module)
    if _RAISED in text:
        raise CompileError(f"{symbol}: a function for kernels may not raise", details=text)
    return _regular(text, symbol)


def _linked(symbol: str, result: str, arguments: tuple[str, ...], evex: bool) -> llvm.ModuleRef:
    compiled = _compiled(_function(symbol, evex), tuple(_KINDS[a] for a in arguments))
    if compiled.signature.return_type != _KINDS[result]:
        raise CompileError(f"{symbol}: gives {compiled.signature.return_type}, not {result}")
    module = llvm.parse_assembly("")
    for part in compiled.library.modules({}):
        module.link_in(part)
    names = ("%x", "%y", "%z")[: len(arguments)]
    wrapper = _WRAPPER.format(
        inner=compiled.fndesc.llvm_func_name,
        symbol=symbol,
        result=result,
        raised=_RAISED,
        types=", ".join(arguments),
        parameters=", ".join(f"{a} {n}" for a, n in zip(arguments, names, strict=True)),
    )
    module.link_in(llvm.parse_assembly(wrapper))
    target.hide(module, (symbol,))
    shared = symbol.removeprefix("m_").rpartition("_")[0] in WIDE
    for function in module.functions:  # what is shared stays a function, in every kernel the same
        used = shared and not function.is_declaration and function.name != symbol
        if used and not _is_inlined(function):
            function.add_function_attribute("noinline")
    return module


def _is_inlined(function: Any) -> bool:
    return any(b"alwaysinline" in group for group in function.attributes)


def _compiled(function: Any, kinds: tuple[Any, ...]) -> Any:
    function.compile(kinds)
    return function.overloads[kinds]


def _function(symbol: str, evex: bool = False) -> Any:
    """Return a dispatcher whose library only collects code."""
    name = symbol.partition("_")[2]
    if name == "acc_pairwise":
        return pairwise.pairwise
    if name in RUNTIME:
        return lower.jit(_converted(_CONVERSIONS[name]))
    function, _, dtype = name.rpartition("_")
    return _dispatcher(implementation(function, dtype, evex=evex).py_func)


def _dispatcher(source: Any) -> Any:
    """Return a function of this room that is linked later, with the flags of `formats.scalar`."""
    options = {**lower.jit(source).targetoptions, "fastmath": False, "forceinline": True}
    return lower._Function(source, targetoptions=options, pipeline_class=_Pipeline)


def _converted(convert: Any) -> Any:
    def converted(x):
        return convert(x)

    return converted


def _optimise(module: llvm.ModuleRef) -> None:
    llvm.initialize_all_targets()
    machine = llvm.Target.from_triple(_TRIPLE).create_target_machine(features=_FEATURES, opt=3)
    tuning = llvm.create_pipeline_tuning_options(speed_level=3)
    tuning.loop_vectorization = tuning.slp_vectorization = tuning.loop_interleaving = False
    tuning.loop_unrolling = False
    builder = llvm.create_pass_builder(machine, tuning)
    _flatten(module, builder)
    builder.getModulePassManager().run(module, builder)


def _flatten(module: llvm.ModuleRef, builder: llvm.PassBuilder) -> None:
    """Turn branches into selects before instructions are combined, as in kernels, where functions
    are simplified before they are inlined: `z = high if z > high else z` stays a minimum, and later
    operations on z are not copied into both branches."""
    inliner = llvm.create_new_module_pass_manager()
    inliner.add_always_inliner_pass()
    inliner.run(module, builder)
    passes = llvm.create_new_function_pass_manager()
    passes.add_sroa_pass()
    passes.add_simplify_cfg_pass()
    for function in module.functions:
        if not function.is_declaration:
            passes.run(function, builder)


def _regular(text: str, symbol: str) -> dict[str, str]:
    """Return the parts of a printed module, with normalised names and without target attributes."""
    parts: dict[str, str] = {}
    renamed: dict[str, str] = {}
    functions: dict[str, str] = {}
    for name, part in _parts(text):
        if match := _TABLE.match(part):
            constant = match[2]
            renamed[name] = "t_" + hashlib.sha256(constant.encode()).hexdigest()[:12]
            parts[renamed[name]] = f"@{renamed[name]} = internal unnamed_addr constant {constant}"
        elif part.startswith("declare"):
            parts[name] = part
        else:
            functions[name] = part
    for name in _callees_first(functions):
        own = _function_text(functions[name], symbol if name == symbol else "")
        own = _GLOBAL.sub(lambda m: "@" + renamed.get(m[1], m[1]), own)
        if name != symbol:
            renamed[name] = "p_" + hashlib.sha256(own.encode()).hexdigest()[:12]
            own = own.replace("@(", f"@{renamed[name]}(", 1)
        parts[renamed.get(name, name)] = own
    own = parts.pop(symbol)
    return {**dict(sorted(parts.items())), symbol: own}


def _callees_first(functions: dict[str, str]) -> list[str]:
    """Return a module's functions, each after those that it calls."""
    order: list[str] = []

    def visit(name: str) -> None:
        for match in _GLOBAL.finditer(functions[name]):
            if match[1] in functions and match[1] != name and match[1] not in order:
                visit(match[1])
        if name not in order:
            order.append(name)

    for name in functions:
        visit(name)
    return order


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield (symbol, text) of definitions and declarations, without attributes and metadata."""
    lines = iter(text.splitlines())
    for line in lines:
        if not line.startswith(("@", "declare ", "define ")):
            continue
        kept = [_NOISE.sub("", line)]
        if line.startswith("define"):
            while kept[-1] != "}":
                kept.append(_NOISE.sub("", next(lines)))
        match = _GLOBAL.search(line)
        assert match is not None
        yield match[1], "\n".join(kept)


def _function_text(part: str, symbol: str) -> str:
    """Return a function with values named v1, v2, ... and blocks b1, b2, ...

    A function without a symbol keeps its signature, under the name "".
    """
    arguments = signature(symbol)[1] if symbol else ()
    names = {name: name for name in "xyz"[: max(2, len(arguments))]}
    first = len(names) - 1
    top, *lines = part.splitlines()[:-1]
    blocks = [m[1] for line in lines if (m := _LABEL.match(line))]
    names |= {name: f"b{k}" for k, name in enumerate(blocks, start=1)}

    def regular(match: re.Match[str]) -> str:
        return "%" + names.setdefault(match[1], f"v{len(names) - first - len(blocks)}")

    if symbol:
        result = signature(symbol)[0]
        parameters = ", ".join(f"{a} %{n}" for a, n in zip(arguments, "xyz", strict=False))
        # a loop inside another one is better left where it is
        inline = "" if _has_loop(lines, blocks) else "alwaysinline "
        head = f"define internal {result} @{symbol}({parameters}) {inline}nounwind {{"
    else:
        head = _LOCAL.sub(regular, _GLOBAL.sub("@", top, count=1))
        head = re.sub(r"\)[^)]*\{$", ") noinline nounwind {", head)
    body = [
        f"{names[m[1]]}:" if (m := _LABEL.match(line)) else _LOCAL.sub(regular, line)
        for line in lines
        if line
    ]
    return "\n".join([head, *body, "}"])


def _has_loop(lines: list[str], blocks: list[str]) -> bool:
    """Return whether a block jumps to itself or to an earlier one."""
    here = -1
    for line in lines:
        if label := _LABEL.match(line):
            here = blocks.index(label[1])
        elif line.lstrip().startswith(("br ", "switch ")):
            there = re.findall(r'label %("[^"]*"|[-\w.$]+)', line)
            if any(blocks.index(name) <= here for name in there):
                return True
    return False
