"""Arguments of a function as variables on the tape, for one call of a functional derivative.

The variable is an alias of the argument, not the argument itself. Within an outer recording the
alias is recorded as the identity, so that the outer pass can differentiate the result of the inner
one. An object with parameters looks its arrays up itself, so these take the place of their aliases
on the tape while the function runs.
"""

from collections.abc import Generator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.autograd.entry import become_variable
from nbgraph.autograd.results import no_derivative, not_a_value
from nbgraph.autograd.tape import Leaf, bare
from nbgraph.autograd.tree import Place, like, places
from nbgraph.errors import ArgumentError, noun
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.call import recording
from nbgraph.operator.scalar.typing import is_foreign

_ARGUMENT = ArrayOp("argument", lambda x: x, view=lambda x: x[...], gradient=lambda g: [g.out_grad])


class Variables:
    """The arrays of a structure, as variables.

    NumPy arrays and Python floats become NDArrays; values without a gradient raise an error.
    """

    symbolic = False

    def __init__(self, name: str, structure: Any, path: str) -> None:
        self.structure = structure
        self._places = places(structure, path)
        self.arrays: list[Any] = [_variable(name, place) for place in self._places]
        self.nodes = {array._node for array in self.arrays}

    @property
    def arguments(self) -> Any:
        """The structure with variables for values, which the function is called with."""
        return like(self.structure, self.arrays, objects=True)

    def like(self, values: Sequence[Any]) -> Any:
        """Return values, such as gradients, in the structure of the arguments."""
        return like(self.structure, values)

    @contextmanager
    def tracking(self) -> Generator[None]:
        """Let the parameters of objects be variables within the block."""
        changed: list[tuple[Any, Any, int, int]] = []
        try:
            for place, alias in zip(self._places, self.arrays, strict=True):
                if place.owned:
                    array = place.value
                    changed.append((array, array._node, array._output, array._stamp))
                    array._node, array._output = alias._node, alias._output
                    array._stamp = alias._stamp
            yield
        finally:
            for array, node, output, stamp in reversed(changed):
                array._node, array._output, array._stamp = node, output, stamp


def _variable(name: str, place: Place) -> Any:
    array = _lifted(name, place)
    if array.dtype.kind not in "cfV":
        raise no_derivative(name, place.path, array.dtype)
    if recording.get() is not None and array._node is not None:
        alias = _ARGUMENT(array)
        become_variable(alias, alias._node)
    else:
        alias = bare(array)
        become_variable(alias, Leaf("null", array))
    return alias


def _lifted(name: str, place: Place) -> Any:
    value = place.value
    if isinstance(value, Array):
        return value
    if place.owned:
        raise ArgumentError(
            f"{name}: {place.path} is {noun(value)}; an object's parameters are NDArrays"
        )
    if isinstance(value, (np.ndarray, np.generic, float, int)) or is_foreign(value):
        return new_array(value)
    raise not_a_value(name, place)
