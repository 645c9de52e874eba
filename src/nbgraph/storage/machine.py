"""The machine's memory: its size, and how much of it is available."""

import functools
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")


@functools.cache
def total() -> int | None:
    """Return the bytes of the machine's memory and swap space, or None where unknown.

    >>> total() is None or total() > 2**20
    True
    """
    return _meminfo("MemTotal:", "SwapTotal:")


def available() -> int | None:
    """Return the bytes that could be allocated without swapping, or None where unknown.

    >>> available() is None or available() > 0
    True
    """
    return _meminfo("MemAvailable:")  # free, and caches that would be dropped


def _meminfo(*names: str) -> int | None:
    try:
        lines = _MEMINFO.read_text(encoding="ascii").splitlines()
        values = [int(line.split()[1]) * 1024 for line in lines if line.startswith(names)]
    except (OSError, ValueError, IndexError):  # not Linux
        return None
    return sum(values) if len(values) == len(names) else None


def scarce(percent: int) -> bool:
    """Return whether less than a percentage of the machine's memory is available.

    >>> scarce(0)
    False
    """
    if not percent:
        return False
    free, all_of_it = available(), total()
    return free is not None and all_of_it is not None and free < all_of_it * percent // 100
