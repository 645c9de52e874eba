"""Row programs traced from a function, and their reverses."""

import inspect
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, CaptureError, NbgraphError
from nbgraph.kernels.function.signature import Parameter, is_static
from nbgraph.kernels.loops.loop import Total
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.interpret import Evaluator, FloatDomain
from nbgraph.kernels.scalar.kinds import kind_of_value
from nbgraph.kernels.scalar.transplant import Transplant
from nbgraph.operator.rows.row_program import Described, RowProgram
from nbgraph.ops.rowwise.adjoint import Adjoint, Unrolled
from nbgraph.ops.rowwise.results import by_results
from nbgraph.ops.rowwise.tracing import RowValue, Trace, fresh_argument, runnable, staged
from nbgraph.shape import Array, Arrays


class TracedProgram(RowProgram):
    """A row program traced from a Python function of a row."""

    def __init__(self, fn: Callable[..., Any], name: str, per_row: Sequence[str]) -> None:
        self.name, self.fn, self._run = name, fn, runnable(fn)
        self.elements, self.rows, self.parameters = _roles(name, fn, per_row)
        self.operands = (*self.elements, *self.rows)
        self.integers: frozenset[str] = frozenset()
        self.classes: str | None = None
        self._described: dict[Any, Described] = {}
        trace, outputs = self._traced(["f"] * len(self.operands), self.defaults)
        labels = [n for n in self.rows if n in trace.labels]
        if labels:
            self.integers, self.classes = frozenset(labels), labels[0]
            kinds = ["int32" if n in labels else "f" for n in self.operands]
            trace, outputs = self._traced(kinds, self.defaults)
        roots = [*outputs, *(total.node for total in trace.totals.values())]
        self.indexed = any(n is trace.index for n in trace.graph.reachable(roots))
        # only whether a result is one per row: single results have no texts
        self.results = tuple((None, not trace.varies(node)) for node in outputs)  # type: ignore[assignment]

    @property
    def defaults(self) -> dict[str, Any]:
        """Return the default values of parameters."""
        return {name: p.default for name, p in self.parameters.items()}

    def _traced(
        self, kinds: Sequence[str], parameters: Mapping[str, Any]
    ) -> tuple[Trace, list[Node]]:
        """Run the function on traced operands of these kinds."""
        trace = Trace(self.name, {*self.operands, *self.parameters})
        graph = trace.graph
        trace.leaves = [graph.argument(n, k) for n, k in zip(self.operands, kinds, strict=True)]
        trace.elements |= {leaf.id for leaf in trace.leaves[: len(self.elements)]}
        values = [
            RowValue(trace, graph.cast(leaf, "int32" if name in self.integers else "f"))
            for name, leaf in zip(self.operands, trace.leaves, strict=True)
        ]
        own: dict[str, Any] = {}
        for name in self.parameters:
            kind = kind_of_value(parameters[name])
            own[name] = parameters[name]
            if kind is not None and not is_static(parameters[name]):
                leaf = graph.parameter(name, kind)
                trace.parameters.append(leaf)
                own[name] = RowValue(trace, leaf)
        try:
            result = self._run(*values, **own)
        except (AttributeError, TypeError) as problem:
            text = str(problem)
            if isinstance(problem, NbgraphError) or not ("RowValue" in text or "NoneType" in text):
                raise
            hint = "a row has no shape or dtype: write x.size, operators, sums and extremes"
            raise CaptureError(f"{self.name}: {text}; {hint}") from problem
        outputs = result if isinstance(result, tuple | list) else (result,)
        if not outputs or result is None:
            raise ArgumentError(f"{self.name}: it returns {result!r}; return a value of the row")
        return trace, [graph.float(trace.node_of(value)) for value in outputs]

    def _describe(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Described:
        trace, outputs = self._traced(kinds, self.defaults | dict(parameters))
        return trace.described(trace.leaves, trace.parameters, outputs)

    def naive(self, values: Arrays, parameters: Mapping[str, Any]) -> list[Array]:
        """Return the results by running the function on the NumPy array of each row."""
        shape = np.broadcast_shapes(*(v.shape for v in values))
        if self.classes is not None:
            label = values[self.operands.index(self.classes)]
            self._require_classes(label.astype("int32"), shape[-1])
        count = len(self.elements)
        wide = [np.broadcast_to(v, shape) for v in values[:count]]
        dtype = np.result_type(*(v.dtype for v in wide))
        outputs = [np.empty((*shape[:-1], 1) if row else shape, dtype) for _, row in self.results]
        for at in np.ndindex(shape[:-1]):
            row = [v[at] for v in wide] + [
                int(v[at][0]) if name in self.integers else v[at][0]
                for name, v in zip(self.rows, values[count:], strict=True)
            ]
            results = self._run(*row, **{k: parameters[k] for k in self.parameters})
            for out, value in zip(
                outputs, results if isinstance(results, tuple | list) else (results,)
            ):
                out[at] = value
        return outputs


_RESULT = re.compile(r"out\d+$")  # a name that means a result


class AdjointProgram(RowProgram):
    """The gradients of some operands of a program, from those of some outputs. `kept`: the operands
    and results ("out0") of the program that it may read."""

    def __init__(
        self, of: RowProgram, wanted: Sequence[int], outputs: Sequence[int], kept: Collection[str]
    ) -> None:
        self.of, self.wanted, self.seeded = of, tuple(wanted), tuple(outputs)
        self.name, self.parameters = f"{of.name}_gradient", of.parameters
        row = [one for _, one in of.results]
        self.grads = [self._name(k) for k in self.seeded]
        places = (
            range(len(row)) if "out" in kept else [int(n[3:]) for n in kept if _RESULT.match(n)]
        )
        self.kept = {k: self._name(k, "result") for k in sorted(places)}
        others = [(k, self._name(k)) for k in self.seeded] + [*self.kept.items()]
        self.elements = (
            *(n for n in of.elements if n in kept),
            *(name for k, name in others if not row[k]),
        )
        self.rows = (*(n for n in of.rows if n in kept), *(name for k, name in others if row[k]))
        self.operands = (*self.elements, *self.rows)
        self.integers, self.classes, self.indexed = of.integers, of.classes, of.indexed
        self.results = tuple((None, of.operands[i] in of.rows) for i in self.wanted)  # type: ignore[assignment]
        self._described: dict[Any, Described] = {}

    def _name(self, output: int, what: str = "out_grad") -> str:
        """Return a name that no operand of the program has."""
        name = what if len(self.of.results) == 1 else f"{what}{output}"
        while name in self.of.operands:
            name += "_"
        return name

    def _reverse(
        self, kinds: Sequence[str], parameters: Mapping[str, Any]
    ) -> tuple[Adjoint, dict[str, Node], list[Node], Mapping[int, Total]]:
        """Return the reverse of the program for these kinds of operands, the leaf of each name, the
        wanted gradients, and their totals."""
        own = dict(zip(self.operands, kinds, strict=True))
        inner = self.of._describe([own.get(name, "f") for name in self.of.operands], parameters)
        results, rows = inner.outputs, [row for _, row in self.of.results]
        inner = inner._replace(outputs=tuple(results[k] for k in self.seeded))
        reverse = Adjoint(
            inner,
            [rows[k] for k in self.seeded],
            [name in self.of.rows for name in self.of.operands],
        )
        gradients, graph, elements = reverse.gradients(), reverse.graph, set(reverse.elements)
        leaves = dict(zip(self.of.operands, inner.operands, strict=True))
        leaves |= dict(zip(self.grads, reverse.out_grads, strict=True))
        zero = graph.const(0.0)
        roots = [zero if (g := gradients[i]) is None else g for i in self.wanted]
        for k, name in self.kept.items():
            leaf = leaves[name] = fresh_argument(graph, name)
            reverse.results[leaf.id] = results[k]
            elements |= set() if rows[k] else {leaf.id}
        totals = dict(sorted(reverse.totals.items()))
        if self.kept:
            known = {results[k]: leaves[name] for k, name in self.kept.items()}
            roots, totals = by_results(graph, roots, totals, known, elements, reverse.own)
        return reverse, leaves, roots, totals

    def claimed(
        self, kinds: Sequence[str], parameters: Mapping[str, Any]
    ) -> tuple[Adjoint, list[Node], Mapping[int, Total]]:
        """Return the reverse, and its gradients with results substituted, for certification."""
        reverse, _, roots, totals = self._reverse(kinds, parameters)
        back = Transplant(reverse.graph, reverse.graph, reverse.results)
        written = {key: total._replace(node=back(total.node)) for key, total in totals.items()}
        return reverse, [back(root) for root in roots], {**reverse.totals, **written}

    def _describe(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Described:
        reverse, leaves, roots, totals = self._reverse(kinds, parameters)
        return Described(
            reverse.graph,
            tuple(leaves[name] for name in self.operands),
            reverse.described.parameters,
            reverse.described.place,
            staged(reverse.graph, totals),
            tuple(roots),
        )

    def naive(self, values: Arrays, parameters: Mapping[str, Any]) -> list[Array]:
        """Return the results by evaluating the scalar graph of each row, element by element."""
        shape = np.broadcast_shapes(*(v.shape for v in values))
        dtype = np.result_type(*(v.dtype for v in values if v.dtype.kind == "f"))
        outputs = [np.zeros((*shape[:-1], 1) if row else shape, dtype) for _, row in self.results]
        if shape[-1] == 0:  # a sum over no elements is 0
            return outputs
        described = self.described(["f"] * len(values), parameters)
        inside = {
            leaf.id for leaf, n in zip(described.operands, self.operands) if n in self.elements
        }
        totals = {t.leaf.id: t for stage in described.stages for t in stage}
        unrolled = Unrolled(described, inside, shape[-1], totals)
        roots = [unrolled(node) for node in described.outputs]
        wide = [np.broadcast_to(v, shape) for v in values]
        fixed = {leaf.id: parameters[str(leaf.data)] for leaf in unrolled.parameters}
        for at in np.ndindex(shape[:-1]):
            leaves: dict[int, Any] = dict(fixed)
            for leaf, value in zip(described.operands, wide, strict=True):
                for node, number in zip(unrolled.leaves[leaf.id], value[at]):
                    leaves[node.id] = float(number)
            evaluate = Evaluator(unrolled.graph, leaves, FloatDomain())
            for out, nodes in zip(outputs, roots, strict=True):
                out[at] = [evaluate(node) for node in nodes[: out.shape[-1]]]
        return outputs


_CALLS = "axis", "keepdims", "out", "self"  # names of a call's own arguments


def _roles(
    name: str, fn: Callable[..., Any], per_row: Sequence[str]
) -> tuple[tuple[str, ...], tuple[str, ...], dict[str, Parameter]]:
    """Return the operands with one value per element, those with one per row, the parameters."""
    operands: list[str] = []
    parameters: dict[str, Parameter] = {}
    for key, parameter in inspect.signature(fn).parameters.items():
        if key in _CALLS:
            raise ArgumentError(f"{name}: {key} has a meaning in every call; rename it")
        if parameter.kind in (parameter.VAR_POSITIONAL, parameter.VAR_KEYWORD):
            raise ArgumentError(f"{name}: {parameter}; give each operand and parameter a name")
        if parameter.kind != parameter.KEYWORD_ONLY and parameter.default is not parameter.empty:
            raise ArgumentError(
                f"{name}: the operand {key} has a default; scalar parameters stand behind a *, as "
                f"in {name}(x, *, {key}={parameter.default!r})"
            )
        if parameter.kind != parameter.KEYWORD_ONLY:
            operands.append(key)
        elif parameter.default is parameter.empty:
            raise ArgumentError(f"{name}: the parameter {key} has no default; give it one")
        else:
            parameters[key] = Parameter(key, parameter.default)
    unknown = [key for key in per_row if key not in operands]
    if unknown:
        raise ArgumentError(f"{name}: per_row={unknown}; the operands are {operands}")
    count = len(operands) - len(per_row)
    if count < 1 or set(operands[count:]) != set(per_row):
        raise ArgumentError(
            f"{name}({', '.join(operands)}): operands with one value a row ({', '.join(per_row)}) "
            "stand behind those with one for each element, of which there is one at least"
        )
    return tuple(operands[:count]), tuple(operands[count:]), parameters
