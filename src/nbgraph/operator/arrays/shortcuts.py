"""The fast path of repeated calls: the content of `ArrayOp.shortcuts`, by attributes.

An entry is `push` and the normalised attributes. `push(place, operands)` returns the result, or
None if the call needs the general path; numbers that vary between calls follow the operands.
"""

from collections.abc import Sequence
from typing import Any

from nbgraph.kernels.function.signature import static_key
from nbgraph.operator.call import recorded
from nbgraph.operator.layout import keep
from nbgraph.operator.spec import Attributes

SHORTCUTS = 2048  # calls with a fast path per operator: a loop over x[i] has one for each i


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
    """Return the result by the fast path, or None."""
    try:
        if op.numeric:
            return _push_numbers(op, frame, operands, attributes)
        known = op.shortcuts.get(call_key(attributes, operands))
        if known is None and op.draws and not operands:  # of another number
            known = op.shortcuts.get(call_key(op.fixed(attributes), operands))
            return None if known is None else known[0](frame, op.values(attributes))
    except TypeError:  # an attribute is a list or an array
        return None
    if known is None:
        return None
    push, normalised = known
    result = push(frame, operands)
    return recorded(push, op, operands, normalised, frame) if result is None else result


def _push_numbers(op: Any, frame: Any, operands: tuple[Any, ...], attributes: Attributes) -> Any:
    """Return the result by the fast path of calls that differ in numbers, or None."""
    fixed: dict[str, Any] = {**attributes}  # as `op.fixed`, inlined
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
    """Cache attributes as passed, which equal `normalised` ones that have a fast path."""
    try:
        known = op.shortcuts.get(call_key(op.fixed(normalised), operands))
        key = call_key(op.fixed(attributes), operands)
        if known is not None:
            keep(op.shortcuts, key, (known[0], normalised), SHORTCUTS)
    except TypeError:  # see `shortly`
        return
