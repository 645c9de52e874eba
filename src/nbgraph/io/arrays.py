"""Iterators over arrays in memory or mapped into it."""

from collections.abc import Mapping
from typing import Any

from nbgraph.array.core import Array
from nbgraph.errors import ArgumentError, require_word
from nbgraph.io.iterator import SourceIter
from nbgraph.io.source import ArraySource


class NDArrayIter(SourceIter):
    """Batches of samples of arrays.

    Parameters
    ----------
    data, label : array, list of arrays, or dict of str to array
        NumPy arrays, memory maps or NDArrays, all of one length. A single array is named
        `data_name`; several are named "_0_data", "_1_data", ...
    batch_size, shuffle, last_batch_handle, seed, part, of, **options : see SourceIter
    data_name, label_name : str

    Raises
    ------
    ArgumentError for objects that are not arrays, ShapeError for arrays of different lengths.

    >>> import numpy as np
    >>> it = NDArrayIter(np.arange(10.0).reshape(5, 2), np.arange(5), batch_size=2)
    >>> it.provide_data, [batch.pad for batch in it]
    ([DataDesc('data', (2, 2), float64, 'N')], [0, 0, 1])
    """

    def __init__(
        self,
        data: Any,
        label: Any = None,
        batch_size: int = 1,
        shuffle: bool = False,
        last_batch_handle: str = "pad",
        data_name: str = "data",
        label_name: str = "softmax_label",
        **options: Any,
    ) -> None:
        columns, labels = named(data, data_name), named(label, label_name)
        if columns.keys() & labels.keys():
            raise ArgumentError(
                f"NDArrayIter: data and label are both called {sorted(columns.keys() & labels)}; "
                "give them other names"
            )
        source = ArraySource(columns | labels, tuple(labels), name="NDArrayIter")
        options |= {"shuffle": shuffle, "last_batch_handle": last_batch_handle}
        super().__init__(source, batch_size, **options)


class Batches(SourceIter):
    """Arrays of one length, cut into batches; each pass over them has its own order.

    Like `NDArrayIter` with other defaults, and with batches of NumPy arrays. `iter` starts a new
    pass, even in the middle of one, unless `load_state_dict` has just set the position.

    Parameters
    ----------
    *arrays : NumPy arrays or NDArrays
        Inputs first, the label last. NDArrays are copied to the host.
    batch_size : int
    shuffle : bool
        Whether samples come in a random order.
    seed : int
        The seed of that order, combined with the number of the pass.
    last : str
        The treatment of a last, incomplete batch: "keep" returns it, "drop" omits it.

    >>> import numpy as np
    >>> batches = Batches(np.arange(5), batch_size=2, shuffle=False)
    >>> [x.tolist() for (x,) in batches], len(batches)
    ([[0, 1], [2, 3], [4]], 3)
    """

    _numpy = True

    def __init__(
        self,
        *arrays: Any,
        batch_size: int = 32,
        shuffle: bool = True,
        seed: int = 0,
        last: str = "keep",
        **options: Any,
    ) -> None:
        require_word("Batches: last", last, ("keep", "drop"))
        several = len(arrays) > 1
        columns = named(list(arrays[:-1] if several else arrays), "data")
        labels = named(arrays[-1], "softmax_label") if several else {}
        source = ArraySource(columns | labels, tuple(labels), name="Batches")
        options |= {"shuffle": shuffle, "seed": seed}
        options["last_batch_handle"] = "keep" if last == "keep" else "discard"
        super().__init__(source, batch_size, **options)
        self._start_cursor = self._cursor

    def __iter__(self) -> Any:
        if self._cursor != self._start_cursor:
            self.reset()
        super().__iter__()
        return iter(self.next, None)  # next() raises StopIteration at the end

    def _set_cursor(self, cursor: Any) -> None:
        super()._set_cursor(cursor)
        self._start_cursor = cursor


def named(arrays: Any, default: str) -> dict[str, Any]:
    """Return a dict of `arrays` by name, with MXNet's default names.

    >>> list(named([[1], [2]], "data")), list(named([1, 2], "data"))
    (['_0_data', '_1_data'], ['data'])
    """
    if arrays is None or (isinstance(arrays, list) and not arrays):
        return {}
    if isinstance(arrays, Mapping):
        return {str(name): values for name, values in arrays.items()}
    if isinstance(arrays, (list, tuple)) and arrays and all(_is_array(a) for a in arrays):
        if len(arrays) == 1:
            return {default: arrays[0]}
        return {f"_{k}_{default}": values for k, values in enumerate(arrays)}
    return {default: arrays}


def _is_array(values: Any) -> bool:
    return isinstance(values, (Array, list)) or hasattr(values, "__array__")
