"""Functions with a backward pass written by hand: `ng.autograd.Function`."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import CPU
from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.autograd.results import is_array
from nbgraph.autograd.rules import Rule
from nbgraph.autograd.scope import pause
from nbgraph.autograd.sums import zeros_of
from nbgraph.autograd.tape import TAPE, TapeError, bare
from nbgraph.errors import ArgumentError, ShapeError, noun
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients
from nbgraph.operator.call import recording, training
from nbgraph.operator.layout import layout
from nbgraph.ops.define import library


class Function:
    """A function of arrays that says itself how gradients flow back through it.

    A subclass defines `forward(self, *inputs)`, which gives an array or a tuple of them, and
    `backward(self, *out_grads)`, which gives a gradient for each input, None where there is none.
    Neither is recorded, except that `backward` is where its result is to be differentiated again:
    written with operators, over `saved_tensors`, it can be.

    `save_for_backward` keeps inputs and results of `forward` for `backward`. Anything else may be
    kept as an attribute; for second derivatives that is a constant. Each call has a state of its
    own, a shallow copy of the instance.

    >>> import nbgraph as ng
    >>> class Sigmoid(ng.autograd.Function):
    ...     def forward(self, x):
    ...         y = 1 / (1 + ng.exp(-x))
    ...         self.save_for_backward(y)
    ...         return y
    ...
    ...     def backward(self, dy):
    ...         (y,) = self.saved_tensors
    ...         return dy * y * (1 - y)
    >>> ng.grad(Sigmoid())(0.0)
    array(0.25, dtype=float32)
    """

    _saved: tuple[Any, ...] = ()

    def forward(self, *inputs: Any) -> Any:
        """Return the results."""
        raise NotImplementedError(f"{type(self).__name__}: define forward(self, *inputs)")

    def backward(self, *out_grads: Any) -> Any:
        """Return the gradients of the inputs from those of the results."""
        raise NotImplementedError(f"{type(self).__name__}: define backward(self, *out_grads)")

    def save_for_backward(self, *arrays: Any) -> None:
        """Keep arrays until `backward`, which finds them in `saved_tensors`."""
        self._saved = arrays

    @property
    def saved_tensors(self) -> tuple[Any, ...]:
        """The values that `save_for_backward` saved."""
        return self._saved

    def __call__(self, *inputs: Any) -> Any:
        """Apply the function, recorded as one operator."""
        if _traces() or any(map(_is_symbol, inputs)):
            return self.as_graph(inputs)
        state = copy.copy(self)
        with pause(train_mode=training.get()):
            result = state.forward(*inputs)
        single, results = _several(result)
        outputs = [_result(type(self).__name__, i, value) for i, value in enumerate(results)]
        if recording.get() is not None and outputs:
            call = Call(state, inputs, results, [(o.shape, o.dtype) for o in outputs])
            TAPE.record(call, inputs, {}, outputs, ())
        return outputs[0] if single else tuple(outputs)

    def as_graph(self, inputs: Sequence[Any]) -> Any:
        """Return the same of symbols: an operator that hands the results on, with this gradient."""
        state = copy.copy(self)
        single, results = _several(state.forward(*inputs))
        visible = [*inputs, *results]
        symbols = [v for v in (*state._saved, *vars(state).values()) if _is_symbol(v)]
        others = [v for v in symbols if not any(v is one for one in visible)]
        call = Call(
            state, [*inputs, *others], results, [(r.shape, r.dtype) for r in results], graph=True
        )
        op = _handed_on(call, len(inputs), [*inputs, *others], len(results))
        outputs = op(*results, *filter(is_array, inputs), *others)
        return outputs[0] if single and isinstance(outputs, tuple) else outputs


def _is_symbol(value: Any) -> bool:
    return is_array(value) and not isinstance(value, Array)


def _traces() -> bool:
    recorder = recording.get()
    return recorder is not None and recorder.traces


def _several(results: Any) -> tuple[bool, list[Any]]:
    single = not isinstance(results, (tuple, list))
    return single, [results] if single else list(results)


def _handed_on(call: Call, count: int, inputs: Sequence[Any], nout: int) -> ArrayOp:
    """Return an operator whose operands are the results, and those inputs and saved values that are
    arrays. No gradient flows through how the results were computed; the first `count` inputs have
    one."""
    places = [i for i, value in enumerate(inputs) if is_array(value)]

    def rule(g: Gradients) -> list[Any]:
        values: list[Any] = [None] * len(inputs)
        flags, specs = [False] * count, [g.specs[0]] * count
        for k, i in enumerate(places, nout):
            values[i] = g.inputs[k]
            if i < count:
                flags[i], specs[i] = g.wanted[k], g.specs[k]
        request = Gradients(g.op, g.attributes, g.out_grads, values, g.outputs, specs, flags)
        slopes = call.rule(request)
        return [*[None] * nout, *(slopes[i] if i < count else None for i in places)]

    def compute(arrays: Sequence[Any], outputs: Sequence[Any]) -> None:
        for array, output in zip(arrays, outputs, strict=False):
            output[...] = array

    return ArrayOp(
        call.__name__,
        lambda *specs: specs[:nout],
        compute,
        gradient=rule,
        keeps=("*operands", "out"),
        operands=("*operands",),
        nout=nout,
        view=(lambda x: x[...]) if nout == 1 else None,
    )


def _result(name: str, index: int, value: Any) -> Any:
    """Return a result as an array of its own: the one that is saved here is not on the tape."""
    if not isinstance(value, Array):
        try:
            return new_array(value)
        except (TypeError, ValueError):
            raise ArgumentError(
                f"{name}: forward returned {noun(value)} as result {index}; return NDArrays"
            ) from None
    return bare(value)


class Call(Rule):
    """One call of a function, which is operator and rule of its node."""

    __slots__ = (
        *("__name__", "_attributes", "_inputs", "_outputs", "_saved", "_specs", "_state"),
        "view",
    )

    def __init__(
        self,
        state: Function,
        inputs: Sequence[Any],
        results: Sequence[Any],
        specs: Sequence[tuple[Any, Any]],
        *,
        graph: bool = False,
    ) -> None:
        self.__name__ = type(state).__name__
        self.view, self._specs = None, specs
        # by place rather than by array: the tape knows what became of operands and results, and
        # an array on the tape that its own node held would never be freed
        self._saved = [_placed(value, inputs, results) for value in state._saved]
        # an attribute is a constant where it is an array; a graph has to know where it is from
        sources = inputs if graph else ()
        own = {n: _placed(v, sources, results) for n, v in vars(state).items() if n != "_saved"}
        self._attributes = {name: place for name, place in own.items() if place[0] != "other"}
        for name in ("_saved", *self._attributes):
            vars(state).pop(name, None)
        self._state = state
        used = [*self._saved, *self._attributes.values()]
        self._inputs = sorted({i for kind, i in used if kind == "input"})
        self._outputs = sorted({i for kind, i in used if kind == "output"})

    def on_symbols(self, operands: Sequence[Any]) -> list[Any]:
        """Return the results of the same function on symbols, and on numbers as they are."""
        return _several(self._state.as_graph(operands))[1]

    def reads_inputs(self, count: int) -> Sequence[int]:
        return self._inputs

    def reads_outputs(self, count: int) -> Sequence[int]:
        return self._outputs

    def rule(self, g: Gradients) -> Sequence[Any]:
        """Return the gradients that `backward` returns."""
        state = copy.copy(self._state)
        state._saved = tuple(self._value(kind, value, g) for kind, value in self._saved)
        for name, (kind, value) in self._attributes.items():
            setattr(state, name, self._value(kind, value, g))
        result = state.backward(*self._out_grads(g))
        slopes: Sequence[Any] = result if isinstance(result, (tuple, list)) else [result]
        if len(slopes) != len(g.specs):
            raise ArgumentError(
                f"{self.__name__}: backward returned {len(slopes)} gradient(s) for {len(g.specs)} "
                "input(s); return one for each, None where there is none"
            )
        return [self._gradient(i, value, g) for i, value in enumerate(slopes)]

    def _value(self, kind: str, value: Any, g: Gradients) -> Any:
        if kind == "input":
            return g.inputs[value]
        if kind == "output":
            return g.outputs[value]
        again = recording.get() is not None and not _traces()
        if again and isinstance(value, Array) and value.dtype.kind in "cfV":
            raise TapeError(
                f"{self.__name__}: a second derivative is asked for, but save_for_backward was "
                f"given an array of shape {value.shape} that is neither an input nor a result of "
                "forward, so how it depends on the inputs is not known; compute it in backward, "
                "return it from forward too, or keep it as an attribute if it is a constant"
            )
        return value

    def _out_grads(self, g: Gradients) -> list[Any]:
        device = next((o.device for o in g.out_grads if isinstance(o, Array)), CPU)
        return [
            zeros_of(layout(*own), device) if value is None else value
            for value, own in zip(g.out_grads, self._specs, strict=True)
        ]

    def _gradient(self, index: int, value: Any, g: Gradients) -> Any:
        if value is None or not g.wanted[index]:
            return None
        spec = g.specs[index]
        slope = value if is_array(value) else new_array(value, spec.dtype)
        if slope.shape != spec.shape:
            raise ShapeError(
                f"{self.__name__}: backward returned a gradient of shape {slope.shape} for input "
                f"{index} of shape {spec.shape}; return one of that shape"
            )
        return slope if slope.dtype == spec.dtype else library.astype(slope, spec.dtype)


def _placed(value: Any, inputs: Sequence[Any], results: Sequence[Any]) -> tuple[str, Any]:
    """Return which input or result a value is: (kind, number); ("other", value) for others."""
    for kind, arrays in (("input", inputs), ("output", results)):
        for i, array in enumerate(arrays):
            if value is array and is_array(value):
                return kind, i
    return "other", value
