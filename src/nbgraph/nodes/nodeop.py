"""NodeOps: the operations of nodes as data: a kind, a scalar function, the array to write, those to
read. They are pushed to the engine with these arrays, without waiting. `tensors` creates them.

The function that runs a kind is looked up when the operation is pushed; see `kinds`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from nbgraph.array.core import Array
from nbgraph.array.push import WEAK
from nbgraph.device import Context, require
from nbgraph.errors import ArgumentError
from nbgraph.nodes.kinds import KINDS

_NOTHING: Mapping[str, Any] = {}


class NoGradient:
    """A placeholder for the gradient of a node that is not trainable, without memory. Its parts and
    views are itself, so that operations on it can be created; they do not run."""

    __slots__ = ("node",)

    def __init__(self, node: Any) -> None:
        self.node = node

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of the node's value."""
        return self.node.shape

    @property
    def dtype(self) -> Any:
        """Dtype of the node's value."""
        return self.node.dtype

    def __getitem__(self, key: Any) -> NoGradient:
        return self

    def transpose(self, *axes: Any) -> NoGradient:
        """Return itself."""
        return self

    def reshape(self, *shape: Any) -> NoGradient:
        """Return itself."""
        return self

    def __repr__(self) -> str:
        return f"<no gradient: {self.node!r} is not trainable>"


class NodeOp:
    """One operation of a node: data, which `push` (or a call) gives to the engine.

    `request`: "write" overwrites `out`, "add" accumulates into it.

    >>> import nbgraph as ng
    >>> from nbgraph.nodes import element
    >>> x, y = ng.array([1.0, 2.0]), ng.zeros(2)
    >>> work = element(lambda a: 2 * a, y, x)
    >>> work.request, len(work.reads), len(work.writes)
    ('write', 1, 1)
    >>> _ = work.push()
    >>> y
    array([2., 4.], dtype=float32)
    """

    __slots__ = ("fn", "ins", "kind", "options", "out", "parameters", "request", "scale")

    def __init__(
        self,
        kind: str,
        fn: Any,
        out: Any,
        ins: tuple[Any, ...],
        *,
        request: str = "write",
        scale: float = 1.0,
        parameters: Mapping[str, Any] = _NOTHING,
        options: Mapping[str, Any] = _NOTHING,
    ) -> None:
        self.kind, self.fn, self.out, self.ins = kind, fn, out, ins
        self.request, self.scale = request, scale
        self.parameters, self.options = parameters, options

    @property
    def name(self) -> str:
        """The name of the operation in the engine."""
        own = getattr(self.fn, "__name__", None)
        own = self.options.get("of", own)
        return self.kind if own in (None, "function", "<lambda>") else f"{self.kind} {own}"

    @property
    def reads(self) -> tuple[Any, ...]:
        """Arrays that no other operation may write meanwhile."""
        return tuple(v for v in self.ins if type(v) not in WEAK)

    @property
    def writes(self) -> tuple[Any, ...]:
        """Arrays that no other operation may read or write meanwhile."""
        return (self.out,)

    def push(self, *, first: bool = False) -> None:
        """Push the operation to the engine. `first`: `out` holds nothing yet, so "add" writes."""
        if not isinstance(self.out, Array):
            raise ArgumentError(
                f"{self.name}: out is {self.out!r}; give an array, or None for the whole operation"
            )
        runner(self.kind, self.out.device)(self, first)

    def __call__(self) -> None:
        """Do the same as `push`."""
        self.push()

    def __repr__(self) -> str:
        read = ", ".join(_text(v) for v in self.ins)
        sign = "+=" if self.request == "add" else "="
        factor = "" if self.scale == 1.0 else f"{self.scale} * "
        return f"<{self.name}: {_text(self.out)} {sign} {factor}({read})>"


def _text(value: Any) -> str:
    if type(value) in WEAK or isinstance(value, NoGradient):
        return repr(value)
    return f"{value.dtype}{list(value.shape)}"


def runner(kind: str, device: Context) -> Callable[[Any, bool], None]:
    """Return the function that pushes a kind of operation on a device; raise DeviceError where
    there is none.

    >>> import nbgraph as ng
    >>> callable(runner("element", ng.cpu()))
    True
    """
    require(device, f"node operator {kind!r}")
    return KINDS[kind]
