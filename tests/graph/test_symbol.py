"""SYS-08, SYM-01, X-SYM-01: symbols are made, named, grouped, composed; what they refuse."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from tests.graph.naive import evaluate, same_bits

X, Y = ng.var("x"), ng.var("y", shape=(2, 3))
BOTH = ng.Group([ng.sin(X), ng.cos(X)])

# making -----------------------------------------------------------------------------------------


def test_a_network_is_described_by_composition():
    """SYS-08, SYM-01: names of arguments and outputs, in the order they are met."""
    data = ng.var("data")
    hidden = ng.tanh(data @ ng.var("w1") + ng.var("b1"))
    out = (hidden @ ng.var("w2")).named("score")
    assert out.list_arguments() == ["data", "w1", "b1", "w2"]
    assert out.list_outputs() == ["score_output"]
    assert out.name == "score"
    assert out.list_auxiliary_states() == []
    assert out.get_internals().list_outputs() == [
        *("data", "w1", "matmul0_output", "b1", "add0_output", "tanh0_output", "w2"),
        "score_output",
    ]


def test_operators_methods_and_functions_make_the_same_nodes():
    pairs = [
        (Y + 1, ng.add(Y, 1)),
        (2 / Y, ng.divide(2, Y)),
        (-Y, ng.negative(Y)),
        (abs(Y), np.abs(Y)),
        (Y**2, ng.square(Y)),
        (Y**4, ng.power(Y, 4)),
        (Y @ Y.T, ng.matmul(Y, ng.transpose(Y))),
        (Y > 0, np.greater(Y, 0)),
        (Y.sum(axis=1), np.sum(Y, axis=1)),
        (Y.reshape(3, 2), ng.reshape(Y, (3, 2))),
        (Y[0], ng.ops.slice_view(Y, (0,))),
        (Y.astype("int8"), ng.astype(Y, np.int8)),
        (ng.sym.sin(Y), ng.sin(Y)),
        (np.concatenate([Y, Y]), ng.concatenate([Y, Y])),
    ]
    for one, other in pairs:
        assert one.entry == other.entry


def test_augmented_assignment_makes_another_symbol():
    z = Y
    z += 1
    assert z.entry == (Y + 1).entry
    assert Y.list_outputs() == ["y"]


def test_what_is_known_is_told():
    z = ng.var("z", shape=3, dtype="int8")
    assert (z.shape, z.dtype, z.ndim, z.size) == ((3,), np.dtype("int8"), 1, 3)
    assert ng.var("d", shape=()).dtype == np.dtype(ng.config.default_float)
    assert (Y @ np.ones((3, 4), "float64")).dtype == np.dtype("float64")
    assert ng.exp(X).shape is None
    for known in ("spec", "dtype", "ndim", "size"):
        with pytest.raises(ShapeError, match="its shape is not known, as x came without"):
            getattr(ng.exp(X), known)
    assert str(ng.sin(Y)) == "%0 = y: float32[2, 3]\n%1 = sin(%0): float32[2, 3]\nreturn %1"
    assert repr(BOTH) == "<Symbol sin0_output, cos0_output>"


# names ------------------------------------------------------------------------------------------


def test_names_depend_on_the_graph_alone():
    def build():
        return ng.sin(ng.sin(X) + ng.sin(Y))

    names = build().get_internals().list_outputs()
    assert names == build().get_internals().list_outputs()
    assert names == ["x", "sin0_output", "y", "sin1_output", "add0_output", "sin2_output"]


def test_scopes_nest_and_end():
    """X-SYM-01: Prefix."""
    with ng.name_scope("a_"):
        with ng.name_scope("b_"):
            inner = ng.sin(ng.var("w"))
        outer = ng.sym.cos(inner, name="c")
    assert inner.list_arguments() == ["a_b_w"]
    assert inner.list_outputs() == ["a_b_sin0_output"]
    assert outer.list_outputs() == ["a_c_output"]
    assert ng.sin(X).list_outputs() == ["sin0_output"]


def test_numbers_keep_clear_of_names_that_are_taken():
    taken = ng.sym.cos(X, name="sin0")
    both = ng.Group([taken, ng.sin(X), ng.sin(taken)])
    assert both.list_outputs() == ["sin0_output", "sin1_output", "sin2_output"]
    with ng.name_scope("sin1"):
        scoped = [ng.sin(X * k) for k in range(2)]
    plain = [ng.sin(X + k) for k in range(20)]
    names = ng.Group([*plain, *scoped]).get_internals().list_outputs()
    assert len(set(names)) == len(names)


def test_outputs_of_one_node_are_numbered():
    values, places = ng.topk(ng.var("v", shape=(5,)), 2)
    assert values.list_outputs() == ["topk0_output0"]
    assert ng.Group([values, places]).list_outputs() == ["topk0_output0", "topk0_output1"]
    assert places.get_internals().list_outputs() == ["v", "topk0_output0", "topk0_output1"]


# attributes -------------------------------------------------------------------------------------


def test_attributes_and_their_scopes():
    """X-SYM-01: AttrScope, attr, list_attr, attr_dict."""
    with ng.attribute_scope(group="encoder", lr=1), ng.attribute_scope(lr=2):
        w = ng.var("w", shape=(3,), lr=3)
        y = ng.sum(w, axis=0)
    z = ng.sin(y)
    assert w.list_attr() == {"group": "encoder", "lr": 3}
    assert y.attr("lr") == 2
    assert y.attr("axis") == 0
    assert y.attr("none of these") is None
    assert z.list_attr() == {}
    assert z.attr_dict() == {
        "w": {"group": "encoder", "lr": 3},
        "sum0": {"group": "encoder", "lr": 2, "axis": 0, "dtype": None, "keepdims": False},
    }
    assert ng.sym.sin(X, attr={"k": 1}).list_attr() == {"k": 1}
    assert ng.sym.sin(X, attr={"lr_mult": 1}, wd_mult=2).list_attr() == {"lr_mult": 1, "wd_mult": 2}


# groups and composition -------------------------------------------------------------------------


def test_groups():
    """X-SYM-01: Group, its outputs by number, slice and name."""
    assert len(BOTH) == 2
    assert [s.entry for s in BOTH] == [BOTH[0].entry, BOTH[1].entry]
    assert BOTH[-1].entry == BOTH["cos0"].entry == BOTH["cos0_output"].entry == ng.cos(X).entry
    assert BOTH[:1].list_outputs() == ["sin0_output"]
    assert BOTH.name is None
    assert ng.Group([BOTH, Y]).list_outputs() == ["sin0_output", "cos0_output", "y"]
    assert BOTH.list_arguments() == ["x"]


def test_children():
    y = ng.sin(X) * Y + 2
    assert y.get_children().list_outputs() == ["multiply0_output"]
    assert y.get_children().get_children().list_outputs() == ["sin0_output", "y"]
    assert X.get_children() is None


def test_composition():
    """SYS-08: a symbol applied to symbols stands over them."""
    net = ng.sin(X) * ng.var("w")
    made = net(x=Y[0], w=X)
    assert made.entry == (ng.sin(Y[0]) * X).entry
    assert net(Y, ng.var("v")).list_arguments() == ["y", "v"]
    assert net(Y).list_arguments() == ["y", "w"]
    swapped = net(x=ng.var("w"), w=X)  # all at once, not one after another
    assert swapped.entry == (ng.sin(ng.var("w")) * X).entry
    assert net().entry == net.entry
    assert BOTH(x=Y).list_arguments() == ["y"]


# worlds -----------------------------------------------------------------------------------------


def test_arrays_beside_a_symbol_are_constants():
    """API.md, rule 1: NumPy arrays and NDArrays by value; their memory may change."""
    given_array = np.float32([[1, 2, 3]])
    for one, other in ((given_array, Y), (Y, given_array), (ng.array(given_array), Y)):
        made = one * other
        assert type(made) is ng.Symbol
        (value,) = evaluate(made.graph, {"y": np.ones((2, 3), "float32")})
        np.testing.assert_array_equal(value, np.broadcast_to([[1, 2, 3]], (2, 3)))
    assert np.sin(Y).entry == ng.sin(Y).entry
    assert (np.float64(2) * Y).dtype == np.dtype("float64")  # a NumPy scalar is not weak
    assert (2.0 * Y).dtype == np.dtype("float32")


def test_a_large_constant_warns():
    """API.md, rule 1."""
    large = np.zeros((1024, 257), "float32")
    with pytest.warns(UserWarning, match=r"add: operand 'x2' is an array of 1 MiB.*Use ng.var"):
        X + large
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        X + large[:512]


def test_sym_makes_symbols_of_everything():
    made = ng.sym.add(np.ones(2, "float32"), 1)
    assert type(made) is ng.Symbol
    assert evaluate(made.graph, {})[0].tolist() == [2, 2]
    zeros = ng.sym.zeros((2, 3))
    assert (type(zeros), zeros.shape) == (ng.Symbol, (2, 3))
    assert type(ng.zeros((2, 3))) is ng.NDArray
    assert type(ng.sym.random_normal(size=(2,))) is ng.Symbol


# torch's own has more; that it has elements is what makes it an operand
Foreign = type("Tensor", (), {"__module__": "torch", "__len__": lambda self: 2})


REFUSED = [
    (lambda: bool(Y), TypeError, "neither true nor false; choose .* with ng.where"),
    (lambda: 1 if Y > 0 else 2, TypeError, "ng.where"),
    (lambda: iter(Y), TypeError, "cannot be iterated.*ng.unstack"),
    (lambda: len(Y), TypeError, "no length; ask for .shape"),
    (lambda: np.asarray(Y), TypeError, "no values to make a NumPy array of; compute it"),
    (lambda: np.array([Y, Y]), TypeError, "compute it with eval"),
    (lambda: float(Y), TypeError, "no value to make a Python number of; compute it with eval"),
    (lambda: int(Y), TypeError, "no value to make a Python number of"),
    (lambda: ng.add(Y, 1, out=np.zeros((2, 3))), ArgumentError, "add: out= .* use the result"),
    (lambda: np.add(Y, 1, out=np.zeros((2, 3))), ArgumentError, "add: out= .* use the result"),
    (lambda: Y.__setitem__(0, 1), ArgumentError, r"setitem: .*no memory.*ng.index_update"),
    (lambda: np.linalg.nothing_of(Y), AttributeError, "nothing_of"),
    (lambda: np.frompyfunc(abs, 1, 1)(Y), ArgumentError, "this ufunc has no operator"),
    (lambda: Y + Foreign(), ArgumentError, "'x2' is a torch array; .*ng.from_dlpack"),
    (lambda: Foreign() + Y, ArgumentError, "'x1' is a torch array; .*ng.from_dlpack"),
    (lambda: Y + "a", TypeError, "unsupported operand"),
    (lambda: Y + np.ones((4, 5)), ShapeError, r"add: shapes do not broadcast: x1\(2, 3\)"),
    (lambda: Y[5], IndexingError, "index 5 is out of bounds for axis 0.*expected -2 to 1"),
    (lambda: Y[Y > 0], IndexingError, "mask .a Symbol. has no values.*ng.where"),
    (lambda: ng.var(""), ArgumentError, "var: name=''; give a string"),
    (lambda: ng.var(3), ArgumentError, "var: name=3; give a string"),
    (lambda: ng.var("a", shape="b"), ArgumentError, "var 'a': shape='b'; give a tuple"),
    (lambda: ng.var("a", shape=(-1,)), ShapeError, "negative size; sizes start at 0"),
    (lambda: ng.var("a", dtype="longdouble"), DTypeError, "is not supported; supported"),
    (lambda: ng.Group([]), ArgumentError, "Group: no symbols were given; give one or more"),
    (lambda: ng.Group([1]), ArgumentError, r"Group: symbols\[0\] is an int; give symbols"),
    (lambda: ng.Group(3), ArgumentError, "Group: symbols is an int; give a list"),
    (lambda: ng.sin(BOTH), ArgumentError, r"a group of 2 symbols .* choose one .*group\[0\]"),
    (lambda: BOTH[2], IndexError, "output 2 of a group of 2; there are sin0_output"),
    (lambda: BOTH["tan0"], ArgumentError, "no output 'tan0' .* there are: sin0_output"),
    (lambda: BOTH[1.5], ArgumentError, "a number, a slice or a name, not by 1.5"),
    (lambda: BOTH.spec, ArgumentError, "a group of 2 symbols"),
    (lambda: BOTH.named("a"), ArgumentError, "named: name='a'; name one symbol"),
    (lambda: X.named("a"), ArgumentError, "'x' is a variable; make it with that name"),
    (lambda: ng.sin(X).named(""), ArgumentError, "named: name=''"),
    (lambda: ng.sin(X)(z=Y), ArgumentError, "compose: no variable is called 'z'; there are x"),
    (lambda: ng.sin(X)(x=3), ArgumentError, "compose: x=3 is an int; give a symbol"),
    (lambda: ng.sin(X)(x=BOTH), ArgumentError, "compose: x is a group; choose one"),
    (lambda: ng.sin(X)(Y, Y), ArgumentError, r"compose: 2 symbols for 1 arguments \(x\)"),
    (lambda: ng.sin(X)(Y, x=Y), ArgumentError, "'x' is given twice"),
    (lambda: ng.sym.sin(X, attr=3), ArgumentError, "sin: attr=3; give a dict"),
    (lambda: ng.sym.sine, AttributeError, "ng.sym has no operator 'sine'; did you mean"),
    (lambda: ng.name_scope(3).__enter__(), ArgumentError, "name_scope: prefix=3; give a string"),
]


@pytest.mark.parametrize(("refused", "kind", "told"), REFUSED)
def test_what_is_refused_says_what_to_do(refused, kind, told):
    """SYS-08, X-SYM-01: bad input; operator, argument, what was given, the remedy."""
    with pytest.raises(kind, match=told):
        refused()


# values -----------------------------------------------------------------------------------------

LEAVES = st.sampled_from(["a", "b", "c"]) | st.sampled_from([2, -1, 0.5, True])
CALLS = {
    1: [ng.sin, ng.tanh, abs, lambda v: -v, lambda v: v.T, lambda v: ng.sum(v, 0, keepdims=True)],
    2: [
        lambda u, v: u + v,
        lambda u, v: u * v,
        lambda u, v: u - v,
        ng.maximum,
        lambda u, v: ng.where(u > v, u, v),
    ],
}


def _applied(children):
    one = st.tuples(st.sampled_from(CALLS[1]), children)
    two = st.tuples(st.sampled_from(CALLS[2]), children, children)
    return one | two


def _made(tree, leaves):
    if not isinstance(tree, tuple):
        return leaves.get(tree, tree)
    fn, *children = tree
    values = [_made(child, leaves) for child in children]
    if all(isinstance(v, (bool, int, float)) for v in values):
        values[0] = leaves["a"] * 0 + values[0]
    return fn(*values)


@settings(max_examples=40)
@given(st.recursive(LEAVES, _applied, max_leaves=12))
def test_an_expression_of_symbols_has_the_values_of_numpy(tree):
    """SYM-01: the same program on NumPy arrays and on symbols, bit for bit."""
    arrays = {n: np.arange(9, dtype="float32").reshape(3, 3) / 7 - k for k, n in enumerate("abc")}
    symbols = {n: ng.var(n, shape=(3, 3)) for n in arrays}
    made = _made(tree, symbols)
    if isinstance(made, ng.Symbol):
        wanted = np.asarray(_made(tree, arrays))
        assert (made.shape, made.dtype) == (wanted.shape, wanted.dtype)
        assert same_bits(evaluate(made.graph, arrays), [wanted])


def test_attributes_as_mxnet_gives_them():
    """X-SYM-01: attr= is a dict of attributes, and no attribute called attr."""
    w = ng.var("w", attr={"lr": "2", "wd": "0"}, wd="1")
    assert w.list_attr() == {"lr": "2", "wd": "1"}
    with ng.attribute_scope(lr="3", group="a"):
        assert ng.var("w", attr={"lr": "2"}).list_attr() == {"lr": "2", "group": "a"}
    for wrong in (3, {3: "lr"}):
        with pytest.raises(ArgumentError, match=r"var 'w': attr=.*; give a dict by name"):
            ng.var("w", attr=wrong)
        with pytest.raises(ArgumentError, match=r"sin: attr=.*; give a dict by name"):
            ng.sym.sin(w, attr=wrong)


@pytest.mark.parametrize("dtype", ["nope", 3, "longdouble"])
def test_a_dtype_that_is_none_names_the_variable(dtype):
    """X-SYM-01: of many variables, which."""
    with pytest.raises(DTypeError, match="variable 'x': .* is given as its dtype.*'float32'"):
        ng.var("x", dtype=dtype)


def test_a_name_at_the_call_of_an_operator_points_to_where_it_is_taken():
    """X-SYM-01: ng.sym takes name= and attr=; elsewhere they are not parameters."""
    x, b = ng.var("x"), ng.var("b")
    told = (
        r"add: name='fc1' is not a parameter.*add\(...\).named\('fc1'\), or ng.sym.add\(..., name="
    )
    with pytest.raises(ArgumentError, match=told):
        ng.add(x, b, name="fc1")
    with pytest.raises(ArgumentError, match=r"sin: attr=.*ng.attribute_scope.*ng.sym.sin"):
        ng.sin(x, attr={"lr": "2"})
    assert ng.sym.add(x, b, name="fc1").list_outputs() == ["fc1_output"]
    assert ng.add(x, b).named("fc1").list_outputs() == ["fc1_output"]


# calls ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("read", [lambda s: s, lambda s: ng.load_json(s.tojson())])
def test_an_operator_on_nothing_is_composed_later(read):
    net = read(ng.sym.FullyConnected(num_hidden=4, name="fc"))
    assert net.list_arguments() == ["fc_data", "fc_weight", "fc_bias"]
    below = ng.sym.Activation(ng.var("x"), act_type="relu", name="act")
    for made in (net(data=below), net(fc_data=below), net(below)):
        assert made.list_arguments() == ["x", "fc_weight", "fc_bias"]
        assert made.infer_shape(x=(2, 3))[1] == [(2, 4)]
    two = ng.sym.add() * ng.sym.sin()
    assert len(two.list_arguments()) == 3
    with pytest.raises(ArgumentError, match="no variable is called 'data'"):
        two(data=below)


def test_a_symbol_called_on_arrays_computes_and_is_recorded():
    x, w = ng.var("x"), ng.var("w")
    net = ng.tile(ng.sym.FullyConnected(x, w, num_hidden=2, no_bias=True), (1, 2)) * 2.0
    a, b = ng.array([[1.0, 2.0]]), ng.array([[3.0, 4.0], [5.0, 6.0]])
    a.attach_grad()
    with ng.autograd.record():
        y = net(a, w=b)
    y.backward()
    (expected,) = net.eval(x=a, w=b)
    np.testing.assert_array_equal(y.asnumpy(), expected.asnumpy())
    np.testing.assert_array_equal(a.grad.asnumpy(), [[32.0, 40.0]])
    np.testing.assert_array_equal(ng.jit(lambda v: net(v, b))(a).asnumpy(), y.asnumpy())
    both = ng.Group([net, x])(x=a, w=b)
    assert [v.shape for v in both] == [(1, 4), (1, 2)]
    with pytest.raises(ArgumentError, match="'w' is None; where one argument is an NDArray"):
        net(a)
    with pytest.raises(ArgumentError, match="w=3 is an int; give a symbol"):
        net(w=3)


def test_variables_by_mxnet_s_other_name():
    """MXP-01: `sym.var` of a name is a variable, of a symbol its variance."""
    assert ng.sym.var(name="v", shape=(2, 3)).entry == ng.var("v", shape=(2, 3)).entry
    assert ng.sym.var("v", attr={"mood": "good"}).attr("mood") == "good"
    assert ng.sym.var(Y, name="spread").list_outputs() == ["spread_output"]
    assert ng.sym.var(x=Y).shape == ()


def test_what_makes_symbols_has_the_names_of_mxnet():
    x, y = ng.sym.Variable("x", shape=(2, 3)), ng.var("y")
    assert ng.sym.Group([x, y]).list_outputs() == ["x", "y"]
    assert ng.sym.load_json((x * 2).tojson()).infer_shape()[1] == [(2, 3)]
    assert {"Variable", "Group", "load"} <= set(dir(ng.sym))


def test_sym_var_is_a_variable_of_a_name_and_the_variance_of_a_symbol():
    assert ng.sym.var("x", shape=(2, 3)).shape == (2, 3)
    assert ng.sym.var(ng.var("x", shape=(2, 3))).shape == ()


def test_a_layer_of_several_nodes_has_one_output_of_its_name():
    """As in MXNet: features are taken by it; what is for gradients alone does not number it."""
    data = ng.sym.Variable("data")
    net = ng.sym.FullyConnected(ng.sym.BatchNorm(data, name="bn"), num_hidden=2, name="fc")
    for name in ("bn_output", "bn"):
        part = net.get_internals()[name]
        assert part.list_outputs() == ["bn_output"]
        assert part.infer_shape(data=(3, 5))[1] == [(3, 5)]
    assert ng.sym.Dropout(data, name="d").list_outputs() == ["d_output"]
    factors = ng.sym.linalg_slogdet(data, name="s")
    assert factors.list_outputs() == ["s_output0", "s_output1"]
    assert factors.name == factors[1].name == "s"


def test_labels_are_not_counted_as_parameters():
    data = ng.sym.Variable("data")
    net = ng.sym.SoftmaxOutput(ng.sym.FullyConnected(data, num_hidden=3, name="f"), name="s")
    assert "33 parameters" in str(ng.print_summary(net, shapes={"data": (64, 10)}))


# names of variables that calls make -------------------------------------------------------------


def _siblings(x=X):
    return ng.sym.FullyConnected(x, num_hidden=2) + ng.sym.FullyConnected(x, num_hidden=2)


CALLED = [f"fullyconnected{k}_{n}" for k in (0, 1) for n in ("weight", "bias")]


def test_siblings_without_names_are_told_apart_wherever_names_are():
    """OPR-16, SYM-01: one rule for lists, inference, binding, composition, files and pictures."""
    net = _siblings()
    names = ["x", *CALLED]
    assert net.list_arguments() == net.list_inputs() == names
    assert set(names) < set(net.get_internals().list_outputs())
    shapes = net.infer_shape(x=(4, 3), fullyconnected1_bias=(2,))[0]
    assert shapes == [(4, 3), (2, 3), (2,), (2, 3), (2,)]
    again = ng.load_json(net.tojson())
    assert again.list_arguments() == names
    assert again.get_internals()[CALLED[2]].list_arguments() == [CALLED[0]]
    composed = net(fullyconnected1_weight=ng.var("w"))
    assert composed.list_arguments() == ["x", *CALLED[:2], "w", CALLED[3]]
    rows = ng.print_summary(net, {"x": (4, 3)}).rows
    assert [row.name for row in rows if not row.operator] == names
    assert all(name in str(net) for name in names)
    exe = net.simple_bind(x=(1, 3))
    for k, name in enumerate(exe.arg_dict):
        exe.arg_dict[name][...] = k
    assert exe.forward()[0].tolist() == [[6.0, 6.0]]
    bound = again.bind(args=dict(exe.arg_dict))
    assert bound.forward()[0].tolist() == [[6.0, 6.0]]
    assert list(bound.arg_dict) == list(exe.grad_dict) == names


def test_names_of_calls_depend_on_the_graph_alone():
    """X-SYM-01: a cell that runs again gives them again; taken names are passed over; what two
    graphs share has one name in both together."""
    nets = [_siblings() for _ in range(2)]
    assert nets[0].list_arguments() == nets[1].list_arguments()
    bound = [net.simple_bind(x=(2, 3)) for net in nets]
    assert bound[0]._bound.graph.heads == bound[1]._bound.graph.heads  # nothing compiles again
    taken = ng.sym.FullyConnected(ng.var(CALLED[0]), num_hidden=2)
    assert taken.list_arguments() == [CALLED[0], *CALLED[2:]]
    assert taken.list_outputs() == ["fully_connected0_output"]
    both = nets[0] * ng.sum(nets[0](x=Y))
    assert both.list_arguments() == ["x", *CALLED, "y"]
    with ng.name_scope("a_"):
        inner = ng.sym.FullyConnected(X, num_hidden=2)
    assert (inner + nets[0]).list_arguments()[1:] == [f"a_{n}" for n in CALLED[:2]] + CALLED
    without = ng.sym.sin() + ng.sym.sin()
    assert without.list_arguments() == ["sin0_x", "sin1_x"]
    alone = ng.sym.FullyConnected(X, num_hidden=2)
    assert alone.attr_dict() == {"fully_connected0": {"flatten": True, "num_hidden": 2}}


@pytest.mark.parametrize(
    ("op", "options", "own"),
    [
        ("BatchNorm", {}, "gamma beta moving_mean moving_var"),
        ("BatchNorm", {"fix_gamma": False, "axis": -1}, "gamma beta moving_mean moving_var"),
        ("LayerNorm", {}, "gamma beta"),
        ("InstanceNorm", {}, "gamma beta"),
        ("LeakyReLU", {"act_type": "prelu"}, "gamma"),
        ("RNN", {"state_size": 2, "num_layers": 1, "mode": "gru"}, "parameters state"),
        ("Embedding", {"input_dim": 3, "output_dim": 2}, "weight"),
        ("FullyConnected", {"num_hidden": 2}, "weight bias"),
        ("LinearRegressionOutput", {}, "label"),
        ("SoftmaxOutput", {}, "label"),
        ("SVMOutput", {}, "label"),
    ],
)
def test_variables_of_a_call_of_several_nodes_are_called_after_the_operator(op, options, own):
    call = getattr(ng.sym, op)
    net = call(call(X, **options), **options)
    made = [*net.list_arguments()[1:], *net.list_auxiliary_states()]
    assert set(made) == {f"{op.lower()}{k}_{n}" for k in (0, 1) for n in own.split()}
    with ng.name_scope("a_"):
        inner = call(X, **options)
    assert set(inner.list_inputs()[1:]) == {f"a_{op.lower()}0_{n}" for n in own.split()}
    again = ng.load_json(net.tojson())
    assert again.list_inputs() == net.list_inputs()
