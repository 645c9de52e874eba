"""`SourceIter`, the iterator over any source: order, parts, batches, transforms and errors."""

import contextlib
import inspect
import warnings
import weakref
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Self

from nbgraph.device import Context
from nbgraph.errors import ArgumentError, DataError, require_whole, require_word
from nbgraph.io.batching import Batcher
from nbgraph.io.flow import FlowPlan
from nbgraph.io.order import Order
from nbgraph.io.plan import HANDLES, BlockPlan, Cursor, Piece
from nbgraph.io.prefetch import Job, SourceAhead
from nbgraph.io.protocol import DataBatch, DataDesc, DataIter
from nbgraph.io.report import Meter, Report, collecting, report_of
from nbgraph.io.source import Source, Stream
from nbgraph.signatures import checked

_DERIVED = {"_plan", "_batcher", "_batch", "_ahead", "_meter"}  # rebuilt, not pickled


class SourceIter(DataIter):
    """Batches of a source of samples.

    Parameters
    ----------
    source : Source or Stream
    batch_size : int
    shuffle : bool
    seed : int
        Seed of the order, combined with the number of the epoch, and of the transforms.
    part, of : int
        The iterator has part number `part` of `of` disjoint parts of the samples: a contiguous
        range of a Source, every `of`-th sample of a Stream.
    last_batch_handle : str
        The treatment of a last, incomplete batch. "pad" fills it with the first samples of the
        epoch and counts them in `pad`; "discard" omits it; "roll_over" starts the next epoch with
        its samples; "keep" returns a smaller batch.
    window : int, optional
        The number of blocks (of a Stream: samples) that shuffling mixes in memory.
    transforms : sequence of callables, or one
        `t(columns, draws) -> columns`, applied in order; see `ng.io.transforms`.
    prefetch : int
        The number of batches that the engine prepares in advance.
    on_error : str
        "raise": `next()` raises the errors of the source, and the call after it returns the next
        batch. "skip": unreadable samples are left out, and a warning at the end of the epoch has
        their number. Other samples of the batch replace them, counted in `pad`; with
        last_batch_handle="keep" the batch is smaller.
    device : Context, optional
        The device of the batches; by default the host.

    >>> import numpy as np
    >>> from nbgraph.io.source import ArraySource
    >>> it = SourceIter(ArraySource({"x": np.arange(5)}), 2, last_batch_handle="keep")
    >>> [x.tolist() for (x,) in it]
    [[0, 1], [2, 3], [4]]
    """

    _closed = False
    _numpy = False  # whether batches consist of NumPy arrays

    @checked
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
        transforms: Sequence[Any] = (),
        prefetch: int = 0,
        on_error: str = "raise",
        device: Context | None = None,
    ) -> None:
        super().__init__(require_whole(f"{type(self).__name__}: batch_size", batch_size, 1))
        self._options = {k: v for k, v in locals().items() if k not in ("self", "__class__")}
        require_word("last_batch_handle", last_batch_handle, HANDLES)
        require_word("on_error", on_error, ("raise", "skip"))
        self.source, self.prefetch = source, require_whole("prefetch", prefetch, 0)
        self._plan: BlockPlan | FlowPlan
        options: dict[str, Any] = {"shuffle": shuffle, "seed": require_whole("seed", seed, 0)}
        options |= {"part": part, "of": of, "window": window}
        size, skip = self.batch_size, on_error == "skip"
        if isinstance(source, Source):
            order = Order(source.blocks, **options)
            self._plan = BlockPlan(source, order, size, last_batch_handle, skip=skip)
        else:
            self._plan = FlowPlan(source, size, last_batch_handle, skip=skip, **options)
        self._batcher = Batcher(self._plan, transforms, seed=seed, device=device, numpy=self._numpy)
        self._provided: tuple[list[DataDesc], list[DataDesc]] | None = None
        self._batch: DataBatch | None = None
        self._meter = Meter()
        self._ahead = SourceAhead(self._plan, self._batcher, self.prefetch)
        self._cursor: Cursor = self._ahead.front
        weakref.finalize(self, self._ahead.abandon).atexit = False

    # batches ------------------------------------------------------------------------------------

    def next(self) -> DataBatch:
        """Return the next batch; raise StopIteration at the end of the epoch.

        Errors of the source, such as DataError, are raised here; the next call continues after the
        failed batch.
        """
        if self._closed:
            raise ArgumentError(f"{self.source.name}: the iterator is closed; make a new one")
        begun = self._meter.begin()
        while not self._over:
            batch = self._next_prefetched() if self.prefetch else self._next_batch()
            if batch is not None:
                self._meter.end(begun)
                self._batch = batch
                return batch
        self._batch = None
        self._meter.pause()
        self._warn_lost()
        raise StopIteration

    def read_ahead(self, prefetch: int) -> None:
        """Set the number of batches to prepare in advance; 0 for none."""
        prefetch = require_whole("prefetch", prefetch, 0)
        self._ahead.drop()
        self.prefetch = self._ahead.depth = prefetch
        self._ahead.front = self._cursor

    def _next_batch(self) -> DataBatch | None:
        """Read the next batch now; return None at the end, or if it cannot be read."""
        with collecting(self._meter.seconds):
            piece = self._plan.step(self._cursor)
            if piece is None:
                self._over = True
                return None
            try:
                batch = self._batcher.batch(piece)
            except Exception:  # but an interrupt does not skip the batch
                self._cursor = piece.after
                raise
            self._cursor = piece.after
        return None if batch is None else self._batcher.moved(batch)

    def _next_prefetched(self) -> DataBatch | None:
        """Like `_next_batch`, for a batch that was prepared in advance."""
        job = self._ahead.next(self._cursor)
        if job is None or job.ended:
            self._over = True
            return None
        self._cursor = job.after
        self._meter.add(job.seconds)
        if job.error is not None:
            raise job.error
        self._move(job)
        for later in self._ahead.jobs:
            if not later.pending.done():
                break
            self._move(later)
        return job.batch

    def _move(self, job: Job) -> None:
        """Start the copy of a finished batch to the device, unless it was started before."""
        if job.batch is not None and not job.moved:
            job.batch, job.moved = self._batcher.moved(job.batch), True

    def _warn_lost(self) -> None:
        count, first = self._plan.lost.drain()
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
        """The number of the current epoch, from 0."""
        return self._cursor.epoch

    def reset(self) -> None:
        """Start the next epoch; do nothing if no batch of the current one was returned."""
        at = self._cursor
        if at.position or self._over:
            self._warn_lost()
            self._set_cursor(self._plan.next_epoch(at))

    def state_dict(self) -> dict[str, Any]:
        """Return the position of the iterator as numbers and lists, which JSON can store.

        >>> import numpy as np
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
        state = {"epoch": epoch, "position": position, "carry": list(carry), "over": self._over}
        return state | self._plan.state()

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Continue from a result of `state_dict`; raise ArgumentError if it is for other data."""
        own = self._plan.state()
        for key in ("samples", "part", "of"):
            if key in state and key in own and state[key] != own[key]:
                raise ArgumentError(
                    f"load_state_dict: the state is of data with {key}={state[key]}; this has "
                    f"{own[key]}"
                )
        if "seed" in state:
            self._batcher.seed = int(state["seed"])
            self._ahead.drop()
            self._plan.reseed(self._batcher.seed)
        carry = tuple(map(int, state.get("carry", ())))
        self._set_cursor(Cursor(int(state["epoch"]), int(state.get("position", 0)), carry))
        self._over = bool(state.get("over", False))

    def __getstate__(self) -> dict[str, Any]:
        own = {key: value for key, value in vars(self).items() if key not in _DERIVED}
        return own | {"_at": self.state_dict()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        at = state.pop("_at")
        SourceIter.__init__(self, **state["_options"])
        self.__dict__.update(state)
        self.read_ahead(self.prefetch)
        self.load_state_dict(at)

    def _set_cursor(self, cursor: Cursor) -> None:
        self._ahead.drop()
        self._cursor, self._over, self._batch = cursor, False, None
        self._ahead.front = cursor

    def __repr__(self) -> str:
        count = (
            f"{self.source.blocks[-1]} samples" if isinstance(self.source, Source) else "a stream"
        )
        return f"<{type(self).__name__}: {count}, batches of {self.batch_size}>"

    def close(self) -> None:
        self._closed = True
        self._ahead.drop()
        self._plan.close()

    def report(self) -> Report:
        """Return a report on the time spent waiting for batches and on each kind of work.

        >>> import numpy as np, nbgraph as ng
        >>> it = ng.io.NDArrayIter(np.zeros((6, 2)), batch_size=2)
        >>> it.report().batches, len(list(it)), it.report().batches
        (0, 3, 3)
        """
        return report_of(self.source.name, self._meter, self.prefetch)

    # peek ---------------------------------------------------------------------------------------

    @property
    def _classes(self) -> Sequence[str] | None:
        return getattr(self.source, "classes", None)

    def _peeked(self) -> DataBatch:
        """Like that of DataIter; for a stream, return its first samples instead of the next."""
        plan, at = self._plan, self._cursor
        if isinstance(plan, BlockPlan):
            piece = plan.step(at) or plan.step(plan.next_epoch(at))
        else:
            piece = Piece(at, 0, 0, at, plan.first())
        batch = None if piece is None else self._batcher.batch(piece)
        if batch is None:
            raise DataError("peek: there is no batch to look at", file=self.source.name)
        return batch

    # descriptions of the arrays -----------------------------------------------------------------

    @property
    def provide_data(self) -> list[DataDesc]:
        """Descriptions of the data arrays of a batch."""
        return self._split_descs()[0]

    @property
    def provide_label(self) -> list[DataDesc]:
        """Descriptions of the label arrays of a batch."""
        return self._split_descs()[1]

    def _split_descs(self) -> tuple[list[DataDesc], list[DataDesc]]:
        if self._provided is None:
            stage = self._batcher.stage()
            labels = stage.labels
            descs = [desc.with_shape((self.batch_size, *desc.shape)) for desc in stage.descs]
            data = [desc for desc in descs if desc.name not in labels]
            self._provided = data, [desc for desc in descs if desc.name in labels]
        return self._provided

    # MXNet's accessors of the current batch -----------------------------------------------------

    def iter_next(self) -> bool:
        with contextlib.suppress(StopIteration):
            self.next()
        return self._batch is not None

    def getdata(self) -> list[Any]:
        return self._current().data

    def getlabel(self) -> list[Any]:
        return self._current().label

    def getpad(self) -> int:
        return self._current().pad

    def getindex(self) -> Any:
        return self._current().index

    def _current(self) -> DataBatch:
        if self._batch is None:
            raise ArgumentError(
                f"{type(self).__name__}: call next() or iter_next() first; there is no batch"
            )
        return self._batch


def divided(
    make: Callable[..., Any], options: dict[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """Split `options` into the keyword-only parameters of `make` and the rest.

    >>> divided(lambda x, *, size=1: x, {"size": 2, "seed": 0})
    ({'size': 2}, {'seed': 0})
    """
    parameters = inspect.signature(make).parameters.values()
    names = {p.name for p in parameters if p.kind is p.KEYWORD_ONLY}
    own = {name: value for name, value in options.items() if name in names}
    return own, {name: value for name, value in options.items() if name not in names}
