"""Functions without values: shapes of results, functions of NumPy arrays within graphs, structures
as one vector."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.create import asarray
from nbgraph.autograd.control.closing import symbolic, wrapped
from nbgraph.autograd.results import require_function
from nbgraph.autograd.tracing import tracing
from nbgraph.autograd.tree import like, places
from nbgraph.dtype import as_dtype
from nbgraph.errors import (
    ArgumentError,
    DTypeError,
    ShapeError,
    function_name,
    require_shape,
    require_word,
)
from nbgraph.graph import build
from nbgraph.graph.symbol import Symbol
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.ops.define import library
from nbgraph.signatures import Function, checked


class ShapeDtypeStruct:
    """The shape and dtype of an array that need not exist.

    >>> ShapeDtypeStruct((2, 3), "float32")
    ShapeDtypeStruct(shape=(2, 3), dtype=float32)
    """

    __slots__ = ("dtype", "shape")

    def __init__(self, shape: Sequence[int], dtype: Any) -> None:
        self.shape, self.dtype = tuple(shape), as_dtype(dtype)

    def __eq__(self, other: object) -> bool:
        same = isinstance(other, ShapeDtypeStruct)
        return same and (self.shape, self.dtype) == (other.shape, other.dtype)

    def __hash__(self) -> int:
        return hash((self.shape, self.dtype))

    def __repr__(self) -> str:
        return f"ShapeDtypeStruct(shape={self.shape}, dtype={self.dtype})"


_VMAP_METHODS = (None, "sequential", "sequential_unrolled", "expand_dims", "broadcast_all")


@checked
def eval_shape(f: Function, *args: Any, **kwargs: Any) -> Any:
    """Return the shapes and dtypes of a function's results, without computing these.

    Parameters
    ----------
    f : callable
    *args, **kwargs : arrays, or anything with a shape and a dtype, in structures; other values are
        given to f as they are

    Returns
    -------
    what f gives, with a ShapeDtypeStruct for each array

    >>> import nbgraph as ng
    >>> ng.eval_shape(lambda x: x @ x.T, ng.transforms.ShapeDtypeStruct((2, 3), "float32"))
    ShapeDtypeStruct(shape=(2, 2), dtype=float32)
    """
    require_function("eval_shape", f)
    with tracing(function_name(f)):
        numbers = itertools.count()

        def stand_in(value: Any) -> Any:
            if not (hasattr(value, "shape") and hasattr(value, "dtype")):
                return value
            name = f"argument {next(numbers)} of eval_shape"
            return wrapped((build.variable(name, tuple(value.shape), as_dtype(value.dtype)), 0))

        stand_ins = [stand_in(p.value) for p in places((args, kwargs), "")]
        own_args, own_kwargs = like((args, kwargs), stand_ins, objects=True)
        out = f(*own_args, **own_kwargs)
        specs = [
            ShapeDtypeStruct(*Spec.of(p.value))
            if hasattr(p.value, "shape") and hasattr(p.value, "dtype")
            else p.value
            for p in places(out, "")
        ]
        return like(out, specs)


@checked
def pure_callback(
    callback: Function, result_shape_dtypes: Any, *args: Any, vmap_method: str | None = None
) -> Any:
    """Call a function of NumPy arrays from arrays that do not wait, and from within graphs.

    Parameters
    ----------
    callback : callable of NumPy arrays, in the structure of `args`, that gives arrays in the
        structure, shapes and dtypes of `result_shape_dtypes`. It has no effects: it may be called
        any number of times, on any thread.
    result_shape_dtypes : ShapeDtypeStruct, or a structure of these
    *args : arrays, or structures of these
    vmap_method : one of JAX's words; under `vmap` the examples are given one by one in any case

    It has no derivative; `ng.custom_vjp` gives it one.

    >>> import nbgraph as ng
    >>> x = ng.array([1.0, 2.0])
    >>> f = ng.jit(lambda x: ng.pure_callback(lambda x: x[::-1] * 2, x, x) + 1)
    >>> f(x)
    array([5., 3.], dtype=float32)
    """
    require_function("pure_callback", callback)
    require_word("pure_callback: vmap_method", vmap_method, _VMAP_METHODS)
    targets = places(result_shape_dtypes, "result_shape_dtypes")
    specs = [Spec(tuple(p.value.shape), as_dtype(p.value.dtype)) for p in targets]

    def compute(inputs: Sequence[Any], outputs: Sequence[Any]) -> None:
        values = places(callback(*like(args, inputs)), "")
        if [p.path for p in values] != [
            p.path.removeprefix("result_shape_dtypes") for p in targets
        ]:
            raise ArgumentError(
                f"pure_callback: {function_name(callback)} returned another structure than "
                "result_shape_dtypes; return one array for each"
            )
        for p, own, out in zip(values, specs, outputs, strict=True):
            value = np.asarray(p.value)
            if value.shape != own.shape:
                raise ShapeError(
                    f"pure_callback: {function_name(callback)} returned shape {value.shape}; "
                    f"result_shape_dtypes says {own.shape}"
                )
            if not np.can_cast(value.dtype, own.dtype, "same_kind"):
                raise DTypeError(
                    f"pure_callback: {function_name(callback)} returned {value.dtype}; "
                    f"result_shape_dtypes says {own.dtype}"
                )
            out[...] = value

    op = ArrayOp(
        f"pure_callback of {function_name(callback)}",
        lambda *_: specs,
        compute,
        operands=("*operands",),
        nout=len(specs),
    )
    operands = [p.value if symbolic(p.value) else asarray(p.value) for p in places(args, "")]
    results = op(*operands)
    return like(result_shape_dtypes, results if isinstance(results, tuple) else [results])


@checked
def ravel_pytree(pytree: Any) -> tuple[Any, Function]:
    """Return all arrays of a structure as one vector, and the function from such a vector to the
    structure.

    Parameters
    ----------
    pytree : arrays, numbers, or a structure of these

    Returns
    -------
    the vector, in the dtype that holds them all, and a function from a vector of its size to a
    structure with the same shapes and dtypes

    >>> import nbgraph as ng
    >>> flat, unravel = ng.ravel_pytree({"w": ng.ones((2, 2)), "b": ng.zeros(1)})
    >>> flat
    array([1., 1., 1., 1., 0.], dtype=float32)
    >>> unravel(flat * 2)["b"].shape
    (1,)
    """
    arrays = [
        p.value if isinstance(p.value, Symbol) else asarray(p.value) for p in places(pytree, "")
    ]
    specs = [Spec.of(x) for x in arrays]
    size = sum(math.prod(s.shape) for s in specs)
    dtype = np.result_type(*(s.dtype for s in specs)) if specs else as_dtype("float32")

    def unravel(flat: Any) -> Any:
        flat = flat if isinstance(flat, Symbol) else asarray(flat)
        require_shape("unravel: the vector", flat.shape, (size,), "as that of ravel_pytree")
        values, start = list[Any](), 0
        for own in specs:
            stop = start + math.prod(own.shape)
            part = library.reshape(flat[start:stop], own.shape)
            values.append(library.astype(part, own.dtype, copy=False))
            start = stop
        return like(pytree, values)

    parts = [library.astype(library.ravel(x), dtype, copy=False) for x in arrays]
    flat = library.concatenate(parts, axis=0) if parts else library.zeros((0,), dtype)
    return flat, unravel
