"""SYS-04, NDA-01, X-NDA-03: operators return before their kernels run; values come at the wait.

A gate is a pushed function that holds a variable until the test opens it.
"""

import threading
import time

import numpy as np
import pytest

import nbgraph as ng
from tests.array.samples import same

WAIT = 30


def fails(run_ctx):
    raise OSError("no such page")


def finished(variable):
    """Whether nothing unfinished uses the variable."""
    return not ng.engine.current()._in_use(variable)


def test_an_operator_call_returns_before_its_kernel_runs(threads, gate):
    """SYS-04: `c = a + b` while another function holds `a`; right after `wait_to_read()`."""
    a, b = ng.array([1.0, 2.0, 3.0]), ng.ones(3)
    held = gate(ng.engine, a.variable)
    c = a + b
    d = (c * c).sum()
    view = c[1:]
    assert not finished(c.variable) and not finished(d.variable)
    held.open()
    c.wait_to_read()
    same(c, np.array([2, 3, 4], "float32"))
    same(view, np.array([3, 4], "float32"))
    assert d.item() == 29


def test_everything_that_gives_an_array_returns_at_once(threads, gate):
    """No method, index, assignment or ufunc waits."""
    a, index = ng.arange(6.0).reshape(2, 3), ng.array([1, 0])
    gates = [gate(ng.engine, x.variable) for x in (a, index)]
    results = [
        a.T, a[0], a[:, ::2], a[[0, 1], [1, 2]], a[index], a.reshape(3, 2), a.astype("int64"),
        a.copy(), a.sum(axis=0), a.mean(), a.max(), a.cumsum(), a.argsort(), a.clip(0, 1),
        np.add(a, 1), np.sum(a), np.concatenate([a, a]), a @ a.T, a < 3, ng.zeros_like(a),
        a.detach(), divmod(a, 2)[0], a.copy(ng.cpu(1)),
    ]  # fmt: skip
    a[0] = 1
    a[[0, 1], 0] = 2
    a[a > 4] = 0
    a += 1
    a[index, 0] = 9
    assert not finished(a.variable)
    for held in gates:
        held.open()
    same(a, np.array([[9, 2, 2], [9, 5, 1]], "float32"))
    same(results[4], np.array([[3, 4, 5], [0, 1, 2]], "float32"))
    same(results[9], np.float32(2.5))


def test_what_needs_values_waits(threads, gate):
    """asnumpy, item, bool, float, int, tolist, printing, np.asarray, masks, nonzero."""
    for use in (
        lambda a: a.asnumpy(),
        lambda a: a[0].item(),
        lambda a: bool(a[0]),
        lambda a: float(a[0]),
        lambda a: a.tolist(),
        repr,
        np.asarray,
        lambda a: a[a > 0],
        lambda a: a.nonzero(),
        lambda a: a.wait_to_read(),
        lambda a: a.wait_to_write(),
        np.from_dlpack,
        lambda a: 1.0 in a,
    ):
        a = ng.ones(3)
        held = gate(ng.engine, a.variable)
        ended = threading.Event()
        thread = threading.Thread(target=lambda use=use, a=a, e=ended: (use(a), e.set()))
        thread.start()
        assert not ended.wait(0.02)
        held.open()
        assert ended.wait(WAIT)
        thread.join()


def test_waitall_waits_for_arrays(threads, gate):
    a = ng.ones(3)
    held = gate(ng.engine, a.variable)
    b = a + 1
    timer = threading.Timer(0.05, held.open)
    timer.start()
    ng.waitall()
    assert finished(b.variable)
    timer.join()


def test_a_reader_keeps_its_values_from_a_later_writer(engine):
    """Writes come after the reads that were asked for before them."""
    a = ng.zeros(1000)
    seen = []
    for i in range(50):
        seen.append(a + 0)
        a += 1
        a[::2] = i
    for i, x in enumerate(seen[1:], 1):
        values = x.asnumpy()
        assert set(values[::2]) == {i - 1} and set(values[1::2]) == {i}


def test_a_failure_is_raised_at_the_wait(engine):
    """X-NDA-03: the call returns; the wait raises, names the push, each time."""
    a = ng.ones(3)
    ng.engine.push(fails, mutate_vars=[a.variable], name="read_page")
    b = a + 1
    c = b.sum()[None]
    for x in (a, b, c):
        for use in (ng.NDArray.asnumpy, ng.NDArray.wait_to_read, ng.NDArray.tolist):
            with pytest.raises(OSError, match="no such page") as caught:
                use(x)
            assert "'read_page', pushed at" in "\n".join(caught.value.__notes__)
            assert "test_async.py" in "\n".join(caught.value.__notes__)


def test_a_poisoned_array_is_displayed(engine):
    """API rule 9: the display shows the error, does not hang, and raises nothing."""
    a = ng.ones((2, 3))
    ng.engine.push(fails, mutate_vars=[a.variable], name="read_page")
    b = a * 2
    for shown in (repr(b), str(b), f"{b}", b._repr_mimebundle_()["text/plain"]):
        assert "failed in 'read_page'" in shown and "no such page" in shown
        assert "float32[2, 3]" in shown
    with pytest.raises(OSError, match="no such page"):  # to show is not to raise
        b.wait_to_read()


def test_a_poisoned_array_is_well_once_it_is_written_whole(engine):
    a = ng.ones(3)
    ng.engine.push(fails, mutate_vars=[a.variable])
    with pytest.raises(OSError, match="no such page"):
        a.asnumpy()
    a[:] = 5
    same(a, np.full(3, 5, "float32"))


def test_memory_of_a_failed_array_carries_nothing_on(engine):
    """A new array in the same block is as good as any."""
    for _ in range(5):
        a = ng.ones(777)
        ng.engine.push(fails, mutate_vars=[a.variable])
        b = a + 1
        with pytest.raises(OSError, match="no such page"):
            b.asnumpy()
        del a, b
        same(ng.ones(777) + ng.zeros(777), np.ones(777, "float32"))
        same(ng.array(np.ones(777)), np.ones(777))


@ng.op
def halved(x):
    while x > 1:
        x *= 0.5
    return x


MADE = {
    "cast": lambda x: x.astype("int32"),
    "mapped": lambda x: x * 2,
    "costly": halved,
    "reduced": ng.cumsum,
    "sorted": ng.sort,
    "taken": lambda x: x[ng.arange(x.size)],
    "joined": lambda x: ng.concatenate([x[:7], x[7:]]),
    "drawn": lambda x: ng.random.uniform(size=x.size) * 0 + x,
    "copied": lambda x: x.copy(),
    "turned": lambda x: x.reshape((-1, 7)).T.copy(),
}


@pytest.mark.parametrize("size", [777, 300_006], ids=["small", "large"])
@pytest.mark.parametrize("name", MADE)
def test_new_arrays_do_not_take_over_a_failure(engine, name, size):
    """Every way to make an array says that it overwrites the failure that a block was left with;
    large ones, too, whose kernels may be cut into ranges."""
    x = ng.arange(float(size))
    expected = MADE[name](x).asnumpy()
    for _ in range(3):
        lost = [ng.ones(size) for _ in range(4)]
        for a in lost:
            ng.engine.push(fails, mutate_vars=[a.variable])
        with pytest.raises(OSError, match="no such page"):
            ng.waitall()
        del lost, a
        same(MADE[name](x), expected)


def test_recycled_memory_keeps_its_failure_for_the_last_owners_readers(threads, gate):
    """They are unfinished when another array takes the memory, which knows nothing of it."""
    a, key = ng.ones(777), ng.engine.new_variable()
    held = gate(ng.engine, key)
    ng.engine.push(fails, const_vars=[key], mutate_vars=[a.variable])
    number, b = a.variable.number, a + 1
    del a
    c = ng.zeros(777)
    recycled = c.variable.number == number
    c[3:5] = 2
    held.open()
    with pytest.raises(OSError, match="no such page"):
        b.asnumpy()
    assert c.asnumpy().sum() == 4
    assert recycled or ng.zeros(777).variable.number == number


def test_a_function_must_not_wait(engine):
    """What would wait inside a pushed function is refused; its display says so."""
    a = ng.ones(3)
    shown = ng.engine.push(lambda run_ctx: repr(a)).result(timeout=WAIT)
    assert "called inside operation" in shown
    pending = ng.engine.push(lambda run_ctx: a.asnumpy(), name="impatient")
    with pytest.raises(ng.EngineError, match="impatient"):
        pending.result(timeout=WAIT)


def test_work_pushed_by_hand_is_ordered_with_operators(engine):
    """`x.variable` orders a function among the operators on x."""
    a, seen = ng.zeros(4), []
    a += 1
    ng.engine.push(lambda run_ctx: seen.append(1), const_vars=[a.variable])
    a += 1
    ng.engine.push(lambda run_ctx: seen.append(2), mutate_vars=[a.variable])
    same(a, np.full(4, 2, "float32"))
    assert seen == [1, 2]


def test_waits_do_not_hold_the_interpreter(threads, gate):
    """Another thread goes on while one waits for an array."""
    a = ng.ones(3)
    held = gate(ng.engine, a.variable)
    thread = threading.Thread(target=a.wait_to_read)
    thread.start()
    before = time.monotonic()
    same(ng.ones(3) + 1, np.full(3, 2, "float32"))
    assert time.monotonic() - before < WAIT
    assert thread.is_alive()
    held.open()
    thread.join(WAIT)
    assert not thread.is_alive()


def test_what_is_not_there_stays_so_until_it_is_written_whole(engine):
    """X-ENG-08: arrays computed from a failed one fail too, also after somebody was told."""
    a = ng.ones(4)
    ng.engine.push(fails, mutate_vars=[a.variable], name="load")
    for _ in range(2):
        with pytest.raises(OSError, match="no such page"):
            a.asnumpy()
    later = (a[1:] * 2).sum() + 1
    with pytest.raises(OSError, match="no such page") as caught:
        later.item()
    assert "in operation 'load'" in caught.value.__notes__[0]
    a += 1
    with pytest.raises(OSError, match="no such page"):
        a.asnumpy()
    a[:] = 3
    assert (a + 1).tolist() == [4, 4, 4, 4]
    ng.engine.wait_for_all(30)


def test_running_the_users_text_does_not_meet_an_old_failure(engine):
    """A block that was given back with a failure is written anew by compiler="python", too."""
    twice = ng.op(lambda x: 2 * x)
    for _ in range(3):
        a = ng.zeros(5)
        ng.engine.push(fails, mutate_vars=[a.variable], name="load")
        with pytest.raises(OSError, match="no such page"):
            a.asnumpy()
    x = ng.ones(5)
    del a
    with ng.config(compiler="python"):
        results = [twice(x) for _ in range(4)]
    for result in results:
        assert result.tolist() == [2.0] * 5
