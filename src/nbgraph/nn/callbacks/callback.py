"""`Callback`: the hooks of a training; `Callbacks`: the calls of those of several."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError
from nbgraph.signatures import accepts

if TYPE_CHECKING:
    from nbgraph.nn.training import Training

HOOKS = (
    "on_train_begin",
    "on_epoch_begin",
    "on_batch_begin",
    "on_batch_end",
    "on_epoch_end",
    "on_train_end",
)


class Callback:
    """Hooks of a training that do nothing; a subclass overrides some of them.

    Each gets the training: `training.model`, `optimizer`, `history`, `epoch`, `batch`, `step`,
    `logs`, and `stop()`. Values are not waited for until one of `logs` is read. An object of any
    class with some of these methods is a callback, too; if it has `state_dict` and
    `load_state_dict`, its state is part of checkpoints.

    >>> import numpy as np, nbgraph as ng
    >>> class Printed(Callback):
    ...     def on_epoch_end(self, training):
    ...         print(training.epoch, training.logs["loss"] < 1)
    >>> x = np.ones((4, 1), "float32")
    >>> _ = ng.nn.fit(
    ...     ng.nn.Dense(1, init=ng.init.zeros()),
    ...     (x, 0.5 * x),
    ...     loss=ng.nn.metrics.mse,
    ...     optimizer=ng.optim.SGD,
    ...     epochs=2,
    ...     progress=False,
    ...     callbacks=[Printed()],
    ... )
    0 True
    1 True
    """

    def on_train_begin(self, training: Training) -> None:
        """Run before the first epoch, after a checkpoint has been loaded."""

    def on_epoch_begin(self, training: Training) -> None:
        """Run before the batches of an epoch."""

    def on_batch_begin(self, training: Training) -> None:
        """Run before a batch; `logs` are those of the batches before."""

    def on_batch_end(self, training: Training) -> None:
        """Run after a batch; `logs` are losses and metrics of the epoch so far."""

    def on_epoch_end(self, training: Training) -> None:
        """Run after validation; `logs` are the row of the history."""

    def on_train_end(self, training: Training) -> None:
        """Run at the end, also where the training was stopped or failed: `training.error`."""


class LambdaCallback(Callback):
    """A callback of functions.

    Parameters
    ----------
    on_train_begin, on_epoch_begin, on_batch_begin, on_batch_end, on_epoch_end, on_train_end :
    callable, optional
        Called with the training.

    >>> LambdaCallback(on_batch_end=lambda training: print(training.batch)).hooks
    ['on_batch_end']
    """

    def __init__(self, **hooks: Any) -> None:
        for name, function in hooks.items():
            if name not in HOOKS or not callable(function):
                raise ArgumentError(
                    f"LambdaCallback: {name}={function!r}; expected functions for some of "
                    f"{', '.join(HOOKS)}"
                )
            setattr(self, name, function)
        self.hooks = list(hooks)


class Callbacks:
    """Several callbacks, called one after another.

    Parameters
    ----------
    callbacks : callback, function (called at the end of an epoch) or sequence of these
    """

    def __init__(self, callbacks: Any) -> None:
        listed: Sequence[Any] = callbacks if isinstance(callbacks, (list, tuple)) else [callbacks]
        self.all = list(map(_callback, listed))
        self._hooks = {hook: [each for each in self.all if _has_hook(each, hook)] for hook in HOOKS}
        self._begun: list[Any] = []

    def __call__(self, hook: str, training: Training) -> None:
        """Run a hook of all callbacks; the first error ends it, with a note that names its
        callback."""
        for each in self._hooks[hook]:
            _run(each, hook, training)

    def begin(self, training: Training) -> None:
        """Run `on_train_begin`."""
        for each in self.all:
            self._begun.append(each)
            if _has_hook(each, HOOKS[0]):
                _run(each, HOOKS[0], training)

    def end(self, training: Training) -> None:
        """Run `on_train_end` of all that began, even if some raise; then raise the first error."""
        errors: list[Exception] = []
        for each in self._begun:
            try:
                if _has_hook(each, HOOKS[-1]):
                    _run(each, HOOKS[-1], training)
            except Exception as error:
                errors.append(error)
        self._begun = []
        for error in errors:
            if training.error is None:
                raise error
            training.error.add_note(f"besides, at the end: {_text(error)}")

    def state_dict(self) -> dict[str, Any]:
        """Return the states of callbacks, by class and position."""
        states = {key: getattr(each, "state_dict", dict)() for key, each in self._named()}
        return {key: state for key, state in states.items() if state}

    def load_state_dict(self, states: Mapping[str, Any]) -> None:
        """Restore the states of callbacks."""
        for key, each in self._named():
            if key in states:
                each.load_state_dict(states[key])

    def _named(self) -> list[tuple[str, Any]]:
        names = [type(each).__name__ for each in self.all]
        return [
            (f"{name} {names[:i].count(name)}", each)
            for i, (name, each) in enumerate(zip(names, self.all, strict=True))
        ]


def _callback(value: Any) -> Any:
    if any(callable(getattr(value, hook, None)) for hook in HOOKS) and not isinstance(value, type):
        return value
    if callable(value) and not isinstance(value, type) and accepts(value, 1):
        return LambdaCallback(on_epoch_end=value)
    remedy = (
        f"give an instance: {value.__name__}(...)"
        if isinstance(value, type)
        else (f"expected an object with some of {', '.join(HOOKS)}, or a function f(training)")
    )
    raise ArgumentError(f"fit: callbacks has {value!r}; {remedy}")


def _has_hook(callback: Any, hook: str) -> bool:
    """Return whether a callback has this hook, other than the empty one of Callback."""
    method = getattr(callback, hook, None)
    return callable(method) and getattr(method, "__func__", None) is not getattr(Callback, hook)


def _run(callback: Any, hook: str, training: Training) -> None:
    try:
        getattr(callback, hook)(training)
    except Exception as error:
        place = f"epoch {training.epoch}, batch {training.batch}"
        error.add_note(f"in the callback {type(callback).__name__}, {hook}, {place}")
        raise


def _text(error: Exception) -> str:
    return "; ".join([f"{type(error).__name__}: {error}", *getattr(error, "__notes__", ())])
