"""Metrics of how outputs are ordered."""

from typing import Any

import numpy as np

from nbgraph.errors import ShapeError
from nbgraph.nn.metrics.metric import Metric, Sums
from nbgraph.ops.define import library
from nbgraph.shape import Array


class AUC(Metric):
    """The area under the ROC curve: how likely a sample of class 1 has a larger output than one of
    class 0; equal ones count half.

    It is exact: outputs are kept until the value is read, 24 bytes a sample. Called with
    outputs (samples,), (samples, 1), or scores of two classes (samples, 2), and targets 0 and 1.
    NaN where one of the classes does not occur.

    >>> import nbgraph as ng
    >>> AUC()(ng.array([0.1, 0.4, 0.35, 0.8]), ng.array([0, 0, 1, 1], "int64"))
    0.75
    """

    joined = True

    def sums(self, out: Any, target: Any, weight: Any = None) -> Sums:
        """Return outputs, targets and weights, in float64."""
        samples = target.shape[0]
        if len(out.shape) == 2 and out.shape[1] == 2 and tuple(target.shape) != tuple(out.shape):
            out = out[:, 1] - out[:, 0]
        if tuple(out.shape) not in ((samples,), (samples, 1)) or target.size != samples:
            raise ShapeError(
                f"auc: out{tuple(out.shape)} and target{tuple(target.shape)}; expected outputs "
                "(samples,) or scores of two classes (samples, 2), and targets (samples,)"
            )
        each = library.ones_like(target) if weight is None else weight
        columns = (out, target, each)
        return tuple([library.reshape(library.astype(v, "float64"), (-1,)) for v in columns])

    def value(self, *sums: Array) -> float:
        """Return the area by the trapezoids between the distinct outputs."""
        out, target, weight = sums
        order = np.argsort(-out, kind="stable")
        out, yes, weight = out[order], target[order] > 0, weight[order]
        ends = np.append(np.flatnonzero(np.diff(out)), len(out) - 1)
        hits, falses = (np.cumsum(np.where(which, weight, 0.0))[ends] for which in (yes, ~yes))
        if not hits[-1] or not falses[-1]:
            return float("nan")
        hits, falses = np.append(0.0, hits), np.append(0.0, falses)
        area = np.sum(np.diff(falses) * (hits[1:] + hits[:-1])) / 2
        return float(area / hits[-1] / falses[-1])
