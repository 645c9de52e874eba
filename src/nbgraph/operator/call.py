"""One way to apply an operator: its arguments are asked who carries it out.

NumPy arrays and numbers carry nothing themselves: the operator computes at once. A class with
`__nbgraph_priority__` and `__nbgraph_call__` is a carrier (NDArray: a push to the engine; Symbol:
a node of a graph); of several, the one with the highest priority takes the call. For arrays of
Dask a class of ours is the carrier (`nbgraph.operator.lazy`).

The recorder is what a carrier tells of every operator it has carried out: `recording` is a slot,
per context, that autograd fills; so is `training`, which operators see as `ctx.is_train`.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextvars import ContextVar
from typing import Any, Protocol

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.lazy import adopted
from nbgraph.operator.spec import Attributes
from nbgraph.scopes import load

_PLAIN = frozenset({np.ndarray, float, int, bool})  # classes that carry nothing


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
    """Who is told what was computed from what.

    One that `traces` is not told: operators on arrays are not carried out at all, but given to its
    `carry(op, operands, attributes, out)`, which makes nodes of a graph. An array that stands
    beside a symbol it turns into an entry (`entry_of(array)`), and it says why values cannot be
    had (`refuse(what)`).
    """

    traces: bool
    records: bool  # whether derivatives are to flow through what is computed now

    def record(
        self,
        op: Any,
        operands: Sequence[Any],
        attributes: Attributes,
        outputs: Sequence[Any],
        in_place: Sequence[bool],
    ) -> None:
        """Record that the operator was applied to operands (arrays of the carrier, or numbers);
        outputs that are `in_place` existed before, and their writes are counted here."""
        ...

    def check_write(self, name: str, out: Any) -> None:
        """Raise where an array may not be written while this records."""
        ...


# what this context records; None: nothing. Threads and asynchronous tasks have their own.
recording: ContextVar[Any] = ContextVar("nbgraph_recording", default=None)
# whether a function runs for its gradient, which is lost where an array becomes a number
differentiating: ContextVar[bool] = ContextVar("nbgraph_differentiating", default=False)
# whether this context trains (dropout drops, statistics are updated); read when work is pushed
training: ContextVar[bool] = ContextVar("nbgraph_training", default=False)


def differentiation() -> Any:
    """Return the module that records and differentiates, which lies above arrays."""
    return load("nbgraph.autograd.entry")


_sources: list[type[Carrier]] = []
# who carries out operators without operands in this context; None: who has entered itself
sources: ContextVar[type[Carrier] | None] = ContextVar("nbgraph_sources", default=None)


def carries_sources(carrier: type[Carrier]) -> None:
    """Let operators without operands (zeros, random draws) go to this class."""
    _sources[:] = [carrier]


def _source_carrier() -> type[Carrier] | None:
    if not _sources:
        load("nbgraph.array")  # it lies above, and enters itself
    return _sources[0] if _sources else None


def carrier_of(values: Sequence[Any]) -> type[Carrier] | None:
    """Return the class among the values' that takes the call, or None: NumPy's world."""
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
    """Return what a carrier's quick way, which has declined, gives while a tape follows it; None
    where it declines all the same. `numbers`: what the operator brings to its kernels."""
    recorder = recording.get()
    if recorder is None or recorder.traces:
        return None
    result = push(frame, (*operands, *numbers), True)
    if result is not None:
        outputs = result if type(result) is tuple else (result,)
        recorder.record(op, operands, attributes, outputs, ())
    return result


def outputs_of(op: Any, out: Any, count: int) -> tuple[Any, ...]:
    """Return the arrays of `out`, one or None for each of so many outputs."""
    outs = out if isinstance(out, tuple) else (out,)
    if len(outs) != count:
        raise ArgumentError(
            f"{op.__name__}: out has {len(outs)} array(s), the operator gives {count}; give a "
            "tuple with one array or None for each output"
        )
    return outs


def call(op: Any, operands: Sequence[Any], attributes: Attributes, out: Any = None) -> Any:
    """Apply an operator to whatever its operands are.

    Parameters
    ----------
    op : Mapper or ArrayOp
    operands : sequence
        NumPy arrays, numbers, NDArrays, ... in operand order.
    attributes : mapping
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
