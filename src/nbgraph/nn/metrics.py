"""How good outputs are: functions of a batch's outputs and targets, as arrays of one element.

Outputs and targets have shapes that belong together, else it is a ShapeError; a target that is no
class is a LabelError where the metric is waited for. None of them waits, so `fit` adds them up
without looking. Any function of that form is a metric;
the mean over an epoch counts each batch by its samples.

>>> import nbgraph as ng
>>> scores, labels = ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64")
>>> accuracy(scores, labels)
array(0.5, dtype=float32)
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.ops.define import library
from nbgraph.ops.losses.alike import require_alike, require_rows
from nbgraph.ops.losses.classes import zeros_of_classes
from nbgraph.settings import config


def _mean(values: Any) -> Any:
    return library.mean(library.astype(values, config.default_float))


def _none(name: str, out: Any, target: Any) -> Any:
    """0, and an error at the wait where a target is no class."""
    return _mean(zeros_of_classes(name, out, target))


def accuracy(out: Any, target: Any) -> Any:
    """The share of samples whose largest output along the last axis is at the target's class.

    Parameters
    ----------
    out : array (..., classes)
    target : array (...), classes from 0

    Returns
    -------
    array of shape (), of `ng.config.default_float`; nothing waits

    >>> import nbgraph as ng
    >>> accuracy(ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64"))
    array(0.5, dtype=float32)
    """
    require_rows("accuracy", "target", target, "out", out)
    return _mean(library.argmax(out, axis=-1) == target) + _none("accuracy", out, target)


def top_k(k: int) -> Callable[[Any, Any], Any]:
    """The metric that counts a sample if fewer than `k` classes have a larger output than its own.

    >>> import nbgraph as ng
    >>> top_k(2)(ng.array([[3.0, 2.0, 1.0]] * 2), ng.array([1, 2], "int64"))
    array(0.5, dtype=float32)
    """
    if k < 1:
        raise ArgumentError(f"top_k: k={k!r}; expected a whole number from 1 on")

    def metric(out: Any, target: Any) -> Any:
        require_rows(f"top_{k}", "target", target, "out", out)
        none = _none(f"top_{k}", out, target)
        place = library.expand_dims(library.astype(target, "int64"), -1)
        own = library.take_along_axis(out, place, axis=-1)
        larger = library.sum(library.astype(out > own, "int64"), axis=-1)
        return _mean(larger < k) + none

    metric.__name__ = f"top_{k}"
    return metric


def mse(out: Any, target: Any) -> Any:
    """The mean of squared differences.

    >>> import nbgraph as ng
    >>> mse(ng.array([1.0, 2.0]), ng.array([1.0, 4.0]))
    array(2., dtype=float32)
    """
    require_alike("mse", {"out": out, "target": target})
    return _mean(library.square(out - target))


def mae(out: Any, target: Any) -> Any:
    """The mean of absolute differences.

    >>> import nbgraph as ng
    >>> mae(ng.array([1.0, 2.0]), ng.array([1.0, 4.0]))
    array(1., dtype=float32)
    """
    require_alike("mae", {"out": out, "target": target})
    return _mean(library.absolute(out - target))


def cross_entropy(out: Any, target: Any) -> Any:
    """The mean of -log(softmax(out)) at the target's class.

    Parameters
    ----------
    out : array (samples, classes), scores
    target : array (samples,), classes from 0

    >>> import nbgraph as ng
    >>> cross_entropy(ng.array([[0.0, 0.0]]), ng.array([1], "int64"))  # log(2)
    array(0.6931472, dtype=float32)
    """
    return _mean(library.cross_entropy(out, target))


def confusion(out: Any, target: Any, classes: int) -> Any:
    """How often a class (row) was taken for a class (column): whole numbers, of a batch.

    >>> import nbgraph as ng
    >>> confusion(ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64"), 2)
    array([[0, 0],
           [1, 1]])
    """
    require_rows("confusion", "target", target, "out", out)
    names = library.arange(classes)
    wanted = library.expand_dims(target, -1) == names
    found = library.expand_dims(library.argmax(out, axis=-1), -1) == names
    pairs = library.logical_and(library.expand_dims(wanted, -1), library.expand_dims(found, -2))
    counts = library.sum(library.astype(pairs, "int64"), axis=0)
    return counts + library.astype(_none("confusion", out, target), "int64")


def name_of(metric: Callable[..., Any]) -> str:
    """What a metric is called in a History."""
    return getattr(metric, "__name__", type(metric).__name__)
