"""Batch norm: channels brought to mean 0 and variance 1 over a batch, by moving averages else.

The statistics are an operator with the moving averages as auxiliary states, which are updated in
training only. The rest is arithmetic, which graphs fuse.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.array_op import Attributes, Gradients, Spec
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.request import OpReqType, assign, kWriteTo
from nbgraph.operator.tiled_op import TiledOp, tile_call
from nbgraph.operator.unit_op import MovingOp
from nbgraph.ops.define import Shape, define_rows, library
from nbgraph.ops.elementwise.arithmetic import add, multiply, subtract
from nbgraph.settings import config
from nbgraph.shape import Array, Arrays, Shapes


def _channels(name: str, x: Spec) -> int:
    if len(x.shape) < 2 or not is_float(x.dtype):
        raise (DTypeError if len(x.shape) > 1 else ShapeError)(
            f"{name}: x is {x}; expected floats of shape (images, channels, *space)"
        )
    return x.shape[1]


# moments ----------------------------------------------------------------------------------------


def _infer(x: Spec) -> Spec:
    channels = _channels("channel_moments", x)
    if not math.prod(x.shape[:1] + x.shape[2:]) and channels:
        raise ShapeError(
            f"channel_moments: x{x.shape} has channels without elements, whose mean has no value"
        )
    return Spec((2, channels), x.dtype)


def _tiling(specs: Sequence[Spec], dtype: Any) -> KernelCall | None:
    return _call("moments", specs[0], dtype, 0.3)


def _call(text: str, x: Spec, dtype: Any, each: float, *rest: int) -> KernelCall | None:
    """`text`: the name of the function of `nbgraph.kernels.channels`; `each`: nanoseconds."""
    from nbgraph.kernels import channels
    from nbgraph.kernels.written import written

    cells = math.prod(x.shape[2:])
    text_of = getattr(channels, f"{text}_text")(dtype, beside=cells == 1)
    name = text_of.rsplit("def ", 1)[1].split("(", 1)[0]
    images, count = x.shape[:2]
    cost = int(images * count * cells * each)
    return tile_call(written(name, text_of, dtype), (images, count), (cells, *rest), count, cost)


def _axes(shape: Shape) -> Shape:
    return (0, *range(2, len(shape)))


def _naive(x: Array) -> Array:
    return np.stack([x.mean(axis=_axes(x.shape)), x.var(axis=_axes(x.shape))])


def beside(value: Any, axes: int) -> Any:
    """One value a channel, so that it broadcasts against data with so many axes."""
    return library.expand_dims(value, tuple(range(1, axes - 1)))


def row(moments: Any, k: int) -> Any:
    """Means (0) or variances (1)."""
    return library.slice_view(moments, (k,))


def _moments_rule(g: Gradients) -> Sequence[Any]:
    """By x: to the mean each element gives 1/n, to the variance 2 (x - mean) / n."""
    return [_by_data(g.inputs[0], g.outputs[0], g.out_grad, g.specs[0])]


def _by_data(x: Any, moments: Any, out_grad: Any, spec: Spec) -> Any:
    axes = len(spec.shape)
    n = math.prod(spec.shape[d] for d in _axes(spec.shape))
    rows = (moments, 0), (out_grad, 0), (out_grad, 1)
    mean, to_mean, to_variance = (beside(row(v, k), axes) for v, k in rows)
    slope = multiply(multiply(subtract(x, mean), to_variance), 2 / n)
    return add(slope, multiply(to_mean, 1 / n))


_MOMENTS = TiledOp(
    "channel_moments", _infer, _tiling, _naive, gradient=_moments_rule, keeps=("x", "out")
)


# with moving averages ---------------------------------------------------------------------------


class _Statistics(MovingOp):
    """Mean and variance to standardise with, and whether they are those of the batch (1 or 0)."""

    auxiliary = ("moving_mean", "moving_var")

    def run(
        self,
        inputs: Arrays,
        outputs: Arrays,
        requests: Sequence[OpReqType],
        attributes: Attributes,
        *,
        is_train: bool = False,
        **_: Any,
    ) -> None:
        """See ArrayOp; in training the states move towards what the batch has."""
        x, *states = inputs
        trains = is_train and not attributes["frozen"]
        moments = np.empty(outputs[0].shape, np.dtype(compute_dtype(x.dtype)))
        if trains:
            _MOMENTS.run([x.astype(moments.dtype, copy=False)], [moments], [kWriteTo], {})
            moved = moments.copy()
            n = x.size // max(1, x.shape[1])
            moved[1] *= n / max(1, n - attributes["correction"])
            for state, value in zip(states, moved, strict=True):
                state += attributes["momentum"] * (value - state)
        else:
            moments[0], moments[1] = states
        for out, request, value in zip(outputs, requests, (moments, float(trains)), strict=True):
            assign(out, request, np.asarray(value, out.dtype))

    def still(self, attributes: Attributes) -> bool:
        return bool(attributes["frozen"])

    def moving_call(self, specs: Sequence[Spec], attributes: Attributes) -> KernelCall | None:
        x, dtype = specs[0], specs[0].dtype
        if dtype.itemsize < 4 or any(s.dtype != dtype for s in specs) or 0 in x.shape:
            return None
        if config.compiler == "python":
            return None
        n = x.shape[0] * math.prod(x.shape[2:])
        ratio = n / max(1, n - attributes["correction"])
        numbers = (in_word(v, dtype) for v in (attributes["momentum"], ratio))
        return _call("statistics", x, dtype.name, 0.3, *numbers, 1)


def in_word(value: float, dtype: Any) -> int:
    """As a word of a record."""
    return int.from_bytes(np.dtype(dtype).type(value).tobytes(), "little")


def _statistics_infer(x: Spec, mean: Spec, variance: Spec, **_: Any) -> tuple[Spec, Spec]:
    channels = _channels("batch_norm", x)
    for name, state in (("moving_mean", mean), ("moving_var", variance)):
        if state.shape != (channels,) or not is_float(state.dtype):
            raise ShapeError(
                f"batch_norm: {name} is {state}; expected floats of shape {(channels,)}, one value "
                "for each channel"
            )
    return Spec((2, channels), x.dtype), Spec((), x.dtype)


def _partial(in_shapes: Shapes, out_shapes: Shapes, **_: Any) -> tuple[Shapes, Shapes]:
    """States have one value a channel."""
    x, mean, variance = in_shapes
    known = [s[0] for s in (mean, variance) if s is not None and len(s) == 1]
    channels = x[1] if x is not None and len(x) > 1 else next(iter(known), None)
    return (x, (channels,), (channels,)), ((2, channels), ())


def _statistics_rule(g: Gradients) -> Sequence[Any]:
    if g.out_grads[0] is None:
        return []
    gradient = _by_data(g.inputs[0], g.outputs[0], g.out_grads[0], g.specs[0])
    return [multiply(gradient, g.outputs[1])]


_STATISTICS = _Statistics(
    "batch_statistics",
    _statistics_infer,
    gradient=_statistics_rule,
    keeps=("x", "out0", "out1"),
    operands=("x", "moving_mean", "moving_var"),
    nout=2,
    partial=_partial,
)


# sums, and what is made of the statistics --------------------------------------------------------


def _sums_infer(g: Spec, x: Spec) -> Spec:
    if g.shape != x.shape:
        raise ShapeError(
            f"channel_sums: out_grad has shape {g.shape}, x {x.shape}; give equal ones"
        )
    return Spec((2, _channels("channel_sums", x)), np.result_type(g.dtype, x.dtype))


def _sums_tiling(specs: Sequence[Spec], dtype: Any) -> KernelCall | None:
    return _call("sums", specs[1], dtype, 0.3)


def _sums_naive(g: Array, x: Array) -> Array:
    axes = _axes(x.shape)
    return np.stack([g.sum(axis=axes), (g * x).sum(axis=axes)])


def _sums_rule(g: Gradients) -> Sequence[Any]:
    (out_grad, x), axes = g.inputs, len(g.specs[0].shape)
    total, along = (beside(row(g.out_grad, k), axes) for k in (0, 1))
    return [lambda: add(multiply(x, along), total), lambda: multiply(out_grad, along)]


_SUMS = TiledOp(
    "channel_sums", _sums_infer, _sums_tiling, _sums_naive,
    gradient=_sums_rule, keeps=("out_grad", "x"), operands=("out_grad", "x"),
)  # fmt: skip


def _standard_infer(x: Spec, moments: Spec, gamma: Spec, beta: Spec, *, eps: float) -> Spec:
    channels = _channels("batch_standard", x)
    wanted = {"moments": (2, channels), "gamma": (channels,), "beta": (channels,)}
    for (name, shape), spec in zip(wanted.items(), (moments, gamma, beta), strict=True):
        if spec.shape != shape or not is_float(spec.dtype):
            raise ShapeError(
                f"batch_norm: {name} is {spec} beside x{x.shape}; expected floats of shape {shape}"
            )
    return Spec(x.shape, np.result_type(*(s.dtype for s in (x, moments, gamma, beta))))


def _standard_partial(in_shapes: Shapes, out_shapes: Shapes, **_: Any) -> tuple[Shapes, Shapes]:
    """Weights have one value a channel."""
    (x, _moments, *weights), (out,) = in_shapes, out_shapes
    known = [s[0] for s in weights if s is not None and len(s) == 1]
    channels = x[1] if x is not None and len(x) > 1 else next(iter(known), None)
    return (x or out, (2, channels), (channels,), (channels,)), (out or x,)


def _standard_tiling(specs: Sequence[Spec], dtype: Any, *, eps: float) -> KernelCall | None:
    return _call("standard", specs[0], dtype, 0.3, in_word(eps, dtype))


def _standard_naive(x: Array, moments: Array, gamma: Array, beta: Array, *, eps: float) -> Array:
    scale = gamma / np.sqrt(moments[1] + np.asarray(eps, x.dtype))
    shape = (-1, *(1,) * (x.ndim - 2))
    return x * scale.reshape(shape) + (beta - moments[0] * scale).reshape(shape)


_FIRST = np.array([[True], [False]])  # of the two rows; chosen so, they fuse, and are not stacked


def _standard_rule(g: Gradients) -> Sequence[Any]:
    """With s the scale: by x it is s * out_grad, the rest follow from sums of each channel."""
    (x, moments, gamma, _), axes = g.inputs, len(g.specs[0].shape)
    root = library.rsqrt(add(row(moments, 1), g.attributes["eps"]))
    scale = multiply(root, gamma)
    to_x = lambda: multiply(g.out_grad, beside(scale, axes))
    if not any(g.wanted[1:]):
        return [to_x]
    sums = library.channel_sums(g.out_grad, x)
    total = row(sums, 0)
    off = multiply(subtract(row(sums, 1), multiply(row(moments, 0), total)), root)
    to_mean = library.negative(multiply(scale, total))
    to_variance = multiply(multiply(multiply(scale, root), off), -0.5)
    return [to_x, library.where(_FIRST, to_mean, to_variance), off, total]


_STANDARD = TiledOp(
    "batch_standard", _standard_infer, _standard_tiling, _standard_naive,
    gradient=_standard_rule, keeps=("x", "moments", "gamma"),
    operands=("x", "moments", "gamma", "beta"), partial=_standard_partial,
)  # fmt: skip

_TABLE = """
channel_moments(x, *, out=None): Mean and variance of each channel of (images, channels, *space), as
    two rows.
batch_statistics(x, moving_mean, moving_var, *, momentum: float = 0.1, frozen=False, correction: int
    = 1): The mean and variance of each channel that `batch_norm` uses.
    The moving ones are states, written in training unless `frozen`; 1 or 0 is the `correction` of
    their divisor n.
    -> array (2, channels), and whether they are the batch's (1) or the moving ones (0)
channel_sums(out_grad, x, *, out=None): Of each channel of (images, channels, *space) the sums of
    `out_grad` and of its product with `x`, as two rows.
batch_standard(x, moments, gamma, beta, *, eps: float = 1e-05, out=None): Channels brought from the
    mean and variance in `moments` (two rows) to `beta` and `gamma`.
"""
define_rows(_TABLE, globals())
