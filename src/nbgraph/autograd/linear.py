"""Derivatives as linear maps: `vjp` from results back to arguments, `jvp` forward."""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from typing import Any

from nbgraph.autograd.control.closing import symbolic
from nbgraph.autograd.entry import entries_of, gradients
from nbgraph.autograd.functional import jit_of, variables_of
from nbgraph.autograd.results import (
    Function,
    auxiliary,
    lazy_among,
    matching,
    outputs,
    outside,
    require_function,
    run,
)
from nbgraph.autograd.sums import ones_like
from nbgraph.autograd.tree import like, places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError, DerivativeError, noun
from nbgraph.operator.call import recording
from nbgraph.signatures import checked


@checked
def vjp(f: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return `f(*primals)`, and a function from its cotangents to those of the primals.

    Parameters
    ----------
    f : callable that gives an array, or a structure of them; with `has_aux` a pair of that and
        anything else
    *primals : arrays, floats, or structures of those
    has_aux : whether that other value is returned as a third one

    Returns
    -------
    the result of f, and a function that takes cotangents in its structure and shapes, and returns a
    tuple with the cotangents of each primal; it may be called several times.

    >>> import nbgraph as ng
    >>> out, pull = ng.vjp(lambda x: x * x, ng.array([1.0, 2.0]))
    >>> pull(ng.array([10.0, 1.0]))
    (array([20.,  4.], dtype=float32),)
    """
    require_function("vjp", f)
    if lazy_among(primals):
        pulled = jit_of(
            lambda inner, cotangents: vjp(f, *inner, has_aux=has_aux)[1](cotangents), [0]
        )
        out = jit_of(f, range(len(primals)))(*primals)
        pull: Function = functools.partial(pulled, primals)
        return (out[0], pull, out[1]) if has_aux else (out, pull)
    variables = variables_of("vjp", primals, "primals", places(primals, ""))
    out, aux = _split("vjp", f, run(f, variables, variables.arguments, {}), has_aux)
    if variables.symbolic:
        results = _vjp_of_symbols(variables, out, aux)
    else:
        results = _vjp_of_arrays(variables, out, aux, lambda: vjp(f, *primals, has_aux=has_aux)[1])
    return results if has_aux else results[:2]


def _vjp_of_arrays(
    variables: Any, out: Any, aux: Any, again: Callable[[], Function]
) -> tuple[Any, Function, Any]:
    """Return the result of `f`, the backward pass (in a trace `again()`), the other result."""
    heads = outputs("vjp", out)

    def pull(cotangents: Any) -> Any:
        if symbolic(cotangents):
            return again()(cotangents)
        seeds = matching("vjp", "cotangents", cotangents, out)
        entries = entries_of("vjp", heads, seeds, constants=True)
        slopes = gradients(
            entries,
            variables.arrays,
            create_graph=recording.get() is not None,
            retain_graph=True,
            ends=variables.nodes,
        )
        return variables.like(slopes)

    return outside(out, variables.arrays), pull, outside(aux, variables.arrays)


@checked
def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any], has_aux: bool = False) -> Any:
    """Return `f(*primals)`, and its derivative in the direction of the tangents.

    Parameters
    ----------
    f : callable that gives an array, or a structure of them; with `has_aux` a pair of that and
        anything else
    primals : sequence of arrays, floats, or structures of those
    tangents : sequence of the same structures and shapes
    has_aux : whether that other value is returned as a third one

    Returns
    -------
    the result of f, and the derivative in the same structure

    >>> import nbgraph as ng
    >>> ng.jvp(lambda x: x * x, (ng.array([1.0, 2.0]),), (ng.array([1.0, 0.5]),))
    (array([1., 4.], dtype=float32), array([2., 2.], dtype=float32))
    """
    require_function("jvp", f)
    require_tuples("jvp", primals=primals, tangents=tangents)
    if lazy_among((primals, tangents)):
        pushed = jit_of(lambda inner, values: jvp(f, inner, values, has_aux), [0, 1])
        return pushed(tuple(primals), tuple(tangents))
    out, push, aux = _linear("jvp", f, tuple(primals), tangents, has_aux)
    tangent = push(*tangents)
    return (out, tangent, aux) if has_aux else (out, tangent)


def require_tuples(name: str, **arguments: Any) -> None:
    """Raise ArgumentError where one of these arguments is not a tuple or list."""
    for label, values in arguments.items():
        if not isinstance(values, (tuple, list)):
            raise ArgumentError(
                f"{name}: {label} is {noun(values)}; give a tuple with one for each argument"
            )


@checked
def linearize(f: Function, *primals: Any, has_aux: bool = False) -> Any:
    """Return `f(*primals)`, and its derivative there as a function of tangents.

    Parameters
    ----------
    f, has_aux : as those of `jvp`
    *primals : arrays, floats, or structures of those

    Returns
    -------
    the result of f, and a function that takes tangents in the structures and shapes of the primals.
    It may be called several times; f is not computed again.

    >>> import nbgraph as ng
    >>> out, push = ng.linearize(lambda x: x * x, ng.array([1.0, 2.0]))
    >>> push(ng.array([1.0, 0.5]))
    array([2., 2.], dtype=float32)
    """
    require_function("linearize", f)
    out, push, aux = _linear("linearize", f, primals, (), has_aux)
    return (out, push, aux) if has_aux else (out, push)


def _linear(
    name: str, f: Function, primals: tuple[Any, ...], beside: Sequence[Any], has_aux: bool
) -> tuple[Any, Function, Any]:
    """Return the result of `f`, the forward pass, the other result; `beside`: known tangents."""
    variables = variables_of(name, primals, "primals", places((primals, beside), ""))
    out, aux = _split(name, f, run(f, variables, variables.arguments, {}), has_aux)
    if variables.symbolic:
        return _linear_of_symbols(name, variables, out, aux)
    heads = outputs(name, out)
    # the backward pass is linear in its seeds, and its own backward pass is the forward pass
    seeds = Variables(name, [ones_like(head) for head in heads], "out")
    entries = [
        (head._node, head._output, seed)
        for head, seed in zip(heads, seeds.arrays, strict=True)
        if head._node is not None
    ]

    def again(tangents: Any) -> Any:  # in a trace
        return _linear(name, f, primals, tangents, has_aux)[1](*tangents)

    try:
        back = gradients(
            entries, variables.arrays, create_graph=True, retain_graph=True, ends=variables.nodes
        )
    except DerivativeError:  # a loop that ends by a test only has a forward pass, as a graph
        forward = jit_of(again, [0])
        return (
            outside(out, variables.arrays),
            lambda *tangents: forward(tangents),
            outside(aux, variables.arrays),
        )

    def push(*tangents: Any) -> Any:
        if symbolic(tangents):
            return again(tangents)
        directions = matching(name, "tangents", tangents, variables.like(variables.arrays))
        entries = entries_of(name, back, directions, constants=True)
        outer = recording.get() is not None
        return like(
            out,
            gradients(
                entries, seeds.arrays, create_graph=outer, retain_graph=True, ends=seeds.nodes
            ),
        )

    return outside(out, variables.arrays), push, outside(aux, variables.arrays)


def _split(name: str, f: Function, out: Any, has_aux: bool) -> tuple[Any, Any]:
    """Return the result to differentiate, and the function's other result."""
    return auxiliary(name, f, out) if has_aux else (out, None)


# of symbols -------------------------------------------------------------------------------------


def _vjp_of_symbols(variables: Any, out: Any, aux: Any) -> tuple[Any, Function, Any]:
    from nbgraph.autograd import symbolic

    out = _lifted(out)
    heads = outputs("vjp", out)

    def pull(cotangents: Any) -> Any:
        values = matching("vjp", "cotangents", cotangents, out)
        seeds = [symbolic.entry_of(value, head) for value, head in zip(values, heads, strict=True)]
        return symbolic.finished(variables, variables.like(variables.slopes(heads, seeds)))[0]

    result, other = symbolic.finished(variables, out, aux)
    return result, pull, other


def _linear_of_symbols(name: str, variables: Any, out: Any, aux: Any) -> tuple[Any, Function, Any]:
    from nbgraph.autograd import symbolic

    out = _lifted(out)
    heads = outputs(name, out)

    def push(*tangents: Any) -> Any:
        directions = matching(name, "tangents", tangents, variables.like(variables.arrays))
        slopes = symbolic.tangents(variables, heads, directions)
        return like(out, [symbolic.stopped(value) for value in slopes])

    result, other = symbolic.finished(variables, out, aux)
    return result, push, other


def _lifted(out: Any) -> Any:
    """Return a function's result, with arrays from outside as symbols."""
    from nbgraph.autograd import symbolic

    values = [symbolic.lifted(place.value) for place in places(out, "")]
    return like(out, values, objects=True)
