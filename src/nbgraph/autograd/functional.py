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

from nbgraph.array.core import from_host
from nbgraph.array.layout import layout
from nbgraph.autograd.buffers import ones_like, zeros_of
from nbgraph.autograd.entry import gradients
from nbgraph.autograd.results import (
    Function,
    is_array,
    label,
    outside,
    require_function,
    run,
    scalar,
)
from nbgraph.autograd.sums import library
from nbgraph.autograd.tree import places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError
from nbgraph.operator.call import recording


def grad(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """A function that gives the gradient of `f` with respect to positional arguments.

    Parameters
    ----------
    f : callable that gives an array of one element, or with `has_aux` a pair of that and anything
        else. Arguments are arrays, floats, or dicts, lists and tuples of those.
    argnums : int, or several: then the gradient is a tuple
    has_aux : whether the result is a pair of the gradient and the other

    Returns
    -------
    callable with the arguments of f: the gradient, in the structure of the argument. One that f
        does not
    use has a gradient of zeros.

    Raises
    ------
    On a call, ShapeError where f gives more than one element; ArgumentError for integers.

    >>> import nbgraph as ng
    >>> ng.grad(lambda x: (x * x).sum())(ng.array([1.0, 2.0]))
    array([2., 4.], dtype=float32)
    >>> ng.grad(ng.grad(lambda x: x**3))(2.0)
    array(12., dtype=float32)
    """
    require_function("grad", f)
    transformed = whole(f, argnums, lambda inner: grad(inner, argnums, has_aux))
    if transformed is not None:
        return transformed

    @_named("gradient", f)
    def gradient(*args: Any, **kwargs: Any) -> Any:
        _, found, aux = _differentiate("grad", f, argnums, has_aux, args, kwargs)
        return (found, aux) if has_aux else found

    return gradient


def value_and_grad(
    f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False
) -> Function:
    """As `grad`, but a function that gives `(value, gradient)`.

    Parameters
    ----------
    f, argnums, has_aux : as those of `grad`; with `has_aux` the value is a pair

    >>> import nbgraph as ng
    >>> ng.value_and_grad(lambda p: (p["w"] * p["w"]).sum())({"w": ng.array([3.0])})
    (array(9., dtype=float32), {'w': array([6.], dtype=float32)})
    """
    require_function("value_and_grad", f)
    transformed = whole(f, argnums, lambda inner: value_and_grad(inner, argnums, has_aux))
    if transformed is not None:
        return transformed

    @_named("value and gradient", f)
    def both(*args: Any, **kwargs: Any) -> Any:
        value, found, aux = _differentiate("value_and_grad", f, argnums, has_aux, args, kwargs)
        return ((value, aux) if has_aux else value), found

    return both


def hessian(f: Function, argnums: int | Sequence[int] = 0) -> Function:
    """A function that gives all second derivatives of `f`, by one backward pass an element: for
    small inputs.

    Parameters
    ----------
    f, argnums : as those of `grad`

    Returns
    -------
    callable with the arguments of f. For one array of shape `s` the result has shape `s + s`; for a
    structure it is the structure of structures.

    >>> import nbgraph as ng
    >>> ng.hessian(lambda x: x[0] * x[0] * x[1])(ng.array([1.0, 3.0]))
    array([[6., 2.],
           [2., 0.]], dtype=float32)
    """
    require_function("hessian", f)

    @_named("Hessian", f)
    def second(*args: Any, **kwargs: Any) -> Any:
        variables, inner = _arguments("hessian", argnums, args, kwargs)
        if variables.symbolic:
            return _hessian_of_symbols(f, variables, inner, kwargs)
        outer = recording.get() is not None
        out = scalar("hessian", f, run(f, variables, inner, kwargs))
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
    variables, inner = _arguments(name, argnums, args, kwargs)
    out, aux = run(f, variables, inner, kwargs), None
    if has_aux:
        if not isinstance(out, tuple) or len(out) != 2:
            raise ArgumentError(
                f"{name}: with has_aux=True {label(f)} is to return (value, other), it returned a "
                f"{type(out).__name__}"
            )
        out, aux = out
    if variables.symbolic:
        return _of_symbols(name, f, variables, out, aux)
    out = scalar(name, f, out)
    found = _slopes(out, variables, create_graph=recording.get() is not None)
    return outside(out), variables.like(found), outside(aux)


def _slopes(out: Any, variables: Variables, *, create_graph: bool) -> list[Any]:
    entries = [] if out._node is None else [(out._node, out._output, ones_like(out))]
    return gradients(
        entries,
        variables.arrays,
        create_graph=create_graph,
        retain_graph=create_graph,
        ends=variables.nodes,
    )


def _of_symbols(name: str, f: Function, variables: Any, out: Any, aux: Any) -> tuple[Any, Any, Any]:
    from nbgraph.autograd import symbolic

    out = scalar(name, f, symbolic.lifted(out))
    found = variables.like(variables.slopes([out], [None]))
    value, slopes, other = symbolic.finished(variables, out, found, aux)
    return value, slopes, other


def _hessian_of_symbols(
    f: Function, variables: Any, args: list[Any], kwargs: dict[str, Any]
) -> Any:
    from nbgraph.autograd import symbolic

    out = scalar("hessian", f, symbolic.lifted(run(f, variables, args, kwargs)))
    rows = [
        variables.like([symbolic.rows(variables, slope, x) for x in variables.arrays])
        for slope in variables.slopes([out], [None])
    ]
    return symbolic.finished(variables, variables.like(rows))[0]


def whole(f: Function, argnums: Any, change: Callable[[Function], Function]) -> Any:
    """The derivative of a function that is traced (`ng.jit`), traced as a whole; else None."""
    make = getattr(type(f), "__nbgraph_transformed__", None)
    if make is None:
        return None
    chosen = argnums if isinstance(argnums, (tuple, list)) else [argnums]
    return make(f, change, chosen)


def variables_of(name: str, structure: Any, path: str, given: Any) -> Any:
    """The variables for what is differentiated: of a tape, or of a graph if a symbol is among what
    the function is given."""
    recorder = recording.get()
    traced = recorder is not None and recorder.traces
    if traced or any(type(p.value).__name__ != "NDArray" and is_array(p.value) for p in given):
        from nbgraph.autograd.symbolic import SymbolVariables  # graphs load when they are used

        return SymbolVariables(name, structure, path)
    return Variables(name, structure, path)


def _arguments(
    name: str, argnums: int | Sequence[int], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Any, list[Any]]:
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
    path = f"args[{found[0]}]" if single else f"args at {argnums}"
    variables = variables_of(name, structure, path, places((args, kwargs), ""))
    chosen = [variables.arguments] if single else variables.arguments
    for i, value in zip(found, chosen, strict=True):
        inner[i] = value
    return variables, inner


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


def _named(what: str, f: Function) -> Callable[[Function], Function]:
    """Name a function after the one it differentiates."""

    def decorate(made: Function) -> Function:
        made = functools.wraps(f, updated=())(made)  # an op has much of its own
        made.__doc__ = f"The {what} of {label(f)}."
        return made

    return decorate
