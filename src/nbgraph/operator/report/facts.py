"""Facts about an operator that need no compiling: texts, dependence, in-place, dtypes, notes."""

from __future__ import annotations

import ast
import linecache
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph import parsing
from nbgraph.dtype import Dtype
from nbgraph.errors import DerivativeError, NbgraphError
from nbgraph.kernels.capture import composed
from nbgraph.kernels.capture.names import names_of
from nbgraph.kernels.capture.text import FunctionText, NoSourceError, function_text
from nbgraph.kernels.derivatives import guards
from nbgraph.kernels.derivatives.depend import OUT
from nbgraph.kernels.derivatives.partials import partials
from nbgraph.kernels.function.derived import Derivative, dependences, hand_gradients, seed
from nbgraph.kernels.function.probe import probe, probe_kinds
from nbgraph.kernels.function.scalar_function import Captured, Scalar, WrittenFunction
from nbgraph.kernels.function.signature import defaults_of
from nbgraph.kernels.scalar import readable
from nbgraph.kernels.scalar.graph import Node
from nbgraph.kernels.scalar.wording import place
from nbgraph.operator.scalar.typing import operand_dtypes, resolve

if TYPE_CHECKING:
    from nbgraph.operator.scalar.elementwise import Elementwise

_DTYPES = ("float16", "float32", "float64", "int8", "int32", "int64", "uint8", "bool")
_OPTIONS = {1: ("kInplaceInOut", "kInplaceOutIn"), 2: ("kInplaceLhsOut", "kInplaceOutLhs")}


# texts -----------------------------------------------------------------------------------------


def written(scalar: Scalar) -> FunctionText | None:
    """Return the user's text of a definition, or None for a derived or opaque one."""
    if not isinstance(scalar, WrittenFunction):
        return None
    try:
        return function_text(scalar.fn)
    except NoSourceError:
        return None


def literals(scalar: Scalar) -> dict[float, str]:
    """Return how the user wrote the numbers of a function, or of its parent if derived."""
    while not isinstance(scalar, WrittenFunction) and hasattr(scalar, "parent"):
        scalar = scalar.parent  # type: ignore[attr-defined]
    text = written(scalar)
    return readable.written_literals(text.source) if text else {}


def scalar_text(scalar: Scalar) -> tuple[str, str]:
    """Return the text of a definition without decorators, and its file and line."""
    text = written(scalar)
    if text is None:
        if isinstance(scalar, WrittenFunction):
            code = scalar.fn.__code__
            return "(the source text cannot be found)", f"{code.co_filename}"
        return readable_text(scalar, probe(scalar), scalar.name), "derived"
    assert isinstance(scalar, WrittenFunction)
    where = place(text.filename, scalar.fn.__code__.co_firstlineno)
    lines = text.source.rstrip().splitlines()
    try:
        node = parsing.parse(text.source).body[0]
    except SyntaxError:
        return "\n".join(lines), where
    skip = node.lineno - 1 if isinstance(node, ast.FunctionDef) else 0
    return "\n".join(_without_docstring(node, lines)[skip:]), where


def _without_docstring(node: ast.stmt, lines: list[str]) -> list[str]:
    if isinstance(node, ast.FunctionDef) and ast.get_docstring(node) and len(node.body) > 1:
        first = node.body[0]
        return lines[: first.lineno - 1] + lines[first.end_lineno :]
    return lines


def signature(scalar: Scalar, operands: Sequence[str] | None = None) -> list[str]:
    """Return the parameters of a definition's text, between the parentheses."""
    names = scalar.operands if operands is None else operands
    parts = [f"{n}={scalar.defaults[n]!r}" if n in scalar.defaults else n for n in names]
    if scalar.parameters:
        parts.append("*")
    return parts + [p.name if p.required else f"{p.name}={p.default!r}" for p in scalar.parameters]


def readable_text(scalar: Scalar, captured: Captured, name: str) -> str:
    """Return a graph as the text of a Python function."""
    outputs = captured.outputs
    return readable.function(name, signature(scalar), captured.graph, outputs, literals(scalar))


def floating_operands(op: Elementwise) -> list[str]:
    """Return the operands that a derivative can be taken by."""
    if all(o.kind != "f" for o in probe(op.scalar).outputs):
        return []
    kinds = list(probe_kinds(op.scalar))
    return [n for n, kind in zip(op.scalar.operands, kinds, strict=True) if kind == "f"]


def derivative_texts(op: Elementwise) -> dict[str, str]:
    """Return the text of the derivative by each operand, or why there is none."""
    texts = {}
    for name in floating_operands(op):
        scalar = Derivative(op.scalar, name, 1, op.hand_gradient)
        try:
            kinds = list(probe_kinds(op.scalar))
            captured = scalar.capture(kinds, defaults_of(scalar))
            texts[name] = readable_text(scalar, captured, scalar.name)
        except NbgraphError as error:
            texts[name] = f"none: {error}"
    return texts


def guard_rows(op: Elementwise) -> list[dict[str, Any]]:
    """Return the branches that are taken on a set without interior, and their slopes."""
    rows: list[dict[str, Any]] = []
    parameters = defaults_of(op.scalar)
    for name in floating_operands(op) if op.hand_gradient is None else ():
        captured = op.scalar.capture(probe_kinds(op.scalar), parameters)
        leaf = seed(op.scalar, captured, name)
        try:
            partials(captured.graph, captured.outputs, leaf)
        except DerivativeError:
            continue
        for guard in guards.of_outputs(captured.graph, captured.outputs, leaf):
            where, line = user_line(guard.condition)
            if where:
                row = {"operand": name, "where": where, "line": line, "outcome": guard.outcome}
                slope = None if guard.slope is None else _expression(op, captured, guard.slope)
                rows.append({**row, "why": guard.why, "slope": slope})
    return rows


def _expression(op: Elementwise, captured: Captured, node: Node) -> str:
    return readable.expression(captured.graph, node, literals(op.scalar))


def guard_text(row: Mapping[str, Any]) -> str:
    """Return the sentence about a guard in a report."""
    operand, why, slope = row["operand"], row["why"], row["slope"] or ""
    limit = f", {slope}" if len(slope) <= readable.WIDTH else ""
    text = {
        "limit": f"the limit of the other branch{limit}; close by, terms of that branch may "
        "cancel, which costs digits",
        "jump": f"the branch's own, as the function is not continuous: {why}",
        "kink": f"the branch's own: {why}",
        "unknown": f"the branch's own, as no limit was found: {why}",
    }[row["outcome"]]
    return f"{row['where']}: {row['line']}\n  slope w.r.t. {operand}: {text}"


# dependence ------------------------------------------------------------------------------------


def dependence_rows(op: Elementwise) -> list[dict[str, Any]]:
    """Return per floating operand: class, reads, why, and the form that reads the output."""
    names, gradient = floating_operands(op), op.hand_gradient
    if gradient is not None:
        reads = [*gradient.outs, *gradient.operands]
        kind = "T2" if gradient.operands else "T1" if gradient.outs else "T0"
        listed = ", ".join(reads) or "out_grad only"
        why = f"the hand-written gradient names {listed}"
        silent = _not_differentiable(op)
        return [_row(n, kind, reads, why) for n in names if n not in silent]
    if op.nout > 1:
        why = "with several outputs backward keeps the operands"
        return [_row(n, "T2", list(op.scalar.operands), why) for n in names]
    rows: list[dict[str, Any]] = []
    kinds = list(probe_kinds(op.scalar))
    parameters = defaults_of(op.scalar)
    memory = op.prefer == "memory"
    for name in names:
        try:
            classes = dependences(op.scalar, kinds, parameters, [name], memory=memory)
        except DerivativeError:
            continue
        dependence = classes[name]
        row = _row(name, dependence.kind, sorted(dependence.reads), dependence.why())
        if dependence.kind == "T1":
            graph = op.scalar.capture(kinds, parameters).graph
            row["form"] = readable.function(
                f"{op.scalar.name}_d{name}",
                signature(op.scalar, [OUT]),
                graph,
                [dependence.partial],
                literals(op.scalar),
            )
        rows.append(row)
    return rows


def _row(name: str, kind: str, reads: list[str], why: str) -> dict[str, Any]:
    return {"operand": name, "class": kind, "reads": reads, "why": why, "form": None}


def _not_differentiable(op: Elementwise) -> set[str]:
    """Return the operands for which the hand-written gradient is None."""
    assert op.hand_gradient is not None
    captured = op.scalar.capture(probe_kinds(op.scalar), defaults_of(op.scalar))
    grads = [captured.graph.const(1.0) for _ in op.hand_gradient.out_grads]
    gradients = hand_gradients(captured, op.hand_gradient, grads, defaults_of(op.scalar))
    return {n for n, node in zip(op.scalar.operands, gradients, strict=True) if node.op == "static"}


def in_place(op: Elementwise, rows: Sequence[dict[str, Any]], dtype: Dtype) -> dict[str, Any]:
    """Return which memory may be overwritten, forward and backward, and why.

    The option names are those of a simple operator: kInplaceInOut, kInplaceOutIn, ...
    """
    reads = {name for row in rows for name in row["reads"]}
    dtypes = operand_dtypes(op.scalar, dtype)
    typed = resolve(op.scalar, dtypes, dtype, defaults_of(op.scalar))
    wide = all(o.itemsize == dtype.itemsize for o in typed.outputs)
    forward: dict[str, str] = {}
    free: list[str] = []
    for name in op.scalar.operands:
        if not wide:
            forward[name] = f"no: an element of the result is not as large as one of {name}"
        elif name in reads:
            forward[name] = f"no: backward reads {name}"
        else:
            free.append(name)
            forward[name] = f"the output may overwrite {name}: backward does not read it"
    first = op.scalar.operands[0]
    backward = "no gradient, so nothing to decide"
    if rows:
        named = "in_grad" if op.nin == 1 else f"the in_grad of {rows[0]['operand']}"
        grad = "out_grad" if op.nout == 1 else "out_grad0"
        backward = f"{named} may overwrite {grad}: nothing reads it afterwards"
    into, back = _OPTIONS.get(op.nin, _OPTIONS[2])
    return {
        "forward": forward,
        "backward": backward,
        "free": free,
        "forward_option": into if first in free else "kNoInplace",
        "backward_option": back if rows else "kNoInplace",
    }


# dtypes and notes ------------------------------------------------------------------------------


def dtype_table(op: Elementwise) -> list[tuple[str, str, str]]:
    """Return operands' dtype, results' dtypes, and precision of the arithmetic."""
    rows = []
    parameters = defaults_of(op.scalar)
    for name in _DTYPES:
        dtype = np.dtype(name)
        try:
            dtypes = operand_dtypes(op.scalar, dtype)
            typed = resolve(op.scalar, dtypes, dtype, parameters)
        except (NbgraphError, TypeError, OverflowError):
            continue
        nodes = typed.captured.graph.reachable(typed.captured.outputs)
        computes = typed.compute if any(n.kind == "f" for n in nodes) else "integers"
        operands = ", ".join(dict.fromkeys(d.name for d in dtypes))
        rows.append((operands, ", ".join(o.name for o in typed.outputs), computes))
    return rows


def opaque_calls(op: Elementwise) -> list[str]:
    """Return the functions in the graph that have no source text."""
    captured = probe(op.scalar)
    nodes = captured.graph.reachable(captured.outputs)
    return sorted({n.data.fn.__name__ for n in nodes if n.op == "extern"})


def notes(op: Elementwise) -> list[str]:
    """Return further remarks."""
    lines = []
    for name in opaque_calls(op):
        lines.append(
            f"{name} is opaque: it has no source text, so Numba compiles it as it is, dual numbers "
            "differentiate it, and backward keeps all operands"
        )
    if op.hand_gradient is not None:
        lines.append("the gradient was given by hand")
    if op.fastmath:
        lines.append("fastmath=True: the compiler may reorder this operator's arithmetic")
    if not op.certify:
        lines.append("certify=False: derivatives are used unchecked")
    lines += [f"left out of kernels: {text}" for text in op._probe.graph.notes]
    scalar = op.scalar
    if isinstance(scalar, WrittenFunction):
        if "float64" in names_of(scalar.fn.__code__):
            lines.append(
                "float64() in the text means `a floating value`: the precision is "
                "that of the operands (pass dtype= to choose another)"
            )
    for _, name, value in scalar.watch.globals.values():
        if isinstance(value, (bool, int, float)):
            lines.append(f"reads the global {name} = {value!r}; a change counts at the next call")
    return lines


def user_line(node: Node) -> tuple[str, str]:
    """Return the position of a node in the user's text ("file:line"), and that line."""
    filename, _, number = node.line.rpartition(":")
    if not number.isdigit() or filename == composed.__file__:
        return "", ""
    return place(filename, number), linecache.getline(filename, int(number)).strip()
