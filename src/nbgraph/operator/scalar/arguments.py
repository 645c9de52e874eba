"""Arguments of a call, divided by the signature: operands, NumPy's options, scalar parameters."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.kernels.capture.draws import KEY
from nbgraph.kernels.function.signature import CALL_OPTIONS, optional_in
from nbgraph.operator import registry
from nbgraph.settings import config

if TYPE_CHECKING:
    from nbgraph.kernels.function.scalar_function import Scalar
    from nbgraph.operator.scalar.elementwise import Elementwise

_MORE_OPTIONS = frozenset(("signature", "subok"))  # unless a parameter has that name


def signature(scalar: Scalar) -> inspect.Signature:
    """Return the signature: operands, then scalar parameters by name, or the text's own."""
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
    op: Elementwise, operands: tuple[Any, ...], options: dict[str, Any], out: Any = None
) -> tuple[tuple[Any, ...], dict[str, Any], dict[str, Any]]:
    """Return operands in order, NumPy's call options, and scalar parameters, by the current
    text."""
    if op.refresh_needed():
        op.refresh()
    names = op.scalar.operands
    if not names and op.scalar.signature is not None:
        some = ", ".join(optional_in(op.scalar.signature.text))
        raise ArgumentError(f"{op.__name__}: no operand; expected at least one of {some}")
    if len(operands) > op.nin:
        raise ArgumentError(_too_many(op, len(operands)))
    call_options = CALL_OPTIONS
    if not _MORE_OPTIONS.isdisjoint(options):
        call_options = call_options | _MORE_OPTIONS.difference(
            names, (p.name for p in op.scalar.parameters)
        )
    call = {k: v for k, v in options.items() if k in call_options}
    parameters = {k: v for k, v in options.items() if k not in call_options}
    if "signature" in call:
        call |= _dtype_of_loop(op, call.pop("signature"), call.get("dtype"))
    for name in names[: len(operands)]:
        if name in parameters:
            raise ArgumentError(f"{op.__name__}: operand {name!r} is given twice")
    drawn = op.scalar.draws and len(operands) < op.nin
    key = parameters.pop(KEY, None) if drawn else None
    left = names[len(operands) : -1 if drawn else None]
    values = [*operands, *(_by_name(op, name, parameters) for name in left)]
    if drawn:
        outs = out if isinstance(out, tuple) else (out,)
        like = [v for v in (*outs, call.get("where")) if v is not None]
        values.append(words([*values, *like], key))
    return tuple(values), call, parameters


def _dtype_of_loop(op: Elementwise, signature: Any, dtype: Any) -> dict[str, Any]:
    """Return the dtype that a ufunc's `signature=` requests: "dd->d", or a dtype or None per
    operand and output; raise DTypeError if there is no such loop."""
    if signature is None:
        return {}
    if dtype is not None:
        raise ArgumentError(f"{op.__name__}: signature= and dtype= say the same; give one of them")
    loops = op.types
    if isinstance(signature, str) and "->" in signature:
        letters = list(signature.replace("->", ""))
    else:
        kinds = list(signature) if isinstance(signature, tuple) else [signature]
        letters = [None if kind is None else np.dtype(kind).char for kind in kinds]
        letters = [*([None] * (op.nargs - 1)), *letters] if len(letters) == 1 else letters
    for loop in loops:
        chars = loop.replace("->", "")
        pairs = zip(letters, chars, strict=False)
        if len(chars) == len(letters) and all(w in (None, c) for w, c in pairs):
            return {"dtype": np.dtype(loop[0])}
    raise DTypeError(
        f"{op.__name__}: there is no loop for signature={signature!r}; those are {', '.join(loops)}"
    )


def with_outputs(
    op: Elementwise, operands: tuple[Any, ...], out: Any
) -> tuple[tuple[Any, ...], Any]:
    """Return operands, and outputs passed by position after them, as to NumPy's ufuncs. The
    library's operators with parameters take none: there an array is meant as a parameter, as in
    `polygamma(1, x)`, which has SciPy's order."""
    count, scalar = op.nin, op.scalar
    named = bool(scalar.parameters) and op.__module__.startswith("nbgraph.")
    if scalar.draws or named or out is not None or len(operands) > op.nargs:
        return operands, out  # which raises
    if op.scalar.signature and op.scalar.signature.places != op.scalar.operands:
        return operands, out
    outs = operands[count:]
    if any(isinstance(o, (bool, int, float, list, np.generic)) for o in outs):
        return operands, out  # not an array: one operand too many
    return operands[:count], (*outs, *[None] * (op.nout - len(outs)))


def _by_name(op: Elementwise, name: str, arguments: dict[str, Any]) -> Any:
    """Return an operand that was not passed by position."""
    if name in arguments:
        return arguments.pop(name)
    if name in op.scalar.defaults:
        return op.scalar.defaults[name]
    raise ArgumentError(
        f"{op.__name__}: the operand {name!r} is missing; the signature is "
        f"{op.__name__}{op.__signature__}"
    )


def _too_many(op: Elementwise, count: int) -> str:
    names = op.scalar.operands
    if op.scalar.signature and op.scalar.signature.places != names:
        return f"{op.__name__}{op.__signature__}: {count} positional arguments were given"
    if count <= op.nargs and op.nout:
        return (
            f"{op.__name__}: takes {op.nin} operand(s), {count} were given; pass outputs as "
            f"out=..., parameters by name: {op.__name__}{op.__signature__}"
        )
    return f"{op.__name__}: takes {op.nin} operand(s) {names}, {count} were given"


def words(values: Sequence[Any], key: Any) -> Any:
    """Return the words for the shape that `values` broadcast to.

    Parameters
    ----------
    values : sequence of arrays and numbers
        They determine the shape, and the kind of array of the words.
    key : None, seed, numpy.random.Generator, numpy.random.SeedSequence or array of uint64
        The same as `rng` of `ng.random`; an array holds the words themselves.

    >>> words([np.zeros((2, 1)), np.zeros(3), 0.5], key=7).shape
    (2, 3)
    """
    if getattr(key, "dtype", None) == np.uint64:
        return key
    arrays = [np.asarray(v) if isinstance(v, (list, tuple)) else v for v in values]
    arrays = [v for v in arrays if not isinstance(v, (bool, int, float))]
    draw: Any = registry.find("random_integers")
    options: dict[str, Any] = {"plain": True} if config.compiler == "python" else {}
    return draw.op(
        *(arrays or [np.zeros(())]),
        parameters=(0, 1 << 64),
        size=None,
        dtype=np.dtype("uint64"),
        device=None,
        rng=tuple(key) if isinstance(key, list) else key,
        endpoint=False,
        **options,
    )
