"""Runners for each kind of NodeOp: operators on arrays, one after another, on any device.

Maps have the same bits on every device; sums may differ in their order. Floats of 16 bits are
summed and multiplied in float32. Functions of NumPy views run on the host only.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph import ops
from nbgraph.array import apply_array_op, apply_scalar_op
from nbgraph.array.apply_scalar_op import common_device
from nbgraph.array.copying import copy_of, fill_from
from nbgraph.array.core import Array, empty_of
from nbgraph.array.push import WEAK, inferred, push, same, write
from nbgraph.dtype import as_dtype
from nbgraph.errors import ShapeError
from nbgraph.executor.function import Function
from nbgraph.graph import build
from nbgraph.graph.graph import Graph
from nbgraph.graph.symbol import Symbol
from nbgraph.nodes.functions import scaled
from nbgraph.nodes.views import look, push_views, run
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.ops.reductions.reductions import accumulator
from nbgraph.resource import request
from nbgraph.settings import PYTHON_ASKED, config
from nbgraph.shape import Shape, broadcast, spreads

if TYPE_CHECKING:
    from nbgraph.nodes.nodeop import NodeOp

_FUSED = 1 << 17  # elements from which on a reduction and its operand are one compiled loop
_BLOCK = 1 << 15  # elements of a full reduction in temporary space at a time


class Combination(NamedTuple):
    """A way to combine values: its neutral start, and its forms for axes, two arrays, views."""

    start: float
    reduce: Callable[..., Any]
    two: Callable[..., Any]
    views: np.ufunc


COMBINATIONS = {
    "add": Combination(0.0, ops.sum, ops.add, np.add),
    "multiply": Combination(1.0, ops.prod, ops.multiply, np.multiply),
    "max": Combination(-math.inf, ops.max, ops.maximum, np.maximum),
    "min": Combination(math.inf, ops.min, ops.minimum, np.minimum),
}


def deliver(job: NodeOp, value: Any, *, add: bool, scale: float = 1.0) -> None:
    """Write an array, scaled, reshaped and cast, to the job's output, or add it to that."""
    out = job.out
    if not out.size:
        return
    if scale != 1.0:
        value = apply_scalar_op.apply(scaled(same), [value, scale], {})
    write(same, value.reshape(out.shape), out, "add" if add else "write")
    out._chunk.writes += 1


# element by element -----------------------------------------------------------------------------


def element(job: NodeOp, first: bool) -> None:
    """Run `element` or `add`, as one kernel unless `add` sums over axes."""
    op, out, values = job.fn, job.out, list(job.ins)
    if job.scale != 1.0:
        op = scaled(op)
        values.append(job.scale)
    op.refresh()
    op.require_certificate()
    common_device(job.name, op.scalar.operands, values, [out])
    parameters = op.parameters_of(dict(job.parameters)) if op.scalar.parameters else {}
    outcome = inferred(op, values, parameters)
    if outcome.shape != out.shape and not spreads(outcome.shape, out.shape):
        if job.request != "add":
            raise ShapeError(
                f"{job.name}: the arrays broadcast to {outcome.shape}, out has shape {out.shape}; "
                "give an out of the broadcast shape, or use add or aggregate to reduce axes"
            )
        axes = _reduced(job, outcome.shape)  # which the output lacks
        if axes:
            total = _total(job, ops.sum, axes)
        else:
            total = apply_scalar_op.apply(job.fn, _wide(job), dict(job.parameters))
        target = np.broadcast_shapes(total.shape, out.shape)
        total = total if total.shape == target else ops.broadcast_to(total, target)
        deliver(job, total, add=not first, scale=job.scale)
        return
    if not out.size:
        return
    request = "add" if job.request == "add" and not first else "write"
    alone = out._holder is None and all(
        getattr(v, "_chunk", None) is not out._chunk for v in values
    )
    if PYTHON_ASKED[0] and config.compiler == "python":
        wide = [v if type(v) in WEAK else ops.broadcast_to(v, out.shape) for v in values]
        apply_scalar_op.apply(op, wide, parameters, [out], [request])
    else:
        outs = None if alone and request == "write" else [out]
        push(outcome.plan, values, [out], outs, [request])
    out._chunk.writes += 1


# reductions -------------------------------------------------------------------------------------


def _reduced(job: NodeOp, shape: Shape) -> Shape:
    """Return the axes of `shape` that the output reduces; ShapeError if others differ."""
    own: Shape = job.out.shape
    lead = len(shape) - len(own)
    pairs = list(enumerate(zip(shape[max(lead, 0) :], own[max(-lead, 0) :], strict=True)))
    if any(n != m and 1 not in (n, m) for _, (n, m) in pairs):
        raise ShapeError(
            f"{job.name}: the arrays broadcast to {shape}, out has shape {own}; sizes must be "
            "equal, or 1 where axes are reduced or repeated"
        )
    return (*range(max(lead, 0)), *(d + max(lead, 0) for d, (n, m) in pairs if m == 1 != n))


def _total(job: NodeOp, reduce: Callable[..., Any], axes: Shape) -> Any:
    """Return values of the job's function reduced along axes, which are kept. Large operands run as
    one loop, with no array of the values; compiling that is too slow for small ones."""
    op, ins = job.fn, _wide(job)
    arrays = [v for v in ins if type(v) not in WEAK]
    if math.prod(np.broadcast_shapes(*(v.shape for v in arrays))) < _FUSED:
        return reduce(
            apply_scalar_op.apply(op, ins, dict(job.parameters)), axis=axes, keepdims=True
        )
    op.refresh()
    specs = tuple(
        [(type(v), repr(v), v) if type(v) in WEAK else layout(v.shape, v.dtype) for v in ins]
    )
    function = _loop(op, op.scalar.watch, tuple(job.parameters.items()), specs, reduce, axes)
    return function.run([v if v._layout.contiguous else copy_of(v) for v in arrays])[0]


@functools.lru_cache(maxsize=128)
def _loop(
    op: Mapper, watch: Any, parameters: Any, ins: Any, reduce: Callable[..., Any], axes: Shape
) -> Function:
    """Return a compiled reduction of a scalar operator's results. `ins`: layouts and
    numbers; `watch` distinguishes the operator's texts."""
    variables: list[Any] = []
    values: list[Any] = []
    for own in ins:
        if isinstance(own, Layout):
            variables.append(build.variable(f"x{len(variables)}", own.shape, own.dtype))
            values.append(Symbol([(variables[-1], 0)]))
        else:
            values.append(own[-1])
    total = reduce(op(*values, **dict(parameters)), axis=axes, keepdims=True)
    return Function(Graph([total.entry], variables), op.__name__)


def _wide(job: NodeOp) -> list[Any]:
    """Return the operands, 16-bit floats as float32."""
    return [
        ops.astype(v, accumulator(v.dtype), copy=False)
        if isinstance(v, Array) and v.dtype.itemsize == 2
        else v
        for v in job.ins
    ]


def aggregate(job: NodeOp, first: bool) -> None:
    """Run any reduction by axes."""
    common_device(job.name, (), job.ins, [job.out])
    shape = np.broadcast_shapes(*(v.shape for v in job.ins if isinstance(v, Array)))
    axes = _reduced(job, shape)
    combine, init = job.options["combine"], job.options["init"]
    if axes and not isinstance(combine, Mapper) and 0 not in shape:
        total = _total(job, COMBINATIONS[combine].reduce, axes)
        total = _from_start(total, combine, init)
    else:
        total = _folded(apply_scalar_op.apply(job.fn, _wide(job), {}), combine, init, axes)
    deliver(job, total, add=False, scale=job.scale)


def _folded(values: Any, combine: Any, init: float, axes: Shape) -> Any:
    """Return `init` combined with values along axes, which are kept."""
    shape = tuple(1 if d in axes else n for d, n in enumerate(values.shape))
    if not values.size:
        out = empty_of(layout(shape, values.dtype), values.device)
        fill_from(out, init)
        return out
    if isinstance(combine, Mapper):
        for axis in axes:
            values = _combine_axis(values, combine, axis)
        return combine(init, values)
    total = COMBINATIONS[combine].reduce(values, axis=axes, keepdims=True) if axes else values
    return _from_start(total, combine, init)


def _from_start(total: Any, combine: str, init: float) -> Any:
    """Return the total combined with its start `init`."""
    own = COMBINATIONS[combine]
    return total if init == own.start else own.two(total, init)


def _combine_axis(x: Any, combine: Mapper, axis: int) -> Any:
    """Combine neighbours along an axis by an associative operator, until one element is left."""
    lead = (slice(None),) * axis
    while x.shape[axis] > 1:
        count = x.shape[axis]
        pairs = combine(x[(*lead, slice(0, count - 1, 2))], x[(*lead, slice(1, count, 2))])
        x = ops.concatenate([pairs, x[(*lead, slice(-1, None))]], axis=axis) if count % 2 else pairs
    return x


def aggregate_all(job: NodeOp, first: bool) -> None:
    """Run a full reduction; on the host block by block through temporary space."""
    x, requested = job.ins[0], job.options["acc_dtype"]
    wide = accumulator(x.dtype) if requested is None else as_dtype(requested)
    if x.device.host:
        _reduce_in_blocks(job, wide)
        return
    operand = ops.astype(x.reshape(-1), wide, copy=False)
    values = ops.astype(apply_scalar_op.apply(job.fn, [operand], {}), wide, copy=False)
    deliver(job, _folded(values, job.options["combine"], job.options["init"], (0,)), add=False)


def _reduce_in_blocks(job: NodeOp, wide: np.dtype[Any]) -> None:
    (space,) = request("temp_space", job.ins[0].device)
    op, init, combine = job.fn, job.options["init"], job.options["combine"]

    def compute(out: np.ndarray[Any, Any], ins: list[Any]) -> None:
        flat = ins[0].reshape(-1)
        cell = np.array(init, wide)
        for start in range(0, flat.size, _BLOCK):
            block = flat[start : start + _BLOCK]
            scratch = space.get_space((2, block.size), wide)
            np.copyto(scratch[0], block, casting="unsafe")
            values = op(scratch[0], out=scratch[1])
            if isinstance(combine, Mapper):
                cell = combine.reduce(values, initial=cell[()])
            else:
                two = COMBINATIONS[combine].views
                cell = two(cell, two.reduce(values))
            cell = np.asarray(cell, wide)
        with np.errstate(over="ignore", invalid="ignore"):  # casts as in C
            out[...] = cell

    push_views(job, compute, overwrites=True, resources=[space])


# products ---------------------------------------------------------------------------------------


def prod(job: NodeOp, first: bool) -> None:
    """Run matrix products by a library."""
    common_device(job.name, (), job.ins, [job.out])
    swap_a, swap_b = job.options["trans_a"], job.options["trans_b"]
    shape, axes = _product(job, swap_a, swap_b)
    beta = 0.0 if first else job.options["beta"]
    out, wide = job.out, accumulator(job.out.dtype)
    a, b = (ops.astype(v, wide, copy=False) for v in job.ins)
    a = ops.swapaxes(a, -1, -2) if swap_a else a
    b = ops.swapaxes(b, -1, -2) if swap_b else b
    separate = all(v._chunk is not out._chunk for v in (a, b))
    if separate and (beta, job.scale, out.shape, out.dtype) == (0.0, 1.0, shape, wide):
        ops.matmul(a, b, out=out)
        return
    product = ops.matmul(a, b)
    product = ops.sum(product, axis=axes, keepdims=True) if axes else product
    if beta in (0.0, 1.0):
        deliver(job, product, add=beta == 1.0, scale=job.scale)
        return
    before = ops.multiply(ops.astype(out, wide), beta)
    deliver(job, before + ops.multiply(product.reshape(out.shape), job.scale), add=False)


def _product(job: NodeOp, swap_a: bool, swap_b: bool) -> tuple[Shape, Shape]:
    """Return the shape of a product, and the axes of it that the output lacks."""
    a, b, out = *job.ins, job.out
    for name, value in (("a", a), ("b", b), ("out", out)):
        if len(value.shape) < 2:
            raise ShapeError(
                f"prod: {name} has shape {value.shape}; expected matrices, with reshape for vectors"
            )
    a, b = _swapped(a.shape, swap_a), _swapped(b.shape, swap_b)
    if a[-1] != b[-2]:
        raise ShapeError(
            f"prod: inner sizes differ: a{a} @ b{b}, as transposed; give matrices that fit, or "
            "trans_a, trans_b"
        )
    shape = (*broadcast("prod", [("a", a[:-2]), ("b", b[:-2])]), a[-2], b[-1])
    if out.shape[-2:] != shape[-2:]:
        raise ShapeError(f"prod: the product has shape {shape}, out {out.shape}; give one of that")
    return shape, _reduced(job, shape)


def _swapped(shape: Shape, swap: bool) -> Shape:
    return (*shape[:-2], shape[-1], shape[-2]) if swap else shape


# operators of the library ---------------------------------------------------------------------


def compute(job: NodeOp, first: bool) -> None:
    """Run operators of the library, one after another."""
    if job.out.size:
        value = job.fn(*job.ins)
        write(same, value, job.out, "add" if job.request == "add" and not first else "write")
        job.out._chunk.writes += 1


def apply_op(job: NodeOp, first: bool) -> None:
    """Run an operator of the library over whole arrays; of several outputs, one."""
    outs: list[Any] = [None] * job.fn.nout
    outs[job.options["output"]] = job.out
    carrier: Any = apply_scalar_op.apply if isinstance(job.fn, Mapper) else apply_array_op.apply
    carrier(job.fn, job.ins, job.parameters, outs)


KINDS: dict[str, Callable[[Any, bool], None]] = {
    "element": element,
    "add": element,
    "aggregate": aggregate,
    "aggregate_all": aggregate_all,
    "prod": prod,
    "run": run,
    "look": look,
    "compute": compute,
    "apply": apply_op,
}
