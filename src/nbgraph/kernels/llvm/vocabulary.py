"""The primitives that emitted text calls, as LLVM instructions.

The names are those that `nbgraph.native` gives to Numba; their meaning is documented there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from nbgraph.codegen import target
from nbgraph.errors import CompileError
from nbgraph.kernels.llvm.arithmetic import absolute, cast, compare, intrinsic, select
from nbgraph.kernels.llvm.function import Function
from nbgraph.kernels.llvm.values import FLOATS, LLVM, Value, constant, is_signed, llvm_type
from nbgraph.kernels.loops.loop import LANES, ROOM, STRIP
from nbgraph.kernels.scalar.kinds import INTEGERS, STORED
from nbgraph.native.processor import LINE, has_fma, is_x86

Primitive = Callable[[Function, Sequence[Value]], Value | tuple[Value, ...] | None]

# metadata of loads and stores; `module` writes these nodes
INPUT, OUTPUT, ELEMENT, EMPTY = "!1", "!2", "!3", "!6"
_INPUT = f", !alias.scope {INPUT}, !noalias {OUTPUT}"
_OUTPUT = f", !alias.scope {OUTPUT}, !noalias {INPUT}"
_ELEMENT = f", !llvm.access.group {ELEMENT}"

_DTYPES = (*INTEGERS, *FLOATS, *STORED, "uint128")


def _element(f: Function, pointer: Value, index: Value) -> str:
    """Return the address of an element."""
    kind = llvm_type(pointer.kind[1:])
    if index.text == "0":
        return pointer.text
    return f.value("*", f"getelementptr inbounds {kind}, {pointer.typed}, {index.typed}").text


def _load(says: str) -> Primitive:
    def load(f: Function, args: Sequence[Value]) -> Value:
        kind = args[0].kind[1:]
        f.grouped |= says is _ELEMENT
        place = _element(f, *args)
        return f.value(kind, f"load {llvm_type(kind)}, ptr {place}{says}")

    return load


def _store(says: str) -> Primitive:
    def store(f: Function, args: Sequence[Value]) -> None:
        pointer, index, value = args
        value = cast(f, value, pointer.kind[1:])
        f.grouped |= says is _ELEMENT
        place = _element(f, pointer, index)
        f.line(f"store {value.typed}, ptr {place}{says}")

    return store


def _word(kind: str) -> Primitive:
    def word(f: Function, args: Sequence[Value]) -> Value:
        base, index = args
        record = f.value("*int64", f"inttoptr {base.typed} to ptr")
        place = _element(f, record, index)
        return f.value(kind, f"load {llvm_type(kind)}, ptr {place}, align 8")

    return word


def _pointer(dtype: str) -> Primitive:
    kind = STORED.get(dtype, dtype)

    return lambda f, args: f.value(f"*{kind}", f"inttoptr {args[0].typed} to ptr")


def _room(kind: str, count: int) -> Primitive:

    return lambda f, args: Value(f"*{kind}", f.room(f"[{count} x {llvm_type(kind)}]", align=64))


def _call_kernel(f: Function, args: Sequence[Value]) -> Value:
    function = f.value("*int64", f"inttoptr {args[0].typed} to ptr")
    listed = ", ".join(a.typed for a in args[1:])
    return f.value("int64", f"call i64 {function.text}({listed})")


def _shifted(f: Function, args: Sequence[Value]) -> Value:
    pointer, offset = args
    return f.value(pointer.kind, f"getelementptr i8, {pointer.typed}, {offset.typed}")


def _from_line(f: Function, pointer: Value) -> Value:
    """Return the bytes from the beginning of the cache line that a pointer is in."""
    address = f.value("int64", f"ptrtoint {pointer.typed} to i64")
    return f.value("int64", f"and {address.typed}, {LINE - 1}")


def _to_line(f: Function, args: Sequence[Value]) -> Value:
    past = f.value("int64", f"sub i64 0, {_from_line(f, args[0]).text}")
    return f.value("int64", f"and {past.typed}, {LINE - 1}")


def _on_line(f: Function, args: Sequence[Value]) -> None:
    holds = f.value("bool", f"icmp eq {_from_line(f, args[0]).typed}, 0")
    f.line(f"call void @llvm.assume({holds.typed})")


def _copied(f: Function, args: Sequence[Value]) -> None:
    listed = ", ".join(a.typed for a in args)
    f.line(f"call void @llvm.memcpy.p0.p0.i64({listed}, i1 false)")


def _streamed(f: Function, args: Sequence[Value]) -> None:
    if is_x86():
        f.line("call void @llvm.x86.sse.sfence()")


def _fetch(f: Function, args: Sequence[Value]) -> None:
    f.line(f"call void @llvm.prefetch.p0({_shifted(f, args).typed}, i32 0, i32 3, i32 1)")


_ALIKE = {"float32": "uint32", "float64": "uint64", "uint32": "float32", "uint64": "float64"}


def _bits(f: Function, args: Sequence[Value]) -> Value:
    kind = _ALIKE[args[0].kind]
    return f.value(kind, f"bitcast {args[0].typed} to {llvm_type(kind)}")


def setting(flag: str) -> Primitive:
    """Return a primitive that sets a flag of the function it is called in."""

    def say(f: Function, args: Sequence[Value]) -> None:
        setattr(f, flag, True)

    return say


def _accumulate(floating: str, integer: str) -> Primitive:
    """Return a sum or product that LLVM may reorder, within one block."""

    def accumulate(f: Function, args: Sequence[Value]) -> Value:
        total, value = args
        value = cast(f, value, total.kind)
        if total.kind in FLOATS:
            return f.value(total.kind, f"{floating} reassoc {total.typed}, {value.text}")
        return f.value(total.kind, f"{integer} {total.typed}, {value.text}")

    return accumulate


def _extreme(name: str, order: str) -> Primitive:
    def accumulate(f: Function, args: Sequence[Value]) -> Value:
        total, value = args
        value = cast(f, value, total.kind)
        if total.kind in FLOATS:
            return intrinsic(f, name, total, value)
        return select(f, compare(f, order, total, value), total, value)

    return accumulate


def _least(order: str) -> Primitive:
    """Return Python's `min` or `max` of two integers."""

    def least(f: Function, args: Sequence[Value]) -> Value:
        if len(args) != 2 or any(v.kind in FLOATS for v in args):
            raise CompileError("no LLVM text is known for min or max but of two integers")
        a, b = (cast(f, v, "int64") for v in args)
        return select(f, compare(f, order, a, b), a, b)

    return least


def _fma(f: Function, args: Sequence[Value]) -> Value:
    if has_fma(target.features()):
        return intrinsic(f, "fma", *args)
    product = f.value(args[0].kind, f"fmul {args[0].typed}, {args[1].text}")
    return f.value(args[0].kind, f"fadd {product.typed}, {args[2].text}")


def _wide_product(f: Function, args: Sequence[Value]) -> tuple[Value, ...]:
    a, b = (f.value("", f"zext {cast(f, v, 'uint64').typed} to i128").text for v in args)
    product = f.value("", f"mul i128 {a}, {b}").text
    high = f.value("", f"lshr i128 {product}, 64").text
    return tuple(f.value("uint64", f"trunc i128 {half} to i64") for half in (high, product))


def called(symbol: str, result: str, attributes: str = "") -> Primitive:
    """Return a call of a function whose LLVM text the library has."""

    def call(f: Function, args: Sequence[Value]) -> Value:
        listed = ", ".join(a.typed for a in args)
        return f.value(result, f"call {llvm_type(result)} @{symbol}({listed}){attributes}")

    return call


def _converted(kind: str) -> Primitive:

    return lambda f, args: cast(f, args[0], kind)


def mathematics(name: str, compute: str) -> Primitive:
    """Return a function of `vector_math` in a precision."""
    return called(f"m_{name}_{compute}", compute)


PRIMITIVES: dict[str, Primitive] = {
    "word": _word("int64"),
    "load": _load(""),
    "load_input": _load(_INPUT),
    "load_element": _load(_ELEMENT),
    "store": _store(""),
    "store_output": _store(_OUTPUT),
    "store_element": _store(_ELEMENT),
    "address": lambda f, args: f.value("int64", f"ptrtoint {args[0].typed} to i64"),
    "call_kernel": _call_kernel,
    "shifted": _shifted,
    "to_line": _to_line,
    "on_line": _on_line,
    "copied": _copied,
    "streamed": _streamed,
    "fetch": _fetch,
    "select": lambda f, args: select(f, cast(f, args[0], "bool"), args[1], args[2]),
    "bits": _bits,
    "from_bits": _bits,
    **{word: setting(word) for word in ("separate", "interleaved", "straight")},
    "calling": setting("seldom"),
    "acc_add": _accumulate("fadd", "add"),
    "acc_multiply": _accumulate("fmul", "mul"),
    "acc_max": _extreme("maximum", ">"),
    "acc_min": _extreme("minimum", "<"),
    "abs": lambda f, args: absolute(f, args[0]),
    "min": _least("<"),
    "max": _least(">"),
    "fma": _fma,
    "wide_product": _wide_product,
    **{f"{kind}_word": _word(kind) for kind in ("int64", *FLOATS)},
    **{f"{dtype}_pointer": _pointer(dtype) for dtype in _DTYPES},
    **{f"strip_{kind}": _room(kind, STRIP) for kind in (*INTEGERS, *FLOATS)},
    **{f"room_{kind}": _room(kind, count) for kind, count in ROOM.items()},
    "room_int64": _room("int64", 1),
    **{f"lanes_{kind}": _room(kind, LANES) for kind in (*INTEGERS, *FLOATS)},
    **{kind: _converted(kind) for kind in ("bool", *INTEGERS, *FLOATS, "uint128")},
}

# run-time functions by kind of result; their texts come with the mathematics
RUNTIME = {
    "float16_to_float32": "float32",
    "bfloat16_to_float32": "float32",
    "float32_to_float16": "uint16",
    "float32_to_bfloat16": "uint16",
    "float64_to_float16": "uint16",
    "float64_to_bfloat16": "uint16",
    "acc_pairwise": "float64",
}


def table(entries: Value) -> Primitive:
    """Return the primitive that reads a constant table at an index."""
    kind = entries.kind[1:]

    def entry(f: Function, args: Sequence[Value]) -> Value:
        place = _element(f, entries, cast(f, args[0], "int64"))
        return f.value(kind, f"load {llvm_type(kind)}, ptr {place}, !invariant.load {EMPTY}")

    return entry


def runtime(name: str) -> Primitive:
    """Return a run-time function."""
    return called(f"r_{name}", RUNTIME[name])


def limits() -> dict[str, Value]:
    """Return the constants that reductions of integers start with."""
    values: dict[str, Value] = {}
    for kind in INTEGERS:
        bits = int(LLVM[kind][1:])
        least, most = (-(1 << (bits - 1)), (1 << (bits - 1)) - 1)
        if not is_signed(kind):
            least, most = 0, (1 << bits) - 1
        values[f"max_start_{kind}"] = constant(kind, least)
        values[f"min_start_{kind}"] = constant(kind, most)
    return values
