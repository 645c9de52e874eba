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
from collections.abc import Container, Iterable, Mapping, Sequence
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
_FIRST = {"pow": ("pow_whole", "pow_short")}  # shorter code, NaN where it does not apply
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
    kind, names = LLVM[compute], (*_FIRST.get(name, ()), name)
    *_, inlined = scalars = [f"m_{each}_{compute}" for each in names]
    arguments = [f"{kind} %x{i}" for i in range(ARITY[name])]
    listed = ", ".join(arguments)
    head = f"define {kind} @{NAME}({listed}) noinline {_PURE}"
    definitions = [f"{head} {{\n  %y = call {kind} @{inlined}({listed})\n  ret {kind} %y\n}}\n"]
    declared = [f"declare {kind} @{NAME}({', '.join(kind for _ in arguments)}) {_PURE}"]
    for count in counts:
        definitions.append(
            _vector(scalars, f"{NAME}_v{count}", kind, len(arguments), count, min(counts))
        )
        whole = f"<{count} x {kind}>"
        kinds = ", ".join(whole for _ in arguments)
        declared.append(f"declare {whole} @{NAME}_v{count}({kinds}) {_PURE}")
    text = "\n".join([*definitions, texts((each, compute) for each in names)])
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


def _vector(
    scalars: Sequence[str], name: str, kind: str, arity: int, count: int, vector: int
) -> str:
    """Return a function of `count` lanes: a loop that becomes code for `vector` at once. The last
    of `scalars` always applies; one before if the second operand is the same in all lanes, where
    it is not NaN at 1, and all but the first where none of its values are NaN."""
    whole, last = f"<{count} x {kind}>", len(scalars) - 1
    operands, mask = range(arity), f"<{count} x i1>"
    arguments = ", ".join(f"{whole} %x{i}" for i in operands)
    lines = [
        f"define {whole} @{name}({arguments}) noinline {_PURE} {{",
        *(f"  %a{i} = alloca {whole}, align 64" for i in operands),
        f"  %b = alloca {whole}, align 64",
        *(f"  store {whole} %x{i}, ptr %a{i}, align 64" for i in operands),
    ]
    if last:
        lines += [
            f"  %s = extractelement {whole} %x1, i64 0",
            f"  %one = insertelement {whole} poison, {kind} %s, i64 0",
            f"  %all = shufflevector {whole} %one, {whole} poison, <{count} x i32> zeroinitializer",
            f"  %equal = fcmp oeq {whole} %x1, %all",
            f"  %same = call i1 @llvm.vector.reduce.and.v{count}i1({mask} %equal)",
            f"  br i1 %same, label %try0, label %try{last}",
        ]
    else:
        lines.append("  br label %try0")
    for k, scalar in enumerate(scalars):
        lines.append(f"try{k}:")
        if k < last:
            lines += [
                f"  %at{k} = call {kind} @{scalar}({kind} 1.0, {kind} %s)",
                f"  %no{k} = fcmp uno {kind} %at{k}, %at{k}",
                f"  br i1 %no{k}, label %try{k + 1}, label %start{k}",
            ]
        else:
            lines.append(f"  br label %start{k}")
        lines += _lanes(scalar, k, ["s"] if k < last else [], kind, arity, count)
        if 0 < k < last:
            lines += [
                f"  %nan{k} = fcmp uno {whole} %y{k}, %y{k}",
                f"  %any{k} = call i1 @llvm.vector.reduce.or.v{count}i1({mask} %nan{k})",
                f"  br i1 %any{k}, label %try{last}, label %return{k}",
                f"return{k}:",
            ]
        lines.append(f"  ret {whole} %y{k}")
    loop = f"!{count}0"  # the metadata nodes of two functions in a module differ
    return "\n".join(
        [
            *lines,
            "}\n",
            *(
                f"{loop}{k} = distinct !{{{loop}{k}, {loop}7, {loop}8, {loop}9}}"
                for k in range(last + 1)
            ),
            f'{loop}7 = !{{!"llvm.loop.unroll.disable"}}',
            f'{loop}8 = !{{!"llvm.loop.vectorize.width", i32 {vector}}}',
            f'{loop}9 = !{{!"llvm.loop.interleave.count", i32 {count // vector}}}',
        ]
    )


def _lanes(
    scalar: str, k: int, after: Sequence[str], kind: str, arity: int, count: int
) -> list[str]:
    """Return the `k`-th loop over lanes; the values `after` are operands equal in all of them."""
    whole, operands = f"<{count} x {kind}>", range(arity - len(after))
    values = ", ".join(f"{kind} %{v}" for v in (*(f"v{k}_{i}" for i in operands), *after))
    return [
        f"start{k}:",
        f"  br label %lane{k}",
        f"lane{k}:",
        f"  %i{k} = phi i64 [0, %start{k}], [%next{k}, %lane{k}]",
        *(f"  %p{k}_{i} = getelementptr inbounds {kind}, ptr %a{i}, i64 %i{k}" for i in operands),
        *(f"  %v{k}_{i} = load {kind}, ptr %p{k}_{i}" for i in operands),
        f"  %w{k} = call {kind} @{scalar}({values})",
        f"  %q{k} = getelementptr inbounds {kind}, ptr %b, i64 %i{k}",
        f"  store {kind} %w{k}, ptr %q{k}",
        f"  %next{k} = add nuw nsw i64 %i{k}, 1",
        f"  %last{k} = icmp eq i64 %next{k}, {count}",
        f"  br i1 %last{k}, label %done{k}, label %lane{k}, !llvm.loop !{count}0{k}",
        f"done{k}:",
        f"  %y{k} = load {whole}, ptr %b, align 64",
    ]
