"""Options of optimisers as fields: a default, a check, and the name in the update rule."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Mapping
from typing import Any, ClassVar, NamedTuple, dataclass_transform

from nbgraph.errors import ArgumentError, require_number

Rate = float | Callable[[int], float]
Betas = tuple[float, float]
DEFAULT: Any = ...  # a rate that is not passed: the one of the class
_PLACED = {"params": 0, "lr": 1}  # positions of the options that are not keyword-only


class Option(NamedTuple):
    """A parameter of the constructor. `check(label, value)` returns the value to use; `name`: the
    name of the rule's number that it sets, "betas" for a dict of several."""

    default: Any
    check: Callable[[str, Any], Any]
    name: str | None = None


def number(
    name: str | None = None, *, default: float, below: float = math.inf, rest: bool = False
) -> Any:
    """Declare a number from 0 on; `rest`: the rule gets 1 minus the number."""

    def check(what: str, value: Any) -> float:
        value = require_number(what, value, 0, below=below)
        return 1.0 - value if rest else value

    return Option(default, check, name)


def bound(name: str | None = None, missing: float | None = None, *, default: None) -> Any:
    """Declare a number above 0, or None, for which the rule takes `missing`."""
    check = lambda what, v: missing if v is None else require_number(what, v, above=0)
    return Option(default, check, name)


def flag(*, default: bool) -> Any:
    """Declare a bool."""
    return Option(default, lambda _, value: bool(value))


def plain(*, default: Any, kw_only: bool = True) -> Any:
    """Declare a parameter that is taken as it is."""
    return Option(default, lambda _, value: value)


def rate(*, default: float, kw_only: bool = False) -> Any:
    """Declare the rate: a number, or a schedule."""
    check = lambda what, v: v if callable(v) else require_number(what, v, 0)
    return Option(default, check)


def means(*, default: Betas) -> Any:
    """Declare the factors by which two exponential means keep their values at each step."""

    def check(what: str, betas: Any) -> dict[str, float]:
        if not isinstance(betas, tuple | list) or len(betas) != 2:
            raise ArgumentError(f"{what}={betas!r}; expected two numbers")
        head = what.removesuffix("betas")
        one, two = (
            require_number(f"{head}beta{k}", beta, 0, below=1) for k, beta in enumerate(betas, 1)
        )
        return {"beta1": one, "beta2": two, "gain1": 1.0 - one, "gain2": 1.0 - two}

    return Option(default, check, "betas")


@dataclass_transform(
    kw_only_default=True, field_specifiers=(number, bound, flag, plain, rate, means)
)
class Declared:
    """A base class with options: the fields of a class and of its bases are the parameters of its
    constructor. Fields of type `InitVar` are numbers of the rule, not attributes."""

    options: ClassVar[Mapping[str, Option]] = {}
    __signature__: ClassVar[Any]

    def __init_subclass__(cls, **more: Any) -> None:
        super().__init_subclass__(**more)
        own = {name: value for name, value in vars(cls).items() if isinstance(value, Option)}
        for name in own:
            delattr(cls, name)  # an instance has its value
        merged = {**own, **{name: o for name, o in cls.options.items() if name not in own}}
        names = sorted(merged, key=lambda name: _PLACED.get(name, len(_PLACED)))
        cls.options = {name: merged[name] for name in names}
        written = "__init__" in vars(cls) and Declared not in cls.__bases__
        cls.__signature__ = (
            None
            if written
            else inspect.Signature(
                [
                    inspect.Parameter(
                        name,
                        inspect.Parameter.POSITIONAL_OR_KEYWORD
                        if name in _PLACED
                        else inspect.Parameter.KEYWORD_ONLY,
                        default=option.default,
                    )
                    for name, option in cls.options.items()
                ]
            )
        )
