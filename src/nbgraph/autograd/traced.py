"""`Traced`, the array of a function that is being traced: a symbol with the interface of NDArrays,
as far as that goes without values."""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NoReturn

import numpy as np

from nbgraph.autograd.masked import selection
from nbgraph.device import Context, cpu
from nbgraph.engine.sites import caller, site
from nbgraph.errors import ArgumentError
from nbgraph.graph.graph import Entry, Graph
from nbgraph.graph.refusals import VALUE, AbsentError
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.call import recording
from nbgraph.operator.spec import Attributes
from nbgraph.ops.carrier.indexing import is_element, part
from nbgraph.ops.define import library

BODY = "body variable"  # the prefix of names of the variables of a loop's or vmap's function
_PARTS = 4096  # the longest axis that a function may iterate over while it is traced


class Traced(Symbol):
    """An array of a function that is being traced. A write in place replaces its entry, and those
    of the arrays that it is a view of, and of their views."""

    __slots__ = ("__weakref__", "_paused", "_source", "_trace", "_views")

    __nbgraph_priority__ = 30
    # variables exist and shapes are known, so there is nothing to compose or to defer
    __nbgraph_compose__ = __nbgraph_defer__ = None  # type: ignore[assignment]
    stands_for_array = True  # `ng.nd` takes it as it takes an NDArray

    def __init__(self, entries: Sequence[Entry]) -> None:
        super().__init__(entries)
        self._source: Any = None  # of a view: its base, the operator, its attributes
        self._views: list[weakref.ref[Traced]] = []
        tracer: Any = recording.get()
        self._trace, self._paused = getattr(tracer, "trace", None), getattr(tracer, "paused", False)

    @classmethod
    def __nbgraph_call__(
        cls, op: Any, operands: Sequence[Any], attributes: Attributes, out: Any
    ) -> Any:
        """Make a node; see `nbgraph.operator.call`."""
        tracer = recording.get()
        if tracer is None or not tracer.traces:
            raise ArgumentError(
                f"{op.__name__}: an operand is a traced array of a function whose trace has ended; "
                "return what is needed outside, rather than keeping it in a variable"
            )
        return tracer.carry(op, operands, attributes, out)

    def __hash__(self) -> int:
        if self.shape == ():
            raise TypeError("hash: a traced number has no value; compare it with ==, or use id(x)")
        return object.__hash__(self)

    def looks_at(self, base: Any, op: Any, attributes: Attributes) -> None:
        """Record that this array is a view of `base` by `op`, unless `op` has to copy."""
        self._source = base, op, attributes
        if isinstance(base, Traced):
            try:
                self._image()
            except ValueError:
                self._source = None
            else:
                base._views = [v for v in base._views if v() is not None] + [weakref.ref(self)]

    def _image(self) -> Any:
        """Return an empty NumPy array with the strides that this array has as an NDArray."""
        if self._source is None:
            return np.empty(self.spec.shape, self.dtype)
        base, op, attributes = self._source
        image = base._image() if isinstance(base, Traced) else np.empty(base.shape, base.dtype)
        return op.view(image, **attributes)

    # properties -------------------------------------------------------------------------------

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
        """The device of the function's arguments, or the CPU where it is not known."""
        trace = getattr(recording.get(), "trace", None)
        return getattr(trace, "device", None) or cpu()

    def __len__(self) -> int:
        if not self.spec.shape:
            raise TypeError("len: an array of shape () has no length")
        return self.spec.shape[0]

    def __repr__(self) -> str:
        return f"<traced {self.spec}>"

    __str__ = __repr__

    def _refuse(self, what: str, remedy: str) -> NoReturn:
        raise AbsentError(
            f"{what}: this array has no value while {_traced_name()} is traced ({here()}); it "
            f"depends on {_listed(self)}. {remedy[0].upper()}{remedy[1:]}"
        )

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        self._refuse("np.asarray", "use functions such as ng.exp, which take it as it is")

    # parts ------------------------------------------------------------------------------------

    def __getitem__(self, key: Any) -> Any:
        masked = selection(self, key)
        selected: Any = part(self, key) if masked is None else masked
        if is_element(key, len(self.spec.shape)):  # a value by itself, not a view
            selected._source = None
        return selected

    def __iter__(self) -> Iterator[Any]:
        if len(self) > _PARTS:
            raise ArgumentError(
                f"iter: the loop over an array {self.spec} would be a graph of {len(self)} times "
                f"its steps while {_traced_name()} is traced ({here()}); use ng.scan or ng.vmap, "
                "or a function of whole arrays such as ng.sum"
            )
        return iter([self[i] for i in range(len(self))])

    # writes -----------------------------------------------------------------------------------

    def __setitem__(self, key: Any, value: Any) -> None:
        if isinstance(value, (bool, int, float, np.generic)):
            value = np.asarray(value, self.dtype)
        masked = selection(self, key)
        if masked is not None:
            values = library.astype(masked.beside("setitem", value), self.dtype)
            self._become("setitem", library.where(masked.mask, values, self))
        else:
            self._become("setitem", library.index_update(self, value, key=key))

    def _become(self, name: str, successor: Symbol) -> None:
        """Replace the value by another one, also in the bases of this view and in their views."""
        self._require_own(name)
        self.entries = successor.entries
        self._update_views()
        view = self
        while view._source is not None:
            base, op, attributes = view._source
            base.entries = with_part(base, view, op, attributes).entries
            base._update_views(view)
            view = base

    def _update_views(self, written: Traced | None = None) -> None:
        """Recompute the views of this array from its value, except the one that was written."""
        for view in [reference() for reference in self._views]:
            if view is not None and view is not written and view._source is not None:
                _, op, attributes = view._source
                view.entries = op(self, **attributes).entries
                view._update_views()

    def _require_own(self, name: str) -> None:
        """Raise ArgumentError where this array must not be written, such as one from outside."""
        root: Any = self
        while isinstance(root, Traced) and root._source is not None:
            root = root._source[0]
        if isinstance(root, Traced) and root.node.op is None:
            x = "x" if str(root.node.name).startswith(BODY) else root.node.name
            way = f"y = {x} + 1 instead of {x} += 1"
            if name == "setitem":
                way = f"y = {x}.copy(), then y[index] = value"
            raise ArgumentError(
                f"{name}: the argument {x} of {_traced_name()} would be written in place "
                f"({here()}); a traced function computes new arrays: write {way}, and return it"
            )
        tracer = recording.get()
        if not isinstance(root, Traced) or root._trace is not tracer.trace:
            tracer.check_write(name, root)
        if tracer.paused and not root._paused and self.dtype.kind in "fc":
            raise ArgumentError(
                f"{name}: an array from outside of autograd.pause() would be written within "
                f"({here()}), so its gradient is not known; write to a copy, or outside"
            )
        image = self._image()
        if image.size > 1 and any(n > 1 and not k for n, k in zip(image.shape, image.strides)):
            raise ArgumentError(
                f"{name}: a broadcast view would be written ({here()}), whose elements share "
                "memory; write to a copy"
            )


def with_part(base: Symbol, part: Symbol, view: Any, attributes: Attributes) -> Symbol:
    """Return the base with the values `part` of its view; `view` of the numbers of the base's
    elements gives the positions to write."""
    if view is library.slice_view.op:
        return library.index_update(base, part, key=attributes["key"])
    places = view.view(np.arange(base.size).reshape(base.shape), **attributes).ravel()
    flat, values = library.reshape(base, (-1,)), library.reshape(part, (-1,))
    return library.reshape(library.index_update(flat, values, places, key=("array",)), base.shape)


def overwritten(name: str, target: Any, result: Traced) -> Any:
    """Write a result to the target of `out=` or `a += b`, in the target's shape and dtype; return
    the target."""
    if not isinstance(target, Traced):
        tracer = recording.get()
        tracer.check_write(name, target)
    if result.shape != target.shape or not np.can_cast(result.dtype, target.dtype, "same_kind"):
        raise ArgumentError(
            f"{name}: the result is {result.spec}, the array that is written {target.spec}; "
            "write to one of that shape, whose dtype can hold it"
        )
    target._become(name, library.astype(result, target.dtype, copy=False))
    return target


def _in_place(method: str) -> Callable[[Any, Any], Any]:
    plain = getattr(Symbol, f"__{method}__")

    def update(self: Any, other: Any) -> Any:
        result = plain(self, other)
        return result if result is NotImplemented else overwritten(method, self, result)

    return update


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
    "contains": _BRANCH,
    **dict.fromkeys(["float", "int", "complex"], VALUE),
    "index": "give it as a Python number, or use ng.take for a part that depends on values",
}.items():
    setattr(Traced, f"__{_name}__", _absent(_name, _remedy))


def _traced_name() -> str:
    tracer = recording.get()
    return tracer.trace.name if tracer is not None and tracer.traces else "the function"


def here() -> str:
    """Return the line of the user's code that runs now, for errors."""
    return str(site(*caller()))


def _listed(symbol: Symbol) -> str:
    names = [str(v.name).partition(" of derivative ")[0] for v in Graph(symbol.entries).variables]
    if any(name.startswith(BODY) for name in names):
        return "what the traced function is called with"
    more = f" and {len(names) - 3} more" if len(names) > 3 else ""
    return ", ".join(names[:3]) + more if names else "no argument"
