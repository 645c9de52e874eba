"""Activations and the like by MXNet's names: one operator, with a word for the kind."""

from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import define_rows, library, one_of
from nbgraph.ops.draws.dropout import rrelu
from nbgraph.ops.elementwise.activation import elu, gelu, leaky_relu, prelu, selu
from nbgraph.ops.named.calls import applied
from nbgraph.ops.named.calls import named as named
from nbgraph.shape import Shapes

_BEGIN = {"gamma": (None, 0.25)}  # initial value of its variable
_LEAKY = ("leaky", "prelu", "elu", "selu", "gelu", "rrelu")


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


def _slopes(data: Any, gamma: Any) -> Any:
    if len(gamma.shape) > 1:
        return gamma
    axes = max(len(data.shape) - 2, 0)
    whole = library.reshape(gamma, (-1, *(1,) * axes))
    channels = data.shape[1] if len(data.shape) > 1 else 1
    return library.broadcast_to(whole, (channels, *(1,) * axes))


def _slopes_rule(g: Gradients) -> Sequence[Any]:
    spec = g.specs[1]
    if len(spec.shape) != 1:
        return [None, g.out_grad]
    whole = library.sum_to(g.out_grad, (spec.shape[0], *(1,) * max(len(g.specs[0].shape) - 2, 0)))
    return [None, library.reshape(whole, spec.shape)]


def _slopes_partial(in_shapes: Shapes, out_shapes: Shapes) -> tuple[Shapes, Shapes]:
    data, gamma = in_shapes
    if gamma is None and data is not None:
        gamma = (data[1],) if len(data) > 1 else (1,)
    return (data, gamma), out_shapes


SLOPES = ArrayOp(  # one value per channel, which broadcasts against the data
    "leaky_relu_slopes",
    _slopes_infer,
    gradient=_slopes_rule,
    composition=_slopes,
    operands=("data", "gamma"),
    partial=_slopes_partial,
)


def leaky(
    data: Any, gamma: Any, kind: str, slope: float, bounds: tuple[float, float], name: str | None
) -> Any:
    """Return the activation of MXNet's name."""
    one_of("LeakyReLU", "act_type", kind, _LEAKY)
    if kind == "prelu":
        return prelu(data, applied(SLOPES, [data, gamma], {}, name, _BEGIN, inner=True))
    if kind == "rrelu":
        return rrelu(data, *bounds)
    if kind in ("leaky", "elu"):
        return leaky_relu(data, slope=slope) if kind == "leaky" else elu(data, alpha=slope)
    return (selu if kind == "selu" else gelu)(data)


_TABLE = """
LeakyReLU(data, gamma=None, *, act_type: str = "leaky", slope: float = 0.25, lower_bound: float =
    0.125, upper_bound: float = 0.334, name=None): `data` where it is positive, else a smaller
    value, by `act_type`.
    data : array (samples, channels, ...)
    gamma : array (channels,) or (1,), or of the shape of a sample, only for "prelu": learned
        slopes; on symbols, a missing one becomes a variable (channels,), `name_gamma`
    act_type : "leaky": slope * x; "elu": slope * (e**x - 1) (Clevert et al., 2015); "prelu": gamma
        * x (He et al., 2015); "selu" (Klambauer et al., 2017); "gelu" (Hendrycks and Gimpel, 2016);
        "rrelu": a random slope for each element in training, else the mean of both bounds (Xu et
        al., 2015)
    slope : float
    lower_bound, upper_bound : floats, of the slopes of "rrelu"
    -> array of the shape of data
    ! ArgumentError for another `act_type`, and for gamma of another shape.
    >>> LeakyReLU([-1.0, 2.0])
    array([-0.25,  2.  ])
    >>> LeakyReLU([[-1.0, -1.0]], [0.5, 0.25], act_type="prelu")
    array([[-0.5 , -0.25]])
    = named(leaky(data, gamma, act_type, slope, (lower_bound, upper_bound), name), name)
"""
define_rows(_TABLE, globals(), ("data", "gamma"))
