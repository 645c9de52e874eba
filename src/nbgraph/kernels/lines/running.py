"""The text of the kernel of running sums and products along an axis that is not the last."""

from __future__ import annotations

from nbgraph.kernels.compiler.written import Record, function, run
from nbgraph.kernels.scalar.kinds import ITEMSIZE


def scan_text(name: str, dtype: str, result: str, sign: str) -> str:
    """Return the text of out[o, i] = out[o, i - 1] `sign` x[o, i], for rows of `inner` elements.

    A tile: `share` columns of one o.
    """
    layout = Record(("outer", "size"), ("x", "out"), ("inner", "share", "parts"))
    source = f"{dtype}_pointer(x + at * {ITEMSIZE[dtype]})"
    step = ITEMSIZE[result]
    target, before = (f"{result}_pointer(out + (at{less}) * {step})" for less in ("", " - inner"))
    return (
        run("begun(y, x, m)", f"store(y, i, {result}(load(x, i)))")
        + run("scanned(y, b, x, m)", f"store(y, i, load(b, i) {sign} {result}(load(x, i)))")
        + function(
            f"def {name}(args, lo, hi):",
            *layout.reading(),
            "for tile in range(lo, hi):",
            "    o = tile // parts",
            "    j = (tile - o * parts) * share",
            "    m = min(share, inner - j)",
            "    at = o * size * inner + j",
            f"    done = begun({target}, {source}, m)",
            "    for i in range(1, size):",
            "        at += inner",
            f"        done = scanned({target}, {before}, {source}, m)",
            "return 0",
        )
    )
