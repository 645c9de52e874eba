"""Loops on the simulated GPU and on the CPU: the same memory before, the same after.

    python -m tests.kernels.cuda.simulated WORKLOAD SEED COUNT

picks COUNT loops of a workload, of every form in turn, runs each in a few grids, and prints a line
of JSON for each: its form, in how many grids, and what differs. A program of its own, as Numba's
simulator and its compiler for CUDA do not live in one process.
"""

import json
import sys

import numpy as np

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import NbgraphError
from nbgraph.kernels.compiler.kernel import kernel
from nbgraph.kernels.cuda import grid as grids
from nbgraph.kernels.loops.loop import GROUP, Output
from nbgraph.operator.backward import backward, forward_backward
from nbgraph.ops.rowwise.derived import adjoint
from tests.kernels.cuda.simulator import Launch
from tests.kernels.llvm import collected, twins
from tests.kernels.llvm.test_maps import drawn
from tests.ops.elementwise import NAMES

OUTER = ((), (3,), (2, 2))
INNER = (0, 1, 7, 37, 64, 64, 96, 130)  # none, fewer than threads, tails, whole vectors
ROUNDS = 3  # of memory and grids for each loop
LONG = 1031  # more than a block of a reduction
MANY = 541  # vectors enough for a warp to load several of each thread ahead
SMALL, LONGER = (1, 3), (5, 2 * GROUP + 7)  # rows and columns, or columns and rows
GRIDS = ((1, 32), (1, 64), (2, 64), (3, 32), (2, 32), (1, 128))  # blocks, threads
TEAMS = (1, 2, 4, 8, 32)


@ng.op
def root(x):
    """A loop whose number of trips each element has for itself."""
    r = abs(x) + 1.0
    for _ in range(9):
        r = 0.5 * (r + abs(x) / r)
        if abs(r * r - abs(x)) < 1e-3 * r:
            break
    return r


@ng.op
def parts(x, y):
    """Two results, of which a branch decides."""
    return (x + y, x - y) if x < y else (y, 1 / x)


def maps(rng):
    """Operators and their gradients over random layouts and requests."""
    found = [drawn(op, dtype, rng) for op in (root, parts) for dtype in ("float32", "float16")]
    for name in rng.permutation(NAMES)[:60]:
        form = rng.choice([lambda op: op, backward, forward_backward])
        try:
            op = form(getattr(ops, name))
            found.append(drawn(op, str(rng.choice(twins.DTYPES)), rng))
        except NbgraphError:  # no gradient, or no operator of such numbers
            continue
    return [loop for loop in found if not loop.streaming]


def methods(rng):
    """Folds, scans and indexed updates."""
    dtypes, twins_dtypes = ("int16", "float32", "float16"), collected.DTYPES
    collected.DTYPES = dtypes
    try:
        return collected.noted(collected.methods, rng)
    finally:
        collected.DTYPES = twins_dtypes


def rows(rng):
    """Row programs, by blocks of threads and with a row for each thread."""
    return collected.noted(_rows, rng)


def _rows(rng, _):
    for dtype in ("float32", "float64", "float16"):
        for shape, axis in (((6, 300), -1), ((6, 30, 40), 1)):
            x, y = (twins.values(rng, dtype, shape) for _ in range(2))
            ng.softmax(x, axis=axis)
            adjoint(ng.log_softmax.op, [0], [0])(x, y, axis=axis)
            ng.layer_norm(x, axis=axis)
            ng.logsumexp(x, axis=axis)
        x = twins.values(rng, dtype, (3, 2, 75))  # a row of three runs
        y, *moments = ng.batch_norm(x), *ng.ops.channel_moments(x)
        ng.ops.channel_sums(y, x)
        ng.softmax(x, axis=(0, 2))


def reductions(rng):
    """Sums, products and extremes of memory, and of what operators compute."""
    return collected.noted(collected.reductions, rng)


WORKLOADS = {f.__name__: f for f in (maps, reductions, methods, rows)}


def reordered(loop):
    """Whether threads combine floats in an order of their own."""
    combines = [o.combine for o in loop.outputs] + [t.combine for s in loop.stages for t in s]
    floats = loop.stages or any("float" in o.dtype for o in loop.outputs)
    return loop.form in grids.BLOCKS and bool(floats) and {"add", "multiply"} & {*combines}


def _tame(rng, memory):
    """Numbers around 1, of which sums and products say how far the order of terms may move them."""
    for array in memory:
        if array.dtype.kind in "fV":
            array[...] = rng.uniform(0.75, 1.25, array.shape).astype(array.dtype)


def _close(loop, a, b):
    """Whether results agree but for the order of sums: terms near 1, all of the same sign where
    they are not differences of totals. What is infinite where it is computed may be."""
    eps = float(max(np.finfo(loop.compute).eps, _eps(a.dtype)))
    with np.errstate(all="ignore"):
        a, b = a.astype(loop.compute), b.astype(loop.compute)
        return np.allclose(a, b, rtol=64 * eps, atol=64 * eps, equal_nan=True)


def _eps(dtype):
    return {"float16": 2.0**-10, "bfloat16": 2.0**-7}.get(dtype.name, 0.0)


def _sizes(rng, loop):
    """Outer extents and inner extent, of some hundred elements in all."""
    if loop.form == "reduce" and rng.random() < 0.4:
        return (), LONG
    if loop.form == "map" and rng.random() < 0.2:
        return (), MANY
    return OUTER[int(rng.integers(len(OUTER)))], int(rng.choice(INNER))


def _in_place(loop, words):
    """The record with the first output over the first operand, where that is the same elements."""
    x, y = loop.operands[0], loop.outputs[0]
    count, width, words = len(loop.operands), 1 + loop.pointers, words.copy()
    dims = [loop.outer_at + d * width for d in range(words[1])]
    again = any(words[at] > 1 and words[at + 1] == 0 for at in dims)  # a row read for many
    alike = (x.dtype, x.layout) == (y.dtype, y.layout) and x.layout != "0" and not y.combine
    if loop.form not in ("map", "rows") or loop.pieces or again or not alike or y.whole:
        return words
    for first in (2, loop.steps_at, *(at + 1 for at in dims)):
        words[first + count] = words[first]
    return words


def _grid(rng, loop, words, threads):
    """The grid for a record, but for the threads of a block, and how many take a row."""
    grid = grids.choose(loop, words)
    if loop.form not in grids.BLOCKS:
        return grid._replace(threads=threads)
    teams = int(rng.choice([n for n in TEAMS if n == 1 or threads // n <= grids.WARP]))
    inner = int(words[0]) * int(words[loop.outer_at - 1 - loop.pointers] if loop.pieces else 1)
    length = min(inner, loop.block) if loop.form == "reduce" else inner
    if loop.form == "reduce" and length < words[0] and rng.random() < 0.5:
        teams = 1
    return grids.teamed(loop, grid, length, threads // teams, teams)


def differences(loop, seed, *, rounds):
    """What differs between a GPU's results and the CPU's, in words; nothing if they agree. And the
    grids of the rounds: lanes, rank, blocks, threads, teams, whether rows are held."""
    code = kernel(loop)
    tried = []
    for turn in range(rounds):
        rng = np.random.default_rng((seed, turn))
        outer, inner = _sizes(rng, loop)
        twins.COLUMNS, twins.MAIN = (SMALL, LONGER)[:: int(rng.choice([1, -1]))]
        made = twins.prepared(rng, loop, outer, inner)
        if rng.random() < 0.4:
            made.words = _in_place(loop, made.words)
        if near := reordered(loop):
            _tame(rng, made.memory)
        before = [a.copy() for a in made.memory]
        code.run(made.words, 0, made.total)
        expected = [a.copy() for a in made.memory]
        for array, old in zip(made.memory, before, strict=True):
            array[...] = old
        blocks, threads = GRIDS[int(rng.integers(len(GRIDS)))]
        grid = _grid(rng, loop, made.words, threads)
        tried.append((grid.lanes, grid.rank, blocks, threads, grid.teams, grid.resident > 0))
        names = [*(f"x{k}" for k in range(len(loop.operands)))]
        names += [f"y{k}" for k in range(len(loop.outputs))]
        launch = Launch.of(loop, grid, made.words, made.memory, names)
        said = f"{loop.name} {loop.form} {outer} {inner} {grid} {blocks} blocks, turn {turn}"
        try:
            launch.run(blocks)
        except Exception as error:
            return f"{said}: {error!r}\n{launch.text.text}", tried
        arrays = (*loop.operands, *loop.outputs)
        for array, a, b in zip(arrays, made.memory, expected, strict=True):
            loose = near and (isinstance(array, Output) or a is made.memory[0])
            if not (_close(loop, a, b) if loose else twins.same(a, b)):
                bad = np.flatnonzero(a != b)[:5]
                text = f"{said}: {array.dtype} differs at {bad}"
                pairs = list(zip(a.reshape(-1)[bad], b.reshape(-1)[bad], strict=True))
                return f"{text}: {pairs}\n{launch.text.text}", tried
    return "", tried


def main(name, seed, count):
    """See the module."""
    rng = np.random.default_rng(seed)
    with np.errstate(all="ignore"):
        loops = WORKLOADS[name](rng)
    for number, loop in enumerate(collected.chosen(loops, count, rng)):
        wrong, tried = differences(loop, seed + number, rounds=ROUNDS)
        print(json.dumps({"form": loop.form, "grids": tried, "wrong": wrong}), flush=True)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]))
