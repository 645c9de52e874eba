"""`fit`: checks the arguments of a training and sets it up."""

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph import foreign, optim
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, require_whole
from nbgraph.io.adapt import as_iter
from nbgraph.io.protocol import DataIter
from nbgraph.nn.callbacks.callback import Callbacks
from nbgraph.nn.callbacks.saving import Checkpoint
from nbgraph.nn.divergence import watch_of
from nbgraph.nn.history import History
from nbgraph.nn.interrupts import report
from nbgraph.nn.metrics.named import metrics_of
from nbgraph.nn.module import Module
from nbgraph.nn.parts import Split, device_of, placed, splitter
from nbgraph.nn.steps import Measurement, Steps, loss_of
from nbgraph.nn.training import Training
from nbgraph.optim import Optimizer, Trainer
from nbgraph.signatures import checked


@checked
def fit(
    model: Module,
    data: Any,
    *,
    loss: Any,
    optimizer: Any,
    epochs: int,
    metrics: Any = (),
    validation: Any = None,
    callbacks: Any = (),
    accumulate: int = 1,
    class_weight: Mapping[int, float] | Sequence[float] | None = None,
    sample_weight: bool | str = False,
    checkpoint: Any = None,
    kvstore: Any = None,
    progress: bool = True,
    compiled: bool = True,
    device: Context | None = None,
    on_nan: str = "raise",
) -> History:
    """Train a model.

    An interrupt (Ctrl-C) ends the training after the current step: the model keeps its weights, the
    History has the reason, and the checkpoint allows to resume. The same holds if a callback or the
    data raise. In a notebook the cell ends with KeyboardInterrupt, whose `history` is the History.
    A second interrupt is raised at once. Values are first waited for at the end of an epoch, or
    when a callback reads them.

    Parameters
    ----------
    model : Module
    data : DataIter, arrays or iterable
        Batches are tuples whose last item is the target; padding samples of a DataBatch do not
        count. A tuple of arrays is split into shuffled batches of 32.
    loss : callable
        A function of outputs and targets; of an array the mean is minimised.
    optimizer : Optimizer, callable or str
        A callable such as `ng.optim.Adam` is called with the model; so is the class of a name such
        as "adam".
    epochs : int
        The total number, including epochs before the checkpoint.
    metrics : name, callable, or sequence of these
        See `ng.nn.metrics`.
    validation : like data, optional
        Data for loss and metrics after each epoch, in prediction mode.
    callbacks : callback or sequence of callbacks
        See `ng.nn.callbacks`; a function is called with the training at the end of each epoch.
    accumulate : int
        The number of batches for each step of the optimizer. The step equals that of one batch of
        all their samples, up to rounding (and batch statistics, as of BatchNorm). Remaining batches
        at the end of an epoch give a step, too.
    class_weight : dict or sequence, optional
        The weights of classes in the loss, also of validation; 1 for classes that a dict lacks.
        Losses are weighted means, divided by the sum of weights.
    sample_weight : bool or str
        True: the last array of a batch, after the targets, has the weights of samples in loss and
        metrics; a str is the name of that column in a DataIter. Losses and metrics must then return
        a value for each sample.
    checkpoint : path or Checkpoint, optional
        The file to which the training is saved after each epoch. If it exists the training resumes
        from it, with the same bits as without an interruption. After a change of metrics past
        epochs keep the old ones; an unfinished epoch leaves the new ones out, with a warning.
    kvstore : KVStore or str, optional
        A store of `ng.kv.create`: each step uses the mean of all workers' gradients. Each worker
        has its own data (`part=kv.rank, of=kv.num_workers`), with equal numbers of batches. Save
        rounds by `kv.checkpoint` in a callback.
    progress : bool
        Whether to show progress on standard output: a bar with the remaining time and the learning
        rate in terminals and notebooks, and at most 20 lines for epochs. Workers of a store share
        one bar, where `ng.kv.cluster(...).run` was called.
    compiled : bool
        Whether a step with its update is one plan (`ng.optim.train_step`); False runs it operator
        by operator.
    device : Context, optional
        The device to which the model (`model.to`) and each batch are moved; by default the model's.
    on_nan : "raise" or "continue"
        What to do if the loss is NaN. This is noticed some batches later, when the parameters may
        be NaN as well; checkpoints keep the state before.

    Raises
    ------
    DivergenceError if the loss is NaN, with the batch and the position of a NaN in its data.
    ArgumentError for invalid data, losses or metrics; FormatError for a file that is not a
    checkpoint. An error of a callback gets a note with the hook and the batch.

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
    _require(model, epochs)
    data = as_iter(data, name="fit: data", shuffle=True)
    if validation is not None:
        validation = as_iter(validation, name="fit: validation")
    if device is not None:
        _require_own(model, optimizer, device)
        model.to(device)
    split = splitter(data, sample_weight)
    _prepare(model, data, split)
    own = optimizer_of(optimizer, model)
    trainer = None if kvstore is None else _trainer(model, own, kvstore, checkpoint)
    measure = Measurement(loss_of(loss, class_weight), metrics_of(metrics))
    steps = Steps(model, own, measure, accumulate=accumulate, compiled=compiled, trainer=trainer)
    hooks = _with(callbacks, checkpoint)
    store = None if trainer is None else trainer.kvstore
    display = progress and (store is None or store.shown)
    watch = watch_of(on_nan, model)
    training = Training(
        steps, data, validation, split=split, callbacks=hooks, shown=display, watch=watch
    )
    training.resume()
    training.run(epochs)
    if training.interrupted and training.history.stopped:
        report(training)
    return training.history


def _require(model: Any, epochs: Any) -> None:
    """Raise ArgumentError unless there are a Module and a whole number of epochs."""
    if not isinstance(model, Module):
        raise ArgumentError(
            f"fit: model={model!r}; expected an ng.nn.Module (ng.nn.Function makes one of a "
            "function)"
        )
    require_whole("fit: epochs", epochs, 0)


def optimizer_of(optimizer: Any, model: Module) -> Optimizer:
    """Return the optimizer itself, or that of a callable or a name for the model."""
    if isinstance(optimizer, str):
        kinds = {name: getattr(optim, name) for name in dir(optim) if name != "Optimizer"}
        names = {
            name.lower(): name
            for name, kind in kinds.items()
            if isinstance(kind, type) and issubclass(kind, Optimizer)
        }
        if optimizer.lower() not in names:
            near, listed = foreign.near(optimizer, names), ", ".join(sorted(names.values()))
            hint = near and f"{near} "
            raise ArgumentError(f"fit: optimizer={optimizer!r}; {hint}expected one of {listed}")
        optimizer = getattr(optim, names[optimizer.lower()])
    result = (
        optimizer
        if isinstance(optimizer, Optimizer) or not callable(optimizer)
        else optimizer(model)
    )
    if not isinstance(result, Optimizer):
        raise ArgumentError(
            f"fit: optimizer={optimizer!r}; expected an optimizer, what makes one of a model (as "
            "ng.optim.Adam), or its name"
        )
    return result


def _trainer(model: Module, optimizer: Optimizer, kvstore: Any, checkpoint: Any) -> Trainer:
    """Return a trainer over a store; refuse a checkpoint, which would lack states."""
    if checkpoint is not None:
        raise ArgumentError(
            "fit: checkpoint= keeps one process, and kvstore= has the optimizer's states in the "
            "store; call kv.checkpoint(...) in a callback"
        )
    return Trainer(model, optimizer, kvstore)


def _prepare(model: Module, data: Any, split: Split) -> None:
    """Create the arrays whose extents follow from the first batch."""
    if model._deferred():
        state = getattr(data, "state_dict", dict)()
        first = next(iter(data), None)
        if first is None:
            raise ArgumentError("fit: the data are empty: they gave no batch")
        model.prepare(*placed(split(first), device_of(model)).inputs)
        if state:
            data.load_state_dict(state)
        elif isinstance(data, DataIter):
            data.reset()


def _with(callbacks: Any, checkpoint: Any) -> Callbacks:
    """Return the callbacks, that of `checkpoint` first."""
    listed = list(callbacks) if isinstance(callbacks, (list, tuple)) else [callbacks]
    if checkpoint is not None:
        own = checkpoint if isinstance(checkpoint, Checkpoint) else Checkpoint(checkpoint)
        listed = [own, *[each for each in listed if each is not own]]
    return Callbacks(listed)


def _require_own(model: Module, optimizer: Any, device: Context) -> None:
    """Raise ArgumentError for an optimizer that holds arrays of the model, on another device."""
    elsewhere = any(array.device != device for _, array in model._arrays())
    if elsewhere and isinstance(optimizer, Optimizer):
        raise ArgumentError(
            f"fit: device={device!r}, but the optimizer was made of arrays elsewhere; call "
            f"model.to({device!r}) before it is made, or give what makes it: ng.optim.Adam"
        )
