"""What every kernel for the GPU must be, read from its PTX and its machine code, without a GPU."""

import re

from nbgraph.kernels.cuda import machine
from nbgraph.kernels.cuda.grid import BLOCKS, Grid, ahead, lanes, shared
from nbgraph.kernels.cuda.kernel import device_kernel
from nbgraph.kernels.scalar.kinds import ITEMSIZE

# What float32 kernels compute in float64, and why. Nothing else may.
DOUBLE_CALLS = {
    "gamma": "recurrences and reflection cost more digits than float32 has",
    "lgamma": "as gamma",
    "digamma": "as gamma",
    "trigamma": "as gamma",
    "polygamma": "as gamma",
}
# What does not stay in registers, and why. Nothing else may.
SPILLING = {"polygamma": "LLVM unrolls its three sums, each with powers in float64"}
DOUBLE_FORMS = {
    "columns": "a thread adds up a whole row by itself",
    "leading": "a thread adds up a group of rows by itself",
    "totals": "the totals of blocks are added up",
    "reduce": "a strided run is added up",
}


SHAPES = ((1000, 4096), (1 << 17, 2))  # of rows: length, number


def grids(loop):
    """The launches that are tried of a loop: the fast path, and the general one; short rows of
    which a block takes several, and long ones."""
    if loop.form == "map":
        moving = any(a.layout == "s" for a in (*loop.operands, *loop.outputs))
        count = lanes(loop)
        return [Grid(lanes=count, rank=1 if moving else 0, ahead=ahead(loop, count))]
    if loop.form == "leading":
        return [Grid(rank=2)]
    count = lanes(loop)
    if loop.form not in BLOCKS:
        return [Grid(lanes=count, rank=1)]
    grid = Grid(lanes=count, rank=1, ahead=ahead(loop, count))
    return list(dict.fromkeys(shared(loop, grid, *each) for each in SHAPES))


def wrong(loop, capability, grid):
    """What is wrong with a kernel, in words; nothing if it is as it must be."""
    made = device_kernel(loop, grid, capability)
    text = made.ptx
    what = f"{loop.name} {loop.form} {[o.dtype for o in loop.operands]} {capability} {grid}"
    found = []
    if machine.library() is not None:
        facts = machine.facts(text, capability)
        if (facts.stack or facts.spills) and loop.name.partition("_")[0] not in SPILLING:
            found.append(f"{facts}")
    doubles = len(re.findall(r"\.f64\b", text))
    if doubles and single(loop) and not double_allowed(made, loop):
        found.append(f"{doubles} instructions of float64")
    if not loop.fastmath and re.search(r"\b(?:mul|add|sub)\.f(?:32|64)\b", text):
        found.append("a product and a sum may be contracted")
    if ".extern" in text:
        found.append("a function is not there")
    if grid.lanes > 1 and loop.form == "map":
        found += [f"no {word}" for word in vectors(loop) if not re.search(word, text)]
    return f"{what}: {'; '.join(found)}" if found else ""


def single(loop):
    """Whether all that a loop has to do with is not a wider than float32."""
    arrays = (*loop.operands, *loop.outputs)
    return loop.compute == "float32" and all("64" not in a.dtype for a in arrays)


def double_allowed(made, loop):
    """Whether a kernel is one of those that are listed above."""
    called = set(made.source.namespace.functions.values())
    return bool(called & DOUBLE_CALLS.keys()) or loop.form in DOUBLE_FORMS


def vectors(loop):
    """The instructions that a fast path must have: as wide as its elements side by side are."""
    read = {n.id for n in loop.graph.reachable([o.node for o in loop.outputs])}
    moved = [("ld", o.dtype) for o in loop.operands if o.layout == "c" and o.node.id in read]
    moved += [("st", o.dtype) for o in loop.outputs if o.layout == "c"]
    count = lanes(loop)
    return sorted({rf"{word}\.global\.{_wide(count * ITEMSIZE[dtype])}" for word, dtype in moved})


def _wide(nbytes):
    """One access of so many bytes."""
    return rf"(?:v\d|[bu]{8 * nbytes})\b" if nbytes < 16 else r"v\d\b"
