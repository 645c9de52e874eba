"""`vmap`: a function of one example as a function of many."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.core import Array
from nbgraph.array.create import array as new_array
from nbgraph.autograd.batching.batch import batched
from nbgraph.autograd.batching.rules import broadcast
from nbgraph.autograd.control.closing import (
    eagerly,
    effects_so_far,
    entry_of,
    fresh,
    symbolic,
    wrapped,
)
from nbgraph.autograd.results import Function, require_function
from nbgraph.autograd.tree import like, places
from nbgraph.errors import ArgumentError, AxisError, ShapeError, function_name, noun
from nbgraph.graph.graph import spec
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.scalar.typing import is_foreign
from nbgraph.ops.define import library
from nbgraph.signatures import checked

Axes = Any  # an int, None, or a structure of these


@checked
def vmap(
    f: Function, in_axes: Axes = 0, out_axes: Axes = 0, *, axis_size: int | None = None
) -> Function:
    """Return a function that applies `f` to all examples along an axis at once.

    Parameters
    ----------
    f : callable of one example: arrays, or dicts, lists and tuples of these
    in_axes : int or None, or a tuple with one for each positional argument
        The axis of an argument that counts examples; None: the argument is the same for all. For
        a structure it may be a structure of these. Keyword arguments have axis 0.
    out_axes : the same for results
    axis_size : int, optional
        The number of examples, needed where every axis is None.

    Returns
    -------
    callable with the arguments of f

    Raises
    ------
    On a call AxisError where an argument has no such axis, ShapeError where the numbers of examples
    differ, ArgumentError where `in_axes` does not fit the arguments.

    It nests with itself, `grad` and `jit`. An operator that has no form for many examples at once
    runs in a loop over them, within the same graph.

    >>> import nbgraph as ng
    >>> ng.vmap(lambda x, w: (x * w).sum(), in_axes=(0, None))(
    ...     ng.ones((2, 3)), ng.array([1.0, 2, 3])
    ... )
    array([6., 6.], dtype=float32)
    >>> ng.vmap(ng.grad(lambda x: x**3))(ng.array([1.0, 2.0]))
    array([ 3., 12.], dtype=float32)
    """
    require_function("vmap", f)

    @functools.wraps(f, updated=())
    def mapped(*args: Any, **kwargs: Any) -> Any:
        axes = _argument_axes(f, in_axes, args, kwargs)
        call_arguments = args, kwargs
        arrays = [
            _arrays(p, axis) for p, axis in zip(places(call_arguments, ""), axes, strict=True)
        ]
        arguments = like(call_arguments, arrays, objects=True)

        def run(arguments: Any) -> Any:
            return _mapped(f, axes, out_axes, axis_size, *arguments)

        if symbolic(call_arguments):
            return run(arguments)
        key = "vmap", f, tuple(axes), _hashable(out_axes), axis_size
        return eagerly("vmap", key, run, (arguments,), lifts=False)

    mapped.__doc__ = f"{function_name(f)} over many examples."
    return mapped


def _mapped(
    f: Function,
    axes: Sequence[int | None],
    out_axes: Axes,
    size: int | None,
    args: Any,
    kwargs: Any,
) -> Any:
    leaves = places((args, kwargs), "")
    entries = [
        None if axis is None else entry_of("vmap", p.value, p.path)
        for p, axis in zip(leaves, axes, strict=True)
    ]
    moved: list[Any] = []
    for p, entry, axis in zip(leaves, entries, axes, strict=True):
        if entry is None or axis is None:
            moved.append(None)
            continue
        shape = spec(entry).shape
        if not -len(shape) <= axis < len(shape):
            raise AxisError(
                f"vmap: in_axes has axis {axis} for the argument {p.path[3:]}, which has shape "
                f"{shape}; give an axis that it has, or None for one that is the same for all"
            )
        if size is not None and shape[axis] != size:
            raise ShapeError(
                f"vmap: the argument {p.path[3:]} of shape {shape} has {shape[axis]} examples "
                f"along axis {axis}, others have {size}; give as many of each"
            )
        size = shape[axis]
        value = wrapped(entry)
        moved.append(value if axis % len(shape) == 0 else library.moveaxis(value, axis, 0))
    if size is None:
        raise ArgumentError(
            "vmap: no argument has examples, as every axis is None; give one an axis, or axis_size="
        )
    parts = [None if v is None else v.spec._replace(shape=v.shape[1:]) for v in moved]
    variables = fresh([s for s in parts if s is not None])
    symbols = iter([wrapped((v, 0)) for v in variables])
    before = effects_so_far()
    inner = [p.value if s is None else next(symbols) for p, s in zip(leaves, parts, strict=True)]
    inner_args, inner_kwargs = like((args, kwargs), inner, objects=True)
    out = f(*inner_args, **inner_kwargs)
    replacements = dict(zip(variables, [v.entry for v in moved if v is not None], strict=True))
    return _results(out, replacements, size, out_axes, before)


def _results(out: Any, entries_of: Any, size: int, out_axes: Axes, before: tuple[int, int]) -> Any:
    leaves = places(out, "out")
    axes = _axes_of("out_axes", out_axes, out)
    entries = [entry_of("vmap", p.value, p.path) for p in leaves]
    heads, flags = batched(entries, entries_of, size, before)
    results: list[Any] = []
    for p, head, has, axis in zip(leaves, heads, flags, axes, strict=True):
        if axis is None:
            if has:
                raise ArgumentError(
                    f"vmap: out_axes is None for the result {p.path}, but it differs from example "
                    "to example; give an axis"
                )
            results.append(wrapped(head))
            continue
        value = wrapped(head if has else broadcast(head, size))
        if not -value.ndim <= axis < value.ndim:
            raise AxisError(
                f"vmap: out_axes has axis {axis} for the result {p.path}, which has shape "
                f"{value.shape}; give an axis that it has"
            )
        results.append(value if axis % value.ndim == 0 else library.moveaxis(value, 0, axis))
    return like(out, results)


# axes -------------------------------------------------------------------------------------------


def _argument_axes(f: Function, in_axes: Axes, args: Any, kwargs: Any) -> list[int | None]:
    """Return an axis for each value of the arguments."""
    if isinstance(in_axes, (tuple, list)):
        if len(in_axes) != len(args):
            raise ArgumentError(
                f"vmap: in_axes has {len(in_axes)} axes, but {function_name(f)} is given "
                f"{len(args)} positional argument(s); give one for each"
            )
        axes = [
            a
            for own, value in zip(in_axes, args, strict=True)
            for a in _axes_of("in_axes", own, value)
        ]
    else:
        axes = _axes_of("in_axes", in_axes, args)
    return [*axes, *_axes_of("in_axes", 0, kwargs)]


def _axes_of(name: str, axes: Axes, structure: Any) -> list[int | None]:
    """Return an axis for each value of a structure; one axis stands for all values below."""
    if axes is None or (isinstance(axes, int) and not isinstance(axes, bool)):
        return [axes] * len(places(structure, ""))
    if isinstance(axes, dict) and isinstance(structure, dict) and axes.keys() == structure.keys():
        return [a for key, value in structure.items() for a in _axes_of(name, axes[key], value)]
    if (
        isinstance(axes, (tuple, list))
        and isinstance(structure, (tuple, list))
        and len(axes) == len(structure)
    ):
        pairs = zip(axes, structure, strict=True)
        return [a for own, value in pairs for a in _axes_of(name, own, value)]
    raise ArgumentError(
        f"vmap: {name}={axes!r} does not fit {noun(structure)}; give an int, None, or a "
        "structure like that of the values"
    )


def _hashable(axes: Axes) -> Any:
    if isinstance(axes, dict):
        return tuple([(key, _hashable(value)) for key, value in axes.items()])
    return tuple([_hashable(a) for a in axes]) if isinstance(axes, (tuple, list)) else axes


def _arrays(place: Any, axis: int | None) -> Any:
    """Return an argument with examples as an array."""
    value = place.value
    if axis is None or isinstance(value, (Array, Symbol)):
        return value
    if isinstance(value, (np.ndarray, np.generic)) or is_foreign(value):
        value = np.asarray(value)
        return new_array(value, dtype=value.dtype)
    raise ArgumentError(
        f"vmap: the argument {place.path} is {noun(value)}, which has no axis; give an "
        "array, or None in its place in in_axes"
    )
