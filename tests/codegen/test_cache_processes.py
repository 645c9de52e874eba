"""The disk cache among real processes: at once, killed in between, over damage, while trimmed."""

from __future__ import annotations

import errno
import hashlib
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import cache

ROOT = Path(__file__).parent.parent.parent
# entries whose code tells whether it is whole: what a process may find is this, or nothing
WRITER = """
import hashlib, itertools, sys
from nbgraph.codegen import cache

def code(number):
    return hashlib.sha256(str(number).encode()).digest() * 4096

def key(number):
    return hashlib.sha256(b"key %d" % number).hexdigest()
"""
FOREVER = """
print("ready", flush=True)
for number in itertools.count():
    cache.store(key(number % 7), cache.Entry(code(number % 7), ("lgamma",), 0.5, "compiled"))
"""
READ = """
found = 0
for turn in range(int(sys.argv[1])):
    entry = cache.load(key(turn % 7))
    if entry is not None:
        assert entry.code == code(turn % 7) and entry.symbols == ("lgamma",), turn
        found += 1
print(found, cache.info().damaged)
"""
TRIMMED = """
for number in range(40 * int(sys.argv[1]), 40 * int(sys.argv[1]) + 40):
    cache.store(key(number), cache.Entry(code(number), (), 0.5, "compiled"))
    entry = cache.load(key(number - number % 5))
    assert entry is None or entry.code == code(number - number % 5), number
print("fine")
"""
ALONE = """
import os, time
with cache.lock():
    handle = os.open(sys.argv[1], os.O_CREAT | os.O_EXCL)  # fails where it is there
    time.sleep(0.05)
    os.close(handle)
    os.unlink(sys.argv[1])
print("fine")
"""
KERNELS = """
import math, sys
import numpy as np
import nbgraph as ng

@ng.op
def shared(x, *, a=2.0):
    return a * x if x > 0 else math.expm1(x)

x = np.linspace(-1, 1, 9, dtype=np.float32)
print(shared(x).tolist(), shared.derivative("x")(x).tolist())
"""


def start(text, folder, *arguments, **environment):
    """A Python process over a file of this text, with its own cache folder."""
    script = folder / f"{hashlib.sha256(text.encode()).hexdigest()[:8]}.py"
    if not script.exists():
        script.write_text(text, encoding="utf-8")
    return subprocess.Popen(
        [sys.executable, str(script), *map(str, arguments)],
        env={**os.environ, "NBGRAPH_CACHE_DIR": str(folder / "cache"), **environment},
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def ended(process):
    """What it printed; it has to end well."""
    out, err = process.communicate(timeout=240)
    assert process.returncode == 0, err
    return out.strip()


def left_over(folder):
    return list((folder / "cache" / "kernels").glob(".new-*"))


def test_eight_cold_processes_at_once(tmp_path):
    """All compile or find the same kernels, and none sees half of one."""
    printed = [ended(p) for p in [start(KERNELS, tmp_path) for _ in range(8)]]
    assert len(set(printed)) == 1
    assert not left_over(tmp_path)
    assert ended(start(KERNELS, tmp_path)) == printed[0]


@pytest.mark.skipif(os.name != "posix", reason="SIGKILL")
def test_writers_killed_at_any_moment_leave_no_bad_code(tmp_path, full):
    """Killed in the middle of stores, again and again; a survivor reads all the while."""
    moments = random.Random(7)
    survivor = start(WRITER + READ, tmp_path, 3000)
    for _ in range(12 if full else 5):
        victim = start(WRITER + FOREVER, tmp_path)
        assert victim.stdout.readline() == "ready\n"
        time.sleep(moments.uniform(0.0, 0.02))
        victim.send_signal(signal.SIGKILL)
        victim.communicate(timeout=60)
    assert ended(survivor).endswith(" 0")
    found, damaged = ended(start(WRITER + READ, tmp_path, 7)).split()
    assert int(found) > 0 and damaged == "0"


def test_trimming_while_others_read_and_write(tmp_path):
    """A limit of a few entries, so that every process deletes what others look for."""
    several = [
        start(WRITER + TRIMMED, tmp_path, n % 3, NBGRAPH_CACHE_BYTES="600000") for n in range(6)
    ]
    assert [ended(p) for p in several] == ["fine"] * 6
    assert not left_over(tmp_path)


@pytest.mark.skipif(os.name != "posix", reason="flock")
def test_one_process_at_a_time(tmp_path):
    several = [start(WRITER + ALONE, tmp_path, tmp_path / "inside") for _ in range(6)]
    assert [ended(p) for p in several] == ["fine"] * 6


CHANGED = """
import numpy as np, nbgraph as ng

OFFSET = {offset}


def helper(v):
    return v * {factor}


def made(power):
    @ng.op
    def changing(x, *, scale={scale}):
        return helper(x) + OFFSET + power * scale * x * x

    return changing


f = made({power})
x = np.array([1.0, 2.0])
value, slope = ng.value_and_grad(lambda x: ng.sum(f(x)))(x)
bound = ng.sum(f(ng.var("x"))).simple_bind(x=(2,), type_dict={{"x": "float64"}})
bound.forward_backward(x=x)
print(*f(x), float(value), *np.asarray(slope))
print(bound.outputs[0].item(), *bound.grad_dict["x"].tolist())
"""


@pytest.mark.parametrize("name", ["offset", "factor", "power", "scale"])
def test_a_file_with_another_number_at_the_same_time_is_compiled_anew(tmp_path, name):
    """A global, a helper's literal, a closure's cell, a default: the file has the same name, size
    and time, and what the process before it compiled lies on disk."""
    path, cache_dir = tmp_path / "program.py", tmp_path / "cache"
    environment = {
        **os.environ,
        "NBGRAPH_CACHE_DIR": str(cache_dir),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    for changed in (3.0, 5.0):
        numbers = dict.fromkeys(("offset", "factor", "power", "scale"), 2.0) | {name: changed}
        path.write_text(CHANGED.format(**numbers), encoding="utf-8")
        os.utime(path, (1e9, 1e9))
        command = [sys.executable, str(path)]
        told = subprocess.run(command, check=True, capture_output=True, text=True)
        x = np.array([1.0, 2.0])
        square = numbers["power"] * numbers["scale"]
        value = numbers["factor"] * x + numbers["offset"] + square * x * x
        slope = numbers["factor"] + 2 * square * x
        expected = [*value, value.sum(), *slope, value.sum(), *slope]
        np.testing.assert_allclose([float(word) for word in told.stdout.split()], expected)


@pytest.fixture
def folder(tmp_path):
    with ng.config(cache_dir=str(tmp_path)):
        yield tmp_path / "kernels"


ENTRY = cache.Entry(bytes(range(256)) * 8, ("lgamma", "erf"), 0.5, "compiled", ("push", "run"))
HEAD = 17 + 32  # the mark and the hash


@pytest.mark.parametrize("length", [0, 1, 16, 17, 30, HEAD - 1, HEAD, HEAD + 3, HEAD + 4, 100, -1])
def test_a_file_cut_at_any_length_is_a_miss(folder, length):
    """Cut in the mark, the hash, the length, the head, the code; -1: one byte is missing."""
    cache.store("key", ENTRY)
    (path,) = folder.glob("*.nbk")
    path.write_bytes(path.read_bytes()[:length])
    assert cache.load("key") is None
    cache.store("key", ENTRY)
    assert cache.load("key") == ENTRY._replace(origin="disk")


def test_a_bit_flipped_anywhere_is_a_miss(folder):
    cache.store("key", ENTRY)
    (path,) = folder.glob("*.nbk")
    whole = path.read_bytes()
    for place in (*range(0, 200, 3), *range(200, len(whole), 97), len(whole) - 1):
        path.write_bytes(
            whole[:place] + bytes([whole[place] ^ 1 << place % 8]) + whole[place + 1 :]
        )
        assert cache.load("key") is None, place
    path.write_bytes(whole)
    assert cache.load("key") is not None


def test_a_folder_in_the_place_of_a_file_is_a_miss_for_good(folder):
    cache.store("key", ENTRY)
    (path,) = folder.glob("*.nbk")
    path.unlink()
    path.mkdir()
    assert cache.load("key") is None
    cache.store("key", ENTRY)
    assert cache.load("key") is None
    assert not list(folder.glob(".new-*"))
    assert cache.info().entries == 1
    assert cache.clear() == 0


def test_facts_are_kept_like_code(folder):
    assert cache.recall("fact") is None
    cache.remember("fact", b"holds")
    assert cache.recall("fact") == b"holds"
    assert cache.load("fact") is None, "a fact is not a code"
    (path,) = folder.glob("*.nbf")
    path.write_bytes(path.read_bytes()[:-1])
    assert cache.recall("fact") is None
    assert cache.info().entries == 0 and cache.clear() == 0 and not list(folder.iterdir())


def test_what_killed_processes_left_is_cleared_away(folder):
    """After an hour: until then it may be another process at work."""
    cache.store("key", ENTRY)
    old, new = folder / ".new-0123", folder / ".new-4567"
    for path in (old, new):
        path.write_bytes(b"half")
    os.utime(old, (0, time.time() - 7200))
    cache._trim(folder)
    assert not old.exists() and new.exists()


def test_a_folder_one_may_only_read_from_serves_what_it_has(folder, monkeypatch):
    def refuse(*_, **__):
        raise OSError(errno.EROFS, "read-only file system")

    cache.store("key", ENTRY)
    for name in ("open", "utime"):  # root may write whatever the permissions say
        monkeypatch.setattr(os, name, refuse)
    assert cache.load("key") == ENTRY._replace(origin="disk")
    cache.store("other", ENTRY)
    assert cache.load("other") is None


def test_files_are_private(folder):
    cache.store("key", ENTRY)
    (path,) = folder.glob("*.nbk")
    assert path.stat().st_mode & 0o077 == 0
    assert folder.stat().st_mode & 0o077 == 0
