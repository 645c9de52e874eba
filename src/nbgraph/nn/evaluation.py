"""`evaluate` and `predict`: a model's losses, metrics and outputs over data."""

from collections.abc import Iterable, Mapping, Sequence
from operator import length_hint
from typing import Any

from nbgraph.autograd import predict_mode
from nbgraph.autograd.jit import jit
from nbgraph.autograd.tree import like, places
from nbgraph.bar import followed
from nbgraph.errors import ArgumentError
from nbgraph.io.adapt import arrays_of, as_iter
from nbgraph.io.arrays import NDArrayIter
from nbgraph.io.protocol import DataBatch
from nbgraph.nn.metrics import Meter
from nbgraph.nn.metrics.named import metrics_of
from nbgraph.nn.module import Module
from nbgraph.nn.parts import Parts, device_of, placed, splitter
from nbgraph.nn.steps import Measurement, loss_of
from nbgraph.ops.define import library
from nbgraph.signatures import checked


@checked
def evaluate(
    model: Module,
    data: Any,
    *,
    loss: Any = None,
    metrics: Any = (),
    class_weight: Mapping[int, float] | Sequence[float] | None = None,
    sample_weight: bool | str = False,
    progress: bool = False,
    compiled: bool = True,
) -> dict[str, Any]:
    """Return loss and metrics of a model over data, in prediction mode.

    Parameters
    ----------
    model : Module
    data, loss, metrics, class_weight, sample_weight, progress, compiled : as those of `fit`.
        Without a loss only metrics are computed.

    Returns
    -------
    dict of str to float, or to an array where a metric gives one

    Raises
    ------
    ArgumentError without loss and metrics, or for data without a batch.

    >>> import numpy as np, nbgraph as ng
    >>> x = np.ones((5, 1), "float32")
    >>> line = ng.nn.Dense(1, init=ng.init.ones())
    >>> evaluate(line, ng.nn.Batches(x, 3 * x, batch_size=2), loss=ng.nn.metrics.mse, metrics="mae")
    {'loss': 4.0, 'mae': 2.0}
    """
    chosen = None if loss is None else loss_of(loss, class_weight)
    measure = Measurement(chosen, metrics_of(metrics))
    if not measure.all:
        raise ArgumentError("evaluate: neither a loss nor metrics; give one of them")
    batches = as_iter(data, name="evaluate: data")
    meter, split = Meter(measure.all), splitter(batches, sample_weight)
    run = jit(measure) if compiled else measure
    with predict_mode():
        for batch in _followed(batches, "evaluate", progress):
            parts = _prepared(model, split(batch))
            meter.add(run(model, *parts))
    return meter.get()


@checked
def predict(
    model: Module,
    data: Any,
    *,
    labelled: bool = False,
    progress: bool = False,
    compiled: bool = True,
) -> Any:
    """Return the outputs of a model for all samples, in order, in prediction mode.

    Parameters
    ----------
    model : Module
    data : array, tuple of arrays, DataIter or iterable of batches
        Arrays are the model's inputs and are split into batches of 32. The inputs in a DataBatch
        are its data without padding samples.
    labelled : bool
        Whether the last array of a batch, or of a tuple of arrays, is the target, as in the data of
        `fit`; it is ignored.
    progress : bool
        Whether to show a bar on standard output.
    compiled : bool
        Whether to trace the model by `ng.jit`, in each call of `predict`.

    Returns
    -------
    NDArray, or a tuple, list or dict of them where the model gives one; samples along axis 0

    Raises
    ------
    ArgumentError for data without a batch.

    >>> import numpy as np, nbgraph as ng
    >>> line = ng.nn.Dense(1, init=ng.init.ones())
    >>> predict(line, np.arange(40, dtype="float32")[:, None]).shape
    (40, 1)
    """
    run = jit(_outputs) if compiled else _outputs
    outputs: list[Any] = []
    with predict_mode():
        for batch in _followed(_iterated(data, labelled), "predict", progress):
            parts = _prepared(model, Parts(_inputs(batch, labelled), None))
            outputs.append(run(model, parts.inputs))
    if not outputs:
        raise ArgumentError("predict: the data gave no batch; an output needs one at least")
    pieces = [[place.value for place in places(each, "out")] for each in outputs]
    return like(outputs[0], [_joined(column) for column in zip(*pieces, strict=True)])


def _outputs(model: Module, inputs: Sequence[Any]) -> Any:
    return model(*inputs)


def _joined(pieces: Sequence[Any]) -> Any:
    return pieces[0] if len(pieces) == 1 else library.concatenate(list(pieces), axis=0)


def _prepared(model: Module, parts: Parts) -> Parts:
    """Return a batch on the model's device, after creating all parameters of the model."""
    parts = placed(parts, device_of(model))
    model.prepare(*parts.inputs)
    return parts


def _followed(batches: Any, label: str, shown: bool) -> Iterable[Any]:
    count = length_hint(batches, -1)
    return followed(batches, None if count < 0 else count, label, shown=shown)


def _iterated(data: Any, labelled: bool) -> Any:
    """Return batches; arrays are all inputs, except a last one that holds the targets."""
    listed = arrays_of("predict: data", data if isinstance(data, (tuple, list)) else (data,))
    if listed is None:
        return as_iter(data, name="predict: data")
    labels = listed[-1] if labelled else None
    inputs = list(listed[:-1] if labelled else listed)
    return NDArrayIter(inputs, labels, batch_size=32, last_batch_handle="keep")


def _inputs(batch: Any, labelled: bool) -> tuple[Any, ...]:
    """Return the inputs in a batch."""
    if isinstance(batch, DataBatch):
        batch = batch.unpadded()
        return tuple(batch.data if batch.label or not labelled else batch.data[:-1])
    parts = tuple(batch) if isinstance(batch, (tuple, list)) else (batch,)
    return parts[:-1] if labelled else parts
