"""Arrays from values: `array` copies, `asarray` borrows."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array, from_host, make
from nbgraph.array.dlpack import copied_now, from_dlpack
from nbgraph.array.dlpack_device import on_gpu
from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.call import recording
from nbgraph.operator.layout import layout_of
from nbgraph.operator.scalar.typing import as_array, as_operand
from nbgraph.ops.carrier.operators import operator_of
from nbgraph.ops.define import library
from nbgraph.settings import config
from nbgraph.signatures import checked

if TYPE_CHECKING:
    from nbgraph.array.ndarray import NDArray


@checked
def array(obj: Any, dtype: Any = None, *, device: Context | None = None) -> NDArray:
    """Return a new array with the values of another one; it owns its memory.

    Parameters
    ----------
    obj : NumPy array, list, number, NDArray, or an array of another library
    dtype : dtype, optional. By default that of an array; of Python floats
        `ng.config.default_float`, of integers int64.
    device : Context, optional. By default that of an NDArray, or of what another library has on a
        GPU; else the host.

    What Python numbers are made of is copied now. While a gradient is taken or a function traced,
    arrays in lists are stacked by operators, so that it flows to them.

    Raises
    ------
    ArgumentError for lists of unequal lengths, DTypeError for objects, DeviceError for a device
    that does not exist.

    >>> import nbgraph as ng
    >>> ng.array([[1.0, 2.0], [3.0, 4.0]]).shape
    (2, 2)
    """
    if _on_gpu(obj):
        return copied_now(from_dlpack(obj), None if dtype is None else as_dtype(dtype), device)
    place = _place(obj, device)
    if _is_followed(obj, place):
        return _followed(obj, dtype)
    if isinstance(obj, Array):
        if recording.get() is None and dtype is None and place == obj.device:
            return operator_of("copy")(obj)
        return copy_of(obj, None if dtype is None else as_dtype(dtype), place)
    return from_host(_values("array", obj, dtype), place)


@checked
def asarray(obj: Any, dtype: Any = None, *, device: Context | None = None) -> NDArray:
    """Return an NDArray itself; the memory of a NumPy array, or of one that another library has on
    a GPU, borrowed and read-only; else a copy.

    Parameters
    ----------
    obj, dtype, device : as those of `array`; where dtype or device are others, the result is a copy

    A borrowed array sees later writes to the NumPy array; nbgraph refuses to write to it
    (ValueError).

    >>> import numpy as np, nbgraph as ng
    >>> ng.asarray(np.arange(3)) + 1
    array([1, 2, 3])
    """
    if _on_gpu(obj):
        obj = from_dlpack(obj)
    place = _place(obj, device)
    if not isinstance(obj, Array) and _is_followed(obj, place):
        return _followed(obj, dtype)
    if isinstance(obj, Array):
        source: Any = obj
        target_dtype = source.dtype if dtype is None else as_dtype(dtype)
        same = target_dtype == source.dtype and place == source.device
        return source if same else copy_of(source, target_dtype, place)
    values = _values("asarray", obj, dtype)
    fits = values is obj and values.dtype.isnative and values.flags.aligned
    if not (fits and place.host):
        return from_host(values, place)
    memory = chunk.borrow(values, place)
    address = values.__array_interface__["data"][0]
    return make(memory, address, layout_of(values), chunk.Holder(memory, values.nbytes))


def initial(who: str, shape: tuple[int, ...], dtype: Any, init: Any, device: Context) -> NDArray:
    """Return a new array of this shape and dtype from values that broadcast, or from the result of
    the function `init(shape, dtype)`.

    >>> import nbgraph as ng
    >>> initial("w", (2,), "float32", ng.init.ones(), ng.cpu())
    array([1., 1.], dtype=float32)
    """
    name = getattr(init, "__qualname__", "<locals>")
    room = str(getattr(init, "__module__", "")) if callable(init) else ""
    if "<" not in name and room.startswith("nbgraph.ops.draws."):
        raise ArgumentError(f"{who}: init is the function {name} itself; call it: ng.init.{name}()")
    if init is None or isinstance(init, str):
        raise ArgumentError(
            f"{who}: init is {init!r}; give a number, an array, or a function of shape and dtype, "
            "such as ng.init.glorot_uniform()"
        )
    value = init(shape, dtype) if callable(init) else init
    values: Any = value if isinstance(value, Array) else as_operand(who, "init", value)
    if not (isinstance(value, Array) and value.device == device and room.startswith("nbgraph.")):
        values = array(values, device=device)  # ours are new already
    values = values if values.dtype == dtype else library.astype(values, dtype)
    if values.shape == shape:
        return values
    try:
        return library.broadcast_to(values, shape).copy()
    except ShapeError:
        raise ShapeError(f"{who}: init has shape {values.shape}, expected {shape}") from None


def _holds_arrays(obj: Any) -> bool:
    """Return whether `obj` is an array or carrier, or a list or tuple that contains one."""
    if isinstance(obj, list | tuple):
        return any(map(_holds_arrays, obj))
    return isinstance(obj, Array) or hasattr(obj, "stands_for_array")


def _is_followed(obj: Any, place: Context) -> bool:
    """Return whether a recorder has to follow the stacking of arrays in `obj`."""
    recorder = recording.get()
    if recorder is None or not (recorder.traces or place == _place(obj, None)):
        return False
    return _holds_arrays(obj)


def _followed(obj: Any, dtype: Any) -> Any:
    """Return the arrays in nested lists stacked by operators, which a recorder follows."""
    from nbgraph.ops.define import library  # it lies above

    def joined(value: Any) -> Any:
        if not isinstance(value, list | tuple):
            return value
        return library.stack([joined(each) for each in value])

    if dtype is not None:
        return library.astype(joined(obj), as_dtype(dtype))
    return library.copy(obj) if not isinstance(obj, list | tuple) else joined(obj)


def _place(obj: Any, device: Context | None) -> Context:
    """Return `device`, or the device of `obj` if it is None, or the host."""
    if device is None:
        return obj.device if isinstance(obj, Array) else chunk.CPU
    return device


def _on_gpu(obj: Any) -> bool:
    """Return whether `obj` is another library's array on a GPU."""
    kind = type(obj)
    tells = hasattr(kind, "__dlpack_device__") or hasattr(kind, "__cuda_array_interface__")
    return tells and not isinstance(obj, (Array, np.ndarray)) and on_gpu(obj)


_NUMBERS = {bool, int, float, complex}


def _values(name: str, obj: Any, dtype: Any) -> np.ndarray[Any, Any]:
    """Return values as a NumPy array of the requested or default dtype."""
    target_dtype = None if dtype is None else as_dtype(dtype)
    if isinstance(obj, (np.ndarray, np.generic)):
        array = as_array(name, "obj", obj)
        return array if target_dtype is None else array.astype(target_dtype, copy=False)
    array = as_array(name, "obj", obj)
    if target_dtype is None and array.dtype.char in "dD" and not _is_typed(obj):
        target_dtype = np.dtype(config.default_float)
        if array.dtype.kind == "c":
            target_dtype = np.result_type(target_dtype, np.complex64)
    return array if target_dtype is None else array.astype(target_dtype)


def _is_typed(obj: Any) -> bool:
    """Return whether an object, or an item of a list, has a dtype, unlike Python's numbers."""
    if isinstance(obj, list | tuple):
        kinds = set(map(type, obj)) - _NUMBERS
        return bool(kinds) and any(_is_typed(x) for x in obj if type(x) in kinds)
    return any(hasattr(obj, name) for name in ("dtype", "__array__", "typecode", "format"))
