"""Assembly of a batch of arrays from a piece of an epoch: transforms, allocation, device copies.

Any thread may assemble a batch on the host; the thread that requests batches starts the copies to
a GPU.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.chunk import CPU
from nbgraph.array.core import from_host, make
from nbgraph.array.create import asarray
from nbgraph.device import Context
from nbgraph.io.flow import FlowPlan
from nbgraph.io.plan import BlockPlan, Piece
from nbgraph.io.protocol import DataBatch
from nbgraph.io.report import counted
from nbgraph.io.source import Values, stacked
from nbgraph.io.transforms.base import Stage
from nbgraph.io.transforms.compose import Compose, checked
from nbgraph.io.transforms.draws import Draws
from nbgraph.operator.layout import Layout, layout


class Batcher:
    """An assembler of batches; it has no position in the epoch, so threads may use it at once."""

    def __init__(
        self,
        plan: BlockPlan | FlowPlan,
        transforms: Any,
        *,
        seed: int,
        device: Context | None,
        numpy: bool,
    ) -> None:
        several = (transforms,) if callable(transforms) else transforms
        self.transforms = checked("transforms", several)
        self.plan, self.seed = plan, seed
        self.device, self.numpy = device, numpy
        self._stage: Stage | None = None
        self._places: tuple[list[int], list[int]] = [], []  # indices of data and label columns
        self._layouts: dict[int, list[Layout]] = {}
        self._direct: list[tuple[tuple[int, ...], np.dtype[Any]]] | None = None
        if isinstance(plan, BlockPlan) and not self.transforms:
            if all(-1 not in desc.shape for desc in plan.descs):
                self._direct = [(desc.shape, desc.dtype) for desc in plan.descs]

    def batch(self, piece: Piece) -> DataBatch | None:
        """Return the batch of a piece, or None if none of its samples can be read."""
        if self._direct is not None and piece.samples is None:
            batch = self._copied(piece)
            if batch is not None:
                return batch
        samples, pad = self.plan.load(piece)
        if not len(samples.numbers):
            return None
        stage, columns = self.stage(), samples.columns
        if self.transforms:
            with counted("transforms"):
                columns = stage(columns, Draws(self.seed, piece.cursor.epoch, samples.numbers))
        with counted("batching"):
            arrays = [
                self._array(desc.name, column, samples.numbers)
                for desc, column in zip(stage.descs, columns, strict=True)
            ]
        return self._assembled(arrays, pad, samples.numbers)

    def _copied(self, piece: Piece) -> DataBatch | None:
        """Read a piece directly into the arrays of its batch; return None if that fails."""
        plan: Any = self.plan
        at = piece.cursor
        count = len(at.carry) + piece.high - at.position + piece.pad
        layouts = self._layouts.get(count)
        if layouts is None:
            fresh = [layout((count, *shape), dtype) for shape, dtype in self._direct or ()]
            layouts = self._layouts[count] = fresh
        if self.numpy:
            arrays: list[Any] = [np.empty(own.shape, own.dtype) for own in layouts]
            views = arrays
        else:
            buffers = [chunk.take_settled(own.nbytes, CPU) for own in layouts]
            arrays = [make(b, b.address, own) for b, own in zip(buffers, layouts, strict=True)]
            views = [array._view() for array in arrays]
        try:
            with counted("reading"):
                numbers = plan.fill(piece, views)
        except Exception:
            if not plan.reader.skip:
                raise
            return None
        return None if numbers is None else self._assembled(arrays, piece.pad, numbers)

    def moved(self, batch: DataBatch) -> DataBatch:
        """Return the batch on the requested device, without waiting for the copies."""
        if self.device is None or self.device.host:
            return batch
        data, label = [
            [asarray(array, device=self.device) for array in part]
            for part in (batch.data, batch.label)
        ]
        return DataBatch(data, label, batch.pad, batch.index)

    def _array(self, name: str, column: Any, numbers: Values) -> Any:
        values = (
            column
            if isinstance(column, np.ndarray)
            else stacked(name, column, numbers, self.plan.where)
        )
        return values if self.numpy else from_host(values, CPU)

    def _assembled(self, arrays: Sequence[Any], pad: int, numbers: Values) -> DataBatch:
        if self._stage is None:
            self.stage()
        data, label = self._places
        return DataBatch([arrays[k] for k in data], [arrays[k] for k in label], pad, numbers)

    def stage(self) -> Stage:
        """Return the transforms, compiled for the columns of the source.

        >>> from nbgraph.io.order import Order
        >>> from nbgraph.io.source import ArraySource
        >>> source = ArraySource({"x": np.zeros((3, 2))})
        >>> plan = BlockPlan(source, Order(source.blocks), 2, "keep", skip=False)
        >>> Batcher(plan, [], seed=0, device=None, numpy=True).stage().descs
        (DataDesc('x', (2,), float64, 'N'),)
        """
        if self._stage is None:
            plan = self.plan
            self._stage = Compose(self.transforms).stage(
                plan.descs, tuple(plan.labels), sample=lambda: plan.first().columns
            )
            labels = [desc.name in self._stage.labels for desc in self._stage.descs]
            for k, own in enumerate(labels):
                self._places[own].append(k)
        return self._stage
