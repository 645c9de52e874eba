"""The loops that the library makes while it works, as kernels for the GPU.

    python -m tests.kernels.cuda.collected WORKLOAD SEED COUNT

as `tests.kernels.llvm.collected`, whose workloads it takes and adds to; of each loop it prints what
is wrong with the kernel's PTX and machine code, and, where units are threads, what differs from the
CPU's results.
"""

import json
import sys

import numpy as np

import nbgraph as ng
from nbgraph.kernels.cuda.grid import BLOCKS
from tests.kernels.cuda.hosts import differences
from tests.kernels.cuda.proof import grids, wrong
from tests.kernels.llvm import collected
from tests.ops.tape import Traced, gradients
from tests.ops.test_array_gradients import ROWS


def arrays(rng, share):
    """Every operator over whole arrays and its gradient, in both precisions."""
    for _, function, *points in collected.some(ROWS, rng, share):
        for dtype in ("float64", "float32"):
            given = [
                p.astype(dtype) if isinstance(p, np.ndarray) and p.dtype.kind == "f" else p
                for p in points
            ]
            inputs = [Traced(p) for p in given]
            gradients(ng.ops.sum(function(*inputs)), inputs)


WORKLOADS = {**collected.WORKLOADS, "arrays": arrays}


def main(name, seed, count):
    """See the module."""
    rng = np.random.default_rng(seed)
    with ng.config(compiler="llvm"):
        loops = collected.noted(WORKLOADS[name], rng, collected.share(count))
    for number, loop in enumerate(collected.chosen(loops, count, rng)):
        capability = (8, 0) if number % 5 == 4 else (9, 0)
        said = [wrong(loop, capability, grid) for grid in grids(loop)]
        if loop.form not in BLOCKS:
            said.append(differences(loop, seed + number, rounds=2))
        found = {"form": loop.form, "of": len(loops), "wrong": "\n".join(filter(None, said))}
        print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
