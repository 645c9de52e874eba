"""Sources over objects of other libraries: iterables, indexable datasets and data loaders."""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, DataError, noun
from nbgraph.io.flow import default_names
from nbgraph.io.protocol import DataDesc
from nbgraph.io.source import Columns, Source, Stream, Values, on_host, together

_BLOCK = 4096
_NOTHING: Any = object()


class IterableStream(Stream):
    """The samples or batches of an iterable.

    Parameters
    ----------
    items : iterable, or callable without arguments that returns one
        The items are tuples with a value per column, dicts by name, or values of a single column.
        An iterator allows one pass: for more, use a callable that creates it.
    batched : bool
        Whether the items are batches, which are used unchanged.
    labels : sequence of str, optional
        Which columns of dicts are labels; of tuples the last one is.
    name : str, optional
        The name for error messages.

    >>> from nbgraph.io import SourceIter
    >>> it = SourceIter(IterableStream(lambda: ((k, -k) for k in range(3))), 2)
    >>> [[x.tolist() for x, _ in it] for _ in range(2)]
    [[[0, 1], [2, 2]], [[0, 1], [2, 2]]]
    """

    def __init__(
        self,
        items: Iterable[Any] | Callable[[], Iterable[Any]],
        *,
        batched: bool = False,
        labels: Sequence[str] | None = None,
        name: str | None = None,
    ) -> None:
        if not callable(items) and not hasattr(items, "__iter__"):
            raise ArgumentError(
                f"IterableStream: items is {noun(items)}; expected an iterable, or a "
                "callable that returns one"
            )
        self.items, self.batched, self.labels = items, batched, labels
        self.name = type(items).__name__ if name is None else name
        self._spent = False
        self._described = _NOTHING
        self._peeked: tuple[Any, Iterator[Any]] | None = None  # the first item, and the rest

    @property
    def descs(self) -> tuple[DataDesc, ...] | None:  # type: ignore[override]
        """Descriptions of the columns of dicts; None for other items, which have no names."""
        if self._described is _NOTHING:
            items = self._start_iterator()
            first = next(items, _NOTHING)
            self._peeked, self._described = (first, items), None
            if isinstance(first, Mapping):
                values = [(str(name), on_host(value)) for name, value in first.items()]
                row = 1 if self.batched else 0
                self._described = tuple([DataDesc(n, v.shape[row:], v.dtype) for n, v in values])
        return self._described

    def restart(self) -> Iterator[tuple[Any, ...]]:
        """Start a new pass.

        Raises
        ------
        DataError
            The items are an iterator, which was used before.
        """
        peeked, self._peeked = self._peeked, None
        first, items = (_NOTHING, self._start_iterator()) if peeked is None else peeked
        return map(columns_of, items if first is _NOTHING else chain([first], items))

    def _start_iterator(self) -> Iterator[Any]:
        items = self.items() if callable(self.items) else self.items
        begun = iter(items)
        if begun is self.items:
            if self._spent:
                raise DataError(
                    f"{self.name}: an iterator can be gone through once, and was; give a callable "
                    "that makes it (lambda: ...), or a list"
                )
            self._spent = True
        return begun

    def __len__(self) -> int:
        if isinstance(self.items, type) or not hasattr(self.items, "__len__"):
            raise TypeError(f"{self.name} does not know how many items it has")
        return len(self.items)  # type: ignore[arg-type]


class DatasetSource(Source):
    """The samples of an object with `len(dataset)` and `dataset[i]`.

    Parameters
    ----------
    dataset : object
        Its samples are tuples, dicts or single values: arrays, tensors, images or numbers.
    labels : sequence of str, optional
        Which columns of dicts are labels; of tuples the last one is.
    name : str, optional

    >>> from nbgraph.io import SourceIter
    >>> class Squares:
    ...     def __len__(self):
    ...         return 5
    ...
    ...     def __getitem__(self, i):
    ...         return {"x": i, "y": i * i}
    >>> it = SourceIter(DatasetSource(Squares(), labels=["y"]), 5, shuffle=True)
    >>> x, y = it.next()
    >>> (x * x == y).all().item()
    True
    """

    decodes = True

    def __init__(
        self, dataset: Any, *, labels: Sequence[str] | None = None, name: str | None = None
    ) -> None:
        self.dataset = dataset
        self.name = type(dataset).__name__ if name is None else name
        count = len(dataset)
        if not count:
            raise DataError(f"{self.name} has no sample")
        self.blocks = np.append(np.arange(0, count, _BLOCK), count)
        self.descs, self.labels = described(self._sample(0), labels)

    def _sample(self, number: int) -> Any:
        try:
            return self.dataset[number]
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            raise DataError(text, file=self.name, record=number) from error

    def read(self, block: int, rows: Values) -> Columns:
        """Read samples one by one."""
        samples = [self._sample(int(k)) for k in rows + self.blocks[block]]
        return together(map(columns_of, samples))


def described(
    sample: Any, labels: Sequence[str] | None
) -> tuple[tuple[DataDesc, ...], tuple[str, ...]]:
    """Return descriptions of the columns of a sample, and the names of the label columns."""
    values = [on_host(value) for value in columns_of(sample)]
    if isinstance(sample, Mapping):
        names = [str(name) for name in sample]
    else:
        names = default_names(len(values))
    if labels is None:
        labels = names[-1:] if len(names) > 1 else ()
    if unknown := set(labels) - set(names):
        raise ArgumentError(f"labels={sorted(unknown)}; the samples have {', '.join(names)}")
    return tuple(DataDesc(n, v.shape, v.dtype) for n, v in zip(names, values)), tuple(labels)


def columns_of(item: Any) -> tuple[Any, ...]:
    """Return a sample or a batch as a tuple of arrays.

    >>> columns_of({"x": 1, "y": [2, 3]}), columns_of([1.0, 2.0])
    ((array(1), array([2, 3])), (array([1., 2.]),))
    """
    if isinstance(item, Mapping):
        return tuple([on_host(value) for value in item.values()])
    listed = isinstance(item, list) and any(hasattr(value, "shape") for value in item)
    if isinstance(item, tuple) or listed:
        return tuple([on_host(value) for value in item])
    return (on_host(item),)
