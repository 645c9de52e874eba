"""What the machine says of its memory."""

from __future__ import annotations

import functools
import os
from pathlib import Path

_MEMINFO = Path("/proc/meminfo")


@functools.cache
def total() -> int | None:
    """Bytes of memory of the machine, or None where it does not say.

    >>> total() is None or total() > 2**20
    True
    """
    return _pages("SC_PHYS_PAGES")


def available() -> int | None:
    """Bytes that could be allocated without swapping, or None where the machine does not say.

    >>> available() is None or available() > 0
    True
    """
    free = _meminfo("MemAvailable:")  # and caches that would be dropped
    return _pages("SC_AVPHYS_PAGES") if free is None else free


@functools.cache
def most() -> int | None:
    """Bytes that all processes can have, with swap space, or None where the machine does not say.

    >>> most() is None or most() >= total()
    True
    """
    return _meminfo("MemTotal:", "SwapTotal:")


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


def _pages(name: str) -> int | None:
    try:
        count, size = os.sysconf(name), os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):  # a system without sysconf, or without the name
        return None
    return count * size if count > 0 else None
