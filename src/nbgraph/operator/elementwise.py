"""What all parts of a scalar operator know of it: its definition, and what calls have resolved.

`operator.mapper` has the class that is called.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from nbgraph.kernels.function import Captured, Scalar
from nbgraph.kernels.probe import probe, probe_kinds
from nbgraph.kernels.signature import resolve_parameters
from nbgraph.operator.invoke import Invoker
from nbgraph.operator.parameters import refuse_marks
from nbgraph.operator.typing import type_strings

if TYPE_CHECKING:
    from nbgraph.kernels.capture.names import Watch
    from nbgraph.kernels.derived import Gradient


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
    carried: dict[Any, Any]  # what carriers keep with the operator
    signature = None  # as of a ufunc that works element by element: Dask asks for it
    _watch: Watch

    @functools.cached_property
    def _probe(self) -> Captured:
        return probe(self.scalar)

    @functools.cached_property
    def nout(self) -> int:
        """How many outputs."""
        return len(self._probe.outputs)

    @functools.cached_property
    def nargs(self) -> int:
        """Operands and outputs together."""
        return self.nin + self.nout

    @property
    def probe_kinds(self) -> tuple[str, ...]:
        """Operand kinds that the function is known to take."""
        return probe_kinds(self.scalar)

    @property
    def types(self) -> list[str]:
        """The loops for operands of one dtype, as NumPy writes them: 'ff->f'."""
        return type_strings(self.scalar)

    def parameters(self, given: dict[str, Any]) -> dict[str, Any]:
        """Return the scalar parameters of a call, defaults filled in."""
        own = self.scalar.parameters
        if given:
            refuse_marks(self.__name__, given, [p.name for p in own])
        return resolve_parameters(self.__name__, own, given)

    def refresh_needed(self) -> bool:
        """Return whether a global, helper or closure cell that was read has been replaced, or a
        function has been given other code."""
        watch = self.scalar.watch
        return watch is not self._watch or watch.changed()

    if TYPE_CHECKING:  # of Mapper
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
