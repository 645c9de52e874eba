"""What shards and workers agree on, without a network (KVS-01, X-KVS-02, X-KVS-03, X-KVS-04)."""

from __future__ import annotations

import time

import numpy as np
import pytest
from hypothesis import given, settings
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


def trained(rank, kind, optimizer, given, options):
    """Weights after some rounds."""
    kv = ng.kv.create(kind, **options)
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    kv.set_optimizer(OPTIMIZERS[optimizer]())
    for turn in given:
        kv.push([*SHAPES], [ng.array(g) for g in turn[rank]])
    return [w.tolist() for w in kv.pull([*SHAPES])]


@pytest.mark.parametrize("workers", [1, 2, 3])
@pytest.mark.parametrize("optimizer", OPTIMIZERS)
@pytest.mark.parametrize("slice_bytes", [16, 1 << 20])
def test_rounds_have_the_bits_of_one_machine(workers, optimizer, slice_bytes):
    """X-KVS-03: workers are as devices of a local store are, whatever is cut where."""
    given = gradients(workers, 4)
    kv = ng.kv.create("local")
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    kv.set_optimizer(OPTIMIZERS[optimizer]())
    for turn in given:
        kv.push([*SHAPES], [[ng.array(g[k]) for g in turn] for k in range(len(SHAPES))])
    wanted = [w.tolist() for w in kv.pull([*SHAPES])]
    options = {"slice_bytes": slice_bytes}
    for found in run(workers, trained, "dist_sync", optimizer, given, options):
        assert found == wanted


def exchanged(rank, program, workers):
    kv = ng.kv.create("dist_sync", slice_bytes=24)
    kv.init(list("ab"), [ng.zeros(9, dtype="int64"), ng.zeros(2, dtype="int64")])
    kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    pulls = []
    for key, number, priority, how in program:
        size = 9 if key == "a" else 2
        value = ng.full(size, number * (rank + 1), dtype="int64")
        if how == "pushpull":
            kv.pushpull(key, value, priority=priority)
            pulls.append(value)
        else:
            kv.push(key, value, priority=priority)
            pulls += [kv.pull(key, priority=priority)] if how == "pull" else []
    kv.barrier()
    return [p.tolist() for p in pulls], [kv.pull(k).tolist() for k in "ab"]


@settings(max_examples=15)
@given(
    st.lists(
        st.tuples(
            st.sampled_from("ab"),
            st.integers(-5, 5),
            st.integers(-2, 2),
            st.sampled_from(["push", "pull", "pushpull"]),
        ),
        max_size=8,
    ),
    st.integers(1, 3),
    st.booleans(),
)
def test_random_programs_are_those_of_one_dict(program, workers, lossy):
    """X-KVS-02: every pull is the sum of whole rounds; a push that comes twice counts once."""
    model, wanted = dict.fromkeys("ab", 0), []
    for key, number, _, how in program:
        model[key] += number * sum(range(1, workers + 1))
        wanted += [] if how == "push" else [[model[key]] * (9 if key == "a" else 2)]
    for pulls, last in run(workers, exchanged, program, workers, lossy=lossy):
        assert pulls == wanted
        assert last == [[model["a"]] * 9, [model["b"]] * 2]


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
def test_compression_is_that_of_devices(kind):
    """X-KVS-04: workers send what devices would, and keep what those would."""
    given = gradients(2, 3)
    kv = ng.kv.create("device")
    kv.set_gradient_compression({"type": kind})
    kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
    for turn in given:
        kv.push([*SHAPES], [[ng.array(g[k]) for g in turn] for k in range(len(SHAPES))])
    wanted = [w.tolist() for w in kv.pull([*SHAPES])]

    def work(rank):
        kv = ng.kv.create("dist_sync", slice_bytes=16)
        kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
        kv.set_gradient_compression({"type": kind})
        for turn in given:
            kv.push([*SHAPES], [ng.array(g) for g in turn[rank]])
        return [w.tolist() for w in kv.pull([*SHAPES])]

    assert run(2, work) == [wanted] * 2


def resumed(rank, given, kill, folder):
    kv = ng.kv.create("dist_sync", slice_bytes=16)
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
def test_a_job_goes_on_from_its_last_checkpoint(folder, tmp_path):
    """Weights, states, counts and positions: the same bits as without a stop."""
    given = gradients(2, 5)
    place = tmp_path / "job" if folder == "local" else f"memory://{tmp_path.name}"
    with pytest.raises(RuntimeError, match="killed"):
        run(2, resumed, given, 4, None, checkpoint=place)
    found = run(2, resumed, given, None, None, checkpoint=place)
    wanted = run(2, trained, "dist_sync", "adam", given, {})
    assert found == [(4, w) for w in wanted]


def test_states_are_saved_and_loaded_as_those_of_one_machine(tmp_path):
    given = gradients(2, 4)

    def work(rank):
        kv = ng.kv.create("dist_sync", slice_bytes=16)
        kv.init([*SHAPES], [ng.ones(s) for s in SHAPES.values()])
        kv.set_optimizer(OPTIMIZERS["adam"]())
        for turn in given:
            kv.push([*SHAPES], [ng.array(g) for g in turn[rank]])
        kv.barrier()
        if rank == 0:
            kv.save_optimizer_states(tmp_path / "states")
            kv.load_optimizer_states(tmp_path / "states")
            kv.save_optimizer_states(tmp_path / "again")
        kv.barrier()

    run(2, work)
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


def unsaid(rank):
    if rank:
        ng.kv.create("dist_sync").init("w", ng.zeros(2))
    else:
        ng.kv.create("dist_sync").barrier()


def mixed(rank):
    ng.kv.create(["dist_sync", "dist_async"][rank])


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


def homeless(rank):
    ng.kv.create("dist_sync").checkpoint()


BAD = [
    (alone, KVStoreError, "round 1 of the key 'w'; no push came from worker 1"),
    (uneven, ng.ShapeError, "3 elements of float32, that of worker 0 2"),
    (unsaid, KVStoreError, "waited 0.3 s for"),
    (mixed, KVStoreError, "'dist_sync' and 'dist_async'; choose one"),
    (twice, KVMembershipError, "came a second time"),
    (norms, ng.ArgumentError, "norms of whole parameters"),
    (clipped, ng.ArgumentError, "clip them before"),
    (closures, ng.ArgumentError, "cannot be pickled"),
    (homeless, ng.ArgumentError, r"run\(function, checkpoint=folder\)"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_programs_end_with_an_error(case):
    function, error, words = BAD[case]
    with pytest.raises(error, match=words):
        run(2, function, timeout=0.3)


@pytest.mark.parametrize("size", [16, 1 << 16])
def test_who_serves_others_takes_no_memory_in_use(size):
    """A shard computes while all that is unfinished in its process waits for its answer."""
    one = ng.ones(size)
    for _ in range(4):
        held = [one + one for _ in range(20)]  # the way that calls take is known then
    ng.waitall()
    ends = []
    for each in held:
        ng.engine.push_async(lambda _, done: ends.append(done), const_vars=[each.variable])
    busy = {each._chunk for each in held}
    del each, held  # free for the next arrays, which wait for who reads them still
    try:
        assert size > 16 or (one + one)._chunk in busy  # of large ones an idle one is preferred
        with apart():
            total = one
            for _ in range(5):
                total = total + one
                assert total._chunk not in busy
            ng.engine.wait_for_var(total.variable, timeout=20)
    finally:
        while len(ends) < 20:
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
