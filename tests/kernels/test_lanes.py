"""Kernels written as LLVM text with vectors: lanes outside of an array are not touched."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.compiler.lanes import Lanes, kernel
from nbgraph.kernels.compiler.written import Record

LAYOUT = Record(("count", "rest"), ("x", "out"), ())


def steps_apart(dtype, step):
    """out[i] = x[i * step] + 1, and the sum of all at the end."""
    t = Lanes(dtype, 8, LAYOUT)
    x, out, count, wide = t.pointer("x"), t.pointer("out"), t.word("count"), 8 * step
    total = t.cell()
    t.put(total, "zeroinitializer")
    cells = t.product(count, step)
    with t.loop("%lo", "%hi", 8) as n:
        begin = t.product(n, step)
        value = t.load(t.at(x, begin), t.mask(begin, cells, wide), wide)
        value = t.picked(value, wide, range(0, wide, step))
        t.put(total, t.added(t.get(total), value))
        t.store(t.at(out, n), t.added(value, t.everywhere("1.0")), t.mask(n, count))
    t.write(t.at(out, count), t.total(t.get(total)))
    return kernel("steps_apart", t.text(), dtype)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize(("count", "step"), [(1, 1), (19, 2)])
def test_lanes_in_and_outside_of_a_mask(dtype, count, step):
    """OPR-12: what lies behind the last lane keeps its value, whoever is asked to compile."""
    x = np.arange(1.0, count * step + 1).astype(dtype)
    for compiler in ("llvm", "numba"):
        out = np.full(count + 10, -1.0, dtype)
        with ng.config(compiler=compiler):
            code = steps_apart(dtype, step)
        record = np.array([count, 0, x.ctypes.data, out.ctypes.data], "int64")
        code.run(record, 0, count)
        np.testing.assert_array_equal(out[:count], x[::step] + 1)
        np.testing.assert_array_equal(out[count:], [x[::step].sum(), *[-1.0] * 9])
