"""Looking at values and gradients as a graph runs: the first NaN, and messages of `debug`."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np

from nbgraph.array.chunk import CPU
from nbgraph.array.copying import copy_of
from nbgraph.dtype import is_float
from nbgraph.engine.inline import in_charge
from nbgraph.engine.thread import here
from nbgraph.ops.debug import figures, turn


def require_clean(node: Any, array: Any, what: str) -> None:
    """FloatingPointError where an array has a NaN; waits for it."""
    if array is None or not is_float(array.dtype) or not array.size:
        return
    count = int(np.isnan(array.asnumpy()).sum())
    if not count:
        return
    children = ", ".join(f"{c.id} {c.type()}{list(c.shape)}" for c in node.children) or "none"
    raise FloatingPointError(
        f"{what} has {count} NaN of {array.size} elements: node type {node.type()!r}, shape "
        f"{node.shape}, name {node.name or 'none'}, id {node.id}, hash "
        f"{node.hash() & (2**64 - 1):#x}, children: {children}; look at the values of the children"
    )


def tell(node: Any, array: Any, what: str) -> None:
    """Push a line about an array: shape, least, largest, length; lines keep the order of pushes."""
    if not array.device.host:  # who asks for a line asks for the values
        array = copy_of(array, device=CPU)
    message, view = node.message, array._view()
    label = f"{message}: {what} of {node!r}"

    def line(run_ctx: object) -> None:
        sys.stdout.write(f"{label}: {figures(view)}\n")

    turns = [turn()] if here.running is None else []
    in_charge().push(line, const_vars=[array._chunk], mutate_vars=turns, name="debug")
