"""Calls of scalar operators, by NumPy's ufunc protocol: dispatch and fast paths."""

from __future__ import annotations

import functools
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from nbgraph.errors import ElementError
from nbgraph.kernels.capture.names import rewritten
from nbgraph.kernels.capture.results import AlwaysRaises
from nbgraph.operator.annotations import Array, C, Host
from nbgraph.operator.call import carrier_of, outputs_of, recorded
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.parallel import OWNED, wait_for
from nbgraph.operator.scalar import arguments, floating, overrides
from nbgraph.operator.scalar.elementwise import Elementwise
from nbgraph.operator.scalar.fast import FastCall
from nbgraph.operator.scalar.floating import USUAL
from nbgraph.operator.scalar.floating import state as floating_state
from nbgraph.operator.scalar.typing import as_operand, is_foreign
from nbgraph.settings import PYTHON_ASKED, config

if TYPE_CHECKING:
    from nbgraph.operator.mapper.ufunc import Method
    from nbgraph.operator.scalar.map_call import Plan

MISSING: Any = np._NoValue  # type: ignore[attr-defined]
_frame = sys._getframe
_ndarray = np.ndarray


class Calls(Elementwise):
    """The part of `Mapper` that makes it callable."""

    _fast: FastCall
    _quick: tuple[Any, bytes, Sequence[Any], Sequence[Any]] | None
    # a carrier's fast path for operands alone, in a frame; returns the result, or None to decline
    shortcut: Callable[[Any, tuple[Any, ...]], Any] | None
    # the same, with values of all parameters after the operands
    varied_shortcut: Callable[[Any, tuple[Any, ...]], Any] | None
    # the same, with operands and the array to overwrite, in a frame; returns whether it did
    over: Callable[[tuple[Any, ...], Any, Any], bool] | None
    # the meaning of a call in which some operands are None, by those present; None: no meaning
    without: Callable[[dict[str, Any], Any], Any] | None

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
                    # the fastest path: the native entry itself checks types, shapes and overlap
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
                    op._shortcut(operands, options) if named else (op.shortcut, operands)
                )
                if shortcut is not None:
                    result = shortcut(_frame(1), words)
                    if result is not None:
                        return result
            return op._dispatch(operands, out, options, tried=tried)
        except (AlwaysRaises, ElementError) as error:
            from nbgraph.operator.scalar import naive

            raise naive.with_values(op, error, operands, out, options) from None

    def _dispatch(
        self, operands: tuple[Any, ...], out: Any, options: dict[str, Any], *, tried: bool
    ) -> Any:
        """Carry the call out by the class that takes it; `tried`: the fast path has declined."""
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
                    result = recorded(push, self, operands, {}, _frame(2))
                if result is None:
                    result = carrier.__nbgraph_call__(self, operands, options, None)
                return result
            return overrides.carry(self, carrier, operands, out, options)
        if floating_state() is not USUAL:
            floating.judge(self, operands, options)
        result = None if tried else self._fast.call(operands, out, options)
        return self._call(operands, out, options) if result is None else result

    def _shortcut(self, operands: tuple[Any, ...], options: dict[str, Any]) -> tuple[Any, Any]:
        """Return the shortcut of a call and its arguments, or None."""
        if self.shortcut is None and self.varied_shortcut is None:
            return None, ()
        placed = self._fast.placed(operands, options)
        if placed is None:
            return None, ()
        operands, values = placed
        return (self.varied_shortcut if values else self.shortcut), (*operands, *values)

    def _call(self, operands: tuple[Any, ...], out: Any, options: dict[str, Any]) -> Any:
        operands, call, named = arguments.split(self, operands, options, out)
        outs = (None,) * self.nout if out is None else outputs_of(self, out, self.nout)
        handled = overrides.dispatch(self, "__call__", operands, outs, call, named)
        if handled is not overrides.MINE:
            return handled
        parameters = self.parameters_of(named)
        subok = call.pop("subok", True)
        self.require_certificate()
        chosen, name = call.get("dtype"), self.__name__
        if any(map(is_foreign, operands)):  # torch's dtypes are not NumPy's
            each = zip(self.scalar.operands, operands, strict=True)
            operands = tuple([as_operand(name, n, v) for n, v in each])
        if complex_call.any_complex(operands) or (chosen and np.dtype(chosen).kind == "c"):
            if not complex_call.by_kernel(self, operands):
                return complex_call.apply(self, operands, parameters, None)
        if config.compiler == "python":
            from nbgraph.operator.scalar import naive

            results = naive.call(self.scalar, operands, parameters, out=outs, **call)
        else:
            note = None if call else functools.partial(self._record_call, named)
            results = self.invoker.call(operands, parameters, out=outs, note=note, **call)
        return overrides.wrap(self, operands, outs, results, subok=subok)

    def _record_call(self, parameters: dict[str, Any], operands: Sequence[Any], plan: Plan) -> None:
        if self.scalar.draws:
            return  # each call has its own words
        self._fast.note(operands, plan, parameters)
        self._quick = self._fast.quick()

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
        method = self._method("reduce", out, parameters)
        return method.reduce(array, axis, dtype, keepdims, initial, where)

    def accumulate(
        self, array: Any, axis: int = 0, dtype: Any = None, out: Any = None, **parameters: Any
    ) -> Any:
        """Return all intermediate results of `reduce` along one axis (NumPy)."""
        return self._method("accumulate", out, parameters).accumulate(array, axis, dtype)

    def reduceat(
        self,
        array: Any,
        indices: Any,
        axis: int = 0,
        dtype: Any = None,
        out: Any = None,
        **parameters: Any,
    ) -> Any:
        """Apply `reduce` to slices of an axis: from each index up to the next one, or to the end;
        if the next one is not larger, return the element itself (NumPy)."""
        return self._method("reduceat", out, parameters).reduceat(array, indices, axis, dtype)

    def outer(self, a: Any, b: Any, /, **options: Any) -> Any:
        """Apply the operator to all pairs of elements of a and b (NumPy)."""
        return self._method("outer", options.get("out"), options).outer(a, b)

    def at(self, array: Any, indices: Any, b: Any = None, /, **parameters: Any) -> None:
        """Write `array[indices] = op(array[indices], b)`, for repeated indices in order (NumPy)."""
        self._method("at", None, parameters).at(array, indices, b)

    def _method(self, name: str, out: Any, parameters: dict[str, Any]) -> Method:
        from nbgraph.operator.mapper.ufunc import Method

        return Method(self.form(parameters), name, out, parameters)
