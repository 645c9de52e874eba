"""X-SYM-03: symbols in JSON, files and pickles."""

import copy
import json
import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, FormatError, MissingName
from nbgraph.graph import build
from nbgraph.operator.backward import backward
from nbgraph.operator.mapper.fused import Part, fuse
from nbgraph.ops.shapes.slicing import Triple
from tests.graph.naive import evaluate, same_bits
from tests.graph.random_graphs import random_graph
from tests.support import run_python

_SCALE = 1.5


def _helper(x):
    return x * _SCALE


@ng.op
def bent(x, *, slope=0.25):
    return _helper(x) if x > 0 else slope * x


@ng.op
def squared(x, y):
    return x * x + bent(y)


bend = bent.derivative("x")


@squared.gradient
def _(out_grad, x, y):
    return out_grad * 2.0 * x, out_grad * bend(y)


def _user_graph():
    """Operators that users wrote, in every form that graphs hold."""
    x, y = ng.var("x", shape=(4,)), ng.var("y", shape=(4,))
    a = bent(x, slope=0.1) + squared(x, y)
    b = bent.derivative("x")(y, slope=3) * float("inf") - 0.0
    outs = backward(squared)(a, x, y)
    parts = [Part(bent, (("in", 0),), {"slope": 0.5}), Part(ng.add, (("part", 0, 0), ("in", 1)))]
    fused, parameters = fuse("bent_sum", parts, [(1, 0)])
    return ng.Group([a, b, *outs, fused(x, y, **parameters)])


GIVEN = {"x": np.float32([-2, -0.0, 0.5, 3]), "y": np.float32([1, np.nan, -1, 1e30])}


def _again(symbol, **options):
    return ng.load_json(symbol.tojson(), **options)


# graphs -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(8))
def test_random_graphs_come_back_as_the_same_nodes(seed):
    """X-SYM-03: hash-consing finds every node again; so does a pickle."""
    made = random_graph(seed)
    graph = made[0] if isinstance(made, tuple) else made.graph
    symbol = ng.Symbol(graph.heads)
    assert _again(symbol).entries == symbol.entries
    assert pickle.loads(pickle.dumps(symbol)).entries == symbol.entries


ATTRIBUTES = [
    lambda x: x[1:, None, ..., ::-2],
    lambda x: x[[0, 2]],
    lambda x: ng.astype(x, "float16"),
    lambda x: ng.sum(x, axis=(0, 1), keepdims=True),
    lambda x: ng.pad(x, ((1, 0), (0, 2)), constant_values=-0.0),
    lambda x: x + np.float64([[np.nan, np.inf, -0.0, 1e-300]]),
    lambda x: ng.concatenate([x, ng.Symbol.__mul__(x, 2)], axis=1) @ np.ones((8, 2), "float32"),
    lambda x: ng.topk(x, 2)[1] if isinstance(ng.topk(x, 2), tuple) else ng.topk(x, 2),
    lambda x: ng.where(x > True, 1, x),
]


@pytest.mark.parametrize("made", ATTRIBUTES)
def test_attributes_keep_type_and_bits(made):
    symbol = made(ng.var("x", shape=(3, 4)))
    assert _again(symbol).entries == symbol.entries


def test_names_scopes_and_marks_come_back():
    with ng.name_scope("block_"), ng.attribute_scope(group="encoder", rate=(0.5, [1, {"a": None}])):
        x = ng.var("x", init=np.float32([1, 2]), lr=2)
        y = ng.sym.sin(x, name="wave") + ng.cos(x)
    found = _again(y.get_internals())
    assert found.list_outputs() == y.get_internals().list_outputs()
    assert found["block_wave"].attr("group") == "encoder"
    marks = found["block_x"].list_attr()
    np.testing.assert_array_equal(marks.pop("init"), np.float32([1, 2]))
    assert marks == {"group": "encoder", "rate": (0.5, [1, {"a": None}]), "lr": 2}
    assert type(marks["lr"]) is int


def test_what_has_an_effect_stays_apart_and_shared_as_it_was():
    x = ng.var("x", shape=(3,))
    a, b = ng.dropout(x), ng.dropout(x)
    found = _again(ng.Group([a + b, a * a]))
    draws = [n for n in found.graph.nodes if build.has_effect(n.op)]
    assert len(draws) == 2
    first = found[1].node
    assert first.inputs[0] == first.inputs[1]
    assert draws[0].token != draws[1].token
    assert not {n.token for n in draws} & {a.node.inputs, a.node.token, b.node.token}
    other = _again(ng.Group([a + b, a * a]))  # another reading draws anew
    assert not {n.token for n in draws} & {n.token for n in other.graph.nodes if n.token}


def test_tokens_of_recomputation_and_order_come_back():
    x = ng.var("x", shape=(3,))
    draw = build.apply(ng.dropout.op, [x.entry], {"p": 0.5, "rng": None})
    again = build.rebuilt(draw, draw.inputs, token=("again", draw.token), after=(draw,))
    found = _again(ng.Symbol([(draw, 0), (again, 0)]))
    first, second = (node for node, _ in found.entries)
    assert second.token == ("again", first.token)
    assert second.after == (first,)


def test_a_constant_is_written_once_and_its_bits_are_checked():
    value = np.arange(6, dtype="float32")
    x = ng.var("x", shape=(6,))
    form = json.loads(((x + value) * value.copy()).tojson())
    assert len(form["arrays"]) == 1
    form["arrays"][0]["base64"] = form["arrays"][0]["base64"][:-4] + "AAAA"
    with pytest.raises(FormatError, match=r"array 0 is damaged: its digest differs"):
        ng.load_json(json.dumps(form))


def test_bfloat16_constants():
    x = ng.var("x", shape=(2,), dtype="bfloat16")
    symbol = x + ng.array([1.5, -2]).astype("bfloat16")
    assert _again(symbol).entries == symbol.entries


# operators that users wrote ---------------------------------------------------------------------


def test_operators_given_or_living_are_taken():
    symbol = _user_graph()
    wanted = evaluate(symbol.graph, GIVEN)
    for found in (
        _again(symbol, ops={"bent": bent, "squared": squared}),
        _again(symbol, ops=[bent, squared]),
        _again(symbol, allow_code=True),
        pickle.loads(pickle.dumps(symbol)),
    ):
        assert same_bits(evaluate(found.graph, GIVEN), wanted)
    given = _again(symbol, ops=[bent, squared])
    assert given.entries == symbol.entries


def test_reading_runs_nothing_unless_asked():
    """X-SYM-03: text is not run, modules are not imported."""
    symbol = _user_graph()
    with pytest.raises(ArgumentError, match=r"'bent' of tests.*ops=.*allow_code=True"):
        _again(symbol)
    form = json.loads(symbol.tojson())
    recipe = next(r for r in form["operators"] if r["kind"] == "written")
    recipe["content"] = "0" * 64
    recipe["text"]["source"] = "raise SystemExit('run')\n" + recipe["text"]["source"]
    with pytest.raises(ArgumentError, match="allow_code"):
        ng.load_json(json.dumps(form))
    with pytest.raises(SystemExit, match="run"):  # the text is what runs, when that is asked for
        ng.load_json(json.dumps(form), allow_code=True)


def test_an_operator_of_another_content_is_refused():
    """API.md rule 7: it differs in text, in a helper's text, in a number it reads."""

    def cube(x):
        return x * x * x

    text = ng.op(cube)(ng.var("x", shape=(2,))).tojson()
    with pytest.raises(ArgumentError, match=r"'cube'.*computes something else.*allow_changed=True"):
        ng.load_json(text, ops={"cube": ng.op(lambda x: x * x)})
    told = ng.load_json(text, ops={"cube": ng.op(lambda x: x * x)}, allow_changed=True)
    assert evaluate(told.graph, {"x": np.float32([3, 4])})[0].tolist() == [9, 16]


def test_content_counts_and_layout_does_not(monkeypatch):
    from nbgraph.graph.recipes import content_of

    before = content_of(bent)

    def other(x, *, slope=0.25):
        """With a docstring."""
        # and a comment
        return _helper(x) if (x > 0) else (slope * x)

    other.__name__ = other.__code__.co_name
    assert content_of(ng.op(other)) != content_of(ng.op(lambda x, *, slope=0.5: slope * x))
    monkeypatch.setitem(globals(), "_SCALE", 2.5)
    assert content_of(bent) != before
    monkeypatch.setitem(globals(), "_SCALE", 1.5)
    assert content_of(bent) == before
    assert content_of(ng.op(lambda x: x + 1)) == content_of(ng.op(lambda x: x + 1))  # noqa: E225
    assert content_of(ng.op(bent.__wrapped__, prefer="accuracy")) != before


def test_a_fresh_process_with_the_text_alone(tmp_path):
    """X-SYM-03: user-defined operators come with their text; the numbers are the same."""
    symbol = _user_graph()
    symbol.save(tmp_path / "net.json")
    (tmp_path / "net.pickle").write_bytes(pickle.dumps(symbol))
    np.savez(tmp_path / "given.npz", **GIVEN)
    program = (
        "import sys, pickle, numpy as np, nbgraph as ng\n"
        "from tests.graph.naive import evaluate\n"
        "assert 'tests.graph.test_serial' not in sys.modules\n"
        "given = dict(np.load('given.npz'))\n"
        "loaded = ng.load_symbol('net.json', allow_code=True)\n"
        "np.savez('json.npz', *evaluate(loaded.graph, given))\n"
        "loaded = pickle.load(open('net.pickle', 'rb'))\n"
        "np.savez('pickle.npz', *evaluate(loaded.graph, given))\n"
    )
    run_python("-c", program, cwd=tmp_path)
    wanted = evaluate(symbol.graph, GIVEN)
    for name in ("json.npz", "pickle.npz"):
        found = np.load(tmp_path / name)
        assert same_bits([found[k] for k in found.files], wanted)


def _halve(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, src.get() * env.scalar)


def _other_halve(src, env, ret, req, ctx):
    ng.assign(ret.get(), req, src.get() / env.scalar)


def test_registered_operators_are_found_by_name_and_content():
    from nbgraph.operator import registry

    name = "simple_of_serial"
    op = ng.register_simple_op(name).set_enable_scalar(True).set_function("cpu", _halve)
    try:
        text = op(ng.var("x", shape=(2,)), scalar=0.5).tojson()
        assert ng.load_json(text).node.op is op
        registry.remove(name)
        with pytest.raises(ArgumentError, match=rf"{name!r} is not registered here; import tests"):
            ng.load_json(text)
        assert ng.load_json(text, ops={name: op}).node.op is op
        other = ng.register_simple_op(name).set_enable_scalar(True)
        other.set_function("cpu", _other_halve)
        with pytest.raises(ArgumentError, match="computes something else"):
            ng.load_json(text)
        assert ng.load_json(text, allow_changed=True).node.op is other
    finally:
        registry.remove(name)


def test_what_a_file_cannot_hold_is_refused_by_name():
    x = ng.var("x", init=object())
    with pytest.raises(ArgumentError, match=r"'x': init: .*object cannot go into a file; give"):
        ng.sin(x).tojson()
    draw = ng.dropout(ng.var("x"), rng=np.random.default_rng(0))
    with pytest.raises(ArgumentError, match=r"node 'dropout': rng: .*Generator"):
        draw.tojson()
    assert isinstance(pickle.loads(pickle.dumps(draw)).node.attributes["rng"], np.random.Generator)
    blind = ng.op(eval("lambda x: x + 1"))
    with pytest.raises(ArgumentError, match="a file cannot hold this operator"):
        blind(ng.var("y")).tojson()
    with pytest.raises(ArgumentError, match=r"ops has 3 for 'bent', which is not an operator"):
        ng.load_json(ng.sin(ng.var("y")).tojson(), ops={"bent": 3})
    with pytest.raises(ArgumentError, match="text is an int"):
        ng.load_json(3)


def test_functions_as_attributes_are_their_text():
    def init(shape, dtype):
        return np.full(shape, 3, dtype)

    y = ng.sin(ng.var("x", init=init))
    with pytest.raises(ArgumentError, match=r"an attribute is the function 'init'.*allow_code"):
        _again(y)
    found = _again(y, allow_code=True)["sin0"].get_children().attr("init")
    assert found((2,), "float32").tolist() == [3, 3]


# damaged texts ----------------------------------------------------------------------------------

DAMAGE = [
    (lambda f: f.update(format="other"), "holds no symbol"),
    (lambda f: f.update(version=99), "version 99"),
    (lambda f: f.pop("heads"), "damaged"),
    (lambda f: f.update(heads=[[-1, 0]]), "not an earlier node"),
    (lambda f: f.update(heads=[[0, 1]]), "has no output 1"),
    (lambda f: f["nodes"][-1].update(inputs=[[len(f["nodes"]) - 1, 0]]), "not an earlier node"),
    (lambda f: f["nodes"][-1].update(inputs=[]), "takes 1 operand"),
    (lambda f: f["nodes"][-1].update(op=-1), "no operator -1"),
    (lambda f: f["nodes"][0].pop("name"), "no name"),
    (lambda f: f["nodes"][0].update(attributes=3), "node 0 is damaged"),
    (lambda f: f["nodes"][0].update(attributes={"shape": {"strange": 1}}), "kind 'strange'"),
    (lambda f: f["operators"][0].update(kind="strange"), "kind 'strange'"),
    (lambda f: f["operators"][0].update(name="strange"), "no operator 'strange'"),
    (lambda f: f["operators"][0].update(name="random_gamma"), "not a single operator"),
]


@pytest.mark.parametrize(("damage", "told"), DAMAGE)
def test_damaged_texts_say_where(damage, told):
    form = json.loads(ng.sin(ng.var("x", shape=(2,))).tojson())
    damage(form)
    with pytest.raises((FormatError, ArgumentError), match=told):
        ng.load_json(json.dumps(form))


@pytest.mark.parametrize("text", ["", "[1]", "{", "nonsense", "[" * 100_000])
def test_other_texts_are_refused(text):
    with pytest.raises(FormatError, match="load_json: this (is not JSON|JSON holds no symbol)"):
        ng.load_json(text)


@pytest.mark.parametrize("depth", [400, 950, 100_000])
@pytest.mark.parametrize("place", ["attributes", "name", "inputs", "token"])
def test_values_that_nest_deeply_are_damaged_or_read(place, depth):
    text = json.loads(ng.tanh(ng.var("x")).tojson())
    text["nodes"][1][place] = {"axis": "deep"} if place == "attributes" else "deep"
    deep = json.dumps(text).replace('"deep"', "[" * depth + "]" * depth)
    with pytest.raises((FormatError, ArgumentError), match="load_json|tanh"):
        ng.load_json(deep)


def test_files_of_another_kind_say_which_function_reads_them(tmp_path):
    ng.sin(ng.var("x")).save(tmp_path / "net.json")
    with pytest.raises(FormatError, match=r"holds a symbol; read it with ng.load_symbol"):
        ng.load(tmp_path / "net.json")
    ng.save(tmp_path / "w", [ng.ones(2)])
    with pytest.raises(FormatError, match="load_symbol: this is not JSON"):
        ng.load_symbol(tmp_path / "w")
    assert [p.name for p in tmp_path.iterdir() if p.name.startswith(".")] == []


# large and copied -------------------------------------------------------------------------------


def test_a_long_chain_is_written_read_and_copied(full):
    """X-SYM-03: no recursion over 50,000 nodes, 15,000 everyday."""
    y = x = ng.var("x", shape=(2,))
    for _ in range(50_000 if full else 15_000):
        y = ng.sin(y)
    assert pickle.loads(pickle.dumps(y)).entries == y.entries
    assert _again(y).entries == y.entries
    assert copy.deepcopy(y) is y
    assert copy.copy({"y": y})["y"] is y
    assert copy.deepcopy([x])[0] is x


def test_keys_of_parts_keep_their_form():
    x = ng.var("x", shape=(4, 4))
    found = _again(x[1:3, ..., None])
    (key,) = (v for v in found.node.attributes.values())
    assert key[0] == Triple(1, 3, None)
    assert type(key[0]) is Triple
    assert key[1] is Ellipsis


def file_of(name, attributes, operands=("a", "b")):
    """The text of a symbol with one operator, as earlier versions wrote it."""
    variables = [
        {"op": None, "attributes": {"shape": None, "dtype": None}, "name": n} for n in operands
    ]
    node = {"op": 0, "inputs": [[i, 0] for i in range(len(operands))], "attributes": attributes}
    text = {"format": "nbgraph symbol", "version": 1, "written_by": "nbgraph 0.1.0", "arrays": []}
    operators = [{"kind": "library", "name": name}]
    return json.dumps(text | {"operators": operators, "nodes": [*variables, node],
                              "heads": [[len(variables), 0]]})  # fmt: skip


A, B = np.arange(6.0).reshape(2, 3), np.ones((3, 2))
FORMER = {
    "reshape_like": ({"lhs_axes": [None, None], "rhs_axes": [None, None]}, A.reshape(3, 2), (A, B)),
    "broadcast_like": ({"axes": [[0, -1]]}, np.tile(A[:1], (2, 1)), (A[:1], B)),
    "slice_like": ({"axes": []}, A[:1, :2], (A, np.ones((1, 2)))),
    "shape_array": ({}, [2, 3], (A,)),
    "size_array": ({}, [6], (A,)),
}


@pytest.mark.parametrize("name", FORMER)
def test_what_was_an_operator_and_is_a_function_is_read(name):
    attributes, expected, arrays = FORMER[name]
    values = dict(zip("ab", arrays))
    symbol = ng.load_json(file_of(name, attributes, tuple(values)))
    for each in (symbol, ng.load_json(symbol.tojson())):
        (result,) = each.eval(**values)
        np.testing.assert_array_equal(result.asnumpy(), expected)


# MXNet's text -----------------------------------------------------------------------------------


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
    told = net.attr_dict()
    assert told["act"]["__mood__"] == "good"
    assert told["fc_weight"]["__lr_mult__"] == "2.0"
    assert told["fc"]["num_hidden"] == 2
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
    ("node", "kind", "told"),
    [
        (("Absent", "a", {}, ()), ng.errors.MissingName, "no operator 'Absent'"),
        (("sin", "a", {}, ((7, 0),)), ng.FormatError, "load_json: MXNet's text is damaged"),
        (("FullyConnected", "a", {"num_hidden": "no"}, ((0, 0),)), ng.ArgumentError, "num_hidden"),
    ],
)
def test_mxnet_s_symbols_that_cannot_be_read_are_refused(node, kind, told):
    """X-SYM-03: an operator that is not here, or refuses its parameters, at which node."""
    with pytest.raises(kind, match=told) as caught:
        ng.load_json(_mxnet(("null", "x", {}, ()), node, heads=(1,)))
    if kind is not ng.FormatError:
        assert "load_json: at node 'a'" in caught.value.__notes__[0]
