"""An operator inside another scalar function: its text or graph is inlined."""

from __future__ import annotations

import functools
from typing import TYPE_CHECKING, Any

from nbgraph.kernels.capture.context import Call, Tracer
from nbgraph.kernels.capture.draws import KEY, bits
from nbgraph.kernels.capture.values import Value
from nbgraph.kernels.function.scalar_function import WrittenFunction
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.transplant import Transplant

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise


def inline(op: Elementwise, call: Call) -> Value:
    """Inline an operator into the graph of the function that calls it."""
    op.refresh()
    tracer, bound = call.tracer, op.__signature__.bind(*call.args, **call.kwargs)
    values = dict(bound.arguments)
    for name, p in bound.signature.parameters.items():
        values.setdefault(name, tracer.constant(p.default, None))  # type: ignore[arg-type]
    if isinstance(op.scalar, WrittenFunction) and op.hand_gradient is None:
        fn, on_invalid = op.scalar.fn, op.scalar.on_invalid
        node = tracer.site or tracer.text.body[0]
        inner = functools.partial(tracer.subtracer, fn)
        return tracer.enter(node, fn, inner, values, call.path, on_invalid=on_invalid)
    return _moved(op, tracer, values)


def _moved(op: Elementwise, tracer: Tracer, values: dict[str, Value]) -> Value:
    """Return a copy of a captured graph, for operators without text or with a written gradient."""
    graph, scalar = tracer.graph, op.scalar
    if scalar.draws:
        values[KEY] = bits(tracer, tracer.graph.const(True))
    operands = [values[n] for n in scalar.operands]
    examples = {p.name: _example(values[p.name]) for p in scalar.parameters}
    captured = scalar.capture([o.kind for o in operands], examples)
    tracer.watch.include(scalar.watch)
    replaced = {
        a.id: graph.cast(b, a.kind) for a, b in zip(captured.operands, operands, strict=True)
    }
    for leaf in captured.parameters:
        replaced[leaf.id] = graph.cast(values[str(leaf.data)], leaf.kind)
    move = Transplant(captured.graph, graph, replaced)
    results = tuple(tracer.unchecked(move(node)) for node in captured.outputs)
    return results[0] if op.nout == 1 else results


def _example(value: Value) -> Any:
    """Return a Python value of a parameter's kind, to capture with."""
    if isinstance(value, Node):
        if value.op == "const":
            return value.data
        return {"f": 1.0, "b": True}.get(value.kind, 1)
    return value.value
