"""NumPy's methods of arrays, each an operator of the library."""

from __future__ import annotations


class Methods:
    """What is called as a method."""

    __slots__ = ()
