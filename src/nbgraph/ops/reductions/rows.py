"""Row programs of sums, extremes, means, deviations and norms: see `kernels.loops.rows`."""

import functools
import math
from collections.abc import Callable
from typing import Any

from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result
from nbgraph.operator.spec import Attributes

_element = lambda x: x
_square = lambda x: x * x
_nonzero = lambda x: 0.0 if x == 0 else 1.0
_spread = lambda x, total, count: (x - total / count) * (x - total / count)
_total = lambda total: total
_mean = lambda total, count: total / count
_variance = lambda spread, count, *, correction=0.0: spread / max(count - correction, 0.0)


def _deviation(spread, count, *, correction=0.0):
    return math.sqrt(spread / max(count - correction, 0.0))


def _power(x, *, ord=1.0):
    return abs(x) ** ord


def _rooted(total, *, ord=1.0):
    return total ** (1 / ord)


def _size(x):
    return abs(x)


def _root(total):
    return math.sqrt(total)


# operator name and order of a norm -> totals, and the result of a row
_PROGRAMS: dict[tuple[str, float | None], tuple[Any, Callable[..., Any]]] = {
    ("sum", None): ({"total": ("add", _element)}, _total),
    ("prod", None): ({"total": ("multiply", _element)}, _total),
    ("max", None): ({"total": ("max", _element)}, _total),
    ("min", None): ({"total": ("min", _element)}, _total),
    ("mean", None): ({"total": ("add", _element)}, _mean),
    ("var", None): ({"total": ("add", _element), "spread": ("add", _spread)}, _variance),
    ("std", None): ({"total": ("add", _element), "spread": ("add", _spread)}, _deviation),
    ("vector_norm", None): ({"total": ("add", _power)}, _rooted),
    ("vector_norm", 0.0): ({"total": ("add", _nonzero)}, _total),
    ("vector_norm", 1.0): ({"total": ("add", _size)}, _total),
    ("vector_norm", 2.0): ({"total": ("add", _square)}, _root),
    ("vector_norm", math.inf): ({"total": ("max", _size)}, _total),
    ("vector_norm", -math.inf): ({"total": ("min", _size)}, _total),
}


@functools.cache
def _row_op(name: str, order: float | None = None) -> RowOp:
    totals, result = _PROGRAMS[name, order]
    return RowOp.of(name, "x", totals, [Result(result, row=True)])


def plain_rows(name: str) -> Callable[[Attributes], tuple[RowOp, Attributes]]:
    """Return a function of attributes that returns a row program without parameters."""
    return lambda attributes: (_row_op(name), {})


sum_rows, product_rows, mean_rows = map(plain_rows, ("sum", "prod", "mean"))


def deviation_rows(name: str, attributes: Attributes) -> tuple[RowOp, Attributes]:
    """Return the row program of `var` or `std`."""
    return _row_op(name), {"correction": attributes["correction"]}


def norm_rows(attributes: Attributes) -> tuple[RowOp, Attributes]:
    """Return the row program of `vector_norm`."""
    order = attributes["ord"]
    if ("vector_norm", order) in _PROGRAMS:
        return _row_op("vector_norm", order), {}
    return _row_op("vector_norm"), {"ord": order}
