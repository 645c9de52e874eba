"""The common part of calls of a traced function: structure, layouts and Python values.

Arrays differ by their layouts alone; everything else is part of the signature by value.
"""

import functools
from collections.abc import Sequence
from dataclasses import fields, is_dataclass
from types import BuiltinFunctionType, FunctionType, MethodType
from typing import Any

import numpy as np

from nbgraph.array import core
from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.array.place import ELSEWHERE
from nbgraph.autograd.tree import mapped, offers_parameters
from nbgraph.errors import ArgumentError, ShapeError, noun
from nbgraph.graph.build import frozen
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.parallel import OWNED
from nbgraph.operator.scalar.typing import is_foreign

_VALUES = (bool, int, float, str, bytes, type(None), type(...), np.dtype, slice)
_PLAIN = frozenset((bool, int, str, type(None)))  # equal ones of a type mean the same
_COPIED = frozenset(map(np.dtype, ("float32", "float64", "int32", "int64", "uint8", "bool")))
_OBJECTS = (type, FunctionType, BuiltinFunctionType)
# classes of arguments that were known by identity; another object of one has another key
_IDENTIFIED: set[type] = set()


class InlineError(Exception):
    """An argument is a symbol or an expression: the function is called as it is."""


class Keyed:
    """The key of a call, and its arrays: NumPy arrays are copied to NDArrays.

    `arrays`: list of NDArray. `objects`: what the key knows by identity. `lazy`: whether a Dask
    array is among the arrays.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.arrays: list[Any] = []
        self._copied: list[int] = []  # which of them were NumPy's
        self.objects: list[Any] = []
        self.lazy = False  # whether some compute later, block by block

    def array(self, value: Any) -> Any:
        """Enter an array and return its key."""
        self.arrays.append(value)
        return value._layout

    def together(self, captured: Sequence[Any]) -> list[Any]:
        """Return the arrays; those copied from NumPy move to the device of the others."""
        if not (self._copied and ELSEWHERE[0]) or self.lazy:
            return self.arrays
        own = [a for i, a in enumerate(self.arrays) if i not in self._copied]
        device = next((a.device for a in (*own, *captured)), None)
        if device is not None:
            for i in self._copied:
                self.arrays[i] = self.arrays[i].to_device(device)
        return self.arrays

    def key(self, value: Any, path: str) -> Any:
        """Return the key of an argument."""
        kind = type(value)
        if isinstance(value, Array):
            return self.array(value)
        if is_lazy(value):
            self.arrays.append(value)
            self.lazy = True
            return "lazy", self._known(value, path), value.dtype
        if isinstance(value, (np.ndarray, np.generic)) or is_foreign(value):
            self._copied.append(len(self.arrays))
            return self.array(new_array(value))
        if hasattr(kind, "__nbgraph_call__"):
            raise InlineError
        if kind is slice:
            return kind, frozen((value.start, value.stop, value.step))
        if isinstance(value, _VALUES):
            return frozen(value)
        if isinstance(value, dict):
            return kind, tuple([(k, self.key(v, f"{path}[{k!r}]")) for k, v in value.items()])
        if isinstance(value, (list, tuple)):
            return kind, tuple([self.key(v, f"{path}[{i}]") for i, v in enumerate(value)])
        if is_dataclass(value) and not (isinstance(value, type) or offers_parameters(value)):
            return kind, tuple([self._field(value, f, path) for f in fields(value)])
        if kind is Bound or kind is MethodType:  # another one each time, of the same object
            method: Any = value
            return kind, self.identity(method.__func__), self.identity(method.__self__)
        if isinstance(value, _OBJECTS) or callable(value) or offers_parameters(value):
            _IDENTIFIED.add(kind)
            return self.identity(value)
        raise ArgumentError(
            f"{self.name}: {path} is {noun(value)}; a traced function takes arrays, numbers, "
            "strings, functions, dicts, lists and tuples of those, and objects with parameters(). "
            + (
                "An array of another library is taken by ng.from_dlpack"
                if hasattr(value, "__dlpack__")
                else f"What is fixed may be named: ng.jit(..., static_argnames={path!r})"
            )
        )

    def _field(self, value: Any, field: Any, path: str) -> Any:
        """Return the key of a field of a dataclass."""
        own, name = getattr(value, field.name), f"{path}.{field.name}"
        return self.static(own, name) if field.metadata.get("static") else self.key(own, name)

    def _known(self, value: Any, path: str) -> tuple[int, ...]:
        """Return the shape of an array that computes later; ShapeError where it is not known."""
        if any(n != n for n in value.shape):
            raise ShapeError(
                f"{self.name}: {path} is a Dask array of shape {value.shape}, of which not all is "
                "known; let Dask find it by compute_chunk_sizes()"
            )
        return tuple(value.shape)

    def static(self, value: Any, path: str) -> Any:
        """Return the key of an argument that is fixed."""
        if isinstance(value, (Array, np.ndarray)):
            raise ArgumentError(
                f"{self.name}: {path} is an array, but it is named in static_argnames; what is "
                "fixed is a value that can be hashed"
            )
        try:
            hash(value)
        except TypeError:
            raise ArgumentError(
                f"{self.name}: {path} is named in static_argnames, but {noun(value)} "
                "cannot be hashed; give a tuple instead of a list"
            ) from None
        return frozen(value)

    def identity(self, value: Any) -> Any:
        """Return the key of an object that is known by identity."""
        self.objects.append(value)
        return "object", id(value)


class Bound:
    """A traced method of an object, which is part of the signature."""

    def __init__(self, jitted: Any, obj: Any) -> None:
        self.__self__, self.__func__ = obj, jitted
        functools.update_wrapper(self, jitted, updated=())

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return self.__func__(self, *args, **kwargs)

    def explain(self, *args: Any, **kwargs: Any) -> Any:
        """Return what the method became: see `Jit.explain`."""
        return self.__func__.explain(*((self, *args) if args or kwargs else ()), **kwargs)

    def __repr__(self) -> str:
        return f"<bound {self.__func__!r} of {self.__self__!r}>"


def enter(value: Any, key: list[Any], arrays: list[Any]) -> bool:
    """Enter an argument into a flat key and its arrays; return whether it is known how: arrays of
    the host, plain dicts, lists and tuples, plain values, and objects, which a version keeps."""
    kind: Any = type(value)
    if kind is np.ndarray and value.dtype in _COPIED and not ELSEWHERE[0] and not OWNED:
        value, kind = core.from_host(value, CPU), core._class[0]
    if kind is core._class[0]:
        key.append(value._layout)
        arrays.append(value)
    elif kind is dict:
        key += dict, len(value)
        for name, item in value.items():
            key.append(name)
            if not enter(item, key, arrays):
                return False
    elif kind is tuple or kind is list:
        key += kind, len(value)
        for item in value:
            if not enter(item, key, arrays):
                return False
    elif kind is float:
        key.append(value.hex())  # zeros differ, NaN is itself
    elif kind in _PLAIN:
        key += kind, value
    elif kind is Bound or kind is MethodType:
        key += kind, id(value.__func__), id(value.__self__)
    elif kind in _IDENTIFIED:
        key += kind, id(value)
    else:
        return False
    return True


def floats_as_arrays(value: Any, chosen: Sequence[int]) -> list[Any]:
    """Return positional arguments with Python floats as arrays, where they are differentiated."""
    return [
        mapped(lambda x: new_array(x) if type(x) is float else x, v, objects=True)
        if i in chosen and not offers_parameters(v)
        else v
        for i, v in enumerate(value)
    ]
