"""The loss of label sequences shorter than the scores, over all alignments (CTC, Graves et al.,
2006), by MXNet's names.

The states of a sample are its labels with blanks before, between and after them. Sums over
alignments run forward and backward through the states, in logarithms; together they give the
gradient, which is the second output. There are no second derivatives.
"""

from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import compute_dtype, name_of
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.layout import layout
from nbgraph.ops.define import by_numpy, define_rows, library, require_floats
from nbgraph.ops.named.calls import named as named
from nbgraph.shape import Array, Arrays

_NEVER = -np.inf
_FLOATS = {"float32", "float64"}
_MARKS = _FLOATS.union(f"{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64))


def _infer(data: Spec, label: Spec, *lengths: Spec, **_: Any) -> tuple[Spec, Spec]:
    if len(data.shape) != 3 or len(label.shape) != 2 or label.shape[0] != data.shape[1]:
        raise ShapeError(
            f"CTCLoss: data has shape {data.shape} and label {label.shape}; expected (steps, "
            "samples, classes) and (samples, labels)"
        )
    require_floats("CTCLoss", data, label="data")
    for spec in lengths:
        if spec.shape != data.shape[1:2]:
            raise ShapeError(f"CTCLoss: lengths have shape {spec.shape}; expected one a sample")
    return Spec(data.shape[1:2], data.dtype), data


class _States(NamedTuple):
    """`ends`: the last state, a blank, of each sample; `skips`: the states that may be entered past
    a blank, from the last but one; `scores` of (step, sample, state)."""

    classes: Array
    skips: Array
    ends: Array
    steps: Array
    scores: Array


def _states(xp: Any, share: Array, label: Array, lengths: Arrays, **how: Any) -> _States:
    first = how["blank_label"] == "first"
    blank, unused = (0, 0) if first else (share.shape[2] - 1, -1)
    label, counts_left = label.astype(np.int64), [x.astype(np.int64) for x in lengths]
    steps = counts_left.pop(0) if how["use_data_lengths"] else xp.full(len(label), share.shape[0])
    counts = (xp.cumsum(label == unused, 1) == 0).sum(1)
    counts = counts_left.pop(0) if how["use_label_lengths"] else counts
    inside = xp.arange(label.shape[1]) < counts[:, None]
    classes = xp.full((len(label), 2 * label.shape[1] + 1), blank)
    classes[:, 1::2] = xp.where(inside, label, blank)
    skips = xp.zeros(classes.shape, bool)
    skips[:, 2:] = (classes[:, 2:] != blank) & (classes[:, 2:] != classes[:, :-2])
    scores = xp.take_along_axis(share, classes[None], 2)
    return _States(classes, skips, 2 * counts, steps, scores)


def _inflow(xp: Any, sums: Array, skips: Array) -> Array:
    """Return the sums that flow into each state, from itself and the states before."""
    one, two = xp.full_like(sums, _NEVER), xp.full_like(sums, _NEVER)
    one[:, 1:], two[:, 2:] = sums[:, :-1], sums[:, :-2]
    return xp.logaddexp(xp.logaddexp(sums, one), xp.where(skips, two, _NEVER))


def _forward(xp: Any, s: _States) -> Array:
    sums = xp.full(s.scores.shape, _NEVER, s.scores.dtype)
    sums[0, :, :2] = s.scores[0, :, :2]
    for t in range(1, len(sums)):
        sums[t] = _inflow(xp, sums[t - 1], s.skips) + s.scores[t]
    return sums


def _backward(xp: Any, s: _States) -> Array:
    """Return the sums from the other end, where each sample ends at its own step and state."""
    sums, rows = xp.full(s.scores.shape, _NEVER, s.scores.dtype), xp.arange(len(s.ends))
    skips = xp.zeros_like(s.skips)
    skips[:, :-2] = s.skips[:, 2:]
    last = xp.full(s.skips.shape, _NEVER)
    last[rows, s.ends] = 0
    last[rows[s.ends > 0], s.ends[s.ends > 0] - 1] = 0
    for t in reversed(range(len(sums))):
        sums[t] = xp.where((s.steps == t + 1)[:, None], last, sums[t])
        if t + 1 < len(sums):
            back = _inflow(xp, sums[t + 1][:, ::-1], skips[:, ::-1])[:, ::-1]
            sums[t] = xp.where((s.steps > t + 1)[:, None], back, sums[t])
        sums[t] += s.scores[t]
    return sums


def alignments(xp: Any, data: Array, label: Array, *others: Array, **how: Any) -> None:
    """Compute both outputs; `others` are lengths."""
    *lengths, loss, out_slope = others
    data = data.astype(compute_dtype(data.dtype), copy=False)
    shifted = data - data.max(2, keepdims=True)
    share = shifted - xp.log(xp.exp(shifted).sum(2, keepdims=True))
    s = _states(xp, share, label, lengths, **how)
    rows = xp.arange(len(s.ends))
    with np.errstate(invalid="ignore", divide="ignore"):
        forward, backward = _forward(xp, s), _backward(xp, s)
        at_end = forward[s.steps - 1, rows]
        before = xp.where(s.ends > 0, at_end[rows, xp.maximum(s.ends, 1) - 1], _NEVER)
        total = xp.logaddexp(at_end[rows, s.ends], before)
        visits = xp.exp(forward + backward - s.scores - total[:, None])
    slope = xp.exp(share)
    for state in range(s.classes.shape[1]):
        slope[:, rows, s.classes[:, state]] -= visits[:, :, state]
    slope[xp.arange(len(slope))[:, None] >= s.steps] = 0
    loss[...], out_slope[...] = -total, slope


def _rule(g: Gradients) -> list[Any]:
    if g.out_grads[0] is None:
        return []
    return [library.multiply(library.expand_dims(g.out_grads[0], (0, 2)), g.outputs[1])]


class AlignmentOp(ArrayOp):
    """The loss of alignments; on hosts a kernel with a tile for each sample."""

    kernels = ("host",)

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: one kernel of contiguous arrays."""
        from nbgraph.kernels.compiler.written import written
        from nbgraph.kernels.lines.alignments import LENGTHS, alignments_text, scratch_bytes

        (data, label, *_), how = case.operands, case.attributes
        (steps, samples, classes), labels = data.shape, label.shape[1]
        dtype: Any = name_of(data.dtype)
        kinds = [name_of(x.dtype) for x in case.operands[1:]]
        if dtype not in _FLOATS or not {*kinds} <= _MARKS or not samples:
            return None
        named_lengths = zip([n for n in LENGTHS if how[f"use_{n}"]], kinds[1:], strict=True)
        text = alignments_text(self.__name__, dtype, kinds[0], list(named_lengths))
        nbytes = -(-scratch_bytes(dtype, steps, labels) // 64) * 64
        blank, unused = (0, 0) if how["blank_label"] == "first" else (classes - 1, -1)
        words, cost = (samples, labels, blank, unused, nbytes), data.size + 40 * steps * label.size
        code = written(self.__name__, text, dtype)
        call = tile_call(code, (steps, classes), words, samples, cost)
        order = tuple(range(len(case.arrays) + 1))
        call = replace(call, order=order, writes=3)
        scratch = (layout((samples, nbytes), np.dtype("int8")),)
        return Lowered((call,), case.contiguous(), scratch, adds=False)


_CTC = AlignmentOp(
    "CTCLoss",
    _infer,
    by_numpy(alignments),
    gradient=_rule,
    operands=("data", "label", "*lengths"),
    keeps=("out1",),
    nout=2,
)
_CTC.visible = 1


def lengths_of(data_lengths: Any, label_lengths: Any, use_data: bool, use_label: bool) -> list[Any]:
    """Return the lengths that are used; ArgumentError if one is missing."""
    if use_label and not use_data and label_lengths is None:
        data_lengths, label_lengths = None, data_lengths  # as in MXNet: the third operand
    asked = [(data_lengths, use_data), (label_lengths, use_label)]
    lengths = [x for x, use in asked if use]
    if any(x is None for x in lengths):
        raise ArgumentError("CTCLoss: lengths are to be used, but not given; give one a sample")
    return lengths


_TABLE = """
CTCLoss ctc_loss(data, label, data_lengths=None, label_lengths=None, *, use_data_lengths=False,
    use_label_lengths=False, blank_label: str = "first", name=None): -log of the probability of each
    sample's labels, over all alignments with its steps (Graves et al., Connectionist temporal
    classification, 2006).
    data : array (steps, samples, classes), scores before the softmax
    label : array (samples, labels), padded with 0, or with -1 where the blank is last
    data_lengths, label_lengths : arrays (samples,), used if `use_data_lengths`, `use_label_lengths`
    blank_label : "first": class 0 is the blank; "last": the last class is
    -> array (samples,)
    >>> CTCLoss(np.zeros((2, 1, 2)), [[1]]).round(6)
    array([0.287682])
    = named(_CTC(data, label,
        *lengths_of(data_lengths, label_lengths, use_data_lengths, use_label_lengths),
        use_data_lengths=bool(use_data_lengths), use_label_lengths=bool(use_label_lengths),
        blank_label=one_of("CTCLoss", "blank_label", blank_label, ("first", "last")))[0], name)
"""
define_rows(_TABLE, globals())
