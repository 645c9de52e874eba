"""Texts of kernels that find the index of the first extreme along an axis.

Elements become keys, 64-bit integers in the same order: floats by their bits, so vectors of
integers find the largest key. Both zeros have one key, NaN has the largest, and keys are negated to
find a least element. Keys of columns are kept in the result until the last row is read: combined
with their indices if both fit a word, else indices are searched afterwards.
"""

from collections.abc import Sequence
from typing import Literal

import numpy as np

from nbgraph.kernels.compiler.written import Record, function, part
from nbgraph.kernels.scalar.kinds import ITEMSIZE

Form = Literal["rows", "short_rows", "columns"]
BLOCK = 128  # elements whose largest key is compared before a search for its index
_INFINITE = {"float16": 0x7C00, "bfloat16": 0x7F80, "float32": 0x7F800000, "float64": 0x7FF << 52}
_LEAST = np.iinfo("int64").min


def place_text(name: str, dtype: str, *, least: bool, form: Form) -> str:
    """Return the text of out[o, j] = the first i whose x[o, i, j] is the extreme.

    A tile is one o in the form "rows", where a row is contiguous, `share` of them in "short_rows";
    else `share` columns j of one o. "short_rows" takes elements of at most 32 bits.
    """
    rows, short = form == "rows", form == "short_rows"
    rest = () if rows else ("share",) if short else ("inner", "share", "parts")
    layout = Record(("outer", "size"), ("x", "out"), rest)
    pointer = f"{integer_of(dtype)}_pointer"
    packed = not rows and ITEMSIZE[dtype] <= 4
    text = _parts(dtype, least=least, rows=rows, packed=packed, step="i * step" if short else "i")
    return text + function(
        f"def {name}(args, lo, hi):",
        *layout.reading(),
        "y = int64_pointer(out)",
        "for tile in range(lo, hi):",
        *_lines(_ROW if rows else _SHORT_ROWS if short else _COLUMNS, pointer, ITEMSIZE[dtype]),
        *_lines("" if rows else _UNPACKED if packed else _SOUGHT, pointer, ITEMSIZE[dtype]),
        "return 0",
    )


def _lines(text: str, pointer: str, item: int) -> list[str]:
    text = text.replace("POINTER", pointer).replace("ITEM", str(item)).replace("BLOCK", str(BLOCK))
    return [f"    {line}" for line in text.strip("\n").splitlines()]


_ROW = f"""
row = x + tile * size * ITEM
best = {_LEAST}
block = 0
for turn in range((size + BLOCK - 1) // BLOCK):
    first = turn * BLOCK
    key = peak(POINTER(row + first * ITEM), min(BLOCK, size - first))
    if key > best:
        best = key
        block = first
store(y, tile, first_of(POINTER(row), block, size, 1, best))
"""
_COLUMNS = """
o = tile // parts
j = (tile - o * parts) * share
m = min(share, inner - j)
column = x + (o * size * inner + j) * ITEM
best = int64_pointer(out + (o * inner + j) * 8)
done = begun(best, POINTER(column), m, size - 1)
for i in range(1, size):
    done = raised(best, POINTER(column + i * inner * ITEM), m, size - 1 - i)
"""
_SHORT_ROWS = """
j = tile * share
m = min(share, outer - j)
row = x + j * size * ITEM
best = int64_pointer(out + j * 8)
done = begun(best, POINTER(row), m, size - 1, size)
for i in range(1, size):
    done = raised(best, POINTER(row + i * ITEM), m, size - 1 - i, size)
"""
_UNPACKED = f"""
for k in range(m):
    store(best, k, size - 1 - (load(best, k) & {(1 << 32) - 1}))
"""
_SOUGHT = """
for k in range(m):
    at = first_of(POINTER(column + k * ITEM), 0, size, inner, load(best, k))
    store(best, k, at)
"""


def _parts(dtype: str, *, least: bool, rows: bool, packed: bool, step: str) -> str:
    """Return the functions that the kernel calls; `packed`: a word holds a 32-bit key above the
    number of remaining rows, so the first of equal elements is the largest. `step`: the place of
    element i."""
    key = [*key_lines(dtype, least=least), *([f"KEY = KEY * {1 << 32} + left"] if packed else [])]
    raised = ["old = load(y, i)", "store(y, i, select(key > old, key, old))"]
    words = "y, p, m, left" if step == "i" else "y, p, m, left, step"
    columns = part(f"begun({words})", *_keys(key, "store(y, i, key)", place=step), "return 0")
    columns += part(f"raised({words})", *_keys(key, *raised, place=step), "return 0")
    if packed:
        return columns
    look = [*_keyed(key, "i * step"), "if key == best:", "    return i"]
    return (peak_part(dtype, least=least) if rows else columns) + part(
        "first_of(p, first, size, step, best)",
        "for i in range(first, size):",
        *(f"    {line}" for line in look),
        "return first",
    )


def peak_part(dtype: str, *, least: bool, nan_last: bool = False) -> str:
    """Return the text of `peak(p, m)`: the largest key of m elements from `p` on."""
    best = _keys(
        key_lines(dtype, least=least, nan_last=nan_last), "best = select(key > best, key, best)"
    )
    return part("peak(p, m)", f"best = int64({_LEAST})", *best, "return best")


def _keys(key: Sequence[str], *lines: str, place: str = "i") -> list[str]:
    """Return a loop that runs `lines` for the key of each of m elements."""
    return ["for i in range(m):", *(f"    {line}" for line in (*_keyed(key, place), *lines))]


def _keyed(key: Sequence[str], place: str) -> list[str]:
    return [line.replace("KEY", "key").replace("ELEMENT", f"load(p, {place})") for line in key]


def integer_of(dtype: str) -> str:
    """Return the integer dtype that elements are read as."""
    if dtype in _INFINITE:
        return f"int{8 * ITEMSIZE[dtype]}"
    return {"bool": "uint8", "uint64": "int64"}.get(dtype, dtype)


def key_lines(dtype: str, *, least: bool, nan_last: bool = False) -> list[str]:
    """Return the lines that compute the KEY of an ELEMENT, of 32 bits if it has no more.

    `nan_last`: NaN has the least key.
    """
    lowest = -(1 << (8 * ITEMSIZE[dtype] - 1))
    if (infinite := _INFINITE.get(dtype)) is None:
        shift = {"uint64": f" ^ ({lowest})", "uint32": f" + ({lowest})"}.get(dtype, "")
        element = f"(int64(ELEMENT){shift})"
        return [f"KEY = -1 - {element}" if least else f"KEY = {element}"]
    below, above = (f"bits - ({lowest})", "0 - bits") if least else (f"({lowest}) - bits", "bits")
    nan = lowest if nan_last else -1 - lowest
    return [
        "bits = int64(ELEMENT)",
        f"KEY = select(bits < 0, {below}, {above})",
        f"KEY = select((KEY > {infinite}) | (KEY < -{infinite}), {nan}, KEY)",
    ]
