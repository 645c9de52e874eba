"""The gradient rule of row operators, derived from their programs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from nbgraph.dtype import is_float
from nbgraph.operator.arrays.array_op import Gradients
from nbgraph.operator.call import call
from nbgraph.operator.rows.row_op import RowOp

if TYPE_CHECKING:
    from nbgraph.ops.rowwise.programs import AdjointProgram


class Reverse(NamedTuple):
    """The gradients that an operator computes: of operands of `op`, from those of outputs."""

    op: RowOp
    wanted: tuple[int, ...]
    seeded: tuple[int, ...]


def derived(g: Gradients, only: Sequence[int] | None = None) -> list[Any]:
    """Return the gradients of a row operator, by the reverse of its program, summed to the
    operands' shapes: of all operands that need one, or of `only` these."""
    op = g.op
    assert isinstance(op, RowOp)
    program = op.program
    asked = [k for k, ask in enumerate(g.wanted) if ask and (only is None or k in only)]
    names = program.integers
    wanted = [k for k in asked if op.operands[k] not in names and is_float(g.specs[k].dtype)]
    outputs = [k for k, grad in enumerate(g.out_grads) if grad is not None]
    if not wanted or not outputs:
        return []
    reverse = adjoint(op, wanted, outputs)
    way: AdjointProgram = reverse.program  # type: ignore[assignment]
    values = dict(zip(program.operands, g.inputs, strict=True))
    values |= dict(zip(way.grads, (g.out_grads[k] for k in outputs), strict=True))
    values |= {name: g.outputs[k] for k, name in way.kept.items()}
    attributes = {k: g.attributes[k] for k in ("axis", *program.parameters)}
    if attributes["axis"] is None:  # the operator determines these axes
        rank = max(len(spec.shape) for spec in g.specs[: len(program.elements)])
        attributes["axis"] = op.axes(rank, g.attributes)
    if reverse.program.rows or any(row for _, row in reverse.program.results):
        attributes["keepdims"] = g.attributes.get("keepdims", False)
    results = call(reverse, [values[name] for name in reverse.operands], attributes)
    values = dict(zip(wanted, results if isinstance(results, tuple | list) else (results,)))
    return [values.get(i) for i in range(len(g.specs))]


def adjoint(op: RowOp, wanted: Sequence[int], outputs: Sequence[int]) -> RowOp:
    """Return the operator of gradients by the `wanted` operands, from those of `outputs`.

    Raises CertificateError if differences in higher precision contradict it, unless the operator is
    not to be certified; tests check those of the library against differences.
    """
    key = "adjoint", tuple(wanted), tuple(outputs)
    row_op: RowOp | None = op.carried.get(key)
    if row_op is None:
        from nbgraph.ops.rowwise.programs import AdjointProgram  # loads the derivation

        program = AdjointProgram(op.program, wanted, outputs, op.keeps)
        certify = getattr(op, "certify", False)
        if certify:
            from nbgraph.ops.rowwise.certified import require

            require(program)
        row_op = RowOp(program, gradient=derived, keeps=program.operands)
        row_op.certify = certify  # type: ignore[attr-defined]
        row_op.reverse = Reverse(op, program.wanted, program.seeded)
        op.carried[key] = row_op
    return row_op
