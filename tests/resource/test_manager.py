"""Resources are granted by request, in order, and used in turns (SYS-03, OPR-04, RES-02)."""

import os
import threading

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import resource
from nbgraph.device import cpu, gpu
from nbgraph.errors import ArgumentError, DeviceError, EngineError, OutOfMemory, ShapeError
from nbgraph.resource import request
from nbgraph.storage.memory import account

WAIT = 30


def in_turn(engine, granted, fn):
    """What `fn()` gives in a function that mutates the variables of resources."""
    return engine.push(lambda run_ctx: fn(), mutate_vars=[r.variable for r in granted])


def space_stats(device):
    return [s for s in resource.stats().spaces if s.device == repr(device)]


# ------------------------------------------------------------------------------ grants


@pytest.mark.parametrize(
    "kinds",
    [
        [],
        ["random"],
        ["temp_space", "random", "parallel_random"],
        ["parallel_random", "temp_space", "random", "temp_space"],
    ],
)
def test_grants_are_in_request_order(device, kinds):
    """OPR-04, SMP-36: one entry for each request, in request order."""
    granted = request(kinds, device)
    assert [str(r.kind) for r in granted] == kinds
    assert all(r.device == device for r in granted)


def test_one_request_needs_no_list(device):
    """SMP-35"""
    (space,) = request(resource.ResourceRequest.kTempSpace, device)
    assert repr(space) == f"<resource 'temp_space' of {device!r}>"


def test_a_resource_has_one_variable_a_device(device):
    """SYS-03: whoever uses it names the same variable; a parallel generator is one's own."""
    other = cpu(device.device_id + 10**6)
    kinds = ["random", "temp_space", "parallel_random"]
    one, two, far = request(kinds, device), request(kinds, device), request(kinds, other)
    assert [a.variable is b.variable for a, b in zip(one, two)] == [True, True, False]
    assert [a.variable is b.variable for a, b in zip(one, far)] == [False, False, False]
    assert [a.renewed().variable is a.variable for a in one] == [True, True, False]


def test_the_wrong_accessor_is_refused(device):
    """SMP-37: `get_space` and `get_random` each belong to their kinds."""
    space, random, parallel = request(["temp_space", "random", "parallel_random"], device)
    for one in (random, parallel):
        with pytest.raises(ArgumentError, match="request 'temp_space'"):
            one.get_space((3,))
    with pytest.raises(ArgumentError, match="this resource is 'temp_space'; request 'random'"):
        space.get_random()


def test_devices_that_are_not_there_are_refused():
    with pytest.raises(DeviceError, match=r"request: .*gpu\(99\)"):
        request("random", gpu(99))
    with pytest.raises(ArgumentError, match="device='cpu'"):
        request("random", "cpu")


# ------------------------------------------------------------------------------ temporary space


@pytest.mark.parametrize("dtype", ["float32", "float64", "int8", "bool", "float16"])
def test_space_of_any_shape_and_dtype(engine, device, dtype):
    """SMP-37: arbitrary size, aligned, writable."""
    (space,) = request("temp_space", device)

    def use():
        for shape in [(3, 5), (), (0, 4), 7, [2, 2], (np.int64(2),)]:
            array = space.get_space(shape, dtype, stream=None)
            array[...] = 1
            wanted = tuple(shape) if isinstance(shape, (tuple, list)) else (shape,)
            assert array.shape == wanted
            assert array.dtype == dtype
            assert array.flags.c_contiguous
            assert array.ctypes.data % 64 == 0
        return True

    assert in_turn(engine, [space], use).result(WAIT)


def test_two_operators_share_one_growing_buffer(engine, device):
    """SYS-03, RES-02: one buffer a device, as large as the largest ask."""
    places = []
    for size in (100, 1000, 10, 999):
        (space,) = request("temp_space", device)
        get = lambda space=space, size=size: places.append(
            space.get_space((size,), "uint8").ctypes.data
        )
        in_turn(engine, [space], get)
    engine.wait_for_all(WAIT)
    (stats,) = space_stats(device)
    assert (stats.nbytes, stats.asks, stats.grown) == (1024, 4, 2)
    assert places[1:] == [places[1]] * 3
    assert account(device).allocated == 1024


def test_users_of_a_space_never_overlap_in_time(threads, device):
    """RES-02: guarded by an engine variable."""
    inside, most = [], []

    def use(space, i):
        array = space.get_space((1 << 14,), "int64")
        inside.append(i)
        most.append(len(inside))
        array[:] = i
        ok = bool((array == i).all())
        inside.remove(i)
        return ok

    pendings = []
    for i in range(60):
        (space,) = request("temp_space", device)
        out = threads.new_variable()
        use_it = lambda run_ctx, space=space, i=i: use(space, i)
        pendings.append(threads.push(use_it, mutate_vars=[space.variable, out]))
    assert all(p.result(WAIT) for p in pendings)
    assert max(most) == 1


def test_several_requests_of_one_operator_are_distinct(engine, device):
    granted = request(["temp_space"] * 3, device)

    def use():
        arrays = [s.get_space((100,), "uint8") for s in granted]
        for i, array in enumerate(arrays):
            array[:] = i
        return [int(a.max()) for a in arrays]

    assert in_turn(engine, granted, use).result(WAIT) == [0, 1, 2]


def test_copies_are_taken_in_turn(device):
    """RES-02: configurable copies."""
    with ng.config(temp_copies=3):
        variables = [request("temp_space", device)[0].variable for _ in range(6)]
    assert len(set(variables)) == 3
    assert variables[:3] == variables[3:]


def test_two_copies_let_two_functions_run_at_once(device):
    """RES-02: with copies, users of temporary space overlap."""
    before = ng.engine.current().kind
    ng.engine.set("threaded", workers=2)
    try:
        meet = threading.Barrier(2)

        def use(run_ctx, space):
            space.get_space((10,))
            return meet.wait(WAIT) >= 0

        with ng.config(temp_copies=2):
            granted = [request("temp_space", device)[0] for _ in range(2)]
        pendings = [
            ng.engine.push(lambda c, s=s: use(c, s), mutate_vars=[s.variable]) for s in granted
        ]
        assert all(p.result(WAIT) for p in pendings)
    finally:
        ng.engine.set(before)


def test_who_has_not_declared_it_is_refused(engine, device):
    space, random = request(["temp_space", "random"], device)
    for ask in (lambda: space.get_space((3,)), random.get_random):
        with pytest.raises(EngineError, match="outside a pushed function"):
            ask()
        pending = engine.push(lambda run_ctx, ask=ask: ask(), name="forgetful")
        with pytest.raises(EngineError, match="'forgetful' does not declare it"):
            pending.result(WAIT)


def test_a_bulk_declares_for_each_of_its_functions(engine, device):
    (space,) = request("temp_space", device)
    with engine.bulk(10):
        good = in_turn(engine, [space], lambda: space.get_space((3,)).shape)
        bad = engine.push(lambda run_ctx: space.get_space((3,)))
    assert good.result(WAIT) == (3,)
    with pytest.raises(EngineError, match="does not declare it"):
        bad.result(WAIT)


@pytest.mark.parametrize("shape", [-1, (3, -1), 2.5, "x", None, ((2,),)])
def test_a_bad_shape_is_refused(engine, device, shape):
    (space,) = request("temp_space", device)
    with pytest.raises(ShapeError, match="get_space: shape=.*expected whole numbers"):
        in_turn(engine, [space], lambda: space.get_space(shape)).result(WAIT)


def test_too_much_space_is_out_of_memory_and_a_smaller_ask_is_served(engine, device):
    """X-MEM-11: the space itself is given up for it."""
    (space,) = request("temp_space", device)
    assert in_turn(engine, [space], lambda: space.get_space((100,), "uint8").size).result(WAIT)
    with pytest.raises(OutOfMemory, match="asked for on"):
        in_turn(engine, [space], lambda: space.get_space((1 << 62,), "uint8")).result(WAIT)
    engine.wait_for_var(space.variable, WAIT)
    assert in_turn(engine, [space], lambda: space.get_space((100,), "uint8").size).result(WAIT)


def test_a_function_short_of_memory_does_not_wait_for_itself(naive, device):
    """X-MEM-11: arrays wait for pending work then; a function is pending work itself."""
    from nbgraph import array  # noqa: F401  its drain is in force

    (space,) = request("temp_space", device)
    with ng.config(storage_limit=1 << 20), pytest.raises(OutOfMemory, match="storage_limit="):
        in_turn(naive, [space], lambda: space.get_space((1 << 21,), "uint8")).result(WAIT)


def test_space_can_be_released(engine, device, gate):
    """X-MEM-11: after its users, in their turn."""
    (space,) = request("temp_space", device)
    assert in_turn(engine, [space], lambda: space.get_space((100,), "uint8").size).result(WAIT)
    assert account(device).allocated == 128
    resource.empty_space(device)
    assert account(device).allocated == 0
    assert in_turn(engine, [space], lambda: space.get_space((50,), "uint8").size).result(WAIT)
    assert account(device).allocated == 64


def test_space_is_released_before_memory_runs_out(engine, device):
    (space,) = request("temp_space", device)
    assert in_turn(engine, [space], lambda: space.get_space((100,), "uint8").size).result(WAIT)
    with ng.config(storage_limit=200):
        memory = ng.storage.allocate(150, device)
    assert account(device).allocated == memory.nbytes == 150


def test_stats_show_themselves(engine, device):
    """API rule 9."""
    granted = request(["temp_space", "parallel_random"], device)
    in_turn(engine, granted, lambda: granted[0].get_space((10,), "uint8")).result(WAIT)
    stats = resource.stats()
    assert f"{device!r} [0]" in str(stats)
    assert "<pre" in stats._repr_html_()
    mine = [s for s in stats.to_dict()["spaces"] if s["device"] == repr(device)]
    assert mine == [{"device": repr(device), "copy": 0, "nbytes": 64, "asks": 1, "grown": 1}]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="a system without fork")
def test_a_child_uses_space_that_was_in_use_in_the_parent(naive, device, gate):
    (space,) = request("temp_space", device)
    held = gate(naive, space.variable)
    child = os.fork()
    if child == 0:
        code = 1
        try:
            (mine,) = request("temp_space", device)
            shape = in_turn(naive, [mine], lambda: mine.get_space((3,)).shape).result(5)
            code = 0 if shape == (3,) else 2
        finally:
            os._exit(code)
    assert os.waitpid(child, 0)[1] == 0
    held.open()
    naive.wait_for_var(space.variable, WAIT)
