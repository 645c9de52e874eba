"""Metrics against NumPy and scikit-learn."""

import contextlib
import re

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, confusion_matrix, log_loss, top_k_accuracy_score

import nbgraph as ng
from nbgraph.errors import ArgumentError, LabelError
from nbgraph.nn import metrics

RNG = np.random.default_rng(0)
SCORES = RNG.normal(size=(50, 6)).astype("float32")
LABELS = RNG.permutation(np.arange(50) % 6)
SHARES = np.exp(SCORES) / np.exp(SCORES).sum(1, keepdims=True)
CLASSES = np.arange(6)

CASES = {
    "accuracy": (metrics.accuracy, accuracy_score(LABELS, SCORES.argmax(1))),
    "top_1": (metrics.top_k(1), accuracy_score(LABELS, SCORES.argmax(1))),
    "top_3": (metrics.top_k(3), top_k_accuracy_score(LABELS, SCORES, k=3)),
    "cross_entropy": (metrics.cross_entropy, log_loss(LABELS, SHARES, labels=CLASSES)),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("name", CASES)
def test_classes_are_judged_as_by_scikit_learn(name, compiled):
    metric, expected = CASES[name]
    run = ng.jit(metric) if compiled else metric
    found = run(ng.array(SCORES), ng.array(LABELS))
    assert found.shape == () and abs(found.item() - expected) < 1e-5
    assert metrics.name_of(metric) == name


@pytest.mark.parametrize(
    ("metric", "expected"), [(metrics.mse, lambda d: d * d), (metrics.mae, np.abs)]
)
def test_numbers_are_judged_by_mean_differences(metric, expected):
    a, b = RNG.normal(size=(2, 20)).astype("float32")
    assert abs(metric(ng.array(a), ng.array(b)).item() - expected(a - b).mean()) < 1e-5


def test_confusion_counts_pairs_of_classes():
    found = metrics.confusion(ng.array(SCORES), ng.array(LABELS), 6)
    np.testing.assert_array_equal(found, confusion_matrix(LABELS, SCORES.argmax(1)))


def test_k_begins_with_one():
    with pytest.raises(ArgumentError, match="k=0"):
        metrics.top_k(0)


CLASSED = {
    "accuracy": metrics.accuracy,
    "top_2": metrics.top_k(2),
    "label_entropy": metrics.cross_entropy,
    "confusion": lambda out, target: metrics.confusion(out, target, 6),
}


@pytest.mark.parametrize("compiled", [False, True])
@pytest.mark.parametrize("wrong", [6, -1])
@pytest.mark.parametrize("name", CLASSED)
def test_a_target_that_is_no_class_raises_where_the_metric_is_waited_for(name, wrong, compiled):
    labels = LABELS.copy()
    labels[7] = wrong
    metric = ng.jit(CLASSED[name]) if compiled else CLASSED[name]
    text = rf"{name}\w*: label\.flat\[7\] is {wrong}; expected a class from 0 to 5"
    try:
        with pytest.raises((LabelError, IndexError)) as told:
            metric(ng.array(SCORES), ng.array(labels)).asnumpy()
        if not (compiled and name == "top_2"):  # a plan may come to the indices first
            assert re.search(text, str(told.value)), told.value
    finally:
        while ng.engine.stats().failures:  # several kernels have looked at the label
            with contextlib.suppress(LabelError, IndexError):
                ng.waitall()
