"""Certificates of row operators, on short rows as scalar functions of their elements."""

from nbgraph.kernels.derivatives.certificate import Certificate, certify
from nbgraph.kernels.derivatives.claim import Claim
from nbgraph.kernels.function.scalar_function import Captured
from nbgraph.ops.rowwise.adjoint import Unrolled
from nbgraph.ops.rowwise.programs import AdjointProgram

_LENGTH = 3  # of the row: several terms per total, one element that attains an extreme
_LABEL = 1  # the index in the row that labels have


def require(program: AdjointProgram) -> list[Certificate]:
    """Check every gradient of a program against differences with many digits; return the
    certificates. Raise CertificateError if one is wrong."""
    kinds = ["int32" if name in program.integers else "f" for name in program.operands]
    parameters = {name: p.default for name, p in program.parameters.items()}
    reverse, gradients, totals = program.claimed(kinds, parameters)
    graph = reverse.graph
    unrolled = Unrolled(reverse.described, reverse.elements, _LENGTH, totals)
    scalar = unrolled.graph
    value = scalar.const(0.0)
    outputs = zip(reverse.described.outputs, reverse.out_grads, strict=True)
    for output, grad in outputs:  # the weighted sum of all results
        terms = unrolled(graph.arithmetic("mul", output, grad))
        for term in terms if grad.id in reverse.elements else terms[:1]:
            value = scalar.arithmetic("add", value, term)
    fixed = {leaf.id: parameters[str(leaf.data)] for leaf in unrolled.parameters}
    leaves = list(dict.fromkeys(n for many in unrolled.leaves.values() for n in many))
    fixed |= {leaf.id: _LABEL for leaf in leaves if leaf.kind != "f"}
    certificates: list[Certificate] = []
    for i, gradient in zip(program.wanted, gradients, strict=True):
        operand = reverse.described.operands[i]
        if operand.kind != "f":
            continue
        slope = unrolled(gradient)[_LABEL]
        wrt = unrolled.leaves[operand.id][_LABEL]
        claim = Claim(
            program.of.name, scalar, (*leaves, *unrolled.parameters), fixed, wrt, value, slope
        )
        digest = Captured(scalar, (), (), (value, slope)).digest()
        certificates.append(certify(claim, f"row {digest}"))
    return certificates
