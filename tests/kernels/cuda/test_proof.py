"""Every elementwise operator compiles for the GPU, forward and backward, without a GPU (SMP-07,
SMP-39, MFU-03, MFU-05, MSP-01, MSP-03).

LLVM makes PTX, NVIDIA's linker machine code of it; `proof` says what both must be. What other
operators run on, reductions and rows and folds, is tried in `test_collected`. Kernel budget: 0.2 s
a kernel; everyday all operators in float32 and float64, some in 16 bits and for capability 8.0.
"""

import pytest

from nbgraph import ops
from nbgraph.errors import NbgraphError
from nbgraph.operator.backward import backward
from tests.kernels.cuda import machine_code
from tests.kernels.cuda.proof import grids, wrong
from tests.kernels.llvm.test_maps import seed_of
from tests.kernels.llvm.twins import DTYPES, dtype_of
from tests.ops.elementwise import DIFFERENTIABLE, NAMES

FLOATS = ("float32", "float64", "float16", "bfloat16")


def loops(name, form, dtypes):
    """An operator's contiguous maps."""
    op = getattr(ops, name)
    op = backward(op) if form == "backward" else op
    for dtype in dtypes:
        try:
            plan = op.invoker.plan_of([dtype_of(dtype)] * op.nin, op.parameters_of({}))
        except NbgraphError:  # no operator of such numbers
            continue
        outputs = [o.name for o in plan.typed.outputs]
        count = op.nin + op.nout
        yield plan.loop(["c"] * count, outputs, ["write"] * op.nout)


def chosen(name, form, full):
    """Capabilities and dtypes that are tried."""
    if full:
        return [((9, 0), DTYPES), ((8, 0), DTYPES)]
    seed = seed_of(name, form)
    short = [FLOATS[2 + seed % 2]] if seed % 3 == 0 else []
    old = [((8, 0), [FLOATS[seed // 8 % 2]])] if seed % 5 == 0 else []
    return [((9, 0), ["float32", "float64", *short]), *old]


CASES = [
    *((name, "forward") for name in NAMES),
    *((name, "backward") for name in DIFFERENTIABLE),
]


@pytest.mark.everyday(1 / 5)
@pytest.mark.parametrize(("name", "form"), CASES)
def test_operators(name, form, full):
    machine_code.required()
    tried = 0
    for capability, dtypes in chosen(name, form, full):
        for loop in loops(name, form, dtypes):
            tried += 1
            for grid in grids(loop):
                assert not wrong(loop, capability, grid)
    if not tried:  # of integers alone
        for loop in loops(name, form, ["int32", "bool"]):
            tried += 1
            assert not [w for grid in grids(loop) if (w := wrong(loop, (9, 0), grid))]
    assert tried
