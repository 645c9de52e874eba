"""The randomised leaky rectifier (Xu et al., 2015)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import as_dtype, compute_dtype
from nbgraph.errors import ArgumentError
from nbgraph.operator.array_op import Spec
from nbgraph.operator.environment import EnvArguments
from nbgraph.ops.define import public, require_floats
from nbgraph.ops.draws.drawing import Array, Made, seed_of
from nbgraph.ops.draws.dropout import InTraining
from nbgraph.ops.shapes.creation import number


def _infer(x: Spec, *, lower: float, upper: float, rng: Any) -> tuple[Spec, Spec]:
    require_floats("rrelu", x)
    return x, x


def _compute(
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    *,
    env: EnvArguments,
    lower: float,
    upper: float,
    rng: Any,
    is_train: bool,
) -> None:
    (x,), (out, factor) = inputs, outputs
    slope: Any = (lower + upper) / 2
    if is_train:
        dtype = np.dtype(compute_dtype(x.dtype))
        slope = lower + (upper - lower) * env.random().random(x.shape, dtype.type)
    factor[...] = np.where(x > 0, 1, slope)
    np.multiply(x, factor, out=out)


def _kernel(dtype: str, *, factor: bool, lower: float, upper: float) -> Made:
    from nbgraph.kernels.draws import rrelu

    middle = as_dtype(dtype).type((lower + upper) / 2)
    return rrelu(dtype, factor=factor), (upper - lower, lower, middle)


_RRELU = InTraining("rrelu", _infer, _compute, _kernel)


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
