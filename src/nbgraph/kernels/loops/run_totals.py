"""The totals of a run of values: text that starts them, adds values, and finishes them.

The extremes of floats follow from their bits. Read as signed integers, floats from 0 up keep their
order and negative ones are below them; read as unsigned integers, negative floats grow with their
magnitude. So three integers, the signed maximum, the unsigned minimum and the unsigned maximum,
determine the extremes, with -0.0 below 0.0, and whether a NaN occurred: at an instruction each,
where `maximum` of IEEE 754-2019 takes six dependent ones.
"""

from collections.abc import Sequence
from typing import NamedTuple

from nbgraph.codegen import target
from nbgraph.kernels.loops.loop import Combine
from nbgraph.native.processor import has_evex

# by kind: the unsigned and signed integers of its size, bits of NaN, infinity, -infinity
_BITS = {
    "float32": ("uint32", "int32", 0x7FC00000, 0x7F800000, 0xFF800000),
    "float64": ("uint64", "int64", 0x7FF8 << 48, 0x7FF0 << 48, 0xFFF0 << 48),
}


class RunTotal(NamedTuple):
    """The total of a run's values, accumulated in `name`_acc."""

    name: str
    combine: Combine
    kind: str  # of values and accumulator
    start: str  # the total of no values


def begin(totals: Sequence[RunTotal]) -> list[str]:
    """Return the lines before the loop over values."""
    if not _by_bits(totals):
        return [f"{t.name}_acc = {t.start}" for t in totals]
    lines: list[str] = []
    for name, combine, kind, _ in totals:
        unsigned, signed, _, inf, low = _BITS[kind]
        least, most, ordered, _ = _names(name)
        start = f"{unsigned}({low if combine == 'max' else inf})"
        lines += [f"{least} = {start}", f"{most} = {start}", f"{ordered} = {signed}({most})"]
    return lines


def add(totals: Sequence[RunTotal], values: Sequence[str]) -> list[str]:
    """Return the lines in the loop, which add one value to each total."""
    pairs = zip(totals, values, strict=True)
    if not _by_bits(totals):
        return [f"{t.name}_acc = acc_{t.combine}({t.name}_acc, {value})" for t, value in pairs]
    lines: list[str] = []
    for total, value in pairs:
        least, most, ordered, word = _names(total.name)
        lines += [
            f"{word} = bits({value})",
            f"{ordered} = acc_max({ordered}, {_BITS[total.kind][1]}({word}))",
            f"{least} = acc_min({least}, {word})",
            f"{most} = acc_max({most}, {word})",
        ]
    return lines


def end(totals: Sequence[RunTotal]) -> list[str]:
    """Return the lines after the loop."""
    if not _by_bits(totals):
        return []
    lines: list[str] = []
    for name, combine, kind, _ in totals:
        unsigned, signed, nan, inf, low = _BITS[kind]
        least, most, ordered, word = _names(name)
        if combine == "max":
            extreme = f"select({ordered} < 0, {least}, {unsigned}({ordered}))"
        else:
            extreme = f"select({signed}({most}) < 0, {most}, {least})"
        invalid = f"({ordered} > {inf}) | ({most} > {unsigned}({low}))"
        lines.append(f"{word} = select({invalid}, {unsigned}({nan}), {extreme})")
        lines.append(f"{name}_acc = from_bits({word})")
    return lines


def _by_bits(totals: Sequence[RunTotal]) -> bool:
    """Return whether totals follow from bits: if all are extremes, as the loop must not disturb the
    order of sums. Before AVX-512 there is no fast comparison of 64 bits."""
    kinds = {"float32", "float64"} if has_evex(target.features()) else {"float32"}
    return all(t.combine in ("max", "min") and t.kind in kinds for t in totals)


def _names(name: str) -> tuple[str, ...]:
    return tuple([f"{name}_{part}_acc" for part in ("least", "most", "ordered", "word")])
