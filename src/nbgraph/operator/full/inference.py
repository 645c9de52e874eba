"""Shapes and dtypes of an operator's arrays: what its property says, checked and merged."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.full.facts import Facts
from nbgraph.shape import PartialShape, merged, partial_text

Dtype = np.dtype[Any]
_GROUPS = ("argument", "output", "auxiliary state")


class Known(NamedTuple):
    """Shapes or dtypes of arguments, outputs and states."""

    ins: list[Any]
    outs: list[Any]
    states: list[Any]

    def copy(self) -> Known:
        """Lists that may be written."""
        return Known(*map(list, self))  # type: ignore[arg-type]


def shapes(op: str, facts: Facts, rule: Callable[..., Any], known: Known) -> Known | None:
    """What follows from partial shapes; None where nothing does. ShapeError names the array whose
    shape is another one than what follows."""
    complete = all(s is not None and None not in s for s in (*known.ins, *known.states))
    found = _asked(op, "infer_shape", rule, known, partial=not complete)
    return None if found is None else _merged(op, facts, known, found, _shape)


def dtypes(op: str, facts: Facts, rule: Callable[..., Any], known: Known) -> Known | None:
    """The same of dtypes; DTypeError."""
    partial = any(d is None for d in (*known.ins, *known.states))
    found = _asked(op, "infer_type", rule, known, partial=partial)
    return None if found is None else _merged(op, facts, known, found, _dtype)


def _asked(
    op: str, method: str, rule: Callable[..., Any], known: Known, *, partial: bool
) -> Known | None:
    lists = known.copy()
    try:
        told = rule(*lists)
    except TypeError as error:
        if partial and not isinstance(error, ArgumentError | DTypeError):
            return None
        error.add_note(f"{op}: {method} was asked for {_listed(known)}")
        raise
    except Exception as error:
        error.add_note(f"{op}: {method} was asked for {_listed(known)}")
        raise
    if told is True:
        return lists
    if told is False:
        return None
    groups = tuple(told) if isinstance(told, (tuple, list)) else ()
    if len(groups) == 2 and not known.states:
        groups = (*groups, [])
    if len(groups) != 3:
        raise ArgumentError(
            f"{op}: {method} returned {told!r}; fill the lists and return True, return the three "
            "lists (arguments, outputs, states), or False where nothing follows yet"
        )
    return Known(*map(list, groups))  # type: ignore[arg-type]


class _Place(NamedTuple):
    """An array for messages, which are rare: what it is called is put together then."""

    op: str
    what: str
    name: str
    facts: Facts
    known: Known

    def __str__(self) -> str:
        beside = [
            f"{name} {partial_text(s) if isinstance(s, tuple) else s}"
            for name, s in zip(self.facts.arguments, self.known.ins, strict=True)
            if s is not None
        ]
        told = f" (given: {', '.join(beside)})" if beside else ""
        return f"{self.op}: {self.what} {self.name!r}{told}"


def _merged(
    op: str, facts: Facts, known: Known, found: Known, merge: Callable[[_Place, Any, Any], Any]
) -> Known:
    names = facts.arguments, facts.outputs, facts.states
    groups: list[list[Any]] = []
    for what, labels, given, told in zip(_GROUPS, names, known, found, strict=True):
        if len(told) != len(labels):
            raise ArgumentError(
                f"{op}: {len(told)} {what}(s) were inferred, {told!r}; there are {len(labels)}: "
                f"{', '.join(labels) or 'none'}"
            )
        groups.append(
            [
                merge(_Place(op, what, label, facts, known), g, t)
                for label, g, t in zip(labels, given, told, strict=True)
            ]
        )
    return Known(*groups)


def _shape(place: _Place, given: PartialShape, told: Any) -> PartialShape:
    try:
        asked = None if told is None else tuple([None if n is None else int(n) for n in told])
    except (TypeError, ValueError):
        raise ShapeError(f"{place}: shape {told!r} was inferred; expected sizes") from None
    if asked is not None and any(n is not None and n < 0 for n in asked):
        raise ShapeError(f"{place}: shape {asked} was inferred; sizes start at 0")
    try:
        return merged(given, asked, "")
    except ShapeError:
        raise ShapeError(
            f"{place} has shape {partial_text(given or ())}; expected {partial_text(asked or ())}: "
            "give an array of that shape, or other parameters"
        ) from None


def _dtype(place: _Place, given: Dtype | None, told: Any) -> Dtype | None:
    if told is None:
        return given
    try:
        asked = as_dtype(told)
    except TypeError as error:
        raise DTypeError(f"{place}: dtype {told!r} was inferred: {error}") from None
    if given is not None and given != asked:
        raise DTypeError(
            f"{place} has dtype {given}; expected {asked}: cast it, as with "
            f"x.astype({asked.name!r})"
        )
    return asked


def _listed(known: Known) -> str:
    return "; ".join(f"{what}s {list(v)}" for what, v in zip(_GROUPS, known, strict=True) if v)
