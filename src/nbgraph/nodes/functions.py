"""Scalar functions as operators: one operator for each code and the values that it reads.

Node classes write their functions inside `forward_ops` and `backward_ops`, so Python makes new
function objects for every node. Operators are cached by the code and the content of closure cells,
so that only the first of these functions is captured and compiled.
"""

from collections.abc import Collection
from types import CellType, FunctionType, ModuleType
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, noun
from nbgraph.kernels.capture.names import names_of, plain_function
from nbgraph.operator.layout import keep
from nbgraph.operator.mapper.decorator import op
from nbgraph.operator.mapper.mapper import Mapper

_MOST = 4096  # operators cached at a time
_MAPPERS: dict[Any, tuple[Mapper, Any]] = {}  # with the code, so that its id is not reused
_NUMBERS = (bool, int, float, np.generic)


class Attributes:
    """The numbers and functions that code reads from an object, without the object: a function
    that reads `self.alpha` must not keep the node alive."""

    def __init__(self, of: str, values: dict[str, Any]) -> None:
        self.__dict__.update(values)
        self._of = of

    def __repr__(self) -> str:
        return f"attributes of a {self._of}"


def operator_of(fn: Any) -> Mapper:
    """Return the operator of a scalar function: itself, an operator of the library, or a new one.

    >>> def make(scale):
    ...     return lambda x: scale * x
    >>> operator_of(make(2.0)) is operator_of(make(2.0)), operator_of(make(3.0))(1.0)
    (True, np.float64(3.0))
    """
    if isinstance(fn, Mapper):
        return fn
    own = getattr(fn, "op", None)
    if isinstance(own, Mapper):
        return own
    plain = plain_function(fn)
    if plain is None:
        raise ArgumentError(
            f"node operator: fn is {noun(fn)}; expected a function of numbers, such as "
            "lambda x: sin(x), or an operator"
        )
    key = _key_of(plain)
    if key is None:  # its content cannot be compared: an operator of its own
        return op(plain)
    entry = _MAPPERS.get(key)
    if entry is None:
        entry = keep(_MAPPERS, key, (op(_without_objects(plain)), plain.__code__), _MOST)
    return entry[0]


def scaled(of: Mapper) -> Mapper:
    """Return the operator with one more operand, a factor."""
    operator = of.carried.get("scaled")
    if operator is None:
        operator = of.carried["scaled"] = _scaled(of)
    return operator


def _scaled(of: Mapper) -> Mapper:
    table: dict[int, Any] = {
        1: lambda a, factor: factor * of(a),
        2: lambda a, b, factor: factor * of(a, b),
        3: lambda a, b, c, factor: factor * of(a, b, c),
        4: lambda a, b, c, d, factor: factor * of(a, b, c, d),
        5: lambda a, b, c, d, e, factor: factor * of(a, b, c, d, e),
        6: lambda a, b, c, d, e, f, factor: factor * of(a, b, c, d, e, f),
    }
    if of.nin not in table:
        raise ArgumentError(
            f"{of.__name__}: scale= is for functions of at most 6 elements, this one has {of.nin}; "
            "multiply inside the function"
        )
    operator: Mapper = op(name=of.__name__)(table[of.nin])
    return operator


def _key_of(fn: FunctionType) -> Any:
    """Return a key of the function by its content, or None where the content cannot be compared."""
    code, names = fn.__code__, names_of(fn.__code__)
    key: list[Any] = [id(code), id(fn.__globals__)]
    for value in (*(fn.__defaults__ or ()), *(fn.__kwdefaults__ or {}).values()):
        key.append(_content(value, names))
    for cell in fn.__closure__ or ():
        try:
            key.append(_content(cell.cell_contents, names))
        except ValueError:  # an empty cell
            return None
    if None in key:
        return None
    return tuple(key)


def _content(value: Any, names: Collection[str]) -> Any:
    """Return a value as part of a key; None where it has no content that can be compared."""
    if isinstance(value, _NUMBERS):
        return type(value), repr(value)  # 0.0 and -0.0 differ, nan is nan
    if isinstance(value, FunctionType):
        key = _key_of(value)
        return None if key is None else ("function", value.__code__, key)
    if value is None or isinstance(value, str) or _is_named(value):
        return type(value), value
    read = _read_attributes(value, names)
    if read is None:
        return None
    return type(value), tuple((name, _content(v, ())) for name, v in read.items())


def _is_named(value: Any) -> bool:
    """Return whether a value counts by identity and lives as long as the program."""
    return isinstance(value, (Mapper, ModuleType, type, np.ufunc)) or (
        callable(value) and getattr(value, "__module__", "") in ("math", "builtins", "numpy")
    )


def _read_attributes(value: Any, names: Collection[str]) -> dict[str, Any] | None:
    """Return the attributes of an object that the code may read; None where one is not a number."""
    read = {name: getattr(value, name) for name in sorted(names) if hasattr(value, name)}
    return read if all(isinstance(v, _NUMBERS) or _is_named(v) for v in read.values()) else None


def _without_objects(fn: FunctionType) -> FunctionType:
    """Return the function with objects in its cells replaced by the attributes it reads."""
    cells = [c.cell_contents for c in fn.__closure__ or ()]
    plain = (*_NUMBERS, FunctionType, str, type(None))
    if all(isinstance(v, plain) or _is_named(v) for v in cells):
        return fn
    light: list[Any] = []
    for value in cells:
        if isinstance(value, plain) or _is_named(value):
            light.append(value)
        else:
            read = _read_attributes(value, names_of(fn.__code__)) or {}
            light.append(Attributes(type(value).__name__, read))
    closure = tuple(CellType(v) for v in light)
    function = FunctionType(fn.__code__, fn.__globals__, fn.__name__, fn.__defaults__, closure)
    function.__kwdefaults__, function.__qualname__ = fn.__kwdefaults__, fn.__qualname__
    function.__module__ = fn.__module__
    return function
