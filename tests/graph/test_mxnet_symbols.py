"""Symbols that MXNet wrote: its JSON, read as graphs of ours."""

import json

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import MissingName


def _mxnet(*nodes, heads):
    """The text of a graph as MXNet writes it: nodes are (operator, name, attributes, inputs), and
    the texts of the functions of a loop. A head is a node, or a node and which of its outputs."""
    form = [
        {
            "op": op,
            "name": name,
            "attrs": own,
            "inputs": [[*i, 0] for i in inputs],
            "subgraphs": [json.loads(text) for text in functions],
        }
        for op, name, own, inputs, *functions in nodes
    ]
    arguments = [k for k, node in enumerate(nodes) if node[0] == "null"]
    places = [[*(h if isinstance(h, tuple) else (h, 0)), 0] for h in heads]
    return json.dumps({"nodes": form, "arg_nodes": arguments, "heads": places})


NET = _mxnet(
    ("null", "data", {"__shape__": "(0, 4)", "__dtype__": "1"}, ()),
    ("null", "fc_weight", {"num_hidden": "2", "__lr_mult__": "2.0"}, ()),
    ("null", "fc_bias", {"__init__": '["one", {}]'}, ()),
    ("FullyConnected", "fc", {"num_hidden": "2"}, ((0, 0), (1, 0), (2, 0))),
    ("_rminus_scalar", "minus", {"scalar": "1"}, ((3, 0),)),
    ("SliceChannel", "parts", {"num_outputs": "2", "axis": "1"}, ((4, 0),)),
    ("_Plus", "both", {}, ((5, 0), (5, 1))),
    ("_power_scalar", "square", {"scalar": "2.0", "is_int": "False"}, ((6, 0),)),
    ("_contrib_div_sqrt_dim", "root", {}, ((7, 0),)),
    ("Activation", "act", {"act_type": "relu", "__mood__": "good"}, ((8, 0),)),
    heads=(9, 5),
)


def test_mxnet_s_symbols_are_read(tmp_path):
    """X-SYM-03: names, shapes, dtypes, initial values and attributes are those of the file."""
    (tmp_path / "net-symbol.json").write_text(NET)
    net = ng.load_symbol(tmp_path / "net-symbol.json")
    assert net.list_arguments() == ["data", "fc_weight", "fc_bias"]
    assert net.list_outputs() == ["act_output", "parts_output0"]
    attributes = net.attr_dict()
    assert attributes["act"]["__mood__"] == "good"
    assert attributes["fc_weight"]["__lr_mult__"] == "2.0"
    assert attributes["fc"]["num_hidden"] == 2
    exe = net.simple_bind(data=(3, 4))
    assert exe.arg_dict["data"].dtype == exe.arg_dict["fc_weight"].dtype == np.float64
    assert exe.arg_dict["fc_bias"].tolist() == [1, 1]
    exe.arg_dict["data"][...] = x = np.arange(12.0).reshape(3, 4)
    act, part = (v.asnumpy() for v in exe.forward())
    np.testing.assert_array_equal(part, np.zeros((3, 1)))
    np.testing.assert_array_equal(act, np.zeros((3, 1)))
    exe.arg_dict["fc_weight"][...] = w = np.linspace(-1, 1, 8).reshape(2, 4)
    expected = (2 - (x @ w.T + 1).sum(axis=1, keepdims=True)) ** 2
    np.testing.assert_allclose(exe.forward()[0].asnumpy(), expected, rtol=1e-12)


def test_mxnet_s_truth_is_a_number():
    """X-SYM-03: comparisons in its files count, as 0 or 1 of the dtype of what they compare."""
    text = _mxnet(
        ("null", "x", {}, ()),
        ("_greater_scalar", "large", {"scalar": "1"}, ((0, 0),)),
        ("_lesser_equal", "same", {}, ((0, 0), (0, 0))),
        ("add_n", "both", {"num_args": "2"}, ((1, 0), (2, 0))),
        heads=(3, 1),
    )
    net = ng.load_json(text)
    assert net.list_outputs() == ["both_output", "large_output"]
    assert [y.tolist() for y in net.eval(x=np.float32([0, 2]))] == [[1, 2], [0, 1]]


def test_mxnet_s_recurrent_layers_are_read():
    """X-SYM-03: what gluon's layers export: parameters end to end, states of zeros whose size is
    not known, options that are not set."""
    how = {"state_size": "2", "num_layers": "1", "mode": "gru", "state_outputs": "False"}
    unset = {
        "lstm_state_clip_min": "None",
        "lstm_state_clip_nan": "False",
        "projection_size": "None",
    }
    net = ng.load_json(
        _mxnet(
            ("null", "data", {}, ()),
            ("null", "weights", {}, ()),
            ("null", "biases", {}, ()),
            ("_rnn_param_concat", "all", {"dim": "0", "num_args": "2"}, ((1, 0), (2, 0))),
            ("_zeros", "begin", {"shape": "(1, 0, 2)", "dtype": "float32"}, ()),
            ("RNN", "rnn", {**how, **unset}, ((0, 0), (3, 0), (4, 0))),
            heads=(5,),
        )
    )
    rng = np.random.default_rng(0)
    x, w, b = (rng.normal(size=n).astype("float32") for n in ((4, 3, 5), (42,), (12,)))
    own = ng.nd.RNN(
        x,
        np.concatenate([w, b]),
        np.zeros((1, 3, 2), "float32"),
        mode="gru",
        state_size=2,
        num_layers=1,
    )
    np.testing.assert_allclose(net.eval(data=x, weights=w, biases=b)[0].asnumpy(), own, rtol=1e-5)
    clipped = {**how, "mode": "lstm", "lstm_state_clip_min": "0.0"}
    with pytest.raises(ng.ArgumentError, match=r"RNN: lstm_state_clip_min=0.0; expected"):
        ng.load_json(_mxnet(("null", "x", {}, ()), ("RNN", "r", clipped, ((0, 0),)), heads=(1,)))


def _variables(*names):
    return [("null", name, {}, ()) for name in names]


LOOPS = {
    # x * w + s, s + x for each x: the numbers of MXNet 1.9.1
    "_foreach": (
        _mxnet(
            *_variables("d", "s", "w"),
            (
                "_foreach",
                "loop",
                {
                    "in_data_locs": "[0]",
                    "in_state_locs": "[2]",
                    "remain_locs": "[1]",
                    "num_args": "4",
                    "num_out_data": "1",
                    "num_outputs": "2",
                },
                ((0, 0), (1, 0), (2, 0)),
                _mxnet(
                    *_variables("x", "w", "state"),
                    ("elemwise_mul", "a", {"__subgraph_name__": "f"}, ((0, 0), (1, 0))),
                    ("elemwise_add", "b", {}, ((3, 0), (2, 0))),
                    ("elemwise_add", "c", {}, ((2, 0), (0, 0))),
                    heads=(4, 5),
                ),
            ),
            heads=((3, 0), (3, 1)),
        ),
        {"d": [1, 2, 3], "s": 10, "w": 2},
        [[12, 15, 19], 16],
        {"d": [5, 4, 3], "s": 4, "w": 6},
    ),
    # while i < 3: s * 2; i + 1, s + k
    "_while_loop": (
        _mxnet(
            *_variables("i", "s", "k"),
            (
                "_while_loop",
                "loop",
                {
                    "cond_input_locs": "[0]",
                    "func_input_locs": "[1, 0, 2]",
                    "func_var_locs": "[1, 0]",
                    "max_iterations": "5",
                    "num_args": "5",
                    "num_out_data": "1",
                    "num_outputs": "3",
                },
                ((0, 0), (1, 0), (2, 0)),
                _mxnet(
                    *_variables("i"),
                    ("_lesser_scalar", "t", {"scalar": "3"}, ((0, 0),)),
                    heads=(1,),
                ),
                _mxnet(
                    *_variables("s", "i", "k"),
                    ("_mul_scalar", "a", {"scalar": "2"}, ((0, 0),)),
                    ("_plus_scalar", "b", {"scalar": "1"}, ((1, 0),)),
                    ("elemwise_add", "c", {}, ((0, 0), (2, 0))),
                    heads=(3, 4, 5),
                ),
            ),
            heads=((3, 0), (3, 1), (3, 2)),
        ),
        {"i": 0, "s": 1, "k": 10},
        [[2, 22, 42, 0, 0], 3, 31],
        {"i": 1, "s": 7, "k": 9},
    ),
    # 2 a where p holds, else a + b
    "_cond": (
        _mxnet(
            *_variables("p", "a", "b"),
            (
                "_cond",
                "branch",
                {
                    "cond_input_locs": "[0]",
                    "then_input_locs": "[1]",
                    "else_input_locs": "[1, 2]",
                    "num_args": "6",
                    "num_outputs": "1",
                },
                ((0, 0), (1, 0), (2, 0)),
                _mxnet(*_variables("p"), ("_copy", "same", {}, ((0, 0),)), heads=(1,)),
                _mxnet(
                    *_variables("a"), ("_mul_scalar", "m", {"scalar": "2"}, ((0, 0),)), heads=(1,)
                ),
                _mxnet(
                    *_variables("a", "b"),
                    ("elemwise_add", "m", {}, ((0, 0), (1, 0))),
                    heads=(2,),
                ),
            ),
            heads=(3,),
        ),
        {"p": 0, "a": 3, "b": 4},
        [7],
        {"p": 0, "a": 1, "b": 1},
    ),
}


@pytest.mark.parametrize("op", LOOPS)
def test_mxnet_s_loops_are_read(op):
    """X-SYM-03: functions of a loop or branch find their operands by places, in any order."""
    text, values, outputs, gradients = LOOPS[op]
    arrays = {name: np.float32(value) for name, value in values.items()}
    net = ng.load_json(ng.load_json(text).tojson())
    exe = net.simple_bind(**{name: array.shape for name, array in arrays.items()})
    for name, array in arrays.items():
        exe.arg_dict[name][...] = array
    assert [y.tolist() for y in exe.forward(is_train=True)] == outputs
    exe.backward([ng.ones(y.shape) for y in exe.outputs])
    assert {name: exe.grad_dict[name].tolist() for name in arrays} == gradients


def test_mxnet_s_loops_with_unknown_operators_are_refused():
    text = LOOPS["_cond"][0].replace("_mul_scalar", "no_such_one")
    with pytest.raises(MissingName, match="no_such_one") as caught:
        ng.load_json(text)
    assert [note.split(",")[0] for note in caught.value.__notes__] == [
        "load_json: at node 'm'",
        "load_json: at node 'branch'",
    ]


def test_mxnet_s_marks_stand_beside_parameters():
    """X-SYM-01: attributes between underscores are a node's own, as MXNet's scripts write them."""
    y = ng.sym.Activation(ng.var("x"), act_type="tanh", __layout__="NTC", name="a")
    assert y.attr("__layout__") == "NTC"


def test_mxnet_s_old_symbols_are_read():
    """X-SYM-03: parameters and attributes apart, as before version 1."""
    nodes = [
        {"op": "null", "name": "x", "param": {}, "attr": {"lr_mult": "0.2"}, "inputs": []},
        {"op": "Activation", "name": "a", "inputs": [[0, 0]], "param": {"act_type": "tanh"}},
    ]
    nodes[1]["attr"] = {"weight_lr_mult": "1"}
    net = ng.load_json(json.dumps({"nodes": nodes, "arg_nodes": [0], "heads": [[1, 0]]}))
    assert net.list_outputs() == ["a_output"]
    assert (net.attr("weight_lr_mult"), net.attr_dict()["x"]) == ("1", {"lr_mult": "0.2"})


@pytest.mark.parametrize(
    ("node", "kind", "text"),
    [
        (("Absent", "a", {}, ()), ng.errors.MissingName, "no operator 'Absent'"),
        (("sin", "a", {}, ((7, 0),)), ng.FormatError, "load_json: MXNet's text is damaged"),
        (("FullyConnected", "a", {"num_hidden": "no"}, ((0, 0),)), ng.ArgumentError, "num_hidden"),
    ],
)
def test_mxnet_s_symbols_that_cannot_be_read_are_refused(node, kind, text):
    """X-SYM-03: an operator that is not here, or refuses its parameters, at which node."""
    with pytest.raises(kind, match=text) as caught:
        ng.load_json(_mxnet(("null", "x", {}, ()), node, heads=(1,)))
    if kind is not ng.FormatError:
        assert "load_json: at node 'a'" in caught.value.__notes__[0]
