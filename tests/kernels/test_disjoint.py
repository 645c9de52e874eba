"""Loops of several outputs whose memory is known to be disjoint: vectorised without checks.

Kernel budget: a kernel takes about 0.15 s; the everyday run makes about ten.
"""

import numpy as np
import pytest

from nbgraph.kernels.compiler.kernel import kernel, record
from nbgraph.operator import registry
from nbgraph.operator.mapper.fused import Part, fuse

SIZE = 1000  # not a multiple of a vector: the tail runs, too
add, multiply, tanh = (registry.find(name) for name in ("add", "multiply", "tanh"))


def several(count):
    """y0 = x1 + n0, which may lie over x0; y1, y2, ... = x0 * n1, ..."""
    parts = [Part(add, (("in", 1), ("number", 0)))]
    parts += [Part(multiply, (("in", 0), ("number", k))) for k in range(1, count)]
    if count == 1:
        parts.append(Part(multiply, (("part", 0, 0), ("in", 0))))
        return fuse("several", parts, [(1, 0)])[0]
    return fuse("several", parts, [(k, 0) for k in range(count)])[0]


def compiled(op, dtype, numbers, count, request, **options):
    number = np.dtype(dtype).type(1).item()
    plan = op.invoker.plan_of([np.dtype(dtype)] * op.inputs + [number] * numbers, {})
    layouts = ["c"] * op.inputs + ["p"] * numbers + ["c"] * count
    return kernel(plan.loop(layouts, [dtype] * count, [request] * count, **options))


def words(arrays, numbers):
    """The record of a contiguous map."""
    kind = arrays[0].dtype if arrays[0].dtype.kind == "f" else np.dtype("int64")
    scalars = [a.tobytes() for a in np.asarray(numbers, kind)]
    steps = [a.itemsize for a in arrays]
    return record(SIZE, [a.ctypes.data for a in arrays], steps, scalars, [])


CASES = [
    pytest.param(count, request, dtype, marks=() if everyday else pytest.mark.slow)
    for count in range(1, 9)
    for request in ("write", "add")
    for dtype in ("float32", "float64", "int16")
    for everyday in [(count in (1, 2, 8) and dtype == "float32") or (count, dtype) == (3, "int16")]
]


@pytest.mark.parametrize(("count", "request_", "dtype"), CASES)
def test_several_outputs_are_vectorised_without_checks(count, request_, dtype):
    """OPR-09: packed instructions, no look at addresses, right results over the operands."""
    op = several(count)
    numbers = [np.dtype(dtype).type(k + 3) for k in range(op.nin - op.inputs)]
    code = compiled(op, dtype, len(numbers), count, request_, disjoint=True)
    text = code.llvm()
    assert "memcheck" not in text
    kind = {"float32": "float", "float64": "double", "int16": "i16"}[dtype]
    assert f"x {kind}>" in text
    rng = np.random.default_rng(count)
    x0, x1 = (rng.integers(-9, 9, SIZE).astype(dtype) for _ in range(2))
    others = [rng.integers(-9, 9, SIZE).astype(dtype) for _ in range(count - 1)]
    wanted = [x1 + numbers[0], *(x0 * n for n in numbers[1:])]
    if count == 1:
        wanted = [(x1 + numbers[0]) * x0]
    if request_ == "add":
        wanted = [w + old for w, old in zip(wanted, [x0, *others], strict=True)]
    code.run(words([x0, x1, x0, *others], numbers), 0, SIZE)
    for got, right in zip([x0, *others], wanted, strict=True):
        np.testing.assert_array_equal(got, right)


def test_what_is_not_said_to_be_disjoint_is_checked():
    """OPR-09: without the promise LLVM compares addresses, so overlapping outputs are right."""
    op = several(2)
    code = compiled(op, "float32", 2, 2, "write")
    assert "memcheck" in code.llvm()


def test_the_order_of_one_element_is_kept():
    """OPR-09: what is written over an operand is written after all of the element was read."""
    op = several(8)
    code = compiled(op, "float32", 8, 8, "write", disjoint=True)
    rng = np.random.default_rng(1)
    for size in (1, 7, 64, SIZE):
        arrays = [rng.normal(size=size).astype("float32") for _ in range(9)]
        x0, x1 = arrays[:2]
        wanted = [x1 + np.float32(1), *(x0 * np.float32(k) for k in range(2, 9))]
        outputs = [x0, *arrays[2:8], x1]  # the last one over the other operand
        addresses = [a.ctypes.data for a in (x0, x1, *outputs)]
        numbers = [np.float32(k).tobytes() for k in range(1, 9)]
        code.run(record(size, addresses, [4] * 10, numbers, []), 0, size)
        for got, right in zip(outputs, wanted, strict=True):
            np.testing.assert_array_equal(got, right)


def test_mathematical_functions_do_not_stand_in_the_way():
    """OPR-09: a loop with vector functions and several outputs needs no check either."""
    parts = [Part(tanh, (("in", 0),)), Part(multiply, (("part", 0, 0), ("in", 1)))]
    op, _ = fuse("several", parts, [(0, 0), (1, 0)])
    text = compiled(op, "float32", 0, 2, "write", disjoint=True).llvm()
    assert "memcheck" not in text
    assert "call float @llvm.fma.f32" in text  # the tail
    assert "x float> @llvm.fma.v" in text
