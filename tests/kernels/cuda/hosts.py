"""Kernels for the GPU as this machine runs them: one unit of a small grid after another.

A kernel whose units are threads depends on no other thread, so its text, compiled for the host and
called for each start in turn, does what the grid does. The CPU kernel of the same loop is the
judge: the same bits, but for sums over several rows, which may add up in another order.
"""

import ctypes
import functools

import numpy as np

from nbgraph.codegen import optimise, target
from nbgraph.kernels.compiler.kernel import kernel
from nbgraph.kernels.cuda import compile as compiled
from nbgraph.kernels.cuda import grid as grids
from nbgraph.kernels.cuda.emit import emit
from tests.kernels.llvm.twins import INNER, OUTER, prepared, same

UNITS = 5  # of the grid, an odd number that divides little
_PROTOTYPE = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)


def loaded(text, name):
    """The host's function of an LLVM text."""
    return _loaded(text, name)[0]


@functools.lru_cache(maxsize=256)
def _loaded(text, name):
    """The function, and what holds it."""
    module = optimise.optimised(text, name)
    code = bytes(target.machine().emit_object(module))
    held = target.LoadedCode(code, target.externals(module))
    return _PROTOTYPE(held.address), held


def run(loop, words, grid, units=UNITS):
    """Do what a grid of so many units does with a record."""
    source = emit(loop, grid)
    function = loaded(compiled.host_text(source), source.name)
    for start in range(units):
        assert function(words.ctypes.data, start, units) == 0


def close(a, b, compute):
    """Whether sums of a group of rows agree but for the order of their additions."""
    tolerance = 1024 * float(np.finfo(compute).eps)
    with np.errstate(all="ignore"):
        return np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def differences(loop, seed, *, rounds=3):
    """What differs between the CPU kernel's results and the GPU kernel's, in words; or nothing."""
    code = kernel(loop)
    for turn in range(rounds):
        rng = np.random.default_rng((seed, turn))
        outer = OUTER[int(rng.integers(len(OUTER)))]
        made = prepared(rng, loop, outer, int(rng.choice(INNER)))
        before = [a.copy() for a in made.memory]
        code.run(made.words, 0, made.total)
        wanted = [a.copy() for a in made.memory]
        chosen = grids.choose(loop, made.words)
        others = [chosen._replace(lanes=1), chosen._replace(lanes=1, narrow=False)]
        for grid in dict.fromkeys([chosen, others[turn % 2]]):
            for a, old in zip(made.memory, before, strict=True):
                a[...] = old
            run(loop, made.words, grid)
            for k, (a, b) in enumerate(zip(made.memory, wanted, strict=True)):
                if not (same(a, b) or (adds_up(loop) and close(a, b, loop.compute))):
                    bad = np.flatnonzero(
                        a.view(np.uint8).reshape(-1) != b.view(np.uint8).reshape(-1)
                    )
                    return (
                        f"{loop.name}: {loop.form}, {grid}, array {k}, {a.dtype} {outer} "
                        f"{made.words[0]} turn {turn}: bytes {bad[:5]} differ\n"
                        f"{emit(loop, grid).text}"
                    )
    return ""


def adds_up(loop):
    """Whether results are sums or products, whose order is not the CPU kernel's."""
    if loop.form == "columns":
        return any(t.combine in ("add", "multiply") for stage in loop.stages for t in stage)
    return loop.form == "leading" and loop.outputs[0].combine in ("add", "multiply")
