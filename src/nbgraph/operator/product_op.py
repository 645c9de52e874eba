"""Products of two arrays as operators: what axes mean is said by labels, BLAS does the work.

Such an operator is one kernel for float32 and float64. Operands that lie transposed, in slices or
broadcast are taken as they are; only what BLAS has no words for is copied first. 16-bit floats are
multiplied in float32, integers and bool by NumPy.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.kernels.products import Axis, Call, arrange
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.placement import Placed, Placement
from nbgraph.operator.ready import Ready
from nbgraph.operator.request import OpReqType, assign
from nbgraph.settings import config
from nbgraph.shape import Shapes

if TYPE_CHECKING:
    from nbgraph.kernels.blas import Routine

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
_KEPT = 1024  # calls that an operator knows
_NATIVE = np.dtype("float32"), np.dtype("float64")
_ONE = {"float32": 0x3F800000, "float64": 0x3FF0000000000000}  # 1.0 in bits


_SWAPS = sorted(itertools.product((False, True), repeat=3), key=lambda s: (s[2], sum(s)))


class Labels(NamedTuple):
    """What the axes of a, b and the result are, by names: see `nbgraph.kernels.products`."""

    a: tuple[str, ...]
    b: tuple[str, ...]
    out: tuple[str, ...]

    def sizes(self, a: Shape, b: Shape) -> dict[str, int]:
        """The extents of all labels; 1 broadcasts."""
        sizes = dict.fromkeys(self.out, 1)
        for label, n in (*zip(self.a, a, strict=True), *zip(self.b, b, strict=True)):
            if sizes.setdefault(label, n) == 1:
                sizes[label] = n
        return sizes


class ProductCall(NamedTuple):
    """The kernel over `tiles` tiles. The record's addresses are those of the first operand, the
    second and the result; `first` says which operand is the first."""

    code: Routine
    call: Call
    words: tuple[int, ...]  # of the record, behind the addresses
    outer: tuple[int, ...]
    tiles: int
    cost: int  # nanoseconds, roughly

    @property
    def head(self) -> tuple[int, int]:
        """The record's words before the addresses: tiles of one product, outer dimensions."""
        across, along = self.call.tiles
        return across * along, len(self.call.outer)

    def ready(self) -> Ready:
        """The call over two operands and a result."""
        order, tail = (self.call.first, 1 - self.call.first, 2), (*self.words, *self.outer)
        return Ready(self.code, self.head, order, tail, self.tiles, self.cost)


Meaning = Callable[..., Labels | None]


class ProductOp(ArrayOp):
    """A sum of products of two arrays.

    Parameters
    ----------
    name : str
    labels : callable
        `labels(a, b, **attributes)` says what the axes of two Specs are. It raises ShapeError where
        they do not fit each other.
    even : int
        The rank of operands up to which sizes under one label are equal: none of them broadcasts.
    gradient, keeps, operands, doc
        See ArrayOp.

    >>> labels = Labels(("i", "k"), ("k", "j"), ("j", "i"))
    >>> op = ProductOp("product_transposed", lambda a, b: labels)
    >>> op(np.ones((2, 3)), np.ones((3, 4))).shape
    (4, 2)
    """

    kind = "product"

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
        self._calls: dict[Any, ProductCall | None] = {}
        self._inferred: dict[Any, tuple[Spec, ...]] = {}

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Mapping[str, Any]
    ) -> tuple[Shapes, Shapes] | None:
        """Axes under one label have one size, which follows from any of them."""
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

    def infer(self, specs: Sequence[Spec], attributes: Mapping[str, Any]) -> tuple[Spec, ...]:
        """See ArrayOp; found again for equal shapes, as small products take less than this."""
        key = *specs, *attributes.items()
        found = self._inferred.get(key)
        if found is None:
            found = super().infer(specs, attributes)
            if len(self._inferred) >= _KEPT:
                self._inferred.clear()
            self._inferred[key] = found
        return found

    # kernels ----------------------------------------------------------------------------------

    def product_call(
        self,
        operands: Sequence[Placed],
        out: Placed,
        request: str,
        attributes: Mapping[str, Any],
    ) -> ProductCall | None:
        """The kernel for arrays placed like these, with the request "write" or "add"; None where
        BLAS does not take them."""
        call = self.arranged(operands, out, attributes)
        return None if call is None else _made(call, out.dtype, request)

    def arranged(
        self,
        operands: Sequence[Placed],
        out: Placed,
        attributes: Mapping[str, Any],
        dtypes: Collection[np.dtype[Any]] = _NATIVE,
    ) -> Call | None:
        """What a BLAS for these dtypes is to be asked for; None where it does not take arrays
        placed like these."""
        labels, dtype = self.meaning(operands, attributes), out.dtype
        if labels is None or dtype not in dtypes or any(o.dtype != dtype for o in operands):
            return None
        sizes = labels.sizes(operands[0].shape, operands[1].shape)
        arrays = (*operands, out)
        steps = [_steps(a, own, sizes) for a, own in zip(arrays, labels, strict=True)]
        return arrange(sizes, steps, dtype.itemsize)

    def replacements(
        self,
        operands: Sequence[Placed],
        out: Placed,
        attributes: Mapping[str, Any],
        dtypes: Collection[np.dtype[Any]] = _NATIVE,
        suits: Callable[[Call], bool] = lambda call: True,
    ) -> tuple[Placement | None, Placement | None, Placement | None] | None:
        """Where a, b and the result have to lie so that BLAS takes them, None for what may stay;
        as little as will do is replaced. None where nothing does, or `suits` takes no call."""
        given = (*operands, out)
        labels = self.meaning(operands, attributes)
        if labels is None:
            return None
        for swap in _SWAPS:
            inner = labels.b if swap[0] and not swap[1] else labels.a  # as it is where it stays
            places = [packed(x, own, labels, inner) for x, own in zip(given, labels, strict=True)]
            a, b, target = (p if s else x for p, x, s in zip(places, given, swap, strict=True))
            call = self.arranged([a, b], target, attributes, dtypes)
            if call is not None and suits(call):
                a, b, target = (p if s else None for p, s in zip(places, swap, strict=True))
                return a, b, target
        return None

    def meaning(self, operands: Sequence[Placed], attributes: Mapping[str, Any]) -> Labels | None:
        """What the axes of arrays like these are; None where they are not two, or it is more than
        one product."""
        if len(operands) != 2:
            return None
        return self.labels(*(Spec(o.shape, o.dtype) for o in operands), **attributes)

    # running ----------------------------------------------------------------------------------

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
        given = [x.astype(wide, copy=False) for x in inputs]
        if wide not in _NATIVE or config.compiler == "python":
            assign(out, request, self.naive(given, attributes))
        elif wide != out.dtype:
            made = np.empty(out.shape, wide)
            self._multiply(given, made, "write", attributes)
            assign(out, request, made)
        else:
            word = "add" if request is OpReqType.kAddTo else "write"
            self._multiply(given, out, word, attributes)

    def _multiply(
        self, inputs: Sequence[Array], out: Array, request: str, attributes: Mapping[str, Any]
    ) -> None:
        """By the kernel, with copies of what it does not take."""
        if self._launch(inputs, out, request, attributes):
            return
        places = self.replacements(inputs, out, attributes)
        how = OpReqType.kAddTo if request == "add" else OpReqType.kWriteTo
        if places is None:
            assign(out, how, self.apart(inputs, attributes))
            return
        given = [
            x if place is None else place.copy(x) for x, place in zip(inputs, places, strict=False)
        ]
        if places[2] is None:
            self._launch(given, out, request, attributes)
            return
        made = places[2].empty()
        self._launch(given, made, "write", attributes)
        assign(out, how, made)

    def _launch(
        self, inputs: Sequence[Array], out: Array, request: str, attributes: Mapping[str, Any]
    ) -> bool:
        """Run the kernel, if there is one for arrays that lie like these."""
        places = [(x.shape, x.strides) for x in (*inputs, out)]
        key = request, out.dtype, *places, *attributes.items()
        if key not in self._calls:
            if len(self._calls) >= _KEPT:
                self._calls.clear()
            self._calls[key] = self.product_call(inputs, out, request, attributes)
        made = self._calls[key]
        if made is not None:
            made.ready().run((*inputs, out))
        return made is not None

    def ready(
        self, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Mapping[str, Any]
    ) -> Ready | None:
        """See ArrayOp."""
        if config.compiler == "python" or not outputs[0].size:
            return None
        found = self.product_call(inputs, outputs[0], "write", attributes)
        return None if found is None else found.ready()

    def apart(self, inputs: Sequence[Array], attributes: Mapping[str, Any]) -> Array:
        """The result where no kernel gives it."""
        return self.naive(inputs, attributes)

    def naive(self, inputs: Sequence[Array], attributes: Mapping[str, Any]) -> Array:
        """The same by NumPy, in the dtype of the operands: the specification."""
        labels = self.meaning(inputs, attributes)
        assert labels is not None, self
        number = {label: k for k, label in enumerate(dict.fromkeys((*labels.a, *labels.b)))}
        a, b, out = ([number[label] for label in own] for own in labels)
        return np.einsum(inputs[0], a, inputs[1], b, out)


def _steps(array: Placed, labels: Sequence[str], sizes: Mapping[str, int]) -> dict[str, int]:
    """Byte steps by label; none where the array broadcasts."""
    placed = zip(labels, array.shape, array.strides, strict=True)
    return {label: step for label, n, step in placed if n == sizes[label]}


def packed(array: Placed, own: Sequence[str], labels: Labels, inner: Sequence[str]) -> Placement:
    """Where an operand (or the result) has to lie so that BLAS takes it: separate products, then
    its rows or columns in the result's order, then what is summed over in the order of `inner`."""
    both = set(labels.a) & set(labels.b)
    rank = {label: k for k, label in enumerate(labels.out)}
    if tuple(own) == labels.out:
        order = sorted(own, key=lambda x: (x not in both, x in labels.b, rank[x]))
    else:
        place = {label: k for k, label in enumerate(inner)}
        order = sorted(
            own, key=lambda x: (x not in rank, x not in both, rank.get(x, 0), place.get(x, 0))
        )
    return Placement.packed(array, [own.index(label) for label in order])


def _made(call: Call, dtype: np.dtype[Any], request: str) -> ProductCall:
    from nbgraph.kernels.blas import routine  # SciPy comes with the first product

    code, item = routine(), dtype.itemsize
    (tile_u, tile_v), (across, along) = call.tile, call.tiles
    first, second = call.first, 1 - call.first
    one = _ONE[dtype.name]
    forms = [ord(form) for form in call.forms]
    words = (
        *(code.pointers["gemm"][dtype.name], code.pointers["gemv"][dtype.name]),
        *(code.threads.address, one, one if request == "add" else 0, *forms, int(call.vector)),
        *(call.u.extent, call.v.extent, call.k.extent, *call.lds, tile_u, tile_v, across),
        *(call.u.steps[first], call.v.steps[second], call.u.steps[2], call.v.steps[2]),
    )
    outer: list[int] = []
    for axis in call.outer:
        outer += [axis.extent, axis.steps[first], axis.steps[second], axis.steps[2]]
    tiles = across * along * call.products
    return ProductCall(code, call, words, tuple(outer), tiles, call.cost(item))


__all__ = ["Axis", "Labels", "ProductCall", "ProductOp", "packed"]
