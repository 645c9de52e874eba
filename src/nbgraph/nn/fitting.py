"""`fit`: epochs of steps; what it computes is the model's, the loss's and the optimizer's."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import length_hint
from typing import Any

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.array.create import asarray
from nbgraph.autograd import predict_mode
from nbgraph.autograd.functional import value_and_grad
from nbgraph.autograd.jit import jit
from nbgraph.device import Context
from nbgraph.errors import ArgumentError
from nbgraph.io.adapt import as_iter
from nbgraph.io.protocol import DataBatch, DataIter
from nbgraph.nn import checkpoint as checkpoints
from nbgraph.nn import progress as progresses
from nbgraph.nn.checkpoint import Position
from nbgraph.nn.history import History
from nbgraph.nn.interrupts import Interrupts, noted
from nbgraph.nn.metrics import name_of
from nbgraph.nn.module import Module
from nbgraph.nn.state import collecting
from nbgraph.nn.sums import Sums
from nbgraph.ops.define import library
from nbgraph.optim import Optimizer, train_step
from nbgraph.resource.states import restore_random

Measure = Callable[[Any, Any], Any]
_GIVEN = "given"  # of a cursor: batches of the epoch that were before it


def fit(
    model: Module,
    data: Any,
    *,
    loss: Measure,
    optimizer: Any,
    epochs: int,
    metrics: Sequence[Measure] = (),
    validation: Any = None,
    checkpoint: Any = None,
    progress: bool = True,
    compiled: bool = True,
    device: Context | None = None,
) -> History:
    """Train a model.

    An interrupt (Ctrl-C) ends it after the step under way: the History says so, the model keeps
    what it has learnt, and the checkpoint holds all that the next step depends on. A second one is
    raised at once. Nothing waits for values before an epoch ends.

    Parameters
    ----------
    model : Module
    data : DataIter, arrays or iterable
        Batches as tuples, what is wanted of the outputs last; of a DataBatch the samples that only
        fill it do not count. A tuple of arrays is cut into shuffled batches of 32.
    loss : callable
        Of outputs and targets; an array of several elements counts by its mean.
    optimizer : Optimizer or callable
        A callable, such as `ng.optim.Adam`, makes one of the model.
    epochs : int
        How many in all, those of the checkpoint among them.
    metrics : sequence of callables
        As in `ng.nn.metrics`.
    validation : like data, optional
        Measured after each epoch, in the mode of prediction.
    checkpoint : path, optional
        Where the training is kept after each epoch. If the file exists the training goes on from
        there, with the same bits as if it had not been interrupted. With other metrics than before
        past epochs keep what they had; one that was under way leaves the new ones out, and a
        warning says so.
    progress : bool
        Whether progress is shown, on standard error.
    compiled : bool
        Whether a step, update included, is one plan (`ng.optim.train_step`); False: as written,
        operator by operator.
    device : Context, optional
        Where it is trained: the model is put there (`model.to`), and each batch as it comes. By
        default where the model is.

    >>> import numpy as np, nbgraph as ng
    >>> x = np.linspace(-1, 1, 64, dtype="float32")[:, None]
    >>> line = ng.nn.Dense(1)
    >>> history = fit(
    ...     line,
    ...     (x, 3 * x + 1),
    ...     loss=ng.nn.metrics.mse,
    ...     epochs=50,
    ...     progress=False,
    ...     optimizer=lambda m: ng.optim.SGD(m, 0.1),
    ... )
    >>> abs(line.bias.item() - 1) < 0.01
    True
    """
    training = _Training(model, loss, tuple(metrics), compiled=compiled)
    training.data = as_iter(data, name="fit: data", shuffle=True)
    if validation is not None:
        training.validation = as_iter(validation, name="fit: validation")
    training.shown, training.path = progress, checkpoint
    if device is not None:
        _require_own(model, optimizer, device)
        model.to(device)
    training.begin(optimizer)
    with noted() as interrupts:
        training.run(epochs, interrupts)
    return training.history


class _Training:
    """A training under way."""

    data: Any
    validation: Any = None
    path: Any = None
    shown = True
    optimizer: Optimizer
    _step: Callable[..., Any]

    def __init__(
        self, model: Module, loss: Measure, metrics: Sequence[Measure], *, compiled: bool
    ) -> None:
        self.model, self.loss, self.metrics = model, loss, metrics
        self.names = ["loss", *map(name_of, metrics)]
        self.history = History()
        self._sums = Sums(self.names)
        self._batch = 0
        self._resumed: checkpoints.Held | None = None
        self._compiled = compiled
        self._measure = jit(self._measured) if compiled else self._measured

    def begin(self, optimizer: Any) -> None:
        """Make what is missing, and go on from the checkpoint if there is one."""
        if self.model._deferred():
            state = getattr(self.data, "state_dict", dict)()
            self.model.prepare(*self._split(next(iter(self.data)))[0])
            if state:
                self.data.load_state_dict(state)
        self.optimizer = optimizer if isinstance(optimizer, Optimizer) else optimizer(self.model)
        self._step = self._step_of(self.optimizer)
        self._resumed = checkpoints.load(self.path, self.model, self.optimizer)
        if self._resumed is not None:
            position = self._resumed.position
            self.history.rows[:] = position.rows
            self._batch, self._sums = position.batch, Sums.after(position, self.names)

    # epochs -----------------------------------------------------------------------------------

    def run(self, epochs: int, interrupts: Interrupts) -> None:
        """Epochs, until there are as many or somebody interrupts."""
        while len(self.history) < epochs:
            label = f"epoch {len(self.history) + 1}/{epochs}"
            state, batches = self._batches()
            if not self._epoch(batches, label, interrupts):
                self.history.stopped = True
                if isinstance(self.data, DataIter):
                    state = {**self.data.state_dict(), _GIVEN: self._batch}
                self._save(state)
                return
            row = self._sums.means()
            if self.validation is not None:
                row |= {f"val_{name}": value for name, value in self._validated().items()}
            self.history.rows.append(row)
            self._batch, self._sums = 0, Sums(self.names)
            self._save(getattr(self.data, "state_dict", dict)())
            progresses.told(label, row, shown=self.shown)
            if interrupts.asked:
                self.history.stopped = len(self.history) < epochs
                return

    def _batches(self) -> tuple[dict[str, Any], Any]:
        """What the order of an epoch depends on, and its batches that are still to come."""
        held, self._resumed = self._resumed, None
        passed = 0
        if held is not None:
            cursor = dict(held.position.data)
            passed = held.position.batch - cursor.pop(_GIVEN, 0)
            if cursor:
                self.data.load_state_dict(cursor)
        state = getattr(self.data, "state_dict", dict)()
        batches = iter(self.data)
        for _ in islice(batches, passed):
            pass
        if held is not None:
            restore_random(held.random)
        return state, batches

    def _epoch(self, batches: Any, label: str, interrupts: Interrupts) -> bool:
        """The steps of an epoch; whether it came to its end."""
        count = length_hint(self.data, -1)
        total = count - self._batch if count >= 0 else None
        bar = progresses.followed(batches, total, label, shown=self.shown)
        try:
            for batch in bar:
                self._train(*self._split(batch))
                self._batch += 1
                if interrupts.asked:
                    return False
        finally:
            bar.close()
        return True

    def _save(self, state: dict[str, Any]) -> None:
        if self.path is not None:
            sums = self._sums
            rows = self.history.rows
            position = Position(sums.names, rows, self._batch, sums.samples, sums.totals, state)
            checkpoints.save(self.path, self.model, self.optimizer, position)

    def _validated(self) -> dict[str, float]:
        sums = Sums(self.names)
        with predict_mode():
            for batch in self.validation:
                inputs, target = self._split(batch)
                sums.add(self._measure(self.model, inputs, target), len(target))
        return sums.means()

    def _split(self, batch: Any) -> tuple[tuple[Any, ...], Any]:
        """Inputs and target of a batch, where the model is."""
        inputs, target = _split(batch)
        device = self._device()
        if device.host:
            return inputs, target
        return tuple([asarray(x, device=device) for x in inputs]), asarray(target, device=device)

    def _device(self) -> Context:
        return next((array.device for _, array in self.model._arrays()), CPU)

    # steps ------------------------------------------------------------------------------------

    def _step_of(self, optimizer: Optimizer) -> Callable[..., Any]:
        """One step for inputs, target and scale; the row and new values of statistics."""
        if self._compiled:
            step = train_step(self._value, optimizer, params=self.model, has_aux=True)
            return lambda *args: step(*args)[1]
        apart = value_and_grad(self._value, has_aux=True)

        def as_written(*args: Any) -> Any:
            (_, found), grads = apart(self.model, *args)
            optimizer.step(grads)
            return found

        return as_written

    def _train(self, inputs: tuple[Any, ...], target: Any) -> None:
        scaler = self.optimizer.scaler
        scale = None if scaler is None else scaler.to(self._device()).array
        row, values = self._step(inputs, target, scale)
        self.model.apply_statistics(values)
        self._sums.add(row, len(target))

    def _value(self, model: Module, inputs: tuple[Any, ...], target: Any, scale: Any) -> Any:
        """The loss, scaled; and it with the metrics as a row, and new values of statistics."""
        with collecting(model.statistics()) as values:
            out = model(*inputs)
        value = library.mean(self.loss(out, target))
        head = value if scale is None else value * library.astype(scale, value.dtype)
        return head, (self._row(value, out, target), values)

    def _measured(self, model: Module, inputs: tuple[Any, ...], target: Any) -> Any:
        out = model(*inputs)
        return self._row(library.mean(self.loss(out, target)), out, target)

    def _row(self, value: Any, out: Any, target: Any) -> Any:
        found = [value, *[library.mean(metric(out, target)) for metric in self.metrics]]
        return _stacked([library.astype(each, "float64") for each in found])


def _require_own(model: Module, optimizer: Any, device: Context) -> None:
    """An optimizer that was made of the model holds its arrays, which must not be replaced."""
    elsewhere = any(array.device != device for _, array in model._arrays())
    if elsewhere and isinstance(optimizer, Optimizer):
        raise ArgumentError(
            f"fit: device={device!r}, but the optimizer was made of arrays elsewhere; call "
            f"model.to({device!r}) before it is made, or give what makes it: ng.optim.Adam"
        )


def _split(batch: Any) -> tuple[tuple[Any, ...], Any]:
    """Inputs and target of a batch."""
    if isinstance(batch, DataBatch):
        batch = batch.unpadded()
    if not isinstance(batch, (tuple, list)) or len(batch) < 2:
        raise ArgumentError(
            f"fit: a batch is a {type(batch).__name__}; expected a tuple of inputs and a target"
        )
    *inputs, target = batch
    return tuple(inputs), target


def _stacked(values: Sequence[Any]) -> Any:
    """Values of shape () as a row; graphs make one loop of it."""
    places = np.arange(len(values))
    row = library.broadcast_to(values[0], places.shape)
    for k, value in enumerate(values[1:], 1):
        row = library.where(places >= k, value, row)
    return row
