"""Functions that NumPy itself computes, on values or on layouts, and those that are refused."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.ops.dispatch.host import on_host, on_layouts, on_values, replaced
from nbgraph.ops.dispatch.table import Function

# integer results, or those that do not depend smoothly on operands
_CONSTANT = """
    histogram histogram2d histogramdd histogram_bin_edges lexsort nanargmax nanargmin
    packbits unpackbits ravel_multi_index unravel_index bitwise_count spacing
"""
_REFUSED_GRADIENT = """
    frexp i0 intersect1d poly polydiv polyfit roots setdiff1d setxor1d sort_complex union1d
"""
_VALUES = """
    allclose array_equal array_equiv array2string array_repr array_str min_scalar_type save savetxt
    savez savez_compressed
"""
_LAYOUTS = "can_cast common_type einsum_path iscomplexobj isrealobj result_type"
_DATES = "busday_count busday_offset datetime_as_string is_busday isnat"
# with like=x: made by NumPy, then an array like x
_CREATION = """
    arange array asanyarray asarray ascontiguousarray asfortranarray empty eye frombuffer fromfile
    fromfunction fromiter fromstring full genfromtxt identity loadtxt ones require tri zeros
"""


def _refuse(name: str, *args: Any, **kwargs: Any) -> Any:
    raise ArgumentError(
        f"np.{name}: dates and times are not numbers that arrays of ng hold; use NumPy arrays"
    )


def _refuse_like(name: str, *args: Any, **kwargs: Any) -> Any:
    raise ArgumentError(
        f"np.{name}: like= takes an array that has a place, and a symbol has none; use a function "
        "of ng"
    )


def _memory(function: Callable[..., Any], *args: Any, **kwargs: Any) -> bool:
    """Return whether arrays share memory, compared by views if a carrier has memory."""
    views = replaced(list(args), lambda x: x._view() if hasattr(x, "_view") else np.empty(0))
    return bool(function(*views, **kwargs))


def _row(how: str, gradient: str, run: Callable[..., Any], name: str) -> Function:
    function = getattr(np, name)

    def call(*args: Any, **kwargs: Any) -> Any:
        return run(function, args, kwargs)

    return Function(how, gradient, call)


def _existing(names: str) -> list[str]:
    """Return the names that this NumPy has."""
    return [name for name in names.split() if hasattr(np, name)]


CREATION = frozenset(_CREATION.split())
FUNCTIONS: dict[str, Function] = {
    **{n: _row("host", "constant", on_host, n) for n in _existing(_CONSTANT)},
    **{
        n: _row("host", "refused", functools.partial(on_host, gradient="refused"), n)
        for n in _existing(_REFUSED_GRADIENT)
    },
    **{n: _row("values", "constant", on_values, n) for n in _existing(_VALUES)},
    **{n: _row("layout", "constant", on_layouts, n) for n in _existing(_LAYOUTS)},
    **{n: Function("refused", "refused", functools.partial(_refuse, n)) for n in _DATES.split()},
    **{n: Function("host", "constant", functools.partial(_refuse_like, n)) for n in CREATION},
    **{
        n: Function("layout", "constant", functools.partial(_memory, getattr(np, n)))
        for n in ("may_share_memory", "shares_memory")
    },
}
