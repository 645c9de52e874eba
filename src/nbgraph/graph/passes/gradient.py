"""Gradients of a graph as another graph.

>>> import nbgraph as ng
>>> x, w = ng.var("x", shape=(3,), dtype="float32"), ng.var("w", shape=(3,), dtype="float32")
>>> loss = ng.sum(ng.exp(x) * w)
>>> gradient(loss.graph, [w.node])
%0 = ones(shape=(), dtype=float32, device=None): float32[]
%1 = reshape(%0, shape=(1,)): float32[1]
%2 = broadcast_to(%1, shape=(3,)): float32[3]
%3 = x: float32[3]
%4 = exp(%3): float32[3]
%5 = multiply_backward(%2, %4): float32[3]
return %5
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from typing import Any

from nbgraph.dtype import inexact
from nbgraph.errors import ArgumentError, DerivativeError, ShapeError, require_shape
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.composite import CompositeOp, resolved
from nbgraph.graph.graph import Entry, Graph, spec, spec_of
from nbgraph.graph.node import topological
from nbgraph.graph.passes.reverse import Value, in_gradients, located
from nbgraph.operator.arrays.array_op import Spec, gives_constant
from nbgraph.ops.define import library
from nbgraph.ops.elementwise.arithmetic import add
from nbgraph.ops.elementwise.casting import astype


def gradient(
    graph: Graph, wrt: Sequence[GraphNode], head_grads: Sequence[Operand | None] | None = None
) -> Graph:
    """Return the gradients of the heads, taken together, with respect to variables: one head for
    each.

    Gradients share the nodes of the graph, so nothing is computed or drawn twice. The gradients of
    a graph of gradients are second derivatives. Contributions of several uses of a value are added
    by the library's `add`, from the last use to the first.

    Parameters
    ----------
    graph : Graph
        Typed: all shapes and dtypes known.
    wrt : sequence of variables
        Their gradients have their shapes and dtypes. Where none flows (through `stop_gradient`,
        to or through integers, from another variable's part of the graph) it is a node of zeros;
        see `no_gradient`.
    head_grads : sequence, optional
        Gradients of the heads: an operand of the head's shape, a number, or None for ones.

    Raises DerivativeError where a gradient has to flow through an operator that has none.
    """
    if not graph.typed:
        unknown = [v.name for v in graph.variables if v.specs is None]
        raise ShapeError(
            f"gradient: the shapes of {', '.join(map(str, unknown))} are not known; infer the "
            "graph's shapes first"
        )
    if any(isinstance(node.op, CompositeOp) for node in graph.nodes):
        graph = resolved(graph, {}, {})[0]
    seeds = _seeds(graph, head_grads)
    useful = _useful(graph, wrt)
    sums: dict[Entry, Value] = {}
    for head, seed in zip(graph.heads, seeds, strict=True):
        if head in useful:
            _add(sums, head, seed)
    flow(graph.nodes, useful, sums)
    heads = [_result(variable, sums) for variable in wrt]
    return Graph(heads, [*graph.variables, *_others(graph, seeds)])


def require_gradients(graph: Graph, wrt: Sequence[GraphNode]) -> None:
    """Raise DerivativeError, with the user's line, if a gradient with respect to these variables
    has to flow through an operator whose `require_backward` raises."""
    useful = _useful(graph, wrt) if wrt else set[Entry]()
    for node in graph.nodes:
        if hasattr(node.op, "require_backward") and any(v in useful for v in node.entries):
            op: Any = node.op
            try:
                op.require_backward([spec_of(operand) for operand in node.inputs])
            except DerivativeError as problem:
                raise located(problem, node) from None


def no_gradient(entry: Entry) -> bool:
    """Return whether a head of `gradient` means that the variable has no gradient."""
    return entry[0].op is library.zeros.op


def flow(
    nodes: Iterable[GraphNode],
    useful: Collection[Entry],
    sums: dict[Entry, Value],
    passing: Callable[[Entry, Value], Value] | None = None,
) -> None:
    """Propagate gradients back through nodes: replace those of outputs in `sums` by those of
    operands.

    `nodes`: in topological order. `useful`: entries that gradients have to reach. `sums`: the
    gradients so far, by entry. `passing(entry, gradient)` receives the complete gradient of an
    entry and returns the one to propagate.
    """
    for node in reversed([*nodes]):
        if node.op is None:
            continue
        out_grads = [sums.pop((node, k), None) for k in range(node.nout)]
        if passing is not None:
            came = enumerate(out_grads)
            out_grads = [None if g is None else passing((node, k), g) for k, g in came]
        flags = [type(operand) is tuple and operand in useful for operand in node.inputs]
        if True not in flags or all(g is None for g in out_grads):
            continue
        slopes = in_gradients(node, out_grads, flags)
        for operand, value in zip(node.inputs, slopes, strict=True):
            if value is not None:
                assert type(operand) is tuple
                _add(sums, operand, value)


def _add(sums: dict[Entry, Value], entry: Entry, value: Value) -> None:
    before = sums.get(entry)
    sums[entry] = value if before is None else add(before, value)


def _useful(graph: Graph, wrt: Sequence[GraphNode]) -> set[Entry]:
    """Return the floating entries that depend on the variables: gradients flow nowhere else."""
    entries: set[Entry] = set()
    chosen = set(wrt)
    for node in graph.nodes:
        if node in chosen or _passes(node, entries):
            assert node.specs is not None
            entries.update((node, k) for k, own in enumerate(node.specs) if inexact(own.dtype))
    return entries


def _passes(node: GraphNode, useful: set[Entry]) -> bool:
    if gives_constant(node.op):
        return False
    return any(type(operand) is tuple and operand in useful for operand in node.inputs)


# where it begins and ends -----------------------------------------------------------------------


def _seeds(graph: Graph, seeds: Sequence[Operand | None] | None) -> list[Value]:
    if seeds is None:
        seeds = [None] * len(graph.heads)
    if len(seeds) != len(graph.heads):
        raise ArgumentError(
            f"gradient: {len(seeds)} head gradients for {len(graph.heads)} heads; give one for each"
        )
    return [_seed(i, head, g) for i, (head, g) in enumerate(zip(graph.heads, seeds, strict=True))]


def _seed(index: int, head: Entry, seed: Operand | None) -> Value:
    """Return the gradient that starts at a head: ones, or the head gradient, in its dtype."""
    shape, dtype = spec(head)
    if seed is None:
        return uniform("ones", spec(head))
    if type(seed) is not tuple:
        return uniform("full", spec(head), fill_value=seed)
    require_shape(f"gradient: the head gradient {index}", spec(seed).shape, shape, of="the head")
    return astype(Value.of(seed), dtype, copy=False)


def uniform(name: str, own: Spec, **options: Any) -> Value:
    """Return an array filled with one number, by the operator `name` (zeros, ones, full)."""
    op = getattr(library, name).op
    return Value.applied(
        op, [], {"shape": own.shape, **options, "dtype": own.dtype, "device": None}
    )


def _result(variable: GraphNode, sums: dict[Entry, Value]) -> Entry:
    value = sums.get((variable, 0))
    return (uniform("zeros", spec((variable, 0))) if value is None else value).entry


def _others(graph: Graph, seeds: Sequence[Value]) -> list[GraphNode]:
    """Return variables of the head gradients that the graph does not have."""
    own = set(graph.variables)
    order: list[GraphNode] = topological([seed.node for seed in seeds])
    return [node for node in order if node.op is None and node not in own]
