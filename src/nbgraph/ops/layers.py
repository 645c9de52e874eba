"""Layers by MXNet's names and parameters: on symbols they make their own weights.

Parameters are values or text, as "(3,3)". What is not given on a symbol becomes a variable called
by the node's `name` and its own, as `conv1_weight`, whose shape follows from the data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from nbgraph.errors import ArgumentError
from nbgraph.operator.call import carrier_of
from nbgraph.operator.parameters import Param, field
from nbgraph.operator.registry import register
from nbgraph.ops.batches import batch_norm, batch_standard, batch_statistics
from nbgraph.ops.connected import BIASED as CONNECTED_BIASED
from nbgraph.ops.connected import fully_connected
from nbgraph.ops.convolutions import BIASED as CONVOLUTION_BIASED
from nbgraph.ops.convolutions import convolution, convolution_data
from nbgraph.ops.define import as_known, library, operator_of
from nbgraph.ops.pools import avg_pooling, max_pooling

Known = Mapping[str, tuple[Any, Any]]
Axes = tuple[int, ...]


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


class _Deconvolution(_Convolution):
    """Parameters of Deconvolution."""

    adj: Axes = field((), lower=0, doc="Cells added at the ends of the result.")


class _Pooling(Param):
    """Parameters of Pooling."""

    kernel: Axes = field((), lower=1, doc="Extents of the window.")
    pool_type: str = field("max", doc="max or avg.")
    global_pool: bool = field(False, doc="Whether the window is the whole space.")
    stride: Axes = field((), lower=1, doc="Cells from place to place.")
    pad: Axes = field((), lower=0, doc="Cells around the data.")
    pooling_convention: str = field("valid", doc="valid, or full: as many places as touch data.")
    count_include_pad: bool = field(True, doc="Whether the pad counts in a mean.")


class _BatchNorm(Param):
    """Parameters of BatchNorm, as MXNet has them."""

    eps: float = field(1e-3, lower=0.0, doc="Added to the variance.")
    momentum: float = field(0.9, doc="What stays of the moving averages.")
    fix_gamma: bool = field(True, doc="Whether gamma is 1.")
    use_global_stats: bool = field(False, doc="Whether training uses the moving averages.")


def _read(name: str, kind: type[Param], given: Mapping[str, Any]) -> Any:
    try:
        return kind(**given)
    except ArgumentError as error:
        told = str(error).removeprefix(f"{kind.__name__}: ")
        raise ArgumentError(f"{name}: {told}") from None


def _applied(
    op: Any,
    values: Sequence[Any],
    attributes: Mapping[str, Any],
    name: str | None,
    known: Known,
) -> Any:
    """The operator on arrays; on symbols with variables for what is None."""
    compose = getattr(carrier_of([v for v in values if v is not None]), "__nbgraph_compose__", None)
    if compose is not None:
        return compose(op, values, name, attributes, known)
    if name is not None:
        raise ArgumentError(f"{op.__name__}: name={name!r} is for symbols; leave it out")
    for label, value in zip(op.operands, values, strict=True):
        if value is None:
            raise ArgumentError(
                f"{op.__name__}: no array is given for {label}; give it (on symbols, what is not "
                "given becomes a variable)"
            )
    return op(*values, **attributes)


@register
def FullyConnected(
    data: Any, weight: Any = None, bias: Any = None, *, name: str | None = None, **given: Any
) -> Any:
    """`fully_connected` by MXNet's name: num_hidden, no_bias, flatten.

    >>> import nbgraph as ng
    >>> out = FullyConnected(ng.var("data"), num_hidden=4, name="fc")
    >>> out.list_arguments(), out.infer_shape(data=(2, 3))[0]
    (['data', 'fc_weight', 'fc_bias'], [(2, 3), (4, 3), (4,)])
    """
    p = _read("FullyConnected", _Connected, given)
    values = [data, weight] if p.no_bias else [data, weight, bias]
    op = operator_of(fully_connected) if p.no_bias else CONNECTED_BIASED
    known = {"weight": ((p.num_hidden, None), None), "bias": ((p.num_hidden,), None)}
    return _applied(op, values, {"flatten": p.flatten}, name, known)


def _how(p: Any) -> dict[str, Any]:
    return {
        "stride": p.stride or 1,
        "pad": p.pad or 0,
        "dilation": p.dilate or 1,
        "groups": p.num_group,
    }


@register
def Convolution(
    data: Any, weight: Any = None, bias: Any = None, *, name: str | None = None, **given: Any
) -> Any:
    """`convolution` by MXNet's name: kernel, num_filter, stride, dilate, pad, num_group, no_bias.

    >>> import nbgraph as ng
    >>> out = Convolution(ng.var("data"), kernel="(3,3)", num_filter=8, name="conv")
    >>> out.infer_shape(data=(2, 3, 9, 9))[:2]
    ([(2, 3, 9, 9), (8, 3, 3, 3), (8,)], [(2, 8, 7, 7)])
    """
    p = _read("Convolution", _Convolution, given)
    values = [data, weight] if p.no_bias else [data, weight, bias]
    op = operator_of(convolution) if p.no_bias else CONVOLUTION_BIASED
    known = {
        "weight": ((p.num_filter, None, *p.kernel), None),
        "bias": ((p.num_filter,), None),
    }
    return _applied(op, values, _how(p), name, known)


@register
def Deconvolution(data: Any, weight: Any, bias: Any = None, **given: Any) -> Any:
    """What a convolution does to gradients, by MXNet's name; `data`'s shape has to be known.

    `weight` has shape (channels of data, num_filter / num_group, *kernel). A stride makes space
    larger: (n - 1) * stride - 2 * pad + dilate * (kernel - 1) + 1 + adj cells.

    >>> import numpy as np
    >>> x, w = np.ones((1, 1, 2)), np.ones((1, 1, 2))
    >>> Deconvolution(x, w, kernel=(2,), num_filter=1, stride=(2,))
    array([[[1., 1., 1., 1.]]])
    """
    p = _read("Deconvolution", _Deconvolution, given)
    data = as_known("Deconvolution", data)
    axes = len(p.kernel)
    if len(data.shape) != axes + 2:
        raise ArgumentError(
            f"Deconvolution: data has shape {data.shape} beside kernel={p.kernel}; expected "
            f"(images, channels) and {axes} axes of space"
        )
    stride, gap, pad, more = (
        value or (fill,) * axes
        for value, fill in ((p.stride, 1), (p.dilate, 1), (p.pad, 0), (p.adj, 0))
    )
    each = zip(data.shape[2:], p.kernel, stride, gap, pad, more, strict=True)
    size = tuple((n - 1) * s - 2 * a + g * (k - 1) + 1 + m for n, k, s, g, a, m in each)
    return convolution_data(data, weight, bias, size=size, **_how(p))


@register
def Pooling(data: Any, **given: Any) -> Any:
    """Pools by MXNet's name: kernel, pool_type, global_pool, stride (by default 1), pad.

    >>> import numpy as np
    >>> Pooling(np.array([[[1.0, 3.0, 2.0, 0.0]]]), kernel=(2,), stride=(2,), pool_type="avg")
    array([[[2., 1.]]])
    """
    p = _read("Pooling", _Pooling, given)
    if p.pool_type not in ("max", "avg") or p.pooling_convention not in ("valid", "full"):
        raise ArgumentError(
            f"Pooling: pool_type={p.pool_type!r}, pooling_convention={p.pooling_convention!r}; "
            "expected 'max' or 'avg', and 'valid' or 'full'"
        )
    if p.global_pool:
        axis = tuple(range(2, len(as_known("Pooling", data).shape)))
        whole = library.max if p.pool_type == "max" else library.mean
        return whole(data, axis=axis, keepdims=True)
    if not p.kernel:
        raise ArgumentError("Pooling: no kernel is given; give its extents, or global_pool=True")
    how: dict[str, Any] = {"stride": p.stride or 1, "pad": p.pad or 0}
    how["ceil"] = p.pooling_convention == "full"
    if p.pool_type == "max":
        return max_pooling(data, p.kernel, **how)
    return avg_pooling(data, p.kernel, counted=p.count_include_pad, **how)


@register
def BatchNorm(
    data: Any,
    gamma: Any = None,
    beta: Any = None,
    moving_mean: Any = None,
    moving_var: Any = None,
    *,
    name: str | None = None,
    **given: Any,
) -> Any:
    """`batch_norm` by MXNet's name: eps (1e-3), momentum (0.9: what stays), fix_gamma (True: gamma
    is 1), use_global_stats.

    >>> import nbgraph as ng
    >>> out = BatchNorm(ng.var("data"), name="bn")
    >>> out.list_arguments(), out.list_auxiliary_states()
    (['data', 'bn_beta'], ['bn_moving_mean', 'bn_moving_variance'])
    """
    p = _read("BatchNorm", _BatchNorm, given)
    momentum = 1 - p.momentum
    if getattr(carrier_of([data]), "__nbgraph_compose__", None) is None:
        return batch_norm(
            data, None if p.fix_gamma else gamma, beta, moving_mean, moving_var,
            momentum=momentum, eps=p.eps, frozen=p.use_global_stats,
        )  # fmt: skip
    how = {"momentum": momentum, "frozen": p.use_global_stats}
    known = {"moving_variance": (None, 1), "gamma": (None, 1)}
    states = [data, moving_mean, moving_var]
    found, _ = _applied(operator_of(batch_statistics), states, how, name, known)
    gamma = library.ones_like(found[0]) if p.fix_gamma else gamma
    weights = [data, found, gamma, beta]
    return _applied(operator_of(batch_standard), weights, {"eps": p.eps}, name, known)
