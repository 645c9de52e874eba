"""The text of a radix sort: a kernel that sorts each line by the digits of integer keys.

Keys are those of `arg_extremes`: integers in the order of the elements, with all NaN equal and both
zeros equal. Each pass, from the lowest digit to the highest, moves elements to positions computed
from the counts of lesser digits and keeps equal ones in order, so that the sort is stable. A digit
that all elements share needs no pass.
"""

from collections.abc import Sequence

from nbgraph.kernels.compiler.written import Record, function, inner
from nbgraph.kernels.lines.arg_extremes import integer_of, key_lines
from nbgraph.kernels.scalar.kinds import ITEMSIZE

_LONG = 1 << 12  # elements of a line from which digits have 11 bits


def digits(dtype: str, size: int, *, places: bool) -> tuple[int, int, int]:
    """Return the bits of a digit, the number of digits, and the bytes of scratch memory of a tile,
    for lines of `size` elements."""
    bits = 8 if size < _LONG else 11
    turns = -(-8 * ITEMSIZE[dtype] // bits)
    words = (turns << bits) - (-size * (2 * ITEMSIZE[dtype] + 8 * places) // 8)
    return bits, turns, 8 * words


def radix_sort_text(
    name: str, dtype: str, arrays: Sequence[str], *, descending: bool, bits: int, turns: int
) -> str:
    """Return the text of a kernel that writes the first `k` of the `size` elements of each line in
    order to `out`, and their indices to `places`, if `arrays` names these. A tile has `share` of
    the `lines` and `nbytes` of `room`, for counts of digits and two copies of indices and elements.
    """
    kind, places, values = integer_of(dtype), "places" in arrays, "out" in arrays
    rest = "inner", "lines", "share", "nbytes"
    return function(
        f"def {name}(args, lo, hi):",
        *Record(("size", "k"), ("x", *arrays, "room"), rest).reading(),
        f"source = {kind}_pointer(x)",
        *([f"y = {kind}_pointer(out)"] if values else []),
        *(["z = int64_pointer(places)"] if places else []),
        "for tile in range(lo, hi):",
        "    counts = int64_pointer(room + tile * nbytes)",
        f"    numbers = room + tile * nbytes + {(turns << bits) * 8}",
        f"    elements = numbers + size * {8 * places}",
        "    for unit in range(tile * share, min(lines, tile * share + share)):",
        "        o = unit // inner",
        "        first, at = o * size * inner + unit - o * inner, o * k * inner + unit - o * inner",
        *inner(_sorted(dtype, places, descending, bits, turns), 2),
        "        for i in range(k):",
        *(["            store(y, at + i * inner, load(p, i))"] if values else []),
        *(["            store(z, at + i * inner, load(q, i))"] if places else []),
        "return 0",
    )


def _sorted(dtype: str, places: bool, descending: bool, bits: int, turns: int) -> list[str]:
    """Return the lines that sort the elements of a line to `p`, and their indices to `q`."""
    item, many, kind = ITEMSIZE[dtype], 1 << bits, integer_of(dtype)
    key = key_lines(dtype, least=descending, nan_last=descending)
    key = [line.replace("KEY", "key").replace("ELEMENT", "element") for line in key]
    if dtype not in ("uint8", "uint16"):  # keys of the others are signed
        key.append(f"key = key {'^' if item == 8 else '-'} ({-(1 << (8 * item - 1))})")
    digits = [f"{t * many} + ((key >> {t * bits}) & {many - 1})" for t in range(turns)]
    counted = [f"c = {own}\nstore(counts, c, load(counts, c) + 1)" for own in digits]
    digit = [*key, f"c = base + ((key >> shift) & {many - 1})"]
    here = f"p, q = {kind}_pointer(e), int32_pointer(m)"
    return [
        f"for j in range({turns * many}):",
        "    store(counts, j, 0)",
        f"e, f, m, n = elements, elements + size * {item}, numbers, numbers + size * 4",
        here,
        "for i in range(size):",
        "    element = load(source, first + i * inner)",
        "    store(p, i, element)",
        *(["    store(q, i, i)"] if places else []),
        *inner([*key, *counted]),
        f"for turn in range({turns}):",
        f"    base, shift = turn * {many}, turn * {bits}",
        f"    {here}",
        f"    r, s = {kind}_pointer(f), int32_pointer(n)",
        "    element = load(p, 0)",
        *inner(digit),
        "    if load(counts, c) < size:",
        "        total = 0",
        f"        for j in range(base, base + {many}):",
        "            own = load(counts, j)",
        "            store(counts, j, total)",
        "            total += own",
        "        for i in range(size):",
        "            element = load(p, i)",
        *inner(digit, 3),
        "            to = load(counts, c)",
        "            store(counts, c, to + 1)",
        "            store(r, to, element)",
        *(["            store(s, to, load(q, i))"] if places else []),
        "        e, f, m, n = f, e, n, m",
        here,
    ]
