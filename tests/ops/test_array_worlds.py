"""The worlds agree (API rule 10): NDArrays give the bits that NumPy arrays give, gradients too."""

import numpy as np
import pytest

import nbgraph as ng
from tests.ops.tape import Traced, gradients, raw
from tests.ops.test_array_gradients import ROWS

# one of each way to be carried: views, several operands, index arrays, several outputs
DAILY = "reshape slice_view sum concatenate gather index_update take topk matmul einsum pad".split()
CASES = [
    pytest.param(row, id=row[0], marks=[] if row[0] in DAILY else pytest.mark.slow) for row in ROWS
]


@pytest.mark.parametrize("row", CASES)
def test_ndarrays_agree_with_numpy(row):
    _, function, *points = row
    points = [p.astype("float32") for p in points]
    variables = [ng.array(p) for p in points]
    for x in variables:
        x.attach_grad()
    with ng.autograd.record():
        own = function(*variables)
        ng.sum(own).backward()
    judge = np.asarray(raw(function(*points)))
    assert isinstance(own, ng.NDArray)
    assert (own.dtype, own.shape) == (judge.dtype, judge.shape)
    np.testing.assert_array_equal(own.asnumpy(), judge)
    traced = [Traced(p) for p in points]
    for x, g in zip(variables, gradients(function(*traced), traced), strict=True):
        np.testing.assert_allclose(x.grad.asnumpy(), g.value, rtol=1e-5, atol=1e-6)
