"""Recurrent layers by MXNet's name: all weights and biases of a stack in one array.

The layers are those of `nbgraph.nn`; here weights are parts of an array, cells other functions.
"""

from __future__ import annotations

import importlib
import math
from itertools import accumulate, pairwise
from typing import Any, Literal

from nbgraph.errors import ArgumentError, ShapeError, require_shape
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.call import carrier_of
from nbgraph.operator.deferred import deferrable
from nbgraph.operator.parameters import Param, field
from nbgraph.ops.define import as_known, composed, library
from nbgraph.ops.named.calls import applied, documented, named, read
from nbgraph.shape import Shapes

_GATES = {"rnn_relu": 1, "rnn_tanh": 1, "lstm": 4, "gru": 3}


class _RNN(Param):
    """Parameters of RNN, in MXNet's order."""

    state_size: int = field(lower=1, doc="Numbers of a state.")
    num_layers: int = field(lower=1, doc="Layers, one on the other.")
    bidirectional: bool = field(False, doc="Whether each layer goes both ways.")
    mode: Literal["rnn_relu", "rnn_tanh", "lstm", "gru"] = field(doc="The kind of cell.")
    p: float = field(0.0, lower=0.0, upper=1.0, doc="Share dropped between layers in training.")
    state_outputs: bool = field(False, doc="Whether the states at the end are outputs.")
    projection_size: int | None = field(None, choices=(None,), doc="Not supported.")
    lstm_state_clip_min: float | None = field(None, choices=(None,), doc="Not supported.")
    lstm_state_clip_max: float | None = field(None, choices=(None,), doc="Not supported.")
    lstm_state_clip_nan: bool = field(False, choices=(False,), doc="Not supported.")
    use_sequence_length: bool = field(False, doc="Whether samples have lengths of their own.")


# operands whose shapes follow from data ---------------------------------------------------------


def _parameters(data: Any, mode: str, units: int, layers: int, ways: int) -> Any:
    inputs, rows = [data[2], *[units * ways] * (layers - 1)], ways * _GATES[mode] * units
    return (None if data[2] is None else sum(rows * (n + units + 2) for n in inputs),)


def _beside(shape_of: Any, label: str) -> ArrayOp:
    """Return the operator that returns an operand unchanged, in the shape that data imply."""

    def infer(data: Spec, own: Spec, **how: Any) -> Spec:
        if len(data.shape) != 3:
            raise ShapeError(f"RNN: data has shape {data.shape}; expected (steps, samples, inputs)")
        wanted = shape_of(data.shape, **how)
        asked = ", ".join(f"{name}={value!r}" for name, value in how.items())
        require_shape(f"RNN: {label}", own.shape, wanted, f"for data{data.shape} and {asked}")
        return own

    def partial(in_shapes: Shapes, _: Shapes, **how: Any) -> tuple[Shapes, Shapes]:
        data, own = in_shapes
        own = shape_of(data, **how) if data is not None and len(data) == 3 else own
        return (data, own), (own,)

    return ArrayOp(
        "RNN",
        infer,
        gradient=lambda g: [None, g.out_grad],
        composition=lambda data, own, **_: own,
        operands=("data", label),
        partial=partial,
    )


PARAMETERS = _beside(_parameters, "parameters")
STATE, STATE_CELL = (
    _beside(lambda data, units, layers, ways, **_: (layers * ways, data[1], units), label)
    for label in ("state", "state_cell")
)


# the layers -------------------------------------------------------------------------------------


def _weights(parameters: Any, inputs: int, mode: str, units: int, layers: int, ways: int) -> Any:
    """Yield the weights of each cell, for inputs and for states, and both biases."""
    rows = _GATES[mode] * units
    counts = [n for n in (inputs, *[units * ways] * (layers - 1)) for _ in range(ways)]
    shapes = [shape for n in counts for shape in ((rows, n), (rows, units))]
    ends = [*accumulate([*map(math.prod, shapes), *[rows] * len(shapes)], initial=0)]
    parts = [parameters[a:b] for a, b in pairwise(ends)]
    for k in range(0, len(shapes), 2):
        own = [library.reshape(parts[i], shapes[i]) for i in (k, k + 1)]
        yield *own, *parts[len(shapes) + k : len(shapes) + k + 2]


@composed("data", "parameters", "*states", "sequence_length")
@deferrable(
    lambda *operands, state_outputs, **_: (len(operands) - 1) * state_outputs,
    ordered=True,
    names=("output", "state_output", "statecell_output"),
)
def rnn_layers(
    data: Any, parameters: Any, *states: Any, p: float, state_outputs: bool, **how: Any
) -> Any:
    """Return the layers of `RNN` in sequence; weights precede all biases in the array."""
    recurrent = importlib.import_module("nbgraph.nn.recurrent")
    x, ways = library.swapaxes(as_known("RNN", data), 0, 1), how["ways"]
    counts, ends = recurrent.counting("RNN", x, how.pop("sequence_length", None), None), list[Any]()
    sides: list[Any] = []
    for k, own in enumerate(_weights(parameters, x.shape[2], **how)):
        if k and k % ways == 0:
            x, sides = library.concatenate(sides, axis=2), []
            x = library.dropout(x, p) if p else x
        weight, again, bias, beside = own
        entry = library.fully_connected(x, weight, bias, flatten=False)
        begun = tuple([state[k] for state in states])
        walk = recurrent.walk(recurrent.STEPS[how["mode"]], k % ways == 1)
        outs, end = walk(entry, counts, again, beside, begun)
        sides.append(outs)
        ends.append(end)
    out = library.swapaxes(library.concatenate(sides, axis=2), 0, 1)
    return (out, *[library.stack(list(each)) for each in zip(*ends)]) if state_outputs else out


@composed("data", "parameters", "state", "state_cell", "sequence_length")
@documented(_RNN)
def RNN(
    data: Any,
    parameters: Any = None,
    state: Any = None,
    state_cell: Any = None,
    sequence_length: Any = None,
    *,
    name: str | None = None,
    **options: Any,
) -> Any:
    """Stacked recurrent layers over sequences, as in `ng.nn`, with all weights in one array. On
    symbols, missing operands become variables such as `name_parameters`.

    The gates are those of cuDNN: of "lstm" in, forget, cell, out; of "gru" reset, update, new.

    data : array (steps, samples, inputs), floats
    parameters : array (numbers,): for each layer and direction the weights of inputs, then of
        states, each (gates * state_size, inputs); then all biases in that order
    state : initial states, array (num_layers, or twice that, samples, state_size)
    state_cell : array of the same shape, the initial cells of "lstm"
    sequence_length : ints (samples,), with `use_sequence_length`: outputs beyond are 0, and final
        states are those after a sample's last step
    -> array (steps, samples, state_size, or twice that); with `state_outputs` also the final
        states, like `state` and `state_cell`
    ! ShapeError where shapes do not fit; ArgumentError for parameters.
    >>> import numpy as np
    >>> how = {"mode": "rnn_relu", "state_size": 1, "num_layers": 1}
    >>> RNN(np.ones((2, 1, 1)), np.array([1.0, 1.0, 0.5, 0.0]), np.zeros((1, 1, 1)), **how).ravel()
    array([1.5, 3. ])
    """
    p = read("RNN", _RNN, options)
    if state_cell is not None and p.mode != "lstm":
        raise ArgumentError(f"RNN: state_cell is for mode='lstm'; leave it out for {p.mode!r}")
    if p.use_sequence_length and sequence_length is None:
        raise ArgumentError("RNN: use_sequence_length=True; give sequence_length, one a sample")
    ways, beside = 1 + p.bidirectional, library.stop_gradient(data)
    how = {"mode": p.mode, "units": p.state_size, "layers": p.num_layers, "ways": ways}
    operands = [data, applied(PARAMETERS, [beside, parameters], how, name, inner=True)]
    operands.append(applied(STATE, [beside, state], how, name, inner=True))
    if p.mode == "lstm":
        operands.append(applied(STATE_CELL, [beside, state_cell], how, name, inner=True))
    lengths = {"sequence_length": sequence_length} if p.use_sequence_length else {}
    results = rnn_layers(*operands, **how, **lengths, p=p.p, state_outputs=p.state_outputs)
    each = list(results) if p.state_outputs else [results]
    if carrier_of(operands) is None:
        each = [result.asnumpy() for result in each]
    each = [named(result, name) for result in each]
    return tuple(each) if p.state_outputs else each[0]
