"""Integers uniform between bounds: the high part of a random word times their number.

For fewer than 2^32 integers one 64-bit word suffices, by two products of 32 bits, which vectorise;
for more, two words. So probabilities differ by at most a factor of 1 + 2^-32. All 2^64 integers are
a plain word. (Lemire, "Fast random integer generation in an interval", 2019, without the rejection
step: each integer has its own words.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from nbgraph.kernels.draws.philox import Form
from nbgraph.kernels.draws.uniform import Drawn, record
from nbgraph.kernels.scalar.kinds import STORED

_SHORT, _EVERY = 1 << 32, 1 << 64


def integers(dtype: str, count: int) -> Drawn:
    """Return the draw out = low + a number below `count`; parameters: low, span (the count)."""
    if count == _EVERY:
        return _integers(dtype, "word", lambda s: [f"h{s} = uint64(n{s})"])
    return _integers(dtype, "word", _short) if count < _SHORT else _integers(dtype, "pair", _long)


@cache
def _integers(dtype: str, form: Form, lines: Callable[[str], list[str]]) -> Drawn:
    layout, stored = record(["out"], ["low", "span"]), STORED.get(dtype, dtype)

    def element(s: str) -> list[str]:
        return [*lines(s), f"out{s} = {stored}(h{s} + uint64(low))"]

    read = {n: f"word(args, {layout.place(n)})" for n in ("low", "span")}
    return Drawn("integers", layout, "float64", read, element, {"out": dtype}, form=form, cost=0.5)


def _short(s: str) -> list[str]:
    """Return the high word of a product whose second factor has 32 bits."""
    mask, shift = f"uint64({_SHORT - 1})", "uint64(32)"
    return [
        f"r{s} = uint64(span) & {mask}",
        f"w{s} = uint64(n{s})",
        f"h{s} = ((w{s} & {mask}) * r{s}) >> {shift}",
        f"h{s} = ((w{s} >> {shift}) * r{s} + h{s}) >> {shift}",
    ]


def _long(s: str) -> list[str]:
    """Return the highest of three words: n is above l in the first factor."""
    return [
        f"h{s}, m{s} = wide_product(n{s}, uint64(span))",
        f"t{s}, o{s} = wide_product(l{s}, uint64(span))",
        f"h{s} += select(m{s} + t{s} < m{s}, uint64(1), uint64(0))",
    ]
