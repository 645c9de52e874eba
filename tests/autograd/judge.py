"""Judges of gradients: central differences of NumPy functions, and of gradients themselves."""

import numpy as np

import nbgraph as ng
from tests.slopes import differences


def variable(values, grad_req="write", dtype="float64"):
    """An array that gradients are collected for."""
    x = ng.array(values, dtype=dtype)
    x.attach_grad(grad_req)
    return x


def weighted(fn):
    """A scalar of all results of a function of several outputs: each element counts differently.

    It works on NDArrays and on NumPy arrays, so that one text gives value and judge.
    """

    def scalar(*operands):
        results = fn(*operands)
        results = results if isinstance(results, (tuple, list)) else [results]
        total = 0.0
        for k, result in enumerate(results):
            if np.dtype(result.dtype).kind == "f":
                weights = np.cos(np.arange(result.size) + k).reshape(result.shape)
                total = total + (result * weights).sum()
        return total

    return scalar


def check(fn, *points, numpy_fn=None, wrt=None, second=True, tolerance=2e-7):
    """First and second derivatives against central differences in float64."""
    wrt = range(len(points)) if wrt is None else wrt
    wrt = tuple(wrt)
    scalar, judge = weighted(fn), weighted(fn if numpy_fn is None else numpy_fn)
    points = [np.asarray(p, np.float64) for p in points]
    first = ng.grad(scalar, argnums=wrt)
    found = [g.asnumpy() for g in first(*points)]
    for i, got in zip(wrt, found, strict=True):
        close(got, differences(judge, points, i), tolerance, f"operand {i}")
    if not second:
        return

    def slope(*operands):
        parts = first(*operands)
        return sum((g * np.sin(1.0 + np.arange(g.size).reshape(g.shape))).sum() for g in parts)

    def slope_value(*operands):
        return slope(*operands).item()

    found = [g.asnumpy() for g in ng.grad(slope, argnums=wrt)(*points)]
    for i, got in zip(wrt, found, strict=True):
        close(got, differences(slope_value, points, i), tolerance, f"second, operand {i}")


def close(got, expected, tolerance, what):
    """Near in the measure of the largest value expected."""
    scale = max(1.0, float(np.max(np.abs(expected), initial=0.0)))
    assert got.shape == expected.shape, what
    assert np.max(np.abs(got - expected), initial=0.0) <= tolerance * scale, (what, got, expected)
