"""Products of integers, whose sums wrap in their own dtype, as NumPy's do; a unit is a row of the
result. Terms are integers, so the order of additions is free.

If the first operand is contiguous along the row, multiples of its lines are added to the row,
`LINES` at a time, loaded once for `ROWS` rows; if both operands are contiguous along the summed
axis, each element is a sum of products. `arrange` (see `products`) describes the layout.
"""

from __future__ import annotations

import functools
import itertools

from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.compiler.written import Record, function, run, written

LINES, ROWS = 4, 4  # lines of the first operand added together, to so many rows
# words of the record before those of the outer axes, each of which has an extent and three steps
LAYOUT = Record(
    ("rows", "outer"),
    ("first", "second", "out"),
    ("u", "k", "first_u", "first_k", "second_v", "second_k", "out_v", "adds"),
)


@functools.cache
def multiplying(name: str, dtype: str, *, lines: bool) -> Kernel:
    """Return the kernel of an operator; `lines`: whether it adds lines of the first operand."""
    return written(name, _text(name, dtype, lines=lines), "float32")


def _text(name: str, dtype: str, *, lines: bool) -> str:
    parts, each = _by_lines(dtype) if lines else _by_elements(dtype)
    return (
        run("cleared(y, m)", f"store(y, i, {dtype}(0))")
        + parts
        + function(
            f"def {name}(args, lo, hi):",
            *LAYOUT.reading(),
            "unit = lo",
            "while unit < hi:",
            "    rest = unit // rows",
            "    v = unit - rest * rows",
            "    a, b, c = first, second + v * second_v, out + v * out_v",
            f"    place = {len(LAYOUT.names)}",
            "    for d in range(outer):",
            "        above = rest // word(args, place)",
            "        index = rest - above * word(args, place)",
            "        a += index * word(args, place + 1)",
            "        b += index * word(args, place + 2)",
            "        c += index * word(args, place + 3)",
            "        rest = above",
            "        place += 4",
            "    count = 1",
            f"    if (v + {ROWS} <= rows) & (unit + {ROWS} <= hi):",
            f"        count = {ROWS}",
            "    if adds == 0:",
            "        for r in range(count):",
            f"            done = cleared({dtype}_pointer(c + r * out_v), u)",
            *(f"    {line}" for line in each),
            "    unit += count",
            "return 0",
        )
    )


def _by_lines(dtype: str) -> tuple[str, list[str]]:
    def added(count: int, rows: int) -> str:
        lines, targets = ([f"{s}{j}" for j in range(n)] for s, n in (("x", count), ("y", rows)))
        factors = [f"s{y}{x}" for y in targets for x in lines]
        head = f"added{count}x{rows}({', '.join((*targets, *lines, *factors))}, m)"
        body = [f"v{x} = load_element({x}, i)" for x in lines]
        for y in targets:
            total = " + ".join([f"load_element({y}, i)", *(f"v{x} * s{y}{x}" for x in lines)])
            body.append(f"store_element({y}, i, {dtype}({total}))")
        return run(head, *body)

    def call(count: int, rows: int) -> str:
        at = [f"(p + {j})" for j in range(count)]
        targets = [f"{dtype}_pointer(c + {r} * out_v)" for r in range(rows)]
        lines = [f"{dtype}_pointer(a + {p} * first_k)" for p in at]
        factors = [
            f"load({dtype}_pointer(b + {r} * second_v + {p} * second_k), 0)"
            for r in range(rows)
            for p in at
        ]
        return f"done = added{count}x{rows}({', '.join((*targets, *lines, *factors))}, u)"

    texts, each = "", ["p = 0"]
    for count, rows in itertools.product((LINES, 1), (ROWS, 1)):
        texts += added(count, rows)
        test = f"while (count == {rows}) & (p + {count} <= k):"
        each += [test, f"    {call(count, rows)}", f"    p += {count}"]
    return texts, each


def _by_elements(dtype: str) -> tuple[str, list[str]]:
    text = function(
        "def summed(x, w, m):",
        f"acc = {dtype}(0)",
        "for i in range(m):",
        f"    acc = {dtype}(acc + load(x, i) * load(w, i))",
        "return acc",
    )
    each = [
        "for r in range(count):",
        f"    y, w = {dtype}_pointer(c + r * out_v), {dtype}_pointer(b + r * second_v)",
        "    for j in range(u):",
        f"        x = {dtype}_pointer(a + j * first_u)",
        f"        store(y, j, {dtype}(load(y, j) + summed(x, w, k)))",
    ]
    return "@part\n" + text.replace("m):\n", "m):\n    separate()\n", 1), each
