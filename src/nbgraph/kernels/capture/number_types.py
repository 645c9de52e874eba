"""The type of a number, which a text asks for: it follows from the number's kind.

An element is one number, which has every type of its kind at once: a floating value is a `float`,
a `np.float64` and a `np.float32`, as the kernel may compute in either precision.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from nbgraph.kernels.scalar.kinds import is_boolean

_FLOATS = (float, np.float64, np.float32, np.float16)


@dataclass(frozen=True, slots=True)
class NumberType:
    """The value of `type(x)` for a number."""

    kind: str

    def __repr__(self) -> str:
        return "the type of a number"


@dataclass(frozen=True, slots=True)
class NumberDtype:
    """The value of `x.dtype` for a number."""

    number_kind: str

    def __repr__(self) -> str:
        return "the dtype of a number"

    @property
    def type(self) -> NumberType:
        """Return the type of the numbers, as `type` of NumPy's dtypes."""
        return NumberType(self.number_kind)

    @property
    def kind(self) -> str:
        """NumPy's letter of the kind: "f", "i", "u" or "b"."""
        return "f" if self.number_kind == "f" else _numpy_type(self.number_kind)(0).dtype.kind


def types_of(kind: str) -> tuple[type, ...]:
    """Return the types that an element of a kind may have, Python's first.

    >>> types_of("int8")
    (<class 'int'>, <class 'numpy.int8'>)
    """
    if kind == "f":
        return _FLOATS
    return (bool if is_boolean(kind) else int), _numpy_type(kind)


def _numpy_type(kind: str) -> type[np.generic]:
    return np.dtype({"i": "int64", "b": "bool"}.get(kind, kind)).type


def is_instance(kind: str, target: Any) -> bool:
    """Return the value of `isinstance(x, target)` for a number of this kind."""
    return any(issubclass(own, target) for own in types_of(kind))


def is_type(own: NumberType | NumberDtype, target: Any) -> bool | None:
    """Return `type(x) is target` or `x.dtype == target`; None where that depends on precision."""
    kind = own.kind if isinstance(own, NumberType) else own.number_kind
    if isinstance(target, (NumberType, NumberDtype)):
        return kind == (target.kind if isinstance(target, NumberType) else target.number_kind)
    if isinstance(own, NumberType):
        return target in types_of(kind)
    try:
        name = np.dtype(target).name
    except TypeError:
        return False
    if kind == "f":
        return None if np.dtype(target).kind == "f" else False
    return name == np.dtype(_numpy_type(kind)).name


def python_isinstance(value: object, target: Any) -> bool:
    """Return `isinstance`, for a NumPy number by its kind, as in a kernel."""
    if isinstance(value, (np.bool_, np.integer, np.floating)):
        return is_instance("f" if value.dtype.kind == "f" else value.dtype.name, target)
    return isinstance(value, target)
