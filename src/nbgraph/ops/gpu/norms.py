"""Norms on GPUs: statistics of channels by a block of threads each, the rest by other operators.

Where 16-bit floats are computed with by several operators, these see float32.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.kernels.cuda import channels
from nbgraph.kernels.cuda.host import memory
from nbgraph.kernels.cuda.unit import is_narrow, team
from nbgraph.operator import elsewhere
from nbgraph.operator.array_op import ArrayOp
from nbgraph.operator.elsewhere import unit_call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.request import kWriteTo
from nbgraph.operator.spec import Attributes, Spec
from nbgraph.ops.define import library
from nbgraph.ops.elementwise.arithmetic import add, multiply, subtract
from nbgraph.ops.gpu.columns import is_one
from nbgraph.ops.gpu.windows import in_one_dtype
from nbgraph.ops.normalisation.batches import (
    batch_standard,
    batch_statistics,
    beside,
    channel_moments,
    channel_sums,
    in_word,
    row,
)
from nbgraph.ops.normalisation.standardising import layer_norm_weights

Specs = Sequence[Spec]


def _stand_in(
    op: ArrayOp, operands: Specs, outputs: Specs, attributes: Attributes
) -> Callable[[Any], None]:
    """The operator itself, over the memory that a record names."""

    def run(record: Any) -> None:
        specs = [*operands, *outputs]
        arrays = [
            memory(address, *spec)
            for address, spec in zip(record[2:].tolist(), specs, strict=False)
        ]
        inputs, results = arrays[: len(operands)], arrays[len(operands) :]
        asked = [kWriteTo] * len(results)
        op.run(inputs, results, asked, attributes, is_train=bool(record[-1]))

    return run


def _wide(x: Spec) -> str:
    return "uint32" if is_narrow(math.prod(x.shape)) else "int64"


def _team(
    op: Any, operands: Specs, outputs: Specs, x: Spec, text: str, *rest: int, **attributes: Any
) -> KernelCall:
    """A block of threads for each channel."""
    op = getattr(op, "op", op)
    kind = "float64" if any(s.dtype == np.float64 for s in (*operands, *outputs)) else "float32"
    code = team(
        op.__name__,
        text,
        len(operands) + len(outputs),
        1 + len(rest),
        threads=channels.THREADS,
        stand_in=_stand_in(op, operands, outputs, attributes),
        compute=kind,
    )
    images, count = x.shape[:2]
    return unit_call(code, (images, count), (math.prod(x.shape[2:]), *rest), count)


@elsewhere.unit(channel_moments)
def moments(operands: Specs, outputs: Specs) -> KernelCall:
    """Two passes over a channel."""
    (x,) = operands
    text = channels.moments_text(x.dtype.name, wide=_wide(x))
    return _team(channel_moments, operands, outputs, x, text)


in_one_dtype(channel_sums)


@elsewhere.unit(channel_sums)
def sums(operands: Specs, outputs: Specs) -> KernelCall | None:
    """One pass over a channel."""
    if not is_one(operands):
        return None
    x = operands[1]
    text = channels.sums_text(x.dtype.name, wide=_wide(x))
    return _team(channel_sums, operands, outputs, x, text)


@elsewhere.unit(batch_statistics)
def statistics(operands: Specs, outputs: Specs, **how: Any) -> KernelCall | None:
    """Moments, and states that move towards them where the last word of the record says so."""
    x = operands[0]
    if 0 in x.shape:
        return None
    wide = any(s.dtype == np.float64 for s in operands)
    dtype = np.dtype("float64" if wide else "float32")
    n = x.shape[0] * math.prod(x.shape[2:])
    ratio = n / max(1, n - how["correction"])
    numbers = (in_word(v, dtype) for v in (how["momentum"], ratio))
    text = channels.statistics_text([s.dtype.name for s in operands], dtype.name, wide=_wide(x))
    return _team(batch_statistics, operands, outputs, x, text, *numbers, 1, **how)


def _computed(operands: Sequence[Any]) -> list[Any]:
    """In the dtype that they are computed with."""
    dtype = np.dtype(compute_dtype(np.result_type(*(x.dtype for x in operands))))
    return [x if x.dtype == dtype else library.astype(x, dtype) for x in operands]


@elsewhere.composed(batch_standard)
def standard(x: Any, both: Any, gamma: Any, beta: Any, *, eps: float) -> Any:
    """A product and a sum, which graphs fuse with what is around."""
    x, both, gamma, beta = _computed((x, both, gamma, beta))
    scale = multiply(gamma, library.rsqrt(add(row(both, 1), eps)))
    shift = subtract(beta, multiply(row(both, 0), scale))
    axes = len(x.shape)
    return add(multiply(x, beside(scale, axes)), beside(shift, axes))


@elsewhere.composed(layer_norm_weights)
def weights(out_grad: Any, x: Any, mean: Any, scale: Any, *, axes: int) -> Any:
    """Two sums over rows."""
    out_grad, x, mean, scale = _computed((out_grad, x, mean, scale))
    rows = tuple(range(len(x.shape) - axes))
    along = multiply(out_grad, multiply(subtract(x, mean), scale))
    return library.stack([library.sum(along, axis=rows), library.sum(out_grad, axis=rows)], 0)
