"""Batches: what is in them and in which order."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.io import as_iter
from nbgraph.nn import Batches


@pytest.mark.parametrize("last", ["keep", "drop"])
@pytest.mark.parametrize("count", [1, 7, 8, 9])
def test_each_sample_comes_once(count, last):
    batches = Batches(np.arange(count), ng.array(-np.arange(count)), batch_size=4, last=last)
    found = list(batches)
    assert len(found) == len(batches) == (-(-count // 4) if last == "keep" else count // 4)
    assert all((x == -y).all() for x, y in found)
    seen = [i for x, _ in found for i in x.tolist()]
    assert len(set(seen)) == len(seen) == (count if last == "keep" else count - count % 4)


def test_the_order_depends_on_seed_and_pass_alone():
    def passes(seed, first=0):
        batches = Batches(np.arange(30), batch_size=30, seed=seed)
        batches.load_state_dict({"epoch": first, "seed": seed})
        return [next(iter(batches))[0].tolist() for _ in range(3)]

    assert passes(1) == passes(1)
    assert passes(1)[1:] == passes(1, first=1)[:2]
    assert passes(1)[0] != passes(1)[1] and passes(1)[0] != passes(2)[0]


def test_what_is_no_data_is_refused():
    with pytest.raises(ShapeError, match="3 and 4 samples"):
        Batches(np.zeros(3), np.zeros(4))
    with pytest.raises(ArgumentError, match="first axis"):
        Batches(np.zeros(()))
    with pytest.raises(ArgumentError, match="batch_size=0"):
        Batches(np.zeros(3), batch_size=0)
    with pytest.raises(ArgumentError, match="last='some'"):
        Batches(np.zeros(3), last="some")
    for data in (3, iter([1])):
        with pytest.raises(ArgumentError, match="expected a DataIter"):
            as_iter(data)


def test_frames_and_columns_are_arrays():
    """Of pandas, as what else has values; a frame alone is neither inputs nor batches."""
    pd = pytest.importorskip("pandas")
    x = np.random.default_rng(0).normal(size=(40, 2)).astype("float32")
    frame = pd.DataFrame(x, columns=["a", "b"])
    target = frame["a"] - frame["b"]
    batches = list(as_iter((frame, target)))
    assert [(a.shape, b.shape) for a, b in batches] == [((32, 2), (32,)), ((8, 2), (8,))]
    np.testing.assert_array_equal(np.concatenate([b for _, b in batches]), target)
    model = ng.nn.Dense(1)
    history = ng.nn.fit(
        model,
        (frame, target),
        loss=lambda out, wanted: ng.square(out[:, 0] - wanted),
        optimizer="adam",
        epochs=2,
        validation=(frame, target),
        progress=False,
    )
    assert history["loss"][-1] < history["loss"][0]
    wanted = ng.nn.predict(model, x).asnumpy()
    for data in (frame, (frame,)):
        np.testing.assert_array_equal(ng.nn.predict(model, data).asnumpy(), wanted)
    labelled = ng.nn.predict(model, (frame, target), labelled=True)
    np.testing.assert_array_equal(labelled.asnumpy(), wanted)
    for data, error, text in (
        (frame, ArgumentError, "data is a DataFrame; expected .*arrays"),
        (x, ArgumentError, "data is an ndarray; expected .*arrays"),
        ((frame.assign(c="text"), target), DTypeError, "a DataFrame of object.*give numbers"),
    ):
        with pytest.raises(error, match=text):
            as_iter(data)
