"""Shapes and dtypes of simple operators: the user's functions, and the rules without them."""

from __future__ import annotations

import inspect
import operator
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.array_op import Spec
from nbgraph.operator.environment import EnvArguments
from nbgraph.settings import config

Rule = Callable[..., Any]


def infer(
    op: str,
    names: Sequence[str],
    specs: Sequence[Spec],
    env: EnvArguments,
    shape_rule: Rule | None,
    type_rule: Rule | None,
) -> Spec:
    """The output's shape and dtype. Errors of the user's functions are raised as they are, with a
    note that names the operator and the operands."""
    if shape_rule is None:
        shape = _default_shape(op, names, specs, env)
    else:
        shape = _shape(op, _asked(op, shape_rule, [s.shape for s in specs], env, specs))
    if type_rule is None:
        return Spec(shape, _default_dtype(specs, env))
    given = _asked(op, type_rule, [s.dtype for s in specs], env, specs)
    try:
        return Spec(shape, as_dtype(given))
    except TypeError as error:
        raise DTypeError(
            f"{op}: the type function returned {given!r}, no supported dtype: {error}"
        ) from None


def require_rule(op: str, setter: str, fn: Any, names: Sequence[str]) -> Rule:
    """A shape or type function that takes one argument for each operand, and env."""
    try:
        inspect.signature(fn).bind(*names, None)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{op}: {setter} takes a function of ({', '.join((*names, 'env'))}), not {fn!r}"
        ) from None
    return fn


def _asked(
    op: str, rule: Rule, given: Sequence[Any], env: EnvArguments, specs: Sequence[Spec]
) -> Any:
    try:
        return rule(*given, env)
    except Exception as error:
        listed = ", ".join(map(str, specs)) or "no operands"
        error.add_note(f"{op}: {getattr(rule, '__name__', rule)} was asked for {listed}")
        raise


def _shape(op: str, given: Any) -> tuple[int, ...]:
    try:
        found = tuple(operator.index(n) for n in given)
    except TypeError:
        found = (-1,)
    if any(n < 0 for n in found):
        raise ShapeError(
            f"{op}: the shape function returned {given!r}; expected a tuple of sizes from 0"
        )
    return found


def _default_shape(
    op: str, names: Sequence[str], specs: Sequence[Spec], env: EnvArguments
) -> tuple[int, ...]:
    if not specs:
        shape = getattr(env.kwargs, "shape", None)
        if shape is None:
            raise ArgumentError(
                f"{op}: an operator without operands needs set_shape_function(fn), or a keyword "
                "parameter 'shape'"
            )
        return _shape(op, shape)
    if any(s.shape != specs[0].shape for s in specs):
        listed = ", ".join(f"{n}{s.shape}" for n, s in zip(names, specs, strict=True))
        raise ShapeError(
            f"{op}: shapes differ: {listed}; operands must have equal shapes: broadcast them "
            "before the call, or give the operator a set_shape_function"
        )
    return specs[0].shape


def _default_dtype(specs: Sequence[Spec], env: EnvArguments) -> np.dtype[Any]:
    if not specs:
        return np.dtype(getattr(env.kwargs, "dtype", None) or config.default_float)
    return np.result_type(*(s.dtype for s in specs))
