"""Products in derivatives that are 0 although one of their factors overflows.

Where 1/(1 + exp(-x)) is 0, exp(-x) and its slope are infinite: the quotient rule multiplies 0 by
infinity, which is NaN. The limit of the product is 0 if the infinite value grew as exponentials and
polynomials do: as b grows, b'/b**2 goes to 0. It is not if the value came to a pole: 1/(1/x) has
slope 1 at 0. So the text decides: these functions examine the operations between a value and the
operand of the derivative. If they find a pole, the product stays NaN.

A value that is constant on a branch has slope 0 there, even where a function of it has a pole, as
in sqrt(max(x, 0)).
"""

from collections.abc import Callable, Iterable, Sequence

from nbgraph.kernels.scalar.functions import named
from nbgraph.kernels.scalar.graph import Graph, Node

Active = Callable[[Node], bool]

_GROWING = named("exponential")
_TAME = _GROWING | named("tame")
_DECAYING, _SLOWLY = named("fades"), named("fades_slowly")
POLES = named("pole")  # functions whose slopes have poles at arguments where they have values
_LINEAR = frozenset(("add", "sub", "mul", "neg", "div"))
_FEW = 8  # arms of nested selects
_SUMS = frozenset(("add", "sub", "mul", "neg", "abs", "select"))


def decays(node: Node, active: Active) -> bool:
    """Return whether the slope of a call vanishes faster than its argument's slope can grow."""
    (argument, *more) = node.args
    if more:
        return False
    poles = node.data in _DECAYING  # exp(-1/x) beats any power of 1/x
    return (poles or node.data in _SLOWLY) and grows(argument, active, poles=poles)


def grows(root: Node, active: Active, *, poles: bool = False) -> bool:
    """Return whether an infinite value has overflowed; `poles` says that divisions are harmless."""
    seen: set[tuple[int, bool]] = set()
    todo = [(root, poles)]
    while todo:
        node, allowed = todo.pop()
        if not active(node) or node.op == "arg" or (node.id, allowed) in seen:
            continue
        seen.add((node.id, allowed))
        if node.op == "call" and node.data in _GROWING:
            allowed = True
        elif not _passes(node, active, allowed):
            return False
        todo += [(a, allowed) for a in node.args]
    return True


def _passes(node: Node, active: Active, poles: bool) -> bool:
    if node.op == "call" and node.data == "pow":
        exponent = node.args[1]
        positive = exponent.op == "const" and exponent.data > 0
        return not active(exponent) and (poles or positive)
    if node.op == "div":
        return poles or not active(node.args[1])
    return node.op in _SUMS or (node.op == "call" and node.data in _TAME)


def product(graph: Graph, zero: Node, other: Node) -> Node:
    """Return `zero * other`, but 0 where that is 0 times infinity."""
    result = graph.arithmetic("mul", zero, other)
    if _is_finite(other):
        return result
    nothing = graph.const(0.0)
    # elsewhere keep the product, even if 0, as it is differentiated again
    instead = graph.select(graph.compare("ne", result, result), nothing, result)
    return graph.select(graph.compare("eq", zero, nothing), instead, result)


class ConstantBranches:
    """Multiplication of tangents by slopes, with 0 on branches whose tangent is the constant 0."""

    def __init__(self, graph: Graph, seed: Node) -> None:
        self._graph, self._seed = graph, seed
        self._conditions: dict[tuple[int, bool], Node | None] = {}

    def product(self, slope: Node, d: Node, *, sums: bool) -> Node:
        """Return `slope * d`, with 0 where `d` is 0 because its branch is constant; `sums` also
        includes branches within sums and products of tangents."""
        graph, zero = self._graph, self._graph.const(0.0)
        if d.op == "const" and d.data == 0:
            return d
        constant = self._condition(d, sums)
        if constant is None:
            return graph.arithmetic("mul", slope, d)
        if d.op == "select" and _is_small(d):
            cond, *arms = d.args
            return graph.select(cond, *(self.product(slope, arm, sums=sums) for arm in arms))
        return graph.select(constant, zero, graph.arithmetic("mul", slope, d))

    def _condition(self, root: Node, sums: bool) -> Node | None:
        """Return the condition under which a tangent is on a constant branch, or None."""
        known, stack = self._conditions, [root]
        while stack:
            node = stack[-1]
            parts = self._branches(node, sums)
            missing = [p for p in parts if (p.id, sums) not in known]
            stack.extend(missing)
            if not missing:
                known[stack.pop().id, sums] = self._joined(node, [known[p.id, sums] for p in parts])
        return known[root.id, sums]

    def _joined(self, node: Node, parts: Sequence[Node | None]) -> Node | None:
        """Return the condition of a node from the conditions of its parts."""
        graph = self._graph
        if node.op == "const":
            return graph.const(True) if node.data == 0 else None
        if all(p is None for p in parts):
            return None
        a, b = (graph.const(False) if p is None else p for p in (*parts, None)[:2])
        if node.op == "select":
            joined = graph.select(node.args[0], a, b)
        elif node.op == "mul":
            joined = graph.logical_or(a, b)
        elif node.op in ("add", "sub"):
            joined = graph.logical_and(a, b)
        else:
            joined = a
        return None if joined.op == "const" and not joined.data else joined

    def _branches(self, node: Node, sums: bool) -> Sequence[Node]:
        """Return the nodes that a tangent is joined from."""
        if node.op == "select":
            cond, *arms = node.args
            point = cond.op == "ne" and cond.args[0] is cond.args[1]  # abs(x) is 0 at 0 alone
            return () if point or (sums and cond.op == "eq" and self._is_point(cond)) else arms
        return node.args if sums and node.op in _LINEAR else ()

    def _is_point(self, cond: Node) -> bool:
        """Return whether values are equal at points alone: of guards, in loops, or of no text."""
        guards = self._graph.guards.items()
        key = self._seed.id, cond.id
        return not cond.line or bool(cond.regions) or any(g and k[1:] == key for k, g in guards)


def _is_small(d: Node) -> bool:
    """Return whether nested selects have few arms, so that each arm may be multiplied apart."""
    todo, arms = [d], 0
    while todo and arms <= _FEW:
        node = todo.pop()
        if node.op == "select":
            todo += node.args[1:]
        else:
            arms += 1
    return arms <= _FEW


def guards(nodes: Iterable[Node]) -> set[int]:
    """Return the ids of comparisons that `product` inserted, which are not boundaries."""
    guarded: set[int] = set()
    for node in nodes:
        if node.op == "select" and node.args[0].op == "eq":
            instead, result = node.args[1:]
            if instead.op == "select" and instead.args[0].args == (result, result):
                guarded |= {node.args[0].id, instead.args[0].id}
    return guarded


def _is_finite(d: Node) -> bool:
    """Return whether a node is a constant, a leaf, or a constant multiple of one."""
    while d.op in ("neg", "mul"):
        if d.op == "mul" and d.args[0].op != "const" and d.args[1].op != "const":
            return False
        d = d.args[-1] if d.args[0].op == "const" else d.args[0]
    return d.op in ("const", "arg", "param")
