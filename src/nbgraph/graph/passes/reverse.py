"""The gradients of the operands of one node, as symbols, from the gradients of its outputs."""

from collections.abc import Mapping, Sequence
from contextvars import ContextVar
from types import CodeType, MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from nbgraph.engine.sites import site
from nbgraph.errors import DerivativeError
from nbgraph.graph import build
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.graph import Entry, spec_of
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec
from nbgraph.operator.backward import map_vjp, rule_vjp
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.elementwise.casting import astype
from nbgraph.ops.reductions.reductions import sum_to
from nbgraph.scopes import Scopes

# the user's line that created the differentiated node
line: ContextVar[tuple[CodeType, int] | None] = ContextVar("nbgraph_line", default=None)
_NO_MARKS: Mapping[str, str] = MappingProxyType({})
_group: ContextVar[Mapping[str, str]] = ContextVar("nbgraph_gradient_group", default=_NO_MARKS)
_scopes = Scopes(line, _group)
_NUMBER = Spec((), np.dtype("float64"))


class Value(Symbol):
    """A symbol for gradient rules, which ignores name scopes, and whose nodes have the line of the
    differentiated operator."""

    __slots__ = ()
    __nbgraph_priority__ = Symbol.__nbgraph_priority__ + 1
    __nbgraph_compose__ = __nbgraph_defer__ = None  # type: ignore[assignment]

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Create a node; see `nbgraph.operator.call`."""
        if isinstance(op, Mapper) and complex_call.any_complex(operands):
            return complex_call.apply(op, operands, attributes, out)
        inputs = [cls._lifted(op, i, value) for i, value in enumerate(operands)]
        return cls.applied(op, inputs, attributes)

    @classmethod
    def applied(cls, op: Any, inputs: Sequence[Operand], attributes: Attributes) -> Any:
        """Return the outputs of an operator over operands."""
        return cls._results(
            build.apply(op, inputs, attributes, line=line.get(), marks=_group.get())
        )

    @classmethod
    def of(cls, entry: Entry) -> Self:
        """Return the value of an entry."""
        return cls([entry])


def in_gradients(
    node: GraphNode, out_grads: Sequence[Value | None], wanted: Sequence[bool]
) -> Sequence[Value | None]:
    """Return the gradients of the `wanted` operands of a node, in their shapes and dtypes; None
    for zero. `out_grads`: one for each output, None for zero, but not all None."""
    group = build.group_of(node)
    with _scopes(node.line, _NO_MARKS if group is None else {"ctx_group": group}):
        step = _of_mapper if isinstance(node.op, Mapper) else _of_array_op
        gradients = step(node, out_grads, wanted)
        return [
            _fitted(value, node.inputs[i]) if w and value is not None else None
            for i, (value, w) in enumerate(zip(gradients, wanted, strict=True))
        ]


def _fitted(value: Any, operand: Operand) -> Value:
    """Return a gradient summed over broadcast axes of the operand, in the operand's dtype."""
    spec = spec_of(operand)
    assert spec is not None, "a number has no gradient"
    return astype(sum_to(value, spec.shape), spec.dtype, copy=False)


def located(problem: object, node: GraphNode) -> DerivativeError:
    """Return the error, in its own class, with the line that created the node."""
    kind = type(problem) if isinstance(problem, DerivativeError) else DerivativeError
    return kind(f"{problem}" + (f" ({site(*node.line)})" if node.line else ""))


# scalar operators -------------------------------------------------------------------------------


class _Forward(NamedTuple):
    """An operator to differentiate, reduced to the outputs that have an out-gradient."""

    op: Mapper
    inputs: Sequence[Operand]
    attributes: Attributes
    outputs: Sequence[Entry]
    out_grads: Sequence[Value | None]


def _of_mapper(
    node: GraphNode, out_grads: Sequence[Value | None], wanted: Sequence[bool]
) -> list[Value | None]:
    """Return in-gradients of a scalar operator, computed by one operator in one pass. Those that
    equal an out-gradient, or are zero, are not computed."""
    gradients: list[Value | None] = [None] * len(wanted)
    wrt = [i for i, w in enumerate(wanted) if w]
    try:
        forward = _forward(node, out_grads)
        reverse, inputs = _reverse(forward, wrt)
        rest: list[int] = []
        for i, slope in zip(wrt, _slopes(reverse, inputs, forward), strict=True):
            if type(slope) is int:
                gradients[i] = forward.out_grads[slope]
            elif slope is not None:
                rest.append(i)
        if not rest:
            return gradients
        if len(rest) < len(wrt):
            reverse, inputs = _reverse(forward, rest)
        reverse.require_certificate()
    except DerivativeError as problem:
        raise located(problem, node) from problem
    computed = Value.applied(reverse, inputs, forward.attributes)
    for i, value in zip(
        rest, computed if isinstance(computed, tuple) else (computed,), strict=True
    ):
        gradients[i] = value
    return gradients


def _forward(node: GraphNode, out_grads: Sequence[Value | None]) -> _Forward:
    """Return the node without the outputs that have no out-gradient, since 0 times an infinite
    slope would be NaN. A gradient written by hand needs all outputs, with 0 for these."""
    op: Any = node.op
    outputs = [(node, k) for k in range(op.nout)]
    used = [k for k, g in enumerate(out_grads) if g is not None]
    if len(used) == op.nout or op.hand_gradient is not None:
        return _Forward(op, node.inputs, node.attributes, outputs, out_grads)
    part = Part(op, tuple(("in", i) for i in range(op.nin)), node.attributes)
    less, attributes = fuse(op.__name__, [part], [(0, k) for k in used])
    return _Forward(
        less, node.inputs, attributes, [outputs[k] for k in used], [out_grads[k] for k in used]
    )


def _reverse(forward: _Forward, wrt: Sequence[int]) -> tuple[Mapper, list[Operand]]:
    """Return the operator that computes the in-gradients `wrt`, and its operands."""
    vjp = map_vjp(forward.op, tuple(wrt))
    vjp.require()
    read = {"in": forward.inputs, "out": forward.outputs}
    inputs: list[Operand] = [0.0 if g is None else g.entry for g in forward.out_grads]
    inputs += [read[sort][i] for sort, i in vjp.reads]
    return vjp.reverse, inputs


def _slopes(
    reverse: Mapper, inputs: Sequence[Operand], forward: _Forward
) -> list[int | str | None]:
    """Return for each in-gradient the index of the out-gradient that it equals, None for zero, or
    "computed"."""
    dtypes = [spec.dtype if (spec := spec_of(i)) is not None else i for i in inputs]
    plan = reverse.invoker.plan_of(dtypes, reverse.parameters_of(dict(forward.attributes)))
    leaves = {leaf: k for k, leaf in enumerate(plan.typed.captured.operands[: forward.op.nout])}
    slopes: list[int | str | None] = []
    for slope in plan.typed.captured.outputs:
        if slope.op == "const" and slope.data == 0:
            slopes.append(None)
        else:
            slopes.append(leaves.get(slope, "computed"))
    return slopes


# operators over whole arrays --------------------------------------------------------------------


def _of_array_op(
    node: GraphNode, out_grads: Sequence[Value | None], wanted: Sequence[bool]
) -> list[Value | None]:
    op: Any = node.op
    inputs = [
        Value.of(entry) if type(entry) is tuple and op.keeps_input(i) else None
        for i, entry in enumerate(node.inputs)
    ]
    outputs = [Value.of((node, k)) if op.keeps_output(k) else None for k in range(op.nout)]
    specs = [spec_of(operand) or _NUMBER for operand in node.inputs]
    gradients = Gradients(op, node.attributes, out_grads, inputs, outputs, specs, list(wanted))
    try:
        values = rule_vjp(gradients)
    except DerivativeError as problem:
        raise located(problem, node) from problem
    results: list[Value | None] = []
    for value, own in zip(values, specs, strict=True):
        if value is None or isinstance(value, Symbol):
            results.append(None if value is None else Value.of(value.entry))
        else:  # an array that does not depend on the graph becomes a constant
            array = value.asnumpy() if hasattr(value, "asnumpy") else np.asarray(value, own.dtype)
            results.append(Value.of((build.constant(array), 0)))
    return results
