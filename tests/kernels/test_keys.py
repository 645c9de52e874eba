"""Keys of compiled code: whatever the code depends on is in its key.

A key that lacks an ingredient hands out code made for another machine, or with other rules of
arithmetic, which no other test sees as long as the cache is empty.
"""

import itertools

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import builtin, cache, host, target, unit
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.compiler.kernel import deferring, kernel
from nbgraph.kernels.cuda import compile as cuda
from nbgraph.kernels.cuda import host as on_host
from nbgraph.kernels.loops.body import Namespace
from nbgraph.kernels.loops.writer import Source

TEXT = """\
def kernel(args, lo, hi):
    x = float32_word(args, 2) + float32_word(args, 3)
    return 0
"""


class AskedForError(Exception):
    """Raised in place of a look into the cache; holds the key."""


@pytest.fixture
def asked(monkeypatch):
    """The key by which a function looks into the cache."""

    def load(key):
        raise AskedForError(key)

    def key_of(function):
        with pytest.raises(AskedForError) as found:
            function()
        return str(found.value)

    monkeypatch.setattr(cache, "load", load)
    return key_of


def source(**changes):
    space = Namespace("float32")
    if changes.pop("calls", False):
        space.function("exp")
    return Source("kernel", TEXT, space, fastmath=False)._replace(**changes)


FORM = cuda.Form(4, 128)


def by_llvm(asked, **changes):
    return cpu.content_key(source(**changes), "llvm")


def by_numba(asked, **changes):
    return cpu.content_key(source(**changes), "numba")


def as_ptx(asked, **changes):
    return cuda.content_key(source(**changes), FORM, (9, 0))


def thread_on_host(asked, **changes):
    return asked(lambda: on_host.by_thread(source(**changes)))


def as_unit(asked):
    return unit.content_key(TEXT)


def as_builtin(asked):
    return asked(lambda: builtin.address("text"))


KERNELS = [by_llvm, by_numba, as_ptx, thread_on_host]
CHANGES = [
    {"fastmath": True},
    {"text": TEXT.replace("0", "lo")},
    {"calls": True},
]
OF_THE_HOST = [by_llvm, by_numba, thread_on_host, as_unit, as_builtin]


@pytest.mark.parametrize("key", KERNELS)
def test_another_text_or_arithmetic_is_another_key(asked, key):
    """Each change, and each two of them, is code of its own."""
    subsets = itertools.chain.from_iterable(itertools.combinations(CHANGES, n) for n in range(4))
    keys = []
    for changes in subsets:
        merged = {name: value for change in changes for name, value in change.items()}
        if key is thread_on_host and "calls" in merged:
            continue  # its text has the functions that it calls
        keys.append(key(asked, **merged))
    assert len(set(keys)) == len(keys) >= 4


def test_a_kernel_that_streams_is_another():
    assert by_llvm(None) != by_llvm(None, streaming=True)


@pytest.mark.parametrize(
    ("form", "capability"),
    [
        *[(FORM._replace(**{name: 1}), (9, 0)) for name in ("words", "threads")],
        *[(FORM._replace(**{name: True}), (9, 0)) for name in ("blocks", "fails")],
        (FORM, (8, 0)),
    ],
)
def test_another_launch_or_device_is_another_key(form, capability):
    assert cuda.content_key(source(), form, capability) != as_ptx(None)


@pytest.mark.parametrize("key", OF_THE_HOST)
@pytest.mark.parametrize("part", ["cpu_name", "features", "llvm", "numba"])
def test_another_processor_or_compiler_is_another_key(asked, key, part, monkeypatch):
    """Code for instruction sets that a processor lacks ends the process."""
    before = key(asked)
    assert key(asked) == before
    own = host.host()
    if part in ("llvm", "numba"):
        monkeypatch.setattr(target, "_host", lambda: own._replace(**{part: "another"}))
    else:
        monkeypatch.setattr(target, part, lambda: "another")
    assert key(asked) != before


def test_settings_of_the_processor_are_in_the_key():
    """What a person sets in place of the host's own words."""
    before = by_llvm(None)
    with ng.config(cpu_name="another"):
        assert by_llvm(None) != before


def test_functions_of_equal_bodies_share_their_code(monkeypatch):
    compiled = []
    compile_source = cpu.compile_source
    monkeypatch.setattr(
        cpu, "compile_source", lambda *given: compiled.append(1) or compile_source(*given)
    )
    for name in ("first_of_equals", "second_of_equals"):
        op = ng.op(lambda x: (x * 0.8171 - 4.7) * x / (x * x + 0.273), name=name)
        op(np.ones(3))
        (found,) = (k for p in op.invoker._plans.values() for k in p.kernels.values())
        assert found.loop.name == found.source.name == name
    assert len(compiled) == 1


def test_kernels_that_wait_for_their_code_share_it():
    """Both are looked for on disk before one of them is compiled."""
    kernels = []
    for name in ("first_that_waits", "second_that_waits"):
        op = ng.op(lambda x: (x * 0.8171 - 4.7) * x / (x * x - 0.531), name=name)
        plan = op.invoker.plan_of([np.dtype("float64")], {})
        with deferring():
            kernels.append(kernel(plan.loop(("c", "c"), ["float64"], ("write",))))
    assert not any(each.at_hand() for each in kernels)
    kernels[0].load()
    assert kernels[1].at_hand()
    assert kernels[0].address == kernels[1].address
