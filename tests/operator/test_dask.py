"""Operators on Dask arrays: lazy and block by block."""

from __future__ import annotations

import math

import dask.array as da
import numpy as np
import pytest

import nbgraph as ng


@ng.op
def huber(x, y, *, sigma=1.0):
    d = x - y
    return 0.5 * d * d if abs(d) < sigma else sigma * (abs(d) - 0.5 * sigma)


X = np.linspace(-3, 3, 40, dtype="float32").reshape(8, 5)
Y = np.float32(0.25) * X[::-1]


def lazy(values, chunks=(3, 2)):
    return da.from_array(values, chunks=chunks)


CALLS = {
    "op": huber,
    "parameter": lambda x, y: huber(x, y, sigma=0.5),
    "number": lambda x, y: huber(x, 0.25),
    "library": lambda x, y: ng.exp(ng.multiply(x, y)),
    "derivative": huber.derivative("x"),
}


@pytest.mark.parametrize("name", CALLS)
def test_operators_are_lazy_and_block_by_block(name):
    call = CALLS[name]
    found = call(lazy(X), lazy(Y))
    assert type(found) is da.Array
    assert (found.chunks, found.dtype) == (lazy(X).chunks, X.dtype)
    assert np.array_equal(found.compute(), call(X, Y))


def test_nothing_is_computed_before_it_is_asked_for():
    def never(block):
        raise AssertionError("computed")

    whole = da.map_blocks(never, lazy(X), dtype="float32", meta=np.empty((0, 0), "float32"))
    assert type(huber(whole, 1.0)) is da.Array


MEETINGS = {
    "right": lambda n, d: n + d,
    "left": lambda n, d: d + n,
    "ufunc": np.add,
    "compared": lambda n, d: n < d,
}


@pytest.mark.parametrize("name", MEETINGS)
def test_arrays_of_ours_meet_those_of_dask(name):
    """NDArrays are chunks; the result is lazy."""
    call = MEETINGS[name]
    found = call(ng.array(X), lazy(Y))
    assert type(found) is da.Array
    assert np.array_equal(np.asarray(found.compute()), call(X, Y))


def test_chunks_of_ours():
    chunks = lazy(X).map_blocks(ng.array)
    total = huber(chunks, 1.0).sum()
    assert math.isclose(float(total.compute()), float(huber(X, 1.0).sum()), rel_tol=1e-6)
