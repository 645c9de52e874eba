"""Recurrent cells, and layers that run them along a sequence."""

from __future__ import annotations

import inspect
import math
from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any, ClassVar

import numpy as np

from nbgraph.autograd.control.loops import scan
from nbgraph.autograd.jit import jit
from nbgraph.errors import ArgumentError, ShapeError, noun, require_whole
from nbgraph.nn.module import Module
from nbgraph.ops.define import as_array, library
from nbgraph.ops.draws import initial

_LEAST_WORK = 1 << 23  # multiplications from which a loop gets its own thread


def _stacked(units: int, shape: tuple[int, ...], dtype: Any) -> Any:
    """Return initial weights in which the matrix of each gate is initialised separately."""
    bound = math.sqrt(6 / (shape[1] + units))
    return initial.uniform(-bound, bound)(shape, dtype)


class Cell(Module):
    """A step of a recurrent layer: `cell(x, state) -> (out, state)`.

    Parameters
    ----------
    units : int, size of the state
    in_features : int, optional; by default that of the first call
    recurrent_bias : bool, whether the product with the state has its own bias

    `weight` has shape (gates * units, features) and multiplies the input, `recurrent` has shape
    (gates * units, units) and multiplies the state; `bias` and `recurrent_bias` have shape (gates *
    units,). A state is a tuple of arrays of shape (samples, units); None means zeros. Subclasses
    define `gates` and a static method `step(entry, recalled, state)`, which returns the output and
    the next state from the products of input and state, of shape (samples, gates * units).
    """

    gates: ClassVar[int]
    states: ClassVar[int] = 1
    step: ClassVar[Callable[[Any, Any, Any], tuple[Any, tuple[Any, ...]]]]

    def __init_subclass__(cls) -> None:
        super().__init_subclass__()
        if not isinstance(inspect.getattr_static(cls, "step", None), staticmethod):
            raise ArgumentError(
                f"{cls.__name__}: step is not a static method; expected a function of what comes "
                "from the input, what comes from the state, and the state: write @staticmethod "
                "def step(entry, recalled, state)"
            )

    def __init__(
        self, units: int, *, in_features: int | None = None, recurrent_bias: bool = False
    ) -> None:
        self.units = require_whole(f"{type(self).__name__}: units", units)
        rows = self.gates * units
        self.weight = self.declare((rows, in_features), partial(_stacked, self.units))
        self.recurrent = self.declare((rows, units), partial(_stacked, self.units))
        self.bias = self.declare((rows,), initial.zeros())
        self.recurrent_bias = self.declare((rows,), initial.zeros()) if recurrent_bias else None

    def forward(self, x: Any, state: Any = None) -> tuple[Any, tuple[Any, ...]]:
        """Return the output (samples, units) and the next state, for `x` of shape (samples,
        features)."""
        state = self.begun(x.shape[0], state)
        recalled = _recalled(state[0], self.recurrent, self.recurrent_bias)
        return type(self).step(self.entry(x), recalled, state)

    def entry(self, x: Any) -> Any:
        """Return the product of inputs with their weight, plus bias; leading axes are kept."""
        self.settle(weight=(self.gates * self.units, x.shape[-1]))
        return library.fully_connected(x, self.weight, self.bias, flatten=False)

    def begun(self, samples: int, state: Any) -> tuple[Any, ...]:
        """Return the initial state; zeros for None."""
        if state is None:
            weight = self.recurrent
            zeros = library.zeros(
                (samples, self.units), weight.dtype, device=getattr(weight, "device", None)
            )
            return tuple([zeros] * self.states)
        name, wanted = type(self).__name__, (samples, self.units)
        parts = tuple(state) if isinstance(state, tuple | list) else (state,)
        shapes = [tuple(np.shape(part)) for part in parts]
        if len(parts) != self.states or any(shape != wanted for shape in shapes):
            own = ", ".join(map(str, shapes))
            raise ShapeError(
                f"{name}: a state of {len(parts)} array(s) of shapes {own}; expected a tuple of "
                f"{self.states} of shape {wanted}: (samples, units)"
            )
        return parts

    def describe(self) -> str:
        return str(self.units)


class RNNCell(Cell):
    """The tanh of the products of input and state with their weights (Elman, 1990).

    >>> import nbgraph as ng
    >>> out, (hidden,) = RNNCell(3)(ng.ones((2, 5)))
    >>> out.shape, hidden is out
    ((2, 3), True)
    """

    gates = 1

    @staticmethod
    def step(entry: Any, recalled: Any, _: Any, /) -> tuple[Any, tuple[Any, ...]]:
        """See Cell."""
        out = library.tanh(entry + recalled)
        return out, (out,)


class LSTMCell(Cell):
    """Long short-term memory (Hochreiter and Schmidhuber, 1997); gates: in, forget, cell, out.

    The state is (output, memory); 1 is added to the forget gate's input.

    >>> import nbgraph as ng
    >>> out, (hidden, memory) = LSTMCell(3)(ng.ones((2, 5)))
    >>> out.shape, memory.shape
    ((2, 3), (2, 3))
    """

    gates, states = 4, 2

    @staticmethod
    def step(entry: Any, recalled: Any, state: Any, /) -> tuple[Any, tuple[Any, ...]]:
        """See Cell."""
        return _remembered(entry + recalled, state, 1.0)


def _remembered(gates: Any, state: Any, kept: float) -> tuple[Any, tuple[Any, ...]]:
    """Return output and state of an LSTM step; `kept` is added to the forget gate's input."""
    enter, forget, cell, leave = library.split(gates, 4, axis=1)
    stays = library.sigmoid(forget + kept) * state[1]
    memory = stays + library.sigmoid(enter) * library.tanh(cell)
    out = library.sigmoid(leave) * library.tanh(memory)
    return out, (out, memory)


class GRUCell(Cell):
    """A gated recurrent unit (Cho et al., 2014); gates: reset, update, new.

    The reset gate multiplies the product with the state, as in cuDNN, so `recurrent_bias` differs
    from a larger `bias`.

    >>> import nbgraph as ng
    >>> GRUCell(3)(ng.ones((2, 5)))[0].shape
    (2, 3)
    """

    gates = 3

    @staticmethod
    def step(entry: Any, recalled: Any, state: Any, /) -> tuple[Any, tuple[Any, ...]]:
        """See Cell."""
        (hidden,) = state
        reset, update, new = library.split(entry, 3, axis=1)
        again, keep, old = library.split(recalled, 3, axis=1)
        share = library.sigmoid(update + keep)
        fresh = library.tanh(new + library.sigmoid(reset + again) * old)
        out = fresh + share * (hidden - fresh)
        return out, (out,)


class RNN(Module):
    """Stacked recurrent layers over a sequence: `layer(x, states) -> (outs, states)`.

    Parameters
    ----------
    units : int, size of each state
    layers : int, number of layers
    in_features : int, optional; by default that of the first call
    recurrent_bias : bool, whether the product with the state has its own bias
    bidirectional : bool, whether each layer has a second cell, `back`, that runs from the last step
        to the first; the outputs of both are concatenated

    `x` has shape (samples, steps, features), outputs have shape (samples, steps, units), with 2 *
    units if bidirectional. States are a list with one for each cell, in the order of layers, `back`
    after the first cell; None means zeros. The products of inputs are computed for all steps at
    once. With `hybridize` a call is one graph.

    For sequences of different lengths pass `lengths` (samples,), or a `mask` (samples, steps) that
    is true at valid steps. At other steps outputs are 0 and states do not change, so final states
    are those after the last valid step of each sample, where backward cells begin.

    Raises
    ------
    ShapeError where lengths or mask do not fit x, ArgumentError where both are given.

    >>> import nbgraph as ng
    >>> outs, states = RNN(4, layers=2)(ng.ones((3, 5, 2)))
    >>> outs.shape, len(states)
    ((3, 5, 4), 2)
    >>> x, lengths = ng.ones((2, 3, 2)), ng.array([3, 1])
    >>> outs, states = RNN(4, bidirectional=True)(x, lengths=lengths)
    >>> outs.shape, len(states), float(abs(outs[1, 1:]).sum())
    ((2, 3, 8), 2, 0.0)
    """

    cell: ClassVar[type[Cell]] = RNNCell

    def __init__(
        self,
        units: int,
        *,
        layers: int = 1,
        in_features: int | None = None,
        recurrent_bias: bool = False,
        bidirectional: bool = False,
    ) -> None:
        count = require_whole(f"{type(self).__name__}: layers", layers)
        require_whole(f"{type(self).__name__}: units", units)
        sizes = [in_features, *[units * (1 + bidirectional)] * (count - 1)]
        self.cells, self.back = (
            [self.cell(units, in_features=n, recurrent_bias=recurrent_bias) for n in own]
            for own in (sizes, sizes if bidirectional else [])
        )

    def forward(
        self, x: Any, states: Any = None, *, lengths: Any = None, mask: Any = None
    ) -> tuple[Any, list[Any]]:
        """Return the outputs of the last layer at all steps, and the final states."""
        name, count = type(self).__name__, len(self.cells) + len(self.back)
        if len(x.shape) != 3:
            raise ShapeError(
                f"{name}: x has shape {tuple(x.shape)}; expected (samples, steps, features)"
            )
        if states is not None and (not isinstance(states, list | tuple) or len(states) != count):
            many = isinstance(states, list | tuple)
            text = f"{len(states)} states" if many else f"states is {noun(states)}"
            raise ArgumentError(f"{name}: {text}; expected a list of {count} states, one a cell")
        counts = counting(name, x, lengths, mask)
        ends: list[Any] = []
        for i, first in enumerate(self.cells):
            sides: list[Any] = []
            for cell in (first, *self.back[i : i + 1]):
                state = None if states is None else states[len(ends)]
                outs, end = _along(cell, x, state, counts, backwards=cell is not first)
                sides.append(outs)
                ends.append(end)
            x = library.concatenate(sides, axis=2) if len(sides) > 1 else sides[0]
        return x, ends


def counting(name: str, x: Any, lengths: Any, mask: Any) -> Any:
    """Return the mask of valid steps as bool, or None if all are valid."""
    if lengths is not None and mask is not None:
        raise ArgumentError(f"{name}: lengths and mask are given; give one of them")
    word, value, axes = ("lengths", lengths, 1) if mask is None else ("mask", mask, 2)
    if value is None:
        return None
    value, shape = as_array(value), tuple(x.shape)
    if tuple(value.shape) != shape[:axes]:
        raise ShapeError(
            f"{name}: {word} has shape {tuple(value.shape)} beside x{shape}; expected "
            f"{shape[:axes]}"
        )
    if mask is not None:
        return library.astype(value, "bool")
    device = None if isinstance(x, np.ndarray) else getattr(x, "device", None)  # NumPy's is a str
    steps = library.arange(x.shape[1], device=device)
    return library.less(steps, library.expand_dims(value, 1))


def _recalled(hidden: Any, weight: Any, bias: Any) -> Any:
    """Return the product of a state with its weight, plus bias."""
    return library.fully_connected(hidden, weight, bias, flatten=False)


def _along(
    cell: Cell, x: Any, state: Any, counts: Any, *, backwards: bool
) -> tuple[Any, tuple[Any, ...]]:
    """Return a cell's outputs at all steps, and its final state."""
    entry = cell.entry(x)
    begun = [as_array(part) for part in cell.begun(x.shape[0], state)]
    kinds = [np.result_type(part.dtype, entry.dtype) for part in begun]  # of all later states
    state = tuple([library.astype(*pair) for pair in zip(begun, kinds, strict=True)])
    along = walk(type(cell).step, backwards)
    return along(entry, counts, cell.recurrent, cell.recurrent_bias, state)


@lru_cache(64)  # kinds of cells
def walk(step: Any, backwards: bool) -> Any:
    """Return the compiled loop over steps for a kind of cell."""

    def along(entry: Any, counts: Any, weight: Any, bias: Any, begun: Any) -> Any:
        def one(state: Any, parts: Any) -> Any:
            part, here = parts
            out, new = step(part, _recalled(state[0], weight, bias), state)
            if here is not None:
                here = library.expand_dims(here, 1)
                new = tuple([library.where(here, a, b) for a, b in zip(new, state, strict=True)])
                out = library.where(here, out, 0.0)
            return new, out

        steps = [None if x is None else library.swapaxes(x, 0, 1) for x in (entry, counts)]
        end, outs = scan(one, begun, tuple(steps), reverse=backwards)
        return library.swapaxes(outs, 0, 1), *end

    def shared(entry: Any, counts: Any, weight: Any, bias: Any, begun: Any) -> Any:
        samples, steps, width = entry.shape
        shares = _shares(samples, steps, width, weight.shape[1])
        split = [
            [x] * shares if x is None or shares == 1 else library.array_split(x, shares)
            for x in (entry, counts, *begun)
        ]
        results = [along(e, c, weight, bias, tuple(state)) for e, c, *state in zip(*split)]
        outs, *end = [library.concatenate(list(x)) if shares > 1 else x[0] for x in zip(*results)]
        return outs, tuple(end)

    return jit(shared)


def _shares(samples: int, steps: int, width: int, units: int) -> int:
    """Return the number of parts of the samples whose loops run in parallel; it depends on shapes
    only, so that results do not depend on the machine."""
    work = samples * steps * width * units
    return 1 if samples < 32 or work < _LEAST_WORK else min(8, max(2, samples // 64))


class LSTM(RNN):
    """Long short-term memory over a sequence: `layer(x, states) -> (outs, states)`.

    Shapes, states, `lengths` and `mask` are those of `RNN`.

    >>> import nbgraph as ng
    >>> LSTM(4)(ng.ones((3, 5, 2)))[0].shape
    (3, 5, 4)
    """

    cell = LSTMCell


class GRU(RNN):
    """Gated recurrent units over a sequence: `layer(x, states) -> (outs, states)`.

    Shapes, states, `lengths` and `mask` are those of `RNN`.

    >>> import nbgraph as ng
    >>> GRU(4)(ng.ones((3, 5, 2)))[0].shape
    (3, 5, 4)
    """

    cell = GRUCell


def _rectified(entry: Any, recalled: Any, _: Any, /) -> tuple[Any, tuple[Any, ...]]:
    return (out := library.relu(entry + recalled)), (out,)


STEPS: dict[str, Callable[..., Any]] = {  # the cells of MXNet's RNN
    "rnn_relu": _rectified,
    "rnn_tanh": RNNCell.step,
    "lstm": lambda entry, recalled, state: _remembered(entry + recalled, state, 0.0),
    "gru": GRUCell.step,
}
