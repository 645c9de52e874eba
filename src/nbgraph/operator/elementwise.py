"""A scalar operator but for its calls: its definition, its forms, and what becomes of changes.

All parts of an operator know this class; `operator.mapper` has the one that is called.
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self

from nbgraph.errors import ArgumentError, CaptureError, require_word
from nbgraph.kernels.capture.names import NotYetDefined
from nbgraph.kernels.capture.raising import AlwaysRaises
from nbgraph.kernels.function import LIBRARY, Captured, Scalar, WrittenFunction
from nbgraph.kernels.probe import probe, probe_kinds
from nbgraph.kernels.signature import resolve_parameters
from nbgraph.operator import arguments, fast, overrides
from nbgraph.operator.forms import Forms
from nbgraph.operator.invoke import Invoker
from nbgraph.operator.parameters import refuse_marks
from nbgraph.operator.typing import type_strings

if TYPE_CHECKING:
    from nbgraph.kernels.derived import Gradient


class Documentation:
    """The `__doc__` of a class and, by `of` when it is asked for, of each of its objects: for an
    operator the user's docstring, how it is called, formula and dependence.

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
    signature = None  # as of a ufunc that works element by element: Dask asks for it

    def __init__(
        self,
        scalar: Scalar,
        *,
        fastmath: bool = False,
        prefer: str = "memory",
        certify: bool = True,
        origin: tuple[Any, ...] | None = None,
    ) -> None:
        require_word("op: prefer", prefer, ("memory", "accuracy"))
        self.scalar = scalar
        self.fastmath, self.prefer, self.certify = fastmath, prefer, certify
        self.hand_gradient: Gradient | None = None
        self.invoker = Invoker(scalar, fastmath=fastmath)
        self._derivatives: dict[tuple[str, int], Any] = {}
        self.origin = origin  # (parent, operand, order) of a derivative
        self.forms: Forms | None = None
        self._count()
        self._certified = False
        self._watch = scalar.watch
        self._fast = fast.FastCall(self)
        self._quick: tuple[Any, bytes, Sequence[Any], Sequence[Any]] | None = None
        self.carried: dict[Any, Any] = {}  # what carriers keep with the operator
        # of a carrier: a call with operands alone, in a frame; its result, or None: it declines
        self.shortcut: Callable[[Any, tuple[Any, ...]], Any] | None = None
        # the same, of a call with values of all parameters behind its operands
        self.varied_shortcut: Callable[[Any, tuple[Any, ...]], Any] | None = None
        # the same, of operands and the array to write over, in a frame; whether it did
        self.over: Callable[[tuple[Any, ...], Any, Any], bool] | None = None
        # what is meant where some operands are None, by those that are there; None: nothing
        self.without: Callable[[dict[str, Any], Any], Any] | None = None
        fn = getattr(scalar, "fn", None)
        self.__name__ = scalar.name
        self.__qualname__ = getattr(fn, "__qualname__", scalar.name)
        self.__module__ = getattr(fn, "__module__", "nbgraph.operator.mapper")
        if fn is not None:
            self.__wrapped__ = fn
        if fn is None or not str(fn.__module__).startswith(LIBRARY):  # those are read when used
            self._capture()

    def _capture(self) -> None:
        """Capture the definition, unless only a call can: it names what is not defined yet, or
        values of its parameters are to be chosen."""
        signature = self.scalar.signature
        later: tuple[type[CaptureError], ...] = (NotYetDefined,)
        if signature is not None and len(signature.chosen) in range(1, len(signature.operands)):
            later = (CaptureError,)
        elif self.forms is not None:
            later = (NotYetDefined, AlwaysRaises)
        with contextlib.suppress(*later):
            self.__dict__["_probe"] = probe(self.scalar)
            self._count()

    def _count(self) -> None:
        """Take up the operands and parameters of the definition as they are known now."""
        self.nin = len(self.scalar.operands)
        # where parameters may be static: what finds the form of a call, if it has more positional
        # arguments than `_direct`, or options
        signature = self.scalar.signature
        varied = signature and (self.scalar.parameters or signature.chosen)
        self.forms = Forms(self) if varied else None
        self._direct = self.forms.direct if self.forms else self.nin

    @functools.cached_property
    def identity(self) -> Any:
        """What changes nothing in `reduce`, which begins with it where there are no elements; that
        of NumPy's ufunc of this name, else None. It may be set."""
        like = overrides.twin(self)
        return None if like is None else like.identity

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
    def ntypes(self) -> int:
        """How many loops `types` lists."""
        return len(self.types)

    @property
    def types(self) -> list[str]:
        """The loops for operands of one dtype, as NumPy writes them: 'ff->f'."""
        return type_strings(self.scalar)

    def parameters(self, arguments: dict[str, Any]) -> dict[str, Any]:
        """Return the scalar parameters of a call, defaults filled in."""
        own = self.scalar.parameters
        if arguments:
            refuse_marks(self.__name__, arguments, [p.name for p in own])
        return resolve_parameters(self.__name__, own, arguments)

    def refresh_needed(self) -> bool:
        """Return whether a global, helper or closure cell that was read has been replaced, or a
        function has been given other code."""
        watch = self.scalar.watch
        return watch is not self._watch or watch.changed()

    # change -----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take up changed globals and helpers, as a new definition would."""
        self.scalar.refresh()  # or another operator made of the same function has done it
        self._watch = self.scalar.watch
        for counted in ("nout", "nargs"):
            self.__dict__.pop(counted, None)
        self.invoker.forget()
        self._certified = False
        self.__dict__.pop("_probe", None)
        self._capture()
        self._fast.forget()
        self._quick = None
        self.carried = {}
        self.shortcut = self.varied_shortcut = self.over = None

    # forms ------------------------------------------------------------------------------------

    def specialize(self, **values: Any) -> Self:
        """Return this operator with static parameters fixed: an operator of its own.

        A static parameter is one whose default is None, a bool, a string, an enum member, a
        function or a tuple. Each value has a kernel of its own; None and bools also take a number,
        or, before the `*` of the signature, an array.

        Raises ArgumentError for an unknown name, or an array where none can be.

        >>> import math
        >>> import nbgraph as ng
        >>> @ng.op
        ... def wave(x, kind="sine"):
        ...     return math.sin(x) if kind == "sine" else math.cos(x)
        >>> wave.specialize(kind="cosine")(0.0)
        np.float64(1.0)
        >>> wave([0.0], "cosine")
        array([1.])
        """
        own = [p.name for p in self.scalar.parameters]
        unknown = [name for name in values if name not in own]
        if unknown:
            raise ArgumentError(
                f"{self.__name__}.specialize: there is no parameter {unknown[0]!r}; parameters: "
                f"{', '.join(own) or 'none'}"
            )
        return self.form(values)

    def form(self, parameters: Mapping[str, Any]) -> Self:
        """Return the form for these parameters; most operators have only one."""
        return self if self.forms is None or not parameters else self.forms.form(parameters)

    # gradients --------------------------------------------------------------------------------

    def gradient(self, fn: Callable[..., Any]) -> Self:
        """Give the gradient by hand (a decorator); returns this operator.

        The function computes the whole in-gradients (out_grad multiplied in), a tuple in operand
        order. The names of its parameters declare what backward keeps: `out_grad`, `out`,
        operand names, scalar parameters (keyword-only). It is checked against the derived
        gradient at once; disagreement raises CertificateError.
        """
        from nbgraph.operator.gradient import read_gradient

        gradient = read_gradient(self.scalar, self.nout, fn)
        if self.certify:
            from nbgraph.operator import certified

            certified.require_gradient(self.scalar, gradient)
        self.hand_gradient = gradient
        self._derivatives.clear()
        if self.forms is not None:
            self.forms.clear()
        self.carried = {}  # how gradients flow is kept there, too
        self.shortcut = self.varied_shortcut = self.over = None
        return self

    def require_certificate(self) -> None:
        """Before the first derivative value leaves, the derivative is checked."""
        if self._certified or not self.certify or isinstance(self.scalar, WrittenFunction):
            return
        from nbgraph.operator import certified

        certified.require(self)
        self._certified = True

    # information ------------------------------------------------------------------------------

    @property
    def __signature__(self) -> inspect.Signature:
        return arguments.signature(self.scalar)

    def __repr__(self) -> str:
        return f"<op {self.__name__}{self.__signature__}>"

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, memo: object) -> Self:
        return self

    def __reduce__(self) -> Any:
        from nbgraph.operator.pickling import reduce_mapper

        return reduce_mapper(self)

    if TYPE_CHECKING:  # of Mapper

        def __call__(self, *operands: Any, out: Any = None, **options: Any) -> Any:
            """Apply the operator."""

        def derivative(self, wrt: str | int = 0, *, order: int = 1) -> Any:
            """Return d output / d operand, again an operator."""
