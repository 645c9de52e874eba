"""Protocols of NumPy and the Array API: their functions on carriers are library operators.

So `np.exp(x)`, `np.sum(x)`, `np.concatenate([x, y])` and `numpy_array * x` return carriers, and no
array of objects arises.
"""

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
_rows: dict[Any, Any] = {}  # cache of rows by function
_PLAIN = frozenset((np.ndarray, bool, int, float, list, tuple))


class Protocols:
    """Special methods of NumPy and of the Array API."""

    __slots__ = ()

    __array_priority__ = 1000.0
    __pandas_priority__: Any = 5000  # above DataFrame's 4000
    # the remedy in errors for functions that the library lacks
    __nbgraph_remedy__: ClassVar[str] = "compute it with NumPy, outside of the graph"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Raise ArgumentError, lest NumPy make an array of objects; overridden to return values."""
        raise ArgumentError(f"np.asarray: {noun(self)} has no values; {self.__nbgraph_remedy__}")

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """Return the library's operator applied; see `nbgraph.ops.carrier.ufuncs`."""
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
        """Return operands in the form that the fast path takes."""
        return weak(operands)

    def __nbgraph_foreign__(
        self, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Handle a ufunc of a class that carries ufuncs out itself and is asked next. A class with
        values replaces its arrays by them, as the other one may not know these."""
        return NotImplemented

    def __nbgraph_ufunc__(
        self, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Raise ArgumentError for a ufunc without an operator; classes with values use these."""
        name = getattr(ufunc, "__name__", "?") + ("" if method == "__call__" else f".{method}")
        raise ArgumentError(
            f"{name}: this ufunc has no operator for "
            f"{type(self).__name__}s; {self.__nbgraph_remedy__}, or write it with @ng.op"
        )

    def __array_function__(
        self, func: Function, types: Iterable[type], args: Sequence[Any], kwargs: Mapping[str, Any]
    ) -> Any:
        """Apply NumPy's functions by the tables of `ops/dispatch`; raise TypeError for others.
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
        """Call a composition that may be repeated."""
        return call(*args, **kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """Return the Array API's functions: `nbgraph.xp`."""
        namespace = importlib.import_module("nbgraph.xp")  # a higher room
        offered = namespace.__array_api_version__
        if api_version is not None and str(api_version) > offered:
            raise ValueError(
                f"__array_namespace__: version {api_version} is not there; offered is {offered}"
            )
        return namespace
