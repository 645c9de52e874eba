"""What a backward pass reads: out_grad alone (T0), the output (T1), or operands (T2).

The class follows from the simplified derivative. To find T1, the derivative is rewritten with the
output as a leaf: the output itself, expressions that it is a constant multiple or shift of, the
branch values of a select that is the output, and a sign test of an operand that the output's sign
decides (relu, leaky relu, elu). Anything else stays T2, which is always safe; a T1 form is
confirmed by the certificate before use.
"""

import sys
from typing import NamedTuple

from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import COMPARISONS, Graph, Node, unchecked
from nbgraph.kernels.scalar.transplant import apply

_BEYOND = frozenset(("final", "phi", "extern"))  # operations that are not rewritten

MAX_NODES = 400  # larger derivatives are not searched for an output form
OUT = "out"


class Dependence(NamedTuple):
    """What the partial w.r.t. one operand reads, and the form of the partial that reads it."""

    kind: str  # "T0", "T1" or "T2"
    reads: frozenset[str]  # operand and parameter names, and "out"
    partial: Node  # for T1 written over the leaf `out`
    operand_form: Node  # written over operands

    def why(self) -> str:
        """Return the reason in one sentence."""
        if self.kind == "T0":
            return "the derivative is constant: backward needs out_grad only"
        if self.kind == "T1":
            return "the derivative can be written with the output: the operands may be freed"
        return f"the derivative reads {', '.join(sorted(self.reads))}, kept until backward"


def depend(graph: Graph, out: Node, partial: Node, accurate: Node, *, memory: bool) -> Dependence:
    """Return the dependence of a partial; `partial` may read values, `accurate` only operands."""
    out, direct = unchecked(out), leaves(graph, accurate)
    form = _output_form(graph, out, partial) if memory and direct else None
    if form is not None and leaves(graph, form) == {OUT}:
        return Dependence("T1", frozenset((OUT,)), form, accurate)
    return Dependence("T2" if direct else "T0", direct, accurate, accurate)


def leaves(graph: Graph, root: Node) -> frozenset[str]:
    """Return the operands that a value depends on; parameters are available in every call."""
    return frozenset(str(n.data) for n in graph.reachable([root]) if n.op == "arg")


def _output_form(graph: Graph, out: Node, partial: Node) -> Node | None:
    order = graph.reachable([partial, out])
    if len(order) > MAX_NODES or not _BEYOND.isdisjoint([n.op for n in order]):
        return None
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(max(limit, 50 * MAX_NODES))
    try:
        return _Rewriter(graph, out).rewrite(partial, {})
    finally:
        sys.setrecursionlimit(limit)


class _Rewriter:
    def __init__(self, graph: Graph, out: Node) -> None:
        self._graph, self._out = graph, out
        self._leaf = graph.argument(OUT, "f")
        self._known = self._inverses(out, self._leaf)
        self._memo: dict[tuple[int, tuple[int, ...]], Node] = {}
        self._branch = out if out.op == "select" else None
        if self._branch is not None:
            test = self._sign_test(self._branch)
            if test is not None:
                self._known[self._branch.args[0].id] = test

    def _inverses(self, node: Node, value: Node) -> dict[int, Node]:
        """Return the nodes that follow from the output by invertible constant steps."""
        graph, spine = self._graph, {node.id: value}
        while True:
            a, b = (*node.args, None, None)[:2]
            if node.op == "neg" and a is not None:
                node, value = a, graph.negate(value)
            elif node.op == "mul" and a is not None and b is not None and _constant(a):
                node, value = b, graph.arithmetic("div", value, a)
            elif node.op == "div" and a is not None and b is not None and _constant(b):
                node, value = a, graph.arithmetic("mul", value, b)
            elif node.op in ("add", "sub") and a is not None and b is not None and _constant(b):
                opposite = "sub" if node.op == "add" else "add"
                node, value = a, graph.arithmetic(opposite, value, b)
            elif node.op == "add" and a is not None and b is not None and _constant(a):
                node, value = b, graph.arithmetic("sub", value, a)
            else:
                return spine
            spine[node.id] = value

    def rewrite(self, node: Node, extra: dict[int, Node]) -> Node:
        """Return `node` with all values that follow from the output replaced."""
        if node.id in extra and node.op != "const":  # a constant is simpler than the output
            return extra[node.id]
        if node.id in self._known:
            return self._known[node.id]
        if not node.args:
            return node
        key = (node.id, tuple(sorted(extra)))
        if key not in self._memo:
            self._memo[key] = self._descend(node, extra)
        return self._memo[key]

    def _descend(self, node: Node, extra: dict[int, Node]) -> Node:
        branch = self._branch
        if branch is not None and node.op == "select" and node.args[0] is branch.args[0]:
            cond = self.rewrite(node.args[0], extra)
            sides = [
                self.rewrite(node.args[i], {**extra, **self._inverses(branch.args[i], self._leaf)})
                for i in (1, 2)
            ]
            return self._graph.select(cond, *sides)
        return apply(self._graph, node, [self.rewrite(a, extra) for a in node.args])

    def _sign_test(self, out: Node) -> Node | None:
        """Return a comparison of an operand with 0 as a comparison of the output with 0."""
        cond, yes, no = out.args
        if cond.op not in COMPARISONS or cond.args[0].op != "arg":
            return None
        x, zero = cond.args
        if not (zero.op == "const" and zero.data == 0):
            return None
        upward = cond.op in ("gt", "ge")
        if cond.op not in ("gt", "ge", "lt", "le"):
            return None
        above, below = (yes, no) if upward else (no, yes)
        falls = _sign(below, x, -1)
        flat = below.op == "const" and below.data == 0
        if _sign(above, x, +1) != 1 or not (falls == -1 or flat):
            return None
        op = cond.op
        if flat:  # at x = 0 the output does not determine the side: use the flat side's slope
            op = {"ge": "gt", "lt": "le"}.get(op, op)
        return self._graph.compare(op, self._leaf, self._graph.const(0.0))


def _constant(node: Node) -> bool:
    return node.op == "const" and node.data != 0


def _sign(node: Node, x: Node, sign_of_x: int) -> int:
    """Return the strict sign of a value if x has the sign `sign_of_x`; 0 if unknown."""
    if node is x:
        return sign_of_x
    if node.op == "const":
        return (node.data > 0) - (node.data < 0)
    if node.op == "neg":
        return -_sign(node.args[0], x, sign_of_x)
    if node.op in ("mul", "div"):
        return _sign(node.args[0], x, sign_of_x) * _sign(node.args[1], x, sign_of_x)
    if node.op == "sub" and node.args[0].op == "call" and node.args[0].data == "exp":
        one = node.args[1]
        if one.op == "const" and one.data == 1:
            return _sign(node.args[0].args[0], x, sign_of_x)
    if node.op == "call" and "odd" in FUNCTIONS[node.data].traits:
        return _sign(node.args[0], x, sign_of_x)
    if node.op == "call" and "positive" in FUNCTIONS[node.data].traits:
        return 1
    return 0
