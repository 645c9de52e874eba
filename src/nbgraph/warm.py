"""Compile in advance what is compiled once per machine: `python -m nbgraph.warm`.

It fills the cache folder (the setting `cache_dir`), which later processes load from.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable

from nbgraph.array import entry as array_entry
from nbgraph.codegen import builtin, cache
from nbgraph.engine import handle
from nbgraph.kernels.compiler import entry as kernel_entry
from nbgraph.settings import config

# name, check for its presence, function that builds it
PARTS: tuple[tuple[str, Callable[[], bool], Callable[[], object]], ...] = (
    ("the engine's core", handle.ready, lambda: handle.core_unit(quiet=True)),
)
# compiled functions through which Python calls kernels; about 0.1 s
ENTRIES: tuple[Callable[[], int], ...] = (
    array_entry.method,
    kernel_entry.method,
    kernel_entry.run_method,
)


def main() -> int:
    """Build the missing parts, print what is done, and return the exit status."""
    if not config.cache_dir:
        sys.stdout.write("nbgraph: no cache folder (NBGRAPH_CACHE_DIR is empty): nothing is kept\n")
        return 1
    with cache.lock():  # several processes may start this at once
        for what, there, build in PARTS:
            if there():
                sys.stdout.write(f"nbgraph: {what} is there already\n")
                continue
            sys.stdout.write(f"nbgraph: compiling {what}, some 8 s ...")
            sys.stdout.flush()
            started = time.monotonic()
            build()
            sys.stdout.write(f" done in {time.monotonic() - started:.1f} s\n")
    if builtin.available():
        for make in ENTRIES:
            make()
    return 0


if __name__ == "__main__":
    sys.exit(main())
