"""Functions of NDArrays as functions of torch's tensors, with torch's gradients."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Sequence
from typing import Any

from nbgraph.array.dlpack import from_dlpack
from nbgraph.autograd.batching.vmap import vmap
from nbgraph.autograd.results import at_places, require_function
from nbgraph.bridges.gradient import gradient_function
from nbgraph.errors import ArgumentError, function_name
from nbgraph.signatures import Function


def to_torch(f: Function) -> Function:
    """Return an operator, or a function of NDArrays, as a function of torch's tensors.

    Tensors are passed without copies, and so are results. `backward` uses the gradient derived
    here; it can be differentiated again (`create_graph=True`). The functions of `torch.func` accept
    it, `vmap` with the operators' own rules for batches.

    Parameters
    ----------
    f : operator, or callable of arrays that gives an array or a tuple of arrays

    Returns
    -------
    callable of tensors; other arguments are passed on unchanged

    Raises
    ------
    On a call, ArgumentError if no argument is a tensor.

    >>> import nbgraph as ng
    >>> soft = to_torch(ng.softplus)
    >>> soft.__name__
    'softplus'
    """
    require_function("to_torch", f)

    def on_tensors(*args: Any, **options: Any) -> Any:
        torch: Any = importlib.import_module("torch")
        places = [i for i, value in enumerate(args) if isinstance(value, torch.Tensor)]
        if not places:
            raise ArgumentError(
                f"to_torch: {function_name(f)} was given no tensor; call the function itself, or "
                "give one"
            )
        alone = len(places) == len(args) and not options
        of_tensors = f if alone else at_places(f, args, places, options)
        return _applied().apply(of_tensors, *(args[i] for i in places))

    torch: Any = sys.modules.get("torch")
    if torch is not None:
        on_tensors = torch.compiler.disable(on_tensors)  # it is compiled here

    @functools.wraps(f, updated=())
    def function(*args: Any, **options: Any) -> Any:  # torch.compile(function) removes marks
        return on_tensors(*args, **options)

    return function


@functools.cache
def _applied() -> Any:
    """Return torch's operator that calls a function of NDArrays."""
    torch: Any = importlib.import_module("torch")

    class Applied(torch.autograd.Function):
        @staticmethod
        def forward(f: Function, *tensors: Any) -> Any:
            out = f(*(from_dlpack(tensor.detach()) for tensor in tensors))
            results = [torch.from_dlpack(value) for value in (out if _several(out) else (out,))]
            return tuple(results) if _several(out) else results[0]

        @staticmethod
        def setup_context(ctx: Any, inputs: Any, output: Any) -> None:
            ctx.f, *tensors = inputs
            ctx.save_for_backward(*tensors)
            results = output if _several(output) else (output,)
            ctx.mark_non_differentiable(*(x for x in results if not x.is_floating_point()))

        @staticmethod
        def vmap(_: Any, in_dims: Sequence[Any], f: Function, *tensors: Any) -> Any:
            out = Applied.apply(vmap(f, tuple(in_dims[1:])), *tensors)
            return out, (0,) * len(out) if _several(out) else 0

        @staticmethod
        def backward(ctx: Any, *cotangents: Any) -> Any:
            tensors = ctx.saved_tensors
            wanted = [i for i, needed in enumerate(ctx.needs_input_grad[1:]) if needed]
            slopes = gradient_function(ctx.f, len(tensors), wanted)
            cotangents = tuple(value.contiguous() for value in cotangents)
            results = Applied.apply(slopes, *tensors, *cotangents)
            gradients: list[Any] = [None] * len(tensors)
            for place, value in zip(wanted, results, strict=True):
                gradients[place] = value
            return None, *gradients

    return Applied


def _several(out: Any) -> bool:
    return isinstance(out, (tuple, list))
