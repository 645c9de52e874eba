"""The facts that a property states for one set of parameters, read once and checked.

They refer to arrays by handles, as there are no arrays yet.

>>> handles("out_grad", 2)
[out_grad[0], out_grad[1]]
"""

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from nbgraph.errors import ArgumentError, CaptureError
from nbgraph.kernels.capture.names import plain_function
from nbgraph.kernels.capture.text import function_text, normal_text
from nbgraph.kernels.compiler.handwritten import python_function
from nbgraph.operator.full.handles import Facts, Handle, Handles, Kind
from nbgraph.operator.full.property import OperatorProperty

_OUTPUTS = re.compile(r"out\d*$")  # names of a gradient's operands


def facts_of(op: str, prop: OperatorProperty, reserved: Mapping[str, Any]) -> Facts:
    """Return the facts; ArgumentError names the method with an impossible answer. `reserved`:
    parameters, whose names no array may have."""
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
    outs, in_grads = handles("out_data", len(outputs)), handles("in_grad", len(arguments))
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
            prop.backward_inplace_option(grads, ins, outs, in_grads),
            [*grads, *ins, *outs],
            in_grads,
        ),
        _fixed_requests(prop.forward_resource, len(arguments)),
        _fixed_requests(prop.backward_resource, len(arguments)),
    )


def _names(
    op: str, method: str, names_of: Any, reserved: Mapping[str, Any], before: Sequence[str] = ()
) -> tuple[str, ...]:
    names = () if isinstance(names_of, str) else tuple(names_of)
    where = f"{op}: {method} returned {names_of!r}"
    if isinstance(names_of, str) or not all(isinstance(n, str) and n.isidentifier() for n in names):
        raise ArgumentError(f"{where}; return a list of names such as ['data', 'weight']")
    if len(set(names)) < len(names) or set(names) & set(before):
        raise ArgumentError(f"{where}, where a name stands twice; each array has a name of its own")
    for name in names:
        clash = name in reserved or (method != "list_outputs" and _is_reserved(name))
        if clash:
            raise ArgumentError(f"{where}; {name!r} means something else in a call, choose another")
    return names


def _is_reserved(name: str) -> bool:
    return name in ("name", "attr") or _OUTPUTS.match(name) is not None


def _fixed_requests(method: Callable[[Sequence[Any]], Any], count: int) -> tuple[Any, ...] | None:
    """Return the requests if they do not depend on shapes, else None."""
    try:
        answer = method([None] * count)
    except ArgumentError:
        raise
    except Exception:  # it reads a shape, so it is called again with shapes
        return None
    if isinstance(answer, (tuple, list)) and not answer:
        return ()
    from nbgraph.resource import requests  # loads the engine, so not before work is pushed

    return requests(answer)


def handles(kind: Kind, count: int) -> list[Handle]:
    """Return the handles of all arrays of a kind."""
    return [Handle(kind, i) for i in range(count)]


def read_handles(where: str, handles_of: Any, known: Handles) -> tuple[Handle, ...]:
    """Return the handles that a property returned, each once; raise ArgumentError for others."""
    if not isinstance(handles_of, Iterable):
        raise ArgumentError(
            f"{where} returned {handles_of!r}; return a list of handles it was given"
        )
    read = [_checked(where, one, known) for one in handles_of]
    return tuple(dict.fromkeys(read))


def read_pairs(
    where: str, listed: Any, sources: Handles, targets: Handles
) -> tuple[tuple[Handle, Handle], ...]:
    """Return the pairs (read, written) that a property returned."""
    pairs: list[tuple[Handle, Handle]] = []
    for pair in listed if isinstance(listed, Iterable) else [listed]:
        if not isinstance(pair, (tuple, list)) or isinstance(pair, Handle) or len(pair) != 2:
            raise ArgumentError(
                f"{where} returned {listed!r}; return a list of pairs such as "
                f"({sources[0]!r}, {targets[0]!r})"
            )
        pairs.append((_checked(where, pair[0], sources), _checked(where, pair[1], targets)))
    return tuple(pairs)


def _checked(where: str, one: Any, known: Handles) -> Handle:
    if not isinstance(one, Handle) or one not in known:
        listed = ", ".join(map(repr, known)) or "none"
        raise ArgumentError(f"{where} names {one!r}; expected handles among {listed}")
    return one


def content(functions: Mapping[str, Callable[..., Any]]) -> str:
    """Return a hash of the functions' own texts, without comments and layout, nor the functions
    that they call.

    >>> first, second = lambda src: src + 1, lambda src: src + 2
    >>> content({"function": first}) == content({"function": second})
    False
    """
    texts = [f"{name}: {_text(functions[name])}" for name in sorted(functions)]
    return hashlib.sha256("\n".join(texts).encode()).hexdigest()


def _text(fn: Callable[..., Any]) -> str:
    plain = plain_function(python_function(fn) or fn)
    if plain is None:
        return f"{type(fn).__module__}.{type(fn).__qualname__}"  # a callable object
    try:
        return normal_text(function_text(plain).source, plain.__name__)
    except CaptureError:
        return plain.__code__.co_code.hex()
