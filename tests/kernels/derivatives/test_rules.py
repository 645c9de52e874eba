"""Every rule of derivatives is right, and a fault in any of them does not get past a certificate.

No kernel is compiled here: graphs of one call each are judged as operators' graphs are.
"""

# ruff: noqa: PLW0108 - lambdas are the operators

import math

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import CertificateError
from nbgraph.kernels.capture import special
from nbgraph.kernels.derivatives import partials as derivative
from nbgraph.kernels.derivatives.certificate import certify
from nbgraph.kernels.derivatives.claim import Claim
from nbgraph.kernels.scalar.functions import FUNCTIONS
from nbgraph.kernels.scalar.graph import Graph
from nbgraph.kernels.scalar.rules import Term
from nbgraph.operator.backward import backward

PLAIN = {name: row for name, row in FUNCTIONS.items() if not row.is_special}
ACCURATE = [name for name, row in PLAIN.items() if row.accurate]
ROWS = [(n, i, False) for n, row in PLAIN.items() for i, f in row.slopes.items() if f]
ROWS += [(name, 0, True) for name in ACCURATE]
OTHER = {"copysign": -1.3, "polygamma": 2.0}  # the argument that is not differentiated by

every_rule = pytest.mark.parametrize(("name", "index", "accurate"), ROWS)


def claim_of(name, index, accurate):
    """The call whose derivative the rule gives, and that derivative."""
    graph = Graph()
    x = graph.argument("x", "f")
    args = [x]
    if FUNCTIONS[name].arity == 2:
        args.insert(1 - index, graph.const(OTHER.get(name, 1.7)))
    value = graph.call(name, *args)
    (slope,) = derivative.partials(graph, [value], x, accurate=accurate)
    return Claim(name, graph, (x,), {}, x, value, slope)


def plant(monkeypatch, name, index, accurate, fault):
    row = FUNCTIONS[name]
    right = row.accurate if accurate else row.slopes[index]

    def wrong(y, *args):
        return Term(y.graph, fault(y.graph, right(y, *args), [a.node for a in args]))

    if accurate:
        monkeypatch.setattr(row, "accurate", wrong)
    else:
        monkeypatch.setitem(row.slopes, index, wrong)


@every_rule
def test_rules_are_right(name, index, accurate):
    found = certify(claim_of(name, index, accurate))
    assert found.points >= 8
    assert found.worst < 1e-9


def one_side(g, slope, args):
    """The wrong sign, for a part of the arguments that every function takes."""
    x = next(a for a in args if a.op == "arg")
    wrong = g.logical_and(g.compare("gt", x, g.const(0.36)), g.compare("lt", x, g.const(1.5)))
    slope = slope_term(g, slope).node
    return g.select(wrong, g.negate(slope), slope)


def slope_term(g, slope):
    return slope if isinstance(slope, Term) else Term(g, g.const(slope))


FAULTS = {
    "factor": lambda g, slope, args: (1.0001 * slope_term(g, slope)).node,
    "constant": lambda g, slope, args: (slope_term(g, slope) + 1e-3).node,
    "side": one_side,
}  # fmt: skip


@pytest.mark.parametrize("row", range(len(ROWS)), ids=lambda i: "-".join(map(str, ROWS[i])))
def test_a_fault_in_a_rule_is_caught(row, full, monkeypatch):
    """All faults of all rules under --full; every day one of each rule, in turns."""
    for fault in list(FAULTS.values())[slice(None) if full else slice(row % 3, row % 3 + 1)]:
        with monkeypatch.context() as patch:
            plant(patch, *ROWS[row], fault)
            with pytest.raises(CertificateError, match=r"wrong at x=.*fault of nbgraph"):
                certify(claim_of(*ROWS[row]))


ODD = {
    "sin": lambda x: math.copysign(math.sin(abs(x)), x),
    "expm1": lambda x: math.copysign(math.expm1(3 * abs(x)), x),
    "sum": lambda x: math.copysign(abs(x) + x * x, x),
    "root": lambda x: math.copysign(abs(x) ** 1.5, x),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", ODD)
def test_an_odd_function_by_its_positive_half_has_its_slope_at_zero(name, dtype):
    f = ng.op(ODD[name])
    wanted = {"sin": 1.0, "expm1": 3.0, "sum": 1.0, "root": 0.0}[name]
    got = f.derivative(0)(np.array([-1e-9, -0.0, 0.0, 1e-9], dtype))
    np.testing.assert_allclose(got, wanted, atol=1e-4)


def test_the_sign_of_another_operand_is_taken_as_it_is():
    f = ng.op(lambda x, s: math.copysign(math.sin(abs(x)), s))
    got = f.derivative(0)(np.array([-1.0, 1.0]), -1.0)
    np.testing.assert_allclose(got, [math.cos(1), -math.cos(1)])


WITH_OUTPUT = {
    "expm1": lambda x: math.expm1(x),
    "rsqrt": lambda x: special.rsqrt(x),
    "tanh": lambda x: math.tanh(x),
    "sigmoid": lambda x: special.sigmoid(x),
    "softplus": lambda x: special.softplus(x),
}


@pytest.mark.parametrize("key", ACCURATE)
@pytest.mark.parametrize("fault", ["factor", "constant"])
def test_a_fault_in_the_form_that_reads_the_output_is_caught(key, fault, monkeypatch):
    """The form with the operand is right: a backward pass compares the two before its first use."""
    backward(ng.op(WITH_OUTPUT[key])).require_certificate()
    plant(monkeypatch, key, 0, False, FAULTS[fault])
    with pytest.raises(CertificateError, match="the output-form derivative .* fault of nbgraph"):
        backward(ng.op(WITH_OUTPUT[key])).require_certificate()
