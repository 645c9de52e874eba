"""Bad input to operators over whole arrays: refused at the call, with names and the remedy."""

import numpy as np
import pytest

import nbgraph.ops as ops
from nbgraph.errors import ArgumentError, DTypeError, ShapeError

V, M = np.zeros(3), np.zeros((2, 3))

BAD = [
    (lambda: ops.reshape(M, (4, -1)), ShapeError, "reshape: .* shape .2, 3. has 6 elements"),
    (lambda: ops.reshape(M, (-1, -1)), ShapeError, "at most one of them -1"),
    (lambda: ops.reshape(M, 2.5), ArgumentError, "shape=2.5 is not a whole number"),
    (lambda: ops.transpose(M, (0,)), ShapeError, "the array has 2; name each once"),
    (lambda: ops.transpose(M, (0, 0)), ShapeError, "names an axis twice"),
    (lambda: ops.swapaxes(M, 0, 2), ShapeError, "axis2=2 does not exist .* expected -2 to 1"),
    (lambda: ops.moveaxis(M, (0, 1), 0), ArgumentError, "differ in number"),
    (lambda: ops.squeeze(M, 0), ShapeError, "has size 2, only axes of size 1"),
    (lambda: ops.expand_dims(M, None), ArgumentError, "axis=None is not a whole number"),
    (lambda: ops.broadcast_to(M, (2, 4)), ShapeError, "shape .2, 3. does not broadcast to .2, 4."),
    (lambda: ops.broadcast_arrays(M, np.zeros(2)), ShapeError, "arrays.1..2,.; align"),
    (lambda: ops.slice_scatter(V, (2,), slice(None)), ShapeError, "value has shape .3,., the sli"),
    (lambda: ops.diagonal(V), ShapeError, "no two axes; give a matrix"),
    (lambda: ops.split(V, 2), ShapeError, "no 2 equal sections; give the places"),
    (lambda: ops.split(V, 0), ShapeError, "sections=0; there is at least one"),
    (lambda: ops.sum(M, 2), ShapeError, "sum: axis=2 does not exist in a 2-d array"),
    (lambda: ops.sum(M, (0, -2)), ShapeError, "axis=.0, -2. names an axis twice"),
    (lambda: ops.sum(M, "x"), ArgumentError, "sum: axis='x' is not a whole number"),
    (lambda: ops.sum(M, 0, out=V[:2]), ShapeError, "out has shape .2,., the result has .3,."),
    (lambda: ops.sum("abc"), DTypeError, "sum: operand 'x' is 'abc'; give numbers"),
    (lambda: ops.sum_to(M, (2, 2)), ShapeError, "shape .2, 3. is not a broadcast of .2, 2."),
    (lambda: ops.max(M[:0], 0), ShapeError, "max: no elements along axis 0 of shape .0, 3."),
    (lambda: ops.argmin(M, (0, 1)), ShapeError, "names several axes"),
    (lambda: ops.var(M, ddof=1, correction=1), ArgumentError, "give one of them"),
    (lambda: ops.norm(M, 3), ArgumentError, "ord=3; expected 'fro', 'nuc'"),
    (lambda: ops.norm(V, "fro"), ArgumentError, "ord='fro'"),
    (lambda: ops.vector_norm(V, ord="nuc"), ArgumentError, "expected a number, inf or -inf"),
    (lambda: ops.concatenate([]), ArgumentError, "no arrays were given"),
    (lambda: ops.concatenate([M, V]), ShapeError, "arrays.1. has shape .3,., arrays.0. has .2, 3."),
    (lambda: ops.concatenate([1, 2]), ShapeError, "has no axes; use stack"),
    (
        lambda: ops.stack([M, V]),
        ShapeError,
        "stack: arrays.1. has shape .3,.*give one of that shape",
    ),
    (lambda: ops.repeat(V, [1, 2]), ShapeError, "repeats has 2 numbers, axis 0 .* has 3"),
    (lambda: ops.tile(V, -1), ShapeError, "reps=-1 has a negative size"),
    (lambda: ops.pad(V, 1, "mirror"), ArgumentError, "mode='mirror'; expected 'constant'"),
    (lambda: ops.pad(V, -1), ArgumentError, "give whole numbers from 0"),
    (lambda: ops.pad(M, [1, 2, 3]), ShapeError, "does not fit 2 axes"),
    (lambda: ops.roll(M, (1, 2, 3), (0, 1)), ArgumentError, "3 shifts for 2 axes"),
    (lambda: ops.cumulative_sum(M), ShapeError, "axis is needed for shape .2, 3."),
    (lambda: ops.linear_recurrence(V, M), ShapeError, "a has shape .3,., b has .2, 3."),
    (lambda: ops.linear_recurrence([1], [2]), DTypeError, "int64 is not a floating dtype"),
    (lambda: ops.diff(V, -1), ShapeError, "n=-1 is negative"),
    (lambda: ops.topk(V, 4), ShapeError, "k=4 for axis 0 of shape .3,.; expected 0 to 3"),
    (lambda: ops.searchsorted(M, V), ShapeError, "give a sorted vector"),
    (lambda: ops.searchsorted(V, V, side="up"), ArgumentError, "expected 'left' or 'right'"),
    (lambda: ops.extract(V, M), ShapeError, "condition has shape .3,., x has .2, 3."),
    (lambda: ops.matmul(M, M), ShapeError, "matmul: inner sizes differ: x1.2, 3. @ x2.2, 3."),
    (lambda: ops.matmul(M, 2), ShapeError, "multiplied with multiply"),
    (lambda: ops.matmul(np.zeros((2, 2, 2)), np.zeros((3, 2, 2))), ShapeError, "do not broadcast"),
    (lambda: ops.vecdot(V, M[:, :2]), ShapeError, "their sizes at axis -1 have to be equal"),
    (lambda: ops.tensordot(M, M, axes=((0,), (1,))), ShapeError, "have to be equal"),
    (lambda: ops.tensordot(M, M, axes=3), ShapeError, "expected 0 to 2"),
    (lambda: ops.tril(V), ShapeError, "no two axes"),
    (lambda: ops.einsum("ij,jk->ik", M), ArgumentError, "names 2 operand.s., 1 were given"),
    (lambda: ops.einsum("ijk->i", M), ShapeError, "does not name the 2 axes of shape .2, 3."),
    (lambda: ops.einsum("ij,ij->i", M, M.T), ShapeError, "index 'i' .* has size 2 and size 3"),
    (lambda: ops.einsum("ij->k", M), ArgumentError, "has to name indices of the operands"),
    (lambda: ops.einsum(M, "ij"), ArgumentError, "give a text such as"),
    (lambda: ops.zeros(-1), ShapeError, "shape=-1 has a negative size"),
    (lambda: ops.zeros((2.5,)), ArgumentError, "shape=2.5 is not a whole number"),
    (lambda: ops.full(2, "a"), ArgumentError, "fill_value='a'; expected a number"),
    (lambda: ops.full(2, np.nan, "int32"), ArgumentError, "nan cannot be held by int32"),
    (lambda: ops.full_like([1, 2], np.inf), ArgumentError, "inf cannot be held by int64"),
    (lambda: ops.arange(0, 1, 0), ArgumentError, "step=0 leads nowhere"),
    (lambda: ops.linspace(0, 1, -1), ShapeError, "num=-1 has a negative size"),
    (lambda: ops.meshgrid(M), ShapeError, "arrays.0. has shape .2, 3.; give vectors"),
    (lambda: ops.meshgrid(V, indexing="yx"), ArgumentError, "expected 'xy' or 'ij'"),
    (lambda: ops.take(V, [0.5], 0), DTypeError, "indices are integers"),
    (lambda: ops.one_hot([0], -1), ShapeError, "depth=.* negative"),
]


@pytest.mark.parametrize("call, error, message", BAD, ids=[m[:40] for _, _, m in BAD])
def test_bad_input(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_shapes_that_depend_on_values_ask_the_class_of_the_array():
    """A class may wait, compute and wrap; one without values is refused by name."""

    class Waits:
        __nbgraph_priority__ = 1
        __nbgraph_call__ = None

        @classmethod
        def __nbgraph_dynamic__(cls, name, compute, operands, options):
            return "waited", compute(np.asarray([0, 3])), options

    class Symbolic:
        __nbgraph_priority__ = 1
        __nbgraph_call__ = None

    found = ops.nonzero(Waits())
    assert found[0] == "waited" and found[1][0].tolist() == [1]
    with pytest.raises(ArgumentError, match="nonzero: the shape of the result depends on values"):
        ops.nonzero(Symbolic())


WHOLE = np.ones((2, 3), int)
OF_FLOATS = {
    "dropout": lambda: ops.dropout(WHOLE),
    "rrelu": lambda: ops.rrelu(WHOLE),
    "logcumsumexp": lambda: ops.logcumsumexp(WHOLE),
    "sparsemax": lambda: ops.sparsemax(WHOLE),
    "label_entropy": lambda: ops.cross_entropy(WHOLE, WHOLE[:, 0]),
    "softmax_cross_entropy": lambda: ops.softmax_cross_entropy(WHOLE, WHOLE[:, 0]),
    "softmax_output": lambda: ops.SoftmaxOutput(WHOLE, WHOLE),
    "linear_regression_output": lambda: ops.linear_regression_output(WHOLE, WHOLE),
    "CTCLoss": lambda: ops.CTCLoss(np.ones((4, 2, 3), int), np.ones((2, 2))),
    "fully_connected": lambda: ops.fully_connected(WHOLE, WHOLE),
    "max_pooling": lambda: ops.max_pooling(WHOLE[None], 2),
    "convolution": lambda: ops.convolution(WHOLE[None], WHOLE[:, :, None][:1]),
}


@pytest.mark.parametrize("name", OF_FLOATS)
def test_what_takes_floats_refuses_integers(name):
    """The message names the operator, the dtypes and the remedy, in one wording for all."""
    with pytest.raises(DTypeError, match=rf"^{name}: .* int64.*; expected floats: use astype$"):
        OF_FLOATS[name]()
