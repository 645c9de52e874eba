"""Memory that changes hands: what failed for its last owner does not concern the next one."""

import contextlib
import math

import pytest

import nbgraph as ng
from nbgraph import storage
from nbgraph.operator.arrays.array_op import Spec
from tests.ops.array_calls import CALLS, operators


def fails(run_ctx):
    raise OSError("no such page")


def leave_failures(sizes):
    """Free blocks of these sizes, in bytes, with a failure on each."""
    pool = storage.pool(ng.cpu())
    blocks = [pool.take(size) for size in sizes for _ in range(6)]
    for block in blocks:
        ng.engine.push(fails, mutate_vars=[block])
    with contextlib.suppress(OSError):  # of blocks that carry one already nobody is told again
        ng.waitall()
    for block in blocks:
        pool.give(block)


@pytest.mark.parametrize("name", sorted(set(CALLS) - {"empty"}))
def test_results_of_every_operator(name):
    """The slow path, the fast one, and a program."""
    op, (inputs, attributes) = operators()[name], CALLS[name]
    specs = op.infer([Spec.of(x) for x in inputs], attributes)
    sizes = {max(1, math.prod(s.shape) * s.dtype.itemsize) for s in specs} | {8, 64, 256}
    arrays = [ng.array(x, dtype=x.dtype) for x in inputs]

    def run(*arrays):
        return op(*arrays, **attributes)

    program = ng.jit(run)
    for runs in (run, run, run, program, program) if arrays else (run,):
        leave_failures(sizes)
        results = runs(*arrays)
        for result in results if isinstance(results, tuple) else [results]:
            if isinstance(result, ng.NDArray):
                result.wait_to_read()


@pytest.mark.parametrize("shape", [(0,), (0, 3), (4, 0)])
@pytest.mark.parametrize("make", [ng.zeros, ng.ones, lambda s: ng.zeros(s) + 1])
def test_arrays_without_elements(make, shape):
    """No kernel writes them; products over nothing are zeros."""
    for _ in range(3):
        leave_failures([1, 80])
        made = make(shape)
        made.wait_to_read()
        assert not (ng.zeros((5, 0)) @ ng.zeros((0, 4))).asnumpy().any()
