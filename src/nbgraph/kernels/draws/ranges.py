"""Whole numbers between bounds, all alike: a random word times how many there are, the high part.

Below 2^32 of them a word of 64 bits gives one, by two products of 32 bits, which loops vectorise;
of more of them two words do. So no number is likelier than another one by more than 2^-32 of its
probability. All 2^64 are a word as it is. (Lemire, "Fast random integer generation in an interval",
2019, of which the step that rejects is left out: each number has its own words.)
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

from nbgraph.kernels.draws.philox import Form
from nbgraph.kernels.draws.uniform import Drawn, record
from nbgraph.kernels.scalar.kinds import STORED

_SHORT, _EVERY = 1 << 32, 1 << 64


def integers(dtype: str, count: int) -> Drawn:
    """out = low + a number below `count`, which is `span`; parameters: low, span."""
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
