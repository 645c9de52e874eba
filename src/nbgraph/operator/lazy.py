"""Classes of arrays that hold others as their chunks, and compute later."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Mapping
from typing import Any

import numpy as np


@functools.cache
def leads(kind: type[Any]) -> bool:
    """Whether a class carries operators out block by block, ours among them: Dask's arrays.

    Dask takes only chunks that it was told of, so it is told of NDArrays here, the first time that
    one of its arrays meets an array of ours.
    """
    if not kind.__module__.startswith("dask.array") or kind.__name__ != "Array":
        return False
    ndarray = importlib.import_module("nbgraph.array").NDArray
    importlib.import_module("dask.array").register_chunk_type(ndarray)
    return True


def forwarded(name: str, other: Any, operands: tuple[Any, Any]) -> Any:
    """Return what an operator of the language gives beside a value that takes no part in ours: a
    lazy array, which may have declined before it was told of our class; else NotImplemented."""
    if not leads(type(other)):
        return NotImplemented
    return other.__array_ufunc__(getattr(np, name), "__call__", *operands)


def bound(op: Any, parameters: Mapping[str, Any]) -> Any:
    """Return an operator with parameters as a function of its operands alone, as Dask maps it."""
    made: Any = functools.partial(op, **parameters)
    made.signature, made.nout, made.__name__ = None, op.nout, op.__name__
    return made
