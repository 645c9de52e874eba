"""The common part of stores with several workers, independent of the transport."""

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of
from nbgraph.engine import wait_for_var
from nbgraph.errors import ArgumentError
from nbgraph.kvstore import checkpoint as checkpoints
from nbgraph.kvstore.job import Report
from nbgraph.kvstore.store import Key, KVStore

SLICE = 16 << 20  # bytes
_NUMBERS = ("lr", "rescale", "weight_decay", "clip_value")  # of an optimizer that may change


class Joint(KVStore):
    """The base of stores with several workers: sums over own devices, and checkpoints."""

    capabilities = frozenset(["optimizer", "compression"])
    _folder: Any = None
    _restored: checkpoints.Restored | None = None
    _patience: float | None = None  # seconds that pending pushes and pulls may take

    def __init__(self) -> None:
        super().__init__()
        self._rounds: dict[Key, int] = {}  # number of this worker's pushes that have begun, by key
        self._variables: dict[Key, Any] = {}

    @property
    def shown(self) -> Report | bool:
        """See `KVStore`: only worker 0 shows a bar, as all workers progress alike."""
        return self.rank == 0

    @abstractmethod
    def _positions(self, position: Any) -> list[Any]:
        """Return the positions of all workers in rank order, on worker 0."""

    def _sum(self, key: Key, arrays: Sequence[Any]) -> Any:
        """Return the sum over a worker's own devices, contiguous on the host; with compression,
        the part of it that is sent."""
        total, *rest = [a if a.device.host else copy_of(a, device=CPU) for a in arrays]
        for each in rest:
            total = total + each
        if self._compression is not None:
            total = self._compression.sent(key, 0, total)
        return total if total._layout.contiguous else copy_of(total)

    def _numbers(self) -> dict[str, Any]:
        """Return the optimizer's present numbers, for the round that is pushed."""
        own = self._optimizer
        if own is None:
            return {}
        return {n: getattr(own, n) for n in _NUMBERS if not callable(getattr(own, n))}

    def _settle(self) -> None:
        for variable in self._variables.values():
            wait_for_var(variable, self._patience)

    @property
    def position(self) -> Any:
        """Return this worker's position in the checkpoint that the job continues from, or None."""
        restored = self._restored
        if restored is None or self.rank >= len(restored.positions):
            return None
        return restored.positions[self.rank]

    def checkpoint(self, position: Any = None) -> None:
        """Save the round that all workers have ended: values, states of the optimizer and each
        worker's `position`, of JSON types (such as `state_dict()` of an iterator of data).

        Every worker calls it. The folder is that of `ng.kv.cluster(...).run(...,
        checkpoint=folder)`, or of `create(..., checkpoint=folder)` with MPI; a job whose folder
        has a checkpoint continues from it.
        """
        if self._folder is None:
            raise ArgumentError(
                "kv.checkpoint: the job has no folder; run(function, checkpoint=folder), or with "
                "MPI ng.kv.create('dist_sync', engine='mpi', checkpoint=folder)"
            )
        self.barrier()
        positions = self._positions(position)
        if self.rank == 0:
            number = max(self._rounds.values(), default=0)
            checkpoints.save(self._folder, self, number, positions)
        self.barrier()
