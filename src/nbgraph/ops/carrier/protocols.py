"""What NumPy and the Array API ask: their functions on carriers are operators of the library.

So `np.exp(x)`, `np.sum(x)`, `np.concatenate([x, y])` and `numpy_array * x` stay in the carrier's
world, and no array of objects is made.
"""

from __future__ import annotations

import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.lazy import foreign
from nbgraph.ops.carrier import ufuncs
from nbgraph.ops.carrier.operators import weak
from nbgraph.ops.dispatch.table import function_for
from nbgraph.signatures import Function

_frame = sys._getframe
_rows: dict[Any, Any] = {}  # of functions that were called
_PLAIN = frozenset((np.ndarray, bool, int, float, list, tuple))


class Protocols:
    """The dunder methods that NumPy and the Array API look for."""

    __slots__ = ()

    __array_priority__ = 1000.0
    __pandas_priority__: Any = 5000  # above DataFrame's 4000
    # what an error says of a function that the library does not have
    __nbgraph_remedy__: ClassVar[str] = "compute it with NumPy, outside of the graph"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Refused, lest NumPy makes an array of objects; a class with values gives them."""
        raise ArgumentError(f"np.asarray: {noun(self)} has no values; {self.__nbgraph_remedy__}")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """`np.add(x, y)` is the library's `add`; see `nbgraph.ops.carrier.ufuncs`."""
        op = ufuncs.operator_for(ufunc)
        if _frame(1).f_globals.get("__name__", "").startswith("pandas."):  # columns stay NumPy's
            return self.__nbgraph_foreign__(ufunc, method, inputs, options)
        push = None if options or method != "__call__" else getattr(op, "shortcut", None)
        if push is not None:
            inputs = self.__nbgraph_beside__(ufunc.__name__, inputs)
            result = push(_frame(1), inputs)
            if result is not None:
                return result
        for value in (*inputs, *(options.get("out") or ())):
            if type(value) not in _PLAIN and foreign[type(value)]:
                return self.__nbgraph_foreign__(ufunc, method, inputs, options)
        own = options and hasattr(self, "__nbgraph_dynamic__")  # values, for NumPy's memory
        if own and np.ndarray in map(type, options.get("out") or ()):
            return self.__nbgraph_ufunc__(ufunc, method, inputs, options)
        if op is not None:
            result = ufuncs.apply(ufunc, op, method, inputs, options)
            if result is not NotImplemented:
                return result
        row = function_for(ufunc) if getattr(np, ufunc.__name__, None) is ufunc else None
        plain = not options or (set(options) == {"out"} and row is not None and row.how != "host")
        if row is None or method != "__call__" or not plain:
            return self.__nbgraph_ufunc__(ufunc, method, inputs, options)
        return row.call(*inputs, **{k: v[0] for k, v in options.items()})

    @staticmethod
    def __nbgraph_beside__(name: str, operands: tuple[Any, ...]) -> tuple[Any, ...]:
        """Return operands as the quick way takes them."""
        return weak(operands)

    def __nbgraph_foreign__(
        self, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """A ufunc beside a class that carries it out itself, which is asked next; a class with
        values lets them stand in for its arrays, as the other one may not know these."""
        return NotImplemented

    def __nbgraph_ufunc__(
        self, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """A ufunc without an operator: refused; a class with values computes with them."""
        name = getattr(ufunc, "__name__", "?") + ("" if method == "__call__" else f".{method}")
        raise ArgumentError(
            f"{name}: this ufunc has no operator for "
            f"{type(self).__name__}s; {self.__nbgraph_remedy__}, or write it with @ng.op"
        )

    def __array_function__(
        self, func: Function, types: Iterable[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """NumPy's functions, as the tables of `ops/dispatch` say; TypeError says what to do where
        there is none.

        >>> import nbgraph as ng
        >>> np.median(ng.array([3.0, 1.0, 2.0]))
        array(2., dtype=float32)
        >>> np.allclose(ng.array([0.1, 0.2]) * 3, [0.3, 0.6])
        True
        """
        for kind in types:
            if foreign[kind]:
                return NotImplemented
        row = _rows.get(func)
        if row is None:
            row = _rows[func] = function_for(func)
        if row is None:
            raise ArgumentError(
                f"{func.__module__}.{func.__name__}: there is none for {type(self).__name__}s; "
                f"{self.__nbgraph_remedy__}, or use a function of ng"
            )
        if row.how == "kept":
            return self.__nbgraph_repeated__(row.call, args, kwargs)
        return row.call(*args, **kwargs)

    @staticmethod
    def __nbgraph_repeated__(call: Function, args: Sequence[Any], kwargs: Mapping[str, Any]) -> Any:
        """Call a composition that may come again."""
        return call(*args, **kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The Array API's functions: `nbgraph.xp`."""
        namespace = importlib.import_module("nbgraph.xp")  # it lies above
        offered = namespace.__array_api_version__
        if api_version is not None and str(api_version) > offered:
            raise ValueError(
                f"__array_namespace__: version {api_version} is not there; offered is {offered}"
            )
        return namespace
