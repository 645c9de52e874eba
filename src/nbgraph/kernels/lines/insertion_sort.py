"""The text of a kernel that puts the first k elements of each line in order: insertion sort.

An element goes behind its equals, so the order is stable. NaN is behind all numbers; where the
order descends, before them.
"""

from __future__ import annotations

from collections.abc import Sequence

from nbgraph.kernels.compiler.written import Record, function
from nbgraph.kernels.scalar.kinds import Element


def insertion_sort_text(name: str, dtype: str, arrays: Sequence[str], *, descending: bool) -> str:
    """Return the text of a kernel that writes the first `k` of the `size` elements of each line, in
    order, to `out`, and their places to `places`, if `arrays` name it. A unit is one line."""
    places, element = "places" in arrays, Element(dtype)
    line = [
        "o = unit // inner",
        "first, at = o * size * inner + unit - o * inner, o * k * inner + unit - o * inner",
        "count = 0",
        "for i in range(size):",
        f"    value = {element.load('source, first + i * inner')}",
        "    place = min(count, k - 1)",
        "    end = at + place * inner",
        f"    last = {element.load('y, end')}",
        f"    if count < k or {_before('value', 'last', dtype, descending)}:",
        "        moving = place > 0",
        "        while moving:",
        f"            last = {element.load('y, end - inner')}",
        f"            if {_before('value', 'last', dtype, descending)}:",
        f"                {element.store('y, end', 'last')}",
        *(["                store(z, end, load(z, end - inner))"] if places else []),
        "                end -= inner",
        "                moving = end > at",
        "            else:",
        "                moving = False",
        f"        {element.store('y, end', 'value')}",
        *(["        store(z, end, i)"] if places else []),
        "        count = min(count + 1, k)",
    ]
    return function(
        f"def {name}(args, lo, hi):",
        *Record(("size", "k"), ("x", *arrays), ("inner",)).reading(),
        f"source, y = {element.pointer('x')}, {element.pointer('out')}",
        *(["z = int64_pointer(places)"] if places else []),
        "for unit in range(lo, hi):",
        *(f"    {text}" for text in line),
        "return 0",
    )


def _before(a: str, b: str, dtype: str, descending: bool) -> str:
    order = f"{a} {'>' if descending else '<'} {b}"
    if "float" not in dtype:
        return order
    lone, other = (a, b) if descending else (b, a)
    return f"({order} or ({lone} != {lone} and {other} == {other}))"
