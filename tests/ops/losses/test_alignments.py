"""The CTC loss: its kernel beside the same sums by NumPy.  OPS-06."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import LabelError
from nbgraph.ops.losses.alignments import alignments


def by_numpy(scores, label, *lengths, **how):
    """The loss of each sample and its slope by the scores."""
    how = {"use_data_lengths": False, "use_label_lengths": False, "blank_label": "first"} | how
    loss, slope = np.empty(scores.shape[1], scores.dtype), np.empty_like(scores)
    alignments(np, scores, label, *lengths, loss, slope, **how)
    return loss, slope


def by_kernel(scores, label, *lengths, **how):
    x = ng.array(scores)
    x.attach_grad()
    with ng.autograd.record():
        loss = ng.ctc_loss(x, label, *lengths, **how)
    loss.backward(ng.ones_like(loss))
    return np.asarray(loss), np.asarray(x.grad)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("blank", ["first", "last"])
@pytest.mark.parametrize("lengths", ["", "data", "label", "data label"])
def test_the_kernel_sums_over_the_alignments_of_the_naive_version(lengths, blank, dtype):
    rng, tolerance = np.random.default_rng(len(lengths)), 1e-4 if dtype == "float32" else 1e-12
    for steps, samples, classes, labels in [
        (9, 5, 4, 3),
        (30, 2, 17, 8),
        (1, 3, 3, 1),
        (6, 1, 2, 0),
    ]:
        scores = (3 * rng.normal(size=(steps, samples, classes))).astype(dtype)
        first, end, pad = (1, classes, 0) if blank == "first" else (0, classes - 1, -1)
        label = rng.integers(first, end, (samples, labels)).astype(rng.choice(["int32", "float32"]))
        label[rng.random(label.shape) < 0.2] = pad
        how, sizes = {"blank_label": blank}, []
        if "data" in lengths:
            sizes.append(rng.integers(1, steps + 1, samples))
        if "label" in lengths:
            label[label == pad] = first
            sizes.append(rng.integers(0, labels + 1, samples))
        how |= {f"use_{name}_lengths": True for name in lengths.split()}
        for ours, naive in zip(
            by_kernel(scores, label, *sizes, **how),
            by_numpy(scores, label, *sizes, **how),
            strict=True,
        ):
            np.testing.assert_allclose(ours, naive, tolerance, tolerance)


def test_scores_of_minus_infinity_are_never_taken():
    scores = np.random.default_rng(0).normal(size=(6, 1, 4))
    scores[2, 0, 1] = -np.inf
    loss, slope = by_kernel(scores, np.array([[1, 2]]))
    scores[2, 0, 1] = -1e6
    finite, its_slope = by_numpy(scores, np.array([[1, 2]]))
    np.testing.assert_allclose(loss, finite, 1e-12)
    np.testing.assert_allclose(slope, its_slope, 1e-12, 1e-12)


def test_labels_that_no_alignment_has_cost_infinity():
    assert ops.ctc_loss(np.zeros((2, 1, 4)), np.array([[1, 1]])) == np.inf
    assert ops.ctc_loss(np.zeros((0, 1, 4)), np.zeros((1, 0))) == 0


@pytest.mark.parametrize("label", [[[1, 4]], [[-2, 1]]])
def test_a_label_that_is_no_class_is_named(label):
    with pytest.raises(LabelError, match=r"CTCLoss: label\.flat\[\d\] is"):
        ops.ctc_loss(np.zeros((5, 1, 4)), np.array(label))


def test_lengths_beyond_the_arrays_raise():
    scores, label = np.zeros((5, 1, 4)), np.array([[1, 2]])
    for how in ({"use_data_lengths": True}, {"use_label_lengths": True}):
        with pytest.raises(IndexError, match="index 6 is out of bounds"):
            ops.ctc_loss(scores, label, np.array([6]), **how)
