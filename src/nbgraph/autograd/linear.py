"""Derivatives as linear maps: `vjp` from results back to arguments, `jvp` forward."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from nbgraph.autograd.buffers import ones_like
from nbgraph.autograd.entry import gradients, head_gradient
from nbgraph.autograd.functional import variables_of
from nbgraph.autograd.results import Function, matching, outputs, outside, require_function, run
from nbgraph.autograd.tree import like, places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError
from nbgraph.operator.call import recording


def vjp(f: Function, *primals: Any) -> tuple[Any, Function]:
    """`f(*primals)`, and a function from its cotangents to those of the primals.

    Parameters
    ----------
    f : callable that gives an array, or a structure of them
    *primals : arrays, floats, or structures of those

    Returns
    -------
    what f gave, and a function that takes cotangents in that structure and those shapes; it gives a
    tuple with the cotangents of each primal, and may be called several times.

    >>> import nbgraph as ng
    >>> out, pull = ng.vjp(lambda x: x * x, ng.array([1.0, 2.0]))
    >>> pull(ng.array([10.0, 1.0]))
    (array([20.,  4.], dtype=float32),)
    """
    require_function("vjp", f)
    variables = variables_of("vjp", primals, "primals", places(primals, ""))
    if variables.symbolic:
        return _vjp_of_symbols(f, variables)
    out = run(f, variables, variables.arguments, {})
    heads = outputs("vjp", out)

    def pull(cotangents: Any) -> Any:
        given = matching("vjp", "cotangents", cotangents, out)
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

    return outside(out), pull


def jvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> tuple[Any, Any]:
    """`f(*primals)`, and its derivative in the direction of the tangents.

    Parameters
    ----------
    f : callable that gives an array, or a structure of them
    primals : sequence of arrays, floats, or structures of those
    tangents : sequence of the same structures and shapes

    Returns
    -------
    what f gave, and the derivative in the same structure

    >>> import nbgraph as ng
    >>> ng.jvp(lambda x: x * x, (ng.array([1.0, 2.0]),), (ng.array([1.0, 0.5]),))
    (array([1., 4.], dtype=float32), array([2., 2.], dtype=float32))
    """
    require_function("jvp", f)
    for name, given in (("primals", primals), ("tangents", tangents)):
        if not isinstance(given, (tuple, list)):
            raise ArgumentError(
                f"jvp: {name} is a {type(given).__name__}; give a tuple with one for each argument"
            )
    outer = recording.get() is not None
    given = places((primals, tangents), "")
    variables = variables_of("jvp", tuple(primals), "primals", given)
    if variables.symbolic:
        return _jvp_of_symbols(f, variables, tangents)
    directions = matching("jvp", "tangents", tuple(tangents), variables.like(variables.arrays))
    out = run(f, variables, variables.arguments, {})
    heads = outputs("jvp", out)
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
    return outside(out), like(out, found)


# of symbols -------------------------------------------------------------------------------------


def _vjp_of_symbols(f: Function, variables: Any) -> tuple[Any, Function]:
    from nbgraph.autograd import symbolic

    out = _lifted(run(f, variables, variables.arguments, {}))
    heads = outputs("vjp", out)

    def pull(cotangents: Any) -> Any:
        given = matching("vjp", "cotangents", cotangents, out)
        seeds = [symbolic.entry_of(value, head) for value, head in zip(given, heads, strict=True)]
        return symbolic.finished(variables, variables.like(variables.slopes(heads, seeds)))[0]

    return symbolic.finished(variables, out)[0], pull


def _jvp_of_symbols(f: Function, variables: Any, tangents: Sequence[Any]) -> tuple[Any, Any]:
    from nbgraph.autograd import symbolic

    directions = matching("jvp", "tangents", tuple(tangents), variables.like(variables.arrays))
    out = _lifted(run(f, variables, variables.arguments, {}))
    found = symbolic.tangents(variables, outputs("jvp", out), directions)
    slopes = like(out, [symbolic.stopped(value) for value in found])
    return symbolic.finished(variables, out)[0], slopes


def _lifted(out: Any) -> Any:
    """What a function gave, arrays that it found outside as symbols."""
    from nbgraph.autograd import symbolic

    found = [symbolic.lifted(place.value) for place in places(out, "")]
    return like(out, found, objects=True)
