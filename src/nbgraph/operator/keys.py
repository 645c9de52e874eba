"""The words that draws inside of a scalar function are made of: its last operand, `key`.

A call makes one word of 64 random bits for each element of its result, by the operator of
`ng.random.integers`; so graphs, traces and devices have them as they have any draw.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.operator import registry
from nbgraph.settings import config


def words(values: Sequence[Any], key: Any) -> Any:
    """Return the words for what `values` give together.

    Parameters
    ----------
    values : sequence of arrays and numbers
        They say the shape, and in which world the words are.
    key : None, seed, numpy.random.Generator, numpy.random.SeedSequence or array of uint64
        What `ng.random` calls `rng`; an array holds the words themselves.

    >>> words([np.zeros((2, 1)), np.zeros(3), 0.5], key=7).shape
    (2, 3)
    """
    if getattr(key, "dtype", None) == np.uint64:
        return key
    arrays = [np.asarray(v) if isinstance(v, (list, tuple)) else v for v in values]
    arrays = [v for v in arrays if not isinstance(v, (bool, int, float))]
    draw: Any = registry.find("random_integers")
    options: dict[str, Any] = {"plain": True} if config.compiler == "python" else {}
    return draw.op(
        *(arrays or [np.zeros(())]),
        parameters=(0, 1 << 64),
        size=None,
        dtype=np.dtype("uint64"),
        device=None,
        rng=tuple(key) if isinstance(key, list) else key,
        endpoint=False,
        **options,
    )
