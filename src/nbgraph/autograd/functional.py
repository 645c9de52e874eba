"""Derivatives of functions as functions, without marked arrays and collected gradients.

They nest: `grad(grad(f))`, a gradient within `record()`, `jvp` of a gradient. Arguments may be
dicts, lists and tuples of arrays; gradients come in the same structure. NumPy arrays and Python
floats become NDArrays inside. Randomness and statistics behave as in training, unless a block
around the call says otherwise (`predict_mode`).
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Any, ParamSpec, TypeVar

from nbgraph.autograd.entry import gradients
from nbgraph.autograd.results import (
    Function,
    auxiliary,
    is_array,
    lazy_among,
    outside,
    require_function,
    run,
    scalar,
)
from nbgraph.autograd.sums import Ones
from nbgraph.autograd.tree import places
from nbgraph.autograd.variables import Variables
from nbgraph.errors import ArgumentError, function_name
from nbgraph.operator.call import recording
from nbgraph.signatures import checked

P = ParamSpec("P")
R = TypeVar("R")


@checked
def grad(
    f: Callable[P, Any],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    argnames: str | Sequence[str] | None = None,
) -> Callable[P, Any]:
    """Return a function for the gradient of `f` with respect to positional arguments.

    Parameters
    ----------
    f : callable that gives an array of one element, or with `has_aux` a pair of that and anything
        else. Arguments are arrays, floats, or dicts, lists and tuples of those.
    argnums : int, or several: then the gradient is a tuple
    has_aux : whether the result is a pair of the gradient and the other value
    argnames : str, or several, in place of argnums: names of arguments, however they are passed;
        for several the gradient is a dict

    Returns
    -------
    callable with the arguments of f, which returns the gradient in the structure of the argument;
    one that f does not use has a gradient of zeros.

    Raises
    ------
    On a call, ShapeError where f gives more than one element; ArgumentError for integers.

    >>> import nbgraph as ng
    >>> ng.grad(lambda x: (x * x).sum())(ng.array([1.0, 2.0]))
    array([2., 4.], dtype=float32)
    >>> ng.grad(ng.grad(lambda x: x**3))(2.0)
    array(12., dtype=float32)
    """
    return _derivative("grad", f, argnums, has_aux, argnames)


@checked
def value_and_grad(
    f: Callable[P, R],
    argnums: int | Sequence[int] = 0,
    has_aux: bool = False,
    *,
    argnames: str | Sequence[str] | None = None,
) -> Callable[P, tuple[R, Any]]:
    """Return a function as `grad` does, but with the result `(value, gradient)`.

    Parameters
    ----------
    f, argnums, has_aux, argnames : as those of `grad`; with `has_aux` the value is a pair

    Where a Dask array is among the arguments, `f` is traced and nothing is computed: value and
    gradients are Dask arrays, that of a Dask array in its chunks, those of parameters sums over
    blocks. Compute them together, `dask.compute(value, gradient)`, and blocks are read once.

    >>> import nbgraph as ng
    >>> ng.value_and_grad(lambda p: (p["w"] * p["w"]).sum())({"w": ng.array([3.0])})
    (array(9., dtype=float32), {'w': array([6.], dtype=float32)})
    """
    return _derivative("value_and_grad", f, argnums, has_aux, argnames)


# parts ------------------------------------------------------------------------------------------


def _derivative(name: str, f: Function, argnums: Any, has_aux: bool, argnames: Any = None) -> Any:
    """Return the result of `grad` or `value_and_grad`, whichever is `name`."""
    require_function(name, f)
    if argnames is not None:
        return _by_names(name, f, argnums, argnames, has_aux)
    transformed = whole(f, argnums, lambda inner: _derivative(name, inner, argnums, has_aux))
    if transformed is not None:
        return transformed

    @by_blocks(argnums)
    @named("gradient" if name == "grad" else "value and gradient", f)
    def derivative(*args: Any, **kwargs: Any) -> Any:
        value, slopes, aux = differentiated(name, f, argnums, has_aux, args, kwargs)
        if name == "grad":
            return (slopes, aux) if has_aux else slopes
        return ((value, aux) if has_aux else value), slopes

    return derivative


def differentiated(
    name: str,
    f: Function,
    argnums: int | Sequence[int],
    has_aux: bool,
    args: Sequence[Any],
    kwargs: dict[str, Any],
) -> tuple[Any, Any, Any]:
    """Return value, gradient and the other result of `f`."""
    variables, inner = arguments_of(name, argnums, args, kwargs)
    out, aux = run(f, variables, inner, kwargs), None
    if has_aux:
        out, aux = auxiliary(name, f, out)
    if variables.symbolic:
        from nbgraph.autograd import symbolic

        out = scalar(name, f, symbolic.lifted(out))
        derivatives = variables.like(variables.slopes([out], [None]))
        value, slopes, other = symbolic.finished(variables, out, derivatives, aux)
        return value, slopes, other
    out = scalar(name, f, out)
    slopes = slopes_of(out, variables, create_graph=recording.get() is not None)
    own = variables.arrays
    return outside(out, own), variables.like(slopes), outside(aux, own)


def _by_names(name: str, f: Function, argnums: Any, argnames: Any, has_aux: bool) -> Function:
    """Return the derivative with respect to arguments by their names."""
    names = (argnames,) if isinstance(argnames, str) else tuple(argnames)
    signature = inspect.signature(f)
    for own in names:
        if own not in signature.parameters or argnums != 0:
            raise ArgumentError(
                f"{name}: argnames={argnames!r}, argnums={argnums!r}; give one of the two, and "
                f"names among {', '.join(signature.parameters)}"
            )

    def chosen(slopes: Any) -> Any:
        return slopes[0] if isinstance(argnames, str) else dict(zip(names, slopes, strict=True))

    @functools.wraps(f, updated=())
    def derivative(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        bound.apply_defaults()

        def of_named(*values: Any) -> Any:
            bound.arguments.update(zip(names, values, strict=True))
            return f(*bound.args, **bound.kwargs)

        inner = _derivative(name, of_named, tuple(range(len(names))), has_aux)
        results = inner(*[bound.arguments[own] for own in names])
        if name == "value_and_grad":
            return results[0], chosen(results[1])
        return (chosen(results[0]), results[1]) if has_aux else chosen(results)

    return derivative


def slopes_of(out: Any, variables: Variables, *, create_graph: bool) -> list[Any]:
    """Return the gradients of a result of one element, on the tape, with respect to variables."""
    entries = [] if out._node is None else [(out._node, out._output, Ones(out))]
    return gradients(
        entries,
        variables.arrays,
        create_graph=create_graph,
        retain_graph=create_graph,
        ends=variables.nodes,
    )


def whole(f: Function, argnums: Any, change: Callable[[Function], Function]) -> Any:
    """Return the derivative of a `ng.jit` function, traced as a whole; None for other functions."""
    make = getattr(type(f), "__nbgraph_transformed__", None)
    if make is None:
        return None
    chosen = argnums if isinstance(argnums, (tuple, list)) else [argnums]
    return make(f, change, chosen)


def variables_of(name: str, structure: Any, path: str, places: Any) -> Any:
    """Return the variables to differentiate by: of a tape, or of a graph for symbols."""
    recorder = recording.get()
    traced = recorder is not None and recorder.traces
    if traced or any(type(p.value).__name__ != "NDArray" and is_array(p.value) for p in places):
        from nbgraph.autograd.symbolic import SymbolVariables  # graphs load when they are used

        return SymbolVariables(name, structure, path)
    return Variables(name, structure, path)


def arguments_of(
    name: str, argnums: int | Sequence[int], args: Sequence[Any], kwargs: dict[str, Any]
) -> tuple[Any, list[Any]]:
    """Return the variables, and all positional arguments with variables in their places."""
    single, numbers = not isinstance(argnums, (tuple, list)), positions(name, argnums, len(args))
    inner = list(args)
    structure = args[numbers[0]] if single else tuple(args[i] for i in numbers)
    path = f"args[{numbers[0]}]" if single else f"args at {argnums}"
    variables = variables_of(name, structure, path, places((args, kwargs), ""))
    chosen = [variables.arguments] if single else variables.arguments
    for i, value in zip(numbers, chosen, strict=True):
        inner[i] = value
    return variables, inner


def positions(name: str, argnums: int | Sequence[int], count: int) -> list[int]:
    """Return the indices of the differentiated arguments among `count`; refuse invalid ones."""
    listed: Any = argnums if isinstance(argnums, (tuple, list)) else [argnums]
    numbers = list[int]()
    for number in listed:
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
        numbers.append(number % count)
    if not numbers or len(set(numbers)) != len(numbers):
        raise ArgumentError(f"{name}: argnums={argnums!r}; name one argument or more, each once")
    return numbers


def by_blocks(argnums: int | Sequence[int]) -> Callable[[Function], Function]:
    """Decorate a derivative: with Dask arrays it is traced, as by `ng.jit`, and stays lazy."""
    chosen: Any = argnums if isinstance(argnums, (tuple, list)) else [argnums]

    def decorate(derivative: Function) -> Function:
        traced: list[Function] = []

        @functools.wraps(derivative)
        def call(*args: Any, **kwargs: Any) -> Any:
            if not lazy_among((args, kwargs)):
                return derivative(*args, **kwargs)
            if not traced:
                traced.append(jit_of(derivative, chosen))
            return traced[0](*args, **kwargs)

        return call

    return decorate


def jit_of(f: Function, lifted: Sequence[int]) -> Function:
    """Return `ng.jit(f)`; Python floats in the `lifted` positional arguments become arrays."""
    from nbgraph.autograd.jit import Jit

    return Jit(f, lifted=lifted)


def named(what: str, f: Function) -> Callable[[Function], Function]:
    """Name a function after the one it differentiates."""

    def decorate(function: Function) -> Function:
        function = functools.wraps(f, updated=())(function)  # an op has many attributes of its own
        function.__doc__ = f"The {what} of {function_name(f)}."
        return function

    return decorate
