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
        self.carried: dict[Any, Any] = {}  # caches of carriers
        self._quick = self.shortcut = self.varied_shortcut = self.over = self.without = None
        fn = getattr(scalar, "fn", None)
        self.__name__ = scalar.name
        self.__qualname__ = getattr(fn, "__qualname__", scalar.name)
        self.__module__ = str(getattr(fn, "__module__", __name__))  # None if made by `exec`
        if fn is not None:
            self.__wrapped__ = fn
        if fn is None or not str(fn.__module__).startswith(LIBRARY):  # these at first use
            self._capture()

    def _capture(self) -> None:
        """Capture the definition now, unless only a call can: it uses names that are not defined
        yet, or needs values of its parameters."""
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
        """Return whether the definition can be captured with values for None defaults."""
        names = optional_in(signature.text)
        if not names or not isinstance(self.scalar, WrittenFunction):
            return False
        choices = tuple(Choice(name, "operand") for name in sorted(names))
        try:
            probe(WrittenFunction(self.scalar.fn, choices, self.scalar))
        except CaptureError:
            return False  # the error without a value is raised
        return True

    def _count(self) -> None:
        """Update operands and parameters from the definition."""
        self.nin = len(self.scalar.operands)
        # with parameters that may be static, `forms` finds the form of a call that has options or
        # more positional arguments than `_direct`
        signature = self.scalar.signature
        varied = signature and (self.scalar.parameters or signature.chosen)
        self.forms = Forms(self) if varied else None
        self._direct = self.forms.direct if self.forms else self.nin

    @functools.cached_property
    def identity(self) -> Any:
        """The identity of `reduce`, its result for no elements: that of NumPy's ufunc of this name,
        else None. It may be set."""
        like = overrides.twin(self)
        return None if like is None else like.identity

    @property
    def ntypes(self) -> int:
        """The number of loops that `types` lists."""
        return len(self.types)

    def specialize(self, **values: Any) -> Mapper:
        """Return this operator with static parameters fixed, as an operator of its own.

        A static parameter is one whose default is None, a bool, a string, an enum member, a
        function or a tuple. Each value has a kernel of its own; None and bools also accept a
        number, or, before the `*` of the signature, an array.

        Raises ArgumentError for an unknown name, or an array for a parameter that accepts none.

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
        """Recapture after globals or helpers changed, as a new definition would."""
        if not self.refresh_needed():
            return
        self.scalar.refresh()  # unless another operator of the same function already did
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
        """Return d output / d operand (or scalar parameter), by name or index: an operator with
        this signature. `order` differentiates several times.

        Raises DerivativeError if the function has no derivative; at the first use, CertificateError
        if it disagrees with finite differences.

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
        """Set a hand-written gradient (a decorator); return this operator.

        The function returns all in-gradients (out_grad multiplied in), a tuple in operand order.
        The names of its parameters declare what backward keeps: `out_grad`, `out`, operand names,
        scalar parameters (keyword-only). It is checked against the derived gradient at once;
        disagreement raises CertificateError.
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
        self.carried = {}  # caches gradients, too
        self.shortcut = self.varied_shortcut = self.over = None
        return self

    def require_certificate(self) -> None:
        """Check the derivative before its first use; raise CertificateError if it is wrong."""
        if self._certified or not self.certify or isinstance(self.scalar, WrittenFunction):
            return
        from nbgraph.operator.report import certified

        certified.require(self)
        self._certified = True

    # in other functions -----------------------------------------------------------------------

    def inline(self, call: Call) -> Value:
        """Inline this operator into another scalar function's graph."""
        from nbgraph.operator.mapper.inlining import inline

        return inline(self, call)

    @property
    def _numba_type_(self) -> Any:
        """The Numba type of the operator inside `@njit` code: a scalar function."""
        from nbgraph.kernels.compiler.callable import numba_function

        return numba_function(self.scalar)._numba_type_

    # information ------------------------------------------------------------------------------

    @property
    def __signature__(self) -> inspect.Signature:
        return arguments.signature(self.scalar)

    def __repr__(self) -> str:
        return f"<op {self.__name__}{self.__signature__}>"

    def explain(self, *, dtype: object = None, device: object = None) -> Explanation:
        """Explain the operator: derivative, dependence, in-place, SIMD; with device="gpu" its GPU
        kernel, without needing a GPU."""
        from nbgraph.operator.report.device_code import explain

        return explain(self, dtype=dtype, device=device)

    def ptx(self, dtype: object = "float32", cc: object = (9, 0)) -> str:
        """Return the contiguous GPU kernel of a dtype for compute capability `cc` and above, as
        PTX, NVIDIA's text of machine instructions. This needs neither a GPU nor a package of CUDA.

        Raises ArgumentError for an unknown capability, DTypeError for a dtype that the function
        does not take, CompileError if it calls a function without source text.

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
        disk cache; a GPU is not needed. Raises ArgumentError for another device."""
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
        """Write the kernels as a C library: a header, an object file and, if the machine has a C
        compiler, a shared library. Programs that use them need neither Python nor this library.

        Parameters
        ----------
        path : path and stem of the files
        dtypes : dtypes to write functions `name_dtype` for
        partials : whether to write functions `name_doperand_dtype` of the derivatives, too

        Returns
        -------
        named tuple (header, object, library, functions); `library` is None without a compiler

        Raises
        ------
        ArgumentError for a name that is invalid in C, or random draws; CompileError if the code
        calls a function that C lacks.
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
