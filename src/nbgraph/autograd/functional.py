"""Derivatives of functions as functions: nothing is marked, nothing is collected.

They nest: `grad(grad(f))`, a gradient within `record()`, `jvp` of a gradient. Arguments may be
dicts, lists and tuples of arrays; gradients come in the same structure. NumPy arrays and Python
floats become NDArrays inside. Randomness and statistics behave as in training, unless a block
around the call says otherwise (`predict_mode`).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.array.chunk import shared
from nbgraph.array.core import Array, from_host, make
from nbgraph.array.layout import layout
from nbgraph.autograd.buffers import ones_like, zeros_of
from nbgraph.autograd.entry import gradients, head_gradient
from nbgraph.autograd.scope import record
from nbgraph.autograd.sums import library
from nbgraph.autograd.tree import like, places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.call import recording, training

Function = Callable[..., Any]


def grad(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """A function that gives the gradient of `f` with respect to positional arguments.

    `f` gives an array of one element, or with `has_aux` a pair of that and anything else; then
    the result is a pair of the gradient and the other. For several `argnums` the gradient is a
    tuple. An argument that `f` does not use has a gradient of zeros.

    >>> import nbgraph as ng
    >>> ng.grad(lambda x: (x * x).sum())(ng.array([1.0, 2.0]))
    array([2., 4.], dtype=float32)
    >>> ng.grad(ng.grad(lambda x: x**3))(2.0)
    array(12., dtype=float32)
    """
    _require_function("grad", f)

    @_named("gradient", f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        _, found, aux = _differentiate("grad", f, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return gradient


def value_and_grad(
    f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Function:
    """As `grad`, but a function that gives `(value, gradient)`; with `has_aux` the value is a pair.

    >>> import nbgraph as ng
    >>> ng.value_and_grad(lambda p: (p["w"] * p["w"]).sum())({"w": ng.array([3.0])})
    (array(9., dtype=float32), {'w': array([6.], dtype=float32)})
    """
    _require_function("value_and_grad", f)

    @_named("value and gradient", f)
    def both(*args: Any, **kwargs: Any) -> Any:
        value, found, aux = _differentiate("value_and_grad", f, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), found

    return both


def vjp(f: Function, *primals: Any) -> tuple[Any, Function]:
    """`f(*primals)`, and a function from its cotangents to those of the primals.

    That function takes what `f` gave, in structure and shapes, and gives a tuple with the
    cotangents of each primal; it may be called several times.

    >>> import nbgraph as ng
    >>> out, pull = ng.vjp(lambda x: x * x, ng.array([1.0, 2.0]))
    >>> pull(ng.array([10.0, 1.0]))
    (array([20.,  4.], dtype=float32),)
    """
    _require_function("vjp", f)
    variables = Variables("vjp", primals, "primals")
    out = _run(f, variables, variables.arguments, {})
    heads = _outputs("vjp", out)

    def pull(cotangents: Any) -> Any:
        given = _matching("vjp", "cotangents", cotangents, out)
        entries = [
            (head._node, head._output, head_gradient("vjp", i, head, value))
            for i, (head, value) in enumerate(zip(heads, given, strict=True))
            if head._node is not None
        ]
        found = gradients(
            entries,
            variables.arrays,
            create_graph=recording.get() is not None,
            retain_graph=True,
            ends=variables.nodes,
        )
        return variables.like(found)

    return _outside(out), pull


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """`f(*primals)`, and its derivative in the direction of the tangents.

    >>> import nbgraph as ng
    >>> ng.jvp(lambda x: x * x, (ng.array([1.0, 2.0]),), (ng.array([1.0, 0.5]),))
    (array([1., 4.], dtype=float32), array([2., 2.], dtype=float32))
    """
    _require_function("jvp", f)
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise ArgumentError(
                f"jvp: {name} is a {type(given).__name__}; give a tuple with one for each argument"
            )
    outer = recording.get() is not None
    variables = Variables("jvp", tuple(primals), "primals")
    directions = _matching("jvp", "tangents", tuple(tangents), variables.like(variables.arrays))
    out = _run(f, variables, variables.arguments, {})
    heads = _outputs("jvp", out)
    # the pass back is linear in its seeds, and its own pass back is the pass forward
    seeds = Variables("jvp", [ones_like(head) for head in heads], "out")
    entries = [
        (head._node, head._output, seed)
        for head, seed in zip(heads, seeds.arrays, strict=True)
        if head._node is not None
    ]
    back = gradients(
        entries, variables.arrays, create_graph=True, retain_graph=True, ends=variables.nodes
    )
    entries = [
        (value._node, value._output, head_gradient("jvp", i, value, direction))
        for i, (value, direction) in enumerate(zip(back, directions, strict=True))
        if value._node is not None
    ]
    found = gradients(
        entries, seeds.arrays, create_graph=outer, retain_graph=outer, ends=seeds.nodes
    )
    return _outside(out), like(out, found)


def hessian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """A function that gives all second derivatives of `f`: one backward pass an element, for
    small inputs. For one array of shape `s` the result has shape `s + s`; for a structure it is
    the structure of structures.

    >>> import nbgraph as ng
    >>> ng.hessian(lambda x: x[0] * x[0] * x[1])(ng.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]], dtype=float32)
    """
    _require_function("hessian", f)

    @_named("Hessian", f)
    def second(*args: Any, **kwargs: Any) -> Any:
        variables, inner = _arguments("hessian", argnums, args)
        outer = recording.get() is not None
        out = _scalar("hessian", f, _run(f, variables, inner, kwargs))
        slopes = _slopes(out, variables, create_graph=True)
        rows = [
            variables.like([_block(slope, x, variables, outer=outer) for x in variables.arrays])
            for slope in slopes
        ]
        return variables.like(rows)

    return second


# parts ------------------------------------------------------------------------------------------


def _differentiate(
    name: str,
    f: Function,
    argnums: int | Sequence[int],
    has_aux: bool,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """Value, gradient and what else `f` gave."""
    variables, inner = _arguments(name, argnums, args)
    out, aux = _run(f, variables, inner, kwargs), None
    if has_aux:
        if not isinstance(out, tuple) or len(out) != 2:
            raise ArgumentError(
                f"{name}: with has_aux=True {_label(f)} is to return (value, other), it returned a "
                f"{type(out).__name__}"
            )
        out, aux = out
    out = _scalar(name, f, out)
    found = _slopes(out, variables, create_graph=recording.get() is not None)
    return _outside(out), variables.like(found), _outside(aux)


def _slopes(out: Any, variables: Variables, *, create_graph: bool) -> list[Any]:
    entries = [] if out._node is None else [(out._node, out._output, ones_like(out))]
    return gradients(
        entries,
        variables.arrays,
        create_graph=create_graph,
        retain_graph=create_graph,
        ends=variables.nodes,
    )


def _arguments(
    name: str, argnums: int | Sequence[int], args: Sequence[Any]
) -> tuple[Variables, list[Any]]:
    """What is differentiated, and all positional arguments with variables in its places."""
    single = not isinstance(argnums, (tuple, list))
    given: Sequence[Any] = [argnums] if single else argnums
    count, found = len(args), list[int]()
    for number in given:
        if not isinstance(number, int) or isinstance(number, bool):
            raise ArgumentError(
                f"{name}: argnums={argnums!r}; give the number of a positional argument, or a "
                "tuple of numbers"
            )
        if not -count <= number < count:
            raise ArgumentError(
                f"{name}: argnums={argnums!r}, but {count} positional argument(s) were given; what "
                "is differentiated is passed by position"
            )
        found.append(number % count)
    if not found or len(set(found)) != len(found):
        raise ArgumentError(f"{name}: argnums={argnums!r}; name one argument or more, each once")
    inner = list(args)
    structure = args[found[0]] if single else tuple(args[i] for i in found)
    variables = Variables(name, structure, f"args[{found[0]}]" if single else f"args at {argnums}")
    chosen = [variables.arguments] if single else variables.arguments
    for i, value in zip(found, chosen, strict=True):
        inner[i] = value
    return variables, inner


def _run(f: Function, variables: Variables, args: Sequence[Any], kwargs: dict[str, Any]) -> Any:
    with variables.held(), record(train_mode=training.get(True)):
        return f(*args, **kwargs)


def _scalar(name: str, f: Function, out: Any) -> Any:
    """The result, if it is one that has a gradient."""
    if not isinstance(out, Array):
        raise ArgumentError(
            f"{name}: {_label(f)} returned a {type(out).__name__}, through which no gradient "
            "flows; return an NDArray, without item(), float() or asnumpy() on the way"
        )
    if out.size != 1:
        raise ShapeError(
            f"{name}: {_label(f)} returned shape {out.shape}; a gradient needs a result of one "
            "element: sum it, or use ng.vjp with the gradient of each element"
        )
    _require_floating(name, _label(f), out)
    return out


def _outputs(name: str, out: Any) -> list[Any]:
    found = places(out, "out")
    for place in found:
        if not isinstance(place.value, Array):
            raise ArgumentError(
                f"{name}: {place.path} is a {type(place.value).__name__}; the function is to "
                "return NDArrays, or a dict, list or tuple of those"
            )
        _require_floating(name, place.path, place.value)
    return [place.value for place in found]


def _require_floating(name: str, what: str, out: Any) -> None:
    if out.dtype.kind not in "fV":
        raise ArgumentError(
            f"{name}: {what} gives {out.dtype}, which has no derivative; return a floating dtype"
        )


def _matching(name: str, what: str, given: Any, structure: Any) -> list[Any]:
    """The values of a structure that is to be like another."""
    found, wanted = places(given, ""), places(structure, "")
    if [place.path for place in found] != [place.path for place in wanted]:
        has, needs = (", ".join(p.path or "one array" for p in ps) for ps in (found, wanted))
        raise ArgumentError(f"{name}: {what} has the structure ({has}); expected ({needs})")
    for place, like_it in zip(found, wanted, strict=True):
        shape = np.shape(place.value) if not isinstance(place.value, Array) else place.value.shape
        if shape != like_it.value.shape:
            raise ShapeError(
                f"{name}: {what}{place.path} has shape {shape}; expected {like_it.value.shape}"
            )
    return [place.value for place in found]


def _block(slope: Any, x: Any, variables: Variables, *, outer: bool) -> Any:
    """The derivative of each element of `slope` with respect to `x`."""
    shape = (*slope.shape, *x.shape)
    if slope._node is None or not slope.size:
        return zeros_of(layout(shape, slope.dtype), slope.device)
    rows = []
    for i in range(slope.size):
        one = np.zeros(slope.shape, slope.dtype)
        one.flat[i] = 1
        entry = slope._node, slope._output, from_host(one, slope.device)
        rows += gradients([entry], [x], create_graph=outer, retain_graph=True, ends=variables.nodes)
    return library("reshape")(library("stack")(rows), shape)


def _outside(result: Any) -> Any:
    """What a function gave, without the tape that ends with it; an outer one goes on."""
    if recording.get() is not None:
        return result
    found = [place.value for place in places(result, "")]
    return like(result, [_bare(v) for v in found], objects=True)


def _bare(value: Any) -> Any:
    if not isinstance(value, Array) or value._node is None:
        return value
    return make(value._chunk, value._address, value._layout, shared(value))


def _require_function(name: str, f: Any) -> None:
    if not callable(f):
        raise ArgumentError(
            f"{name}: {type(f).__name__} is no function; give the function itself, not its value"
        )


def _label(f: Any) -> str:
    return str(getattr(f, "__name__", type(f).__name__))


def _named(what: str, f: Function) -> Callable[[Function], Function]:
    """Name a function after the one it differentiates."""

    def decorate(made: Function) -> Function:
        made = functools.wraps(f, updated=())(made)  # an op has much of its own
        made.__doc__ = f"The {what} of {_label(f)}."
        return made

    return decorate
