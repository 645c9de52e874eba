"""Functions of NDArrays as functions of JAX's arrays, within its transformations."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.array.create import array as new_array
from nbgraph.array.create import asarray
from nbgraph.autograd.results import require_function
from nbgraph.bridges.gradient import gradient_function
from nbgraph.errors import ArgumentError, function_name
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.signatures import Function


def to_jax(f: Function) -> Function:
    """Return an operator, or a function of NDArrays, as a function of JAX's arrays.

    It runs on the host (`jax.pure_callback`), within `jax.jit`, `grad`, `vjp` and `vmap`; its
    gradient is the one derived here, and can be differentiated again. Scalar operators of one
    output also have forward mode (`jvp`, `jacfwd`, `hessian`). `f` is called once per signature
    with ones, to determine its results.

    Parameters
    ----------
    f : operator, or callable of arrays that gives an array or a tuple of arrays

    Returns
    -------
    callable of JAX's arrays, NumPy arrays and numbers; options by name are passed on

    >>> import nbgraph as ng
    >>> to_jax(ng.softplus).__name__
    'softplus'
    """
    require_function("to_jax", f)

    @functools.wraps(f, updated=())
    def function(*args: Any, **options: Any) -> Any:
        if not args:
            raise ArgumentError(f"to_jax: {function_name(f)} was given no array")
        jax: Any = importlib.import_module("jax")
        arrays = list(map(jax.numpy.asarray, args))
        if isinstance(f, Mapper) and f.nout == 1 and len(arrays) == f.nin:
            return _elementwise(f, options)(*arrays)
        call = functools.partial(f, **options) if options else f
        return _differentiable(call, isinstance(f, Mapper))(*arrays)

    return function


def _called(f: Function, elementwise: bool) -> Function:
    """Return JAX's function without a rule."""
    jax: Any = importlib.import_module("jax")

    def called(*values: Any) -> Any:
        specs = tuple((value.shape, np.dtype(value.dtype).name) for value in values)
        shapes = [jax.ShapeDtypeStruct(*spec) for spec in _results(f, specs)]
        several = isinstance(_example(f, specs), (tuple, list))
        method = "broadcast_all" if elementwise else "sequential"
        outputs = jax.pure_callback(_host(f), tuple(shapes), *values, vmap_method=method)
        return tuple(outputs) if several else outputs[0]

    return called


def _elementwise(op: Mapper, options: dict[str, Any]) -> Any:
    """Return JAX's function of an operator: its tangent is a sum of partials, each an operator."""
    jax: Any = importlib.import_module("jax")
    function = jax.custom_jvp(_called(functools.partial(op, **options), True))

    def rule(values: Any, tangents: Any) -> Any:
        output = function(*values)
        tangent = jax.numpy.zeros_like(output)
        for i, (value, own) in enumerate(zip(values, tangents, strict=True)):
            if np.issubdtype(value.dtype, np.floating):
                tangent += _elementwise(op.derivative(i), options)(*values) * own
        return output, tangent

    function.defjvp(rule)
    return function


def _differentiable(f: Function, elementwise: bool) -> Any:
    """Return JAX's function with its rule for gradients."""
    jax: Any = importlib.import_module("jax")
    called = _called(f, elementwise)

    def forward(*values: Any) -> Any:
        return function(*values), values  # differentiated again for second orders

    def backward(values: Any, cotangents: Any) -> Any:
        floating = [np.issubdtype(value.dtype, np.floating) for value in values]
        wanted = [i for i, yes in enumerate(floating) if yes]
        heads = cotangents if isinstance(cotangents, tuple) else (cotangents,)
        slopes = _differentiable(gradient_function(f, len(values), wanted), False)
        gradients = iter(slopes(*values, *heads))
        zero = [np.zeros(value.shape, jax.dtypes.float0) for value in values]
        return tuple(next(gradients) if yes else zero[i] for i, yes in enumerate(floating))

    function = jax.custom_vjp(called)
    function.defvjp(forward, backward)
    return function


def _host(f: Function) -> Function:
    """Return the function that JAX calls with values: NumPy arrays in and out."""

    def host(*values: Any) -> tuple[Any, ...]:
        out = f(*(asarray(np.asarray(value)) for value in values))
        return tuple(np.asarray(x) for x in (out if isinstance(out, (tuple, list)) else (out,)))

    return host


def _example(f: Function, specs: Sequence[tuple[Any, str]]) -> Any:
    return f(*(new_array(np.ones(shape, dtype)) for shape, dtype in specs))


def _results(f: Function, specs: Sequence[tuple[Any, str]]) -> list[tuple[Any, Any]]:
    """Return the shapes and dtypes of a function's results for operands of these specs."""
    out = _example(f, specs)
    return [(x.shape, x.dtype) for x in (out if isinstance(out, (tuple, list)) else (out,))]
