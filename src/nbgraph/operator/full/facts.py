"""What a property says for one set of parameters, asked once and checked."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.full.handles import Handle, handles, read_handles, read_pairs
from nbgraph.operator.full.property import OperatorProperty

_OUTPUTS = re.compile(r"out\d*$")  # how a gradient's own operands are called


@dataclass(frozen=True, slots=True)
class Facts:
    """Names, and what may be read and overwritten."""

    arguments: tuple[str, ...]
    states: tuple[str, ...]
    outputs: tuple[str, ...]
    visible: int
    reads: tuple[Handle, ...]  # of backward
    forward_pairs: tuple[tuple[Handle, Handle], ...]
    backward_pairs: tuple[tuple[Handle, Handle], ...]
    forward_requests: tuple[Any, ...] | None  # None: they depend on shapes
    backward_requests: tuple[Any, ...] | None

    def reads_at(self, kind: str) -> tuple[int, ...]:
        """Places of what backward reads of a kind."""
        return tuple(sorted(h.place for h in self.reads if h.kind == kind))


def facts_of(op: str, prop: OperatorProperty, reserved: Mapping[str, Any]) -> Facts:
    """The facts; ArgumentError names the method that says what cannot be. `reserved`: parameters,
    which no array may be named like."""
    arguments = _names(op, "list_arguments", prop.list_arguments(), reserved)
    states = _names(op, "list_auxiliary_states", prop.list_auxiliary_states(), reserved, arguments)
    outputs = _names(op, "list_outputs", prop.list_outputs(), {})
    visible = prop.num_visible_outputs()
    if prop.num_outputs() != len(outputs) or not 1 <= visible <= len(outputs):
        raise ArgumentError(
            f"{op}: num_visible_outputs says {visible} of {prop.num_outputs()}, list_outputs has "
            f"{len(outputs)} names; expected 1 to as many as there are names"
        )
    grads, ins = handles("out_grad", visible), handles("in_data", len(arguments))
    outs, made = handles("out_data", len(outputs)), handles("in_grad", len(arguments))
    return Facts(
        arguments,
        states,
        outputs,
        visible,
        read_handles(
            f"{op}: declare_backward_dependency",
            prop.declare_backward_dependency(grads, ins, outs),
            [*grads, *ins, *outs],
        ),
        read_pairs(
            f"{op}: forward_inplace_option", prop.forward_inplace_option(ins, outs), ins, outs
        ),
        read_pairs(
            f"{op}: backward_inplace_option",
            prop.backward_inplace_option(grads, ins, outs, made),
            [*grads, *ins, *outs],
            made,
        ),
        _always(prop.forward_resource, len(arguments)),
        _always(prop.backward_resource, len(arguments)),
    )


def _names(
    op: str,
    method: str,
    given: Any,
    reserved: Mapping[str, Any],
    before: Sequence[str] = (),
) -> tuple[str, ...]:
    names = () if isinstance(given, str) else tuple(given)
    where = f"{op}: {method} returned {given!r}"
    if isinstance(given, str) or not all(isinstance(n, str) and n.isidentifier() for n in names):
        raise ArgumentError(f"{where}; return a list of names such as ['data', 'weight']")
    if len(set(names)) < len(names) or set(names) & set(before):
        raise ArgumentError(f"{where}, where a name stands twice; each array has a name of its own")
    for name in names:
        taken = name in reserved or (method != "list_outputs" and _taken(name))
        if taken:
            raise ArgumentError(f"{where}; {name!r} means something else in a call, choose another")
    return names


def _taken(name: str) -> bool:
    return name in ("name", "attr") or _OUTPUTS.match(name) is not None


def _always(method: Callable[[Sequence[Any]], Any], count: int) -> tuple[Any, ...] | None:
    """The requests, if they do not depend on shapes."""
    from nbgraph.resource import requests  # it needs the engine, which loads when work is pushed

    try:
        return requests(method([None] * count))
    except ArgumentError:
        raise
    except Exception:  # it reads a shape: asked again when there is one
        return None
