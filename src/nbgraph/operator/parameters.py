"""Typed keyword parameters of operators: declared as annotated fields, passed as values or text.

>>> class PoolParam(Param):
...     kernel: tuple[int, int] = field(doc="Height and width of the window.")
...     kind: str = field("max", choices=("max", "mean"))
...     scale: float = field(1.0, lower=0.0)
>>> given = PoolParam.parse({"kernel": "(3, 3)", "scale": "0.5"})
>>> given
PoolParam(kernel=(3, 3), kind='max', scale=0.5)
>>> given.to_strings()
{'kernel': '(3, 3)', 'kind': 'max', 'scale': '0.5'}
>>> PoolParam.parse(given.to_strings()) == given
True
"""

import inspect
import typing
from collections.abc import Collection, Mapping, Sequence
from typing import Any, ClassVar, NamedTuple, Self, dataclass_transform

from nbgraph.errors import ArgumentError
from nbgraph.foreign import near
from nbgraph.operator.values import Kind, kind_of, text_of

MISSING: Any = object()
# keywords that only ng.sym takes, and how to write them elsewhere
_MARKS = {
    "name": "{op}(...).named({value!r})",
    "attr": "with ng.attribute_scope(**{value!r}): {op}(...)",
}


def refuse_marks(op: str, arguments: Mapping[str, Any], known: Collection[str]) -> None:
    """Raise ArgumentError if a call names or marks its node, unless by parameters of its own.

    >>> refuse_marks("add", {"name": "fc1"}, ())
    Traceback (most recent call last):
        ...
    nbgraph.errors.ArgumentError: add: name='fc1' is not a parameter...
    """
    for word, instead in _MARKS.items():
        if word in arguments and word not in known:
            value = arguments[word]
            raise ArgumentError(
                f"{op}: {word}={value!r} is not a parameter here; parameters: "
                f"{', '.join(known) or 'none'}. For the node of a symbol, write "
                f"{instead.format(op=op, value=value)}, or ng.sym.{op}(..., {word}={value!r})"
            )


class Field(NamedTuple):
    """One parameter: its kind of value, default, bounds (inclusive) and documentation."""

    default: Any = MISSING
    lower: float | None = None
    upper: float | None = None
    choices: tuple[Any, ...] = ()
    doc: str = ""
    name: str = ""
    kind: Kind | None = None

    @property
    def required(self) -> bool:
        """Whether a call must pass it."""
        return self.default is MISSING

    def read(self, owner: str, value: Any) -> Any:
        """Return a value or its text, checked; ArgumentError says what was expected."""
        assert self.kind is not None, self
        try:
            read = self.kind.read(value)
        except (ValueError, TypeError, SyntaxError) as error:
            if isinstance(error.__context__, ImportError):  # bfloat16 without its package
                raise
            article = "an" if self.kind.name.startswith("int") else "a"
            raise ArgumentError(
                f"{owner}: {self.name}={value!r} is not {article} {self.kind.name}; give e.g. "
                f"{self.name}={self.kind.example}"
            ) from None
        self._check(owner, read)
        return read

    def _check(self, owner: str, value: Any) -> None:
        if self.choices and value not in self.choices:
            listed = ", ".join(map(repr, self.choices))
            raise ArgumentError(f"{owner}: {self.name}={value!r}; expected one of {listed}")
        for number in value if isinstance(value, tuple) else (value,):
            low = self.lower is not None and number is not None and not number >= self.lower
            high = self.upper is not None and number is not None and not number <= self.upper
            if low or high:
                raise ArgumentError(f"{owner}: {self.name}={value!r}; expected {self._bounds()}")

    def _bounds(self) -> str:
        if self.upper is None:
            return f"{self.lower} or more"
        return f"{self.upper} or less" if self.lower is None else f"{self.lower} to {self.upper}"

    def describe(self) -> str:
        """Return a line of documentation: `kernel : pair of int, 1 or more; required`."""
        assert self.kind is not None, self
        parts = [self.kind.name]
        if self.choices:
            parts.append(f"one of {', '.join(map(repr, self.choices))}")
        if self.lower is not None or self.upper is not None:
            parts.append(self._bounds())
        parts.append("required" if self.required else f"default {self.default!r}")
        head = f"{self.name} : {', '.join(parts)}"
        return f"{head}\n    {self.doc}" if self.doc else head


def field(
    default: Any = MISSING,
    *,
    lower: float | None = None,
    upper: float | None = None,
    choices: Sequence[Any] = (),
    doc: str = "",
) -> Any:
    """Declare a parameter of a Param: without default it is required; bounds are inclusive and
    apply to each item of a tuple.

    >>> class DropParam(Param):
    ...     p: float = field(0.5, lower=0.0, upper=1.0)
    >>> DropParam(p=2)
    Traceback (most recent call last):
    nbgraph.errors.ArgumentError: DropParam: p=2.0; expected 0.0 to 1.0
    """
    return Field(default, lower, upper, tuple(choices), doc)


@dataclass_transform(kw_only_default=True, frozen_default=True, field_specifiers=(field,))
class Param:
    """The base of parameter structs: annotated fields are an operator's parameters.

    A field is of type bool, int, float, str, numpy.dtype, a tuple of those (`tuple[int, ...]` has
    any length), a Literal, or one of these or None. Instances are immutable, equal by value and
    hashable; `parse` also reads text, so parameters can be stored in files.

    Raises ArgumentError if a parameter is unknown, missing, of another type or out of range.

    >>> class Pooling(Param):
    ...     size: tuple[int, int] = (2, 2)
    >>> Pooling.parse({"size": "(3, 3)"}).size
    (3, 3)
    """

    __fields__: ClassVar[Mapping[str, Field]] = {}

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        fields = dict(cls.__fields__)
        hints = typing.get_type_hints(cls, localns=_near(cls))
        for name in inspect.get_annotations(cls):
            if typing.get_origin(hints[name]) is ClassVar:
                continue
            fields[name] = _field(cls, name, hints[name])
            if name in cls.__dict__:
                delattr(cls, name)  # instances alone hold values
        cls.__fields__ = fields
        cls.__doc__ = _documentation(cls.__dict__.get("__doc__"), fields)
        cls.__signature__ = _signature(fields)

    def __init__(self, **values: Any) -> None:
        owner = type(self).__name__
        _require_known(owner, self.__fields__, values)
        for name, f in self.__fields__.items():
            if name in values:
                value = f.read(owner, values[name])
            elif f.required:
                raise ArgumentError(
                    f"{owner}: the parameter {name!r} is missing; give {name}="
                    f"{f.kind.example if f.kind else '...'}"
                )
            else:
                value = f.default
            object.__setattr__(self, name, value)

    @classmethod
    def parse(cls, values: Mapping[str, Any], owner: str | None = None) -> Self:
        """Read values or their text; errors name `owner`, the operator."""
        try:
            return cls(**values)
        except ArgumentError as error:
            if owner is None:
                raise
            message = str(error).removeprefix(f"{cls.__name__}: ")
            raise ArgumentError(f"{owner}: {message}") from None

    def to_dict(self) -> dict[str, Any]:
        """Return values by name, in the order of the fields."""
        return {name: getattr(self, name) for name in self.__fields__}

    def to_strings(self) -> dict[str, str]:
        """Return the values as text, which `parse` reads."""
        return {name: text_of(value) for name, value in self.to_dict().items()}

    def __getitem__(self, name: str) -> Any:
        if name not in self.__fields__:
            raise KeyError(name)
        return getattr(self, name)

    def __setattr__(self, name: str, value: Any) -> None:
        raise ArgumentError(
            f"{type(self).__name__}: parameters do not change; make new ones with {name}={value!r}"
        )

    def __delattr__(self, name: str) -> None:
        raise ArgumentError(f"{type(self).__name__}: parameters do not change")

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self.to_dict() == other.to_dict()

    def __hash__(self) -> int:
        return hash((type(self), *self.to_dict().items()))

    def __repr__(self) -> str:
        listed = ", ".join(f"{name}={value!r}" for name, value in self.to_dict().items())
        return f"{type(self).__name__}({listed})"


def _near(cls: type) -> dict[str, Any]:
    """Return names that annotations may use without importing them."""
    import numpy as np

    return {"np": np, "numpy": np, "typing": typing, cls.__name__: cls}


def _field(cls: type, name: str, hint: Any) -> Field:
    """Return the field of a name: `x: int`, `x: int = 3` or `x: int = field(...)`."""
    value = cls.__dict__.get(name, MISSING)
    f = value if isinstance(value, Field) else Field(value)
    if name.startswith("_") or name in Param.__dict__ or name in ("out", "scalar"):
        raise ArgumentError(f"{cls.__name__}: {name!r} cannot name a parameter; choose another")
    kind, choices = kind_of(f"{cls.__name__}.{name}", hint)
    f = Field(f.default, f.lower, f.upper, f.choices or choices, f.doc, name, kind)
    if f.required:
        return f
    default = f.read(cls.__name__, f.default)
    return Field(default, f.lower, f.upper, f.choices, f.doc, name, kind)


def _require_known(owner: str, fields: Mapping[str, Field], arguments: Mapping[str, Any]) -> None:
    for name in arguments:
        if name not in fields:
            hint = near(name, fields) or f"known: {', '.join(fields) or 'none'}"
            raise ArgumentError(f"{owner}: there is no parameter {name!r}; {hint}")


def _documentation(own: str | None, fields: Mapping[str, Field]) -> str:
    lines = [f.describe() for f in fields.values()]
    head = inspect.cleandoc(own) if own else "Parameters of an operator."
    return "\n".join([head, "", "Parameters", "----------", *lines])


def _signature(fields: Mapping[str, Field]) -> inspect.Signature:
    P = inspect.Parameter
    return inspect.Signature(
        [
            P(name, P.KEYWORD_ONLY, default=P.empty if f.required else f.default)
            for name, f in fields.items()
        ]
    )


__all__ = ["Field", "Param", "field"]
