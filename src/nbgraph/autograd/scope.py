"""Recording and training modes: per context, so threads and tasks do not disturb each other."""

from __future__ import annotations

from contextlib import ContextDecorator
from typing import Any

from nbgraph.autograd.tape import TAPE
from nbgraph.operator.call import recording, training
from nbgraph.scopes import Ending

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


# What `Scopes` do, in half of the time: `_recorder[value]` sets the variable by an operator of C,
# behind which no signal's handler comes; `list.sort` compares what is between two tokens with both,
# and each is used by that.
_recorder: Any = type("Recorder", (), {"__getitem__": recording.set})()
_training: Any = type("Training", (), {"__getitem__": training.set})()
_between: Any = type("Between", (), {"__lt__": recording.reset, "__gt__": training.reset})()


class Mode(ContextDecorator, Ending):
    """A block, or the calls of a function, that records or not and trains or not."""

    __slots__ = ("_tape", "_train")
    _tape: Any
    _train: bool

    def __enter__(self) -> Any:
        """Begin the block; the value is None."""
        current, tape = recording.get(), self._tape
        if tape is _AS_BEFORE:
            tape = current
        if current is not None and current.traces and tape is not current:
            tape = current.within(records=tape is not None)
        self.close = [_recorder[tape], _between, _training[self._train]].sort

    def _recreate_cm(self) -> Mode:
        return _mode(self._tape, self._train)  # a function may call itself


def _mode(tape: Any, train: bool) -> Mode:
    mode = Mode()
    mode._tape, mode._train = tape, train
    return mode


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
    return _mode(TAPE, train_mode)


def pause(train_mode: bool = False) -> Mode:
    """Record nothing within the block.

    Parameters
    ----------
    train_mode : whether operators behave as in training

    >>> with record(), pause():
    ...     is_recording()
    False
    """
    return _mode(None, train_mode)


def train_mode() -> Mode:
    """Let operators behave as in training within the block (dropout drops), recorded or not.

    >>> with train_mode():
    ...     is_training(), is_recording()
    (True, False)
    """
    return _mode(_AS_BEFORE, True)


def predict_mode() -> Mode:
    """Let operators behave as in prediction within the block, recorded or not.

    >>> with record(), predict_mode():
    ...     is_training(), is_recording()
    (False, True)
    """
    return _mode(_AS_BEFORE, False)


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
