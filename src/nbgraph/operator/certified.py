"""Operators and certificates: what is checked when, and at definition."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from nbgraph.kernels.certificate import Certificate, Claim, certify
from nbgraph.kernels.derivative import partials
from nbgraph.kernels.derived import (
    OUT,
    Backward,
    Derivative,
    Gradient,
    dependences,
    hand_gradients,
    seed,
)
from nbgraph.kernels.function import Captured, Scalar, defaults_of
from nbgraph.kernels.scalar import Node
from nbgraph.kernels.transplant import Transplant
from nbgraph.operator.typing import probe

if TYPE_CHECKING:
    from nbgraph.operator.mapper import Mapper


def _claims(scalar: Scalar, wrt: str, order: int) -> list[tuple[Claim, str]]:
    """Orders 1 to `order`: each derivative against differences of the one before."""
    kinds = [n.kind for n in probe(scalar).operands]
    kinds = ["f" if n == wrt else k for n, k in zip(scalar.operands, kinds, strict=True)]
    parameters = defaults_of(scalar)
    captured = scalar.capture(kinds, parameters)
    leaf = seed(scalar, captured, wrt)
    claims = []
    values = list(captured.outputs)
    for step in range(order):
        slopes = partials(captured.graph, values, leaf)
        for value, slope in zip(values, slopes, strict=True):
            if value.kind == "f":
                pair = Captured(captured.graph, (), (), (value, slope))
                claims.append(
                    (_claim(scalar, captured, leaf, value, slope), f"{step} {pair.digest()}")
                )
        values = slopes
    return claims


def _claim(
    scalar: Scalar, captured: Captured, leaf: Node, value: Node, slope: Node, **more: Any
) -> Claim:
    parameters = defaults_of(scalar)
    fixed = {p.id: parameters[str(p.data)] for p in captured.parameters if p is not leaf}
    leaves = (*captured.operands, *captured.parameters)
    return Claim(scalar.name, captured.graph, leaves, fixed, leaf, value, slope, **more)


def certificates(scalar: Scalar, wrt: str, order: int = 1) -> list[Certificate]:
    """The certificates of a derived derivative."""
    return [certify(claim, key) for claim, key in _claims(scalar, wrt, order)]


def require(op: Mapper) -> None:
    """The certificates of a derivative operator; a wrong derivative raises."""
    scalar = op.scalar
    if isinstance(scalar, Derivative):
        certificates(scalar.parent, scalar.wrt, scalar.order)
        if scalar.gradient is not None:
            check_gradient(scalar.parent, scalar.gradient)
    elif isinstance(scalar, Backward) and scalar.gradient is not None:
        check_gradient(scalar.parent, scalar.gradient)
    elif isinstance(scalar, Backward):
        for name in scalar.wrt:
            certificates(scalar.parent, name)
        if scalar.memory:
            check_output_forms(scalar.parent)


def check_gradient(scalar: Scalar, gradient: Gradient) -> list[Certificate]:
    """A hand-given gradient against the derived one."""
    parameters = defaults_of(scalar)
    captured = scalar.capture(["f"] * len(scalar.operands), parameters)
    graph = captured.graph
    grads = [graph.argument(name, "f") for name in gradient.out_grads]
    given = hand_gradients(captured, gradient, grads, parameters)
    found = []
    for leaf, hand in zip(captured.operands, given, strict=True):
        if hand.op == "none":
            continue
        total: Node | None = None
        for g, slope in zip(grads, partials(graph, captured.outputs, leaf), strict=True):
            term = graph.arithmetic("mul", g, slope)
            total = term if total is None else graph.arithmetic("add", total, term)
        assert total is not None
        claim = _claim(
            scalar, captured, leaf, captured.outputs[0], hand, reference=total, what="hand-given"
        )
        wide = Claim(
            claim.name,
            graph,
            (*claim.leaves, *grads),
            claim.fixed,
            leaf,
            claim.value,
            claim.slope,
            total,
            claim.what,
        )
        pair = Captured(graph, (), (), (hand, total))
        found.append(certify(wide, pair.digest()))
    return found


def check_output_forms(scalar: Scalar) -> list[Certificate]:
    """Derivatives written with the output (T1) against those written with operands."""
    captured = scalar.capture(["f"] * len(scalar.operands), defaults_of(scalar))
    if len(captured.outputs) != 1:
        return []
    (out,) = captured.outputs
    found = []
    kinds = ["f"] * len(scalar.operands)
    for name, dependence in dependences(scalar, kinds, defaults_of(scalar), memory=True).items():
        if dependence.kind != "T1":
            continue
        leaf = captured.graph.argument(OUT, "f")
        back = Transplant(captured.graph, captured.graph, {leaf.id: out})(dependence.partial)
        claim = _claim(
            scalar,
            captured,
            seed(scalar, captured, name),
            out,
            back,
            reference=dependence.operand_form,
            what="output-form",
        )
        pair = Captured(captured.graph, (), (), (back, dependence.operand_form))
        found.append(certify(claim, pair.digest()))
    return found
