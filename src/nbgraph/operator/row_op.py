"""Row programs as operators over whole arrays: `axis` says what a row is.

Such an operator is a kernel wherever the elements of a row lie one step apart, whatever the axis;
rows over several axes that do not merge into one are copied first. The bits of a row's results
depend on its length, dtypes and layout classes, not on who runs which rows.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

import numpy as np

from nbgraph.dtype import compute_dtype, is_float, name_of
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.kernels.cost import per_element
from nbgraph.kernels.function import resolve_parameters
from nbgraph.kernels.kinds import kind_of_dtype
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.ready import Ready
from nbgraph.operator.request import WORDS, OpReqType, assign
from nbgraph.operator.row_program import RowProgram
from nbgraph.operator.typing import parameter_bytes
from nbgraph.settings import config
from nbgraph.shape import Space, axes_of, broadcast, space

if TYPE_CHECKING:
    from nbgraph.kernels.kernel import Kernel
    from nbgraph.kernels.loops import Layout, Loop

Array = np.ndarray[Any, Any]
Shape = tuple[int, ...]
_BESIDE = 16  # rows side by side from which they are worked on together


class Placed(Protocol):
    """What is asked of an array: it need not exist."""

    @property
    def shape(self) -> Shape:
        """Extents."""
        ...

    @property
    def strides(self) -> Shape:
        """Bytes from element to element along each axis."""
        ...

    @property
    def dtype(self) -> np.dtype[Any]:
        """Of the elements."""
        ...


class RowCall(NamedTuple):
    """A kernel over `rows` rows. The record's addresses are those of the operands, then of the
    outputs that are asked for."""

    code: Kernel
    where: Space
    parameters: tuple[bytes, ...]
    rows: int
    cost: int  # nanoseconds, roughly


class RowOp(ArrayOp):
    """A `RowProgram` as an operator.

    Attributes of a call: `axis` (an int, a tuple or None, by default the last), `keepdims` where a
    result has one value a row, and the program's scalar parameters. Operands with a value for each
    element broadcast; those with one a row have the shape of such a result.

    >>> from nbgraph.operator.row_program import Result
    >>> program = RowProgram(
    ...     "centred",
    ...     totals={"total": ("add", lambda x: x)},
    ...     results=[Result(lambda x, total, count: x - total / count)],
    ... )
    >>> RowOp(program)(np.float32([[1, 3], [2, 6]]), axis=0)
    array([[-0.5, -1.5],
           [ 0.5,  1.5]], dtype=float32)
    """

    kind = "rows"

    at_once: tuple[RowOp, RowOp] | None = None  # its gradient, and the two as one operator

    def __init__(
        self,
        program: RowProgram,
        *,
        gradient: Callable[[Gradients], Sequence[Any]] | None = None,
        keeps: Sequence[str] = (),
        doc: str | None = None,
    ) -> None:
        elements = range(len(program.elements))
        super().__init__(
            program.name,
            self._specs,
            gradient=gradient,
            keeps=keeps,
            operands=program.operands,
            nout=len(program.results),
            inplace=[(i, k) for i in elements for k, (_, r) in enumerate(program.results) if not r],
            doc=doc,
        )
        self.program = program
        self._kernels: dict[Any, tuple[Kernel, float]] = {}  # and nanoseconds an element

    def normalise(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """See ArrayOp."""
        given = dict(attributes)
        rows = any(row for _, row in self.program.results)
        axes = {"axis": given.pop("axis", -1)}
        if rows or self.program.rows:
            axes["keepdims"] = bool(given.pop("keepdims", False))
        own = tuple(self.program.parameters.values())
        return {**axes, **resolve_parameters(self.__name__, own, given)}

    # shapes and dtypes ------------------------------------------------------------------------

    def _specs(self, *operands: Spec, axis: Any, keepdims: bool = False, **_: Any) -> list[Spec]:
        shape, axes = self._shape([spec.shape for spec in operands], axis, keepdims=keepdims)
        row = _row_shape(shape, axes, keepdims=keepdims)
        stored = self._stored([spec.dtype for spec in operands])
        return [Spec(row if one else shape, stored) for _, one in self.program.results]

    def _shape(self, shapes: Sequence[Shape], axis: Any, *, keepdims: bool) -> tuple[Shape, Shape]:
        """The shape of elements, and the axes of a row."""
        names, count = self.program.operands, len(self.program.elements)
        shape = broadcast(self.__name__, list(zip(names[:count], shapes[:count], strict=True)))
        axes = axes_of(self.__name__, axis, len(shape))
        if self.program.indexed and len(axes) != 1:
            raise ArgumentError(f"{self.__name__}: axis={axis}; expected one axis")
        row = _row_shape(shape, axes, keepdims=keepdims)
        for name, given in zip(names[count:], shapes[count:], strict=True):
            if given != row:
                raise ShapeError(
                    f"{self.__name__}: {name} has shape {given}; expected {row}, one value for "
                    f"each row along axis={axis} of {names[0]}{shape}"
                )
        return shape, axes

    def _stored(self, dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
        """The dtype of floating values: float64 where all operands are integers."""
        named = zip(self.program.operands, dtypes, strict=True)
        common = np.result_type(*(d for name, d in named if name not in self.program.integers))
        return common if is_float(common) else np.dtype("float64")

    # kernels ----------------------------------------------------------------------------------

    def row_call(
        self,
        operands: Sequence[Placed],
        outputs: Sequence[Placed],
        requests: Sequence[str],
        attributes: Mapping[str, Any],
    ) -> RowCall | None:
        """The kernel for arrays placed like these, with requests "write", "add" or "null"; None
        where the elements of a row do not lie one step apart."""
        keepdims = attributes.get("keepdims", False)
        shape, axes = self._shape(
            [o.shape for o in operands], attributes["axis"], keepdims=keepdims
        )
        asked = [o for o, r in zip(outputs, requests, strict=True) if r != "null"]
        one = [False] * len(self.program.elements) + [True] * len(self.program.rows)
        one += [r for (_, r), q in zip(self.program.results, requests, strict=True) if q != "null"]
        arrays = [*operands, *asked]
        strides = [_strides(a, shape, axes, row=row) for a, row in zip(arrays, one, strict=True)]
        kept = [d for d in range(len(shape)) if d not in axes]
        run = space([shape[d] for d in axes], [[s[d] for d in axes] for s in strides])
        if run.outer:
            return None
        outer = space([shape[d] for d in kept], [[s[d] for d in kept] for s in strides])
        where = Space(run.inner, run.steps, ((outer.inner, outer.steps), *outer.outer))
        classes = _classes(arrays, where, one, len(operands))
        own: list[int] = []
        beside = _beside(arrays, run, outer, len(operands)) if "s" in classes else None
        if beside is not None:
            where, classes, own = outer, beside, [run.inner, *run.steps]
        values = {name: attributes[name] for name in self.program.parameters}
        kinds = [kind_of_dtype(o.dtype) for o in operands]
        described = self.program.described(kinds, values)
        compute = compute_dtype(self._stored([o.dtype for o in operands]))
        key = (
            *(tuple(kinds), _names(arrays), classes, tuple(requests), bool(own)),
            _kinds(described.parameters),
        )
        found = self._kernels.get(key)
        if found is None:
            placed = self._placed(operands, outputs, requests, classes)
            loop = self.program.loop(described, compute, *placed, requests, beside=bool(own))
            code = _kernel(loop)
            nbytes = sum(a.dtype.itemsize for a, row in zip(arrays, one, strict=True) if not row)
            found = self._kernels[key] = code, per_element(described.captured(), nbytes)
        code, each = found
        numbers = {"count": run.inner, **values}
        words = [
            parameter_bytes(leaf.kind, numbers[str(leaf.data)], compute)
            for leaf in described.parameters
        ]
        words += [step.to_bytes(8, "little", signed=True) for step in own]
        cost = int(math.prod(shape) * each) + outer.size
        return RowCall(code, where, tuple(words), outer.size, max(1, cost))

    def _placed(
        self,
        operands: Sequence[Placed],
        outputs: Sequence[Placed],
        requests: Sequence[str],
        classes: Sequence[Layout],
    ) -> tuple[list[tuple[str, Layout]], list[tuple[str, Layout]]]:
        """Dtype and layout class of operands and of outputs."""
        found = iter(classes[len(operands) :])
        made: list[tuple[str, Layout]] = [
            (name_of(o.dtype), "c" if r == "null" else next(found))
            for o, r in zip(outputs, requests, strict=True)
        ]
        return list(zip(map(name_of, (o.dtype for o in operands)), classes, strict=False)), made

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
        words = [WORDS[request] for request in requests]
        if all(word == "null" for word in words):
            return
        ready = self._ready(inputs, outputs, words, attributes)
        if ready is None:
            self._rearranged(inputs, outputs, requests, attributes)
        else:
            ready.run((*inputs, *outputs))

    def ready(
        self, inputs: Sequence[Array], outputs: Sequence[Array], attributes: Mapping[str, Any]
    ) -> Ready | None:
        """See ArrayOp."""
        return self._ready(inputs, outputs, ["write"] * len(outputs), attributes)

    def _ready(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        words: Sequence[str],
        attributes: Mapping[str, Any],
    ) -> Ready | None:
        if config.compiler == "python":
            return None
        call = self.row_call(inputs, outputs, words, attributes)
        if call is None:
            return None
        where, count = call.where, len(inputs)
        asked = [count + k for k, word in enumerate(words) if word != "null"]
        tail = [*where.steps]
        tail += [int.from_bytes(p.ljust(8, b"\0"), "little", signed=True) for p in call.parameters]
        for extent, steps in where.outer:
            tail += [extent, *steps]
        head, order = (where.inner, len(where.outer)), (*range(count), *asked)
        return Ready(call.code, head, order, tuple(tail), call.rows, call.cost)

    def _rearranged(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        attributes: Mapping[str, Any],
    ) -> None:
        """By way of arrays whose rows are along the last axis."""
        keepdims = attributes.get("keepdims", False)
        shape, axes = self._shape([a.shape for a in inputs], attributes["axis"], keepdims=keepdims)
        kept = [d for d in range(len(shape)) if d not in axes]
        rows, length = tuple(shape[d] for d in kept), math.prod(shape[d] for d in axes)
        count = len(self.program.elements)
        flat = [
            np.broadcast_to(a, shape).transpose([*kept, *axes]).reshape(*rows, length)
            for a in inputs[:count]
        ]
        flat += [a.reshape(*rows, 1) for a in inputs[count:]]
        for out, made, request, (_, row) in zip(
            outputs, self._flat(flat, attributes), requests, self.program.results, strict=True
        ):
            if row:
                assign(out, request, made.reshape(out.shape))
                continue
            back = made.reshape(*rows, *(shape[d] for d in axes))
            assign(out, request, back.transpose(np.argsort([*kept, *axes])))

    def _flat(self, inputs: Sequence[Array], attributes: Mapping[str, Any]) -> list[Array]:
        """Results of rows along the last axis, with which results of a row are kept."""
        stored = self._stored([a.dtype for a in inputs])
        if config.compiler == "python":
            wide = np.dtype(compute_dtype(stored))
            values = [
                a if name in self.program.integers else a.astype(wide)
                for name, a in zip(self.program.operands, inputs, strict=True)
            ]
            return [v.astype(stored) for v in self.program.naive(values, attributes)]
        given: dict[str, Any] = {**attributes, "axis": -1, "keepdims": True}
        outputs = [np.empty(*spec) for spec in self._specs(*map(Spec.of, inputs), **given)]
        self.run(inputs, outputs, [OpReqType.kWriteTo] * len(outputs), given)
        return outputs


def _row_shape(shape: Shape, axes: Shape, *, keepdims: bool) -> Shape:
    """The shape of what has one value a row."""
    if keepdims:
        return tuple(1 if d in axes else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in axes)


def _strides(a: Placed, shape: Shape, axes: Shape, *, row: bool) -> Shape:
    """Byte strides along the axes of `shape`; 0 where the array has one value."""
    steps = [0 if n == 1 else s for n, s in zip(a.shape, a.strides, strict=True)]
    if row and len(a.shape) == len(shape):  # keepdims
        return tuple(0 if d in axes else s for d, s in enumerate(steps))
    if row:
        each = iter(steps)
        return tuple(0 if d in axes else next(each) for d in range(len(shape)))
    return (0,) * (len(shape) - len(steps)) + tuple(steps)


def _classes(
    arrays: Sequence[Placed], where: Space, one: Sequence[bool], operands: int
) -> tuple[Layout, ...]:
    """Compile-time classes of the steps along a row; one strided array makes all strided."""
    found: list[Layout] = []
    for k, (a, step, row) in enumerate(zip(arrays, where.steps, one, strict=True)):
        if row or (step == 0 and k < operands and where.inner != 1):
            found.append("0")
        else:
            found.append("c" if step == a.dtype.itemsize or where.inner == 1 else "s")
    return tuple("s" if "s" in found and c == "c" else c for c in found)


def _beside(
    arrays: Sequence[Placed], run: Space, outer: Space, operands: int
) -> tuple[Layout, ...] | None:
    """Classes of the steps from row to row, where enough rows lie side by side in memory."""
    if outer.inner < _BESIDE or not run.inner:
        return None
    found: list[Layout] = []
    for k, (a, step) in enumerate(zip(arrays, outer.steps, strict=True)):
        if step != a.dtype.itemsize and (step or k >= operands):
            return None
        found.append("c" if step else "0")
    return tuple(found)


def _kernel(loop: Loop) -> Kernel:
    from nbgraph.kernels.kernel import kernel  # the compiler's side loads when needed

    return kernel(loop)


def _names(arrays: Sequence[Placed]) -> tuple[str, ...]:
    return tuple(name_of(a.dtype) for a in arrays)


def _kinds(leaves: Sequence[Any]) -> tuple[str, ...]:
    return tuple(leaf.kind for leaf in leaves)
