"""One bar of a job's progress, where `Cluster.run` was called: worker 0 reports, and all keep step.

Processes may run on other machines, or below a notebook that does not show what they print.
"""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from typing import Any

from nbgraph.bar import Bar
from nbgraph.kvstore.job import Report, distributed


def reporter(topic: str) -> Report | None:
    """Return what sends progress from this worker of Dask; None outside of one."""
    try:
        worker = distributed().get_worker()
    except ValueError:
        return None
    return lambda **progress: worker.log_event(topic, {"progress": progress})


@contextmanager
def drawn(client: Any, topic: str) -> Generator[None]:
    """Draw, within it, what is reported under a topic."""
    bar = _Bar()
    client.subscribe_topic(topic, lambda event: bar.draw(**event[1]["progress"]))
    try:
        yield
    finally:
        client.unsubscribe_topic(topic)
        bar.close()


class _Bar:
    """The bar, and a line for each text."""

    def __init__(self) -> None:
        self._bar = Bar()

    def draw(
        self, label: str, done: int = 0, total: int | None = None, note: str = "", text: str = ""
    ) -> None:
        """Show how far something is that has a label, or what came of it."""
        if text:
            self._bar.write(f"{label}: {text}")
        else:
            self._bar.draw(label, done, total, note)

    def close(self) -> None:
        """Take the bar away."""
        self._bar.close()
