"""Distributions by rejection: any element by anyone, and as NumPy carries out the same attempts."""

import math

import numpy as np
import pytest
from scipy import stats

from nbgraph.kernels.draws import attempts
from nbgraph.ops.draws import plain
from nbgraph.resource.random import Draw
from tests.kernels.draws.test_draws import WAYS, aligned, dtype_of, number, words

ONE = Draw(np.array([5, 2**64 - 1], np.uint64), 2**40)


def drawn(d, parameter, name, count, way="host"):
    out = aligned(count, dtype_of(name))
    WAYS[way](d, words(d, ONE, [out], [number(parameter, "float64")]), count)
    return out


@pytest.mark.parametrize(
    ("way", "name"), [("host", "float64"), ("host", "bfloat16"), ("grid", "float32")]
)
@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_gamma(way, name):
    """X-NDA-08: of small and large shapes, 0, and infinite ones."""
    unit = {"float64": 1e-12, "float32": 1e-6, "bfloat16": 1e-2}[name]
    for alpha in (0.0, 0.3, 1.0, 2.5, 1e6, math.inf):
        found = drawn(attempts.gamma(name), alpha, name, 999, way).astype("float64")
        if alpha in (0.0, math.inf):
            assert (found == alpha).all()
            continue
        wanted = plain.standard_gamma(ONE.generator(), np.full(999, alpha))
        np.testing.assert_allclose(found, wanted, rtol=unit, atol=1e-30)
        if name == "float64":
            assert stats.kstest(found, stats.gamma(alpha).cdf).pvalue > 1e-3


@pytest.mark.parametrize(("way", "name"), [("host", "int64"), ("grid", "float32")])
def test_poisson(way, name):
    """Exactly, where means are added up and where words are rejected."""
    for mean in (0.0, 0.5, 9.9, 10.0, 300.0, 1e6):
        few = mean < attempts.FEW
        d = attempts.few(name) if few else attempts.many(name)
        found = drawn(d, math.exp(-mean) if few else mean, name, 999, way)
        wanted = plain.poisson(ONE.generator(), np.full(999, mean))
        assert np.array_equal(found, wanted.astype(name))
        if mean:
            noise = np.random.default_rng(0).random(999)  # makes counts continuous
            judge = stats.poisson(mean)
            shares = judge.cdf(wanted - 1) + noise * judge.pmf(wanted)
            assert stats.kstest(shares, stats.uniform.cdf).pvalue > 1e-3
