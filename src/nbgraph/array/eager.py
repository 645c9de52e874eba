"""The quick way of `a + b`: layouts seen before, one compiled call, nothing worked out again.

A pair of layouts that has been through the general way twice gets a `Quick`: the engine's entry
with all that is fixed, and the free list its outputs come from. Whatever is not as usual (gradients
are recorded, an array stands on both sides, no free block, another engine) takes the general way.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from nbgraph.array import chunk
from nbgraph.array.layout import Layout
from nbgraph.engine.handle import Core
from nbgraph.engine.kernels import Kernels
from nbgraph.operator.call import call, recording
from nbgraph.settings import config

SMALL = 1 << 15  # bytes up to which any free block will do
_recorder = recording.get
_settings = config.variable.get
_frame = sys._getframe
_new = object.__new__
"""Sites known by code and instruction, so that a push need not look for user code again."""
_sites: dict[tuple[int, int], int] = {}


class Quick:
    """A kernel for two arrays of known layouts and an output of its own."""

    __slots__ = ("bound", "core", "count", "engine", "free", "head", "output", "steps", "takes")

    engine: Kernels
    core: Core
    bound: Callable[..., int]
    count: int
    head: tuple[int, ...]
    steps: tuple[int, ...]
    output: Layout
    free: list[chunk.Chunk]
    takes: Any


def library(name: str) -> Any:
    """An operator of the library, by name; its family loads now."""
    from nbgraph import ops

    return getattr(ops, name)


def binary(name: str, *, swapped: bool = False) -> Callable[..., Any]:
    """The method for an operator of two operands."""
    table: dict[Any, Any] = {}
    op: Any = None

    def method(self: Any, other: Any) -> Any:
        try:
            quick = table[self._layout, other._layout]
            if _recorder() is None:
                return quick(self, other)
        except (KeyError, AttributeError):
            pass
        return general(self, other)

    def general(self: Any, other: Any) -> Any:
        nonlocal op
        if not takes_part(other):
            return NotImplemented
        if op is None:
            op = library(name)
        operands = (other, self) if swapped else (self, other)
        return call(op, operands, {})

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method


def takes_part(other: Any) -> bool:
    """Whether a value may stand beside an array: other classes are asked first."""
    kind = type(other)
    priority = getattr(kind, "__nbgraph_priority__", None)
    if priority is not None:
        return True
    ufunc = getattr(kind, "__array_ufunc__", ...)
    return ufunc is not None


def in_place(name: str) -> Callable[..., Any]:
    """The method for `a op= b`: the result goes to the memory of `a`, seen through every view."""
    op: Any = None

    def method(self: Any, other: Any) -> Any:
        nonlocal op
        if op is None:
            op = library(name)
        call(op, (self, other), {}, self)
        return self

    method.__name__ = method.__qualname__ = f"in_place_{name}"
    return method


def unary(name: str) -> Callable[..., Any]:
    """The method for an operator of one operand."""
    op: Any = None

    def method(self: Any) -> Any:
        nonlocal op
        if op is None:
            op = library(name)
        return call(op, (self,), {})

    method.__name__ = method.__qualname__ = f"{name}_method"
    return method
