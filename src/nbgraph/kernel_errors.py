"""Exceptions for the error codes that kernels return: bad elements, labels, indices, matrices.

A kernel returns 0, or a code whose last byte is the kind of error, and the other bytes its place.
"""

import builtins
import functools
import zlib
from typing import NamedTuple

from numpy.linalg import LinAlgError

from nbgraph._listing import public_names
from nbgraph.errors import ElementError, IndexingError, KernelError, LabelError
from nbgraph.tracebacks import place_label

__dir__ = public_names(globals())


# not an error: a loop of unknown length may return this after a while from a call with the range
# (0, 2); a call with (1, 2) then runs the rest
UNFINISHED = 1 << 62


INDEX_CODE = 3  # last byte of a code for an index out of bounds; the rest is the index


CLASS_CODE = 5  # for a bad label; the rest is its place, the number of classes and the label


LABEL_BITS, COUNT_BITS, PLACE_BITS = 18, 18, 19  # larger numbers are clipped to these sizes


RAISED_CODE = 6  # for an exception of an element; the rest is a key of _RAISED and the element


RAISED_BITS = 18  # size of that key


MATRIX_CODE = 251  # for a failure of LAPACK, and others; the rest is an index of _FAILURES


_FAILURES = list[tuple[str, type[Exception]]]()  # descriptions of failures, and their exceptions


STUCK_CODE = 4  # for a `while` loop that would never end; the rest is a key of _STUCK


_STUCK: dict[int, str] = {}  # places of such loops by key


def stuck_code(where: str) -> int:
    """Return the code for a `while` loop at `where` ("file:line") that would never end."""
    key = zlib.crc32(where.encode())
    _STUCK[key] = where
    return key * 256 + STUCK_CODE


def matrix_code(failure: str, kind: type[Exception] = LinAlgError) -> int:
    """Return the code for a failure, by default of LAPACK, described by `failure`.

    >>> of_kernel("linalg_solve", matrix_code("singular matrix"))
    LinAlgError('linalg_solve: singular matrix')
    """
    if (failure, kind) not in _FAILURES:
        _FAILURES.append((failure, kind))
    return _FAILURES.index((failure, kind)) * 256 + MATRIX_CODE


class Raised(NamedTuple):
    """A `raise` of an operator's code: operator, built-in exception, message, and line."""

    operator: str
    kind: str
    message: str
    place: str  # "file:line"


_RAISED: dict[int, Raised] = {}  # by the keys in their codes


def raised_code(raised: Raised) -> int:
    """Return the code for an exception of an unknown element.

    For a known element, the kernel adds `element + 1` times `1 << 8 + RAISED_BITS`.

    >>> code = raised_code(Raised("root", "ValueError", "x is negative", "roots.py:3"))
    >>> of_kernel("fused_root_add", code + (7 + 1 << 8 + RAISED_BITS))
    ValueError('root: x is negative (element 7, raised at roots.py:3)')
    """
    last = (1 << RAISED_BITS) - 1
    key = zlib.crc32(repr(raised).encode()) & last
    while _RAISED.setdefault(key, raised) != raised:
        key = key + 1 & last
    return key * 256 + RAISED_CODE


@functools.cache
def _element_error(kind: str) -> type[ElementError]:
    """Return a class that derives from ElementError and from the built-in exception `kind`."""
    base = getattr(builtins, kind)
    if not issubclass(base, Exception) or base is Exception:
        return ElementError
    body = {"__str__": Exception.__str__, "__reduce__": _rebuilt, "__module__": "builtins"}
    return type(kind, (ElementError, base), body)


def _rebuilt(error: ElementError) -> tuple[object, ...]:
    return _raised_error, (type(error).__name__, *error.args)


def _raised_error(kind: str, message: str) -> ElementError:
    return _element_error("Exception" if kind == "ElementError" else kind)(message)


def of_element(raised: Raised, element: int | None, operands: str = "") -> ElementError:
    """Return the exception of an element, with its `operands` as text if they are known.

    >>> of_element(Raised("root", "ValueError", "negative", "roots.py:3"), 7, "x=-1.0")
    ValueError('root: negative (element 7, x=-1.0, raised at roots.py:3)')
    """
    name, kind, message, place = raised
    which = "" if element is None else f"element {element}, "
    which += f"{operands}, " if operands else ""
    where = place_label(place)
    error = _raised_error(kind, f"{name}: {message or kind} ({which}raised at {where})")
    error.raised, error.element = raised, element
    return error


def always(raised: Raised) -> ElementError:
    """Return the exception of a call whose operator raises for every element.

    >>> always(Raised("root", "ValueError", "unknown method 'x'", "roots.py:3"))
    ValueError("root: unknown method 'x' (raised at roots.py:3)")
    """
    name, kind, message, place = raised
    return _raised_error(kind, f"{name}: {message or kind} (raised at {place_label(place)})")


def of_kernel(name: str, code: int) -> Exception:
    """Return the exception for an error code of the kernel `name`.

    >>> of_kernel("take", 7 * 256 + INDEX_CODE)
    IndexingError('take: index 7 is out of bounds of its axis')
    """
    if code & 255 == CLASS_CODE:
        return _no_class(name, code >> 8)
    if code & 255 == INDEX_CODE:
        return IndexingError(f"{name}: index {code >> 8} is out of bounds of its axis")
    if code & 255 == MATRIX_CODE and code >> 8 < len(_FAILURES):
        failure, kind = _FAILURES[code >> 8]
        return kind(f"{name}: {failure}")
    if code & 255 == RAISED_CODE:
        raised = _RAISED.get(code >> 8 & (1 << RAISED_BITS) - 1)
        element = (code >> 8 >> RAISED_BITS) - 1
        raised = raised or Raised(name, "Exception", "it raises", "?")
        return of_element(raised, element if element >= 0 else None)
    if code & 255 == STUCK_CODE:
        where = place_label(_STUCK.get(code >> 8, "?"))
        return KernelError(
            f"{name}: the `while` loop at {where} would go on for ever: what "
            "its condition depends on comes back to numbers that it had before. Stop when the step "
            "is 0, bound the number of trips, or use a tolerance that the dtype can reach"
        )
    return KernelError(f"kernel {name!r} returned error code {code}")


def no_class(name: str, place: str, label: object, classes: int) -> LabelError:
    """Return the error for a label at `place` that is not one of `classes` classes."""
    expected = (
        f"a class from 0 to {classes - 1}" if classes else "no label, as there are no classes"
    )
    return LabelError(f"{public_name(name)}: {place} is {label}; expected {expected}")


def public_name(name: str) -> str:
    """Return "cross_entropy" for the internal operators that it consists of, else `name`."""
    return "cross_entropy" if name.startswith(("label_entropy", "target_entropy")) else name


def _no_class(name: str, packed: int) -> LabelError:
    label = packed & (1 << LABEL_BITS) - 1
    count = packed >> LABEL_BITS & (1 << COUNT_BITS) - 1
    place = packed >> LABEL_BITS + COUNT_BITS
    half = 1 << LABEL_BITS - 1
    beyond = {0: f"{-half} or less", 2 * half - 1: f"{half - 1} or more"}
    most = (1 << PLACE_BITS) - 1
    where = f"label.flat[{place}]" + (" or a later one" if place == most else "")
    shown = beyond.get(label, label - half)
    return no_class(
        name, where, f"{shown} and a fraction" if 0 <= label - half < count else shown, count
    )
