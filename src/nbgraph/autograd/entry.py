"""The public functions of the tape: `attach_grad`, `backward`, `grad`, `get_symbol`."""

import weakref
from collections.abc import Container, Sequence
from typing import Any

from nbgraph.array.apply_scalar_op import common_device
from nbgraph.array.chunk import shared
from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.autograd import replay
from nbgraph.autograd.scope import missing_half, noted, pause, record
from nbgraph.autograd.sums import Ones, write_to, zeros_of
from nbgraph.autograd.tape import Leaf, TapeError, stale
from nbgraph.errors import ArgumentError, noun, require_shape, require_word
from nbgraph.graph.node import Node
from nbgraph.ops.define import library

_REQUESTS = ("write", "add", "null")


def attach_grad(array: Array, grad_req: str = "write") -> None:
    """See NDArray.attach_grad."""
    require_word("attach_grad: grad_req", grad_req, _REQUESTS)
    if array.dtype.kind not in "cfV":
        raise ArgumentError(
            f"attach_grad: an array of {array.dtype} has no gradient; use a floating dtype"
        )
    noted("attach_grad")
    become_variable(array, Leaf(grad_req, array))


def become_variable(array: Array, node: Node) -> None:
    """Make an array a variable at a leaf of the tape; it may not be written while recording."""
    holder = shared(array)
    others = [ref for ref in holder.variables if ref() is not None and ref() is not array]
    holder.variables = (*others, weakref.ref(array))
    array._node, array._output, array._stamp = node, 0, array._chunk.writes


def set_grad(array: Array, value: Any) -> None:
    """Set `x.grad = value`: the array that gradients go to from now on, or None for zeros.

    One of another dtype or device is copied. ShapeError for another shape,
    ArgumentError where it is the variable's own memory.
    """
    node = array._node
    if not isinstance(node, Leaf):
        raise ArgumentError("grad: the array has none; call attach_grad() first")
    if value is None:
        node.collected = None
        return
    value = value if isinstance(value, Array) else new_array(value, device=node.device)
    require_shape("grad: the array given", value.shape, array.shape, of="the variable")
    if value._chunk is array._chunk:
        raise ArgumentError(
            "grad: the array given shares memory with the variable, which backward reads; give one "
            "of its own, as ng.zeros_like(x)"
        )
    if value.dtype == array.dtype and value.device == node.device:
        node.collected = value
    else:
        write_to(node.grad, value, "write")


def mark_variables(variables: Any, gradients: Any, grad_reqs: Any = "write") -> None:
    """Collect gradients with respect to arrays in existing arrays.

    Both are NDArrays, or lists of them of the same shapes; `grad_reqs` as of `attach_grad`.

    >>> import nbgraph as ng
    >>> x, dx = ng.array([1.0, 2.0]), ng.zeros(2)
    >>> ng.autograd.mark_variables(x, dx)
    >>> with ng.autograd.record():
    ...     y = x * x
    >>> y.backward()
    >>> dx
    array([2., 4.], dtype=float32)
    """
    if not isinstance(variables, (list, tuple)):
        variables, gradients = [variables], [gradients]
    requests = [grad_reqs] * len(variables) if isinstance(grad_reqs, str) else grad_reqs
    for array, gradient, request in zip(variables, gradients, requests, strict=True):
        attach_grad(array, request)
        set_grad(array, gradient)


def backward(
    heads: Array | Sequence[Array],
    head_grads: Any = None,
    *,
    retain_graph: bool = False,
    train_mode: bool = True,
) -> None:
    """Compute the gradients of heads for every variable that they were computed from.

    Parameters
    ----------
    heads : NDArray, or several, computed within `record()`
    head_grads : gradients with respect to the heads, one for each; None means ones
    retain_graph : whether what the pass needs is kept; else it is freed as it goes
    train_mode : MXNet's, and changes nothing: the mode is that of the recording

    Raises
    ------
    TapeError where a head was not recorded, or an earlier pass freed it; ShapeError for another
        shape of
    a gradient.

    >>> import nbgraph as ng
    >>> x = ng.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with ng.autograd.record():
    ...     y, z = x * x, 3 * x
    >>> ng.autograd.backward([y, z])
    >>> x.grad
    array([5., 7.], dtype=float32)
    """
    entries = entries_of("backward", *_several(heads, head_grads))
    with pause(train_mode=True):
        replay.run(entries, retain_graph=retain_graph)


def _several(heads: Any, head_grads: Any) -> tuple[Sequence[Any], Sequence[Any] | None]:
    if isinstance(heads, (list, tuple)):
        return list(heads), head_grads
    return [heads], None if head_grads is None else [head_grads]


def grad(
    heads: Any,
    variables: Any,
    head_grads: Any = None,
    *,
    retain_graph: bool | None = None,
    create_graph: bool = False,
    train_mode: bool = True,
) -> Any:
    """Return gradients of heads with respect to variables, rather than collecting them.

    Parameters
    ----------
    heads, head_grads : as those of `backward`. One that was not computed from an array with
        attach_grad() while recording is a constant.
    variables : NDArray, or several, that the heads were computed from while recording
    retain_graph : as that of `backward`; by default what `create_graph` says
    create_graph : whether the result can be differentiated
    train_mode : MXNet's, and changes nothing: the mode is that of the recording

    Returns
    -------
    NDArray, or a list of them, in the form of variables; zeros where heads do not depend on one

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
    targets, _ = _several(variables, None)
    for i, variable in enumerate(targets):
        if not isinstance(variable, Array) or variable._node is None:
            raise TapeError(
                f"grad: variables[{i}] was not recorded; call attach_grad() on it before "
                "ng.autograd.record()"
            )
    entries = entries_of("grad", *_several(heads, head_grads), constants=True)
    keep = create_graph if retain_graph is None else retain_graph
    slopes = gradients(entries, targets, create_graph=create_graph, retain_graph=keep)
    return slopes if isinstance(variables, (list, tuple)) else slopes[0]


def gradients(
    entries: Sequence[tuple[Node, int, Any]],
    variables: Sequence[Array],
    *,
    create_graph: bool,
    retain_graph: bool,
    ends: Container[Node] = (),
) -> list[Any]:
    """Return gradients with respect to variables that are on the tape, zeros where none flows."""
    entries_of_variables = [(v._node, v._output) for v in variables]
    with record() if create_graph else pause(train_mode=True):
        values = replay.run(
            entries,
            entries_of_variables,
            create_graph=create_graph,
            retain_graph=retain_graph,
            ends=ends,
        )
    return [
        zeros_of(v._layout, v.device) if value is None else value
        for v, value in zip(variables, values, strict=True)
    ]


def entries_of(
    name: str, heads: Sequence[Any], head_grads: Sequence[Any] | None, *, constants: bool = False
) -> list[tuple[Node, int, Any]]:
    """Return where gradients start: (node, output, gradient) of each head. Raise TapeError for one
    that is not on the tape; with `constants` it is left out, as nothing flows from it."""
    if head_grads is not None and len(head_grads) != len(heads):
        raise ArgumentError(
            f"{name}: {len(head_grads)} head gradients for {len(heads)} heads; give one for each"
        )
    entries: list[tuple[Node, int, Any]] = []
    for i, head in enumerate(heads):
        if not isinstance(head, Array):
            raise ArgumentError(
                f"{name}: heads[{i}] is {noun(head)}; give NDArrays that were computed "
                "while recording"
            )
        if head._node is None and constants:
            continue
        if head._node is None:
            raise TapeError(
                f"{name}: heads[{i}] of shape {head.shape} and {head.dtype} was not computed from "
                "an array with attach_grad() by differentiable operators while recording; "
                f"{missing_half()}"
            )
        gradient = None if head_grads is None else head_grads[i]
        entries.append((head._node, head._output, head_gradient(name, i, head, gradient)))
    return entries


def head_gradient(name: str, index: int, head: Array, value: Any) -> Any:
    """Return the gradient that starts at a head: Ones, or `value` in the head's dtype."""
    if value is None:
        return Ones(head)
    is_array = isinstance(value, Array)
    gradient = value if is_array else new_array(value, head.dtype, device=head.device)
    common_device(name, ["the head", "its gradient"], [head, gradient])
    require_shape(f"{name}: the head gradient {index}", gradient.shape, head.shape, of="the head")
    if gradient.dtype != head.dtype:
        gradient = library.astype(gradient, head.dtype)
    return gradient


def get_symbol(x: Any) -> Any:
    """Return the symbol of the computation that was recorded for an NDArray.

    Its arguments are arrays of the shapes and dtypes that were recorded: `var0`, `var1`, ... those
    that gradients are collected for (`attach_grad`), and `null0`, `null1`, ... all other arrays
    that no gradient flows to, each in the order in which they are first read. Python numbers are
    part of the symbol. What is not a float (a comparison, an index) is not recorded: it is such
    another array, and so is what was computed outside `record()`.

    An array that was marked and not computed gives its variable. The symbol does not depend on the
    tape: it may be kept, saved and bound after `backward`.

    Raises
    ------
    ArgumentError for what is not an NDArray. TapeError where `x` was not recorded, or its memory
        was written since by what was not.

    >>> import nbgraph as ng
    >>> x = ng.array([1.0, 2.0])
    >>> x.attach_grad()
    >>> with ng.autograd.record():
    ...     y = x * 2 + 1
    >>> symbol = ng.autograd.get_symbol(y)
    >>> symbol.list_arguments(), symbol.eval(var0=x)
    (['var0'], [array([3., 5.], dtype=float32)])
    """
    if not isinstance(x, Array):
        raise ArgumentError(
            f"get_symbol: x is {noun(x)}; give an NDArray that was computed within "
            "ng.autograd.record()"
        )
    node = x._node
    if node is None:
        raise TapeError(
            "get_symbol: the array was not recorded; call attach_grad() on what it is computed "
            "from, and compute it within ng.autograd.record()"
        )
    if node.op is not None and x._stamp != x._chunk.writes:
        raise stale("get_symbol", x)
    from nbgraph.autograd.recorded import symbol_of  # it loads all of symbols

    return symbol_of(node, x._output)
