"""Operators that LAPACK computes: by kernels of its routines on hosts, else by functions.

Kernels are for float32 and float64; 16-bit floats are computed in float32. Complex matrices, arrays
without elements and partly broadcast batches are left to NumPy.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import Dtype, compute_dtype
from nbgraph.kernel_errors import matrix_code
from nbgraph.operator.arrays.array_op import ArrayOp, Rule
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.ops.define import by_numpy
from nbgraph.ops.linalg.matrices import shaped, solved

if TYPE_CHECKING:
    from nbgraph.kernels.products.lapack import Step

_NATIVE = np.dtype("float32"), np.dtype("float64")
_ALIGNED = 64  # alignment in bytes of working memory
_TILES = 16  # most tiles of a batch, each with memory of its own
_MOST = 1 << 62
_BANDS = {"": (-_MOST, _MOST), "lower": (0, _MOST), "upper": (-_MOST, 0)}  # row minus column
_LARGE = 1 << 16  # elements of a matrix from which LAPACK's own threads are used
_CALL = 1000  # nanoseconds per routine of a small matrix, besides operations
_PER_NANOSECOND = 2  # operations


class Steps:
    """The steps of a kernel for one matrix.

    Working memory has names, and matrices in it are column-major.

    `arrays`: `count` operands, then outputs. `dtype`: of all of them.
    """

    def __init__(self, arrays: Layouts, count: int, dtype: Dtype) -> None:
        self.arrays, self.count, self.dtype = arrays, count, dtype
        self.memory: dict[str, Layout] = {}
        self.steps: list[Step] = []

    def work(self, name: str, size: int, dtype: str = "") -> int:
        """Reserve memory for so many elements; return their number."""
        self.memory[name] = layout((max(1, size),), np.dtype(dtype) if dtype else self.dtype)
        return size

    def load(self, operand: int, name: str, *, axes: int = 2, triangle: str = "") -> None:
        """Copy an operand's matrix to memory, or one triangle, "lower" or "upper", and zeros."""
        rows, columns, *steps = _matrix(self.arrays[operand], axes)
        if name not in self.memory:
            self.work(name, rows * columns)
        item = self.dtype.itemsize
        inner, outer = (rows, steps[0], item), (columns, steps[1], rows * item)
        self._copy(operand, name, inner, outer, _BANDS[triangle])

    def store(self, name: str, output: int, ld: int, *, axes: int = 2, triangle: str = "") -> None:
        """Copy memory with leading dimension `ld` to an output's matrix, or to one triangle."""
        rows, columns, *steps = _matrix(self.arrays[self.count + output], axes)
        item = self.dtype.itemsize
        inner, outer = (rows, item, steps[0]), (columns, ld * item, steps[1])
        self._copy(name, self.count + output, inner, outer, _BANDS[triangle])

    def call(self, routine: str, *arguments: int | str, checked: bool = True) -> None:
        """Call a routine with all arguments except the status: numbers, letters, memory. `checked`:
        whether a nonzero status fails the kernel."""
        from nbgraph.kernels.products.lapack import Call

        words = [
            x if isinstance(x, int) else ord(x) if x.isupper() else (self._place(x),)
            for x in arguments
        ]
        self.steps.append(Call(routine, tuple(words), checked))

    def determinant(self, factors: str, pivots: str, size: int, *results: str) -> None:
        """Compute a determinant from LU factors: its value, or its sign and its logarithm."""
        from nbgraph.kernels.products.lapack import Determinant

        for name in results:
            self.work(name, 1)
        places = tuple([self._place(name) for name in results])
        factored = self._place(factors), self._place(pivots)
        self.steps.append(Determinant(*factored, places, size))

    def _copy(self, source: Any, target: Any, inner: Any, outer: Any, band: Any) -> None:
        from nbgraph.kernels.products.lapack import Copy

        a, b = (x if isinstance(x, int) else self._place(x) for x in (source, target))
        self.steps.append(Copy(a, b, inner, outer, band))

    def _place(self, name: str) -> int:
        return len(self.arrays) + list(self.memory).index(name)


Recipe = Callable[..., float]
SINGULAR = "singular matrix"


class LapackOp(ArrayOp):
    """An ArrayOp whose kernel calls LAPACK.

    `recipe`: `recipe(steps, *specs, **attributes)` records the Steps for a matrix, with operands of
    these Specs, and returns the number of operations. Without it there is no kernel. `failure`: the
    error text if a routine fails. `others`: see ArrayOp.
    """

    def __init__(
        self, *args: Any, recipe: Recipe | None, failure: str = SINGULAR, **options: Any
    ) -> None:
        super().__init__(*args, **options)
        self.recipe, self.failure = recipe, failure
        self.kernels = () if recipe is None else ("host",)

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel of matrices in any layout."""
        dtype = np.dtype(compute_dtype(case.outputs[0].dtype))
        if dtype not in _NATIVE or not all(x.size for x in case.arrays):
            return None
        rank = max(len(x.shape) for x in case.operands) - 2
        batch = case.outputs[0].shape[:rank]
        arrays, moves = list[Layout](), list[int]()
        for k, x in enumerate(case.arrays):
            output = k - len(case.operands)
            axes = min(2, len(x.shape)) if output < 0 else len(x.shape) - rank
            own = x
            if x.dtype != dtype or (output >= 0 and case.requests[output] == "add"):
                own = layout(x.shape, dtype)
            move = _move(own, axes, batch)
            if move is None:
                own = layout(x.shape, dtype)
                move = _move(own, axes, batch)
                if move is None:
                    return None
            arrays.append(own)
            moves.append(move)
        call, scratch = self._call(case, arrays, moves, math.prod(batch), dtype)
        places = [None if x is own else own for x, own in zip(case.arrays, arrays, strict=True)]
        return Lowered((call,), tuple(places), scratch, adds=False)

    def _call(
        self, case: Application, arrays: Layouts, moves: Sequence[int], count: int, dtype: Dtype
    ) -> tuple[KernelCall, tuple[Layout, ...]]:
        """Return the kernel call over `count` matrices, and the layouts of its working memory."""
        from nbgraph.kernels.products import lapack  # SciPy is loaded with the first of them

        steps = Steps(arrays, len(case.operands), dtype)
        assert self.recipe is not None
        operations = self.recipe(steps, *case.specs, **case.attributes)
        size = -(-count // _TILES)
        tiles = -(-count // size)
        offsets = [0]
        for own in steps.memory.values():
            offsets.append(offsets[-1] - (-own.nbytes // _ALIGNED) * _ALIGNED)
        *offsets, room = offsets
        failure, alone = matrix_code(self.failure), count == 1 and arrays[0].size >= _LARGE
        words = lapack.words(steps.steps, dtype.name, moves, offsets, room, failure, alone=alone)
        return KernelCall(
            self.__name__,
            lapack.kernel(self.__name__, steps.steps, dtype.name, len(arrays), len(offsets)),
            head=(count, size),
            order=tuple(range(len(arrays) + 1)),
            words=words,
            size=tiles,
            cost=int(count * (_CALL + operations / _PER_NANOSECOND)),
            writes=len(case.outputs) + 1,
        ), (layout((tiles, room), np.dtype("int8")),)


def _matrix(own: Layout, axes: int) -> tuple[int, int, int, int]:
    """Return rows, columns and the strides along them; a vector is a column."""
    if axes == 0:
        return 1, 1, 0, 0
    if axes == 1:
        return own.shape[-1], 1, own.strides[-1], 0
    return own.shape[-2], own.shape[-1], own.strides[-2], own.strides[-1]


def _move(own: Layout, axes: int, batch: tuple[int, ...]) -> int | None:
    """Return the bytes between matrices, or None if that varies."""
    rank = len(own.shape) - axes
    dims = [(n, s) for n, s in zip(own.shape[:rank], own.strides[:rank], strict=True) if n > 1]
    if not dims:
        return 0
    if [n for n, _ in dims] != [n for n in batch if n > 1]:
        return None
    if any(s != n * below for (_, s), (n, below) in pairwise(dims)):
        return None
    return dims[-1][1]


def by_lapack(
    name: str,
    function: str,
    infer: Callable[..., Any] | str,
    rule: Rule,
    keeps: str = "",
    *,
    operands: str = "a",
    nout: int = 1,
    recipe: Recipe | None = None,
    failure: str = SINGULAR,
) -> LapackOp:
    """Return the operator of a function of `numpy.linalg`, which array libraries on devices have by
    the same name; `keeps` and `operands` are names in one text, `infer` may be one for `shaped`."""

    def run(xp: Any, *arrays: Any, **attributes: Any) -> None:
        inputs, outputs = arrays[:-nout], arrays[-nout:]

        def apply(*wide: Any) -> Any:
            return getattr(xp.linalg, function)(*wide, **attributes)

        results = solved(name, apply, *inputs, failure=failure)
        for out, value in zip(outputs, results if nout > 1 else [results], strict=True):
            out[...] = value

    names, kept = operands.split(), keeps.split()
    infer = shaped(name, infer, names[0]) if isinstance(infer, str) else infer
    return LapackOp(
        *(name, infer, by_numpy(run)),
        gradient=rule,
        operands=names,
        keeps=kept,
        nout=nout,
        recipe=recipe,
        failure=failure,
    )
