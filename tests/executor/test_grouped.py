"""Graphs on several devices: places by groups, copies in between, the bits of one device."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.graph.passes.devices import parts, place
from nbgraph.operator.products.op import ProductOp
from tests.graph.random_graphs import random_graph

CPU, OTHER, GPU = ng.cpu(0), ng.cpu(1), ng.gpu(0)
DEVICES = [(CPU, OTHER), (CPU, GPU), (GPU, CPU)]
SHAPES = {"x": (6, 8), "w0": (8, 5), "w1": (5, 5), "w2": (5, 4)}


def network():
    """Layers that go to and fro between two groups; a value that both read; two results."""
    x = ng.var("x")
    with ng.AttrScope(ctx_group="first"):
        w0 = ng.var("w0", init=0.25)
        a = ng.tanh(x @ w0)
    with ng.AttrScope(ctx_group="second"):
        b = ng.sigmoid(a @ ng.var("w1", init=-0.5)) + a
    with ng.AttrScope(ctx_group="first"):
        c = ng.tanh(b * a @ ng.var("w2", init=0.125))
    return ng.Group([c, b * 2.0])


def bound(groups, grad_req="write", **more):
    return network().simple_bind(group2ctx=groups, grad_req=grad_req, **more, **SHAPES)


def run(exe, way, seed=0):
    rng = np.random.default_rng(seed)
    x = rng.normal(size=SHAPES["x"]).astype("float32")
    grads = [rng.normal(size=out.shape).astype("float32") for out in exe.outputs]
    if way == "predict":
        exe.forward(x=x)
        return [out.asnumpy() for out in exe.outputs]
    if way == "joint":
        exe.forward_backward(grads, x=x)
    else:
        exe.forward(is_train=True, x=x)
        exe.backward(grads)
    slopes = [g.asnumpy() for g in exe.grad_arrays if g is not None]
    return [*(out.asnumpy() for out in exe.outputs), *slopes]


@pytest.mark.parametrize("way", ["predict", "joint", "halves"])
@pytest.mark.parametrize("grad_req", ["write", "add"])
def test_two_contexts_give_the_bits_of_one(way, grad_req):
    one, two = bound(None, grad_req), bound({"first": CPU, "second": OTHER}, grad_req)
    for seed in range(3):  # twice into the same arrays, which add up
        for own, judge in zip(run(two, way, seed), run(one, way, seed), strict=True):
            np.testing.assert_array_equal(own, judge)


@pytest.mark.parametrize("way", ["predict", "joint", "halves"])
@pytest.mark.parametrize(("first", "second"), DEVICES[1:])
def test_a_gpu_and_the_host_share_a_graph(way, first, second):
    """Sums of products may differ in their last bits between devices."""
    one, two = bound(None), bound({"first": first, "second": second})
    for own, judge in zip(run(two, way), run(one, way), strict=True):
        np.testing.assert_allclose(own, judge, rtol=2e-5, atol=1e-6)


@pytest.mark.parametrize(("first", "second"), DEVICES)
def test_arrays_lie_where_their_group_is(first, second):
    exe = bound({"first": first, "second": second})
    places = {name: array.device for name, array in exe.arg_dict.items()}
    assert places == {"x": first, "w0": first, "w1": second, "w2": first}
    assert {n: g.device for n, g in exe.grad_dict.items()} == places
    assert [out.device for out in exe.outputs] == [first, second]
    run(exe, "joint")
    assert {str(p.compiled.device) for p in exe.programs().values()} == {str(first), str(second)}
    other = exe.reshape(x=(3, 8))
    assert other.arg_dict["w1"] is exe.arg_dict["w1"]
    assert other.outputs[1].device == second


def test_gradients_run_where_their_nodes_do():
    """Each of three layers has a product and two for its gradients, all on one device."""
    exe = bound({"first": CPU, "second": OTHER})
    programs = exe._bound.both((True, True)).programs
    products = {CPU: 0, OTHER: 0}
    for program in programs:
        nodes = program.compiled.source.nodes
        products[program.compiled.device] += sum(isinstance(node.op, ProductOp) for node in nodes)
    assert products == {CPU: 6, OTHER: 3}
    exe = bound({"first": CPU, "second": CPU})  # one device after all
    assert len(exe._bound.both((True, True)).programs) == 1


@pytest.mark.parametrize("seed", range(6))
def test_parts_hold_every_node_once_behind_what_it_reads(seed):
    """Over random places of random graphs."""
    graph, _ = random_graph(seed)
    rng = np.random.default_rng(seed)
    devices = {node: ng.cpu(int(rng.integers(3))) for node in graph.nodes}
    given, seen = set(graph.variables), set()
    for part in parts(graph, devices):
        assert set(part.takes.values()) <= seen
        assert set(part.graph.variables) <= given | set(part.takes)
        assert not seen & set(part.gives)
        assert all(devices[node] == part.device for node in part.nodes)
        seen.update(part.gives)
    assert set(graph.heads) <= seen


def test_a_group_without_a_device_is_on_that_of_the_executor():
    graph = network().simple_bind(**SHAPES).graph
    assert set(place(graph, {}, OTHER).values()) == {OTHER}
    exe = bound({"second": OTHER})
    assert exe.arg_dict["w0"].device == CPU and exe.arg_dict["w1"].device == OTHER


def test_training_with_an_optimiser_and_watching_values():
    """The update is pushed behind the gradients; parts are watched one by one."""
    found = {}
    for name, groups in (("one", None), ("two", {"first": CPU, "second": OTHER})):
        exe = ng.sum(network()[0]).simple_bind(group2ctx=groups, **SHAPES)
        opt = ng.optim.SGD({"w1": exe.arg_dict["w1"]}, lr=0.5)
        for k in range(3):
            exe.train_step(opt, x=np.full(SHAPES["x"], 0.1 * k, "float32"))
        seen = []
        exe.set_monitor_callback(lambda name, array, seen=seen: seen.append(name))
        exe.forward()
        assert any(name.startswith("sigmoid") for name in seen)
        found[name] = exe.arg_dict["w1"].asnumpy()
    np.testing.assert_array_equal(found["one"], found["two"])


def test_given_arrays_stay_where_they_are():
    x, w = ng.ones((2, 2)), ng.ones((2, 2), device=OTHER)
    with ng.AttrScope(ctx_group="second"):
        y = ng.var("x") @ ng.var("w")
    grads = {"w": ng.zeros((2, 2), device=OTHER)}
    exe = y.bind(CPU, {"x": x, "w": w}, grads, group2ctx={"second": OTHER})
    exe.forward_backward(ng.ones((2, 2)))
    assert (exe.outputs[0].asnumpy() == 2).all() and (grads["w"].asnumpy() == 2).all()


def test_groups_are_a_dict_of_devices():
    with pytest.raises(ArgumentError, match=r"group2ctx=\['dev1'\]; give a dict"):
        bound(["dev1"])
    with pytest.raises(ArgumentError, match=r"group2ctx\['first'\]: ctx='cpu'"):
        bound({"first": "cpu"})
    with pytest.raises(DeviceError):
        bound({"first": ng.gpu(99)})
