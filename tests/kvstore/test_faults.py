"""Workers that are killed, frozen or cut off: an error in time, or exact sums (X-KVS-02)."""

from __future__ import annotations

import asyncio
import importlib
import itertools
import os
import signal
import subprocess
import sys
import threading
import time
from contextlib import suppress
from types import SimpleNamespace

import pytest

import nbgraph as ng
from benchmarks.network import Refused, end, wire
from nbgraph.errors import KVMembershipError, KVStoreError
from nbgraph.kvstore import workers
from tests.support import ROOT

pytestmark = pytest.mark.filterwarnings("default")  # Dask's own, when processes die
ROUNDS = 6
slow = pytest.mark.slow


def soon(seen, seconds=60.0):
    """Wait for something that another process does."""
    limit = time.monotonic() + seconds
    while not seen():
        assert time.monotonic() < limit, "it did not happen"
        time.sleep(0.01)


def settled(client):
    """Return whether three processes are there, of which none begins anew."""
    nannies = {each.worker_address for each in client.cluster.workers.values()}
    return len(nannies) == 3 and nannies == {*workers.present(client)} == {*client.run(os.getpid)}


@pytest.fixture(scope="module")
def clusters():
    made = []
    yield made
    for each in made:
        each.close()


@pytest.fixture
def whole(clusters):
    """Three processes; two take part. Those that died are there again, or the three are others."""
    if clusters:
        with suppress(AssertionError):
            soon(lambda: settled(clusters[-1].client), 15)
            return clusters[-1]
        clusters.pop().close()
    clusters.append(ng.kv.cluster(workers=3))
    return clusters[-1]


def die():
    os.kill(os.getpid(), signal.SIGKILL)


def freeze():
    os.kill(os.getpid(), signal.SIGSTOP)


def doom(kv, fault):
    """Let the next push of this worker be its last act."""
    ask, pushes, answered = kv._ask, itertools.count(), asyncio.Event()

    async def asked(shard, method, *args):
        if method != "push":
            return await ask(shard, method, *args)
        if next(pushes):  # of two messages, one for each shard
            await answered.wait()
            if fault == "in a push":
                die()
        answer = await ask(shard, method, *args)
        answered.set()
        if next(pushes) > 2:
            {"before the reply": die, "frozen": freeze}[fault]()
        return answer

    kv._ask = asked


def counts(rank, folder, fault):
    """Counts rounds; worker 1 has its fault once, in round 4, or when it has ended."""
    kv = ng.kv.create("dist_sync", slice_bytes=16)
    kv.init("n", ng.zeros(8, dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    begin = kv.position or 0
    for turn in range(begin, ROUNDS):
        if rank == 1 and turn == 3 and fault != "host" and not (folder / "once").exists():
            (folder / "once").touch()
            doom(kv, fault)
        kv.push("n", ng.ones(8, dtype="int64"))
        if turn % 2 == 1:
            kv.checkpoint(turn + 1)
    if fault == "host" and begin == 0:
        if rank == 1:
            (folder / "new").write_text(str(os.getpid()))
            (folder / "new").rename(folder / "pid")
            return None
        soon((folder / "pid").exists)
        time.sleep(0.2)  # its function has returned
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
    return begin, kv.num_workers, kv.pull("n").tolist()


FAULTS = ["in a push", "before the reply", "host", "frozen"]
CASES = [
    pytest.param(fault, loss, marks=[slow] if loss != "fail" or fault == "frozen" else [])
    for fault in FAULTS
    for loss in ("fail", "wait", "shrink")
]


@pytest.mark.everyday(1 / 3)
@pytest.mark.parametrize(("fault", "on_loss"), CASES)
def test_a_worker_that_is_lost(whole, fault, on_loss, tmp_path, monkeypatch):
    """SIGKILL in the middle of a push, between a push and its reply, of a process that only keeps
    its shard, and SIGSTOP for ever."""
    own = ng.kv.cluster(workers=2, client=whole.client)
    before = whole.client.run(os.getpid)
    first, _, idle = sorted(before)
    call = (counts, tmp_path, fault)
    options = {"on_loss": on_loss, "checkpoint": tmp_path / "job"}
    options["timeout"] = 30 if fault == "frozen" else 60
    if on_loss == "fail":
        lost = r"round \d of the key 'n'"
        with pytest.raises(KVMembershipError, match=rf"worker.*{lost}|{lost} is lost to worker"):
            own.run(*call, **options)
        if fault != "frozen":  # who is left has ended, and is free
            assert whole.client.run(os.getpid, workers=[first]) == {first: before[first]}
        return
    restarts = []
    restart = own._restart
    monkeypatch.setattr(own, "_restart", lambda *of: (restarts.append(of), restart(*of)))
    found = own.run(*call, **options)
    count = 2 if on_loss == "wait" else 1
    begin = ROUNDS if fault == "host" else 2  # rounds that the last checkpoint has, of two workers
    assert found == [(begin, count, [2 * begin + (ROUNDS - begin) * count] * 8)] * count
    if len(restarts) == 1:  # who did not take part in the first attempt goes on
        assert whole.client.run(os.getpid)[idle] == before[idle]


STATES = "init", "running", "closed", "failed"


def pid(rank):
    return os.getpid()


def test_a_worker_that_is_lost_before_the_job_begins(whole, monkeypatch):
    """Dask gives up a process that was slow to come back: another one takes its place at once."""
    own = ng.kv.cluster(workers=2, client=whole.client)
    there, pids = sorted(workers.present(own.client)), own.client.run(os.getpid)
    seen = iter([there[:2]])

    def addresses(count, timeout, look=own._addresses):
        if (first := next(seen, None)) is None:
            return look(count, timeout)
        os.kill(pids[first[1]], signal.SIGKILL)
        soon(lambda: first[1] not in workers.present(own.client))
        return first

    monkeypatch.setattr(own, "_addresses", addresses)
    assert len({*own.run(pid, timeout=10**4)}) == 2


@slow
def test_a_place_that_was_given_up_is_filled_again():
    """Dask closes what watches over a worker that is not back in time: here at once."""
    import dask

    soonest = {"distributed.deploy.lost-worker-timeout": "1ms"}
    with dask.config.set(soonest), ng.kv.cluster(workers=2) as own:
        before = own.run(pid)
        os.kill(before[0], signal.SIGKILL)
        soon(lambda: len(own.client.cluster.workers) == 1)
        assert len({*own.run(pid, timeout=90), *before}) == 3


def test_a_place_whose_name_was_still_taken_is_filled_again(monkeypatch):
    """What Dask began while a worker was on its way back has ended, but counts as there."""
    status = {name: SimpleNamespace(status=SimpleNamespace(name=name)) for name in STATES}
    there = {"tcp://one"}
    local = SimpleNamespace(workers=dict(status), worker_spec=dict.fromkeys(STATES))
    local.scale = lambda count: there.add(f"tcp://{[*local.workers]} of {count}")
    monkeypatch.setattr(workers, "present", lambda client: there)
    own = workers.Cluster(SimpleNamespace(cluster=local), 2)
    assert own._addresses(2, 10**4)[0] == "tcp://['init', 'running'] of 4"


def dies(rank, folder):
    with (folder / "deaths").open("a") as file:
        file.write("x" * (rank == 0))
    die()


@slow
def test_a_job_that_loses_every_worker_is_not_tried_for_ever(whole, tmp_path):
    with pytest.raises(KVMembershipError) as caught:
        ng.kv.cluster(workers=1, client=whole.client).run(dies, tmp_path, on_loss="wait")
    assert (tmp_path / "deaths").read_text() == "xxx"
    assert caught.value.__notes__ == ["after 3 losses without a new checkpoint"]


def pauses(rank, folder):
    kv = ng.kv.create("dist_sync")
    kv.init("n", ng.zeros(2, dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    for turn in range(20):
        kv.pushpull("n", ng.ones(2, dtype="int64"))
        if rank and turn == 5:
            (folder / "new").write_text(str(os.getpid()))
            (folder / "new").rename(folder / "pid")
            time.sleep(0.3)
    return kv.pull("n").tolist()


def test_a_worker_that_is_stopped_for_a_while(whole, tmp_path):
    """SIGSTOP and SIGCONT: the others wait, and nothing is lost."""

    def stop():
        soon((tmp_path / "pid").exists)
        pid = int((tmp_path / "pid").read_text())
        os.kill(pid, signal.SIGSTOP)
        time.sleep(1)
        os.kill(pid, signal.SIGCONT)

    thread = threading.Thread(target=stop, daemon=True)
    thread.start()
    own = ng.kv.cluster(workers=2, client=whole.client)
    assert own.run(pauses, tmp_path, timeout=60) == [[40, 40]] * 2
    thread.join(60)


def goes_on(rank, folder, rounds):
    """Counts rounds, and says when it is in the middle."""
    kv = ng.kv.create("dist_sync", slice_bytes=16)
    kv.init("n", ng.zeros(8, dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    begin = kv.position or 0
    for turn in range(begin, rounds):
        kv.pushpull("n", ng.ones(8, dtype="int64"))
        kv.barrier()
        if turn == 3:
            kv.checkpoint(turn + 1)
            (folder / f"middle {rank}").touch()
        time.sleep(0.05)
    return begin, kv.num_workers, kv.pull("n").tolist()


def in_the_middle(folder, act):
    """Act when both workers are there."""

    def wait():
        soon(lambda: len([*folder.glob("middle *")]) == 2)
        act()

    thread = threading.Thread(target=wait, daemon=True)
    thread.start()
    return thread


@slow
def test_a_scheduler_that_is_killed(tmp_path):
    """An error in time; processes of the cluster end by themselves."""
    import dask

    file = str(tmp_path / "scheduler.json")
    common = ["--scheduler-file", file, "--host", "127.0.0.1", "--no-dashboard"]

    def start(kind, *options):
        return subprocess.Popen(
            [sys.executable, "-m", f"distributed.cli.dask_{kind}", *common, *options]
        )

    scheduler = start("scheduler", "--port", "0")
    others = start("worker", "--nworkers", "2", "--nthreads", "1")
    try:
        soon(os.path.exists.__get__(file))
        import distributed

        with (
            dask.config.set({"distributed.comm.timeouts.connect": "3s"}),
            distributed.Client(scheduler_file=file, set_as_default=False) as client,
        ):
            thread = in_the_middle(tmp_path, scheduler.kill)
            with pytest.raises(KVStoreError, match=r"the scheduler( at tcp.*)? does not answer"):
                ng.kv.cluster(workers=2, client=client).run(
                    goes_on, tmp_path, 10**6, timeout=60, checkpoint=tmp_path / "job"
                )
            thread.join(60)
        others.wait(90)
    finally:
        end(scheduler)
        end(others)


@pytest.fixture
def apart():
    """A worker here and one behind a network, which can be cut."""
    import dask
    import distributed

    quick = {"distributed.comm.timeouts.tcp": "12s", "distributed.comm.timeouts.connect": "3s"}
    try:
        with wire() as remote, dask.config.set(quick):
            local = distributed.LocalCluster(
                n_workers=1, threads_per_worker=1, host=remote.here, dashboard_address=None
            )
            with local, distributed.Client(local, set_as_default=False) as client:
                remote.start_worker(local.scheduler_address)
                client.wait_for_workers(2, timeout=60)
                yield remote, ng.kv.cluster(workers=2, client=client)
    except Refused as error:
        pytest.skip(str(error))


@slow
@pytest.mark.parametrize("on_loss", ["fail", "shrink"])
def test_a_network_that_is_cut(apart, on_loss, tmp_path):
    """The part with the scheduler fails in time, or goes on from the last checkpoint alone."""
    remote, own = apart
    thread = in_the_middle(tmp_path, remote.cut)
    options = {"timeout": 120, "on_loss": on_loss, "checkpoint": tmp_path / "job"}
    if on_loss == "fail":
        with pytest.raises(KVMembershipError, match=r"worker 1|round \d+ of the key 'n'"):
            own.run(goes_on, tmp_path, 10**6, **options)
    else:
        assert own.run(goes_on, tmp_path, 40, **options) == [(4, 1, [8 + 36] * 8)]
    thread.join(60)


@slow
def test_a_network_that_is_cut_for_a_while(apart, tmp_path):
    """Messages come late, and every push counts once; they went over the wire."""
    remote, own = apart

    def act():
        remote.cut()
        time.sleep(1)
        remote.mend()

    thread = in_the_middle(tmp_path, act)
    before = remote.carried()
    assert (
        own.run(goes_on, tmp_path, 40, timeout=60, checkpoint=tmp_path / "job")
        == [(0, 2, [80] * 8)] * 2
    )
    thread.join(60)
    assert remote.carried() - before > 40 * 2 * 64


def test_the_bound_of_this_folder_is_for_its_tests():
    """Pytest asks a conftest's hook for every test of a run."""
    bounds = importlib.import_module("tests.kvstore.conftest")
    elsewhere = SimpleNamespace(path=ROOT / "tests" / "memory" / "test_loops.py")
    before = threading.active_count()
    next(bounds.pytest_runtest_protocol(elsewhere))
    assert threading.active_count() == before
