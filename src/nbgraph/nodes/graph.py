"""`ExpressionGraph`: built while the program runs, evaluated, differentiated, cleared."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.device import Context
from nbgraph.engine.thread import here
from nbgraph.errors import ArgumentError, unpicklable
from nbgraph.graph.listing import drawn, picture
from nbgraph.nodes import memory, passes, segments
from nbgraph.nodes.building import Building
from nbgraph.nodes.expr import Expr
from nbgraph.nodes.node import NaryNodeOp
from nbgraph.nodes.opnode import OpNode
from nbgraph.operator.call import recording, training
from nbgraph.scopes import Scopes

_modes = Scopes(recording, training)


class ExpressionGraph(Building):
    """Nodes with parameters, values and gradients.

    Parameters
    ----------
    device : Context, optional
        Where values are and nodes run; the host by default.
    dtype : optional
        Of parameters and of constants from Python floats; by default `ng.config.default_float`.
    workspace : number, optional
        MiB that values and gradients may take at once (parameters do not count), or as a negative
        number those to leave free on the device. `forward` raises OutOfMemory before it starts.
    inference : bool
        Operators behave as in prediction (dropout passes everything, batch normalisation uses its
        statistics), values are freed when they have been read, there are no gradients. Otherwise
        operators behave as in training. A block of `ng.autograd.train_mode()`, `predict_mode()` or
        `record()` overrides this.
    throw_nan : bool
        Wait for every value and gradient, and raise FloatingPointError at the first NaN.
    compiled : bool
        Consecutive nodes of operators are one operation of the engine forward, and one backward,
        which are compiled once for each structure. Otherwise, in inference and with `throw_nan`,
        each node has operations of its own. Both give the same bits, except sums that are fused
        with their operands.

    >>> import nbgraph as ng
    >>> graph = ng.ExpressionGraph()
    >>> p = graph.param("p", (2,), init=3.0)
    >>> loss = ng.sum(p * p)
    >>> graph.forward()
    >>> graph.backward()
    >>> loss.val, p.grad
    (array(18., dtype=float32), array([6., 6.], dtype=float32))
    """

    def __init__(
        self,
        device: Context | None = None,
        dtype: Any = None,
        workspace: float | None = None,
        inference: bool = False,
        *,
        throw_nan: bool = False,
        compiled: bool = True,
    ) -> None:
        super().__init__(device, dtype)
        self._limit = memory.limit_of(workspace, self.device)
        self.inference, self.throw_nan = bool(inference), bool(throw_nan)
        self.compiled = bool(compiled)
        self._trains = not self.inference

    __reduce_ex__ = unpicklable(
        "an expression graph", "build it there, and give its params() the values, as asnumpy()"
    )

    # running ------------------------------------------------------------------------------------

    def forward(self) -> None:
        """Compute the values of all nodes, once for those that depend on constants only.

        Raises OutOfMemory where values and gradients do not fit the workspace.
        """
        for node in self._nodes:
            if not (node.memoise and node.ready):
                node.ready = False
                node._val = node.segment = None
        for segment, _ in self._runs:
            if segment is not None:
                segment.forget()
        self._runs = []
        self._count = 0
        self.forward_next()

    def forward_next(self) -> None:
        """Compute the values of the nodes added since the last pass."""
        if self._limit is not None:
            memory.require(self._nodes, self._limit, inference=self.inference)
        fresh = self._nodes[self._count :]
        self._trains = training.get(not self.inference)
        with _modes(None, self._trains):
            if self.compiled and not (self.inference or self.throw_nan or here.running):
                self._runs += segments.forward(self, fresh)
            else:
                _require_all(self._runs)
                passes.forward(fresh, frees=self.inference, watched=self.throw_nan)
                self._runs.append((None, fresh))
        self._count = len(self._nodes)

    def backward(
        self,
        reset: bool = True,
        clip: float | None = None,
        *,
        heads: Any = None,
        head_grads: Any = None,
    ) -> None:
        """Compute the gradients of all trainable parameters.

        Parameters
        ----------
        reset : bool; False adds to the gradients of earlier passes
        clip : number, optional: limits every node's gradient to [-clip, clip] before it flows on
        heads : Expr, or several, where gradients start; by default the only top node
        head_grads : gradients of the heads; None: ones
        """
        if self.inference:
            raise ArgumentError(
                "backward: this is an inference graph, values have been freed; make the graph with "
                "inference=False"
            )
        starts = self._heads(heads, head_grads)
        if any(not node.ready for node, _ in starts):
            raise ArgumentError("backward: the values are not computed yet; call forward() first")
        params = list(self._parameters)
        limit = None if clip is None else _positive(clip)
        with _modes(None, self._trains):
            try:
                passes.begin(params, self._nodes, reset=reset)
                self._pass_on(starts, limit)
                passes.end(params, clip=limit)
            finally:
                passes.end([p for p in params if p.fresh], clip=None)  # after an error too
                for node in self._nodes:
                    if not node.retained:
                        node._adj, node.fresh = None, False

    def _pass_on(self, starts: list[tuple[NaryNodeOp, Any]], limit: float | None) -> None:
        """Pass gradients from the heads to the parameters."""
        ones: NaryNodeOp | None = None
        if self.throw_nan:
            _require_all(self._runs)
        elif len(starts) == 1 and starts[0][1] is None and not starts[0][0].leaf:
            ones = starts[0][0]
        for node, gradient in starts:
            if node is not ones or node.segment is None:
                passes.seed(node, gradient)
                ones = None
        if self.throw_nan:
            passes.backward(self._nodes, clip=limit, watched=True)
            return
        for segment, nodes in reversed(self._runs):
            if segment is not None:
                segment.backward(nodes, ones, limit)
            else:
                passes.backward(nodes, clip=limit, watched=False)

    def backprop(self) -> None:
        """Run `forward`, then `backward`."""
        self.forward()
        self.backward()

    def _heads(self, heads: Any, grads: Any) -> list[tuple[NaryNodeOp, Any]]:
        """Return the nodes where gradients start, each with its gradient."""
        if heads is None:
            if grads is not None:
                raise ArgumentError("backward: head_grads is given without heads; name the heads")
            return [(self._root(), None)]
        listed: list[Any] = [heads] if isinstance(heads, Expr) else list(heads)
        values: list[Any] = list(grads) if isinstance(grads, (list, tuple)) else [grads]
        if grads is None:
            values = [None] * len(listed)
        if len(values) != len(listed):
            raise ArgumentError(
                f"backward: {len(listed)} head(s) and {len(values)} gradient(s); give one for each "
                "head, None for ones"
            )
        for head in listed:
            self.require("backward", head.node)
            if not head.node.trainable:
                raise ArgumentError(
                    f"backward: no trainable parameter leads to {head!r}, so it has no gradient"
                )
        starts = [
            v if v is None or isinstance(v, Array) else array(v, device=self.device) for v in values
        ]
        return [(head.node, value) for head, value in zip(listed, starts)]

    def _root(self) -> NaryNodeOp:
        roots = [e.node for e in self.top_nodes() if e.node.trainable]
        if len(roots) > 1:  # an operator's further results are by-products of the one that is used
            used = {_application(n) for n in self._nodes if n.id not in self._tops}
            roots = [n for n in roots if _application(n) not in used - {None}]
        if len(roots) == 1:
            return roots[0]
        listed = ", ".join(repr(node) for node in roots)
        raise ArgumentError(
            f"backward: {len(roots)} roots ({listed}); add them up, name heads=[...], or take some "
            "out with remove_as_root"
            if roots
            else "backward: the graph has no top node that a trainable parameter leads to"
        )

    # memory -------------------------------------------------------------------------------------

    def fits(self, build: Callable[[], Any] | None = None) -> bool:
        """Return whether values and gradients fit the workspace; run nothing.

        `build`: a function that builds other nodes on the same parameters, which are measured
        instead of the present ones and then forgotten.
        """
        if self._limit is None:
            raise ArgumentError("fits: the graph has no workspace; make it with workspace=MiB")
        if build is None:
            return self.needed() <= self._limit
        state = {name: getattr(self, name) for name in self.OF_BATCH}
        self._start()
        try:
            build()
            return self.needed() <= self._limit
        finally:
            self.__dict__.update(state)

    def needed(self) -> int:
        """Return the bytes that values and gradients take at the worst moment, parameters not
        counted."""
        return memory.needed(self._nodes, inference=self.inference)

    # parameters ---------------------------------------------------------------------------------

    def params(self, dtype: Any = None) -> dict[str, Expr]:
        """Return parameters by full name, all or those of a dtype."""
        return {n: Expr(self, p) for n, p in self._parameters.chosen(dtype).items()}

    def parameters(self) -> dict[str, Any]:
        """Return the values of the trainable parameters by full name: an optimizer takes the graph.

        >>> import nbgraph as ng
        >>> graph = ng.ExpressionGraph()
        >>> p = graph.param("p", (1,), init=3.0)
        >>> loss = p * p
        >>> graph.backprop()
        >>> ng.optim.SGD(graph, lr=0.5).step()
        >>> p.val
        array([0.], dtype=float32)
        """
        return {name: p.val for name, p in self.params().items() if p.trainable}

    def gradients(self) -> dict[str, Any]:
        """Return the gradients of `parameters()`, None before the first `backward`."""
        return {name: p.grad for name, p in self.params().items() if p.trainable}

    def switch_params(self, namespace: str) -> None:
        """Set the namespace of the names that `param` gets from now on; "" is none."""
        self._parameters.namespace = str(namespace)

    def copy_params(self, other: ExpressionGraph) -> None:
        """Copy the values of another graph's parameters, by name."""
        self._parameters.copy_from(other._parameters, self._enter_leaf, self.device)

    def graphviz(self) -> str:
        """Return the graph in the language of Graphviz: type, name, id, shape, whether
        trainable."""
        return picture(self).dot()

    def _repr_html_(self) -> str:
        return drawn(self)

    def __repr__(self) -> str:
        count = len(self._parameters.by_name)
        return f"<expression graph of {len(self._nodes)} node(s), {count} parameter(s)>"


def _application(node: NaryNodeOp) -> int | None:
    """Return a key that the outputs of one application of an operator share, or None."""
    if not isinstance(node, OpNode) or node.op.nout == 1:
        return None
    return id(node.application or (node.structure and node.structure.node))


def _require_all(runs: Sequence[segments.Run]) -> None:
    """Compute the values that segments kept inside, for passes node by node."""
    for segment, nodes in runs:
        if segment is not None:
            segment.recall(nodes)


def _positive(clip: float) -> float:
    if not clip > 0:
        raise ArgumentError(f"backward: clip={clip!r}; expected a positive number")
    return float(clip)
