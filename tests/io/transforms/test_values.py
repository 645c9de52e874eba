"""Dtypes, classes, functions of one's own, sequences."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import DTypeError, LabelError, ShapeError
from nbgraph.io import DataDesc
from nbgraph.io import transforms as T

THREE = T.Draws(0, 0, [7, 8, 9])


def test_classes_become_rows():
    for labels in ([2, 0, 1], [2.0, 0.0, 1.0], [[2], [0], [1]]):
        (found,) = T.OneHot(3, on="all")((np.array(labels),), THREE)
        assert found.tolist() == np.eye(3)[[2, 0, 1]].tolist() and found.dtype == np.float32
    for label in (3, -1, 0.5, np.nan):
        with pytest.raises(LabelError, match=r"sample 8 has label .*from 0 to 2"):
            T.OneHot(3, on="all")((np.array([0, label, 1]),), THREE)
    with pytest.raises(ShapeError, match="one class for each sample"):
        T.OneHot(3, on="all").describe([DataDesc("y", (2,))])


def test_smoothing_keeps_the_sum():
    rows = np.eye(4, dtype="float32")[:3]
    (found,) = T.LabelSmoothing(0.2, on="all")((rows,), THREE)
    assert np.allclose(found, rows * 0.8 + 0.05) and np.allclose(found.sum(1), 1)


def test_casts():
    x = np.array([1.7, 2.0, 200.0])
    assert T.Cast("uint8", on="all")((x,), THREE)[0].tolist() == [1, 2, 200]
    for wrong in (300.0, -1.0, np.nan, np.inf):
        x[1] = wrong
        with pytest.raises(DTypeError, match="sample 8 has .*uint8 does not hold"):
            T.Cast("uint8", on="all")((x,), THREE)


def test_functions_of_ones_own():
    x = np.arange(6.0).reshape(3, 2)
    t = T.Lambda(lambda v: v.sum(1).astype("float32"))
    assert t((x,), THREE)[0].tolist() == [1, 5, 9]
    (desc,) = t.describe([DataDesc("x", (2,), "float64")])
    assert desc.shape == () and desc.dtype == np.float32
    stated = T.Lambda(lambda v: v[:, :1], shape=(1,), dtype="float16")
    assert stated.describe([DataDesc("x", (-1,), "float64")])[0].shape == (1,)
    assert stated((x,), THREE)[0].dtype == np.float16
    with pytest.raises(ShapeError, match=r"gives shape \(3, 2\).*expected \(3, 1\)"):
        T.Lambda(lambda v: v, shape=(1,), dtype="float64")((x,), THREE)
    with pytest.raises(ShapeError, match=r"gives shape \(2,\).*expected \(3, '...'\)"):
        T.Lambda(lambda v: v[0], shape=None, dtype=None)((x,), THREE)


# sequences ----------------------------------------------------------------------------------------


@given(
    st.lists(st.integers(0, 9), min_size=1, max_size=8),
    st.sampled_from([None, 9, (3, 6, 9)]),
    st.sampled_from([(), (2,)]),
)
def test_sequences_are_filled_up(lengths, wanted, rest):
    rng = np.random.default_rng(0)
    few = [rng.integers(0, 99, (n, *rest)) for n in lengths]
    t = T.PadSequences(wanted, value=-1)
    draws = T.Draws(0, 0, np.arange(len(few)))
    x, counts = t((few,), draws)
    steps = {None: max(lengths), 9: 9}.get(wanted, next(n for n in (3, 6, 9) if n >= max(lengths)))
    assert x.shape == (len(few), steps, *rest) and counts.tolist() == lengths
    for row, sample in zip(x, few):
        assert (row[: len(sample)] == sample).all() and (row[len(sample) :] == -1).all()


def test_columns_of_lengths():
    descs = [DataDesc("words", (-1,), "int32"), DataDesc("label", (), "int64")]
    stage = T.PadSequences(5).stage(descs, ["label"])
    assert [(d.name, d.shape) for d in stage.descs] == [
        ("words", (5,)),
        ("words_length", ()),
        ("label", ()),
    ]
    few = [np.arange(n, dtype="int32") for n in (2, 5, 0)]
    words, lengths, label = stage((few, np.arange(3)), THREE)
    assert words.dtype == np.int32 and lengths.tolist() == [2, 5, 0] and label.tolist() == [0, 1, 2]
    both = T.PadSequences(5, on=("words", "tags"))
    descs = [descs[0], DataDesc("tags", (-1,), "int32")]
    assert both.stage(descs, ["tags"]).labels == ("tags", "tags_length")
    (alone,) = T.PadSequences(5, lengths=False)((few,), THREE)
    assert alone.shape == (3, 5)


def test_sequences_that_are_too_long():
    few = [np.arange(n) for n in (2, 7, 3)]
    with pytest.raises(
        ShapeError, match="column column0, sample 8 has 7 steps, more than 5.*trunc"
    ):
        T.PadSequences((3, 5))((few,), THREE)
    x, lengths = T.PadSequences((3, 5), truncate=True)((few,), THREE)
    assert x[1].tolist() == [0, 1, 2, 3, 4] and lengths.tolist() == [2, 5, 3]
    with pytest.raises(ShapeError, match="steps of shapes"):
        T.PadSequences()(([np.zeros((2, 3)), np.zeros((2, 4))],), T.Draws(0, 0, [0, 1]))
    with pytest.raises(ShapeError, match=r"samples of shape \(\); expected sequences"):
        T.PadSequences().describe([DataDesc("x", ())])
