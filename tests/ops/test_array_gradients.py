"""Gradient rules of operators over whole arrays against differences, to second order (OPR-13)."""

import numpy as np
import pytest

import nbgraph.ops as ops
from nbgraph.errors import DerivativeError
from nbgraph.operator import registry
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.ops.families import ARRAY_FAMILIES
from tests.ops.tape import Traced, check, gradients


def values(*shape, seed=0):
    """Distinct numbers of either sign; no two are near each other, nor their absolute values."""
    count = int(np.prod(shape))
    order = np.random.default_rng(seed).permutation(count)
    return ((order - count // 2 + 0.3) / max(count / 3, 1)).reshape(shape)


V, M, T = values(5), values(3, 4), values(2, 3, 4)
INDICES = np.array([[0, 2], [2, -1]])
CLASSES, SHARES = np.array([1, 3, 0]), np.abs(values(3, 4, seed=1)) + 0.0137
ONES = values(3, 1), values(3, 1, seed=3)
PLACES = np.array([0, 2, 1]), np.array([0, 2, 2, 3])
TOP, TOTAL, TWO = M.max(axis=1), np.ones(3), (values(3, seed=2), values(3, seed=3))
SIGNS, CHANCES = np.array([1, -1, 1]), np.linspace(0.1, 0.9, 12).reshape(3, 4)

SEES = np.array([[1, 0, 1], [0, 0, 0], [1, 1, 0]], bool)[None]


def attention_gradient(which, *operands):
    """One of the gradients, with the numbers of rows that follow from the operands."""
    query, value, key, out_grad = operands
    out, rows = ops.attention_parts(query, key, value, SEES[0], scale=0.7)
    delta = ops.sum(ops.multiply(out, out_grad), -1)
    found = ops.attention_gradient(out_grad, query, key, value, rows, delta, SEES[0], scale=0.7)
    return found[which]


ELEMENT_LOSSES = "l1 l2 smooth_l1 huber hinge squared_hinge logistic focal".split()

# name of the operator -> (function, operands); several rows for several forms
CASES = {
    "reshape": [(lambda x: ops.reshape(x, (4, -1)), M)],
    "transpose": [(lambda x: ops.transpose(x, (2, 0, 1)), T), (ops.transpose, T)],
    "swapaxes": [(lambda x: ops.swapaxes(x, 0, -1), T)],
    "moveaxis": [(lambda x: ops.moveaxis(x, (0, 1), (-1, 0)), T)],
    "expand_dims": [(lambda x: ops.expand_dims(x, (0, -1)), M)],
    "squeeze": [(lambda x: ops.squeeze(x, 1), values(3, 1, 2))],
    "broadcast_to": [(lambda x: ops.broadcast_to(x, (2, 3, 4)), values(3, 1))],
    "sum_to": [(lambda x: ops.sum_to(x, (3, 1)), T)],
    "slice_view": [(lambda x: ops.slice_view(x, (1, None, ..., slice(None, None, -2))), T)],
    "slice_scatter": [(lambda x: ops.slice_scatter(x, (5, 3), slice(None, None, 2)), values(3, 3))],
    "flip": [(lambda x: ops.flip(x, (0, -1)), T), (ops.flip, M)],
    "diagonal": [(lambda x: ops.diagonal(x, 1, 0, 2), T)],
    "diagonal_scatter": [(lambda x: ops.diagonal_scatter(x, (3, 4), -1), values(2))],
    "split_part": [
        (lambda x: ops.split(x, 2, 1)[1], M),
        (lambda x: ops.split(x, [1, 3], 1)[1], M),
        (lambda x: ops.array_split(x, 2)[0], V),
    ],
    "sum": [
        (lambda x: ops.sum(x, (0, -1)), T),
        (lambda x: ops.sum(x, 1, keepdims=True), T),
        (ops.sum, T),
    ],
    "prod": [
        (lambda x: ops.prod(x, (0, 2)), T),
        (lambda x: ops.prod(x, 0, keepdims=True), np.array([[2.0, 0.0, 0.0], [0.0, 0.0, 3.0]])),
        (ops.prod, np.array([1.5, 0.0, 2.0])),
    ],
    "mean": [(lambda x: ops.mean(x, 1), T), (lambda x: ops.mean(x, keepdims=True), M)],
    "var": [(lambda x: ops.var(x, 0), T), (lambda x: ops.var(x, ddof=1, keepdims=True), M)],
    "std": [(lambda x: ops.std(x, -1), T), (lambda x: ops.std(x, correction=1), V)],
    "max": [(lambda x: ops.max(x, (0, 1)), T), (lambda x: ops.max(x, 0, keepdims=True), M)],
    "min": [(lambda x: ops.min(x, -1), T), (ops.min, M)],
    "softmax": [
        (lambda x: ops.softmax(x, 1), T),
        (lambda x: ops.softmax(x, (0, 2), temperature=2.0), T),
    ],
    "log_softmax": [
        (lambda x: ops.log_softmax(x, 0), T),
        (lambda x: ops.log_softmax(x, None, temperature=0.5), M),
    ],
    "logsumexp": [
        (lambda x: ops.logsumexp(x, 1), M),
        (lambda x: ops.logsumexp(x, keepdims=True), M),
    ],
    "label_entropy": [
        (lambda x: ops.label_entropy(x, CLASSES)[0], M),
        (lambda x: ops.label_entropy(x, CLASSES[None], 0, keepdims=True, smoothing=0.2)[0], M.T),
    ],
    "label_entropy_gradient": [
        (lambda x, s, h: ops.label_entropy_gradient(x, CLASSES, TOP, TOTAL, s, h), M, *TWO),
        (
            lambda x, t: ops.label_entropy_gradient(x, CLASSES, TOP, t, *TWO, smoothing=0.2),
            M,
            TOTAL,
        ),
    ],
    "target_entropy": [
        (lambda x, t: ops.target_entropy(x, t, 1)[0], M, SHARES),
        (lambda x, t: ops.target_entropy(x, t, (0, 1))[0], M, SHARES),
    ],
    "target_entropy_gradient": [
        (lambda x, t, s, h: ops.target_entropy_gradient(x, t, TOP, TOTAL, s, h), *(M, SHARES, *TWO))
    ],
    "sparsemax": [(lambda x: ops.sparsemax(x, 0), M), (ops.sparsemax, T)],
    "sparsemax_gradient": [(lambda g: ops.sparsemax_gradient(ops.sparsemax(M), g), M * M)],
    "logcumsumexp": [
        (lambda x: ops.logcumsumexp(x, 0), M),
        (lambda x: ops.logcumsumexp(x, 1), 300 * M),
    ],
    "clip_gradient": [(lambda x: ops.clip_gradient(x, 100.0), M)],
    "csr_dot": [
        (lambda v, x: ops.csr_dot(v, *PLACES, x), values(3, seed=4), values(3, 4)),
        (lambda v, x: ops.csr_dot(v, *PLACES, x), values(3, seed=4), values(3)),
        (
            lambda v, x: ops.csr_dot(v, *PLACES, x, columns=3, transpose=True),
            *(values(3, seed=4), M),
        ),
        (lambda v, x: ops.dot_csr(x, v, *PLACES, columns=3), values(3, seed=4), values(2, 3)),
    ],
    "softmax_output_gradient": [
        (lambda p: ops.softmax_output_gradient(p, CLASSES, TOP, smoothing=0.1), CHANCES)
    ],
    "vector_norm": [
        (lambda x: ops.vector_norm(x, axis=(0, 1)), T),
        (lambda x: ops.vector_norm(x, axis=1, ord=3, keepdims=True), M),
        (lambda x: ops.vector_norm(x, ord=1), M),
        (lambda x: ops.vector_norm(x, axis=0, ord=np.inf), M),
        (lambda x: ops.vector_norm(x, axis=0, ord=-np.inf), M),
    ],
    "concatenate": [
        (lambda x, y: ops.concatenate([x, y], 1), M, values(3, 2)),
        (lambda x, y: ops.concatenate([x, y], None), M, V),
    ],
    "stack": [(lambda x, y: ops.stack([x, y, x], -1), M, M)],
    "pad": [(lambda x: ops.pad(x, ((1, 0), (0, 2)), constant_values=7), M)],
    "roll": [(lambda x: ops.roll(x, (1, -2), (0, 1)), M), (lambda x: ops.roll(x, 3), M)],
    "take": [(lambda x: ops.take(x, INDICES, 1), T), (lambda x: ops.take(x, INDICES), M)],
    "take_along_axis": [
        (lambda x: ops.take_along_axis(x, [[0, 0, 2]], 0), values(3, 3)),
        (lambda x: ops.take_along_axis(x, np.array([[0], [2], [1]]), 1), values(1, 3)),
    ],
    "scatter_along_axis": [
        (lambda x: ops.scatter_along_axis(x, [[0, 0, 2]], (3, 3), 1), values(3, 3))
    ],
    "gather": [
        (lambda x: ops.gather(x, key=(0, slice(None), [1, 1])), T),
        (lambda x: ops.gather(x, key=([[0], [1]], [0, 2], slice(1, None))), T),
        (lambda x: ops.gather(x, key=(np.array(M > 0),)), M),
    ],
    "scatter_add": [(lambda x: ops.scatter_add(x, shape=(3, 4), key=([0, 0], [1, 1])), values(2))],
    "index_update": [
        (lambda x, y: ops.index_update(x, y, key=([0, 0], slice(1, None))), M, values(2, 3)),
        (lambda x, y: ops.index_update(x, y, key=([2, 0, 2, 2],)), M, values(4, 1)),
        (lambda x, y: ops.index_update(x, y, key=(1, slice(None, None, 2))), M, values(1, 1)),
    ],
    "index_add": [
        (lambda x, y: ops.index_add(x, y, key=([0, 0], [1, 1])), M, values(2)),
        (lambda x, y: ops.index_add(x, y, key=slice(1, None)), M, values(4)),
    ],
    "cumulative_sum": [
        (lambda x: ops.cumsum(x, 1), T),
        (lambda x: ops.cumulative_sum(x, axis=-1, include_initial=True), M),
    ],
    "cumulative_prod": [
        (lambda x: ops.cumprod(x, 0), M),
        (lambda x: ops.cumulative_prod(x, include_initial=True), np.array([2, 0, 3, 0, 1.5])),
    ],
    "linear_recurrence": [
        (lambda x, y: ops.linear_recurrence(x, y, axis=0), M, values(3, 4, seed=1))
    ],
    "cummax": [(lambda x: ops.cummax(x, 0), M)],
    "cummin": [(ops.cummin, M)],
    "sort": [(lambda x: ops.sort(x, 0), M), (lambda x: ops.sort(x, None, descending=True), M)],
    "topk": [(lambda x: ops.topk(x, 2, 0, largest=False)[0], M)],
    "matmul": [
        (ops.matmul, M, values(4, 2)),
        (ops.matmul, V, V),
        (ops.matmul, T, values(4)),
        (ops.matmul, values(3), values(2, 3, 2)),
        (ops.matmul, values(2, 1, 2, 3), values(2, 3, 2)),
    ],
    "tril": [(lambda x: ops.tril(x, -1), T)],
    "triu": [(lambda x: ops.triu(x, 1), M)],
    "channel_moments": [
        (lambda x: ops.channel_moments(x)[0], T),
        (lambda x: ops.channel_moments(x)[1], T),
        (lambda x, g, b: ops.batch_norm(x, g, b, eps=0.1), T, values(3), values(3, seed=4)),
    ],
    "channel_sums": [(lambda *p: ops.channel_sums(*p)[1], T, values(2, 3, 4, seed=1))],
    "batch_standard": [
        (
            lambda *p: ops.batch_standard(*p, eps=0.1),
            *(T, values(3, seed=2), np.abs(values(3)) + 0.2, values(3), values(3, seed=4)),
        )
    ],
    "batch_statistics": [
        (lambda x: ops.batch_norm(x, None, None, np.ones(4), np.ones(4), frozen=True), M)
    ],
    "layer_norm_parts": [
        (lambda x, g, b: ops.layer_norm(x, g, b, eps=0.1), M, V[:4], values(4, seed=3)),
        (lambda x: ops.layer_norm_parts(x, np.ones(4), np.zeros(4))[2], M),
        (lambda x: ops.layer_norm_parts(x, np.ones(4), np.zeros(4))[1], M),
        (lambda x, g: ops.layer_norm(x, g, None, (0, 2)), T, values(3, 1)),
        (ops.layer_norm, values(1, 4), values(4), values(4, seed=3)),
        (lambda x, g, b: ops.layer_norm(x, g, b, (1, 2), eps=1.0), values(2, 3, 1), *ONES),
        (lambda x, g, b: ops.group_norm(x, 2, g, b), values(2, 4, 2), values(4), values(4, seed=5)),
        (lambda x: ops.instance_norm(x, eps=0.1), T),
    ],
    "layer_norm_weights": [
        (lambda *p: ops.layer_norm_weights(*p)[0], M * M, M, values(3, 1), values(3, 1, seed=2)),
        (lambda g: ops.layer_norm_weights(g, T, T[:, :1, :1], T[:, :1, 1:2], (0, 2))[0], T * T),
    ],
    "rms_norm_parts": [
        (lambda x, g: ops.rms_norm(x, g, eps=0.1), M, values(4)),
        (lambda x: ops.rms_norm_parts(x, np.ones(4))[1], M),
    ],
    "fully_connected": [
        (ops.fully_connected, values(2, 3, 2), values(4, 6)),
        (
            lambda x, w, b: ops.fully_connected(x, w, b, flatten=False),
            *(values(2, 3, 2), values(4, 2), values(4)),
        ),
    ],
    "attention_parts": [
        (lambda q, k, v: ops.attention_parts(q, k, v, scale=0.7)[0], M, T[0], V[:3, None]),
        (lambda k: ops.attention_parts(T, k, k, SEES, causal=True)[0], T),
        (lambda q, m: ops.attention_parts(q, T, T, m, causal=True)[0], T, values(1, 3, 3)),
    ],
    "attention_gradient": [
        (lambda *given, k=k: attention_gradient(k, *given), M, V[:3, None], M * M, V[:3, None])
        for k in range(3)
    ],
    "max_pooling": [
        (lambda x: ops.max_pooling(x, (2, 3), stride=1, pad=(1, 0)), values(1, 2, 3, 5)),
        (lambda x: ops.max_pooling(x, 2, ceil=True), values(2, 2, 5)),
    ],
    "max_pooling_gradient": [
        (lambda g: ops.max_pooling_gradient(g, T, ops.max_pooling(T, 2), 2), values(2, 3, 2))
    ],
    "max_pooling_pick": [
        (lambda v: ops.max_pooling_pick(v, T, ops.max_pooling(T, 2, stride=1), 2, stride=1), T)
    ],
    "avg_pooling": [
        (lambda x: ops.avg_pooling(x, 3, stride=2, pad=1, counted=False), values(1, 2, 3, 4)),
        (lambda x: ops.avg_pooling(x, 3, stride=2, pad=1, ceil=True), values(2, 1, 6)),
    ],
    "im2col": [
        (lambda x: ops.im2col(x, kernel=2, stride=2, pad=1), values(1, 2, 5)),
        (lambda x: ops.im2col(x, kernel=(2, 3), dilate=(2, 1)), values(2, 1, 4, 3)),
    ],
    "col2im": [
        (lambda x: ops.col2im(x, output_size=(3, 3), kernel=2, pad=(1, 0)), values(1, 4, 8))
    ],
    "avg_pooling_gradient": [
        (lambda g: ops.avg_pooling_gradient(g, 2, size=(5,), stride=1), values(1, 2, 4))
    ],
    "convolution": [
        (lambda x, w: ops.convolution(x, w, stride=2, pad=1), values(2, 2, 5), values(3, 2, 2)),
        (
            lambda x, w, b: ops.convolution(x, w, b, dilation=(1, 2), groups=2),
            *(values(1, 2, 3, 4), values(2, 1, 2, 2), values(2)),
        ),
    ],
    "convolution_data": [
        (
            lambda g, w, b: ops.convolution_data(g, w, b, size=(5,), stride=2),
            *(values(2, 3, 2), values(3, 2, 2), values(2)),
        )
    ],
    "convolution_weights": [
        (lambda x, g: ops.convolution_weights(x, g, size=(3,)), values(2, 2, 5), values(2, 1, 3))
    ],
    "einsum": [
        (lambda x, y: ops.einsum("ij,jk->ki", x, y), M, values(4, 2)),
        (lambda x: ops.einsum("ii", x), values(3, 3)),
        (lambda x: ops.einsum("iij->ij", x), values(2, 2, 3)),
        (lambda x, y: ops.einsum("...i,...i->...", x, y), values(2, 3), values(3)),
        (
            lambda x, y, z: ops.einsum("ij,jk,kl->il", x, y, z),
            values(2, 2),
            values(2, 3),
            values(3, 2),
        ),
        (lambda x, y: ops.einsum("ij,k->k", x, y), M, values(2)),
        (lambda x, y: ops.einsum("ij,ij->i", x, y), values(3, 1), M),
    ],
    "astype": [(lambda x: ops.astype(x, "float64"), M)],
    "copy": [(ops.copy, M)],
    "checkpoint": [(ops.checkpoint, M)],
    "dot": [
        (ops.dot, T, values(2, 4, 2)),
        (ops.dot, V, V),
        (lambda x, y: ops.dot(x, y, transpose_a=True, transpose_b=True), M, values(2, 3)),
    ],
    "batch_dot": [
        (ops.batch_dot, T, values(2, 4, 2)),
        (lambda x, y: ops.batch_dot(x, y, transpose_a=True), T, values(2, 3, 2)),
    ],
    "inner": [(ops.inner, T, values(2, 4)), (ops.inner, V, V)],
    "tensordot": [
        (lambda x, y: ops.tensordot(x, y, axes=((0, 2), (1, 0))), T, values(4, 2)),
        (lambda x, y: ops.tensordot(x, y, axes=0), V, values(2)),
    ],
    # functions without an operator of their own
    "vecdot": [(lambda x, y: ops.vecdot(x, y, axis=0), M, M)],
    "outer": [(ops.outer, V, values(2))],
    "trace": [(lambda x: ops.trace(x, 1), M)],
    "repeat": [(lambda x: ops.repeat(x, 2, 1), M), (lambda x: ops.repeat(x, [0, 2, 1], 0), M)],
    "tile": [(lambda x: ops.tile(x, (2, 1, 2)), M)],
    "pad_modes": [(lambda x, m=m: ops.pad(x, ((1, 2), (2, 0)), m), M) for m in ("edge", "wrap")],
    "picking": [
        (lambda w: ops.embedding(INDICES, w), M),
        (lambda x: ops.index_select(x, 1, [2, 0]), T),
        (lambda x: ops.pick(x, CLASSES), M),
        (lambda x: ops.gather_nd(x, [[0, 1, 0], [2, 1, 2]]), T),
        (lambda x: ops.scatter_nd(x, [[0, 1, 0], [2, 1, 2]], (2, 3)), values(3)),
        (lambda x: ops.slice_axis(x, 1, 1, None, 2), M),
        (lambda x: ops.slice_channel(x, 2)[1], M),
        (lambda x, y: ops.choose([[0], [1], [0]], [x, y]), M, SHARES),
        (lambda x: ops.shift(x, (1, -2)), M),
    ],
    "norm": [(ops.norm, M)],
    "losses": [
        *((getattr(ops, f"{name}_loss"), M, SHARES) for name in ELEMENT_LOSSES),
        (ops.binary_cross_entropy, CHANCES, SHARES),
        (lambda x, t: ops.binary_cross_entropy_with_logits(x, t, positive_weight=2), M, SHARES),
        (ops.kl_divergence, M, SHARES),
        (lambda x, t: ops.kl_divergence(x, t, log_target=True), M, SHARES),
        (lambda a, b: ops.cosine_embedding_loss(a, b, SIGNS, margin=-0.5), M, SHARES),
        (
            lambda a, b, c: ops.triplet_margin_loss(a, b, c, margin=9.0),
            *(M, SHARES, values(3, 4, seed=7)),
        ),
        (lambda x: ops.unlikelihood(x, CLASSES), M),
        (lambda x: ops.softmax_cross_entropy(x, CLASSES), M),
        (
            lambda x: ops.cross_entropy(
                x, CLASSES, class_weight=CHANCES[0], ignore_index=3, label_smoothing=0.1
            ),
            M,
        ),
        (
            lambda x, t: ops.cross_entropy(x, t, class_weight=CHANCES[0], label_smoothing=0.1),
            *(M, SHARES),
        ),
    ],
    "diff": [(lambda x: ops.diff(x, 2, 0), M), (lambda x: ops.diff(x, prepend=0.0), M)],
    "ptp": [(lambda x: ops.ptp(x, 1), M)],
    "stacks": [
        (lambda x, y: ops.hstack([x, y]), V, values(2)),
        (lambda x, y: ops.column_stack([x, y]), V, V),
    ],
}
ROWS = [(name, *row) for name, rows in CASES.items() for row in rows]
# nothing flows, by intention
CONSTANT = {"stop_gradient", "full_like"}
# what flows is not the derivative, by intention: see test_outputs
OUTPUTS = {
    "softmax_output",
    *(f"{name}_regression_output" for name in ("linear", "mae", "logistic")),
}


def array_operators():
    found = {}
    for name in " ".join(ARRAY_FAMILIES.values()).split():
        op = getattr(registry.find(name), "op", None)
        if isinstance(op, ArrayOp):
            found[op.__name__] = op
    return found


def test_every_gradient_has_a_row():
    ruled = {name for name, op in array_operators().items() if op.rule is not None}
    complex_numbers = {"real", "imag", "complex_parts", "complex_map"}  # see test_complex
    assert ruled - CONSTANT - OUTPUTS - complex_numbers <= set(CASES)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_rules_agree_with_differences_to_second_order(row):
    _, function, *points = row
    check(function, *points)


@pytest.mark.parametrize("name", sorted(CONSTANT))
def test_constants_stop_gradients(name):
    x = Traced(M)
    made = {"stop_gradient": ops.stop_gradient, "full_like": ops.ones_like}[name](x)
    (found,) = gradients(ops.sum(ops.multiply(made, 3.0)), [x])
    assert not found.value.any()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_gradients_keep_shape_and_dtype(row):
    # `gradients` asserts it at every step; an operator in between may widen, as astype does
    name, function, *points = row
    if name == "astype":
        return
    variables = [Traced(p.astype("float32")) for p in points]
    found = gradients(function(*variables), variables)
    assert [str(g.dtype) for g in found] == ["float32"] * len(points)


def test_ties_share_equally():
    x = Traced(np.array([[1.0, 3.0, 3.0], [2.0, 2.0, 2.0]]))
    (found,) = gradients(ops.max(x, 1), [x])
    np.testing.assert_array_equal(found.value, [[0, 0.5, 0.5], [1 / 3] * 3])


def test_slopes_at_edges():
    zero = Traced(np.zeros(3))
    for function in (ops.std, ops.norm):
        (found,) = gradients(function(zero), [zero])
        assert not found.value.any()
    low = Traced(np.array([-np.inf, 0.0]))
    (found,) = gradients(ops.logsumexp(low), [low])
    np.testing.assert_array_equal(found.value, [0, 1])
    lowest = Traced(np.full(2, -np.inf))
    (found,) = gradients(ops.logsumexp(lowest), [lowest])
    np.testing.assert_array_equal(found.value, [0, 0])


def test_what_has_no_derivative_is_refused():
    x = Traced(M)
    with pytest.raises(DerivativeError, match="ord=0 counts elements"):
        gradients(ops.vector_norm(x, ord=0), [x])


def test_integer_operands_are_left_out():
    x, n = Traced(V), Traced(np.arange(5))
    found = gradients(ops.concatenate([x, n]), [x, n])
    np.testing.assert_array_equal(found[0].value, np.ones(5))


def test_a_wrong_rule_is_noticed():
    """The judge is not a yes-man."""
    from nbgraph.operator.arrays.array_op import Spec

    wrong = ArrayOp(
        "wrong",
        lambda x: Spec(x.shape, x.dtype),
        lambda inputs, outputs: np.copyto(outputs[0], inputs[0] ** 2),
        gradient=lambda g: [ops.multiply(g.out_grad, g.inputs[0])],
        keeps=("x",),
    )
    with pytest.raises(AssertionError, match="first order"):
        check(wrong, M)
