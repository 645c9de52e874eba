"""Labels that are not a class: an error that names label, place and classes, in every world."""

import functools

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import LabelError
from nbgraph.kernel_errors import INDEX_CODE, of_kernel
from tests.engine.conftest import nothing_left

LOSSES = [
    ng.cross_entropy,
    functools.partial(ng.cross_entropy, label_smoothing=0.1),
    functools.partial(ng.cross_entropy, reduction="none"),
    functools.partial(ng.cross_entropy, axis=1),
    ng.unlikelihood,
    ng.softmax_cross_entropy,
]


def by_arrays(f, x, label):
    f(ng.array(x), ng.array(label)).wait_to_read()


def by_text(f, x, label):
    with ng.config(compiler="python"):
        by_arrays(f, x, label)


def by_numba(f, x, label):
    with ng.config(compiler="numba"):
        by_arrays(f, x, label)


def by_a_gradient(f, x, label):
    """The loss is not waited for; its gradient is."""
    x = ng.array(x)
    x.attach_grad()
    with ng.autograd.record():
        loss = f(x, ng.array(label)).sum()
    loss.backward()
    x.grad.asnumpy()


def by_jit(f, x, label):
    ng.jit(f)(ng.array(x), ng.array(label)).wait_to_read()


def by_a_graph(f, x, label):
    exe = ng.sum(f(ng.var("x"), ng.var("y"))).simple_bind(x=x.shape, y=label.shape)
    exe.forward_backward(x=x, y=label)
    exe.grad_dict["x"].asnumpy()


def by_an_expression_graph(f, x, label):
    graph = ng.ExpressionGraph()
    p = graph.param("p", x.shape, init=0.0)
    loss = ng.sum(f(p, graph.constant(label.astype("float32"))))
    graph.forward()
    graph.backward(heads=loss)
    loss.val.asnumpy()


def by_an_engine(kind):
    def world(f, x, label):
        before = ng.engine.current().kind
        ng.engine.set(kind)
        try:
            by_arrays(f, x, label)
        finally:
            ng.engine.set(before)

    world.__name__ = f"by_{kind}"
    return world


WORLDS = [
    *(by_arrays, by_text, by_numba, by_a_gradient, by_jit, by_a_graph, by_an_expression_graph),
    *(by_an_engine("naive"), by_an_engine("chaos")),
]


_nothing_left = pytest.fixture(autouse=True)(nothing_left)


@pytest.mark.parametrize("world", WORLDS, ids=lambda world: world.__name__)
@pytest.mark.parametrize("loss", range(len(LOSSES)))
@pytest.mark.parametrize("wrong", [4, -1])
def test_a_label_that_is_no_class_raises_where_it_is_waited_for(loss, world, wrong):
    x, label = np.zeros((3, 4), "float32"), np.array([1, wrong, 2])
    text = rf"cross_entropy: label\.flat\[1\] is {wrong}(\.0)?; expected a class from 0 to 3"
    with pytest.raises(LabelError, match=text):
        world(LOSSES[loss], x, label)


@pytest.mark.parametrize("loss", range(len(LOSSES)))
def test_among_numpy_arrays_it_raises_at_the_call(loss):
    with pytest.raises(ValueError, match=r"label\[1\] is 7; expected a class from 0 to 3"):
        LOSSES[loss](np.zeros((3, 4)), np.array([1, 7, 2]))


@pytest.mark.parametrize("dtype", ["int64", "int32", "uint8", "float32", "float64"])
@pytest.mark.parametrize("place", [0, 57, 79])
def test_rows_that_lie_side_by_side(dtype, place):
    """Scores of (images, classes, pixels): other kernels, the same error."""
    x, label = ng.zeros((2, 4, 40)), np.ones((2, 40), dtype)
    assert np.isfinite(ng.cross_entropy(x, ng.array(label), axis=1).item())
    label.flat[place] = 9
    with pytest.raises(LabelError, match=rf"label\.flat\[{place}\] is 9; .* from 0 to 3"):
        ng.cross_entropy(x, ng.array(label), axis=1).item()


@pytest.mark.parametrize("ignored", [-1, 255])
def test_ignored_labels_are_no_classes_and_pass(ignored):
    label = np.array([1, ignored, 2])
    x = np.zeros((3, 4), "float32")
    loss = ng.cross_entropy(ng.array(x), ng.array(label), ignore_index=ignored)
    np.testing.assert_allclose(loss.item(), np.log(4), rtol=1e-6)
    with pytest.raises(LabelError, match=rf"label.flat\[1\] is {ignored}"):
        ng.cross_entropy(ng.array(x), ng.array(label), ignore_index=99).item()


@pytest.mark.parametrize("weight", [None, np.array([0.5, 1, 2, 3])])
def test_ignored_rows_count_for_nothing(weight):
    """Whatever their scores are; where all are ignored, a mean is NaN and its gradient 0."""
    x = np.zeros((3, 4), "float32")
    x[1] = np.nan, np.inf, -np.inf, 0
    options = {"ignore_index": -1, "class_weight": weight}
    for label, expected in ([1, -1, 1], np.log(4)), ([-1, -1, -1], np.nan):
        loss = lambda x: ng.cross_entropy(x, ng.array(label), **options)
        value, slopes = ng.value_and_grad(loss)(ng.array(x))
        np.testing.assert_allclose(value.item(), expected, rtol=1e-6)
        rest = (np.full(4, 0.25) - np.eye(4)[1]) / 2 if expected == expected else np.zeros(4)
        np.testing.assert_allclose(slopes[::2].asnumpy(), [rest, rest], rtol=1e-6)


def test_what_mxnet_calls_softmax_output_passes_any_label():
    """MXNet looks at labels in the gradient alone, where one that is not a class takes
    nothing off."""
    x = ng.zeros((2, 4))
    x.attach_grad()
    with ng.autograd.record():
        out = ng.SoftmaxOutput(x, ng.array([1.0, 7.0]))
    out.backward()
    np.testing.assert_allclose(x.grad.asnumpy(), [[0.25, -0.75, 0.25, 0.25], [0.25] * 4])


@pytest.mark.parametrize("label, told", [(2**31, "131071 or more"), (-(2**40), "-131072 or less")])
def test_what_a_code_has_no_room_for_is_told_as_that(label, told):
    with pytest.raises(LabelError, match=rf"label\.flat\[1\] is {told}; .* from 0 to 3"):
        ng.cross_entropy(ng.zeros((3, 4)), ng.array([1, label, 2])).item()


def test_codes_of_other_kernels_stay_what_they_were():
    error = of_kernel("take", 7 * 256 + INDEX_CODE)
    assert str(error) == "take: index 7 is out of bounds of its axis"


@pytest.mark.parametrize("label", [0.7, -0.5, np.nan])
@pytest.mark.parametrize("axis", [0, 1])
def test_a_fraction_is_no_class(label, axis):
    """Nothing is rounded, in any world; whole floats are classes."""
    x, labels = np.array([[1.0, 2.0], [3.0, 4.0]]), np.array([1.0, label])
    calls = (ng.cross_entropy, ng.jit(lambda a, b: ng.cross_entropy(a, b, axis)))
    for call, make in zip((calls[0], *calls), (np.asarray, ng.array, ng.array), strict=True):
        arguments = (axis,) if call is calls[0] else ()
        with pytest.raises(LabelError, match=r"label.*\]"):
            np.asarray(call(make(x), make(labels), *arguments))
        whole = np.asarray(call(make(x), make(np.array([1.0, 0.0])), *arguments))
        np.testing.assert_allclose(whole, ng.cross_entropy(x, np.array([1, 0]), axis), rtol=1e-6)
