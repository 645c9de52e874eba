"""Softmax cross entropy, a simple operator with temporary space (SMP-38)."""

import doctest

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.errors import DTypeError, ShapeError
from tests.operator.simple.judge import differences, gradients


def reference(data, label):
    data = data.astype(np.float64)
    e = np.exp(data - data.max(axis=1, keepdims=True))
    p = e / e.sum(axis=1, keepdims=True)
    return -np.log(p[np.arange(len(label)), label.astype(int)]).sum()


@settings(max_examples=40)
@given(st.integers(0, 6), st.integers(1, 5), st.integers(0, 2**32 - 1), st.sampled_from("efd"))
def test_against_numpy(samples, classes, seed, char):
    rng = np.random.default_rng(seed)
    data = rng.normal(scale=5, size=(samples, classes)).astype(char)
    label = rng.integers(0, classes, samples).astype(rng.choice(["int64", "uint8", "float32"]))
    found = ng.softmax_cross_entropy(data, label)
    assert found.dtype == data.dtype
    assert found.shape == ()
    rtol = {"e": 2e-3, "f": 1e-5, "d": 1e-12}[char]
    np.testing.assert_allclose(found, reference(data, label), rtol=rtol, atol=rtol)


def test_the_gradient_is_softmax_less_the_label():
    rng = np.random.default_rng(1)
    data, label = rng.normal(size=(4, 3)), np.array([0, 2, 1, 2])
    found = gradients(ng.softmax_cross_entropy, [data, label], np.float64(2.5))
    want = differences(ng.softmax_cross_entropy, [data, label], 2.5, 0)
    np.testing.assert_allclose(found[0], want, atol=1e-6)
    assert found[1] is None  # integers have none
    labelled = gradients(ng.softmax_cross_entropy, [data, label.astype(float)])
    assert not labelled[1].any()


def test_large_values_do_not_overflow():
    data = np.array([[1e4, -1e4], [700.0, 710.0]])
    found = ng.softmax_cross_entropy(data, np.array([0, 0]))
    np.testing.assert_allclose(found, np.log1p(np.exp(10)))


def test_bad_input_is_named():
    with pytest.raises(ShapeError, match=r"data\(3,\) and label\(3,\); expected data"):
        ng.softmax_cross_entropy(np.ones(3), np.ones(3))
    with pytest.raises(ShapeError, match=r"data\(3, 2\) and label\(2,\)"):
        ng.softmax_cross_entropy(np.ones((3, 2)), np.ones(2))
    with pytest.raises(DTypeError, match="data has dtype int64; .*use astype"):
        ng.softmax_cross_entropy(np.ones((3, 2), int), np.ones(3))
    for label in ([0, 2], [0, -1], [0.0, np.nan]):
        with np.errstate(invalid="ignore"), pytest.raises(ValueError, match=r"label\[1\] is"):
            ng.softmax_cross_entropy(np.ones((2, 2)), np.array(label))


@pytest.mark.parametrize("op", ["softmax_cross_entropy", "roi_pooling"])
def test_the_examples_in_the_descriptions_run(op):
    parsed = doctest.DocTestParser().get_doctest(getattr(ng, op).__doc__, {}, op, None, 0)
    assert parsed.examples
    assert doctest.DocTestRunner().run(parsed).failed == 0
