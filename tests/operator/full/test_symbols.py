"""Arguments that are made, outputs that are hidden, files: OPP-16..18, X-SYM-01, X-SYM-03."""

import json

import numpy as np
import pytest

import nbgraph as ng
from tests.operator.full import operators
from tests.support import run_python


def test_arguments_that_are_not_given_become_variables():
    """OPP-16, OPR-16: called by the node and their own name, with shapes from the data."""
    net = ng.sym.mx_connected(ng.var("x"), num_hidden=3, name="fc1")
    net = ng.mx_connected(ng.tanh(net), no_bias=True, num_hidden=2, name="fc2")
    assert net.list_arguments() == ["x", "fc1_weight", "fc1_bias", "fc2_weight"]
    assert net.list_outputs() == ["fc2_output"]
    exe = net.simple_bind(x=(5, 4))
    assert {n: a.shape for n, a in exe.arg_dict.items()} == {
        "x": (5, 4),
        "fc1_weight": (3, 4),
        "fc1_bias": (3,),
        "fc2_weight": (2, 3),
    }
    alone = ng.sym.mx_connected(num_hidden=3, name="fc")
    assert alone.list_arguments() == ["fc_data", "fc_weight", "fc_bias"]


def test_custom_calls_by_the_name_of_the_operator():
    """OPR-16: MXNet's `nd.Custom` and `sym.Custom`."""
    net = ng.sym.Custom(ng.var("x"), num_hidden=3, name="fc", op_type="mx_connected")
    assert net.list_arguments() == ["x", "fc_weight", "fc_bias"]
    np.testing.assert_allclose(ng.nd.Custom(ng.zeros(2), op_type="mx_exp"), [1, 1])
    with pytest.raises(ng.errors.MissingName, match="did you mean 'mx_exp'"):
        ng.nd.Custom(ng.array([1.0]), op_type="mx_ex")


def test_names_without_a_name_go_by_place():
    """X-SYM-01: the same each time the cell runs; name_scope counts."""
    for _ in range(2):
        net = ng.mx_connected(ng.mx_connected(ng.var("x"), num_hidden=3), num_hidden=2)
        assert net.list_arguments()[1:] == [
            f"mx_connected{k}_{n}" for k in (0, 1) for n in ("weight", "bias")
        ]
    with ng.name_scope("block_"):
        inner = ng.mx_connected(ng.var("x"), num_hidden=3, name="fc")
    assert inner.list_arguments() == ["block_x", "block_fc_weight", "block_fc_bias"]
    assert inner.list_outputs() == ["block_fc_output"]


def test_two_branches_do_not_share_by_accident():
    """OPR-16: weights of two nameless calls are two, called after their calls' nodes; those of two
    calls of one name are one."""
    x = ng.var("x")
    both = ng.mx_connected(x, num_hidden=3) + ng.mx_connected(x, num_hidden=3)
    expected = [f"mx_connected{k}_{n}" for k in (0, 1) for n in ("weight", "bias")]
    assert both.list_arguments() == ["x", *expected]
    shared = [ng.mx_connected(x, num_hidden=3, name="fc") for _ in range(2)]
    assert (shared[0] + shared[1]).list_arguments() == ["x", "fc_weight", "fc_bias"]


def test_initial_values_of_what_is_made():
    """OPP-18: a property says how its arguments and states begin."""
    exe = ng.mx_moving(ng.var("x"), name="norm").simple_bind(x=(4, 3))
    assert exe.aux_dict["norm_mean"].tolist() == [1, 1, 1]


def test_hidden_outputs_are_not_seen():
    """OPP-17: NumOutputs and NumVisibleOutputs; not in the result, nor among the internals."""
    op = ng.mx_drop.of({})
    assert (op.nout, op.visible) == (2, 1)
    x = np.ones(3, "float32")
    assert ng.mx_drop(x).shape == (3,)
    assert ng.mx_drop(ng.array(x)).shape == (3,)
    y = ng.mx_drop(ng.var("x"), name="d")
    assert y.get_internals().list_outputs() == ["x", "d_output"]
    out = np.zeros(3, "float32")
    assert ng.mx_drop(x, out=out) is out
    with pytest.raises(ng.ArgumentError, match=r"out has 2 array\(s\), the operator gives 1"):
        ng.mx_drop(x, out=(out, out))


def test_several_outputs_have_names():
    """OPP-17: those of list_outputs."""
    both = ng.sym.mx_circle(ng.var("x"), name="c")
    assert ng.Group(both).list_outputs() == ["c_sine", "c_cosine"]
    graph = ng.ExpressionGraph()
    made = ng.mx_circle(graph.param("x", (2,), 0.5))
    assert len(made) == 2


@pytest.mark.parametrize(
    ("args", "given", "told"),
    [
        ((), {"num_hidden": 2}, r"no array is given for data, weight, bias; give data=array"),
        ((1, 2, 3, 4), {"num_hidden": 2}, r"4 arrays are given; it takes 3: data, weight, bias"),
        ((1,), {"num_hidden": 2, "data": 1}, r"'data' is given twice"),
        ((1,), {"num_hidden": 2, "wieght": 1}, r"'wieght'; did you mean 'weight'"),
        ((1.0,), {"num_hidden": 2, "name": "fc"}, r"name='fc' is not a parameter here"),
        ((1.0,), {"num_hidden": 2, "out": (1, 2)}, r"no array is given for weight, bias"),
    ],
)
def test_bad_calls_are_refused_by_name(args, given, told):
    """OPP-16: operator, argument, what was given, what it takes, the remedy."""
    with pytest.raises(ng.ArgumentError, match=f"mx_connected: .*{told}|mx_connected: {told}"):
        ng.mx_connected(*args, **given)


def test_traced_functions_make_no_variables():
    """OPP-16: within ng.jit arrays are given; what is missing is named."""
    with pytest.raises(ng.ArgumentError, match="no array is given for weight, bias"):
        ng.jit(lambda x: ng.mx_connected(x, num_hidden=2))(ng.zeros((2, 3)))


def test_attributes_and_text_of_a_node():
    """X-SYM-01: attr tells the parameters, also of what was given as text."""
    y = ng.mx_connected(ng.var("x"), num_hidden="3", name="fc")
    assert y.attr("num_hidden") == 3
    assert y.attr_dict()["fc"] == {"num_hidden": 3, "no_bias": False}
    assert "mx_connected" in str(y)


SCRIPT = """
import sys
sys.path.insert(0, {root!r})
import nbgraph as ng
from tests.operator.full import operators
net = ng.load_symbol({path!r})
exe = net.simple_bind(x=(2, 3))
for name, value in exe.arg_dict.items():
    value[...] = 0.5
for _ in range(2):
    exe.forward(is_train=True)
print(net.list_arguments(), net.list_auxiliary_states(), exe.outputs[0].tolist())
"""


def _net():
    net = ng.mx_connected(ng.var("x"), num_hidden=2, name="fc1")
    net = ng.mx_moving(ng.mx_remember(net), name="norm")
    return ng.mx_drop(net, p=0.0, name="drop")


def test_symbols_in_files(tmp_path):
    """OPP-15, X-SYM-03: with parameters as text; a fresh process that has the classes reads it."""
    net, path = _net(), str(tmp_path / "net.json")
    net.save(path)
    told = json.loads((tmp_path / "net.json").read_text())
    recipes = {r["name"]: r for r in told["operators"]}
    assert recipes["mx_connected"]["parameters"] == {"num_hidden": "2", "no_bias": "false"}
    again = ng.load_symbol(path)
    assert again.list_arguments() == net.list_arguments()
    assert again.list_outputs() == ["drop_output"]
    assert again.tojson() == net.tojson()
    printed = run_python("-c", SCRIPT.format(root=str(operators.ROOT), path=path))
    assert printed.startswith("['x', 'fc1_weight', 'fc1_bias'] ['norm_mean'] [[")


def test_a_file_of_another_operator_is_refused():
    """X-SYM-03: by content: the texts of property and operators."""
    text = ng.mx_exp(ng.var("x")).tojson()

    class Other(operators.ExpProp):
        def create_operator(self, ctx, in_shapes, in_dtypes):
            return operators.Sort()

    from nbgraph.operator import registry

    registry.remove("mx_exp")
    with pytest.raises(ng.ArgumentError, match="'mx_exp' is not registered here"):
        ng.load_json(text)
    Other.__module__ = operators.__name__
    ng.register_operator("mx_exp")(Other)
    with pytest.raises(ng.ArgumentError, match="'mx_exp' that is here computes something else"):
        ng.load_json(text)
    ng.load_json(text, allow_changed=True)


def test_gradient_graphs_in_files():
    """X-SYM-03: the gradient of a property's operator is told by the operator it belongs to."""
    from nbgraph.graph.passes.gradient import gradient
    from nbgraph.graph.recipe_reader import Trust
    from nbgraph.graph.serial import from_text, to_text

    x = ng.var("x", shape=(3,), dtype="float32")
    found = gradient(ng.mx_exp(ng.mx_remember(x)).graph, list(x.graph.variables))
    heads = from_text(to_text(found.heads), "here", Trust())
    assert [n.op.__name__ for n in ng.Symbol(heads).graph.nodes if n.op is not None] == [
        n.op.__name__ for n in found.nodes if n.op is not None
    ]
