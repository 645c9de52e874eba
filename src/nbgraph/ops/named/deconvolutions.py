"""The transposed convolution as a layer: the gradient of a convolution by its data.

The space of the result follows from the data's once shapes are known, so symbols need none.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import Gradients, Specs
from nbgraph.operator.arrays.tiled_op import TiledOp
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.ops.define import Shape, operator_of
from nbgraph.ops.windows.convolution_shapes import How, infer_data
from nbgraph.ops.windows.convolution_tiles import data_tiling
from nbgraph.ops.windows.convolutions import convolution_data
from nbgraph.ops.windows.windows import require_space, spelled
from nbgraph.shape import Array, Shapes

_DATA = operator_of(convolution_data)


class _Extra(NamedTuple):
    """Options of the result's space: additional cells at the ends, or the extents."""

    adj: int | Shape
    target: Shape


def resolved(shape: Shape, window: Shape, attributes: Any) -> dict[str, Any]:
    """Return the attributes of `convolution_data` for data and a window of these shapes."""
    name, how = "deconvolution", How.of(attributes)
    extra = _Extra(attributes["adj"], attributes["target"])
    axes = require_space(name, "data", shape)
    if len(window) != axes:
        raise ShapeError(
            f"{name}: data has shape {shape} beside a window of {window}; expected (images, "
            "channels, *space) with as many axes of space"
        )
    step, pad, gap, more = (
        spelled(name, argument, value, axes)
        for argument, value in zip(
            ("stride", "pad", "dilation", "adj"), (*how[:3], extra.adj), strict=True
        )
    )
    each = list(zip(shape[2:], window, step, gap, strict=True))
    full = tuple((n - 1) * s + g * (k - 1) + 1 for n, k, s, g in each)
    if extra.target:
        size = spelled(name, "target", extra.target, axes)
        over = [f - t for f, t in zip(full, size, strict=True)]
        if min(over) < 0:
            raise ShapeError(f"{name}: target={size} is larger than {full}, which is all there is")
        pad = tuple((o + 1) // 2 for o in over)
    else:
        if not all(m < s for m, s in zip(more, step, strict=True)):
            raise ArgumentError(f"{name}: adj={more}; expected less than stride={step}, for each")
        size = tuple(f - 2 * p + m for f, p, m in zip(full, pad, more, strict=True))
    return {"size": size, "stride": step, "pad": pad, "dilation": gap, "groups": how.groups}


def _tiling(specs: Specs, dtype: Any, **attributes: Any) -> KernelCall | None:
    how = resolved(specs[0].shape, specs[1].shape[2:], attributes)
    return data_tiling(specs, dtype, **how)


def _naive(data: Array, weight: Array, *bias: Array, **attributes: Any) -> Array:
    how = resolved(data.shape, weight.shape[2:], attributes)
    return _DATA.naive(data, weight, *bias, **how)


def _rule(g: Gradients) -> Sequence[Any]:
    how = resolved(g.specs[0].shape, g.specs[1].shape[2:], g.attributes)
    return _DATA.rule(g._replace(attributes=how))


def _partial(
    in_shapes: Shapes, out_shapes: Shapes, *, groups: int, **_: Any
) -> tuple[Shapes, Shapes]:
    """Infer the weights' first axis from the data's channels, and a bias from the features."""
    (data, weight, *bias), (out,) = in_shapes, out_shapes
    known = data[1] if data is not None and len(data) > 1 else None
    if weight is not None and len(weight) > 2:
        channels = known if weight[0] is None else weight[0]
        features = None if weight[1] is None else weight[1] * groups
        weight = (channels, *weight[1:])
        bias = [(features,) for _ in bias]
    return (data, weight, *bias), (out,)


def _op(operands: Sequence[str]) -> TiledOp:
    return TiledOp(
        "deconvolution",
        lambda *specs, **attributes: infer_data(
            *specs, **resolved(specs[0].shape, specs[1].shape[2:], attributes)
        ),
        _tiling,
        _naive,
        gradient=_rule,
        keeps=("data", "weight"),
        operands=operands,
        partial=_partial,
    )


DECONVOLUTION = _op(("data", "weight"))
BIASED = _op(("data", "weight", "bias"))
