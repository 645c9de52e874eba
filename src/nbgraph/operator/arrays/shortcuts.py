"""The quick way of calls like some before: what `ArrayOp.shortcuts` holds, by attributes.

An entry is `push` and the attributes as they are kept. `push(place, operands)` gives the result, or
None where the general way is needed; numbers that differ from call to call stand behind operands.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.kernels.function.signature import static_key
from nbgraph.operator.call import recorded
from nbgraph.operator.layout import keep
from nbgraph.operator.spec import Attributes

SHORTCUTS = 2048  # calls whose quick way an operator knows: a loop over x[i] has one for each i


def call_key(attributes: Attributes, operands: Sequence[Any]) -> tuple[Any, ...]:
    """Return attributes and the number of operands as a key; 1 and 1.0, 0.0 and -0.0 differ."""
    values: Any = attributes.values()
    kinds = tuple(map(type, values))
    numbers = map(static_key, values) if float in kinds or complex in kinds else values
    return (len(operands), *attributes, *numbers, *kinds)


def floats_of(names: Sequence[str], attributes: Attributes) -> list[str]:
    """Return which of these attributes are floats."""
    return [name for name in names if type(attributes.get(name)) is float]


def shortly(op: Any, frame: Any, operands: tuple[Any, ...], attributes: Attributes) -> Any:
    """Return the result of the quick way, or None."""
    try:
        if op.numeric:
            return _by_numbers(op, frame, operands, attributes)
        known = op.shortcuts.get(call_key(attributes, operands))
        if known is None and op.draws and not operands:  # by another number
            known = op.shortcuts.get(call_key(op.fixed(attributes), operands))
            return None if known is None else known[0](frame, op.values(attributes))
    except TypeError:  # an attribute that is a list or an array
        return None
    if known is None:
        return None
    push, normalised = known
    result = push(frame, operands)
    return recorded(push, op, operands, normalised, frame) if result is None else result


def _by_numbers(op: Any, frame: Any, operands: tuple[Any, ...], attributes: Attributes) -> Any:
    """Return the result of the quick way of calls that differ by numbers, or None."""
    fixed: dict[str, Any] = {**attributes}  # as `op.fixed`, without its calls
    for name in op.numeric:
        if type(fixed.get(name)) is float:
            fixed[name] = float
    known = op.shortcuts.get(call_key(fixed, operands))
    if known is None:
        return None
    push, normalised = known
    numbers: list[float] = []
    for name in op.numeric:
        value = normalised[name]
        if type(value) is float:
            numbers.append(attributes[name] if fixed.get(name) is float else value)
    result = push(frame, (*operands, *numbers))
    if result is not None:
        return result
    own = {name: attributes[name] for name, kind in fixed.items() if kind is float}
    return recorded(push, op, operands, {**normalised, **own}, frame, numbers)


def learn_words(
    op: Any, attributes: Attributes, normalised: Attributes, operands: tuple[Any, ...]
) -> None:
    """Remember that attributes as they were passed are these, whose quick way is known."""
    try:
        known = op.shortcuts.get(call_key(op.fixed(normalised), operands))
        key = call_key(op.fixed(attributes), operands)
        if known is not None:
            keep(op.shortcuts, key, (known[0], normalised), SHORTCUTS)
    except TypeError:  # see `shortly`
        return
