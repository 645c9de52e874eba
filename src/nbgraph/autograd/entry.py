"""What arrays and users call: attach a gradient, go backward, differentiate."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, make
from nbgraph.array.create import array as new_array
from nbgraph.autograd import reverse
from nbgraph.autograd.buffers import ones_like, write_to, zeros_of
from nbgraph.autograd.scope import pause, record
from nbgraph.autograd.tape import Leaf, Record, TapeError
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.graph.node import Node

_REQUESTS = ("write", "add", "null")


def attach_grad(array: Array, grad_req: str = "write") -> None:
    """See NDArray.attach_grad."""
    if grad_req not in _REQUESTS:
        raise ArgumentError(
            f"attach_grad: grad_req={grad_req!r}; expected one of {', '.join(_REQUESTS)}"
        )
    if array.dtype.kind not in "fV":
        raise ArgumentError(
            f"attach_grad: an array of {array.dtype} has no gradient; use a floating dtype"
        )
    if not isinstance(array._node, Leaf):
        array._chunk.leafs += 1
    array._node, array._output = Leaf(grad_req, array._layout), 0


def set_grad(array: Array, value: Any) -> None:
    """`x.grad = value`: an array, or None for zeros."""
    node = array._node
    if not isinstance(node, Leaf):
        raise ArgumentError("grad: the array has none; call attach_grad() first")
    if value is None:
        node.collected = None
    else:
        write_to(node.grad, value, "write")


def backward(
    heads: Sequence[Array],
    head_grads: Sequence[Any] | None = None,
    *,
    retain_graph: bool = False,
    create_graph: bool = False,
) -> None:
    """Gradients of the heads to every variable they were computed from."""
    entries = _entries(heads, head_grads)
    scope = record if create_graph else pause
    with scope():
        reverse.run(
            entries, None, create_graph=create_graph, retain_graph=retain_graph or create_graph
        )


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
) -> Any:
    """Gradients of heads with respect to variables, returned rather than collected.

    `variables` is an array or a sequence of arrays that the heads were computed from while
    recording; the result has the same form. With `create_graph` the result can be differentiated.

    >>> import nbgraph as ng
    >>> x = ng.array([3.0])
    >>> x.attach_grad()
    >>> with ng.autograd.record():
    ...     y = x * x * x
    ...     slope = ng.autograd.grad(y, x, create_graph=True)
    >>> slope
    array([27.], dtype=float32)
    >>> ng.autograd.grad(slope, x)
    array([18.], dtype=float32)
    """
    single = isinstance(variables, Array)
    wanted: Sequence[Any] = [variables] if single else list(variables)
    heads = [heads] if isinstance(heads, Array) else list(heads)
    given = [head_grads] if isinstance(head_grads, Array) else head_grads
    for i, variable in enumerate(wanted):
        if not isinstance(variable, Array) or variable._node is None:
            raise TapeError(
                f"grad: variables[{i}] was not recorded; call attach_grad() on it before "
                "ng.autograd.record()"
            )
    entries = _entries(heads, given)
    keep = create_graph if retain_graph is None else retain_graph
    scope = record if create_graph else pause
    with scope():
        nodes = [v._node for v in wanted]
        sums = reverse.run(entries, nodes, create_graph=create_graph, retain_graph=keep)
        values = [sums.get((v._node, v._output)) for v in wanted]
        found = [
            zeros_of(v._layout, v.device) if value is None else value
            for v, value in zip(wanted, values, strict=True)
        ]
    return found[0] if single else found


def _entries(
    heads: Sequence[Array], head_grads: Sequence[Any] | None
) -> list[tuple[Node, int, Any]]:
    if head_grads is not None and len(head_grads) != len(heads):
        raise ArgumentError(
            f"backward: {len(head_grads)} head gradients for {len(heads)} heads; give one for each"
        )
    entries = []
    for i, head in enumerate(heads):
        if not isinstance(head, Array) or head._node is None:
            raise TapeError(
                f"backward: heads[{i}] was not computed while recording from an array with "
                "attach_grad(); use `with ng.autograd.record():`"
            )
        given = None if head_grads is None else head_grads[i]
        if given is None:
            gradient = ones_like(head)
        else:
            gradient = given if isinstance(given, Array) else new_array(given, head.dtype)
            if gradient.shape != head.shape:
                raise ShapeError(
                    f"backward: the head gradient has shape {gradient.shape}, the head "
                    f"{head.shape}; give one of that shape"
                )
        entries.append((head._node, head._output, gradient))
    return entries


def stop_gradient(x: Any) -> Any:
    """The same values, through which no gradient flows."""
    if not isinstance(x, Array):
        return x
    return make(x._chunk, x._address, x._layout, shared(x))


__all__ = ["Record", "attach_grad", "backward", "grad", "set_grad", "stop_gradient"]
