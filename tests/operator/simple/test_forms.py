"""Which form a function has: SMP-08, SMP-09, SMP-10, 16..18, 20, X-NDA-09."""

import inspect

import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import (
    EnvArguments,
    Input0,
    Input1,
    OpContext,
    OpReqType,
    OutputGrad,
    OutputValue,
    TBlob,
)
from nbgraph.errors import ArgumentError
from nbgraph.operator.simple.forms import FORMS, read_compiled_form, read_form

ALL = [(of, form) for of, forms in FORMS.items() for form in forms]
ANNOTATIONS = {
    "src": TBlob, "lhs": TBlob, "rhs": TBlob, "ret": TBlob, "in_grad": TBlob, "lhs_grad": TBlob,
    "rhs_grad": TBlob, "out_grad": OutputGrad, "out_value": OutputValue, "in_data0": Input0,
    "env": EnvArguments, "req": OpReqType, "req_lhs": OpReqType, "req_rhs": OpReqType,
    "ctx": OpContext,
}  # fmt: skip


def written(names, annotations=()):
    text = ", ".join(f"{n}: {annotations[n]}" if n in annotations else n for n in names)
    space = {**vars(ng), "Input0": Input0, "Input1": Input1, "TBlob": TBlob}
    space |= {c.__name__: c for c in set(ANNOTATIONS.values())}
    exec(f"def fn({text}): pass", space)
    return space["fn"]


@pytest.mark.parametrize(("of", "form"), ALL, ids=lambda v: getattr(v, "name", v))
def test_every_form_is_read_from_names(of, form):
    """SMP-20: names alone decide."""
    found = read_form("f", of, written(form.parameters))
    assert (found.name, found.arity, found.blobs) == (form.name, form.arity, form.blobs)
    assert len(found.operands) == (form.arity if of == "function" else 0)


@pytest.mark.parametrize(("of", "form"), ALL, ids=lambda v: getattr(v, "name", v))
def test_every_form_is_read_from_annotations_whatever_the_names(of, form):
    """SMP-10, SMP-20: types alone decide, also as text."""
    kinds = dict(ANNOTATIONS)
    if of == "gradient":
        kinds |= {"lhs": Input0, "rhs": Input1}
    for quoted in (False, True):
        names = [f"p{i}" for i in range(len(form.parameters))]
        told = {n: kinds[w].__name__ for n, w in zip(names, form.parameters)}
        if quoted:
            told = {n: repr(f"ng.{text}") for n, text in told.items()}
        found = read_form("f", of, written(names, told))
        assert (found.name, found.blobs) == (form.name, form.blobs)
        if of == "function":
            assert found.operands == tuple(names[: form.arity])


def test_the_gradient_forms_say_what_is_kept():
    """SMP-16..18: T0 nothing, T1 the output, T2 operands."""
    kept = {(f.name, f.arity): (f.keeps_output, f.keeps_inputs) for f in FORMS["gradient"]}
    assert kept == {
        ("T0", 1): (False, False),
        ("T1", 1): (True, False),
        ("T2", 1): (False, True),
        ("T0", 2): (False, False),
        ("T2", 2): (False, True),
    }


@given(st.permutations(["src", "env", "ret", "req", "ctx"]))
def test_another_order_is_another_form(names):
    if names == ["src", "env", "ret", "req", "ctx"]:
        assert read_form("f", "function", written(names)).name == "unary"
    else:
        with pytest.raises(ArgumentError, match="has none of the forms"):
            read_form("f", "function", written(names))


@pytest.mark.parametrize(
    "fn",
    [
        lambda x: x,
        lambda src, env, ret, req: None,
        lambda src, env, ret, req, ctx, more: None,
        lambda *args: None,
        lambda src, env, ret, *, req, ctx: None,
        lambda a, b, c, d, e: None,
    ],
)
def test_what_has_no_form_is_refused_with_the_list(fn):
    """SMP-20: the error lists what is accepted."""
    with pytest.raises(ArgumentError) as caught:
        read_form("smooth", "function", fn)
    told = str(caught.value)
    assert told.startswith("smooth: <lambda>(")
    for form in FORMS["function"]:
        assert f"fn({', '.join(form.parameters)})" in told


def test_an_annotation_counts_more_than_a_name():
    def fn(out_grad: OutputGrad, in_data0: OutputValue, env, in_grad, req, ctx): ...

    assert read_form("f", "gradient", fn).name == "T1"

    def wrong(out_grad: Input0, in_data0, env, in_grad, req, ctx): ...

    with pytest.raises(ArgumentError, match="forms of a gradient"):
        read_form("f", "gradient", wrong)


def test_builtins_without_a_signature_are_refused():
    with pytest.raises((TypeError, ValueError)):
        inspect.signature(dict)
    with pytest.raises(ArgumentError, match="not a function with a signature"):
        read_form("f", "function", dict)


@pytest.mark.parametrize(("of", "form"), ALL, ids=lambda v: getattr(v, "name", v))
def test_compiled_forms_name_their_parameters(of, form):
    names = (*form.blobs, *form.results, "alpha", "beta", *form.requests)
    found = read_compiled_form("f", of, written(names))
    assert (found.name, found.blobs, found.middle) == (form.name, form.blobs, ("alpha", "beta"))
    with pytest.raises(ArgumentError, match="forms of a compiled"):
        read_compiled_form("f", of, written(form.parameters))
