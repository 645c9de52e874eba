"""Norms by MXNet's names and parameters: on symbols they create gamma and beta."""

from collections.abc import Sequence
from typing import Any, Literal

from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.parameters import Param, field
from nbgraph.ops.define import composed, define_rows, library
from nbgraph.ops.elementwise.arithmetic import add, divide, multiply, power, square
from nbgraph.ops.named.calls import applied, documented, named, read
from nbgraph.ops.named.reshaping import Reshape, reshape_like
from nbgraph.ops.normalisation.norms import layer_norm
from nbgraph.shape import Shapes, axis_of

_WEIGHTS = {"gamma": (None, 1), "beta": (None, 0)}


# weights along one axis -------------------------------------------------------------------------


def _along_infer(data: Spec, weight: Spec, *, axis: int, groups: int | None) -> Spec:
    place = axis_of("norm", axis, len(data.shape))
    each = data.shape[place]
    if weight.shape not in {(each,), (groups,)}:
        or_group = "" if groups is None else f", or ({groups},), one for each group"
        raise ShapeError(
            f"norm: a weight has shape {weight.shape} beside data{data.shape}; expected "
            f"{(each,)}, one value for each element of axis {axis}{or_group}"
        )
    return Spec(_beside(data.shape, place), weight.dtype)


def _beside(shape: Any, place: int) -> Any:
    """Return the shape of weights that broadcast against data."""
    return tuple(n if d == place else 1 for d, n in enumerate(shape))


def _along(data: Any, weight: Any, *, axis: int, groups: int | None) -> Any:
    place = axis_of("norm", axis, len(data.shape))
    if groups is not None and weight.shape == (groups,):  # each for several elements
        weight = library.repeat(weight, data.shape[place] // max(groups, 1))
    return library.reshape(weight, _beside(data.shape, place))


def _along_rule(g: Gradients) -> Sequence[Any]:
    data, weight = g.specs
    each, (count,) = data.shape[g.attributes["axis"]], weight.shape
    rows = library.reshape(g.out_grad, (count, each // max(count, 1)))
    return [None, library.sum(rows, axis=1)]


def _along_partial(
    in_shapes: Shapes, out_shapes: Shapes, *, axis: int, groups: int | None
) -> tuple[Shapes, Shapes]:
    (data, weight), (out,) = in_shapes, out_shapes
    if data is not None:
        place = axis_of("norm", axis, len(data))
        if groups is None:
            weight = (data[place],)
        elif weight is None:
            weight = (groups,)
        out = _beside(data, place)
    return (data, weight), (out,)


ALONG, SHIFT = (
    ArrayOp(
        "norm_weight",
        _along_infer,
        gradient=_along_rule,
        composition=_along,
        operands=("data", weight),
        partial=_along_partial,
    )
    for weight in ("gamma", "beta")
)


def _broadcast_along(
    data: Any, weights: Sequence[Any], axis: int, name: str | None, groups: int | None = None
) -> list[Any]:
    """Return gamma and beta along one axis of data; one per group is allowed."""
    how = {"axis": axis, "groups": groups}
    return [
        applied(op, [library.stop_gradient(data), weight], how, name, _WEIGHTS, inner=True)
        for op, weight in zip((ALONG, SHIFT), weights, strict=True)
    ]


def _weighted(
    standard: Any, data: Any, weights: Sequence[Any], name: str | None, groups: int | None = None
) -> Any:
    """Return standardised values times gamma plus beta, along the channels of data."""
    gamma, beta = _broadcast_along(data, weights, 1, name, groups)
    return named(add(multiply(standard, gamma), beta), name)


def _standard(rows: Any, data: Any, eps: float) -> Any:
    """Return rows with mean 0 and variance 1, in the shape of data."""
    return reshape_like(layer_norm(rows, eps=eps), data)


class _LayerNorm(Param):
    """Parameters of LayerNorm."""

    axis: int = field(-1, doc="That has mean 0 and variance 1.")
    eps: float = field(1e-5, lower=0.0, doc="Added to the variance.")
    output_mean_var: bool = field(False, doc="Whether mean and deviation are outputs.")


@composed("data", "gamma", "beta")
@documented(_LayerNorm)
def LayerNorm(
    data: Any, gamma: Any = None, beta: Any = None, *, name: str | None = None, **options: Any
) -> Any:
    """`layer_norm` by MXNet's name: rows along `axis` with mean 0 and variance 1, times gamma plus
    beta (Ba, Kiros and Hinton, 2016).

    data : array, floats
    gamma, beta : arrays (n,), n the size of `axis`; on symbols, missing ones become variables, as
        `name_gamma`
    -> array of the shape of data; with `output_mean_var` also mean and sqrt(variance + eps), which
        have size 1 along `axis`
    ! ShapeError for weights of another shape; ArgumentError for arrays without weights.
    >>> import numpy as np
    >>> import nbgraph as ng
    >>> LayerNorm(np.array([[1.0, 3.0]]), [1.0, 1.0], [0.0, 5.0], eps=0.0)
    array([[-1.,  6.]])
    >>> LayerNorm(ng.var("data"), name="ln").list_arguments()
    ['data', 'ln_gamma', 'ln_beta']
    """
    p = read("LayerNorm", _LayerNorm, options)
    weights = _broadcast_along(data, (gamma, beta), p.axis, name)
    result = named(layer_norm(data, *weights, axis=p.axis, eps=p.eps), name)
    if not p.output_mean_var:
        return result
    mean = library.mean(data, p.axis, keepdims=True)
    variance = library.var(data, p.axis, keepdims=True)
    return result, mean, library.sqrt(add(variance, p.eps))


def grouped(
    data: Any, weights: Sequence[Any], groups: int, eps: float, moments: bool, name: str | None
) -> Any:
    """Return groups of channels with mean 0 and variance 1, weighted; with `moments` these, too."""
    rows = Reshape(data, (0, groups, -1))
    result = _weighted(_standard(rows, data, eps), data, weights, name, groups)
    if not moments:
        return result
    return result, library.mean(rows, -1), library.sqrt(add(library.var(rows, -1), eps))


# without weights --------------------------------------------------------------------------------


class _L2(Param):
    """Parameters of L2Normalization."""

    eps: float = field(1e-10, lower=0.0, doc="Added to the sum of squares.")
    mode: Literal["instance", "channel", "spatial"] = field("instance", doc="What is scaled to 1.")


@composed("data")
@documented(_L2)
def L2Normalization(data: Any, *, name: str | None = None, **options: Any) -> Any:
    """`data` divided by sqrt(sum of squares + eps).

    data : array (samples, channels, *space), floats
    mode : the sum is over a whole sample ("instance"), the channels of each place ("channel"), or
        the places of each channel ("spatial")
    -> array of the shape of data
    >>> L2Normalization([[3.0, 4.0]])
    array([[0.6, 0.8]])
    >>> L2Normalization([[[3.0, 0.0], [4.0, 1.0]]], mode="channel")
    array([[[0.6, 0. ],
            [0.8, 1. ]]])
    """
    p = read("L2Normalization", _L2, options)
    if p.mode == "channel":
        return named(_scaled(data, 1, p.eps), name)
    rows = Reshape(data, (0, -1) if p.mode == "instance" else (0, 0, -1))
    return named(reshape_like(_scaled(rows, -1, p.eps), data), name)


def _scaled(rows: Any, axis: int, eps: float) -> Any:
    total = library.sum(square(rows), axis=axis, keepdims=True)
    return divide(rows, library.sqrt(add(total, eps)))


class _LRN(Param):
    """Parameters of LRN."""

    nsize: int = field(lower=1, doc="Channels that are added up, an odd number.")
    alpha: float = field(1e-4, doc="Weight of the sum.")
    beta: float = field(0.75, doc="Exponent.")
    knorm: float = field(2.0, doc="Added to the sum.")


@composed("data")
@documented(_LRN)
def LRN(data: Any, *, name: str | None = None, **options: Any) -> Any:
    """Local response norm over channels (Krizhevsky, Sutskever and Hinton, 2012, 3.3):
    data / (knorm + alpha / nsize * sum of squares of the nsize channels around) ** beta.

    data : array (images, channels, height, width), floats. Channels beyond the first and the last
        one count as 0.
    -> array of the shape of data
    ! ShapeError for an even `nsize`.
    >>> import numpy as np
    >>> LRN(np.ones((1, 1, 1, 1)), nsize=1, alpha=2.0, beta=1.0)
    array([[[[0.25]]]])
    """
    p = read("LRN", _LRN, options)
    if p.nsize % 2 == 0:
        raise ShapeError(f"LRN: nsize={p.nsize}; expected an odd number")
    rows = Reshape(square(data), (0, -4, 1, -1, -3))
    mean = library.avg_pooling(rows, (p.nsize, 1), stride=1, pad=(p.nsize // 2, 0))
    around = reshape_like(mean, data)
    base = add(multiply(around, p.alpha), p.knorm)
    return named(multiply(data, power(base, -p.beta)), name)


_TABLE = """
GroupNorm(data, gamma=None, beta=None, *, num_groups: int = 1, eps: float = 1e-5,
    output_mean_var=False, name=None): `group_norm` by MXNet's name: groups of channels of each
    sample with mean 0 and variance 1, times gamma plus beta (Wu and He, 2018).
    data : array (samples, channels, *space), floats
    gamma, beta : arrays (num_groups,), one value a group, or (channels,), one a channel; on
        symbols, missing ones become variables with a value for each group
    num_groups : int, of which channels is a multiple
    eps : float, added to the variance
    output_mean_var : whether mean and deviation are outputs, too
    -> array of the shape of data; with `output_mean_var` also mean and sqrt(variance + eps), each
        (samples, num_groups)
    ! ShapeError where channels are not a multiple of the groups, or weights have another shape.
    >>> import numpy as np
    >>> GroupNorm(np.array([[[1.0], [3.0]]]), [1.0, 1.0], [0.0, 0.0], eps=0).ravel()
    array([-1.,  1.])
    = grouped(data, (gamma, beta), whole("GroupNorm", "num_groups", num_groups), eps,
        output_mean_var, name)
InstanceNorm(data, gamma=None, beta=None, *, eps: float = 0.001, name=None): `instance_norm` by
    MXNet's name: each channel of each sample with mean 0 and variance 1, times gamma plus beta
    (Ulyanov, Vedaldi and Lempitsky, 2016).
    data : array (samples, channels, *space), floats
    gamma, beta : arrays (channels,); on symbols, missing ones become variables
    eps : float, added to the variance
    -> array of the shape of data
    >>> import numpy as np
    >>> InstanceNorm(np.array([[[1.0, 3.0]]]), [1.0], [5.0], eps=0)
    array([[[4., 6.]]])
    = _weighted(_standard(Reshape(data, (0, 0, -1)), data, eps), data, (gamma, beta), name)
"""
define_rows(_TABLE, globals(), ("beta", "data", "gamma"))
