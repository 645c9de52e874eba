"""Shapes and dtypes of an operator's arrays: its property's answers, checked and merged."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from operator import index
from typing import Any, NamedTuple

from nbgraph.dtype import Dtype, as_dtype
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.full.handles import Facts
from nbgraph.operator.spec import Specs
from nbgraph.shape import PartialShape, merged, partial_text

_GROUPS = ("argument", "output", "auxiliary state")


class Known(NamedTuple):
    """Shapes or dtypes of arguments, outputs and states, as far as known."""

    ins: list[Any]
    outs: list[Any]
    states: list[Any]

    def copy(self) -> Known:
        """Return a copy with lists that may be written."""
        return Known(*map(list, self))  # type: ignore[arg-type]


class Sort(NamedTuple):
    """A property to infer: its method, the reading of answers, and the error class."""

    name: str
    method: str
    error: type[Exception]
    merge: Callable[[Any, Any, Any], Any]
    remedy: str

    def is_open(self, value: Any) -> bool:
        """Return whether a part of a value is unknown."""
        return value is None or (self.name == "shape" and None in value)


def infer(op: Any, prop: Any, sort: Sort, operands: Sequence[Any], outputs: Sequence[Any]) -> Any:
    """Return the shapes or dtypes of operands and outputs that follow from partial knowledge, or
    None. ShapeError or DTypeError names an array that contradicts."""
    count = len(op.facts.arguments)
    known = Known(list(operands[:count]), list(outputs), list(operands[count:]))
    partial = any(map(sort.is_open, operands))
    answer = _ask(op.__name__, sort.method, getattr(prop, sort.method), known, partial)
    if answer is None:
        return None
    merged = _merged(op.__name__, op.facts, known, answer, sort.merge)
    return [*merged.ins, *merged.states], merged.outs


def outputs(op: Any, prop: Any, sort: Sort, specs: Specs) -> list[Any]:
    """Return the outputs' shapes or dtypes; raise if one is left open."""
    nothing = [None] * op.nout
    partial = [getattr(s, sort.name) for s in specs]
    _, values = infer(op, prop, sort, partial, nothing) or ((), nothing)
    for name, value in zip(op.outputs, values, strict=True):
        if sort.is_open(value):
            raise sort.error(
                f"{op.__name__}: {sort.method} leaves output {name!r} open though all "
                f"{sort.name}s are given ({', '.join(map(str, specs))}); let it give {sort.remedy}"
            )
    return values


def _ask(
    op: str, method: str, rule: Callable[..., Any], known: Known, partial: bool
) -> Known | None:
    lists = known.copy()
    try:
        answer = rule(*lists)
    except TypeError as error:
        if partial and not isinstance(error, ArgumentError | DTypeError):
            return None
        error.add_note(f"{op}: {method} was asked for {_listed(known)}")
        raise
    except Exception as error:
        error.add_note(f"{op}: {method} was asked for {_listed(known)}")
        raise
    if answer is True:
        return lists
    if answer is False:
        return None
    groups = tuple(answer) if isinstance(answer, (tuple, list)) else ()
    if len(groups) == 2 and not known.states:
        groups = (*groups, [])
    if len(groups) != 3:
        raise ArgumentError(
            f"{op}: {method} returned {answer!r}; fill the lists and return True, return the three "
            "lists (arguments, outputs, states), or False where nothing follows yet"
        )
    return Known(*map(list, groups))  # type: ignore[arg-type]


class _Place(NamedTuple):
    """An array in messages; its label is formatted only for an error."""

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
        others = f" (given: {', '.join(beside)})" if beside else ""
        return f"{self.op}: {self.what} {self.name!r}{others}"


def _merged(
    op: str, facts: Facts, known: Known, inferred: Known, merge: Callable[[_Place, Any, Any], Any]
) -> Known:
    names = facts.arguments, facts.outputs, facts.states
    groups: list[list[Any]] = []
    for what, labels, knowns, answers in zip(_GROUPS, names, known, inferred, strict=True):
        if len(answers) != len(labels):
            raise ArgumentError(
                f"{op}: {len(answers)} {what}(s) were inferred, {answers!r}; there are "
                f"{len(labels)}: {', '.join(labels) or 'none'}"
            )
        groups.append(
            [
                merge(_Place(op, what, label, facts, known), g, t)
                for label, g, t in zip(labels, knowns, answers, strict=True)
            ]
        )
    return Known(*groups)


def _shape(place: _Place, own: PartialShape, answer: Any) -> PartialShape:
    try:
        asked = None if answer is None else tuple([None if n is None else index(n) for n in answer])
    except TypeError:
        raise ShapeError(
            f"{place}: shape {answer!r} was inferred; expected a tuple of sizes"
        ) from None
    if asked is not None and any(n is not None and n < 0 for n in asked):
        raise ShapeError(f"{place}: shape {asked} was inferred; expected a tuple of sizes from 0")
    try:
        return merged(own, asked, "")
    except ShapeError:
        raise ShapeError(
            f"{place} has shape {partial_text(own or ())}; expected {partial_text(asked or ())}: "
            "give an array of that shape, or other parameters"
        ) from None


def _dtype(place: _Place, own: Dtype | None, answer: Any) -> Dtype | None:
    if answer is None:
        return own
    try:
        asked = as_dtype(answer)
    except TypeError as error:
        raise DTypeError(f"{place}: dtype {answer!r} was inferred: {error}") from None
    if own is not None and own != asked:
        raise DTypeError(
            f"{place} has dtype {own}; expected {asked}: cast it, as with x.astype({asked.name!r})"
        )
    return asked


def _listed(known: Known) -> str:
    return "; ".join(f"{what}s {list(v)}" for what, v in zip(_GROUPS, known, strict=True) if v)


SHAPE = Sort("shape", "infer_shape", ShapeError, _shape, "a tuple of sizes")
DTYPE = Sort("dtype", "infer_type", DTypeError, _dtype, "one")
