"""Every operator over whole arrays under every request (OPR-07..10), with its own attributes."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.array import apply_array_op
from nbgraph.errors import ArgumentError
from nbgraph.executor import Options
from nbgraph.executor.compiled import compiled
from nbgraph.executor.program import Program
from nbgraph.graph import build
from nbgraph.graph.build import variable
from nbgraph.graph.graph import Graph
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.layout import layout
from nbgraph.operator.request import kAddTo, kNullOp, kWriteTo
from nbgraph.ops.families import INTERNAL
from tests.ops.array_calls import CALLS, operators


def filled(specs, value, step=1):
    """Outputs that hold a number; with a step their elements are apart."""
    wide = [np.full((*spec.shape, step), value, spec.dtype) for spec in specs]
    return [x[..., 0] for x in wide]


def results(op, inputs, attributes):
    specs = op.infer([Spec.of(x) for x in inputs], attributes)
    outputs = filled(specs, 1)
    op.run(inputs, outputs, [kWriteTo] * len(specs), attributes)
    return specs, outputs


def test_every_operator_has_a_call():
    assert set(operators()) == set(CALLS)


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"empty"}))
def test_requests(name):
    op, (inputs, attributes) = operators()[name], CALLS[name]
    before = [x.copy() for x in inputs]
    specs, judges = results(op, inputs, attributes)
    for request, step in ((kWriteTo, 2), (kAddTo, 1), (kAddTo, 2), (kNullOp, 1)):
        outputs = filled(specs, 1, step)
        op.run(inputs, outputs, [request] * len(specs), attributes)
        for own, judge in zip(outputs, judges, strict=True):
            one = np.ones_like(judge)
            wanted = {kWriteTo: judge, kAddTo: one + judge, kNullOp: one}[request]
            np.testing.assert_array_equal(own, wanted)
    for x, kept in zip(inputs, before, strict=True):
        np.testing.assert_array_equal(x, kept)  # operands are not written


def test_null_requests_compute_nothing():
    """OPR-07: the work itself is skipped."""
    from nbgraph.operator.arrays.array_op import ArrayOp

    ran = []
    op = ArrayOp("noted", lambda x: x, lambda inputs, outputs: ran.append(1))
    op.run([np.ones(2)], [np.ones(2)], [kNullOp], {})
    assert not ran


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"empty"}))
def test_a_public_function_takes_the_attributes_of_its_operator(name):
    """So that a saved graph can be applied again by names; attributes can be hashed."""
    op, (inputs, attributes) = operators()[name], CALLS[name]
    hash(tuple(attributes.items()))
    function = registry.find(name)
    assert function.__name__ == op.__name__ == name
    assert function.__doc__.strip()
    if name not in INTERNAL:
        assert ">>>" in function.__doc__
        assert "Parameters\n" in function.__doc__
    if not inputs or any(operand.startswith("*") for operand in op.operands[:1]):
        return  # sources give what the default carrier has; variadic functions take a sequence
    _, judges = results(op, inputs, attributes)
    own = function(*inputs, **attributes)
    for value, judge in zip(own if isinstance(own, tuple) else (own,), judges, strict=True):
        np.testing.assert_array_equal(value, judge)
    if op.nout == 1 and name != "full_like":
        out = np.empty_like(judges[0])
        assert function(*inputs, **attributes, out=out) is out
        np.testing.assert_array_equal(out, judges[0])


def on_arrays(op, inputs, attributes, outputs, request):
    """The operator over NDArrays, into arrays that hold what `outputs` do."""
    given = [ng.array(x, dtype=x.dtype) for x in inputs]
    outs = [ng.array(x, dtype=x.dtype) for x in outputs]
    apply_array_op.apply(op, given, op.normalise(attributes), outs, [request] * len(outs))
    return [out.asnumpy() for out in outs]


def in_a_graph(op, inputs, attributes, outputs, request):
    """The operator as a graph that is bound to its results."""
    variables = [variable(f"x{k}", x.shape, x.dtype) for k, x in enumerate(inputs)]
    node = build.apply(op, [(v, 0) for v in variables], op.normalise(attributes))
    graph = Graph([(node, k) for k in range(node.nout)], variables)
    outs = [ng.array(x, dtype=x.dtype) for x in outputs]
    layouts = [layout(x.shape, x.dtype) for x in inputs]
    made = compiled(graph, layouts, [request] * len(outs), Options(), ng.cpu())
    Program(made, [*(ng.array(x, dtype=x.dtype) for x in inputs), *outs]).push()
    return [out.asnumpy() for out in outs]


WORLDS = {"arrays": on_arrays, "graph": in_a_graph}


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("name", sorted(set(CALLS) - {"empty"}))
def test_every_element_is_added_to(name, world):
    """OPR-10: what a world adds to each element is what it writes there."""
    op, (inputs, attributes) = operators()[name], CALLS[name]
    specs = op.infer([Spec.of(x) for x in inputs], attributes)
    old = [np.arange(x.size).reshape(x.shape).astype(x.dtype) for x in filled(specs, 1)]
    written = WORLDS[world](op, inputs, attributes, filled(specs, 1), kWriteTo)
    added = WORLDS[world](op, inputs, attributes, old, kAddTo)
    for before, value, total in zip(old, written, added, strict=True):
        np.testing.assert_array_equal(total, before + value)


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"empty"}))
def test_out_of_calls_like_one_before(name):
    """OPR-09: into new arrays and an operand; read-only memory and lists are refused."""
    op, (inputs, attributes) = operators()[name], CALLS[name]
    specs, judges = results(op, inputs, attributes)
    for _ in range(3):
        outs = filled(specs, 1)
        own = op.on_numpy(inputs, attributes, tuple(outs))
        for value, out, judge in zip(own if op.nout > 1 else (own,), outs, judges, strict=True):
            assert value is out
            np.testing.assert_array_equal(value, judge)
    if not specs[0].shape or not judges[0].size:
        return
    for k, x in enumerate(inputs):
        if Spec.of(x) == specs[0] and x.flags.writeable:
            operands = [y.copy() for y in inputs]
            outs = (operands[k], *filled(specs[1:], 1))
            op.on_numpy(operands, attributes, outs)
            np.testing.assert_array_equal(operands[k], judges[0])
    outs[0].flags.writeable = False
    with pytest.raises(ValueError, match="output array 0 is read-only"):
        op.on_numpy(inputs, attributes, tuple(outs))
    with pytest.raises(ArgumentError, match="out must be an array, not list"):
        op.on_numpy(inputs, attributes, ([1], *outs[1:]))
