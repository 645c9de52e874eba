"""API rule 5: memory shared with other libraries is leased or borrowed."""

import gc
import threading

import numpy as np
import pytest
from hypothesis import given

import nbgraph as ng
from nbgraph.operator.parallel import OWNED
from tests.array.samples import pairs, same


@given(pairs(("float32", "int8", "bool")))
def test_round_trips(pair):
    x, a = pair
    there = np.from_dlpack(a)
    np.testing.assert_array_equal(there, x)
    assert not a.size or there.__array_interface__["data"][0] == a._address
    same(ng.from_dlpack(there), x)
    same(ng.from_dlpack(x.copy()), x)
    del there


def test_an_export_is_a_lease():
    """No write by nbgraph while it lasts; afterwards as before."""
    a = ng.zeros((2, 3))
    there = np.from_dlpack(a[1])
    part = there[1:]
    del there
    for write in (
        lambda: a.__iadd__(1),
        lambda: a.__setitem__(0, 1),
        lambda: a.__setitem__([0], 1),
        lambda: ng.add(a, 1, out=a),
        lambda: a.sum(axis=0, out=a[0]),
        lambda: a.fill(3),
    ):
        with pytest.raises(ValueError, match="lent to another library.*write to a copy"):
            write()
    same(a + 1, np.ones((2, 3), "float32"))  # reading goes on
    part[0] = 7  # the other library may write
    same(a, np.array([[0, 0, 0], [0, 7, 0]], "float32"))
    del part
    gc.collect()
    a += 1
    same(a, np.array([[1, 1, 1], [1, 8, 1]], "float32"))


def test_memory_is_not_used_again_while_leased():
    there = np.from_dlpack(ng.full(999, 5.0))
    gc.collect()
    for i in range(10):
        (ng.ones(999) * i).asnumpy()
    np.testing.assert_array_equal(there, np.full(999, 5, "float32"))


def test_an_export_waits_for_writes(threads, gate):
    a = ng.zeros(3)
    held = gate(ng.engine, a.variable)
    a += 5
    opened = threading.Event()

    def let_go():
        opened.set()
        held.open()

    timer = threading.Timer(0.05, let_go)
    timer.start()
    there = np.from_dlpack(a)
    assert opened.is_set()
    np.testing.assert_array_equal(there, np.full(3, 5, "float32"))
    timer.join()


def test_a_failed_array_is_not_exported(engine):
    def fails(run_ctx):
        raise OSError("no such page")

    a = ng.zeros(3)
    ng.engine.push(fails, mutate_vars=[a.variable])
    with pytest.raises(OSError, match="no such page"):
        np.from_dlpack(a)
    a[:] = 1  # it was not leased
    same(a, np.ones(3, "float32"))


def test_an_import_is_borrowed():
    """Read-only for nbgraph; the producer's later writes are seen; kept alive."""
    x = np.arange(3.0)
    a = ng.from_dlpack(x)
    x[0] = 7
    with pytest.raises(ValueError, match="write to a copy"):
        a += 1
    del x
    same(a, np.array([7.0, 1, 2]))
    b = ng.from_dlpack(np.arange(3), copy=True)
    b += 1
    same(b, np.array([1, 2, 3]))
    same(ng.from_dlpack(np.arange(3), device=ng.cpu(1)), np.arange(3))
    assert ng.from_dlpack(b) is b
    assert ng.from_dlpack(b, device=ng.cpu(1)).device == ng.cpu(1)
    assert ng.from_dlpack(b, copy=True) is not b


def test_a_numpy_call_waits_for_the_owners_of_its_memory(threads, gate):
    """API rule 5: `op(x, out=x)` on memory that pushed work still reads."""
    plus = ng.op(lambda x: x + 1)
    x = np.zeros(3)
    for call in (lambda: plus(x, out=x), lambda: ng.cumsum(x, out=x)):
        x[:] = 1
        borrowed = ng.asarray(x)
        held = gate(ng.engine, borrowed.variable)
        later = borrowed + 0
        timer = threading.Timer(0.05, held.open)
        timer.start()
        call()
        same(later, np.ones(3))
        timer.join()
        del borrowed, later
    ng.waitall()
    ng.zeros(1)
    ng.waitall()
    assert not OWNED  # nothing to look at for calls from now on


def test_what_cannot_be_shared():
    a = ng.zeros(3)
    for use, error, text in (
        (lambda: a.__dlpack__(stream=1), BufferError, "stream"),
        (lambda: a.__dlpack__(dl_device=(2, 0)), BufferError, r"dl_device=\(2, 0\)"),
        (lambda: a.astype("bfloat16").__dlpack__(), BufferError, "bfloat16"),
        (lambda: ng.from_dlpack([1, 2]), TypeError, "no __dlpack__"),
        (
            lambda: ng.from_dlpack(np.zeros(3), device=ng.cpu(1), copy=False),
            BufferError,
            "without one",
        ),
    ):
        with pytest.raises(error, match=text):
            use()
    assert a.__dlpack_device__() == (1, 0)
    there = np.from_dlpack(a)
    assert a.variable.leases == 1
    del there
    capsule = a.__dlpack__(copy=True)
    a += 1  # a copy was exported
    del capsule
    a.__dlpack__()  # a capsule that nobody took ends its lease
    gc.collect()
    assert a.variable.leases == 0


def test_torch():
    torch = pytest.importorskip("torch")
    a = ng.arange(3.0)
    t = torch.from_dlpack(a)
    with pytest.raises(ValueError, match="lent"):
        a += 1
    del t
    a += 1
    for turned in (a[::-1], a.reshape((1, 3))[:, ::-1]):  # torch has no strides back
        np.testing.assert_array_equal(torch.from_dlpack(turned).numpy(), turned.asnumpy())
    b = ng.from_dlpack(torch.arange(3))
    same(b, np.arange(3))
