"""Leaves of expression graphs: constants and parameters. Nothing computes them."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.nodes.node import FOREVER, GRAPH, RUN, NaryNodeOp
from nbgraph.ops.elementwise.casting import astype
from nbgraph.ops.shapes.shape import broadcast_to


class Leaf(NaryNodeOp):
    """A node whose value is given."""

    __slots__ = ()

    leaf = True

    def __init__(self, value: Any, *, trainable: bool, memoise: int, name: str | None) -> None:
        self._begin((), {})
        self._settle(value._layout)
        self._val, self.device, self.ready = value, value.device, True
        self.trainable, self.memoise = trainable and value._layout.floating, memoise
        self.name = name

    def hash(self) -> int:
        """See NaryNodeOp."""
        return id(self)

    def equal(self, other: Any) -> bool:
        """A leaf is itself only."""
        return self is other

    def run_forward(self) -> None:
        """The value is there."""

    def run_backward(self) -> None:
        """It has no children."""


class ConstantNode(Leaf):
    """A value that no gradient flows to; memoised with its content, if asked for."""

    __slots__ = ("content",)

    def __init__(self, value: Any, *, content: Any = None, name: str | None = None) -> None:
        memoise = GRAPH if content is None else FOREVER
        super().__init__(value, trainable=False, memoise=memoise, name=name)
        self.content = content

    def type(self) -> str:
        """See NaryNodeOp."""
        return "const"

    def hash(self) -> int:
        """Of the content."""
        return (
            id(self) if self.content is None else hash((self.shape, self.dtype.num, self.content))
        )

    def equal(self, other: Any) -> bool:
        """Whether the content is the same."""
        return self is other or (self.content is not None and self.content == other.content)


class ParamNode(Leaf):
    """A named value that outlives the graphs built on it."""

    __slots__ = ()

    def __init__(self, value: Any, *, trainable: bool, name: str) -> None:
        super().__init__(value, trainable=trainable, memoise=RUN, name=name)

    def type(self) -> str:
        """See NaryNodeOp."""
        return "param"


def initial(who: str, shape: tuple[int, ...], dtype: Any, init: Any, device: Context) -> Any:
    """A new array of that shape and dtype: a number, an array, or what `init(shape, dtype)` gives.

    >>> import numpy as np, nbgraph as ng
    >>> initial("w", (2,), np.dtype("float32"), lambda shape, dtype: np.ones(shape), ng.cpu())
    array([1., 1.], dtype=float32)
    """
    value = init(shape, dtype) if callable(init) and not isinstance(init, Array) else init
    if value is None:
        raise ArgumentError(
            f"{who}: init is None; give a number, an array, or a function of shape and dtype"
        )
    made: Any = array(value, device=device)
    if made.dtype != dtype:
        made = astype(made, dtype)
    if made.shape != shape:
        if made.size != 1:
            raise ShapeError(f"{who}: init has shape {made.shape}, expected {shape}")
        made = broadcast_to(made.reshape(()), shape).copy()
    return made


def content_of(value: Any) -> Any:
    """What a memoised constant is known by: bytes of an array, an initialiser itself."""
    if isinstance(value, (bool, int, float, np.generic)):
        return type(value), repr(value)
    if callable(value) and not isinstance(value, Array):
        return value
    read = getattr(value, "asnumpy", None)
    made: Any = np.asarray(value) if read is None else read()
    return made.dtype.str, made.shape, made.tobytes()


def assign(target: Any, value: Any) -> None:
    """Write a value over a leaf's, broadcast and cast."""
    if value is not target:
        target[...] = value
