"""Estimates of what an element costs."""

import numpy as np

import nbgraph as ng
from nbgraph.kernels.compiler.kernel import kernel
from nbgraph.kernels.loops.cost import UNSURE, is_chain, of_kernel, per_element
from nbgraph.kernels.loops.loop import Loop
from nbgraph.operator import registry
from nbgraph.operator.mapper.fused import Part, fuse


def captured(op, count):
    return op.invoker.plan_of([np.dtype("float32")] * count, {}).typed.captured


def test_a_fused_element_costs_its_parts():
    """X-SYM-05: the cost of a loop grows with what is in it, memory counted once."""
    exp, add = registry.find("exp"), registry.find("add")
    one = per_element(captured(exp, 1), 8)
    op, _ = fuse("two", [Part(exp, (("in", 0),)), Part(add, (("part", 0, 0), ("in", 0)))], [(1, 0)])
    two = per_element(captured(op, 1), 8)
    assert one < two < 2 * one


def test_what_parameters_alone_decide_costs_no_element_anything():
    """X-SYM-05: a quotient of parameters is taken once a call; one of elements for each."""
    plain = ng.op(lambda x, *, a=2.0: x * a)
    once = ng.op(lambda x, *, a=2.0: x * (1.0 / (a * a)))
    each = ng.op(lambda x, *, a=2.0: 1.0 / (x * a))
    found = [
        per_element(op.invoker.plan_of([np.dtype("float32")], {"a": 2.0}).typed.captured, 8)
        for op in (plain, once, each)
    ]
    assert found[0] == found[1] < found[2]


def test_loops_inside_a_function_are_counted():
    """X-SYM-05: a loop region is walked, too; X-ENG-10: its kernel never counts as a short one."""

    @ng.op
    def halvings(x):
        n = 0
        while x > 1:
            x = x / 2
            n += 1
        return n + x

    for op, counted in ((halvings, UNSURE), (registry.find("exp"), 5)):
        loop = Loop("loop", "map", captured(op, 1).graph, "float32", (), (), ())
        assert of_kernel(loop, 5) == counted


def repeated(op, length):
    parts = [Part(op, (("in", 0),))]
    parts += [Part(op, (("part", k, 0),)) for k in range(length - 1)]
    return fuse("repeated", parts, [(length - 1, 0)])[0]


def test_long_chains_work_on_several_vectors_in_turn():
    """X-SYM-05: a fused chain is not slowed down by waiting for each of its operations."""
    exp = registry.find("exp")
    loads = []
    for op, chain in ((exp, False), (repeated(exp, 4), True)):
        plan = op.invoker.plan_of([np.dtype("float32")], {})
        found = plan.typed.captured
        assert is_chain(found.graph, found.outputs) == chain
        code = kernel(plan.loop(["c", "c"], ["float32"], ["write"]))
        loads.append(code.llvm().count("%wide.load"))
        x = np.linspace(-3, -1, 777, dtype="float32")
        wanted = x
        for _ in range(4 if chain else 1):
            wanted = exp(wanted)
        np.testing.assert_array_equal(op(x), wanted)
    assert loads[1] >= 4
    wide, _ = fuse("wide", [Part(exp, (("in", k),)) for k in range(9)], [(k, 0) for k in range(9)])
    found = captured(wide, 9)
    assert not is_chain(found.graph, found.outputs)


def test_chains_of_divisions_work_on_one_vector_at_a_time():
    """Other vectors would wait for the unit that divides."""

    def newton(x):
        y = x
        for _ in range(8):
            y = 0.5 * (y + x / y)
        return y

    (node,) = (found := captured(ng.op(newton), 1)).outputs
    assert not is_chain(found.graph, [node])


def test_roundings_cost_what_arithmetic_does():
    ops = (registry.find(name) for name in ("floor", "negative", "sqrt", "exp"))
    costs = [per_element(captured(op, 1), 8) for op in ops]
    assert costs[0] == costs[1] < costs[2] < costs[3]
