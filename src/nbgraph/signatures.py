"""Checks of calls by signatures: for an unknown keyword, an argument too many or a missing one the
error says what a public function takes, and how other libraries' keywords are called here.
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
    """Have the constructor of a class name the right keyword where it gets an unknown one."""
    init = cls.__init__
    parameters = inspect.signature(init).parameters
    if any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        return cls  # hands them on to a constructor that is checked

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
    """Return the message for a keyword that the constructor of a class does not have."""
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
    """Return the message for a keyword that a function of these parameters does not have. It has
    Python's words: Polars looks for them to find out what a function takes.

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
    """Return the message for more arguments by position than a function has places."""
    placed = [n for n, p in parameters.items() if p.kind in _PLACED]
    named = [f"{n}=" for n in parameters if n not in placed]
    rest = f"; by name: {', '.join(named)}" if named else ""
    listed = f"{len(placed)} at most ({', '.join(placed)})" if placed else "none"
    return f"{name}: {count} arguments by position; expected {listed}{rest}"


def _require_call(name: str, parameters: Mapping[str, Any], count: int, error: TypeError) -> None:
    """Raise ArgumentError where it was the call that Python refused, not what the function does."""
    trace, text = error.__traceback__, str(error)
    if trace is None or trace.tb_next is not None:
        return
    if " takes " in text:
        raise ArgumentError(_too_many(name, parameters, count)) from None
    if " missing " in text or " multiple values " in text:
        text = f"{text.partition(') ')[2]}; parameters: {', '.join(parameters)}"
        raise ArgumentError(f"{name}: {text}") from None


def accepts(function: Function, count: int) -> bool:
    """Return whether a function can be called with so many arguments, as far as is known.

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
    """Raise ArgumentError for the first keyword that a public function does not have."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = inspect.signature(function).parameters.values()
    names = [each.name for each in parameters if each.kind in kinds and each.name != "self"]
    raise ArgumentError(unknown_keyword(function.__name__, next(iter(unknown)), names))


def refuse_arguments(function: Function, surplus: Sequence[Any], unknown: Iterable[str]) -> Never:
    """Raise ArgumentError for a keyword that a function lacks, or arguments beyond its places."""
    if unknown:
        refuse_keywords(function, unknown)
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop("self", None)
    count = sum(each.kind in _PLACED for each in parameters.values()) + len(surplus)
    raise ArgumentError(_too_many(function.__name__, parameters, count))


_signature = functools.lru_cache(256)(inspect.signature)  # 20 us


def require_keywords(function: Function, names: Iterable[str]) -> None:
    """Raise ArgumentError where a function does not have one of these keywords."""
    parameters = _signature(function).parameters
    unknown = [name for name in names if name not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        refuse_keywords(function, unknown)


def hide_unknown(function: F) -> F:
    """Leave out of the signature that people see what takes arguments that are refused."""
    if "unknown" in function.__code__.co_varnames:
        seen = inspect.signature(function)
        parameters = [p for p in seen.parameters.values() if p.name not in ("surplus", "unknown")]
        function.__signature__ = seen.replace(parameters=parameters)  # type: ignore[attr-defined]
    return function


def checked(function: F) -> F:
    """Have a function name the right keyword where it is called with an unknown one.

    One that is called at every step takes `**unknown: Never` and hands that to `refuse_keywords`
    itself: a fifth of what a second frame costs.
    """
    if function.__code__.co_flags & inspect.CO_VARKEYWORDS:
        return hide_unknown(function)  # it knows what it takes

    @functools.wraps(function)
    def call(*args: Any, **kwargs: Any) -> Any:
        try:
            return function(*args, **kwargs)
        except TypeError as error:  # costs nothing where there is none
            require_keywords(function, kwargs)
            parameters = dict(inspect.signature(function).parameters)
            count = len(args) - (parameters.pop("self", None) is not None)
            _require_call(function.__name__, parameters, count, error)
            raise

    return call  # type: ignore[return-value]
