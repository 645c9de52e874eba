"""Operators of matrices, with a kernel written for small ones."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.layout import layout

_SMALL, _TILES = 32, 16  # rows up to which kernels are faster; tiles with memory of their own


class SmallOp(ArrayOp):
    """An ArrayOp from square matrices to such, with a kernel for up to 32 rows.

    `text`: from a dtype to the kernel's text, see `kernels.products.exponential.batch_text`, and
    the number of matrices in its working memory. Only the first operand is read. `others`: see
    ArrayOp.
    """

    kernels = ("host",)

    def __init__(self, *args: Any, text: Callable[[str], tuple[str, int]], **options: Any) -> None:
        super().__init__(*args, **options)
        self._text = text

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel of contiguous arrays."""
        from nbgraph.kernels.compiler.written import written

        a, name = case.operands[0], self.__name__
        n, dtype = a.shape[-1], a.dtype.name
        if dtype not in ("float32", "float64") or not a.size or n > _SMALL:
            return None
        text, matrices = self._text(dtype)
        code = written(name, text, "float64" if dtype == "float64" else "float32")
        count, nbytes = a.size // n**2, matrices * n * n * a.dtype.itemsize
        share = -(-count // _TILES)
        tiles = -(-count // share)
        call = tile_call(code, (n, count), (share, nbytes), tiles, 10 * a.size * n)
        arrays = len(case.arrays)
        call = replace(call, order=(0, arrays - 1, arrays), writes=2)
        scratch = (layout((tiles, nbytes), np.dtype("int8")),)
        return Lowered((call,), case.contiguous(), scratch, adds=False)
