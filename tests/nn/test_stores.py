"""`fit` with a store between the workers (X-KVS-02)."""

import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.nn.metrics import mse
from tests.kvstore.here import run

SEEDED = threading.Lock()
X = np.linspace(-1, 1, 64, dtype="float32")[:, None]
Y = 3 * X + 1


def trained(data, kvstore=None, **options):
    with SEEDED:  # workers are threads here
        ng.random.seed(1)
        model = ng.nn.Dense(1)
        model.prepare(ng.array(X[:1]))
    history = ng.nn.fit(
        model,
        data,
        loss=mse,
        optimizer=lambda m: ng.optim.Adam(m, lr=0.05),
        epochs=3,
        progress=False,
        kvstore=kvstore,
        **options,
    )
    return history, [p.tolist() for p in model.parameters().values()]


def batches(part=0, of=1, size=16):
    return ng.io.NDArrayIter(X, Y, batch_size=size, part=part, of=of)


@pytest.mark.parametrize("kind", ["local", "device"])
@pytest.mark.parametrize("compiled", [True, False])
def test_a_store_of_one_process_changes_no_bit(kind, compiled):
    alone, weights = trained(batches(), compiled=compiled)
    history, found = trained(batches(), ng.kv.create(kind), compiled=compiled)
    assert found == weights
    assert history.rows == alone.rows


def work(rank, accumulate, compiled=False):
    kv = ng.kv.create("dist_sync")
    steps = []
    options = {"callbacks": lambda training: steps.append(training.step), "compiled": compiled}
    options["accumulate"] = accumulate
    found = trained(batches(rank, kv.num_workers, 8), kv, **options)[1]
    return found, steps


@pytest.mark.parametrize("accumulate", [1, 2])
def test_workers_learn_the_same_from_data_of_their_own(accumulate):
    (first, steps), (second, _) = run(2, work, accumulate)
    assert first == second
    assert steps == [4 // accumulate, 8 // accumulate, 12 // accumulate]
    # the batches of one process that has both halves
    order = np.arange(64).reshape(2, 4, 8).transpose(1, 0, 2).reshape(-1)
    data = ng.io.NDArrayIter(X[order], Y[order], batch_size=16)
    for found, wanted in zip(first, trained(data, accumulate=accumulate)[1], strict=True):
        np.testing.assert_allclose(found, wanted, rtol=1e-5)


def test_a_file_of_one_process_is_refused(tmp_path):
    with pytest.raises(ng.ArgumentError, match=r"kv\.checkpoint"):
        trained(batches(), ng.kv.create("local"), checkpoint=tmp_path / "model")
