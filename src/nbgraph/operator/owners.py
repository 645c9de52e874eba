"""Memory of NumPy arrays that pushed work uses, too: a call on them waits for its turn.

Memory shared between arrays and other libraries (borrowed by `ng.asarray`, lent by DLPack) is
entered here while it is shared. Calls on NumPy arrays look only when something is entered.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import numpy as np

# key -> first address, the one after the last, and what waits for the work on that memory
OWNED: dict[int, tuple[int, int, Callable[[], None]]] = {}


def enter(key: int, start: int, nbytes: int, wait: Callable[[], None]) -> None:
    """Make calls on NumPy arrays within this memory call `wait()` first from now on.

    >>> x = np.zeros(3)
    >>> enter(-1, x.ctypes.data, x.nbytes, lambda: print("waits"))
    >>> wait_for([x[1:], np.zeros(3)])
    waits
    >>> leave(-1)
    """
    OWNED[key] = start, start + nbytes, wait


def leave(key: int) -> None:
    """End the sharing of the memory; nothing happens if it was not shared."""
    OWNED.pop(key, None)


def wait_for(arrays: Iterable[Any]) -> None:
    """Wait for the work on the memory of those that are NumPy arrays."""
    for array in arrays:
        if not isinstance(array, np.ndarray) or not array.size:
            continue
        low, high = np.lib.array_utils.byte_bounds(array)
        for start, stop, wait in list(OWNED.values()):
            if low < stop and start < high:
                wait()
