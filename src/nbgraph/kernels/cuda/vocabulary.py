"""The primitives of GPU kernels alone, as LLVM instructions for the device and the host.

On the host a grid is a sequence of calls of the kernel, so an exchange between threads is
meaningless there; kernels with one are for the device and the simulator.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.errors import CompileError
from nbgraph.kernels.cuda.grid import MOST_LANES
from nbgraph.kernels.llvm.arithmetic import cast
from nbgraph.kernels.llvm.function import Function
from nbgraph.kernels.llvm.values import FLOATS, Value, llvm_type
from nbgraph.kernels.llvm.vocabulary import Primitive, setting
from nbgraph.kernels.scalar.kinds import INTEGERS, ITEMSIZE, STORED

WARPS = 32  # of a block, at most
EVERY = "i32 -1"  # the mask of all threads of a warp


def _vector(pointer: Value, count: int) -> str:
    return f"<{count} x {llvm_type(pointer.kind[1:])}>"


def _place(f: Function, pointer: Value, index: Value, count: int) -> str:
    whole = _vector(pointer, count)
    return f.value("*", f"getelementptr inbounds {whole}, {pointer.typed}, {index.typed}").text


def _load(count: int) -> Primitive:
    def load(f: Function, args: Sequence[Value]) -> tuple[Value, ...]:
        pointer, index = args
        kind, whole = pointer.kind[1:], _vector(pointer, count)
        at = _place(f, pointer, index, count)
        vector = f.value(kind, f"load {whole}, ptr {at}, align {count * ITEMSIZE[kind]}").text
        return tuple(
            f.value(kind, f"extractelement {whole} {vector}, i32 {j}") for j in range(count)
        )

    return load


def _store(count: int) -> Primitive:
    def store(f: Function, args: Sequence[Value]) -> None:
        pointer, index, *values = args
        kind, whole = pointer.kind[1:], _vector(pointer, count)
        vector = "poison"
        for j, value in enumerate(values):
            element = cast(f, value, kind)
            vector = f.value(kind, f"insertelement {whole} {vector}, {element.typed}, i32 {j}").text
        at = _place(f, pointer, index, count)
        f.line(f"store {whole} {vector}, ptr {at}, align {count * ITEMSIZE[kind]}")

    return store


_COUNTS = [n for n in (2, 4, 8, 16) if n <= MOST_LANES]
SHARED_FORMS: dict[str, Primitive] = {  # the same on host and device
    "inlined": setting("inlined"),
    **{f"load{n}": _load(n) for n in _COUNTS},
    **{f"store{n}": _store(n) for n in _COUNTS},
}


# the device alone --------------------------------------------------------------------------------


def _word(kind: str) -> Primitive:
    """Return a word of the record, which is a parameter of the kernel."""

    def word(f: Function, args: Sequence[Value]) -> Value:
        base, index = args
        at = f.value("*int64", f"getelementptr inbounds i64, {base.typed}, {index.typed}")
        return f.value(kind, f"load {llvm_type(kind)}, ptr {at.text}, align 8")

    return word


def _pointer(dtype: str) -> Primitive:
    """Return a pointer marked as device memory: other memories need other loads."""
    kind = STORED.get(dtype, dtype)

    def pointer(f: Function, args: Sequence[Value]) -> Value:
        far = f.value("*", f"inttoptr {args[0].typed} to ptr addrspace(1)")
        return f.value(f"*{kind}", f"addrspacecast ptr addrspace(1) {far.text} to ptr")

    return pointer


def _register(name: str) -> Primitive:
    def read(f: Function, args: Sequence[Value]) -> Value:
        f.needs(f"declare i32 @llvm.nvvm.read.ptx.sreg.{name}()")
        short = f.value("int32", f"call i32 @llvm.nvvm.read.ptx.sreg.{name}()")
        return f.value("int64", f"zext {short.typed} to i64")

    return read


def _barrier(f: Function, args: Sequence[Value]) -> None:
    f.convergent = True
    f.needs("declare void @llvm.nvvm.barrier.cta.sync.aligned.all(i32)")
    f.line("call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)")


def _shared(kind: str) -> Primitive:
    """Return memory of the block, with a value per warp."""

    def shared(f: Function, args: Sequence[Value]) -> Value:
        name = f"@shared_{kind}"
        whole = f"[{WARPS} x {llvm_type(kind)}]"
        f.needs(f"{name} = internal addrspace(3) global {whole} poison, align 8")
        return f.value(f"*{kind}", f"addrspacecast ptr addrspace(3) {name} to ptr")

    return shared


def _traded(f: Function, args: Sequence[Value]) -> Value:
    """Return the value of the thread in this warp whose number differs in bit `distance`."""
    value, distance = args
    f.convergent = True
    kind = value.kind
    bits = 8 * ITEMSIZE[kind]
    plain = f.value(kind, f"bitcast {value.typed} to i{bits}").text
    if bits <= 32:
        word = plain if bits == 32 else f.value(kind, f"zext i{bits} {plain} to i32").text
        got = _exchange(f, word, distance)
        got = got if bits == 32 else f.value(kind, f"trunc i32 {got} to i{bits}").text
    else:
        halves = [f.value(kind, f"trunc i64 {plain} to i32").text]
        high = f.value(kind, f"lshr i64 {plain}, 32").text
        halves.append(f.value(kind, f"trunc i64 {high} to i32").text)
        low, top = (
            f.value(kind, f"zext i32 {_exchange(f, half, distance)} to i64").text for half in halves
        )
        top = f.value(kind, f"shl i64 {top}, 32").text
        got = f.value(kind, f"or i64 {top}, {low}").text
    return f.value(kind, f"bitcast i{bits} {got} to {llvm_type(kind)}")


def _exchange(f: Function, word: str, distance: Value) -> str:
    f.needs("declare i32 @llvm.nvvm.shfl.sync.bfly.i32(i32, i32, i32, i32)")
    listed = f"{EVERY}, i32 {word}, i32 {distance.text}, i32 31"
    return f.value("int32", f"call i32 @llvm.nvvm.shfl.sync.bfly.i32({listed})").text


DEVICE: dict[str, Primitive] = {
    **SHARED_FORMS,
    "word": _word("int64"),
    **{f"{kind}_word": _word(kind) for kind in ("int64", *FLOATS)},
    **{f"{dtype}_pointer": _pointer(dtype) for dtype in (*INTEGERS, *FLOATS, *STORED, "uint128")},
    "thread": _register("tid.x"),
    "barrier": _barrier,
    "traded": _traded,
    **{f"shared_{kind}": _shared(kind) for kind in (*INTEGERS, *FLOATS)},
}


def refused(name: str) -> Primitive:
    """Return a primitive that refuses to compile here."""

    def refuse(f: Function, args: Sequence[Value]) -> None:
        raise CompileError(f"{name}() has a meaning among threads of a GPU only")

    return refuse


HOST: dict[str, Primitive] = {
    **SHARED_FORMS,
    **{name: refused(name) for name in DEVICE if name in ("thread", "barrier", "traded")},
}
