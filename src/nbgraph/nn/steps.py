"""The computations of a training: optimizer steps, accumulated gradients, losses and metrics."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.copying import filled
from nbgraph.array.create import array
from nbgraph.autograd.functional import value_and_grad
from nbgraph.autograd.jit import jit
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, require_whole
from nbgraph.nn.metrics import Mean, Metric, create
from nbgraph.nn.metrics.meter import Row, row_of
from nbgraph.nn.metrics.metric import weighed
from nbgraph.nn.module import Module
from nbgraph.nn.parts import Parts
from nbgraph.nn.state import collecting
from nbgraph.operator.layout import layout
from nbgraph.ops.define import library
from nbgraph.optim import Optimizer, Trainer, train_step


def loss_of(loss: Any, class_weight: Any = None) -> Mean:
    """Return a loss as a metric named "loss", the mean over samples."""
    metric = create(loss, what="fit: loss=")
    if not isinstance(metric, Mean) or metric.after is not None:
        raise ArgumentError(
            f"fit: loss={metric.__name__} is not a mean over samples; give a function of outputs "
            "and targets, such as ng.nn.metrics.mse"
        )
    if class_weight is not None and metric.class_weight is not None:
        raise ArgumentError("fit: class_weight is given, and the loss has weights of its own")
    weights = metric.class_weight if class_weight is None else class_weight
    ignored = metric.ignore_label
    return Mean(metric.function, "loss", ignore_label=ignored, class_weight=weights)


def outputs(model: Module, inputs: Sequence[Any]) -> Any:
    """Return a model's outputs; raise ArgumentError if its `forward` returns None."""
    out = model(*inputs)
    if out is None:
        raise ArgumentError(f"{type(model).__name__}.forward returned None; end it with a `return`")
    return out


class Measurement:
    """Loss (or None) and metrics of a batch as one array program."""

    def __init__(self, loss: Mean | None, metrics: Sequence[Metric]) -> None:
        self.loss, self.metrics = loss, list(metrics)
        self.all: list[Metric] = [*self.metrics] if loss is None else [loss, *self.metrics]

    def __call__(self, model: Module, inputs: Sequence[Any], target: Any, weight: Any) -> Row:
        """Return a batch's contributions to the sums."""
        out = outputs(model, inputs)
        return row_of(self.all, [each.sums(out, target, weight) for each in self.all])

    def row(self, mean: Any, count: Any, out: Any, target: Any, weight: Any) -> Row:
        """Return the contributions of a batch with a known loss."""
        sums = [each.sums(out, target, weight) for each in self.metrics]
        return row_of(self.all, [weighed(mean, count), *sums])


class Steps:
    """Steps of an optimizer, one for each `accumulate` batches.

    A compiled step of one batch is one plan, with update and measurement. For several batches the
    gradients are summed, weighted by the batches' counts, so that the step is that of the batches
    concatenated. With a `trainer` gradients go to its store.
    """

    def __init__(
        self,
        model: Module,
        optimizer: Optimizer,
        measure: Measurement,
        *,
        accumulate: int,
        compiled: bool,
        trainer: Trainer | None = None,
    ) -> None:
        require_whole("fit: accumulate", accumulate)
        assert measure.loss is not None, "what is trained has a loss"
        self.model, self.optimizer, self.measure = model, optimizer, measure
        self.loss, self.accumulate = measure.loss, accumulate
        traced: Callable[[Any], Any] = jit if compiled else lambda function: function
        self.measured = traced(measure)
        self._trainer = trainer
        self._whole = self._step_of(compiled)
        self._gather, self._divide = traced(self._gathered), traced(_quotients)
        self._zeros: dict[str, Any] = {}
        self._sums: dict[str, Any] | None = None
        self._count: Any = 0.0
        self._parts = 0

    def train(self, parts: Parts, device: Context) -> Row:
        """Train on a batch; return its contributions to the sums of losses and metrics."""
        scaler = self.optimizer.scaler
        scale = None if scaler is None else scaler.to(device).array
        if self.accumulate == 1 and self._sums is None:
            row, values, _ = self._whole(*parts, scale)
        else:
            self._sums, row, values, count = self._gather(
                self.model, self._sums or self._nothing(device), *parts, scale
            )
            self._count, self._parts = self._count + count, self._parts + 1
            if self._parts >= self.accumulate:
                self.finish()
        self.model.apply_statistics(values)
        return row

    def finish(self) -> None:
        """Take a step with the accumulated gradients, if there are any."""
        if self._sums is None:
            return
        device = next(iter(self._sums.values())).device
        self._update(self._divide(self._sums, array(self._count).to_device(device)))
        self._sums, self._count, self._parts = None, 0.0, 0

    @property
    def count(self) -> int:
        """The number of optimizer steps, including skipped ones."""
        return self.optimizer.count if self._trainer is None else self._trainer.count

    def _update(self, grads: Any) -> None:
        """Take a step; with several workers, by the mean of their gradients."""
        if self._trainer is None or self._trainer.kvstore is None:
            self.optimizer.step(grads)
        else:
            self._trainer.step(grads, batch_size=self._trainer.kvstore.num_workers)

    def state_dict(self) -> dict[str, Any]:
        """Return the accumulated gradients."""
        if self._sums is None:
            return {}
        return {"sums": self._sums, "count": self._count, "parts": self._parts}

    def load_state_dict(self, state: Mapping[str, Any]) -> None:
        """Restore the accumulated gradients."""
        if state:
            device = next(iter(self.model.parameters().values())).device
            self._sums = {k: v.to_device(device) for k, v in state["sums"].items()}
            self._count, self._parts = state["count"], int(state["parts"])

    def _nothing(self, device: Context) -> dict[str, Any]:
        """Return zeros for the gradients of all parameters."""
        if not self._zeros:
            for name, value in self.model.parameters().items():
                dtype = "float32" if value.dtype.itemsize < 4 else value.dtype
                self._zeros[name] = filled(layout(value.shape, np.dtype(dtype)), device, 0.0)
        return self._zeros

    def _step_of(self, compiled: bool) -> Callable[..., Any]:
        """Return the function of a step: of inputs, target, weight and scale."""
        if compiled and self._trainer is None:
            step = train_step(self.batch_loss, self.optimizer, params=self.model, has_aux=True)
            return lambda *args: step(*args)[1]
        apart = value_and_grad(self.batch_loss, has_aux=True)
        if compiled:
            apart = jit(apart)

        def as_written(*args: Any) -> Any:
            (_, rest), grads = apart(self.model, *args)
            self._update(grads)
            return rest

        return as_written

    def batch_loss(
        self, model: Module, inputs: Sequence[Any], target: Any, weight: Any, scale: Any
    ) -> Any:
        """Return the scaled loss, and the batch's contributions, new statistics and count."""
        with collecting(model.statistics()) as values:
            out = outputs(model, inputs)
        mean, count = self.loss.mean(out, target, weight)
        head = mean if scale is None else mean * library.astype(scale, mean.dtype)
        return head, (self.measure.row(mean, count, out, target, weight), values, count)

    def _gathered(self, model: Module, sums: Mapping[str, Any], *args: Any) -> Any:
        """Return sums with the gradients of a batch added, and the second part of `batch_loss`."""
        (_, (row, values, count)), grads = value_and_grad(self.batch_loss, has_aux=True)(
            model, *args
        )
        added = {
            name: value + _times(grads[name], count, value.dtype) for name, value in sums.items()
        }
        return added, row, values, count


def _times(gradient: Any, count: Any, dtype: Any) -> Any:
    """Return the gradient of a sum from that of the mean."""
    times = count if isinstance(count, float) else library.astype(count, dtype)
    return library.astype(gradient, dtype) * times


def _quotients(sums: Mapping[str, Any], count: Any) -> dict[str, Any]:
    """Return gradients of the mean from those of sums; 0 for a count of 0."""
    over = library.where(count == 0, 1.0, count)
    return {name: value / library.astype(over, value.dtype) for name, value in sums.items()}
