"""Texts of convolutions in which every channel has a window of its own, over one or two axes.

[lo, hi) counts planes. For each element of the window a plane is gone over once, which the first
cache holds: what lies under that element, times its weight, is added to the places; or for the
gradient by data, places to cells.
"""

from __future__ import annotations

from nbgraph.kernels.windows import ITEM, SPACE
from nbgraph.kernels.written import Record, function, part


def depthwise_text(dtype: str, *, bias: bool, spreads: bool) -> str:
    """The convolution, or (`spreads`) its gradient by data; the latter reads places as `x`."""
    layout = Record(("images", "groups"), ("x", "w", *(["bias"] if bias else []), "out"), SPACE)
    item = ITEM[dtype]
    made, read = ("plane", "spots") if spreads else ("spots", "plane")
    spot, cell = "t * out_w + a", "(t * step_h + y) * in_w + a * step_w + off"
    target, source = (cell, spot) if spreads else (spot, cell)
    rows = "step_h * in_w, out_w" if spreads else "out_w, step_h * in_w"
    steps = "step_w, 1" if spreads else "1, step_w"
    begins = f"load({dtype}_pointer(bias), g)" if bias else f"{dtype}(0)"
    pointers = (
        f"{dtype}_pointer(out + (tile * {made} + {target}) * {item})",
        f"{dtype}_pointer(x + (tile * {read} + {source}) * {item})",
    )
    given = f"{', '.join(pointers)}, factor, u - t, b - a, {rows}"
    return _RUNS + function(
        "def depthwise(args, lo, hi):",
        *layout.reading(*(n for n in layout.names if n != "images")),
        "plane = in_h * in_w",
        "spots = out_h * out_w",
        "done = 0",
        "for tile in range(lo, hi):",
        "    g = tile % groups",
        f"    weights = {dtype}_pointer(w + g * kernel_h * kernel_w * {item})",
        f"    done = begun({dtype}_pointer(out + tile * {made} * {item}), {begins}, {made})",
        "    for kh in range(kernel_h):",
        "        y = kh * gap_h - pad_h",
        "        t = (max(0, 0 - y) + step_h - 1) // step_h",
        "        u = min(out_h, (max(0, in_h - y) + step_h - 1) // step_h)",
        "        for kw in range(kernel_w):",
        "            off = kw * gap_w - pad_w",
        "            a = (max(0, 0 - off) + step_w - 1) // step_w",
        "            b = min(out_w, (max(0, in_w - off) + step_w - 1) // step_w)",
        "            factor = load(weights, kh * kernel_w + kw)",
        "            if u > t and b > a and step_w == 1:",
        f"                done = near({given})",
        "            if u > t and b > a and step_w != 1:",
        f"                done = apart({given}, {steps})",
        "return 0",
    )


_RUNS = (
    part("begun(y, value, m)", "for i in range(m):", "    store(y, i, value)", "return 0")
    + part(
        "near(y, x, factor, n, m, ld, step)",
        "for j in range(n):",
        "    for i in range(m):",
        "        t = load(y, j * ld + i) + factor * load_input(x, j * step + i)",
        "        store_output(y, j * ld + i, t)",
        "return 0",
    )
    + part(
        "apart(y, x, factor, n, m, ld, step, across, along)",
        "for j in range(n):",
        "    for i in range(m):",
        "        k = j * ld + i * across",
        "        store(y, k, load(y, k) + factor * load(x, j * step + i * along))",
        "return 0",
    )
)
