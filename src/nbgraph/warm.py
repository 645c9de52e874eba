"""Compile in advance what is compiled once per machine: `python -m nbgraph.warm`.

It fills the cache folder (the setting `cache_dir`) with the core of the engine, with what calls
kernels from Python, and with the kernels of everyday arithmetic.
"""

from __future__ import annotations

import itertools
import operator
import sys
import time
from collections.abc import Callable
from typing import Any

from nbgraph.array import entry as array_entry
from nbgraph.codegen import builtin, cache, fastcall
from nbgraph.engine import handle
from nbgraph.kernels.compiler import entry as kernel_entry
from nbgraph.settings import config

# name, check for its presence, function that builds it
PARTS: tuple[tuple[str, Callable[[], bool], Callable[[], object]], ...] = (
    ("the engine's core", handle.ready, lambda: handle.core_unit(quiet=True)),
)
# compiled functions through which Python calls kernels; about 0.1 s
ENTRIES: tuple[Callable[[], int], ...] = (
    fastcall.code,
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
    compile_everyday_kernels()
    return 0


def compile_everyday_kernels() -> None:
    """Run what nearly every program does: fills, arithmetic, sums, means, and their gradients."""
    import nbgraph as ng

    def run(total: Callable[[Any], Any], apply: Callable[[Any, Any], Any], dtype: str) -> None:
        x, y = ng.ones(16, dtype), ng.ones(16, dtype)
        ng.value_and_grad(lambda x: total(apply(x, 2.0)))(x)
        ng.value_and_grad(lambda x: total(apply(x, x)))(x)
        ng.value_and_grad(lambda x: total(apply(x, y)))(x)
        ng.value_and_grad(lambda x, y: total(apply(x, y)), (0, 1))(x, y)

    arithmetic = (operator.add, operator.sub, operator.mul, operator.truediv)
    for case in itertools.product((ng.sum, ng.mean), arithmetic, ("float32", "float64")):
        run(*case)
    ng.waitall()


if __name__ == "__main__":
    sys.exit(main())
