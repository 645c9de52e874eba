"""Signature and documentation of a registered property, for people and tools."""

from __future__ import annotations

import inspect
from typing import Any

from nbgraph.errors import NbgraphError
from nbgraph.operator.full.facts import Facts
from nbgraph.operator.full.property import OperatorProperty


def example(prop: type[OperatorProperty]) -> OperatorProperty | None:
    """The property with default parameters, and examples of those that are required: by it names
    are known before any call. None where such parameters do not fit together."""
    required = {
        name: f.choices[0] if f.choices else f.kind.example
        for name, f in prop.Param.__fields__.items()
        if f.required and f.kind is not None
    }
    try:
        return prop(**{k: v.strip("'") if isinstance(v, str) else v for k, v in required.items()})
    except NbgraphError:
        return None


def signature(prop: type[OperatorProperty], facts: Facts | None) -> inspect.Signature:
    """Arrays positional or by name, then `out`, `name` and the parameters by name."""
    P = inspect.Parameter
    if facts is None:
        arrays = [P("arrays", P.VAR_POSITIONAL)]
    else:
        names = (*facts.arguments, *facts.states)
        arrays = [P(n, P.POSITIONAL_OR_KEYWORD, default=None) for n in names]
    own = inspect.signature(prop.Param).parameters.values()
    last = [P(n, P.KEYWORD_ONLY, default=None) for n in ("out", "name")]
    return inspect.Signature([*arrays, *own, *last])


def described(name: str, prop: type[OperatorProperty], facts: Facts | None) -> str:
    """What help() shows: the property's own text, arrays, parameters, outputs, what is known."""
    own = prop.__dict__.get("__doc__")
    lines = [inspect.cleandoc(own) if own else f"The operator {name}.", ""]
    rows = [] if facts is None else [f"{n} : array" for n in facts.arguments]
    if facts is not None:
        rows += [f"{n} : array, auxiliary state: written in training" for n in facts.states]
    rows += [f.describe() for f in prop.Param.__fields__.values()]
    if rows:
        lines += ["Parameters", "----------", *rows, ""]
    if facts is not None:
        lines += ["Returns", "-------", *(f"{n} : array" for n in facts.outputs[: facts.visible])]
        lines += ["", *_notes(facts)]
    return "\n".join(lines)


def _notes(facts: Facts) -> list[str]:
    hidden = facts.outputs[facts.visible :]
    notes = [f"Backward reads {_listed(facts.reads)}."]
    if hidden:
        notes.append(f"Hidden outputs: {', '.join(hidden)}.")
    pairs = [f"{a!r} by {b!r}" for a, b in (*facts.forward_pairs, *facts.backward_pairs)]
    if pairs:
        notes.append(f"May be overwritten: {', '.join(pairs)}.")
    return notes


def _listed(handles: tuple[Any, ...]) -> str:
    return ", ".join(map(repr, handles)) or "nothing"
