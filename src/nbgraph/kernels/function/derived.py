"""Scalar definitions derived from others: a derivative, a backward pass, or both together."""

from collections.abc import Collection, Mapping, Sequence
from functools import partial, reduce
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

from nbgraph.errors import ArgumentError, DerivativeError
from nbgraph.kernels.capture.draws import KEY
from nbgraph.kernels.capture.names import Watch
from nbgraph.kernels.derivatives import guards
from nbgraph.kernels.derivatives.depend import OUT, Dependence, depend
from nbgraph.kernels.derivatives.partials import partials
from nbgraph.kernels.derivatives.vanishing import ConstantBranches
from nbgraph.kernels.function.probe import probe, probe_kinds
from nbgraph.kernels.function.scalar_function import Captured, Scalar, WrittenFunction
from nbgraph.kernels.function.signature import (
    Choice,
    Parameter,
    Signature,
    defaults_of,
    parameter_kinds,
)
from nbgraph.kernels.scalar.graph import Graph, Node, unchecked
from nbgraph.kernels.scalar.transplant import Transplant

OUT_GRAD = "out_grad"


class Gradient(NamedTuple):
    """A gradient written by hand: all in-gradients, and what its parameters' names declare."""

    scalar: Scalar
    out_grads: tuple[str, ...]
    outs: tuple[str, ...]
    operands: tuple[str, ...]


def output_index(name: str) -> int:
    """Return the index of the output that a gradient calls "out", "out0", "out1", ..."""
    return int(name.removeprefix(OUT) or 0)


def seed(scalar: Scalar, captured: Captured, wrt: str) -> Node:
    """Return the leaf node of an operand or parameter, by name."""
    for node in (*captured.operands, *captured.parameters):
        if node.data == wrt:
            return node
    raise ArgumentError(f"{scalar.name}: {wrt!r} is not a number here, so it has no derivative")


def wrt_name(scalar: Scalar, wrt: str | int) -> str:
    """Return the name for a name or an index; ArgumentError lists the choices."""
    names = [*scalar.operands, *(p.name for p in scalar.parameters)]
    if isinstance(wrt, int) and not isinstance(wrt, bool) and -len(names) <= wrt < len(names):
        return names[wrt]
    if isinstance(wrt, str) and wrt in names:
        return wrt
    raise ArgumentError(
        f"{scalar.name}.derivative: there is no operand or parameter {wrt!r}; choose one of "
        f"{', '.join(names)} or an index below {len(names)}"
    )


def floating(scalar: Scalar, kinds: Sequence[str], wrt: Sequence[str]) -> list[str]:
    """Return `kinds` with the operands of `wrt` made floating where they can be."""
    able = zip(scalar.operands, kinds, probe_kinds(scalar), strict=True)
    return ["f" if name in wrt and own == "f" else kind for name, kind, own in able]


def hand_gradients(
    captured: Captured, gradient: Gradient, out_grads: Sequence[Node], parameters: Mapping[str, Any]
) -> tuple[Node, ...]:
    """Return the hand-written in-gradients, as nodes of the function's own graph."""
    graph = captured.graph
    leaves = {str(n.data): n for n in captured.operands}
    leaves |= dict(zip(gradient.out_grads, out_grads, strict=False))
    leaves |= {name: captured.outputs[output_index(name)] for name in gradient.outs}
    wanted = [leaves[name] for name in gradient.scalar.operands]
    values = {p.name: parameters[p.name] for p in gradient.scalar.parameters}
    gradient.scalar.refresh()
    inner = gradient.scalar.capture([n.kind for n in wanted], values)
    replaced = {a.id: b for a, b in zip(inner.operands, wanted, strict=True)}
    for leaf in inner.parameters:
        replaced[leaf.id] = seed(gradient.scalar, captured, str(leaf.data))
    move = Transplant(inner.graph, graph, replaced)
    return tuple(move(node) for node in inner.outputs)


class Derived:
    """A definition that follows its parent definition; the base of those below."""

    signature: Signature | None = None
    choices: tuple[Choice, ...] = ()

    def __init__(self, parent: Scalar, name: str) -> None:
        self.parent, self.name = parent, name
        self.operands: tuple[str, ...] = parent.operands
        self.defaults: Mapping[str, Any] = parent.defaults
        self.parameters: tuple[Parameter, ...] = parent.parameters
        self._captures: dict[tuple[Any, ...], Captured] = {}
        self._seen: Watch | None = None  # the parent's watch when the captures were made

    @property
    def watch(self) -> Watch:
        """The objects that the parent read."""
        return self.parent.watch

    @property
    def draws(self) -> bool:
        """See Scalar."""
        return self.parent.draws and self.operands[-1] == KEY

    @property
    def shares_kernels(self) -> bool:
        """See Scalar."""
        return self.parent.shares_kernels

    @property
    def probes(self) -> tuple[tuple[str, ...], ...]:
        """The operand kinds to examine the definition with, from those that the parent takes."""
        own = dict(zip(self.parent.operands, probe_kinds(self.parent), strict=True))
        return (tuple(own.get(name, "f") for name in self.operands),)

    def refresh(self) -> bool:
        """Refresh the parent and copy its parameters; return whether something changed."""
        changed = self.parent.refresh()
        self.parameters = self.parent.parameters
        if self.signature is not None:
            self.signature = self.parent.signature
        return changed

    def capture(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the derived graph for these kinds, from the cache or built now."""
        key = (tuple(kinds), parameter_kinds(parameters))
        if self._seen is not self.watch:  # new after a refresh of the parent or a sibling
            self._captures.clear()
            self._seen = self.watch
        if key not in self._captures:
            self._captures[key] = self.make(kinds, parameters)
        return self._captures[key]

    def make(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Build the derived graph; subclasses override it."""
        raise AssertionError


class Derivative(Derived):
    """The `order`-th derivative of the outputs by an operand, by a hand-written gradient if any."""

    def __init__(
        self, parent: Scalar, wrt: str, order: int, gradient: Gradient | None = None
    ) -> None:
        primes = "d" if order == 1 else f"d{order}"
        super().__init__(parent, f"{parent.name}_{primes}{wrt}")
        self.wrt, self.order, self.gradient = wrt, order, gradient
        self.signature, self.choices = parent.signature, parent.choices

    def make(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        kinds = floating(self.parent, kinds, [self.wrt])
        captured = self.parent.capture(kinds, parameters)
        leaf = seed(self.parent, captured, self.wrt)
        if leaf.kind != "f" or all(o.kind != "f" for o in captured.outputs):
            what = "an integer or a bool" if leaf.kind != "f" else "no floating result"
            raise DerivativeError(
                f"{self.parent.name}: there is no derivative w.r.t. {self.wrt!r}: it has {what}"
            )
        outputs, order = [unchecked(o) for o in captured.outputs], self.order
        if self.gradient is not None and self.wrt in self.parent.operands:
            one = captured.graph.const(1.0)
            gradients = hand_gradients(captured, self.gradient, [one], parameters)
            self.watch.include(self.gradient.scalar.watch)
            slope = gradients[self.parent.operands.index(self.wrt)]
            if slope.op == "none":
                raise DerivativeError(
                    f"{self.parent.name}: the hand-written gradient says None for {self.wrt!r}: it "
                    "is not differentiable"
                )
            outputs, order = [slope], order - 1
        for _ in range(order):
            slopes = self._partials(captured.graph, outputs, leaf)
            _warn(self, captured.graph, outputs, leaf)
            outputs = slopes
        outputs = [captured.graph.float(o) for o in outputs]
        return Captured(captured.graph, captured.operands, captured.parameters, tuple(outputs))

    def _partials(self, graph: Graph, outputs: Sequence[Node], leaf: Node) -> list[Node]:
        try:
            return partials(graph, outputs, leaf)
        except DerivativeError as problem:
            raise DerivativeError(f"{self.parent.name}: {problem}") from None


_WARNED: WeakKeyDictionary[Scalar, set[tuple[str, str]]] = WeakKeyDictionary()


def _warn(derived: Derived, graph: Graph, outputs: Sequence[Node], seed: Node) -> None:
    """Warn of guards without a limit, once for the function at the root of the derivations."""
    root: Scalar = derived
    while isinstance(root, Derived):
        root = root.parent
    unsure = guards.of_outputs(graph, outputs, seed)
    if unsure:
        guards.warn(root.name, unsure, _WARNED.setdefault(root, set()))


def dependences(
    scalar: Scalar,
    kinds: Sequence[str],
    parameters: Mapping[str, Any],
    wrt: Collection[str],
    *,
    memory: bool,
) -> dict[str, Dependence]:
    """Return what the partials of the single output read, by floating operand of `wrt`."""
    captured = scalar.capture(kinds, parameters)
    out = unchecked(*captured.outputs)
    dependences_of = {}
    for leaf in captured.operands:
        if leaf.kind == "f" and leaf.data in wrt:
            (slope,) = partials(captured.graph, [out], leaf, accurate=False)
            (accurate,) = partials(captured.graph, [out], leaf, accurate=True)
            dependences_of[str(leaf.data)] = depend(
                captured.graph, out, slope, accurate, memory=memory
            )
    return dependences_of


def fresh(name: str, taken: Collection[Any]) -> str:
    """Return the name, with underscores appended until it is not in `taken`."""
    while name in taken:
        name += "_"
    return name


class Backward(Derived):
    """All in-gradients in one pass, from out_grad and the values that the derivative reads.

    With `forward` the outputs come first. With `memory` a gradient may read the output instead of
    the operands (T1 forms). Several outputs have an out_grad each.
    """

    def __init__(
        self,
        parent: Scalar,
        *,
        forward: bool = False,
        memory: bool = True,
        gradient: Gradient | None = None,
        wrt: Sequence[str] | None = None,
    ) -> None:
        super().__init__(parent, f"{parent.name}_{'forward_' if forward else ''}backward")
        taken = {*parent.operands, *(p.name for p in parent.parameters)}
        # in the backward pass of a backward pass, the operand "out" is not its own output
        self.memory = memory and not forward and OUT not in taken
        self.forward, self.gradient = forward, gradient
        self.wrt = tuple(wrt) if wrt is not None else parent.operands
        sample = probe(parent)
        count = len(sample.outputs)
        names = [OUT_GRAD] if count == 1 else [f"{OUT_GRAD}{i}" for i in range(count)]
        self.out_grads = tuple(fresh(name, taken) for name in names)
        self.operands: tuple[str, ...] = (*self.out_grads, *self._reads(sample))
        self.defaults: Mapping[str, Any] = {
            k: v for k, v in parent.defaults.items() if k in self.operands
        }

    def _reads(self, sample: Captured) -> list[str]:
        scalar, gradient = self.parent, self.gradient
        if self.forward:
            return list(scalar.operands)
        if gradient is not None:
            used = {*gradient.outs, *gradient.operands}
            return [n for n in (*gradient.outs, *scalar.operands) if n in used]
        if len(sample.outputs) > 1:
            return list(scalar.operands)
        reads: set[str] = set()
        kinds = floating(scalar, probe_kinds(scalar), self.wrt)
        known = dependences(scalar, kinds, defaults_of(scalar), self.wrt, memory=self.memory)
        for name in self.wrt:
            reads |= known[name].reads if name in known else frozenset()
        own = (OUT,) if self.memory else ()
        return [n for n in (*own, *scalar.operands) if n in reads]

    def make(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        own = dict(zip(self.operands, kinds, strict=True))
        able = zip(self.parent.operands, probe_kinds(self.parent), strict=True)
        parent_kinds = [own.get(name, kind) for name, kind in able]
        parent_kinds = floating(self.parent, parent_kinds, self.wrt)
        captured = self.parent.capture(parent_kinds, parameters)
        graph = captured.graph
        grads = [graph.argument(name, "f") for name in self.out_grads]
        results = self._gradients(captured, grads, parent_kinds, parameters)
        outputs = [*captured.outputs, *results] if self.forward else results
        leaves = {str(n.data): n for n in captured.operands}
        reads = [leaves.get(n) or graph.argument(n, "f") for n in self.operands[len(grads) :]]
        operands = [*grads, *reads]
        return Captured(graph, tuple(operands), captured.parameters, tuple(outputs))

    def _gradients(
        self,
        captured: Captured,
        grads: list[Node],
        kinds: Sequence[str],
        parameters: Mapping[str, Any],
    ) -> list[Node]:
        graph, values = captured.graph, [unchecked(o) for o in captured.outputs]
        positions = [self.parent.operands.index(name) for name in self.wrt]
        if self.gradient is not None:
            by_hand = hand_gradients(captured, self.gradient, grads, parameters)
            self.watch.include(self.gradient.scalar.watch)
            if self.gradient.outs and not self.forward:
                replaced = {
                    captured.outputs[output_index(name)].id: graph.argument(name, "f")
                    for name in self.gradient.outs
                }
                by_hand = tuple(Transplant(graph, graph, dict(replaced))(n) for n in by_hand)
            zero = graph.const(0.0)  # stands for None: not differentiable
            return [zero if by_hand[i].op == "none" else by_hand[i] for i in positions]
        if len(captured.outputs) == 1 and not self.forward:
            known = dependences(self.parent, kinds, parameters, self.wrt, memory=self.memory)
            slopes = [[known[n].partial if n in known else None] for n in self.wrt]
        else:
            slopes = [list(partials(graph, values, captured.operands[i])) for i in positions]
        for i in positions:
            _warn(self, graph, values, captured.operands[i])
        rows = zip(positions, slopes, strict=True)
        return [self._total(graph, grads, row, captured.operands[i]) for i, row in rows]

    @staticmethod
    def _total(graph: Graph, grads: list[Node], slopes: Sequence[Node | None], x: Node) -> Node:
        """Return the sum of out_grad times slope by x. A zero slope, also in one branch, adds
        nothing: an infinite gradient of sqrt(where(x > 0, x, 0)) stays within its branch."""
        constant, pairs = ConstantBranches(graph, x), zip(grads, slopes, strict=True)
        moving = [(g, s) for g, s in pairs if s is not None and (s.op, s.data) != ("const", 0)]
        terms = [constant.product(g, s, sums=False) for g, s in moving]
        return reduce(partial(graph.arithmetic, "add"), terms) if terms else graph.const(0.0)


class Parted(Derived):
    """A written function whose operands of `mask` are complex, as a function of their parts: its
    results are pairs of real and imaginary parts."""

    def __init__(self, parent: WrittenFunction, mask: Sequence[bool]) -> None:
        super().__init__(parent, parent.name)
        self.mask, self.written = tuple(mask), parent
        names = zip(parent.operands, mask, strict=True)
        parts = [(f"{n}_real", f"{n}_imag") if parted else (n,) for n, parted in names]
        self.operands = tuple(name for own in parts for name in own)
        self.defaults: Mapping[str, Any] = {}

    @property
    def probes(self) -> tuple[tuple[str, ...], ...]:
        """See Derived: the parts are floating."""
        return (("f",) * len(self.operands),)

    def make(self, kinds: Sequence[str], parameters: Mapping[str, Any]) -> Captured:
        """Return the graph whose outputs are the real and imaginary parts of each result."""
        captured = self.written.parts(kinds, self.mask, parameters)
        graph, rest, outputs = captured.graph, iter(captured.outputs), list[Node]()
        for pair in captured.pairs:
            outputs += [graph.float(next(rest)), next(rest) if pair else graph.const(0.0)]
        return captured._replace(outputs=tuple(outputs))
