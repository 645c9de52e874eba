"""The transform that pads sequences of different lengths into one array."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_whole
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import (
    Array,
    Column,
    Columns,
    ColumnTransform,
    Stage,
    changed,
    require_fits,
)
from nbgraph.io.transforms.draws import Draws


class PadSequences(ColumnTransform):
    """Pad sequences to one length, and add a column with their lengths.

    Parameters
    ----------
    length : int, sequence of int, or None
        One length; or several, of which a batch takes the smallest that its longest sequence fits;
        None: the length of that sequence.
    value : float
        Value of the padding.
    truncate : bool
        Whether longer sequences are truncated; otherwise they raise ShapeError.
    lengths : bool
        Whether a column `NAME_length` (int64) is added after each column.

    A sequence has shape (steps, *shape), with steps of one shape.

    >>> few = [np.array([1, 2, 3]), np.array([4])]
    >>> x, steps = PadSequences((2, 4))((few,), Draws(0, 0, [0, 1]))
    >>> x.tolist(), steps.tolist()
    ([[1, 2, 3, 0], [4, 0, 0, 0]], [3, 1])
    """

    length: int | tuple[int, ...] | None = None
    value: float = 0
    truncate: bool = False
    lengths: bool = True

    def __post_init__(self) -> None:
        lengths: Any = self.length
        if lengths is not None and not isinstance(lengths, (int, np.integer)):
            lengths = tuple(sorted(require_whole(f"{self.name}: length", n) for n in lengths))
            if not lengths:
                raise ArgumentError(f"{self.name}: length={self.length!r}; give at least one")
        elif lengths is not None:
            lengths = require_whole(f"{self.name}: length", lengths)
        self._set(length=lengths)

    def described(self, desc: DataDesc) -> DataDesc:
        if not desc.shape:
            raise ShapeError(
                f"{self.name}: column {desc.name!r} has samples of shape (); expected sequences, "
                "(steps, *shape); give on= another column"
            )
        require_fits(self.name, "value", self.value, desc)
        steps = self.length if isinstance(self.length, int) else -1
        if steps > 0 and desc.shape[0] > steps and not self.truncate:
            self._require(desc.shape[0], steps, desc.name)
        if self.length is None and desc.shape[0] >= 0:
            steps = desc.shape[0]
        return changed(desc, shape=(steps, *desc.shape[1:]))

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        places = self.places(descs, labels)
        after: list[DataDesc] = []
        named = list(labels)
        for k, desc in enumerate(descs):
            after.append(self.described(desc) if k in places else desc)
            if k in places and self.lengths:
                after.append(DataDesc(f"{desc.name}_length", (), "int64"))
                named += [after[-1].name] if desc.name in labels else []

        def run(columns: Columns, draws: Draws) -> Columns:
            out: list[Column] = []
            for k, column in enumerate(columns):
                both = self._padded(column, draws, descs[k]) if k in places else (column,)
                out += both[: 1 + self.lengths]
            return tuple(out)

        return Stage(after, named, run)

    def _padded(self, column: Column, draws: Draws, desc: DataDesc) -> tuple[Array, Array]:
        counts = np.array([len(x) for x in column], np.int64)
        longest = int(counts.max(initial=0))
        steps = self._steps(longest, desc.name)
        if longest > steps:
            self._require(longest, steps, f"{desc.name}, sample {draws.index[counts.argmax()]}")
            counts = np.minimum(counts, steps)
            column = [x[:steps] for x in column]
        shapes = {x.shape[1:] for x in column}
        if len(shapes) > 1:
            raise ShapeError(
                f"{self.name}: column {desc.name!r} has steps of shapes "
                f"{' and '.join(map(str, sorted(shapes)))}; expected one"
            )
        rest = shapes.pop() if shapes else tuple(desc.shape[1:])
        out = np.full((len(column), steps, *rest), self.value, desc.dtype)
        if longest:
            out[np.arange(steps) < counts[:, None]] = np.concatenate(list(column))
        return out, counts

    def _steps(self, longest: int, name: str) -> int:
        if self.length is None:
            return longest
        lengths = (self.length,) if isinstance(self.length, int) else self.length
        return next((n for n in lengths if n >= longest), lengths[-1])

    def _require(self, longest: int, steps: int, where: str) -> None:
        if not self.truncate:
            raise ShapeError(
                f"{self.name}: column {where} has {longest} steps, more than {steps}; give a "
                "larger length, or truncate=True"
            )
