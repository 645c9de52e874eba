"""Vectors of a few numbers as so many numbers: the same bits, without loops over the vectors."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.executor.compiled import compiled
from nbgraph.executor.pipeline import Options
from nbgraph.graph.graph import spec
from nbgraph.graph.passes.scalars import MOST, scalars
from nbgraph.operator.layout import layout
from nbgraph.operator.request import OpReqType
from tests.graph.legality import check
from tests.graph.naive import evaluate, same_bits

RNG = np.random.default_rng(5)


def slope(y, p=2.0):
    return ng.stack([y[1], -p * ng.sin(y[0]) - 0.5 * y[1]])


CASES = {
    "a step of Heun": lambda x: x + 0.05 * (slope(x) + slope(x + 0.1 * slope(x))),
    "one number of it": lambda x: (x + 0.1 * slope(x))[-1],
    "numbers and vectors broadcast": lambda x: (x[0] - slope(x)) * x * x[1:] + 1,
    "a vector of one number": lambda x: ng.stack([x[0] * 2]) / x,
    "gradients": ng.grad(lambda x: ng.exp(slope(x) * 0.1)[0]),
    "all of it is read": lambda x: ng.sum(slope(x) * 2) + slope(x),
    "integers": lambda x: ng.stack([x[0].astype("int64"), x[1].astype("int64")]) * 3,
    "dtypes that differ": lambda x: ng.stack([x[0].astype("float64"), x[1]]) * x,
    "an ellipsis": ng.grad(lambda x: ng.stack([x[..., 1], x[..., 0]])[..., 1] * x[0]),
    "along another axis": lambda x: ng.stack([x, x], axis=1)[:, 0] * x,
}


def graph_of(f, dtype, size=2):
    run = ng.jit(f)
    run(ng.zeros(size, dtype=dtype))
    return run.graph(ng.zeros(size, dtype=dtype))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", CASES)
def test_the_same_bits(name, dtype):
    graph = graph_of(CASES[name], dtype)
    after = scalars(graph)
    check(after)
    assert scalars(after).heads == after.heads
    (x,) = graph.variables
    for value in (RNG.normal(size=2), np.array([-0.0, np.nan])):
        values = {x: value.astype(dtype)}
        assert same_bits(evaluate(graph, values), evaluate(after, values))


def test_vectors_are_stacked_where_they_are_read():
    after = scalars(graph_of(CASES["a step of Heun"], "float32"))
    shapes = {node.label: node.specs[0].shape for node in after.nodes}
    assert [name for name, shape in shapes.items() if shape == (2,)] == ["x", "stack"]


def test_longer_vectors_stay():
    graph = graph_of(lambda x: ng.stack([x[k] for k in range(MOST + 1)]) * 2, "float32", MOST + 1)
    assert scalars(graph).heads == graph.heads


def test_bodies_of_loops_are_few_kernels():
    """A step of a pendulum, and its reverse, are one loop and what it stacks."""

    def loss(p):
        def step(y, _):
            return y + 0.1 * slope(y + 0.05 * slope(y, p), p), y[0]

        return ng.sum(ng.scan(step, ng.array([1.0, 0.0]), None, length=5)[1] ** 2)

    graph = ng.jit(ng.grad(loss)).graph(ng.array(2.0))
    loops = [node for node in graph.nodes if hasattr(node.op, "loop")]
    assert len(loops) == 2
    for node in loops:
        body = node.op.typed([spec(entry) for entry in node.entries]).body
        layouts = [layout(*spec((v, 0))) for v in body.variables]
        write = [OpReqType.kWriteTo] * len(body.heads)
        program = compiled(scalars(body), layouts, write, Options(), ng.cpu())
        kinds = [task.name.split("_")[0].rstrip(" 0123456789") for task in program.tasks]
        assert kinds.count("fused") == 1
        assert set(kinds) <= {"fused", "multiply", "stack", "copy result"}, kinds
