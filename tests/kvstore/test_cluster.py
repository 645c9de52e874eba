"""Stores on processes (X-KVS-01, X-KVS-02)."""

from __future__ import annotations

import contextlib
import gc
import io
import os
import shutil
import subprocess
import threading
import warnings
from contextlib import suppress
from pathlib import Path

import distributed
import numpy as np
import pytest
from dask.utils import key_split

import nbgraph as ng
from nbgraph.bar import Bar
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
    found = cluster.run(trained, "dist_sync", optimizer, given, 64, {})
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


def shows(rank):
    x = np.linspace(-1, 1, 64, dtype="float32")[:, None]
    with contextlib.redirect_stdout(io.StringIO()) as own:
        ng.nn.fit(
            ng.nn.Dense(1),
            ng.io.NDArrayIter(x, x, batch_size=8, part=rank, of=2),
            loss=ng.nn.metrics.mse,
            optimizer=ng.optim.SGD,
            epochs=2,
            kvstore="dist_sync",
        )
    return "epoch" in own.getvalue()


def test_progress_of_all_workers_is_one_bar_where_they_were_started(cluster, capsys, monkeypatch):
    bars = []

    class Drawn(Bar):
        def draw(self, label, done, total=None, note=""):
            bars.append((label, total))

    monkeypatch.setattr("nbgraph.kvstore.attempt.Bar", Drawn)
    assert cluster.run(shows) == [False] * 2
    assert bars[0] == ("epoch 1/2", 4) and {total for _, total in bars} == {4}
    lines = capsys.readouterr().out.splitlines()
    assert [line.partition(" ")[2][:9] for line in lines] == ["1/2: loss", "2/2: loss"]


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
    (lambda c: c.run(3), "an int; expected a function of the rank"),
    (lambda c: c.run(unpicklable()), "cannot be pickled"),
    (lambda c: c.run(sums, threading.Lock()), "a tuple cannot be pickled"),
    (lambda c: c.run(sums, on_loss="retry"), "expected 'fail', 'wait' or 'shrink'"),
    (lambda c: c.run(sums, timeout=0), "timeout=0; expected seconds above 0"),
    (lambda c: c.run(sums, timeout="1"), "timeout='1'; expected seconds above 0"),
    (lambda c: ng.kv.cluster(workers=0), "workers=0"),
    (lambda c: ng.kv.cluster(threads=0), "threads=0"),
    (lambda c: ng.kv.cluster(timeout=-1), "timeout=-1"),
    (lambda c: ng.kv.cluster(security=True), "security is a bool"),
    (lambda c: ng.kv.cluster(client=3), r"client is an int; expected a distributed\.Client"),
    (lambda c: ng.kv.cluster(client=c.client, address="x"), "give one of them"),
    (lambda c: ng.kv.cluster(client=c.client, threads=2), "threads=2 with client="),
    (lambda c: ng.kv.cluster(client=c.client, security=distributed.Security()), "connected alr"),
    (lambda c: ng.kv.cluster(address=8786), "address is an int"),
    (lambda c: ng.kv.cluster(address="tcp://10.1.2.3:8786"), "security="),
    (lambda c: ng.kv.cluster(address="tls://localhost.example.org"), "security="),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_calls(cluster, case):
    call, words = BAD[case]
    with pytest.raises(ng.ArgumentError, match=words):
        call(cluster)


def listening(pids):
    """Hosts and ports on which these processes accept connections."""
    sockets = {}
    for pid in pids:
        for fd in Path(f"/proc/{pid}/fd").iterdir():
            with suppress(OSError):  # one that was closed meanwhile
                name = str(fd.readlink())
                if name.startswith("socket:["):
                    sockets[name[8:-1]] = pid
    found = set()
    for table in ("tcp", "tcp6"):
        for line in Path(f"/proc/net/{table}").read_text().splitlines()[1:]:
            fields = line.split()
            if fields[3] == "0A" and fields[9] in sockets:
                found.add(fields[1].partition(":")[0])
    return found


@pytest.mark.skipif(not Path("/proc/net/tcp").exists(), reason="/proc lists no sockets here")
def test_what_is_started_here_is_reached_from_here_alone(cluster):
    """The scheduler, the workers, those who watch over them, and the dashboard."""
    pids = [os.getpid(), *cluster.client.run(os.getpid).values()]
    assert listening(pids) == {"0100007F"}  # 127.0.0.1


def test_several_clusters_at_once_and_what_they_leave():
    """No warning for a port that another one has, and all sockets are closed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with ng.kv.cluster(workers=1) as one, ng.kv.cluster(workers=1) as other:
            links = {c.client.dashboard_link for c in (one, other)}
            assert other.run(lambda rank: rank) == [0]
        assert repr(one) == "<Cluster of 1 workers>"  # its client knows no scheduler any more
        with pytest.raises(ng.errors.KVStoreError, match="the scheduler does not answer"):
            one.run(sums)
        del one, other
        gc.collect()
    assert len(links) == 2
    assert [str(w.message) for w in caught] == []


def names(rank):
    from distributed import get_worker

    ng.kv.create("dist_sync")
    worker = get_worker()
    return {key_split(key) for key in [*worker.state.tasks, *worker.state.actors]}


def test_work_has_names_on_the_dashboard(cluster):
    assert cluster.run(names) == [{"names", "shard"}] * 2


@pytest.fixture
def certificate(tmp_path):
    """A file with a key and a certificate that signs itself."""
    if shutil.which("openssl") is None:
        pytest.skip("the program openssl, which makes certificates, is not installed")
    request = "openssl req -x509 -newkey rsa:2048 -nodes -days 1 -subj /CN=nbgraph"
    paths = [tmp_path / "key.pem", tmp_path / "certificate.pem"]
    files = ["-keyout", str(paths[0]), "-out", str(paths[1])]
    subprocess.run([*request.split(), *files], check=True, capture_output=True)
    both = tmp_path / "both.pem"
    both.write_text("".join(path.read_text() for path in paths))
    return str(both)


def test_workers_with_keys(certificate):
    """All messages are encrypted; who has no key of the cluster is told so."""
    security = distributed.Security(
        tls_ca_file=certificate,
        require_encryption=True,
        **{f"tls_{who}_cert": certificate for who in ("client", "scheduler", "worker")},
    )
    with ng.kv.cluster(workers=2, security=security) as own:
        address = own.client.scheduler.address
        assert address.startswith("tls://")
        with ng.kv.cluster(address=address, security=security) as joined:
            assert [each[1] for each in joined.run(sums)] == [[3.0] * 3] * 2
        with pytest.raises(ng.ArgumentError, match=r"give security=distributed\.Security"):
            ng.kv.cluster(address=address)
        with pytest.raises(ng.ArgumentError, match="give a tls:// address"):
            ng.kv.cluster(address=address.replace("tls", "tcp"), security=security)


def test_no_scheduler():
    with pytest.raises(ng.errors.KVStoreError, match="no scheduler answers"):
        ng.kv.cluster(address="tcp://127.0.0.1:9", timeout=0.5)
