"""The core's object code on disk, found without reading in what it is made of."""

from __future__ import annotations

import functools

from nbgraph._version import sources
from nbgraph.codegen import unit

# what the core is made of: all that its object code depends on besides primitives and compiler
FILES = (
    *("layout", "codes", "memory", "profile", "queues", "tracker", "operations"),
    *("outside", "plans", "running", "waiting", "entries", "serving"),
    *("launching", "failures", "state"),
)


@functools.cache
def key() -> str:
    """Under which the object code is kept."""
    files = [f"engine/core/{file}" for file in FILES]
    return unit.content_key("engine", sources("kernel_errors", *files))


def find() -> unit.Unit | None:
    """The core from disk, or None. Numba is not imported."""
    return unit.load(key())
