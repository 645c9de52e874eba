"""The gradient rule of row operators that is derived from their programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.dtype import is_float
from nbgraph.operator.array_op import Gradients
from nbgraph.operator.call import call
from nbgraph.operator.row_op import RowOp


def derived(g: Gradients) -> list[Any]:
    """Return the gradients of a row operator: the reverse of its program, summed."""
    op = g.op
    assert isinstance(op, RowOp)
    program = op.program
    wanted = [
        i
        for i, (asked, name, spec) in enumerate(zip(g.wanted, op.operands, g.specs, strict=True))
        if asked and name not in program.integers and is_float(spec.dtype)
    ]
    outputs = [k for k, grad in enumerate(g.out_grads) if grad is not None]
    if not wanted or not outputs:
        return []
    reverse = adjoint(op, wanted, outputs)
    own = (*g.inputs, *(g.out_grads[k] for k in outputs))
    values = dict(zip((*program.operands, *reverse.program.grads), own, strict=True))  # type: ignore[attr-defined]
    attributes = {k: g.attributes[k] for k in ("axis", *program.parameters)}
    if reverse.program.rows or any(row for _, row in reverse.program.results):
        attributes["keepdims"] = g.attributes.get("keepdims", False)
    results = call(reverse, [values[name] for name in reverse.operands], attributes)
    values = dict(zip(wanted, results if isinstance(results, tuple | list) else (results,)))
    return [values.get(i) for i in range(len(g.specs))]


def adjoint(op: RowOp, wanted: Sequence[int], outputs: Sequence[int]) -> RowOp:
    """Return the operator of these operands' gradients, given those of these outputs.

    CertificateError where differences in higher precision contradict it, for an operator that is
    to be certified; those of the library are held to differences by its tests.
    """
    key = "adjoint", tuple(wanted), tuple(outputs)
    row_op: RowOp | None = op.carried.get(key)
    if row_op is None:
        from nbgraph.ops.rowwise.programs import AdjointProgram  # it loads what derives

        program = AdjointProgram(op.program, wanted, outputs)
        certify = getattr(op, "certify", False)
        if certify:
            from nbgraph.ops.rowwise.certified import require

            require(program)
        row_op = RowOp(program, gradient=derived, keeps=program.operands)
        row_op.certify = certify  # type: ignore[attr-defined]
        op.carried[key] = row_op
    return row_op
