"""What a call gives, told apart by the signature: operands, NumPy's options, scalar parameters."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError
from nbgraph.kernels.capture.draws import KEY
from nbgraph.operator import keys

if TYPE_CHECKING:
    from nbgraph.kernels.function import Scalar
    from nbgraph.operator.mapper import Mapper

_CALL_OPTIONS = frozenset(("out", "where", "dtype", "casting", "order"))


def signature(scalar: Scalar) -> inspect.Signature:
    """Operands by place or name, scalar parameters by name, or as the function's text has it."""
    P = inspect.Parameter
    own = {p.name: P.empty if p.required else p.default for p in scalar.parameters}
    if scalar.signature is not None:
        text = scalar.signature.text.parameters
        # a parameter that is a number or an operand in this form keeps the text's default
        defaults = {n: own.get(n, text[n].default) for n in text}
        defaults = {n: text[n].default if v is P.empty else v for n, v in defaults.items()}
        return inspect.Signature([P(n, p.kind, default=defaults[n]) for n, p in text.items()])
    operands = [
        P(n, P.POSITIONAL_OR_KEYWORD, default=scalar.defaults.get(n, P.empty))
        for n in scalar.operands
    ]
    return inspect.Signature(
        [*operands, *(P(n, P.KEYWORD_ONLY, default=default) for n, default in own.items())]
    )


def split(
    op: Mapper, operands: tuple[Any, ...], options: dict[str, Any], out: Any = None
) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
    """Operands in order, NumPy's call options, scalar parameters; of the text as it is now."""
    if op.refresh_needed():
        op.refresh()
    names = op.scalar.operands
    if len(operands) > op.nin:
        raise ArgumentError(_too_many(op, len(operands)))
    call = {k: v for k, v in options.items() if k in _CALL_OPTIONS}
    given = {k: v for k, v in options.items() if k not in _CALL_OPTIONS}
    for name in names[: len(operands)]:
        if name in given:
            raise ArgumentError(f"{op.__name__}: operand {name!r} is given twice")
    drawn = op.scalar.draws and len(operands) < op.nin
    key = given.pop(KEY, None) if drawn else None
    left = names[len(operands) : -1 if drawn else None]
    values = [*operands, *(_by_name(op, name, given) for name in left)]
    if drawn:
        outs = out if isinstance(out, tuple) else (out,)
        like = [v for v in (*outs, call.get("where")) if v is not None]
        values.append(keys.words([*values, *like], key))
    return tuple(values), call, given


def _by_name(op: Mapper, name: str, given: dict[str, Any]) -> Any:
    """An operand that has no place in the call."""
    if name in given:
        return given.pop(name)
    if name in op.scalar.defaults:
        return op.scalar.defaults[name]
    raise ArgumentError(
        f"{op.__name__}: the operand {name!r} is missing; the signature is "
        f"{op.__name__}{op.__signature__}"
    )


def _too_many(op: Mapper, count: int) -> str:
    names = op.scalar.operands
    if op.scalar.signature and op.scalar.signature.places != names:
        return f"{op.__name__}{op.__signature__}: {count} positional arguments were given"
    if count <= op.nargs and op.nout:
        return (
            f"{op.__name__}: takes {op.nin} operand(s), {count} were given; "
            "pass outputs as out=..., parameters by name"
        )
    return f"{op.__name__}: takes {op.nin} operand(s) {names}, {count} were given"


def outputs(op: Mapper, out: Any) -> tuple[Any, ...]:
    """The arrays given as `out`, one or None for each output."""
    if out is None:
        return (None,) * op.nout
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) != op.nout:
        raise ArgumentError(
            f"{op.__name__}: out has {len(outs)} array(s), the operator gives {op.nout}; "
            "give a tuple with one array or None for each output"
        )
    return outs
