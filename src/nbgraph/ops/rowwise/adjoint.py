"""The reverse mode of a row program, which gives a row program.

With g the out-gradients, an output f(x, t) of elements x and totals t = sum(h(x, s)) gives

    dx = g df/dx + sum over t of (dt) dh/dx,    dt = sum(g df/dt) + sum over later totals,

so a total's gradient is a total again, and values that differ within a row have a gradient per
element. Partials are those of scalar graphs (`kernels.derivatives.partials`). Factors of a term
that are constant in the row are moved out of its total, so totals do not depend on each other
without need, and equal ones coincide. Elements that attain an extreme share its gradient equally; a
total without influence (the largest element in a softmax) is recognised by evaluation.

Griewank and Walther, Evaluating Derivatives, chapter 3 (reverse mode), over the passes of a row.
"""

import random
from collections.abc import Mapping, Sequence

from nbgraph.kernels.derivatives.partials import partials
from nbgraph.kernels.loops.loop import Total
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.interpret import Evaluator, Undetermined
from nbgraph.kernels.scalar.multiprecision import MultiDomain
from nbgraph.kernels.scalar.transplant import Transplant
from nbgraph.operator.rows.row_program import Described
from nbgraph.ops.rowwise.tracing import fresh_argument, staged

_POINTS, _LENGTH, _SMALL = 4, 3, 1e-25  # tests for zero: number, row length, tolerance


class Adjoint:
    """The gradients of a program's operands, in its own graph."""

    def __init__(
        self, described: Described, row_outputs: Sequence[bool], row_operands: Sequence[bool]
    ) -> None:
        self.described, self.graph = described, described.graph
        graph = self.graph
        self.rows = [leaf for leaf, row in zip(described.operands, row_operands) if row]
        self.elements = {leaf.id for leaf, row in zip(described.operands, row_operands) if not row}
        self.elements.add(described.place.id)
        self.totals = {t.leaf.id: t for stage in described.stages for t in stage}
        self.own = list(self.totals.values())  # the program's own totals
        self.results: dict[int, Node] = {}  # what leaves stand for, by id
        one = len(described.outputs) == 1
        self.out_grads = tuple(
            fresh_argument(graph, "out_grad" if one else f"out_grad{k}")
            for k in range(len(described.outputs))
        )
        for leaf, row in zip(self.out_grads, row_outputs, strict=True):
            if not row:
                self.elements.add(leaf.id)
        self.seeds = [leaf for leaf in described.operands if leaf.kind == "f"]
        self.seeds += [total.leaf for total in self.own]
        # terms of a gradient, and whether each element of the row contributes one
        self.terms: dict[int, list[tuple[Node, bool]]] = {seed.id: [] for seed in self.seeds}
        for output, grad in zip(described.outputs, self.out_grads, strict=True):
            self._add_terms(output, grad, each=grad.id in self.elements)
        for total in reversed(self.own):
            self._propagate(total)

    def gradients(self) -> list[Node | None]:
        """Return the gradient of each operand, in order; None for operands that are not floats."""
        return [
            (self._summed(leaf) if leaf.kind == "f" else None) for leaf in self.described.operands
        ]

    # steps ------------------------------------------------------------------------------------

    def _add_terms(self, node: Node, gradient: Node, *, each: bool) -> None:
        """Add the contributions of a value with this gradient to operands and totals; `each` says
        that every element of the row has such a value."""
        for seed in self.seeds:
            (slope,) = partials(self.graph, [node], seed)
            if not (slope.op == "const" and slope.data == 0):
                term = self.graph.arithmetic("mul", gradient, slope)
                self.terms[seed.id].append((term, each))

    def _propagate(self, total: Total) -> None:
        """Propagate from a total to the elements it combines."""
        graph = self.graph
        gradient = self._summed(total.leaf)
        if _is_zero(self, gradient):
            return
        if total.combine == "add":
            share = gradient
        elif total.combine == "multiply":
            share = graph.arithmetic("mul", gradient, self._product_of_others(total))
        else:
            attains = graph.compare("eq", total.node, total.leaf)
            one = graph.select(attains, graph.const(1.0), graph.const(0.0))
            share = graph.arithmetic("div", gradient, self._total(one))
            share = graph.select(attains, share, graph.const(0.0))
        self._add_terms(total.node, share, each=True)

    def _product_of_others(self, total: Total) -> Node:
        """Return the product of the other elements, also if some are zero."""
        graph, x = self.graph, total.node
        one, zero = graph.const(1.0), graph.const(0.0)
        is_zero = graph.compare("eq", x, zero)
        zeros = self._total(graph.select(is_zero, one, zero))
        rest = self._total(graph.select(is_zero, one, x), "multiply")
        alone = graph.logical_and(is_zero, graph.compare("eq", zeros, one))
        others = graph.select(is_zero, zero, graph.arithmetic("div", rest, x))
        others = graph.select(graph.compare("eq", zeros, zero), others, zero)
        return graph.select(alone, rest, others)

    def _summed(self, seed: Node) -> Node:
        """Return the sum of a seed's terms; over the row if the seed is one number per row."""
        graph = self.graph
        result: Node | None = None
        for term, each in self.terms[seed.id]:
            value = term
            if each and seed.id not in self.elements:
                factor, rest = self._factored(term)
                alike = rest.op == "const"  # the same term for each element
                total = self.described.parameters[0] if alike else self._total(rest)
                if _is_zero(self, total):
                    continue  # for example, distances from a mean
                value = graph.arithmetic("mul", factor, total)
            result = value if result is None else graph.arithmetic("add", result, value)
        return graph.const(0.0) if result is None else result

    def _total(self, node: Node, combine: str = "add") -> Node:
        """Return the leaf of a total, an existing one if equal."""
        for known in self.totals.values():
            if known.combine == combine and known.node is node:
                return known.leaf
        leaf = fresh_argument(self.graph, f"total{len(self.totals)}")
        self.totals[leaf.id] = Total(leaf, node, combine)  # type: ignore[arg-type]
        return leaf

    def _varies(self, node: Node) -> bool:
        return any(n.id in self.elements for n in self.graph.reachable([node]))

    def _factored(self, node: Node) -> tuple[Node, Node]:
        """Return two factors of a value: one that is constant in the row, and the rest."""
        graph = self.graph
        if not self._varies(node):
            return node, graph.const(1.0)
        if node.op == "neg":
            factor, rest = self._factored(node.args[0])
            return graph.negate(factor), rest
        if node.op == "mul":
            (f, a), (g, b) = map(self._factored, node.args)
            return graph.arithmetic("mul", f, g), graph.arithmetic("mul", a, b)
        if node.op == "div" and not self._varies(node.args[1]):
            factor, rest = self._factored(node.args[0])
            return graph.arithmetic("div", factor, node.args[1]), rest
        return graph.const(1.0), node


# rows of a certain length, as scalar graphs ----------------------------------------------------


class Unrolled:
    """A program over a row of `length` elements as one scalar graph.

    So tools for scalar functions (evaluation with many digits, certificates) apply to row programs:
    each element of each operand is a leaf.
    """

    def __init__(
        self, described: Described, elements: set[int], length: int, totals: Mapping[int, Total]
    ) -> None:
        self.graph, self._source, self.length = Graph(), described.graph, length
        graph, inner = self.graph, described.graph
        self.leaves: dict[int, list[Node]] = {}  # by id of the program's leaf
        self.parameters = [graph.parameter(str(p.data), p.kind) for p in described.parameters[1:]]
        shared = {described.parameters[0].id: graph.const(float(length))}
        shared |= {
            leaf.id: new
            for leaf, new in zip(described.parameters[1:], self.parameters, strict=True)
        }
        for leaf in (n for n in inner.nodes if n.op == "arg"):
            if leaf is described.place or leaf.id in totals:
                continue
            names = [f"{leaf.data}[{k}]" for k in range(length if leaf.id in elements else 1)]
            arguments = [graph.argument(name, leaf.kind) for name in names]
            self.leaves[leaf.id] = arguments if leaf.id in elements else arguments * length
        self._known = [
            shared
            | {key: nodes[k] for key, nodes in self.leaves.items()}
            | {described.place.id: graph.cast(graph.const(k), "int32")}
            for k in range(length)
        ]
        for stage in staged(inner, totals):
            for total in stage:
                value = self._combined(total, self(total.node))
                for known in self._known:
                    known[total.leaf.id] = value

    def __call__(self, node: Node) -> list[Node]:
        """Return the counterparts of a value, one per element."""
        return [Transplant(self._source, self.graph, known)(node) for known in self._known]

    def _combined(self, total: Total, values: list[Node]) -> Node:
        graph = self.graph
        combined, *others = values
        for value in others:
            if total.combine in ("add", "multiply"):
                combined = graph.arithmetic(
                    "add" if total.combine == "add" else "mul", combined, value
                )
            else:
                better = graph.compare("gt" if total.combine == "max" else "lt", value, combined)
                combined = graph.select(better, value, combined)
        return combined


def _is_zero(adjoint: Adjoint, node: Node) -> bool:
    """Return whether a gradient is zero at random rows, in 40 digits and more."""
    if node.op == "const":
        return bool(node.data == 0)
    unrolled = Unrolled(adjoint.described, adjoint.elements, _LENGTH, adjoint.totals)
    root = unrolled(node)[0]
    rng, domain = random.Random(7), MultiDomain()
    known = 0
    for _ in range(_POINTS):
        leaves = {
            leaf.id: _sample(leaf.kind, rng, domain)
            for leaf in (
                *(n for many in unrolled.leaves.values() for n in many),
                *unrolled.parameters,
            )
        }
        try:
            value = Evaluator(unrolled.graph, leaves, domain)(root)
        except (Undetermined, OverflowError):
            continue
        if not abs(value) <= _SMALL:
            return False
        known += 1
    return known > 0


def _sample(kind: str, rng: random.Random, domain: MultiDomain) -> object:
    """Return a number for a leaf of this kind."""
    if kind == "f":
        return domain.number(rng.uniform(0.2, 1.7))
    return rng.random() < 0.5 if kind in ("b", "bool") else rng.randrange(_LENGTH)
