"""One text, other processors: what they are told, and what they compute.

The bits of both compilers agree on instruction sets that this processor has besides its own; for
others the assembly is looked at.
"""

import json
import re

import llvmlite.binding as llvm
import numpy as np
import pytest

import nbgraph as ng
from nbgraph.codegen import target
from nbgraph.kernels.compiler import cpu, simd
from nbgraph.kernels.compiler.kernel import kernel
from nbgraph.kernels.loops.source import emit
from nbgraph.native.processor import is_x86
from tests.kernels.llvm.collected import FEW, few
from tests.support import ROOT, run_python

ARM = "aarch64-unknown-linux-gnu"
SETS = {
    "x86-64": "+sse2",  # no fused multiply-add: the vector maths are made for it
    "x86-64-v3": "+sse4.2,+avx,+avx2,+fma,+f16c,+bmi,+bmi2,+lzcnt,+popcnt,+movbe",
}
x86 = pytest.mark.skipif(not is_x86(), reason="these are instruction sets of x86")


@pytest.fixture
def arm(monkeypatch):
    """The code generator of another processor in the place of the host's."""
    llvm.initialize_all_targets()
    llvm.initialize_all_asmprinters()
    try:
        machine = llvm.Target.from_triple(ARM).create_target_machine(features="+neon", opt=3)
    except RuntimeError:
        pytest.skip(f"this LLVM makes no code for {ARM}")
    monkeypatch.setattr(target, "machine", lambda *level: machine)
    monkeypatch.setattr(target, "features", lambda: "+neon,+fma")


@pytest.mark.parametrize("name", FEW)
def test_neon(name, arm, monkeypatch):
    """Maps, a reduction, a gradient: packed in 128-bit registers."""
    monkeypatch.setattr("nbgraph.kernels.llvm.vocabulary.is_x86", lambda: False)
    loop = few()[name]
    text = cpu.assembly(emit(loop), "llvm")
    if name == "sum":  # stores nothing packed
        assert re.search(r"fadd\s+v\d+\.4s", text)
    elif name == "floor_divide":  # no vector can divide integers, but floats that hold them
        assert re.search(r"fdiv\s+v\d+\.2d", text)
    else:
        found = simd.analyse(text, loop)
        assert (found.vectorised, found.width) == (True, 128), found


@pytest.mark.everyday(1 / 2)
@x86
@pytest.mark.parametrize("name", SETS)
def test_other_instruction_sets(name, own_cache):
    """In a process that makes code for a plainer processor both compilers agree."""
    flags = " " + target.host()
    missing = [f for f in SETS[name].split(",") if f not in flags]
    if missing:
        pytest.skip(f"this processor lacks {missing}")
    settings = {"NUMBA_CPU_NAME": name, "NUMBA_CPU_FEATURES": SETS[name]}
    printed = run_python("-m", "tests.kernels.llvm.collected", "few", 1, 0, cwd=ROOT, **settings)
    found = [json.loads(line) for line in printed.splitlines()]
    assert len(found) == len(FEW)
    assert [each["wrong"] for each in found if each["wrong"]] == []


def test_both_use_the_same_registers():
    """What LLVM makes of a text does not depend on who lowered it."""
    for name in ("exp", "add", "sigmoid"):
        loop, widths = few()[name], []
        for by in ("llvm", "numba"):
            with ng.config(compiler=by):
                widths.append(simd.of(kernel(loop)).width)
        assert widths[0] == widths[1] > 0, name


def test_explanations_name_the_compiler():
    """explain() says who compiled, and has the texts."""
    square = ng.op(lambda x: x * x + 0.25)
    for by, name in (("llvm", "LLVM"), ("numba", "Numba")):
        with ng.config(compiler=by):
            fresh = ng.op(square.scalar.fn)
            found = fresh.explain(dtype=np.float32)
            assert found.to_dict()["kernel"]["compiler"] == by
            assert f" by {name} in " in str(found)
            assert "define" in found.llvm
            assert "load_input(x_p, i)" in found.source
            assert f"x {'float'}>" in found.llvm
            assert found.assembly.lstrip().startswith((".", "#"))
