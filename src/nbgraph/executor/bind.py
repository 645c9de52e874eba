"""Binding: arrays for a symbol's arguments, and an executor over them."""

import operator
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import shared
from nbgraph.array.copying import filled
from nbgraph.array.core import Array, make
from nbgraph.array.create import array as new_array
from nbgraph.array.create import initial
from nbgraph.device import Context, cpu, require
from nbgraph.errors import ArgumentError, DeviceError, DTypeError, ShapeError, noun
from nbgraph.executor.executor import Executor
from nbgraph.executor.pipeline import Options
from nbgraph.executor.programs import Bound
from nbgraph.graph.arguments import auxiliary_variables, typed
from nbgraph.graph.build import GraphNode
from nbgraph.graph.graph import Graph, spec
from nbgraph.graph.passes.gradient import require_gradients
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.request import OpReqType
from nbgraph.scopes import load

_REQUESTS = {"write": OpReqType.kWriteTo, "add": OpReqType.kAddTo, "null": OpReqType.kNullOp}


def simple_bind(
    symbol: Symbol,
    ctx: Context | None = None,
    grad_req: Any = "write",
    type_dict: Mapping[str, Any] | None = None,
    options: Options | None = None,
    group2ctx: Mapping[str, Context] | None = None,
    **shapes: Sequence[int],
) -> Executor:
    """See Symbol.simple_bind."""
    device, groups = _device("simple_bind", ctx), _groups("simple_bind", group2ctx)
    graph = typed(
        symbol.graph, {n: _shape("simple_bind", n, s) for n, s in shapes.items()}, type_dict or {}
    )
    devices = _devices(graph, groups, device)
    arrays = {node: _allocated(node, devices[node]) for node in graph.variables}
    requests = _requests("simple_bind", graph, grad_req)
    grads = {
        node: (filled(layout(*_spec(node)), devices[node], 0), request)
        for node, request in requests.items()
    }
    return _executor(symbol, graph, arrays, grads, options, device, groups)


def bind(
    symbol: Symbol,
    ctx: Context | None = None,
    args: Any = None,
    args_grad: Any = None,
    grad_req: Any = "write",
    aux: Any = None,
    options: Options | None = None,
    group2ctx: Mapping[str, Context] | None = None,
) -> Executor:
    """See Symbol.bind."""
    groups = _groups("bind", group2ctx)
    names = symbol.list_arguments()
    states = symbol.list_auxiliary_states()
    if ctx is not None:
        _device("bind", ctx)
    inputs = _by_name("bind: args", args, names, required=True)
    inputs |= _by_name("bind: aux", aux, states, required=True)
    for name, array in inputs.items():
        _require_array("bind", name, array)
    device = _device("bind", ctx if ctx is not None else _first(inputs))
    graph = typed(
        symbol.graph,
        {name: array.shape for name, array in inputs.items()},
        {name: array.dtype for name, array in inputs.items()},
    )
    arrays = {node: inputs[str(node.name)] for node in graph.variables}
    slopes = _by_name("bind: args_grad", args_grad, names, required=False)
    requests = _requests("bind", graph, grad_req)
    grads: dict[GraphNode, tuple[Array, OpReqType]] = {}
    for node, request in requests.items():
        array = slopes.get(str(node.name))
        if array is not None:
            _require_array("bind: args_grad", str(node.name), array)
            own = _spec(node)
            if Spec(array.shape, array.dtype) != own:
                raise (ShapeError if array.shape != own.shape else DTypeError)(
                    f"bind: args_grad of {node.name!r} is {array.dtype}{list(array.shape)}, the "
                    f"argument is {own}; give one like it"
                )
            grads[node] = array, request
    _require_apart(arrays, grads)
    for name, array in inputs.items() if groups is None else ():
        _require_there("bind", name, array, device)
    for node, (array, _) in grads.items():
        there = device if groups is None else arrays[node].device
        _require_there("bind: args_grad of", str(node.name), array, there)
    for name in states:
        _require_writable(f"bind: aux {name!r}", inputs[name])
    return _executor(symbol, graph, arrays, grads, options, device, groups)


def _executor(
    symbol: Symbol,
    graph: Graph,
    arrays: dict[GraphNode, Array],
    grads: dict[GraphNode, tuple[Array, OpReqType]],
    options: Options | None,
    device: Context,
    groups: Mapping[str, Context] | None,
) -> Executor:
    require_gradients(graph, list(grads))
    what = graph, arrays, grads, options or Options(), device, symbol.list_outputs()[0]
    grouped = None if groups is None else load("nbgraph.executor.grouped").GroupedBound
    bound = Bound(*what) if grouped is None else grouped(*what, groups=groups)
    bound.require()
    states = set(auxiliary_variables(graph))
    gradients = {str(node.name): array for node, (array, _) in grads.items()}
    return Executor(
        symbol,
        bound,
        {str(n.name): arrays[n] for n in graph.variables if n not in states},
        {str(n.name): gradients.get(str(n.name)) for n in graph.variables if n not in states},
        {str(n.name): arrays[n] for n in graph.variables if n in states},
        reshaped,
    )


def reshaped(executor: Executor, shapes: Mapping[str, Sequence[int]], partial: bool) -> Executor:
    """Return an executor of the same symbol for other shapes; see Executor.reshape."""
    old = executor._bound
    dtypes = {n: array.dtype for n, array in {**executor.arg_dict, **executor.aux_dict}.items()}
    shared = {
        str(n.name): array.shape
        for n, array in old.arrays.items()
        if "init" in n.marks or n in {v for v, _ in old.grads.items()}
    }
    sizes = {n: _shape("reshape", n, s) for n, s in shapes.items()}
    try:
        graph = typed(executor.symbol.graph, {**shared, **sizes}, dtypes)
    except ShapeError:
        graph = typed(executor.symbol.graph, sizes, dtypes)
    old_arrays = {str(n.name): array for n, array in old.arrays.items()}
    old_grads = {str(n.name): pair for n, pair in old.grads.items()}
    devices = _devices(graph, old.groups, old.device)
    arrays: dict[GraphNode, Array] = {}
    grads: dict[GraphNode, tuple[Array, OpReqType]] = {}
    for node in graph.variables:
        name, own = str(node.name), _spec(node)
        array = old_arrays[name]
        if own.shape != array.shape and not (partial or name in sizes):
            raise ShapeError(
                f"reshape: the shape of {name!r} becomes {own.shape}, it is {array.shape}; give "
                f"{name}={own.shape}, too, or partial_shaping=True where a new array may take its "
                "place"
            )
        first = layout(*own)
        fits = first.size <= array.size
        arrays[node] = _head_of(array, first) if fits else _allocated(node, devices[node])
        if name in old_grads:
            array, request = old_grads[name]
            reused = _head_of(array, first) if fits else filled(first, devices[node], 0)
            grads[node] = reused, request
    return _executor(executor.symbol, graph, arrays, grads, old.options, old.device, old.groups)


# arrays -----------------------------------------------------------------------------------------


def _head_of(array: Array, first: Layout) -> Any:
    """Return the array, or if its shape differs, a view of its first elements in layout `first`."""
    if array.shape == first.shape:
        return array
    return make(array._chunk, array._address, first, shared(array))


def _allocated(node: GraphNode, device: Context) -> Any:
    """Return a new array for a variable, with the value of its `init`, else zeros."""
    own = layout(*_spec(node))
    init = node.marks.get("init")
    if init is None:
        return filled(own, device, 0)
    return initial(f"variable {node.name!r}", own.shape, own.dtype, init, device)


def _spec(node: GraphNode) -> Spec:
    return spec((node, 0))


def _shape(call: str, name: str, shape: Any) -> tuple[int, ...]:
    sizes = (shape,) if isinstance(shape, (int, np.integer)) else shape
    try:
        return tuple(operator.index(n) for n in sizes)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{call}: {name}={shape!r}; give the shape of {name!r} as a tuple of whole numbers; "
            f"{call} has no option of that name"
        ) from None


def _device(name: str, ctx: Any) -> Context:
    return require(cpu() if ctx is None else ctx, name, "ctx")


def _groups(name: str, groups: Any) -> dict[str, Context] | None:
    """Return the devices of groups, checked, or None where there are none."""
    if groups is None:
        return None
    if not isinstance(groups, Mapping):
        raise ArgumentError(
            f"{name}: group2ctx={groups!r}; give a dict from groups to devices, as "
            "{'dev1': ng.cpu(1)}"
        )
    return {str(group): _device(f"{name}: group2ctx[{group!r}]", c) for group, c in groups.items()}


def _devices(
    graph: Graph, groups: Mapping[str, Context] | None, device: Context
) -> dict[GraphNode, Context]:
    """Return the device of each variable's array."""
    if groups is None:
        return dict.fromkeys(graph.variables, device)
    by_node = load("nbgraph.graph.passes.devices").place(graph, groups, device)
    return {node: by_node.get(node, device) for node in graph.variables}


def _requests(name: str, graph: Graph, grad_req: Any) -> dict[GraphNode, OpReqType]:
    """Return the request of each variable that gets a gradient."""
    states = set(auxiliary_variables(graph))
    nodes = [node for node in graph.variables if node not in states]
    names = [str(node.name) for node in nodes]
    words = _by_name(f"{name}: grad_req", grad_req, names, required=False, one=True)
    requests: dict[GraphNode, OpReqType] = {}
    for node in nodes:
        request = words.get(str(node.name), "null")
        if request not in _REQUESTS:
            raise ArgumentError(
                f"{name}: grad_req of {node.name!r} is {request!r}; expected one of "
                f"{', '.join(_REQUESTS)}"
            )
        if request != "null" and _spec(node).dtype.kind in "cfV":
            requests[node] = _REQUESTS[request]
    return requests


def _by_name(
    what: str, arguments: Any, names: Sequence[str], *, required: bool, one: bool = False
) -> dict[str, Any]:
    """Return values by name, from a list in that order, a mapping, or (`one`) a single value."""
    if arguments is None:
        arguments = {}
    if one and isinstance(arguments, str):
        return dict.fromkeys(names, arguments)
    if isinstance(arguments, Mapping):
        unknown = sorted(set(arguments) - set(names))
        if unknown:
            raise ArgumentError(
                f"{what} has {unknown[0]!r}, which is not a name here; there are: "
                f"{', '.join(names) or 'none'}"
            )
        missing = [n for n in names if n not in arguments]
        if required and missing:
            raise ArgumentError(f"{what} lacks {', '.join(missing)}; give an NDArray for each")
        return dict(arguments)
    values = list(arguments)
    if len(values) != len(names):
        raise ArgumentError(
            f"{what} has {len(values)} values for {len(names)} names ({', '.join(names)}); "
            "give one for each, in that order, or a dict"
        )
    return dict(zip(names, values, strict=True))


def _require_array(name: str, label: str, array: Any) -> None:
    if not isinstance(array, Array):
        raise ArgumentError(
            f"{name}: {label} is {noun(array)}; give an NDArray, as ng.array(...) makes"
        )
    if not array._layout.contiguous:
        raise ArgumentError(
            f"{name}: {label} is a view with gaps (strides {array.strides}); give a copy, as "
            f"{label}.copy()"
        )


def _first(arrays: Mapping[str, Any]) -> Context | None:
    """Return the device of the first array, or None where there is no array."""
    return next((v.device for v in arrays.values() if isinstance(v, Array)), None)


def _require_there(name: str, label: str, array: Array, device: Context) -> None:
    if array.device != device and not (array.device.host and device.host):
        raise DeviceError(
            f"{name} {label!r}: it is on {array.device!r}, the graph is bound to {device!r}; give "
            f"one there, as with .to({device!r}), or bind to another with ctx="
        )


def _require_apart(
    arrays: Mapping[GraphNode, Array], grads: Mapping[GraphNode, tuple[Array, OpReqType]]
) -> None:
    """Raise ArgumentError if a gradient shares memory with another array of the run."""
    read = {array._chunk: str(node.name) for node, array in arrays.items()}
    seen: dict[Any, str] = {}
    for node, (array, _) in grads.items():
        variable = array._chunk
        _require_writable(f"bind: args_grad of {node.name!r}", array)
        other = read.get(variable) or seen.get(variable)
        if other is not None:
            raise ArgumentError(
                f"bind: args_grad of {node.name!r} shares memory with {other!r}; give arrays of "
                "their own"
            )
        seen[variable] = str(node.name)


def _require_writable(label: str, array: Array) -> None:
    if array._chunk.locked:
        raise ValueError(f"{label} may not be written: {array._chunk.locked}; give a copy")


def evaluate(symbol: Symbol, ctx: Context | None = None, **arrays: Any) -> list[Any]:
    """See Symbol.eval."""
    names = [*symbol.list_arguments(), *symbol.list_auxiliary_states()]
    missing = [n for n in names if n not in arrays]
    unknown = sorted(set(arrays) - set(names))
    if missing or unknown:
        wrong = f"no value for {missing[0]!r}" if missing else f"{unknown[0]!r} is not an argument"
        raise ArgumentError(f"eval: {wrong}; give a value for each of: {', '.join(names)}")
    device = _device("eval", ctx if ctx is not None else _first(arrays))
    inputs = {
        n: v if isinstance(v, Array) else new_array(v, device=device) for n, v in arrays.items()
    }
    inputs = {n: v if v._layout.contiguous else v.copy() for n, v in inputs.items()}  # type: ignore[attr-defined]
    states = symbol.list_auxiliary_states()
    executor = bind(
        symbol,
        device,
        {n: v for n, v in inputs.items() if n not in states},
        aux={n: inputs[n] for n in states},
        grad_req="null",
    )
    return executor.forward()
