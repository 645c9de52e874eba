"""Ctrl-C during a training: it sets a flag, which is checked between two steps."""

import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from nbgraph.tracebacks import session


class Interrupts:
    """A flag that an interrupt sets; a second interrupt is raised at once."""

    def __init__(self) -> None:
        self.asked = False

    def take(self, number: int, frame: Any) -> None:
        """Handle the signal: set the flag at the first, raise KeyboardInterrupt at the second."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def noted() -> Generator[Interrupts]:
    """Let interrupts of the main thread set a flag within the block instead of raising."""
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    alone = threading.current_thread() is threading.main_thread()
    if not alone or not callable(before):  # only the main thread may set handlers
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.take)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def report(training: Any) -> None:
    """Report that a training was interrupted, after its checkpoints have been written.

    In a notebook raise KeyboardInterrupt, whose `history` is the training's, so that "Run all" does
    not continue with a model that is half trained.
    """
    rows, epochs = len(training.history), training.epochs
    text = f"fit: interrupted after {rows} of {epochs} epochs; the model keeps what it has learned"
    if getattr(session(), "kernel", None) is not None:
        error: Any = KeyboardInterrupt(f"{text}; sys.last_value.history has its losses")
        error.history = training.history
        raise error
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")
