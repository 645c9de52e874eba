"""Calls of whole-array operators on NumPy arrays that lie as before: the kernel is found again."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.operator.arrays import at_once

RNG = np.random.default_rng(1)
CALLS = {
    "matmul": ng.matmul,
    "softmax": lambda a, b: ng.softmax(a, axis=0),
    "log_softmax": lambda a, b: ng.log_softmax(b),
    "cross_entropy": lambda a, b: ng.softmax_cross_entropy(a, np.array([0, 1, 2, 1])),
    "fully_connected": ng.fully_connected,
    "avg_pooling": lambda a, b: ng.avg_pooling(a[None, None], 2),
}


def lying(kind, dtype):
    """Four rows of four, in several places."""
    if kind == "transposed":
        return RNG.normal(size=(4, 4)).astype(dtype).T
    if kind == "sliced":
        return RNG.normal(size=(8, 9)).astype(dtype)[::2, 1:5]
    return RNG.normal(size=(4, 4)).astype(dtype)


@given(
    st.sampled_from(sorted(CALLS)),
    st.sampled_from(["plain", "transposed", "sliced"]),
    st.sampled_from(["plain", "transposed", "sliced"]),
    st.sampled_from(["float32", "float64", "float16"]),
)
def test_the_same_as_the_first_time(name, first, second, dtype):
    """X-NDA-04: in new memory, whatever lies where."""
    call, a, b = CALLS[name], lying(first, dtype), lying(second, dtype)
    results = [np.asarray(call(a, b)) for _ in range(4)]
    for made in results[1:]:
        assert made.dtype == results[0].dtype and made.shape == results[0].shape
        assert made.tobytes() == results[0].tobytes()
        assert not np.shares_memory(made, results[0])


@pytest.mark.parametrize("name", ["matmul", "softmax", "fully_connected"])
def test_nothing_is_worked_out_again(name, monkeypatch):
    """The slow path is closed: a call like one before needs neither inference nor a look at how
    arrays lie."""
    call, a, b = CALLS[name], lying("plain", "float32"), lying("transposed", "float32")
    monkeypatch.setattr(at_once, "OWNED", {})  # nothing in this process is lent
    monkeypatch.setattr(at_once, "PYTHON_ASKED", [False])  # ... or was run as plain Python
    wanted = call(a, a if name == "fully_connected" else b)

    def refuse(*_, **__):
        raise AssertionError("the slow path was taken")

    monkeypatch.setattr(at_once._Call, "_fill_outputs", refuse)
    found = call(a, a if name == "fully_connected" else b)
    assert found.tobytes() == wanted.tobytes()
    with pytest.raises(AssertionError, match="slow path"):
        call(a[:3], a if name == "fully_connected" else b)
