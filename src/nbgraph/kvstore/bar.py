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
    bar = Bar()
    client.subscribe_topic(topic, lambda event: bar.show(**event[1]["progress"]))
    try:
        yield
    finally:
        client.unsubscribe_topic(topic)
        bar.close()
