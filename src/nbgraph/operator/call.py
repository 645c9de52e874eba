"""Application of operators: the arguments determine the class that carries a call out.

NumPy arrays and numbers carry nothing: the operator computes immediately. A class with
`__nbgraph_priority__` and `__nbgraph_call__` is a carrier (NDArray: a push to the engine; Symbol: a
node of a graph); of several, the one with the highest priority takes the call. For arrays of Dask a
class of ours is the carrier (`nbgraph.operator.lazy`).

A carrier reports every operator that it carries out to the recorder: `recording` is a context
variable that autograd sets; `training` is another one, which operators see as `ctx.is_train`.
"""

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.lazy import adopted
from nbgraph.operator.spec import Attributes
from nbgraph.scopes import load

_PLAIN = frozenset({np.ndarray, float, int, bool})  # classes that are not carriers


class Carrier(Protocol):
    """A class of values that operators can be applied to."""

    __nbgraph_priority__: int

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Apply `op`; `out` is None, or a sequence with a value or None for each output."""
        ...


class Recorder(Protocol):
    """A recorder of computations, such as a tape.

    A recorder that `traces` gets no reports: operators on arrays are not carried out but passed to
    its `carry(op, operands, attributes, out)`, which creates nodes of a graph. It turns an array
    that occurs with a symbol into an entry (`entry_of(array)`), and raises where a value is needed
    (`refuse(what)`).
    """

    traces: bool
    records: bool  # whether derivatives flow through what is computed now

    def record(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Attributes,
        outputs: Sequence[Any],
        in_place: Sequence[bool],
    ) -> None:
        """Record an application of an operator to operands (arrays of the carrier, or numbers);
        outputs with `in_place` true existed before, and their writes are counted here."""
        ...

    def check_write(self, name: str, out: Any) -> None:
        """Raise if an array may not be written while this recorder is active."""
        ...

    def spared(self, op: Any, operands: Sequence[Any], outputs: Sequence[Any]) -> Sequence[Any]:
        """Return the operands, with copies of those overwritten that the gradient reads."""
        ...


# the recorder of this context, or None. Threads and asynchronous tasks have their own.
recording: ContextVar[Any] = ContextVar("nbgraph_recording", default=None)
# whether a function runs to be differentiated, which conversion to a number would break
differentiating: ContextVar[bool] = ContextVar("nbgraph_differentiating", default=False)
# whether this context trains (dropout active, statistics updated); read when work is pushed
training: ContextVar[bool] = ContextVar("nbgraph_training", default=False)


def differentiation() -> Any:
    """Return the module that records and differentiates, which is above arrays."""
    return load("nbgraph.autograd.entry")


_sources: list[type[Carrier]] = []
# the carrier of operators without operands in this context; None: the default one
sources: ContextVar[type[Carrier] | None] = ContextVar("nbgraph_sources", default=None)


def carries_sources(carrier: type[Carrier]) -> None:
    """Make this class the default carrier of operators without operands (zeros, random draws)."""
    _sources[:] = [carrier]


def _source_carrier() -> type[Carrier] | None:
    if not _sources:
        load("nbgraph.array")  # a higher room, which registers its class
    return _sources[0] if _sources else None


def carrier_of(values: Sequence[Any]) -> type[Carrier] | None:
    """Return the class of the values that takes the call, or None for NumPy's."""
    best: Any = None
    priority = 0
    for value in values:
        kind = type(value)
        if kind in _PLAIN:
            continue
        own = getattr(kind, "__nbgraph_priority__", None)
        if own is None:
            kind = adopted[kind]
            if kind is None:
                continue
            own = kind.__nbgraph_priority__
        if best is None or own > priority:
            best, priority = kind, own
    return best


def recorded(
    push: Any,
    op: Any,
    operands: tuple[Any, ...],
    attributes: Attributes,
    frame: Any,
    numbers: Sequence[Any] = (),
) -> Any:
    """Return the result of a call whose fast path declined because a tape records it; None if it
    declines for another reason. `numbers`: those the operator passes to its kernels."""
    recorder = recording.get()
    if recorder is None or recorder.traces:
        return None
    result = push(frame, (*operands, *numbers), True)
    if result is not None:
        outputs = result if type(result) is tuple else (result,)
        recorder.record(op, operands, attributes, outputs, ())
    return result


def outputs_of(op: Any, out: Any, count: int) -> tuple[Any, ...]:
    """Return the arrays of `out` as a tuple with an array or None per output."""
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) != count:
        raise ArgumentError(
            f"{op.__name__}: out has {len(outs)} array(s), the operator gives {count}; give a "
            "tuple with one array or None for each output"
        )
    return outs


def call(op: Any, operands: Sequence[Any], attributes: Attributes, out: Any = None) -> Any:
    """Apply an operator to operands of any kind.

    Parameters
    ----------
    op : Mapper or ArrayOp
    operands : sequence
        NumPy arrays, numbers, NDArrays, ... in operand order.
    All other arguments, by name.
        Everything else, by name.
    out : None, an array, or a tuple with an array or None for each output
    """
    if attributes and getattr(op, "forms", None) is not None:
        op = op.form(attributes)
    outs = None if out is None else outputs_of(op, out, op.nout)
    carrier = carrier_of((*operands, *outs) if outs is not None else operands)
    if carrier is None and not operands:
        carrier = sources.get() or _source_carrier()
    if carrier is None and getattr(op, "resources", ()):
        recorder = recording.get()
        if recorder is not None and recorder.traces:  # it may draw at each run
            return recorder.carry(op, operands, attributes, outs)
    if carrier is None:
        return op.on_numpy(operands, attributes, outs)
    return carrier.__nbgraph_call__(op, operands, attributes, outs)
