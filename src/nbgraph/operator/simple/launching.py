"""The launch of a GPU kernel: blocks, threads per block, bytes of shared memory.

It is `(blocks, threads)` or `(blocks, threads, shared)`, each of the first two a number or up to
three; or a function of the shapes of the results and `env` that returns such a tuple; or part of
the kernel itself, `kernel[blocks, threads]`. By default there is one thread per element of the
largest result, 256 a block: such a kernel must check that `cuda.grid(1)` is within the array.
"""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from nbgraph.errors import ArgumentError
from nbgraph.kernels.compiler.handwritten import declared_shape

if TYPE_CHECKING:
    from nbgraph.operator.environment import EnvArguments
    from nbgraph.operator.simple.forms import Form

Axes = tuple[int, int, int]
Extents = tuple[Axes, Axes, int]  # blocks, threads, bytes of shared memory
Launch = Extents | Callable[..., Any] | None
THREADS = 256  # of a block by default
_MOST = 1024  # threads of a block, on every device
_DEEP = 64  # of these along the third axis
_BLOCKS = (1 << 31) - 1, 65535, 65535  # along each axis
_LARGEST = 48 << 10  # bytes of shared memory available by default


def read_launch(op: str, of: str, device: str, fn: Any, launch: Any, form: Form) -> Launch:
    """Return the option `launch` of `set_function` and `set_gradient`, or raise ArgumentError."""
    where = f"{op}: launch of the {of}"
    if launch is None:
        shape = declared_shape(fn) if device == "gpu" else None
        return None if shape is None else _extents(where, shape)
    if not callable(launch):
        return _extents(where, launch)
    try:
        inspect.signature(launch).bind(*form.results, None)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{where}: {getattr(launch, '__name__', launch)} does not take "
            f"({', '.join((*form.results, 'env'))}), the shapes of what is written and env"
        ) from None
    return launch


def extents_of(
    op: str, launch: Launch, shapes: Sequence[tuple[int, ...]], env: EnvArguments
) -> Extents:
    """Return the launch that writes arrays of these shapes.

    >>> extents_of("f", None, [(10, 100)], None)
    ((4, 1, 1), (256, 1, 1), 0)
    """
    if launch is None:
        count = max(map(math.prod, shapes))
        return (-(-count // THREADS), 1, 1), (THREADS, 1, 1), 0
    if callable(launch):
        return _extents(f"{op}: the launch function", launch(*shapes, env))
    return launch


def _extents(where: str, shape: Any) -> Extents:
    parts: tuple[Any, ...] = tuple(shape) if isinstance(shape, (tuple, list)) else ()
    if len(parts) in (2, 3):
        blocks, threads = _axes(parts[0]), _axes(parts[1])
        shared = parts[2] if len(parts) == 3 else 0
        fits = isinstance(shared, int) and 0 <= shared <= _LARGEST
        fits = fits and all(n <= most for n, most in zip(blocks or (), _BLOCKS, strict=False))
        if blocks and threads and math.prod(threads) <= _MOST and threads[2] <= _DEEP and fits:
            return blocks, threads, shared
    raise ArgumentError(
        f"{where} is {shape!r}; expected (blocks, threads) or (blocks, threads, shared bytes), "
        f"blocks and threads numbers from 1 or up to three of them, at most {_MOST} threads "
        f"({_DEEP} along the third axis), {_BLOCKS[1]} blocks along the second and third axis and "
        f"{_LARGEST} bytes"
    )


def _axes(value: Any) -> Axes | None:
    listed = list(value) if isinstance(value, (tuple, list)) else [value]
    good = all(isinstance(n, int) and not isinstance(n, bool) and n > 0 for n in listed)
    if not good or not 1 <= len(listed) <= 3:
        return None
    x, y, z = (*listed, 1, 1)[:3]
    return x, y, z
