"""What kernels share: the loops around their inner runs, and mathematics that seldom runs."""

import math
import re

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import target
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.llvm import compile as by_llvm
from nbgraph.kernels.loops.source import emit
from tests.kernels.llvm.test_wide import loop


@ng.op
def cubed(x):
    return x * x * x


@ng.op
def other(number):
    return math.exp(number) - 1.0


@ng.op
def raised(x):
    if x < 0.0:
        raise ValueError("negative")
    return x + 1.0


@ng.op
def waves(x):
    return math.sin(x) * math.cos(2.0 * x) + math.sin(3.0 * x)


def called(op, dtype):
    """The text of a map, and the symbols of what it is linked with."""
    text, functions = by_llvm.lowered(emit(loop(op, dtype)))
    return text, {each.symbol for each in functions}


def test_bodies_of_one_layout_have_the_same_loops_around_them():
    (first, shared), (second, again) = (called(op, "float32") for op in (cubed, other))
    assert shared == again and len(shared) == 2  # the loops, and where a row begins
    assert first != second and "row_offset" not in first
    assert called(cubed, "float64")[1] != shared


def test_they_are_compiled_once(monkeypatch):
    cpu._shared.cache_clear()
    monkeypatch.setattr("nbgraph.codegen.cache.recall", lambda key: None)
    compiled = []
    emitted = cpu._emitted
    monkeypatch.setattr(cpu, "_emitted", lambda *how: compiled.append(1) or emitted(*how))
    for op, count in ((cubed, 3), (other, 1), (raised, 2), (raised, 1)):
        compiled.clear()
        cpu.compile_source(emit(loop(op, "float32")), "llvm")
        assert len(compiled) == count, op


@pytest.mark.parametrize("op", [cubed, other, waves])
def test_a_kernel_that_is_very_long_is_not_optimised(op, monkeypatch):
    """LLVM would take a minute for it; its bits are the same, here of another layout's kernel."""
    monkeypatch.setattr("nbgraph.codegen.cache.recall", lambda key: None)
    x = np.linspace(0.0, 40.0, 106)
    wanted, levels, machine = op(x)[::2], [], target.machine
    monkeypatch.setattr(cpu, "MAX_OPTIMISED", 100)
    monkeypatch.setattr(target, "machine", lambda opt=3: levels.append(opt) or machine(opt))
    cpu.compile_source(emit(loop(op, "float64")), "llvm")
    assert levels[:2] == [0, 0]  # the kernel's passes and code; what it shares is optimised
    np.testing.assert_array_equal(op(x[::2]), wanted, strict=True)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_large_angles_are_computed_by_functions_of_their_own(dtype):
    """The run for moderate ones has its mathematics inlined; both give what NumPy gives."""
    text, shared = called(waves, dtype)
    assert len(shared) == 4  # besides: sine and cosine
    assert len(re.findall(r"call \w+ @m_\w+_small_", text)) == 3
    assert not re.search(rf"@m_(sin|cos)_{dtype}\(", text)
    limit = {"float32": 2.0**17, "float64": 2.0**40}[dtype]
    small = np.linspace(-30, 30, 77, dtype=dtype)
    large = small.copy()
    large[::5] *= limit
    for x in (small, large):
        y = np.asarray(x, np.float64) if dtype == "float32" else x
        if dtype == "float32":
            wanted = np.sin(y) * np.cos(2 * y) + np.sin(np.float32(3) * x).astype(np.float64)
            np.testing.assert_allclose(waves(x), wanted, atol=1e-6)
        else:
            wanted = np.sin(x) * np.cos(2 * x) + np.sin(3 * x)
            np.testing.assert_allclose(waves(x), wanted, atol=1e-14)
    np.testing.assert_array_equal(waves(large)[1::5], waves(small)[1::5])


@ng.op
def with_gamma(x):
    step = math.gamma(x) * math.exp(math.sin(x))
    total, n = step, 0
    while abs(total) > 1e-3 and n < 9:
        total, n = total * 0.3 * step / (1 + step * step), n + 1
    return total


@ng.op
def raised_twice(x):
    if x < 0.0:
        raise ValueError("negative")
    if x > 9.0:
        raise OverflowError("large")
    return math.exp(math.sin(x))


@pytest.mark.parametrize("op", [with_gamma, raised_twice])
def test_llvm_remarks_on_nothing(op, capfd):
    """Loops that cannot become vectors ask for none: LLVM would print a remark."""
    for dtype in ("float32", "float64"):
        by_llvm.module(emit(loop(op, dtype)))
    assert capfd.readouterr().err == ""
