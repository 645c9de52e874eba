"""Parameters of an expression graph: named, in namespaces, by dtype; they outlive `clear`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from nbgraph.array.copying import copy_of
from nbgraph.device import Context
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.nodes.leaves import ParamNode, assign, initial

_BETWEEN = "::"  # a namespace and a name


class Parameters:
    """The parameters of one graph."""

    def __init__(self) -> None:
        self.by_name: dict[str, ParamNode] = {}
        self.namespace = ""

    def full(self, name: str) -> str:
        """The name with the namespace in force; a name that has one keeps it."""
        return (
            f"{self.namespace}{_BETWEEN}{name}" if self.namespace and _BETWEEN not in name else name
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
        """The parameter of that name, and whether it was made now.

        Raises ShapeError or DTypeError where there is another one of that name.
        """
        if not isinstance(name, str) or not name:
            raise ArgumentError(f"param: name={name!r}; expected a text that is not empty")
        full = self.full(name)
        found = self.by_name.get(full)
        if found is None:
            value = initial(f"param {full!r}", shape, dtype, init, device)
            found = self.by_name[full] = ParamNode(value, trainable=trainable, name=full)
            return found, True
        if found.shape != shape:
            raise ShapeError(
                f"param {full!r}: asked for with shape {shape}, but it has {found.shape}; use "
                "another name, or that shape"
            )
        if found.dtype != dtype:
            raise DTypeError(
                f"param {full!r}: asked for with dtype {dtype}, but it has {found.dtype}; use "
                "another name, or that dtype"
            )
        found.trainable = trainable and found._layout.floating
        return found, False

    def chosen(self, dtype: Any = None) -> dict[str, ParamNode]:
        """Those of a dtype, or all, by name."""
        wanted = None if dtype is None else np.dtype(dtype)
        return {n: p for n, p in self.by_name.items() if wanted is None or p.dtype == wanted}

    def __iter__(self) -> Iterator[ParamNode]:
        return iter(tuple(self.by_name.values()))

    def copy_from(
        self, other: Parameters, enter: Callable[[ParamNode], Any], device: Context
    ) -> None:
        """The values of another graph's parameters, by name; those that are not here are made, on
        a device."""
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
