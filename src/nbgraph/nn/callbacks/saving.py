"""Checkpoints every few epochs or steps."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError, require_whole
from nbgraph.nn.callbacks.callback import Callback

if TYPE_CHECKING:
    from nbgraph.nn.training import Training


class Checkpoint(Callback):
    """Saves all that the next step depends on; `fit` resumes from the newest file.

    Parameters
    ----------
    path : path
        The file. If several are kept, each name contains the number of the step:
        "run.npz" becomes "run-00000400.npz".
    epochs : int or None
        The number of epochs between checkpoints.
    steps : int or None
        The number of steps of the optimizer between further checkpoints.
    keep : int
        The number of files that are kept, the newest ones.

    Another one is written when the training ends, is interrupted, or a callback or the data raise.

    >>> Checkpoint("run.npz", steps=100, keep=2).path.name
    'run.npz'
    """

    def __init__(
        self, path: Any, *, epochs: int | None = 1, steps: int | None = None, keep: int = 1
    ) -> None:
        for name, value in (("epochs", epochs), ("steps", steps), ("keep", keep)):
            if value is not None or name == "keep":
                require_whole(f"Checkpoint: {name}", value)
        if not isinstance(path, (str, os.PathLike)):
            raise ArgumentError(f"Checkpoint: path={path!r}; expected the path of a file")
        self.path, self.epochs, self.steps, self.keep = Path(path), epochs, steps, keep
        self._last = 0

    def newest(self) -> Path | None:
        """Return the newest of the files, or None."""
        if self.keep == 1:
            return self.path if self.path.exists() else None
        return next(reversed(self.files()), None)

    def files(self) -> list[Path]:
        """Return the existing files, oldest first."""
        stem, suffix = self.path.stem, self.path.suffix
        matches = self.path.parent.glob(f"{stem}-*{suffix}")
        return sorted(file for file in matches if file.stem[len(stem) + 1 :].isdigit())

    def path_of(self, training: Training) -> Path:
        """Return the path of a checkpoint written now; remove files beyond those that are kept."""
        self._last = training.step
        if self.keep == 1:
            return self.path
        name = f"{self.path.stem}-{training.step:08d}{self.path.suffix}"
        path = self.path.with_name(name)
        for file in [file for file in self.files() if file != path][: -(self.keep - 1)]:
            file.unlink()
        return path

    def on_train_begin(self, training: Training) -> None:
        self.path.parent.mkdir(parents=True, exist_ok=True)

    def on_batch_end(self, training: Training) -> None:
        step = training.step
        if self.steps is not None and step != self._last and step % self.steps == 0:
            training.save(self.path_of(training))

    def on_epoch_end(self, training: Training) -> None:
        if self.epochs is not None and (training.epoch + 1) % self.epochs == 0:
            training.save(self.path_of(training))
