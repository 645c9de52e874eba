"""Who compiles: as the settings say; what neither compiler may pass over in silence."""

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CompileError
from nbgraph.kernels.compiler import cpu
from nbgraph.kernels.llvm import compile as by_llvm
from nbgraph.kernels.loops.body import Namespace
from nbgraph.kernels.loops.writer import Source


def source(*lines):
    text = "\n".join(
        ["def odd(args, lo, hi):", *(f"    {line}" for line in lines), "    return 0\n"]
    )
    return Source("odd", text, Namespace("float64"), fastmath=False)


UNKNOWN = {
    "frobnicate()": "frobnicate(lo)",
    "lo ** 2": "x = lo ** 2",
    "lambda": "f = lambda x: x",
    "+lo": "x = +lo",
    "lo is hi": "if lo is hi:\n        lo = hi",
    "store(lo, hi, value=0)": "store(lo, hi, value=0)",
    "x = y = 0": "x = y = 0",
    "x, y = (1, 2, 3)": "x, y = 1, 2, 3",
    "for i in lo": "for i in lo:\n        hi = i",
    "range(lo, hi, 2)": "for i in range(lo, hi, 2):\n        hi = i",
    "while lo < hi": "while lo < hi:\n        lo += 1\n    else:\n        lo = 0",
    "with lo": "with lo:\n        hi = lo",
    "continue": "while lo < hi:\n        continue",
    "'text'": "x = 'text'",
    "lo[0]": "x = lo[0]",
    "// of float64": "x = lo * 0.5 // 2",
    "~ of float64": "x = ~0.5",
    "min or max": "x = min(lo, 0.5)",
    "no value for nothing": "x = nothing",
    "no value for i": "for i in range(lo):\n        x = i\n    y = i",
    "counts a loop": "i = 0\n    for i in range(lo):\n        x = i\n    y = i",
    "is int64 and then float64": "x = lo\n    x = 0.5\n    y = x",
    "no common kind": "x = uint64(lo) + hi",
}


@pytest.mark.parametrize("what", UNKNOWN)
def test_text_that_is_not_known_is_refused(what):
    """The kernel and the construct are named, and the way out."""
    with pytest.raises(CompileError) as caught:
        by_llvm.text(source(UNKNOWN[what]))
    message = str(caught.value)
    assert message.startswith("odd: ")
    assert what in message
    assert "NBGRAPH_COMPILER=numba" in message
    assert "def odd" in caught.value.details


@pytest.fixture
def hidden():
    """An operator of a function whose source text cannot be found, made anew at each call."""
    space = {"math": math}
    exec("def shifted(x): return math.sin(x) * x + 1", space)
    return lambda: ng.op(space["shifted"], certify=False)


X = np.linspace(0, 1, 7)


def test_functions_without_text_are_numbas(hidden):
    """ "auto" takes Numba for such a kernel, "llvm" says why it cannot."""
    with ng.config(compiler="auto"):
        made = hidden()
        np.testing.assert_allclose(made(X), np.sin(X) * X + 1)
        assert made.explain(dtype="float64").to_dict()["kernel"]["compiler"] == "numba"
    with ng.config(compiler="llvm"), pytest.raises(CompileError) as caught:
        hidden()(X)
    for word in ("source text cannot be found", "Numba", "'auto'"):
        assert word in str(caught.value)


def test_settings_choose_the_compiler():
    """Kernels of other operators go to whom the setting names, "auto" to LLVM."""
    plain = by_llvm.text(source("lo += 1"))
    assert "define i64 @nbgraph_kernel(i64 %args, i64 %lo, i64 %hi)" in plain
    wanted = {"auto": "llvm", "llvm": "llvm", "numba": "numba"}
    for setting, by in wanted.items():
        with ng.config(compiler=setting):
            assert cpu.compiler(source("lo += 1")) == by
    with pytest.raises(ValueError, match=r"compiler='gcc'; expected one of auto, llvm, numba"):
        ng.config(compiler="gcc")


def test_kernels_of_two_compilers_are_kept_apart():
    """A kernel's key says who made it."""
    text = source("lo += 1")
    assert cpu.content_key(text, "llvm") != cpu.content_key(text, "numba")


def test_text_that_llvm_refuses_is_an_error_of_ours():
    """What the lowering got wrong is said with the kernel's name and LLVM's own words."""
    from nbgraph.codegen import optimise

    with pytest.raises(CompileError, match="odd: LLVM does not accept") as caught:
        optimise.optimised("define i64 @f() { ret i32 0 }", "odd")
    assert "ret i32 0" in caught.value.details
