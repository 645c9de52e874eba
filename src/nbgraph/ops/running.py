"""Running extremes along an axis, and where they are. Slopes go to the latest that attains one."""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import axis_of, library, public, whole
from nbgraph.ops.indexing import scatter_along_axis

Array = np.ndarray[Any, Any]


def _running(name: str, ufunc: np.ufunc, finder: str) -> ArrayOp:
    def infer(x: Spec, *, axis: int) -> Spec:
        axis_of(name, axis, len(x.shape))
        return x

    def compute(inputs: list[Array], outputs: list[Array], *, axis: int) -> None:
        ufunc.accumulate(inputs[0], axis=axis, out=outputs[0])

    def rule(g: Gradients) -> list[Any]:
        """To the latest element that attained the extreme."""
        axis = g.attributes["axis"]
        found = getattr(library, finder)(g.inputs[0], axis=axis)
        return [scatter_along_axis(g.out_grad, found, g.specs[0].shape, axis)]

    return ArrayOp(name, infer, compute, gradient=rule, keeps=("x",))


def _running_place(name: str, ufunc: np.ufunc) -> ArrayOp:
    def infer(x: Spec, *, axis: int) -> Spec:
        axis_of(name, axis, len(x.shape))
        return Spec(x.shape, np.dtype("int64"))

    def compute(inputs: list[Array], outputs: list[Array], *, axis: int) -> None:
        x, out = np.moveaxis(inputs[0], axis, 0), np.moveaxis(outputs[0], axis, 0)
        best = ufunc.accumulate(x, axis=0)
        places = np.arange(len(x)).reshape(-1, *(1,) * (x.ndim - 1))
        reached = (x == best) | ((x != x) & (best != best))  # NaN attains NaN
        out[...] = np.maximum.accumulate(np.where(reached, places, 0), axis=0)

    return ArrayOp(name, infer, compute)


_CUMMAX = _running("cummax", np.maximum, "cumargmax")
_CUMMIN = _running("cummin", np.minimum, "cumargmin")
_CUMARGMAX = _running_place("cumargmax", np.maximum)
_CUMARGMIN = _running_place("cumargmin", np.minimum)


@public(_CUMMAX)
def cummax(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """The largest of the first 1, 2, ... elements along an axis. The slope goes to the latest.

    >>> cummax([1, 3, 2, 4])
    array([1, 3, 3, 4])
    """
    return _CUMMAX(x, axis=whole("cummax", "axis", axis), out=out)


@public(_CUMMIN)
def cummin(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """The smallest of the first 1, 2, ... elements along an axis. The slope goes to the latest.

    >>> cummin([3, 1, 2, 0])
    array([3, 1, 1, 0])
    """
    return _CUMMIN(x, axis=whole("cummin", "axis", axis), out=out)


@public(_CUMARGMAX)
def cumargmax(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """Where the values of `cummax` are; of equal ones the latest.

    >>> cumargmax([1, 3, 2, 4])
    array([0, 1, 1, 3])
    """
    return _CUMARGMAX(x, axis=whole("cumargmax", "axis", axis), out=out)


@public(_CUMARGMIN)
def cumargmin(x: Any, axis: int = -1, *, out: Any = None) -> Any:
    """Where the values of `cummin` are; of equal ones the latest.

    >>> cumargmin([3, 1, 2, 0])
    array([0, 1, 1, 3])
    """
    return _CUMARGMIN(x, axis=whole("cumargmin", "axis", axis), out=out)
