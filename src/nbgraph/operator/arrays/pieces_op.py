"""Operators that copy parts of operands to parts of the result, and fill parts with a number.

Such an operator describes in NumPy's terms which part goes where: see
`operator.arrays.device_forms.Pieces`. On NumPy arrays that is executed directly, on devices it
becomes copies; here one kernel does all of it.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import real_dtype
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Infer, Partial
from nbgraph.operator.arrays.device_forms import Part, Parts, in_pieces, parts_of
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered, in_word
from nbgraph.operator.layout import in_reals, layout
from nbgraph.shape import Arrays, space

_SHORT, _LONGEST = 16, 1 << 16  # elements of a line; threads share longer ones


class PiecesOp(ArrayOp):
    """An operator with a Pieces form; see the module.

    `parts`: `parts(out, *operands, **attributes)`; see Pieces. Only the first part, if it fills all
    of `out` with a number, may be overwritten by others. Returns None if it needs contiguous
    arrays. `name`, `infer`, `gradient`, `operands`, `partial`: see ArrayOp.
    """

    kernels = ("host",)
    kernels_at_once = False
    takes_complex = ("host",)

    def __init__(
        self,
        name: str,
        infer: Infer,
        parts: Parts,
        *,
        gradient: Callable[[Gradients], Sequence[Any]],
        operands: Sequence[str] = ("x",),
        partial: Partial | None = None,
    ) -> None:
        super().__init__(name, infer, gradient=gradient, operands=operands, partial=partial)
        self._parts = parts
        in_pieces(self)(parts)

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        target = out = outputs[0]
        pieces = self._parts(out, *inputs, **attributes)
        if pieces is None:
            target = np.empty(out.shape, out.dtype)
            pieces = self._parts(target, *map(np.ascontiguousarray, inputs), **attributes)
            assert pieces is not None, self
        for part, _, value in pieces:
            part[...] = value
        if target is not out:
            out[...] = target

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel over arrays of any strides, after a fill if a part is one."""
        operands, (out,), (request,), attributes, _ = case
        count = len(operands)
        dtype = out.dtype
        kinds = {x.dtype.kind for x in case.arrays}
        if not out.size or ("c" in kinds and len(kinds) > 1):
            return None
        own = [x if x.dtype == dtype else layout(x.shape, dtype) for x in case.arrays]
        if request == "add":
            own[-1] = layout(out.shape, dtype)
        parts = parts_of(self._parts, own[:-1], own[-1], attributes)
        if parts is None:
            own = [layout(x.shape, dtype) for x in own]
            parts = parts_of(self._parts, own[:-1], own[-1], attributes)
        parts = [half for part in parts or () for half in _real(part, dtype)]
        dtype = real_dtype(dtype)
        steps = [step for part in parts for step in _steps(part)]
        if not parts or any(step % dtype.itemsize for step in steps):
            return None
        whole = parts[0].operand is None and parts[0].layout.size == out.size
        first = (2 if out.dtype.kind == "c" else 1) if whole else 0
        stages = [stage for stage in (parts[:first], parts[first:]) if stage]
        calls = tuple([self._call(stage, count + 1, dtype) for stage in stages])
        places = [x if x is not y else None for x, y in zip(own, (*operands, out), strict=True)]
        if request == "add":
            places[-1] = own[-1]  # the kernel stores
        return Lowered(calls, tuple(places), adds=False)

    def _call(self, parts: Sequence[Part], arrays: int, dtype: np.dtype[Any]) -> KernelCall:
        from nbgraph.kernels.compiler.written import written
        from nbgraph.kernels.lines.moves import ARRAYS, moves_text

        moves = [move for part in parts for move in _moves(part, dtype)]
        dims = max(len(move.outer) for move in moves)
        tail, lines, elements = list[int](), 0, 0
        for move in moves:
            own = math.prod(extent for extent, _ in move.outer)
            lines, elements = lines + own, elements + own * move.words[3]
            tail += [lines, *move.words]
            for extent, steps in (*move.outer, *[(1, (0, 0))] * (dims - len(move.outer))):
                tail += [extent, *steps]
        return KernelCall(
            self.__name__,
            written("moves", moves_text(f"uint{8 * dtype.itemsize}"), "float32"),
            head=(len(moves), ARRAYS * arrays + dims),
            order=tuple(range(arrays)),
            words=(),
            size=lines,
            cost=4 * lines + elements * dtype.itemsize // 10,
            tail=tuple(tail),
        )


class _Move(NamedTuple):
    """The words of a move except the first, and its outer dimensions: extent, byte steps."""

    words: tuple[int, ...]
    outer: Sequence[tuple[int, Sequence[int]]]


def _real(part: Part, dtype: np.dtype[Any]) -> list[Part]:
    """Return the part in real numbers: complex elements as adjacent pairs."""
    if dtype.kind != "c":
        return [part]
    if part.operand is not None:
        return [part._replace(layout=in_reals(part.layout), source=in_reals(part.source))]
    number, own, item = complex(part.source), part.layout, dtype.itemsize // 2
    real = layout(own.shape, real_dtype(dtype), own.strides)
    return [
        Part(part.offset + k * item, real, None, 0, value)
        for k, value in enumerate((number.real, number.imag))
    ]


def _steps(part: Part) -> Iterator[int]:
    """Yield the byte strides of a part and of its source."""
    yield from part.layout.strides
    if part.operand is not None:
        yield from part.source.strides


def _moves(part: Part, dtype: np.dtype[Any]) -> list[_Move]:
    """Return the moves of a part; a long line is split."""
    shape, item, target = part.layout.shape, dtype.itemsize, part.offset
    if part.operand is None:
        source, steps = 0, (0,) * len(shape)
        begin = in_word(np.asarray(part.source).astype(dtype).tobytes())
    else:
        source, steps, begin = 2 + part.operand, part.source.strides, part.from_offset
    where = space(shape, [steps, part.layout.strides])
    dims = [(where.inner, where.steps), *where.outer]
    if where.inner < _SHORT:
        dims.sort(key=lambda dim: -dim[0])
    (line, (by, to)), *outer = dims
    pieces, moves = line // _LONGEST, list[_Move]()
    if pieces > 1:
        words = source, begin, target, _LONGEST, by // item, to // item
        moves.append(_Move(words, [(pieces, (by * _LONGEST, to * _LONGEST)), *outer]))
        begin += by * _LONGEST * pieces
        target += to * _LONGEST * pieces
        line -= _LONGEST * pieces
    if line:
        moves.append(_Move((source, begin, target, line, by // item, to // item), outer))
    return moves
