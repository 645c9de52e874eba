"""Layers with weights by MXNet's names and parameters; on symbols they create their weights."""

from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.arrays.array_op import ArrayOp, Spec, constant
from nbgraph.operator.parameters import Param, field
from nbgraph.ops.define import composed, library, operator_of
from nbgraph.ops.named import calls
from nbgraph.ops.named.calls import Axes, applied, composer, documented, named, read
from nbgraph.ops.named.deconvolutions import BIASED as DECONVOLUTION_BIASED
from nbgraph.ops.named.deconvolutions import DECONVOLUTION
from nbgraph.ops.normalisation.batches import batch_standard, batch_statistics, channel_moments
from nbgraph.ops.products.connected import BIASED as CONNECTED_BIASED
from nbgraph.ops.products.connected import fully_connected
from nbgraph.ops.windows.convolutions import BIASED as CONVOLUTION_BIASED
from nbgraph.ops.windows.convolutions import convolution
from nbgraph.shape import Shapes


class _Connected(Param):
    """Parameters of FullyConnected."""

    num_hidden: int = field(lower=1, doc="Features.")
    no_bias: bool = field(False, doc="Whether there is no bias.")
    flatten: bool = field(True, doc="Whether all axes but the first are inputs.")


class _Convolution(Param):
    """Parameters of Convolution; an empty tuple means one, or none, for each axis."""

    kernel: Axes = field(lower=1, doc="Extents of the window.")
    num_filter: int = field(lower=1, doc="Features.")
    stride: Axes = field((), lower=1, doc="Cells from place to place.")
    dilate: Axes = field((), lower=1, doc="Cells from one element of the window to the next.")
    pad: Axes = field((), lower=0, doc="Zeros on both sides.")
    num_group: int = field(1, lower=1, doc="Groups of channels.")
    no_bias: bool = field(False, doc="Whether there is no bias.")
    workspace: int = field(1024, lower=0, doc="Ignored: columns take a room on the stack.")
    cudnn_tune: str | None = field(None, doc="Ignored, as are the other words about cuDNN.")
    cudnn_off: bool = field(False, doc="Ignored.")
    layout: calls.Layout = field(
        None, doc="Where channels are, by default second; of the weight, too."
    )


class _Deconvolution(_Convolution):
    """Parameters of Deconvolution."""

    adj: Axes = field((), lower=0, doc="Cells added at the ends of the result.")
    target_shape: Axes = field((), lower=0, doc="The result's space; pad and adj follow from it.")
    no_bias: bool = field(True, doc="Whether there is no bias.")


class _BatchNorm(Param):
    """Parameters of BatchNorm, as MXNet has them."""

    eps: float = field(1e-3, lower=0.0, doc="Added to the variance.")
    momentum: float = field(0.9, doc="What stays of the moving averages.")
    fix_gamma: bool = field(True, doc="Whether gamma is 1.")
    use_global_stats: bool = field(False, doc="Whether training uses the moving averages.")
    axis: int = field(1, doc="Of the channels.")
    output_mean_var: bool = field(False, doc="Whether mean and deviation are outputs.")
    cudnn_off: bool = field(False, doc="Ignored.")


@composed()
@documented(_Connected)
def FullyConnected(
    data: Any, weight: Any = None, bias: Any = None, *, name: str | None = None, **options: Any
) -> Any:
    """`fully_connected` by MXNet's name: data times the transpose of weight, plus bias.

    On symbols a weight or bias that is not given becomes a variable, as `name_weight`.

    data : array (samples, *inputs), floats
    weight : array (num_hidden, inputs), inputs counted over all axes but the first; without
        `flatten` those of the last axis
    bias : array (num_hidden,); left out with `no_bias`
    -> array (samples, num_hidden); without `flatten` (*leading axes of data, num_hidden)
    ! ShapeError where shapes do not fit; ArgumentError for parameters, and for arrays without bias.
    >>> import nbgraph as ng
    >>> FullyConnected([[1.0, 2.0]], [[3.0, 4.0]], [0.5], num_hidden=1)
    array([[11.5]])
    >>> out = FullyConnected(ng.var("data"), num_hidden=4, name="fc")
    >>> out.list_arguments(), out.infer_shape(data=(2, 3))[0]
    (['data', 'fc_weight', 'fc_bias'], [(2, 3), (4, 3), (4,)])
    """
    p = read("FullyConnected", _Connected, options)
    values = [data, weight] if p.no_bias else [data, weight, bias]
    op = operator_of(fully_connected) if p.no_bias else CONNECTED_BIASED
    known = {"weight": ((p.num_hidden, None), None), "bias": ((p.num_hidden,), None)}
    call = "FullyConnected", {"num_hidden": p.num_hidden}
    return applied(op, values, {"flatten": p.flatten}, name, known, call)


def _how(p: Any) -> dict[str, Any]:
    return {
        "stride": p.stride or 1,
        "pad": p.pad or 0,
        "dilation": p.dilate or 1,
        "groups": p.num_group,
    }


_LAID = ArrayOp(  # a weight (features, *kernel, channels) with channels second
    "convolution_weight",
    lambda _, w: Spec((w.shape[0], w.shape[-1], *w.shape[1:-1]), w.dtype),
    gradient=lambda g: [None, library.moveaxis(g.out_grad, 1, -1)],
    composition=lambda _, weight: library.moveaxis(weight, -1, 1),
    operands=("data", "weight"),
    partial=lambda own, outs: (
        (own[0], outs[0] and (outs[0][0], *outs[0][2:], outs[0][1])),
        (own[1] and (own[1][0], own[1][-1], *own[1][1:-1]),),
    ),
)


def _applied(op: Any, p: Any, values: Any, how: Any, name: str | None, known: Any) -> Any:
    """Return what a convolution by MXNet's name gives, in its layout."""
    call = "Deconvolution" if isinstance(p, _Deconvolution) else "Convolution"
    shown = {"kernel": p.kernel, "num_filter": p.num_filter, "num_group": p.num_group}
    data, weight, *bias = values
    moves = calls.channels_last(call, data, p.layout)
    if moves is None:
        return applied(op, values, how, name, known, (call, shown))
    features, channels, *kernel = known["weight"][0]
    own = {"weight": ((features, *kernel, channels), None)}
    weight = applied(_LAID, [data, weight], {}, name, own, inner=True)
    values = [library.transpose(data, moves[0]), weight, *bias]
    result = applied(op, values, how, name, known, (call, shown), inner=True)
    return named(library.transpose(result, moves[1]), name)


@composed()
@documented(_Convolution)
def Convolution(
    data: Any, weight: Any = None, bias: Any = None, *, name: str | None = None, **options: Any
) -> Any:
    """`convolution` by MXNet's name: along one to three axes of space, without flipping the window.

    On symbols a weight or bias that is not given becomes a variable, as `name_weight`.

    data : array (images, channels, *space), floats; with `layout` "NHWC" channels are last
    weight : array (num_filter, channels / num_group, *kernel), or channels last
    bias : array (num_filter,); left out with `no_bias`
    -> array (images, num_filter, *places): along each axis of n cells there are
        (n + 2 * pad - dilate * (kernel - 1) - 1) // stride + 1 places
    ! ShapeError where shapes do not fit; DTypeError for integers; ArgumentError for parameters.
    >>> import numpy as np
    >>> import nbgraph as ng
    >>> Convolution(np.ones((1, 1, 4)), np.ones((1, 1, 3)), [0.5], kernel=(3,), num_filter=1)
    array([[[3.5, 3.5]]])
    >>> out = Convolution(ng.var("data"), kernel="(3,3)", num_filter=8, name="conv")
    >>> out.infer_shape(data=(2, 3, 9, 9))[:2]
    ([(2, 3, 9, 9), (8, 3, 3, 3), (8,)], [(2, 8, 7, 7)])
    """
    p = read("Convolution", _Convolution, options)
    values = [data, weight] if p.no_bias else [data, weight, bias]
    op = operator_of(convolution) if p.no_bias else CONVOLUTION_BIASED
    known = {"weight": ((p.num_filter, None, *p.kernel), None), "bias": ((p.num_filter,), None)}
    return _applied(op, p, values, _how(p), name, known)


@composed()
@documented(_Deconvolution)
def Deconvolution(
    data: Any, weight: Any = None, bias: Any = None, *, name: str | None = None, **options: Any
) -> Any:
    """The transposed convolution by MXNet's name: the gradient of a convolution by data.

    On symbols a weight or bias that is not given becomes a variable, as `name_weight`.

    data : array (images, channels, *space), floats; with `layout` "NHWC" channels are last
    weight : array (channels, num_filter / num_group, *kernel), or (channels, *kernel, features)
    bias : array (num_filter,); by default there is none
    -> array (images, num_filter, *places): along each axis of n cells there are
        (n - 1) * stride - 2 * pad + dilate * (kernel - 1) + 1 + adj places, or `target_shape`
    ! ShapeError where shapes do not fit; DTypeError for integers; ArgumentError for parameters.
    >>> import numpy as np
    >>> x, w = np.ones((1, 1, 2)), np.ones((1, 1, 2))
    >>> Deconvolution(x, w, kernel=(2,), num_filter=1, stride=(2,))
    array([[[1., 1., 1., 1.]]])
    """
    p = read("Deconvolution", _Deconvolution, options)
    if p.num_filter % p.num_group:
        raise ArgumentError(
            f"Deconvolution: num_filter={p.num_filter} is not a multiple of num_group={p.num_group}"
        )
    values = [data, weight] if p.no_bias else [data, weight, bias]
    op = DECONVOLUTION if p.no_bias else DECONVOLUTION_BIASED
    known = {
        "weight": ((None, p.num_filter // p.num_group, *p.kernel), None),
        "bias": ((p.num_filter,), None),
    }
    how = {**_how(p), "adj": p.adj or 0, "target": p.target_shape if any(p.target_shape) else ()}
    return _applied(op, p, values, how, name, known)


def _fixed_partial(in_shapes: Shapes, out_shapes: Shapes) -> tuple[Shapes, Shapes]:
    known = next((s for s in (*in_shapes[1:], *out_shapes, in_shapes[0]) if s and s[0]), None)
    return (known, known), (known,)


FIXED = ArrayOp(  # a gamma that exists, but counts as ones
    "fixed_gamma",
    lambda mean, gamma: gamma,
    gradient=constant,
    composition=lambda _mean, gamma: library.ones_like(gamma),
    operands=("mean", "gamma"),
    partial=_fixed_partial,
)


@composed()
@documented(_BatchNorm)
def BatchNorm(
    data: Any,
    gamma: Any = None,
    beta: Any = None,
    moving_mean: Any = None,
    moving_var: Any = None,
    *,
    name: str | None = None,
    **options: Any,
) -> Any:
    """`batch_norm` by MXNet's name: each channel with mean 0 and variance 1, then scaled and
    shifted (Ioffe and Szegedy, 2015).

    The moving variance is that of the batch, divided by n. On symbols, missing arrays become
    variables such as `name_gamma`, and states auxiliary ones.

    data : array (samples, channels, ...), or with channels at `axis`; floats
    gamma, beta : arrays (channels,): scale and shift; by default 1 and 0. With `fix_gamma`, the
        default, gamma counts as 1 and gets no gradient.
    moving_mean, moving_var : arrays (channels,), states: written in training (`momentum` of them
        stays), read outside of it. Without them the statistics are always those of the batch.
    -> array of the shape and dtype of data; with `output_mean_var` also the mean and
        1 / sqrt(variance + eps) that were used, each (channels,)
    >>> import numpy as np
    >>> import nbgraph as ng
    >>> BatchNorm(np.array([[1.0], [3.0]]), eps=0.0)
    array([[-1.],
           [ 1.]])
    >>> out = BatchNorm(ng.var("data"), name="bn")
    >>> out.list_arguments(), out.list_auxiliary_states()
    (['data', 'bn_gamma', 'bn_beta'], ['bn_moving_mean', 'bn_moving_var'])
    """
    p = read("BatchNorm", _BatchNorm, options)
    if p.axis != 1:
        data = library.swapaxes(data, 1, p.axis)
    mean, variance = _moments(p, data, moving_mean, moving_var, name)
    if composer(data) is None:
        gamma = library.ones_like(mean) if gamma is None else gamma
        beta = library.zeros_like(mean) if beta is None else beta
    if p.fix_gamma:
        gamma = applied(FIXED, [mean, gamma], {}, name, _ONES, inner=True)
    weights = [data, mean, variance, gamma, beta]
    result = applied(
        operator_of(batch_standard), weights, {"eps": p.eps}, name, _ONES, inner=p.axis != 1
    )
    if p.axis != 1:
        result = named(library.swapaxes(result, 1, p.axis), name)
    if not p.output_mean_var:
        return result
    return result, mean, library.rsqrt(library.add(variance, p.eps))


_ONES: dict[str, Any] = {"moving_var": (None, 1), "gamma": (None, 1)}  # initial values of variables


def _moments(p: _BatchNorm, data: Any, mean: Any, variance: Any, name: str | None) -> Any:
    """Return means and variances of channels: the batch's own, or with moving averages."""
    if mean is None and variance is None and composer(data) is None:
        return channel_moments(data)
    how = {"momentum": 1 - p.momentum, "frozen": p.use_global_stats, "correction": 0}
    states = [data, mean, variance]
    return applied(operator_of(batch_statistics), states, how, name, _ONES, inner=True)[:2]
