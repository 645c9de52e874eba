"""The text of a kernel for cofactors of small matrices of any rank.

Elimination with pivots among all remaining elements gives P A Q = L D U, with unit triangles whose
elements are at most 1, which are well inverted whatever the rank. So the adjugate of A is
Q inverse(U) adj(D) inverse(L) P, times the signs of the permutations; adj(D) has products of all
elements but one. Cofactors are its transpose.
"""

from nbgraph.kernels.compiler.written import part
from nbgraph.kernels.products.exponential import batch_text

MATRICES = 4  # of working memory: factors, the right side, two for diagonal and permutation

_SWAPPED = """\
for k in range(n):
    value = load(a, first + k * step)
    store(a, first + k * step, load(a, second + k * step))
    store(a, second + k * step, value)
return 0"""
_BODY = """\
total = zero
sign = one
for i in range(n * n):
    value = load(x, i)
    total = total + abs(value)
    store(a, i, value)
    store(w, i, zero)
for i in range(n):
    store(w, i * n + i, one)
    store(d, n + i, {dtype}(i))
for k in range(n):
    row = k
    column = k
    largest = abs(load(a, k * n + k))
    for i in range(k, n):
        for j in range(k, n):
            more = abs(load(a, i * n + j)) > largest
            largest = select(more, abs(load(a, i * n + j)), largest)
            row = select(more, i, row)
            column = select(more, j, column)
    if row != k:
        done = swapped(a, k * n, row * n, 1, n)
        done = swapped(w, k * n, row * n, 1, n)
        sign = -sign
    if column != k:
        done = swapped(a, k, column, n, n)
        place = load(d, n + k)
        store(d, n + k, load(d, n + column))
        store(d, n + column, place)
        sign = -sign
    pivot = load(a, k * n + k)
    store(d, k, pivot)
    if pivot != zero:
        for j in range(k + 1, n):
            store(a, k * n + j, load(a, k * n + j) / pivot)
        for i in range(k + 1, n):
            factor = load(a, i * n + k)
            for j in range(k + 1, n):
                store(a, i * n + j, load(a, i * n + j) - factor * load(a, k * n + j))
            factor = factor / pivot
            for j in range(n):
                store(w, i * n + j, load(w, i * n + j) - factor * load(w, k * n + j))
for i in range(n):
    rest = sign
    for k in range(n):
        rest = rest * select(k == i, one, load(d, k))
    for j in range(n):
        store(w, i * n + j, load(w, i * n + j) * rest)
for k in range(n):
    i = n - 1 - k
    for m in range(i + 1, n):
        factor = load(a, i * n + m)
        for j in range(n):
            store(w, i * n + j, load(w, i * n + j) - factor * load(w, m * n + j))
    column = int64(load(d, n + i))
    for j in range(n):
        store(y, j * n + column, load(w, i * n + j) + zero * total)"""


def cofactors_text(dtype: str) -> str:
    """Return the text of a kernel over matrices of `n` rows; see `batch_text`."""
    swapped = part("swapped(a, first, second, step, n)", _SWAPPED)
    names = ("a", "w", "d")
    return swapped + batch_text("linalg_cofactors", dtype, names, [_BODY.format(dtype=dtype)])
