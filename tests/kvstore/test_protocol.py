"""What shards and workers agree on, without a network (KVS-01, X-KVS-02, X-KVS-03, X-KVS-04)."""

from __future__ import annotations

import re
import time
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.array.chunk import apart
from nbgraph.errors import KVMembershipError, KVStoreError
from nbgraph.kvstore.slices import parameter, parcels, slices
from tests.kvstore.here import run

SHAPES = {"a": (7, 5), "b": (3,), "c": (40,), "d": ()}
OPTIMIZERS = {
    "momentum": lambda: ng.optim.SGD(lr=0.1, momentum=0.9, lr_mult={"b": 0.5}),
    "adam": lambda: ng.optim.Adam(lr=0.1, weight_decay=0.01),
}


def gradients(workers, rounds):
    rng = np.random.default_rng(3)
    return [
        [[rng.normal(size=s).astype("float32") for s in SHAPES.values()] for _ in range(workers)]
        for _ in range(rounds)
    ]


def trained(rank, kind, optimizer, given, slice_bytes, options):
    """Weights after some rounds."""
    kv = ng.kv.create(kind, slice_bytes=slice_bytes, **options)
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    kv.set_optimizer(OPTIMIZERS[optimizer]())
    for turn in given:
        kv.push([*SHAPES], [ng.array(g) for g in turn[rank]])
    return [w.tolist() for w in kv.pull([*SHAPES])]


@pytest.mark.everyday(1 / 4)
@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("slice_bytes", [16, 1 << 20])
def test_rounds_have_the_bits_of_one_machine(engine, workers, optimizer, slice_bytes):
    """X-KVS-03: workers are as devices of a local store are, whatever is cut where."""
    given = gradients(workers, 4)
    kv = ng.kv.create("local")
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    kv.set_optimizer(OPTIMIZERS[optimizer]())
    for turn in given:
        kv.push([*SHAPES], [[ng.array(g[k]) for g in turn] for k in range(len(SHAPES))])
    wanted = [w.tolist() for w in kv.pull([*SHAPES])]
    for found in engine(workers, trained, "dist_sync", optimizer, given, slice_bytes):
        assert found == wanted


def exchanged(rank, program, kind, options):
    """Calls with arrays that are computed before and written after them, as fast as they go."""
    kv = ng.kv.create(kind, slice_bytes=24, **options)
    kv.init(list("ab"), [ng.zeros(9, dtype="int64"), ng.zeros(2, dtype="int64")])
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    out = {"a": ng.zeros(9, dtype="int64"), "b": ng.zeros(2, dtype="int64")}
    pulls = []
    for key, number, priority, how in program:
        value = ng.full(out[key].shape, number, dtype="int64") * (rank + 1)
        if how == "pushpull":
            pulls.append(kv.pushpull(key, value, priority=priority) + 0)
        else:
            kv.push(key, value, priority=priority)
            if how == "pull":
                pulls.append(kv.pull(key, out[key], priority=priority) + 0)
        value += 1000  # what is pushed is what was there
        out[key] *= 0
    kv.barrier()
    return [p.tolist() for p in pulls], [kv.pull(k).tolist() for k in "ab"]


STEPS = st.tuples(
    st.sampled_from("ab"),
    st.integers(-5, 5),
    st.integers(-2, 2),
    st.sampled_from(["push", "pull", "pushpull"]),
)


def require_model(program, workers, kind, found_of):
    """X-KVS-02: every pull is the sum of whole rounds; a push that comes twice counts once."""
    sizes, model, wanted = {"a": 9, "b": 2}, dict.fromkeys("ab", 0), []
    for key, number, _, how in program:
        model[key] += number * sum(range(1, workers + 1))
        wanted += [] if how == "push" else [[model[key]] * sizes[key]]
    for pulls, last in found_of(workers, exchanged, program, kind):
        assert pulls == wanted
        assert last == [[model[k]] * sizes[k] for k in "ab"]


@settings(max_examples=15)
@given(st.lists(STEPS, max_size=8), st.integers(1, 3), st.booleans())
def test_random_programs_are_those_of_one_dict(engine, program, workers, lossy):
    require_model(program, workers, "dist_sync", partial(engine, lossy=lossy))


@pytest.fixture
def chaos():
    """A function that goes on with the chaos engine and a seed; the engine before comes back."""
    kind = ng.engine.current().kind
    yield lambda seed: ng.engine.set("chaos", seed=seed)
    ng.engine.set(kind)


ALONE = ("dist_sync", 1), ("dist_async", 1)  # a worker that is alone sees its own pushes at once


@pytest.mark.parametrize(
    ("kind", "workers"), [*ALONE, pytest.param("dist_sync", 2, marks=pytest.mark.slow)]
)
@settings(max_examples=5, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(STEPS, min_size=4, max_size=6), st.integers(0, 1 << 16))
def test_random_programs_whatever_overtakes(chaos, kind, workers, program, seed):
    """X-KVS-05: pushes and pulls name all that they read and write."""
    chaos(seed)
    require_model(program, workers, kind, lambda *args: run(*args, {}))


def overwritten(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("n", ng.zeros(5))
    value = ng.full(5, rank + 1.0, dtype="float32")
    kv.push("n", value)
    value[...] = 100.0
    return kv.pull("n").tolist()


def test_what_was_pushed_may_be_overwritten_at_once():
    """A worker's own shard takes no view of an array that is free again."""
    assert run(3, overwritten) == [[6.0] * 5] * 3


def rounds(rank, log, count):
    kv = ng.kv.create("dist_sync")
    keys = [f"k{k}" for k in range(20)]
    kv.init(keys, [ng.zeros(9)] * 20)
    kv.set_optimizer(ng.optim.SGD(lr=1.0))
    kv.barrier()
    if rank == 0:
        log.clear()
    kv.barrier()
    for _ in range(count):
        for value in kv.pushpull(keys, [ng.ones(9) for _ in keys]):
            value.wait_to_read()
    return kv.pull(keys[0]).tolist()


def test_a_round_is_one_message_to_each_other_shard():
    log = []
    assert run(2, rounds, log, 8, log=log) == [[-16.0] * 9] * 2
    assert log.count("push") == 2 * 8  # of each worker to the shard that lies elsewhere
    assert log.count("pull") <= 2 * 8 + 2


def counted(rank, pushes):
    kv = ng.kv.create("dist_async", slice_bytes=16)
    kv.init("n", ng.zeros(5, dtype="int64"))
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    own = []
    for _ in range(pushes):
        kv.push("n", ng.ones(5, dtype="int64"))
        own.append(min(kv.pull("n").tolist()))
    kv.barrier()
    return own, kv.pull("n").tolist()


@pytest.mark.parametrize("lossy", [False, True])
def test_asynchronous_pushes_count_once_and_are_seen_by_who_made_them(lossy):
    for own, last in run(3, counted, 6, lossy=lossy):
        assert all(seen >= k + 1 for k, seen in enumerate(own))
        assert last == [18] * 5


def stale(rank):
    kv = ng.kv.create("dist_async", max_staleness=1)
    kv.init("n", ng.zeros(1))
    if rank:
        return None  # it never pushes
    for _ in range(2):
        kv.push("n", ng.ones(1))
        kv.pull("n").wait_to_read()
    return None


def test_a_bound_of_staleness_waits_for_the_slowest():
    with pytest.raises(KVStoreError, match="round 2 of the key 'n'; no push came from worker 1"):
        run(2, stale, timeout=0.3)


@pytest.mark.parametrize("kind", ["2bit", "16bit"])
def test_compression_is_that_of_devices(engine, kind):
    """X-KVS-04: workers send what devices would, and keep what those would."""
    given = gradients(2, 3)
    kv = ng.kv.create("device")
    kv.set_gradient_compression({"type": kind})
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    for turn in given:
        kv.push([*SHAPES], [[ng.array(g[k]) for g in turn] for k in range(len(SHAPES))])
    wanted = [w.tolist() for w in kv.pull([*SHAPES])]

    def work(rank, options):
        kv = ng.kv.create("dist_sync", slice_bytes=16, **options)
        kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
        kv.set_gradient_compression({"type": kind})
        for turn in given:
            kv.push([*SHAPES], [ng.array(g) for g in turn[rank]])
        return [w.tolist() for w in kv.pull([*SHAPES])]

    assert engine(2, work) == [wanted] * 2


def resumed(rank, given, kill, options):
    kv = ng.kv.create("dist_sync", slice_bytes=16, **options)
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    kv.set_optimizer(OPTIMIZERS["adam"]())
    begin = 0 if kv.position is None else kv.position["turn"]
    for turn in range(begin, len(given)):
        kv.push([*SHAPES], [ng.array(g) for g in given[turn][rank]])
        if turn % 2 == 1:
            kv.checkpoint({"turn": turn + 1})
        if turn == kill:
            raise RuntimeError("killed")
    return begin, [w.tolist() for w in kv.pull([*SHAPES])]


@pytest.mark.parametrize("folder", ["local", "memory"])
def test_a_job_goes_on_from_its_last_checkpoint(engine, folder, tmp_path):
    """Weights, states, counts and positions: the same bits as without a stop."""
    given = gradients(2, 5)
    place = tmp_path / "job" if folder == "local" else f"memory://{tmp_path.name}"
    with pytest.raises(RuntimeError, match="killed"):
        engine(2, resumed, given, 4, checkpoint=place)
    found = engine(2, resumed, given, None, checkpoint=place)
    wanted = engine(2, trained, "dist_sync", "adam", given, 16)
    assert found == [(4, w) for w in wanted]


def test_states_are_saved_and_loaded_as_those_of_one_machine(engine, tmp_path):
    given = gradients(2, 4)

    def work(rank, options):
        kv = ng.kv.create("dist_sync", slice_bytes=16, **options)
        kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
        kv.set_optimizer(OPTIMIZERS["adam"]())
        for turn in given:
            kv.push([*SHAPES], [ng.array(g) for g in turn[rank]])
        kv.barrier()
        if rank == 0:
            kv.save_optimizer_states(tmp_path / "states")
        if rank == 0 or options["engine"] == "mpi":  # where every worker has all states
            kv.load_optimizer_states(tmp_path / "states")
        if rank == 0:
            kv.save_optimizer_states(tmp_path / "again")
        kv.barrier()

    engine(2, work)
    own = ng.optim.Adam(lr=0.5)
    own.load(tmp_path / "states")
    weights = {k: ng.ones(s) for k, s in SHAPES.items()}
    alone = ng.optim.Adam(weights, lr=0.1, weight_decay=0.01)
    for turn in given:
        alone.step({key: ng.array(turn[0][k] + turn[1][k]) for k, key in enumerate(SHAPES)})
    for state in (own.state_dict(), _loaded(tmp_path / "again")):
        assert state["lr"] == 0.1
        for key, part in alone.state_dict()["parameters"].items():
            found = state["parameters"][key]
            assert found["count"] == part["count"] == 4
            assert all(np.array_equal(found["states"][n], v) for n, v in part["states"].items())


def continued(rank, options):
    """A trainer whose optimizer has taken a step of its own."""
    params = {"w": ng.ones(40)}
    optimizer = ng.optim.SGD(params, lr=0.1, momentum=0.9)
    optimizer.step({"w": ng.ones(40)})
    kv = ng.kv.create("dist_sync", slice_bytes=64, **options)
    trainer = ng.optim.Trainer(params, optimizer, kv)
    trainer.step({"w": ng.ones(40)}, batch_size=kv.num_workers)
    return params["w"].tolist()


def test_an_optimizer_brings_its_states(engine):
    params = {"w": ng.ones(40)}
    optimizer = ng.optim.SGD(params, lr=0.1, momentum=0.9)
    for _ in range(2):
        optimizer.step({"w": ng.ones(40)})
    assert engine(2, continued) == [params["w"].tolist()] * 2


def _loaded(path):
    own = ng.optim.Adam()
    own.load(path)
    return own.state_dict()


def alone(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(2))
    if rank == 0:
        kv.push("w", ng.ones(2))
        kv.pull("w").wait_to_read()


def uneven(rank):
    ng.kv.create("dist_sync").init("w", ng.zeros(2 + rank))


def turned(rank):
    ng.kv.create("dist_sync").init("w", ng.zeros((2, 3) if rank else (3, 2)))


def cast(rank):
    ng.kv.create("dist_sync").init("w", ng.zeros(2, dtype=["float32", "int32"][rank]))


def early(rank):
    """Worker 0 pulls what it alone has initialised; worker 1 pulls before it does."""
    kv = ng.kv.create("dist_sync")
    if rank == 0:
        kv.init("w", ng.ones(2))
        assert kv.pull("w").tolist() == [1.0, 1.0]
    else:
        kv.pull("w")


def again(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(2))
    kv.init("w", ng.zeros(2))


def misfits(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(2))
    kv.push("w", ng.zeros(3))


def unsaid(rank):
    if rank:
        ng.kv.create("dist_sync").init("w", ng.zeros(2))
    else:
        ng.kv.create("dist_sync").barrier()


def mixed(rank):
    ng.kv.create(["dist_sync", "dist_async"][rank])


def cuts(rank):
    ng.kv.create("dist_sync", slice_bytes=[16, 32][rank])


def bounds(rank):
    ng.kv.create("dist_async", max_staleness=[None, 3][rank])


def stranger(rank):
    from nbgraph.kvstore.job import JOB

    token = JOB.set(JOB.get()._replace(rank=rank + 2))
    try:
        ng.kv.create("dist_sync")
    finally:
        JOB.reset(token)


def twice(rank):
    ng.kv.create("dist_sync")
    ng.kv.create("dist_sync")


def norms(rank):
    kv = ng.kv.create("dist_sync", slice_bytes=16)
    kv.init("w", ng.zeros(40))
    kv.set_optimizer(ng.optim.LAMB())


def clipped(rank):
    ng.kv.create("dist_sync").set_optimizer(ng.optim.SGD(clip_norm=1.0))


def closures(rank):
    import threading

    lock = threading.Lock()
    ng.kv.create("dist_sync").set_updater(lambda key, pushed, stored: lock)


def schedules(rank):
    import threading

    lock = threading.Lock()
    ng.kv.create("dist_sync").set_optimizer(ng.optim.SGD(lr=lambda count: 0.1 if lock else 0.2))


def homeless(rank):
    ng.kv.create("dist_sync").checkpoint()


BAD = [
    (alone, KVStoreError, "round 1 of the key 'w'; no push came from worker 1"),
    (uneven, ng.ShapeError, r"shape \(3,\) and dtype float32, that of worker 0 \(2,\)"),
    (turned, ng.ShapeError, r"shape \(2, 3\) .*, that of worker 0 \(3, 2\)"),
    (cast, ng.ShapeError, "dtype int32, that of worker 0 .* float32"),
    (early, ng.errors.IndexingError, r"'w' has no value; call kv\.init\('w', array\) first"),
    (again, ng.ArgumentError, "'w' has a value already"),
    (misfits, ng.ShapeError, r"shape \(3,\), its stored value \(2,\)"),
    (unsaid, KVStoreError, "waited 0.3 s for"),
    (mixed, KVStoreError, "kind='dist_.*sync', others for 'dist_.*sync'; create the store with"),
    (cuts, KVStoreError, r"slice_bytes=\d\d, others for \d\d"),
    (bounds, KVStoreError, "asks for max_staleness="),
    (stranger, KVStoreError, r"a worker of rank \d, but the job has 2 workers"),
    (twice, KVMembershipError, "came a second time"),
    (norms, ng.ArgumentError, "norms of whole parameters"),
    (clipped, ng.ArgumentError, "clip them before"),
    (closures, ng.ArgumentError, r"kv\.set_updater: a function cannot be pickled"),
    (schedules, ng.ArgumentError, r"kv\.set_optimizer: a SGD cannot be pickled"),
    (homeless, ng.ArgumentError, r"run\(function, checkpoint=folder\)"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_programs_end_with_an_error(case):
    function, error, words = BAD[case]
    with pytest.raises(error, match=words):
        run(2, function, timeout=0.3)


def exchanging(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(2))
    for _ in range(9):
        kv.push("w", ng.ones(2))
    first = kv.pull("w")
    with pytest.raises(KVMembershipError) as caught:
        first.wait_to_read()
    with pytest.raises(KVMembershipError):  # all that comes later fails at once
        kv.barrier()
    return str(caught.value)


@pytest.mark.parametrize("method", ["push", "pull"])
def test_a_shard_that_does_not_answer_is_lost_in_time(method):
    """Its host may be frozen, or behind a cut: the error names key, worker, round and shard."""
    for rank, text in enumerate(run(2, exchanging, timeout=0.5, silent=method)):
        assert f"lost to worker {rank}" in text
        assert re.search(r"round \d of the key 'w'.*shard \d .*no answer within 1 s", text)


def meeting(rank):
    kv = ng.kv.create("dist_sync")
    kv.init("w", ng.zeros(2))
    kv.barrier()


def test_calls_that_wait_themselves_end_in_time():
    with pytest.raises(KVMembershipError, match=r"kv\.barrier: .*shard 0 \(no answer within 1 s"):
        run(2, meeting, timeout=0.5, silent="barrier")


@pytest.mark.parametrize("size", [16, 1 << 16])
def test_who_serves_others_takes_no_memory_in_use(size):
    """A shard computes while all that is unfinished in its process waits for its answer."""
    one, count = ng.ones(size), 300 if size == 16 else 20  # small blocks in use: 256 at most
    for _ in range(4):
        held = [one + one for _ in range(count)]  # the way that calls take is known then
    ng.waitall()
    ends = []
    for each in held:
        ng.engine.push_async(lambda _, done: ends.append(done), const_vars=[each.variable])
    busy = {each._chunk for each in held}
    del each, held  # free for the next arrays, which wait for who reads them still
    others = []
    try:
        # without it a block in use is taken, once the idle ones are; of large ones a new one is
        while size == 16 and not (others and others[-1]._chunk in busy):
            others.append(one + one)
            assert len(others) < 5000
        with apart():
            total = one
            for _ in range(5):
                total = total + one
                assert total._chunk not in busy
            ng.engine.wait_for_var(total.variable, timeout=20)
    finally:
        while len(ends) < count:
            time.sleep(0.001)
        for end in ends:
            end()
    assert total.tolist() == [6.0] * size


def test_outside_of_a_job():
    with pytest.raises(ng.ArgumentError, match=r"with ng\.kv\.cluster"):
        ng.kv.create("dist_sync")


def test_versions_must_agree(monkeypatch):
    from nbgraph.kvstore import dist

    monkeypatch.setattr(dist, "__version__", "0.0")
    with pytest.raises(KVStoreError, match="has nbgraph 0.0"):
        run(1, lambda rank: ng.kv.create("dist_sync"))


@given(
    st.integers(0, 1 << 22),
    st.sampled_from([1, 2, 4, 8]),
    st.integers(1, 9),
    st.integers(1, 1 << 21),
)
def test_slices_cover_an_array_once(size, itemsize, shards, bound):
    own = slices("w", size, itemsize, shards, bound + size * itemsize // 64)
    assert [s.start for s in own] == [0, *(s.stop for s in own[:-1])]
    assert own[-1].stop == size
    assert {s.shard for s in own} <= set(range(shards))
    assert {parameter(s.name) for s in own} == {"w"}
    parts = parcels({"w": (own, itemsize)})
    assert sorted(n for p in parts for n in p.names) == sorted(s.name for s in own)
