"""One call of every operator over whole arrays, with attributes as the operator has them."""

import numpy as np

from nbgraph import ops
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.ops.families import ARRAY_FAMILIES
from nbgraph.ops.shapes.slicing import Triple

M = np.arange(12, dtype="float32").reshape(3, 4) / 7
I = np.array([[0, 2]])
CLASSES, EACH = np.array([1, 0, 2, 2]), [M[0], M[1], M[2], M[0]]
CSR = [M[0, :3], np.array([0, 2, 1]), np.array([0, 2, 2, 3])]
SOFTMAX_OUTPUT = {
    "grad_scale": 1.0,
    "ignore_label": None,
    "multi_output": False,
    "normalization": "null",
    "smoothing": 0.0,
}
F4, F8, I8 = map(np.dtype, ("float32", "float64", "int64"))
OVER = {"axis": 0, "dtype": None, "keepdims": False}
NEW = {"dtype": F4, "device": None}
DIAGONAL = {"offset": 0, "axis1": 0, "axis2": 1}

ATTENDED = ops.attention_parts(M, M, M, causal=True, scale=0.5)
Z = M + 1j * M[:, ::-1]  # complex numbers

W = np.round(7 * M)  # sums of these are exact, in any order: of norms' rows
POOLED = {"window": 2, "stride": 1, "pad": 1, "ceil": False}
CONVOLVED = {"stride": 2, "dilation": 1, "groups": 1}


def rows(names, operands, **attributes):
    return dict.fromkeys(names.split(), (operands, attributes))


CALLS = {
    **rows("reshape", [M], shape=(4, 3)),
    **rows("transpose", [M], axes=None),
    **rows("swapaxes", [M], axis1=0, axis2=1),
    **rows("moveaxis", [M], source=(0,), destination=(1,)),
    **rows("expand_dims", [M], axis=(0,)),
    **rows("squeeze", [M[:, :1]], axis=1),
    **rows("broadcast_to", [M], shape=(2, 3, 4)),
    **rows("slice_view", [M], key=(1, Ellipsis)),
    **rows("slice_scatter", [M], shape=(6, 4), key=(Triple(0, 6, 2),)),
    **rows("flip", [M], axis=0),
    **rows("diagonal", [M], **DIAGONAL),
    **rows("diagonal_scatter", [M[0]], shape=(4, 4), **DIAGONAL),
    **rows("split_part", [M], sections=3, index=1, axis=0, equal=True),
    **rows("sum_to", [M], shape=(3, 1)),
    **rows("sum prod mean", [M], **OVER),
    **rows("var std", [M], correction=1.0, **OVER),
    **rows("max min any all count_nonzero", [M], axis=(0, 1), keepdims=False),
    **rows("argmax argmin logsumexp", [M], axis=1, keepdims=True),
    **rows("softmax log_softmax", [M], axis=0, temperature=2.0),
    **rows("label_entropy", [M, CLASSES], axis=0, keepdims=False, smoothing=0.0),
    **rows("label_entropy_gradient", [M, CLASSES, *EACH], axis=0, keepdims=False, smoothing=0.5),
    **rows(
        "label_entropy_at_once", *([M, CLASSES, *EACH[:2]],), axis=0, keepdims=False, smoothing=0.5
    ),
    **rows("target_entropy_at_once", [M, M * M, *EACH[:2]], axis=0, keepdims=False),
    **rows("target_entropy", [M, M * M], axis=0, keepdims=False),
    **rows("target_entropy_gradient", [M, M * M, *EACH], axis=0, keepdims=False),
    **rows("sparsemax", [M], axis=0),
    **rows("sparsemax_gradient", [M, M * M], axis=0),
    **rows("softmax_output", [M, CLASSES], axis=0, keepdims=False, **SOFTMAX_OUTPUT),
    **rows("softmax_output_gradient", [M, CLASSES, M[0]], axis=0, keepdims=False, smoothing=0.5),
    **rows(
        "linear_regression_output mae_regression_output logistic_regression_output",
        *([M, M * M],),
        grad_scale=2.0,
    ),
    **rows("real imag", [Z]),
    **rows("complex_parts", [M, M]),
    **rows("complex_map", [Z, Z], function="multiply"),
    **rows("logcumsumexp", [M], axis=0),
    **rows("clip_gradient", [M], limit=0.5),
    **rows("csr_dot", [*CSR, M], columns=3, transpose=False),
    **rows("vector_norm", [M], axis=1, ord=2.0, keepdims=False),
    **rows("astype", [M], dtype=F8),
    **rows("copy stop_gradient checkpoint", [M]),
    **rows("full_like", [M], fill_value=3, dtype=None, shape=None),
    **rows("pad", [M], pad_width=((1, 0), (0, 2)), constant_values=1),
    **rows("roll", [M], shift=(1,), axis=0),
    **rows("take", [M, I], axis=1),
    **rows("take_along_axis", [M, I[:, [0, 1, 1, 0]]], axis=0),
    **rows("scatter_along_axis", [M[:, :2], I.repeat(3, 0)], shape=(3, 4), axis=1),
    **rows("one_hot", [I], depth=3, dtype=F4),
    **rows("gather", [M, I], key=("array",)),
    **rows("scatter_add", [M, I[0].repeat(2)[:3]], shape=(3, 4), key=("array",)),
    **rows("index_update", [M, M[:1, :2], I[0]], key=(Triple(None, None, None), "array")),
    **rows("index_add", [M, M[0], I[0]], key=("array",)),
    **rows("cumulative_sum cumulative_prod", [M], axis=1, dtype=None, include_initial=True),
    **rows("linear_recurrence", [M, M], axis=0),
    **rows("cummax cummin cumargmax cumargmin", [M], axis=0),
    **rows("sort argsort", [M], axis=0, descending=True, stable=True),
    **rows("topk", [M], k=2, axis=0, largest=True),
    **rows("searchsorted", [M[0], M], side="left"),
    **rows("isin", [M, M[0]], invert=False),
    **rows("matmul", [M, M.T]),
    **rows("dot", [M, M], transpose_a=False, transpose_b=True),
    **rows("batch_dot", [M[None], M[None]], transpose_a=True, transpose_b=False),
    **rows("inner", [M, M]),
    **rows("tensordot", [M, M], axes=((1,), (1,))),
    **rows("tril triu", [M], k=0),
    **rows("einsum", [M, M], subscripts="ij,ij->i"),
    **rows("channel_moments", [W[None]]),
    **rows("channel_sums", [W[None], W[None]]),
    **rows("batch_standard", [W, W[0], np.abs(W[1]), W[0], W[1]], eps=0.5),
    **rows("batch_statistics", [W, W[0], W[1]], momentum=0.5, frozen=False, correction=1),
    **rows("layer_norm_parts", [W, W[:1], W[0]], axis=1, eps=0.5, keepdims=True),
    **rows("layer_norm_weights", [W, W * W, W[:, :1], W[:, :1]], axis=0, keepdims=False),
    **rows("rms_norm_parts", [W, W[0]], axis=1, eps=0.5, keepdims=True),
    **rows("fully_connected", [M[None], M.reshape(1, 12)], flatten=True),
    **rows("attention_parts", [M, M, M], causal=True, scale=0.5),
    **rows(
        "attention_gradient",
        *([M[::-1], M, M, M, ATTENDED[1], (M[::-1] * ATTENDED[0]).sum(-1)],),
        causal=True,
        scale=0.5,
    ),
    **rows("max_pooling", [M[None]], **POOLED),
    **rows("max_pooling_gradient", [M[None], M[None, :, :3], M[None]], **POOLED),
    **rows("max_pooling_pick", [M[None, :, 1:], M[None, :, :3], M[None]], **POOLED),
    **rows("avg_pooling", [M[None]], **POOLED, counted=False),
    **rows("avg_pooling_gradient", [M[None]], size=(3,), counted=True, **POOLED),
    **rows("convolution", [M[None], M[:2, :3, None]], pad=1, **CONVOLVED),
    **rows("convolution_data", [M[None], M[:, :2, None]], size=(5,), pad=1, **CONVOLVED),
    **rows("convolution_weights", [M[None], M[None, :, :2]], size=(2,), pad=0, **CONVOLVED),
    **rows("im2col", [W.reshape(1, 2, 6)], kernel=2, stride=2, dilate=1, pad=1),
    **rows("col2im", [W.reshape(1, 4, 3)], output_size=(4,), kernel=2, stride=2, dilate=1, pad=1),
    **rows("concatenate stack", [M, M], axis=0, dtype=None),
    **rows("zeros ones empty", [], shape=(3, 4), **NEW),
    **rows("full", [], shape=(3,), fill_value=2, **NEW),
    **rows("arange", [], start=0, stop=5, step=2, **NEW),
    **rows("linspace", [], start=0, stop=1, num=3, endpoint=True, **NEW),
    **rows("eye tri", [], n=2, m=3, k=0, **NEW),
}


def operators():
    """Every operator over whole arrays that the library has, by name."""
    names = " ".join(ARRAY_FAMILIES.values()).split()
    found = [getattr(registry.find(name), "op", None) for name in names]
    return {op.__name__: op for op in found if isinstance(op, ArrayOp)}
