"""The text of the kernel that puts arrays one behind the other.

The result is seen as (rows, total), the k-th of `count` arrays as (rows, run k), which begins at
`start k` of a row. The record: count, total, addresses of the arrays and of the result, run and
start of each. A tile: the run of one array in one row.
"""

from __future__ import annotations

from nbgraph.kernels.writer import ITEMSIZE
from nbgraph.kernels.written import function, part


def join_text(dtype: str) -> str:
    """See the module; elements are moved as they are."""
    item = ITEMSIZE[dtype]
    return part(
        "copied_run(y, x, m)",
        "for i in range(m):",
        "    store_output(y, i, load_input(x, i))",
        "return 0",
    ) + function(
        "def join(args, lo, hi):",
        "count = word(args, 0)",
        "total = word(args, 1)",
        "out = word(args, 2 + count)",
        "done = 0",
        "for tile in range(lo, hi):",
        "    row = tile // count",
        "    k = tile - row * count",
        "    run = word(args, 3 + count + 2 * k)",
        "    start = word(args, 4 + count + 2 * k)",
        "    x = word(args, 2 + k) + row * run * " + str(item),
        f"    y = out + (row * total + start) * {item}",
        f"    done = copied_run({dtype}_pointer(y), {dtype}_pointer(x), run)",
        "return 0",
    )
