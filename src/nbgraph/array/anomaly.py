"""Looking for the operator that made the first NaN: `with ng.config(anomaly=1)`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np


def look(op: Any, operands: Sequence[Any], results: Sequence[Any]) -> None:
    """Wait for an operator's results; FloatingPointError where one has NaN and no operand has."""
    for index, result in enumerate(results):
        if _has_nan(result) and not any(_has_nan(value) for value in operands):
            which = f"output {index} of " if len(results) > 1 else ""
            shapes = ", ".join(
                f"{v.dtype}{list(v.shape)}" if hasattr(v, "shape") else repr(v) for v in operands
            )
            raise FloatingPointError(
                f"{op.__name__}: {which}the result has {_count(result)} NaN of {result.size} "
                f"elements, its operands ({shapes}) have none; look at the operands' values where "
                "the result is NaN (anomaly=1 looks at every operator)"
            )


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return value != value
    if not hasattr(value, "_layout") or value.dtype.kind not in "fV":
        return False
    return bool(np.isnan(value.asnumpy()).any())


def _count(value: Any) -> int:
    return int(np.isnan(value.asnumpy()).sum())
