"""Tensor operators on the host: what pushes each kind of NodeOp, with kernels or NumPy views."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.array import carry, whole
from nbgraph.array.carry import common_device
from nbgraph.array.core import Array
from nbgraph.array.push import WEAK, Carried, carried, copied, push, same, write
from nbgraph.device import RunContext
from nbgraph.dtype import as_dtype
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.errors import ShapeError
from nbgraph.nodes.functions import scaled
from nbgraph.operator.mapper import Mapper
from nbgraph.operator.reduction import map_reduce
from nbgraph.ops.reductions.reductions import accumulator
from nbgraph.ops.shapes.shape import broadcast_to
from nbgraph.resource import request
from nbgraph.settings import PYTHON_ASKED, config
from nbgraph.shape import broadcast

if TYPE_CHECKING:
    from nbgraph.nodes.nodeop import NodeOp

View = np.ndarray[Any, Any]
_BLOCK = 1 << 15  # elements of a full reduction that are in temporary space at a time
IDENTITY = {"add": 0.0, "multiply": 1.0, "max": -math.inf, "min": math.inf}
_UFUNC: dict[str, np.ufunc] = {
    "add": np.add,
    "multiply": np.multiply,
    "max": np.maximum,
    "min": np.minimum,
}


# element by element -----------------------------------------------------------------------------


def element(job: NodeOp, first: bool, summed: Any = None) -> None:
    """`element` and `add` where nothing is summed: one kernel. Else `summed` does it."""
    op, out, values = job.fn, job.out, list(job.ins)
    if job.scale != 1.0:
        op = scaled(op)
        values.append(job.scale)
    if op.refresh_needed():
        op.refresh()
    op.require_certificate()
    common_device(job.name, op.scalar.operands, values, [out])
    given = op.parameters(dict(job.parameters)) if op.scalar.parameters else {}
    found = carried(op, values, given)
    if found.shape != out.shape and _spread(found.shape, out.shape) is None:
        if job.request != "add":
            raise ShapeError(_unfit(job, found))
        (summed or _summed)(job, found, first)
        return
    if not out.size:
        return
    asked = "add" if job.request == "add" and not first else "write"
    alone = out._holder is None and all(
        getattr(v, "_chunk", None) is not out._chunk for v in values
    )
    outs = None if alone and asked == "write" else [out]
    if PYTHON_ASKED[0] and config.compiler == "python":
        wide = [v if type(v) in WEAK else broadcast_to(v, out.shape) for v in values]
        carry.apply(op, wide, given, [out], [asked])
    else:
        push(op, found, values, [out], outs, [asked])
    out._chunk.writes += 1


def _spread(shape: Sequence[int], wide: Sequence[int]) -> bool | None:
    """True if `shape` broadcasts to `wide`, else None."""
    lead = len(wide) - len(shape)
    fits = lead >= 0 and all(n in (1, m) for n, m in zip(shape, wide[lead:]))
    return fits or None


def _unfit(job: NodeOp, found: Carried) -> str:
    return (
        f"{job.name}: the arrays broadcast to {found.shape}, out has shape {job.out.shape}; give "
        "an out of the broadcast shape, or use add or aggregate to reduce axes"
    )


# sums over axes that the output lacks -----------------------------------------------------------


def reduced(job: NodeOp, shape: tuple[int, ...]) -> tuple[int, ...]:
    """The axes of `shape` that the output lacks or has with size 1; ShapeError if others differ."""
    own: tuple[int, ...] = job.out.shape
    lead = len(shape) - len(own)
    pairs = list(enumerate(zip(shape[max(lead, 0) :], own[max(-lead, 0) :], strict=True)))
    if any(n != m and 1 not in (n, m) for _, (n, m) in pairs):
        raise ShapeError(
            f"{job.name}: the arrays broadcast to {shape}, out has shape {own}; sizes must be "
            "equal, or 1 where axes are reduced or repeated"
        )
    return (*range(max(lead, 0)), *(d + max(lead, 0) for d, (n, m) in pairs if m == 1 != n))


class _Work:
    """A function of views as the engine runs it: `fn(out, ins)`."""

    __slots__ = ("fn", "ins", "out")

    def __init__(self, fn: Callable[[View, list[Any]], None], out: View, ins: list[Any]) -> None:
        self.fn, self.out, self.ins = fn, out, ins

    def __call__(self, run_ctx: RunContext) -> None:
        self.fn(self.out, self.ins)


def _push_views(
    job: NodeOp,
    fn: Callable[[View, list[Any]], None],
    *,
    whole: bool,
    resources: Sequence[Any] = (),
) -> None:
    """Push a function of NumPy views; operands in the output's memory are copied before."""
    out = job.out
    common_device(job.name, (), job.ins, [out])
    held = out._chunk
    ins = [copied(v) if isinstance(v, Array) and v._chunk is held else v for v in job.ins]
    reads = dict.fromkeys(v._chunk for v in ins if isinstance(v, Array))
    views = [read_only(v._view()) if isinstance(v, Array) else v for v in ins]
    in_charge().push(
        _Work(fn, out._view(), views),
        const_vars=tuple(reads),
        mutate_vars=[held, *(r.variable for r in resources)],
        name=job.name,
        prop=OVERWRITE if whole and out._holder is None else NORMAL,
    )
    held.writes += 1


def read_only(view: View) -> View:
    """The view, which may be looked at only."""
    view.flags.writeable = False
    return view


def _summed(job: NodeOp, found: Carried, first: bool) -> None:
    axes = reduced(job, found.shape)
    op, scale, parameters = job.fn, job.scale, dict(job.parameters)
    kept = len(job.out.shape)

    def compute(out: View, ins: list[Any]) -> None:
        total = map_reduce(op, *ins, axis=axes, keepdims=True, **parameters)
        total = np.reshape(total, total.shape[max(total.ndim - kept, 0) :])
        _deliver(out, total if scale == 1.0 else scale * total, add=not first)

    _push_views(job, compute, whole=first)


def _deliver(out: View, value: Any, *, add: bool) -> None:
    with np.errstate(over="ignore", invalid="ignore"):  # casts as in C
        if add:
            np.add(out, value, out=out, casting="unsafe")
        else:
            out[...] = value


# aggregation ------------------------------------------------------------------------------------


def aggregate(job: NodeOp, first: bool) -> None:
    """Any reduction by axes."""
    shapes = [v.shape for v in job.ins if isinstance(v, Array)]
    shape = np.broadcast_shapes(*shapes)
    axes = reduced(job, shape)
    op, scale = job.fn, job.scale
    init, combine = job.options["init"], job.options["combine"]

    def compute(out: View, ins: list[Any]) -> None:
        total = _fold(op, combine, init, ins, axes)
        total = np.reshape(total, np.shape(total)[max(np.ndim(total) - out.ndim, 0) :])
        _deliver(out, total if scale == 1.0 else scale * total, add=False)

    _push_views(job, compute, whole=True)


def _fold(op: Mapper, combine: Any, init: float, ins: list[Any], axes: tuple[int, ...]) -> Any:
    """`init` combined with the function's values along axes, which are kept."""
    if isinstance(combine, Mapper):
        values = np.asarray(op(*ins))
        return (
            combine.reduce(values, axis=axes, initial=init, keepdims=True)
            if axes
            else combine(values.dtype.type(init), values)
        )
    shape = np.broadcast_shapes(*(np.shape(v) for v in ins))
    if 0 in shape:
        kept = [1 if d in axes else n for d, n in enumerate(shape)]
        return np.full(kept, init)
    total = map_reduce(op, *ins, axis=axes, combine=combine, keepdims=True) if axes else op(*ins)
    return total if init == IDENTITY[combine] else _UFUNC[combine](total, init)


def aggregate_all(job: NodeOp, first: bool) -> None:
    """A full reduction, block by block through temporary space."""
    x = job.ins[0]
    asked = job.options["acc_dtype"]
    wide = accumulator(x.dtype) if asked is None else as_dtype(asked)
    (space,) = request("temp_space", x.device)
    op, init, combine = job.fn, job.options["init"], job.options["combine"]

    def compute(out: View, ins: list[Any]) -> None:
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
                cell = _UFUNC[combine](cell, _UFUNC[combine].reduce(values))
            cell = np.asarray(cell, wide)
        _deliver(out, cell, add=False)

    _push_views(job, compute, whole=True, resources=[space])


# products ---------------------------------------------------------------------------------------


def prod(job: NodeOp, first: bool) -> None:
    """Matrix products by BLAS."""
    out = job.out
    swap_a, swap_b, shape, axes = product(job)
    beta, alpha = (0.0 if first else job.options["beta"]), job.scale
    wide = accumulator(out.dtype)

    def compute(target: View, ins: list[Any]) -> None:
        x, y = (v.astype(wide, copy=False) for v in ins)
        x = x.swapaxes(-1, -2) if swap_a else x
        y = y.swapaxes(-1, -2) if swap_b else y
        if beta == 0.0 and alpha == 1.0 and target.shape == shape and target.dtype == wide:
            np.matmul(x, y, out=target)
            return
        found = np.matmul(x, y).sum(axis=axes, keepdims=True) if axes else np.matmul(x, y)
        found = found.reshape(found.shape[max(found.ndim - target.ndim, 0) :])
        found = found if alpha == 1.0 else wide.type(alpha) * found
        target[...] = found if beta == 0.0 else wide.type(beta) * target.astype(wide) + found

    _push_views(job, compute, whole=beta == 0.0)


def product(job: NodeOp) -> tuple[bool, bool, tuple[int, ...], tuple[int, ...]]:
    """Of a product: which operands are transposed, its shape, the axes that the output lacks."""
    a, b, out = *job.ins, job.out
    swap_a, swap_b = job.options["trans_a"], job.options["trans_b"]
    for name, value in (("a", a), ("b", b), ("out", out)):
        if len(value.shape) < 2:
            raise ShapeError(
                f"prod: {name} has shape {value.shape}; expected matrices, with reshape for vectors"
            )
    shape = _product_shape(_swapped(a.shape, swap_a), _swapped(b.shape, swap_b))
    if out.shape[-2:] != shape[-2:]:
        raise ShapeError(f"prod: the product has shape {shape}, out {out.shape}; give one of that")
    return swap_a, swap_b, shape, reduced(job, shape)


def _product_shape(a: tuple[int, ...], b: tuple[int, ...]) -> tuple[int, ...]:
    if a[-1] != b[-2]:
        raise ShapeError(
            f"prod: inner sizes differ: a{a} @ b{b}, as transposed; give matrices that fit, or "
            "trans_a, trans_b"
        )
    return (*broadcast("prod", [("a", a[:-2]), ("b", b[:-2])]), a[-2], b[-1])


def _swapped(shape: tuple[int, ...], swap: bool) -> tuple[int, ...]:
    return (*shape[:-2], shape[-1], shape[-2]) if swap else shape


# functions --------------------------------------------------------------------------------------


def run(job: NodeOp, first: bool) -> None:
    """A user's Python function of NumPy views."""
    fn = job.fn

    def compute(out: View, ins: list[Any]) -> None:
        fn(out, *ins)

    _push_views(job, compute, whole=False)


def look(job: NodeOp, first: bool) -> None:
    """A user's function that is shown the values, which pass."""
    fn = job.fn

    def looked(out: View, ins: list[Any]) -> None:
        fn(ins[0])
        out[...] = ins[0]

    _push_views(job, looked, whole=True)


def cast(job: NodeOp, first: bool) -> None:
    """Values in another dtype; what does not fit is left to NumPy."""

    def casted(out: View, ins: list[Any]) -> None:
        _deliver(out, ins[0], add=False)

    _push_views(job, casted, whole=True)


def compute(job: NodeOp, first: bool) -> None:
    """Operators of the library, one after another; the same on every device."""
    if not job.out.size:
        return
    found = job.fn(*job.ins)
    write(same, found, job.out, "add" if job.request == "add" and not first else "write")
    job.out._chunk.writes += 1


def apply_op(job: NodeOp, first: bool) -> None:
    """An operator of the library over whole arrays, or with several outputs: one of those."""
    outs: list[Any] = [None] * job.fn.nout
    outs[job.options["output"]] = job.out
    carrier: Any = carry.apply if isinstance(job.fn, Mapper) else whole.apply
    carrier(job.fn, job.ins, job.parameters, outs)


RUNNERS: dict[str, Callable[[Any, bool], None]] = {
    "element": element,
    "add": element,
    "aggregate": aggregate,
    "aggregate_all": aggregate_all,
    "prod": prod,
    "run": run,
    "look": look,
    "cast": cast,
    "compute": compute,
    "apply": apply_op,
}
