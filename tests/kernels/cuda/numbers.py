"""Numbers as emitted text computes with them: each has a kind, as in `kernels.llvm.arithmetic`.

An independent reading of the same rules: integers grow to 64 bits and are narrowed where the text
says so, two floats are computed in the wider format, literals are Python's own numbers.
"""

import operator

import numpy as np

from nbgraph.kernels.scalar.kinds import INTEGERS

FLOATS = {"float32": np.float32, "float64": np.float64}


def bits(kind):
    """Bits of an integer kind."""
    return int(kind.lstrip("uint"))


def wrapped(value, kind):
    """An integer as one of a kind, which has so many bits."""
    size = bits(kind)
    value &= (1 << size) - 1
    return value - (1 << size) if kind[0] == "i" and value >> (size - 1) else value


def kind_of(value):
    """The kind of a number or of a literal."""
    if isinstance(value, Number):
        return value.kind
    return {bool: "bool", int: "int64", float: "float64"}[type(value)]


def plain(value):
    """The value behind a number or literal."""
    return value.value if isinstance(value, Number) else value


def cast(value, kind):
    """A number or literal as one of another kind. What is beyond an integer is undefined; here it
    is what x86 makes of it."""
    source, given = kind_of(value), plain(value)
    if source == kind:
        return value if isinstance(value, Number) else Number(kind, FLOATS.get(kind, int)(given))
    if kind in FLOATS:
        if source not in FLOATS and source != "bool":
            given = np.dtype(source).type(given)  # rounded once
        return Number(kind, np.asarray(given).astype(FLOATS[kind])[()])
    if source in FLOATS:
        given = int(given) if np.isfinite(given) and abs(given) < 2.0**63 else -(1 << 63)
    return Number(kind, wrapped(int(given), kind))


def common(a, b):
    """The kind that two operands are computed in."""
    kinds = kind_of(a), kind_of(b)
    if any(kind in FLOATS for kind in kinds):
        return kinds[0] if kinds[0] == kinds[1] else "float64"
    unsigned = [kind[0] == "u" for kind in kinds]
    natural = [isinstance(v, int) and v >= 0 for v in (a, b)]
    if any(unsigned) and all(u or n for u, n in zip(unsigned, natural, strict=True)):
        return "uint64"
    assert "uint64" not in kinds or all(plain(v) >= 0 for v in (a, b)), kinds
    return "uint64" if "uint64" in kinds else "int64"


def _binary(integers, floats=None):
    def compute(a, b):
        kind = common(a, b)
        a, b = cast(a, kind).value, cast(b, kind).value
        if kind in FLOATS:
            return Number(kind, FLOATS[kind](floats(a, b)))
        return Number(kind, wrapped(integers(a, b), kind))

    return compute, lambda b, a: compute(a, b)


def _compare(test):
    def compare(a, b):
        kinds = {kind_of(a), kind_of(b)}
        if kinds & set(FLOATS) and len(kinds) > 1:
            literal = [type(v) is int for v in (a, b)]
            kind = kind_of(a if literal[1] else b) if any(literal) else "float64"
            a, b = cast(a, kind), cast(b, kind)
        return bool(test(plain(a), plain(b)))

    return compare


class Number:
    """A value of a kind: a Python int in its range, or NumPy's scalar of a float."""

    __slots__ = ("kind", "value")

    def __init__(self, kind, value):
        assert kind in FLOATS or kind in INTEGERS, kind
        self.kind, self.value = kind, value

    __add__, __radd__ = _binary(operator.add, operator.add)
    __sub__, __rsub__ = _binary(operator.sub, operator.sub)
    __mul__, __rmul__ = _binary(operator.mul, operator.mul)
    __and__, __rand__ = _binary(operator.and_)
    __or__, __ror__ = _binary(operator.or_)
    __xor__, __rxor__ = _binary(operator.xor)
    __lshift__, __rlshift__ = _binary(operator.lshift)
    __rshift__, __rrshift__ = _binary(operator.rshift)
    # indices divided by 0 are so by 1
    __floordiv__, __rfloordiv__ = _binary(lambda a, b: a // (b or 1))
    __mod__, __rmod__ = _binary(lambda a, b: a % (b or 1))
    __lt__, __le__ = _compare(operator.lt), _compare(operator.le)
    __gt__, __ge__ = _compare(operator.gt), _compare(operator.ge)
    __eq__, __ne__ = _compare(operator.eq), _compare(operator.ne)
    __hash__ = None

    def __truediv__(self, other):
        kind = common(self, other)
        kind = kind if kind in FLOATS else "float64"
        return Number(kind, FLOATS[kind](cast(self, kind).value / cast(other, kind).value))

    def __rtruediv__(self, other):
        return cast(other, kind_of(other)) / self

    def __neg__(self):
        if self.kind in FLOATS:
            return Number(self.kind, -self.value)
        kind = "uint64" if self.kind == "uint64" else "int64"
        return Number(kind, wrapped(-self.value, kind))

    def __invert__(self):
        return Number(self.kind, wrapped(~self.value, self.kind))

    def __abs__(self):
        made = abs(self.value)
        return Number(self.kind, made if self.kind in FLOATS else wrapped(made, self.kind))

    def __bool__(self):
        return bool(self.value != 0)

    def __index__(self):
        assert self.kind in INTEGERS, self.kind
        return self.value

    def __repr__(self):
        return f"{self.kind}({self.value})"


def extreme(name, a, b):
    """LLVM's `maximum` and `minimum`: a NaN stays, and -0.0 is less than 0.0."""
    b = cast(b, a.kind)
    if a.kind not in FLOATS:
        return Number(a.kind, {"max": max, "min": min}[name](a.value, b.value))
    if np.isnan(a.value) or np.isnan(b.value):
        return Number(a.kind, FLOATS[a.kind](np.nan))
    key = lambda v: (v.value, not np.signbit(v.value))  # noqa: E731
    return {"max": max, "min": min}[name](a, b, key=key)
