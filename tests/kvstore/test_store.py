"""Stores of one process (SYS-09, KVS-01, X-KVS-01, X-KVS-02, X-KVS-04)."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.kvstore import kinds
from nbgraph.kvstore.compression import TwoBit
from nbgraph.kvstore.local import Local

KINDS = ["local", "device"]
each_kind = pytest.mark.parametrize("kind", KINDS)


@each_kind
def test_the_published_example(kind):
    """SYS-09: first values, a push of 8, several devices, an updater, lists of keys."""
    shape = (2, 3)
    kv = ng.kv.create(kind)
    kv.init(3, ng.ones(shape) * 2)
    out = ng.zeros(shape)
    kv.pull(3, out=out)
    assert out.tolist() == np.full(shape, 2.0).tolist()
    kv.push(3, ng.ones(shape) * 8)
    kv.pull(3, out=out)
    assert out.tolist() == np.full(shape, 8.0).tolist()
    kv.push(3, [ng.ones(shape)] * 4)
    kv.pull(3, out=out)
    assert out.tolist() == np.full(shape, 4.0).tolist()

    def update(key, pushed, stored):
        stored += pushed * 2

    kv.set_updater(update)
    kv.push(3, ng.ones(shape))
    kv.pull(3, out=out)
    assert out.tolist() == np.full(shape, 6.0).tolist()

    keys = [5, 7, 9]
    kv.init(keys, [ng.ones(shape)] * 3)
    kv.push(keys, [ng.ones(shape)] * 3)
    outs = [ng.zeros(shape) for _ in keys]
    kv.pull(keys, out=outs)
    assert all(o.tolist() == np.full(shape, 3.0).tolist() for o in outs)
    kv.push(keys, [[ng.ones(shape)] * 4] * 3)
    pairs = [[ng.zeros(shape) for _ in range(4)] for _ in keys]
    kv.pull(keys, out=pairs)
    assert all(o.tolist() == np.full(shape, 11.0).tolist() for pair in pairs for o in pair)


@each_kind
@given(
    st.lists(
        st.tuples(
            st.sampled_from(["push", "pull", "pushpull"]),
            st.sampled_from("abc"),
            st.lists(st.integers(-9, 9), min_size=1, max_size=3),
        ),
        max_size=12,
    ),
    st.booleans(),
)
def test_random_programs_are_those_of_one_dict(kind, program, sums):
    """X-KVS-02: against a serial model, with an updater that adds and without one."""
    kv, model = ng.kv.create(kind), dict.fromkeys("abc", 1)
    kv.init(list("abc"), [ng.ones(4, dtype="int64")] * 3)
    if sums:
        kv.set_updater(lambda key, pushed, stored: stored.__iadd__(pushed))
    for call, key, numbers in program:
        arrays = [ng.full(4, n, dtype="int64") for n in numbers]
        if call != "pull":
            model[key] = model[key] * sums + sum(numbers)
            (kv.push if call == "push" else kv.pushpull)(key, arrays)
        if call == "pushpull":
            assert [a.tolist() for a in arrays] == [[model[key]] * 4] * len(arrays)
    assert [kv.pull(key).tolist() for key in "abc"] == [[model[key]] * 4 for key in "abc"]


@each_kind
def test_an_optimizer_in_the_store_has_the_bits_of_one_outside(kind, tmp_path):
    """X-KVS-02: several keys are one step; states are saved and loaded."""
    rng = np.random.default_rng(0)
    weights = {k: rng.normal(size=(5, 3)).astype("float32") for k in "ab"}
    alone = {k: ng.array(w) for k, w in weights.items()}
    kv, opt = ng.kv.create(kind), ng.optim.Adam(alone, lr=0.1)
    kv.init([*weights], [ng.array(w) for w in weights.values()])
    kv.set_optimizer(ng.optim.Adam(lr=0.1))
    for turn in range(4):
        grads = {k: ng.array(rng.normal(size=(5, 3)).astype("float32")) for k in weights}
        kv.push([*grads], [*grads.values()])
        opt.step(grads)
        if turn == 1:  # another store goes on with what was saved
            kv.save_optimizer_states(tmp_path / "states")
            stored, kv = kv.pull([*weights]), ng.kv.create(kind)
            kv.init([*weights], stored)
            kv.set_optimizer(ng.optim.Adam(lr=0.1))
            kv.load_optimizer_states(tmp_path / "states")
    for key, weight in alone.items():
        assert np.array_equal(kv.pull(key), weight)


@each_kind
def test_a_trainer_clips_all_gradients_together(kind):
    """The norm is that of a step, not of the key that goes to the store."""
    found = []
    for store in (None, kind):
        params = {"a": ng.ones(3), "b": ng.ones(2)}
        trainer = ng.optim.Trainer(params, ng.optim.SGD(lr=0.1, clip_norm=1.0), store)
        trainer.step({"a": ng.full(3, 4.0), "b": ng.full(2, 5.0)})
        found.append([p.tolist() for p in params.values()])
    assert found[0] == found[1]


def test_a_trainer_takes_the_batch_size_as_mxnet_does():
    steps = []
    for size in ((4,), (None,)):
        w = ng.ones(2)
        w.attach_grad()
        with ng.autograd.record():
            loss = ng.sum(w * w) if size == (4,) else ng.sum(w * w) / 4
        loss.backward()
        ng.optim.Trainer({"w": w}, ng.optim.SGD(lr=0.5)).step(*size)
        steps.append(w.tolist())
    assert steps[0] == steps[1] == [0.75, 0.75]
    with pytest.raises(ng.ArgumentError, match="batch_size=0; expected at least 1"):
        ng.optim.Trainer({"w": w}, ng.optim.SGD(lr=0.5)).step(0)


def test_devices_are_summed_in_their_order():
    """The bits of a sum are those of additions one after another."""
    parts = [ng.array(np.array([v], "float32")) for v in (1e8, 1.0, -1e8, 1.0)]
    kv = ng.kv.create("device")
    kv.init("w", ng.zeros(1))
    kv.push("w", parts)
    assert kv.pull("w").tolist() == [1.0]


def test_a_pull_is_a_snapshot():
    kv = ng.kv.create()
    first = ng.ones(3)
    kv.init("w", first)
    pulled = kv.pull("w")
    first += 1
    kv.push("w", ng.zeros(3))
    assert pulled.tolist() == [1.0] * 3
    assert kv.pull("w").tolist() == [0.0] * 3


def test_rows_of_a_key():
    kv = ng.kv.create()
    kv.init("table", ng.arange(12).reshape(4, 3))
    assert kv.row_sparse_pull("table", row_ids=ng.array([3, 1])).tolist() == [
        [9, 10, 11],
        [3, 4, 5],
    ]
    out = ng.zeros((1, 3), dtype="int64")
    assert kv.row_sparse_pull("table", out=out, row_ids=[2]) is out
    assert out.tolist() == [[6, 7, 8]]


@given(st.lists(st.lists(st.floats(-2, 2, width=32), min_size=3, max_size=3), max_size=20))
def test_compression_keeps_what_it_does_not_send(pushes):
    """X-KVS-04: what is sent and what is left add up to what came, and sent are three values."""
    compression = TwoBit(threshold=0.5)
    sent = [compression.sent("w", 0, ng.array(np.array(g))) for g in pushes]
    assert {abs(v) for s in sent for v in s.tolist()} <= {0.0, 0.5}
    if pushes:
        whole = sum(map(np.asarray, sent)) + np.asarray(compression.residuals["w", 0])
        np.testing.assert_allclose(whole, np.sum(pushes, axis=0), atol=1e-12 * len(pushes) + 1e-13)


def test_compression_of_a_store():
    """X-KVS-04: each device has what is left of its own."""
    kv = ng.kv.create("device")
    kv.init("w", ng.zeros(2))
    kv.set_gradient_compression({"type": "2bit", "threshold": 0.5})
    turns = []
    for _ in range(2):
        kv.push("w", [ng.array([0.3, 0.6]), ng.array([0.1, -0.7])])
        turns.append(kv.pull("w").tolist())
    assert turns == [[0.0, 0.0], [0.5, 0.0]]


def test_users_kinds(monkeypatch):
    monkeypatch.setattr(kinds, "_KINDS", dict(kinds._KINDS))

    @ng.kv.register
    class Mine(Local):
        type = "mine"

    assert type(ng.kv.create("MINE")) is Mine

    @ng.kv.register
    class Other(Local):
        type = "dist_sync"

    assert type(ng.kv.create("dist_sync")) is Other


BAD = [
    (lambda kv: kv.push("v", ng.ones(2)), IndexError, r"the key 'v' has no value.*kv\.init"),
    (lambda kv: kv.init("w", ng.ones(2)), ng.ArgumentError, "has a value already"),
    (lambda kv: kv.init(3, ng.ones(2)), ng.ArgumentError, "is an int, but 'w'"),
    (lambda kv: kv.init(1.5, ng.ones(2)), ng.ArgumentError, r"key=1\.5 is a float"),
    (lambda kv: kv.push("w", ng.ones(3)), ng.ShapeError, r"shape \(3,\), its stored value \(2,\)"),
    (lambda kv: kv.push("w", ng.ones(2, dtype="int64")), ng.DTypeError, "cast it"),
    (lambda kv: kv.push("w", np.ones(2)), ng.ArgumentError, "is an ndarray; expected an NDArray"),
    (lambda kv: kv.push("w", []), ng.ArgumentError, "no array for the key 'w'"),
    (lambda kv: kv.push(["w", "w"], [ng.ones(2)] * 2), ng.ArgumentError, "one of them twice"),
    (lambda kv: kv.push(["w"], ng.ones(2)), ng.ArgumentError, "an NDArray for 1 keys"),
    (lambda kv: kv.pull("w", ng.ones(3)), ng.ShapeError, "out of the key 'w'"),
    (lambda kv: kv.set_updater(3), ng.ArgumentError, "expected a function"),
    (lambda kv: kv.set_optimizer("sgd"), ng.ArgumentError, r"ng\.optim\.SGD"),
    (lambda kv: kv.save_optimizer_states("x"), ng.ArgumentError, "set_optimizer first"),
    (lambda kv: kv.row_sparse_pull("w"), ng.ArgumentError, "row_ids is missing"),
    (lambda kv: kv.set_gradient_compression({"type": "1bit"}), ng.ArgumentError, "'2bit'"),
    (lambda kv: kv.set_gradient_compression({"type": "2bit"}), ng.ArgumentError, "sends nothing"),
    (lambda kv: ng.kv.create("dist"), ng.ArgumentError, "expected one of .*'device'"),
    (lambda kv: ng.kv.create(3), ng.ArgumentError, "kind is an int"),
    (lambda kv: ng.kv.create(size=3), ng.ArgumentError, "'local' has no option 'size', but none"),
    (
        lambda kv: ng.kv.create("dist_sync", max_staleness=1),
        ng.ArgumentError,
        "no option 'max_staleness', but slice_bytes; 'dist_async' with engine='dask' has it",
    ),
    (lambda kv: ng.kv.create(engine="dask"), ng.ArgumentError, "expected none, as 'local' is"),
    (lambda kv: ng.kv.create("dist_async", engine="mpi"), ng.ArgumentError, "create 'dist_sync'"),
    (lambda kv: ng.kv.create("dist_sync", engine="x"), ng.ArgumentError, "'dask' or 'mpi'"),
    (lambda kv: ng.kv.create("dist_sync", slice_bytes=0), ng.ArgumentError, "slice_bytes=0; exp"),
    (lambda kv: ng.kv.create("dist_async", max_staleness=-1), ng.ArgumentError, "number from 0"),
    (lambda kv: kv.set_gradient_compression("2bit"), ng.ArgumentError, "a str; expected a dict"),
    (
        lambda kv: kv.set_gradient_compression({"type": "2bit", "treshold": 1}),
        ng.ArgumentError,
        "no option 'treshold', but threshold",
    ),
    (lambda kv: ng.optim.Trainer([], ng.optim.SGD(lr=1), 3), ng.ArgumentError, "kvstore is an int"),
]


@pytest.mark.parametrize("case", range(len(BAD)))
def test_bad_calls_say_what_to_do_and_change_nothing(case):
    call, error, words = BAD[case]
    kv = ng.kv.create()
    kv.init("w", ng.ones(2))
    with pytest.raises(error, match=words):
        call(kv)
    assert len(kv) == 1
    assert kv.pull("w").tolist() == [1.0, 1.0]


@each_kind
@pytest.mark.parametrize("rule", ["SGD", "Adam"])
def test_arrays_that_the_store_keeps_are_what_it_stores(kind, rule):
    """Bits are those of a store with copies; what is pulled elsewhere is a snapshot."""
    rng = np.random.default_rng(1)
    firsts, gradients = rng.normal(size=(2, 3, 4)).astype("float32")
    copied, kept = ng.kv.create(kind), ng.kv.create(kind)
    weights = [ng.array(w) for w in firsts]
    copied.init([0, 1, 2], [ng.array(w) for w in firsts])
    kept.init([0, 1, 2], weights, copy=False)
    for kv in (copied, kept):
        kv.set_optimizer(getattr(ng.optim, rule)(lr=0.1))
    for _ in range(3):
        kept.pushpull([0, 1, 2], [ng.array(g) for g in gradients], weights)
        copied.push([0, 1, 2], [ng.array(g) for g in gradients])
    wanted = [w.tolist() for w in copied.pull([0, 1, 2])]
    assert [w.tolist() for w in weights] == wanted
    snapshot = kept.pull(1)
    kept.push(1, ng.ones(4))
    assert snapshot.tolist() == wanted[1]
    assert weights[1].tolist() == kept.pull(1).tolist() != wanted[1]


def test_lists_of_keys_are_checked_again_where_they_differ():
    kv = ng.kv.create()
    kv.init(["a", "b"], [ng.zeros(2), ng.zeros(3)])
    kv.push(["a", "b"], [ng.ones(2), ng.ones(3)])
    with pytest.raises(ng.ShapeError):
        kv.push(["a", "b"], [ng.ones(3), ng.ones(2)])
    with pytest.raises(ng.DTypeError):
        kv.push(["a", "b"], [ng.ones(2), ng.ones(3, dtype="int32")])
    with pytest.raises(ng.ArgumentError):
        kv.push(["a", "b"], [ng.ones(2), [1.0, 1.0, 1.0]])
    with pytest.raises(ng.ArgumentError):
        kv.push(["a", "b"], [ng.ones(2)])
    assert kv.pull("b").tolist() == [1.0] * 3


@each_kind
@pytest.mark.parametrize("rule", ["NAG", "Adam", "LARS", "SGLD"])
@pytest.mark.parametrize("dtype", ["float32", "float16"])
@pytest.mark.parametrize("where", ["apart", "gradients", "others", "several", "one"])
def test_a_push_and_pull_at_once_is_a_push_and_a_pull(kind, rule, dtype, where):
    """Wherever the arrays lie: the step may write them, if nothing of the call reads them."""
    found = []
    for at_once in (True, False):
        ng.random.seed(2)
        values = [ng.array(np.linspace(-1, k, 6), dtype=dtype) for k in range(3)]
        kv = ng.kv.create(kind)
        kv.init([0, 1, 2], values)
        kv.set_optimizer(getattr(ng.optim, rule)(lr=0.1))
        whole = ng.zeros((3, 6), dtype=dtype)
        for _ in range(3):
            gradients = [ng.array(np.linspace(k, 1, 6), dtype=dtype) for k in range(3)]
            outs = {
                "apart": values,
                "gradients": gradients,
                "others": gradients[1:] + gradients[:1],
                "several": [[v, ng.zeros(6, dtype=dtype)] for v in values],
                "one": [whole[k] for k in range(3)],
            }[where]
            if at_once:
                kv.pushpull([0, 1, 2], gradients, outs)
            else:
                kv.push([0, 1, 2], gradients)
                kv.pull([0, 1, 2], outs)
        pulled = [each for one in outs for each in (one if isinstance(one, list) else [one])]
        found.append([a.tolist() for a in (*pulled, *kv.pull([0, 1, 2]))])
    assert found[0] == found[1]


@pytest.mark.parametrize("keys", ["w", ["w"]])
def test_memory_that_is_lent_is_not_pulled_to(keys):
    kv = ng.kv.create()
    kv.init("w", ng.ones(2))
    out = ng.zeros(2)
    kv.pull(keys, [out])
    view = np.from_dlpack(out)
    with pytest.raises(ValueError, match="out of the key 'w' may not be written: 1 view"):
        kv.pull(keys, [out])
    del view
    kv.pull(keys, [out])
