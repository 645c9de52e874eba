"""Whether arrays hold nothing but numbers, by MXNet's names."""

from __future__ import annotations

from typing import Any

from nbgraph.operator.registry import register
from nbgraph.ops.define import as_array, composed, library


@composed("data")
def all_finite(data: Any, *, init_output: bool = True, out: Any = None) -> Any:
    """1 where all elements are finite, else 0.

    Parameters
    ----------
    data : array
    init_output : whether the result is that of this array alone; else it is 0 where `out` was
    out : array (1,) to write to, optional

    Returns
    -------
    array (1,) of float32; a constant for derivatives

    >>> all_finite([1.0, float("inf")])
    array([0.], dtype=float32)
    """
    return multi_all_finite(data, init_output=init_output, out=out)


@register
def multi_all_finite(
    *data: Any, num_arrays: int | None = None, init_output: bool = True, out: Any = None
) -> Any:
    """`all_finite` of several arrays together.

    Parameters
    ----------
    *data : arrays
    num_arrays : ignored, as MXNet's scripts give it
    init_output, out : as those of `all_finite`

    Returns
    -------
    array (1,) of float32

    >>> multi_all_finite([1.0], [float("nan")])
    array([0.], dtype=float32)
    """
    before = () if init_output or out is None else (out,)
    parts = [library.all(library.isfinite(as_array(x))) for x in data]
    parts += [library.all(library.not_equal(x, 0)) for x in before]
    found, *rest = (library.reshape(part, (1,)) for part in parts)
    for part in rest:
        found = library.logical_and(found, part)
    made = library.astype(found, "float32")
    if out is None:
        return made
    out[...] = made
    return out
