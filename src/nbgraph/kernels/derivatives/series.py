"""Laurent series of a scalar graph around a point of one operand, with graphs as coefficients.

At a point where an expression is 0/0, its value and slopes are those of its series: a quotient's
coefficients follow from those of both parts, whose leading zeros cancel. Coefficients are nodes
over the other operands, so one series serves all their values. Which coefficients are zero is read
off the graph: constants are folded, equal terms cancel, and a sum that is zero for some values of
the other operands is assumed to be zero for all.

Functions need no tables: the series of f(u) follows from f'(u) u', where `rules` has f'.
Griewank and Walther, Evaluating Derivatives, chapter 13 (Taylor arithmetic).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from nbgraph.errors import DerivativeError, NbgraphError
from nbgraph.kernels.scalar.functions import PIECEWISE_CONSTANT, slope_of
from nbgraph.kernels.scalar.graph import COMPARISONS, Graph, Node
from nbgraph.kernels.scalar.interpret import FloatDomain

MAX_NODES = 200  # of an expanded expression
_FIRST = 3  # coefficients computed one by one in order, so that later ones recurse little
_ZEROS = 8  # leading coefficients that may be zero
_ROUNDED = 1e-15  # relative: the remainder of constants that cancel
_SIDED = PIECEWISE_CONSTANT.union(("copysign", "fmod", "nextafter"))

Rule = Callable[[int], Node | None]


class NoSeries(NbgraphError):
    """An expression has no Laurent series at the point, or this module finds none."""


class Series:
    """Coefficients from the power `low` on, computed at first use; None is zero."""

    __slots__ = ("_known", "_rule", "constant", "low")

    def __init__(self, low: int, rule: Rule, *, constant: bool = False) -> None:
        self.low, self._rule, self.constant = low, rule, constant
        self._known: dict[int, Node | NoSeries | None] = {}

    def __getitem__(self, power: int) -> Node | None:
        if power < self.low:
            return None
        if power not in self._known:
            self._known[power] = _CYCLE  # marks recursion, as of sqrt at 0
            try:
                self._known[power] = self._rule(power)
            except NoSeries as error:
                self._known[power] = error
        term = self._known[power]
        if isinstance(term, NoSeries):
            raise term
        return term

    def leading(self) -> tuple[int, Node]:
        """Return the power of the first nonzero coefficient, and the coefficient."""
        for power in range(self.low, self.low + _ZEROS):
            if (term := self[power]) is not None:
                return power, term
        raise NoSeries("no coefficient is seen that is not zero")


_CYCLE = NoSeries("no power of the distance describes it")


class Expansion:
    """The series of nodes in `seed` = `at` + t, for t of the sign `side`.

    `fixed` maps ids of other leaves to their values at the point; `vanishes` returns whether a sum
    is zero for all values of the others.
    """

    def __init__(
        self,
        graph: Graph,
        seed: Node,
        at: Node,
        fixed: Mapping[int, Node],
        side: int,
        vanishes: Callable[[Node], bool],
    ) -> None:
        self.graph, self._side, self._vanishes = graph, side, vanishes
        self._series: dict[int, Series] = {}
        for key, value in fixed.items():
            self._series[key] = Series(0, _listed([_nonzero(value)]))
        self._series[seed.id] = Series(0, _listed([_nonzero(at), graph.const(1.0)]))

    def of(self, root: Node) -> Series:
        """Return the series of a node, or raise NoSeries."""
        order = self.graph.reachable([root])
        if len(order) > MAX_NODES:
            raise NoSeries("the expression is too large")
        for node in order:
            self._prepare(node)
        return self._of(root)

    def _prepare(self, node: Node) -> None:
        if node.kind != "f" and not self._is_constant(node):
            return  # conditions are decided at their use
        try:
            series = self._of(node)
            for power in range(series.low, _FIRST):
                series[power]
        except NoSeries:
            pass  # an arm not taken, or an unused power

    def _of(self, node: Node) -> Series:
        series = self._series.get(node.id)
        if series is None:
            series = self._series[node.id] = self._make(node)
        return series

    def _is_constant(self, node: Node) -> bool:
        series = self._series.get(node.id)
        if series is not None:
            return series.constant
        if node.op in ("final", "phi"):
            return False
        if node.op == "call" and all(a.op == "const" for a in node.args):
            return False  # folded, so that it cancels against other folded values
        if all(self._is_constant(a) for a in node.args):
            self._series[node.id] = Series(0, _listed([_nonzero(node)]), constant=True)
            return True
        return False

    def _make(self, node: Node) -> Series:
        if self._is_constant(node):
            return self._series[node.id]
        method = getattr(self, f"_{node.op}", None)
        if node.kind != "f" or method is None:
            raise NoSeries(f"{node.op} has no series")
        series: Series = method(node)
        return series

    # arithmetic -------------------------------------------------------------------------------

    def _add(self, node: Node) -> Series:
        a, b = map(self._of, node.args)
        return Series(min(a.low, b.low), lambda k: self._sum(a[k], b[k]))

    def _sub(self, node: Node) -> Series:
        a, b = map(self._of, node.args)
        return Series(min(a.low, b.low), lambda k: self._sum(a[k], self._minus(b[k])))

    def _narrow(self, node: Node) -> Series:
        return self._of(node.args[0])

    def _neg(self, node: Node) -> Series:
        a = self._of(node.args[0])
        return Series(a.low, lambda k: self._minus(a[k]))

    def _mul(self, node: Node) -> Series:
        a, b = map(self._of, node.args)
        return Series(a.low + b.low, lambda k: self._convolved(a, b, k, a.low, k - b.low))

    def _div(self, node: Node) -> Series:
        a, b = map(self._of, node.args)
        first, lead = b.leading()
        quotient: Series

        def rule(k: int) -> Node | None:
            known = self._convolved(quotient, b, k + first, quotient.low, k - 1)
            rest = self._sum(a[k + first], self._minus(known))
            return None if rest is None else self._quotient(rest, lead)

        quotient = Series(a.low - first, rule)
        return quotient

    def _abs(self, node: Node) -> Series:
        a = self._of(node.args[0])
        sign = self._sign(a)
        if isinstance(sign, int):
            return a if sign > 0 else Series(a.low, lambda k: self._minus(a[k]))
        return Series(a.low, lambda k: self._times(sign, a[k]))

    def _select(self, node: Node) -> Series:
        taken = self._holds(node.args[0])
        if isinstance(taken, bool):
            return self._of(node.args[1 if taken else 2])
        graph, (a, b) = self.graph, map(self._of, node.args[1:])
        zero = graph.const(0.0)
        return Series(
            min(a.low, b.low), lambda k: _nonzero(graph.select(taken, a[k] or zero, b[k] or zero))
        )

    def _call(self, node: Node) -> Series:
        if node.data in _SIDED:
            raise NoSeries(f"{node.data} jumps or bends")
        args = [self._of(a) for a in node.args]
        for a in args:
            if any(a[k] is not None for k in range(a.low, 0)):
                raise NoSeries(f"{node.data} at a pole")

        def rule(k: int) -> Node | None:
            if k == 0:
                return self._value(node.data, [a[0] for a in args])
            total = None
            for index, a in enumerate(args):
                for j in range(1, k + 1):
                    if a[j] is not None:
                        slope = self._slope(node, index)
                        weight = self._times(self.graph.const(j / k), a[j])
                        total = self._sum(total, self._times(weight, slope[k - j]))
            return total

        return Series(0, rule)

    def _slope(self, node: Node, index: int) -> Series:
        try:
            rule = slope_of(self.graph, node, index, accurate=False)
        except DerivativeError as error:
            raise NoSeries(str(error)) from None
        if rule is None:
            raise NoSeries(f"{node.data} has no slope")
        series = self._of(rule)
        if series.low < 0:
            raise NoSeries(f"the slope of {node.data} may have a pole")
        return series

    # conditions -------------------------------------------------------------------------------

    def _holds(self, cond: Node) -> bool | Node:
        """Return whether a condition holds beside the point, or a node that decides it."""
        if self._is_constant(cond):
            return cond
        if cond.op == "not":
            inner = self._holds(cond.args[0])
            return not inner if isinstance(inner, bool) else self.graph.logical_not(inner)
        if cond.op in ("and", "or"):
            return self._joined(cond)
        if cond.op not in COMPARISONS or cond.args[0].kind != "f":
            raise NoSeries(f"{cond.op} is not decided beside the point")
        difference = self._of(self.graph.arithmetic("sub", *cond.args))
        if cond.op in ("eq", "ne"):
            difference.leading()  # raises if they are equal all along
            return cond.op == "ne"
        sign = self._sign(difference)
        if isinstance(sign, int):
            return COMPARISONS[cond.op](sign, 0)
        return self.graph.compare(cond.op, sign, self.graph.const(0.0))

    def _joined(self, cond: Node) -> bool | Node:
        decisive = cond.op == "or"
        left: list[Node] = []
        for part in cond.args:
            decided = self._holds(part)
            if decided is decisive:
                return decisive
            if not isinstance(decided, bool):
                left.append(decided)
        if len(left) < 2:
            return left[0] if left else not decisive
        join = self.graph.logical_or if decisive else self.graph.logical_and
        return join(*left)

    def _sign(self, series: Series) -> int | Node:
        """Return 1 or -1, the sign of a series beside the point, or a node of that sign."""
        power, lead = series.leading()
        if lead.op == "const":
            return (1 if lead.data > 0 else -1) * (self._side if power % 2 else 1)
        if power != 0:
            raise NoSeries("the sign beside the point is not known")
        return self.graph.call("copysign", self.graph.const(1.0), lead)

    # coefficients -----------------------------------------------------------------------------

    def _convolved(self, a: Series, b: Series, power: int, low: int, high: int) -> Node | None:
        """Return the sum of a[i] b[power - i] for i from low to high."""
        total = None
        for i in range(low, high + 1):
            factor = a[i]
            if factor is not None:
                total = self._sum(total, self._times(factor, b[power - i]))
        return total

    def _sum(self, a: Node | None, b: Node | None) -> Node | None:
        if a is None or b is None:
            return a if b is None else b
        if b is self._minus(a):
            return None
        total = self.graph.arithmetic("add", a, b)
        if total.op == "const":
            return None if abs(total.data) <= _ROUNDED * abs(b.data) else total
        return None if self._vanishes(total) else total

    def _minus(self, a: Node | None) -> Node | None:
        return None if a is None else self.graph.negate(a)

    def _times(self, a: Node | None, b: Node | None) -> Node | None:
        if a is None or b is None:
            return None
        return _nonzero(self.graph.arithmetic("mul", a, b))

    def _quotient(self, a: Node, b: Node) -> Node | None:
        if a is b:
            return self.graph.const(1.0)
        return _nonzero(self.graph.arithmetic("div", a, b))

    def _value(self, name: str, args: list[Node | None]) -> Node | None:
        zero = self.graph.const(0.0)
        operands = [zero if a is None else a for a in args]
        if name == "pow" and args[1] is None:
            return self.graph.const(1.0)
        if any(a.op != "const" for a in operands):
            return self.graph.call(name, *operands)
        try:
            value = float(FloatDomain.functions[name](*(a.data for a in operands)))
        except (KeyError, ValueError, ZeroDivisionError, OverflowError) as error:
            raise NoSeries(f"{name}: {error}") from None
        largest = max(abs(a.data) for a in operands)
        return None if abs(value) <= _ROUNDED * largest else self.graph.const(value)


def _listed(coefficients: list[Node | None]) -> Rule:
    return lambda k: coefficients[k] if k < len(coefficients) else None


def _nonzero(node: Node) -> Node | None:
    return None if node.op == "const" and node.data == 0 else node
