"""Metrics of numbers: mean differences, and how much of the targets' variance outputs explain."""

from typing import Any

import numpy as np

from nbgraph.nn.metrics.metric import Mean, Metric, Sums
from nbgraph.ops.define import library
from nbgraph.ops.losses.operands import require_same_shape
from nbgraph.shape import Array


def _squares(out: Any, target: Any) -> Any:
    """Return squared differences, whose mean is `mse`."""
    require_same_shape("mse", {"out": out, "target": target})
    return library.square(out - target)


def _distances(out: Any, target: Any) -> Any:
    """Return absolute differences, whose mean is `mae`."""
    require_same_shape("mae", {"out": out, "target": target})
    return library.absolute(out - target)


mse, mae = Mean(_squares, "mse"), Mean(_distances, "mae")
rmse = Mean(_squares, "rmse", after=np.sqrt)


class _Moments(Metric):
    """A metric of weights, means and second moments by column, a row of them for each batch.

    Rows are combined on the host by Chan's formulas, which lose no digits where means are
    large.
    """

    joined = True

    def sums(self, out: Any, target: Any, weight: Any = None) -> Sums:
        """Return a row (1, 7, columns): weight, means of out and target, and the sums of squares
        and products about them, and of squared differences."""
        require_same_shape(self.__name__, {"out": out, "target": target})
        x, y = (
            library.reshape(library.astype(v, "float64"), (v.shape[0], -1)) for v in (out, target)
        )
        if weight is None:
            each = library.ones_like(x)
        else:
            each = library.ones_like(x) * library.reshape(
                library.astype(weight, "float64"), (-1, 1)
            )
        count = library.sum(each, axis=0)
        over = library.where(count == 0, 1.0, count)
        mean_x, mean_y = library.sum(each * x, axis=0) / over, library.sum(each * y, axis=0) / over
        to_x, to_y, error = x - mean_x, y - mean_y, x - y
        pairs = ((to_x, to_x), (to_y, to_y), (to_x, to_y), (error, error))
        moments = [library.sum(each * a * b, axis=0) for a, b in pairs]
        row = library.stack([count, mean_x, mean_y, *moments])
        return (library.expand_dims(row, 0),)

    @staticmethod
    def together(rows: Array) -> tuple[Array, Array, Array, Array]:
        """Return the moments of all rows: of out, of target, of both, and squared differences."""
        count, mean_x, mean_y, xx, yy, xy, error = np.moveaxis(rows, 1, 0)
        with np.errstate(invalid="ignore", divide="ignore"):
            to_x, to_y = (m - (count * m).sum(0) / count.sum(0) for m in (mean_x, mean_y))
        return (
            (xx + count * to_x * to_x).sum(0),
            (yy + count * to_y * to_y).sum(0),
            (xy + count * to_x * to_y).sum(0),
            error.sum(0),
        )


class R2(_Moments):
    """The coefficient of determination, 1 - sum((target - out)**2) / sum((target - mean)**2).

    Of several columns, (samples, columns), it is the mean over them. Where targets do not vary it
    is 1 for right outputs and 0 for others.

    >>> import nbgraph as ng
    >>> R2()(ng.array([1.0, 2.0, 3.0]), ng.array([1.0, 2.0, 4.0])).__round__(6)
    0.785714
    """

    def value(self, *sums: Array) -> float:
        _, variance, _, error = self.together(*sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            scores = np.where(variance == 0, np.where(error == 0, 1.0, 0.0), 1 - error / variance)
        return float(scores.mean())


class Pearson(_Moments):
    """Pearson's correlation of outputs and targets; of several columns the mean over them.

    NaN where one of them does not vary.

    >>> import nbgraph as ng
    >>> Pearson()(ng.array([1.0, 2.0, 3.0]), ng.array([2.0, 4.0, 6.0])).__round__(6)
    1.0
    """

    def value(self, *sums: Array) -> float:
        xx, yy, xy, _ = self.together(*sums)
        with np.errstate(invalid="ignore", divide="ignore"):
            return float((xy / np.sqrt(xx * yy)).mean())
