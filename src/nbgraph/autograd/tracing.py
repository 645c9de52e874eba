"""Tracing: a function of arrays is called with symbols, and what it computes becomes a graph.

While it runs, the tracer stands in the slot of recorders: operators on arrays that the function
finds elsewhere (in globals, closures, objects) and operators without operands are given to it, too,
instead of being carried out. Such arrays become variables of the graph, by reference: they are read
when the graph is run.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from types import CodeType
from typing import Any, NoReturn

import numpy as np

from nbgraph.array.core import Array
from nbgraph.device import Context, cpu
from nbgraph.dtype import as_dtype
from nbgraph.engine.sites import caller, site
from nbgraph.errors import ArgumentError
from nbgraph.graph import build, naming
from nbgraph.graph.absent import VALUE, AbsentError
from nbgraph.graph.build import GraphNode, has_effect
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.call import recording, training
from nbgraph.operator.mapper import Mapper
from nbgraph.ops.define import library

_NOTHING: Mapping[str, Any] = {}


class Trace:
    """What is known of one call of a function with symbols.

    Attributes
    ----------
    name : str
        Of the function.
    variables : dict from nodes to the arrays found outside
        In the order they were met; None for arguments.
    """

    def __init__(self, name: str) -> None:
        self.name = name
        self.variables: dict[GraphNode, Array | None] = {}
        self.train = training.get()
        self._of_array: dict[int, Entry] = {}
        self.standing: dict[int, Entry] = {}  # of arrays that an inner derivative is taken by
        self._effects = 0

    def argument(self, name: str, array: Array) -> Entry:
        """The variable of an argument."""
        node = build.variable(name, array.shape, array.dtype)
        self.variables[node] = None
        return node, 0

    def entry_of(self, array: Array) -> Entry:
        """The variable of an array that was found outside."""
        found = self.standing.get(id(array)) or self._of_array.get(id(array))
        if found is None:
            number = len(self._of_array)
            node = build.variable(f"captured {number}", array.shape, array.dtype)
            self.variables[node] = array  # kept, so that its id stays its own
            found = self._of_array[id(array)] = node, 0
        return found

    def token(self) -> Any:
        """Of the next effect: the same when the function is traced again."""
        self._effects += 1
        return "traced", self._effects


class Tracer:
    """A recorder that makes nodes; see `nbgraph.operator.call.Recorder`."""

    traces = True

    def __init__(self, trace: Trace, *, records: bool, paused: bool = False) -> None:
        self.trace = trace
        self.records = records
        self.paused = paused  # what is computed is a constant for derivatives

    def within(self, *, records: bool) -> Tracer:
        """The tracer of an `autograd.record()` or `pause()` block of the function."""
        return Tracer(self.trace, records=records, paused=not records)

    def carry(
        self, op: Any, operands: Sequence[Any], attributes: Mapping[str, Any], out: Any
    ) -> Any:
        """An operator as a node; what is written in place is another value from then on."""
        if isinstance(op, Mapper):
            op.require_certificate()
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
        made = [self.wrapped((node, i)) for i in range(node.nout)]
        if getattr(op, "view", None) is not None and isinstance(operands[0], Traced):
            made[0].looks_at(operands[0])
        if out is not None:
            made = [m if o is None else _overwritten(op, o, m) for o, m in zip(out, made)]
        return made[0] if len(made) == 1 else tuple(made)

    def wrapped(self, entry: Entry) -> Traced:
        """An entry as the function sees it."""
        if self.paused and _floating(entry):
            entry = build.apply(library.stop_gradient.op, [entry]), 0
        return Traced([entry])

    def _marks(self, op: Any) -> Mapping[str, Any]:
        """The user's, and the mode if it is another one than the call's."""
        marks = naming.marks.get()
        mode = training.get()
        if mode == self.trace.train or type(op) is ArrayOp or isinstance(op, Mapper):
            return marks
        return {**marks, "is_train": mode}

    def entry_of(self, array: Array) -> Entry:
        """An array that stands beside a symbol."""
        return self.trace.entry_of(array)

    def copied(self, array: Array, dtype: Any) -> Any:
        """`ng.array(array)` within the function: a copy of the values it has at a run."""
        if dtype is None:
            return library.copy(array)
        return library.astype(array, as_dtype(dtype))

    def refuse(self, what: str) -> NoReturn:
        """Where the value of an array found outside is asked for."""
        raise AbsentError(
            f"{what}: an array that {self.trace.name} finds outside its arguments has no value "
            f"while the function is traced ({_here()}), as it may be another one when the graph "
            f"runs; {VALUE}, or take the value before and give it as an argument"
        )

    def record(self, *_: Any) -> None:
        """Nothing is carried out that there would be something to tell of."""

    def check_write(self, name: str, out: Any) -> None:
        """See Recorder: what lies outside is not written by a graph."""
        raise ArgumentError(
            f"{name}: an array that {self.trace.name} finds outside its arguments would be written "
            f"in place ({_here()}); a traced function computes new arrays: return the new value "
            "and write it outside"
        )


class Traced(Symbol):
    """An array of a function that is being traced. It may be written in place, as long as nothing
    else shows the same memory: then it stands for another value."""

    __slots__ = ("__weakref__", "_shown")

    __nbgraph_priority__ = 30

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__(entries)
        self._shown = False  # whether it is a view, or there is one of it

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Mapping[str, Any], out: Any
    ) -> Any:
        """Make a node; see `nbgraph.operator.call`."""
        tracer = recording.get()
        if tracer is None or not tracer.traces:
            raise ArgumentError(
                f"{op.__name__}: an operand is a traced array of a function whose trace has ended; "
                "return what is needed outside, rather than keeping it in a variable"
            )
        return tracer.carry(op, operands, attributes, out)

    def looks_at(self, base: Traced) -> None:
        """Note that this is a view of another one."""
        self._shown = base._shown = True

    # what it is -------------------------------------------------------------------------------

    @property
    def nbytes(self) -> int:
        """Bytes of all elements."""
        return self.size * self.dtype.itemsize

    @property
    def itemsize(self) -> int:
        """Bytes of an element."""
        return int(self.dtype.itemsize)

    @property
    def device(self) -> Context:
        """Where it will be."""
        return cpu()

    def __len__(self) -> int:
        if not self.spec.shape:
            raise TypeError("len: an array of shape () has no length")
        return self.spec.shape[0]

    def __repr__(self) -> str:
        return f"<traced {self.spec}>"

    __str__ = __repr__

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise AbsentError(
            f"{what}: this array has no value while {_traced_name()} is traced ({_here()}); it "
            f"depends on {_listed(self)}. {remedy[0].upper()}{remedy[1:]}"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse("np.asarray", "use functions such as ng.exp, which take it as it is")

    # writes -----------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, (bool, int, float, np.generic)):
            value = np.asarray(value, self.dtype)
        whole = isinstance(key, Symbol) and key.dtype.kind == "b" and key.shape == self.shape
        if whole and np.ndim(value) == 0:
            found = library.where(key, value, self)
        else:
            found = library.index_update(self, value, key=key)
        self._become("setitem", found)

    def _become(self, name: str, found: Symbol) -> None:
        """The value is another one from now on."""
        if self.node.op is None:
            raise ArgumentError(
                f"{name}: the argument {self.node.name} of {_traced_name()} would be written in "
                f"place ({_here()}); a traced function computes new arrays: write "
                f"y = {self.node.name} + 1 instead of {self.node.name} += 1, and return it"
            )
        if self._shown:
            raise ArgumentError(
                f"{name}: an array that is a view, or that has one, would be written in place "
                f"({_here()}), which {_traced_name()} cannot follow; write to a copy, or use "
                "ng.index_update"
            )
        self.entries = found.entries


def _overwritten(op: Any, target: Any, found: Traced) -> Any:
    """`out=` and `a += b`: the result in shape and dtype of what is written."""
    if not isinstance(target, Traced):
        tracer = recording.get()
        tracer.check_write(op.__name__, target)
    if found.shape != target.shape or not np.can_cast(found.dtype, target.dtype, "same_kind"):
        raise ArgumentError(
            f"{op.__name__}: the result is {found.spec}, the array that is written {target.spec}; "
            "write to one of that shape, whose dtype can hold it"
        )
    target._become(op.__name__, library.astype(found, target.dtype, copy=False))
    return target


def _in_place(method: str) -> Callable[[Any, Any], Any]:
    plain = getattr(Symbol, f"__{method}__")

    def update(self: Any, other: Any) -> Any:
        found = plain(self, other)
        return found if found is NotImplemented else _overwritten(_Named(method), self, found)

    return update


class _Named:
    def __init__(self, name: str) -> None:
        self.__name__ = name


_BRANCH = (
    "choose between two results with ng.where, or write the branch inside an @ng.op; a number that "
    "decides about the program is given as a Python number, or named in static_argnames"
)


def _absent(what: str, remedy: str) -> Callable[..., Any]:
    def method(self: Any, *_: Any) -> Any:
        self._refuse(what, remedy)

    return method


for _name in "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split():
    setattr(Traced, f"__i{_name}__", _in_place(_name))
for _name, _remedy in {
    "bool": _BRANCH,
    "iter": "index it, or use ng.unstack",
    "contains": _BRANCH,
    **dict.fromkeys(["float", "int", "complex"], VALUE),
    "index": "give it as a Python number, or use ng.take for a part that depends on values",
}.items():
    setattr(Traced, f"__{_name}__", _absent(_name, _remedy))


def _traced_name() -> str:
    tracer = recording.get()
    return tracer.trace.name if isinstance(tracer, Tracer) else "the function"


def _here() -> str:
    code: CodeType
    code, instruction = caller()
    return str(site(code, instruction))


def _listed(symbol: Symbol) -> str:
    names = [str(v.name) for v in Graph(symbol.entries).variables]
    return ", ".join(names) if names else "no argument"


def _floating(entry: Entry) -> bool:
    node, index = entry
    return node.specs is not None and node.specs[index].dtype.kind in "fV"


def current_tracer() -> Tracer | None:
    """The tracer in force, if a function is being traced."""
    found = recording.get()
    return found if isinstance(found, Tracer) else None


@contextmanager
def tracing(name: str) -> Generator[Tracer]:
    """Within the block, operators make nodes; names and marks of the surroundings do not count."""
    outer = recording.get()
    tracer = Tracer(Trace(name), records=outer is not None and outer.records)
    recorded = recording.set(tracer)
    scoped, marked = naming.scope.set(""), naming.marks.set(_NOTHING)
    try:
        yield tracer
    finally:
        naming.marks.reset(marked)
        naming.scope.reset(scoped)
        recording.reset(recorded)
