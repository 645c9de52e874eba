"""The state that all parts of a scalar operator share: its definition and resolved calls.

The callable class is in `operator.mapper.mapper`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbgraph.kernels.function.probe import probe, probe_kinds
from nbgraph.kernels.function.scalar_function import Captured, Scalar
from nbgraph.kernels.function.signature import resolve_parameters
from nbgraph.operator.parameters import refuse_marks
from nbgraph.operator.scalar.invoke import Invoker
from nbgraph.operator.scalar.typing import type_strings

if TYPE_CHECKING:
    from nbgraph.kernels.capture.names import Watch
    from nbgraph.kernels.function.derived import Gradient


class Documentation:
    """The `__doc__` of a class and, computed by `of` at first use, of each of its objects: for an
    operator the user's docstring, the call, formula and dependence.

    >>> import nbgraph as ng
    >>> @ng.op
    ... def double(x):
    ...     "Twice x."
    ...     return 2 * x
    >>> "x : array or number" in double.__doc__
    True
    >>> print(double.__doc__[double.__doc__.index("Formula") :])
    Formula::
    <BLANKLINE>
        def double(x):
            return 2 * x
    <BLANKLINE>
    Backward: x is T0: the derivative is constant: backward needs out_grad only
    <BLANKLINE>
    """

    def __init__(self, text: str | None, of: Callable[[Any], str | None]) -> None:
        self.text, self.of = text, of

    def __get__(self, op: Any, owner: object = None) -> str | None:
        """Return the class's text, or that of one object."""
        return self.text if op is None else self.of(op)


class Elementwise:
    """A scalar function as an operator on arrays; see `Mapper`."""

    __name__: str
    __qualname__: str
    scalar: Scalar
    invoker: Invoker
    fastmath: bool
    prefer: str
    certify: bool
    hand_gradient: Gradient | None
    origin: Any  # (parent, operand, order) of a derivative
    forms: Any
    nin: int
    _direct: int  # positional arguments that are certainly operands
    carried: dict[Any, Any]  # caches of carriers
    signature = None  # as of an elementwise ufunc: Dask reads it
    _watch: Watch

    @functools.cached_property
    def _probe(self) -> Captured:
        return probe(self.scalar)

    @functools.cached_property
    def nout(self) -> int:
        """The number of outputs."""
        return len(self._probe.outputs)

    @functools.cached_property
    def nargs(self) -> int:
        """The number of operands and outputs together."""
        return self.nin + self.nout

    @property
    def probe_kinds(self) -> tuple[str, ...]:
        """Operand kinds that the function is known to accept."""
        return probe_kinds(self.scalar)

    @property
    def types(self) -> list[str]:
        """The loops for operands of one dtype, as NumPy writes them: 'ff->f'."""
        return type_strings(self.scalar)

    def parameters_of(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the scalar parameters of a call, with defaults."""
        own = self.scalar.parameters
        if arguments:
            refuse_marks(self.__name__, arguments, [p.name for p in own])
        return resolve_parameters(self.__name__, own, arguments)

    def refresh_needed(self) -> bool:
        """Return whether a global, helper or closure cell that the text reads was replaced, or a
        function was given other code."""
        watch = self.scalar.watch
        return watch is not self._watch or watch.changed()

    if TYPE_CHECKING:  # defined in Mapper
        identity: Any

        @property
        def __signature__(self) -> inspect.Signature: ...

        def __call__(self, *operands: Any, out: Any = None, **options: Any) -> Any:
            """Apply the operator."""

        def form(self, parameters: Mapping[str, Any]) -> Any:
            """Return the form for these parameters."""

        def refresh(self) -> None:
            """Take up what has changed."""

        def derivative(self, wrt: str | int = 0, *, order: int = 1) -> Any:
            """Return d output / d operand, again an operator."""

        def gradient(self, fn: Callable[..., Any]) -> Any:
            """Give the gradient by hand."""

        def require_certificate(self) -> None:
            """Check the derivative before its first value leaves."""
