"""The interface of training data: iterators of batches, batches, and descriptions of arrays.

`fit` and a user's training loop take a `DataIter`. A file format implements a source of samples
(`nbgraph.io.source`), which `SourceIter` turns into a DataIter.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, NamedTuple, Self

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError


class _Described(NamedTuple):
    name: str
    shape: tuple[int, ...]


class DataDesc(_Described):
    """Name, shape, dtype and layout of an array of a batch; as a tuple, the pair (name, shape).

    Parameters
    ----------
    name : str
    shape : tuple of int
        The axis of samples first; a Source describes one sample, without that axis. -1 is an
        extent that differs between samples.
    dtype : dtype, optional
    layout : str, optional
        A letter for each axis, N for that of samples; by default just "N".

    >>> desc = DataDesc("data", (32, 3, 28, 28), "float32", "NCHW")
    >>> dict([desc]), desc.dtype, desc.layout
    ({'data': (32, 3, 28, 28)}, dtype('float32'), 'NCHW')
    """

    dtype: np.dtype[Any]
    layout: str

    def __new__(
        cls, name: str, shape: Sequence[int], dtype: Any = "float32", layout: str = "N"
    ) -> Self:
        """Create the pair (name, shape) with a dtype and a layout."""
        self = super().__new__(cls, name, tuple(shape))
        self.dtype, self.layout = as_dtype(dtype, f"the array {name!r}"), layout
        return self

    def __repr__(self) -> str:
        return f"DataDesc({self.name!r}, {self.shape}, {self.dtype}, {self.layout!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return DataDesc, (self.name, self.shape, self.dtype, self.layout)

    def with_shape(self, shape: Sequence[int], dtype: Any = None) -> DataDesc:
        """Return the description of an array of the same name with another shape."""
        return DataDesc(self.name, shape, self.dtype if dtype is None else dtype, self.layout)

    @staticmethod
    def get_batch_axis(layout: str | None) -> int:
        """Return the axis of samples in a layout.

        >>> DataDesc.get_batch_axis("TNC")
        1
        """
        return 0 if layout is None else layout.find("N")


class DataBatch(tuple[Any, ...]):  # noqa: SLOT001  (a tuple of any length can have none)
    """The arrays of a batch, those of data first and labels last, as a tuple.

    Parameters
    ----------
    data, label : lists of NDArrays
    pad : int
        The number of padding samples at the end, which training and metrics should ignore.
    index : int64 array, optional
        The numbers of the samples in their source.

    >>> import nbgraph as ng
    >>> batch = DataBatch([ng.zeros((4, 2))], [ng.ones(4)])
    >>> x, y = batch
    >>> batch.data[0] is x, batch.label[0] is y, batch.pad
    (True, True, 0)
    """

    data: list[Any]
    label: list[Any]
    pad: int
    index: Any  # type: ignore[assignment]  # hides the method tuple.index

    def __new__(
        cls,
        data: Iterable[Any],
        label: Iterable[Any] | None = None,
        pad: int = 0,
        index: Any = None,
    ) -> Self:
        """Create the tuple of all arrays, with the attributes of the batch."""
        data, label = list(data), list(label or ())
        self = super().__new__(cls, (*data, *label))
        self.data, self.label, self.pad, self.index = data, label, pad, index
        return self

    def __repr__(self) -> str:
        shapes = [[f"{a.dtype}{list(a.shape)}" for a in part] for part in (self.data, self.label)]
        data, label = map(", ".join, shapes)
        return f"DataBatch(data: {data}; label: {label or 'none'}; pad={self.pad})"

    def __reduce__(self) -> tuple[Any, ...]:
        return DataBatch, (self.data, self.label, self.pad, self.index)

    def unpadded(self) -> DataBatch:
        """Return the batch without its padding samples; the batch itself if it has none."""
        if not self.pad:
            return self
        count = len(self[0]) - self.pad
        index = None if self.index is None else self.index[:count]
        return DataBatch([a[:count] for a in self.data], [a[:count] for a in self.label], 0, index)


class DataIter:
    """An iterator over the batches of an epoch; `reset` starts the next epoch.

    A subclass defines `next` or, as in MXNet, `iter_next`, `getdata`, `getlabel`, `getpad` and
    `getindex`; and `reset`, `provide_data` and `provide_label`. It is also a Python iterator:
    `iter` starts the next epoch if the current one is over, and otherwise continues it.

    >>> class Twice(DataIter):
    ...     def __init__(self):
    ...         super().__init__(batch_size=1)
    ...         self.left = 2
    ...
    ...     def next(self):
    ...         if not self.left:
    ...             raise StopIteration
    ...         self.left -= 1
    ...         return DataBatch([np.ones(1)])
    ...
    ...     def reset(self):
    ...         self.left = 2
    >>> it = Twice()
    >>> len(list(it)), len(list(it))
    (2, 2)
    """

    provide_data: Any = ()  # lists of DataDesc
    provide_label: Any = ()
    _over = False  # whether next() has reached the end

    def __init__(self, batch_size: int = 0) -> None:
        self.batch_size = batch_size

    # MXNet's protocol ---------------------------------------------------------------------------

    def next(self) -> DataBatch:
        """Return the next batch; raise StopIteration at the end of the epoch."""
        if not self.iter_next():
            raise StopIteration
        return DataBatch(self.getdata(), self.getlabel(), self.getpad() or 0, self.getindex())

    def reset(self) -> None:
        """Start the next epoch."""

    def iter_next(self) -> bool:
        """Advance to the next batch; return False at the end."""
        return False

    def getdata(self) -> list[Any]:
        """Return the data arrays of the current batch."""
        return []

    def getlabel(self) -> list[Any]:
        """Return the label arrays of the current batch."""
        return []

    def getpad(self) -> int | None:
        """Return the number of padding samples of the current batch."""
        return 0

    def getindex(self) -> Any:
        """Return the numbers of the samples of the current batch, or None if unknown."""
        return None

    # Python's iterator and context manager ------------------------------------------------------

    def __iter__(self) -> Self:
        if self._over:
            self.reset()
            self._over = False
        return self

    def __next__(self) -> DataBatch:
        try:
            return self.next()
        except StopIteration:
            self._over = True
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release files and threads; the iterator cannot be used afterwards."""

    # peek ---------------------------------------------------------------------------------------

    def peek(self, count: int = 16, *, classes: Sequence[str] | None = None) -> Any:
        """Return a display of the first samples of the next batch, without consuming the batch.

        Parameters
        ----------
        count : int
        classes : names of classes, optional
            By default those of the source.

        Returns
        -------
        Peek : a notebook shows images with their labels and a table of the other arrays, a
            terminal a table. `save(path)` writes the images to a PNG file.

        >>> import nbgraph as ng
        >>> it = ng.io.NDArrayIter({"x": np.arange(6.0).reshape(3, 2)}, np.arange(3), batch_size=2)
        >>> it.peek()
        sample  x       softmax_label
        0       [0, 1]  0
        1       [2, 3]  1
        """
        peek: Any = importlib.import_module("nbgraph.io.peek")  # which imports this module
        batch = self._peeked()
        return peek.Peek(batch, peek.described(self, batch), classes or self._classes, count)

    @property
    def _classes(self) -> Sequence[str] | None:
        """Names of the classes, or None if unknown."""
        return None

    def _peeked(self) -> DataBatch:
        """Return the next batch, without consuming it."""
        state = self.state_dict()
        if not state:
            raise ArgumentError(
                f"{type(self).__name__}.peek: it has no state_dict, so the batch could not be "
                "given again; take a batch and give it to ng.io.Peek(batch, descs)"
            )
        batch = next(self, None)
        batch = next(iter(self)) if batch is None else batch
        self.load_state_dict(state)
        return batch

    # state --------------------------------------------------------------------------------------

    def state_dict(self) -> dict[str, Any]:
        """Return the state that determines the next batches, as numbers, strings and lists; an
        empty dict if the iterator cannot be resumed."""
        return {}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a result of `state_dict`."""
