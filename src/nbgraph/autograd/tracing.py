"""Tracing: a function of arrays is called with symbols, and what it computes becomes a graph.

While the function runs, the tracer is the current recorder: it also gets operators without operands
and operators on arrays that the function finds elsewhere (in globals, closures, objects), instead
of their being executed. Such arrays become variables of the graph, by reference: they are read when
the graph is run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from nbgraph.array.core import Array
from nbgraph.autograd.traced import Traced, here, overwritten
from nbgraph.device import Context
from nbgraph.engine.sites import caller
from nbgraph.errors import ArgumentError
from nbgraph.graph import build, naming
from nbgraph.graph.build import GraphNode, has_effect
from nbgraph.graph.graph import Entry
from nbgraph.graph.refusals import VALUE, AbsentError
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes
from nbgraph.operator.call import recording, training
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.define import library
from nbgraph.scopes import Scopes

_NOTHING: Mapping[str, Any] = {}


class Trace:
    """The state of one call of a function with symbols.

    `name`: of the function. `variables`: in order of appearance, each with its array from outside,
    or None for an argument. `device`: that of the first argument that is an array.
    """

    device: Context | None = None

    def __init__(self, name: str) -> None:
        self.name = name
        self.variables: dict[GraphNode, Array | None] = {}
        self.train = training.get()
        self._of_array: dict[int, Entry] = {}
        self.standing: dict[int, Entry] = {}  # of the inputs of an inner derivative
        self.effects = 0  # the number of effects so far

    def argument(self, name: str, array: Array) -> Entry:
        """Return the variable of an argument."""
        node = build.variable(name, array.shape, array.dtype)
        self.variables[node] = None
        if self.device is None and isinstance(array, Array):
            self.device = array.device
        return node, 0

    def entry_of(self, array: Array) -> Entry:
        """Return the variable of an array from outside."""
        entry = self.standing.get(id(array)) or self._of_array.get(id(array))
        if entry is None:
            number = len(self._of_array)
            node = build.variable(f"captured {number}", array.shape, array.dtype)
            self.variables[node] = array  # a reference, so that its id is not reused
            entry = self._of_array[id(array)] = node, 0
        return entry

    def token(self) -> Any:
        """Return the token of the next effect: the same when the function is traced again."""
        self.effects += 1
        return "traced", self.effects


class Tracer:
    """A recorder that makes nodes; see `nbgraph.operator.call.Recorder`."""

    traces = True

    def __init__(self, trace: Trace, *, records: bool, paused: bool = False) -> None:
        self.trace = trace
        self.records = records
        self.paused = paused  # what is computed is a constant for derivatives

    def within(self, *, records: bool) -> Tracer:
        """Return the tracer of an `autograd.record()` or `pause()` block of the function."""
        return Tracer(self.trace, records=records, paused=not records)

    def carry(self, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any) -> Any:
        """Add a node for an operator; an array written in place has a new entry from then on."""
        if isinstance(op, Mapper):
            op.require_certificate()
            if complex_call.any_complex(operands):
                return complex_call.apply(op, operands, attributes, out)
        inputs = [Traced._lifted(op, i, value) for i, value in enumerate(operands)]
        if not operands and "device" in attributes:
            attributes = {**attributes, "device": None}
        node = build.apply(
            op,
            inputs,
            attributes,
            token=self.trace.token() if has_effect(op) else None,
            marks=self._marks(op),
            line=caller(),
        )
        results = [self.wrapped((node, i)) for i in range(node.nout)]
        if getattr(op, "view", None) is not None:
            results[0].looks_at(operands[0], op, attributes)
        if out is not None:
            pairs = zip(out, results)
            results = [m if o is None else overwritten(op.__name__, o, m) for o, m in pairs]
        return results[0] if len(results) == 1 else tuple(results)

    def wrapped(self, entry: Entry) -> Traced:
        """Return an entry as the function sees it."""
        if self.paused and _floating(entry):
            entry = build.apply(library.stop_gradient.op, [entry]), 0
        return Traced([entry])

    def _marks(self, op: Any) -> Mapping[str, Any]:
        """Return the user's marks, with the training mode if it differs from that of the call."""
        marks = naming.marks.get()
        mode = training.get()
        if mode == self.trace.train or type(op) is ArrayOp or isinstance(op, Mapper):
            return marks
        return {**marks, "is_train": mode}

    def entry_of(self, array: Array) -> Entry:
        """Return the entry of an array that is an operand beside a symbol."""
        return self.trace.entry_of(array)

    def refuse(self, what: str) -> NoReturn:
        """Raise AbsentError where the value of an array from outside is needed."""
        raise AbsentError(
            f"{what}: an array that {self.trace.name} finds outside its arguments has no value "
            f"while the function is traced ({here()}), as it may be another one when the graph "
            f"runs; {VALUE}, or take the value before and give it as an argument"
        )

    def record(self, *_: Any) -> None:
        """Record nothing: no operator is carried out in a trace."""

    def check_write(self, name: str, out: Any) -> None:
        """Raise ArgumentError: a graph does not write arrays from outside."""
        raise ArgumentError(
            f"{name}: an array that {self.trace.name} finds outside its arguments would be written "
            f"in place ({here()}); a traced function computes new arrays: return the new value "
            "and write it outside"
        )


def _floating(entry: Entry) -> bool:
    node, index = entry
    return node.specs is not None and node.specs[index].dtype.kind in "cfV"


def current_tracer() -> Tracer | None:
    """Return the tracer in force, if a function is being traced, or None."""
    recorder = recording.get()
    return recorder if isinstance(recorder, Tracer) else None


_scopes = Scopes(recording, naming.scope, naming.marks)


class tracing:
    """Let operators make nodes within the block, without the names and marks around it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __enter__(self) -> Tracer:
        outer = recording.get()
        tracer = Tracer(Trace(self._name), records=outer is not None and outer.records)
        _scopes.begin((tracer, "", _NOTHING))
        return tracer

    __exit__ = _scopes.end
