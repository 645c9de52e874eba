"""The core's object code on disk, found without importing the modules that it is compiled from."""

import functools

from nbgraph._version import sources
from nbgraph.codegen import unit

# the core's sources: all that its object code depends on besides primitives and compiler
FILES = (
    *("layout", "codes", "memory", "profile", "queues", "tracker", "operations"),
    *("outside", "plans", "running", "waiting", "entries", "serving"),
    *("launching", "failures", "state"),
)


@functools.cache
def key() -> str:
    """Return the cache key of the object code."""
    files = [f"engine/core/{file}" for file in FILES]
    return unit.content_key("engine", sources("kernel_errors", *files))


def find() -> unit.Unit | None:
    """Return the core from disk, or None, without importing Numba."""
    return unit.load(key())
