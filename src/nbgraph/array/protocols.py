"""Protocols by which other libraries read an array's values: `np.asarray(x)` and pickling wait and
copy, pickling also from GPUs. NumPy's function protocols are those of all carriers
(`nbgraph.ops.carrier.protocols`)."""

import importlib
import sys
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array, from_host, lift
from nbgraph.array.place import elsewhere, refuse
from nbgraph.device import Context
from nbgraph.errors import DeviceError
from nbgraph.operator.call import recording
from nbgraph.operator.lazy import foreign
from nbgraph.ops.carrier import protocols
from nbgraph.ops.dispatch.host import carriers_in, refuse_gradient
from nbgraph.ops.dispatch.hosted import CREATION
from nbgraph.scopes import load
from nbgraph.signatures import Function

_OF_NUMPY = frozenset(("matplotlib", "pandas", "scipy", "sklearn", "statsmodels"))
_NUMPY, _OWN = np.ndarray, np.ndarray.__array_function__
_WRITERS = frozenset((np.copyto, np.fill_diagonal, np.place, np.put, np.put_along_axis, np.putmask))


class Protocols(protocols.Protocols):
    """The dunder methods that NumPy, the Array API and the standard library look for."""

    __slots__ = ()

    __nbgraph_remedy__: ClassVar[str] = "use x.asnumpy() (it waits and copies)"

    @property
    def __pandas_priority__(self: Any) -> int:
        """Return a priority above pandas' for 2-d arrays, which frames do not accept."""
        return 5000 if self.ndim == 2 else 0

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """Wait for the values and return a copy as a NumPy array. Raise ValueError for
        `copy=False`, DeviceError for an array on a GPU."""
        if not self.device.host:
            raise DeviceError(f"np.asarray: {elsewhere(self.device)}")
        if copy is False:
            raise ValueError(
                "NDArray: np.asarray(x, copy=False) is not possible, its values are always copied; "
                "leave copy out, or use np.from_dlpack(x)"
            )
        self._lost("np.asarray", 3)
        values: np.ndarray[Any, Any] = self.asnumpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    def __array_function__(
        self: Any,
        func: Function,
        types: Iterable[type],
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
    ) -> Any:
        """Apply a function of NumPy; `np.asarray(values, like=x)` returns an NDArray. See
        `ops.carrier.protocols`.

        In libraries whose compiled parts require NumPy arrays (`_OF_NUMPY`), functions compute with
        the values as NumPy arrays, so that SciPy's optimisers accept our derivatives.
        """
        caller = sys._getframe(1).f_globals.get("__name__", "")
        out = kwargs.get("out")
        writes = func in _WRITERS or out is not None  # not into a copy
        if type(out) is _NUMPY:
            refuse_gradient(f"np.{func.__name__}", carriers_in(list(args)))
        others = any(
            foreign[t] and t.__array_function__ is not _OWN for t in types if issubclass(t, _NUMPY)
        )
        taken = caller.partition(".")[0] in _OF_NUMPY and not writes
        if type(out) is _NUMPY or taken or others:
            return func(*map(_plain, args), **{k: _plain(v) for k, v in kwargs.items()})
        if func.__name__ not in CREATION or getattr(np, func.__name__, None) is not func:
            return super().__array_function__(func, types, args, kwargs)
        if args and isinstance(args[0], Array) and kwargs.get("dtype") in (None, args[0].dtype):
            return args[0]
        return _wrapped(func(*map(_plain, args), **kwargs), self.device)

    def __nbgraph_ufunc__(
        self: Any, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Apply a ufunc (or its method) that has no operator, or whose `out` is NumPy's, to the
        values, which are waited for; raise ArgumentError where a gradient would be lost."""
        if _NUMPY in map(type, options.get("out", ())):
            refuse_gradient(f"np.{ufunc.__name__}", inputs)
        elif recording.get() is not None and any(
            isinstance(x, Array) and x._node is not None for x in inputs
        ):
            return super().__nbgraph_ufunc__(ufunc, method, inputs, options)
        values, keywords = _plain(list(inputs)), {k: _plain(v) for k, v in options.items()}
        result = getattr(ufunc, method)(*values, **keywords)
        if method == "at":
            inputs[0][...] = values[0]
            return None
        outs = options.get("out", ())
        for out, value in zip(outs, keywords.get("out", ()), strict=True):
            if isinstance(out, Array):
                out[...] = value  # type: ignore[index]
        if outs and all(out is not None for out in outs):
            return outs[0] if len(outs) == 1 else outs
        return _wrapped(result, self.device)

    def __nbgraph_foreign__(
        self: Any, ufunc: Any, method: str, inputs: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Let the class of an operand (with masks, units or labels) apply the ufunc."""
        if any(isinstance(x, Array) for x in options.get("out") or ()):
            return NotImplemented
        return getattr(ufunc, method)(*map(_plain, inputs), **options)

    @classmethod
    def __nbgraph_dynamic__(
        cls, name: str, compute: Function, operands: Sequence[Any], options: Mapping[str, Any]
    ) -> Any:
        """Compute a function whose result has a shape that depends on the values, which are waited
        for; on a GPU only their number is."""
        device = next(x.device for x in operands if isinstance(x, Array))
        if not device.host:
            return _on_device(name, compute, operands, options, device)
        values = [np.asarray(x) for x in operands]
        return _wrapped(compute(*values, **options), device)

    def __arrow_c_array__(self: Any, requested_schema: Any = None) -> Any:
        """Return the values of a 1-d array for Arrow libraries: `pa.array(x)`, `pl.Series(x)`."""
        values = importlib.import_module("pyarrow").array(np.asarray(self))
        return values.__arrow_c_array__(requested_schema)

    # copies -----------------------------------------------------------------------------------

    def __copy__(self: Any) -> Any:
        """Return a copy."""
        return self.copy()

    def __deepcopy__(self: Any, memo: dict[int, Any]) -> Any:
        """Return a copy of the values, with `attach_grad` if this array has it."""
        return _restored(self.detach().copy(), getattr(self._node, "request", None))

    def __reduce__(self: Any) -> tuple[Any, ...]:
        """Wait, and return the values and `attach_grad` for pickling; the copy is on the host."""
        return _restored, (self.asnumpy(), getattr(self._node, "request", None))


def _plain(value: Any) -> Any:
    """Return an argument of a NumPy function with NDArrays, also in lists, as NumPy arrays."""
    if isinstance(value, Array):
        return np.asarray(value)
    return type(value)(map(_plain, value)) if type(value) in (list, tuple) else value


def _on_device(
    name: str,
    compute: Function,
    operands: Sequence[Any],
    options: Mapping[str, Any],
    device: Context,
) -> Any:
    """Compute a function with a dynamic shape by operators of the device."""
    form = load("nbgraph.operator.arrays.device_forms").dynamic_form(compute)
    if form is None:
        refuse(name, device)
    names = [f"operand {k}" for k in range(len(operands))]
    recorder = recording.get()
    try:
        recording.set(None)
        return form(*lift(name, names, operands, weak=False), **options)
    finally:
        recording.set(recorder)


def _wrapped(values: Any, device: Context) -> Any:
    """Return NumPy results (one, or a named tuple) as NDArrays, except those of dtype object."""
    if isinstance(values, tuple):
        arrays = [_wrapped(x, device) for x in values]
        return tuple(arrays) if type(values) is tuple else type(values)(*arrays)
    array = np.asarray(values)
    return values if array.dtype.hasobject else from_host(array, device)


def _restored(values: Any, request: str | None = None) -> Any:
    array: Any = values if isinstance(values, Array) else from_host(values, chunk.CPU)
    if request is not None:
        array.attach_grad(request)
    return array
