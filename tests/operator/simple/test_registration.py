"""The builder: SMP-22..24, 32..36, SYS-07, and API rule 7."""

import inspect
import pickle
import pydoc

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DeviceError, DTypeError, ShapeError
from nbgraph.operator import registry
from tests.operator.simple import functions as fns


def test_an_operator_is_usable_and_found_as_soon_as_a_function_is_set(new):
    """SMP-22, SYS-07: one registration, one name in the registry and in ng."""
    op = new("simple_triple")
    with pytest.raises(AttributeError, match="simple_triple"):
        ng.simple_triple  # noqa: B018
    assert op.set_function("cpu", fns.triple) is op
    assert ng.simple_triple is op
    assert registry.find("simple_triple") is op
    assert "simple_triple" in dir(ng)
    np.testing.assert_array_equal(op([1, 2]), [3, 6])


def test_without_a_function_it_says_so(new):
    with pytest.raises(ArgumentError, match="no function is set; call set_function"):
        new()(1.0)


def test_a_cell_that_is_run_again_replaces_the_operator(new):
    first = new("simple_again").set_function("cpu", fns.triple)
    with pytest.warns(registry.RegistrationNote, match="registered anew"):
        second = new("simple_again").set_function("cpu", fns.square)
    assert ng.simple_again is second
    assert first(2.0) == 6.0  # what was bound keeps the old one
    assert second(3.0) == 9.0
    with pytest.raises(ArgumentError, match="replaced is not pickled"):
        pickle.dumps(first)


def test_a_name_of_another_module_is_refused(new):
    new("simple_owned").set_function("cpu", fns.triple)
    elsewhere = {"__name__": "another_module", "ng": ng, "fn": fns.square}
    with pytest.raises(ArgumentError, match="belongs to tests"):
        exec("ng.register_simple_op('simple_owned').set_function('cpu', fn)", elsewhere)
    with pytest.raises(ArgumentError, match="belongs to (the library|nbgraph.ops)"):
        new("exp").set_function("cpu", fns.triple)
    assert ng.simple_owned(1.0) == 3.0


@pytest.mark.parametrize("name", ["", "not a name", 3, None])
def test_a_name_must_be_an_identifier(name):
    with pytest.raises(ArgumentError, match="is not a name"):
        ng.register_simple_op(name)


def test_help_shows_the_description_and_what_was_declared(new):
    """SMP-23: the text of describe is what help() shows."""
    op = (
        new("simple_described").set_enable_scalar().set_function("cpu", fns.scaled, "kInplaceInOut")
    )
    op.set_gradient("cpu", fns.scaled_gradient, "kInplaceOutIn").describe(
        """Scales an array.

        By a number.
        """
    )
    shown = pydoc.plain(pydoc.render_doc(op))
    for line in (
        "simple_described(src, *, scalar, out=None)",
        "Scales an array.",
        "By a number.",
        "scalar : float",
        "Function on cpu: Python, kInplaceInOut.",
        "Gradient on cpu: T0, backward keeps nothing, Python, kInplaceOutIn.",
    ):
        assert line in shown
    with pytest.raises(ArgumentError, match="describe takes a text"):
        op.describe(None)


def test_devices_are_registered_one_by_one(new):
    """SMP-24: a missing device is a clear error that names those there are."""

    @ng.thread_kernel
    def triple(src, ret, req, start, step):
        for i in range(start, src.size, step):
            ret[i] = 3 * src[i]

    op = new().set_function("gpu", triple)
    with pytest.raises(
        DeviceError, match=r"no function for cpu\(0\); registered: gpu; .*set_function\('cpu'"
    ):
        op([1.0])
    assert op.set_function("cpu", fns.triple)(1.0) == 3.0
    assert sorted(op.functions) == ["cpu", "gpu"]
    both = new().set_function((ng.cpu(), ng.gpu()), triple)
    assert sorted(both.functions) == ["cpu", "gpu"]
    assert both([1.0, 2.0]).tolist() == [3, 6]
    with pytest.raises(DeviceError, match=r"gpu\(99\)"):
        both.grant(ng.gpu(99))


@pytest.mark.parametrize("dev", ["tpu", "", (), None, ("cpu", "tpu"), 1])
def test_unknown_devices_are_refused(new, dev):
    with pytest.raises(ArgumentError, match="expected 'cpu', 'gpu'"):
        new().set_function(dev, fns.triple)


def test_devices_and_passes_must_agree(new):
    op = new().set_function("cpu", fns.triple)
    with pytest.raises(ArgumentError, match="all devices must agree"):
        op.set_function("gpu", ng.thread_kernel(lambda lhs, rhs, ret, req, start, step: None))
    with pytest.raises(ArgumentError, match=r"gradient is for 2 operand\(s\), the function for 1"):
        op.set_gradient("cpu", fns.product_gradient)
    op.set_gradient("cpu", fns.tanh_gradient)
    with pytest.raises(ArgumentError, match="all devices must agree"):
        by_threads = lambda out_grad, in_data0, in_grad, req, start, step: None
        op.set_gradient("gpu", ng.thread_kernel(by_threads))
    with pytest.raises(ArgumentError, match="set_gradient comes after set_function"):
        new().set_gradient("cpu", fns.tanh_gradient)
    with pytest.raises(ArgumentError, match="give a Python function"):
        new().set_function("cpu", 3)
    assert op(2.0) == 6.0


def test_scalar_and_keywords_exclude_each_other(new):
    """SMP-34."""

    class P(ng.Param):
        k: int = 1

    with pytest.raises(ArgumentError, match="scalar and kwargs exclude each other"):
        new().set_enable_scalar(True).set_enable_kwargs(P)
    with pytest.raises(ArgumentError, match="scalar and kwargs exclude each other"):
        new().set_enable_kwargs(True).set_enable_scalar(True)
    new().set_enable_scalar(True).set_enable_scalar(False).set_enable_kwargs(P)
    with pytest.raises(ArgumentError, match="takes a subclass of ng.Param"):
        new().set_enable_kwargs({"k": int})


def test_the_scalar_is_given_per_call(new):
    """SMP-32, SMP-44."""
    op = new().set_enable_scalar(True).set_function("cpu", fns.smooth_l1)
    x = np.linspace(-3, 3, 25)
    for s in (0.5, 1.0, 2.0):
        want = np.where(abs(x) < 1 / s**2, 0.5 * (s * x) ** 2, abs(x) - 0.5 / s**2)
        np.testing.assert_allclose(op(x, scalar=s), want)
    assert op(x, scalar="2").tolist() == op(x, scalar=np.float32(2)).tolist()
    for wrong in ("two", [1.0], np.ones(2), True, None):
        with pytest.raises(ArgumentError, match="scalar"):
            op(x, scalar=wrong)
    with pytest.raises(ArgumentError, match="'scalar' is missing"):
        op(x)
    with pytest.raises(ArgumentError, match="no parameter 'sigma'; known: scalar"):
        op(x, sigma=1.0)
    with pytest.raises(ArgumentError, match="it takes none"):
        new().set_function("cpu", fns.triple)(x, scalar=1.0)
    assert new().set_enable_scalar(default=2.0).set_function("cpu", fns.scaled)(1.0) == 2.0


def test_reading_a_scalar_that_was_not_enabled_says_so(new):
    op = new().set_function("cpu", fns.scaled)
    with pytest.raises(ArgumentError, match=r"env.scalar: .*set_enable_scalar\(True\)"):
        op(1.0)


def test_keywords_are_typed_and_read_from_text(new):
    """SMP-33."""

    class PadParam(ng.Param):
        width: tuple[int, int] = ng.field(lower=0)
        value: float = 0.0

    def shape(src, env):
        return (src[0] + sum(env.kwargs.width),)

    def pad(src, env, ret, req, ctx):
        ng.assign(
            ret.get(), req, np.pad(src.get(), env.kwargs["width"], constant_values=env.kwargs.value)
        )

    op = new().set_enable_kwargs(PadParam).set_shape_function(shape).set_function("cpu", pad)
    want = [0, 1, 2, 0, 0]
    assert op(np.array([1, 2]), width=(1, 2)).tolist() == want
    assert op(np.array([1, 2]), width="(1, 2)", value="0").tolist() == want
    assert str(inspect.signature(op)) == "(src, *, width, value=0.0, out=None)"
    with pytest.raises(ArgumentError, match=r"no parameter 'widht'; did you mean 'width'"):
        op(np.ones(2), widht=(1, 1))
    with pytest.raises(ArgumentError, match="width=(.*) expected 0 or more"):
        op(np.ones(2), width=(-1, 1))
    with pytest.raises(ArgumentError, match="simple_.*'width' is missing"):
        op(np.ones(2))
    once = op.normalise({"width": "(1,2)"})
    assert op.normalise(once) == once
    assert hash(tuple(once.items())) is not None


def test_keywords_as_they_are_given(new):
    """SMP-33: without a struct the function reads names and values."""
    seen = []

    def fn(src, env, ret, req, ctx):
        seen.append(env.kwargs)
        ng.assign(ret.get(), req, src.get())

    op = new().set_enable_kwargs(True).set_function("cpu", fn)
    op(1.0, a="x", b=[1, np.int8(2)])
    assert seen == [{"a": "x", "b": (1, 2)}]
    assert str(inspect.signature(op)) == "(src, *, out=None, **kwargs)"
    with pytest.raises(ArgumentError, match="arrays are operands"):
        op(1.0, a=np.ones(3))
    with pytest.raises(ArgumentError, match="which can change"):
        op(1.0, a={})


def test_operands_are_given_by_position_or_name(new):
    op = new(operands=("data", "label")).set_function("cpu", fns.product)
    assert op(2.0, 3.0) == op(data=2.0, label=3.0) == op(2.0, label=3.0) == 6.0
    with pytest.raises(ArgumentError, match=r"takes 2 operand\(s\) \('data', 'label'\), 1"):
        op(2.0)
    with pytest.raises(ArgumentError, match=r"takes 2 operand\(s\)"):
        op(1.0, 2.0, 3.0)
    with pytest.raises(ArgumentError, match=r"operands=\('x',\), but the function takes 2"):
        new(operands=("x",)).set_function("cpu", fns.product)


def test_an_operator_is_pickled_by_name(new):
    op = new("simple_pickled").set_function("cpu", fns.triple)
    op.set_gradient("cpu", fns.tanh_gradient)
    assert pickle.loads(pickle.dumps(op)) is op
    again = pickle.loads(pickle.dumps(op.backward((True,))))
    assert again.op is op


def test_a_source_has_no_operands(new):
    """X-NDA-09: shape and dtype come from the keyword parameters or from functions."""

    class FillParam(ng.Param):
        shape: tuple[int, ...]
        dtype: np.dtype | None = None
        value: float = 0.0

    def fill(env, ret, req, ctx):
        ng.assign(ret.get(), req, env.kwargs.value)

    op = new("simple_fill").set_enable_kwargs(FillParam).set_function("cpu", fill)
    assert op.nin == 0
    made = op.on_numpy((), op.normalise({"shape": "(2, 3)", "value": 5}), None)
    assert (made.shape, made.dtype, made.min(), made.max()) == ((2, 3), np.float32, 5, 5)
    made = op.on_numpy((), op.normalise({"shape": (2,), "dtype": "float64"}), None)
    assert made.dtype == np.float64
    bare = new().set_function("cpu", fill)
    with pytest.raises(ArgumentError, match="needs set_shape_function"):
        bare.on_numpy((), {}, None)


# ------------------------------------------------------------------------- shapes and dtypes


def test_default_shape_is_the_operands(new):
    """SMP-04, SMP-05."""
    op = new().set_function("cpu", fns.product)
    assert op(np.ones((2, 3)), np.ones((2, 3))).shape == (2, 3)
    with pytest.raises(ShapeError, match=r"shapes differ: lhs\(2, 3\), rhs\(3,\)"):
        op(np.ones((2, 3)), np.ones(3))
    assert op(np.float32([2]), np.float32([3])).dtype == np.float32
    assert op(np.float32([2]), np.float64([3])).dtype == np.float64


def test_a_shape_function_changes_the_shape(new):
    """SMP-03: of one and of two operands."""

    def total(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get().sum())

    op = new().set_shape_function(lambda src, env: ()).set_function("cpu", total)
    assert op(np.arange(4.0)) == 6.0

    def outer(lhs, rhs, env, ret, req, ctx):
        ng.assign(ret.get(), req, np.outer(lhs.get(), rhs.get()))

    op = new().set_shape_function(lambda a, b, env: (a[0], b[0])).set_function("cpu", outer)
    np.testing.assert_array_equal(op([1.0, 2.0], [1.0, 10.0]), [[1, 10], [2, 20]])


def test_errors_of_a_shape_function_are_raised_at_the_call(new):
    """SMP-06: before anything runs, as they are, with a note that names operator and operands."""
    ran = []

    def shape(src, env):
        if env.scalar < 0:
            raise ValueError("the scale is negative")
        assert env.resource == ("temp_space",)
        return src

    def fn(src, env, ret, req, ctx):
        ran.append(src)
        ng.assign(ret.get(), req, src.get())

    op = new("simple_checked").set_enable_scalar().set_shape_function(shape)
    op.set_resource_request("temp_space").set_function("cpu", fn)
    with pytest.raises(ValueError, match="the scale is negative") as caught:
        op(np.ones(3), scalar=-1.0)
    assert caught.value.__notes__ == [
        "simple_checked: infer_shape was asked for arguments [(3,)]; outputs [None]"
    ]
    assert ran == []
    op(np.ones(3), scalar=1.0)
    assert len(ran) == 1


def test_what_is_set_later_counts_for_operands_seen_before(new):
    """Inference is remembered by operands; a setter forgets it."""
    op = new().set_function("cpu", fns.triple)
    assert op(np.ones(3, "float32")).dtype == np.float32
    op.set_type_function(lambda src, env: "float64")
    assert op(np.ones(3, "float32")).dtype == np.float64
    op.set_shape_function(lambda src, env: (2, *src))
    assert op(np.ones(3, "float32")).shape == (2, 3)


def test_a_shape_function_is_asked_for_each_set_of_parameters(new):
    op = new().set_enable_scalar().set_function("cpu", fns.scaled)
    op.set_shape_function(lambda src, env: (int(env.scalar), *src))
    for count in (2, 3, 2):
        assert op(np.ones(4), scalar=count).shape == (count, 4)


def test_shapes_and_dtypes_follow_in_a_graph_in_every_direction(new):
    """The property of a simple operator is asked as that of every other."""
    product = new().set_function("cpu", fns.product)(ng.var("a"), ng.var("b"))
    shapes, outputs, _ = product.infer_shape(a=(2, 3))
    assert (shapes, outputs) == ([(2, 3), (2, 3)], [(2, 3)])
    dtypes, outputs, _ = product.infer_type(a="float32", b="float64")
    assert outputs == [np.float64]


def test_an_operand_is_not_called_like_what_a_call_takes(new):
    with pytest.raises(ArgumentError, match="'name' means something else in a call"):
        new(operands=("name",)).set_function("cpu", fns.triple)


@pytest.mark.parametrize("result", [None, 3, (-1,), (1.5,), "ab"])
def test_what_is_no_shape_is_refused(new, result):
    op = new().set_shape_function(lambda src, env: result).set_function("cpu", fns.triple)
    with pytest.raises(ShapeError, match="a tuple of sizes"):
        op(1.0)


def test_shape_and_type_functions_take_the_operands_and_env(new):
    with pytest.raises(ArgumentError, match=r"takes a function of \(lhs, rhs, env\)"):
        new().set_shape_function(lambda src, env: src).set_function("cpu", fns.product)
    with pytest.raises(ArgumentError, match=r"takes a function of \(src, env\)"):
        new().set_function("cpu", fns.triple).set_type_function(lambda: None)
    with pytest.raises(ArgumentError, match="set_shape_function takes"):
        new().set_shape_function((1, 2))


def test_a_type_function_chooses_the_dtype(new):
    def mean(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get() / 2)

    op = new().set_type_function(lambda src, env: "float32").set_function("cpu", mean)
    assert op(np.arange(3)).dtype == np.float32
    bad = new().set_type_function(lambda src, env: "float128").set_function("cpu", mean)
    with pytest.raises(DTypeError, match="'output'.*'float128' was inferred"):
        bad(1.0)


# ------------------------------------------------------------------------- resources


def test_resources_are_granted_in_request_order(new):
    """SMP-35, 36, 37, OPR-04: one and many."""
    seen = []

    def fn(src, env, ret, req, ctx):
        seen.append([str(r.kind) for r in env.resource])
        assert list(ctx.requested) == list(env.resource)
        space = env.resource[0].get_space(src.shape, src.dtype)
        space[...] = src.get()
        ng.assign(ret.get(), req, space + env.random().random())

    op = new().set_resource_request(["temp_space", "random"]).set_function("cpu", fn)
    assert np.all(op(np.zeros(3)) < 1)
    assert seen == [["temp_space", "random"]]
    one = new().set_resource_request("kTempSpace").set_function("cpu", fn)
    with pytest.raises(ArgumentError, match=r"env.random\(\): .*set_resource_request\('random'\)"):
        one(np.zeros(3))
    with pytest.raises(ArgumentError, match="resource request 'scratch'"):
        new().set_resource_request("scratch")


def test_temporary_space_is_not_granted_to_shape_functions(new):
    op = new().set_resource_request("temp_space").set_function("cpu", fns.triple)
    op.set_shape_function(lambda src, env: env.temp_space((1,)).shape)
    with pytest.raises(ArgumentError, match="a shape function sees the requests alone"):
        op(1.0)


# ------------------------------------------------------------------------- names of nodes


def test_a_name_is_for_ng_sym_unless_it_is_a_parameter(new):
    """SMP-33: refused with what is to be written; functions that take any keyword are given it."""
    op = new().set_function("cpu", fns.triple)
    with pytest.raises(ArgumentError, match=r"name='fc1' is not a parameter.*\.named\('fc1'\)"):
        op(ng.var("x"), name="fc1")

    def named(src, env, ret, req, ctx):
        ng.assign(ret.get(), req, src.get() + len(env.kwargs["name"]))

    assert new().set_enable_kwargs().set_function("cpu", named)(1.0, name="fc1") == 4
