"""Recording and training modes: per context, so threads and tasks do not disturb each other."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager

from nbgraph.autograd.tape import TAPE
from nbgraph.operator.call import Recorder, recording, training

_latest = [""]  # "attach_grad" or "record": what was asked for last, for messages


def noted(step: str) -> None:
    """Remember which half of the conditions of `backward` was set last."""
    _latest[0] = step


def missing_half() -> str:
    """Return what to do where a result was not recorded."""
    inside = "compute the result within `with ng.autograd.record():`"
    if _latest[0] == "attach_grad":
        return f"nothing was recorded since attach_grad(): {inside}"
    first = "call attach_grad() on the arrays that gradients are wanted of"
    return f"{first}, then {inside}"


@contextmanager
def _set(tape: Recorder | None, *, train: bool) -> Generator[None]:
    current = recording.get()
    if current is not None and current.traces and tape is not current:
        tape = current.within(records=tape is not None)
    recorded, trained = recording.set(tape), training.set(train)
    try:
        yield
    finally:
        training.reset(trained)
        recording.reset(recorded)


@contextmanager
def record(train_mode: bool = True) -> Generator[None]:
    """Record what is computed within the block, for `backward`.

    Parameters
    ----------
    train_mode : whether operators behave as in training (dropout drops)

    >>> import nbgraph as ng
    >>> x = ng.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with ng.autograd.record():
    ...     y = (x * x).sum()
    >>> y.backward()
    >>> x.grad
    array([2., 4.], dtype=float32)
    """
    noted("record")
    with _set(TAPE, train=train_mode):
        yield


@contextmanager
def pause(train_mode: bool = False) -> Generator[None]:
    """Record nothing within the block.

    Parameters
    ----------
    train_mode : whether operators behave as in training

    >>> with record(), pause():
    ...     is_recording()
    False
    """
    with _set(None, train=train_mode):
        yield


@contextmanager
def train_mode() -> Generator[None]:
    """Let operators behave as in training within the block (dropout drops), recorded or not.

    >>> with train_mode():
    ...     is_training(), is_recording()
    (True, False)
    """
    with _set(recording.get(), train=True):
        yield


@contextmanager
def predict_mode() -> Generator[None]:
    """Let operators behave as in prediction within the block, recorded or not.

    >>> with record(), predict_mode():
    ...     is_training(), is_recording()
    (False, True)
    """
    with _set(recording.get(), train=False):
        yield


def is_recording() -> bool:
    """Return whether this context records.

    >>> is_recording()
    False
    """
    recorder = recording.get()
    return recorder is not None and recorder.records


def is_training() -> bool:
    """Return whether this context trains.

    >>> with train_mode():
    ...     is_training()
    True
    """
    return training.get()
