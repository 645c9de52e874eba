"""What is fixed of a launch: lanes that the device can load at once, ranks, index widths, units."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.kernels.compiler.kernel import record
from nbgraph.kernels.cuda import grid as grids
from nbgraph.kernels.cuda.grid import LARGEST, MOST_THREADS, WARP, Grid
from nbgraph.kernels.loops.loop import Loop, Output
from nbgraph.kernels.scalar.kinds import ITEMSIZE

add = ng.op(lambda x, y: x + y)


def loop_of(dtype, layouts="ccc"):
    """A map of two operands."""
    plan = add.invoker.plan_of([np.dtype(dtype)] * 2, {})
    return plan.loop(list(layouts), [dtype], ["write"])


def words_of(loop, inner, addresses, outer=(), steps=None):
    """A record over `outer` extents, outermost first."""
    size = ITEMSIZE[loop.outputs[0].dtype]
    dims = [(n, [inner * size] * loop.pointers) for n in reversed(outer)]
    return record(inner, addresses, steps or [size] * loop.pointers, [], dims)


@given(
    dtype=st.sampled_from(["float16", "float32", "float64", "int8"]),
    addresses=st.lists(st.integers(0, 1 << 20), min_size=3, max_size=3),
    inner=st.integers(0, 1 << 20),
)
def test_vectors_only_where_all_begin_aligned(dtype, addresses, inner):
    """A misaligned vector is a fault on the device, not a slow load."""
    loop = loop_of(dtype)
    addresses = [a // ITEMSIZE[dtype] * ITEMSIZE[dtype] for a in addresses]
    made = grids.choose(loop, words_of(loop, inner, addresses))
    width = made.lanes * ITEMSIZE[dtype]
    assert width <= 16 and made.lanes <= 8
    assert made.lanes == 1 or all(a % width == 0 for a in addresses)
    widest = grids.lanes(loop)
    assert (made.lanes == widest) == all(a % (widest * ITEMSIZE[dtype]) == 0 for a in addresses)


@given(outer=st.lists(st.integers(1, 3), max_size=4), inner=st.integers(1, 50))
def test_outer_dimensions_of_one_row_do_not_count(outer, inner):
    loop = loop_of("float32")
    made = grids.choose(loop, words_of(loop, inner, [0, 0, 0], outer))
    kept = [n for k, n in enumerate(outer) if any(m != 1 for m in outer[: k + 1])]
    assert made.rank == len(kept)
    assert made.lanes == (4 if not kept or inner % 4 == 0 else 1)  # rows have whole vectors


@given(outer=st.lists(st.integers(1, 1 << 12), max_size=3), inner=st.integers(1, 1 << 14))
def test_thirty_two_bits_where_they_count_all_elements(outer, inner):
    loop = loop_of("float32")
    made = grids.choose(loop, words_of(loop, inner, [0, 0, 0], outer))
    assert made.narrow == (inner * math.prod(outer) < LARGEST)


@given(inner=st.integers(0, 1 << 24), lanes=st.sampled_from([1, 2, 4]))
def test_units_take_all_elements_and_no_block_is_idle(inner, lanes):
    loop, grid = loop_of("float32"), Grid(lanes=lanes)
    count = grids.units(loop, words_of(loop, inner, [0, 0, 0]), grid)
    each = grid.threads * grid.lanes
    assert count * each >= inner
    assert inner == 0 or (count - 1) * each < inner


@given(
    inner=st.integers(0, 1 << 30), wave=st.sampled_from([24, 1056]), ahead=st.sampled_from([1, 4])
)
def test_blocks_of_a_launch(inner, wave, ahead):
    """A block for each vector of a thread while the device holds them all; then as many as have
    loads enough for what each is to load ahead, and not without end."""
    loop, grid = loop_of("float32"), Grid(lanes=4, ahead=ahead)
    words = words_of(loop, inner, [0, 0, 0])
    count, most = grids.units(loop, words, grid), grids.blocks(loop, words, grid, wave)
    assert 1 <= most <= max(wave, grids.WAVES * wave)
    assert count > wave or most == max(1, count)
    assert most == grids.WAVES * wave or (most * ahead >= count)


def load_first(*dtypes):
    """What a map of so many operands, all of a dtype, loads ahead."""
    op = ng.op(lambda x: -x) if len(dtypes) == 1 else add
    plan = op.invoker.plan_of([np.dtype(d) for d in dtypes], {})
    loop = plan.loop(["c"] * (len(dtypes) + 1), [dtypes[0]], ["write"])
    return grids.ahead(loop, grids.lanes(loop)), grids.ahead(loop, 1)


def test_loads_ahead_are_64_bytes_a_thread_or_four_vectors():
    assert load_first("float32") == (4, 4) and load_first("float32", "float32") == (2, 4)
    assert load_first("float64", "float64") == (2, 4)
    plan = ng.exp.invoker.plan_of([np.dtype("float16")], {})  # 32 calls would be a long text
    assert grids.ahead(plan.loop(["c", "c"], ["float16"], ["write"]), 8) == 2


def reduction(form, out="float32"):
    """A loop that makes one value of each run."""
    source = loop_of("float32")
    output = Output(source.outputs[0].node, out, "c", combine="add")
    return Loop(
        "total", form, source.graph, "float32", source.operands, source.parameters, (output,)
    )


@given(inner=st.integers(1, 1 << 16), rows=st.integers(1, 100))
def test_blocks_of_threads_have_whole_warps(inner, rows):
    """A row for each block, or a block of the run, as the form says."""
    loop = reduction("totals")
    made = grids.choose(loop, words_of(loop, inner, [0, 0, 0], (rows,)))
    assert made.threads % WARP == 0 and WARP <= made.threads <= MOST_THREADS
    assert made.threads & (made.threads - 1) == 0  # threads trade values in pairs
    assert made.teams == 1 or made.team <= WARP  # and teams are of one warp
    assert made.team == 1 or made.team <= max(2, -(-inner // made.lanes))
    assert grids.units(loop, words_of(loop, inner, [0, 0, 0], (rows,)), made._replace(rank=1)) == (
        rows
    )
    blocks = reduction("reduce")
    words = words_of(blocks, inner, [0, 0, 0], (rows,))
    made = grids.choose(blocks, words)._replace(rank=1)
    assert grids.units(blocks, words, made) == rows * -(-inner // blocks.block)


@pytest.mark.parametrize(("layouts", "lanes"), [("ccc", 4), ("c0c", 4), ("scc", 1), ("sss", 1)])
def test_lanes_by_layout(layouts, lanes):
    assert grids.lanes(loop_of("float32", layouts)) == lanes
