"""Random numbers of samples: each sample has a number, which is part of a block's counter.

Elsewhere the blocks of Philox are counted through an array, so an element's number depends on its
index. Here the j-th block of sample s has the counter (s + 1, j, draw, 0): it does not depend on
which samples are drawn together, nor on their order.
"""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.kernels.compiler.kernel import Kernel
from nbgraph.kernels.compiler.written import Record, function, inner, written
from nbgraph.kernels.draws.philox import DRAW, integers, words
from nbgraph.kernels.draws.uniform import Drawn, _draw_lines, _rest, _whole
from nbgraph.settings import config


def fill_rows(
    make: Callable[..., Drawn],
    arguments: tuple[Any, ...],
    out: np.ndarray[Any, Any],
    samples: np.ndarray[Any, np.dtype[np.int64]],
    parameters: Sequence[float],
    draw: Sequence[int],
) -> None:
    """Draw row i of a row-major array (n, m) for the sample `samples[i]`.

    `make(*arguments)` is the distribution. `draw` is the key, two words, and the number of the
    draw, as in `Draw.words`.
    """
    d, code = _kernel(make, arguments, str(config.compiler))
    rows, each = out.shape
    record = (each, -(-each // d.block), out.ctypes.data, *d.words(*parameters), *draw)
    code.run(np.array((*record, samples.ctypes.data), np.int64), 0, rows)


@functools.lru_cache(maxsize=64)
def _kernel(
    make: Callable[..., Drawn], arguments: tuple[Any, ...], compiler: str
) -> tuple[Drawn, Kernel]:
    d = make(*arguments)
    name = f"{d.name}_of_samples"
    return d, written(name, _text(name, d), d.compute)


def _text(name: str, d: Drawn) -> str:
    """Return the kernel of `d` for a range of rows; the record ends with the samples' address."""
    names = d.record.names
    layout = Record((names[0], names[1]), names[2:], ("samples",))
    return function(
        f"def {name}(args, lo, hi):",
        *layout.reading("count", "blocks", *DRAW, *d.stores, "samples"),
        "sample = int64_pointer(samples)",
        "each = count",
        *(f"{a}_p = {dtype}_pointer({a})" for a, dtype in d.stores.items()),
        *(f"{name} = {text}" for name, text in d.parameters.items()),
        "for row in range(lo, hi):",
        "    block = load(sample, row)",
        "    count = each * (row + 1)",
        "    for turn in range(blocks):",
        *inner([*words("turn"), *integers(d.compute, d.form), *_draw_lines(d, here=True)], 2),
        f"        at = each * row + turn * {d.block}",
        f"        if at + {d.block} <= count:",
        *inner(_whole(d, vectors=False), 3),
        "        else:",
        *inner(_rest(d), 3),
        "return 0",
    )
