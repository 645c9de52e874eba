"""Operators that are random only in training: dropout, and the randomised leaky rectifier (Xu et
al., 2015)."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype, compute_dtype
from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import Attributes, Compute, Spec, Specs
from nbgraph.operator.arrays.drawn_op import DrawnOp, draw_call
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.request import Requests
from nbgraph.ops.define import library, number, public, require_floats
from nbgraph.ops.draws.drawing import PROBABILITY, DrawnKernel, seed_of
from nbgraph.shape import Arrays, same_shape


class InTraining(DrawnOp):
    """An operator of one operand, random only in training. It has two outputs: the result, and the
    factors of the elements, for the gradient. `kernel(dtype, factor=, **attributes)` returns a
    kernel of both, or of the result alone, and its parameters, driven by the record's last word."""

    def __init__(self, name: str, compute: Compute, kernel: Callable[..., DrawnKernel]) -> None:
        def infer(x: Spec, **_: Any) -> tuple[Spec, Spec]:
            require_floats(name, x)
            return x, x

        super().__init__(
            name,
            infer,
            compute,
            gradient=lambda g: [
                None if g.out_grad is None else library.multiply(g.out_grad, g.outputs[1])
            ],
            keeps=("out1",),
            nout=2,
            partial=same_shape,
            resources=("parallel_random",),
        )
        self._kernel, self.visible = kernel, 1
        self.by_kernels(trains=True)

    def always(self, attributes: Attributes) -> bool:
        return bool(attributes.get("always"))

    def drawn_call(
        self, operands: Specs, stores: Sequence[bool], attributes: Attributes, *, host: bool
    ) -> KernelCall:
        (x,) = operands
        options = {n: value for n, value in attributes.items() if n not in ("rng", "always")}
        drawn, parameters = self._kernel(x.dtype.name, factor=stores[1], **options)
        return draw_call(drawn, parameters, math.prod(x.shape), trains=True, host=host)

    def run(
        self,
        inputs: Arrays,
        outputs: Arrays,
        requests: Requests,
        attributes: Attributes,
        **how: Any,
    ) -> None:
        """See ArrayOp; whether to drop is decided at the push."""
        options = {name: value for name, value in attributes.items() if name != "always"}
        options["is_train"] = how.get("is_train", False) or self.always(attributes)
        super().run(inputs, outputs, requests, options, **how)


def _compute(
    inputs: Arrays, outputs: Arrays, *, env: EnvArguments, p: float, is_train: bool, **_: Any
) -> None:
    (x,), (out, factor) = inputs, outputs
    if not is_train or p == 0:
        factor.fill(1)
        out[...] = x
        return
    dtype = np.dtype(compute_dtype(x.dtype))
    kept = env.random().random(x.shape, dtype.type) >= p
    np.multiply(kept, 0 if p == 1 else 1 / (1 - p), out=factor, casting="same_kind")
    np.multiply(x, factor, out=out)


def _kernel(dtype: str, *, factor: bool, p: float) -> DrawnKernel:
    from nbgraph.kernels.draws.uniform import dropout, limit

    drawn = dropout(dtype, factor=factor)
    keep = 0 if p == 1 else 1 / (1 - p)
    with np.errstate(over="ignore"):
        return drawn, (limit(p, drawn.compute), as_dtype(dtype).type(keep))


_DROPOUT = InTraining("dropout", _compute, _kernel)


@public(_DROPOUT)
def dropout(x: Any, p: float = 0.5, *, always: bool = False, rng: Any = None) -> Any:
    """In training each element is 0 with probability `p`, and the others are divided by `1 - p`, so
    that the mean stays; else the elements themselves (Srivastava et al., 2014).

    Training is within `ng.autograd.record()` or `train_mode()`. Backward drops the same elements.

    x : array, floats
    p : float from 0 to 1
    always : whether to drop outside of training, too, as for means over many runs (Gal and
        Ghahramani, 2016)
    rng : a seed, or a numpy.random.Generator; by default `ng.random` draws
    -> array of the shape of x
    ! ValueError for a p that is not a probability.
    >>> import nbgraph as ng
    >>> x = ng.ones(4)
    >>> ng.dropout(x)
    array([1., 1., 1., 1.], dtype=float32)
    >>> with ng.autograd.train_mode():
    ...     sorted(set(ng.dropout(ng.ones(100)).tolist()))
    [0.0, 2.0]
    """
    p = float(number("dropout", "p", p))
    PROBABILITY.check("dropout", "p", p)
    mode = {"always": True} if always else {}
    return _DROPOUT(x, p=p, rng=seed_of(rng), **mode)[0]


# the leaky rectifier ---------------------------------------------------------------------------


def _leaking(
    inputs: Arrays, outputs: Arrays, *, env: EnvArguments, is_train: bool, **bounds: Any
) -> None:
    (x,), (out, factor), lower, upper = inputs, outputs, bounds["lower"], bounds["upper"]
    slope: Any = (lower + upper) / 2
    if is_train:
        dtype = np.dtype(compute_dtype(x.dtype))
        slope = lower + (upper - lower) * env.random().random(x.shape, dtype.type)
    factor[...] = np.where(x > 0, 1, slope)
    np.multiply(x, factor, out=out)


def _leaking_kernel(dtype: str, *, factor: bool, lower: float, upper: float) -> DrawnKernel:
    from nbgraph.kernels.draws.uniform import rrelu

    middle = as_dtype(dtype).type((lower + upper) / 2)
    return rrelu(dtype, factor=factor), (upper - lower, lower, middle)


_RRELU = InTraining("rrelu", _leaking, _leaking_kernel)


@public(_RRELU)
def rrelu(x: Any, lower: float = 1 / 8, upper: float = 1 / 3, *, rng: Any = None) -> Any:
    """x where it is positive, else x times a slope: in training a random one for each element, else
    the mean of both bounds (Xu et al., 2015).

    x : array, floats
    lower, upper : floats, bounds of the slopes
    rng : a seed, or a numpy.random.Generator; by default `ng.random` draws
    >>> import nbgraph as ng
    >>> ng.rrelu(ng.array([-1.0, 2.0]), 0.25, 0.75)
    array([-0.5,  2. ], dtype=float32)
    """
    low, high = float(number("rrelu", "lower", lower)), float(number("rrelu", "upper", upper))
    if not low <= high:
        raise ArgumentError(f"rrelu: lower={lower}, upper={upper}; expected lower <= upper")
    return _RRELU(x, lower=low, upper=high, rng=seed_of(rng))[0]
