"""What the codes stand for that kernels end with: errors of elements, labels, indices, matrices.

A kernel returns 0, or a code whose last byte says what went wrong and whose other bytes say where.
"""

from __future__ import annotations

import builtins
import functools
import zlib
from typing import NamedTuple

from numpy.linalg import LinAlgError

from nbgraph._listing import public_names
from nbgraph.errors import ElementError, IndexingError, KernelError, LabelError
from nbgraph.tracebacks import place_label

__dir__ = public_names(globals())


# not a failure: the answer of a loop of unknown length to a call with the range (0, 2), after a
# while; a call with (1, 2) runs the rest of it
UNFINISHED = 1 << 62


INDEX_CODE = 3  # in the last byte of a kernel's code: the rest is an index out of bounds


CLASS_CODE = 5  # the same of a label: its place, the number of classes and the label


LABEL_BITS, COUNT_BITS, PLACE_BITS = 18, 18, 19  # what is beyond is told as the last that fits


RAISED_CODE = 6  # the same of an element that the text raises for: a key of _RAISED, its place


RAISED_BITS = 18  # of that key


MATRIX_CODE = 251  # the same of a matrix that a routine of LAPACK fails for: a place in _FAILURES


_FAILURES = list[str]()  # what was wrong with matrices


STUCK_CODE = 4  # the same: a `while` loop whose trips change nothing; the rest is a key of _STUCK


_STUCK: dict[int, str] = {}  # where such loops are, by what their codes say


def stuck_code(where: str) -> int:
    """Return the code of a kernel whose `while` loop there ("file:line") would go on for ever."""
    key = zlib.crc32(where.encode())
    _STUCK[key] = where
    return key * 256 + STUCK_CODE


def matrix_code(failure: str) -> int:
    """Return the code of a kernel for what is wrong with a matrix.

    >>> of_kernel("linalg_solve", matrix_code("singular matrix"))
    LinAlgError('linalg_solve: singular matrix')
    """
    if failure not in _FAILURES:
        _FAILURES.append(failure)
    return _FAILURES.index(failure) * 256 + MATRIX_CODE


class Raised(NamedTuple):
    """What a text raises: the operator, the name of a built-in exception, the words, the line."""

    operator: str
    kind: str
    message: str
    place: str  # "file:line"


_RAISED: dict[int, Raised] = {}  # by what their codes say


def raised_code(raised: Raised) -> int:
    """Return the code of a kernel for an element that the text raises for, which is not known.

    `element + 1` times `1 << 8 + RAISED_BITS` is added where the element is known.

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
    """Return the class of an error that is both an ElementError and the built-in exception."""
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
    """Return the error of an element, whose operands may be told.

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
    """What a call raises of a text that raises for every element.

    >>> always(Raised("root", "ValueError", "unknown method 'x'", "roots.py:3"))
    ValueError("root: unknown method 'x' (raised at roots.py:3)")
    """
    name, kind, message, place = raised
    return _raised_error(kind, f"{name}: {message or kind} (raised at {place_label(place)})")


def of_kernel(name: str, code: int) -> Exception:
    """What the code of a kernel becomes that did not end well.

    >>> of_kernel("take", 7 * 256 + INDEX_CODE)
    IndexingError('take: index 7 is out of bounds of its axis')
    """
    if code & 255 == CLASS_CODE:
        return _no_class(name, code >> 8)
    if code & 255 == INDEX_CODE:
        return IndexingError(f"{name}: index {code >> 8} is out of bounds of its axis")
    if code & 255 == MATRIX_CODE and code >> 8 < len(_FAILURES):
        return LinAlgError(f"{name}: {_FAILURES[code >> 8]}")
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
    """Return the error of a label at `place` that names none of `classes` classes."""
    expected = (
        f"a class from 0 to {classes - 1}" if classes else "no label, as there are no classes"
    )
    return LabelError(f"{public_name(name)}: {place} is {label}; expected {expected}")


def public_name(name: str) -> str:
    """Return what people call an operator that `cross_entropy` is made of; others as they are."""
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
