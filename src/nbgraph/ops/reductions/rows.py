"""Row programs that are sums, products, means, deviations and norms: see `kernels.loops.rows`."""

from __future__ import annotations

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


def _row_op(name: str, totals: Any, result: Any) -> RowOp:
    return RowOp.of(name, "x", totals, [Result(result, row=True)])


_SUM = _row_op("sum", {"total": ("add", _element)}, _total)
_PROD = _row_op("prod", {"total": ("multiply", _element)}, _total)
_MEAN = _row_op("mean", {"total": ("add", _element)}, _mean)
_AWAY = {"total": ("add", _element), "spread": ("add", _spread)}
_DEVIATIONS = {"var": _row_op("var", _AWAY, _variance), "std": _row_op("std", _AWAY, _deviation)}
_POWERS = _row_op("vector_norm", {"total": ("add", _power)}, _rooted)
_NORMS = {
    0.0: _row_op("vector_norm", {"total": ("add", _nonzero)}, _total),
    1.0: _row_op("vector_norm", {"total": ("add", _size)}, _total),
    2.0: _row_op("vector_norm", {"total": ("add", _square)}, _root),
    math.inf: _row_op("vector_norm", {"total": ("max", _size)}, _total),
    -math.inf: _row_op("vector_norm", {"total": ("min", _size)}, _total),
}


def _alone(op: RowOp) -> Callable[[Attributes], tuple[RowOp, Attributes]]:
    return lambda attributes: (op, {})


sum_rows, product_rows, mean_rows = map(_alone, (_SUM, _PROD, _MEAN))


def deviation_rows(name: str, attributes: Attributes) -> tuple[RowOp, Attributes]:
    """Of `var` and `std`."""
    return _DEVIATIONS[name], {"correction": attributes["correction"]}


def norm_rows(attributes: Attributes) -> tuple[RowOp, Attributes]:
    """Of `vector_norm`."""
    program = _NORMS.get(attributes["ord"])
    return (_POWERS, {"ord": attributes["ord"]}) if program is None else (program, {})
