"""Every operator of the library as a symbol: of unknown shape, saved, read, inferred and run."""

import json

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, FormatError, ShapeError
from nbgraph.graph.arguments import typed
from tests.graph.every_operator import calls, layers, missing

CALLS = calls()
DAILY = range(0, len(CALLS), 8)  # these also run every day
RUNS = [
    pytest.param(name, marks=[] if k in DAILY else pytest.mark.slow)
    for k, name in enumerate(sorted(CALLS))
]


def _nothing(x):
    return {"dtype": x.dtype}


def _variables(operands, known=_nothing):
    """A variable for each array, arrays in lists as well, and their values by name; `known` says
    what it is made with, by default no shape."""
    values = {}

    def make(x):
        if isinstance(x, (list, tuple)):
            return [make(v) for v in x]
        if isinstance(x, str) or hasattr(x, "tocsr"):
            return x
        name = f"v{len(values)}"
        values[name] = np.asarray(x)
        return ng.var(name, **known(values[name]))

    return [make(x) for x in operands], values


def _call(name, row=None, known=_nothing):
    operands, keywords = row or CALLS[name]
    variables, values = _variables(operands, known)
    own = {}
    for key, value in keywords.items():
        own[key] = value
        if isinstance(value, np.ndarray) and value.dtype.kind == "f":
            own[key] = ng.var(key, **known(value))
            values[key] = value
    made = getattr(ng.sym, name)(*variables, **own)
    return ng.Group(list(made)) if isinstance(made, (list, tuple)) else made, values


def _bits(outputs):
    return [(v.dtype, v.shape, v.asnumpy().tobytes()) for v in outputs]


def test_every_operator_has_a_call():
    assert missing() == []


@pytest.mark.parametrize("name", sorted(CALLS))
def test_an_operator_is_written_before_shapes_are_known(name):
    """It lists its operands in the order of the call, and its shapes follow from theirs."""
    symbol, values = _call(name)
    states = symbol.list_auxiliary_states()
    assert symbol.list_arguments() == [v for v in values if v not in states]
    assert states == [v for v in values if v in states]
    shapes = symbol.infer_shape(**{k: v.shape for k, v in values.items()})[1]
    assert shapes is not None
    assert None not in shapes


@pytest.mark.parametrize(("name", "row"), list(layers()))
def test_arguments_stand_in_the_order_of_the_call(name, row):
    """Whatever the parameters: a list of arrays that is bound stands in that order."""
    symbol, values = _call(name, row)
    states = symbol.list_auxiliary_states()
    assert symbol.list_arguments() == [v for v in values if v not in states]


def _wide(x):
    return np.dtype("float64" if x.dtype == "float32" else x.dtype)


@pytest.mark.parametrize("name", sorted({*CALLS} - {"sparse_dot"}))  # it holds SciPy's matrix
def test_dtypes_that_are_left_open_are_those_that_are_bound(name):
    """Nothing that is written before depends on the default."""
    left, values = _call(name, known=lambda x: {"shape": x.shape})
    given, _ = _call(name, known=lambda x: {"shape": x.shape, "dtype": _wide(x)})
    dtypes = {k: _wide(v) for k, v in values.items()}
    assert str(typed(left.graph, {}, dtypes)) == str(typed(given.graph, {}, {}))


@pytest.mark.parametrize("name", sorted(CALLS))
def test_an_operator_is_read_as_it_was_written(name):
    symbol, values = _call(name)
    found = ng.load_json(symbol.tojson())
    assert str(found) == str(symbol)
    shapes = {k: v.shape for k, v in values.items()}
    assert found.infer_shape(**shapes) == symbol.infer_shape(**shapes)


@pytest.mark.parametrize("name", RUNS)
def test_an_operator_runs_alike_after_it_was_read(name):
    symbol, values = _call(name)
    found = ng.load_json(symbol.tojson())
    bits = []
    for one in (symbol, found):
        ng.random.seed(1)
        bits.append(_bits(one.eval(**values)))
    if name not in ("empty", "empty_like"):
        assert bits[0] == bits[1]


@pytest.mark.parametrize(
    ("make", "count"),
    [
        (lambda **name: ng.sym.SliceChannel(ng.var("x"), num_outputs=2, **name), 2),
        (lambda **name: ng.sym.array_split(ng.var("x"), 3, **name), 3),
        (lambda **name: ng.sym.linalg_gelqf(ng.var("x"), **name), 2),
    ],
)
def test_several_results_are_outputs_under_one_name(make, count):
    plain, named = make(), make(name="parts")
    assert type(named) is type(plain)
    group = ng.Group(list(named))
    assert group.list_outputs() == [f"parts_output{k}" for k in range(count)]
    found = ng.load_json(group.tojson())
    x = np.arange(6, dtype="float32").reshape(1, 6) + 1
    assert _bits(found.eval(x=x)) == _bits(ng.Group(list(plain)).eval(x=x))


def test_unstack_counts_before_the_shape_is_known():
    with pytest.raises(ShapeError, match="unstack"):
        ng.unstack(ng.var("x"))
    parts = ng.Group(ng.unstack(ng.var("x"), num=2))
    assert parts.infer_shape(x=(2, 3))[1] == [(3,), (3,)]
    with pytest.raises(ShapeError, match="num=2"):
        parts.infer_shape(x=(4, 3))


@pytest.mark.parametrize("name", ["add_n", "atleast_1d", "atleast_2d"])
def test_an_operand_that_comes_back_may_be_named(name):
    x = ng.var("x", shape=(2, 3))
    assert getattr(ng.sym, name)(x, name="own").list_outputs() == ["own_output"]


LAYERS = {  # each with its data, the shapes that follow for weights, and a weight that does not fit
    "FullyConnected": ({"num_hidden": 4}, (2, 3), [(4, 3), (4,)], (7, 3)),
    "Convolution": (
        {"num_filter": 4, "kernel": (3, 3)},
        (2, 3, 5, 5),
        [(4, 3, 3, 3), (4,)],
        (3, 3, 3, 3),
    ),
    "Deconvolution": (
        {"num_filter": 4, "kernel": (3,), "no_bias": False},
        *((2, 3, 5), [(3, 4, 3), (4,)], (3, 4, 2)),
    ),
    "Embedding": ({"input_dim": 5, "output_dim": 2}, (2, 3), [(5, 2)], (5, 3)),
    "embedding": ({"input_dim": 5, "output_dim": 2}, (2, 3), [(5, 2)], (4, 2)),
    "SoftmaxOutput": ({}, (2, 3), [(2,)], None),
    "softmax_cross_entropy": ({}, (2, 3), [(2,)], None),
    "cross_entropy": ({}, (2, 3), [(2,)], None),
    "LinearRegressionOutput": ({}, (2, 3), [(2, 3)], None),
    "SVMOutput": ({}, (2, 3), [(2,)], None),
    "BatchNorm": ({}, (2, 3), [(3,), (3,)], None),
    "LayerNorm": ({}, (2, 3), [(3,), (3,)], None),
}


@pytest.mark.parametrize("name", LAYERS)
def test_shapes_of_weights_and_labels_that_are_given_follow(name):
    options, data, shapes, _ = LAYERS[name]
    weights = [ng.var(f"w{k}") for k in range(len(shapes))]
    net = getattr(ng.sym, name)(ng.var("x"), *weights, **options)
    assert net.infer_shape(x=data)[0] == [data, *shapes]
    assert net.simple_bind(x=data).forward()


@pytest.mark.parametrize("name", [n for n, row in LAYERS.items() if row[3] is not None])
def test_a_weight_of_another_shape_than_parameters_ask_for_is_refused(name):
    options, data, shapes, wrong = LAYERS[name]
    rest = [np.zeros(s, "float32") for s in shapes[1:]]
    x = np.zeros(data, "float32")
    asked = next(iter(options))
    match = f"(?s){name}: weight.*{asked}="
    for weight in (np.zeros(wrong, "float32"), ng.zeros(wrong), ng.var("w", shape=wrong)):
        with pytest.raises(ShapeError, match=match):
            getattr(ng.sym if isinstance(weight, ng.Symbol) else ng.nd, name)(
                x, weight, *rest, **options
            )
    with pytest.raises(ShapeError, match=match):
        net = getattr(ng.sym, name)(ng.var("x"), ng.var("w"), *rest, **options)
        net.infer_shape(x=data, w=wrong)


def test_gradients_flow_through_what_waited_for_shapes():
    x = ng.var("x")
    exe = ng.sum(ng.tile(ng.repeat(x, 2, 0), (1, 3)) * 2.0).simple_bind(x=(2, 2))
    exe.forward_backward()
    np.testing.assert_array_equal(exe.grad_dict["x"].asnumpy(), np.full((2, 2), 12.0))


def test_two_draws_that_wait_are_two_draws():
    x = ng.var("x")
    a, b = ng.random.permutation(x), ng.random.permutation(x)
    again = ng.load_json(ng.Group([a, b, a]).tojson())
    first, second, third = (v.asnumpy().tolist() for v in again.eval(x=np.arange(64)))
    assert first == third != second
    assert sorted(first) == sorted(second) == list(range(64))


def test_an_operator_of_the_library_needs_no_public_name():
    x = ng.var("x")
    net = ng.sym.FullyConnected(x, num_hidden=3, name="fc")
    text = net.tojson()
    assert ng.load_json(text).entries == net.entries
    for wrong, error in (("nbgraph.ops.nowhere", ArgumentError), ("os", FormatError)):
        place = next(r["module"] for r in json.loads(text)["operators"] if "module" in r)
        with pytest.raises(error):
            ng.load_json(text.replace(place, wrong))


@pytest.mark.parametrize(("shape", "keeps"), [((3,), False), ((1, 3), True)])
def test_an_index_that_keeps_the_axis_picks_alike_before_shapes_are_known(shape, keeps):
    x, index = np.arange(6, dtype="float32").reshape(2, 3), np.array([1, 0, 1]).reshape(shape)
    net = ng.pick(ng.var("x"), ng.var("i", dtype="int64"), axis=0, keepdims=keeps)
    (found,) = net.eval(x=x, i=index)
    np.testing.assert_array_equal(found.asnumpy(), ng.pick(x, index, axis=0, keepdims=keeps))


def test_a_stopped_gradient_at_the_end_of_a_graph_costs_nothing():
    x = ng.var("x")
    exe = ng.stop_gradient(ng.exp(x)).simple_bind(x=(3,))
    exe.forward()
    assert len(exe.plan().by_program["forward"]) == 1
    exe = ng.sum(ng.stop_gradient(x) * x).bind(args={"x": ng.ones(3)}, args_grad={"x": ng.zeros(3)})
    exe.forward_backward()
    np.testing.assert_array_equal(exe.grad_dict["x"].asnumpy(), [1, 1, 1])
