"""Who runs tiles of a product, with which thread count, and what stays as it was."""

import ctypes
import functools
import importlib.machinery
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import threadpoolctl

import nbgraph as ng
from nbgraph.codegen import builtin
from nbgraph.codegen.host import features
from nbgraph.engine.native_call import NativeCall
from nbgraph.kernels.products import axes as products
from nbgraph.kernels.products import blas, gemm
from nbgraph.native.processor import vector_bytes
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout_of
from nbgraph.operator.request import kWriteTo
from nbgraph.ops.define import operator_of
from nbgraph.ops.products.products import matmul
from tests.support import on_threads, run_python

OP = operator_of(matmul)
_POINTERS = [ctypes.c_void_p] * 13
GEMM = ctypes.CFUNCTYPE(None, *_POINTERS)
GETTER, SETTER = ctypes.CFUNCTYPE(ctypes.c_int), ctypes.CFUNCTYPE(None, ctypes.c_int)
SOON = 20  # seconds after which what should have happened is said not to


class Stand:
    """A product whose gemm and whose library's thread count are Python's."""

    def __init__(self, gemm, count=4, shape=(64, 64, 64)):
        self.count, self.asked = count, []
        m, n, k = shape
        rng = np.random.default_rng(0)
        self.arrays = rng.normal(size=(m, k)).astype("f4"), rng.normal(size=(k, n)).astype("f4")
        self.out = np.zeros((m, n), "f4")
        self.functions = GEMM(lambda *_: gemm(self)), GETTER(lambda: self.count), SETTER(self.set)
        self.state = (ctypes.c_int64 * 5)()
        self.state[3], self.state[4] = (_address(f) for f in self.functions[1:])
        layouts = [layout_of(x) for x in self.arrays]
        actual = lowered(OP, layouts, [layout_of(self.out)], ["write"], {})
        assert actual is not None
        self.call = actual.alone

    def set(self, count):
        self.count = count
        self.asked.append(count)

    def pushed(self, cost=10**8):
        """The product as engines run it."""
        words = list(self.call.words)
        words[blas_word("gemm")] = _address(self.functions[0])
        words[blas_word("threads")] = ctypes.addressof(self.state)
        addresses = [x.__array_interface__["data"][0] for x in (*self.arrays, self.out)]
        record = [*self.call.head, *addresses, *words, *self.call.tail]
        return NativeCall(blas.routine().address, record, self.call.size, cost=cost)


def _address(function):
    return ctypes.cast(function, ctypes.c_void_p).value


def blas_word(name):
    from nbgraph.kernels.products.blas_text import WORDS

    return WORDS.index(name) - 5  # behind the head and the addresses


@pytest.fixture
def threaded():
    before = ng.engine.current().kind
    ng.engine.set("threaded")
    yield ng.engine.current()
    ng.engine.set(before)


def test_one_thread_while_a_call_is_under_way():
    """MTE-02: set to 1 before the first tile, back after the last."""
    seen = []
    stand = Stand(lambda s: seen.append(s.count), shape=(2500, 2500, 8))
    stand.pushed()()
    assert seen == [1] * stand.call.size
    assert seen[1:]
    assert stand.asked == [1, 4]
    assert list(stand.state)[:2] == [0, 0]


def test_a_count_of_one_is_left_alone():
    stand = Stand(lambda s: None, count=1)
    stand.pushed()()
    assert stand.asked == []


def test_who_sets_the_count_meanwhile_is_obeyed():
    """MTE-02: what somebody else sets during our call stays."""

    def gemm(stand):
        stand.count = 3

    stand = Stand(gemm)
    stand.pushed()()
    assert (stand.count, stand.asked) == (3, [1])


def test_calls_that_overlap_set_the_count_once():
    """MTE-02: the first sets it, the last brings back what was there before the first."""
    both = threading.Barrier(2)
    stand = Stand(lambda s: both.wait(SOON))
    calls = [stand.pushed() for _ in range(2)]
    threads = [threading.Thread(target=call) for call in calls]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert (stand.count, stand.asked) == (4, [1, 4])
    assert not both.broken


def test_independent_products_run_beside_each_other(threaded):
    """MTE-02: two branches take two workers; neither waits for the other."""
    both = threading.Barrier(2)
    stands = [Stand(lambda s: both.wait(SOON)) for _ in range(2)]
    done = [
        threaded.push(stand.pushed(), mutate_vars=[threaded.new_variable()]) for stand in stands
    ]
    for each in done:
        each.result()
    assert not both.broken


def test_workers_share_one_product(threaded, monkeypatch):
    """MTE-02: tiles of one large product run beside each other."""
    both = threading.Barrier(2)
    monkeypatch.setattr(products, "CORES", 2)
    stand = Stand(lambda s: both.wait(SOON), shape=(300, 1024, 64))
    assert stand.call.size == 2
    threaded.push(stand.pushed(), mutate_vars=[threaded.new_variable()]).result()
    assert not both.broken


def counts():
    """Threads of every BLAS in the process, as their own getters say."""
    return {p["filepath"]: p["num_threads"] for p in threadpoolctl.threadpool_info()}


@pytest.mark.parametrize("limit", [1, 2, 3])
def test_settings_of_users_are_untouched(limit):
    """MTE-02: NumPy's and SciPy's thread counts, as threadpoolctl has them, before and after."""
    blas.routine()
    rng = np.random.default_rng(1)
    x = ng.array(rng.normal(size=(700, 700)).astype("float32"))
    with threadpoolctl.threadpool_limits(limit, "blas"):
        before = counts()
        assert limit in before.values()
        branches = [ng.matmul(x, x) for _ in range(4)]
        sums = [float(ng.sum(b).asnumpy()) for b in branches]
        np.matmul(np.ones((300, 300)), np.ones((300, 300)))
        assert counts() == before
    assert len(set(sums)) == 1


def test_calls_from_many_threads_leave_nothing_behind():
    """MTE-02: the lock is free and nothing is under way once all are done."""
    routine, (a, b) = blas.routine(), np.ones((2, 40, 40), "float32")
    before = counts()

    def work():
        for _ in range(200):
            out = np.empty((40, 40), "float32")
            OP.run([a, b], [out], [kWriteTo], {})
            assert out[0, 0] == 40

    on_threads(work, 4)
    assert list(routine.threads.words)[:2] == [0, 0]
    assert counts() == before


def test_a_child_has_the_setting_of_before():
    """ENG-14: a fork while a product is under way leaves neither the lock nor the count of one."""
    threads = blas.Threads(None)
    set_to = []
    threads.getter, threads.setter = lambda: 1, set_to.append
    threads.words[:3] = [1, 2, 5]
    threads.forked()
    assert set_to == [5]
    assert list(threads.words)[:2] == [0, 0]


def test_a_library_without_a_setter_is_left_alone():
    """Other libraries than OpenBLAS: products are computed, nothing is set."""
    stand = Stand(lambda s: None)
    stand.state[3] = 0
    stand.pushed()()
    assert stand.asked == []


def test_threads_that_come_first_at_once_share_one_routine():
    """SciPy's module is loaded by one of them, and the lock of its count is one."""
    program = """
import sys, threading
sys.setswitchinterval(1e-6)
from nbgraph.kernels.products import blas
gate, actual = threading.Barrier(8), []
def go():
    gate.wait()
    actual.append(blas.routine())
threads = [threading.Thread(target=go) for _ in range(8)]
for thread in threads: thread.start()
for thread in threads: thread.join()
import scipy.linalg
print(len(actual), len(set(map(id, actual))))
"""
    assert run_python("-c", program).split() == ["8", "1"]


@functools.cache
def code_of(dtype):
    return builtin.address(gemm.gemm_text(dtype), "gemm", 1)


def multiplied(dtype, a, b, c, alpha=1.0, beta=0.0):
    """What our gemm writes to `c`, of arrays in Fortran's order or views of C's."""
    number = {"f": ctypes.c_float, "d": ctypes.c_double}[dtype]
    forms = [b"N" if x.flags.f_contiguous else b"T" for x in (a, b)]
    lds = [max(x.strides) // x.itemsize for x in (a, b, c)]
    words = [ctypes.c_char(form) for form in forms]
    words += [ctypes.c_int32(n) for n in (*c.shape, a.shape[1])]
    words.append(number(alpha))
    for x, ld in zip((a, b), lds):
        words += [x.ctypes.data, ctypes.c_int32(ld)]
    words += [number(beta), c.ctypes.data, ctypes.c_int32(lds[2])]
    GEMM(code_of(c.dtype.name))(*(w if isinstance(w, int) else ctypes.addressof(w) for w in words))
    return c


SIZES = [(1, 1, 1), (48, 8, 16), (7, 9, 300), (50, 17, 33), (130, 3, 257), (9, 70, 0), (4200, 9, 5)]


@pytest.mark.skipif(vector_bytes(features()) != gemm.BYTES, reason="vectors of another size")
@pytest.mark.parametrize("forms", ["NN", "NT", "TN", "TT"])
@pytest.mark.parametrize("dtype", "fd")
def test_our_gemm_is_a_product(dtype, forms):
    """MTE-02: all forms, alpha and beta; what is cut elsewhere has the same bits, and nothing
    beside the result is written."""
    rng = np.random.default_rng(5)
    for m, n, k in SIZES:
        a, b = (
            (rng.normal(size=s) if f == "N" else rng.normal(size=s[::-1]).T).astype(
                dtype, order="F" if f == "N" else "C"
            )
            for s, f in zip(((m, k), (k, n)), forms)
        )
        exact = a.astype("d") @ b.astype("d")
        bound = (k + 2) * np.finfo(dtype).eps * (np.abs(a).astype("d") @ np.abs(b).astype("d") + 1)
        for alpha, beta in ((1.0, 0.0), (1.0, 1.0), (-0.5, 2.0)):
            room = np.full((m + 3, n), np.nan if beta == 0 else 0.25, dtype, order="F")
            actual = multiplied(dtype, a, b, room[:m], alpha, beta)
            wanted = alpha * exact + (0.25 * beta if beta else 0)
            assert np.all(np.abs(actual - wanted) <= bound * 2), (m, n, k, alpha, beta)
            assert np.array_equal(room[m:], np.full_like(room[m:], room[-1, 0]), equal_nan=True)
        whole = multiplied(dtype, a, b, np.empty((m, n), dtype, order="F"))
        if forms == "TN" and k > 1:  # whose parts are contiguous
            part = np.empty((m - m // 3, n - n // 2), dtype, order="F")
            multiplied(dtype, a[m // 3 :], b[:, n // 2 :], part)
            np.testing.assert_array_equal(part, whole[m // 3 :, n // 2 :])


def test_a_module_that_another_thread_loads_is_waited_for(monkeypatch):
    """It is in `sys.modules` from the start of its execution, without its functions."""
    name, begun, go_on = "scipy.linalg.cython_nothing", threading.Event(), threading.Event()

    class Slow:
        def create_module(self, spec):
            return None

        def exec_module(self, module):
            monkeypatch.setitem(sys.modules, name, module)  # as Cython's modules do
            begun.set()
            assert go_on.wait(SOON)
            module.__pyx_capi__ = {"sgesdd": None}

    spec = importlib.machinery.ModuleSpec(name, Slow())
    monkeypatch.setattr(blas.PathFinder, "find_spec", lambda *args: spec)
    whole = lambda: hasattr(blas.module_of("nothing"), "__pyx_capi__")
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(whole)
        assert begun.wait(SOON)
        second = pool.submit(whole)
        with pytest.raises(TimeoutError):
            second.result(0.1)
        go_on.set()
        assert first.result(SOON) and second.result(SOON)
