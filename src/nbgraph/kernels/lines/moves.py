"""The kernel that copies parts of arrays to parts of another one, and fills parts with a number.

The record: the number of moves; `ARRAYS` times the number of arrays, plus the number of outer
dimensions of a move; addresses; then the words of each move: the iteration at which it ends, the
word of its source's address (0: the next word is the element itself), byte offsets in source and
target, elements of a line and the steps between them, then extent and byte steps of each outer
dimension. An iteration moves one line.
"""

from nbgraph.kernels.compiler.written import function, part, run

HEAD, OUTER = 7, 3  # words of a move, and of one of its outer dimensions
ARRAYS = 256


def moves_text(dtype: str) -> str:
    """Return the kernel's text for elements copied as words of this dtype."""
    return (
        run("moved_run(y, x, m)", "store_output(y, i, load_input(x, i))")
        + part(
            "filled_run(y, x, m)",
            "value = load_input(x, 0)",
            "for i in range(m):",
            "    store_output(y, i, value)",
            "return 0",
        )
        + run("moved_steps(y, x, m, to, by)", "store_output(y, i * to, load_input(x, i * by))")
        + function(
            "def moves(args, lo, hi):",
            "count = word(args, 0)",
            f"arrays = word(args, 1) // {ARRAYS}",
            f"outer = word(args, 1) - {ARRAYS} * arrays",
            "first = 2 + arrays",
            f"width = {HEAD} + {OUTER} * outer",
            "done = 0",
            "for line in range(lo, hi):",
            "    at = first",
            "    rest = line",
            "    for k in range(count):",
            "        end = word(args, first + k * width)",
            "        if line >= end:",
            "            at = first + (k + 1) * width",
            "            rest = line - end",
            "    source = word(args, at + 1)",
            "    x = args + 8 * (at + 2)",
            "    if source > 0:",
            "        x = word(args, source) + word(args, at + 2)",
            "    y = word(args, first - 1) + word(args, at + 3)",
            "    m = word(args, at + 4)",
            "    by = word(args, at + 5)",
            "    to = word(args, at + 6)",
            "    for d in range(outer):",
            f"        dim = at + {HEAD} + {OUTER} * d",
            "        left = rest // word(args, dim)",
            "        index = rest - left * word(args, dim)",
            "        rest = left",
            "        y = y + index * word(args, dim + 2)",
            "        if source > 0:",
            "            x = x + index * word(args, dim + 1)",
            f"    p = {dtype}_pointer(x)",
            f"    q = {dtype}_pointer(y)",
            "    if to == 1 and by == 1:",
            "        done = moved_run(q, p, m)",
            "    else:",
            "        if to == 1 and by == 0:",
            "            done = filled_run(q, p, m)",
            "        else:",
            "            done = moved_steps(q, p, m, to, by)",
            "return 0",
        )
    )
