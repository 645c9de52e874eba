"""Stores on processes (X-KVS-01, X-KVS-02), and what happens when one of them dies."""

from __future__ import annotations

import os
import signal
import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import KVMembershipError
from tests.kvstore.test_protocol import SHAPES, gradients, trained
from tests.nn.test_stores import work

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, when processes die


@pytest.fixture(scope="module")
def cluster():
    with ng.kv.cluster(workers=2) as made:
        yield made


def sums(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(3))
    out = ng.zeros(3)
    kv.pushpull("w", ng.full(3, rank + 1.0, dtype="float32"), out)
    return repr(kv), out.tolist(), os.getpid()


def test_workers_are_processes_that_sum(cluster):
    found = cluster.run(sums)
    assert [each[:2] for each in found] == [
        (f"<KVStore dist_sync: 1 key, worker {rank} of 2>", [3.0] * 3) for rank in range(2)
    ]
    assert len({pid for _, _, pid in found} | {os.getpid()}) == 3


@pytest.mark.parametrize("optimizer", ["momentum", "adam"])
def test_processes_have_the_bits_of_one_machine(cluster, optimizer):
    given = gradients(2, 3)
    kv = ng.kv.create("local")
    found = cluster.run(trained, "dist_sync", optimizer, given, {"slice_bytes": 64})
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    from tests.kvstore.test_protocol import OPTIMIZERS

    kv.set_optimizer(OPTIMIZERS[optimizer]())
    for turn in given:
        kv.push([*SHAPES], [[ng.array(g[k]) for g in turn] for k in range(len(SHAPES))])
    assert found == [[w.tolist() for w in kv.pull([*SHAPES])]] * 2


def large(rank, kind):
    """Arrays on all shards, several messages, and what the other worker sees."""
    kv = ng.kv.create(kind, slice_bytes=1 << 20)
    kv.init("w", ng.zeros((1200, 1000), dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    for _ in range(3):
        kv.push("w", ng.ones((1200, 1000), dtype="int64"))
    kv.barrier()
    found = kv.pull("w").asnumpy()
    return int(found.min()), int(found.max())


@pytest.mark.parametrize("kind", ["dist_sync", "dist_async"])
def test_large_arrays(cluster, kind):
    assert cluster.run(large, kind) == [(6, 6)] * 2


def line(rank, rounds):
    """A line fitted to this worker's half of the points."""
    x = np.linspace(-1, 1, 64, dtype="float32")[rank::2]
    params = {"a": ng.array([0.0]), "b": ng.array([float(rank)])}
    trainer = ng.optim.Trainer(
        params, lambda p: ng.optim.SGD(p, lr=0.5), kvstore=ng.kv.create("dist_sync")
    )
    for _ in range(rounds):
        for p in params.values():
            p.attach_grad()
        with ng.autograd.record():
            loss = ((params["a"] * ng.array(x) + params["b"] - ng.array(3 * x + 1)) ** 2).sum()
        loss.backward()
        trainer.step(batch_size=64)
    return [p.item() for p in params.values()]


def test_a_trainer_fits_what_no_worker_has_alone(cluster):
    first, second = cluster.run(line, 30)
    assert first == second
    np.testing.assert_allclose(first, [3, 1], atol=2e-2)


def test_fit_on_workers(cluster):
    """Steps with plans of their own on each: the bits of steps as written."""
    compiled = cluster.run(work, 1, True)
    assert compiled[0] == compiled[1]
    assert compiled == cluster.run(work, 1, False)


def fails(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(2))
    if rank:
        raise ValueError("no data here")
    kv.pushpull("w", ng.ones(2)).wait_to_read()


def test_what_a_worker_raises_ends_the_job(cluster):
    with pytest.raises(ValueError, match="no data here") as caught:
        cluster.run(fails, timeout=60)
    assert "on worker 1 of 2" in caught.value.__notes__
    assert len(cluster.run(sums)) == 2  # the workers are free again


def unpicklable():
    lock = threading.Lock()
    return lambda rank: lock


BAD = [
    (lambda c: c.run(unpicklable()), "cannot be pickled"),
    (lambda c: c.run(sums, on_loss="retry"), "expected one of 'fail', 'wait', 'shrink'"),
    (lambda c: c.run(sums, timeout=0), "seconds above 0"),
    (lambda c: ng.kv.cluster(workers=0), "workers=0"),
    (lambda c: ng.kv.cluster(address="tcp://10.1.2.3:8786"), "security="),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_calls(cluster, case):
    call, words = BAD[case]
    with pytest.raises(ng.ArgumentError, match=words):
        call(cluster)


def test_no_scheduler():
    with pytest.raises(ng.errors.KVStoreError, match="no scheduler answers"):
        ng.kv.cluster(address="tcp://127.0.0.1:9", timeout=0.5)


def dies(rank, folder, victim, rounds):
    """Counts rounds; the victim kills its process once, in the middle."""
    kv = ng.kv.create("dist_sync")
    kv.init("n", ng.zeros(4, dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    begin = 0 if kv.position is None else kv.position
    for turn in range(begin, rounds):
        kv.push("n", ng.ones(4, dtype="int64"))
        if turn == 3 and rank == victim and not (folder / "died").exists():
            (folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if folder is not None and turn % 2 == 1:
            kv.checkpoint(turn + 1)
    return begin, kv.num_workers, kv.pull("n").tolist()


@pytest.mark.parametrize(
    "on_loss", ["fail", *(pytest.param(s, marks=pytest.mark.slow) for s in ("wait", "shrink"))]
)
def test_a_worker_that_is_killed(on_loss, tmp_path):
    """SIGKILL after a push: an error in time, or the exact sums of a job that went on."""
    with ng.kv.cluster(workers=3) as whole:
        own = ng.kv.cluster(workers=2, client=whole.client)
        pids = whole.client.run(os.getpid)
        call = (dies, tmp_path, 1, 6)
        options = {"timeout": 60, "on_loss": on_loss, "checkpoint": tmp_path / "job"}
        if on_loss == "fail":
            with pytest.raises(KVMembershipError, match=r"worker 1 \(tcp://.*\) is lost"):
                own.run(*call, **options)
            return
        found = own.run(*call, **options)
        idle = sorted(pids)[2]  # who does not take part goes on
        assert whole.client.run(os.getpid)[idle] == pids[idle]
    workers = 2 if on_loss == "wait" else 1
    # two rounds of two workers are kept, the others are those of the second attempt
    assert found == [(2, workers, [4 + 4 * workers] * 4)] * workers


def pauses(rank, folder):
    kv = ng.kv.create("dist_sync")
    kv.init("n", ng.zeros(2, dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    for turn in range(20):
        kv.pushpull("n", ng.ones(2, dtype="int64"))
        if rank and turn == 5:
            (folder / "pid").write_text(str(os.getpid()))
            time.sleep(0.3)
    return kv.pull("n").tolist()


def test_a_worker_that_is_stopped_for_a_while(cluster, tmp_path):
    """SIGSTOP and SIGCONT: the others wait, and nothing is lost."""

    def stop():
        while not (tmp_path / "pid").exists() or not (tmp_path / "pid").read_text():
            time.sleep(0.01)
        pid = int((tmp_path / "pid").read_text())
        os.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=stop, daemon=True)
    thread.start()
    assert cluster.run(pauses, tmp_path, timeout=60) == [[40, 40]] * 2
    thread.join()
