"""The arrays that an executor holds for good: its programs read and write these very arrays."""

from __future__ import annotations

import functools
from typing import Any, Never

from nbgraph.executor.programs import Bound

Arrays = dict[str, Any]


class FixedArrays(Arrays):
    """NDArrays by name, of which none is replaced: another one would be read by no program.

    >>> import nbgraph as ng
    >>> exe = (ng.var("x") * 2.0).simple_bind(x=(2,))
    >>> exe.arg_dict["x"][:] = 3
    >>> exe.arg_dict["x"] = ng.ones(2)
    Traceback (most recent call last):
        ...
    TypeError: arg_dict: the arrays were bound for good (x); write into one, as exe.arg_dict['x']...
    """

    def __init__(self, label: str, arrays: Arrays) -> None:
        super().__init__(arrays)
        self._label = label

    def _refuse(self, *args: Any, **named: Any) -> Never:
        names = [name for name in self if args and name == args[0]]
        label = repr(names[0]) if names else "name"
        raise TypeError(
            f"{self._label}: the arrays were bound for good ({', '.join(self) or 'none'}); write "
            f"into one, as exe.{self._label}[{label}][:] = value"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse  # type: ignore[assignment]
    update = setdefault = pop = popitem = clear = _refuse  # type: ignore[assignment]

    def __reduce__(self) -> tuple[Any, ...]:
        return dict, (dict(self),)  # a copy belongs to no executor


class Held:
    """The part of `Executor` that gives its arrays."""

    _bound: Bound
    _arguments: Arrays
    _gradients: Arrays
    _states: Arrays

    @functools.cached_property
    def _outputs(self) -> list[Any]:
        return list(self._bound.outputs)

    @property
    def arg_dict(self) -> Arrays:
        """Arguments by name; written into, never replaced."""
        return self._arguments

    @property
    def grad_dict(self) -> Arrays:
        """Gradients by name of the argument, None for arguments without one."""
        return self._gradients

    @property
    def aux_dict(self) -> Arrays:
        """States by name."""
        return self._states

    @property
    def outputs(self) -> list[Any]:
        """Results: the same arrays after every run, in a list of the caller's own."""
        return self._outputs.copy()

    @property
    def arg_arrays(self) -> list[Any]:
        """Arguments in the order of `list_arguments()`."""
        return list(self._arguments.values())

    @property
    def grad_arrays(self) -> list[Any]:
        """Gradients in that order, None for arguments without one."""
        return [self._gradients.get(name) for name in self._arguments]

    @property
    def aux_arrays(self) -> list[Any]:
        """States in the order of `list_auxiliary_states()`."""
        return list(self._states.values())
