"""Expression graphs: passes, roots, parameters, clearing, memoised constants, memory, NaN."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DeviceError, DTypeError, ShapeError
from nbgraph.nodes import library
from tests.nodes.conftest import SinNodeOp, TimesNodeOp

X = np.linspace(-1, 1, 6).reshape(2, 3)


def counted(child, calls, tag="x"):
    """A node that tells when it is computed."""

    def forward(out, x):
        calls.append(tag)
        out[...] = x

    def backward(grad, adj, out, x):
        grad += adj

    return library.lambda_([child], forward, [backward])


# passes -----------------------------------------------------------------------------------------


def test_a_graph_is_continued(graph):
    """X-MAR-04: forward_next runs what was added since; forward runs everything anew."""
    calls = []
    x = graph.param("x", (2,), 1.0)
    a = counted(x, calls, "a")
    graph.forward()
    b = counted(a, calls, "b")
    with pytest.raises(ArgumentError, match="forward_next"):
        _ = b.val
    graph.forward_next()
    assert b.val.tolist() == [1.0, 1.0] and calls == ["a", "b"]
    x.val = 5.0
    graph.forward()
    assert b.val.tolist() == [5.0, 5.0] and calls == ["a", "b", "a", "b"]


def test_values_of_an_earlier_pass_stay(graph):
    """X-MAR-01: what was read keeps its values; a new pass has memory of its own."""
    x = graph.param("x", (2,), 1.0)
    y = x * 3.0
    graph.forward()
    before = y.val
    x.val = 0.0
    graph.forward()
    assert before.tolist() == [3.0, 3.0] and y.val.tolist() == [0.0, 0.0]


def test_gradients_reset_or_accumulate_and_are_clipped(graph):
    """X-MAR-04: reset, clip of every node's gradient, backprop; a bad clip is refused."""
    x = graph.param("x", (3,), [1.0, -2.0, 3.0])
    y = (x * x * 10.0).sum()
    graph.backprop()
    assert x.grad.tolist() == [20.0, -40.0, 60.0]
    kept = x.grad
    graph.backward(reset=False)
    assert x.grad.tolist() == [40.0, -80.0, 120.0] and x.grad is kept
    graph.backward(clip=0.5)  # 1 -> 0.5; 0.5 * 10 -> 0.5; 0.5 * 2x -> at most 0.5
    assert x.grad.tolist() == [0.5, -0.5, 0.5]
    with pytest.raises(ArgumentError, match="clip=0"):
        graph.backward(clip=0)
    assert y.trainable


def test_the_gradient_of_a_fan_out_is_added_up(engine, graph):
    """MND-16: several uses of a node, and of one twice in an operator, accumulate."""
    x = graph.param("x", (2, 3), X)
    h = ng.expression(SinNodeOp, x)
    y = (h * h + TimesExpr(h, x) + h).sum()
    graph.backprop()
    s, c = np.sin(X), np.cos(X)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * s * c + c * X + s + c, rtol=1e-13)
    assert y.shape == ()


def TimesExpr(a, b):
    return ng.expression(TimesNodeOp, a, b)


BY_PRODUCTS = {
    "cross_entropy": lambda x, w: ng.cross_entropy(x, np.array([0, 2])),
    "layer_norm": lambda x, w: (ng.layer_norm(x, w, w) * x).sum(),
}


@pytest.mark.parametrize("name", BY_PRODUCTS)
def test_results_beside_the_one_that_is_used_are_no_roots(graph, name):
    """X-MAR-05: the loss is the root, though an operator below it has further results."""
    x = graph.param("x", (2, 3), X)
    loss = BY_PRODUCTS[name](x, graph.param("w", (3,), [1.0, 2.0, 3.0]))
    graph.backprop()
    found = x.grad.asnumpy()
    graph.backward(heads=loss)
    assert (x.grad.asnumpy() == found).all() and found.any()


@pytest.mark.parametrize("compiled", [True, False])
def test_a_stopped_value_is_no_root(compiled):
    """X-MAR-05: gradients do not flow to a constant for derivatives, nor to what is made of it."""
    graph = ng.ExpressionGraph(compiled=compiled)
    x = graph.param("x", (2,), [1.0, 2.0])
    still = ng.stop_gradient(x)
    shown = still * 2.0
    loss = ng.sum(x * still)
    assert [e.trainable for e in (still, shown, loss)] == [False, False, True]
    graph.backprop()
    assert x.grad.tolist() == [1.0, 2.0] and shown.val.tolist() == [2.0, 4.0]


def test_backward_needs_one_root(graph):
    """X-MAR-05, Z-14: several roots are listed; heads, or remove_as_root, say what is meant."""
    x = graph.param("x", (2,), [1.0, 2.0])
    with pytest.raises(ArgumentError, match="no top node"):
        graph.backward()
    a, b = x * 2.0, ng.exp(x)
    metric = x > 1.0  # not trainable: no root of gradients
    assert [e.node for e in graph.top_nodes()] == [a.node, b.node, metric.node]
    graph.forward()
    with pytest.raises(ArgumentError, match=r"2 roots \(<node .* multiply.*exp"):
        graph.backward()
    graph.backward(heads=a)
    assert x.grad.tolist() == [2.0, 2.0]
    graph.backward(heads=[a, b], head_grads=[None, ng.array([0.0, 1.0], dtype="float64")])
    np.testing.assert_allclose(x.grad.asnumpy(), [2.0, 2.0 + np.exp(2.0)], rtol=1e-15)
    assert graph.remove_as_root(b) is b
    graph.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_heads_that_do_not_fit_are_refused(graph):
    """X-MAR-05: head gradients of another number, shape or dtype; heads without gradient."""
    x = graph.param("x", (2,), 1.0)
    y, c = x * x, graph.constant(np.ones(2))
    with pytest.raises(ArgumentError, match="forward"):
        graph.backward()
    graph.forward()
    double, single = ng.ones((3,), dtype="float64"), ng.ones((2,))
    for error, told, given in (
        (ArgumentError, "without heads", {"head_grads": [None]}),
        (ArgumentError, "1 head.* 2 gradient", {"heads": y, "head_grads": [None, None]}),
        (ShapeError, r"shape \(3,\)", {"heads": y, "head_grads": double}),
        (DTypeError, "dtype float32", {"heads": y, "head_grads": single}),
        (ArgumentError, "no trainable parameter", {"heads": c}),
    ):
        with pytest.raises(error, match=told):
            graph.backward(**given)
    graph.backward()
    assert x.grad.tolist() == [2.0, 2.0]


def test_gradients_are_freed_when_used_unless_retained(graph):
    """X-MAR-01: inner gradients are gone after the pass; what is retained stays."""
    x = graph.param("x", (2,), 1.0)
    a = x * 2.0
    b = (a * a).retain()
    c = b * 3.0
    graph.backprop()
    assert b.grad.tolist() == [3.0, 3.0] and c.node._adj is None
    with pytest.raises(ArgumentError, match="retain"):
        _ = a.grad
    graph.backward()
    assert b.grad.tolist() == [3.0, 3.0]


def test_an_error_on_the_way_back_leaves_no_gradient_unset(graph):
    """X-MAR-04: a pass that is refused half-way can be repeated on another graph."""
    x = graph.param("x", (2,), 1.0)
    library.lambda_([ng.exp(x)], lambda out, v: None, ["no function"])
    graph.forward()
    with pytest.raises(ArgumentError, match="'no function' is not an operation"):
        graph.backward()
    assert x.grad.tolist() == [0.0, 0.0]
    graph.clear()
    x * 3.0  # noqa: B018
    graph.backprop()
    assert x.grad.tolist() == [3.0, 3.0]


def test_nothing_is_recorded_on_a_tape(graph):
    """X-MAR-04: a pass inside autograd.record() leaves no trace there."""
    x = graph.param("x", (2,), 1.0)
    y = ng.exp(x) * x
    with ng.autograd.record():
        graph.backprop()
    assert y.val._node is None and x.grad._node is None


# parameters -------------------------------------------------------------------------------------


def test_parameters_have_names_dtypes_and_namespaces():
    """X-MAR-02: named parameters, found again; fixed; per dtype; namespaces; default dtype."""
    graph = ng.ExpressionGraph(dtype="float32")
    w = graph.param("w", (2, 2), lambda shape, dtype: np.arange(4).reshape(shape))
    assert (w.dtype, w.name, w.trainable) == (np.float32, "w", True)
    assert graph.param("w", (2, 2), 7.0).node is w.node and w.val.tolist() == [[0, 1], [2, 3]]
    f = graph.param("f", 3, 1.0, fixed=True, dtype="float64")
    assert not f.trainable and f.shape == (3,)
    graph.switch_params("decoder")
    other = graph.param("w", (5,), 1.0)
    assert other.name == "decoder::w" and graph.param("decoder::w", (5,)).node is other.node
    graph.switch_params("")
    assert graph.param("w", (2, 2)).node is w.node
    assert list(graph.params()) == ["w", "f", "decoder::w"]
    assert list(graph.params("float64")) == ["f"]
    assert graph.constant([1.0]).dtype == np.float32
    assert graph.constant(np.ones(1)).dtype == np.float64


def test_parameters_that_do_not_agree_are_refused(graph):
    """X-MAR-02: another shape or dtype under a known name, a bad name, shape or initial value."""
    graph.param("w", (2,), 1.0)
    for error, told, ask in (
        (ShapeError, r"shape \(3,\), but it has \(2,\)", lambda: graph.param("w", (3,))),
        (DTypeError, "float32, but", lambda: graph.param("w", (2,), dtype="float32")),
        (ArgumentError, "name=''", lambda: graph.param("", (2,))),
        (ArgumentError, "shape=", lambda: graph.param("v", (-2,))),
        (ShapeError, r"init has shape \(3,\)", lambda: graph.param("v", (2,), np.ones(3))),
        (ArgumentError, "init is None", lambda: graph.param("v", (2,), None)),
    ):
        with pytest.raises(error, match=told):
            ask()
    with pytest.raises(ArgumentError, match="is computed"):
        (graph.param("w", (2,)) * 2.0).val = 3.0


def test_parameters_are_copied(graph):
    """X-MAR-02: copy_params makes what is missing and overwrites what is there."""
    graph.param("a", (2,), 1.0)
    graph.param("b", (2,), 2.0, fixed=True)
    other = ng.ExpressionGraph(dtype="float64")
    a = other.param("a", (2,), 9.0)
    other.copy_params(graph)
    assert a.val.tolist() == [1.0, 1.0] and other.params()["b"].val.tolist() == [2.0, 2.0]
    assert not other.params()["b"].trainable
    graph.params()["b"].val = 5.0
    assert other.params()["b"].val.tolist() == [2.0, 2.0]
    third = ng.ExpressionGraph(dtype="float64")
    third.param("a", (3,), 9.0)
    with pytest.raises(ShapeError, match="copy_params: 'a'"):
        third.copy_params(graph)


def test_training_on_parameters_by_hand(engine):
    """X-MAR-02: a parameter is written in place between passes."""
    graph = ng.ExpressionGraph(dtype="float64")
    rng = np.random.default_rng(0)
    data = rng.normal(size=(20, 3))
    target = data @ np.array([[1.0], [-2.0], [0.5]])
    w = graph.param("w", (3, 1), 0.0)
    for _ in range(120):
        graph.clear()
        error = graph.constant(data) @ w - graph.constant(target)
        ng.mean(error * error)
        graph.backprop()
        w.val -= 0.2 * w.grad
    np.testing.assert_allclose(w.val.asnumpy().ravel(), [1.0, -2.0, 0.5], atol=1e-6)


def test_a_device_is_chosen_on_the_graph(graph):
    """MTE-05: set_device; a device that is there, and not after there are parameters."""
    for device in (ng.gpu(0), ng.cpu()) if ng.num_gpus() else (ng.cpu(),):
        graph.set_device(device)
        assert graph.device == device and graph.constant(1.0).node.device == device
    with pytest.raises(DeviceError, match=r"gpu\(99\)"):
        ng.ExpressionGraph(device=ng.gpu(99))
    graph.param("w", (2,), 1.0)
    with pytest.raises(DeviceError, match="has parameters"):
        graph.set_device(ng.cpu(1))


# membership -------------------------------------------------------------------------------------


def test_nodes_of_other_graphs_and_of_cleared_ones_are_refused(graph):
    """X-MAR-01: what was cleared, another graph's, or never added, is told apart."""
    x = graph.param("x", (2,), 1.0)
    y = x * 2.0
    other = ng.ExpressionGraph(dtype="float64")
    with pytest.raises(ArgumentError, match="of two graphs"):
        other.param("z", (2,)) + y
    with pytest.raises(ArgumentError, match="is of another graph"):
        other.add(SinNodeOp(y))
    with pytest.raises(ArgumentError, match="was not added"):
        graph.add(SinNodeOp(SinNodeOp(y)))
    with pytest.raises(ArgumentError, match="expected a node"):
        graph.add(3)
    assert graph.add(y.node).node is y.node
    graph.clear()
    with pytest.raises(ArgumentError, match="clear"):
        y + x
    assert (x * 2.0).node is not y.node


# memoised constants -----------------------------------------------------------------------------


def test_what_only_constants_lead_to_is_computed_once(graph):
    """X-MEM-10, X-MAR-08: over repeated passes; memoised constants also over cleared graphs."""
    calls = []

    def look(out, v):
        calls.append(1)
        out[...] = v

    def build(memoise):
        table = graph.constant(np.arange(3.0), memoise=memoise)
        node = library.lambda_([table], look)
        return node, node * graph.param("x", (3,), 2.0)

    for memoise, expected in ((False, 3), (True, 1)):
        calls.clear()
        for _ in range(3):
            graph.clear()
            node, y = build(memoise)
            graph.forward()
            graph.forward()
            assert y.val.tolist() == [0.0, 2.0, 4.0]
        assert len(calls) == expected
    other = graph.constant(np.arange(3.0) + 1, memoise=True)
    assert library.lambda_([other], look).node is not node.node
    filled = [graph.constant((2,), 1.0, memoise=True).node for _ in range(2)]
    assert filled[0] is filled[1]


def test_a_memoised_expression_is_used_again_after_clear(graph):
    """X-MAR-08: it and what it is made of come back, in order."""
    c = graph.constant(np.arange(3.0), memoise=True)
    y = ng.exp(ng.sin(c))
    graph.clear()
    z = y * graph.param("x", (3,), 1.0)
    graph.forward()
    np.testing.assert_allclose(z.val.asnumpy(), np.exp(np.sin(np.arange(3.0))))


def test_random_numbers_are_not_memoised_and_not_made_one(graph):
    """X-MAR-08: two draws are two nodes, and every pass draws anew."""
    c = graph.constant(np.ones(64), memoise=True)
    with ng.autograd.train_mode():
        a, b = ng.dropout(c, p=0.5), ng.dropout(c, p=0.5)
        assert a.node is not b.node
        graph.forward()
        first = a.val.tolist()
        assert first != b.val.tolist()
        graph.forward()
        assert a.val.tolist() != first


# training -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("compiled", [True, False])
def test_a_graph_trains_unless_it_is_for_inference(compiled):
    """Dropout drops, batch normalisation moves its statistics; a context that says so decides."""
    modes = {None: None, "train": ng.autograd.train_mode, "predict": ng.autograd.predict_mode}
    for inference in (False, True):
        for asked, mode in modes.items():
            graph = ng.ExpressionGraph(inference=inference, compiled=compiled)
            p = graph.param("p", (64,), init=1.0)
            x = graph.constant(np.arange(8, dtype="float32").reshape(4, 2))
            mean, var = ng.zeros(2), ng.ones(2)
            dropped = ng.dropout(p, 0.5).retain()
            normed = ng.batch_norm(x, moving_mean=mean, moving_var=var)
            ng.sum(dropped) + ng.sum(normed)
            if mode is None:
                graph.forward()
            else:
                with mode():
                    graph.forward()
            trains = asked == "train" or (asked is None and not inference)
            assert (0 in dropped.val.tolist()) == trains
            assert (mean.tolist() != [0, 0]) == trains
            if not inference:  # in the mode of the values, whatever holds by now
                graph.backward()
                np.testing.assert_array_equal(p.grad.asnumpy(), dropped.val.asnumpy())
    assert not ng.autograd.is_training()


# NaN --------------------------------------------------------------------------------------------


def test_the_first_nan_is_named():
    """X-MAR-06: forward value and gradient, with type, shape, name, id, hash and children."""
    graph = ng.ExpressionGraph(dtype="float64", throw_nan=True)
    x = graph.param("x", (2,), [1.0, -1.0])
    y = ng.log(x)
    y.name = "logs"
    z = y * 2.0
    told = (
        r"forward: the value has 1 NaN of 2 elements: node type 'log', shape \(2,\), name logs, "
        rf"id {y.node.id}, hash 0x[0-9a-f]+, children: {x.node.id} param\[2\]"
    )
    with pytest.raises(FloatingPointError, match=told):
        graph.forward()
    graph.clear()
    x.val = [0.0, 1.0]
    root = ng.sqrt(x) * 0.0  # the slope of sqrt at 0 is infinite, times 0
    with pytest.raises(FloatingPointError, match="backward: the gradient of child .*type 'sqrt'"):
        graph.backprop()
    graph.throw_nan = False
    graph.backward(heads=root)
    assert np.isnan(x.grad.asnumpy()[0]) and z.shape == (2,)


def test_an_optimizer_takes_a_graph(graph):
    """MTE-04: its trainable parameters as they are at each step, those of later batches too."""
    optimizer = ng.optim.SGD(graph, lr=0.25)
    optimizer.step()  # of no parameter
    for names in ("a", "ab"):
        graph.clear()
        still = graph.param("still", (1,), 2.0, trainable=False)
        loss = ng.sum(still * sum(graph.param(name, (1,), 3.0) for name in names))
        if names == "a":
            graph.forward()
            with pytest.raises(ArgumentError, match="no parameter has a gradient"):
                optimizer.step()
        graph.backprop()
        assert loss.trainable
        optimizer.step()
    values = {name: p.val.tolist() for name, p in graph.params().items()}
    assert values == {"still": [2.0], "a": [2.0], "b": [2.5]}
