"""The operand kinds that a scalar function accepts, determined by trial captures."""

import itertools
from collections.abc import Iterator, Sequence
from weakref import WeakKeyDictionary

from nbgraph.errors import CaptureError, Obstacle
from nbgraph.kernels.capture.names import Watch
from nbgraph.kernels.capture.results import AlwaysRaises
from nbgraph.kernels.capture.text import KindError
from nbgraph.kernels.function.scalar_function import Captured, Scalar, WrittenFunction
from nbgraph.kernels.function.signature import defaults_of

_KINDS = ("f", "int64", "bool")
_MIXED = 4  # operands up to which all combinations are tried; beyond, one or two integers
_KNOWN: WeakKeyDictionary[Scalar, tuple[Watch, tuple[str, ...]]] = WeakKeyDictionary()


def probe(scalar: Scalar) -> Captured:
    """Return a first capture: with floating operands if accepted, else integers, else bools.

    If none is accepted, raises the CaptureError for floating operands, or a later one if that only
    asks for integers.
    """
    known = _KNOWN.get(scalar)
    if known is not None and known[0] is scalar.watch:
        return scalar.capture(known[1], defaults_of(scalar))
    kinds = _find(scalar)
    captured = scalar.capture(kinds, defaults_of(scalar))
    _KNOWN[scalar] = scalar.watch, kinds
    return captured


def probe_kinds(scalar: Scalar) -> tuple[str, ...]:
    """Return the operand kinds of `probe`, in operand order."""
    return tuple([leaf.kind for leaf in probe(scalar).operands])


def _find(scalar: Scalar) -> tuple[str, ...]:
    first: tuple[CaptureError, Sequence[str]] | None = None
    own: tuple[tuple[str, ...], ...] = getattr(scalar, "probes", ())
    refused = set[tuple[Obstacle, ...]]()  # one obstacle for all kinds is independent of kinds
    for number, kinds in enumerate((*own, *_alike(scalar), *_combined(scalar))):
        if number == len(own) + len(_KINDS) and len(refused) == 1:
            break
        error = _refusal(scalar, kinds)
        if error is None:
            return kinds if kinds in own else _with_floats(scalar, kinds)
        refused.add(tuple(error.obstacles))
        if first is None or isinstance(first[0], (KindError, AlwaysRaises)):
            first = error, kinds
    assert first is not None
    error, kinds = first
    if isinstance(scalar, WrittenFunction):
        error = scalar.refusal(kinds, defaults_of(scalar), error)
    raise error


def _alike(scalar: Scalar) -> Iterator[tuple[str, ...]]:
    return ((kind,) * len(scalar.operands) for kind in _KINDS)


def _combined(scalar: Scalar) -> Iterator[tuple[str, ...]]:
    count = len(scalar.operands)
    if 1 < count <= _MIXED:
        yield from itertools.product(_KINDS, repeat=count)
        return
    for size in (1, 2) if count > 1 else ():
        for places in itertools.combinations(range(count), size):
            yield tuple("int64" if k in places else "f" for k in range(count))


def _with_floats(scalar: Scalar, kinds: tuple[str, ...]) -> tuple[str, ...]:
    """Return `kinds` with each operand made floating where the function accepts that."""
    if len(kinds) == 1:
        return kinds
    for i, kind in enumerate(kinds):
        more = (*kinds[:i], "f", *kinds[i + 1 :])
        if kind != "f" and _refusal(scalar, more) is None:
            kinds = more
    return kinds


def _refusal(scalar: Scalar, kinds: Sequence[str]) -> CaptureError | None:
    """Return the error with which the function refuses these kinds, or None."""
    try:
        scalar.capture(kinds, defaults_of(scalar))
    except CaptureError as error:
        return error
    return None
