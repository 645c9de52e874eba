"""The interpreter's numbers of many digits, by mpmath; extreme exponents are refused."""

import math
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import ARITHMETIC, Node
from nbgraph.kernels.scalar.interpret import Budget, Domain
from nbgraph.kernels.scalar.kinds import MAX_BITS, Undetermined, Unreached
from nbgraph.kernels.scalar.mpmath_context import BITS, EXPONENT, context, magnitude, table, within

_SHAKE = 5  # bits of a result that `noise` perturbs
_SHORT = 30  # bits of exact literals
_WHOLE = 60  # bits of integers with exact sums and products
_CONSTANTS: dict[float, Callable[[Any], Any]] = {  # constants in the rules of derivatives
    math.log(2): lambda mp: mp.log(2),
    1 / math.log(2): lambda mp: 1 / mp.log(2),
    1 / math.log(10): lambda mp: 1 / mp.log(10),
    math.sqrt(math.pi) / 2: lambda mp: mp.sqrt(mp.pi) / 2,
    2 / math.sqrt(math.pi): lambda mp: 2 / mp.sqrt(mp.pi),
}


class MultiDomain(Domain):
    """Real numbers of `bits` bits; complex results and extreme exponents are refused.

    With `noise` each rounded result is moved by up to `2**_SHAKE` of its last bits: digits that
    differ between two evaluations are lost to rounding (Vignes, "Discrete stochastic arithmetic for
    validating results of numerical software", 2004).
    """

    def __init__(
        self, bits: int = BITS, budget: Budget | None = None, noise: Random | None = None
    ) -> None:
        super().__init__(budget)
        self.mp, self.bits, self.noise = context(bits), bits, noise
        self.units = bits / 128
        self.functions: Mapping[str, Callable[..., Any]] = table(self.mp)
        self._literals: dict[float, Any] = {}

    def literal(self, value: Any, kind: str) -> Any:
        """Return a literal: its float64 value, or the constant of a rule that it was rounded from.

        Literals of many digits may be rounded products of others, as 2 / 25 in a slope of `x * x /
        25`: with noise their last digit is as uncertain, and equal in all places.
        """
        if kind != "f":
            return value
        constant = _CONSTANTS.get(abs(value))
        if constant is not None:
            return constant(self.mp) if value > 0 else -constant(self.mp)
        number = self.mp.mpf(value)
        if self.noise is None or number._mpf_[3] <= _SHORT:
            return number
        if value not in self._literals:
            self._literals[value] = self._moved(number, 52 + _SHAKE)
        return self._literals[value]

    def number(self, value: Any) -> Any:
        """Return a value as a real number."""
        return self.mp.mpf(value)

    def _apply(self, node: Node, op: str, args: Sequence[Any]) -> Any:
        if op == "cast" and node.kind != "f" and isinstance(args[0], self.mp.mpf):
            within(op, abs, MAX_BITS)(args[0])
        if op == "extern" and node.data.wrt and self.noise is not None:
            args = [self._moved(a, 50) for a in args]  # was computed in float64
            return self._moved(super()._apply(node, op, args), 48)
        result = super()._apply(node, op, args)
        if node.kind != "f":
            return result
        if isinstance(result, self.mp.mpc):
            raise Undetermined(f"{op} leaves the real numbers")
        if not self.mp.isfinite(result) and all(map(self.mp.isfinite, args)):
            raise Undetermined(f"{op} has no finite value")
        if abs(magnitude(result)) > EXPONENT:
            raise Unreached(f"{op} gives a value around 2**{magnitude(result)}")
        exact = op == "call" and "exact" in FUNCTIONS[node.data].traits
        rounded = op in ARITHMETIC or op == "extern" or (op == "call" and not exact)
        if self.noise is None or not rounded or all(map(_is_whole, args)):
            return result
        return self._moved(result, self.bits - 1)

    def _moved(self, x: Any, bits: int) -> Any:
        """Return `x`, a number of `bits` bits, with some of its last bits changed."""
        assert self.noise is not None
        steps = self.noise.randint(-(1 << _SHAKE), 1 << _SHAKE)
        return x * (1 + self.mp.ldexp(steps, -bits))


def _is_whole(x: Any) -> bool:
    """Return whether a number is a small integer."""
    return x._mpf_[2] >= 0 and magnitude(x) <= _WHOLE
