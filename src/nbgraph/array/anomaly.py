"""The search for the operator that produced the first NaN: `with ng.config(anomaly=1)`.

The results of every operator, forward and backward, are waited for and checked, so that the error
comes from the call. Operators that fill arrays with a number of the user's are not checked.
"""

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np


def clean(values: Iterable[Any]) -> bool:
    """Return whether no array or number among the values has a NaN; wait for them. Call this before
    the operator runs, as it may overwrite its operands."""
    return not any(_has_nan(value) for value in values)


def look(op: Any, operands: Sequence[Any], results: Sequence[Any]) -> None:
    """Raise FloatingPointError if a result has a NaN; wait for it."""
    if getattr(op, "constant", None) is not None:
        return
    for index, result in enumerate(results):
        if _has_nan(result):
            which = f"output {index} of " if len(results) > 1 else ""
            raise FloatingPointError(
                f"{op.__name__}: {which}the result has {_count(result)} NaN of {result.size} "
                f"elements, its operands ({_specs(operands)}) had none; look at the operands' "
                "values where the result is NaN (anomaly=1 looks at every operator)"
            )


def look_back(name: str, out_grads: Sequence[Any], gradients: Iterable[tuple[int, Any]]) -> None:
    """Raise FloatingPointError if a gradient of an operator has a NaN; wait for them."""
    for index, gradient in gradients:
        if _has_nan(gradient):
            raise FloatingPointError(
                f"backward of {name}: the gradient of operand {index} has {_count(gradient)} NaN "
                f"of {gradient.size} elements, the gradient of the result ({_specs(out_grads)}) "
                "had none; look at the operands' values where the gradient is NaN (anomaly=1 looks "
                "at every operator)"
            )


def _specs(values: Sequence[Any]) -> str:
    present = [v for v in values if v is not None]
    return ", ".join(
        f"{v.dtype}{list(v.shape)}" if hasattr(v, "shape") else repr(v) for v in present
    )


def _has_nan(value: Any) -> bool:
    if isinstance(value, float):
        return value != value
    if not hasattr(value, "_layout") or value.dtype.kind not in "fV":
        return False
    return bool(np.isnan(value.asnumpy()).any())


def _count(value: Any) -> int:
    return int(np.isnan(value.asnumpy()).sum())
