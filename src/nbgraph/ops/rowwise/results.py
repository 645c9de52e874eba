"""Rewriting of a reverse to read the program's own results instead of recomputing them.

A softmax y = e / sum(e), e = exp(x - max), has the gradient g y - y sum(g y): with y available
neither the largest element nor the powers are needed. So a result, its reciprocal, the costly
factor of its product with numbers of the row, and the power of its difference, if a logarithm, are
replaced by it, and products are normalised so that factors cancel.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence

from nbgraph.kernels.loops.loop import Total
from nbgraph.kernels.loops.rows import COSTLY
from nbgraph.kernels.scalar.graph import Graph, Node
from nbgraph.kernels.scalar.transplant import Transplant

Powers = Counter[Node]  # factors with exponents
Factors = tuple[int, Powers]  # a sign, and the factors
Totals = dict[int, Total]


class Monomials:
    """Products and sums of a graph with factors collected; `varies`: within a row."""

    def __init__(self, graph: Graph, varies: Callable[[Node], bool]) -> None:
        self.graph, self.varies = graph, varies

    def tidy(self, node: Node) -> Node:
        """Return an equal node with factors cancelled and moved out of sums."""
        terms = [*self._terms(node, 1)]
        common = terms[0][1]
        for _, factors in terms[1:]:
            common = Counter({n: e for n, e in common.items() if factors[n] == e})
        parts = [self.product((sign, _quotient(factors, common))) for sign, factors in terms]
        total = parts[0]
        for part in parts[1:]:
            total = self.graph.arithmetic("add", total, part)
        if len(parts) == 1:
            return self.product(terms[0])
        return self.graph.arithmetic("mul", self.product((1, common)), total)

    def _terms(self, node: Node, sign: int) -> list[Factors]:
        if node.op in ("add", "sub"):
            a, b = node.args
            return self._terms(a, sign) + self._terms(b, sign if node.op == "add" else -sign)
        if node.op == "neg":
            return self._terms(node.args[0], -sign)
        own, factors = self.factors(node)
        return [(sign * own, factors)]

    def factors(self, node: Node) -> Factors:
        """Return the factors of a node."""
        if node.op == "neg":
            sign, factors = self.factors(node.args[0])
            return -sign, factors
        if node.op in ("mul", "div"):
            (s, a), (t, b) = map(self.factors, node.args)
            inverse = Counter({n: -e for n, e in b.items()})
            return s * t, _quotient(a, inverse if node.op == "mul" else b)
        if node.op == "select" and (product := self._guarded(node)) is not None:
            return self.factors(product)
        if node.op == "const":
            return 1, Counter() if node.data == 1 else Counter({node: 1})
        return 1, Counter({self.tidy(node) if node.op in ("add", "sub") else node: 1})

    def _guarded(self, node: Node) -> Node | None:
        """Return the product of a factor and numbers of the row that is 0 where the factor is, or
        None: if those are not finite, the result that replaces it is not either."""
        (test, other, product), zero = node.args, self.graph.const(0.0)
        checked = self.graph.select(self.graph.compare("ne", product, product), zero, product)
        if test.op != "eq" or test.args[1] is not zero or other is not checked:
            return None
        _, factors = self.factors(product)
        _, own = self.factors(test.args[0])
        return product if not any(map(self.varies, _quotient(factors, own))) else None

    def product(self, factors: Factors) -> Node:
        """Return the product; numbers of the row come first, as they are computed once."""
        (sign, powers), graph = factors, self.graph
        total = graph.const(float(sign))
        for varying in (False, True):
            below = graph.const(1.0)
            for node in sorted(powers, key=lambda n: n.id):
                exponent = powers[node] if self.varies(node) is varying else 0
                for _ in range(abs(exponent)):
                    if exponent > 0:
                        total = graph.arithmetic("mul", total, node)
                    else:
                        below = graph.arithmetic("mul", below, node)
            total = graph.arithmetic("div", total, below)
        return total

    def known(self, node: Node, leaf: Node) -> dict[int, Node]:
        """Return the values that a result determines, by id."""
        graph, sources = self.graph, {node.id: leaf}
        (sign, factors), one = self.factors(node), graph.const(1.0)
        if node.op == "div" and node.args[0] is one:
            sources[node.args[1].id] = graph.arithmetic("div", one, leaf)
        varying = [n for n in factors if self.varies(n)]
        if len(varying) == 1 and factors[varying[0]] == 1 and varying[0].op in COSTLY:
            rest = Counter({n: -e for n, e in factors.items() if n is not varying[0]})
            sources[varying[0].id] = graph.arithmetic("mul", leaf, self.product((sign, rest)))
        if node.op == "sub" and node.args[1].op == "call" and node.args[1].data == "log":
            power, level = graph.call("exp", node.args[0]), node.args[1].args[0]
            sources[power.id] = graph.arithmetic("mul", graph.call("exp", leaf), level)
        return sources


def _quotient(a: Powers, b: Powers) -> Powers:
    """Return the quotient of two products."""
    both = {n: a[n] - b[n] for n in (*a, *b)}
    return Counter({n: e for n, e in both.items() if e})


def by_results(
    graph: Graph,
    roots: Sequence[Node],
    totals: Totals,
    results: Mapping[Node, Node],
    elements: set[int],
    own: Sequence[Total],
) -> tuple[list[Node], Totals]:
    """Return gradients and totals over leaves for the results, if that saves one of the program's
    `own` totals; else unchanged. `elements`: ids of leaves that differ within a row."""
    forms = Monomials(graph, lambda node: any(n.id in elements for n in graph.reachable([node])))
    replaced: dict[int, Node] = {}
    for node, leaf in results.items():
        replaced |= forms.known(node, leaf)
    moved: Totals = {}
    for total in totals.values():  # a total follows those it contains
        if total in own:
            moved[total.leaf.id] = total
            continue
        sign, powers = forms.factors(forms.tidy(Transplant(graph, graph, replaced)(total.node)))
        if total.combine != "add":
            sign, powers = 1, Counter({Transplant(graph, graph, replaced)(total.node): 1})
        whole = total.combine != "add"
        inside = Counter({n: e for n, e in powers.items() if whole or forms.varies(n)})
        node = forms.product((1, inside))
        alike = (t for t in moved.values() if (t.node, t.combine) == (node, total.combine))
        new = moved[total.leaf.id] = next(alike, Total(total.leaf, node, total.combine))
        if new.leaf is not total.leaf or sign < 0 or powers != inside:
            factor = forms.product((sign, _quotient(powers, inside)))
            replaced[total.leaf.id] = graph.arithmetic("mul", factor, new.leaf)
    rewritten = [forms.tidy(Transplant(graph, graph, replaced)(root)) for root in roots]
    moved = {t.leaf.id: t for t in moved.values()}
    before, after = (_needed(graph, *each) for each in ((roots, totals), (rewritten, moved)))
    counts = [sum(total.leaf.id in needed for total in own) for needed in (before, after)]
    return (rewritten, after) if counts[1] < counts[0] else ([*roots], totals)


def _needed(graph: Graph, roots: Sequence[Node], totals: Totals) -> Totals:
    """Return the totals in these nodes."""
    needed, rest = dict[int, Total](), [*roots]
    while rest:
        for node in graph.reachable([rest.pop()]):
            if node.id in totals and node.id not in needed:
                needed[node.id] = totals[node.id]
                rest.append(totals[node.id].node)
    return {key: total for key, total in totals.items() if key in needed}
