"""Reductions over all axes but some."""

from __future__ import annotations

from typing import Any

from nbgraph.ops.define import as_known, axes_of, composed, deferrable, hashable_axis, library


@composed("x")
@deferrable()
def reduce_others(x: Any, reduction: str, axis: Any = None, **how: Any) -> Any:
    """A reduction over all axes but these: what `exclude=True` asks for.

    Parameters
    ----------
    x : array
    reduction : the name of one, as "sum"
    axis : int or several ints; with None, or none, it is over all axes, as in MXNet
    **how : its other parameters

    >>> reduce_others([[1, 2], [3, 4]], "sum", 0)
    array([3, 7])
    """
    x, axis = as_known(reduction, x), hashable_axis(reduction, axis)
    stay = () if axis is None else axes_of(reduction, axis, len(x.shape))
    rest = tuple(d for d in range(len(x.shape)) if d not in stay)
    return getattr(library, reduction)(x, rest, **how)
