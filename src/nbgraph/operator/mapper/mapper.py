"""A plain Python scalar function as an array operator; `@ng.op` makes one.

>>> import numpy as np
>>> import nbgraph as ng
>>> @ng.op
... def leaky(x, *, slope=0.25):
...     return x if x > 0 else slope * x
>>> leaky(np.float32([-2, 4]))
array([-0.5,  4. ], dtype=float32)
>>> leaky.derivative("x")(np.float32([-2, 4]))
array([0.25, 1.  ], dtype=float32)
"""

from __future__ import annotations

import contextlib
import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, CaptureError, require_word
from nbgraph.foreign import OPERATORS, explain_methods
from nbgraph.kernels.capture.names import NotYetDefined
from nbgraph.kernels.capture.results import AlwaysRaises
from nbgraph.kernels.capture.values import Value
from nbgraph.kernels.function.probe import probe
from nbgraph.kernels.function.scalar_function import LIBRARY, Scalar, WrittenFunction
from nbgraph.kernels.function.signature import Choice, Signature, optional_in
from nbgraph.operator.mapper.calling import Calls
from nbgraph.operator.mapper.forms import Forms
from nbgraph.operator.scalar import arguments, overrides
from nbgraph.operator.scalar.elementwise import Documentation
from nbgraph.operator.scalar.fast import FastCall
from nbgraph.operator.scalar.invoke import Invoker
from nbgraph.operator.scalar.typing import operand_dtypes

if TYPE_CHECKING:
    from nbgraph.kernels.capture.context import Call
    from nbgraph.kernels.function.derived import Gradient
    from nbgraph.operator.report.explain import Explanation
    from nbgraph.operator.report.export import Exported
    from nbgraph.operator.report.point import Point


class Mapper(Calls):
    """A scalar function applied to every element; follows NumPy's ufunc protocol.

    Call it with arrays, lists or numbers: operands are positional (or by name), scalar
    parameters keyword-only. `out`, `where`, `dtype`, `casting` and `order` are NumPy's.
    """

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
        self._derivatives: dict[tuple[str, int], Mapper] = {}
        self.origin = origin  # (parent, operand, order) of a derivative
        self.forms: Forms | None = None
        self._count()
        self._certified = False
        self._watch = scalar.watch
        self._fast = FastCall(self)
        self.carried: dict[Any, Any] = {}  # what carriers keep with the operator
        self._quick = self.shortcut = self.varied_shortcut = self.over = self.without = None
        fn = getattr(scalar, "fn", None)
        self.__name__ = scalar.name
        self.__qualname__ = getattr(fn, "__qualname__", scalar.name)
        self.__module__ = str(getattr(fn, "__module__", __name__))  # None where `exec` made it
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
            try:
                self.__dict__["_probe"] = probe(self.scalar)
            except CaptureError:
                if signature is None or self.origin or not self._needs_more(signature):
                    raise
            self._count()

    def _needs_more(self, signature: Signature) -> bool:
        """Return whether the definition is understood where None defaults have values."""
        names = optional_in(signature.text)
        if not names or not isinstance(self.scalar, WrittenFunction):
            return False
        choices = tuple(Choice(name, "operand") for name in sorted(names))
        try:
            probe(WrittenFunction(self.scalar.fn, choices, self.scalar))
        except CaptureError:
            return False  # what is wrong without a value is told
        return True

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

    @property
    def ntypes(self) -> int:
        """How many loops `types` lists."""
        return len(self.types)

    def specialize(self, **values: Any) -> Mapper:
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

    def form(self, parameters: Mapping[str, Any]) -> Mapper:
        """Return the form for these parameters; most operators have only one."""
        return self if self.forms is None or not parameters else self.forms.form(parameters)

    # change -----------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Take up globals and helpers that have changed, as a new definition would."""
        if not self.refresh_needed():
            return
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

    # derivatives ------------------------------------------------------------------------------

    def derivative(self, wrt: str | int = 0, *, order: int = 1) -> Mapper:
        """d output / d operand (or scalar parameter), by name or index: again an operator with
        this signature. `order` takes it several times.

        Raises DerivativeError where the function has no derivative, CertificateError at the
        first use where it disagrees with differences of the function.

        >>> import nbgraph as ng
        >>> cube = ng.op(lambda x: x**3)
        >>> float(cube.derivative("x", order=2)(2.0))
        12.0
        """
        from nbgraph.kernels.function.derived import Derivative, wrt_name

        name = wrt_name(self.scalar, wrt)
        form = self if self.forms is None else self.forms.with_number(name)
        if form is not self:
            return form.derivative(name, order=order)
        if not isinstance(order, int) or order < 1:
            raise ValueError(f"{self.__name__}.derivative: order must be 1 or more, not {order!r}")
        key = (name, order)
        if key not in self._derivatives:
            scalar = Derivative(self.scalar, name, order, self.hand_gradient)
            mapper = Mapper(
                scalar,
                fastmath=self.fastmath,
                prefer=self.prefer,
                certify=self.certify,
                origin=(self, name, order),
            )
            self._derivatives[key] = mapper
        return self._derivatives[key]

    def gradient(self, fn: Callable[..., Any]) -> Mapper:
        """Give the gradient by hand (a decorator); returns this operator.

        The function computes the whole in-gradients (out_grad multiplied in), a tuple in operand
        order. The names of its parameters declare what backward keeps: `out_grad`, `out`,
        operand names, scalar parameters (keyword-only). It is checked against the derived
        gradient at once; disagreement raises CertificateError.
        """
        from nbgraph.operator.scalar.gradient import read_gradient

        gradient = read_gradient(self.scalar, self.nout, fn)
        if self.certify:
            from nbgraph.operator.report import certified

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
        from nbgraph.operator.report import certified

        certified.require(self)
        self._certified = True

    # in other functions -----------------------------------------------------------------------

    def inline(self, call: Call) -> Value:
        """Build this operator into another scalar function's graph."""
        from nbgraph.operator.mapper.inlining import inline

        return inline(self, call)

    @property
    def _numba_type_(self) -> Any:
        """How Numba sees the operator inside `@njit` code: a scalar function."""
        from nbgraph.kernels.compiler.callable import numba_function

        return numba_function(self.scalar)._numba_type_

    # information ------------------------------------------------------------------------------

    @property
    def __signature__(self) -> inspect.Signature:
        return arguments.signature(self.scalar)

    def __repr__(self) -> str:
        return f"<op {self.__name__}{self.__signature__}>"

    def explain(self, *, dtype: object = None, device: object = None) -> Explanation:
        """Explain what was made of the function, and why: derivative, dependence, in-place, SIMD;
        with device="gpu" what it is on a GPU, which need not be there."""
        from nbgraph.operator.report.device_code import explain

        return explain(self, dtype=dtype, device=device)

    def ptx(self, dtype: object = "float32", cc: object = (9, 0)) -> str:
        """Return the contiguous kernel of a dtype for GPUs of compute capability `cc` and above, as
        PTX, NVIDIA's text of machine instructions. No GPU need be there, nor a package of CUDA.

        Raises ArgumentError for an unknown capability, DTypeError for a dtype that the function
        does not take, CompileError where it calls what has no source text.

        >>> import nbgraph as ng
        >>> ng.op(lambda x: x + 1).ptx("float32", cc=(9, 0)).count("add.rn.f32")
        5
        """
        from nbgraph.operator.report.device_code import contiguous_kernel

        return contiguous_kernel(self, dtype, cc).ptx

    def at_point(self, *values: float, **named: float) -> Point:
        """Return the branch taken at one point, the value and the partials."""
        from nbgraph.operator.report.point import at_point

        return at_point(self, values, named)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from nbgraph.operator.report.display import mimebundle

        return mimebundle(self)

    def precompile(
        self, dtypes: Sequence[object] = ("float32",), devices: Sequence[str] = ("cpu",)
    ) -> None:
        """Compile the contiguous kernels for these dtypes and devices ("cpu", "gpu") now, into the
        disk cache; a GPU need not be there. ArgumentError for another device."""
        kinds = [str(device).partition("(")[0] for device in devices]
        for device, kind in zip(devices, kinds, strict=True):
            if kind not in ("cpu", "gpu"):
                raise ArgumentError(
                    f"{self.__name__}.precompile: device {device!r} is not known; use 'cpu' or "
                    "'gpu'"
                )
        for dtype in dtypes:
            if "cpu" in kinds:
                operands = operand_dtypes(self.scalar, as_dtype(dtype))
                self._call(tuple(np.ones(2, d) for d in operands), None, {})
            if "gpu" in kinds:
                self.ptx(dtype)

    def export(
        self, path: Any, dtypes: Sequence[object] = ("float32", "float64"), partials: bool = True
    ) -> Exported:
        """Write the kernels as a C library: a header, an object file and, where the machine has a C
        compiler, a shared library. Programs that use them need neither Python nor this library.

        Parameters
        ----------
        path : of the files, without an ending
        dtypes : for which functions `name_dtype` are made
        partials : whether there are functions `name_doperand_dtype` of the derivatives, too

        Returns
        -------
        named tuple (header, object, library, functions); `library` is None without a compiler

        Raises
        ------
        ArgumentError for a name that is none in C, or random draws; CompileError where the code
        calls what C has not.
        """
        from nbgraph.operator.report.export import export

        return export(self, path, dtypes, partials)

    def __copy__(self) -> Mapper:
        return self

    def __deepcopy__(self, memo: object) -> Mapper:
        return self

    def __reduce__(self) -> Any:
        from nbgraph.operator.mapper.pickling import reduce_mapper

        return reduce_mapper(self)


explain_methods(Mapper, OPERATORS)


def _documentation(op: Mapper) -> str:
    from nbgraph.operator.report.display import documentation

    own = getattr(getattr(op.scalar, "fn", None), "__doc__", None)
    return documentation(op, own or f"The operator {op.__name__}.")


Mapper.__doc__ = Documentation(Mapper.__doc__, _documentation)  # type: ignore[assignment]
