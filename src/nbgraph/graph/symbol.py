"""Symbols: users' handles of graphs. Every operator applied to one creates a node.

>>> import nbgraph as ng
>>> x, w = ng.var("x"), ng.var("w")
>>> loss = ng.sum(w * ng.sin(x))
>>> loss.list_arguments()
['w', 'x']
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.engine.sites import caller
from nbgraph.errors import ArgumentError, noun
from nbgraph.graph import build, naming
from nbgraph.graph.binding import Binding
from nbgraph.graph.build import NUMBERS, GraphNode, PartialShape, as_partial, variable_dtype
from nbgraph.graph.calling import Calling
from nbgraph.graph.compose import composed
from nbgraph.graph.composite import deferred
from nbgraph.graph.files import Saved
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.listing import drawn, listing
from nbgraph.graph.refusals import Refusal
from nbgraph.operator.arrays.array_op import Attributes, Spec
from nbgraph.operator.call import recording
from nbgraph.operator.deferred import UnknownShape, note_default
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.mapper import complex_call
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.ops.carrier.indexing import Indexing, part
from nbgraph.ops.carrier.methods import Methods
from nbgraph.ops.carrier.operators import Operators
from nbgraph.ops.carrier.protocols import Protocols
from nbgraph.ops.carrier.reductions import Reductions

_LARGE = 1 << 20  # bytes of a NumPy array above which a warning recommends a variable


class Symbol(Calling, Binding, Saved, Refusal, Operators, Methods, Reductions, Indexing, Protocols):
    """One result of a graph that has not been computed, or a group of several.

    `ng.var`, operators on symbols and `ng.Group` create symbols. They have no values: `eval`,
    `bind` and `simple_bind` compute these.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2,))
    >>> y = ng.exp(x) * 2
    >>> y.shape, y.list_arguments(), y.eval(x=[0.0, 0.0])
    ((2,), ['x'], [array([2., 2.], dtype=float32)])
    """

    __slots__ = ("entries",)

    __nbgraph_priority__ = 20
    __array_priority__ = 2000.0

    def __init__(self, entries: Sequence[Entry]) -> None:
        self.entries = tuple(entries)

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Return the symbols of a new node; see `nbgraph.operator.call`."""
        if out is not None and any(o is not None for o in out):
            raise ArgumentError(
                f"{op.__name__}: out= is given, but a symbol has no memory to write to; use the "
                "result"
            )
        if isinstance(op, Mapper) and complex_call.any_complex(operands):
            unknown = [v for v in operands if isinstance(v, Symbol) and v.known_dtype is None]
            if not unknown:  # else a node represents it until its dtypes are known
                return complex_call.apply(op, operands, attributes, None)
        node = build.apply(
            op,
            [cls._lifted(op, i, value) for i, value in enumerate(operands)],
            attributes,
            marks=naming.marks.get(),
            scope=naming.scope.get(),
            line=caller(),
        )
        return cls._results(node)

    @classmethod
    def __nbgraph_compose__(
        cls, op: Any, operands: Sequence[Any], name: str | None, *more: Any
    ) -> Any:
        """Return the symbols of a new node, with new variables for operands that are None; see
        `graph.compose`."""
        lifted = [None if v is None else cls._lifted(op, i, v) for i, v in enumerate(operands)]
        node = composed(op, [build.lifted(v) for v in lifted], name, *more)
        return cls._results(node)

    @classmethod
    def __nbgraph_defer__(
        cls,
        function: Any,
        args: Sequence[Any],
        kwargs: Mapping[str, Any],
        outputs: int | None = None,
        name: str | None = None,
    ) -> Any:
        """Return the symbols of a node for a call that needs shapes first, or whose results share a
        name; see `graph.composite`."""

        def lift(value: Any) -> Any:
            if isinstance(value, Symbol) or hasattr(value, "asnumpy"):
                return cls._lifted(function, 0, value)
            return None

        node = deferred(function, args, kwargs, outputs, name, lift)
        symbols = [cls([(node, i)]) for i in range(node.nout)]
        return symbols[0] if outputs is None else symbols

    @classmethod
    def _results(cls, node: GraphNode) -> Any:
        symbols = [cls([(node, i)]) for i in range(node.nout)]
        return symbols[0] if len(symbols) == 1 else tuple(symbols)

    @classmethod
    def _lifted(cls, op: Any, index: int, value: Any) -> Any:
        """Return an operand of a node: a symbol's entry, a (weak) number, or a constant array."""
        if isinstance(value, Symbol):
            return value.entry
        if type(value) in NUMBERS:
            return value
        names = getattr(getattr(op, "scalar", op), "operands", ())
        name = names[index] if index < len(names) else f"operand {index}"
        if hasattr(value, "asnumpy") or is_lazy(value):
            recorder = recording.get()
            if recorder is not None and recorder.traces:
                return recorder.entry_of(value)
            value = value.asnumpy()
        array = as_operand(op.__name__, name, value)
        if isinstance(array, np.ndarray) and array.nbytes > _LARGE:
            warnings.warn(
                f"{op.__name__}: operand {name!r} is an array of {array.nbytes >> 20} MiB beside a "
                "symbol; it is copied into the graph as a constant. Use ng.var for what is given",
                stacklevel=2,
            )
        return (build.constant(array), 0) if isinstance(array, np.ndarray) else array

    # properties -------------------------------------------------------------------------------

    @property
    def entry(self) -> Entry:
        """The only output; raises ArgumentError for a group."""
        if len(self.entries) != 1:
            raise ArgumentError(
                f"a group of {len(self.entries)} symbols stands where one is wanted; choose one by "
                "its number or name, as group[0]"
            )
        return self.entries[0]

    @property
    def node(self) -> GraphNode:
        """The node it is an output of."""
        return self.entry[0]

    @property
    def name(self) -> str | None:
        """Its name: of the call, else its operator's with a number; None for several nodes."""
        nodes = {node for node, _ in self.entries}
        return self.graph.names[nodes.pop()] if len(nodes) == 1 else None

    @property
    def spec(self) -> Spec:
        """Shape and dtype; raises ShapeError if they are not known yet."""
        node, index = self.entry
        if node.open:
            note_default()
        return self._spec(node, index)

    def _spec(self, node: GraphNode, index: int) -> Spec:
        if node.specs is None:
            graph = self.graph
            unknown = [graph.names[v] for v in graph.variables if v.specs is None]
            raise UnknownShape(
                f"{self.name}: its shape is not known, as {', '.join(unknown)} came "
                "without one; give ng.var(name, shape=...), or bind first"
            )
        return node.specs[index]

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Extents of the axes; None if they are not known yet."""
        node, index = self.entry
        return None if node.specs is None else node.specs[index].shape

    @property
    def dtype(self) -> np.dtype[Any]:
        """Type of the elements. For variables without a dtype it assumes `ng.config.default_float`,
        which binding may change."""
        return self.spec.dtype

    @property
    def known_dtype(self) -> np.dtype[Any] | None:
        """Type of the elements; None if it is unknown or an assumption."""
        if len(self.entries) != 1:
            return None
        node, index = self.entry
        if node.op is None and node.specs is None:
            return node.attributes["dtype"]
        return None if node.specs is None or node.open else node.specs[index].dtype

    @property
    def ndim(self) -> int:
        """Number of axes."""
        return len(self._spec(*self.entry).shape)

    @property
    def size(self) -> int:
        """Number of elements."""
        return math.prod(self._spec(*self.entry).shape)

    # refused conversions ----------------------------------------------------------------------

    def __bool__(self) -> bool:
        raise TypeError(
            "a symbol has no value, so it is neither true nor false; choose between two results "
            "with ng.where, or write the branch inside an @ng.op"
        )

    def __iter__(self) -> Iterator[Symbol]:
        if len(self.entries) > 1:
            return iter([type(self)([entry]) for entry in self.entries])
        raise TypeError(
            "a symbol cannot be iterated: it has no elements yet; index it, or use ng.unstack"
        )

    def __len__(self) -> int:
        if len(self.entries) > 1:
            return len(self.entries)
        raise TypeError("a symbol has no length; ask for .shape")

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        raise TypeError(
            "a symbol has no values to make a NumPy array of; compute it with eval(...) or bind"
        )

    def __float__(self) -> float:
        raise TypeError(
            "a symbol has no value to make a Python number of; compute it with eval(...) or bind"
        )

    __int__ = __complex__ = __float__  # type: ignore[assignment]

    # composing --------------------------------------------------------------------------------

    def __getitem__(self, index: Any) -> Symbol:
        if isinstance(index, str):
            names = self.list_outputs()
            for wanted in (index, f"{index}_output"):
                entries = [e for e, own in zip(self.entries, names, strict=True) if own == wanted]
                below = set(Graph(entries[-1:]).nodes) if len(entries) > 1 else set()
                if entries and below.issuperset(n for n, _ in entries[:-1]):  # one layer
                    return type(self)(entries[-1:])
            raise ArgumentError(
                f"there is no output {index!r} here, or several; there are: {', '.join(names)}"
            )
        if len(self.entries) > 1:
            return self._chosen(index)
        return part(self, index)

    def _chosen(self, index: Any) -> Symbol:
        if isinstance(index, slice):
            return type(self)(self.entries[index])
        if not isinstance(index, (int, np.integer)):
            raise ArgumentError(
                f"a group is indexed by a number, a slice or a name, not by {index!r}; choose one "
                "output first"
            )
        try:
            return type(self)([self.entries[index]])
        except IndexError:
            raise IndexError(
                f"output {index} of a group of {len(self.entries)}; there are "
                f"{', '.join(self.list_outputs())}"
            ) from None

    def __repr__(self) -> str:
        return f"<Symbol {', '.join(self.list_outputs())}>"

    def __str__(self) -> str:
        return listing(self.graph)

    def _repr_html_(self) -> str:
        return drawn(self)


def var(
    name: str,
    shape: PartialShape | int = None,
    dtype: Any = None,
    init: Any = None,
    attr: Mapping[str, Any] | None = None,
    **attributes: Any,
) -> Symbol:
    """Return a variable: an argument of a graph, an array that is passed when it is computed.

    Parameters
    ----------
    name : str
        The argument's name. Equal variables of one name are identical; different ones cannot be
        bound together.
    shape : tuple of int or None, optional
        None for an unknown shape or extent.
    dtype : dtype, optional
        By default inferred, or `ng.config.default_float` if inference does not determine it.
    init : callable, array or number, optional
        Initial values in an executor: `init(shape, dtype)`, or values that broadcast.
    attr : dict, optional
        Attributes as in MXNet, like `**attributes`.
    **attributes
        Attributes for `Symbol.attr`.

    Raises ArgumentError, ShapeError or DTypeError, with the variable's name, for invalid arguments.

    >>> import nbgraph as ng
    >>> x = ng.var("x", shape=(2, 3))
    >>> ng.exp(x).shape
    (2, 3)
    """
    if not isinstance(name, str) or not name:
        raise ArgumentError(
            f"var: name={name!r}; give a string that is not empty. The variance of an array is "
            "x.var(), or ng.nd.var(x)"
        )
    known = as_partial(f"var {name!r}", shape)
    chosen = None if dtype is None else variable_dtype(name, dtype)
    own = naming.attributes_of(f"var {name!r}", attr)
    marks = {**naming.marks.get(), **own, **attributes}
    if init is not None:
        marks["init"] = init
    node = build.variable(naming.scope.get() + name, known, chosen, marks, caller())
    return Symbol([(node, 0)])


def group(symbols: Sequence[Symbol]) -> Symbol:
    """Return several symbols as one group, whose outputs are computed together.

    >>> import nbgraph as ng
    >>> x = ng.var("x")
    >>> both = ng.Group([ng.sin(x), ng.cos(x)])
    >>> both.list_outputs()
    ['sin0_output', 'cos0_output']
    >>> both["cos0"].list_arguments()
    ['x']
    """
    entries: list[Entry] = []
    if not isinstance(symbols, Iterable):
        raise ArgumentError(f"Group: symbols is {noun(symbols)}; give a list of symbols")
    for i, symbol in enumerate(symbols):
        if not isinstance(symbol, Symbol):
            raise ArgumentError(f"Group: symbols[{i}] is {noun(symbol)}; give symbols")
        entries += symbol.entries
    if not entries:
        raise ArgumentError("Group: no symbols were given; give one or more")
    return Symbol(entries)
