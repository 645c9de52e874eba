"""The interpreter in Python floats: NaN and infinities as NumPy has them."""

import itertools

import numpy as np
import pytest

from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.interpret import FloatDomain, Undetermined
from nbgraph.operator.scalar.naive import numpy_math

VALUES = (0.0, -0.0, 1.0, -1.0, -2.5, 0.5, 1e308, -1e308, 800.0, np.inf, -np.inf, np.nan)
ROUNDED = {"floor", "ceil", "trunc"}  # Python ints there
CALLS = [n for n in FloatDomain.functions if hasattr(numpy_math(), n) and n not in ROUNDED]
OTHERWISE = {("pow", -np.inf, 0.5), ("lgamma", -np.inf)}  # C has inf, NumPy NaN and SciPy -inf
TWO = {"atan2", "pow", "hypot", "copysign", "fmod", "nextafter"}


@pytest.mark.parametrize("name", CALLS)
def test_special_values(name):
    graph, domain = Graph(), FloatDomain()
    operands = [graph.argument(n, "f") for n in ("xy" if name in TWO else "x")]
    node = graph.call(name, *operands)
    for args in itertools.product(VALUES, repeat=len(operands)):
        if (name, *args) in OTHERWISE:
            continue
        with np.errstate(all="ignore"):
            wanted = float(getattr(numpy_math(), name)(*map(np.float64, args)))
        np.testing.assert_allclose(domain.apply(node, list(args)), wanted, rtol=1e-14, err_msg=args)


def test_quotients_of_zero():
    graph, domain = Graph(), FloatDomain()
    node = graph.arithmetic("div", graph.argument("x", "f"), graph.argument("y", "f"))
    assert domain.apply(node, [1.0, -0.0]) == -np.inf
    assert np.isnan(domain.apply(node, [0.0, 0.0]))


def test_integers_do_not_grow_without_end():
    graph, domain = Graph(), FloatDomain()
    n, m = graph.argument("n", "i"), graph.argument("m", "i")
    with pytest.raises(Undetermined, match="bits"):
        domain.apply(graph.bitwise("shl", n, m), [1, 10**9])
    with pytest.raises(Undetermined, match="bits"):
        domain.apply(graph.arithmetic("mul", n, m), [1 << 4000, 1 << 4000])
