"""Hand-written gradients: what the names of their parameters declare."""

from collections.abc import Callable
from typing import Any

from nbgraph.errors import DerivativeError
from nbgraph.kernels.capture.names import plain_function
from nbgraph.kernels.function.derived import Gradient
from nbgraph.kernels.function.probe import probe_kinds
from nbgraph.kernels.function.scalar_function import Scalar, WrittenFunction
from nbgraph.kernels.function.signature import defaults_of


def read_gradient(scalar: Scalar, nout: int, fn: Callable[..., Any]) -> Gradient:
    """Return the declaration of a hand-written gradient; DerivativeError for a wrong parameter."""
    plain = plain_function(fn)
    if plain is None:
        raise DerivativeError(f"{scalar.name}.gradient: a Python function is needed, not {fn!r}")
    written = WrittenFunction(plain)
    written.name = f"{scalar.name}_gradient"
    written.none_allowed = True
    grads = ["out_grad"] if nout == 1 else [f"out_grad{i}" for i in range(nout)]
    outs = ["out"] if nout == 1 else [f"out{i}" for i in range(nout)]
    outs = [name for name in outs if name not in scalar.operands]
    for name in written.operands:
        if name not in (*grads, *outs, *scalar.operands):
            raise DerivativeError(
                f"{scalar.name}.gradient: parameter {name!r} is not understood; choose from "
                f"{', '.join([*grads, *outs, *scalar.operands])}; scalar parameters go after a *"
            )
    missing = [g for g in grads if g not in written.operands]
    if missing:
        raise DerivativeError(
            f"{scalar.name}.gradient: the parameter {missing[0]!r} is missing: the function "
            "returns whole in-gradients, with the out-gradient multiplied in"
        )
    known = {p.name for p in scalar.parameters}
    for p in written.parameters:
        if p.name not in known:
            raise DerivativeError(
                f"{scalar.name}.gradient: there is no scalar parameter {p.name!r}; known: "
                f"{', '.join(sorted(known)) or 'none'}"
            )
    values = defaults_of(scalar)
    chosen = {p.name: values[p.name] for p in written.parameters}
    own = dict(zip(scalar.operands, probe_kinds(scalar), strict=True))
    probe = written.capture([own.get(name, "f") for name in written.operands], chosen)
    if len(probe.outputs) != len(scalar.operands):
        raise DerivativeError(
            f"{scalar.name}.gradient: returns {len(probe.outputs)} value(s), the operator has "
            f"{len(scalar.operands)} operand(s); return a tuple in operand order"
        )
    used = set(written.operands)
    return Gradient(
        written,
        tuple(grads),
        tuple(o for o in outs if o in used),
        tuple(o for o in scalar.operands if o in used),
    )
