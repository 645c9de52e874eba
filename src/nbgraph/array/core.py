"""The base class of NDArray: memory, layout and tape node of an array, without operators."""

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.chunk import Chunk, Holder
from nbgraph.array.place import place
from nbgraph.device import Context
from nbgraph.operator.layout import Layout, layout, layout_of
from nbgraph.operator.lazy import is_lazy, refuse_foreign
from nbgraph.operator.scalar.typing import as_array, as_operand


class Array:
    """An array: a chunk of memory, an address in it and a layout."""

    __slots__ = (
        "__weakref__",
        "_address",
        "_base",  # of a recorded view: its base and how to view it; see the tape
        "_chunk",
        "_holder",  # shared by all views of the chunk; None: this is its only array
        "_layout",
        "_node",  # the node of the tape that computed it; None for a constant
        "_output",  # the index of this array among the node's outputs
        "_stamp",  # `chunk.writes` when the node was recorded or the view was made
    )
    __nbgraph_priority__: int  # these two are those of the class that is adopted
    __nbgraph_call__: Any

    _chunk: Chunk
    _address: int
    _layout: Layout
    _holder: Holder | None
    _node: Any
    _output: int
    _stamp: int

    def __del__(self) -> None:
        try:
            if self._holder is None:
                memory = self._chunk
                if memory.bin is None:
                    chunk.give(memory)
                else:
                    memory.bin.free.append(memory)
        except (AttributeError, TypeError):  # half made, or the interpreter is going
            return

    # what it is -------------------------------------------------------------------------------

    @property
    def shape(self) -> tuple[int, ...]:
        """Extents of the axes."""
        return self._layout.shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements."""
        return self._layout.dtype

    @property
    def strides(self) -> tuple[int, ...]:
        """Bytes from one element to the next, along each axis."""
        return self._layout.strides

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._layout.shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return self._layout.size

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return self._layout.dtype.itemsize

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self._layout.nbytes

    @property
    def device(self) -> Context:
        """The device that the memory belongs to."""
        return self._chunk.device

    def _view(self) -> np.ndarray[Any, Any]:
        """Return the memory as a NumPy array, for kernels and for callers that have waited."""
        memory_chunk, own = self._chunk, self._layout
        if memory_chunk.bin is None:
            view = np.asarray(_Interface(self))
            return view if own.dtype.kind != "V" else view.view(own.dtype)  # bfloat16 has no code
        memory = memory_chunk.memory
        offset = self._address - memory.address
        return np.ndarray(own.shape, own.dtype, memory.owner, offset, own.strides)

    def _of_view(self, view: np.ndarray[Any, Any]) -> Any:
        """Return the array for a NumPy view of this array's memory."""
        address = view.__array_interface__["data"][0] if view.size else self._address
        return make(self._chunk, address, layout_of(view), chunk.shared(self))


class _Interface:
    """Memory at an address, with NumPy's array interface."""

    __slots__ = ("__array_interface__", "keep")

    def __init__(self, array: Array) -> None:
        self.keep = array._chunk, array._holder
        locked = bool(array._chunk.locked)
        self.__array_interface__ = array._layout.interface(array._address, locked=locked)


_new = object.__new__
_class: list[Any] = [Array]  # the class of every array that is made


def adopt(kind: type[Array]) -> None:
    """Create arrays of this class from now on."""
    _class[:] = [kind]


def make(chunk: Chunk, address: int, own: Layout, holder: Holder | None = None) -> Any:
    """Return an array over a chunk; without a holder it is the chunk's only array."""
    array = _new(_class[0])
    array._holder = holder
    array._chunk = chunk
    array._address = address
    array._layout = own
    array._node = None
    array._output = 0
    array._stamp = 0 if holder is None else chunk.writes
    return array


def empty_of(own: Layout, device: Context, reads: Collection[Chunk] | None = None) -> Any:
    """Return an uninitialised array of a layout; see `chunk.take`."""
    if chunk._RETIRED:
        chunk.release_retired()
    memory = chunk.take(own.nbytes, device, reads)
    return make(memory, memory.address, own)


def from_host(value: np.ndarray[Any, Any], device: Context) -> Any:
    """Copy a NumPy array at once and return the new array."""
    dtype = value.dtype
    own = layout(value.shape, dtype if dtype.isnative else dtype.newbyteorder("="))
    where = place(device)
    take = chunk.take_settled if where.host else chunk.take
    memory = take(own.nbytes, device)
    array = make(memory, memory.address, own)
    where.begin(array, value)
    return array


# NumPy's classes whose values are copied to the device of the other operands
COPIED = {np.ndarray, *(np.dtype(code).type for code in "?bhilqBHILQefdFD")}
_NUMBERS = {bool, int, float, complex}
_PLAIN = COPIED | _NUMBERS
_OF_SPARSE = "dot", "sparse_dot"  # take matrices of scipy.sparse as they are


def lift(op: str, names: Sequence[str], values: Sequence[Any], *, weak: bool = True) -> list[Any]:
    """Return operands of an operator as NDArrays and (weak) Python numbers.

    NumPy arrays, NumPy scalars and lists are copied to the arrays' device. Without an NDArray among
    the operands (a list in `ng.nd.add`), or if `weak` is False, numbers become arrays too.
    """
    arrays = [v for v in values if isinstance(v, Array)]
    if len(arrays) == len(values):
        return arrays
    kinds = {type(v) for v in values if not isinstance(v, Array)}
    plain = kinds <= _PLAIN
    if not plain and any(getattr(v, "stands_for_array", False) or is_lazy(v) for v in values):
        return list(values)  # a trace, or Dask, lifts them itself
    device = arrays[0]._chunk.device if arrays else chunk.CPU
    alone = not (weak and (arrays or any(issubclass(k, (np.ndarray, np.generic)) for k in kinds)))
    lifted: list[Any] = []
    for i, value in enumerate(values):
        if isinstance(value, Array) or (op in _OF_SPARSE and hasattr(value, "tocsr")):
            lifted.append(value)
            continue
        operand: Any = value
        name = names[i] if i < len(names) else f"operand {i}"
        if type(value) is np.ndarray or not plain:
            if not plain:
                refuse_foreign(op, name, value)
            operand = as_operand(op, name, value)
        if alone or type(operand) not in _NUMBERS:
            operand = constant(as_array(op, name, operand), device)
        lifted.append(operand)
    return lifted


def constant(value: np.ndarray[Any, Any], device: Context) -> Array:
    """Return a NumPy array as an NDArray with a copy of its values."""
    return from_host(value, device)
