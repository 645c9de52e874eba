"""Activations and kin by MXNet's names: one operator, and a word that says which."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import cast, composed, library
from nbgraph.ops.draws.leaks import rrelu
from nbgraph.ops.elementwise.activation import (
    elu,
    gelu,
    leaky_relu,
    prelu,
    relu,
    selu,
    sigmoid,
    softplus,
    softsign,
)
from nbgraph.ops.elementwise.arithmetic import negative
from nbgraph.ops.elementwise.trigonometric import tanh
from nbgraph.ops.named.layering import applied, named, one_of
from nbgraph.ops.named.reshaping import Reshape, reshape_like
from nbgraph.shape import Shapes

Array = np.ndarray[Any, Any]
_ACTIVATIONS: dict[str, Callable[[Any], Any]] = {
    "relu": relu,
    "sigmoid": sigmoid,
    "tanh": tanh,
    "softrelu": softplus,
    "softsign": softsign,
}
_LEAKY = ("leaky", "prelu", "elu", "selu", "gelu", "rrelu")


@composed("data")
def Activation(data: Any, act_type: str, *, name: str | None = None) -> Any:
    """An activation chosen by a word.

    Parameters
    ----------
    data : array; integers become floats, but for "relu"
    act_type : "relu", "sigmoid", "tanh", "softrelu" (`softplus`: log(1 + e**x)) or "softsign"
        (x / (1 + abs(x)))

    Returns
    -------
    array of the shape of data

    Raises
    ------
    ArgumentError for another word.

    >>> Activation([-1.0, 2.0], "relu")
    array([0., 2.])
    """
    one_of("Activation", "act_type", act_type, tuple(_ACTIVATIONS))
    return named(_ACTIVATIONS[act_type](data), name)


# learned slopes ---------------------------------------------------------------------------------


def _slopes_infer(data: Spec, gamma: Spec) -> Spec:
    channels = data.shape[1] if len(data.shape) > 1 else 1
    if len(gamma.shape) > 1 and gamma.shape == data.shape[1:]:
        return gamma
    if gamma.shape not in ((channels,), (1,)):
        raise ArgumentError(
            f"LeakyReLU: gamma has shape {gamma.shape} beside data{data.shape}; expected "
            f"{(channels,)}, a slope for each channel, (1,), or {data.shape[1:]}, one for each "
            "element of a sample"
        )
    return Spec((channels,) + (1,) * max(len(data.shape) - 2, 0), gamma.dtype)


def _slopes(inputs: Sequence[Array], outputs: Sequence[Array]) -> None:
    (out,), gamma = outputs, inputs[1]
    out[...] = gamma.reshape(out.shape if gamma.size == out.size else (1,) * out.ndim)


def _slopes_rule(g: Gradients) -> Sequence[Any]:
    spec = g.specs[1]
    if len(spec.shape) != 1:
        return [None, cast(g.out_grad, spec)]
    whole = library.sum_to(g.out_grad, (spec.shape[0], *(1,) * max(len(g.specs[0].shape) - 2, 0)))
    return [None, cast(library.reshape(whole, spec.shape), spec)]


def _slopes_partial(in_shapes: Shapes, out_shapes: Shapes) -> tuple[Shapes, Shapes]:
    data, gamma = in_shapes
    if gamma is None and data is not None:
        gamma = (data[1],) if len(data) > 1 else (1,)
    return (data, gamma), out_shapes


SLOPES = ArrayOp(  # one value a channel, so that it broadcasts against the data
    "leaky_relu_slopes",
    _slopes_infer,
    _slopes,
    gradient=_slopes_rule,
    operands=("data", "gamma"),
    partial=_slopes_partial,
)


@composed("data", "gamma")
def LeakyReLU(
    data: Any,
    gamma: Any = None,
    *,
    act_type: str = "leaky",
    slope: float = 0.25,
    lower_bound: float = 0.125,
    upper_bound: float = 0.334,
    name: str | None = None,
) -> Any:
    """`data` where it is positive, and something smaller where not, as `act_type` says.

    Parameters
    ----------
    data : array (samples, channels, ...)
    gamma : array (channels,) or (1,), or of the shape of a sample, for "prelu" alone: slopes that
        are learned; on symbols, left out, a variable (channels,), as `name_gamma`
    act_type : "leaky": slope * x; "elu": slope * (e**x - 1) (Clevert et al., 2015); "prelu": gamma
        * x (He et al., 2015); "selu" (Klambauer et al., 2017); "gelu" (Hendrycks and Gimpel, 2016);
        "rrelu": a random slope for each element in training, else the mean of both bounds (Xu et
        al., 2015)
    slope : float
    lower_bound, upper_bound : floats, of the slopes of "rrelu"

    Returns
    -------
    array of the shape of data

    Raises
    ------
    ArgumentError for another word, and for gamma of another shape.

    >>> LeakyReLU([-1.0, 2.0])
    array([-0.25,  2.  ])
    >>> LeakyReLU([[-1.0, -1.0]], [0.5, 0.25], act_type="prelu")
    array([[-0.5 , -0.25]])
    """
    one_of("LeakyReLU", "act_type", act_type, _LEAKY)
    if act_type == "prelu":
        return named(prelu(data, applied(SLOPES, [data, gamma], {}, name, {})), name)
    if act_type == "rrelu":
        return named(rrelu(data, lower_bound, upper_bound), name)
    if act_type in ("leaky", "elu"):
        made = leaky_relu(data, slope=slope) if act_type == "leaky" else elu(data, alpha=slope)
        return named(made, name)
    return named((selu if act_type == "selu" else gelu)(data), name)


# softmaxes --------------------------------------------------------------------------------------


@composed("data")
def SoftmaxActivation(data: Any, *, mode: str = "instance", name: str | None = None) -> Any:
    """`softmax` over all numbers of a sample, or over channels.

    Parameters
    ----------
    data : array (samples, ...)
    mode : "instance": the numbers of a sample add up to 1; "channel": those along axis 1

    Returns
    -------
    array of the shape of data

    >>> SoftmaxActivation([[0.0, 0.0]])
    array([[0.5, 0.5]])
    """
    one_of("SoftmaxActivation", "mode", mode, ("instance", "channel"))
    if mode == "channel":
        return named(library.softmax(data, 1), name)
    return named(reshape_like(library.softmax(Reshape(data, (0, -1)), -1), data), name)


@composed("data")
def softmin(data: Any, axis: int = -1, *, temperature: float | None = None) -> Any:
    """`softmax` of the negative values: the least number gets the largest share.

    Parameters
    ----------
    data : array
    axis : int, along which results add up to 1
    temperature : float, optional: a divisor of data

    Returns
    -------
    array of the shape of data

    >>> softmin([1.0, 1.0])
    array([0.5, 0.5])
    """
    return library.softmax(negative(data), axis, temperature=temperature)
