"""Checks of calls against signatures: errors for unknown keywords, surplus or missing arguments
list the parameters of a public function, and the counterparts of other libraries' keywords.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Never, TypeVar

from nbgraph.errors import ArgumentError
from nbgraph.foreign import ADVICE, KEYWORDS, remedy

Function = Callable[..., Any]
C = TypeVar("C", bound=type)
F = TypeVar("F", bound=Function)


def checked_init(cls: C) -> C:
    """Decorate a class so that its constructor raises ArgumentError with the right keyword."""
    init = cls.__init__
    parameters = inspect.signature(init).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return cls  # passes keywords on to a checked constructor

    @functools.wraps(init)
    def checked(self: Any, *args: Any, **kwargs: Any) -> None:
        for name in kwargs:
            if name not in parameters:
                raise ArgumentError(_unknown(type(self), name))
        try:
            init(self, *args, **kwargs)
        except TypeError as error:
            named = dict([*parameters.items()][1:])
            _require_call(type(self).__name__, named, len(args), error)
            raise

    cls.__init__ = checked
    return cls


def _unknown(cls: type, keyword: str) -> str:
    """Return the message for an unknown keyword of the constructor of a class."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    names = dict.fromkeys(
        name
        for base in cls.__mro__[:-1]
        if "__init__" in vars(base)
        for name, each in [*inspect.signature(vars(base)["__init__"]).parameters.items()][1:]
        if each.kind in kinds
    )
    return unknown_keyword(cls.__name__, keyword, names)


def unknown_keyword(name: str, keyword: str, names: Collection[str]) -> str:
    """Return the message for an unknown keyword of a function with parameters `names`. It contains
    Python's phrase, which Polars searches for to learn a function's parameters.

    >>> unknown_keyword("sum", "dim", ["x", "axis"])
    "sum: unexpected keyword argument 'dim'; here that is axis=; parameters: x, axis"
    """
    right = KEYWORDS.get(keyword)
    hint = f"here that is {right}=" if right in names else ""
    hint = hint or remedy(keyword, names, ADVICE)
    listed = f"parameters: {', '.join(names) or 'none'}"
    return f"{name}: unexpected keyword argument {keyword!r}; {hint + '; ' if hint else ''}{listed}"


_PLACED = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def _too_many(name: str, parameters: Mapping[str, inspect.Parameter], count: int) -> str:
    """Return the message for too many positional arguments."""
    placed = [n for n, p in parameters.items() if p.kind in _PLACED]
    named = [f"{n}=" for n in parameters if n not in placed]
    rest = f"; by name: {', '.join(named)}" if named else ""
    listed = f"{len(placed)} at most ({', '.join(placed)})" if placed else "none"
    return f"{name}: {count} arguments by position; expected {listed}{rest}"


def _require_call(name: str, parameters: Mapping[str, Any], count: int, error: TypeError) -> None:
    """Raise ArgumentError if `error` is of the call itself, and not from within the function."""
    trace, text = error.__traceback__, str(error)
    if trace is None or trace.tb_next is not None:
        return
    if " takes " in text:
        raise ArgumentError(_too_many(name, parameters, count)) from None
    if " missing " in text or " multiple values " in text:
        text = f"{text.partition(') ')[2]}; parameters: {', '.join(parameters)}"
        raise ArgumentError(f"{name}: {text}") from None


def accepts(function: Function, count: int) -> bool:
    """Return whether a function accepts `count` positional arguments; True if unknown.

    >>> accepts(lambda out: out, 2)
    False
    """
    try:
        inspect.signature(function).bind(*range(count))
    except TypeError:
        return False
    except ValueError:  # a builtin without a signature
        return True
    return True


def refuse_keywords(function: Function, unknown: Iterable[str]) -> Never:
    """Raise ArgumentError for the first of `unknown` keywords of a public function."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind in kinds and each.name != "self"]
    raise ArgumentError(unknown_keyword(function.__name__, next(iter(unknown)), names))


def refuse_arguments(function: Function, surplus: Sequence[Any], unknown: Iterable[str]) -> Never:
    """Raise ArgumentError for unknown keywords of a function, or else surplus arguments."""
    if unknown:
        refuse_keywords(function, unknown)
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop("self", None)
    count = sum(each.kind in _PLACED for each in parameters.values()) + len(surplus)
    raise ArgumentError(_too_many(function.__name__, parameters, count))


_signature = functools.lru_cache(256)(inspect.signature)  # 20 us


def require_keywords(function: Function, names: Iterable[str]) -> None:
    """Raise ArgumentError unless a function has all of these keywords."""
    parameters = _signature(function).parameters
    unknown = [name for name in names if name not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        refuse_keywords(function, unknown)


def hide_unknown(function: F) -> F:
    """Remove the parameters `surplus` and `unknown` from the displayed signature."""
    if "unknown" in function.__code__.co_varnames:
        seen = inspect.signature(function)
        parameters = [p for p in seen.parameters.values() if p.name not in ("surplus", "unknown")]
        function.__signature__ = seen.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def checked(function: F) -> F:
    """Decorate a function so that unknown keywords raise ArgumentError with the right keyword.

    Frequently called functions instead take `**unknown: Never` and pass it to `refuse_keywords`,
    which costs a fifth of a second frame.
    """
    if function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return hide_unknown(function)  # the function checks keywords itself

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:  # costs nothing without an error
            require_keywords(function, kwargs)
            parameters = dict(inspect.signature(function).parameters)
            count = len(args) - (parameters.pop("self", None) is not None)
            _require_call(function.__name__, parameters, count, error)
            raise

    return call  # type: ignore[return-value]
