"""The exceptions of nbgraph. Each is also the built-in exception that a NumPy user would expect.

NbgraphError
├── CaptureError (TypeError)        a scalar function uses an unsupported construct
├── DerivativeError (TypeError)     a derivative does not exist or is not defined
│   └── CertificateError            a derivative disagrees with finite differences
├── CompileError (RuntimeError)     a kernel could not be compiled
├── ArgumentError (TypeError)       arguments do not fit the signature
├── MissingName (AttributeError)    a name does not exist
├── DTypeError (TypeError)          a dtype is not supported or cannot be cast
├── ShapeError (ValueError)         shapes do not fit together
│   └── AxisError (NumPy's)             an array does not have this axis
├── IndexingError (IndexError)      an index is out of bounds or not an index
├── LabelError (ValueError)         a label is not a class
├── FormatError (ValueError)        a text or a file is damaged or has another format
├── DataError (ValueError)          samples cannot be read; has their file, number and offset
├── DivergenceError (ArithmeticError) the loss of a training is NaN
├── DeviceError (ValueError)        a device does not exist, or differs from the expected one
├── GraphError (AssertionError)     a graph is invalid, because of a faulty pass
├── ElementError (and a built-in)   an operator's Python code raises for an element
├── EngineError (RuntimeError)      the engine cannot do what is requested
│   └── EngineTimeout (TimeoutError)    a wait exceeded its time limit
└── StorageError (RuntimeError)     memory was freed twice, or in a wrong pool
    └── OutOfMemory (MemoryError)       no memory is left; the message lists its owners

DerivativeWarning (UserWarning): a derivative where no limit was found; see its docstring.

Messages name the operator, the argument, its value, the expected values and the remedy.
"""

from __future__ import annotations

import functools
import math
import operator
import re
import sys
import textwrap
from collections.abc import Callable, Collection, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, Never, Self

from numpy import floating, integer
from numpy.exceptions import AxisError as NumpyAxisError

from nbgraph._listing import public_names
from nbgraph.tracebacks import file_label, in_notebook, install, is_own

if TYPE_CHECKING:
    from nbgraph import kernel_errors

__dir__ = public_names(globals())


def require_whole(what: str, value: object, least: int = 1) -> int:
    """Return `value` as an int of at least `least`; raise ArgumentError for other values.

    >>> require_whole("Dense: units", 2.5)
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: Dense: units=2.5; expected a whole number from 1 on
    """
    try:
        number = least - 1 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = least - 1
    if number < least:
        raise ArgumentError(f"{what}={value!r}; expected a whole number from {least} on")
    return number


_MOST = sys.float_info.max


def require_number(
    what: str,
    value: Any,
    least: float = -_MOST,
    most: float = _MOST,
    *,
    above: float = -math.inf,
    below: float = math.inf,
    noun: str = "a number",
) -> float:
    """Return `value` as a float within bounds; raise ArgumentError for other values.

    It must be finite unless a bound is infinite. `noun`: its name in messages, such as "seconds".

    >>> require_number("SGD: momentum", 2, 0, below=1)
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: SGD: momentum=2; expected a number from 0 and below 1
    """
    number = math.nan
    if isinstance(value, (int, float, integer, floating)) and not isinstance(value, bool):
        number = float(value)
    if least <= number <= most and above < number < below:
        return number
    bounds = {"from": least, "above": above, "to": most, "below": below}
    words = [f"{word} {bound:g}" for word, bound in bounds.items() if abs(bound) < _MOST]
    words += ["on"] * (words == [f"from {least:g}"])
    text = " and ".join(words) if below < math.inf else " ".join(words)
    raise ArgumentError(f"{what}={value!r}; expected {noun} {text}".rstrip())


def require_word(what: str, value: Any, words: Collection[object]) -> Any:
    """Return `value` if it is one of `words`; raise ArgumentError otherwise.

    >>> require_word("pad: mode", "mirror", ("edge", "wrap"))
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: pad: mode='mirror'; expected 'edge' or 'wrap'
    """
    if value not in words:
        *most, last = map(repr, words)
        listed = f"{', '.join(most)} or {last}" if most else last
        raise ArgumentError(f"{what}={value!r}; expected {listed}")
    return value


def require_shape(
    what: str, shape: Sequence[int], wanted: Sequence[int], why: str = "", *, of: str = ""
) -> None:
    """Raise ShapeError unless `shape` is `wanted`, which `why` explains; `of` names an array of
    that shape.

    >>> require_shape("convolution: bias", (3,), (4,), "one value for each feature")
    Traceback (most recent call last):
    nbgraph.errors.ShapeError: convolution: bias has shape (3,); expected (4,), one value for each \
feature
    """
    own, wanted = tuple(shape), tuple(wanted)
    if own != wanted:
        tail = f", {of} {wanted}; give one of that shape" if of else f"; expected {wanted}"
        raise ShapeError(f"{what} has shape {own}{tail}{f', {why}' * bool(why)}")


def noun(value: object) -> str:
    """Return the type of an unexpected value for a message, with its article.

    >>> noun(None), noun(3), noun({})
    ('None', 'an int', 'a dict')
    """
    name = type(value).__name__
    article = "an" if name.lower().startswith(("a", "e", "i", "o", "nd")) else "a"
    return "None" if value is None else f"{article} {name}"


def function_name(function: Any) -> str:
    """Return the name of a function for a message.

    >>> function_name(len), function_name(functools.partial(len)), function_name(functools.partial)
    ('len', 'len', 'partial')
    """
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", None) or type(function).__name__)


_LONG_ARRAY = r"array\((\[[^()]{40})[^()]{40,}\]"


def _abridged(message: object) -> object:
    """Return a message in which arrays are cut after their first elements."""
    if isinstance(message, str) and len(message) > 120:
        return re.sub(_LONG_ARRAY, lambda m: f"array({' '.join(m[1].split())} ...]", message)
    return message


class NbgraphError(Exception):
    """Base of all errors that nbgraph raises.

    The traceback of an uncaught error shows the frames of user code only (`nbgraph.tracebacks`);
    `ng.config.debug = 1` or `NBGRAPH_DEBUG=1` shows all frames.
    """

    def __init__(self, *args: object, **options: object) -> None:
        # the built-in exception takes the options
        super().__init__(*map(_abridged, args), **options)
        install()

    def _render_traceback_(self) -> list[str]:  # called by IPython
        return in_notebook(self)


class Obstacle(NamedTuple):
    """An unsupported construct of a scalar function."""

    function: str
    problem: str
    filename: str
    line: int
    construct: str
    remedy: str


MAX_OBSTACLES = 8  # most obstacles that a message shows; the others are counted


class CaptureError(NbgraphError, TypeError):
    """A scalar function has unsupported constructs, the `obstacles` of the error."""

    obstacles: tuple[Obstacle, ...] = ()

    @classmethod
    def of(cls, obstacles: Sequence[Obstacle], operator: str = "") -> Self:
        """Return the error for these constructs of an operator, in the order of the source.

        >>> print(CaptureError.of([Obstacle("f", "no such name", "f.py", 2, "nane", "define it")]))
        f: no such name
          File "f.py", line 2
            nane
        Instead: define it.
        """
        first = obstacles[0]
        home = first.filename
        ordered = sorted(obstacles, key=lambda o: (o.filename != home, o.filename, o.line))
        causes: dict[tuple[str, str, str], list[Obstacle]] = {}
        for obstacle in ordered:
            key = obstacle.function, obstacle.problem, obstacle.remedy
            causes.setdefault(key, []).append(obstacle)
        if len(causes) == 1:
            text = f"{first.function}: {_shown(ordered)}"
        else:
            text = _numbered(list(causes.values()), operator or first.function)
        error = cls(text)
        error.obstacles = tuple(ordered)
        return error


def _shown(places: Sequence[Obstacle]) -> str:
    """Return the text of a cause that occurs in one or several lines."""
    if is_own(places[0].filename):  # an operator of the library: its source does not help
        return f"{places[0].problem}; {places[0].remedy}"
    first, lines = places[0], sorted({o.line for o in places} - {places[0].line})
    more = f" and line{'s'[: len(lines) - 1]} {', '.join(map(str, lines))}" if lines else ""
    return (
        f"{first.problem}\n"
        f'  File "{file_label(first.filename)}", line {first.line}{more}\n'
        f"    {first.construct}\n"
        f"Instead: {first.remedy}."
    )


def _numbered(causes: Sequence[Sequence[Obstacle]], operator: str) -> str:
    """Return the text of several causes as a numbered list."""
    lines = [f"{operator}: {len(causes)} constructs are not understood"]
    for number, places in enumerate(causes[:MAX_OBSTACLES], 1):
        function = places[0].function
        within = "" if function == operator else f"in {function}(): "
        mark = f"  {number}. "
        lines.append(mark + textwrap.indent(within + _shown(places), " " * len(mark)).lstrip())
    if len(causes) > MAX_OBSTACLES:
        lines.append(f"  ... and {len(causes) - MAX_OBSTACLES} more")
    return "\n".join(lines)


class DerivativeError(NbgraphError, TypeError):
    """The requested derivative is not defined."""


class CertificateError(DerivativeError):
    """A derivative disagrees with finite differences of its function."""


class DerivativeWarning(UserWarning):
    """A branch is for isolated points, as in `0.0 if x == 0 else x * math.log(x)`, and the slope of
    the other branch has no finite limit there, or none was found: the branch's slope is used. Or an
    array whose gradient is computed is converted to a number, as by `float(x)`."""


class CompileError(NbgraphError, RuntimeError):
    """A kernel could not be compiled; `details` is the compiler's message."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class FusionError(NbgraphError, TypeError):
    """Fusing operators into one loop would change their results."""


class ArgumentError(NbgraphError, TypeError):
    """The arguments of a call do not fit the operator's signature."""


class MissingName(NbgraphError, AttributeError):
    """A module, namespace or array has no such name; the message has the name to use instead."""


class DTypeError(NbgraphError, TypeError):
    """A dtype is not supported here, or cannot be cast as requested."""


class ShapeError(NbgraphError, ValueError):
    """Shapes do not fit together."""


class AxisError(ShapeError, NumpyAxisError):
    """An array has no such axis."""


class IndexingError(NbgraphError, IndexError):
    """An index is out of bounds, or is not an index."""


class FormatError(NbgraphError, ValueError):
    """A text or a file is damaged, or has another format than expected."""


class DataError(NbgraphError, ValueError):
    """Samples cannot be read: a record is damaged, a value is not a number, a file is truncated.

    `file`, `record` and `offset` (in bytes) are the location, as far as it is known, and part of
    the message.

    >>> DataError("the checksum differs", file="train.rec", record=7, offset=4096)
    DataError('the checksum differs (train.rec, record 7, byte 4096)')
    """

    def __init__(
        self,
        message: str,
        *,
        file: object = None,
        record: int | None = None,
        offset: int | None = None,
    ) -> None:
        places = [] if file is None else [str(file)]
        places += [] if record is None else [f"record {record}"]
        places += [] if offset is None else [f"byte {offset}"]
        super().__init__(f"{message} ({', '.join(places)})" if places else message)
        self.file, self.record, self.offset = file, record, offset


class DivergenceError(NbgraphError, ArithmeticError):
    """The loss of a training is NaN; the message names the batch, and the data if they are NaN."""


class DeviceError(NbgraphError, ValueError):
    """A device does not exist, or differs from the expected one."""


class GraphError(NbgraphError, AssertionError):
    """A graph is invalid: a pass is faulty, or nodes were assembled wrongly by hand."""


class EngineError(NbgraphError, RuntimeError):
    """The engine cannot do what is requested, or an operation violated its declaration."""


class KernelError(EngineError):
    """A compiled kernel returned an error code."""


class ElementError(NbgraphError):
    """The Python code of an operator raises for an element. The error is also an instance of that
    exception's nearest built-in class, so that `except ValueError` catches it.

    `raised` and `element` are the exception and the index of the element, if they are known.
    """

    raised: kernel_errors.Raised | None = None
    element: int | None = None


class EngineTimeout(EngineError, TimeoutError):
    """A wait exceeded its time limit; the message names the unfinished operations."""


class StorageError(NbgraphError, RuntimeError):
    """Memory was freed twice, or in a pool to which it does not belong."""


class OutOfMemory(StorageError, MemoryError):
    """No memory is left, or the limit is reached; the message lists the owners of memory."""


class KVStoreError(NbgraphError, RuntimeError):
    """A store of parameters could not complete a request."""


class KVMembershipError(KVStoreError):
    """A worker or a part of a distributed store is lost; the message names it and its round."""


class LabelError(NbgraphError, ValueError):
    """A label is not a class, a whole number from 0 to below the number of classes."""


def unpicklable(what: str, remedy: str) -> Callable[..., Never]:
    """Return `__reduce_ex__` of a class whose objects can be neither pickled nor copied."""

    def refuse(self: object, protocol: object = None) -> Never:
        raise TypeError(f"{what} can be neither pickled nor copied; {remedy}")

    return refuse
