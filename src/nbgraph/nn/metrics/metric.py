"""`Metric`: sums over samples, and a value computed from them; `Mean`: that of a function."""

import functools
import inspect
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import ArgumentError, ShapeError, function_name
from nbgraph.foreign import METRICS, explain_methods
from nbgraph.ops.define import library
from nbgraph.settings import config

Measure = Callable[[Any, Any], Any]
Sums = tuple[Any, ...]


class Metric(ABC):
    """A number, or an array of numbers, computed from the samples of an epoch.

    Attributes
    ----------
    joined : bool
        Whether the sums of batches are laid end to end along their first axes instead of added.

    `sums` is an array program: `fit` compiles it into the step. `value` runs on the host, once.

    >>> import nbgraph as ng
    >>> class Bias(Metric):
    ...     def sums(self, out, target, weight=None):
    ...         return ng.sum(ng.astype(out - target, "float64")), float(target.size)
    ...
    ...     def value(self, total, count):
    ...         return float(total / count)
    >>> Bias("bias")(ng.array([1.0, 2.0]), ng.array([1.0, 1.0]))
    0.5
    """

    joined = False

    def __init__(self, name: str | None = None) -> None:
        self.__name__ = type(self).__name__.lower() if name is None else name

    @abstractmethod
    def sums(self, out: Any, target: Any, weight: Any = None) -> Sums:
        """Return the sums of a batch, as arrays of float64 (numbers where nothing is computed).

        `weight`: an array (samples,), or one whose axes are the first axes of `target`.
        """

    @abstractmethod
    def value(self, *sums: np.ndarray[Any, Any]) -> Any:
        """Return the number, or array of numbers, for the sums of all batches."""

    def __call__(self, out: Any, target: Any, weight: Any = None) -> Any:
        """Return the value of one batch; waits for it."""
        return self.value(*map(on_host, self.sums(out, target, weight)))

    def __repr__(self) -> str:
        return f"<metric {self.__name__}>"


explain_methods(Metric, METRICS)


class Mean(Metric):
    """The weighted mean of a function of outputs and targets.

    Parameters
    ----------
    function : callable
        It returns an array with a value for each target, or one number for the batch, whose weight
        is the number of samples. A loss of the library is called with `reduction="none"` where
        there are weights.
    name : str, optional
    ignore_label : int, optional
        Targets of this class do not count.
    class_weight : dict or sequence, optional
        The weights of targets by class; 1 for classes that a dict lacks.
    after : callable, optional
        A function of the mean of all samples, such as `numpy.sqrt`.

    It is a loss as well: `fit(loss=Mean(ng.cross_entropy, ignore_label=-1))`.

    >>> import nbgraph as ng
    >>> loss = Mean(ng.cross_entropy, ignore_label=-1)
    >>> loss(ng.array([[0.0, 0.0], [9.0, 0.0]]), ng.array([1, -1], "int64"))  # log(2)
    array(0.6931472, dtype=float32)
    """

    def __init__(
        self,
        function: Measure,
        name: str | None = None,
        *,
        ignore_label: int | None = None,
        class_weight: Mapping[int, float] | Sequence[float] | None = None,
        after: Callable[[Any], Any] | None = None,
    ) -> None:
        super().__init__(function_name(function) if name is None else name)
        own = ("__module__", "__doc__") if function.__doc__ else ("__module__",)
        functools.update_wrapper(self, function, own, ())
        self.function, self.after = function, after
        self.ignore_label, self.class_weight = ignore_label, class_weight

    def __call__(self, out: Any, target: Any, weight: Any = None) -> Any:
        """Return the mean of one batch, as an array of shape (); nothing waits."""
        mean = self.mean(out, target, weight)[0]
        if self.after is None:
            return mean
        return self.after(mean) if isinstance(mean, float) else _deferred(self.after)(mean)

    def mean(self, out: Any, target: Any, weight: Any = None, *, exact: bool = False) -> Sums:
        """Return the mean as an array of shape (), and its weight: a number, or an array.

        `exact`: in float64, where there are values to add.
        """
        target, weight = self._weights(out, target, weight)
        values = self._values(out, target, separate=weight is not None)
        if not getattr(values, "shape", ()) and weight is None:
            return values, float(samples_of(target))
        if exact or not is_float(values.dtype):
            values = library.astype(values, "float64" if exact else config.default_float)
        if weight is None:
            return library.mean(values), float(np.prod(values.shape))
        weight = library.astype(weight, values.dtype)
        each = _along(self.__name__, weight, values.shape)
        count = library.sum(weight) * float(np.prod(values.shape[len(weight.shape) :]))
        # a batch in which nothing counts has mean 0, and no NaN
        return library.sum(values * each) / library.where(count == 0, 1.0, count), count

    def sums(self, out: Any, target: Any, weight: Any = None) -> Sums:
        return weighed(*self.mean(out, target, weight, exact=True))

    def value(self, *sums: np.ndarray[Any, Any]) -> float:
        total, count = map(float, sums)
        mean = total / count if count else float("nan")
        return mean if self.after is None else float(self.after(mean))

    def _values(self, out: Any, target: Any, *, separate: bool) -> Any:
        values = self.function(out, target)  # many functions refuse wrong shapes themselves
        if values is None:
            raise ArgumentError(
                f"{self.__name__}: {function_name(self.function)} returned None; return one "
                "number, or a value for each sample"
            )
        self._warn_of_broadcast(out, target, getattr(values, "shape", ()))
        if not separate or getattr(values, "shape", ()):
            return values
        if "reduction" in _parameters(self.function):
            return self.function(out, target, reduction="none")  # type: ignore[call-arg]
        raise ArgumentError(
            f"{self.__name__}: weights need a value for each sample, and "
            f"{function_name(self.function)} "
            "returned one number for the batch; return the values, as with reduction='none'"
        )

    def _warn_of_broadcast(self, out: Any, target: Any, returned: tuple[int, ...]) -> None:
        """Warn where values may be differences of each output with all targets."""
        shape: tuple[int, ...] = getattr(out, "shape", ())
        extents: tuple[int, ...] = getattr(target, "shape", ())
        if returned not in ((), extents * 2):
            return
        if len(extents) == 1 and shape == (*extents, 1) != (1, 1) and is_float(target.dtype):
            warnings.warn(
                f"{self.__name__}: outputs have shape {shape}, targets {extents}: their difference "
                f"has shape {extents * 2}; give targets of shape {shape}, or outputs "
                "without their last axis",
                stacklevel=2,
            )

    def _weights(self, out: Any, target: Any, weight: Any) -> tuple[Any, Any]:
        """Return targets that are all classes, and the weight of each, or None."""
        if self.ignore_label is not None:
            counts = target != self.ignore_label
            target = library.where(counts, target, library.zeros_like(target))
            weight = _times(self.__name__, counts, weight)
        if self.class_weight is not None:
            table = _table(self.class_weight, int(out.shape[-1]))
            chosen = library.take(table, library.astype(target, "int64"), axis=0)
            weight = _times(self.__name__, chosen, weight)
        return target, weight


def name_of(metric: Callable[..., Any]) -> str:
    """Return the name of a metric in a History."""
    return function_name(metric)


def samples_of(target: Any) -> int:
    """Return the number of samples in a batch's targets."""
    return int(target.shape[0]) if target.shape else 1


def on_host(value: Any) -> np.ndarray[Any, Any]:
    """Return a sum as a NumPy array; waits."""
    return np.asarray(value.asnumpy() if hasattr(value, "asnumpy") else value)


def weighed(mean: Any, count: Any) -> Sums:
    """Return the sums from which a mean with this weight results, in float64."""
    exact = count if isinstance(count, float) else library.astype(count, "float64")
    return library.astype(mean, "float64") * exact, exact


def _along(name: str, weight: Any, shape: tuple[int, ...]) -> Any:
    """Return weights of the first axes, so that they broadcast over the others."""
    if tuple(weight.shape) != tuple(shape[: len(weight.shape)]):
        raise ShapeError(
            f"{name}: weights have shape {tuple(weight.shape)}, the values {tuple(shape)}; give a "
            f"weight for each sample, an array ({shape[0]},)"
        )
    return library.reshape(weight, (*weight.shape, *[1] * (len(shape) - len(weight.shape))))


def _times(name: str, counts: Any, weight: Any) -> Any:
    """Return weights of targets times those of samples."""
    if weight is None:
        return counts
    weight = library.astype(weight, config.default_float)
    return library.astype(counts, weight.dtype) * _along(name, weight, tuple(counts.shape))


def _table(class_weight: Mapping[int, float] | Sequence[float], classes: int) -> Any:
    """Return weights by class."""
    if isinstance(class_weight, str) or not hasattr(class_weight, "__iter__"):
        raise ArgumentError(
            f"class_weight={class_weight!r}; expected a number for each class, or a dict of those "
            "that are not 1"
        )
    if not isinstance(class_weight, Mapping):
        class_weight = dict(enumerate(class_weight))
        if len(class_weight) != classes:
            raise ShapeError(
                f"class_weight: {len(class_weight)} weights for {classes} classes; give one for "
                "each, or a dict of those that are not 1"
            )
    beyond = [key for key in class_weight if not 0 <= key < classes]
    if beyond:
        raise ArgumentError(f"class_weight: {beyond[0]!r} is not a class from 0 to {classes - 1}")
    weights = np.ones(classes, config.default_float)
    weights[list(class_weight)] = [float(weight) for weight in class_weight.values()]
    return weights


def _parameters(function: Measure) -> Mapping[str, Any]:
    try:
        return inspect.signature(function).parameters
    except (TypeError, ValueError):
        return {}


def _deferred(after: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """Return the library's function of the same name, for arrays."""
    return getattr(library, after.__name__)
