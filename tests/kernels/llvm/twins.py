"""One loop, two compilers: the same memory before, the same bits after.

For any loop description `differences` lays out arrays, a record and scalars, runs the kernel that
LLVM made of the text and the one that Numba made of the same text, and compares all that lies in
memory. NaNs are equal whatever their payload.
"""

import dataclasses
import math

import ml_dtypes
import numpy as np

import nbgraph as ng
from nbgraph.kernels.compiler.kernel import kernel, record
from nbgraph.kernels.loops.loop import GROUP, STRIP, Output
from nbgraph.kernels.scalar.kinds import FLOATS, INTEGERS

COMPILERS = ("llvm", "numba")
DTYPES = ("bool", *INTEGERS, *FLOATS)
OUTER = ((), (3,), (2, 3))  # extents of the outer space, outermost first
INNER = (1, 2, 7, 37, 130, 1000, 1031, 2053)  # tails, whole vectors, several blocks
GAP = 3  # elements between those of a strided run


def dtype_of(name):
    """NumPy's dtype, bfloat16 from ml_dtypes."""
    return np.dtype(ml_dtypes.bfloat16 if name == "bfloat16" else name)


def values(rng, name, shape):
    """Random numbers of a dtype: mostly small, some of any bits (floats) or at the ends."""
    dtype = dtype_of(name)
    if dtype.kind == "b":
        return rng.integers(0, 2, shape).astype(bool)
    size = math.prod(shape)
    raw = np.frombuffer(rng.bytes(size * dtype.itemsize), dtype).reshape(shape)
    if dtype.kind in "iu":
        info = np.iinfo(dtype)
        ends = np.array([0, 1, info.max, info.min, info.max - 1, 2], dtype)
        small = rng.integers(-9 if dtype.kind == "i" else 0, 20, shape).astype(dtype)
    else:
        ends = np.array([0.0, -0.0, 1.0, np.inf, -np.inf, np.nan, 0.5, -1.0, 2.0], dtype)
        small = (rng.normal(size=shape) * rng.choice([0.5, 2.0, 40.0], shape)).astype(dtype)
    kind = rng.random(shape)
    picked = rng.choice(ends, shape)
    return np.where(kind < 0.8, small, np.where(kind < 0.9, picked, raw)).astype(dtype)


def _array(rng, array, outer, inner, *, reading):
    """Memory for one array of a loop, and the view on it that the loop's record describes."""
    if isinstance(array, Output) and array.combine is not None:
        whole = values(rng, array.dtype, (*outer, inner))
        return whole, whole
    if inner == 1 or array.layout == "0":
        whole = values(rng, array.dtype, (*outer, 1))
        return whole, whole
    if array.layout == "s":
        whole = values(rng, array.dtype, (*outer, inner * GAP))
        view = whole[..., ::GAP]
        return whole, view[..., ::-1] if rng.random() < 0.3 else view
    shape = list(outer)
    if reading and outer and rng.random() < 0.4:  # the same row again and again
        shape[int(rng.integers(len(shape)))] = 1
    pad = int(rng.integers(0, 3)) if outer else 0
    whole = values(rng, array.dtype, (*shape, inner + pad))
    return whole, np.broadcast_to(whole, (*outer, inner + pad))[..., :inner]


def _scalars(rng, parameters, compute):
    """Bytes of scalar parameters."""
    found = []
    for node in parameters:
        if node.kind == "f":
            number = rng.choice([0.5, -1.25, 2.0, 1.0, 0.1])
            found.append(np.asarray(number, compute).tobytes())
        elif node.kind in ("b", "bool"):
            found.append(np.int64(rng.integers(0, 2)).tobytes())
        else:
            least = 0 if node.kind.startswith("u") else -4
            found.append(np.int64(rng.integers(least, 9)).tobytes())
    return found


@dataclasses.dataclass
class Prepared:
    """Memory and record of a run; `total` is the end of its range."""

    memory: list
    words: np.ndarray
    total: int


def prepared(rng, loop, outer, inner):
    """Memory and record for a loop over `outer` rows of `inner` elements."""
    if loop.form == "leading":
        return _leading(rng, loop)
    if loop.form == "at":
        return _at(rng, loop)
    memory, views, beside = [], [], loop.form == "columns"
    apart = beside or loop.pieces
    elements = int(rng.choice([1, 3, 40]))  # of rows that lie side by side, or pieces of rows
    for k, array in enumerate((*loop.operands, *loop.outputs)):
        length, around = inner, outer
        if apart:
            one = array.whole if beside else array.layout == "0"
            around = (*outer, 1 if one else elements)
        if isinstance(array, Output) and array.combine is not None:
            length = -(-inner // loop.block) if loop.form == "reduce" else 1
        if loop.form in ("fold", "totals") and isinstance(array, Output):
            length = 1
        whole, view = _array(rng, array, around, length, reading=k < len(loop.operands))
        memory.append(whole)
        views.append(view)
    if loop.streaming:
        memory, views = _off_lines(rng, loop, memory, views)
    dims = [(outer[d], [v.strides[d] for v in views]) for d in reversed(range(len(outer)))] or [
        (1, [0] * len(views))
    ]
    steps = [
        0 if array.layout == "0" and not getattr(array, "combine", None) else v.strides[-1]
        for array, v in zip((*loop.operands, *loop.outputs), views, strict=True)
    ]
    addresses = [v.__array_interface__["data"][0] for v in views]
    rows = math.prod(outer)
    per_row = {"map": inner, "columns": inner, "reduce": -(-inner // loop.block)}
    own = loop.parameters[: -1 - len(views)] if apart else loop.parameters
    scalars = _scalars(rng, own, loop.compute)
    if apart:
        scalars += [np.int64(n).tobytes() for n in (elements, *(v.strides[-2] for v in views))]
    words = record(inner, addresses, steps, scalars, dims)
    return Prepared(memory, words, rows * per_row.get(loop.form, 1))


def _off_lines(rng, loop, memory, views):
    """The outputs of a streaming loop, moved to begin anywhere in a cache line."""
    together = rng.random() < 0.6
    move = int(rng.integers(0, 64))
    count = len(loop.operands)
    for k in range(count, len(views)):
        view = views[k]
        move = move if together else int(rng.integers(0, 64))
        memory[k] = np.zeros(view.size + 256, view.dtype)
        first = (-memory[k].ctypes.data % 64) // view.itemsize + move
        views[k] = memory[k][first : first + view.size].reshape(view.shape)
    return memory, views


COLUMNS = (1, 5, 130, STRIP + 3)  # of rows that are combined
MAIN = (1, 5, GROUP, 2 * GROUP + 7)  # such rows


def _leading(rng, loop):
    """Rows combined column by column, some rows passed on as they are."""
    operand, out = loop.operands[0], loop.outputs[0]
    columns, main = int(rng.choice(COLUMNS)), int(rng.choice(MAIN))
    carried, batches = 2, 2
    full, rows = main // GROUP, main + carried
    groups = -(-main // GROUP) + carried
    x = values(rng, operand.dtype, (batches, rows, columns))
    y = values(rng, out.dtype, (batches, groups, columns))
    dims = [
        (rows, [x.strides[1], y.strides[1]]),
        (batches, [x.strides[0], y.strides[0]]),
    ]
    scalars = [np.int64(n).tobytes() for n in (full, main, carried, groups)]
    addresses = [a.__array_interface__["data"][0] for a in (x, y)]
    words = record(columns, addresses, [x.itemsize, y.itemsize], scalars, dims)
    return Prepared([x, y], words, -(-columns // STRIP) * groups * batches)


def _at(rng, loop):
    """Elements updated in order, some of them several times."""
    count, out = 200, loop.outputs[0]
    y = values(rng, out.dtype, (37,))
    offsets = rng.integers(0, y.size, count) * y.itemsize
    memory = [offsets, y]
    for k, operand in enumerate(loop.operands):
        if k >= 2:
            memory.append(values(rng, operand.dtype, (count,)))
    memory.append(y)
    addresses = [a.__array_interface__["data"][0] for a in memory]
    steps = [a.itemsize for a in memory]
    words = record(
        count,
        addresses,
        steps,
        _scalars(rng, loop.parameters, loop.compute),
        [(1, [0] * len(memory))],
    )
    return Prepared(memory, words, count)


def same(a, b):
    """Whether two arrays have the same bits, but for the payloads of NaNs."""
    equal = a.view(f"u{a.itemsize}") == b.view(f"u{b.itemsize}")
    if a.dtype.kind in "fV":
        with np.errstate(invalid="ignore"):  # bfloat16 warns
            equal |= np.isnan(a) & np.isnan(b)
    return bool(equal.all())


def kernels(loop):
    """The kernel of each compiler."""
    found = {}
    for name in COMPILERS:
        with ng.config(compiler=name):
            found[name] = kernel(loop)
    assert [k.compiler for k in found.values()] == list(COMPILERS)
    return found


def _ordered_by_llvm(loop, array):
    """Whether LLVM may order the additions that make an output as suits the rest of its loop: so
    for sums and products of fused loops, whose inner order the two compilers need not share."""
    fused = loop.form == "reduce" and len(loop.outputs) > 1
    return fused and isinstance(array, Output) and array.combine in ("add", "multiply")


def _close(a, b, compute):
    """Whether totals of up to a block agree but for the order of their additions."""
    tolerance = 1024 * float(np.finfo(compute).eps)
    with np.errstate(all="ignore"):
        return np.allclose(a, b, rtol=tolerance, atol=tolerance, equal_nan=True)


def differences(loop, seed, *, rounds=4):
    """What differs between the two compilers' results, in words; nothing if they agree: bit for
    bit, but for sums in fused loops (the stated bound)."""
    code = kernels(loop)
    for turn in range(rounds):
        rng = np.random.default_rng((seed, turn))
        outer = OUTER[int(rng.integers(len(OUTER)))]
        made = prepared(rng, loop, outer, int(rng.choice(INNER)))
        cut = int(rng.integers(0, made.total + 1))
        before = [a.copy() for a in made.memory]
        after = {}
        for name in COMPILERS:
            for a, old in zip(made.memory, before, strict=True):
                a[...] = old
            for lo, hi in ((0, cut), (cut, made.total)):
                code[name].run(made.words, lo, hi)
            after[name] = [a.copy() for a in made.memory]
        arrays = (*loop.operands, *loop.outputs)
        for array, a, b in zip(arrays, after["llvm"], after["numba"], strict=True):
            if not (same(a, b) or (_ordered_by_llvm(loop, array) and _close(a, b, loop.compute))):
                bad = np.flatnonzero(a.view(np.uint8).reshape(-1) != b.view(np.uint8).reshape(-1))
                return (
                    f"{loop.name}: {loop.form} {array.dtype} {outer} {made.words[0]} turn {turn}: "
                    f"bytes {bad[:5]} differ\n{code['llvm'].source.text}"
                )
    return ""
