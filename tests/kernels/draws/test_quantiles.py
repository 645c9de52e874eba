"""Distributions by the inverse of their distribution function, word by word."""

import mpmath
import numpy as np
import pytest

from nbgraph.kernels.compiler.written import function, written
from nbgraph.kernels.draws import quantiles
from nbgraph.kernels.draws.uniform import inner
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.categories import _truncated_kernel
from nbgraph.resource.random import Draw
from tests.kernels.draws.test_draws import WAYS, aligned, dtype_of, number, words

KINDS = sorted(quantiles.STANDARD)


def quantile(kind, a, q):
    """Of standard numbers, where a and q = 1 - a are exact; of the positive half, if symmetric."""
    e = -mpmath.log(q)
    if kind == "normal":
        return mpmath.findroot(lambda x: mpmath.log(mpmath.erfc(x / mpmath.sqrt(2))) + e, _near(a, e))  # fmt: skip  # noqa: E501
    if kind == "logistic":
        return mpmath.log((1 + a) / q)
    return -mpmath.log(e) if kind == "gumbel" else e


def _near(a, e):
    return a * mpmath.mpf("1.2533") if a < 0.5 else mpmath.sqrt(2 * e + 0.1) - 0.4


def at_words(kind, dtype, n):
    """What the kernel makes of these words."""
    d = quantiles.standard(kind, dtype)
    lines = function(
        "def at_words(args, lo, hi):",
        *(f"{name} = {d.compute}({value})" for name, value in (("scale", 1), ("loc", 0))),
        f"numbers = {n.dtype}_pointer(word(args, 0))",
        f"out = {dtype}_pointer(word(args, 1))",
        "for i in range(lo, hi):",
        "    n_ = load_input(numbers, i)",
        *inner(d.element("_")),
        "    store_output(out, i, out_)",
        "return 0",
    )
    out = np.empty(n.size, dtype)
    record = np.array([n.ctypes.data, out.ctypes.data], np.int64)
    written("at_words", lines, d.compute).run(record, 0, n.size)
    return out


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_word_is_a_quantile(kind, dtype):
    """X-NDA-08: to some units in the last place, from the middle to the last word; symmetric."""
    bits = 32 if dtype == "float32" else 64
    most = 2 ** (bits - 1) - 1
    m = {0, 1, 77, most - 99, most - 1, most} | {int(most * k / 23) for k in range(1, 23)}
    m |= {1 << k for k in range(2, bits - 1, 5)} | {most - (1 << k) for k in range(2, bits - 1, 5)}
    found = at_words(kind, dtype, np.array(sorted(m), f"int{bits}"))
    half, whole = mpmath.mpf("0.5"), mpmath.mpf(most + 1)
    with mpmath.workdps(60):
        wanted = [quantile(kind, (k + half) / whole, (most - k + half) / whole) for k in sorted(m)]
        errors = [abs(x - mpmath.mpf(float(f))) for x, f in zip(wanted, found, strict=True)]
    least = 0.5 if kind == "gumbel" else 1e-30  # about its root digits cancel
    units = np.spacing(np.maximum(np.abs(found), found.dtype.type(least)))
    assert np.max(np.array(errors, "float64") / units) < 6
    if kind in ("normal", "laplace", "logistic"):
        mirrored = at_words(kind, dtype, np.array([k - most - 1 for k in sorted(m)], f"int{bits}"))
        assert np.array_equal(mirrored, -found)
    assert np.isfinite(found).all() and (kind != "normal" or found.max() > 6.2)


DTYPES = {"normal": "float32", "gumbel": "float64", "laplace": "float16", "logistic": "bfloat16"}


@pytest.mark.parametrize(
    ("way", "kind"), [*(("host", k) for k in KINDS), ("grid", "normal"), ("vectors", "laplace")]
)
def test_kernels_draw_what_numpy_makes_of_the_words(way, kind):
    name = DTYPES.get(kind, "float32")
    one, d = Draw(np.array([5, 2**64 - 1], np.uint64), 2**40), quantiles.standard(kind, name)
    for count in (0, 1, 15, 2049):
        out, parameters = aligned(count, dtype_of(name)), (number(k, d.compute) for k in (0.1, -3))
        WAYS[way](d, words(d, one, [out], parameters), count)
        n = plain.words(one.generator(), (count,), "int64" if name == "float64" else "int32")
        unit = {"float16": 2e-3, "bfloat16": 2e-2, "float32": 2e-6, "float64": 1e-14}[name]
        wanted = 0.1 * plain.STANDARD[kind](n) - 3
        np.testing.assert_allclose(out.astype(float), wanted, rtol=unit, atol=unit)


@pytest.mark.parametrize(
    ("low", "high"), [(-2, 2), (-np.inf, 0.5), (1, 1.5), (-7, -3), (7.9, np.inf), (-1e-4, 1e-4)]
)
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_truncated_normal_numbers(low, high, name):
    """The same share of what is inside, in the middle as in the tails."""
    one, out = Draw(np.array([5, 6], np.uint64), 7), aligned(3001, np.dtype(name))
    d, parameters = _truncated_kernel(name, 0, 1, low=low, high=high)
    WAYS["host"](d, words(d, one, [out], d.words(*parameters)), out.size)
    n = plain.words(one.generator(), out.shape, "int64" if name == "float64" else "int32")
    unit = {"float32": 4e-6, "float64": 1e-13}[name]
    np.testing.assert_allclose(out, plain.truncated_normal(n, low, high), rtol=unit, atol=unit)
    assert ((out >= out.dtype.type(low)) & (out <= out.dtype.type(high))).all()


@pytest.mark.parametrize("name", ["int64", "float32"])
def test_geometric(name):
    one, d = Draw(np.array([5, 6], np.uint64), 7), quantiles.geometric(name)
    e = plain.exponential(plain.words(one.generator(), (501,), "int64"))
    for p in (1.0, 0.9, 0.3, 1e-3, 1e-15):
        out, rate = aligned(e.size, np.dtype(name)), -np.log1p(-p) if p < 1 else np.inf
        WAYS["host"](d, words(d, one, [out], [number(rate, "float64")]), e.size)
        np.testing.assert_allclose(out, np.floor(e / rate) + 1, rtol=1e-6)
