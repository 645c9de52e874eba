"""Leaves of expression graphs, which nothing computes: constants, and parameters.

Parameters have names, in namespaces, and outlive `clear`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of
from nbgraph.array.core import Array
from nbgraph.array.create import initial
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.nodes.node import FOREVER, GRAPH, RUN, NaryNodeOp

_COLONS = "::"  # a namespace and a name


class Leaf(NaryNodeOp):
    """A node whose value is set, not computed."""

    __slots__ = ()

    leaf = True

    def __init__(self, value: Any, *, trainable: bool, memoise: int, name: str | None) -> None:
        self._begin((), {})
        self._settle(value._layout)
        self._val, self.device, self.ready = value, value.device, True
        self.trainable, self.memoise = trainable and value._layout.floating, memoise
        self.name = name

    def hash(self) -> int:
        return id(self)

    def equal(self, other: Any) -> bool:
        return self is other

    def run_forward(self) -> None:
        """Do nothing: the value is there."""

    def run_backward(self) -> None:
        """Do nothing: a leaf has no children."""


class ConstantNode(Leaf):
    """A value without a gradient, memoised if its content is passed."""

    __slots__ = ("content",)

    def __init__(self, value: Any, *, content: Any = None, name: str | None = None) -> None:
        memoise = GRAPH if content is None else FOREVER
        super().__init__(value, trainable=False, memoise=memoise, name=name)
        self.content = content

    def type(self) -> str:
        return "const"

    def hash(self) -> int:
        return (
            id(self) if self.content is None else hash((self.shape, self.dtype.num, self.content))
        )

    def equal(self, other: Any) -> bool:
        return self is other or (self.content is not None and self.content == other.content)


class ParamNode(Leaf):
    """A named value that outlives the graphs built on it."""

    __slots__ = ()

    def __init__(self, value: Any, *, trainable: bool, name: str) -> None:
        super().__init__(value, trainable=trainable, memoise=RUN, name=name)

    def type(self) -> str:
        return "param"


def content_of(value: Any) -> Any:
    """Return what identifies a memoised constant: bytes of an array, an initialiser itself."""
    if isinstance(value, (bool, int, float, np.generic)):
        return type(value), repr(value)
    if callable(value) and not isinstance(value, Array):
        return value
    read = getattr(value, "asnumpy", None)
    data: Any = np.asarray(value) if read is None else read()
    return data.dtype.str, data.shape, data.tobytes()


def assign(target: Any, value: Any) -> None:
    """Write a value over a leaf's, broadcast and cast."""
    if value is not target:
        target[...] = value


class Parameters:
    """The parameters of one graph."""

    def __init__(self) -> None:
        self.by_name: dict[str, ParamNode] = {}
        self.namespace = ""

    def full(self, name: str) -> str:
        """Return the name with the current namespace; a name that has a namespace keeps it."""
        return (
            f"{self.namespace}{_COLONS}{name}" if self.namespace and _COLONS not in name else name
        )

    def get(
        self,
        name: str,
        shape: tuple[int, ...],
        dtype: np.dtype[Any],
        init: Any,
        device: Context,
        *,
        trainable: bool,
    ) -> tuple[ParamNode, bool]:
        """Return the parameter of that name, and whether it is new.

        Raises ShapeError or DTypeError where that parameter has another shape or dtype.
        """
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"param: name={name!r}; expected a text that is not empty")
        full = self.full(name)
        param = self.by_name.get(full)
        if param is None:
            value = initial(f"param {full!r}", shape, dtype, init, device)
            param = self.by_name[full] = ParamNode(value, trainable=trainable, name=full)
            return param, True
        if param.shape != shape:
            raise ShapeError(
                f"param {full!r}: asked for with shape {shape}, but it has {param.shape}; use "
                "another name, or that shape"
            )
        if param.dtype != dtype:
            raise DTypeError(
                f"param {full!r}: asked for with dtype {dtype}, but it has {param.dtype}; use "
                "another name, or that dtype"
            )
        param.trainable = trainable and param._layout.floating
        return param, False

    def chosen(self, dtype: Any = None) -> dict[str, ParamNode]:
        """Return the parameters of a dtype, or all, by name."""
        chosen_dtype = None if dtype is None else np.dtype(dtype)
        return {
            n: p for n, p in self.by_name.items() if chosen_dtype is None or p.dtype == chosen_dtype
        }

    def __iter__(self) -> Iterator[ParamNode]:
        return iter(tuple(self.by_name.values()))

    def copy_from(
        self, other: Parameters, enter: Callable[[ParamNode], Any], device: Context
    ) -> None:
        """Copy the parameters of another graph, by name, on a device; create missing ones."""
        for theirs in other:
            full = str(theirs.name)
            mine = self.by_name.get(full)
            if mine is None:
                value = copy_of(theirs.val, device=device)
                mine = ParamNode(value, trainable=theirs.trainable, name=full)
                self.by_name[full] = mine
                enter(mine)
            elif mine.shape != theirs.shape or mine.dtype != theirs.dtype:
                raise ShapeError(
                    f"copy_params: {full!r} is {mine.dtype}{list(mine.shape)} here, "
                    f"{theirs.dtype}{list(theirs.shape)} there; parameters of one name must agree"
                )
            else:
                assign(mine.val, theirs.val.to_device(device))
