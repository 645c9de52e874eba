"""Values that stand beside arrays: NumPy arrays become constants, Python numbers stay weak."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array import chunk
from nbgraph.array.core import Array, from_host
from nbgraph.device import Context
from nbgraph.operator.lazy import is_lazy, refuse_foreign
from nbgraph.operator.typing import as_operand


def lift(op: str, names: Sequence[str], values: Sequence[Any], *, weak: bool = True) -> list[Any]:
    """Return operands of an operator: NDArrays, and Python numbers (weak).

    NumPy arrays, NumPy scalars and lists are copied to the arrays' device. Where no array is
    among them (a list in `ng.nd.add`), or `weak` is False, numbers become arrays too.
    """
    if all(isinstance(v, Array) for v in values):
        return list(values)
    if any(getattr(v, "stands_for_array", False) or is_lazy(v) for v in values):
        return list(values)  # they are lifted where a trace, or Dask, takes the call
    device = next((v._chunk.device for v in values if isinstance(v, Array)), chunk.CPU)
    alone = not weak or not any(isinstance(v, (Array, np.ndarray, np.generic)) for v in values)
    lifted: list[Any] = []
    for i, value in enumerate(values):
        if isinstance(value, Array) or hasattr(value, "tocsr"):  # of scipy.sparse: as it is
            lifted.append(value)
            continue
        name = names[i] if i < len(names) else f"operand {i}"
        refuse_foreign(op, name, value)
        operand = as_operand(op, name, value)
        if isinstance(operand, np.ndarray):
            lifted.append(constant(operand, device))
        else:
            lifted.append(constant(np.asarray(operand), device) if alone else operand)
    return lifted


def constant(value: np.ndarray[Any, Any], device: Context) -> Array:
    """Return a NumPy array by value, as an array."""
    return from_host(value, device)
