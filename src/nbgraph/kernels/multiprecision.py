"""The interpreter's numbers with many digits, by mpmath."""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from nbgraph.kernels.interpret import Domain, Undetermined
from nbgraph.kernels.scalar import Node

DIGITS = 36


@functools.cache
def context() -> Any:
    """A private mpmath context; imported at the first certificate."""
    import mpmath

    made = mpmath.mp.clone()
    made.dps = DIGITS
    return made


def _functions(mp: Any) -> dict[str, Callable[..., Any]]:
    names = (
        "exp expm1 sqrt sin cos tan asin acos atan atan2 sinh cosh tanh asinh acosh atanh erf "
        "erfc erfinv gamma hypot floor ceil sign"
    ).split()
    table: dict[str, Callable[..., Any]] = {n: getattr(mp, n) for n in names}

    def log(x: Any, base: Any = None) -> Any:
        value = mp.log(x)
        return value if base is None else value / mp.log(base)

    def power(a: Any, b: Any) -> Any:
        if a == 0 and b < 0:
            raise Undetermined("0 to a negative power")
        return a**b

    def sigmoid(x: Any) -> Any:
        return 1 / (1 + mp.exp(-x))

    def whole(x: Any) -> Any:
        return mp.floor(x) if x >= 0 else mp.ceil(x)

    def trigamma(x: Any) -> Any:
        if x >= 0:
            return mp.psi(1, x)
        return (mp.pi / mp.sinpi(x)) ** 2 - mp.psi(1, 1 - x)  # mpmath would take |x| steps

    table.update(
        exp2=lambda x: mp.mpf(2) ** x,
        log=log,
        log2=lambda x: log(x, 2),
        log10=lambda x: log(x, 10),
        log1p=mp.log1p,
        cbrt=lambda x: mp.sign(x) * mp.cbrt(abs(x)),
        rsqrt=lambda x: 1 / mp.sqrt(x),
        lgamma=lambda x: mp.log(abs(mp.gamma(x))),
        digamma=mp.digamma,
        trigamma=trigamma,
        pow=power,
        sigmoid=sigmoid,
        softplus=lambda x: mp.log1p(mp.exp(x)) if x < 0 else x + mp.log1p(mp.exp(-x)),
        trunc=whole,
        round=mp.nint,
        fmod=lambda a, b: a - b * whole(a / b),
        copysign=lambda a, b: abs(a) if b >= 0 else -abs(a),
    )
    return table


class MultiDomain(Domain):
    """Real numbers with `DIGITS` digits; complex results and infinities are refused."""

    def __init__(self) -> None:
        self.mp = context()
        self.functions: Mapping[str, Callable[..., Any]] = _table()

    def const(self, node: Node) -> Any:
        """A literal at full precision: decimal literals mean their float64 value."""
        return self.mp.mpf(node.data) if node.kind == "f" else node.data

    def number(self, value: Any) -> Any:
        """As a real number."""
        return self.mp.mpf(value)

    def _apply(self, node: Node, op: str, args: Sequence[Any]) -> Any:
        result = super()._apply(node, op, args)
        if node.kind == "f" and isinstance(result, self.mp.mpc):
            raise Undetermined(f"{op} leaves the real numbers")
        return result


@functools.cache
def _table() -> dict[str, Callable[..., Any]]:
    return _functions(context())
