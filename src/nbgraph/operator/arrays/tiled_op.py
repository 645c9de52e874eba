"""Operators with one result that a kernel computes tile by tile, over contiguous arrays.

A tile depends on shapes alone, so the bits do not depend on which thread runs it. Operands that are
not contiguous are copied first; 16-bit floats are computed in float32; cases without a kernel (no
elements, integers) are left to NumPy, the specification.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Infer, Partial, Spec
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import layout
from nbgraph.shape import Array, Arrays

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.kernel import Kernel

_NATIVE = np.dtype("float32"), np.dtype("float64")
_ADDED = *_NATIVE, np.dtype("int32"), np.dtype("int64")


def tile_call(
    code: Kernel, head: tuple[int, int], words: tuple[int, ...], tiles: int, cost: int
) -> KernelCall:
    """Return the call over `tiles` tiles; its arrays follow from the operator: see `lower`."""
    return KernelCall(code.name, code, head, (), words, tiles, max(1, cost))


Tiling = Callable[..., KernelCall | None]
Naive = Callable[..., Array]


class TiledOp(ArrayOp):
    """An operator with a kernel over tiles; see the module.

    `tiling`: `tiling(specs, dtype, **attributes)`: the call for contiguous operands of these Specs,
    whose dtype is "float32" or "float64", or None. `naive`: `naive(*arrays, **attributes)`: the
    result by NumPy, in the dtype of the operands. `adds`: whether the kernel may add to the result,
    with the bits of adding what it would have stored: each element is delivered once; the last word
    of the record says so. `name`, `infer`, `gradient`, `keeps`, `operands`, `partial`: see ArrayOp.
    """

    kernels = ("host",)

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
        self.crossed = len(operands) > 1 and set(keeps) == set(operands[:2])  # of two factors

    def lower(self, case: Application) -> Lowered | None:
        operands, (out,), (request,), attributes, _ = case
        specs = case.specs
        wide = np.dtype(compute_dtype(out.dtype)) if is_float(out.dtype) else None
        if wide is not None and not self.suits([spec.dtype for spec in specs]):
            specs = [Spec(spec.shape, wide) for spec in specs]
        if not self.suits([spec.dtype for spec in specs]):
            return None
        (target,) = self.infer(specs, attributes)
        if any(0 in spec.shape for spec in (*specs, target)):
            return None
        call = self._tiling(specs, specs[0].dtype.name, **attributes)
        if call is None:
            return None
        own = [
            layout(*spec)
            for spec in (*specs, Spec(target.shape, self.result_dtype(specs[0].dtype)))
        ]
        places = [
            None if x.contiguous and x.dtype == o.dtype else o
            for x, o in zip((*operands, out), own, strict=True)
        ]
        words = call.words
        if self.adds:
            words = *words, int(request == "add" and places[-1] is None)
        elif request == "add":
            places[-1] = own[-1]
        order = tuple(range(len(own)))
        call = replace(call, name=self.__name__, order=order, words=words)
        return Lowered((call,), tuple(places), adds=self.adds)

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        """Return whether a kernel may take operands of these dtypes."""
        return all(each == dtypes[0] for each in dtypes) and dtypes[0] in _NATIVE

    def result_dtype(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        """Return the dtype of the kernel's result for a first operand of `dtype`."""
        return dtype

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        (out,) = outputs
        wide = np.dtype(compute_dtype(out.dtype)) if is_float(out.dtype) else out.dtype
        operands = [np.ascontiguousarray(x.astype(wide, copy=False)) for x in inputs]
        out[...] = self.naive(*operands, **attributes)


class PlacingOp(TiledOp):
    """A TiledOp whose result is integers, for an array of any real dtype; NumPy arrays are left to
    `naive`."""

    kernels_at_once = False

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        return all(dtype.kind in "biufV" for dtype in dtypes)

    def result_dtype(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        return np.dtype("int64")

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        outputs[0][...] = self.naive(*inputs, **attributes)


class AddingOp(PlacingOp):
    """A TiledOp that sums arrays at integer indices of lines, in one array or several; NumPy arrays
    are left to `naive`, which checks all indices before it begins."""

    def result_dtype(self, dtype: np.dtype[Any]) -> np.dtype[Any]:
        return dtype

    def suits(self, dtypes: Sequence[np.dtype[Any]]) -> bool:
        native, *indices = dtypes
        signed = all(each.kind in "iu" and each.name != "uint64" for each in indices)
        return native in _ADDED and bool(indices) and signed
