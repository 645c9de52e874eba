"""The effort of a task of a compiled graph, for profiles."""

import math
from collections.abc import Sequence

from nbgraph.engine.profiling.effort import Effort
from nbgraph.engine.sites import site
from nbgraph.executor.compiled import Compiled
from nbgraph.executor.work import KernelWork
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import spec
from nbgraph.graph.passes.fuse import explain_fusion

_WEIGHTED = ("fully_connected", "convolution")  # each output element is a product with a filter


def effort_of(compiled: Compiled, place: int) -> Effort:
    """Return the effort of one run of a task, by its place."""
    task, call = compiled.tasks[place], compiled.calls[place]
    work = task.work
    uses = (
        [use for _, use in work.uses]
        if isinstance(work, KernelWork)
        else [*getattr(work, "inputs", ()), *getattr(work, "outputs", ())]
    )
    layouts = [use.layout for use in uses]
    node = next((n for n, name in compiled.lowering.names.items() if name == task.name), None)
    operations = None if node is None else _products(node)
    if operations is None and call is not None:
        operations = call.operations(layouts)
    members = () if node is None else _members(compiled, node)
    names = tuple(dict.fromkeys(m.op.__name__ for m in members if m.op is not None))
    lines = tuple(dict.fromkeys(site(*m.line) for m in members if m.line is not None))
    return Effort(names, lines, sum(own.nbytes for own in layouts), operations)


def _members(compiled: Compiled, node: GraphNode) -> Sequence[GraphNode]:
    """Return the nodes that were fused into this one, or the node itself."""
    for stage in compiled.stages:
        if stage.name == "fuse":
            for loop in explain_fusion(stage.after).loops:
                if loop.node.op is node.op:
                    return loop.members
    return (node,)


def _products(node: GraphNode) -> int | None:
    """Return multiplications and additions of a product or a convolution; None for others."""
    from nbgraph.operator.products.op import ProductOp  # loads with a profile, not with each graph

    op = node.op
    specs = [spec(entry) for entry in node.entries]
    if isinstance(op, ProductOp) and len(specs) == 2:
        labels = op.labels(*specs, **node.attributes)
        if labels is not None:
            return 2 * math.prod(labels.sizes(specs[0].shape, specs[1].shape).values())
    if op is not None and op.__name__ in _WEIGHTED and len(specs) > 1:
        outputs, (filters, *each) = math.prod(spec((node, 0)).shape), specs[1].shape
        return 2 * outputs * math.prod(each) if filters else 0
    return None
