"""Metrics of counts: confusion, precision, recall and F1."""

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np

from nbgraph.errors import ShapeError, require_word
from nbgraph.nn.metrics.metric import Metric, Sums
from nbgraph.ops.define import library
from nbgraph.ops.losses.entropy import zeros_of_classes
from nbgraph.ops.losses.operands import require_rows
from nbgraph.shape import Array, Shape


def _columns(values: Any, classes: int) -> Any:
    """Return classes one-hot, as (elements, classes) in float64."""
    flat = library.reshape(library.astype(values, "int64"), (-1, 1))
    return library.astype(flat == np.arange(classes), "float64")


def _pairs(name: str, out: Any, target: Any, classes: int) -> tuple[Any, Any]:
    """Return the target and the predicted class of each element, one-hot."""
    require_rows(name, "target", target, "out", out)
    none = library.reshape(zeros_of_classes(name, out, target), (-1, 1))
    chosen = library.argmax(out, axis=-1)
    return _columns(target, classes) + library.astype(none, "float64"), _columns(chosen, classes)


def _weights(weight: Any, shape: Shape) -> Any:
    """Return a column of weights for elements of this shape, whose first axes have them."""
    beyond = [1] * (len(shape) - len(weight.shape))
    each = library.reshape(library.astype(weight, "float64"), (*weight.shape, *beyond))
    return library.reshape(library.broadcast_to(each, shape), (-1, 1))


def confusion(out: Any, target: Any, classes: int) -> Any:
    """Return how often a class (row) was taken for a class (column): whole numbers, of a batch.

    >>> import nbgraph as ng
    >>> confusion(ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64"), 2)
    array([[0, 0],
           [1, 1]])
    """
    targets, outcomes = _pairs("confusion", out, target, classes)
    return library.astype(library.matmul(library.swapaxes(targets, 0, 1), outcomes), "int64")


class Confusion(Metric):
    """Counts of samples of each class (row) taken for each class (column), an array (classes,
    classes).

    Counts are floats, as samples may have weights; in a History they are lists.

    >>> import nbgraph as ng
    >>> Confusion()(ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64"))
    array([[0., 0.],
           [1., 1.]])
    """

    def sums(self, out: Any, target: Any, weight: Any = None) -> Sums:
        targets, outcomes = _pairs("confusion", out, target, out.shape[-1])
        if weight is not None:
            outcomes = outcomes * _weights(weight, tuple(target.shape))
        return (library.matmul(library.swapaxes(targets, 0, 1), outcomes),)

    def value(self, *sums: Array) -> Array:
        return sums[0]


_AVERAGES = ("binary", "micro", "macro", "weighted", None)
Ratio = Callable[[Array, Array, Array], tuple[Array, Array]]


class _Ratio(Metric):
    """A ratio of counts by class: hits, predicted elements and actual elements."""

    _ratio: ClassVar[Ratio]

    def __init__(self, average: str | None = "binary", *, threshold: float = 0.5) -> None:
        super().__init__()
        self.average = require_word(f"{self.__name__}: average", average, _AVERAGES)
        self.threshold = threshold

    def sums(self, out: Any, target: Any, weight: Any = None) -> Sums:
        """Return counts by class: hits, outcomes, targets."""
        targets, outcomes, shape = self._columns(out, target)
        if self.average == "binary" and targets.shape[1] != 2:
            raise ShapeError(
                f"{self.__name__}: out{tuple(out.shape)} is of {targets.shape[1]} classes, and "
                "average='binary' is for two; use 'macro', 'micro', 'weighted' or None"
            )
        counts = (targets * outcomes, outcomes, targets)
        if weight is not None:
            column = _weights(weight, shape)
            counts = tuple([each * column for each in counts])
        return tuple([library.sum(each, axis=0) for each in counts])

    def _columns(self, out: Any, target: Any) -> tuple[Any, Any, tuple[int, ...]]:
        """Return target and outcome of each element in class columns, and the elements' shape."""
        shape = tuple(target.shape)
        if tuple(out.shape) != shape:
            return *_pairs(self.__name__, out, target, out.shape[-1]), shape
        chosen = out > self.threshold
        if len(shape) == 1 or shape[-1] == 1:
            return _columns(target, 2), _columns(chosen, 2), shape
        targets, outcomes = (
            library.reshape(library.astype(v, "float64"), (-1, shape[-1])) for v in (target, chosen)
        )
        return targets, outcomes, shape[:-1]

    def value(self, *sums: Array) -> Any:
        """Return the ratio; 0 where nothing was counted; see Metric."""
        hits, outcomes, targets = sums
        if self.average == "micro":
            hits, outcomes, targets = (each.sum(keepdims=True) for each in sums)
        above, below = type(self)._ratio(hits, outcomes, targets)
        each = np.divide(above, below, out=np.zeros_like(above), where=below != 0)
        if self.average is None:
            return each
        if self.average == "binary":
            return float(each[1])
        counts = targets if self.average == "weighted" else 1.0 * (outcomes + targets > 0)
        return float((each * counts).sum() / max(counts.sum(), np.finfo(float).tiny))


class F1(_Ratio):
    """The harmonic mean of precision and recall.

    Parameters
    ----------
    average : str or None
        "binary": of class 1 among two; "macro": the mean over the classes that occur; "weighted":
        their mean by how often they occur; "micro": of the counts of all classes together; None: an
        array by class.
    threshold : float
        For outputs of the shape of the targets: those above it mean 1.

    Called with scores (..., classes) and classes (...), or with outputs and targets 0 and 1 of one
    shape: (samples,) or (samples, 1) for two classes, (samples, labels) for labels that may occur
    together, which then are the classes.

    >>> import nbgraph as ng
    >>> F1()(ng.array([0.9, 0.8, 0.1]), ng.array([1, 0, 1], "int64"))
    0.5
    """

    _ratio = staticmethod(lambda hits, predicted, actual: (2 * hits, predicted + actual))


class Precision(_Ratio):
    """The share of the elements predicted as a class that are of this class.

    Parameters
    ----------
    average, threshold : as those of `F1`, which is called like this

    >>> import nbgraph as ng
    >>> Precision()(ng.array([0.9, 0.8, 0.1]), ng.array([1, 0, 1], "int64"))
    0.5
    """

    _ratio = staticmethod(lambda hits, predicted, actual: (hits, predicted))


class Recall(_Ratio):
    """The share of the elements of a class that are predicted as this class.

    Parameters
    ----------
    average, threshold : as those of `F1`, which is called like this

    >>> import nbgraph as ng
    >>> Recall("macro")(ng.array([[0.1, 0.9], [0.8, 0.2]]), ng.array([1, 1], "int64"))
    0.25
    """

    _ratio = staticmethod(lambda hits, predicted, actual: (hits, actual))
