"""Checked operations of pushes; detailed checks run only where a quick one fails."""

from __future__ import annotations

import operator
import time
import warnings
from collections.abc import Callable, Iterable, Sequence
from types import CodeType
from typing import TYPE_CHECKING, Any

from nbgraph.device import Context, require
from nbgraph.engine.operation import CPU, Operation, Operator
from nbgraph.engine.properties import NORMAL, OVERWRITE, FnProperty
from nbgraph.engine.sites import caller, site
from nbgraph.engine.variable import Owner, Variable
from nbgraph.errors import ArgumentError, EngineError, function_name
from nbgraph.settings import DEBUG_ASKED, LARGEST, config

if TYPE_CHECKING:
    from nbgraph.engine.interface import EngineLike

_NEVER = 1e9  # seconds, some 30 years
LONG = 0.1  # seconds after which debug mode warns of a function that holds a worker
_MAKE = "ng.engine.new_variable() makes one"


def label(fn: Any, name: Any, verb: str) -> str:
    """Return the operation's name: `name`, or if that is None the function's own."""
    if not callable(fn):
        raise ArgumentError(f"{verb}: fn={fn!r} is not callable; pass a function of a run context")
    if name is None:
        return function_name(fn)
    if not isinstance(name, str):
        raise ArgumentError(f"{verb}: name={name!r}; expected a string")
    return name


def variables(
    const_vars: Any, mutate_vars: Any, owner: Owner, what: str
) -> tuple[tuple[Variable, ...], tuple[Variable, ...]]:
    """Return both sets without duplicates; a variable in both counts as written only."""
    writes = dict.fromkeys(_each(mutate_vars, "mutate_vars", owner, what))
    reads = dict.fromkeys(_each(const_vars, "const_vars", owner, what))
    return tuple(v for v in reads if v not in writes), tuple(writes)


def _each(variables: Any, argument: str, owner: Owner, what: str) -> list[Variable]:
    if isinstance(variables, Variable):
        raise ArgumentError(
            f"{what}: {argument}={variables!r} is a single variable; "
            f"write {argument}=[variable], a list or tuple of them"
        )
    if not isinstance(variables, Iterable):
        raise ArgumentError(
            f"{what}: {argument}={variables!r} is not iterable; expected a list or tuple of "
            "variables"
        )
    listed = list(variables)
    for place, variable in enumerate(listed):
        usable(variable, f"{what}: {argument}[{place}]", owner)
    return listed


def usable(variable: Any, where: str, owner: Owner) -> None:
    """Raise unless `variable` is one of the owner's that is not deleted; `where` names it."""
    if not isinstance(variable, Variable):
        raise ArgumentError(f"{where}={variable!r} is not an engine variable; {_MAKE}")
    if variable._owner is not owner:
        raise EngineError(
            f"{where}={variable!r} belongs to another engine; make it with the new_variable() of "
            "the engine it is pushed to"
        )
    if variable.deleted:
        raise EngineError(f"{where}={variable!r} has been deleted; {_MAKE}")


def stand_ins(variables: Sequence[Any], outside: Sequence[Any], owner: Owner, what: str) -> None:
    """Raise unless `variables` are distinct and usable in place of a plan's outside ones."""
    for each, key in zip(variables, outside, strict=True):
        if not isinstance(each, Variable) and each is key:
            raise ArgumentError(
                f"{what}: nothing stands for {key!r}; expected a variable for it in variables="
            )
        if not isinstance(each, Variable) or each._owner is not owner or each.deleted:
            usable(each, f"{what}: for {key!r}", owner)
    if len(set(variables)) < len(variables):
        twice = next(v for k, v in enumerate(variables) if v in variables[:k])
        keys = [repr(key) for v, key in zip(variables, outside, strict=True) if v is twice]
        raise ArgumentError(
            f"{what}: {twice!r} stands for {' and for '.join(keys)}; expected distinct variables, "
            "as the plan's steps are ordered by them"
        )


def whole(value: Any, argument: str, what: str) -> int:
    """Return `value`, of any integer type, as an int; raise unless it fits in 64 bits."""
    try:
        if isinstance(value, bool):
            raise TypeError
        number = operator.index(value)
    except TypeError:
        raise ArgumentError(f"{what}: {argument}={value!r}; expected an int") from None
    if not -LARGEST <= number <= LARGEST:
        raise ArgumentError(f"{what}: {argument}={number}; expected {-LARGEST} to {LARGEST}")
    return number


def size(nbytes: Any, what: str) -> int:
    """Return `nbytes` as an int; raise unless it is 0 or more."""
    number = whole(nbytes, "nbytes", what)
    if number < 0:
        raise EngineError(f"{what}: nbytes={number}; expected 0 or more bytes")
    return number


def context(ctx: Any, what: str) -> Context:
    """Return `ctx`; raise unless it is a device that exists."""
    return require(ctx, what, "ctx")


def kind(prop: Any, what: str, asynchronous: bool) -> FnProperty:
    """Return `prop`; raise unless it is a property that a user may ask for."""
    if not isinstance(prop, FnProperty):
        names = ", ".join(p.name for p in FnProperty)
        raise ArgumentError(f"{what}: prop={prop!r}; expected a FnProperty: {names}")
    if prop is FnProperty.DELETE_VAR:
        raise EngineError(
            f"{what}: prop=DELETE_VAR is what delete_variable(var, fn) pushes; use it"
        )
    if prop is FnProperty.ASYNC and not asynchronous:
        raise EngineError(f"{what}: prop=ASYNC is what push_async(fn) pushes; use it")
    return prop


def usable_operator(opr: Any, owner: Owner, verb: str) -> None:
    """Raise unless `opr` is an operator of this owner, and it and its variables are not deleted."""
    if not isinstance(opr, Operator):
        raise ArgumentError(
            f"{verb}: opr={opr!r} is not an operator; ng.engine.new_operator(fn) makes one"
        )
    what = f"{verb} of {opr.name!r}"
    if opr.owner is not owner:
        raise EngineError(f"{what}: the operator belongs to another engine")
    if opr.deleted:
        raise EngineError(f"{what}: the operator made at {opr.site} has been deleted")
    for variable in (*opr.reads, *opr.writes):
        usable(variable, f"{what}: variable", owner)
    opr.checked = owner.deletions


def deadline(timeout: Any, what: str) -> float | None:
    """Return the moment (time.monotonic) at which a wait gives up; None: never."""
    if timeout is None:
        return None
    try:
        seconds = float(timeout)
    except (TypeError, ValueError):
        raise ArgumentError(f"{what}: timeout={timeout!r}; expected seconds, or None") from None
    if not seconds >= 0:
        raise EngineError(f"{what}: timeout={timeout!r}; expected 0 or more seconds, or None")
    return None if seconds > _NEVER else time.monotonic() + seconds


def workers(count: Any, what: str) -> int:
    """Return `count`; raise unless it is 1 or more."""
    number = whole(count, "workers", what)
    if number < 1:
        raise EngineError(f"{what}: workers={number}; expected 1 or more")
    return number


def watched(fn: Callable[[Any], Any], name: str, line: tuple[CodeType, int]) -> Callable[..., Any]:
    """Return `fn` with a warning each time it occupies its worker for long."""

    def call(run_ctx: Any) -> Any:
        begun = time.monotonic()
        value = fn(run_ctx)
        seconds = time.monotonic() - begun
        if seconds > LONG:
            place = site(*line)
            warnings.warn_explicit(
                f"operation {name!r} held a worker for {seconds * 1000:.0f} ms; a function that "
                "waits for something else (a file, a network, another thread) is better pushed "
                "with push_async, which leaves the worker free until on_complete is called",
                RuntimeWarning,
                place.filename,
                place.line,
            )
        return value

    return call


def operation(  # noqa: PLR0917  keywords would cost time on every push
    engine: EngineLike,
    verb: str,
    fn: Callable[..., Any],
    ctx: Any = None,
    const_vars: Any = (),
    mutate_vars: Any = (),
    priority: Any = 0,
    name: Any = None,
    nbytes: Any = 0,
    prop: Any = NORMAL,
    asynchronous: bool = False,
) -> Operation:
    """Return the checked operation of a push; on every push's path, so valid input is fast."""
    if name is None or name.__class__ is not str or not callable(fn):
        name = label(fn, name, verb)
    owner = engine._owner
    try:
        reads = tuple(const_vars)
        writes = tuple(mutate_vars)
        distinct = {*reads, *writes}
        valid = len(distinct) == len(reads) + len(writes)
        for variable in distinct:
            if (
                not isinstance(variable, Variable)
                or variable._owner is not owner
                or variable.deleted
            ):
                valid = False
    except TypeError:
        reads, writes, valid = const_vars, mutate_vars, False
    if not valid:
        reads, writes = variables(reads, writes, owner, f"{verb} of {name!r}")
    if ctx is None:
        ctx = CPU
    elif ctx is not CPU:
        ctx = context(ctx, f"{verb} of {name!r}")
    if priority.__class__ is not int or (priority and abs(priority) > LARGEST):
        priority = whole(priority, "priority", f"{verb} of {name!r}")
    if nbytes.__class__ is not int or nbytes >> 63:
        nbytes = size(nbytes, f"{verb} of {name!r}")
    if prop is not NORMAL and prop is not OVERWRITE:
        prop = kind(prop, f"{verb} of {name!r}", asynchronous)
    code, place = caller(2)
    if DEBUG_ASKED[0] and config.debug and not asynchronous:
        fn = watched(fn, name, (code, place))
    return Operation(
        engine, fn, name, code, place, ctx, reads, writes, priority, nbytes, prop, asynchronous
    )
