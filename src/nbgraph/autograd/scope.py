"""Recording and training modes: per context, so threads and tasks do not disturb each other."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from nbgraph.autograd.tape import TAPE
from nbgraph.operator.call import recording, training

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


class Mode(ContextDecorator):
    """A block, or the calls of a function, that records or not and trains or not.

    A class, as generators take a third of what recording a small operator does.
    """

    def __init__(self, tape: Any, *, train: bool) -> None:
        self._tape, self._train = tape, train

    def __enter__(self) -> None:
        """Begin the block."""
        current = recording.get()
        tape = current if self._tape is _AS_BEFORE else self._tape
        if current is not None and current.traces and tape is not current:
            tape = current.within(records=tape is not None)
        self._recorded, self._trained = recording.set(tape), training.set(self._train)

    def __exit__(self, *_: object) -> None:
        """End it."""
        training.reset(self._trained)
        recording.reset(self._recorded)

    def _recreate_cm(self) -> Mode:
        return Mode(self._tape, train=self._train)  # a function may call itself


_AS_BEFORE = object()


def record(train_mode: bool = True) -> Mode:
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
    return Mode(TAPE, train=train_mode)


def pause(train_mode: bool = False) -> Mode:
    """Record nothing within the block.

    Parameters
    ----------
    train_mode : whether operators behave as in training

    >>> with record(), pause():
    ...     is_recording()
    False
    """
    return Mode(None, train=train_mode)


def train_mode() -> Mode:
    """Let operators behave as in training within the block (dropout drops), recorded or not.

    >>> with train_mode():
    ...     is_training(), is_recording()
    (True, False)
    """
    return Mode(_AS_BEFORE, train=True)


def predict_mode() -> Mode:
    """Let operators behave as in prediction within the block, recorded or not.

    >>> with record(), predict_mode():
    ...     is_training(), is_recording()
    (False, True)
    """
    return Mode(_AS_BEFORE, train=False)


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
