"""Mathematics as functions of several vectors, for loops that call the same function many times.

Inlined, every call in a loop is a copy of the function's code, for each of the vectors worked on in
turn and again for the loop's end: LLVM takes half a second for thirty calls, and the code outgrows
the first cache. Called, the function is there once. It takes VECTORS vectors at once, so that the
one hides what the other waits for; measured, a chain of 32 `tanh` runs as fast as inlined, and is
compiled in a sixth of the time. A call costs what lives in registers around it: with few calls, or
calls that do not wait for each other, inlining is up to a third faster.

The functions are compiled once and shared by kernels, see `shared`. A run that seldom takes place
calls them, too, as `calling()` in its text says.

LLVM's loop vectoriser finds a function for vectors in an attribute of the call of the scalar one
("Vector Function ABI"). The functions here are loops over their lanes with the scalar function
inlined, which the same vectoriser turns into straight code.
"""

from __future__ import annotations

import ast
import functools
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from nbgraph.codegen.host import features
from nbgraph.kernels.llvm.shared import NAME, Shared, shared
from nbgraph.kernels.llvm.values import LLVM
from nbgraph.kernels.vector_math.names import ARITY, FAMILIES, WIDE
from nbgraph.kernels.vector_math.texts import texts
from nbgraph.native.processor import vector_bytes

VECTORS = 4  # that a function takes at once
_CALLS, _REPEATED = 8, 4  # in a loop, at least: calls, and calls for each different function
_BYTES = {"float32": 4, "float64": 8}
_SHORT = frozenset(FAMILIES["rounding"]).difference(("fmod", "fmod_small"))  # few instructions
_PURE = "nounwind willreturn memory(none)"


def is_called(name: str) -> bool:
    """Whether a function of vector_math has a form for vectors that is worth a call."""
    return name not in _SHORT and name not in WIDE


def worth(definition: ast.FunctionDef, functions: Mapping[str, str]) -> bool:
    """Whether a part of a kernel calls few of the `functions` many times."""
    called = Counter(
        node.func.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    counts = [n for name, n in called.items() if name in functions and is_called(functions[name])]
    return sum(counts) >= max(_CALLS, _REPEATED * len(counts))


def lanes(compute: str) -> int:
    """Elements that such a function takes at once."""
    return VECTORS * register(compute)


def register(compute: str) -> int:
    """Elements of one vector."""
    return vector_bytes(features()) // _BYTES[compute]


class Called(NamedTuple):
    """A function for vectors: its module, the scalar function whose calls become calls of it, what
    such a call says, and the symbols that are to be found then."""

    module: Shared
    symbol: str
    says: str
    vectors: tuple[str, ...]


def called(name: str, compute: str, count: int) -> Called:
    """The function of vector_math that takes `count` elements at once."""
    return _called(name, compute, tuple(dict.fromkeys((count, register(compute)))))


@functools.cache
def _called(name: str, compute: str, counts: tuple[int, ...]) -> Called:
    """`counts`: elements at once in the loop, and in most of its end."""
    kind, inlined = LLVM[compute], f"m_{name}_{compute}"
    arguments = [f"{kind} %x{i}" for i in range(ARITY[name])]
    listed = ", ".join(arguments)
    head = f"define {kind} @{NAME}({listed}) noinline {_PURE}"
    made = [f"{head} {{\n  %y = call {kind} @{inlined}({listed})\n  ret {kind} %y\n}}\n"]
    declared = [f"declare {kind} @{NAME}({', '.join(kind for _ in arguments)}) {_PURE}"]
    for count in counts:
        made.append(_vector(inlined, f"{NAME}_v{count}", kind, len(arguments), count))
        whole = f"<{count} x {kind}>"
        kinds = ", ".join(whole for _ in arguments)
        declared.append(f"declare {whole} @{NAME}_v{count}({kinds}) {_PURE}")
    text = "\n".join([*made, texts([(name, compute)])])
    module = shared(text, "\n".join(declared))
    vectors = tuple(f"{module.symbol}_v{count}" for count in counts)
    variants = ",".join(
        f"_ZGV_LLVM_N{count}{'v' * len(arguments)}_{module.symbol}({vector})"
        for count, vector in zip(counts, vectors, strict=True)
    )
    says = f' {_PURE} "vector-function-abi-variant"="{variants}"'
    return Called(module, module.symbol, says, vectors)


def kept(functions: Iterable[Called]) -> str:
    """What keeps functions for vectors until the vectoriser looks for them."""
    symbols = [f"ptr @{symbol}" for each in functions for symbol in each.vectors]
    listed = ", ".join(symbols)
    return f"@llvm.compiler.used = appending global [{len(symbols)} x ptr] [{listed}]\n"


def _vector(scalar: str, name: str, kind: str, arity: int, count: int) -> str:
    """A function of `count` lanes, as a loop over them."""
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
        "  br i1 %last, label %done, label %lane",
        "done:",
        f"  %y = load {whole}, ptr %b, align 64",
        f"  ret {whole} %y",
        "}\n",
    ]
    return "\n".join(lines)
