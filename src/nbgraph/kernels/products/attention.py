"""Texts of attention kernels: blocks of scores live on the stack, never in memory.

Forward (Dao et al., FlashAttention, 2022; Rabe and Staats, Self-attention does not need O(n^2)
memory, 2021): for some rows of queries, each block of keys in turn is multiplied, passed through
exp with the largest score so far, and multiplied with the values; if a later block has a larger
score, the sums so far are scaled down. Two numbers per row are stored: its largest score, and one
over the sum of exp(score - largest). Backward recomputes each block of scores.

A masked score is FAR, as in the composition, so a row with all scores masked gets the mean of all
values. Blocks that are masked for all rows are skipped, unless there is such a row.

[lo, hi) counts tiles, which depend on shapes alone. The last axis of each array is contiguous; rows
are `ld` elements apart, and leading axes have any strides: see `address_part`.

Backward, with P the probabilities of a block, from the rows' numbers, D = out_grad @ value' - delta
and Z = scale * P * D, adds Z @ key, Z' @ query and P' @ out_grad to the gradients by query, key and
value (Dao et al., FlashAttention, 2022). Columns are the outer loop, so an element's additions have
the same order whichever gradients a call computes.
"""

from typing import Literal

from nbgraph.kernels.compiler.written import Record, function, part, run
from nbgraph.kernels.scalar.kinds import ITEMSIZE
from nbgraph.kernels.windows.convolution import BLAS, multiplying

Mask = Literal["", "seen", "added"]  # none, truth values, numbers
OPERANDS = ("query", "key", "value")
SIZES = ("size", "width", "offset", "scale", "own", "beside", "parts")
FAR = -1e30
HIDDEN = {"seen": "load_element(beside_p, i) == 0", "added": f"load_element(beside_p, i) <= {FAR}"}
_LOWEST = {"float32": -3.4028234663852886e38, "float64": -1.7976931348623157e308}
NO, YES = ord("N"), ord("T")


def record(arrays: tuple[str, ...]) -> Record:
    """Return the record. `offset`: how many columns beyond its own number a row sees. `own`,
    `beside`: rows and columns of a block. After these, for each leading axis, innermost first: its
    extent, and byte strides in each array."""
    steps = [f"{name}_ld" for name in arrays]
    return Record(("rows", "columns"), arrays, (*BLAS, *SIZES, *steps, "rank"))


def forward_arrays(mask: Mask) -> tuple[str, ...]:
    """Return the names of the arrays in the order of the record."""
    return (*OPERANDS, *(["mask"] if mask else []), "out", "numbers")


def forward_text(dtype: str, mask: Mask) -> str:
    """Return the text of out = softmax(scores) @ value. A tile: some rows of one head."""
    arrays = forward_arrays(mask)
    layout, item = record(arrays), ITEMSIZE[dtype]
    return (
        multiplying(layout)
        + address_part(layout, arrays)
        + _score_part(dtype, mask)
        + _weight_part(dtype)
        + PIECES
        + function(
            "def attention(args, lo, hi):",
            *prologue(layout, arrays, dtype),
            "record = strip_int64()",
            f"p = room_{dtype}()",
            "for tile in range(lo, hi):",
            "    head = tile // parts",
            "    first = (tile - head * parts) * own",
            "    n = min(own, rows - first)",
            *bases(arrays),
            f"    pairs = {dtype}_pointer(numbers_at + first * {2 * item})",
            f"    source = query_at + first * query_ld * {item}",
            f"    target = out_at + first * out_ld * {item}",
            "    limit = first + n + offset",
            "    blind = 1",
            "    j = 0",
            "    while j < columns and (j < limit or blind != 0):",
            "        m = min(beside, columns - j)",
            f"        done = multiply(args, record, m, n, size, key_at + j * key_ld * {item}, "
            f"{YES}, key_ld, source, {NO}, query_ld, address(p), m, 0)",
            "        blind = 0",
            *_weight_rows(dtype, mask),
            f"        done = multiply(args, record, width, n, m, value_at + j * value_ld * {item}, "
            f"{NO}, value_ld, address(p), {NO}, m, target, out_ld, min(j, 1))",
            "        j += m",
            "    for r in range(n):",
            f"        inverse = {dtype}(1) / load(pairs, 2 * r + 1)",
            "        store(pairs, 2 * r + 1, inverse)",
            f"        done = scaled({dtype}_pointer(target + r * out_ld * {item}), width, inverse)",
            "return 0",
        )
    )


def _weight_rows(dtype: str, mask: Mask) -> list[str]:
    """Return the lines that turn a block of scores into weights, row by row, by the largest score
    so far, and rescale the row's total and result."""
    item = ITEMSIZE[dtype]
    mask_row = (
        f", mask_at + ((first + r) * mask_ld + j) * {mask_bytes(mask, dtype)}" if mask else ""
    )
    return [
        "        for r in range(n):",
        f"            line = shifted(p, r * m * {item})",
        "            c = max(0, min(m, first + r + 1 + offset - j))",
        f"            top = scored(line, c, scale{mask_row})",
        "            if c < m:",
        f"                top = acc_max(top, {dtype}({FAR}))",
        f"            old = {dtype}({_LOWEST[dtype]})",
        "            if j > 0:",
        "                old = load(pairs, 2 * r)",
        "            top = acc_max(top, old)",
        f"            far = m_exp({dtype}({FAR}) - top)",
        f"            total = weighed(line, c, top) + far * {dtype}(m - c)",
        "            if c < m:",
        f"                done = filled(shifted(line, c * {item}), m - c, far)",
        "            if j > 0:",
        "                factor = m_exp(old - top)",
        "                total = total + factor * load(pairs, 2 * r + 1)",
        f"                if factor != {dtype}(1):",
        f"                    row = {dtype}_pointer(target + r * out_ld * {item})",
        "                    done = scaled(row, width, factor)",
        "            store(pairs, 2 * r, top)",
        "            store(pairs, 2 * r + 1, total)",
        f"            if top <= {dtype}({FAR}):",
        "                blind = 1",
    ]


# pieces -----------------------------------------------------------------------------------------


def mask_bytes(mask: Mask, dtype: str) -> int:
    """Return the bytes of a mask's element."""
    return 1 if mask == "seen" else ITEMSIZE[dtype]


def prologue(layout: Record, arrays: tuple[str, ...], dtype: str) -> list[str]:
    """Return the lines that read the record."""
    words = [n for n in layout.names if n not in (*BLAS, "scale", "rank", *arrays)]
    return [*layout.reading(*words), f"scale = {dtype}_word(args, {layout.place('scale')})"]


def bases(arrays: tuple[str, ...]) -> list[str]:
    """Return the lines that find a head's part of each array."""
    return [f"    {name}_at = placed(args, head, {k})" for k, name in enumerate(arrays)]


def address_part(layout: Record, arrays: tuple[str, ...]) -> str:
    """Return the text of a part that computes the address of a head's part of an array."""
    rank, count = layout.place("rank"), len(arrays) + 1
    return part(
        "placed(args, head, which)",
        f"at = word(args, {layout.place(arrays[0])} + which)",
        f"place = {rank + 1}",
        f"for d in range(word(args, {rank})):",
        "    extent = word(args, place)",
        "    above = head // extent",
        "    at += (head - above * extent) * word(args, place + 1 + which)",
        "    head = above",
        f"    place += {count}",
        "return at",
    )


def score_lines(dtype: str, mask: Mask) -> list[str]:
    """Return the lines that turn the product `t` into a score."""
    score = "t + load_element(beside_p, i)" if mask == "added" else "t"
    return [f"    t = select({HIDDEN[mask]}, {dtype}({FAR}), {score})"] if mask else []


def masked_part(name: str, operands: str, mask: Mask, dtype: str, *lines: str) -> str:
    """Return the text of a part that also reads a row of the mask, if any."""
    kind = "uint8" if mask == "seen" else dtype
    first = [f"beside_p = {kind}_pointer(masks)"] if mask else []
    return part(f"{name}({operands}{', masks' if mask else ''})", *first, *lines)


def _score_part(dtype: str, mask: Mask) -> str:
    """Return the text of a part that makes scores of products in place; returns the largest."""
    return masked_part(
        "scored", "p, m, scale", mask, dtype,
        f"top = {dtype}({_LOWEST[dtype]})",
        "for i in range(m):",
        "    t = load_element(p, i) * scale",
        *score_lines(dtype, mask),
        "    store_element(p, i, t)",
        "    top = acc_max(top, t)",
        "return top",
    )  # fmt: skip


def _weight_part(dtype: str) -> str:
    """Return the text of a part that makes exp(score - largest) in place; returns the sum."""
    return part(
        "weighed(p, m, top)",
        f"total = {dtype}(0)",
        "for i in range(m):",
        "    t = m_exp(load_element(p, i) - top)",
        "    store_element(p, i, t)",
        "    total = acc_add(total, t)",
        "return total",
    )


PIECES = run("filled(y, m, value)", "store_element(y, i, value)") + run(
    "scaled(y, m, factor)", "store_element(y, i, load_element(y, i) * factor)"
)


Results = tuple[str, ...]  # gradients that a call computes
QUERY: Results = ("to_query",)
SOURCE: Results = ("to_key", "to_value")


def backward_arrays(mask: Mask, results: Results) -> tuple[str, ...]:
    """Return the arrays in the order of the record, with the gradients to compute."""
    return ("out_grad", *OPERANDS, "numbers", "delta", *(["mask"] if mask else []), *results)


def backward_text(dtype: str, mask: Mask, results: Results) -> str:
    """Return the text of the gradients by query, key and value, or some of them. A tile is a block
    of a head's rows for the query's alone, of columns without the query's, else a head."""
    arrays = backward_arrays(mask, results)
    layout, item = record(arrays), ITEMSIZE[dtype]
    key, value, query, out_grad = (
        f"{name}_at + {at} * {name}_ld * {item}, {{}}, {name}_ld"
        for name, at in (("key", "j"), ("value", "j"), ("query", "i"), ("out_grad", "i"))
    )
    return (
        multiplying(layout)
        + address_part(layout, arrays)
        + _gradient_part(dtype, mask)
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
            *_gradient_rows(dtype, mask),
            *_to_source(results, item, query, out_grad),
            *_to_query(results, item, key),
            "            i += n",
            "        j += m",
            "return 0",
        )
    )


def _gradient_rows(dtype: str, mask: Mask) -> list[str]:
    """Return the lines that turn a block of scores and of gradients of weights into weights and
    gradients of scores."""
    item = ITEMSIZE[dtype]
    mask_row = f", mask_at + ((i + r) * mask_ld + j) * {mask_bytes(mask, dtype)}" if mask else ""
    return [
        "                for r in range(n):",
        f"                    line = shifted(p, r * m * {item})",
        f"                    slope = shifted(d, r * m * {item})",
        "                    c = max(0, min(m, i + r + 1 + offset - j))",
        "                    top = load(pairs, 2 * (i + r))",
        "                    inverse = load(pairs, 2 * (i + r) + 1)",
        "                    delta = load(deltas, i + r)",
        f"                    done = sloped(line, slope, c, scale, top, inverse, delta{mask_row})",
        "                    if c < m:",
        f"                        far = m_exp({dtype}({FAR}) - top) * inverse",
        f"                        done = filled(shifted(line, c * {item}), m - c, far)",
        f"                        done = filled(shifted(slope, c * {item}), m - c, {dtype}(0))",
    ]


def _stretch(results: Results) -> list[str]:
    """Return the lines that set the rows [low, high) and the columns [j, end) of a tile."""
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


def _gradient_part(dtype: str, mask: Mask) -> str:
    """Return the text of a part that turns products into probabilities in place, and incoming
    gradients into gradients of products."""
    hidden = [f"    g = select({HIDDEN[mask]}, {dtype}(0), g)"] if mask else []
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
