"""The text that help() shows of a simple operator: generated from what was set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from nbgraph.operator.parameters import Param

if TYPE_CHECKING:
    from nbgraph.operator.simple.function import DeviceFunction
    from nbgraph.operator.simple.op import SimpleOp


def documentation(op: SimpleOp, text: str) -> str:
    """The user's text, the operands and parameters, and what is known of the functions."""
    rows = [f"{name} : array" for name in op.operands]
    params = op.keywords.params
    if isinstance(params, type) and issubclass(params, Param):
        rows += [f.describe() for f in params.__fields__.values()]
    rows += ["scalar : float"] if op.keywords.scalar else []
    lines = [text or f"The operator {op.__name__}."]
    if rows:
        lines += ["", "Parameters", "----------", *rows]
    notes = [*_notes("Function", op.functions), *_notes("Gradient", op.gradients)]
    if not op.gradients:
        notes.append("Gradient: none, so nothing is differentiated through it.")
    return "\n".join([*lines, "", *notes])


def _notes(title: str, functions: Mapping[str, DeviceFunction]) -> list[str]:
    return [f"{title} on {device}: {_note(f)}" for device, f in functions.items()]


def _note(function: Any) -> str:
    form = function.form
    kind = {"python": "Python", "compiled": "compiled, without the GIL", "cuda": "CUDA"}
    kind["threads"] = "a kernel by threads"
    parts = [kind[function.kind], function.option.name]
    if form.of == "gradient":
        kept = [*(["output"] * form.keeps_output), *(["operands"] * form.keeps_inputs)]
        parts.insert(0, f"{form.name}, backward keeps {' and '.join(kept) or 'nothing'}")
    return ", ".join(parts) + "."
