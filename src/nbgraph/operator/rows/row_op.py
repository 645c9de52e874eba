"""Row programs as operators over whole arrays: `axis` selects what a row is.

The operator has one kernel, for row-major arrays of the given shapes. Other layouts are passed as
they are if that kernel supports them, else copied, and so are rows over several axes that do not
merge. So the bits of a row's results depend on shapes, axes and dtypes alone: not on strides, nor
on which thread runs a row.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from nbgraph.dtype import compute_dtype, is_float, name_of
from nbgraph.errors import ArgumentError, DTypeError, require_shape
from nbgraph.kernel_errors import public_name
from nbgraph.kernels.function.signature import resolve_parameters
from nbgraph.kernels.loops.cost import of_kernel, per_element
from nbgraph.kernels.scalar.kinds import kind_of_dtype
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Spec
from nbgraph.operator.arrays.shortcuts import floats_of
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered, in_word, of_space
from nbgraph.operator.layout import Class, Layout, Layouts, classes_of, layout, merged, packed
from nbgraph.operator.rows.row_program import Described, Result, RowProgram
from nbgraph.operator.scalar.typing import parameter_bytes
from nbgraph.shape import Array, Arrays, Shape, Shapes, Space, axes_of, broadcast, space

if TYPE_CHECKING:
    from nbgraph.kernels.compiler.kernel import Kernel
    from nbgraph.kernels.loops.loop import Loop


class RowOp(ArrayOp):
    """A `RowProgram` as an operator.

    Attributes of a call: `axis` (an int, a tuple or None, by default the last), `keepdims` if a
    result has one value per row, and the program's scalar parameters. Operands with a value per
    element broadcast; those with one per row have the shape of such a result.

    >>> program = RowProgram(
    ...     "centred",
    ...     totals={"total": ("add", lambda x: x)},
    ...     results=[Result(lambda x, total, count: x - total / count)],
    ... )
    >>> RowOp(program)(np.float32([[1, 3], [2, 6]]), axis=0)
    array([[-0.5, -1.5],
           [ 0.5,  1.5]], dtype=float32)
    """

    kernels = ("host", "devices")

    at_once: tuple[RowOp, RowOp] | None = None  # its gradient, and both as one operator
    reverse: Any = None  # the operator whose gradient it is
    axis: int | None = -1  # the default axis of a row
    pushed: Sequence[str] = ()  # integer parameters whose values a push passes

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
        self.program, self.numeric = program, tuple(program.parameters)
        self._parameters = tuple(program.parameters.values())
        self._by_rows = bool(program.rows) or any(row for _, row in program.results)
        self._kernels: dict[Any, tuple[Kernel, float]] = {}  # and nanoseconds per element

    @classmethod
    def of(
        cls,
        name: str,
        operands: str,
        totals: Mapping[str, tuple[Any, Callable[..., Any]]],
        results: Sequence[Result | Callable[..., Any]],
        gradient: Callable[[Gradients], Sequence[Any]] | None = None,
        keeps: str | None = None,
        **roles: Any,
    ) -> Self:
        """Return the operator of a RowProgram; in `operands`, those with one value per row follow a
        bar. `keeps`: the names that its gradient reads, by default all operands."""
        elements, rows = (part.split() for part in f"{operands}|".split("|")[:2])
        parts: dict[str, Any] = {"elements": elements, "rows": rows, **roles}
        program = RowProgram(name, totals=totals, results=results, **parts)
        kept = program.operands if keeps is None else keeps.split()
        return cls(program, gradient=gradient, keeps=kept if gradient is not None else ())

    def normalise(self, attributes: Attributes) -> Mapping[str, Any]:
        values = dict(attributes)
        axes = {"axis": values.pop("axis", self.axis)}
        if self._by_rows:
            axes["keepdims"] = bool(values.pop("keepdims", False))
        if not values and not self._parameters:
            return axes
        return {**axes, **resolve_parameters(self.__name__, self._parameters, values)}

    def values(self, attributes: Attributes) -> Sequence[Any]:
        return [*super().values(attributes), *(attributes[name] for name in self.pushed)]

    # shapes and dtypes ------------------------------------------------------------------------

    def _specs(self, *operands: Spec, **attributes: Any) -> list[Spec]:
        shape, axes = self._shape([spec.shape for spec in operands], attributes)
        row = row_shape(shape, axes, keepdims=attributes.get("keepdims", False))
        stored = self._stored([spec.dtype for spec in operands])
        return [Spec(row if one else shape, stored) for _, one in self.program.results]

    def axes(self, count: int, attributes: Attributes) -> Shape:
        """Return the axes of a row, among `count` axes."""
        return axes_of(self.__name__, attributes.get("axis", self.axis), count)

    def _shape(self, shapes: Sequence[Shape], attributes: Attributes) -> tuple[Shape, Shape]:
        """Return the shape of elements, and the axes of a row."""
        names, count = self.program.operands, len(self.program.elements)
        public = public_name(self.__name__)
        shape = broadcast(public, list(zip(names[:count], shapes[:count], strict=True)))
        axes, axis = self.axes(len(shape), attributes), attributes.get("axis", self.axis)
        if self.program.indexed and len(axes) != 1:
            raise ArgumentError(f"{self.__name__}: axis={axis}; expected one axis")
        row = row_shape(shape, axes, keepdims=attributes.get("keepdims", False))
        for name, own_shape in zip(names[count:], shapes[count:], strict=True):
            why = f"one value for each row along axis={axis} of {names[0]}{shape}"
            require_shape(f"{public}: {name}", own_shape, row, why)
        return shape, axes

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        """See ArrayOp: an array with one value per row has the elements' shape without the axes."""
        count, rows = len(self.program.elements), len(self.program.rows)
        elements = list(in_shapes[:count])
        if count == 1:
            whole = [s for s, (_, r) in zip(out_shapes, self.program.results, strict=True) if not r]
            elements = [next((s for s in (*elements, *whole) if s is not None), None)]
        if any(s is None or None in s for s in elements) and (count > 1 or elements[0] is None):
            return None
        named = zip(self.program.operands, elements, strict=False)
        shape: Any = elements[0] if count == 1 else broadcast(self.__name__, list(named))  # type: ignore[arg-type]
        row = row_shape(
            shape, self.axes(len(shape), attributes), keepdims=attributes.get("keepdims", False)
        )
        outputs = [row if one else shape for _, one in self.program.results]
        return (*elements, *[row] * rows), outputs

    def _stored(self, dtypes: Sequence[np.dtype[Any]]) -> np.dtype[Any]:
        """Return the dtype of floating values: float64 if all operands are integers."""
        named = zip(self.program.operands, dtypes, strict=True)
        common = np.result_type(*(d for name, d in named if name not in self.program.integers))
        if common.kind == "c":
            raise DTypeError(
                f"{self.__name__}: operands of {common}; expected real ones: give it real or "
                "imaginary parts, or sizes (ng.abs)"
            )
        return common if is_float(common) else np.dtype("float64")

    # kernels ----------------------------------------------------------------------------------

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: the single kernel for row-major arrays."""
        arrays, count = case.arrays, len(case.operands)
        places: list[Layout | None] = [None] * len(arrays)
        shape, axes, one = self._rows(case.operands, case.attributes)
        usual = row_major(arrays, one, shape, axes)
        call = self._call(case, usual)
        if call is None:
            pairs = zip(arrays, usual, strict=True)
            places = [None if a.strides == u.strides else u for a, u in pairs]
            laid = [a if p is None else p for a, p in zip(arrays, places, strict=True)]
            words = [
                q if p is None or q == "null" else "write"
                for q, p in zip(case.requests, places[count:], strict=True)
            ]
            laid_out = case._replace(operands=laid[:count], outputs=laid[count:], requests=words)
            call = self._call(laid_out, usual)
            assert call is not None, self
        return Lowered((call,), tuple(places)) if call.size else None

    def _call(self, case: Application, usual: Layouts) -> KernelCall | None:
        """Return the kernel for these layouts; None if the row-major one rejects them."""
        operands, outputs, requests, attributes, _ = case
        shape, axes, one = self._rows(operands, attributes)
        asked = [len(operands) + k for k in case.needed]
        order = (*range(len(operands)), *asked)
        arrays = [case.arrays[k] for k in order]
        one = [one[k] for k in order]
        spaces = spaces_of(arrays, one, shape, axes)
        usual = [usual[k] for k in order]
        short = SHORT_ROW if case.host else 0
        classes, beside, runs = form_of_rows(usual, one, len(operands), shape, axes, short)
        if spaces is None or not (0 in shape or takes(classes, spaces[beside], arrays)):
            return None
        run, outer = spaces
        if runs_of(run) != runs:
            return None
        pieces = len(run.outer) > 0
        where = outer if beside else Space(run.inner, run.steps, dimensions(outer))
        values = {name: attributes[name] for name in self.program.parameters}
        kinds = [kind_of_dtype(o.dtype) for o in operands]
        described = self.program.described(kinds, values)
        floats = floats_of(self.numeric, attributes)
        last = [*floats, *self.pushed]  # of the record's numbers
        length, *leaves = described.parameters
        leaves.sort(key=lambda leaf: last.index(leaf.data) if leaf.data in last else -1)  # type: ignore[arg-type]
        described = described._replace(parameters=(length, *leaves))
        compute = compute_dtype(self._stored([o.dtype for o in operands]))
        key = (
            *(tuple(kinds), tuple(name_of(a.dtype) for a in arrays), classes, tuple(requests)),
            *(beside, pieces, tuple((leaf.data, leaf.kind) for leaf in described.parameters)),
        )
        kernel = self._kernels.get(key)
        if kernel is None:
            placed = self._placed(operands, outputs, requests, classes)
            loop = self.program.loop(
                described, compute, *placed, requests, beside=beside, pieces=pieces
            )
            code = _kernel(loop)
            nbytes = sum(a.dtype.itemsize for a, row in zip(arrays, one, strict=True) if not row)
            kernel = self._kernels[key] = code, each_element(described, one, nbytes)
        code, each = kernel
        own = [(leaf.kind, values[leaf.data]) for leaf in leaves if leaf.data not in last]
        own.insert(0, (length.kind, run.size))
        words = [in_word(parameter_bytes(*number, compute)) for number in own]
        block = of_space(where, words)
        for extent, steps in dimensions(run)[:1] if beside else run.outer:
            block["tail"] = (extent, *steps, *block["tail"])
        cost = max(1, int(math.prod(shape) * each) + outer.size)
        return KernelCall(
            self.__name__,
            code,
            order=order,
            size=outer.size,
            cost=of_kernel(code.loop, cost),
            writes=len(asked),
            scalars=(("f", compute),) * len(floats) + (("i", "int64"),) * len(self.pushed),
            **block,
        )

    def _rows(
        self, operands: Sequence[Layout | Array], attributes: Attributes
    ) -> tuple[Shape, Shape, list[bool]]:
        """Return the shape of elements, axes of a row, and which arrays have one value per row."""
        shape, axes = self._shape([o.shape for o in operands], attributes)
        one = [False] * len(self.program.elements) + [True] * len(self.program.rows)
        return shape, tuple(sorted(axes)), one + [row for _, row in self.program.results]

    def _placed(
        self, operands: Layouts, outputs: Layouts, requests: Sequence[str], classes: Sequence[Class]
    ) -> tuple[list[tuple[str, Any]], list[tuple[str, Any]]]:
        """Return dtype and layout class of operands and of outputs."""
        placed = iter(classes[len(operands) :])
        pairs: list[tuple[str, Any]] = [
            (name_of(o.dtype), "c" if r == "null" else next(placed))
            for o, r in zip(outputs, requests, strict=True)
        ]
        return list(zip(map(name_of, (o.dtype for o in operands)), classes, strict=False)), pairs

    # the specification ------------------------------------------------------------------------

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *__: Any) -> None:
        shape, axes, _ = self._rows(inputs, attributes)
        kept = [d for d in range(len(shape)) if d not in axes]
        rows, length = tuple(shape[d] for d in kept), math.prod(shape[d] for d in axes)
        count = len(self.program.elements)
        flat = [
            np.broadcast_to(a, shape).transpose([*kept, *axes]).reshape(*rows, length)
            for a in inputs[:count]
        ]
        flat += [a.reshape(*rows, 1) for a in inputs[count:]]
        stored = self._stored([a.dtype for a in inputs])
        wide = np.dtype(compute_dtype(stored))
        values = [
            a if name in self.program.integers else a.astype(wide)
            for name, a in zip(self.program.operands, flat, strict=True)
        ]
        results = [v.astype(stored) for v in self.program.naive(values, attributes)]
        for out, value, (_, row) in zip(outputs, results, self.program.results, strict=True):
            if row:
                out[...] = value.reshape(out.shape)
                continue
            back = value.reshape(*rows, *(shape[d] for d in axes))
            out[...] = back.transpose(np.argsort([*kept, *axes]))


def _kernel(loop: Loop) -> Kernel:
    from nbgraph.kernels.compiler.kernel import kernel  # the compiler is loaded when needed

    return kernel(loop)


_BESIDE = 16  # adjacent rows from which they are processed together
SHORT_ROW = 31  # elements of a row up to which rows need not be adjacent


def spaces_of(
    arrays: Layouts, one: Sequence[bool], shape: Shape, axes: Shape
) -> tuple[Space, Space] | None:
    """Return the spaces along a row and over rows; None if a row is not a number of equal runs."""
    strides = [_strides(a, shape, axes, row=row) for a, row in zip(arrays, one, strict=True)]
    kept = [d for d in range(len(shape)) if d not in axes]
    run, outer = (
        space([shape[d] for d in own], [[s[d] for d in own] for s in strides], sort=own is kept)
        for own in (axes, kept)
    )
    if 0 in shape:
        run = Space(run.size, run.steps, ())
    if run.outer:
        (_, by), *more = run.outer
        each = zip(run.steps, by, arrays, strict=True)
        near = all(s == a.dtype.itemsize or s == b == 0 for s, b, a in each)
        if more or not near:
            return None
    return run, outer


def runs_of(run: Space) -> Shape:
    """Return the extents of a row: of its run, or of a run and the number of runs."""
    return run.inner, *(extent for extent, _ in run.outer)


def each_element(described: Described, one: Sequence[bool], nbytes: int) -> float:
    """Return nanoseconds per element; values that depend on the row alone count per row."""
    rows = {leaf.id for leaf, row in zip(described.operands, one) if row}
    rows |= {total.leaf.id for stage in described.stages for total in stage}
    return per_element(described.captured(), nbytes, rows)


def dimensions(outer: Space) -> tuple[tuple[int, Shape], ...]:
    """Return extents and strides of a space, innermost first."""
    return (outer.inner, outer.steps), *outer.outer


def form_of_rows(
    arrays: Layouts, one: Sequence[bool], operands: int, shape: Shape, axes: Shape, short: int
) -> tuple[tuple[Class, ...], bool, Shape]:
    """Return the compile-time classes of steps along a row, or between rows if these are adjacent
    or have at most `short` elements; whether that is so; and `runs_of` a row."""
    spaces = spaces_of(arrays, one, shape, axes)
    assert spaces is not None, shape
    run, outer = spaces
    classes = classes_of(arrays, run, operands, one)
    is_short = run.inner <= short and not run.outer
    beside = _beside(arrays, run, outer, operands) if is_short or "s" in classes else None
    if beside is not None and "s" in beside and not is_short:
        beside = None
    return (beside or classes), beside is not None, runs_of(run)


def takes(classes: Sequence[Class], along: Space, arrays: Layouts) -> bool:
    """Return whether a kernel of these classes supports arrays with such strides."""
    return along.inner == 1 or all(
        c == "s" or step == (a.dtype.itemsize if c == "c" else 0)
        for c, step, a in zip(classes, along.steps, arrays, strict=True)
    )


def row_major(arrays: Layouts, one: Sequence[bool], shape: Shape, axes: Shape) -> list[Layout]:
    """Return row-major layouts of the arrays; if the axes of a row do not merge, with these last,
    and broadcast along them if that is necessary."""
    places = [layout(a.shape, a.dtype) for a in arrays]
    if spaces_of(places, one, shape, axes) is not None:
        return places
    return [p if row else _behind(p, shape, axes) for p, row in zip(places, one, strict=True)]


def _behind(a: Layout, shape: Shape, axes: Shape) -> Layout:
    lead = len(shape) - len(a.shape)
    order = sorted(range(len(a.shape)), key=lambda d: (d + lead in axes, d))
    own = packed(a.shape, a.dtype, order)
    if merged(shape, axes, _strides(own, shape, axes, row=False)):
        return own
    return _behind(layout(shape, a.dtype), shape, axes)


def row_shape(shape: Shape, axes: Shape, *, keepdims: bool) -> Shape:
    """Return the shape of an array with one value per row."""
    if keepdims:
        return tuple(1 if d in axes else n for d, n in enumerate(shape))
    return tuple(n for d, n in enumerate(shape) if d not in axes)


def _strides(a: Layout, shape: Shape, axes: Shape, *, row: bool) -> Shape:
    """Return byte strides along the axes of `shape`; 0 where the array broadcasts."""
    steps = [0 if n == 1 else s for n, s in zip(a.shape, a.strides, strict=True)]
    if row and len(a.shape) == len(shape):  # keepdims
        return tuple(0 if d in axes else s for d, s in enumerate(steps))
    if row:
        each = iter(steps)
        return tuple(0 if d in axes else next(each) for d in range(len(shape)))
    return (0,) * (len(shape) - len(steps)) + tuple(steps)


def _beside(arrays: Layouts, run: Space, outer: Space, operands: int) -> tuple[Class, ...] | None:
    """Return classes of the steps from row to row, if there are enough rows."""
    if outer.inner < _BESIDE or not run.inner:
        return None
    return classes_of(arrays, outer, operands)
