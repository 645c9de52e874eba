"""What NumPy and the Array API ask: their functions on carriers are operators of the library.

So `np.exp(x)`, `np.sum(x)`, `np.concatenate([x, y])` and `numpy_array * x` stay in the carrier's
world, and no array of objects is made.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from nbgraph import ops
from nbgraph.errors import ArgumentError
from nbgraph.operator.call import carrier_of
from nbgraph.operator.lazy import leads
from nbgraph.ops.carrier import ufuncs

# NumPy functions that are operators of the library, by name
_FUNCTIONS = frozenset(
    (
        "all any amax amin argmax argmin argsort atleast_1d atleast_2d atleast_3d broadcast_arrays "
        "broadcast_to clip concatenate concat copy cumprod cumsum diagonal diff dot dstack einsum "
        "empty_like expand_dims flip full_like hstack max mean min moveaxis ones_like outer "
        "permute_dims prod ptp ravel repeat reshape roll round sort split squeeze stack std sum "
        "swapaxes take take_along_axis tensordot tile transpose tril triu unstack var vecdot "
        "vstack where zeros_like"
    ).split()
)
_ATTRIBUTES = {"shape", "ndim", "size"}
_VERDICTS = {"allclose", "array_equal", "array_equiv"}  # a bool: they need values, as `bool(x)`


class Protocols:
    """The dunder methods that NumPy and the Array API look for."""

    __slots__ = ()

    __array_priority__ = 1000.0
    # what an error says of a function that the library does not have
    __nbgraph_remedy__: ClassVar[str] = "compute it with NumPy, outside of the graph"

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        """Refused, lest NumPy makes an array of objects; a class with values gives them."""
        raise ArgumentError(
            f"np.asarray: a {type(self).__name__} has no values; {self.__nbgraph_remedy__}"
        )

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """`np.add(x, y)` is the library's `add`; see `nbgraph.ops.carrier.ufuncs`."""
        for value in (*inputs, *(options.get("out") or ())):
            if leads(type(value)):  # it may have declined before it was told of this class
                return value.__array_ufunc__(ufunc, method, *inputs, **options)
            if not _known(value):
                return NotImplemented
        op = ufuncs.operator_for(ufunc)
        if op is None:
            raise ArgumentError(
                f"{getattr(ufunc, '__name__', '?')}: this ufunc has no operator for "
                f"{type(self).__name__}s; {self.__nbgraph_remedy__}, or write it with @ng.op"
            )
        return ufuncs.apply(op, method, inputs, options)

    def __array_function__(
        self,
        func: Callable[..., Any],
        types: Iterable[type],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """NumPy's functions that the library has, too; TypeError says what to do for others.

        >>> import nbgraph as ng
        >>> np.allclose(ng.array([0.1, 0.2]) * 3, [0.3, 0.6])
        True
        """
        name = func.__name__
        if name in _ATTRIBUTES and len(args) == 1 and not kwargs:
            return getattr(args[0], name)
        if name in _VERDICTS:
            return func(*map(_values, args), **{k: _values(x) for k, x in kwargs.items()})
        module = func.__module__
        if name not in _FUNCTIONS or module != "numpy":
            raise ArgumentError(
                f"{module}.{name}: there is none for {type(self).__name__}s; "
                f"{self.__nbgraph_remedy__}, or use a function of ng"
            )
        return getattr(ops, name)(*args, **kwargs)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The Array API's functions: `nbgraph.xp`."""
        namespace = importlib.import_module("nbgraph.xp")  # it lies above
        offered = namespace.__array_api_version__
        if api_version is not None and str(api_version) > offered:
            raise ValueError(
                f"__array_namespace__: version {api_version} is not there; offered is {offered}"
            )
        return namespace


def _values(value: Any) -> Any:
    """A carrier's values: it waits for them, or says why there are none."""
    return value if carrier_of((value,)) is None else np.asarray(value)


def _known(value: Any) -> bool:
    """Whether operators take values of this class; others are asked themselves."""
    if isinstance(value, (np.ndarray, np.generic, bool, int, float, list, tuple)):
        return True
    if carrier_of((value,)) is not None:
        return True
    own = getattr(type(value), "__array_ufunc__", None)
    return own is None or own is np.ndarray.__array_ufunc__
