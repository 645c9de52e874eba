"""Parameters and registration: OPP-14, 15, 20..23."""

import pickle

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator import registry
from nbgraph.operator.registry import RegistrationNote
from tests.operator.full import operators


class Conv(operators.ConvolutionProp):
    class Param(ng.Param):
        kernel: tuple[int, ...] = ng.field(lower=1, doc="Size of the window.")
        stride: tuple[int, int] = (1, 1)
        num_filter: int = ng.field(lower=1, upper=1000)
        workspace: int = ng.field(512, lower=0)
        no_bias: bool = False
        layout: str = ng.field("NCHW", choices=("NCHW", "NHWC"))


def test_strings_become_typed_parameters():
    """OPP-14, OPP-20: key-value pairs of text, as a file holds them."""
    prop = Conv(kernel="(3,3)", stride="2, 2", num_filter="64", no_bias="true")
    p = prop.param
    assert (p.kernel, p.stride, p.num_filter, p.no_bias) == ((3, 3), (2, 2), 64, True)
    assert prop.get_params() == {
        "kernel": "(3, 3)",
        "stride": "(2, 2)",
        "num_filter": "64",
        "workspace": "512",
        "no_bias": "true",
        "layout": "NCHW",
    }


def test_parameters_survive_a_round_trip():
    """OPP-15: init(get_params()) is the identity."""
    prop = Conv(kernel=(3,), num_filter=2, workspace="7")
    again = Conv(**prop.get_params())
    assert again.param == prop.param
    assert again.get_params() == prop.get_params()


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"kernel": "(3,"}, r"kernel='\(3,' is not a tuple"),
        ({"kernel": (0,)}, r"kernel=\(0,\); expected 1 or more"),
        ({"num_filter": 5000}, r"num_filter=5000; expected 1 to 1000"),
        ({"layout": "CHWN"}, r"layout='CHWN'; expected one of 'NCHW', 'NHWC'"),
        ({"num_filters": 3}, r"no parameter 'num_filters'; did you mean 'num_filter'"),
    ],
)
def test_bad_parameters_name_the_field(given, told):
    """OPP-14: unknown, unreadable or out of range, by its name, with what is expected."""
    with pytest.raises(ng.ArgumentError, match=told):
        Conv(**{"kernel": (3,), "num_filter": 2, **given})
    ng.register_operator("mx_conv")(Conv)
    if "num_filters" not in given:
        with pytest.raises(ng.ArgumentError, match=f"mx_conv: {told}"):
            ng.mx_conv(np.zeros(3), **{"kernel": (3,), "num_filter": 2, **given})
    with pytest.raises(ng.ArgumentError, match=r"mx_conv: the parameter 'num_filter' is missing"):
        ng.mx_conv(np.zeros(3), kernel="3")


def test_parameters_are_fixed_once_an_operator_is_there():
    """OPP-21: neither the parameters nor the property change."""
    prop = Conv(kernel=(3,), num_filter=2)
    with pytest.raises(ng.ArgumentError, match="parameters do not change"):
        prop.param.num_filter = 3
    with pytest.raises(ng.ArgumentError, match="a property does not change once it is made"):
        prop.param = None


def test_registration_and_its_rules():
    """OPP-22: by a decorator, under a name, listed; its owner may register it anew."""
    prop = ng.register_operator("mx_twice")(type("P", (operators.ExpProp,), {}))
    assert registry.find("mx_twice").property is prop
    assert "mx_twice" in registry.names()
    assert "mx_twice" in dir(ng.nd)
    assert ng.mx_twice is registry.find("mx_twice")
    with pytest.warns(RegistrationNote, match="mx_twice"):
        ng.register_operator("mx_twice")(type("P", (operators.SplitProp,), {}))
    assert len(ng.mx_twice(np.zeros(2, "float32"))) == 2
    foreign = type("P", (operators.ExpProp,), {"__module__": "elsewhere"})
    with pytest.raises(ng.ArgumentError, match=r"'mx_twice' belongs to .*choose another name"):
        ng.register_operator("mx_twice")(foreign)
    with pytest.raises(ng.ArgumentError, match=r"'not a name' is not a name"):
        ng.register_operator("not a name")(operators.ExpProp)
    with pytest.raises(ng.ArgumentError, match="is not a subclass of ng.OperatorProperty"):
        ng.register_operator("mx_other")(operators.Exp)
    bad = type("P", (operators.ExpProp,), {"Param": 3})
    with pytest.raises(ng.ArgumentError, match="give a subclass of ng.Param"):
        ng.register_operator("mx_other")(bad)


def test_what_is_required_and_what_has_a_default():
    """OPP-23: infer_shape and create_operator must be there, forward too; the rest has defaults."""

    class Nothing(ng.OperatorProperty):
        pass

    with pytest.raises(ng.ArgumentError, match="Nothing lacks create_operator, infer_shape"):
        ng.register_operator("mx_nothing")(Nothing)
    with pytest.raises(TypeError, match="forward"):
        type("NoForward", (ng.Operator,), {})()
    prop = operators.RememberProp()
    assert prop.list_arguments() == ["data"]
    assert prop.list_outputs() == ["output"]
    assert prop.list_auxiliary_states() == []
    assert prop.num_outputs() == prop.num_visible_outputs() == 1
    assert operators.PoolingProp().declare_backward_dependency(*"goi") == ["g", "o", "i"][:1] + [
        "o",
        "i",
    ]
    assert prop.forward_inplace_option([], []) == prop.backward_inplace_option([], [], [], []) == []
    assert prop.forward_resource([]) == prop.backward_resource([]) == []
    assert prop.get_params() == {}


def test_help_tells_what_was_declared():
    """OPP-16, OPP-20: signature and documentation come from the property."""
    ng.register_operator("mx_conv")(Conv)
    signature = str(ng.mx_conv.__signature__)
    assert signature.startswith("(data=None, weight=None, *, kernel, stride=(1, 1), num_filter")
    for line in (
        "kernel : tuple of int, 1 or more, required",
        "Size of the window.",
        "Backward reads out_grad[0], in_data[0], in_data[1].",
    ):
        assert line in ng.mx_conv.__doc__
    assert "Hidden outputs: mask." in ng.mx_drop.__doc__
    assert "May be overwritten: in_data[0] by out_data[0]" in ng.mx_exp.__doc__


def test_operators_are_pickled_by_name():
    """OPP-22: with their parameters as text."""
    op = ng.mx_connected.of({"num_hidden": 3})
    assert pickle.loads(pickle.dumps(op)) is op
    assert pickle.loads(pickle.dumps(ng.mx_connected)) is ng.mx_connected
    back = op.backward((True, False, True), (True,))
    assert pickle.loads(pickle.dumps(back)) is back
