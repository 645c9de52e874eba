"""NDArray: an array whose values are computed asynchronously.

>>> import nbgraph as ng
>>> a = ng.array([1.0, 2.0, 3.0])
>>> b = a * 2 + 1  # returns before the kernels have run
>>> b.asnumpy()  # waits, and copies
array([3., 5., 7.], dtype=float32)
>>> a[1:] += 10  # views share memory, as in NumPy
>>> a
array([ 1., 12., 13.], dtype=float32)
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, Self

import numpy as np

from nbgraph import ops as library
from nbgraph.array import apply_array_op, apply_scalar_op, chunk, display, indexing
from nbgraph.array.composition_cache import repeated
from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array, adopt, make
from nbgraph.array.dlpack import Exports
from nbgraph.array.operators import Operators, beside
from nbgraph.array.place import place
from nbgraph.array.protocols import Protocols
from nbgraph.device import Context
from nbgraph.engine import Variable
from nbgraph.errors import ArgumentError, DerivativeWarning, DeviceError, noun, require_word
from nbgraph.foreign import explain_methods
from nbgraph.operator import call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.spec import Attributes
from nbgraph.ops.carrier import methods
from nbgraph.ops.carrier.reductions import Reductions
from nbgraph.signatures import checked

ops: Any = library  # to type checkers, who see the class before it is mixed in, no carrier


class Methods(methods.Methods):
    """NumPy's methods of arrays, with those that copy or write memory."""

    __slots__ = ()

    def copy(self, device: Context | str | None = None, *, order: str = "C") -> Self:
        """Return a copy, on `device` or the array's own. NumPy's `order`, which may be the first
        argument, has no effect."""
        array: Any = self
        if isinstance(device, str):
            device, order = None, device
        require_word("copy: order", order, ("C", "F", "A", "K"))
        own = device is None or device == array.device
        return ops.copy(self) if own else copy_of(array, device=device)

    def copyto(self: Any, other: Any) -> Any:
        """Write the values to another array, broadcast and cast, and return that array; with a
        device, return a copy on it.

        >>> import nbgraph as ng
        >>> b = ng.zeros(3)
        >>> ng.arange(3).copyto(b)
        array([0., 1., 2.], dtype=float32)
        """
        if isinstance(other, Context):
            return copy_of(self, device=other)
        if not isinstance(other, Array):
            raise ArgumentError(f"copyto: other is {noun(other)}; expected an NDArray or a device")
        target: Any = other
        target[...] = self if other.device == self.device else copy_of(self, device=other.device)
        return target

    def fill(self: Any, value: Any) -> None:
        """Fill the array with a number."""
        self[...] = value

    @checked
    def sort(self: Any, axis: int = -1) -> None:
        """Sort along an axis, in place as NumPy's method does; `ng.sort` gives a new array."""
        self[...] = ops.sort(self, axis=axis)

    @property
    def flat(self: Any) -> Any:
        """An iterator over the elements as Python numbers; waits."""
        return iter(self.asnumpy().ravel().tolist())

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        """Round to `ndigits` decimals; without `ndigits` return an int for one element."""
        if ndigits is None and self.size == 1:
            return round(self.item())
        return self.round(ndigits or 0)

    def _apart(self: Any, array: Any, copy: bool) -> Any:
        shares = array._chunk is self._chunk
        if not copy and not shares and array.size:
            raise ValueError(
                f"reshape: strides {self.strides} of shape {self.shape} have no view of that "
                "shape; leave copy=False out"
            )
        return ops.copy(array) if copy and shares else array


Index = Any
_recorder = call.recording.get


class NDArray(Array, Operators, Methods, Reductions, Protocols, Exports):
    """An n-dimensional array on a device, ordered by the dependency engine.

    It is created by `ng.array`, `ng.zeros` and similar functions, and by operators, and behaves
    like `numpy.ndarray`. Operators return at once; `asnumpy()`, `item()`, `bool()` and printing
    wait for the values. They raise the failure of an operation, with the line that called it.
    """

    __slots__ = ()

    __nbgraph_priority__ = 10

    def __init__(self) -> None:
        raise ArgumentError("NDArray: arrays are made by ng.array(...), ng.zeros(...) and kin")

    __nbgraph_repeated__ = staticmethod(repeated)
    __nbgraph_beside__ = staticmethod(beside)

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Apply an operator; see `nbgraph.operator.call`."""
        recorder = _recorder()
        if recorder is not None and recorder.traces:
            return recorder.carry(op, operands, attributes, out)
        if isinstance(op, Mapper):
            return apply_scalar_op.apply(op, operands, attributes, out)
        return apply_array_op.apply(op, operands, attributes, out)

    # waiting ----------------------------------------------------------------------------------

    def _wanted(self, what: str) -> None:
        """Wait for the values; raise if a function is being traced."""
        recorder = _recorder()
        if recorder is not None and recorder.traces:
            recorder.refuse(what)
        chunk.wait(self._chunk)

    @property
    def variable(self) -> Variable:
        """The engine variable of the memory, for functions that users push; views share it.

        >>> import nbgraph as ng
        >>> a = ng.zeros(3)
        >>> def look(run_ctx):
        ...     print("nothing writes to it now")
        >>> ng.engine.push(look, const_vars=[a.variable]).result()
        nothing writes to it now
        """
        if sys._getframe(1).f_globals.get("__name__", "").startswith("xarray."):
            raise AttributeError("variable: not one of xarray's, which takes this for an array")
        return self._chunk

    def wait_to_read(self) -> None:
        """Wait for the values; raise the failure of their computation."""
        chunk.wait(self._chunk)

    def wait_to_write(self) -> None:
        """Wait until no unfinished operation reads or writes the array."""
        chunk.wait(self._chunk)

    def asnumpy(self) -> np.ndarray[Any, Any]:
        """Wait for the values and return a copy of them as a NumPy array.

        >>> import nbgraph as ng
        >>> ng.arange(3).asnumpy()
        array([0, 1, 2])
        """
        self._wanted("asnumpy")
        return place(self._chunk.device).read(self)

    def item(self, *index: int) -> Any:
        """Wait for the values and return one element as a Python number.

        Parameters
        ----------
        *index : ints, one for each axis, or one in C order; without one the array must have exactly
            one element (else a ValueError)
        """
        if not index and self.size != 1:
            raise ValueError(
                f"item: the array has shape {self.shape}; give an index, or an array of one element"
            )
        self._wanted("item")
        where = place(self._chunk.device)
        if not index or where.host:
            return where.read(self).item(*index)
        key = index[0] if isinstance(index[0], tuple) else index
        if len(key) == 1 != self.ndim:  # in C order
            key = np.unravel_index(range(self.size)[key[0]], self.shape)
        return where.read(indexing.view(self, key)).item()

    asscalar = item
    to_numpy = asnumpy  # without it Matplotlib draws a box for each row, not for each column

    def tolist(self) -> Any:
        """Wait for the values and return them as nested lists."""
        return self.asnumpy().tolist()

    def __bool__(self) -> bool:
        if self.size != 1:
            raise ValueError(
                f"bool: the truth of an array of shape {self.shape} is ambiguous; use .any() or "
                ".all(), or put the branch under @ng.op: it sees one number at a time"
            )
        return bool(self.item())

    def __hash__(self) -> int:
        """Return the hash of the value for a 0-d array, as for NumPy's scalars; variables, arrays
        with axes and NaN are hashed by identity."""
        if self._layout.shape or self.grad is not None:
            return object.__hash__(self)
        self._wanted("hash")
        value = self.item()
        return hash(value) if value == value else object.__hash__(self)

    def __int__(self) -> int:
        return int(self._number("int"))

    __trunc__ = __int__

    def __float__(self) -> float:
        return float(self._number("float"))

    def __complex__(self) -> complex:
        return complex(self._number("complex"))

    def __index__(self) -> int:
        if self._layout.dtype.kind not in "iu" or self._layout.shape:
            raise TypeError(
                f"index: {self.dtype}{list(self.shape)} cannot be an index; expected one integer"
            )
        return self.item()

    def _number(self, what: str) -> Any:
        if self.size != 1:
            raise TypeError(f"{what}: the array has shape {self.shape}; expected a single element")
        self._lost(what, 4)
        return self.item()

    def _lost(self, what: str, level: int) -> None:
        """Warn where another library takes the values of an array that is being recorded."""
        if self._node is None or not call.differentiating.get() or _recorder() is None:
            return
        if not sys._getframe(level - 1).f_globals.get("__name__", "").startswith("nbgraph."):
            warnings.warn(
                f"{what}: no gradient flows through what is computed from these numbers; use "
                "functions of ng or NumPy in place of math's, and ng.array([...]) in place of "
                "np.array([...]), or say that it is meant: x.item(), x.asnumpy()",
                DerivativeWarning,
                stacklevel=level,
            )

    # parts ------------------------------------------------------------------------------------

    def __len__(self) -> int:
        if not self._layout.shape:
            raise TypeError("len: an array of shape () has no length")
        return self._layout.shape[0]

    def __iter__(self) -> Iterator[NDArray]:
        if not self._layout.shape:
            raise TypeError("iter: an array of shape () cannot be iterated over; use .item()")
        return (self[i] for i in range(self._layout.shape[0]))

    def __contains__(self, value: Any) -> bool:
        return bool(np.any(self == value))

    def __getitem__(self, key: Index) -> NDArray:
        return indexing.get(self, key)

    def __setitem__(self, key: Index, value: Any) -> None:
        indexing.set_(self, key, value)

    # gradients --------------------------------------------------------------------------------

    @property
    def grad(self) -> NDArray | None:
        """The gradient computed by `backward`, for an array with `attach_grad`."""
        return getattr(self._node, "grad", None)

    @grad.setter
    def grad(self, value: NDArray | None) -> None:
        call.differentiation().set_grad(self, value)

    def attach_grad(self, grad_req: str = "write") -> None:
        """Collect gradients with respect to this array, in `grad`.

        Parameters
        ----------
        grad_req : "write": each `backward` replaces them; "add": it adds to them; "null": not at
            all

        The array becomes a variable: its recorded history is dropped.

        Raises
        ------
        ArgumentError for another word, or an array that is not floating.
        """
        call.differentiation().attach_grad(self, grad_req)

    def detach(self) -> NDArray:
        """Return an array with the same memory and no recorded history."""
        return make(self._chunk, self._address, self._layout, chunk.shared(self))

    def backward(
        self,
        head_grad: NDArray | None = None,
        *,
        retain_graph: bool = False,
        out_grad: NDArray | None = None,
        train_mode: bool = True,
    ) -> None:
        """Compute gradients of this array with respect to every array with `attach_grad` that it
        was computed from.

        Parameters
        ----------
        head_grad : array of this shape: the gradient with respect to this array; None means ones
        retain_graph : whether what was recorded is kept for another pass
        out_grad : MXNet's word for head_grad
        train_mode : MXNet's, and changes nothing: the mode is that of the recording

        Raises
        ------
        TapeError where nothing was recorded, or an earlier pass freed it; ShapeError for another
        shape of head_grad.
        """
        head_grad = out_grad if head_grad is None else head_grad
        call.differentiation().backward([self], [head_grad], retain_graph=retain_graph)

    # other worlds -----------------------------------------------------------------------------

    def to_device(self, device: Context, /, *, stream: Any = None) -> NDArray:
        """Return the array itself if it is on `device`, else a copy on that device.

        Parameters
        ----------
        device : Context, as `ng.gpu(0)`
        stream : None; the copy is on a stream of its own

        Raises
        ------
        DeviceError where there is no such device.
        """
        if not isinstance(device, Context):
            raise ArgumentError(
                f"to_device: device={device!r}; expected one such as ng.cpu() or ng.gpu(0); "
                "x.astype(dtype) changes the dtype"
            )
        if stream is not None:
            raise DeviceError("to_device: the copy is on a stream of its own; leave stream out")
        return self if device == self._chunk.device else copy_of(self, device=device)

    as_in_context = to = to_device

    @property
    def context(self) -> Context:
        """The same as `device`."""
        return self._chunk.device

    ctx = context

    def __repr__(self) -> str:
        return display.text(self)

    def __str__(self) -> str:
        return display.plain(self)

    def __format__(self, spec: str) -> str:
        return format(self.item(), spec) if spec else str(self)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> dict[str, str]:
        return display.bundle(self)


adopt(NDArray)
explain_methods(NDArray)
call.carries_sources(NDArray)
