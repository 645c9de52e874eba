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
F = TypeVar("F", bound=Function)


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
    rest += "; several arrays are one argument: data=(x, y)" * (placed[-1:] == ["data"])
    listed = f"{len(placed)} at most ({', '.join(placed)})" if placed else "none"
    return f"{name}: {count} arguments by position; expected {listed}{rest}"


def require_arguments(
    function: Function, args: Sequence[Any], kwargs: Iterable[str], error: TypeError
) -> None:
    """Raise ArgumentError if `error` is of the call itself, and not from within the function."""
    cls = type(args[0]) if function.__name__ == "__init__" else None
    name = function.__name__ if cls is None else cls.__name__
    require_keywords(function, kwargs, cls)
    trace, text = error.__traceback__, str(error)
    if trace is None or trace.tb_next is not None:
        return
    parameters = dict(inspect.signature(function).parameters)
    count = len(args) - (parameters.pop("self", None) is not None)
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
    """Raise ArgumentError for the first unknown keyword of a function or constructor."""
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    functions = [function]
    if isinstance(function, type):
        functions = [vars(c)["__init__"] for c in function.__mro__[:-1] if "__init__" in vars(c)]
    parameters = [p for f in functions for p in inspect.signature(f).parameters.values()]
    names = dict.fromkeys(p.name for p in parameters if p.kind in kinds and p.name != "self")
    raise ArgumentError(unknown_keyword(function.__name__, next(iter(unknown)), names)) from None


def refuse_arguments(
    function: Function, surplus: Sequence[Any], unknown: Iterable[str], /, **needed: Any
) -> Never:
    """Raise ArgumentError for unknown keywords of a function, surplus arguments, or missing ones:
    those in `needed` whose value is this function."""
    if unknown:
        refuse_keywords(function, unknown)
    parameters = dict(inspect.signature(function).parameters)
    parameters.pop("self", None)
    lacking = [name for name, value in needed.items() if value is refuse_arguments]
    if lacking and not surplus:
        kind = "positional" if parameters[lacking[0]].kind in _PLACED else "keyword-only"
        many = f"{len(lacking)} required {kind} argument{'s' * (len(lacking) > 1)}"
        listed = f"{', '.join(map(repr, lacking))}; parameters: {', '.join(parameters)}"
        raise ArgumentError(f"{function.__name__}: missing {many}: {listed}")
    count = sum(each.kind in _PLACED for each in parameters.values()) + len(surplus)
    raise ArgumentError(_too_many(function.__name__, parameters, count))


_signature = functools.lru_cache(256)(inspect.signature)  # 20 us


def require_keywords(function: Function, names: Iterable[str], cls: type | None = None) -> None:
    """Raise ArgumentError unless a function, or a class's constructor, takes these keywords."""
    parameters = _signature(function).parameters
    unknown = [name for name in names if name not in parameters]
    if unknown and not any(p.kind is p.VAR_KEYWORD for p in parameters.values()):
        refuse_keywords(cls or function, unknown)


def hide_unknown(function: F) -> F:
    """Remove the parameters `surplus` and `unknown` from the displayed signature."""
    if "unknown" in function.__code__.co_varnames:
        seen = inspect.signature(function)
        parameters = [
            p.replace(default=p.empty) if p.default is refuse_arguments else p
            for p in seen.parameters.values()
            if p.name not in ("surplus", "unknown")
        ]
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
            require_arguments(function, args, kwargs, error)
            raise

    return call  # type: ignore[return-value]
