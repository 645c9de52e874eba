"""Functions of structures of arrays as functions of one vector, which is what SciPy calls."""

import importlib
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.autograd.functional import value_and_grad
from nbgraph.autograd.jacobians import hessian, hvp, jacfwd, jacrev
from nbgraph.autograd.results import require_function
from nbgraph.autograd.traced_once import TracedOnce, traced_once
from nbgraph.autograd.tree import Place, like, places
from nbgraph.errors import ArgumentError, ShapeError, function_name, noun
from nbgraph.signatures import Function

Vector = np.ndarray[Any, np.dtype[np.float64]]


def library() -> Any:
    """Return SciPy's module of optimisers, which loads when it is first used."""
    return importlib.import_module("scipy.optimize")


class Problem:
    """A function whose first argument is a structure like `start`, for SciPy.

    `start`: the values that the search begins with. `plain`: whether that structure is one array
    with one axis, as SciPy's own.
    """

    def __init__(self, name: str, f: Function, start: Any, args: Sequence[Any] = ()) -> None:
        require_function(name, f)
        if not isinstance(args, (tuple, list)):
            args = (args,)  # as SciPy
        numbers = isinstance(start, (tuple, list)) and all(type(v) in (int, float) for v in start)
        self._structure = np.array(start, "float64") if numbers else start
        self._places = places(self._structure, "x0")
        self._values = [_numbers(name, place) for place in self._places]
        self._ends = np.cumsum([value.size for value in self._values])[:-1]
        self.plain = len(self._values) == 1 and self._values[0].ndim == 1
        self._bare = self.plain and not isinstance(self._structure, (dict, list, tuple))
        self.start = _joined(self._values)
        self._name, self._f = name, f
        self._args = [
            like(value, [_constant(p.value) for p in places(value, "")]) for value in args
        ]
        shapes = tuple([(p.path, v.shape) for p, v in zip(self._places, self._values, strict=True)])
        self._key = shapes, len(self._args)
        self._transform: Callable[[Function], Function] | None = None  # for Jacobians

    def _traced(self, name: str, change: Callable[[Function], Function]) -> TracedOnce:
        """Return `change(f)`, traced once for all problems of this function and structure."""
        return traced_once(self._f, (name, *self._key), change)

    # structures -------------------------------------------------------------------------------

    def arrays(self, vector: Vector) -> Any:
        """Return the structure with float64 NDArrays of a vector's values."""
        if self._bare:
            return new_array(vector)
        return like(self._structure, [new_array(part) for part in self._parts(vector)])

    def result(self, vector: Any) -> Any:
        """Return the structure with a vector's values, each in the kind and dtype of the start."""
        pairs = zip(self._parts(np.asarray(vector)), self._places, strict=True)
        return like(self._structure, [_as_start(part, place.value) for part, place in pairs])

    def vector(self, name: str, structure: Any) -> Vector:
        """Return a vector of a structure like the start, whose numbers stand for whole arrays."""
        parts = places(structure, name)
        if len(parts) == 1 and np.ndim(parts[0].value) == 0:
            parts *= len(self._values)
        if len(parts) != len(self._values):
            raise ArgumentError(
                f"{self._name}: {name} has {len(parts)} arrays; expected {len(self._values)}, as "
                "x0 has, or one number for all"
            )
        return _joined(
            np.broadcast_to(np.asarray(part.value, "float64"), value.shape)
            for part, value in zip(parts, self._values, strict=True)
        )

    def _parts(self, vector: Vector) -> list[Vector]:
        pairs = zip(np.split(vector, self._ends), self._values, strict=False)  # none of no values
        return [part.reshape(value.shape) for part, value in pairs]

    # functions of a vector --------------------------------------------------------------------

    def value(self, vector: Vector) -> float:
        """Return the one number that the function returns."""
        return self._number(self._output(vector))

    def value_and_slope(self, vector: Vector) -> tuple[float, Vector]:
        """Return the one number that the function returns, and its gradient."""
        both = self._traced("value_and_slope", value_and_grad)
        value, slope = both(self.arrays(vector), *self._args)
        return self._number(value), _flat(slope)

    def curvature(self, vector: Vector, direction: Vector) -> Vector:
        """Return the Hessian times a direction."""
        product = self._traced("curvature", _product)
        return _flat(product(self.arrays(vector), self.arrays(direction), *self._args))

    def hessian(self, vector: Vector) -> Any:
        """Return the Hessian as a matrix."""
        return self._matrix(self._traced("hessian", hessian)(self.arrays(vector), *self._args))

    def residuals(self, vector: Vector) -> Vector:
        """Return the results of the function as one vector."""
        return _flat(self._output(vector))

    def jacobian(self, vector: Vector) -> Any:
        """Return all first derivatives as a matrix, by columns or by rows, whichever are fewer."""
        if self._transform is None:
            self._transform = jacfwd if vector.size <= self.residuals(vector).size else jacrev
        slopes = self._traced(self._transform.__name__, self._transform)
        return self._matrix(slopes(self.arrays(vector), *self._args))

    def _output(self, vector: Vector) -> Any:
        return self._traced("value", lambda f: f)(self.arrays(vector), *self._args)

    def _matrix(self, structure: Any) -> Any:
        """Return derivatives, for each result a structure like the start, as one matrix."""
        parts = [np.asarray(place.value, "float64") for place in places(structure, "out")]
        step = len(self._values)
        sizes = [value.size for value in self._values] * (len(parts) // step)
        blocks = [part.reshape(-1, n) for part, n in zip(parts, sizes, strict=True)]
        return np.vstack([np.hstack(blocks[k : k + step]) for k in range(0, len(blocks), step)])

    def _number(self, output: Any) -> float:
        value = np.asarray(output, "float64")
        if value.size != 1:
            raise ShapeError(
                f"{self._name}: {function_name(self._f)} returned shape {value.shape}; expected "
                "one number: sum it, or use ng.optimize.least_squares for residuals"
            )
        return value.item()


def _product(f: Function) -> Function:
    """Return the function of a point, a direction and more that gives the Hessian's product."""
    return lambda x, direction, *rest: hvp(lambda at: f(at, *rest), (x,), (direction,))


def _numbers(name: str, place: Place) -> Any:
    """Return a leaf of the start as a float64 array."""
    if place.owned or not isinstance(place.value, (Array, np.ndarray, np.generic, float, int)):
        raise ArgumentError(
            f"{name}: {place.path} is {noun(place.value)}; expected an array, a number, "
            "or a dict, list or tuple of those"
        )
    value = np.asarray(place.value)
    if value.dtype.kind not in "fiu":
        raise ArgumentError(f"{name}: {place.path} has dtype {value.dtype}; expected real numbers")
    return value.astype("float64")


def _constant(value: Any) -> Any:
    """Return an argument for all calls: a NumPy array becomes an NDArray once."""
    return new_array(value) if isinstance(value, np.ndarray) else value


def _as_start(part: Vector, value: Any) -> Any:
    """Return a leaf of the result in the kind and dtype of the start, integers as float64."""
    dtype = getattr(value, "dtype", np.dtype("float64"))
    part = part.astype(dtype if dtype.kind == "f" else "float64")
    if isinstance(value, Array):
        return new_array(part, device=value.device)
    return part if isinstance(value, np.ndarray) else float(part) if np.isscalar(value) else part


def _flat(structure: Any) -> Vector:
    if isinstance(structure, Array):
        return np.asarray(structure, "float64").ravel()
    values = [np.asarray(place.value, "float64") for place in places(structure, "out")]
    return values[0].ravel() if len(values) == 1 else _joined(values)


def _joined(values: Any) -> Vector:
    return np.concatenate([np.ravel(value) for value in values] or [np.zeros(0)])
