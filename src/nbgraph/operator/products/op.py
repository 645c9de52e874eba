"""Products of two arrays as operators: labels describe the axes, BLAS does the work.

Such an operator is one kernel for float32, float64 and complex numbers, three for bfloat16 and
bytes on processors that multiply those (see `narrow`), one without BLAS for other integers (see
`integers`). Transposed, sliced or broadcast operands are taken as they are; only layouts that the
kernel cannot describe are copied first. Other 16-bit floats are multiplied in float32, bool by
NumPy.
"""

import functools
import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import compute_dtype, inexact, real_dtype
from nbgraph.kernels.products.axes import Axis, Call, arrange
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Spec, Specs
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import Layout, Layouts, keep, layout, packed
from nbgraph.settings import config
from nbgraph.shape import Array, Arrays, Shape, Shapes

_KEPT = 1024  # calls cached per operator
_NATIVE = tuple(map(np.dtype, ("float32", "float64", "complex64", "complex128")))
_ONE = {4: 0x3F800000, 8: 0x3FF0000000000000}  # the bits of 1.0 by bytes; imaginary parts follow


_SWAPS = sorted(itertools.product((False, True), repeat=3), key=lambda s: (s[2], sum(s)))


class Labels(NamedTuple):
    """Labels of the axes of a, b and the result: see `nbgraph.kernels.products.axes`."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    out: tuple[str, ...]

    def sizes(self, a: Shape, b: Shape) -> dict[str, int]:
        """Return the extents of all labels; 1 broadcasts."""
        sizes = dict.fromkeys(self.out, 1)
        for label, n in (*zip(self.a, a, strict=True), *zip(self.b, b, strict=True)):
            if sizes.setdefault(label, n) == 1:
                sizes[label] = n
        return sizes


Meaning = Callable[..., Labels | None]


class ProductOp(ArrayOp):
    """A sum of products of two arrays.

    Parameters
    ----------
    name : str
    labels : callable
        `labels(a, b, **attributes)` returns the labels of the axes of two Specs. It raises
        ShapeError if they do not fit each other.
    even : int
        The rank of operands up to which extents under one label are equal: none broadcasts.
    gradient, keeps, operands, doc
        See ArrayOp.

    >>> labels = Labels(("i", "k"), ("k", "j"), ("j", "i"))
    >>> op = ProductOp("product_transposed", lambda a, b: labels)
    >>> op(np.ones((2, 3)), np.ones((3, 4))).shape
    (4, 2)
    """

    kernels = ("host", "devices")
    takes_complex = ("host",)
    crossed = True

    def __init__(
        self,
        name: str,
        labels: Meaning,
        *,
        gradient: Callable[[Gradients], Sequence[Any]] | None = None,
        even: int = 0,
        keeps: Sequence[str] = ("x1", "x2"),
        operands: Sequence[str] = ("x1", "x2"),
        doc: str | None = None,
    ) -> None:
        super().__init__(
            name, self._spec, gradient=gradient, keeps=keeps, operands=operands, doc=doc
        )
        self.labels, self.even = labels, even
        self._inferred: dict[Any, tuple[Spec, ...]] = {}

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        """Return extents of axes under one label, which follow from any of them."""
        ranks = [self.even + 1 if s is None else len(s) for s in in_shapes]
        if max(ranks) > self.even:
            return None
        a, b = (Spec((2,) * rank, _NATIVE[0]) for rank in ranks)
        labels = self.labels(a, b, **attributes)
        assert labels is not None, self
        sizes: dict[str, int | None] = {}
        for own, shape in zip(labels, (*in_shapes, *out_shapes), strict=True):
            for label, n in zip(own, shape or (), strict=False):
                sizes[label] = sizes.get(label) or n
        *operands, out = (tuple([sizes.get(label) for label in own]) for own in labels)
        return operands, [out]

    def _spec(self, *specs: Spec, **attributes: Any) -> Spec:
        a, b = specs
        labels = self.labels(a, b, **attributes)
        assert labels is not None, self
        sizes = labels.sizes(a.shape, b.shape)
        return Spec(tuple(sizes[d] for d in labels.out), np.result_type(a.dtype, b.dtype))

    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        """See ArrayOp; cached for equal shapes, as small products take less time than this."""
        key = *specs, *attributes.items()
        specs_out = self._inferred.get(key)
        if specs_out is None:
            specs_out = super().infer(specs, attributes)
            keep(self._inferred, key, specs_out, _KEPT)
        return specs_out

    # kernels ----------------------------------------------------------------------------------

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one call of BLAS per tile; 16-bit floats in float32."""
        operands, (out,), (request,), attributes, host = case
        if not host:
            from nbgraph.operator.products.gemms import gemms_lowered  # for devices

            return gemms_lowered(self, operands, out, request, attributes)
        if out.dtype not in _NATIVE:
            from nbgraph.operator.products import integers as product_integer
            from nbgraph.operator.products import narrow as product_narrow  # loaded at first use

            for way in (product_narrow, product_integer):
                lowered = self._by(way, operands, out, request, attributes)
                if lowered is not None:
                    return lowered
        wide = np.dtype(compute_dtype(out.dtype)) if inexact(out.dtype) else out.dtype
        if wide not in _NATIVE or len(operands) != 2:
            return None
        wanted = [x if x.dtype == wide else layout(x.shape, wide) for x in (*operands, out)]
        places = self.replacements(wanted[:2], wanted[2], attributes)
        if places is None:
            return None
        laid = [x if own is None else own for x, own in zip(wanted, places, strict=True)]
        moves = [None if x is own else own for x, own in zip((*operands, out), laid, strict=True)]
        arranged = self.arranged(laid[:2], laid[2], attributes)
        assert arranged is not None, self
        call = self._call(arranged, wide, adds=request == "add" and moves[2] is None)
        return Lowered((call,), tuple(moves)) if call.size else None

    def _by(
        self, way: Any, operands: Layouts, out: Layout, request: str, attributes: Attributes
    ) -> Lowered | None:
        """Return the calls of a product without BLAS, by one of the modules with kernels, or None
        if it does not suit."""
        dtype = out.dtype
        suits = functools.partial(way.suits, dtype.name, dtype.itemsize)
        places = self.replacements(operands, out, attributes, (dtype,), suits)
        if places is None:
            return None
        laid = [x if own is None else own for x, own in zip((*operands, out), places, strict=True)]
        arranged = self.arranged(laid[:2], laid[2], attributes, (dtype,))
        assert arranged is not None, self
        adds = request == "add" and places[2] is None
        calls = way.calls(self.__name__, dtype.name, dtype.itemsize, arranged, adds=adds)
        return Lowered(calls, places, way.packed(arranged, dtype.itemsize))

    def _call(self, call: Call, dtype: np.dtype[Any], *, adds: bool) -> KernelCall:
        from nbgraph.kernels.products.blas import routine  # SciPy is loaded with the first product

        code, one = routine(), _ONE[real_dtype(dtype).itemsize]
        (tile_u, tile_v), (across, along) = call.tile, call.tiles
        first, second = call.first, 1 - call.first
        forms = [ord(form) for form in call.forms]
        alpha, beta = (one, 0), (one if adds else 0, 0)
        words = (
            *(*code.pointers(dtype.name), code.threads.address, *alpha, *beta),
            *(*forms, int(call.vector)),
            *(call.u.extent, call.v.extent, call.k.extent, *call.lds, tile_u, tile_v, across),
            *(call.u.steps[first], call.v.steps[second], call.u.steps[2], call.v.steps[2]),
        )
        return KernelCall(
            self.__name__,
            code,
            head=(across * along, len(call.outer)),
            order=(first, second, 2),
            words=words,
            size=across * along * call.products,
            cost=call.cost(dtype.itemsize),
            tail=call.outside(first, second, 2),
        )

    def arranged(
        self,
        operands: Layouts,
        out: Layout,
        attributes: Attributes,
        dtypes: Collection[np.dtype[Any]] = _NATIVE,
    ) -> Call | None:
        """Return the call of a BLAS for these dtypes; None for layouts that it cannot take."""
        labels, dtype = self.meaning(operands, attributes), out.dtype
        if labels is None or dtype not in dtypes or any(o.dtype != dtype for o in operands):
            return None
        sizes = labels.sizes(operands[0].shape, operands[1].shape)
        arrays = (*operands, out)
        steps = [_steps(a, own, sizes) for a, own in zip(arrays, labels, strict=True)]
        return arrange(sizes, steps, dtype.itemsize)

    def replacements(
        self,
        operands: Layouts,
        out: Layout,
        attributes: Attributes,
        dtypes: Collection[np.dtype[Any]] = _NATIVE,
        suits: Callable[[Call], bool] = lambda call: True,
    ) -> tuple[Layout | None, Layout | None, Layout | None] | None:
        """Return layouts of a, b and the result that BLAS takes, None for unchanged ones, with as
        few changes as possible. None if no change suffices, or `suits` accepts no call."""
        layouts = (*operands, out)
        labels = self.meaning(operands, attributes)
        if labels is None:
            return None
        for swap in _SWAPS:
            inner = labels.b if swap[0] and not swap[1] else labels.a  # that of one unchanged
            places = [
                placed_for(x, own, labels, inner) for x, own in zip(layouts, labels, strict=True)
            ]
            a, b, target = (p if s else x for p, x, s in zip(places, layouts, swap, strict=True))
            call = self.arranged([a, b], target, attributes, dtypes)
            if call is not None and suits(call):
                a, b, target = (p if s else None for p, s in zip(places, swap, strict=True))
                return a, b, target
        return None

    def meaning(self, operands: Sequence[Layout | Array], attributes: Attributes) -> Labels | None:
        """Return the labels of such arrays' axes; None if not a single product of matrices."""
        if len(operands) != 2:
            return None
        return self.labels(*(Spec(o.shape, o.dtype) for o in operands), **attributes)

    # without a kernel -------------------------------------------------------------------------

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        (out,) = outputs
        wide = np.dtype(compute_dtype(out.dtype)) if inexact(out.dtype) else out.dtype
        factors = [x.astype(wide, copy=False) for x in inputs]
        apart = wide in _NATIVE and config.compiler != "python"
        out[...] = (self.apart if apart else self.naive)(factors, attributes)

    def apart(self, inputs: Arrays, attributes: Attributes) -> Array:
        """Return the result if no kernel computes it."""
        return self.naive(inputs, attributes)

    def naive(self, inputs: Arrays, attributes: Attributes) -> Array:
        """Return the result by NumPy, in the dtype of the operands: the specification."""
        labels = self.meaning(inputs, attributes)
        assert labels is not None, self
        number = {label: k for k, label in enumerate(dict.fromkeys((*labels.a, *labels.b)))}
        a, b, out = ([number[label] for label in own] for own in labels)
        return np.einsum(inputs[0], a, inputs[1], b, out)


def _steps(array: Layout, labels: Sequence[str], sizes: Mapping[str, int]) -> dict[str, int]:
    """Return byte strides by label, except along which the array broadcasts."""
    placed = zip(labels, array.shape, array.strides, strict=True)
    return {label: step for label, n, step in placed if n == sizes[label]}


def placed_for(array: Layout, own: Sequence[str], labels: Labels, inner: Sequence[str]) -> Layout:
    """Return a layout of an operand (or the result) that BLAS takes: separate products, then its
    rows or columns in the result's order, then the summed axes in the order of `inner`."""
    both = set(labels.a) & set(labels.b)
    rank = {label: k for k, label in enumerate(labels.out)}
    if tuple(own) == labels.out:
        order = sorted(own, key=lambda x: (x not in both, x in labels.b, rank[x]))
    else:
        place = {label: k for k, label in enumerate(inner)}
        order = sorted(
            own, key=lambda x: (x not in rank, x not in both, rank.get(x, 0), place.get(x, 0))
        )
    return packed(array.shape, array.dtype, [own.index(label) for label in order])


__all__ = ["Axis", "Labels", "ProductOp", "placed_for"]
