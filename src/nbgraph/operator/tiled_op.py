"""Operators with one result that a kernel makes tile by tile, of contiguous arrays.

What a tile is depends on shapes alone, so that the bits do not depend on who runs which. Operands
that do not lie one element behind the other are copied first; 16-bit floats are computed in
float32; what no kernel does (no elements, integers) is left to NumPy: the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.operator.array_op import ArrayOp, Gradients, Infer, Partial, Spec
from nbgraph.operator.ready import Ready
from nbgraph.operator.request import OpReqType, assign
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.kernels.kernel import Kernel

Array = np.ndarray[Any, Any]
_KEPT = 1024  # calls that an operator knows
_NATIVE = np.dtype("float32"), np.dtype("float64")
_INDICES = np.dtype("int32"), np.dtype("int64")


@dataclass(frozen=True, slots=True)
class TiledCall:
    """The kernel over `tiles` tiles. The record: `head`, the addresses of the operands and of the
    result, `words`."""

    code: Kernel
    head: tuple[int, int]
    words: tuple[int, ...]
    tiles: int
    cost: int  # nanoseconds, roughly

    def ready(self, operands: int) -> Ready:
        """The call over so many operands and a result."""
        order = tuple(range(operands + 1))
        return Ready(self.code, self.head, order, self.words, self.tiles, self.cost)


Tiling = Callable[..., TiledCall | None]
Naive = Callable[..., Array]


class TiledOp(ArrayOp):
    """See the module.

    Parameters
    ----------
    tiling : callable
        `tiling(specs, dtype, **attributes)`: the call for contiguous operands of these Specs,
        whose dtype is "float32" or "float64". None where no kernel does it.
    naive : callable
        `naive(*arrays, **attributes)`: the result by NumPy, in the dtype of the operands.
    adds : bool
        Whether the kernel may add to what is there, with the bits of adding up what it would have
        stored: each element is delivered once. It is told by the last word of the record.
    name, infer, gradient, keeps, operands, partial
        See ArrayOp.
    """

    kind = "tiled"

    def __init__(
        self,
        name: str,
        infer: Infer,
        tiling: Tiling,
        naive: Naive,
        *,
        gradient: Callable[[Gradients], Sequence[Any]] | None = None,
        keeps: Sequence[str] = (),
        operands: Sequence[str] = ("x",),
        partial: Partial | None = None,
        adds: bool = False,
    ) -> None:
        super().__init__(
            name, infer, gradient=gradient, keeps=keeps, operands=operands, partial=partial
        )
        self._tiling, self.naive, self.adds = tiling, naive, adds
        self._calls: dict[Any, TiledCall | None] = {}

    def tiled_call(
        self, specs: Sequence[Spec], request: OpReqType, attributes: Mapping[str, Any]
    ) -> TiledCall | None:
        """The kernel for contiguous operands and a contiguous result; None where none does it."""
        if not self.suits([s.dtype for s in specs]):
            return None
        if config.compiler == "python" or request is OpReqType.kNullOp:
            return None
        adds = request is OpReqType.kAddTo
        if adds and not self.adds:
            return None
        key = (*specs, adds, *attributes.items(), config.compiler)
        if key not in self._calls:
            if len(self._calls) >= _KEPT:
                self._calls.clear()
            (out,) = self.infer(specs, attributes)
            empty = any(0 in spec.shape for spec in (*specs, out))
            made = None if empty else self._tiling(specs, specs[0].dtype.name, **attributes)
            if made is not None and self.adds:
                made = replace(made, words=(*made.words, int(adds)))
            self._calls[key] = made
        return self._calls[key]

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        """Whether a kernel may take operands of these."""
        return all(each == dtypes[0] for each in dtypes) and dtypes[0] in _NATIVE

    def made(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """What a kernel makes of operands of which the first is of `dtype`."""
        return dtype

    def run(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        attributes: Mapping[str, Any],
        **_: Any,
    ) -> None:
        """See ArrayOp."""
        (out,), (request,) = outputs, requests
        if request is OpReqType.kNullOp or not out.size:
            return
        wide = np.dtype(compute_dtype(out.dtype)) if is_float(out.dtype) else out.dtype
        given = [np.ascontiguousarray(x.astype(wide, copy=False)) for x in inputs]
        direct = out.flags.c_contiguous and wide == out.dtype
        direct = direct and (self.adds or request is not OpReqType.kAddTo)
        specs = [Spec.of(x) for x in given]
        how = request if direct else OpReqType.kWriteTo
        call = self.tiled_call(specs, how, attributes)
        if call is None:
            assign(out, request, self.naive(*given, **attributes).astype(out.dtype, copy=False))
            return
        made = out if direct else np.empty(out.shape, wide)
        call.ready(len(given)).run((*given, made))
        if not direct:
            assign(out, request, made.astype(out.dtype, copy=False))

    def ready(
        self, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Mapping[str, Any]
    ) -> Ready | None:
        """See ArrayOp."""
        if not all(x.flags.c_contiguous for x in inputs) or inputs[0].dtype != outputs[0].dtype:
            return None
        call = self.tiled_call([Spec.of(x) for x in inputs], OpReqType.kWriteTo, attributes)
        return None if call is None else call.ready(len(inputs))


class PlacingOp(TiledOp):
    """A TiledOp whose result is integers; NumPy arrays are left to `naive`."""

    def made(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """See TiledOp."""
        return np.dtype("int64")

    def run(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        attributes: Mapping[str, Any],
        **_: Any,
    ) -> None:
        """See ArrayOp."""
        if requests[0] is not OpReqType.kNullOp:
            assign(outputs[0], requests[0], self.naive(*inputs, **attributes))

    def ready(
        self, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Mapping[str, Any]
    ) -> Ready | None:
        """See ArrayOp."""
        return None


class PickingOp(PlacingOp):
    """A TiledOp whose operands are an array of any dtype and integers that say which of its lines,
    in one array or several; NumPy arrays are left to `naive`, which looks at all indices before it
    begins."""

    def made(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """See TiledOp."""
        return dtype

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        """See TiledOp."""
        _, *indices = dtypes
        return bool(indices) and indices[0] in _INDICES and len(set(indices)) == 1


class AddingOp(PickingOp):
    """A PickingOp whose array is added up at those lines."""

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        """See TiledOp."""
        return len(dtypes) == 2 and super().suits(dtypes) and dtypes[0] in _NATIVE
