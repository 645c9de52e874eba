"""Row programs from scalar functions: totals of a row, and results that use them.

>>> import math
>>> def shifted(x, top):
...     return math.exp(x - top)
>>> softmax = RowProgram(
...     "softmax",
...     totals={"top": ("max", lambda x: x), "total": ("add", shifted)},
...     results=[Result(lambda x, top, total: math.exp(x - top) / total)],
... )
>>> [[total.leaf.data for total in stage] for stage in softmax.described(["f"]).stages]
[['top'], ['total']]
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.kernel_errors import no_class
from nbgraph.kernels.function.scalar_function import Captured, WrittenFunction
from nbgraph.kernels.function.signature import Parameter, parameter_kinds
from nbgraph.kernels.loops.loop import Combine, Layout, Loop, Operand, Output, Total
from nbgraph.kernels.scalar.graph import GROWING, Graph, Node
from nbgraph.kernels.scalar.kinds import kind_of_value
from nbgraph.kernels.scalar.transplant import Transplant
from nbgraph.shape import Array, Arrays

COUNT, INDEX = "count", "index"  # names of the row's length and of the index in the row
REDUCED: dict[Combine, np.ufunc] = {
    "add": np.add,
    "multiply": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}
_IDENTITY: dict[Combine, float] = {"add": 0, "multiply": 1, "max": -np.inf, "min": np.inf}


class Result(NamedTuple):
    """An output: a value per element, or one for the whole row."""

    value: Callable[..., Any]
    row: bool = False


class Described(NamedTuple):
    """A program as one graph, for operands and parameters of certain kinds."""

    graph: Graph
    operands: tuple[Node, ...]
    parameters: tuple[Node, ...]  # the row's length first
    place: Node  # the index in the row
    stages: tuple[tuple[Total, ...], ...]
    outputs: tuple[Node, ...]

    def needed(self, outputs: Sequence[Node]) -> tuple[tuple[Total, ...], ...]:
        """Return the stages that these outputs need."""
        needed: list[tuple[Total, ...]] = []
        roots = list(outputs)
        for stage in reversed(self.stages):
            used = {node.id for node in self.graph.reachable(roots)}
            totals = tuple(total for total in stage if total.leaf.id in used)
            roots += [total.node for total in totals]
            needed += [totals] if totals else []
        return tuple(reversed(needed))

    def captured(self) -> Captured:
        """Return all that is computed per element, for estimates of its cost."""
        nodes = [total.node for stage in self.stages for total in stage]
        return Captured(self.graph, self.operands, self.parameters, (*nodes, *self.outputs))


def no_classes(label: Array, count: int) -> Array:
    """Return which labels are not integers from 0 to `count - 1`."""
    return ~((label >= 0) & (label < count) & (label == np.floor(label)))


class RowProgram:
    """The computation of every row, as scalar functions.

    Parameters
    ----------
    name : str
    totals : mapping of str to (combine, function)
        `combine` ("add", "multiply", "max", "min") of the function's values over the row.
    results : sequence of Result, or of functions of each element
    elements, rows : sequence of str
        Operands with a value per element, and with one per row.
    integers : sequence of str
        Operands that are integers below 2**31 in the functions; others are floating.
    classes : str, optional
        The one of `rows` that is an index in the row, also in `integers`: kernels of the host fail
        if it is out of range.

    The positional parameters of a function name operands, totals, the row's length ("count") and
    the index in the row ("index"); its keyword-only ones are scalar parameters of the program.
    Functions are captured once; totals must not depend on each other circularly.
    """

    def __init__(
        self,
        name: str,
        *,
        totals: Mapping[str, tuple[Combine, Callable[..., Any]]],
        results: Sequence[Result | Callable[..., Any]],
        elements: Sequence[str] = ("x",),
        rows: Sequence[str] = (),
        integers: Sequence[str] = (),
        classes: str | None = None,
    ) -> None:
        self.name, self.classes = name, classes
        self.elements, self.rows = tuple(elements), tuple(rows)
        self.integers = frozenset(integers if classes is None else (*integers, classes))
        self.operands = (*self.elements, *self.rows)
        self.totals: dict[str, tuple[Combine, WrittenFunction]] = {}
        for key, (combine, fn) in totals.items():
            self.totals[key] = combine, WrittenFunction(fn)  # type: ignore[arg-type]
        listed = [r if isinstance(r, Result) else Result(r) for r in results]
        self.results = tuple((WrittenFunction(r.value), r.row) for r in listed)  # type: ignore[arg-type]
        functions = [*(fn for _, fn in self.totals.values()), *(fn for fn, _ in self.results)]
        known = {*self.operands, *self.totals, COUNT, INDEX}
        for fn in functions:
            for operand in fn.operands:
                if operand not in known:
                    raise ArgumentError(
                        f"{name}: {fn.name} names {operand!r}, which is none of {sorted(known)}"
                    )
        self.parameters: dict[str, Parameter] = {
            p.name: p for fn in functions for p in fn.parameters
        }
        self.indexed = any(INDEX in fn.operands for fn in functions)
        self.levels = self._levels()
        self._described: dict[Any, Described] = {}

    def _levels(self) -> list[list[str]]:
        """Return totals by pass: each as early as its dependences allow."""
        level: dict[str, int] = {}
        while len(level) < len(self.totals):
            ready = {
                key: 1 + max((level[n] for n in fn.operands if n in self.totals), default=-1)
                for key, (_, fn) in self.totals.items()
                if key not in level and all(n in level for n in fn.operands if n in self.totals)
            }
            if not ready:
                rest = sorted(set(self.totals) - set(level))
                raise ArgumentError(f"{self.name}: totals {rest} depend on each other in a circle")
            level |= ready
        return [[k for k in level if level[k] == n] for n in sorted(set(level.values()))]

    # as a loop --------------------------------------------------------------------------------

    def described(
        self, kinds: Sequence[str], parameters: Mapping[str, Any] | None = None
    ) -> Described:
        """Return the program for operands of these kinds; of parameters only the kinds matter."""
        values = parameters or {}
        key = (tuple(kinds), parameter_kinds(values))
        described = self._described.get(key)
        if described is None:
            with GROWING:
                described = self._described[key] = self._describe(kinds, values)
        return described

    def _describe(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Described:
        graph = Graph()
        leaves = {n: graph.argument(n, k) for n, k in zip(self.operands, kinds, strict=True)}
        known = {
            n: graph.cast(leaf, "int32" if n in self.integers else "f")
            for n, leaf in leaves.items()
        }
        own = [graph.parameter(n, kind_of_value(v) or "f") for n, v in parameters.items()]
        known[COUNT] = graph.parameter(COUNT, "f")
        known[INDEX] = index = graph.argument(INDEX, "int32")
        stages: list[tuple[Total, ...]] = []
        for level in self.levels:
            totals: list[Total] = []
            for name in level:
                combine, fn = self.totals[name]
                leaf = graph.argument(name, "f")
                totals.append(Total(leaf, _inlined(graph, fn, known, parameters), combine))
            known |= {str(total.leaf.data): total.leaf for total in totals}
            stages.append(tuple(totals))
        outputs = [_inlined(graph, fn, known, parameters) for fn, _ in self.results]
        return Described(
            graph,
            tuple(leaves.values()),
            (known[COUNT], *own),
            index,
            tuple(stages),
            tuple(outputs),
        )

    def loop(
        self,
        described: Described,
        compute: str,
        operands: Sequence[tuple[str, Layout]],
        outputs: Sequence[tuple[str, Layout]],
        requests: Sequence[str],
        *,
        beside: bool = False,
        pieces: bool = False,
    ) -> Loop:
        """Return the loop for dtypes and layouts; an output with request "null" is omitted.

        `beside`: of form "columns"; `pieces`: a row is several runs. Their parameters follow the
        others, all integers.
        """
        written = [
            Output(node, dtype, layout, request, whole=beside and row)  # type: ignore[arg-type]
            for node, (dtype, layout), request, (_, row) in zip(
                described.outputs, outputs, requests, self.results, strict=True
            )
            if request != "null"
        ]
        taken = [
            Operand(n, *at, whole=beside and name in self.rows)
            for name, n, at in zip(self.operands, described.operands, operands, strict=True)
        ]
        steps = [f"_by{k}" for k in range(len(taken) + len(written))]
        own = ["_length", *steps] if beside or pieces else []
        return Loop(
            self.name,
            "columns" if beside else "rows",
            described.graph,
            compute,  # type: ignore[arg-type]
            tuple(taken),
            (*described.parameters, *(described.graph.parameter(name, "i") for name in own)),
            tuple(written),
            stages=described.needed([output.node for output in written]),
            pieces=pieces,
            index=described.place if self.indexed else None,
            classes=None if self.classes is None else self._operand(described, self.classes),
            disjoint=True,
        )

    def _require_classes(self, label: Array, count: int) -> None:
        wrong = np.flatnonzero(no_classes(label, count))
        if wrong.size:
            place = int(wrong[0])
            raise no_class(self.name, f"label.flat[{place}]", label.flat[place], count)

    def _operand(self, described: Described, name: str) -> Node:
        return described.operands[self.operands.index(name)]

    # the specification ------------------------------------------------------------------------

    def naive(self, values: Arrays, parameters: Mapping[str, Any]) -> list[Array]:
        """Return results of rows along the last axis, by running the text for every element.

        Operands with one value per row have a last axis of size 1, as do such results.
        """
        known: dict[str, Any] = {}
        for name, value in zip(self.operands, values, strict=True):
            known[name] = value.astype("int32") if name in self.integers else value
        shape = np.broadcast_shapes(*(v.shape for v in values))
        if self.classes is not None:
            self._require_classes(known[self.classes], shape[-1])
        known[COUNT] = np.asarray(shape[-1], np.result_type(*_floating(known)))
        known[INDEX] = np.arange(shape[-1], dtype="int32")
        for level in self.levels:
            for name in level:
                combine, fn = self.totals[name]
                each = np.broadcast_to(_evaluated(fn, known, parameters), shape)
                known[name] = REDUCED[combine].reduce(
                    each, axis=-1, keepdims=True, initial=_IDENTITY[combine]
                )
        results = [(_evaluated(fn, known, parameters), row) for fn, row in self.results]
        return [
            np.broadcast_to(value, (*shape[:-1], 1) if row else shape).copy()
            for value, row in results
        ]


def _floating(known: Mapping[str, Array]) -> list[Any]:
    return [v.dtype for v in known.values() if v.dtype.kind == "f"] or ["float64"]


def _evaluated(
    fn: WrittenFunction, known: Mapping[str, Any], parameters: Mapping[str, Any]
) -> Array:
    from nbgraph.operator.scalar import naive

    own = {p.name: parameters[p.name] for p in fn.parameters}
    (value,) = naive.call(fn, [known[name] for name in fn.operands], own, out=(None,))
    return value


def _inlined(
    graph: Graph, fn: WrittenFunction, known: Mapping[str, Node], parameters: Mapping[str, Any]
) -> Node:
    """Return a function's value in `graph`, as a floating one."""
    own = {p.name: parameters[p.name] for p in fn.parameters}
    captured = fn.capture([known[name].kind for name in fn.operands], own)
    replaced = {
        leaf.id: known[name] for leaf, name in zip(captured.operands, fn.operands, strict=True)
    }
    for leaf in captured.parameters:
        replaced[leaf.id] = graph.parameter(str(leaf.data), leaf.kind)
    (value,) = captured.outputs
    return graph.float(Transplant(captured.graph, graph, replaced)(value))
