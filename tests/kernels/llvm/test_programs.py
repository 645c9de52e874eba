"""Text of the vocabulary means the same to both compilers.

Kernel budget: a program takes Numba two seconds; the everyday run reads three, --full sixty.
"""

import ctypes

import numpy as np
import pytest

from nbgraph.codegen import target
from nbgraph.kernels.compiler import cpu
from tests.kernels.llvm.programs import KINDS, Program
from tests.kernels.llvm.twins import same, values

SIZE = 200
_CALL = ctypes.CFUNCTYPE(ctypes.c_int64, ctypes.c_int64, ctypes.c_int64, ctypes.c_int64)
SEEDS = [pytest.param(n, marks=[pytest.mark.slow] if n >= 3 else []) for n in range(60)]


def results(source, by, given):
    """What a program stores, by kind."""
    made = cpu.compile_source(source, by)
    code = target.LoadedCode(made.code, made.symbols)
    found = {kind: np.zeros(2 * SIZE, given[kind].dtype) for kind in KINDS}
    places = [a.ctypes.data for kind in KINDS for a in (given[kind], found[kind])]
    record = np.array(places, np.int64)
    assert _CALL(code.address)(record.ctypes.data, 0, SIZE) == 0
    return found


@pytest.mark.parametrize("seed", SEEDS)
def test_both_compilers_read_the_same(seed):
    """Integers of all widths, floats, bools, conversions, loops, branches, parts."""
    source = Program(seed, statements=20).source()
    rng = np.random.default_rng(seed)
    given = {kind: values(rng, kind, (SIZE + 40,)) for kind in KINDS}
    by_llvm, by_numba = (results(source, by, given) for by in ("llvm", "numba"))
    for kind in KINDS:
        assert same(by_llvm[kind], by_numba[kind]), f"{kind} differs in\n{source.text}"
    varied = [kind for kind in KINDS if len(np.unique(by_llvm[kind].view(np.uint8))) > 4]
    assert len(varied) >= 5, varied  # something was computed
