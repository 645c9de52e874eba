"""Certificates of operators: which derivatives are checked, and when."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.kernels.derivatives.claim import Claim, known
from nbgraph.kernels.derivatives.partials import partials
from nbgraph.kernels.function.derived import (
    OUT,
    Backward,
    Derivative,
    Gradient,
    dependences,
    floating,
    hand_gradients,
    seed,
)
from nbgraph.kernels.function.probe import probe_kinds
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.transplant import Transplant

if TYPE_CHECKING:
    from nbgraph.kernels.derivatives.certificate import Certificate
    from nbgraph.operator.scalar.elementwise import Elementwise


KeyedClaim = tuple[Claim, str]  # a claim, and the digest of its formulas

SECONDS = 1.2  # processor seconds for all claims checked together


def _claims(scalar: Scalar, wrt: str, order: int) -> list[KeyedClaim]:
    """Return claims for orders 1 to `order`: each derivative against differences of the last."""
    kinds = floating(scalar, probe_kinds(scalar), [wrt])
    parameters = defaults_of(scalar)
    captured = scalar.capture(kinds, parameters)
    leaf = seed(scalar, captured, wrt)
    claims: list[KeyedClaim] = []
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
    more["usual"] = {n.id: scalar.defaults[n.data] for n in leaves if n.data in scalar.defaults}
    return Claim(scalar.name, captured.graph, leaves, fixed, leaf, value, slope, **more)


def certificates(
    scalar: Scalar, wrt: str, order: int = 1, seconds: float = SECONDS
) -> list[Certificate]:
    """Return the certificates of a derived derivative, within `seconds` of processor time."""
    return _certificates(_claims(scalar, wrt, order), seconds)


def _certificates(claims: list[KeyedClaim], seconds: float = SECONDS) -> list[Certificate]:
    """Return the certificates of claims; unused time of one is available to the next ones."""
    from nbgraph.kernels.derivatives.certificate import LIMIT, certify

    end = time.thread_time() + seconds
    results = []
    for left, (claim, digest) in zip(range(len(claims), 0, -1), claims, strict=True):
        share = max(0.0, end - time.thread_time()) / left
        results.append(certify(claim, digest, min(LIMIT, share)))
    return results


def require(op: Elementwise) -> None:
    """Raise CertificateError if the derivative of an operator is wrong."""
    scalar = op.scalar
    claims: list[KeyedClaim] = []
    if isinstance(scalar, Derivative):
        claims = _claims(scalar.parent, scalar.wrt, scalar.order)
        if scalar.gradient is not None:
            claims += _gradient_claims(scalar.parent, scalar.gradient)
    elif isinstance(scalar, Backward) and scalar.gradient is not None:
        claims = _gradient_claims(scalar.parent, scalar.gradient)
    elif isinstance(scalar, Backward):
        claims = [claim for name in scalar.wrt for claim in _claims(scalar.parent, name, 1)]
        if scalar.memory:
            claims += _output_claims(scalar.parent, scalar.wrt)
    _require(claims)


def _require(claims: list[KeyedClaim]) -> None:
    unknown = [claim for claim in claims if not known(*claim)]
    if unknown:  # the judging code takes some 30 ms to load
        _certificates(unknown)


def require_gradient(scalar: Scalar, gradient: Gradient) -> None:
    """Raise CertificateError if a hand-written gradient disagrees with the derived one."""
    _require(_gradient_claims(scalar, gradient))


def check_gradient(scalar: Scalar, gradient: Gradient) -> list[Certificate]:
    """Return the certificates of a hand-written gradient against the derived one."""
    return _certificates(_gradient_claims(scalar, gradient))


def _gradient_claims(scalar: Scalar, gradient: Gradient) -> list[KeyedClaim]:
    parameters = defaults_of(scalar)
    captured = scalar.capture(probe_kinds(scalar), parameters)
    graph = captured.graph
    grads = [graph.argument(name, "f") for name in gradient.out_grads]
    by_hand = hand_gradients(captured, gradient, grads, parameters)
    claims: list[KeyedClaim] = []
    for leaf, hand in zip(captured.operands, by_hand, strict=True):
        if hand.op == "none" or leaf.kind != "f":
            continue
        total: Node | None = None
        for g, slope in zip(grads, partials(graph, captured.outputs, leaf), strict=True):
            term = graph.arithmetic("mul", g, slope)
            total = term if total is None else graph.arithmetic("add", total, term)
        assert total is not None
        claim = _claim(
            scalar, captured, leaf, captured.outputs[0], hand, reference=total, what="hand-written"
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
        claims.append((wide, pair.digest()))
    return claims


def _output_claims(scalar: Scalar, wrt: Sequence[str]) -> list[KeyedClaim]:
    """Return claims of derivatives written with the output (T1) against those with operands."""
    captured = scalar.capture(probe_kinds(scalar), defaults_of(scalar))
    if len(captured.outputs) != 1:
        return []
    (out,) = captured.outputs
    claims: list[KeyedClaim] = []
    kinds = probe_kinds(scalar)
    reads = dependences(scalar, kinds, defaults_of(scalar), wrt, memory=True)
    for name, dependence in reads.items():
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
        claims.append((claim, pair.digest()))
    return claims
