"""Mathematics as functions of several vectors, for loops that call the same function many times.

Inlined, every call in a loop is a copy of the function's code, for each of the vectors worked on in
turn and again for the loop's end: LLVM takes half a second for thirty calls, and the code outgrows
the first cache. Called, the function is there once. It takes VECTORS vectors at once, so that the
one hides what the other waits for; measured, a chain of 32 `tanh` runs as fast as inlined, and is
compiled in a sixth of the time. A call costs what lives in registers around it: with few calls, or
calls that do not wait for each other, inlining is up to a third faster.

LLVM's loop vectoriser finds a function for vectors in an attribute of the call of the scalar one
("Vector Function ABI"). The functions here are loops over their lanes with the scalar function
inlined, which the same vectoriser turns into straight code.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping

from nbgraph.codegen.host import features
from nbgraph.kernels.llvm.values import LLVM
from nbgraph.kernels.vector_math.names import ARITY
from nbgraph.native.processor import vector_bytes

VECTORS = 4  # that a function takes at once
_CALLS, _REPEATED = 8, 4  # in a loop, at least: calls, and calls for each different function
_BYTES = {"float32": 4, "float64": 8}
_PURE = "nounwind willreturn memory(none)"


def worth(definition: ast.FunctionDef, functions: Mapping[str, str]) -> bool:
    """Whether a part of a kernel calls few of the `functions` many times."""
    called = Counter(
        node.func.id
        for node in ast.walk(definition)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
    )
    counts = [count for name, count in called.items() if name in functions]
    return sum(counts) >= max(_CALLS, _REPEATED * len(counts))


def lanes(compute: str) -> int:
    """Elements that such a function takes at once."""
    return VECTORS * _register(compute)


def _register(compute: str) -> int:
    return vector_bytes(features()) // _BYTES[compute]


def symbol(name: str, compute: str) -> str:
    """The scalar function whose calls become calls of the one for vectors."""
    return f"s_{name}_{compute}"


def definitions(names: Iterable[str], compute: str, first: int) -> str:
    """The functions for vectors of each of `names`; calls of the k-th scalar one carry the
    attributes `first + k`."""
    texts: list[str] = []
    kept: list[str] = []
    for k, name in enumerate(names):
        kinds = [LLVM[compute]] * ARITY[name]
        scalar, inlined = symbol(name, compute), f"m_{name}_{compute}"
        arguments = ", ".join(f"{kind} %x{i}" for i, kind in enumerate(kinds))
        texts.append(
            f"define internal {LLVM[compute]} @{scalar}({arguments}) noinline {_PURE} {{\n"
            f"  %y = call {LLVM[compute]} @{inlined}({arguments})\n"
            f"  ret {LLVM[compute]} %y\n}}\n"
        )
        variants: list[str] = []
        for count in (lanes(compute), _register(compute)):  # the loop, and most of its end
            texts.append(_vector(inlined, f"v{count}_{name}", LLVM[compute], len(kinds), count))
            variants.append(f"_ZGV_LLVM_N{count}{'v' * len(kinds)}_{scalar}(v{count}_{name})")
            kept.append(f"ptr @v{count}_{name}")
        abi = f'"vector-function-abi-variant"="{",".join(variants)}"'
        texts.append(f"attributes #{first + k} = {{ {_PURE} {abi} }}\n")
    listed = ", ".join(kept)  # the vectoriser must find them: nobody calls them before
    texts.append(f"@llvm.compiler.used = appending global [{len(kept)} x ptr] [{listed}]\n")
    return "\n".join(texts)


def _vector(scalar: str, name: str, kind: str, arity: int, count: int) -> str:
    """A function of `count` lanes, as a loop over them."""
    whole = f"<{count} x {kind}>"
    operands = range(arity)
    arguments = ", ".join(f"{whole} %x{i}" for i in operands)
    lines = [
        f"define internal {whole} @{name}({arguments}) noinline {_PURE} {{",
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
