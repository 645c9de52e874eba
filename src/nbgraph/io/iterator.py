"""The iterator over a source: order, parts, batches, transforms and errors, for all of them."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.chunk import CPU
from nbgraph.array.core import from_host, make
from nbgraph.array.create import asarray
from nbgraph.array.layout import Layout, layout
from nbgraph.device import Context
from nbgraph.errors import ArgumentError
from nbgraph.io.flow import FlowPlan
from nbgraph.io.order import Order, whole
from nbgraph.io.plan import HANDLES, BlockPlan, Cursor, Piece
from nbgraph.io.protocol import DataBatch, DataDesc, DataIter
from nbgraph.io.source import Columns, Source, Stream, Values, stacked

Transform = Callable[[Columns, Any], Columns]


class SourceIter(DataIter):
    """Batches of a source of samples.

    Parameters
    ----------
    source : Source or Stream
    batch_size : int
    shuffle : bool
    seed : int
        Of the order, together with the number of the epoch; and of the transforms.
    part, of : int
        Part k of n has its own share of the samples: contiguous ones of a Source, every n-th of a
        Stream.
    last_batch_handle : str
        What becomes of samples that fill no batch. "pad" fills it with the first of the epoch and
        says so in `pad`; "discard" leaves them out; "roll_over" has the next epoch begin with them;
        "keep" gives a small batch.
    window : int, optional
        How many blocks (of a Stream: samples) are mixed in memory where samples are shuffled.
    transforms : sequence of callables
        `t(columns, draws) -> columns`, one after another; see `ng.io.transforms`.
    prefetch : int
        How many batches are made ahead, by the engine.
    on_error : str
        "raise": what a source raises appears at `next()`, and the call after it gives the next
        batch. "skip": samples that cannot be read are left out; a warning at the end of the epoch
        says how many. Other samples of the batch fill their places, as `pad` tells, or with
        last_batch_handle="keep" the batch is smaller.
    device : Context, optional
        Where batches are put; by default on the host.

    >>> from nbgraph.io.source import ArraySource
    >>> it = SourceIter(ArraySource({"x": np.arange(5)}), 2, last_batch_handle="keep")
    >>> [x.tolist() for (x,) in it]
    [[0, 1], [2, 3], [4]]
    """

    _numpy = False  # whether batches are of NumPy arrays

    def __init__(
        self,
        source: Source | Stream,
        batch_size: int = 1,
        *,
        shuffle: bool = False,
        seed: int = 0,
        part: int = 0,
        of: int = 1,
        last_batch_handle: str = "pad",
        window: int | None = None,
        transforms: Sequence[Transform] = (),
        prefetch: int = 0,
        on_error: str = "raise",
        device: Context | None = None,
    ) -> None:
        super().__init__(whole("batch_size", batch_size, 1))
        if last_batch_handle not in HANDLES:
            expected = ", ".join(map(repr, HANDLES))
            raise ArgumentError(f"last_batch_handle={last_batch_handle!r}; expected {expected}")
        if on_error not in {"raise", "skip"}:
            raise ArgumentError(f"on_error={on_error!r}; expected 'raise' or 'skip'")
        self.source, self.seed, self.device = source, whole("seed", seed, 0), device
        self.transforms = tuple(transforms)
        self._plan: BlockPlan | FlowPlan
        kept: dict[str, Any] = {
            "shuffle": shuffle,
            "seed": seed,
            "part": part,
            "of": of,
            "window": window,
        }
        size, skip = self.batch_size, on_error == "skip"
        if isinstance(source, Source):
            order = Order(source.blocks, **kept)
            self._plan = BlockPlan(source, order, size, last_batch_handle, skip=skip)
        else:
            self._plan = FlowPlan(source, size, last_batch_handle, skip=skip, **kept)
        self._cursor = Cursor()
        self._direct: list[tuple[tuple[int, ...], np.dtype[Any]]] | None = None
        if isinstance(source, Source) and not self.transforms and len(source.blocks) == 2:
            if all(-1 not in desc.shape for desc in source.descs):
                self._direct = [(desc.shape, desc.dtype) for desc in source.descs]
        self._layouts: dict[int, list[Layout]] = {}
        self._described: tuple[DataDesc, ...] | None = None
        self._is_label: list[bool] | None = None
        self._provided: tuple[list[DataDesc], list[DataDesc]] | None = None
        self._batch: DataBatch | None = None

    # batches ------------------------------------------------------------------------------------

    def next(self) -> DataBatch:
        """Return the next batch; StopIteration at the end of the epoch.

        Errors of the source are raised here, DataError among them; the next call goes on behind
        them.
        """
        while not self._over:
            piece = self._plan.step(self._cursor)
            if piece is None:
                break
            self._cursor = piece.after
            batch = self._made(piece)
            if batch is not None:
                return batch
        self._over = True
        self._tell_lost()
        raise StopIteration

    def _made(self, piece: Piece) -> DataBatch | None:
        """The batch of a piece; None where none of its samples can be read."""
        if self._direct is not None:
            batch = self._copied(piece)
            if batch is not None:
                return batch
        samples, pad = self._plan.load(piece)
        if not len(samples.numbers):
            return None
        columns = self._transformed(samples.columns, samples.numbers, piece.cursor.epoch)
        descs = self._descs()
        if len(descs) != len(columns):
            raise ArgumentError(
                f"{self.source.name}: the transforms give {len(columns)} columns and describe "
                f"{len(descs)}: {', '.join(desc.name for desc in descs)}"
            )
        arrays = [self._array(d.name, c, samples.numbers) for d, c in zip(descs, columns)]
        return self._assembled(arrays, pad, samples.numbers)

    def _copied(self, piece: Piece) -> DataBatch | None:
        """A batch of a single block, copied from it into its arrays; None where that fails and
        samples are read one by one."""
        plan: Any = self._plan
        numbers: Values = plan.numbers(piece)
        made = self._layouts_of(len(numbers))
        if self._numpy:
            arrays: list[Any] = [np.empty(own.shape, own.dtype) for own in made]
            views = arrays
        else:
            arrays = [_writable(own) for own in made]
            views = [array._view() for array in arrays]
        try:
            plan.source.fill(0, numbers, views)
        except Exception:
            if not plan.reader.skip:
                raise
            return None
        if self.device is not None:
            arrays = [asarray(array, device=self.device) for array in arrays]
        return self._assembled(arrays, piece.pad, numbers)

    def _layouts_of(self, count: int) -> list[Layout]:
        found = self._layouts.get(count)
        if found is None:
            assert self._direct is not None
            made = [layout((count, *shape), dtype) for shape, dtype in self._direct]
            found = self._layouts[count] = made
        return found

    def _transformed(self, columns: Columns, numbers: Values, epoch: int) -> Columns:
        if self.transforms:
            draws = importlib.import_module("nbgraph.io.transforms.draws").Draws(
                self.seed, epoch, numbers
            )
            for transform in self.transforms:
                columns = transform(columns, draws)
        return columns

    def _array(self, name: str, column: Any, numbers: Values) -> Any:
        values = column
        if not isinstance(column, np.ndarray):
            values = stacked(name, column, numbers, self.source.where)
        return values if self._numpy else from_host(values, self.device or CPU)

    def _assembled(self, arrays: Sequence[Any], pad: int, numbers: Values) -> DataBatch:
        if self._is_label is None:
            labels = self._plan.labels
            self._is_label = [desc.name in labels for desc in self._descs()]
        data = [array for array, label in zip(arrays, self._is_label) if not label]
        label = [array for array, label in zip(arrays, self._is_label) if label]
        return DataBatch(data, label, pad, numbers)

    def _tell_lost(self) -> None:
        count, first = self._plan.lost.taken()
        if count:
            warnings.warn(
                f"{self.source.name}: {count} samples of epoch {self._cursor.epoch} could not be "
                f"read and were left out; the first: {type(first).__name__}: {first}",
                stacklevel=4,
            )

    # epochs -------------------------------------------------------------------------------------

    def __iter__(self) -> Self:
        if self._ended():
            self.reset()
        return self

    def _ended(self) -> bool:
        return self._over or (self._cursor.position > 0 and self._plan.over(self._cursor))

    def __len__(self) -> int:
        at = self._cursor
        return self._plan.batches(self._plan.next_epoch(at) if self._ended() else at)

    @property
    def epoch(self) -> int:
        """The number of the epoch under way, from 0."""
        return self._cursor.epoch

    def reset(self) -> None:
        """Begin the next epoch; nothing where no batch of this one was taken."""
        at = self._cursor
        if at.position or self._over:
            self._go_to(self._plan.next_epoch(at))

    def state_dict(self) -> dict[str, Any]:
        """Return where the iterator is: numbers and lists, to be kept in a file.

        >>> from nbgraph.io.source import ArraySource
        >>> it = SourceIter(ArraySource({"x": np.arange(6)}), 2, shuffle=True)
        >>> first = it.next()
        >>> state = it.state_dict()
        >>> rest = [batch.index.tolist() for batch in it]
        >>> it.load_state_dict(state)
        >>> rest == [batch.index.tolist() for batch in it]
        True
        """
        epoch, position, carry = self._cursor
        told = {"epoch": epoch, "position": position, "carry": list(carry), "over": self._over}
        return told | self._plan.state()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Go on from what `state_dict` gave; ArgumentError where it is of other data."""
        own = self._plan.state()
        for key in ("samples", "part", "of"):
            if key in state and key in own and state[key] != own[key]:
                raise ArgumentError(
                    f"load_state_dict: the state is of data with {key}={state[key]}; this has "
                    f"{own[key]}"
                )
        if "seed" in state:
            self.seed = int(state["seed"])
            self._plan.reseed(self.seed)
        carry = tuple(map(int, state.get("carry", ())))
        self._go_to(Cursor(int(state["epoch"]), int(state.get("position", 0)), carry))
        self._over = bool(state.get("over", False))

    def _go_to(self, cursor: Cursor) -> None:
        self._cursor, self._over, self._batch = cursor, False, None

    def close(self) -> None:
        """Release files and threads; nothing more can be read then."""
        self._over = True
        self._plan.close()

    # what it provides ---------------------------------------------------------------------------

    @property
    def provide_data(self) -> list[DataDesc]:
        """The arrays of data in a batch."""
        return self._provides()[0]

    @property
    def provide_label(self) -> list[DataDesc]:
        """The arrays of labels in a batch."""
        return self._provides()[1]

    def _provides(self) -> tuple[list[DataDesc], list[DataDesc]]:
        if self._provided is None:
            descs = [desc.with_shape((self.batch_size, *desc.shape)) for desc in self._descs()]
            labels = self._plan.labels
            data = [desc for desc in descs if desc.name not in labels]
            self._provided = data, [desc for desc in descs if desc.name in labels]
        return self._provided

    def _descs(self) -> tuple[DataDesc, ...]:
        """One sample as it is after the transforms."""
        if self._described is None:
            descs = self._plan.descs
            for transform in self.transforms:
                describe = getattr(transform, "describe", None)
                if describe is None:
                    descs = self._probed()
                    break
                descs = tuple(describe(descs))
            self._described = descs
        return self._described

    def _probed(self) -> tuple[DataDesc, ...]:
        """What the transforms make of the first sample."""
        samples = self._plan.first()
        columns = self._transformed(samples.columns, samples.numbers, 0)
        names = [desc.name for desc in self._plan.descs]
        names += [f"column{k}" for k in range(len(names), len(columns))]
        values = [np.asarray(column[0]) for column in columns]
        return tuple(DataDesc(n, v.shape, v.dtype) for n, v in zip(names, values))

    # MXNet's way to take a batch apart ----------------------------------------------------------

    def iter_next(self) -> bool:
        """Go to the next batch; whether there is one."""
        try:
            self._batch = self.next()
        except StopIteration:
            self._batch = None
        return self._batch is not None

    def getdata(self) -> list[Any]:
        """Return the data of the batch gone to."""
        return self._gone_to().data

    def getlabel(self) -> list[Any]:
        """Return its labels."""
        return self._gone_to().label

    def getpad(self) -> int:
        """Return how many samples fill it."""
        return self._gone_to().pad

    def getindex(self) -> Any:
        """Return the numbers of its samples."""
        return self._gone_to().index

    def _gone_to(self) -> DataBatch:
        if self._batch is None:
            raise ArgumentError(f"{type(self).__name__}: call iter_next() first; it gives a batch")
        return self._batch


def _writable(own: Layout) -> Any:
    """A new array on the host that may be written at once."""
    held = chunk.take_settled(own.nbytes, CPU)
    return make(held, held.address, own)
