"""Batch norm: channels normalised to mean 0 and variance 1, by the batch or moving averages.

The statistics are an operator with the moving averages as auxiliary states, which only training
updates. The rest is arithmetic, which graphs fuse. All are row programs whose rows are channels:
all elements of (images, channels, *space) with one index along the second axis.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from nbgraph.dtype import is_float
from nbgraph.errors import DTypeError, ShapeError, require_shape
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Spec, Specs
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.request import Requests, assign, kWriteTo
from nbgraph.operator.rows.row_op import RowOp
from nbgraph.operator.rows.row_program import Result
from nbgraph.ops.define import Shape, define_rows, library
from nbgraph.ops.elementwise.arithmetic import add, multiply, subtract
from nbgraph.ops.rowwise.derived import derived
from nbgraph.shape import Arrays, Shapes


class _Channels(RowOp):
    """A row program whose rows are channels of floats, by default along the second axis."""

    axis = None

    def axes(self, count: int, attributes: Attributes) -> Shape:
        whole = attributes.get("axis") is None
        return (0, *range(2, count)) if whole else super().axes(count, attributes)

    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        count = len(self.program.elements)
        for name, spec in zip(self.operands, specs, strict=False):
            x = None if name in self.operands[:count] else specs[0]
            if x is None or not attributes.get("keepdims"):
                channels(self.__name__, name, spec, x)
            if x is None:
                first = self.operands[0]
                require_shape(f"{self.__name__}: {name}", spec.shape, specs[0].shape, of=first)
        return super().infer(specs, attributes)

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        rows = [row for _, row in self.program.results]
        return partial_shapes(in_shapes, out_shapes, len(self.program.elements), rows)


def channels(op: str, name: str, spec: Spec, x: Spec | None) -> None:
    """Raise ShapeError or DTypeError unless an operand is floats (images, channels, *space), or,
    given such an `x`, has one value per channel."""
    wanted = "(images, channels, *space)" if x is None else str(x.shape[1:2])
    fits = len(spec.shape) >= 2 if x is None else spec.shape == x.shape[1:2]
    if not fits or not is_float(spec.dtype):
        beside = "" if x is None else f" beside x{x.shape}"
        raise (DTypeError if fits else ShapeError)(
            f"{op}: {name} is {spec}; expected floats of shape {wanted}{beside}"
        )


def partial_shapes(
    inside: Shapes, outside: Shapes, elements: int, rows: Sequence[bool]
) -> tuple[Shapes, Shapes]:
    """Return shapes of operands, `elements` of them whole, and of outputs, of `rows` or whole."""
    whole = [*inside[:elements], *(s for s, row in zip(outside, rows, strict=True) if not row)]
    x = next((s for s in whole if s is not None), None)
    known = [*inside[elements:], *(s for s, row in zip(outside, rows, strict=True) if row)]
    row = x[1:2] if x is not None else next((s for s in known if s is not None), None)
    others = [row] * (len(inside) - elements)
    return (*[x] * elements, *others), [row if one else x for one in rows]


def beside(value: Any, axes: int) -> Any:
    """Return one value per channel in a shape that broadcasts against data with so many axes."""
    return library.expand_dims(value, tuple(range(1, axes - 1)))


# moments ----------------------------------------------------------------------------------------

_element = lambda x: x
_mean = lambda total, count: total / count
_spread = lambda x, total, count: (x - total / count) * (x - total / count)


class _Moments(_Channels):
    def infer(self, specs: Specs, attributes: Attributes) -> tuple[Spec, ...]:
        inferred = super().infer(specs, attributes)
        (x,) = specs
        if not math.prod(x.shape[:1] + x.shape[2:]) and x.shape[1]:
            raise ShapeError(
                f"channel_moments: x{x.shape} has channels without elements, whose mean has no "
                "value"
            )
        return inferred


def _by_data(x: Any, mean: Any, out_grads: Sequence[Any], spec: Spec) -> Any:
    """Return the gradient by x: 1/n by the mean, 2 (x - mean) / n by the variance."""
    axes, slope = len(spec.shape), None
    n = math.prod(spec.shape[:1] + spec.shape[2:])
    to_mean, to_variance = out_grads
    if to_variance is not None:
        slope = multiply(
            multiply(subtract(x, beside(mean, axes)), beside(to_variance, axes)), 2 / n
        )
    if to_mean is None:
        return slope
    each = multiply(beside(to_mean, axes), 1 / n)
    return library.broadcast_to(each, spec.shape) if slope is None else add(slope, each)


_MOMENTS = _Moments.of(
    "channel_moments",
    "x",
    {"total": ("add", _element), "spread": ("add", _spread)},
    [Result(_mean, row=True), Result(lambda spread, count: spread / count, row=True)],
    lambda g: [_by_data(g.inputs[0], g.outputs[0], g.out_grads, g.specs[0])],
    "x out0",
)


# with moving averages ---------------------------------------------------------------------------


_trained = lambda x, *, trains=1: x if trains > 0 else 0.0
_apart = lambda x, total, count, *, trains=1: _spread(x, total, count) if trains > 0 else 0.0
_used = lambda value, state, trains: value if trains > 0 else state
_moved = lambda value, state, momentum, trains: _used(
    state + momentum * (value - state), state, trains
)
_used_mean = lambda total, count, moving_mean, *, trains=1: _used(
    total / count, moving_mean, trains
)
_used_var = lambda spread, count, moving_var, *, trains=1: _used(spread / count, moving_var, trains)


def _next_mean(total, count, moving_mean, *, momentum=0.1, trains=1):
    return _moved(total / count, moving_mean, momentum, trains)


def _next_variance(spread, count, moving_var, *, momentum=0.1, correction=1.0, trains=1):
    return _moved(spread / max(1, count - correction), moving_var, momentum, trains)


_USED = _used_mean, _used_var, lambda count, *, trains=1: trains
_BATCH = _Channels.of(
    "moving_statistics",
    "x | moving_mean moving_var",
    {"total": ("add", _trained), "spread": ("add", _apart)},
    [Result(f, row=True) for f in (*_USED, _next_mean, _next_variance)],
)
_BATCH.pushed = ("trains",)


class _Statistics(ArrayOp):
    """Mean and variance to standardise by, and whether they are the batch's (1 or 0), for each
    channel; the states are further results of the kernel, written in place."""

    kernels = ("host", "devices")
    kernels_at_once = adds = False
    auxiliary = ("moving_mean", "moving_var")

    def run(
        self,
        inputs: Arrays,
        outputs: Arrays,
        requests: Requests,
        attributes: Attributes,
        *,
        is_train: bool = False,
        **_: Any,
    ) -> None:
        """See ArrayOp; in training the states move towards the batch's statistics."""
        (trains,) = self.numbers(attributes, is_train=is_train)
        if not trains:
            for out, request, value in zip(outputs, requests, (*inputs[1:], 0.0), strict=True):
                assign(out, request, np.asarray(value, out.dtype))
            return
        results = [np.empty(x.shape, x.dtype) for x in (*outputs, *inputs[1:])]
        own = _attributes(attributes, trains)
        _BATCH.run(inputs, results, [kWriteTo] * len(results), own)
        for out, request, value in zip(outputs, requests, results, strict=False):
            assign(out, request, value)
        for state, value in zip(inputs[1:], results[len(outputs) :], strict=True):
            state[...] = value

    def mode(self, attributes: Attributes) -> bool | None:
        return False if attributes["frozen"] else None

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[int]:
        """See ArrayOp: whether the states move (1 or 0), the last number of the record."""
        return (int(is_train and not attributes["frozen"]),)

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: the kernel of the row program, whose last results are the states."""
        count, states = len(case.arrays), case.operands[1:]
        whole = case._replace(
            outputs=(*case.outputs, *states),
            requests=(*case.requests, "write", "write"),
            attributes=_attributes(case.attributes, 0),
        )
        lowered = _BATCH.lower(whole)
        if lowered is None or any(lowered.places[k] for k in (1, 2, count, count + 1)):
            return None
        (call,) = lowered.calls
        order = [k if k < count else 1 + k - count for k in call.order]
        *known, _ = _BATCH.values(whole.attributes)
        call = replace(call, name=self.__name__, order=tuple(order)).of_numbers(known)
        return Lowered((call,), lowered.places[:count], adds=False)


def _attributes(attributes: Attributes, trains: int) -> Attributes:
    own = {name: float(attributes[name]) for name in ("momentum", "correction")}
    return _BATCH.normalise({**own, "trains": trains})


def _statistics_infer(x: Spec, mean: Spec, variance: Spec, **_: Any) -> list[Spec]:
    channels("batch_norm", "x", x, None)
    for name, state in (("moving_mean", mean), ("moving_var", variance)):
        channels("batch_norm", name, state, x)
    return [Spec(x.shape[1:2], x.dtype)] * 3


def _statistics_rule(g: Gradients) -> Sequence[Any]:
    grads = [None if v is None else library.where(g.outputs[2], v, 0) for v in g.out_grads[:2]]
    if g.attributes["frozen"] or all(v is None for v in grads):
        return []
    return [_by_data(g.inputs[0], g.outputs[0], grads, g.specs[0])]


_STATISTICS = _Statistics(
    "batch_statistics",
    _statistics_infer,
    gradient=_statistics_rule,
    keeps=("x", "out0", "out2"),
    operands=("x", "moving_mean", "moving_var"),
    nout=3,
    partial=lambda inside, outside, **_: partial_shapes(inside, outside, 1, [True] * 3),
)


# sums, and results of the statistics -------------------------------------------------------------


_SUMS = _Channels.of(
    "channel_sums",
    "out_grad x",
    {
        "total": ("add", lambda out_grad: out_grad),
        "along": ("add", lambda out_grad, x: out_grad * x),
    },
    [Result(lambda total: total, row=True), Result(lambda along: along, row=True)],
    derived,
)


def _standard(x, mean, variance, gamma, beta, *, eps=1e-5):
    return (x - mean) * (gamma / math.sqrt(variance + eps)) + beta


def _standard_rule(g: Gradients) -> Sequence[Any]:
    """Use s * out_grad by x, with s the scale; the rest follow from sums over each channel."""
    (x, mean, variance, gamma, _), axes = g.inputs, len(g.specs[0].shape)
    root = library.rsqrt(add(variance, g.attributes["eps"]))
    scale = multiply(root, gamma)
    to_x = lambda: multiply(g.out_grad, beside(scale, axes))
    if not any(g.wanted[1:]):
        return [to_x]
    total, along = library.channel_sums(g.out_grad, x)
    off = multiply(subtract(along, multiply(mean, total)), root)
    to_mean = library.negative(multiply(scale, total))
    to_variance = multiply(multiply(multiply(scale, root), off), -0.5)
    return [to_x, to_mean, to_variance, off, total]


_STANDARD = _Channels.of(
    "batch_standard", "x | mean variance gamma beta", {}, [_standard], _standard_rule,
    "x mean variance gamma",
)  # fmt: skip

_TABLE = """
channel_moments(x, *, out=None): Mean and variance of each channel of (images, channels, *space).
    -> two arrays (channels,)
batch_statistics(x, moving_mean, moving_var, *, momentum: float = 0.1, frozen=False, correction: int
    = 1): The mean and variance of each channel that `batch_norm` uses.
    The moving ones are states, written in training unless `frozen`; 1 or 0 is the `correction` of
    their divisor n.
    -> three arrays (channels,); the last says whether they are the batch's (1) or the moving ones
channel_sums(out_grad, x, *, out=None): Of each channel of (images, channels, *space) the sums of
    `out_grad` and of its product with `x`.
    -> two arrays (channels,)
batch_standard(x, mean, variance, gamma, beta, *, eps: float = 1e-05, out=None): Channels brought
    from their mean and variance to `beta` and `gamma`.
"""
define_rows(_TABLE, globals())
