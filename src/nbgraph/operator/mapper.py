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

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from nbgraph.dtype import as_dtype
from nbgraph.errors import ArgumentError, ElementError
from nbgraph.foreign import OPERATORS, explain_methods
from nbgraph.kernels.capture.names import rewritten
from nbgraph.kernels.capture.raising import AlwaysRaises
from nbgraph.kernels.capture.values import Value
from nbgraph.operator import arguments, complex_call, floating, overrides
from nbgraph.operator.annotations import Array, C, Host
from nbgraph.operator.call import carrier_of, recorded
from nbgraph.operator.elementwise import Documentation, Elementwise
from nbgraph.operator.floating import USUAL
from nbgraph.operator.floating import state as floating_state
from nbgraph.operator.parallel import OWNED, wait_for
from nbgraph.operator.typing import as_operand, is_foreign, operand_dtypes
from nbgraph.settings import PYTHON_ASKED, config

if TYPE_CHECKING:
    from nbgraph.kernels.capture.context import Call
    from nbgraph.operator.explain import Explanation
    from nbgraph.operator.export import Exported
    from nbgraph.operator.map_call import Plan
    from nbgraph.operator.point import Point

MISSING: Any = np._NoValue  # type: ignore[attr-defined]
_frame = sys._getframe
_ndarray = np.ndarray


class Mapper(Elementwise):
    """A scalar function applied to every element; follows NumPy's ufunc protocol.

    Call it with arrays, lists or numbers: operands are positional (or by name), scalar
    parameters keyword-only. `out`, `where`, `dtype`, `casting` and `order` are NumPy's.
    """

    # calling ----------------------------------------------------------------------------------

    @overload
    def __call__(self, x: C, /, *more: Any, **options: Any) -> C: ...
    @overload
    def __call__(self, x: Array, /, *more: Host | None, **options: Any) -> Array: ...
    @overload
    def __call__(self, x: Host, y: C, /, *more: Any, **options: Any) -> C: ...
    @overload
    def __call__(self, *operands: Any, **options: Any) -> Any: ...

    def __call__(self, *operands: Any, out: Any = None, **options: Any) -> Any:
        """Apply the operator; see the class."""
        if OWNED:
            wait_for((*operands, *(out if type(out) is tuple else (out,))))
        op = self
        try:
            if self.forms is not None and (options or len(operands) > self._direct):
                op, operands, options = self.forms.bind(operands, options)
            tried = False
            if operands and type(operands[0]) is _ndarray and floating_state() is USUAL:
                quick = op._quick
                if quick is not None and out is not None and not options and not PYTHON_ASKED[0]:
                    # the shortest way: the native entry itself checks types, shapes and overlap
                    function, declined, watched, texts = quick
                    for space, name, value in watched:
                        if space.get(name) is not value:
                            break
                    else:
                        if not (texts and rewritten(texts)):
                            result = function(*operands, out)
                            if result is not declined:
                                return result
                tried = len(operands) <= op.nin
                result = op._fast.call(operands, out, options)
                if result is not None:
                    return result
            elif out is None:
                named = options or len(operands) < op.nin
                shortcut, words = (
                    op._placed(operands, options) if named else (op.shortcut, operands)
                )
                if shortcut is not None:
                    result = shortcut(_frame(1), words)
                    if result is not None:
                        return result
            return op._elsewhere(operands, out, options, tried=tried)
        except (AlwaysRaises, ElementError) as error:
            from nbgraph.operator import naive

            raise naive.with_values(op, error, operands, out, options) from None

    def _elsewhere(
        self, operands: tuple[Any, ...], out: Any, options: dict[str, Any], *, tried: bool
    ) -> Any:
        """Carry the call out by the class that takes it; `tried`: not by the short path."""
        if self.over is not None and not options and self.over(operands, out, _frame(2)):
            return out
        if self.without is not None and (
            options or len(operands) < self.nin or any(x is None for x in operands)
        ):
            present = {**dict(zip(self.scalar.operands, operands, strict=False)), **options}
            result = self.without({k: v for k, v in present.items() if v is not None}, out)
            if result is not None:
                return result
        if len(operands) > self.nin:
            operands, out = arguments.with_outputs(self, operands, out)
        carrier = carrier_of(operands if out is None else (*operands, out))
        if carrier is not None:
            if not options and out is None and len(operands) == self.nin:
                push, result = self.shortcut, None
                if push is not None:
                    result = recorded(push, self, operands, dict, _frame(2))
                if result is None:
                    result = carrier.__nbgraph_call__(self, operands, options, None)
                return result
            return overrides.carry(self, carrier, operands, out, options)
        if floating_state() is not USUAL:
            floating.judge(self, operands, options)
        result = None if tried else self._fast.call(operands, out, options)
        return self._call(operands, out, options) if result is None else result

    def _placed(self, operands: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
        """Return the shortcut of a call with names, defaults or parameters, and what it is called
        with, or None where there is none."""
        if self.shortcut is None and self.varied_shortcut is None:
            return None, ()
        placed = self._fast.placed(operands, options)
        if placed is None:
            return None, ()
        operands, values = placed
        return (self.varied_shortcut if values else self.shortcut), (*operands, *values)

    def _call(self, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
        operands, call, named = arguments.split(self, operands, options, out)
        outs = arguments.outputs(self, out)
        handled = overrides.dispatch(self, "__call__", operands, outs, call, named)
        if handled is not overrides.MINE:
            return handled
        parameters = self.parameters(named)
        subok = call.pop("subok", True)
        self.require_certificate()
        chosen, name = call.get("dtype"), self.__name__
        if any(map(is_foreign, operands)):  # torch's dtypes are not NumPy's
            operands = tuple([as_operand(name, f"operand {i}", v) for i, v in enumerate(operands)])
        if complex_call.any_complex(operands) or (chosen and np.dtype(chosen).kind == "c"):
            return complex_call.on_numpy(self, operands, parameters, outs, call)
        if config.compiler == "python":
            from nbgraph.operator import naive

            results = naive.call(self.scalar, operands, parameters, out=outs, **call)
        else:
            note = None if call else functools.partial(self._note, named)
            results = self.invoker.call(operands, parameters, out=outs, note=note, **call)
        return overrides.wrap(self, operands, outs, results, subok=subok)

    def _note(self, given: dict[str, Any], operands: Sequence[Any], plan: Plan) -> None:
        if self.scalar.draws:
            return  # each call has words of its own
        self._fast.note(operands, plan, given)
        self._quick = self._fast.quick()

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
        from nbgraph.kernels.derived import Derivative, wrt_name

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

    # in other functions -----------------------------------------------------------------------

    def inline(self, call: Call) -> Value:
        """Build this operator into another scalar function's graph."""
        from nbgraph.operator.inlining import inline

        return inline(self, call)

    @property
    def _numba_type_(self) -> Any:
        """How Numba sees the operator inside `@njit` code: a scalar function."""
        from nbgraph.kernels.callable import numba_function

        return numba_function(self.scalar)._numba_type_

    # information ------------------------------------------------------------------------------

    def explain(self, *, dtype: object = None, device: object = None) -> Explanation:
        """Explain what was made of the function, and why: derivative, dependence, in-place, SIMD;
        with device="gpu" what it is on a GPU, which need not be there."""
        from nbgraph.operator.device_code import explain

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
        from nbgraph.operator.device_code import made

        return made(self, dtype, cc).ptx

    def at_point(self, *values: float, **named: float) -> Point:
        """Return the branch taken at one point, the value and the partials."""
        from nbgraph.operator.point import at_point

        return at_point(self, values, named)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, str]:
        from nbgraph.operator.display import mimebundle

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
        from nbgraph.operator.export import export

        return export(self, path, dtypes, partials)

    # reductions -------------------------------------------------------------------------------

    def reduce(
        self,
        array: Any,
        axis: Any = 0,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = MISSING,
        where: Any = True,
        **parameters: Any,
    ) -> Any:
        """Combine elements along axes with this binary operator, in order (NumPy)."""
        from nbgraph.operator import ufunc

        op = self.form(parameters)
        return ufunc.reduce(op, array, axis, dtype, out, keepdims, initial, where, parameters)

    def accumulate(
        self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None, **parameters: Any
    ) -> Any:
        """Return all intermediate results of `reduce` along one axis (NumPy)."""
        from nbgraph.operator import ufunc

        op = self.form(parameters)
        return ufunc.accumulate(op, array, axis, dtype, out, parameters)

    def reduceat(
        self,
        array: Any,
        indices: Any,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        **parameters: Any,
    ) -> Any:
        """Apply `reduce` to parts of an axis: from each index up to the next one, or to the end;
        the element itself where the next one is not larger (NumPy)."""
        from nbgraph.operator import ufunc

        op = self.form(parameters)
        return ufunc.reduceat(op, array, indices, axis, dtype, out, parameters)

    def outer(self, a: Any, b: Any, /, **options: Any) -> Any:
        """Apply the operator to all pairs of elements of a and b (NumPy)."""
        from nbgraph.operator import ufunc

        return ufunc.outer(self.form(options), a, b, options)

    def at(self, array: Any, indices: Any, b: Any = None, /, **parameters: Any) -> None:
        """Write `array[indices] = op(array[indices], b)`, repeated indices one after another
        (NumPy)."""
        from nbgraph.operator import ufunc

        ufunc.at(self.form(parameters), array, indices, b, parameters)


explain_methods(Mapper, OPERATORS)


def _documentation(op: Mapper) -> str:
    from nbgraph.operator.display import documentation

    own = getattr(getattr(op.scalar, "fn", None), "__doc__", None)
    return documentation(op, own or f"The operator {op.__name__}.")


Mapper.__doc__ = Documentation(Mapper.__doc__, _documentation)  # type: ignore[assignment]
