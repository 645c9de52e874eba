"""What other libraries may ask of an array: NumPy's and the Array API's protocols, copies, pickles.

NumPy's functions stay in the world of NDArrays where the library has the function: `np.exp(x)`,
`np.sum(x)`, `np.concatenate([x, y])`. `np.asarray(x)` waits, and copies.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array import chunk, ufuncs
from nbgraph.array.core import Array, from_host
from nbgraph.array.eager import library
from nbgraph.device import Context
from nbgraph.errors import ArgumentError

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
_VERDICTS = {"allclose", "array_equal", "array_equiv"}  # a bool: they wait, as `bool(x)` does


class Protocols:
    """The dunder methods that NumPy, the Array API and the standard library look for."""

    __slots__ = ()

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The values as a NumPy array of its own; waits. `copy=False` cannot be met."""
        if copy is False:
            raise ValueError(
                "NDArray: np.asarray(x, copy=False) is not possible, its values are always copied; "
                "leave copy out, or use np.from_dlpack(x)"
            )
        values: np.ndarray[Any, Any] = self.asnumpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        """`np.add(x, y)` is the library's `add`; see `nbgraph.array.ufuncs`."""
        for value in (*inputs, *(options.get("out") or ())):
            if not _known(value):
                return NotImplemented
        return ufuncs.apply(ufunc, method, inputs, options)

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
            values = (np.asarray(x) if isinstance(x, Array) else x for x in args)
            given = {k: np.asarray(x) if isinstance(x, Array) else x for k, x in kwargs.items()}
            return func(*values, **given)
        module = func.__module__
        if name not in _FUNCTIONS or module != "numpy":
            raise ArgumentError(
                f"{module}.{name}: there is none for NDArrays; use x.asnumpy() (it waits and "
                f"copies), or a function of ng"
            )
        return library(name)(*args, **kwargs)

    @classmethod
    def __nbgraph_dynamic__(
        cls, compute: Callable[..., Any], operands: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Functions whose results have shapes that depend on values: they wait, and compute."""
        device = next(x.device for x in operands if isinstance(x, Array))
        values = [np.asarray(x) for x in operands]
        return _wrapped(compute(*values, **options), device)

    def __array_namespace__(self, *, api_version: str | None = None) -> Any:
        """The Array API's functions for NDArrays: `nbgraph.xp`."""
        namespace = importlib.import_module("nbgraph.xp")  # it lies above
        offered = namespace.__array_api_version__
        if api_version is not None and str(api_version) > offered:
            raise ValueError(
                f"__array_namespace__: version {api_version} is not there; offered is {offered}"
            )
        return namespace

    # copies -----------------------------------------------------------------------------------

    def __copy__(self: Any) -> Any:
        """A copy with memory of its own."""
        return self.copy()

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        """A copy of the values, a constant for derivatives."""
        return self.detach().copy()

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Pickled by value; waits. The copy is on the host."""
        return _restored, (self.asnumpy(),)


def _wrapped(found: Any, device: Context) -> Any:
    """NumPy results as NDArrays: one, or a (named) tuple of them."""
    if not isinstance(found, tuple):
        return from_host(np.asarray(found), device)
    made = [from_host(np.asarray(x), device) for x in found]
    return tuple(made) if type(found) is tuple else type(found)(*made)


def _restored(values: np.ndarray[Any, Any]) -> Any:
    return from_host(values, chunk.CPU)


def _known(value: Any) -> bool:
    """Whether NDArrays work with values of this class; others are asked themselves."""
    if isinstance(value, (Array, np.ndarray, np.generic, bool, int, float, list, tuple)):
        return True
    own = getattr(type(value), "__array_ufunc__", None)
    return own is None or own is np.ndarray.__array_ufunc__ or value is None
