"""Attention: softmax(query @ key' * scale) @ value, without the scores in memory.

The kernels take the scores block by block (`kernels.products.attention`); of each row two numbers
are kept,
its largest score, a constant for derivatives, and 1 / sum(exp(score - largest)), so that memory is
linear in the positions. Backward makes the scores again. The gradient of the gradient, the gradient
by a mask of numbers, and devices have the composition: products, a softmax, the scores in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.ops.define import (
    as_known,
    composed,
    deferrable,
    define_rows,
    library,
    number,
    require_floats,
)
from nbgraph.ops.products import attention_rules as rules
from nbgraph.ops.products import attention_tiles as tiles
from nbgraph.shape import Arrays, broadcast

_WORTH = 128 * 128  # scores of a head: below, the composition is up to 20 % quicker, above slower
_OPERANDS = ("query", "key", "value")


class _AttentionOp(ArrayOp):
    """An operator whose calls `lowering` gives."""

    kernels = ("host",)

    def __init__(self, lowering: Callable[..., Lowered | None], *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._lowering = lowering

    def lower(self, case: Application) -> Lowered | None:
        return self._lowering(case.operands, case.outputs, case.requests, case.attributes)


# shapes -----------------------------------------------------------------------------------------


def _infer(query: Spec, key: Spec, value: Spec, *mask: Spec, causal: bool, scale: float) -> Any:
    name, operands = "scaled_dot_product_attention", (query, key, value)
    require_floats(name, *operands)
    lead = query.shape[:-2]
    if not (
        min(len(spec.shape) for spec in operands) > 1
        and key.shape == (*lead, *value.shape[-2:-1], *query.shape[-1:])
        and value.shape[:-1] == key.shape[:-1]
    ):
        raise ShapeError(
            f"{name}: query has shape {query.shape}, key {key.shape} and value {value.shape}; "
            "expected (..., positions, size), (..., source, size) and (..., source, values)"
        )
    scores = (*query.shape[:-1], key.shape[-2])
    for own in mask:
        fits = len(own.shape) == len(scores) and own.shape[-1] == scores[-1]
        if not fits or any(n not in (1, m) for n, m in zip(own.shape, scores, strict=True)):
            raise ShapeError(
                f"{name}: mask has shape {own.shape}; expected one that broadcasts to {scores}, "
                "that of (..., positions, source)"
            )
    numbers = [own.dtype for own in mask if own.dtype != np.bool_]
    dtype = np.result_type(*(spec.dtype for spec in operands), *numbers)
    wide = np.dtype(compute_dtype(dtype))
    return Spec((*query.shape[:-1], value.shape[-1]), dtype), Spec((*query.shape[:-1], 2), wide)


def _infer_gradient(
    out_grad: Spec, query: Spec, key: Spec, value: Spec, rows: Spec, delta: Spec, *mask: Spec,
    causal: bool, scale: float,
) -> Sequence[Spec]:  # fmt: skip
    out, numbers = _infer(query, key, value, *mask, causal=causal, scale=scale)
    shapes = (out_grad.shape, rows.shape, delta.shape)
    if shapes != (out.shape, numbers.shape, out.shape[:-1]):
        raise ShapeError(
            f"attention_gradient: out_grad, rows and delta have shapes {shapes}; expected "
            f"{out.shape}, {numbers.shape} and {out.shape[:-1]}"
        )
    dtype = np.result_type(out_grad.dtype, out.dtype)
    return [Spec(own.shape, dtype) for own in (query, key, value)]


# the specification ------------------------------------------------------------------------------


def _by(composition: Callable[..., Sequence[Any]]) -> Callable[..., None]:
    """A composition as a function over NumPy arrays, 16-bit floats in float32."""

    def compute(inputs: Arrays, outputs: Arrays, **attributes: Any) -> None:
        dtype = np.dtype(compute_dtype(outputs[0].dtype))
        wide = [x if x.dtype == np.bool_ else x.astype(dtype, copy=False) for x in inputs]
        for out, value in zip(outputs, composition(*wide, **attributes), strict=True):
            out[...] = value

    return compute


# the operators ----------------------------------------------------------------------------------

_PARTS = _AttentionOp(
    tiles.forward,
    "attention_parts",
    _infer,
    _by(rules.parts),
    gradient=rules.attention_rule,
    keeps=(*_OPERANDS, "*mask", "out"),
    operands=(*_OPERANDS, "*mask"),
    nout=2,
)
_GRADIENT = _AttentionOp(
    tiles.backward,
    "attention_gradient",
    _infer_gradient,
    _by(rules.gradient),
    gradient=rules.gradient_rule,
    keeps=("out_grad", *_OPERANDS, "delta", "*mask"),
    operands=("out_grad", *_OPERANDS, "rows", "delta", "*mask"),
    nout=3,
)


_TABLE = """
attention_parts(query, key, value, *mask, causal=False, scale: float = 1.0): What
    `scaled_dot_product_attention` gives, and two numbers of each row of its scores: the largest, a
    constant for derivatives, and 1 / sum(exp(score - largest)).
attention_gradient(out_grad, query, key, value, rows, delta, *mask, causal=False, scale: float =
    1.0): The in-gradients of `attention_parts`, whose scores are made again, block by block, from
    its `rows` and the sums `delta` of out_grad * out along the last axis.
"""
define_rows(_TABLE, globals())


@composed("query", "key", "value", "mask")
@deferrable()
def scaled_dot_product_attention(
    query: Any,
    key: Any,
    value: Any,
    mask: Any = None,
    *,
    causal: bool = False,
    scale: float | None = None,
    dropout: float = 0.0,
) -> Any:
    """softmax(query @ key' * scale) @ value (Vaswani et al., Attention is all you need, 2017),
    without the scores in memory (Dao et al., FlashAttention, 2022).

    query : array (..., positions, size)
    key : array (..., source, size)
    value : array (..., source, values); axes in front broadcast
    mask : array that broadcasts to (..., positions, source), optional: truth values say what is
        seen, numbers (-inf hides) are added to the scores
    causal : whether a position sees itself and those before it alone; the last query is at
        the last key, where torch and JAX have the first at the first
    scale : float, by default 1 / sqrt(size)
    dropout : float, the probability with which a weight is 0 in training; then scores take memory
    -> array (..., positions, values). A position that sees nothing gets the mean of all values.
    ! ShapeError where shapes do not fit.
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> scaled_dot_product_attention(x, x, x, causal=True, scale=0.0)
    array([[1. , 0. ],
           [0.5, 0.5]])
    """
    name = "scaled_dot_product_attention"
    operands = [as_known(name, x) for x in (query, key, value)]
    if any(len(x.shape) < 2 for x in operands):
        listed = ", ".join(str(tuple(x.shape)) for x in operands)
        raise ShapeError(f"{name}: operands have shapes {listed}; expected two axes or more")
    how: dict[str, Any] = {"causal": bool(causal)}
    usual = 1 / math.sqrt(max(1, operands[0].shape[-1]))
    how["scale"] = usual if scale is None else float(number(name, "scale", scale))
    masks = [] if mask is None else [as_known(name, mask)]
    few = operands[0].shape[-2] * operands[1].shape[-2] < _WORTH
    if few or dropout or not all(is_float(x.dtype) for x in operands):
        return rules.composition(*operands, *masks, **how, dropout=dropout)
    pairs = zip((*_OPERANDS, "mask"), (*operands, *masks), strict=False)
    lead = broadcast(f"{name}, axes in front", [(n, tuple(x.shape[:-2])) for n, x in pairs])
    operands = [_spread(x, (*lead, *x.shape[-2:])) for x in operands]
    columns = operands[1].shape[-2]
    for k, own in enumerate(masks):
        if own.dtype != "bool" and not is_float(own.dtype):
            own = library.astype(own, operands[0].dtype)  # numbers that are added
        masks[k] = library.reshape(own, (*(1,) * (len(lead) + 2 - len(own.shape)), *own.shape))
        if masks[k].shape[-1] != columns:
            masks[k] = _spread(masks[k], (*masks[k].shape[:-1], columns))
    return _PARTS(*operands, *masks, **how)[0]


def _spread(x: Any, shape: tuple[int, ...]) -> Any:
    return x if tuple(x.shape) == shape else library.broadcast_to(x, shape)
