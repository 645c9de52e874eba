"""What only stores on MPI have: agreement about what is done, and what ends a job."""

from __future__ import annotations

import subprocess
import sys
import time

import pytest

import nbgraph as ng
from nbgraph.errors import KVStoreError
from tests.kvstore.ranks import mpirun


def crossed(rank, folder):
    """Keys in another order on each worker, and one that waits for what the other does later."""
    kv = ng.kv.create("dist_sync", engine="mpi", slice_bytes=64, timeout=60)
    kv.init(["a", "b"], [ng.zeros(100), ng.zeros(3)])
    keys = ["a", "b"] if rank else ["b", "a"]
    for turn in range(5):
        for key in keys:
            kv.push(key, ng.full(100 if key == "a" else 3, 1.0 + turn), priority=rank)
    if rank == 0:
        (folder / "pushed").touch()
        kv.push("b", ng.full(3, 10.0))
    else:
        while not (folder / "pushed").exists():  # the push of worker 0 has returned before
            time.sleep(0.001)
        kv.push("b", ng.full(3, 20.0))
    return kv.pull("a").tolist(), kv.pull("b").tolist()


def test_workers_need_not_push_in_one_order_nor_wait_where_they_push(ranks, tmp_path):
    assert ranks(2)(crossed, tmp_path) == [([10.0] * 100, [30.0] * 3)] * 2


def clipped(rank, options):
    """A rule that takes all gradients at once."""
    params = {"a": ng.full(3, 1.0 + rank), "b": ng.ones(2)}  # those of worker 0 are taken
    optimizer = ng.optim.SGD(lr=0.1, clip_norm=1.0)
    trainer = ng.optim.Trainer(params, optimizer, ng.kv.create("dist_sync", **options))
    trainer.step({"a": ng.full(3, 2.0), "b": ng.full(2, 2.0 + rank)})
    return [p.tolist() for p in params.values()]


def test_norms_are_those_of_all_gradients(ranks):
    params = {"a": ng.ones(3), "b": ng.ones(2)}
    sums = {"a": ng.full(3, 4.0), "b": ng.full(2, 5.0)}
    ng.optim.SGD(params, lr=0.1, clip_norm=1.0).step(sums)
    wanted = [p.tolist() for p in params.values()]
    assert ranks(2)(clipped, {"engine": "mpi", "timeout": 60}) == [wanted] * 2


def uneven(rank):
    ng.kv.create("dist_sync", engine="mpi").init("w", ng.zeros(2 + rank))


def cuts(rank):
    ng.kv.create("dist_sync", engine="mpi", slice_bytes=8 + rank)


def homeless(rank):
    ng.kv.create("dist_sync", engine="mpi").checkpoint()


BAD = [
    (uneven, ng.ShapeError, "give the same keys with the same shapes and dtypes"),
    (cuts, KVStoreError, "'slice_bytes': 8.* have the same everywhere"),
    (homeless, ng.ArgumentError, r"engine='mpi', checkpoint=folder"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_calls_end_with_the_same_error_everywhere(ranks, case):
    function, error, words = BAD[case]
    with pytest.raises(error, match=words):
        ranks(2)(function)


PROGRAM = """
import nbgraph as ng
kv = ng.kv.create("dist_sync", engine="mpi", timeout={timeout})
kv.init("w", ng.zeros(2))
optimizer = ng.optim.SGD(lr=0.1)
kv.set_optimizer(optimizer)
optimizer.lr += {slower} * kv.rank
if kv.rank == 1:
    {late}
kv.push("w", ng.ones(2))
kv.pull("w").wait_to_read()
kv.barrier()
"""

ENDS = {
    "late": ({"timeout": 0.5, "late": "import time; time.sleep(60)"}, "0.5 s for the others with"),
    "other": ({"timeout": 60, "slower": 1}, "workers do not do the same: worker"),
    "raises": ({"timeout": 60, "late": "raise ValueError('no data here')"}, "no data here"),
}


@pytest.mark.everyday(1 / 3)
@pytest.mark.parametrize("name", ENDS)
def test_a_worker_that_fails_ends_the_job(name):
    """With a message, and long before the others would give up."""
    values, words = ENDS[name]
    program = PROGRAM.format(**{"slower": 0, "late": "pass", **values})
    output = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT, "text": True}
    with mpirun(2, "-c", program, **output) as process:
        text = process.communicate(timeout=50)[0]
    assert words in text
    assert process.returncode != 0


def test_without_the_package(monkeypatch):
    monkeypatch.setitem(sys.modules, "mpi4py", None)
    with pytest.raises(KVStoreError, match=r"install nbgraph\[mpi\]"):
        ng.kv.create("dist_sync", engine="mpi")
