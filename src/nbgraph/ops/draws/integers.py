"""Random integers within bounds, by the names of NumPy's Generator."""

from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, DTypeError
from nbgraph.ops.define import public
from nbgraph.ops.draws.drawing import drawn, parameter, with_random_docs
from nbgraph.ops.draws.fills import INTEGERS


@public(INTEGERS, "random_randint")
@with_random_docs
def integers(
    low: Any,
    high: Any = None,
    size: Any = None,
    dtype: Any = "int64",
    endpoint: bool = False,
    *,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Random integers from `low` to `high`, excluding `high`. Their probabilities differ from each
    other by at most the relative amount 2**-32.

    low, high : numbers, or arrays that broadcast; a single one is `high`, and low is 0
    endpoint : whether `high` is included
    >>> import nbgraph as ng
    >>> x = ng.random.integers(6, size=100) + 1
    >>> int(x.min()) >= 1, int(x.max()) <= 6
    (True, True)
    """
    name = "random.integers"
    low, high = (0, low) if high is None else (low, high)
    bounds = [whole_number(name, "low", low), whole_number(name, "high", high)]
    known = as_dtype(dtype)
    if known.kind not in "iub":
        raise DTypeError(f"{name}: dtype={known}; expected an integer one, or bool")
    _require_range(name, bounds, known, endpoint=bool(endpoint))
    return drawn(
        INTEGERS, bounds, size=size, dtype=known, device=device, rng=rng, endpoint=bool(endpoint)
    )


def whole_number(name: str, argument: str, value: Any) -> Any:
    """Return a parameter that is an integer, or an array of integers."""
    number = parameter(name, argument, value)
    if isinstance(number, float) and number.is_integer():
        return int(number)
    if isinstance(number, float) or getattr(number, "dtype", np.dtype(int)).kind not in "iub":
        raise ArgumentError(f"{name}: {argument}={value!r}; expected whole numbers")
    return number


def _require_range(name: str, bounds: list[Any], dtype: np.dtype[Any], *, endpoint: bool) -> None:
    """Raise ValueError if known bounds leave no number, or one that does not fit."""
    low, high = bounds
    if not all(isinstance(b, (int, np.ndarray)) for b in bounds):
        return
    # arrays of Python's numbers, which do not overflow
    least, last = [b.astype(object) if isinstance(b, np.ndarray) else b for b in bounds]
    last = last if endpoint else last - 1
    if _any(last < least):
        what = "high >= low" if endpoint else "high > low"
        raise ValueError(f"{name}: low={low!r}, high={high!r}; expected {what}")
    smallest, most = (0, 1) if dtype.kind == "b" else (np.iinfo(dtype).min, np.iinfo(dtype).max)
    if _any(least < smallest) or _any(last > most):
        raise ValueError(
            f"{name}: low={low!r}, high={high!r}: {dtype} holds {smallest} to {most}; give bounds "
            "within, or another dtype"
        )


def _any(test: Any) -> bool:
    return bool(test.any()) if isinstance(test, np.ndarray) else test
