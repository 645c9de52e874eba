"""The text of the kernel that sums, down the rows of a layer norm, what its weights' gradients are.

[lo, hi) counts strips of columns. Some rows are taken at once, so that totals are loaded and stored
once for all of them; BLOCK rows are added up in the dtype of the data, their totals in float64.
"""

from __future__ import annotations

from nbgraph.kernels.kinds import ITEMSIZE
from nbgraph.kernels.written import Record, function, part, run

ROWS = 4  # at once
BLOCK = 128  # rows
LAYOUT = Record(("rows", "columns"), ("g", "x", "mean", "scale", "out"), ("width",))


def weights_text(dtype: str) -> str:
    """out[0, column] is the sum of g * (x - mean) * scale, out[1, column] that of g."""
    item = ITEMSIZE[dtype]
    return (
        _rows("several", ROWS)
        + _rows("one", 1)
        + run(
            "flushed(t, u, along, total, m)",
            "store_element(along, i, load_element(along, i) + float64(load_element(t, i)))",
            "store_element(total, i, load_element(total, i) + float64(load_element(u, i)))",
            f"store_element(t, i, {dtype}(0))",
            f"store_element(u, i, {dtype}(0))",
        )
        + run("cleared(y, m)", "store(y, i, float64(0))")
        + run("stored(y, x, m)", f"store(y, i, {dtype}(load(x, i)))")
        + function(
            "def layer_norm_weights(args, lo, hi):",
            *LAYOUT.reading(),
            f"t = strip_{dtype}()",
            "along = strip_float64()",
            "total = strip_float64()",
            f"u = shifted(t, {512 * item})",
            "for strip in range(lo, hi):",
            "    first = strip * width",
            "    m = min(width, columns - first)",
            "    done = cleared(along, m)",
            "    done = cleared(total, m)",
            "    for i in range(m):",
            f"        store(t, i, {dtype}(0))",
            f"        store(u, i, {dtype}(0))",
            "    r = 0",
            "    while r < rows:",
            f"        stop = min(rows, r + {BLOCK})",
            "        while r < stop:",
            f"            at = (r * columns + first) * {item}",
            f"            n = {ROWS} if stop - r >= {ROWS} else 1",
            f"            if n == {ROWS}:",
            f"                done = several({_operands(dtype)})",
            "            else:",
            f"                done = one({_operands(dtype)})",
            "            r += n",
            "        done = flushed(t, u, along, total, m)",
            f"    done = stored({dtype}_pointer(out + first * {item}), along, m)",
            f"    done = stored({dtype}_pointer(out + (columns + first) * {item}), total, m)",
            "return 0",
        )
    )


def _operands(dtype: str) -> str:
    item = ITEMSIZE[dtype]
    rows = ", ".join(f"{dtype}_pointer({name} + r * {item})" for name in ("mean", "scale"))
    return f"{dtype}_pointer(g + at), {dtype}_pointer(x + at), {rows}, t, u, columns, m"


def _rows(name: str, count: int) -> str:
    """So many rows added to the totals `t` (of products) and `u`."""
    each = range(count)
    return part(
        f"{name}(g, x, mean, scale, t, u, ld, m)",
        *(f"m{k} = load(mean, {k})" for k in each),
        *(f"s{k} = load(scale, {k})" for k in each),
        "for i in range(m):",
        *(f"    g{k} = load_element(g, {k} * ld + i)" for k in each),
        *(f"    z{k} = (load_element(x, {k} * ld + i) - m{k}) * s{k}" for k in each),
        "    a = load_element(t, i)",
        "    b = load_element(u, i)",
        *(f"    a = a + g{k} * z{k}" for k in each),
        *(f"    b = b + g{k}" for k in each),
        "    store_element(t, i, a)",
        "    store_element(u, i, b)",
        "return 0",
    )
