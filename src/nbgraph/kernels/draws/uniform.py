"""Texts of kernels that draw random numbers, and of dropout, with the bits of NumPy's Philox.

A number is n * 2^-53, or n * 2^-24, for an integer n. Comparisons with a limit compare n.

On the host [lo, hi) counts tiles: the words of a tile are computed into a strip on the stack, and a
loop that LLVM vectorises processes their numbers. A thread of a grid computes the numbers of one
block at a time, in registers.
"""

from __future__ import annotations

import ctypes
import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

import numpy as np

from nbgraph.kernels.compiler.written import Compute, Record, function, part, written
from nbgraph.kernels.draws.philox import (
    BITS,
    BLOCK,
    DRAW,
    Form,
    fill_strip,
    inner,
    integers,
    strip,
    words,
)
from nbgraph.kernels.loops.loop import STRIP
from nbgraph.kernels.scalar.kinds import ITEMSIZE, STORED, narrowed, widened

_SIGNIFICAND = {"float16": 11, "bfloat16": 8}  # bits
_ONE = {"float16": 0x3C00, "bfloat16": 0x3F80}  # bits of 1.0
_REALS = {"float32": ctypes.c_float, "float64": ctypes.c_double}  # these overflow to infinity
_INTEGERS = "least training low span".split()  # parameters; others have the kernel's precision
_VECTOR = 16  # bytes


@dataclass(frozen=True, eq=False)
class Drawn:
    """The use that a kernel makes of each number. Part of cache keys, compared by identity.

    `parameters`: names and the expressions that read them; `element(suffix)`: lines that compute
    the stored values from integer n and the loaded ones, all names with this suffix. If `when` is
    false, any integers will do.
    """

    name: str
    record: Record
    compute: Compute
    parameters: Mapping[str, str]
    element: Callable[[str], Sequence[str]]
    stores: Mapping[str, str]
    loads: Mapping[str, str] = field(default_factory=dict[str, str])
    when: str = ""
    form: Form = "number"
    cost: float = 0  # nanoseconds per element, without its integer

    @property
    def arrays(self) -> dict[str, str]:
        """Dtypes by array name, in the order of their addresses."""
        return {**self.loads, **self.stores}

    @property
    def tile(self) -> int:
        """The numbers of a host tile."""
        return STRIP // 4 * self.block

    @property
    def block(self) -> int:
        """The elements that a block of words provides."""
        if self.form == "own":
            return 1
        return BLOCK[self.compute] // (2 if self.form == "pair" else 1)

    @property
    def trains(self) -> bool:
        """Whether the last word of the record is the training flag (1 or 0)."""
        return bool(self.when)

    def words(self, *values: float) -> tuple[int, ...]:
        """Return parameters as words of a record, in its order."""
        first = 2 + len(self.arrays)
        names = self.record.names[first : first + len(values)]
        return tuple(map(self._word, names, values))

    def _word(self, name: str, value: float) -> int:
        if name in _INTEGERS:
            return (int(value) + (1 << 63)) % (1 << 64) - (1 << 63)  # as a signed 64-bit word
        return int.from_bytes(
            bytes(_REALS[self.compute](value)).ljust(8, b"\0"), "little", signed=True
        )


def record(addresses: Sequence[str], parameters: Sequence[str], *mode: str) -> Record:
    """Return the record of these kernels: elements and blocks, addresses, parameters, the draw."""
    return Record(("count", "blocks"), addresses, (*parameters, *DRAW, *mode))


def compute_of(dtype: str) -> Compute:
    """Return the precision of the numbers drawn for results of a floating dtype."""
    return "float64" if dtype == "float64" else "float32"


def limit(p: float, compute: Compute) -> int:
    """Return the first n whose number is at least `p`, compared as NumPy compares this dtype.

    >>> limit(0.5, "float32") == 1 << 23, limit(0.0, "float64"), limit(1e-9, "float32")
    (True, 0, 1)
    """
    return math.ceil(float(np.dtype(compute).type(p)) * 2.0 ** BITS[compute])


# what is drawn ----------------------------------------------------------------------------------


@cache
def uniform(dtype: str) -> Drawn:
    """Return the draw out = scale * number + loc; 16-bit ones are cut, as rounding could give 1."""
    compute = compute_of(dtype)
    layout = record(["out"], ["scale", "loc"])
    spare = BITS[compute] - _SIGNIFICAND.get(dtype, BITS[compute])

    def element(s: str) -> list[str]:
        number = f"{compute}(n{s} >> {spare})" if spare else f"{compute}(n{s})"
        return [
            f"out{s} = {narrowed(f'scale * ({number} * {_unit(compute, spare)}) + loc', dtype)}"
        ]

    read = {n: f"{compute}_word(args, {layout.place(n)})" for n in ("scale", "loc")}
    return Drawn("uniform", layout, compute, read, element, {"out": dtype})


@cache
def bernoulli(dtype: str) -> Drawn:
    """Return the draw out = number < p, with numbers in float64; `least` is the limit of p."""
    layout, stored = record(["out"], ["least"]), STORED.get(dtype, dtype)
    one, zero = f"{stored}({_ONE.get(dtype, 1)})", f"{stored}(0)"

    def element(s: str) -> list[str]:
        return [f"out{s} = select(n{s} < least, {one}, {zero})"]

    read = {"least": f"word(args, {layout.place('least')})"}
    return Drawn("bernoulli", layout, "float64", read, element, {"out": dtype})


def dropout(dtype: str, *, factor: bool = True) -> Drawn:
    """Return dropout: in training factor = keep where number >= p, else 0; otherwise 1."""
    compute = compute_of(dtype)

    def chosen(s: str) -> str:
        return f"select(n{s} < least, {compute}(0), keep)"

    read = {
        "least": "{least} * {training}",
        "keep": f"select({{training}} != 0, {{keep}}, {compute}(1))",
    }
    return _multiplied("dropout", dtype, ["least", "keep"], read, chosen, factor=factor)


def rrelu(dtype: str, *, factor: bool = True) -> Drawn:
    """Return the draw factor = 1 where x > 0; else in training loc + scale * number, or middle."""
    compute = compute_of(dtype)

    def chosen(s: str) -> str:
        slope = f"loc + scale * ({compute}(n{s}) * {_unit(compute)})"
        slope = widened(narrowed(slope, dtype), dtype)  # rounded to the stored dtype
        return f"select({widened(f'x{s}', dtype)} > {compute}(0), {compute}(1), {slope})"

    read = {
        "scale": f"select({{training}} != 0, {{scale}}, {compute}(0))",
        "loc": "select({training} != 0, {loc}, {middle})",
    }
    return _multiplied("rrelu", dtype, ["scale", "loc", "middle"], read, chosen, factor=factor)


def _multiplied(
    name: str,
    dtype: str,
    parameters: Sequence[str],
    read: Mapping[str, str],
    chosen: Callable[[str], str],
    *,
    factor: bool,
) -> Drawn:
    """Return the draw out = x * factor; the factor is stored only if needed."""
    compute, stored = compute_of(dtype), ("out", "factor") if factor else ("out",)
    layout = record(["x", *stored], parameters, "training")

    def element(s: str) -> list[str]:
        product = f"{widened(f'x{s}', dtype)} * k{s}"
        lines = [f"k{s} = {chosen(s)}", f"out{s} = {narrowed(product, dtype)}"]
        return [*lines, f"factor{s} = {narrowed(f'k{s}', dtype)}"] if factor else lines

    words = {
        name: f"{'' if name in _INTEGERS else f'{compute}_'}word(args, {layout.place(name)})"
        for name in (*parameters, "training")
    }
    reads = {"training": words["training"]}
    reads |= {name: text.format(**words) for name, text in read.items()}
    arrays = dict.fromkeys(stored, dtype), {"x": dtype}
    return Drawn(name, layout, compute, reads, element, *arrays, when="training != 0")


def _unit(compute: Compute, spare: int = 0) -> str:
    """Return the unit of an integer without its `spare` last bits."""
    return f"{compute}({2.0 ** (spare - BITS[compute])!r})"


# kernels ----------------------------------------------------------------------------------------


def host_text(d: Drawn) -> str:
    """Return the kernel for tiles of the host."""
    if d.form == "own":
        counted = f"for block in range(lo * {d.tile}, min(hi * {d.tile}, count)):"
        return _own(d, "lo, hi", [counted, *inner(_stored(d))])
    numbers, integer = strip(d.compute, d.form)
    rest = ["numbers", "m", *(name for name in d.parameters if name != "training")]
    places = [f"{t}_pointer({a} + at * {ITEMSIZE[t]})" for a, t in d.arrays.items()]
    call = f"strip_made(words, tile * {STRIP // 4}, blocks_of, {', '.join(DRAW)})"
    making = [f"blocks_of = (m + {d.block - 1}) // {d.block}", f"done = {call}"]
    return (
        fill_strip()
        + part(
            f"tile_made({', '.join([*d.arrays, *rest])})",
            "for i in range(m):",
            *(f"    {a}_ = load_input({a}, i)" for a in d.loads),
            *inner(integer),
            *inner(d.element("_")),
            *(f"    store_output({a}, i, {a}_)" for a in d.stores),
            "return 0",
        )
        + function(
            f"def {d.name}(args, lo, hi):",
            *d.record.reading("count", *DRAW, *d.arrays),
            *(f"{name} = {text}" for name, text in d.parameters.items()),
            "words = strip_uint64()",
            f"numbers = {numbers}",
            "done = 0",
            "for tile in range(lo, hi):",
            f"    at = tile * {d.tile}",
            f"    m = min({d.tile}, count - at)",
            *inner([f"if {d.when}:", *inner(making)] if d.when else making),
            f"    done = tile_made({', '.join([*places, *rest])})",
            "return 0",
        )
    )


def _own(d: Drawn, bounds: str, loop: Sequence[str]) -> str:
    """Return the kernel of elements that have their own words."""
    return function(
        f"def {d.name}(args, {bounds}):",
        *d.record.reading("count", *DRAW, *d.arrays),
        *(f"{a}_p = {dtype}_pointer({a})" for a, dtype in d.arrays.items()),
        *(f"{name} = {text}" for name, text in d.parameters.items()),
        *loop,
        "return 0",
    )


def _stored(d: Drawn) -> list[str]:
    return [*d.element("_"), *(f"store({a}_p, block, {a}_)" for a in d.stores)]


def fill(
    d: Drawn, out: np.ndarray[Any, Any], parameters: Sequence[float], draw: Sequence[int]
) -> None:
    """Fill a row-major array of the host on the calling thread."""
    blocks = -(-out.size // d.block)
    words = (out.size, blocks, out.ctypes.data, *d.words(*parameters), *draw)
    code = written(d.name, host_text(d), d.compute)
    code.run(np.array(words, np.int64), 0, -(-out.size // d.tile))


def device_text(d: Drawn, *, vectors: bool) -> str:
    """Return the kernel for threads of a grid; with `vectors` all addresses are multiples of 16."""
    if d.form == "own":
        counted = ["block = start", "while block < count:"]
        return _own(d, "start, step", [*counted, *inner([*_stored(d), "block += step"])])
    block = d.block
    zeros = "a, b, c, d = uint64(0), uint64(0), uint64(0), uint64(0)"
    making = [zeros, f"if {d.when}:", *inner(words())] if d.when else words()
    return function(
        f"def {d.name}(args, start, step):",
        *d.record.reading("count", "blocks", *DRAW, *d.arrays),
        *(f"{a}_p = {dtype}_pointer({a})" for a, dtype in d.arrays.items()),
        *(f"{name} = {text}" for name, text in d.parameters.items()),
        "block = start",
        "while block < blocks:",
        *inner([*making, *integers(d.compute, d.form), *_draw_lines(d, here=not d.loads)]),
        f"    at = block * {block}",
        f"    if at + {block} <= count:",
        *inner(_whole(d, vectors=vectors), 2),
        "    else:",
        *inner(_rest(d), 2),
        "    block += step",
        "return 0",
    )


def _draw_lines(d: Drawn, *, here: bool) -> list[str]:
    """Return the elements of a block, all at once if they load nothing."""
    return [line for j in range(d.block) for line in d.element(str(j)) if here]


def _whole(d: Drawn, *, vectors: bool) -> list[str]:
    """Return lines for a complete block."""
    lines: list[str] = []
    for name, dtype in d.loads.items():
        for names, place, lanes in _places(d, name, dtype, vectors=vectors):
            lines.append(f"{names} = load{lanes}({name}_p, {place})")
    lines += _draw_lines(d, here=bool(d.loads))
    for name, dtype in d.stores.items():
        for names, place, lanes in _places(d, name, dtype, vectors=vectors):
            lines.append(f"store{lanes}({name}_p, {place}, {names})")
    return lines


def _places(d: Drawn, name: str, dtype: str, *, vectors: bool) -> list[tuple[str, str, str]]:
    """Return names, index and store suffix of a block's vectors, or of its single elements."""
    block = d.block
    lanes = min(block, _VECTOR // ITEMSIZE[dtype]) if vectors else 1
    first = "at" if lanes == 1 else f"block * {block // lanes}"
    return [
        (
            ", ".join(f"{name}{j * lanes + k}" for k in range(lanes)),
            f"{first} + {j}",
            str(lanes) if lanes > 1 else "",
        )
        for j in range(block // lanes)
    ]


def _rest(d: Drawn) -> list[str]:
    """Return lines for the elements of an incomplete last block."""
    lines: list[str] = []
    for j in range(d.block):
        lines.append(f"if at + {j} < count:")
        lines += [f"    {name}{j} = load({name}_p, at + {j})" for name in d.loads]
        lines += inner(d.element(str(j))) if d.loads else []
        lines += [f"    store({name}_p, at + {j}, {name}{j})" for name in d.stores]
    return lines
