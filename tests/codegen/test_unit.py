"""Units: many functions in one object file, found again without Numba, in memory for good."""

from __future__ import annotations

import ctypes
import gc
from pathlib import Path

import pytest

import nbgraph as ng
from nbgraph.codegen import fastcall, target, unit
from tests.codegen import support, unit_functions
from tests.support import child as ended
from tests.support import on_threads

ROOT = Path(__file__).parent.parent.parent
KERNEL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def child(text, **environment):
    """Run a Python program that has a minute."""
    return ended("-W", "error", "-c", text, cwd=ROOT, timeout=60, **environment)


def test_roots_of_both_kinds_answer():
    made = support.shared()
    assert made.names == tuple(support.ROOTS)
    assert fastcall.bind(made.address("total"), 1, 2)(3, 4) == 10
    assert KERNEL(made.address("line"))(7, 8, 9) == 65
    with pytest.raises(KeyError):
        made.address("word")  # not a root: inside, if at all
    assert "total" in repr(made)


def test_functions_see_replaced_primitives_and_their_modules_constants():
    made = support.shared()
    assert fastcall.bind(made.address("limit"))() == unit_functions.LIMIT
    assert unit_functions.load(5) == 5, "the module itself is as it was"


def test_functions_of_several_modules_see_each_other():
    spaces = [{"STEP": 3}, {"STEP": 50}]
    exec("def upper(argv, argc):\n    return lower(argc) + STEP", spaces[0])
    exec("def lower(n):\n    return first(n) + STEP", spaces[1])
    functions = {"upper": spaces[0]["upper"], "lower": spaces[1]["lower"]}

    def first(n):
        return n + 1

    made = unit.transplant({**functions, "first": first}, {})
    found = unit.build(unit.content_key("several modules"), {"upper": (made["upper"], 2)})
    assert fastcall.bind(found.address("upper"))(0, 0) == 2 + 1 + 50 + 3


def test_a_function_is_compiled_once_for_all_integers():
    made = unit.transplant(unit_functions.ALL, {})
    found = unit.build(unit.content_key("once"), {"sums": (made["sums"], 2)})
    assert fastcall.bind(found.address("sums"))(1, 1, 1, 1) == 3 + 3 + 4 + 6 + 8
    assert len(made["add"].overloads) == 1


def test_plain_functions_can_be_roots():
    def difference(argv, argc):
        return argc - 2

    made = unit.build(unit.content_key("difference"), {"difference": (difference, 2)})
    assert fastcall.bind(made.address("difference"))(1, 1, 1, 1, 1) == 3


def test_only_roots_are_visible_outside(tmp_path):
    with ng.config(cache_dir=str(tmp_path)):
        made = support.built()
        assert made.origin == "compiled"
        again = unit.load(support.KEY)
    assert again is not None and again.origin == "disk" and again.names == made.names
    assert again.address("total") != made.address("total")
    (path,) = (tmp_path / "kernels").glob("*.nbk")
    data = path.read_bytes()
    assert b"nbgraph_total" in data and b"_ZN" not in data, "Numba's own names are gone"


def test_an_unknown_key_and_a_foreign_entry_are_no_unit(tmp_path):
    with ng.config(cache_dir=str(tmp_path)):
        assert unit.load("nothing") is None
        ng.cache.store("kernel", ng.cache.Entry(b"code", (), 0.0, "compiled"))
        assert unit.load("kernel") is None


def test_keys_tell_parts_apart(monkeypatch):
    keys = {unit.content_key(*parts) for parts in (("a", "b"), ("ab",), ("b", "a"), ())}
    assert len(keys) == 4
    before = unit.content_key("a")
    monkeypatch.setenv("NBGRAPH_PARKING", "portable")
    assert unit.content_key("a") != before
    assert len(target.host()) > 0


def test_what_numba_refuses_is_named(tmp_path):
    def wrong(argv, argc):
        return argv + "text"

    with pytest.raises(ng.CompileError, match="wrong") as caught:
        unit.build(unit.content_key("wrong"), {"wrong": (wrong, 2)})
    assert "Traceback" not in str(caught.value)
    with pytest.raises(ng.CompileError, match="takes 2 or 3 words, not 1"):
        unit.build("key", {"short": (lambda a: a, 1)})
    assert gc.isenabled()


def test_a_process_that_finds_the_unit_does_not_import_numba():
    support.shared()
    done = child(
        "import sys\n"
        "from nbgraph.codegen import fastcall\n"
        "from tests.codegen import support\n"
        "from nbgraph.codegen import unit\n"
        "found = unit.load(support.KEY)\n"
        "print(fastcall.bind(found.address('total'), 4)(5), 'numba' in sys.modules)"
    )
    assert (done.returncode, done.stdout.split(), done.stderr) == (0, ["9", "False"], "")


ENDINGS = {
    "in it for ever": "thread(spin)",
    "coming and going": "thread(lambda: [spin_shortly() for _ in iter(int, 1)])",
}


@pytest.mark.parametrize("ending", ENDINGS)
def test_a_process_ends_while_a_thread_runs_in_the_unit(ending):
    """Daemon threads without the GIL outlive the interpreter; their code must not go before."""
    support.shared()
    done = child(f"""
import threading, time
import numpy as np
from nbgraph.codegen import fastcall, unit
from tests.codegen import support

class Late:
    def __del__(self):
        time.sleep(0.3)  # the interpreter is being taken apart while the threads run

late = Late()
found = unit.load(support.KEY)
memory, stopped = np.zeros(2, np.int64), np.array([0, 1])
keep = [np.zeros(2, np.int64) for _ in range(4)]
spin = fastcall.bind(found.address("spin"), memory.ctypes.data, release_gil=True)
spin_shortly = fastcall.bind(found.address("spin"), stopped.ctypes.data, release_gil=True)

def thread(job):
    for _ in range(2):
        threading.Thread(target=job, daemon=True).start()

{ENDINGS[ending]}
time.sleep(0.2)
del found
print("bye")
""")
    assert (done.returncode, done.stdout, done.stderr) == (0, "bye\n", "")


def test_two_units_with_the_same_names_stay_apart():
    def one(argv, argc):
        return 1

    def two(argv, argc):
        return 2

    units = [unit.build(unit.content_key(f.__name__), {"same": (f, 2)}) for f in (one, two)]
    assert [fastcall.bind(u.address("same"))() for u in units] == [1, 2]


def test_units_are_built_by_several_threads():
    results = []

    def work(n):
        def constant(argv, argc):
            return argc * 2 + n

        made = unit.build(unit.content_key(f"constant {n}"), {"constant": (constant, 2)})
        results.append((n, fastcall.bind(made.address("constant"))()))

    on_threads(work, range(4))
    assert sorted(results) == [(n, n) for n in range(4)]
