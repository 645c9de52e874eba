"""Functions of a row, as people write them, with what they are in NumPy."""

import math
from typing import NamedTuple

import numpy as np

import nbgraph as ng


class Example(NamedTuple):
    """A row operator and the shapes of its operands; of those in `labels` whole numbers."""

    op: object
    reference: object  # of whole arrays, along the last axis
    shapes: tuple = ((3, 5),)
    labels: tuple = ()


def rows(f):
    """A reduction of NumPy with the last axis kept."""
    return lambda x: f(x, axis=-1, keepdims=True)


total, top, mean = rows(np.sum), rows(np.max), rows(np.mean)


@ng.row_op
def softmax(x, *, temperature=1.0):
    weight = np.exp((x - x.max()) / temperature)
    return weight / weight.sum()


@ng.row_op
def layer_norm(x, weight, bias, *, eps=1e-5):
    away = x - x.mean()
    return away / math.sqrt((away * away).mean() + eps) * weight + bias


@ng.row_op
def log_sum_exp(x):
    top = x.max()
    return top + math.log(np.sum(np.exp(x - top)))


@ng.row_op(per_row="label")
def cross_entropy(x, label, *, smoothing=0.1):
    log_share = x - ng.logsumexp(x)
    return -(1 - smoothing) * log_share[label] - smoothing * log_share.mean()


@ng.op
def pinball(error, level):
    return level * error if error > 0 else (level - 1) * error


@ng.row_op(per_row=("level",))
def quantile_loss(x, y, level):
    return pinball(y - x, level).mean()


@ng.row_op
def attention(score, mask, value, *, scale=0.5):
    share = ng.softmax(np.where(mask > 0, score * scale, -1e9))
    return (share * value).sum()


@ng.row_op
def moments(x):
    return (x - x.mean()) / x.std(), x.mean(), x.var(ddof=1)


@ng.row_op
def products(x):
    return x.prod() + x[0] * x[-1] + x.min() / x.size


@ng.row_op
def unit(x):
    return x / ng.maximum(ng.vector_norm(x), 1e-12) + np.abs(x) ** 3


def _layer_norm(x, weight, bias):
    away = x - mean(x)
    return away / np.sqrt(mean(away * away) + 1e-5) * weight + bias


def _softmax(x):
    weight = np.exp(x - top(x))
    return weight / total(weight)


def _cross_entropy(x, label):
    log_share = np.log(_softmax(x))
    picked = np.take_along_axis(log_share, label[:, None].astype("int64"), -1)[:, 0]
    return -0.9 * picked - 0.1 * log_share.mean(-1)


def _quantile_loss(x, y, level):
    error = y - x
    return np.where(error > 0, level[:, None] * error, (level[:, None] - 1) * error).mean(-1)


def _attention(score, mask, value):
    share = _softmax(np.where(mask > 0, score * 0.5, -1e9))
    return (share * value).sum(-1)


EXAMPLES = {
    "softmax": Example(softmax, _softmax),
    "layer_norm": Example(layer_norm, _layer_norm, ((3, 5), (5,), (5,))),
    "log_sum_exp": Example(log_sum_exp, lambda x: np.log(np.exp(x).sum(-1))),
    "cross_entropy": Example(cross_entropy, _cross_entropy, ((3, 5), (3,)), labels=(1,)),
    "quantile_loss": Example(quantile_loss, _quantile_loss, ((3, 5), (3, 5), (3,))),
    "attention": Example(attention, _attention, ((3, 5), (5,), (3, 5))),
    "moments": Example(
        moments, lambda x: ((x - mean(x)) / rows(np.std)(x), x.mean(-1), x.var(-1, ddof=1))
    ),
    "products": Example(
        products, lambda x: x.prod(-1) + x[:, 0] * x[:, -1] + x.min(-1) / x.shape[-1]
    ),
    "unit": Example(unit, lambda x: x / np.sqrt(total(x * x)) + np.abs(x) ** 3),
}
