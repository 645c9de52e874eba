"""Kernels for the GPU, compiled for this machine, against the CPU's: every operator's maps.

SMP-07, SMP-39, MFU-05: one definition, both devices; layouts, requests, casts, ranks and lanes are
drawn by a seed. Everyday a fifth of the operators, --full every form and dtype of all of them.
"""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.compiler.kernel import record
from nbgraph.kernels.cuda.grid import Grid
from tests.kernels.cuda.hosts import differences, run
from tests.kernels.llvm.test_maps import loops, seed_of
from tests.ops.elementwise import NAMES


@pytest.mark.everyday(1 / 5)
@pytest.mark.parametrize("name", NAMES)
def test_maps(name, full):
    """The same bits, wherever elements lie and however many a thread takes at once."""
    for number, loop in enumerate(loops(name, full)):
        assert not differences(loop, seed_of(name, str(number)))


def made(scalar, layouts, dtype="float32", request="write"):
    """The loop of a scalar function's map."""
    op = ng.op(scalar)
    plan = op.invoker.plan_of([np.dtype(dtype)] * op.nin, op.parameters_of({}))
    return plan.loop(layouts, [dtype] * op.nout, [request] * op.nout)


NAMED = [
    lambda element, inlined: element - inlined,
    lambda x, x_p: x - x_p,
    lambda x_step, x: x_step - x,
    lambda lane0_x, x: lane0_x - x,
    lambda load4, store4: load4 - store4,
    lambda i, total: i - total,
    lambda step, start: step - start,
    lambda args, n: args - n,
    lambda dim0, at: dim0 - at,
    lambda was_y, y: was_y - y,
    lambda λ, é: λ - é,  # noqa: PLC2401
    lambda m_exp, x: ng.exp(m_exp) - x,
]


@pytest.mark.everyday(1 / 3)
@pytest.mark.parametrize("scalar", NAMED, ids=lambda f: "-".join(f.__code__.co_varnames))
@pytest.mark.parametrize("layouts", ["ccc", "s0s", "ssc"])
def test_operands_may_have_any_name(scalar, layouts):
    """No name of the kernel's own gets in the way, on either device."""
    assert not differences(made(scalar, list(layouts)), 3)


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int8", "int32"])
@pytest.mark.parametrize("request_", ["write", "add"])
@pytest.mark.parametrize("count", [0, 1, 3, 8, 41, 300, 1037])
def test_vectors_and_what_is_behind_the_last(dtype, request_, count):
    """Every element is written once, none beyond the end, whatever the number of units."""
    loop = made(lambda x, y: x + y, ["c", "c", "c"], dtype, request_)
    rng = np.random.default_rng(count)
    x, y = (rng.integers(-3, 4, count + 1).astype(dtype) for _ in range(2))
    for lanes, ahead in ((1, 1), (1, 4), (2, 2), (4, 1), (4, 2)):
        for units in (1, 5, 64):
            z = np.ones(count + 8, dtype)
            words = record(count, [a.ctypes.data for a in (x, y, z)], [z.itemsize] * 3, [], [])
            run(loop, words, Grid(lanes=lanes, ahead=ahead), units)
            wanted = (x + y)[:count] + (request_ == "add")
            np.testing.assert_array_equal(z[:count], wanted)
            np.testing.assert_array_equal(z[count:], 1)


def test_four_outer_dimensions():
    """Ranks beyond what layouts usually come to."""
    loop = made(lambda x, y: x - y, ["s", "s", "s"])
    rng = np.random.default_rng(0)
    x = rng.normal(size=(3, 2, 4, 5, 6)).astype("float32").transpose(4, 1, 0, 3, 2)
    y = np.broadcast_to(rng.normal(size=(1, 2, 1, 5, 1)).astype("float32"), x.shape)
    z = np.zeros(x.shape, "float32")
    arrays, addresses = (x, y, z), [a.__array_interface__["data"][0] for a in (x, y, z)]
    outer = [(x.shape[d], [a.strides[d] for a in arrays]) for d in (3, 2, 1, 0)]
    words = record(x.shape[-1], addresses, [a.strides[-1] for a in arrays], [], outer)
    for narrow, ahead in ((True, 1), (False, 1), (True, 2)):
        z[...] = 0
        run(loop, words, Grid(rank=4, narrow=narrow, ahead=ahead), 7)
        np.testing.assert_array_equal(z, x - y)
