"""NumPy's pairwise sum, by which reductions add the totals of their blocks.

The text of `pairwise` is shipped with the mathematics (`vector_math.texts`): after a change here
run `scripts/vector_math_texts.py`.
"""

# pyright: basic

import numpy as np

from nbgraph.codegen import lower
from nbgraph.native.memory import load, room, store

_LEAF = 128  # elements that NumPy's pairwise sum adds up in eight accumulators
_DEPTH = 64  # halvings: more than a 64-bit size allows
_sums, _rights = room("float64", _DEPTH), room("int64", _DEPTH)


@lower.jit
def _leaf(p, start, size):
    """The sum of up to 128 elements, as NumPy adds them."""
    first = start + 8
    if size < 8:
        total = -0.0
        first = start
    else:
        a, b, c, d = load(p, start), load(p, start + 1), load(p, start + 2), load(p, start + 3)
        e, f, g = load(p, start + 4), load(p, start + 5), load(p, start + 6)
        h = load(p, start + 7)
        while first + 8 <= start + size:
            a, b = a + load(p, first), b + load(p, first + 1)
            c, d = c + load(p, first + 2), d + load(p, first + 3)
            e, f = e + load(p, first + 4), f + load(p, first + 5)
            g, h = g + load(p, first + 6), h + load(p, first + 7)
            first += 8
        total = ((a + b) + (c + d)) + ((e + f) + (g + h))
    for i in range(first, start + size):
        total += load(p, i)
    return total


@lower.jit
def pairwise(p, n):
    """The sum of n float64 in the order of NumPy's `add.reduce`: halves of halves down to 128.

    `rights` holds the sizes of right halves still to come, or -1 where the left half's sum lies in
    `sums` and the right one is under way.
    """
    sums, rights = _sums(), _rights()
    depth, start, size = 0, 0, n
    while True:
        while size > _LEAF:
            half = size // 2
            half -= half % 8
            store(rights, depth, size - half)
            depth += 1
            size = half
        total = _leaf(p, start, size)
        start += size
        while depth > 0 and load(rights, depth - 1) < 0:
            depth -= 1
            total = load(sums, depth) + total
        if depth == 0:
            return 0.0 + total
        store(sums, depth - 1, total)
        size = load(rights, depth - 1)
        store(rights, depth - 1, np.int64(-1))
