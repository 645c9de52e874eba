"""Forward-mode partials of a scalar graph.

Few operands and one result: forward mode needs no tape, follows only the branch taken (a select of
tangents, so a NaN in the other branch never appears) and goes through loops (each carried value
carries its tangent, in the same region as the value).

Griewank and Walther, Evaluating Derivatives, chapter 3 (forward mode).
"""

from collections.abc import Sequence

from nbgraph.errors import DerivativeError
from nbgraph.kernels.derivatives import guards, vanishing
from nbgraph.kernels.scalar.functions import slope_of
from nbgraph.kernels.scalar.graph import GROWING, Graph, Node

ZERO_OPS = frozenset(("const", "arg", "param", "cast", "gather"))


class Forward:
    """The tangents of nodes with respect to one seed (an operand or a parameter)."""

    def __init__(
        self, graph: Graph, seed: Node, *, accurate: bool, turned: Node | None = None
    ) -> None:
        """`turned`: a value whose `abs` has the slope of one side at 0, not 0."""
        self._graph, self._seed, self._accurate = graph, seed, accurate
        self._turned = turned
        self._tangents: dict[int, Node | None] = {seed.id: graph.const(1.0)}
        self._active: set[int] = {seed.id}
        self._constant = vanishing.ConstantBranches(graph, seed)

    def tangent(self, root: Node) -> Node | None:
        """Return d root / d seed; None if it is identically zero."""
        if root.kind != "f":
            return None
        order = self._graph.reachable([root])
        self._mark_active(order)
        for node in order:
            if node.id not in self._tangents:
                self._tangents[node.id] = self._rule(node) if self._is_active(node) else None
        return self._tangents[root.id]

    def _is_active(self, node: Node) -> bool:
        return node.id in self._active and node.kind == "f" and node.id not in self._graph.detached

    def _mark_active(self, order: list[Node]) -> None:
        """Mark the nodes that may depend on the seed through floating values."""
        graph, changed = self._graph, True
        while changed:  # repeats only where a loop carries activity back to its phis
            changed = False
            for node in order:
                if node.id in self._active or node.kind != "f" or node.id in graph.detached:
                    continue
                for a in node.args if node.op != "final" else self._sources(node):
                    if a.id in self._active and a.kind == "f":
                        self._active.add(node.id)
                        changed = changed or node.op == "final"
                        break
            for region in graph.regions.values():
                for phi, init, out in region.carried.values():
                    if phi.id not in self._active and self._active & {init.id, out.id}:
                        self._active.add(phi.id)
                        changed = True

    def _sources(self, final: Node) -> tuple[Node, ...]:
        _, init, out = self._graph.regions[final.data[0]].carried[final.data[1]]
        return (init, out)

    # rules ------------------------------------------------------------------------------------

    def _rule(self, node: Node) -> Node | None:
        op = node.op
        if op in ZERO_OPS:
            return None
        if op == "phi":
            region = self._graph.regions[node.data[0]]
            key = ("d", node.data[1], self._seed.id, self._accurate)
            return self._graph.phi(region, key, "f")
        method = getattr(self, f"_{op}", None)
        if method is None:
            raise DerivativeError(
                f"the operation {op!r}{f' at {node.line}' if node.line else ''} has no derivative"
            )
        result: Node | None = method(node)
        return result

    def _d(self, node: Node) -> Node | None:
        return self._tangents.get(node.id)

    def _plus(self, a: Node | None, b: Node | None) -> Node | None:
        if a is None or b is None:
            return a if b is None else b
        return self._graph.arithmetic("add", a, b)

    def _times(self, a: Node, d: Node | None) -> Node | None:
        return None if d is None else self._graph.arithmetic("mul", a, d)

    def _negated(self, d: Node | None) -> Node | None:
        return None if d is None else self._graph.negate(d)

    def _add(self, n: Node) -> Node | None:
        return self._plus(self._d(n.args[0]), self._d(n.args[1]))

    def _sub(self, n: Node) -> Node | None:
        a, b = self._d(n.args[0]), self._d(n.args[1])
        if b is None:
            return a
        return self._graph.negate(b) if a is None else self._graph.arithmetic("sub", a, b)

    def _mul(self, n: Node) -> Node | None:
        a, b = n.args
        return self._plus(self._times(b, self._d(a)), self._times(a, self._d(b)))

    def _div(self, n: Node) -> Node | None:
        graph, (a, b) = self._graph, n.args
        da, db = self._d(a), self._d(b)
        if not self._accurate and da is None and _is_logistic(n):
            slope = graph.arithmetic("mul", n, graph.arithmetic("sub", graph.const(1.0), n))
            return self._negated(self._times(slope, self._d(b.args[1].args[0])))
        top = da
        if db is not None:
            grown = vanishing.grows(b, self._is_active)
            moved = vanishing.product(graph, n, db) if grown else graph.arithmetic("mul", n, db)
            top = graph.negate(moved) if da is None else graph.arithmetic("sub", da, moved)
        return None if top is None else graph.arithmetic("div", top, b)

    def _narrow(self, n: Node) -> Node | None:
        return self._d(n.args[0])  # rounding is not a part of the function

    _check = _narrow  # where a check fails, the function has raised

    def _neg(self, n: Node) -> Node | None:
        return self._negated(self._d(n.args[0]))

    def _abs(self, n: Node) -> Node | None:
        graph, x, d = self._graph, n.args[0], self._d(n.args[0])
        if d is None:
            return None
        if x is self._turned:
            return graph.arithmetic("mul", graph.call("copysign", graph.const(1.0), x), d)
        zero = graph.const(0.0)
        kink = graph.select(graph.compare("ne", x, x), x, zero)  # NaN if x is NaN
        above = graph.select(graph.compare("gt", x, zero), d, kink)
        return graph.select(graph.compare("lt", x, zero), graph.negate(d), above)

    def _select(self, n: Node) -> Node | None:
        return guards.tangent(self._graph, n, self._seed, self._d)

    def _call(self, n: Node) -> Node | None:
        if not self._accurate and n.data == "log1p" and n.args[0].op == "call":
            inner = n.args[0]
            if inner.data == "exp":  # log1p(exp(z)) is softplus(z): the slope reads its value
                slope = self._graph.negate(self._graph.call("expm1", self._graph.negate(n)))
                return self._times(slope, self._d(inner.args[0]))
        odd = self._odd(n) if n.data == "copysign" else None
        if odd is not None:
            return odd
        total: Node | None = None
        for index, argument in enumerate(n.args):
            d = self._d(argument)
            if d is None:
                continue
            slope = slope_of(self._graph, n, index, accurate=self._accurate)
            if slope is None:
                continue
            if vanishing.decays(n, self._is_active):
                total = self._plus(total, vanishing.product(self._graph, slope, d))
            else:
                sums = n.data in vanishing.POLES
                total = self._plus(total, self._constant.product(slope, d, sums=sums))
        return total

    def _odd(self, n: Node) -> Node | None:
        """Return the slope of copysign(g(abs(x)), x), at 0 that of g; None for other nodes."""
        graph, (value, x) = self._graph, n.args
        inside = graph.reachable([value])
        if not any(node.op == "abs" and node.args[0] is x for node in inside):
            return None
        if self._d(x) is None or any(node.op == "final" or node.regions for node in inside):
            return None
        forward = Forward(graph, self._seed, accurate=self._accurate, turned=x)
        one = graph.const(1.0)
        signs = [graph.call("copysign", one, argument) for argument in n.args]
        return self._times(graph.arithmetic("mul", *signs), forward.tangent(value))

    def _extern(self, n: Node) -> Node | None:
        total: Node | None = None
        for index, argument in enumerate(n.args):
            d = self._d(argument)
            if d is not None:
                slope = self._graph.node("extern", n.args, "f", n.data.derivative(index))
                total = self._plus(total, self._times(slope, d))
        return total

    def _final(self, n: Node) -> Node | None:
        graph = self._graph
        region = graph.regions[n.data[0]]
        zero = graph.const(0.0)
        added: dict[int, tuple[Node, Node, Node]] = {}
        for phi in graph.closure(n):
            d_phi = self._tangents.get(phi.id)
            if d_phi is not None:
                _, init, out = region.carried[phi.id]
                added[phi.id] = (d_phi, self._d(init) or zero, self._d(out) or zero)
        for d_phi, d_init, d_out in added.values():
            region.carried[d_phi.id] = (d_phi, d_init, d_out)
        return graph.carry(region, *added[n.data[1]])


def _is_logistic(n: Node) -> bool:
    """Return whether a quotient is 1 / (1 + exp(z))."""
    top, below = n.args
    if not (top.op == "const" and top.data == 1 and below.op == "add"):
        return False
    one, e = below.args
    return one.op == "const" and one.data == 1 and e.op == "call" and e.data == "exp"


def partials(
    graph: Graph, outputs: Sequence[Node], seed: Node, *, accurate: bool = True
) -> list[Node]:
    """Return d output / d seed for each output; a zero node for an independent output."""
    with GROWING:
        forward = Forward(graph, seed, accurate=accurate)
        try:
            return [forward.tangent(out) or graph.const(0.0) for out in outputs]
        except DerivativeError as problem:
            raise DerivativeError(f"no derivative w.r.t. {seed.data!r}: {problem}") from None
