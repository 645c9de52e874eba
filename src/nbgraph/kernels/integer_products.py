"""Products of integers, whose sums wrap in their own dtype, as NumPy's do: a row of the result is
a unit. Terms are whole numbers, so the order in which they are added up is free.

Where the elements of the first operand lie side by side along the row, multiples of its lines are
added to the row, `LINES` at a time; where those that are summed do, in both operands, each element
is a sum of products. `arrange` (see `products`) says what lies how.
"""

from __future__ import annotations

import functools

from nbgraph.kernels.kernel import Kernel
from nbgraph.kernels.written import Record, function, run, written

LINES = 4  # of the first operand that are added to a row together
# words of the record before those of the outer axes, each of which has an extent and three steps
LAYOUT = Record(
    ("rows", "outer"),
    ("first", "second", "out"),
    ("u", "k", "first_u", "first_k", "second_v", "second_k", "out_v", "adds"),
)


@functools.cache
def multiplying(name: str, dtype: str, *, lines: bool) -> Kernel:
    """Return the kernel of an operator; `lines`: whether it adds up lines of the first operand."""
    return written(name, _text(name, dtype, lines=lines), "float32")


def _text(name: str, dtype: str, *, lines: bool) -> str:
    parts, each = _by_lines(dtype) if lines else _by_elements(dtype)
    return (
        run("cleared(y, m)", f"store(y, i, {dtype}(0))")
        + parts
        + function(
            f"def {name}(args, lo, hi):",
            *LAYOUT.reading(),
            "for unit in range(lo, hi):",
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
            f"    y = {dtype}_pointer(c)",
            "    if adds == 0:",
            "        done = cleared(y, u)",
            *(f"    {line}" for line in each),
            "return 0",
        )
    )


def _by_lines(dtype: str) -> tuple[str, list[str]]:
    def added(count: int) -> str:
        lines, factors = ([f"{s}{j}" for j in range(count)] for s in "xs")
        terms = [f"load({x}, i) * {s}" for x, s in zip(lines, factors, strict=True)]
        head = f"added{count}(y, {', '.join((*lines, *factors))}, m)"
        return run(head, f"store(y, i, {dtype}(load(y, i) + {' + '.join(terms)}))")

    def call(count: int) -> str:
        at = [f"(p + {j})" for j in range(count)]
        lines = [f"{dtype}_pointer(a + {p} * first_k)" for p in at]
        factors = [f"load({dtype}_pointer(b + {p} * second_k), 0)" for p in at]
        return f"done = added{count}(y, {', '.join((*lines, *factors))}, u)"

    each = ["p = 0"]
    for count in (LINES, 1):
        each += [f"while p + {count} <= k:", f"    {call(count)}", f"    p += {count}"]
    return added(LINES) + added(1), each


def _by_elements(dtype: str) -> tuple[str, list[str]]:
    text = function(
        "def summed(x, w, m):",
        f"acc = {dtype}(0)",
        "for i in range(m):",
        f"    acc = {dtype}(acc + load(x, i) * load(w, i))",
        "return acc",
    )
    each = [
        f"w = {dtype}_pointer(b)",
        "for j in range(u):",
        f"    x = {dtype}_pointer(a + j * first_u)",
        f"    store(y, j, {dtype}(load(y, j) + summed(x, w, k)))",
    ]
    return "@part\n" + text.replace("m):\n", "m):\n    separate()\n", 1), each
