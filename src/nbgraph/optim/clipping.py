"""Gradients kept within bounds. Optimizers do it within a step: `clip_value`, `clip_norm`."""

from __future__ import annotations

from typing import Any

from nbgraph.array.carry import writable
from nbgraph.errors import ArgumentError
from nbgraph.operator.decorator import op
from nbgraph.ops.updates import rules
from nbgraph.optim.norms import Norms
from nbgraph.optim.parameters import named, require_weight
from nbgraph.optim.rows import Row, Rows, Slot


@op(certify=False)
def _bounded(x: Any, bound: Any) -> Any:
    return rules.bounded(x, bound)


@op(certify=False)
def _scaled(x: Any, factor: Any) -> Any:
    return x * factor


def _arrays(name: str, grads: Any) -> list[Any]:
    found = {key: grad for key, grad in named(name, grads, "grads").items() if grad is not None}
    for key, grad in found.items():
        require_weight(name, key, grad)
    if not found:
        raise ArgumentError(f"{name}: no gradients were given; expected one or more arrays")
    return [grad for grad in found.values() if grad.size]


def global_norm(grads: Any) -> Any:
    """The norm of all arrays together, as one array of shape () and dtype float64; does not wait.

    `grads`: a list or dict of NDArrays, or an object with parameters().

    >>> import nbgraph as ng
    >>> global_norm([ng.array([3.0]), ng.array([[4.0]])])
    array(5.)
    """
    norms = Norms("global_norm", [Slot("grad", grad) for grad in _arrays("global_norm", grads)])
    norms.run(joint=True)
    return norms.norm


def clip_by_norm(grads: Any, limit: float) -> Any:
    """Scale arrays in place so that their norm, all together, is at most `limit`; returns the norm
    that they had, without waiting.

    >>> import nbgraph as ng
    >>> g = [ng.array([3.0]), ng.array([4.0])]
    >>> clip_by_norm(g, 1.0), round(float(g[0][0]), 5)
    (array(5.), 0.6)
    """
    if not limit > 0:
        raise ArgumentError(f"clip_by_norm: limit={limit!r}; expected a number above 0")
    arrays = _arrays("clip_by_norm", grads)
    for array in arrays:
        writable("clip_by_norm", array, "grads")
    norms = Norms("clip_by_norm", [Slot("grad", array) for array in arrays])
    norms.limit.value = float(limit)
    norms.run(joint=True)
    wide = [norms.factor["float64" if a.dtype.itemsize == 8 else "float32"] for a in arrays]
    _write([Row(_scaled, [a, f], [a]) for a, f in zip(arrays, wide, strict=True)], arrays)
    return norms.norm


def clip_by_value(grads: Any, bound: float) -> None:
    """Bring every element of some arrays between -bound and bound, in place.

    >>> import nbgraph as ng
    >>> g = ng.array([0.5, -3.0])
    >>> clip_by_value([g], 1.0)
    >>> g
    array([ 0.5, -1. ], dtype=float32)
    """
    if not bound > 0:
        raise ArgumentError(f"clip_by_value: bound={bound!r}; expected a number above 0")
    arrays, most = _arrays("clip_by_value", grads), Slot("bound", float(bound))
    for array in arrays:
        writable("clip_by_value", array, "grads")
    _write([Row(_bounded, [a, most], [a]) for a in arrays], arrays)


def _write(rows: list[Row], arrays: list[Any]) -> None:
    Rows("clip", rows).run()
    for array in arrays:
        array._chunk.writes += 1
