"""Ctrl-C while something is under way: it is noted, and looked at between two steps."""

import signal
import sys
import threading
from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from nbgraph.tracebacks import session


class Interrupts:
    """A flag for an interrupt that came; a second one is raised where it comes."""

    def __init__(self) -> None:
        self.asked = False

    def take(self, number: int, frame: Any) -> None:
        """Handle the signal: note the first one, raise KeyboardInterrupt at the second."""
        if self.asked:
            raise KeyboardInterrupt
        self.asked = True


@contextmanager
def noted() -> Generator[Interrupts]:
    """Note interrupts of the main thread within the block instead of raising them."""
    interrupts = Interrupts()
    before = signal.getsignal(signal.SIGINT)
    alone = threading.current_thread() is threading.main_thread()
    if not alone or not callable(before):  # another thread's signals are not ours to take
        yield interrupts
        return
    signal.signal(signal.SIGINT, interrupts.take)
    try:
        yield interrupts
    finally:
        signal.signal(signal.SIGINT, before)


def report(training: Any) -> None:
    """Say that a training was interrupted, once it has saved what it saves.

    A cell of a notebook ends with that as its error, so that "Run all" does not go on with a model
    that is half trained: KeyboardInterrupt, whose `history` is the training's.
    """
    rows, epochs = len(training.history), training.epochs
    text = f"fit: interrupted after {rows} of {epochs} epochs; the model keeps what it has learned"
    if getattr(session(), "kernel", None) is not None:
        error: Any = KeyboardInterrupt(f"{text}; sys.last_value.history has its losses")
        error.history = training.history
        raise error
    if sys.stderr is not None:
        sys.stderr.write(f"{text}\n")
