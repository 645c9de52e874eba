"""The disk cache: found again by other processes, safe among many, never a crash."""

from __future__ import annotations

import json
import math
import os
import textwrap
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import cache
from nbgraph.settings import Settings
from tests.support import run_python

SCRIPT = """
import json, math, sys
import numpy as np
import nbgraph as ng

@ng.op
def from_file(x, *, a=2.0):
    return a * x if x > 0 else math.expm1(x)

from_lambda = ng.op(lambda x: x * x + 0.25)
space = {}
exec("def f(x):\\n    return 3.0 * x + 1.0", space)
from_exec = ng.op(space["f"])

x = np.linspace(-1, 1, 9, dtype=np.float32)
values = [op(x).tolist() for op in (from_file, from_lambda, from_exec)]
values.append(from_file.derivative("x")(x).tolist())
info = ng.cache.info()
print(json.dumps([values, info.hits, info.misses, "numba" in sys.modules]))
"""


@pytest.fixture
def folder(tmp_path):
    with ng.config(cache_dir=str(tmp_path)):
        yield tmp_path


@pytest.fixture
def script(tmp_path):
    path = tmp_path / "ops_of_a_user.py"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def run(script: Path, cache_dir: Path):
    return json.loads(run_python(script, NBGRAPH_CACHE_DIR=str(cache_dir)).splitlines()[-1])


def entries(folder: Path) -> list[Path]:
    return sorted((folder / "kernels").glob("*.nbk"))


def test_a_second_process_compiles_nothing(script, tmp_path):
    """Functions from a file, a lambda and exec; the second process does not import Numba."""
    store = tmp_path / "cache"
    values, _, misses, numba_seen = run(script, store)
    assert misses > 0 and numba_seen
    again, hits, misses, numba_seen = run(script, store)
    assert again == values
    assert misses == 0 and hits > 0
    assert not numba_seen


def test_a_notebook_cell_is_found_again_after_a_restart(tmp_path):
    """NB-02: two kernels, one after the other, run the same cell."""
    cell = textwrap.dedent("""
        from IPython.core.interactiveshell import InteractiveShell
        shell = InteractiveShell.instance()
        shell.run_cell('''
        import math, numpy as np, nbgraph as ng
        @ng.op
        def from_cell(x):
            return math.sqrt(x) if x > 0 else 0.0
        value = from_cell(np.float32([4.0, -1.0])).tolist()
        ''', silent=True)
        import json
        info = shell.user_ns["ng"].cache.info()
        print(json.dumps([[shell.user_ns["value"]], info.hits, info.misses, False]))
    """)
    pytest.importorskip("IPython")
    script = tmp_path / "two_cells.py"
    script.write_text(cell.replace("'''\n        ", "'''\n").replace("\n        ", "\n"), "utf-8")
    store = tmp_path / "cache"
    assert run(script, store)[0] == [[2.0, 0.0]]
    values, hits, misses, _ = run(script, store)
    assert values == [[2.0, 0.0]] and hits == 1 and misses == 0


@pytest.mark.slow
def test_many_processes_at_once(script, tmp_path):
    store = tmp_path / "cache"
    with ThreadPoolExecutor(4) as pool:
        results = list(pool.map(lambda _: run(script, store)[0], range(4)))
    assert all(r == results[0] for r in results)
    assert not list((store / "kernels").glob(".new-*"))


@pytest.mark.parametrize(
    "damage",
    [
        lambda data: b"",
        lambda data: data[: len(data) // 2],
        lambda data: data[:-1] + bytes([data[-1] ^ 1]),
        lambda data: b"something else entirely",
        lambda data: data.replace(b"nbgraph kernel 2", b"nbgraph kernel 1"),
    ],
    ids=["empty", "cut", "one bit", "foreign", "other version"],
)
def test_a_damaged_file_is_a_miss(folder, damage):
    entry = cache.Entry(b"code" * 50, ("lgamma",), 0.5, "compiled")
    cache.store("key", entry)
    (path,) = entries(folder)
    path.write_bytes(damage(path.read_bytes()))
    before = cache.info().damaged
    assert cache.load("key") is None
    assert cache.info().damaged == before + 1
    cache.store("key", entry)
    found = cache.load("key")
    assert found is not None and found.code == entry.code and found.symbols == ("lgamma",)


def test_an_entry_under_another_name_is_a_miss(folder):
    cache.store("key", cache.Entry(b"code", (), 0.5, "compiled"))
    entries(folder)[0].rename(folder / "kernels" / "other.nbk")
    assert cache.load("other") is None


def test_the_oldest_entries_go_when_the_folder_is_full(tmp_path):
    with ng.config(cache_dir=str(tmp_path), cache_bytes=40_000):
        for i in range(130):
            cache.store(f"key{i}", cache.Entry(bytes(1000), (), 0.1, "compiled"))
            os.utime(entries(tmp_path)[0])
        assert cache.info().bytes <= 40_000 + 65 * 1300
        assert cache.load("key129") is not None


def test_no_cache_folder_or_an_unwritable_one_is_no_error(tmp_path):
    x = np.float32([1.0, 2.0])
    with ng.config(cache_dir=""):
        assert ng.cache.info().folder == ""
        np.testing.assert_array_equal(ng.op(lambda x: x + 0.125)(x), x + np.float32(0.125))
    blocked = tmp_path / "file"
    blocked.write_text("not a folder")
    with ng.config(cache_dir=str(blocked)):
        np.testing.assert_array_equal(ng.op(lambda x: x + 0.375)(x), x + np.float32(0.375))


def test_a_user_without_a_home_has_no_cache_folder(monkeypatch):
    """In containers: a number that the system has no user for."""

    def refuse(kind):
        raise RuntimeError("Could not determine home directory.")

    for name in ("XDG_CACHE_HOME", "NBGRAPH_CACHE_DIR"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", classmethod(refuse))
    assert Settings.from_environment().cache_dir == ""
    monkeypatch.setenv("NBGRAPH_WATCHDOG", "soon")
    with pytest.raises(ValueError, match="NBGRAPH_WATCHDOG='soon'; expected a whole number"):
        Settings.from_environment()


def test_a_folder_that_is_deleted_meanwhile_is_empty(tmp_path):
    """By `rm -rf`, between two looks at it."""
    assert cache._files(tmp_path / "gone") == []
    cache._trim(tmp_path / "gone")


def test_a_folder_that_others_can_write_is_not_used(tmp_path):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels").chmod(0o777)
    with ng.config(cache_dir=str(tmp_path)):
        assert cache.folder() is None


def test_clear_and_info(folder):
    cache.store("key", cache.Entry(b"code", (), 0.5, "compiled"))
    info = ng.cache.info()
    assert info.entries == 1 and info.to_dict()["entries"] == 1 and str(folder) in str(info)
    assert ng.cache.clear() == 1
    assert ng.cache.info().entries == 0


def test_precompile_fills_the_cache(folder):
    """MSP-04: a list of dtypes is compiled ahead."""
    op = ng.op(lambda x: math.exp(math.sin(x) - math.cosh(x)) * x)  # no other test compiles it
    op.precompile([np.float32, "float64"])
    assert len(entries(folder)) == 2
    with pytest.raises(ng.ArgumentError, match="'tpu' is not known"):
        op.precompile([np.float32], devices=["tpu"])


def test_an_identical_redefinition_compiles_nothing(folder):
    def define():
        return ng.op(lambda x: x * 0.1875 + 3)

    x = np.float32([1.0])
    define()(x)
    count = len(entries(folder))
    define()(x)
    assert len(entries(folder)) == count


def resident() -> int:
    pages = Path("/proc/self/statm").read_text(encoding="ascii").split()[1]
    return int(pages) * os.sysconf("SC_PAGE_SIZE")


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="needs /proc")
def test_memory_stays_flat_over_many_redefinitions(full):
    """10^4 redefinitions of one operator (1,500 everyday), each called: nothing of the old ones is
    kept."""
    x = np.float32([1.0, 2.0])

    def redefine(n):
        for _ in range(n):

            @ng.op
            def again(x, *, a=1.5):
                return x * a if x > 1 else x - a

            again(x)

    redefine(1000)
    before = resident()
    redefine(10_000 if full else 1500)
    assert resident() - before < (8 if full else 2) * 2**20
