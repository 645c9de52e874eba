"""Shapes and dtypes, in every direction: OPP-02..04, X-SYM-02."""

import numpy as np
import pytest

import nbgraph as ng
from tests.operator.full import operators

X, W, B = ng.var("x"), ng.var("w"), ng.var("b")


def _connected(**given):
    return ng.mx_connected(X, W, B, **{"num_hidden": 4, **given})


@pytest.mark.parametrize(
    ("given", "arguments", "output"),
    [
        ({"x": (5, 2, 3)}, [(5, 2, 3), (4, 6), (4,)], (5, 4)),
        ({"x": (5, None)}, [(5, None), (4, None), (4,)], (5, 4)),
        ({"x": (None, 3)}, [(None, 3), (4, 3), (4,)], (None, 4)),
        ({"x": (5, None), "w": (4, 7)}, [(5, 7), (4, 7), (4,)], (5, 4)),
        ({"w": (4, 7)}, [None, (4, 7), None], None),
        ({}, [None, None, None], None),
    ],
)
def test_what_follows_in_both_directions(given, arguments, output):
    """OPP-02, X-SYM-02: arguments from data, data from weights; the rest stays open."""
    assert _connected().infer_shape_partial(**given) == (arguments, [output], [])


def test_shapes_flow_back_from_outputs():
    """OPP-02: what comes behind tells the shape of what stands before."""
    net = ng.mx_connected(ng.mx_exp(ng.mx_exp(X)), W, B, num_hidden=4)
    assert net.infer_shape(x=(5, None), w=(4, 7))[0] == [(5, 7), (4, 7), (4,)]


def test_states_are_inferred_as_well():
    """OPP-02: the third list."""
    y = ng.mx_moving(X, name="norm")
    assert y.infer_shape(x=(5, 3)) == ([(5, 3)], [(5, 3)], [(3,)])
    assert y.infer_type(x="float64") == (*[[np.dtype("float64")]] * 3,)


def test_dtypes_in_both_directions():
    """OPP-02: of weights from data, and back; the default dtype where nothing is told."""
    f8, f4 = np.dtype("float64"), np.dtype("float32")
    for given in ({"x": "float64"}, {"b": "float64"}):
        assert _connected().infer_type(**given) == ([f8] * 3, [f8], [])
    assert _connected().infer_type() == ([f4] * 3, [f4], [])
    with pytest.raises(ng.DTypeError, match=r"mx_connected: .*has dtype float64; expected float32"):
        _connected().infer_type(x="float32", w="float64")


def test_a_type_rule_of_ones_own():
    """OPP-03: labels are integers, whatever the data is; the other direction, too."""

    class Pick(ng.Operator):
        def forward(self, ctx, in_data, req, out_data, aux_states):
            data, label = in_data
            self.assign(out_data[0], req[0], data[np.arange(len(label)), label])

    @ng.register_operator("mx_pick")
    class PickProp(ng.OperatorProperty):
        def list_arguments(self):
            return ["data", "label"]

        def infer_shape(self, in_shapes, out_shapes, aux_shapes):
            n = in_shapes[0][0]
            return [in_shapes[0], (n,)], [(n,)], []

        def infer_type(self, in_dtypes, out_dtypes, aux_dtypes):
            data = in_dtypes[0] or out_dtypes[0]
            return [data, "int64"], [data], []

        def create_operator(self, ctx, in_shapes, in_dtypes):
            return Pick()

    y = ng.mx_pick(X, ng.var("label"))
    assert [str(d) for d in y.infer_type()[0]] == ["float32", "int64"]
    exe = y.simple_bind(grad_req="null", x=(3, 2))
    assert exe.arg_dict["label"].shape == (3,)
    out = exe.forward(x=np.arange(6).reshape(3, 2), label=np.array([1, 0, 1]))[0]
    assert out.tolist() == [1, 2, 5]


@pytest.mark.parametrize(
    ("given", "told"),
    [
        (
            {"x": (5, 6), "w": (4, 5)},
            r"mx_connected: argument 'data' \(given: data \(5, 6\), weight \(4, 5\).*\(5, 6\)",
        ),
        ({"x": (5, 6), "w": (3, 6)}, r"argument 'weight' .*has shape \(3, 6\); expected \(4, 6\)"),
        ({"x": (5, 6), "b": (5,)}, r"argument 'bias' .* has shape \(5,\); expected \(4,\): give"),
        ({"x": (5,)}, r"mx_connected: data has shape \(5,\); give two axes"),
    ],
)
def test_mismatches_are_found_at_bind(given, told):
    """OPP-03, OPP-04: before anything runs, with operator, argument, both shapes, remedy, line."""
    if "w" in given and given["w"] == (4, 5):
        told = r"mx_connected: argument 'weight' .* has shape \(4, 5\); expected \(4, 6\)"
    with pytest.raises(ng.ShapeError, match=told) as error:
        _connected().simple_bind(**given)
    assert "test_inference.py" in str(error.value)
    arrays = [
        np.zeros(s, "float32") for s in ({"x": (5, 6), "w": (4, 6), "b": (4,)} | given).values()
    ]
    with pytest.raises(ng.ShapeError, match="mx_connected"):
        ng.mx_connected(*arrays, num_hidden=4)
    with pytest.raises(ng.ShapeError, match="mx_connected"):
        ng.mx_connected(*map(ng.array, arrays), num_hidden=4)


def test_too_little_information_is_no_error_until_bind():
    """OPP-04: infer_shape says False; bind names what is missing."""
    assert _connected().infer_shape(w=(4, 3)) == (None, None, None)
    with pytest.raises(ng.ShapeError, match=r"shape of x, b is not known|shape of x.*is not known"):
        _connected().simple_bind(w=(4, 3))


def _registered(**methods):
    prop = type("Bad", (operators.ExpProp,), {k: _method(v) for k, v in methods.items()})
    ng.register_operator("mx_bad")(prop)
    return ng.mx_bad


def _method(value):
    return lambda self, *lists: value(*lists) if callable(value) else value


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (None, r"infer_shape returned None; fill the lists and return True"),
        (lambda i, o, a: ([(2,), (2,)], [(2,)], []), r"2 argument\(s\) were inferred"),
        (lambda i, o, a: (i, [None], []), r"infer_shape leaves output 'output' open"),
        (lambda i, o, a: (i, [("a",)], []), r"output 'output'.*expected a tuple of sizes"),
        (lambda i, o, a: (i, [(2.5,)], []), r"output 'output'.*expected a tuple of sizes"),
        (lambda i, o, a: (i, [(-1,)], []), r"a tuple of sizes from 0"),
        (lambda i, o, a: False, r"infer_shape leaves output 'output' open"),
    ],
)
def test_bad_shape_rules_are_told_what_to_return(rule, told):
    """OPP-04: the method and the remedy."""
    op = _registered(infer_shape=rule)
    with pytest.raises((ng.ArgumentError, ng.ShapeError), match=f"mx_bad: .*{told}|mx_bad: {told}"):
        op(np.zeros(2, "float32"))


@pytest.mark.parametrize(
    ("rule", "told"),
    [
        (None, r"infer_type returned None"),
        (lambda i, o, a: (i, [None], []), r"infer_type leaves output 'output' open"),
        (lambda i, o, a: (i, ["text"], []), r"dtype 'text' was inferred"),
        (lambda i, o, a: (["float64"], ["float64"], []), r"'data'.* has dtype float32; expected"),
    ],
)
def test_bad_type_rules_are_told_what_to_return(rule, told):
    """OPP-03: the same of dtypes."""
    op = _registered(infer_type=rule)
    with pytest.raises((ng.ArgumentError, ng.DTypeError), match=told):
        op(np.zeros(2, "float32"))


def test_errors_of_a_rule_are_its_own():
    """OPP-04: what infer_shape raises passes, with a note of what it was asked for."""

    def rule(ins, outs, states):
        raise KeyError("of mine")

    with pytest.raises(KeyError, match="of mine") as told:
        _registered(infer_shape=rule)(np.zeros(2, "float32"))
    assert "infer_shape was asked for arguments [(2,)]" in told.value.__notes__[0]
