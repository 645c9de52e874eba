"""Typed keyword parameters (SMP-33): fields, text, bounds, choices, errors."""

import copy
import inspect
import pickle
import sys
import typing
from typing import ClassVar, Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.dtype import bfloat16
from nbgraph.errors import ArgumentError, DTypeError


class ConvParam(ng.Param):
    """Of a convolution."""

    kernel: tuple[int, int] = ng.field(lower=1, doc="Size of the window.")
    stride: tuple[int, ...] = (1, 1)
    rate: float = ng.field(0.5, lower=0.0, upper=1.0)
    layout: Literal["NCHW", "NHWC"] = "NCHW"
    bias: bool = True
    groups: int = ng.field(1, lower=1)
    axis: int | None = None
    dtype: np.dtype | None = None
    note: str = ng.field("", choices=("", "a", "b"))
    version: ClassVar[int] = 2


def test_defaults_and_given_values():
    p = ConvParam(kernel=[3, np.int64(2)], rate=1, bias=np.False_)
    assert p.to_dict() == {
        "kernel": (3, 2), "stride": (1, 1), "rate": 1.0, "layout": "NCHW", "bias": False,
        "groups": 1, "axis": None, "dtype": None, "note": "",
    }  # fmt: skip
    assert type(p.rate) is float
    assert type(p.kernel[1]) is int
    assert p["groups"] == p.groups == 1
    assert ConvParam.version == 2
    with pytest.raises(KeyError):
        p["version"]


@settings(max_examples=40)
@given(
    kernel=st.tuples(st.integers(1, 99), st.integers(1, 99)),
    stride=st.lists(st.integers(-9, 9), max_size=4).map(tuple),
    rate=st.floats(0, 1),
    layout=st.sampled_from(["NCHW", "NHWC"]),
    bias=st.booleans(),
    axis=st.none() | st.integers(-5, 5),
    dtype=st.none() | st.sampled_from(["float32", "int8", "bool"]).map(np.dtype),
)
def test_text_goes_round(**values):
    p = ConvParam(**values)
    texts = p.to_strings()
    assert all(type(t) is str for t in texts.values())
    again = ConvParam.parse(texts)
    assert again == p
    assert hash(again) == hash(p)
    assert pickle.loads(pickle.dumps(p)) == copy.deepcopy(p) == p


class Many(ng.Param):
    flags: tuple[bool, ...] = ()
    rates: tuple[float, ...] = ()
    names: tuple[str, ...] = ()
    dtypes: tuple[np.dtype, ...] = ()


@settings(max_examples=30)
@given(
    st.lists(st.booleans()),
    st.lists(st.floats(allow_nan=False)),
    st.lists(st.text(max_size=5)),
    st.lists(st.sampled_from(["float16", "uint8"]).map(np.dtype), max_size=3),
)
def test_tuples_of_every_kind_go_round(flags, rates, names, dtypes):
    p = Many(flags=flags, rates=rates, names=names, dtypes=dtypes)
    assert ConvParam.parse({"kernel": "(1,1)"}) == ConvParam(kernel=(1, 1))
    assert Many.parse(p.to_strings()) == p


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ({"kernel": "3, 3"}, (3, 3)),
        ({"kernel": "[3,3]"}, (3, 3)),
        ({"kernel": np.array([3, 3])}, (3, 3)),
        ({"stride": "2"}, (2,)),
        ({"stride": "()"}, ()),
        ({"groups": "0x10"}, 16),
        ({"groups": 4.0}, 4),
        ({"rate": "1e-1"}, 0.1),
        ({"bias": "False"}, False),
        ({"bias": "1"}, True),
        ({"axis": "None"}, None),
        ({"axis": "-1"}, -1),
        ({"dtype": "bfloat16"}, "bfloat16"),
    ],
)
def test_text_is_read(text, value):
    (name,) = text
    assert getattr(ConvParam(**{"kernel": (1, 1), **text}), name) == value


def test_a_missing_package_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "ml_dtypes", None)
    bfloat16.cache_clear()
    with pytest.raises(DTypeError, match=r"pip install 'nbgraph\[bfloat16\]'"):
        ConvParam(kernel=(1, 1), dtype="bfloat16")


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({}, "ConvParam: the parameter 'kernel' is missing; give kernel=\\(3, 3\\)"),
        ({"kernel": 3}, "kernel=3 is not a tuple \\(int, int\\); give e.g. kernel=\\(3, 3\\)"),
        ({"kernel": (3,)}, "is not a tuple"),
        ({"kernel": "(3, 'x')"}, "is not a tuple"),
        ({"kernel": "(3, __import__('os'))"}, "is not a tuple"),
        ({"kernel": (0, 3)}, "kernel=\\(0, 3\\); expected 1 or more"),
        ({"rate": 1.5}, "rate=1.5; expected 0.0 to 1.0"),
        ({"rate": "nan"}, "rate=nan; expected 0.0 to 1.0"),
        ({"rate": "fast"}, "rate='fast' is not a float; give e.g. rate=0.5"),
        ({"rate": True}, "is not a float"),
        ({"groups": 1.5}, "groups=1.5 is not an int"),
        ({"groups": True}, "is not an int"),
        ({"groups": np.ones(2)}, "is not an int"),
        ({"bias": "maybe"}, "is not a bool"),
        ({"bias": 2}, "is not a bool"),
        ({"layout": "NC"}, "layout='NC'; expected one of 'NCHW', 'NHWC'"),
        ({"layout": 1}, "is not a str"),
        ({"note": "c"}, "expected one of '', 'a', 'b'"),
        ({"dtype": "longdouble"}, "is not a dtype"),
        ({"axis": "two"}, "axis='two' is not an int or None"),
        ({"kernal": (1, 1)}, "no parameter 'kernal'; did you mean 'kernel'"),
        ({"zzz": 1}, "no parameter 'zzz'; known: kernel, stride"),
    ],
)
def test_what_is_wrong_is_named(given, told):
    base = {} if not given else {"kernel": (1, 1)}
    with pytest.raises(ArgumentError, match=told):
        ConvParam(**{**base, **given})
    with pytest.raises(ArgumentError) as caught:
        ConvParam.parse({**base, **given}, "Convolution")
    assert str(caught.value).startswith("Convolution: ")


def test_parameters_do_not_change():
    p = ConvParam(kernel=(1, 1))
    with pytest.raises(ArgumentError, match="parameters do not change"):
        p.rate = 0.1
    with pytest.raises(ArgumentError, match="parameters do not change"):
        del p.rate
    assert p != ConvParam(kernel=(1, 2))
    assert p != "ConvParam"


def test_documentation_and_signature_are_made_from_the_fields():
    doc = ConvParam.__doc__
    assert doc.startswith("Of a convolution.\n\nParameters\n----------\n")
    assert "kernel : tuple (int, int), 1 or more, required\n    Size of the window." in doc
    assert "layout : str, one of 'NCHW', 'NHWC', default 'NCHW'" in doc
    parameters = inspect.signature(ConvParam).parameters
    assert list(parameters) == list(ConvParam.__fields__)
    assert parameters["kernel"].default is inspect.Parameter.empty
    assert parameters["rate"].default == 0.5


def test_a_struct_may_extend_another():
    class Wide(ConvParam):
        dilate: int = 1

    assert list(Wide.__fields__) == [*ConvParam.__fields__, "dilate"]
    assert Wide(kernel=(1, 1)).dilate == 1


@pytest.mark.parametrize("hint", [list, typing.Any, dict[str, int], int | str, tuple, complex])
def test_types_that_no_parameter_has_are_refused_at_the_definition(hint):
    with pytest.raises(ArgumentError, match="a parameter cannot be of type"):
        type("Bad", (ng.Param,), {"__annotations__": {"x": hint}, "__module__": __name__})


def test_wrong_defaults_and_names_are_refused_at_the_definition():
    with pytest.raises(ArgumentError, match="Bad: x=3; expected 2 or less"):
        type("Bad", (ng.Param,), {"__annotations__": {"x": int}, "x": ng.field(3, upper=2)})
    for name in ("out", "scalar", "parse", "_x"):
        with pytest.raises(ArgumentError, match="cannot name a parameter"):
            type("Bad", (ng.Param,), {"__annotations__": {name: int}})


def test_an_array_for_a_scalar_parameter_is_refused_in_every_world():
    """Also one of shape (), and a symbol; a NumPy array of one number is that number."""

    @ng.op
    def scaled(x, *, k=2.0):
        return k * x

    x = ng.ones(2)
    for k in (ng.ones(()), ng.ones(3), ng.var("k"), ng.var("k", shape=()), np.ones(3), [1.0]):
        for operand in (x, np.ones(2), ng.var("x")):
            with pytest.raises(ng.ArgumentError, match="scalar parameter 'k' is an? .* one number"):
                scaled(operand, k=k)
    with pytest.raises(ng.ArgumentError, match="scalar parameter 'k' is an array of shape"):
        ng.jit(lambda a, k: scaled(a, k=k))(x, ng.ones(()))
    for k in (np.array(3.0), np.float32(3), 3):
        assert scaled(x, k=k).tolist() == [3, 3]
