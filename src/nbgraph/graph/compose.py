"""Nodes of operators that create variables for omitted arguments and states.

The variables are named after the node and the operand, as `fc1_weight`. A node without a name is
named by its place in the graph, and so are its variables (`naming.names_of`), so that variables of
two calls are never identified by accident.
"""

import os
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from nbgraph.engine.sites import caller
from nbgraph.errors import ArgumentError
from nbgraph.graph import build, naming
from nbgraph.graph.build import GraphNode, Operand
from nbgraph.graph.naming import OPERAND, UNNAMED_CALL
from nbgraph.operator.spec import Attributes


def composed(
    op: Any,
    operands: Sequence[Operand | None],
    name: str | None,
    attributes: Attributes | None = None,
    known: Mapping[str, tuple[Any, Any]] | None = None,
    shown: Mapping[str, Any] = MappingProxyType({}),
    inner: bool = False,
) -> GraphNode:
    """Return the node, with new variables for operands that are None.

    `op` is an operator over whole arrays with `property`, whose `initial(name)` is the init of a
    variable; or `attributes` are those of its node, and `known` has the partial shape and the init
    of each variable. `shown`: attributes for `Symbol.attr` only. `inner`: the node is one of
    several of a call, so that only its variables get the name, and the node itself is named after
    the operator with that prefix, as `ln_norm_weight0`. Raises ArgumentError if a state, which is
    written, is not a variable.
    """
    if name is not None and (not isinstance(name, str) or not name):
        raise ArgumentError(f"{op.__name__}: name={name!r}; give a string such as 'fc1'")
    marks = {} if name else call_mark(op.__name__)
    stem = naming.scope.get() + name if name else marks[UNNAMED_CALL][0]
    inputs = [
        _variable(op, stem, label, marks, known) if operand is None else operand
        for label, operand in zip(op.operands, operands, strict=True)
    ]
    for label, operand in zip(op.operands, inputs, strict=True):
        if label in op.auxiliary and (type(operand) is not tuple or operand[0].op is not None):
            raise ArgumentError(
                f"{op.__name__}: the auxiliary state {label!r} is computed; it is written in "
                f"training, so it has to be a variable: leave it out, or give ng.var({label!r})"
            )
    scope = naming.scope.get()
    inside = inner and name is not None
    return build.apply(
        op,
        inputs,
        op.parameters if attributes is None else attributes,
        name=None if name is None or inner else scope + name,
        marks={**shown, **naming.marks.get()},
        scope=f"{scope}{name}_" if inside else scope,
        line=caller(),
    )


def missing_operands(op: str, name: str | None, operands: Sequence[str]) -> dict[str, GraphNode]:
    """Return variables for operands that a call omitted, which `Symbol.__call__` may replace."""
    marks = {**naming.marks.get(), **({} if name else call_mark(op))}
    stem = naming.scope.get() + name if name else marks[UNNAMED_CALL][0]
    return {
        n: build.variable(f"{stem}_{n}", None, None, {**marks, OPERAND: n}, caller())
        for n in operands
    }


def call_mark(op: str) -> Mapping[str, Any]:
    """Return the mark for variables of a call without a name: the present one, or a new one."""
    new = {UNNAMED_CALL: (naming.scope.get() + op, os.urandom(8).hex())}
    return naming.call.get() or new


def _variable(
    op: Any,
    stem: str,
    label: str,
    own: Mapping[str, Any],
    known: Mapping[str, tuple[Any, Any]] | None,
) -> Operand:
    marks = {**naming.marks.get(), **own}
    if known is None:
        shape, init = None, op.property.initial(label)
    else:
        shape, init = known.get(label, (None, None))
    if init is not None:
        marks["init"] = init
    return build.variable(f"{stem}_{label}", shape, None, marks, caller()), 0
