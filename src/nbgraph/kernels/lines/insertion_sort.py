"""The text of a kernel that sorts the first k elements of each line, by insertion.

An element is inserted after its equals, so the order is stable. NaN comes after all numbers, or
before them if the order descends.

Most blocks of a long line are skipped. Each of the k blocks with the largest peaks has an element
at or before the k-th of these peaks, so elements after it are not among the first k; few blocks
reach it, however the line is ordered. Peaks are keys of `arg_extremes`.
"""

from collections.abc import Sequence

from nbgraph.kernels.compiler.written import Record, function, inner
from nbgraph.kernels.lines.arg_extremes import integer_of, peak_part
from nbgraph.kernels.scalar.kinds import ITEMSIZE, Element

BLOCK = 32  # elements whose largest key is compared


def insertion_sort_text(
    name: str, dtype: str, arrays: Sequence[str], *, descending: bool, blocks: bool = False
) -> str:
    """Return the text of a kernel that writes the first `k` of the `size` elements of each line, in
    order, to `out`, and their indices to `places`, if `arrays` name it. A unit is one line.
    `blocks` is for both arrays, contiguous lines and at least k blocks."""
    element, sort = Element(dtype), _insert_lines(dtype, "places" in arrays, descending=descending)
    line = ["count = 0", "for i in range(size):", *inner(sort)]
    return (
        peak_part(dtype, least=not descending, nan_last=not descending) if blocks else ""
    ) + function(
        f"def {name}(args, lo, hi):",
        *Record(("size", "k"), ("x", *arrays), ("inner",)).reading(),
        f"source, y = {element.pointer('x')}, {element.pointer('out')}",
        *(["z = int64_pointer(places)"] if "places" in arrays else []),
        "for unit in range(lo, hi):",
        "    o = unit // inner",
        "    first, at = o * size * inner + unit - o * inner, o * k * inner + unit - o * inner",
        *inner(_by_blocks(dtype, sort) if blocks else line),
        "return 0",
    )


def _insert_lines(dtype: str, places: bool, *, descending: bool) -> list[str]:
    """Return the lines that insert the element at `i` into the `count` elements before it."""
    element = Element(dtype)
    return [
        f"value = {element.load('source, first + i * inner')}",
        *_shift_lines(
            f"last = {element.load('y, end')}",
            f"last = {element.load('y, end - inner')}",
            _precedes("value", "last", dtype, descending),
            [
                f"{element.store('y, end', 'last')}",
                *(["store(z, end, load(z, end - inner))"] if places else []),
            ],
        ),
        f"    {element.store('y, end', 'value')}",
        *(["    store(z, end, i)"] if places else []),
        "    count = min(count + 1, k)",
    ]


def _shift_lines(last: str, next: str, before: str, move: Sequence[str]) -> list[str]:
    """Return the lines that shift the elements after a value, and leave its index in `end`."""
    return [
        "end = at + min(count, k - 1) * inner",
        last,
        f"if count < k or {before}:",
        "    moving = end > at",
        "    while moving:",
        f"        {next}",
        f"        if {before}:",
        *inner(move, 3),
        "            end -= inner",
        "            moving = end > at",
        "        else:",
        "            moving = False",
    ]


def _by_blocks(dtype: str, sort: Sequence[str]) -> list[str]:
    """Return the lines that sort a line by blocks; `places` holds peaks at first."""
    block = f"{integer_of(dtype)}_pointer(x + (first + start) * {ITEMSIZE[dtype]})"
    peaks = _shift_lines(
        "top = load(z, end)", "top = load(z, end - 1)", "peaked > top", ["store(z, end, top)"]
    )
    return [
        "count = 0",
        f"for turn in range(size // {BLOCK}):",
        f"    start = turn * {BLOCK}",
        f"    peaked = peak({block}, {BLOCK})",
        *inner([*peaks, "    store(z, end, peaked)", "    count = min(count + 1, k)"]),
        "bound = load(z, at + k - 1)",
        "count = 0",
        f"for turn in range((size + {BLOCK - 1}) // {BLOCK}):",
        f"    start = turn * {BLOCK}",
        f"    stop = min(start + {BLOCK}, size)",
        f"    if peak({block}, stop - start) >= bound:",
        "        for i in range(start, stop):",
        *inner(sort, 3),
    ]


def _precedes(a: str, b: str, dtype: str, descending: bool) -> str:
    order = f"{a} {'>' if descending else '<'} {b}"
    if "float" not in dtype:
        return order
    lone, other = (a, b) if descending else (b, a)
    return f"({order} or ({lone} != {lone} and {other} == {other}))"
