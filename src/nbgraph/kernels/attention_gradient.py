"""The text of the kernel of attention's gradients, which makes each block of scores again.

With P the probabilities of a block, which the numbers of rows give, D = out_grad @ value' - delta
and Z = scale * P * D, a block adds Z @ key, Z' @ query and P' @ out_grad to the gradients by query,
key and value (Dao et al., FlashAttention, 2022). Columns are the outer loop, so that each element
is added up in the same order whichever of the gradients a call gives.
"""

from __future__ import annotations

from nbgraph.kernels.attention import (
    FAR,
    NO,
    OPERANDS,
    PIECES,
    SEEN,
    YES,
    Mask,
    address_part,
    bases,
    mask_bytes,
    masked_part,
    prologue,
    record,
    score_lines,
)
from nbgraph.kernels.windows import ITEM, multiplying
from nbgraph.kernels.written import function, part

Results = tuple[str, ...]  # gradients that a call gives
QUERY: Results = ("to_query",)
SOURCE: Results = ("to_key", "to_value")


def backward_arrays(mask: Mask, results: Results) -> tuple[str, ...]:
    """Return the arrays in the order of the record, with the gradients that are to be made."""
    return ("out_grad", *OPERANDS, "numbers", "delta", *(["mask"] if mask else []), *results)


def backward_text(dtype: str, mask: Mask, results: Results) -> str:
    """Return the text of the gradients by query, key and value, or some of them. A tile: a block of
    rows of one head where the query's is made alone, of columns where it is not made, else all."""
    arrays = backward_arrays(mask, results)
    layout, item = record(arrays), ITEM[dtype]
    mask_row = f", mask_at + ((i + r) * mask_ld + j) * {mask_bytes(mask, dtype)}" if mask else ""
    key, value, query, out_grad = (
        f"{name}_at + {at} * {name}_ld * {item}, {{}}, {name}_ld"
        for name, at in (("key", "j"), ("value", "j"), ("query", "i"), ("out_grad", "i"))
    )
    return (
        multiplying(layout)
        + address_part(layout, arrays)
        + _sloped(dtype, mask)
        + _lowest(dtype)
        + PIECES
        + function(
            "def attention_gradient(args, lo, hi):",
            *prologue(layout, arrays, dtype),
            "record = strip_int64()",
            f"p = room_{dtype}()",
            f"d = shifted(p, own * beside * {item})",
            "for tile in range(lo, hi):",
            "    head = tile // parts",
            "    place = tile - head * parts",
            *_stretch(results),
            *bases(arrays),
            f"    pairs = {dtype}_pointer(numbers_at)",
            f"    deltas = {dtype}_pointer(delta_at)",
            "    while j < end:",
            "        m = min(beside, end - j)",
            "        i = low",
            "        adds = 0",
            "        while i < high:",
            "            n = min(own, high - i)",
            "            needed = 1",
            "            if j >= i + n + offset:",
            f"                if lowest(shifted(pairs, i * {2 * item}), n) > {dtype}({FAR}):",
            "                    needed = 0",
            "            if needed != 0:",
            f"                done = multiply(args, record, m, n, size, {key.format(YES)}, "
            f"{query.format(NO)}, address(p), m, 0)",
            f"                done = multiply(args, record, m, n, width, {value.format(YES)}, "
            f"{out_grad.format(NO)}, address(d), m, 0)",
            "                for r in range(n):",
            f"                    line = shifted(p, r * m * {item})",
            f"                    slope = shifted(d, r * m * {item})",
            "                    c = max(0, min(m, i + r + 1 + offset - j))",
            "                    top = load(pairs, 2 * (i + r))",
            "                    inverse = load(pairs, 2 * (i + r) + 1)",
            "                    done = sloped(line, slope, c, scale, top, inverse, "
            f"load(deltas, i + r){mask_row})",
            "                    if c < m:",
            f"                        far = m_exp({dtype}({FAR}) - top) * inverse",
            f"                        done = filled(shifted(line, c * {item}), m - c, far)",
            f"                        done = filled(shifted(slope, c * {item}), m - c, {dtype}(0))",
            *_to_source(results, item, query, out_grad),
            *_to_query(results, item, key),
            "            i += n",
            "        j += m",
            "return 0",
        )
    )


def _stretch(results: Results) -> list[str]:
    """Return the lines of the rows [low, high) and the columns [j, end) of a tile."""
    rows = ("place * own", "min(rows, low + own)") if results == QUERY else ("0", "rows")
    columns = (
        ("place * beside", "min(columns, j + beside)") if results == SOURCE else ("0", "columns")
    )
    names = ("low", "high", "j", "end")
    return [f"    {name} = {text}" for name, text in zip(names, (*rows, *columns), strict=True)]


def _to_source(results: Results, item: int, query: str, out_grad: str) -> list[str]:
    if results == QUERY:
        return []
    return [
        f"                done = multiply(args, record, {extent}, m, n, {first.format(NO)}, "
        f"address({of}), {YES}, m, {to}_at + j * {to}_ld * {item}, {to}_ld, adds)"
        for extent, first, of, to in (
            ("width", out_grad, "p", "to_value"),
            ("size", query, "d", "to_key"),
        )
    ] + ["                adds = 1"]


def _to_query(results: Results, item: int, key: str) -> list[str]:
    if results == SOURCE:
        return []
    target = f"to_query_at + i * to_query_ld * {item}, to_query_ld, min(j, 1)"
    product = f"size, n, m, {key.format(NO)}, address(d), {NO}, m, {target}"
    return [f"                done = multiply(args, record, {product})"]


def _sloped(dtype: str, mask: Mask) -> str:
    """Return the text of a part: products as probabilities, in place, and what comes from above as
    gradients of products."""
    hidden = [f"    g = select({SEEN}, g, {dtype}(0))"] if mask == "seen" else []
    return masked_part(
        "sloped", "p, d, m, scale, top, inverse, delta", mask, dtype,
        "for i in range(m):",
        "    t = load_element(p, i) * scale",
        *score_lines(dtype, mask),
        "    t = m_exp(t - top) * inverse",
        "    g = t * (load_element(d, i) - delta) * scale",
        *hidden,
        "    store_element(p, i, t)",
        "    store_element(d, i, g)",
        "return 0",
    )  # fmt: skip


def _lowest(dtype: str) -> str:
    return part(
        "lowest(pairs, n)",
        f"low = {dtype}(0)",
        "for r in range(n):",
        "    low = acc_min(low, load(pairs, 2 * r))",
        "return low",
    )
