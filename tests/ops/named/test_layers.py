"""Layers by MXNet's names: parameters as text, weights made by graphs, shapes from the data."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, ShapeError


def lenet():
    h = ng.Convolution(ng.var("data"), kernel="(5,5)", num_filter=4, name="conv1")
    h = ng.Pooling(ng.BatchNorm(h, name="bn1"), kernel=(2, 2), stride="(2,2)", pool_type="max")
    h = ng.Convolution(ng.tanh(h), kernel=(3, 3), num_filter="6", num_group=2, name="conv2")
    return ng.FullyConnected(ng.tanh(h), num_hidden=10, name="fc")


def test_a_graph_makes_weights_and_infers_them():
    """OPP-02, OPP-14, OPP-16: variables by the node's name, shapes from data, states apart."""
    out = lenet()
    arguments, outputs, states = out.infer_shape(data=(3, 1, 12, 12))
    inferred = dict(zip(out.list_arguments(), arguments, strict=True))
    assert inferred == {
        "data": (3, 1, 12, 12),
        "conv1_weight": (4, 1, 5, 5),
        "conv1_bias": (4,),
        "bn1_gamma": (4,),
        "bn1_beta": (4,),
        "conv2_weight": (6, 2, 3, 3),
        "conv2_bias": (6,),
        "fc_weight": (10, 24),
        "fc_bias": (10,),
    }
    assert (outputs, states) == ([(3, 10)], [(4,), (4,)])


def test_it_trains():
    """OPP-24: gradients of the whole net are those of the tape on the same arrays."""
    rng = np.random.default_rng(0)
    exe = ng.sum(lenet() ** 2).simple_bind(data=(3, 1, 12, 12))
    given = {n: rng.normal(size=a.shape).astype("float32") for n, a in exe.arg_dict.items()}
    exe.forward_backward(**given)
    a = {n: ng.array(v) for n, v in given.items()}
    for array in a.values():
        array.attach_grad()
    states = ng.zeros(4), ng.ones(4)
    with ng.autograd.record():
        h = ng.convolution(a["data"], a["conv1_weight"], a["conv1_bias"])
        h = ng.batch_norm(h, None, a["bn1_beta"], *states, eps=1e-3)
        h = ng.convolution(
            ng.tanh(ng.max_pooling(h, 2)), a["conv2_weight"], a["conv2_bias"], groups=2
        )
        ng.sum(ng.fully_connected(ng.tanh(h), a["fc_weight"], a["fc_bias"]) ** 2).backward()
    assert not exe.grad_dict["bn1_gamma"].asnumpy().any()  # there, and counted as ones
    for name in a.keys() - {"bn1_gamma"}:
        array, own = a[name], exe.grad_dict[name].asnumpy()
        scale = max(1.0, np.abs(own).max())  # the bias before a norm has no gradient
        np.testing.assert_allclose(own, array.grad.asnumpy(), rtol=1e-3, atol=1e-4 * scale)
    moved = exe.aux_dict["bn1_moving_mean"].asnumpy()
    np.testing.assert_allclose(moved, states[0].asnumpy(), rtol=1e-4)


def test_arrays():
    """OPP-14: the same functions on arrays; a transposed convolution undoes a stride."""
    rng = np.random.default_rng(1)
    x, w = rng.normal(size=(2, 3, 6)), rng.normal(size=(4, 3, 3))
    inferred = ops.Convolution(x, w, kernel=(3,), num_filter=4, no_bias=True, pad=(1,), stride=(2,))
    np.testing.assert_array_equal(inferred, ops.convolution(x, w, pad=1, stride=2))
    back = ops.Deconvolution(
        inferred, w, kernel=(3,), num_filter=3, pad=(1,), stride=(2,), adj=(1,), no_bias=True
    )
    judge = ops.convolution_data(inferred, w, size=(6,), pad=1, stride=2)
    np.testing.assert_array_equal(back, judge)
    whole = ops.Pooling(x, global_pool=True, pool_type="avg")
    np.testing.assert_allclose(whole, x.mean(axis=2, keepdims=True))
    full = ops.Pooling(x, kernel=(4,), stride=(4,), pooling_convention="full")
    np.testing.assert_array_equal(full, ops.max_pooling(x, 4, ceil=True))
    np.testing.assert_array_equal(ops.BatchNorm(x), ops.batch_norm(x, eps=1e-3))
    flat = ops.FullyConnected(x, rng.normal(size=(5, 18)), num_hidden=5, no_bias=True)
    assert flat.shape == (2, 5)


CHANNELS_LAST = [
    ("Convolution", "NWC", (3,), 1),
    ("Convolution", "NHWC", (3, 2), 2),
    ("Convolution", "NDHWC", (2, 2, 2), 1),
    ("Deconvolution", "NHWC", (3, 2), 1),
]


@pytest.mark.parametrize(("op", "layout", "kernel", "groups"), CHANNELS_LAST)
def test_channels_may_be_last(op, layout, kernel, groups):
    """OPP-14, OPP-24: values and gradients are those of channels second, axes in another order."""
    axes, rng = len(kernel), np.random.default_rng(0)
    to, back = (0, axes + 1, *range(1, axes + 1)), (0, *range(2, axes + 2), 1)
    ends = (4, 4 // groups) if op == "Deconvolution" else (6, 4 // groups)
    shapes = (2, *(6, 7, 5)[:axes], 4), (ends[0], *kernel, 6 if ends[0] == 4 else ends[1]), (6,)
    values = [rng.normal(size=s).astype("float32") for s in shapes]
    how = {"kernel": kernel, "num_filter": 6, "stride": (2,) * axes, "num_group": groups}
    how["no_bias"] = False
    results = []
    for second in (False, True):
        turned = [v.transpose(to) if second and v.ndim > 1 else v for v in values]
        arrays = [ng.array(v) for v in turned]
        for array in arrays:
            array.attach_grad()
        with ng.autograd.record():
            out = getattr(ng.nd, op)(*arrays, layout=None if second else layout, **how)
            (out * out).sum().backward()
        every = [out.asnumpy(), *(a.grad.asnumpy() for a in arrays)]
        results.append([v.transpose(back) if second and v.ndim > 1 else v for v in every])
    for one, other in zip(*results, strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-5, atol=1e-5)
    net = getattr(ng.sym, op)(ng.var("x"), layout=layout, name="c", **how)
    assert net.list_arguments() == ["x", "c_weight", "c_bias"] == net.list_inputs()
    inferred = ng.load_json(net.tojson()).infer_shape(x=shapes[0])
    assert inferred[0] == [*shapes] and inferred[1] == [results[0][0].shape]
    exe = net.bind(args=[ng.array(v) for v in values])
    np.testing.assert_allclose(exe.forward()[0].asnumpy(), results[0][0], rtol=1e-5, atol=1e-5)


def test_arrays_ignore_what_names_nodes():
    """OPP-14: one text is for arrays and symbols, as in MXNet's `hybrid_forward`."""
    x = ng.nd.array([[1.0, -2.0]])
    plain = ng.nd.FullyConnected(x, x, num_hidden=1, no_bias=True)
    assert ng.nd.FullyConnected(x, x, num_hidden=1, no_bias=True, name="f") == plain == 5
    assert ops.FullyConnected([[1.0, 2]], [[3, 4.0]], num_hidden=1, no_bias=True, name="f") == 11
    assert ng.nd.relu(x, name="fwd").tolist() == [[1.0, 0.0]]
    zeros = ng.nd.zeros(shape=(2,), name="begin_state", __layout__="NC", ctx=ng.cpu())
    assert zeros.tolist() == [0.0, 0.0]


LEAST = -3.4028234663852886e38
BEYOND = [  # cells, window, stride, pad; kind; what MXNet 1.9.1 gives
    (6, 1, 3, 0, "max", [1, 4, LEAST]),
    (7, 1, 3, 0, "max", [1, 4, 7]),
    (8, 2, 3, 0, "max", [2, 5, 8]),
    (7, 2, 3, 1, "max", [1, 4, 7, LEAST]),
    (7, 2, 3, 1, "avg", [0.5, 3.5, 6.5, 0]),
    (6, 2, 5, 1, "sum", [1, 11, 0]),
    (7, 2, 3, 0, "avg", [1.5, 4.5, 7]),
    (8, 2, 5, 0, "avg", [1.5, 6.5, 0]),
    (8, 1, 2, 0, "sum", [1, 3, 5, 7, 0]),
]


@pytest.mark.parametrize("case", BEYOND, ids=str)
def test_full_pools_with_windows_beyond_the_data(case):
    """OPP-24: the places of MXNet, 1 + ceil((x + 2 p - k) / stride), where a window may be empty:
    the least number, or 0, and no gradient."""
    cells, window, stride, pad, kind, wanted = case
    how = {"kernel": (window,), "stride": (stride,), "pad": (pad,), "pool_type": kind}
    how["pooling_convention"] = "full"
    x = ng.array(np.arange(1, cells + 1, dtype="float32").reshape(1, 1, cells))
    x.attach_grad()
    with ng.autograd.record():
        y = ng.nd.Pooling(x, **how)
    np.testing.assert_array_equal(y.asnumpy()[0, 0], np.float32(wanted))
    y.backward(ng.ones(y.shape))
    assert np.isfinite(x.grad.asnumpy()).all()
    symbol = ng.sym.Pooling(ng.var("x", shape=x.shape), **how)
    assert symbol.infer_shape()[1] == [y.shape]


BAD = [
    (lambda x: ops.Convolution(x, kernel="(3", num_filter=1), "Convolution: kernel"),
    (lambda x: ops.Convolution(x, kernel=(3,)), "num_filter"),
    (lambda x: ops.FullyConnected(x, num_hidden=0), "num_hidden"),
    (lambda x: ops.FullyConnected(x, num_hidden=2, units=3), "units"),
    (lambda x: ops.FullyConnected(x, num_hidden=2), "no array is given for weight"),
    (lambda x: ops.Pooling(x, kernel=(2,), layout="NCWH"), "layout='NCWH'; expected one of 'NCW'"),
    (lambda x: ops.Pooling(x, kernel=(2,), pool_type="middle"), "expected one of 'max'"),
    (lambda x: ops.Pooling(x, kernel=(2,), pool_type="lp"), "without p_value; give 1, 2 or 3"),
    (ops.Pooling, "give its extents, or global_pool=True"),
    (lambda x: ops.Deconvolution(x, x, kernel=(2,), num_filter=3, num_group=2), "not a multiple"),
    (
        lambda x: ops.Deconvolution(
            x, np.ones((2, 2, 2)), kernel=(2,), num_filter=2, stride=(2,), adj=(2,)
        ),
        r"^deconvolution: adj=\(2,\); expected less than stride=\(2,\)",
    ),
]


@pytest.mark.parametrize(("call", "message"), BAD)
def test_bad_input(call, message):
    """OPP-14, OPP-20: unknown parameters and bad values name layer and field; texts list them."""
    assert "num_group : int, 1 or more, default 1" in ops.Convolution.__doc__
    with pytest.raises(ArgumentError, match=message):
        call(np.ones((1, 2, 4)))
    with pytest.raises(ShapeError, match=r"Pooling: data has shape \(1, 2, 4\), not the axes of"):
        ops.Pooling(np.ones((1, 2, 4)), kernel=(2, 2), layout="NHWC")


def test_recurrent_layers_make_their_variables():
    """MXNet's RNN: shapes of weights and states follow from data, also where steps are unknown."""
    how = {"state_size": 6, "num_layers": 2, "mode": "lstm", "bidirectional": True}
    rnn = ng.sym.RNN(ng.var("data"), **how, state_outputs=True, name="rnn")
    assert rnn.list_outputs() == ["rnn_output", "rnn_state_output", "rnn_statecell_output"]
    assert rnn.get_internals()["rnn_output"].list_outputs() == ["rnn_output"]
    assert rnn.list_arguments() == ["data", "rnn_parameters", "rnn_state", "rnn_state_cell"]
    arguments, outputs, _ = rnn.infer_shape_partial(data=(None, 3, 5))
    assert arguments == [(None, 3, 5), (1584,), (4, 3, 6), (4, 3, 6)]
    assert outputs == [(None, 3, 12), (4, 3, 6), (4, 3, 6)]
    again = ng.load_json(rnn.tojson()).simple_bind(data=(4, 3, 5))
    values = {n: np.linspace(-1, 1, a.size).reshape(a.shape) for n, a in again.arg_dict.items()}
    arrays = [ng.array(values[name], dtype="float32") for name in rnn.list_arguments()]
    expected = ng.nd.RNN(*arrays, None, 6, 2, True, "lstm", 0.0, True, projection_size=None)
    for one, other in zip(again.forward(**values), expected, strict=True):
        np.testing.assert_array_equal(one.asnumpy(), other.asnumpy())


def test_recurrent_layers_stop_at_the_length_of_a_sample():
    rng = np.random.default_rng(0)
    x, weights, state = rng.normal(size=(4, 3, 2)), rng.normal(size=36), np.zeros((1, 3, 2))
    how = {"state_size": 2, "num_layers": 1, "mode": "gru", "state_outputs": True}
    out, end = ng.nd.RNN(
        x, weights, state, sequence_length=[4, 1, 2], use_sequence_length=True, **how
    )
    for k, n in enumerate((4, 1, 2)):
        alone, last = ng.nd.RNN(x[:n, k : k + 1], weights, state[:, :1], **how)
        np.testing.assert_allclose(out.asnumpy()[:n, k], alone.asnumpy()[:, 0], 1e-6)
        np.testing.assert_allclose(end.asnumpy()[0, k], last.asnumpy()[0, 0], 1e-6)
    assert not out.asnumpy()[1:, 1].any()
    plain, _ = ng.RNN(x, weights, state, sequence_length=[4, 1, 2], use_sequence_length=True, **how)
    np.testing.assert_allclose(out.asnumpy(), plain, 1e-5, 1e-6)
    names = [ng.var(name) for name in ("x", "weights", "state")]
    rnn = ng.sym.RNN(*names, sequence_length=ng.var("n"), use_sequence_length=True, **how)
    exe = rnn.simple_bind(x=x.shape, weights=(36,), state=(1, 3, 2), n=(3,))
    outs = exe.forward(x=x, weights=weights, state=state, n=[4, 1, 2])
    np.testing.assert_allclose(outs[0].asnumpy(), out.asnumpy(), 1e-5, 1e-6)


def test_recurrent_layers_drop_between_layers_in_training():
    how = {"state_size": 4, "num_layers": 2, "mode": "rnn_tanh"}
    args = ng.ones((5, 2, 3)), ng.full(76, 0.1), ng.zeros((2, 2, 4))
    dropped = [ng.nd.RNN(*args, **how, p=0.5).asnumpy()]
    with ng.autograd.train_mode():
        dropped.append(ng.nd.RNN(*args, **how, p=0.5).asnumpy())
    plain = ng.nd.RNN(*args, **how).asnumpy()
    np.testing.assert_array_equal(dropped[0], plain)
    assert (dropped[1] != plain).any()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"parameters": ng.ones(5)}, r"RNN: parameters has shape \(5,\).*expected \(48,\)"),
        ({"state": ng.ones((2, 3, 2))}, r"RNN: state has shape \(2, 3, 2\).*expected \(1, 3, 2\)"),
        ({"data": ng.ones((2, 3))}, r"RNN: data has shape \(2, 3\); expected \(steps, samples"),
        ({"state_cell": ng.ones((1, 3, 2))}, "RNN: state_cell is for mode='lstm'"),
        ({"mode": "lstmp"}, "RNN: mode='lstmp'; expected one of 'rnn_relu'"),
        ({"p": 1.5}, "RNN: p=1.5"),
        ({"use_sequence_length": True}, "use_sequence_length=True; give sequence_length"),
    ],
)
def test_recurrent_layers_say_what_does_not_fit(changes, message):
    call = {"data": ng.ones((2, 3, 4)), "parameters": ng.ones(48), "state": ng.ones((1, 3, 2))}
    call |= {"state_size": 2, "num_layers": 1, "mode": "gru"} | changes
    with pytest.raises(ng.errors.NbgraphError, match=message):
        ng.nd.RNN(**call)


def test_a_target_of_zeros_is_none():
    """As MXNet's own scripts write a deconvolution without one."""
    image, filters = ng.ones((1, 3, 4, 4)), ng.ones((3, 2, 2, 2))
    how = {"kernel": (2, 2), "stride": (2, 2), "num_filter": 2}
    wanted = ng.nd.Deconvolution(image, filters, **how).asnumpy()
    inferred = ng.nd.Deconvolution(image, filters, **how, target_shape=(0, 0)).asnumpy()
    np.testing.assert_array_equal(inferred, wanted)
