"""The text of a kernel for exponentials of small matrices, by scaling and squaring.

A Pade approximant of degree 13, whose scaling follows from norms of powers (Al-Mohy and Higham,
2009), the equations for it by elimination with pivots, then squares.
"""

from collections.abc import Sequence

from nbgraph.kernels.compiler.written import Record, function, inner, part

MATRICES = 5  # of working memory

_PRODUCT = """\
for i in range(n):
    for j in range(n):
        store(c, i * n + j, zero)
    for k in range(n):
        value = load(a, i * n + k)
        for j in range(n):
            store(c, i * n + j, load(c, i * n + j) + value * load(b, k * n + j))
return 0"""
_NORM = """\
largest = zero
for j in range(n):
    total = zero
    for i in range(n):
        total = total + abs(load(a, i * n + j))
    largest = select(largest >= total, largest, total)
return largest"""
_SOLVE = """\
for k in range(n):
    pivot = k
    for i in range(k + 1, n):
        pivot = select(abs(load(a, i * n + k)) > abs(load(a, pivot * n + k)), i, pivot)
    for j in range(n):
        value = load(a, k * n + j)
        store(a, k * n + j, load(a, pivot * n + j))
        store(a, pivot * n + j, value)
        value = load(b, k * n + j)
        store(b, k * n + j, load(b, pivot * n + j))
        store(b, pivot * n + j, value)
    inverse = one / load(a, k * n + k)
    for j in range(n):
        store(b, k * n + j, load(b, k * n + j) * inverse)
    for j in range(k + 1, n):
        store(a, k * n + j, load(a, k * n + j) * inverse)
    for i in range(n):
        factor = load(a, i * n + k)
        if i != k:
            for j in range(k + 1, n):
                store(a, i * n + j, load(a, i * n + j) - factor * load(a, k * n + j))
            for j in range(n):
                store(b, i * n + j, load(b, i * n + j) - factor * load(b, k * n + j))
return 0"""
_SCALING = """\
third = expm_norm(p4, n)
fourth = expm_norm(p6, n)
size = expm_norm(p2, n)
near = {kind}({near})
bound = near
halvings = 0
if (third + fourth) - (third + fourth) == zero:
    bound = near * near * near * near
    above = bound * near * near
    while third > bound or fourth > above:
        bound = bound * {kind}(16.0)
        above = above * {kind}(64.0)
        halvings = halvings + 1
else:
    size = expm_norm(x, n)
    if size - size == zero:
        while size > bound:
            bound = bound * {kind}(2.0)
            halvings = halvings + 1
factor = one
for k in range(halvings):
    factor = factor * {kind}(0.5)
square = factor * factor
for k in range(n * n):
    store(p2, k, load(p2, k) * square)
    store(p4, k, load(p4, k) * (square * square))
    store(p6, k, load(p6, k) * (square * square * square))"""


def expm_text(dtype: str, pade: Sequence[float], near: float) -> str:
    """Return the text of a kernel over matrices of `n` rows; see `batch_text`. `pade`: coefficients
    by powers; `near`: the norm up to which the approximant is exact."""
    constants = f"zero = {dtype}(0.0)\none = {dtype}(1.0)"

    def helper(head: str, text: str) -> str:
        return part(head, *constants.split("\n"), text)

    def combined(target: str, *terms: tuple[str, int]) -> str:
        total = " + ".join(f"{dtype}({pade[k]!r}) * load({p}, k)" for p, k in terms)
        return f"for k in range(n * n):\n    store({target}, k, {total})"

    def added(target: str, first: int) -> str:
        """Add three powers and the unit matrix."""
        terms = (("p6", first), ("p4", first - 2), ("p2", first - 4))
        own = combined(target, *terms).replace(", k, ", f", k, load({target}, k) + ", 1)
        unit = (
            f"store({target}, k * n + k, load({target}, k * n + k) + {dtype}({pade[first - 6]!r}))"
        )
        return f"{own}\nfor k in range(n):\n    {unit}"

    names = ("p2", "p4", "p6", "odd", "even")
    body = [
        "done = expm_product(p2, x, x, n)",
        "done = expm_product(p4, p2, p2, n)",
        "done = expm_product(p6, p4, p2, n)",
        _SCALING.format(kind=dtype, near=near),
        combined("even", ("p6", 13), ("p4", 11), ("p2", 9)),
        "done = expm_product(odd, p6, even, n)",
        added("odd", 7),
        "done = expm_product(even, x, odd, n)",
        "for k in range(n * n):\n    store(odd, k, load(even, k) * factor)",
        combined("y", ("p6", 12), ("p4", 10), ("p2", 8)),
        "done = expm_product(even, p6, y, n)",
        added("even", 6),
        "for k in range(n * n):",
        "    store(p2, k, load(even, k) - load(odd, k))",
        "    store(y, k, load(even, k) + load(odd, k))",
        "done = expm_solve(p2, y, n)",
        "for turn in range(halvings):",
        "    done = expm_product(p2, y, y, n)",
        "    for k in range(n * n):",
        "        store(y, k, load(p2, k))",
    ]
    return (
        helper("expm_product(c, a, b, n)", _PRODUCT)
        + helper("expm_norm(a, n)", _NORM)
        + helper("expm_solve(a, b, n)", _SOLVE)
        + batch_text("linalg_expm", dtype, names, body)
    )


def batch_text(name: str, dtype: str, names: Sequence[str], body: Sequence[str]) -> str:
    """Return the text of a kernel that runs `body` for each matrix `x` of `n` rows and its result
    `y`, with working memory of `names` as large, which each tile of several has of its own."""
    own = ("n", "count"), ("operand", "out", "room"), ("share", "nbytes")
    size = "n * n * 8" if dtype == "float64" else "n * n * 4"
    return function(
        f"def {name}(args, lo, hi):",
        *Record(*own).reading(),
        f"zero = {dtype}(0.0)\none = {dtype}(1.0)",
        "for tile in range(lo, hi):",
        *inner(["memory = room + tile * nbytes"]),
        *inner(
            [f"{each} = {dtype}_pointer(memory + {k} * {size})" for k, each in enumerate(names)]
        ),
        "    for matrix in range(tile * share, min((tile + 1) * share, count)):",
        f"        x = {dtype}_pointer(operand + matrix * {size})",
        f"        y = {dtype}_pointer(out + matrix * {size})",
        *inner(body, 2),
        "return 0",
    )
