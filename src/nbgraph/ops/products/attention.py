"""Attention: softmax(query @ key' * scale) @ value, without the scores in memory.

The kernels process the scores in blocks (`kernels.products.attention`); two numbers per row are
kept, its largest score, a constant for derivatives, and 1 / sum(exp(score - largest)), so memory is
linear in the positions. Backward recomputes the scores. The gradient of the gradient, the gradient
by a mask of numbers, and devices use the composition: products, a softmax, the scores in memory.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.errors import ShapeError
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Spec, Specs
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered, in_word
from nbgraph.operator.layout import Layout, Layouts, layout
from nbgraph.ops.define import as_known, define_rows, library, require_floats
from nbgraph.ops.products import attention_rules as rules
from nbgraph.ops.windows.convolution_tiles import ONE
from nbgraph.shape import Arrays, Shape, broadcast

# rows and columns of a block of scores, by bytes of a float
_FORWARD = {4: (128, 256), 8: (128, 128)}
_BACKWARD = {4: (64, 128), 8: (64, 128)}
_ENOUGH = 8  # heads from which each is one tile of backward
_NUMBERS = "numbers", "delta"  # contiguous arrays with numbers of rows


class _Case(NamedTuple):
    """The arrays of a call by name, as the kernel takes them."""

    arrays: Mapping[str, Layout]
    attributes: Attributes
    block: tuple[int, int]

    @property
    def lead(self) -> tuple[int, ...]:
        """Leading axes, which count heads."""
        return self.arrays["query"].shape[:-2]

    @property
    def extents(self) -> tuple[int, int, int, int]:
        """Rows, columns, elements of a key, elements of a value."""
        (rows, size), (columns, width) = (self.arrays[n].shape[-2:] for n in ("query", "value"))
        return rows, columns, size, width


def _kind_of(mask: Layouts) -> Any:
    return "" if not mask else "seen" if mask[0].dtype == np.bool_ else "added"


def _layouts(
    names: Sequence[str], arrays: Layouts, requests: Sequence[str]
) -> tuple[list[Layout], tuple[Layout | None, ...]]:
    """Return the layouts that the kernel takes, and required layouts of the arrays; results that
    are added to, or not needed, get separate memory."""
    floats = [own.dtype for own in arrays if own.dtype != np.bool_]
    wide = np.dtype(compute_dtype(np.result_type(*floats)))
    words = ["write"] * (len(arrays) - len(requests)) + list(requests)
    results, places = list[Layout](), list[Layout | None]()
    for name, own, word in zip(names, arrays, words, strict=True):
        dtype = own.dtype if own.dtype == np.bool_ else wide
        stays = word == "write" and own.dtype == dtype and _fits(name, own)
        results.append(own if stays else layout(own.shape, dtype))
        places.append(None if stays else results[-1])
    return results, tuple(places)


def _fits(name: str, own: Layout) -> bool:
    if name in _NUMBERS:
        return own.contiguous
    *_, down, across = own.strides
    item, (rows, width) = own.dtype.itemsize, own.shape[-2:]
    if across != item and width != 1:
        return False
    return name == "mask" or (down % item == 0 and down >= width * item) or rows == 1


def _words(case: _Case, names: Sequence[str], parts: int) -> tuple[int, ...]:
    """Return the words of the record after the addresses."""
    from nbgraph.kernels.products.blas import routine  # SciPy is loaded with the first product

    rows, columns, size, width = case.extents
    dtype = case.arrays["query"].dtype
    blas, kind = routine(), dtype.name
    offset = columns - rows if case.attributes["causal"] else columns
    scale = in_word(dtype.type(case.attributes["scale"]).tobytes())
    arrays = [case.arrays[name] for name in names]
    return (
        *(blas.address, *blas.pointers(kind), blas.threads.address, ONE[kind]),
        *(size, width, offset, scale, *case.block, parts),
        *(_down(name, own) for name, own in zip(names, arrays, strict=True)),
        len(case.lead),
        *(
            word
            for d in reversed(range(len(case.lead)))
            for word in (case.lead[d], *(a.strides[d] if a.shape[d] != 1 else 0 for a in arrays))
        ),
    )


def _down(name: str, own: Layout) -> int:
    """Return elements between rows; 0 for a mask that all rows share."""
    if name in _NUMBERS:
        return 0
    if own.shape[-2] == 1:
        return 0 if name == "mask" else own.shape[-1]
    return own.strides[-2] // own.dtype.itemsize


def _cost(case: _Case, products: int) -> int:
    """Return rough nanoseconds."""
    rows, columns, size, width = case.extents
    each = products * (size + width) / (64 if case.arrays["query"].dtype.itemsize == 4 else 32)
    return int(math.prod(case.lead) * rows * columns * (each + 0.6))


def forward(
    operands: Layouts, outputs: Layouts, requests: Sequence[str], attributes: Attributes
) -> Lowered | None:
    """Return the call for `attention_parts`."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.products import attention as texts

    mask = _kind_of(operands[3:])
    names = texts.forward_arrays(mask)
    layouts, places = _layouts(names, [*operands, *outputs], requests)
    if any(0 in a.shape for a in layouts):
        return None
    block = _FORWARD[layouts[0].dtype.itemsize]
    case = _Case(dict(zip(names, layouts, strict=True)), attributes, block)
    dtype: Any = layouts[0].dtype.name
    rows, columns, *_ = case.extents
    parts = -(-rows // block[0])
    code = written("attention", texts.forward_text(dtype, mask), dtype)
    words = _words(case, names, parts)
    call = tile_call(code, (rows, columns), words, math.prod(case.lead) * parts, _cost(case, 1))
    return Lowered((_over(call, range(len(names)), 2),), places, adds=False)


def backward(
    operands: Layouts, outputs: Layouts, requests: Sequence[str], attributes: Attributes
) -> Lowered | None:
    """Return the calls for `attention_gradient`: with few heads one for the query's, with blocks of
    rows as tiles, and one for the others, with columns as tiles."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.products import attention as texts

    mask = _kind_of(operands[6:])
    every = (*texts.QUERY, *texts.SOURCE)
    names = texts.backward_arrays(mask, every)
    layouts, places = _layouts(names, [*operands, *outputs], requests)
    if any(0 in a.shape for a in layouts):
        return None
    block = _BACKWARD[layouts[0].dtype.itemsize]
    case = _Case(dict(zip(names, layouts, strict=True)), attributes, block)
    dtype: Any = layouts[0].dtype.name
    rows, columns, *_ = case.extents
    asks = [name for name, request in zip(every, requests, strict=True) if request != "null"]
    ways = [way for way in (texts.QUERY, texts.SOURCE) if any(name in asks for name in way)]
    heads, calls = math.prod(case.lead), list[KernelCall]()
    if heads >= _ENOUGH and len(ways) > 1:
        ways = [every]
    for results in ways:
        own = texts.backward_arrays(mask, results)
        parts = -(-rows // block[0]) if results == texts.QUERY else 1
        if results == texts.SOURCE:
            parts = -(-columns // block[1])
        words = _words(case, own, parts)
        code = written("attention_gradient", texts.backward_text(dtype, mask, results), dtype)
        cost = _cost(case, 2)
        call = tile_call(code, (rows, columns), words, heads * parts, cost)
        calls.append(_over(call, map(names.index, own), len(results)))
    return Lowered(tuple(calls), places, adds=False)


def _over(call: KernelCall, order: Any, writes: int) -> KernelCall:
    return replace(call, order=tuple(order), writes=writes)


_WORTH = 128 * 128  # scores of a head: below, the composition is up to 20 % faster, above slower
_OPERANDS = ("query", "key", "value")


class _AttentionOp(ArrayOp):
    """An operator whose calls `lowering` returns."""

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
    causal: bool, scale: float
) -> Specs:  # fmt: skip
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
    """Return a composition as a function over NumPy arrays, with 16-bit floats in float32."""

    def compute(inputs: Arrays, outputs: Arrays, **attributes: Any) -> None:
        dtype = np.dtype(compute_dtype(outputs[0].dtype))
        wide = [x if x.dtype == np.bool_ else x.astype(dtype, copy=False) for x in inputs]
        for out, value in zip(outputs, composition(*wide, **attributes), strict=True):
            out[...] = value

    return compute


# the operators ----------------------------------------------------------------------------------

_PARTS = _AttentionOp(
    forward,
    "attention_parts",
    _infer,
    _by(rules.parts),
    gradient=rules.attention_rule,
    keeps=(*_OPERANDS, "*mask", "out"),
    operands=(*_OPERANDS, "*mask"),
    nout=2,
)
_GRADIENT = _AttentionOp(
    backward,
    "attention_gradient",
    _infer_gradient,
    _by(rules.gradient),
    gradient=rules.gradient_rule,
    keeps=("out_grad", *_OPERANDS, "delta", "*mask"),
    operands=("out_grad", *_OPERANDS, "rows", "delta", "*mask"),
    nout=3,
)


def attention(operands: Any, mask: Any, how: dict[str, Any], dropout: float) -> Any:
    """Return values weighted by queries and keys; see `scaled_dot_product_attention`."""
    name = "scaled_dot_product_attention"
    operands = [as_known(name, x) for x in operands]
    if any(len(x.shape) < 2 for x in operands):
        listed = ", ".join(str(tuple(x.shape)) for x in operands)
        raise ShapeError(f"{name}: operands have shapes {listed}; expected two axes or more")
    if how["scale"] is None:
        how["scale"] = 1 / math.sqrt(max(1, operands[0].shape[-1]))
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
            own = library.astype(own, operands[0].dtype)  # numbers to be added
        masks[k] = library.reshape(own, (*(1,) * (len(lead) + 2 - len(own.shape)), *own.shape))
        if masks[k].shape[-1] != columns:
            masks[k] = _spread(masks[k], (*masks[k].shape[:-1], columns))
    return _PARTS(*operands, *masks, **how)[0]


def _spread(x: Any, shape: Shape) -> Any:
    return x if tuple(x.shape) == shape else library.broadcast_to(x, shape)


_TABLE = """
scaled_dot_product_attention(query, key, value, mask=None, *, causal=False,
    scale: float | None = None, dropout: float = 0.0): softmax(query @ key' * scale) @ value
    (Vaswani et al., Attention is all you need, 2017), without the scores in memory (Dao et al.,
    FlashAttention, 2022).
    query : array (..., positions, size)
    key : array (..., source, size)
    value : array (..., source, values); axes in front broadcast
    mask : array that broadcasts to (..., positions, source), optional: truth values say what is
        seen, numbers (-inf hides) are added to the scores
    causal : whether a position sees only itself and earlier ones; the last query is aligned with
        the last key, in torch and JAX the first with the first
    scale : float, by default 1 / sqrt(size)
    dropout : float, the probability that a weight is 0 in training; then scores take memory
    -> array (..., positions, values). A position that sees nothing gets the mean of all values.
    ! ShapeError where shapes do not fit.
    >>> x = np.array([[1.0, 0.0], [0.0, 1.0]])
    >>> scaled_dot_product_attention(x, x, x, causal=True, scale=0.0)
    array([[1. , 0. ],
           [0.5, 0.5]])
    = attention((query, key, value), mask, {"causal": bool(causal), "scale": None if scale is None
        else float(number("scaled_dot_product_attention", "scale", scale))}, dropout)
attention_parts(query, key, value, *mask, causal=False, scale: float = 1.0): The result of
    `scaled_dot_product_attention`, and two numbers of each row of its scores: the largest, a
    constant for derivatives, and 1 / sum(exp(score - largest)).
attention_gradient(out_grad, query, key, value, rows, delta, *mask, causal=False, scale: float =
    1.0): The in-gradients of `attention_parts`, whose scores are recomputed block by block from its
    `rows` and the sums `delta` of out_grad * out along the last axis.
"""
define_rows(_TABLE, globals(), ("query", "key", "value", "mask"), ("scaled_dot_product_attention",))
