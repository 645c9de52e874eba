"""Random numbers repeat after a seed, whatever the scheduling (RES-01, X-NDA-08)."""

import os

import hypothesis
import hypothesis.strategies as st
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.device import cpu, gpu
from nbgraph.errors import ArgumentError, DeviceError
from nbgraph.resource import draw, generator_of, request, seed
from nbgraph.resource import random as module
from tests.support import run_python

WAIT = 30
KINDS = ["naive", "threaded", "chaos"]


def numbers(engine, device, kind, pushes=12):
    """What functions draw that are pushed one after another and depend on nothing else."""
    got = {}

    def use(granted, i):
        got[i] = granted.get_random().random(3).tolist()

    for i in range(pushes):
        (granted,) = request(kind, device)
        use_it = lambda run_ctx, granted=granted, i=i: use(granted, i)
        engine.push(use_it, mutate_vars=[granted.variable], priority=i % 3)
    engine.wait_for_all(WAIT)
    return [got[i] for i in range(pushes)]


@pytest.mark.parametrize("kind", ["random", "parallel_random"])
def test_draws_are_the_same_on_every_engine(device, kind):
    """RES-01, X-NDA-08: same seed, same numbers, in push order, on all engines."""
    before = ng.engine.current().kind
    found = []
    try:
        for engine in KINDS:
            ng.engine.set(engine)
            seed(11)
            found.append(numbers(ng.engine, device, kind))
    finally:
        ng.engine.set(before)
    assert found[0] == found[1] == found[2]
    assert len({tuple(row) for row in found[0]}) == len(found[0])  # and no two draws alike


@pytest.mark.parametrize("kind", ["random", "parallel_random"])
def test_a_seed_repeats_and_another_does_not(engine, device, kind):
    """RES-01: same seed, same numbers."""
    runs = []
    for n in (0, 0, 1):
        seed(n)
        runs.append(numbers(engine, device, kind, 3))
    assert runs[0] == runs[1]
    assert runs[0] != runs[2]


def test_a_seed_takes_effect_in_push_order(threads, device, gate):
    """RES-01: what was pushed before draws from the old stream, though it runs later."""
    (random,) = request("random", device)
    take = lambda run_ctx: random.get_random().random()
    turn = [random.variable]
    seed(2)
    other = threads.push(take, mutate_vars=turn).result(WAIT)
    seed(1)
    expected = [threads.push(take, mutate_vars=turn).result(WAIT) for _ in range(2)]
    seed(1)
    held = gate(threads, random.variable)
    first = threads.push(take, mutate_vars=turn)
    second = threads.push(take, mutate_vars=turn)
    seed(2)
    again = threads.push(take, mutate_vars=turn)
    held.open()
    assert [p.result(WAIT) for p in (first, second, again)] == [*expected, other]


def test_parallel_draws_wait_for_nobody(threads, device):
    """X-NDA-08: draws overlap, and the last pushed may be first."""
    seed(3)
    granted = [request("parallel_random", device)[0] for _ in range(3)]
    backwards = [g.get_random().random() for g in reversed(granted)]
    seed(3)
    forwards = [request("parallel_random", device)[0].get_random().random() for _ in range(3)]
    assert backwards[::-1] == forwards


def test_a_grant_goes_on_and_a_renewed_one_is_another_draw(device):
    seed(5)
    (one,) = request("parallel_random", device)
    first = one.get_random().random()
    assert one.get_random().random() != first
    assert one.renewed().get_random().random() != first
    seed(5)
    assert request("parallel_random", device)[0].get_random().random() == first


def test_devices_and_kinds_have_streams_of_their_own(engine, device):
    seed(0)
    other = cpu(device.device_id + 10**6)
    runs = [
        numbers(engine, d, k, 1) for d in (device, other) for k in ("random", "parallel_random")
    ]
    assert len({str(run) for run in runs}) == 4


def test_one_device_can_be_seeded(device):
    other = cpu(device.device_id + 10**6)
    seed(4)
    expected = [draw(d).generator().random() for d in (device, other)]
    seed(4)
    draw(other)
    seed(4, device)
    assert draw(device).generator().random() == expected[0]
    assert draw(other).number == 1


def test_streams_made_after_the_seed_have_it_too(device):
    seed(9)
    first = draw(device).generator().random()
    del module._streams[device]
    assert draw(device).generator().random() == first


@hypothesis.given(st.integers(0, 2**200))
def test_any_whole_number_is_a_seed(n):
    device = cpu(3999)
    seed(n)
    first = draw(device).generator().integers(2**63)
    seed(n)
    assert draw(device).generator().integers(2**63) == first


@pytest.mark.parametrize("n", [-1, 1.0, "7", True, [1], np.bool_(1)])
def test_a_bad_seed_is_refused(n):
    with pytest.raises(ArgumentError, match="seed: n=.*expected a whole number from 0 on"):
        seed(n)


def test_streams_of_what_is_not_there_are_refused():
    with pytest.raises(DeviceError, match=r"random: .*gpu\(99\)"):
        draw(gpu(99))
    with pytest.raises(ArgumentError, match="device='cpu'"):
        draw("cpu")


def test_uniform_numbers_of_many_draws_are_uniform(device):
    seed(2)
    values = np.concatenate([draw(device).generator().random(100) for _ in range(500)])
    counts = np.histogram(values, 50, (0, 1))[0]
    chi = float(((counts - 1000) ** 2 / 1000).sum())
    assert chi < 100  # 49 degrees of freedom: beyond once in 10^5
    lag = np.corrcoef(values[:-100:100], values[100::100])[0, 1]  # first numbers of neighbours
    assert abs(lag) < 0.2


# ------------------------------------------------------------------------------ rng=


def test_what_rng_may_be():
    """SPEC 7."""
    given = np.random.default_rng(1)
    assert generator_of(given) is given
    expected = np.random.default_rng(8).random()
    for rng in (8, np.int32(8), np.random.SeedSequence(8), np.random.PCG64(8)):
        assert generator_of(rng).random() == expected
    seed(0)
    first = generator_of().random()
    assert generator_of(None).random() != first
    seed(0)
    assert generator_of().random() == first


@pytest.mark.parametrize("rng", [-1, 1.5, "7", True, object(), np.random.RandomState(1)])
def test_what_rng_may_not_be(rng):
    with pytest.raises(ArgumentError, match="rng"):
        generator_of(rng)


# ------------------------------------------------------------------------------ processes


def test_a_fresh_process_has_numbers_of_its_own():
    code = "from nbgraph.resource import draw; print(draw().generator().integers(2**62))"
    assert run_python("-c", code) != run_python("-c", code)


def in_child(fn):
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        try:
            os.write(write, repr(fn()).encode())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read) as pipe:
        said = pipe.read()
    os.waitpid(child, 0)
    return said


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_child_does_not_repeat_its_parent_unless_seeded(naive, device):
    """The rule: unseeded, a child begins anew; seeded, it goes on where the parent was."""

    def take():
        granted = request(["random", "parallel_random"], device)
        turn = [g.variable for g in granted]
        return naive.push(
            lambda run_ctx: [int(g.get_random().integers(2**62)) for g in granted], mutate_vars=turn
        ).result(5)

    seed(None)
    take()
    theirs, other, mine = in_child(take), in_child(take), repr(take())
    for one, two in ((theirs, mine), (theirs, other)):
        assert len({*eval(one), *eval(two)}) == 4
    seed(6)
    take()
    theirs = in_child(take)
    assert theirs == repr(take())
