"""All derivatives of functions of arrays: Jacobians, Hessians, and products with those."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import from_host
from nbgraph.autograd.batching.vmap import vmap
from nbgraph.autograd.control.closing import eagerly, symbolic, wrapped
from nbgraph.autograd.entry import gradients
from nbgraph.autograd.functional import (
    arguments_of,
    differentiated,
    grad,
    named,
    positions,
    slopes_of,
)
from nbgraph.autograd.linear import jvp, require_tuples, vjp
from nbgraph.autograd.results import (
    Function,
    at_places,
    auxiliary,
    lazy_among,
    outputs,
    outside,
    require_function,
    run,
    scalar,
)
from nbgraph.autograd.signature import floats_as_arrays
from nbgraph.autograd.sums import zeros_of
from nbgraph.autograd.tree import like, places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError, NbgraphError
from nbgraph.graph import build
from nbgraph.operator.call import recording
from nbgraph.operator.layout import layout
from nbgraph.ops.define import library
from nbgraph.signatures import checked

_SMALL = 512  # elements of an array whose unit arrays are a constant of the graph
Blocks = tuple[Any, list[list[Any]], Any]
Rows = Callable[[Function, tuple[Any, ...], bool], Blocks]


@checked
def jacrev(
    f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """Return a function for the Jacobian of `f`, by one backward pass for all elements of its
    result.

    Parameters
    ----------
    f : callable that gives an array, or a structure of them; with `has_aux` a pair of that and
        anything else. It is traced, as by `ng.jit`.
    argnums : int, or several: then there is a tuple for each result
    has_aux : whether the result is a pair of the Jacobian and the other value
    holomorphic : whether f is holomorphic, as complex results of complex arguments require

    Returns
    -------
    callable with the arguments of f. For a result of shape `s` and an argument of shape `t` the
    Jacobian has shape `s + t`; for structures it is the structure of the results, of structures of
    the arguments.

    >>> import nbgraph as ng
    >>> ng.jacobian(lambda x: ng.stack([x[0] * x[1], x[1] ** 2]))(ng.array([2.0, 3.0]))
    array([[3., 2.],
           [0., 6.]], dtype=float32)
    """
    return _jacobian("jacrev", f, argnums, has_aux, _by_rows, holomorphic=holomorphic)


@checked
def jacfwd(
    f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False, holomorphic: bool = False
) -> Function:
    """Return a function as `jacrev` does, by one pass forward for all elements of the arguments:
    for functions with more results than arguments. Complex ones need `holomorphic`.

    >>> import nbgraph as ng
    >>> ng.jacfwd(lambda x: x * x)(ng.array([1.0, 2.0]))
    array([[2., 0.],
           [0., 4.]], dtype=float32)
    """
    return _jacobian("jacfwd", f, argnums, has_aux, _by_columns, holomorphic=holomorphic)


jacobian = jacrev


@checked
def hessian(f: Function, argnums: int | Sequence[int] = 0, has_aux: bool = False) -> Function:
    """Return a function for all second derivatives of `f`, by one pass for all elements.

    Parameters
    ----------
    f, argnums, has_aux : as those of `grad`. The function is traced, as by `ng.jit`; where
        that fails, as it branches on a value, each element takes a pass.

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

    def slope(*args: Any, **kwargs: Any) -> Any:
        _, slopes, aux = differentiated("hessian", f, argnums, has_aux, args, kwargs)
        return (slopes, aux) if has_aux else slopes

    at_once = _jacobian("hessian", slope, argnums, has_aux, _by_rows, f)

    @named("Hessian", f)
    def second(*args: Any, **kwargs: Any) -> Any:
        try:
            return at_once(*args, **kwargs)
        except NbgraphError:
            if symbolic(args, kwargs) or lazy_among((args, kwargs)):
                raise
        return _by_elements(f, argnums, has_aux, args, kwargs)

    return second


@checked
def hvp(f: Function, primals: Sequence[Any], tangents: Sequence[Any]) -> Any:
    """Return the product of the Hessian of `f` and a direction, without the Hessian.

    Parameters
    ----------
    f : callable that gives an array of one element
    primals : sequence of arrays, floats, or structures of those
    tangents : sequence of the same structures and shapes

    Returns
    -------
    the product, in the structure of the only primal, or a tuple for several

    >>> import nbgraph as ng
    >>> ng.hvp(lambda x: x[0] ** 2 * x[1], (ng.array([1.0, 3.0]),), (ng.array([1.0, 0.0]),))
    array([6., 2.], dtype=float32)
    """
    require_function("hvp", f)
    require_tuples("hvp", primals=primals, tangents=tangents)
    slope = grad(f, tuple(range(len(primals))))
    _, pull = vjp(slope, *primals)  # the Hessian is its own transpose
    products = pull(tuple(tangents))
    return products[0] if len(primals) == 1 else products


# parts ------------------------------------------------------------------------------------------


def _jacobian(
    name: str,
    f: Function,
    argnums: int | Sequence[int],
    has_aux: bool,
    rows: Rows,
    key_of: Any = None,
    holomorphic: bool = False,
) -> Function:
    """Return the function of all derivatives of `f`; those of equal `key_of` share a trace."""
    require_function(name, f)
    key_of = f if key_of is None else key_of
    single = not isinstance(argnums, (tuple, list))
    chosen_numbers = argnums if single else tuple(argnums)  # type: ignore[arg-type]

    def jacobian(*args: Any, **kwargs: Any) -> Any:
        numbers = positions(name, chosen_numbers, len(args))

        def run(args: Any, kwargs: Any) -> Any:
            inner = at_places(f, args, numbers, kwargs)
            chosen = tuple(args[i] for i in numbers)
            out, blocks, aux = rows(inner, chosen, has_aux)
            if not holomorphic:
                _refuse_complex(name, chosen, chosen if rows is _by_columns else out)
            each = [like(chosen, block) for block in blocks]
            blocks_like_out = like(out, [block[0] if single else block for block in each])
            return (blocks_like_out, aux) if has_aux else blocks_like_out

        arguments = floats_as_arrays(args, numbers)
        if symbolic(args, kwargs):
            return run(args, kwargs)
        key = name, key_of, chosen_numbers, has_aux, holomorphic
        return eagerly(name, key, run, (tuple(arguments), kwargs), lifts=False)

    return jacobian


def _refuse_complex(name: str, *structures: Any) -> None:
    """Raise ArgumentError where every one of the structures has a complex array."""
    if all(any(p.value.dtype.kind == "c" for p in places(s, "")) for s in structures):
        also = "" if name == "hessian" else "; of a holomorphic function pass holomorphic=True"
        raise ArgumentError(
            f"{name}: a complex argument has derivatives by its real and by its imaginary part, "
            f"which one number does not hold; give these as two arguments{also}"
        )


def _by_rows(f: Function, primals: tuple[Any, ...], has_aux: bool) -> Blocks:
    """Return rows of the Jacobian, one for each element of the results."""
    out, pull, aux = vjp(f, *primals, has_aux=True) if has_aux else (*vjp(f, *primals), None)
    heads = outputs("jacrev", out)
    blocks: list[list[Any]] = []
    for k, head in enumerate(heads):
        others = [library.zeros(h.shape, h.dtype) for h in heads]

        def row(seed: Any, k: int = k, others: list[Any] = others) -> Any:
            return pull(like(out, [*others[:k], seed, *others[k + 1 :]]))

        units = _units(head)
        rows = [p.value for p in places(vmap(row)(units), "")]
        if head.dtype.kind == "c" and any(x.dtype.kind != "c" for x in rows):
            turned = [p.value for p in places(vmap(row)(units * -1j), "")]  # imaginary parts
            pairs = zip(rows, turned, strict=True)
            rows = [x if x.dtype.kind == "c" else x + y * 1j for x, y in pairs]
        blocks.append([library.reshape(x, (*head.shape, *x.shape[1:])) for x in rows])
    return out, blocks, aux


def _by_columns(f: Function, primals: tuple[Any, ...], has_aux: bool) -> Blocks:
    """Return columns of the Jacobian, one for each element of the arguments."""
    out, _, aux = vjp(f, *primals, has_aux=True) if has_aux else (*vjp(f, *primals), None)
    heads = outputs("jacfwd", out)
    values = [p.value for p in places(primals, "")]
    blocks: list[list[Any]] = [[] for _ in heads]
    for k, value in enumerate(values):
        others = [library.zeros(v.shape, v.dtype) for v in values]

        def column(seed: Any, k: int = k, others: list[Any] = others) -> Any:
            tangents = like(primals, [*others[:k], seed, *others[k + 1 :]])
            return jvp(f, primals, tangents, has_aux)[1]

        columns = places(vmap(column, out_axes=-1)(_units(value)), "")
        for block, head, p in zip(blocks, heads, columns, strict=True):
            block.append(library.reshape(p.value, (*head.shape, *value.shape)))
    return out, blocks, aux


def _by_elements(
    f: Function, argnums: int | Sequence[int], has_aux: bool, args: Any, kwargs: Any
) -> Any:
    """Return the Hessian of a function run as written, by a backward pass for each element."""
    variables, inner = arguments_of("hessian", argnums, args, kwargs)
    _refuse_complex("hessian", variables.arrays)
    outer, aux = recording.get() is not None, None
    out = run(f, variables, inner, kwargs)
    if has_aux:
        out, aux = auxiliary("hessian", f, out)
    slopes = slopes_of(scalar("hessian", f, out), variables, create_graph=True)
    rows = [
        variables.like([_block(slope, x, variables, outer=outer) for x in variables.arrays])
        for slope in slopes
    ]
    matrix = variables.like(rows)
    return (matrix, outside(aux, variables.arrays)) if has_aux else matrix


def _block(slope: Any, x: Any, variables: Variables, *, outer: bool) -> Any:
    """Return the derivative of each element of `slope` with respect to `x`."""
    shape = (*slope.shape, *x.shape)
    if slope._node is None or not slope.size:
        return zeros_of(layout(shape, slope.dtype), slope.device)
    rows = []
    for i in range(slope.size):
        one = np.zeros(slope.shape, slope.dtype)
        one.flat[i] = 1
        entry = slope._node, slope._output, from_host(one, slope.device)
        rows += gradients([entry], [x], create_graph=outer, retain_graph=True, ends=variables.nodes)
    return library.reshape(library.stack(rows), shape)


def _units(array: Any) -> Any:
    """Return arrays of the shape of `array`, each with a 1 at another element, stacked."""
    size, shape = array.size, (array.size, *array.shape)
    if size <= _SMALL:
        return wrapped((build.constant(np.eye(size, dtype=array.dtype).reshape(shape)), 0))
    return library.reshape(library.eye(size, dtype=array.dtype), shape)
