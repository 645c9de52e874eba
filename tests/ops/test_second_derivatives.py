"""Derivatives of layers and losses to second order: on arrays, compiled, and as bound graphs.

The three agree with each other, and with differences along a direction: of the result for the
gradients, of the sum of their squares for the gradients of that. `benchmarks/against_torch`
compares many more configurations with PyTorch.
"""

import mpmath
import numpy as np
import pytest

import nbgraph as ng
from benchmarks.torch_cases.case import Case
from benchmarks.torch_cases.ways import WAYS, difference, eagerly
from nbgraph import nn

RNG = np.random.default_rng(7)
LABELS = np.array([[0, 2], [1, 2], [2, 0]])
TRUE = RNG.uniform(size=(3, 4)) < 0.5
SEEN = np.tri(3, dtype=bool)


def normal(*shape):
    return RNG.normal(size=shape)


def apart(*shape):
    """Numbers that are not near each other, as where one of them is chosen."""
    return (RNG.permutation(int(np.prod(shape))) / 7 - 1.03).reshape(shape)


def recurrent(kind, **how):
    """A layer of two features and units over three steps, as a function of its parameters."""
    layer = getattr(nn, kind)(2, in_features=2, **how)

    def run(x, *weights):
        (cell,) = layer.cells
        cell.weight, cell.recurrent, cell.bias = weights[:3]
        if len(weights) > 3:
            cell.recurrent_bias = weights[3]
        return layer(x)[0]

    rows = layer.cells[0].gates * 2
    shapes = [(rows, 2), (rows, 2), *[(rows,)] * (1 + bool(how))]
    return run, normal(2, 3, 2), *(normal(*s) for s in shapes)


def attention(x, *weights):
    layer = nn.MultiHeadAttention(4, heads=2)
    for dense, weight in zip((layer.query, layer.key, layer.value, layer.out), weights):
        dense.weight, dense.bias = weight, None
    return layer(x, mask=SEEN)


def squared(function):
    """So that a linear function has second derivatives, too."""
    return lambda *operands: function(*operands) ** 2


CASES = {
    "convolution": (
        lambda x, w, b: ng.convolution(x, w, b, stride=2, pad=1, dilation=(2, 1), groups=2),
        *(normal(2, 4, 5, 4), normal(2, 2, 2, 3), normal(2)),
    ),
    "convolution of no images": (
        lambda x, w: ng.convolution(x, w, groups=3), normal(0, 3, 4), normal(3, 1, 2),
    ),
    "convolution_data": (
        lambda x, w: ng.ops.convolution_data(x, w, size=(8,), stride=3, pad=1, groups=2),
        *(normal(2, 4, 3), normal(4, 2, 3)),
    ),
    "max_pooling": (squared(lambda x: ng.max_pooling(x, 2, stride=1, pad=1)), apart(1, 2, 3, 4)),
    "max_pooling, gaps": (
        squared(lambda x: ng.max_pooling(x, (2, 3), stride=1, dilation=(2, 1))), apart(1, 2, 4, 4),
    ),
    "avg_pooling": (
        squared(lambda x: ng.avg_pooling(x, 3, stride=2, pad=1, ceil=True, counted=False)),
        normal(2, 2, 6),
    ),
    "im2col": (squared(lambda x: ng.im2col(x, kernel=2, stride=2, pad=1)), normal(1, 2, 5)),
    "adaptive_avg_pooling": (
        squared(lambda x: ng.adaptive_avg_pooling(x, (2, 3))), normal(1, 2, 5, 4),
    ),
    "adaptive_max_pooling": (
        squared(lambda x: ng.adaptive_max_pooling(x, (2, 3))), apart(1, 2, 5, 4),
    ),
    "batch_norm": (ng.batch_norm, normal(3, 2, 2), normal(2), normal(2)),
    "layer_norm": (ng.layer_norm, normal(3, 4), normal(4), normal(4)),
    "rms_norm": (ng.rms_norm, normal(3, 4), normal(4)),
    "group_norm": (lambda x, g, b: ng.group_norm(x, 2, g, b), normal(2, 4, 3), *normal(2, 4)),
    "softmax": (lambda x: ng.softmax(x, 0, temperature=0.7), normal(3, 4)),
    "log_softmax": (ng.log_softmax, normal(3, 4)),
    "masked softmax": (lambda x: ng.softmax(ng.where(SEEN, x, -np.inf)), normal(3, 3)),
    "cross_entropy": (
        lambda x: ng.cross_entropy(
            x, LABELS, 1, class_weight=np.array([0.3, 2, 1]), ignore_index=0, label_smoothing=0.2
        ),
        normal(3, 3, 2),
    ),
    "cross_entropy of shares": (
        lambda x, t: ng.cross_entropy(x, t, label_smoothing=0.2, class_weight=np.arange(1.0, 5)),
        *(normal(3, 4), RNG.dirichlet(np.ones(4), 3)),
    ),
    "binary_cross_entropy_with_logits": (
        lambda x: ng.binary_cross_entropy_with_logits(x, TRUE, positive_weight=np.arange(1.0, 5)),
        normal(3, 4),
    ),
    "focal_loss": (lambda x: ng.focal_loss(x, TRUE, gamma=1.5), normal(3, 4)),
    "huber_loss": (lambda x, t: ng.huber_loss(x, t, delta=0.7), normal(3, 4), normal(3, 4)),
    "triplet_margin_loss": (
        lambda *v: ng.triplet_margin_loss(*v, margin=5.0), *(normal(3, 4) for _ in range(3)),
    ),
    "embedding": (
        squared(lambda w: ng.embedding(LABELS, w)), normal(3, 2),
    ),
    "take_along_axis": (squared(lambda x: ng.take_along_axis(x, LABELS, 1)), normal(3, 3)),
    "sort": (squared(lambda x: ng.sort(x, 0)), apart(3, 4)),
    "topk": (squared(lambda x: ng.topk(x, 2)[0]), apart(3, 4)),
    "cumprod": (lambda x: ng.cumprod(x, 1), normal(3, 4)),
    "cummax": (squared(lambda x: ng.cummax(x, 0)), apart(3, 4)),
    "logcumsumexp": (ng.logcumsumexp, normal(3, 4)),
    "prod": (lambda x: ng.prod(x, 0), normal(3, 4)),
    "var": (lambda x: x.var((0, 2), ddof=1), normal(2, 3, 2)),
    "vector_norm": (lambda x: ng.vector_norm(x, axis=1, ord=3), normal(3, 4)),
    "matmul": (ng.matmul, normal(2, 1, 2, 3), normal(3, 3, 2)),
    "matmul of nothing": (ng.matmul, normal(0, 3), normal(3)),
    "einsum": (lambda a, b: ng.einsum("iij,jk->ik", a, b), normal(2, 2, 3), normal(3, 2)),
    "fully_connected": (ng.fully_connected, normal(2, 3, 2), normal(4, 6), normal(4)),
    "rnn": recurrent("RNN"),
    "lstm": recurrent("LSTM"),
    "gru": recurrent("GRU", recurrent_bias=True),
    "attention": (attention, normal(1, 3, 4), *(normal(4, 4) for _ in range(4))),
}  # fmt: skip


def judged(case, seed):
    """Whether derivatives are those of differences along a direction."""
    step, points, rng = 1e-5, case.operands, np.random.default_rng(5)
    ahead = [rng.normal(size=x.shape) for x in points]

    def moved(h):
        at = [x + h * v for x, v in zip(points, ahead, strict=True)]
        (out,), slopes = eagerly(case._replace(operands=at), seed, 1)
        return np.array([(out * seed).sum(), sum((g * g).sum() for g in slopes)])

    _, *derivatives = eagerly(case, seed, 2)
    found = [sum((d * v).sum() for d, v in zip(own, ahead)) for own in derivatives]
    wanted = (moved(step) - moved(-step)) / (2 * step)
    np.testing.assert_allclose(found, wanted, rtol=1e-6, atol=1e-6)


EVERYDAY = {
    *("convolution", "convolution of no images", "max_pooling, gaps", "adaptive_avg_pooling"),
    *("layer_norm", "cross_entropy", "binary_cross_entropy_with_logits", "embedding", "topk"),
    *("matmul of nothing", "gru", "attention"),
}


def rows():
    """The others are slow, for their kernels are many."""
    for name in CASES:
        yield pytest.param(name, marks=[] if name in EVERYDAY else pytest.mark.slow, id=name)


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize("name", list(rows()))
def test_three_ways_agree_with_differences(name):
    """OPP-24: values, gradients and gradients of the sum of their squares."""
    function, *operands = CASES[name]
    case = Case(name, operands, function, None)
    with ng.autograd.train_mode():
        shape = function(*map(ng.array, operands)).shape
    seed = np.random.default_rng(3).normal(size=shape)
    judged(case, seed)
    first = WAYS["eager"](case, seed, 2)
    for way in ("jit", "bound"):
        off, where = difference(WAYS[way](case, seed, 2), first)
        assert off < 1e-11, (way, where)


def test_what_has_no_second_derivative_says_so():
    """OPP-24: an operator that is the end of the road is named; nothing is taken for zero."""
    x, rois = ng.array(normal(1, 1, 4, 4)), ng.array([[0.0, 0, 0, 3, 3]])
    slope = ng.grad(lambda x: ng.sum(ng.roi_pooling(x, rois, pooled_size=(2, 2)) ** 2))
    assert slope(x).asnumpy().any()
    with pytest.raises(ng.DerivativeError, match="roi_pooling"):
        ng.grad(lambda x: ng.sum(slope(x) ** 2))(x)


def test_derivatives_of_digamma_of_every_order():
    """OPP-24: polygamma is its own next derivative; the first ones by way of jit, too."""
    x = ng.array(np.array([0.3, 2.0, 7.5, -0.4, -3.7]))
    found, function = [], ng.lgamma
    for _ in range(6):
        function = ng.jit(ng.grad(lambda x, inner=function: ng.sum(inner(x))))
        found.append(function(x).asnumpy())
    with mpmath.workdps(40):
        for order, values in enumerate(found):
            wanted = [float(mpmath.psi(order, mpmath.mpf(float(v)))) for v in x.asnumpy()]
            np.testing.assert_allclose(values, wanted, rtol=1e-13)
