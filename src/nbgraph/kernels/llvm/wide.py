"""Mathematics as functions of several vectors, for loops that call one function many times, or
mostly long functions.

Inlined, every call in a loop copies the function's code for each interleaved vector and again for
the loop's remainder: LLVM takes half a second for thirty calls, and the code outgrows the
first-level cache. Called, the function exists once. It takes `lanewise.lanes` elements at once, so
vectors hide each other's latency. In measurements, a chain of 32 `tanh` runs as fast as inlined,
and loops of one long function up to a fifth faster, as LLVM does not interleave these when
inlining; they compile in half the time. A call costs the registers that are live around it: with
few calls of short functions, or independent calls, it is up to a fifth slower.

The functions are compiled once and shared by kernels, see `shared`. A run that rarely takes place
also calls them, as `calling()` in its text says.

LLVM's loop vectoriser finds the vector form of a function in an attribute of the call of its scalar
form ("Vector Function ABI"). The functions here are loops over lanes with the scalar function
inlined, which the same vectoriser turns into straight code.
"""

import ast
import functools
from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from nbgraph.kernels.llvm.shared import NAME, Shared, shared
from nbgraph.kernels.llvm.values import LLVM
from nbgraph.kernels.loops.lanewise import register
from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.vector_math.names import ARITY, WIDE
from nbgraph.kernels.vector_math.texts import texts

_CALLS, _REPEATED = 8, 4  # least calls in a loop, in all and per distinct function
_SHORT = {n for n, row in FUNCTIONS.items() if row.family == "rounding"}.difference(
    ("fmod", "fmod_small")
)  # a few instructions
_LONG = frozenset("lgamma erf erfc pow atan2 asin acos cbrt".split())  # calls are negligible
_PURE = "nounwind willreturn memory(none)"


def is_called(name: str) -> bool:
    """Return whether a function of vector_math is worth a call in vector form."""
    return name not in _SHORT and name not in WIDE


def worth(
    definition: ast.FunctionDef, functions: Mapping[str, str], constants: Container[str]
) -> bool:
    """Return whether a part of a kernel calls few of the `functions` many times, or mostly long
    ones. With one of the `constants` as an argument, a function is shorter when inlined."""
    called = [
        (functions[node.func.id], node.args)
        for node in ast.walk(definition)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if node.func.id in functions and is_called(functions[node.func.id])
    ]
    long = [
        name
        for name, args in called
        if name in _LONG and not any(isinstance(a, ast.Name) and a.id in constants for a in args)
    ]
    names = {name for name, _ in called}
    return len(called) >= max(_CALLS, _REPEATED * len(names)) or 2 * len(long) > len(called)


class Called(NamedTuple):
    """A function for vectors: its module, the scalar function whose calls it replaces, the
    attribute of such a call, and the symbols needed then."""

    module: Shared
    symbol: str
    says: str
    vectors: tuple[str, ...]


def called(name: str, compute: str, count: int) -> Called:
    """Return the function of vector_math for `count` elements at once."""
    return _called(name, compute, tuple(dict.fromkeys((count, register(compute)))))


@functools.cache
def _called(name: str, compute: str, counts: tuple[int, ...]) -> Called:
    """Return the function for `counts` of elements: in the loop, and in its remainder."""
    kind, inlined = LLVM[compute], f"m_{name}_{compute}"
    arguments = [f"{kind} %x{i}" for i in range(ARITY[name])]
    listed = ", ".join(arguments)
    head = f"define {kind} @{NAME}({listed}) noinline {_PURE}"
    definitions = [f"{head} {{\n  %y = call {kind} @{inlined}({listed})\n  ret {kind} %y\n}}\n"]
    declared = [f"declare {kind} @{NAME}({', '.join(kind for _ in arguments)}) {_PURE}"]
    for count in counts:
        definitions.append(
            _vector(inlined, f"{NAME}_v{count}", kind, len(arguments), count, min(counts))
        )
        whole = f"<{count} x {kind}>"
        kinds = ", ".join(whole for _ in arguments)
        declared.append(f"declare {whole} @{NAME}_v{count}({kinds}) {_PURE}")
    text = "\n".join([*definitions, texts([(name, compute)])])
    module = shared(text, "\n".join(declared))
    vectors = tuple(f"{module.symbol}_v{count}" for count in counts)
    variants = ",".join(
        f"_ZGV_LLVM_N{count}{'v' * len(arguments)}_{module.symbol}({vector})"
        for count, vector in zip(counts, vectors, strict=True)
    )
    says = f' {_PURE} "vector-function-abi-variant"="{variants}"'
    return Called(module, module.symbol, says, vectors)


def kept(functions: Iterable[Called]) -> str:
    """Return the global that keeps functions for vectors until the vectoriser runs."""
    symbols = [f"ptr @{symbol}" for each in functions for symbol in each.vectors]
    listed = ", ".join(symbols)
    return f"@llvm.compiler.used = appending global [{len(symbols)} x ptr] [{listed}]\n"


def _vector(scalar: str, name: str, kind: str, arity: int, count: int, vector: int) -> str:
    """Return a function of `count` lanes: a loop that becomes code for `vector` at once."""
    loop = f"!{count}"  # the metadata nodes of two functions in a module differ
    whole = f"<{count} x {kind}>"
    operands = range(arity)
    arguments = ", ".join(f"{whole} %x{i}" for i in operands)
    lines = [
        f"define {whole} @{name}({arguments}) noinline {_PURE} {{",
        "entry:",
        *(f"  %a{i} = alloca {whole}, align 64" for i in operands),
        f"  %b = alloca {whole}, align 64",
        *(f"  store {whole} %x{i}, ptr %a{i}, align 64" for i in operands),
        "  br label %lane",
        "lane:",
        "  %i = phi i64 [0, %entry], [%next, %lane]",
        *(f"  %p{i} = getelementptr inbounds {kind}, ptr %a{i}, i64 %i" for i in operands),
        *(f"  %v{i} = load {kind}, ptr %p{i}" for i in operands),
        f"  %w = call {kind} @{scalar}({', '.join(f'{kind} %v{i}' for i in operands)})",
        f"  %q = getelementptr inbounds {kind}, ptr %b, i64 %i",
        f"  store {kind} %w, ptr %q",
        "  %next = add nuw nsw i64 %i, 1",
        f"  %last = icmp eq i64 %next, {count}",
        f"  br i1 %last, label %done, label %lane, !llvm.loop {loop}00",
        "done:",
        f"  %y = load {whole}, ptr %b, align 64",
        f"  ret {whole} %y",
        "}\n",
        f"{loop}00 = distinct !{{{loop}00, {loop}01, {loop}02, {loop}03}}",
        f'{loop}01 = !{{!"llvm.loop.unroll.disable"}}',
        f'{loop}02 = !{{!"llvm.loop.vectorize.width", i32 {vector}}}',
        f'{loop}03 = !{{!"llvm.loop.interleave.count", i32 {count // vector}}}',
    ]
    return "\n".join(lines)
