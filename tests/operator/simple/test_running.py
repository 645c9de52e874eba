"""Blobs, requests, in-place options, devices: OPR-02, 03, 07..10, SMP-11..13, 25..30, SMP-31."""

import threading

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.device import cpu, run_context
from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.operator.call import training
from nbgraph.operator.request import OpReqType
from nbgraph.operator.simple import TBlob
from nbgraph.operator.simple.blob import flattened
from tests.operator.simple import functions as fns
from tests.support import on_threads

NULL, WRITE, INPLACE, ADD = OpReqType


def ran(op, inputs, out, req, **attributes):
    """Run it as a carrier would."""
    op.run(inputs, [out], [req], op.normalise(attributes), resources=op.grant(cpu()))
    return out


# ------------------------------------------------------------------------- requests


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16", "int32", "uint8"])
def test_each_request_does_what_it_says(new, dtype):
    """OPR-07..10."""
    op = new().set_function("cpu", fns.triple, "kInplaceInOut")
    x = np.arange(4).astype(dtype)
    assert ran(op, [x], np.full(4, 99, dtype), NULL).tolist() == [99] * 4
    empty = np.full(4, np.nan if x.dtype.kind == "f" else 77).astype(dtype)
    assert ran(op, [x], empty, WRITE).tolist() == [0, 3, 6, 9]
    assert ran(op, [x], np.full(4, 1, dtype), ADD).tolist() == [1, 4, 7, 10]
    assert ran(op, [x], x, INPLACE).tolist() == [0, 3, 6, 9]


def test_nothing_is_run_where_nothing_is_wanted(new):
    """OPR-07: the work is skipped."""
    calls = []
    op = new().set_function("cpu", lambda src, env, ret, req, ctx: calls.append(req))
    ran(op, [np.ones(2)], np.ones(2), NULL)
    assert calls == []
    ran(op, [np.ones(2)], np.ones(2), ADD)
    assert calls == [ADD]


@pytest.mark.parametrize("req", [WRITE, ADD])
def test_strided_arrays_are_read_and_written(new, req):
    """Functions see contiguous arrays whatever a carrier has."""
    seen = []

    def fn(lhs, rhs, env, ret, req, ctx):
        seen.extend([lhs.get(), rhs.get(), ret.get()])
        ng.assign(ret.get(), req, lhs.get() - rhs.get())

    op = new().set_function("cpu", fn)
    a, b = np.arange(24.0).reshape(4, 6), np.ones((3, 4)).T
    base = np.full((8, 3), 5.0)
    out = base[::2]
    ran(op, [a[:, ::-2], b], out, req)
    np.testing.assert_array_equal(out, a[:, ::-2] - b + (5 if req is ADD else 0))
    assert np.all(base[1::2] == 5)
    assert all(v.flags.c_contiguous for v in seen)


def test_a_right_that_was_not_given_is_not_used(new):
    """SMP-25: kNoInplace never shares; the result is right when out is in all the same."""
    seen = []

    def backwards(src, env, ret, req, ctx):
        seen.append((req, np.shares_memory(src.get(), ret.get())))
        ret.get()[0] = 0
        ng.assign(ret.get(), req, src.get()[::-1].copy())

    x = np.arange(3.0)
    op = new().set_function("cpu", backwards)
    assert op(x, out=x) is x
    assert x.tolist() == [2, 1, 0]
    ran(op, [x], x, INPLACE)
    assert x.tolist() == [0, 1, 2]
    assert seen == [(WRITE, False), (WRITE, False)]


def test_a_right_that_was_given_is_used_for_out_in_the_operand(new):
    """SMP-26, OPR-09: kWriteInplace is issued, and only where the memory is the very same."""
    seen = []

    def fn(src, env, ret, req, ctx):
        seen.append((req, np.shares_memory(src.get(), ret.get())))
        ng.assign(ret.get(), req, src.get() + 1)

    op = new().set_function("cpu", fn, ng.kInplaceInOut)
    assert op.inplace_pairs({}) == ((0, 0),)
    x = np.arange(4.0)
    op(x, out=x)
    assert x.tolist() == [1, 2, 3, 4]
    op(x)
    op(x, out=np.empty(4, np.float32))
    op(x[:-1], out=x[1:])
    assert x.tolist() == [1, 2, 3, 4]
    assert seen == [(INPLACE, True), (WRITE, False), (WRITE, False), (WRITE, False)]


def test_only_the_first_operand_is_ever_shared(new):
    """SMP-28: never rhs; SMP-02: nor an operand that was not given as out."""
    seen = []

    def fn(lhs, rhs, env, ret, req, ctx):
        shared = [np.shares_memory(v.get(), ret.get()) for v in (lhs, rhs)]
        seen.append((req, *shared))
        ng.assign(ret.get(), req, lhs.get() - rhs.get())

    op = new().set_function("cpu", fn, "kInplaceLhsOut")
    a, b = np.arange(3.0), np.ones(3)
    op(a, b)
    assert a.tolist() == [0, 1, 2]
    op(a, b, out=b)
    assert b.tolist() == [-1, 0, 1]
    op(a, b, out=a)
    assert a.tolist() == [1, 1, 1]
    op(a, a, out=a)
    assert a.tolist() == [0, 0, 0]
    none = (WRITE, False, False)
    assert seen == [none, none, (INPLACE, True, False), none]


@pytest.mark.parametrize("option", list(ng.SimpleOpInplaceOption))
@pytest.mark.parametrize(
    ("of", "arity", "allowed"),
    [
        ("function", 0, []),
        ("function", 1, ["kInplaceInOut"]),
        ("function", 2, ["kInplaceLhsOut"]),
        ("gradient", 1, ["kInplaceOutIn"]),
        ("gradient", 2, ["kInplaceOutLhs"]),
    ],
)
def test_an_option_of_another_arity_or_pass_is_refused(new, of, arity, allowed, option):
    """SMP-25..28, SMP-29: five options, each for one place."""
    functions = [lambda env, ret, req, ctx: None, fns.triple, fns.product]
    gradients = [None, fns.tanh_gradient, fns.product_gradient]
    op = new()
    if of == "gradient":
        op.set_function("cpu", functions[arity])
    setter, fn = (
        (op.set_function, functions[arity])
        if of == "function"
        else (op.set_gradient, gradients[arity])
    )
    if option.name in ["kNoInplace", *allowed]:
        assert setter("cpu", fn, option) is op
        return
    with pytest.raises(ArgumentError, match=f"{option.name} is for .*use kNoInplace") as caught:
        setter("cpu", fn, option)
    assert all(name in str(caught.value) for name in allowed)


@pytest.mark.parametrize("option", ["inplace", None, 1])
def test_an_unknown_option_is_refused(new, option):
    with pytest.raises(ArgumentError, match="expected one of kNoInplace"):
        new().set_function("cpu", fns.triple, option)


# ------------------------------------------------------------------------- blobs


def test_blobs_tell_shape_dtype_and_device_and_inputs_are_read_only(new):
    """SMP-13."""
    seen = {}

    def fn(src, env, ret, req, ctx):
        seen.update(src=src, ret=ret)
        with pytest.raises(ValueError, match="read-only"):
            src.get()[0] = 1
        ng.assign(ret.get(), req, src.data.get(1, np.float32))

    new().set_function("cpu", fn)(np.float32([1, 2]))
    for blob in seen.values():
        assert (blob.shape, blob.ndim, blob.size, blob.dtype) == ((2,), 1, 2, np.float32)
        assert blob.device == cpu()
    assert isinstance(seen["src"], ng.Input0)
    assert np.asarray(seen["src"]).tolist() == [1, 2]


@given(st.lists(st.integers(0, 4), max_size=5), st.integers(1, 6))
def test_flattening_keeps_elements_and_the_last_axes(shape, dim):
    """SMP-13: get(dim) is a view with that many axes."""
    array = np.arange(int(np.prod(shape))).reshape(shape)
    found = TBlob(array, cpu()).get(dim)
    assert found.ndim == dim
    assert found.shape == flattened(tuple(shape), dim)
    np.testing.assert_array_equal(found.ravel(), array.ravel())
    keep = min(dim, len(shape)) - 1
    assert keep <= 0 or found.shape[-keep:] == tuple(shape)[-keep:]
    assert not array.size or np.shares_memory(found, array)


def test_get_checks_what_is_asked_for():
    blob = TBlob(np.ones((2, 3), "float32"), cpu(), writable=True)
    blob.get(1)[:] = 2
    assert blob.get(2, "float32").sum() == 12
    with pytest.raises(DTypeError, match="has dtype float32, not float64; .*astype"):
        blob.get(2, np.float64)
    for dim in (0, -1, 1.5, "2"):
        with pytest.raises(ArgumentError, match="expected a number of axes"):
            blob.get(dim)


def test_a_scalar_operator_maps_a_view(new):
    """SMP-13: F<op>(...) of a view is the operator called on it."""
    cube = ng.op(lambda x: x * x * x)

    def fn(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, cube(src.get(1)).reshape(ret.shape))

    op = new().set_function("cpu", fn)
    np.testing.assert_array_equal(op(np.float32([[1, 2]])), [[1, 8]])


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float16", "float32", "float64"])
def test_dispatch_on_a_dtype(dtype):
    """SMP-12: the body for every supported dtype."""
    assert ng.dtype_switch(np.dtype(dtype), lambda D: np.dtype(D).name) == dtype


@pytest.mark.parametrize("dtype", ["float128", "strange", object, "U3", 7])
def test_dispatch_on_an_unknown_dtype_raises(dtype):
    """SMP-12."""
    with pytest.raises(DTypeError, match="dtype_switch"):
        ng.dtype_switch(dtype, lambda D: D)
    with pytest.raises(DTypeError, match="softmax: int8 is not taken; dtypes: float32"):
        ng.dtype_switch("int8", lambda D: D, only=("float32",), where="softmax")


# ------------------------------------------------------------------------- context


def test_the_context_says_whether_it_trains_and_where(new):
    """OPR-02, OPR-03: a dropout-like operator; the mode is that of the call."""
    seen = []

    def fn(src, env, ret, req, ctx):
        seen.append((ctx.is_train, ctx.device, ctx.get_stream("cpu"), ctx.requested))
        ng.assign(ret.get(), req, 0 if ctx.is_train else src.get())

    op = new().set_function("cpu", fn)
    assert op(2.0) == 2.0
    token = training.set(True)
    try:
        assert op(2.0) == 0.0
        other = threading.Thread(target=lambda: op(2.0))  # threads have their own mode
        other.start()
        other.join()
    finally:
        training.reset(token)
    assert [s[0] for s in seen] == [False, True, False]
    assert {s[1:3] for s in seen} == {(cpu(), None)}
    op.run([np.ones(1)], [np.ones(1)], [WRITE], {}, is_train=True, run_ctx=run_context(cpu(1)))
    assert seen[-1][:2] == (True, cpu(1))


def test_temporary_space_of_two_threads_is_not_shared(new):
    """SMP-37: whoever uses it has it alone, though calls come from several threads."""

    def fn(src, env, ret, req, ctx):
        space = env.temp_space((1 << 14,), "float64")
        space[:] = src.get()
        for _ in range(3):
            space += 1
        ng.assign(ret.get(), req, space.min() if space.min() == space.max() else np.nan)

    op = new().set_resource_request("temp_space").set_function("cpu", fn)
    found = {}

    def work(i):
        found[i] = [float(op(float(i))) for _ in range(10)]

    on_threads(work, range(4))
    assert found == {i: [i + 3.0] * 10 for i in range(4)}


def test_an_error_of_the_function_is_the_callers(new):
    def fn(src, env, ret, req, ctx):
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine"):
        new().set_function("cpu", fn)(1.0)
    with pytest.raises(KeyError, match="mine"):
        new().set_resource_request("temp_space").set_function("cpu", fn)(1.0)
