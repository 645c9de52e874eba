"""What other libraries may ask of an array's values: `np.asarray(x)` waits, and copies (pickles do
so of a GPU's, too). What they ask as functions is shared by all carriers
(`nbgraph.ops.carrier.protocols`)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array, from_host
from nbgraph.array.lift import lift
from nbgraph.array.place import elsewhere, refuse
from nbgraph.device import Context
from nbgraph.errors import DeviceError
from nbgraph.operator.call import recording
from nbgraph.operator.elsewhere import dynamic_form
from nbgraph.ops.carrier import protocols


class Protocols(protocols.Protocols):
    """The dunder methods that NumPy, the Array API and the standard library look for."""

    __slots__ = ()

    __nbgraph_remedy__: ClassVar[str] = "use x.asnumpy() (it waits and copies)"

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        """The values as a NumPy array of its own; waits. `copy=False` cannot be met; DeviceError
        where they are on a GPU."""
        if not self.device.host:
            raise DeviceError(f"np.asarray: {elsewhere(self.device)}")
        if copy is False:
            raise ValueError(
                "NDArray: np.asarray(x, copy=False) is not possible, its values are always copied; "
                "leave copy out, or use np.from_dlpack(x)"
            )
        values: np.ndarray[Any, Any] = self.asnumpy()
        return values if dtype is None else values.astype(dtype, copy=False)

    @classmethod
    def __nbgraph_dynamic__(
        cls,
        name: str,
        compute: Callable[..., Any],
        operands: Sequence[Any],
        options: Mapping[str, Any],
    ) -> Any:
        """Functions whose results have shapes that depend on values: they wait, and compute; on a
        GPU they wait for how many there are."""
        device = next(x.device for x in operands if isinstance(x, Array))
        if not device.host:
            return _on_device(name, compute, operands, options, device)
        values = [np.asarray(x) for x in operands]
        return _wrapped(compute(*values, **options), device)

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


def _on_device(
    name: str,
    compute: Callable[..., Any],
    operands: Sequence[Any],
    options: Mapping[str, Any],
    device: Context,
) -> Any:
    """By operators of the device."""
    form = dynamic_form(compute)
    if form is None:
        refuse(name, device)
    names = [f"operand {k}" for k in range(len(operands))]
    token = recording.set(None)
    try:
        return form(*lift(name, names, operands, weak=False), **options)
    finally:
        recording.reset(token)


def _wrapped(found: Any, device: Context) -> Any:
    """NumPy results as NDArrays: one, or a (named) tuple of them."""
    if not isinstance(found, tuple):
        return from_host(np.asarray(found), device)
    made = [from_host(np.asarray(x), device) for x in found]
    return tuple(made) if type(found) is tuple else type(found)(*made)


def _restored(values: np.ndarray[Any, Any]) -> Any:
    return from_host(values, chunk.CPU)
