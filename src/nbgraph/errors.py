"""The exceptions of nbgraph. Each also is the built-in exception a NumPy user would expect.

NbgraphError
├── CaptureError (TypeError)        a scalar function uses something that is not understood
├── DerivativeError (TypeError)     a derivative that does not exist or is not defined
│   └── CertificateError            a derivative that disagrees with differences of the function
├── CompileError (RuntimeError)     a kernel could not be compiled
├── ArgumentError (TypeError)       a call with arguments that do not fit the signature
├── MissingName (AttributeError)    a name that is not there
├── DTypeError (TypeError)          a dtype that is not supported or cannot be cast
├── ShapeError (ValueError)         shapes that do not fit together
│   └── AxisError (NumPy's)             an axis that an array does not have
├── IndexingError (IndexError)      an index out of bounds, or that is none
├── LabelError (ValueError)         a label that is not a class
├── FormatError (ValueError)        a text or a file that is not what it should be
├── DataError (ValueError)          samples that cannot be read; says which, and where they are kept
├── DivergenceError (ArithmeticError) a training whose loss is NaN
├── DeviceError (ValueError)        a device that is not there, or is another one than asked for
├── GraphError (AssertionError)     a pass has made a graph that is not legal
├── ElementError (as the text says) what an operator's own text raises for an element
├── EngineError (RuntimeError)      the engine was asked for what it cannot do
│   └── EngineTimeout (TimeoutError)    a wait took longer than it was allowed to
└── StorageError (RuntimeError)     memory was given back twice, or to where it does not belong
    └── OutOfMemory (MemoryError)       there is no memory left; the message says who holds it

DerivativeWarning (UserWarning): a derivative where no limit was found; see its docstring.

Messages name the operator, the argument, what was given, what was expected and the remedy.
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
    """Return a whole number from `least` on; raise ArgumentError for other values.

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
    """Return a number within bounds as a float; raise ArgumentError for other values.

    Finite, unless a bound is infinite. `noun`: what it is called, such as "seconds".

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
    """Return one of several words; raise ArgumentError for other values.

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
    """Raise ShapeError for another shape than the wanted one, which `why` explains, or is that `of`
    another array.

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
    """Return what a message calls a value of an unexpected kind.

    >>> noun(None), noun(3), noun({})
    ('None', 'an int', 'a dict')
    """
    name = type(value).__name__
    article = "an" if name.lower().startswith(("a", "e", "i", "o", "nd")) else "a"
    return "None" if value is None else f"{article} {name}"


def function_name(function: Any) -> str:
    """Return what a message calls a function.

    >>> function_name(len), function_name(functools.partial(len)), function_name(functools.partial)
    ('len', 'len', 'partial')
    """
    while isinstance(function, functools.partial):
        function = function.func
    return str(getattr(function, "__name__", None) or type(function).__name__)


_LONG_ARRAY = r"array\((\[[^()]{40})[^()]{40,}\]"


def _abridged(message: object) -> object:
    """Return a message in which arrays show their first elements only."""
    if isinstance(message, str) and len(message) > 120:
        return re.sub(_LONG_ARRAY, lambda m: f"array({' '.join(m[1].split())} ...]", message)
    return message


class NbgraphError(Exception):
    """Base of all errors raised by nbgraph.

    Uncaught, it is shown by the frames of user code and its message (see `nbgraph.tracebacks`);
    `ng.config.debug = 1` or `NBGRAPH_DEBUG=1` shows all frames.
    """

    def __init__(self, *args: object, **options: object) -> None:
        # the options are those of the built-in exception
        super().__init__(*map(_abridged, args), **options)
        install()

    def _render_traceback_(self) -> list[str]:  # what IPython asks errors for
        return in_notebook(self)


class Obstacle(NamedTuple):
    """A construct of a scalar function that is not understood."""

    function: str
    problem: str
    filename: str
    line: int
    construct: str
    remedy: str


MAX_OBSTACLES = 8  # that a message shows; the rest is counted


class CaptureError(NbgraphError, TypeError):
    """The text of a scalar function uses constructs that are not understood: its `obstacles`."""

    obstacles: tuple[Obstacle, ...] = ()

    @classmethod
    def of(cls, obstacles: Sequence[Obstacle], operator: str = "") -> Self:
        """Return the error for these constructs of an operator, in the order of the text.

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
    """Return the text of a cause that is met at one line or several."""
    if is_own(places[0].filename):  # an operator of the library: its text does not help
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
    """Return the list of several causes."""
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
    """The derivative asked for is not defined."""


class CertificateError(DerivativeError):
    """A derivative disagrees with differences of the function it belongs to."""


class DerivativeWarning(UserWarning):
    """A branch is taken on a set without interior, as `0.0 if x == 0 else x * math.log(x)`, and the
    limit of the other branch's slope is infinite or was not found: the branch's own is used. Or an
    array that a gradient is taken by becomes a number, as by `float(x)` or `np.asarray(x)`."""


class CompileError(NbgraphError, RuntimeError):
    """A kernel could not be compiled; `details` holds the compiler's own text."""

    def __init__(self, message: str, details: str = "") -> None:
        super().__init__(message)
        self.details = details


class FusionError(NbgraphError, TypeError):
    """Operators would give other results in one loop than one after another."""


class ArgumentError(NbgraphError, TypeError):
    """The arguments of a call do not fit the operator's signature."""


class MissingName(NbgraphError, AttributeError):
    """A module, namespace or array has no such name; the message says what to write instead."""


class DTypeError(NbgraphError, TypeError):
    """A dtype is not supported here, or may not be cast as asked."""


class ShapeError(NbgraphError, ValueError):
    """Shapes do not fit together."""


class AxisError(ShapeError, NumpyAxisError):
    """An array has no such axis."""


class IndexingError(NbgraphError, IndexError):
    """An index is out of bounds, or is not an index."""


class FormatError(NbgraphError, ValueError):
    """A text or a file is damaged, or is not of the kind that is read here."""


class DataError(NbgraphError, ValueError):
    """A source of samples cannot be read there: a record is damaged, a number is none, a file ends.

    `file`, `record` and `offset` (bytes from the file's start) say where, as far as it is known;
    they are part of the message.

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
    """The loss of a training is NaN; the message names the batch, and the data where they are."""


class DeviceError(NbgraphError, ValueError):
    """A device is not there, or is another one than asked for."""


class GraphError(NbgraphError, AssertionError):
    """A graph is not legal: a pass has a fault, or nodes were put together by hand."""


class EngineError(NbgraphError, RuntimeError):
    """The engine was asked for something it cannot do, or an operation broke its promise."""


class KernelError(EngineError):
    """A compiled kernel returned an error code."""


class ElementError(NbgraphError):
    """The text of an operator raises for an element. It is also the exception of the text, or the
    nearest one above that is built in, so that `except ValueError` catches it.

    `raised` and `element` say what is raised and for which element, where that is known.
    """

    raised: kernel_errors.Raised | None = None
    element: int | None = None


class EngineTimeout(EngineError, TimeoutError):
    """A wait took longer than it was allowed to; the message names what is unfinished."""


class StorageError(NbgraphError, RuntimeError):
    """Memory was given back twice, or to a pool it does not belong to."""


class OutOfMemory(StorageError, MemoryError):
    """There is no memory left, or the limit is reached; the message says who holds what."""


class KVStoreError(NbgraphError, RuntimeError):
    """A store of parameters could not do what it was asked for."""


class KVMembershipError(KVStoreError):
    """A worker or a part of a distributed store is lost; the message names it and its round."""


class LabelError(NbgraphError, ValueError):
    """A label that is not a class, from 0 to the number of classes, that one not included."""


def unpicklable(what: str, remedy: str) -> Callable[..., Never]:
    """`__reduce_ex__` of a class whose objects belong to their process: no pickles, no copies."""

    def refuse(self: object, protocol: object = None) -> Never:
        raise TypeError(f"{what} can be neither pickled nor copied; {remedy}")

    return refuse
