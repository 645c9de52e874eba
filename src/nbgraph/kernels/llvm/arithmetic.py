"""Operators and conversions, by Numba's rules for scalars.

Integers are computed in 64 bits (unsigned only among unsigned ones) and narrowed where the text
says so; two floats are computed in the wider format. Instructions have fast-math flags only if the
operator is fast math.
"""

from nbgraph.errors import CompileError
from nbgraph.kernels.llvm.function import Function
from nbgraph.kernels.llvm.values import (
    FLOATS,
    Value,
    constant,
    is_integer,
    is_signed,
    llvm_type,
    width,
)

_FLOAT = {"+": "fadd", "-": "fsub", "*": "fmul", "/": "fdiv"}
_INTEGER = {"+": "add", "-": "sub", "*": "mul", "&": "and", "|": "or", "^": "xor", "<<": "shl"}
_ORDERED = {"<": "olt", "<=": "ole", ">": "ogt", ">=": "oge", "==": "oeq", "!=": "une"}
_COMPARED = {"<": "lt", "<=": "le", ">": "gt", ">=": "ge", "==": "eq", "!=": "ne"}


def cast(f: Function, value: Value, kind: str) -> Value:
    """Return a value as another kind."""
    source = value.kind
    if source == kind:
        return value
    if kind == "bool":
        return compare(f, "!=", value, constant(source, 0))
    if value.literal is not None and is_integer(kind):
        return constant(kind, _wrapped(value.literal, kind))
    if is_integer(kind) and is_integer(source) and width(kind) == width(source):
        return Value(kind, value.text)  # LLVM's integers have no sign
    return f.value(kind, f"{_conversion(source, kind)} {value.typed} to {llvm_type(kind)}")


def _conversion(source: str, kind: str) -> str:
    """Return the instruction that converts between kinds of different LLVM types."""
    if kind in FLOATS:
        if source in FLOATS:
            return "fpext" if kind == "float64" else "fptrunc"
        return "sitofp" if source != "bool" and is_signed(source) else "uitofp"
    if source in FLOATS:
        return "fptosi" if is_signed(kind) else "fptoui"
    if width(source) > width(kind):
        return "trunc"
    return "sext" if source != "bool" and is_signed(source) else "zext"


def _wrapped(number: int, kind: str) -> int:
    bits = width(kind)
    number %= 1 << bits
    return number - (1 << bits) if is_signed(kind) and number >> (bits - 1) else number


def common(a: Value, b: Value) -> str:
    """Return the kind in which two operands are computed."""
    if a.kind in FLOATS or b.kind in FLOATS:
        return a.kind if a.kind == b.kind else "float64"
    if a.kind == b.kind == "bool":
        return "bool"
    unsigned = [is_integer(v.kind) and not is_signed(v.kind) for v in (a, b)]
    natural = [v.literal is not None and v.literal >= 0 for v in (a, b)]
    if any(unsigned) and all(u or n for u, n in zip(unsigned, natural, strict=True)):
        return "uint64"
    if "uint64" in (a.kind, b.kind):
        raise CompileError(f"no common kind of {a.kind} and {b.kind} in a kernel's text")
    return "int64"


def binary(f: Function, op: str, a: Value, b: Value) -> Value:
    """Return `a op b`."""
    kind = common(a, b)
    if kind == "bool" and op not in ("&", "|", "^"):
        kind = "int64"
    a, b = cast(f, a, kind), cast(f, b, kind)
    if kind in FLOATS:
        if op not in _FLOAT:
            raise CompileError(f"no LLVM text is known for {op} of {kind}")
        return f.value(kind, f"{_FLOAT[op]} {f.fast}{a.typed}, {b.text}")
    if op in ("//", "%"):
        return divided(f, op, a, b) if f.exact else index_divided(f, op, a, b)
    if op == "/":
        return binary(f, op, cast(f, a, "float64"), cast(f, b, "float64"))
    if a.literal is not None and b.literal is not None:
        return _folded(op, a.literal, b.literal, kind)
    name = _INTEGER.get(op) or ("ashr" if is_signed(kind) else "lshr")
    return f.value(kind, f"{name} {a.typed}, {b.text}")


def _folded(op: str, a: int, b: int, kind: str) -> Value:
    """Return the result for two integer literals, which is then a literal, too."""
    values = {"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
    number = values[op] if op in values else (a << b if op == "<<" else a >> b)
    return constant(kind, _wrapped(number, kind))


def divided(f: Function, op: str, a: Value, b: Value) -> Value:
    """Return `//` or `%` of integers of one kind, rounded down. The library's functions do not
    divide by 0 nor, if signed, by -1, so nothing traps."""
    kind, zero = a.kind, constant(a.kind, 0)
    if not is_signed(kind):
        return f.value(kind, f"{'udiv' if op == '//' else 'urem'} {a.typed}, {b.text}")
    quotient = f.value(kind, f"sdiv {a.typed}, {b.text}")
    if op == "//" and b.literal is None:  # a remainder would be another division
        product = f.value(kind, f"mul {quotient.typed}, {b.text}")
        crossed = f.value(kind, f"xor {a.typed}, {b.text}")
        down = _both(f, compare(f, "!=", product, a), compare(f, "<", crossed, zero))
        return f.value(kind, f"sub {quotient.typed}, {cast(f, down, kind).text}")
    rest = f.value(kind, f"srem {a.typed}, {b.text}")
    crossed = f.value(kind, f"xor {rest.typed}, {b.text}")
    down = _both(f, compare(f, "!=", rest, zero), compare(f, "<", crossed, zero))
    if op == "//":
        return f.value(kind, f"sub {quotient.typed}, {cast(f, down, kind).text}")
    return f.value(kind, f"add {rest.typed}, {select(f, down, b, zero).text}")


def _both(f: Function, a: Value, b: Value) -> Value:
    return f.value("bool", f"and {a.typed}, {b.text}")


def index_divided(f: Function, op: str, a: Value, b: Value) -> Value:
    """Return `//` or `%` of counts of elements and rows, never negative; 0 divides as 1."""
    one = constant(a.kind, 1)
    divisor = b if b.literal else select(f, compare(f, "==", b, constant(b.kind, 0)), one, b)
    return f.value(a.kind, f"{'udiv' if op == '//' else 'urem'} {a.typed}, {divisor.text}")


def compare(f: Function, op: str, a: Value, b: Value) -> Value:
    """Return `a op b` as a bool; with a NaN only `!=` holds."""
    if a.kind != b.kind:
        kind = _compared(a, b)
        a, b = cast(f, a, kind), cast(f, b, kind)
    if a.kind in FLOATS:
        return f.value("bool", f"fcmp {f.fast}{_ORDERED[op]} {a.typed}, {b.text}")
    name = _COMPARED[op]
    sign = "" if op in ("==", "!=") else "s" if is_signed(a.kind) and a.kind != "bool" else "u"
    return f.value("bool", f"icmp {sign}{name} {a.typed}, {b.text}")


def _compared(a: Value, b: Value) -> str:
    """Return the kind of a comparison; an integer literal takes a float's kind, as it is exact."""
    for value, other in ((a, b), (b, a)):
        if value.literal is not None and other.kind in FLOATS:
            return other.kind
    return common(a, b)


def select(f: Function, condition: Value, a: Value, b: Value) -> Value:
    """Return `a if condition else b`, both computed."""
    return f.value(a.kind, f"select i1 {condition.text}, {a.typed}, {b.typed}")


def negative(f: Function, a: Value) -> Value:
    """Return `-a`."""
    if a.kind in FLOATS:
        return f.value(a.kind, f"fneg {f.fast}{a.typed}")
    if a.literal is not None:
        return constant("int64", -a.literal)
    a = cast(f, a, "int64") if a.kind != "uint64" else a
    return f.value(a.kind, f"sub {llvm_type(a.kind)} 0, {a.text}")


def inverted(f: Function, a: Value) -> Value:
    """Return `~a` of an integer, `not a` of a bool."""
    if a.kind in FLOATS:
        raise CompileError(f"no LLVM text is known for ~ of {a.kind}")
    return f.value(a.kind, f"xor {a.typed}, {'true' if a.kind == 'bool' else '-1'}")


def absolute(f: Function, a: Value) -> Value:
    """Return `abs(a)`."""
    if a.kind in FLOATS:
        return intrinsic(f, "fabs", a)
    if not is_signed(a.kind):
        return a
    return select(f, compare(f, "<", a, constant(a.kind, 0)), _minus(f, a), a)


def _minus(f: Function, a: Value) -> Value:
    """Return `-a` in the width of a."""
    return f.value(a.kind, f"sub {llvm_type(a.kind)} 0, {a.text}")


def intrinsic(f: Function, name: str, *args: Value) -> Value:
    """Return `llvm.<name>` of floats of one kind."""
    kind = args[0].kind
    suffix = "f32" if kind == "float32" else "f64"
    listed = ", ".join(a.typed for a in args)
    return f.value(kind, f"call {f.fast}{llvm_type(kind)} @llvm.{name}.{suffix}({listed})")
