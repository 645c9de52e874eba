"""Metrics of classes that are means over targets: accuracy, top k, cross entropy, perplexity."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np

from nbgraph.errors import require_whole
from nbgraph.nn.metrics.metric import Mean
from nbgraph.ops.define import library
from nbgraph.ops.losses.entropy import zeros_of_classes
from nbgraph.ops.losses.operands import require_rows
from nbgraph.settings import config


def _hits(out: Any, target: Any) -> Any:
    require_rows("accuracy", "target", target, "out", out)
    hit = library.argmax(out, axis=-1) == target
    return _number(hit) + _number(zeros_of_classes("accuracy", out, target))


def _number(values: Any) -> Any:
    return library.astype(values, config.default_float)


def _entropies(out: Any, target: Any) -> Any:
    return library.cross_entropy(out, target, reduction="none")


class _OfClasses(Mean):
    """A mean over targets; a subclass sets the arguments of Mean."""

    _mean: ClassVar[tuple[Any, str, Any]]

    def __init__(self, ignore_label: int | None = None) -> None:
        function, name, after = self._mean
        super().__init__(function, name, ignore_label=ignore_label, after=after)


class Accuracy(_OfClasses):
    """The share of samples whose largest output along the last axis is at the target's class.

    Parameters
    ----------
    ignore_label : int, optional: targets of this class do not count

    Called with `out`, an array (..., classes), and `target`, an array (...) of classes from 0.

    >>> import nbgraph as ng
    >>> Accuracy(ignore_label=-1)(ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, -1], "int64"))
    array(1., dtype=float32)
    """

    _mean = _hits, "accuracy", None


def top_k(k: int, ignore_label: int | None = None) -> Mean:
    """Return the metric that counts a sample if fewer than `k` classes have a larger output than
    its own.

    >>> import nbgraph as ng
    >>> top_k(2)(ng.array([[3.0, 2.0, 1.0]] * 2), ng.array([1, 2], "int64"))
    array(0.5, dtype=float32)
    """
    require_whole("top_k: k", k)
    name = f"top_{k}"

    def hits(out: Any, target: Any) -> Any:
        require_rows(name, "target", target, "out", out)
        none = _number(zeros_of_classes(name, out, target))
        place = library.expand_dims(library.astype(target, "int64"), -1)
        own = library.take_along_axis(out, place, axis=-1)
        larger = library.sum(library.astype(out > own, "int64"), axis=-1)
        return _number(larger < k) + none

    return Mean(hits, name, ignore_label=ignore_label)


class CrossEntropy(_OfClasses):
    """The mean of -log(softmax(out)) at the target's class.

    Parameters
    ----------
    ignore_label : int, optional: targets of this class do not count

    Called with `out`, scores (..., classes), and `target`, classes from 0 (...).

    >>> import nbgraph as ng
    >>> CrossEntropy()(ng.array([[0.0, 0.0]]), ng.array([1], "int64"))  # log(2)
    array(0.6931472, dtype=float32)
    """

    _mean = _entropies, "cross_entropy", None


class Perplexity(_OfClasses):
    """e to the mean cross entropy: the number of equally likely classes of that entropy.

    Parameters
    ----------
    ignore_label : int, optional: targets of this class, as of padding, do not count

    Called as `CrossEntropy` is.

    >>> import nbgraph as ng
    >>> Perplexity(ignore_label=-1)(ng.zeros((2, 4)), ng.array([3, -1], "int64"))
    array(4., dtype=float32)
    """

    _mean = _entropies, "perplexity", np.exp


accuracy, cross_entropy, perplexity = Accuracy(), CrossEntropy(), Perplexity()
