"""Names, variables and errors of operators by MXNet's names; values are in test_mxnet."""

import itertools
import math
import re

import numpy as np
import pytest
import scipy.sparse

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, DTypeError, IndexingError, ShapeError
from nbgraph.operator import registry
from nbgraph.ops.families import NAMED_FAMILIES
from tests.array.gpu import GPU

S = ng.sym
X = np.arange(24.0).reshape(2, 3, 4)


def network():
    s = S.Convolution(data=ng.var("data"), kernel=(3, 3), num_filter=4, name="c")
    s = S.Deconvolution(s, kernel=(2, 2), num_filter=3, name="d")
    s = S.BatchNorm(s, name="bn")
    s = S.Activation(s, act_type="relu", name="r")
    s = S.LeakyReLU(s, act_type="prelu", name="pr")
    s = S.GroupNorm(S.InstanceNorm(s, name="in"), num_groups=3, name="gn")
    s = S.L2Normalization(S.LRN(s, nsize=3), mode="channel")
    s = S.Pooling(s, global_pool=True, kernel=(1, 1), pool_type="avg")
    s = S.LayerNorm(S.FullyConnected(S.Flatten(s), num_hidden=4, name="fc"), name="ln")
    return S.SoftmaxOutput(s, name="softmax")


def test_variables_have_the_names_of_mxnet():
    """OPP-02, OPP-14, OPP-16: by the node's name; shapes follow from data; outputs are visible."""
    out = network()
    arguments = (
        "data c_weight c_bias d_weight bn_gamma bn_beta pr_gamma in_gamma in_beta gn_gamma "
        "gn_beta fc_weight fc_bias ln_gamma ln_beta softmax_label"
    ).split()
    assert out.list_arguments() == arguments
    assert out.list_auxiliary_states() == ["bn_moving_mean", "bn_moving_var"]
    assert set(out.list_inputs()) == {*arguments, *out.list_auxiliary_states()}
    assert out.list_outputs() == ["softmax_output"]
    shapes = dict(zip(arguments, out.infer_shape(data=(2, 1, 8, 8))[0], strict=True))
    assert shapes["d_weight"] == (4, 3, 2, 2)
    assert shapes["bn_gamma"] == shapes["pr_gamma"] == shapes["gn_beta"] == (3,)
    assert shapes["fc_weight"] == (4, 3)
    assert shapes["softmax_label"] == (2,)


def test_norms_have_one_output_of_their_name():
    """Means and scales are for gradients alone."""
    for name in ("LayerNorm", "layer_norm"):
        norm = getattr(S, name)(ng.var("data"), name="q")
        assert norm.list_outputs() == ["q_output"]
        assert norm.get_internals()["q_output"].list_outputs() == ["q_output"]


def test_it_trains_without_a_loss():
    """X-SYM-04, OPP-08: backward needs no head; a gamma that is fixed gets no gradient."""
    exe = network().simple_bind(data=(2, 1, 8, 8))
    rng = np.random.default_rng(0)
    for name, array in exe.arg_dict.items():
        array[...] = np.ones(array.shape) if name == "bn_gamma" else rng.normal(size=array.shape)
    exe.arg_dict["softmax_label"][...] = np.array([1, 3])
    exe.forward(is_train=True)
    exe.backward()
    grads = {n: np.abs(g.asnumpy()).max() for n, g in exe.grad_dict.items()}
    assert grads["bn_gamma"] == grads["softmax_label"] == 0
    assert all(grads[n] > 0 for n in ("c_weight", "d_weight", "bn_beta", "gn_gamma", "ln_beta"))


@pytest.mark.parametrize("name", ["LinearRegressionOutput", "SVMOutput", "SoftmaxOutput"])
def test_labels_are_made(name):
    """OPP-14: a label that is not given becomes a variable, whose shape follows."""
    out = getattr(S, name)(ng.var("data"), name="o")
    assert out.list_arguments() == ["data", "o_label"]
    label = out.infer_shape(data=(5, 4))[0][1]
    assert label == ((5, 4) if name.startswith("Linear") else (5,))


HEADS = {
    "LinearRegressionOutput": {"grad_scale": 2.0},
    "MAERegressionOutput": {},
    "LogisticRegressionOutput": {},
    "SVMOutput": {"margin": 0.7},
    "SVMOutput linear": {"use_linear": True},
    "SoftmaxOutput": {"grad_scale": 2.0},
    "MakeLoss": {"grad_scale": 0.5},
}


@pytest.mark.parametrize("name", HEADS)
def test_a_pass_back_begins_at_an_output_in_every_world(name):
    """OPP-08: arrays, a compiled function and a symbol have one gradient, whatever comes from
    above."""
    op, options = name.split()[0], HEADS[name]
    rng = np.random.default_rng(2)
    data = rng.normal(size=(4, 3))
    label = rng.integers(0, 3, 4) if op in ("SVMOutput", "SoftmaxOutput") else rng.random((4, 3))
    labels = () if op == "MakeLoss" else (label.astype("float64"),)
    x, above, arrays = (
        ng.array(data),
        ng.array(rng.normal(size=(4, 3))),
        list(map(ng.array, labels)),
    )
    out = getattr(S, op)(ng.var("x"), *[ng.var("t") for _ in labels], **options)
    exe = out.bind(args=[x, *arrays], args_grad={"x": ng.zeros_like(x)})
    exe.forward(is_train=True)
    exe.backward()
    wanted = exe.grad_dict["x"].asnumpy()
    x.attach_grad()
    for times in (1.0, 3.0):
        with ng.autograd.record():
            y = getattr(ng.nd, op)(x, *arrays, **options) * times
        y.backward(above)
        np.testing.assert_allclose(x.grad.asnumpy(), wanted, rtol=1e-9)
    compiled = ng.jit(ng.grad(lambda x: ng.sum(getattr(ng.nd, op)(x, *arrays, **options) * above)))
    np.testing.assert_allclose(compiled(x).asnumpy(), wanted, rtol=1e-9)


def test_softmax_output_takes_shares_of_classes():
    """OPP-08: labels of the data's shape; out_grad multiplies; a symbol learns of it when bound."""
    rng = np.random.default_rng(1)
    data, label, head = (rng.random((5, 4)) for _ in range(3))
    share = np.exp(data) / np.exp(data).sum(1, keepdims=True)
    x = ng.array(data)
    x.attach_grad()
    with ng.autograd.record():
        y = ng.SoftmaxOutput(x, ng.array(label), grad_scale=2.0, out_grad=True)
    y.backward(ng.array(head))
    np.testing.assert_allclose(y.asnumpy(), share, rtol=1e-12)
    np.testing.assert_allclose(x.grad.asnumpy(), 2 * (share - label) * head, rtol=1e-9)
    exe = S.SoftmaxOutput(ng.var("x"), ng.var("t")).simple_bind(x=(5, 4), t=(5, 4))
    exe.forward(is_train=True, x=data, t=label)
    exe.backward()
    np.testing.assert_allclose(exe.grad_dict["x"].asnumpy(), share - label, rtol=1e-4, atol=1e-6)


def test_products_with_sparse_matrices():
    """MND-22: dot takes a scipy.sparse matrix on either side, transposed or not."""
    matrix = scipy.sparse.random(4, 5, 0.5, format="csr", random_state=0)
    dense = ng.array(np.random.default_rng(0).normal(size=(5, 3)))
    dense.attach_grad()
    with ng.autograd.record():
        y = ng.nd.dot(matrix, dense)
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), matrix @ dense.asnumpy())
    np.testing.assert_allclose(dense.grad.asnumpy(), matrix.T @ np.ones((4, 3)))
    turned = ng.nd.dot(dense, matrix, transpose_a=True, transpose_b=True)
    np.testing.assert_allclose(turned.asnumpy(), (matrix @ dense.asnumpy()).T)


def test_one_element_of_each_row_is_replaced():
    """OPP-24: fill_element_0index, with gradients to both of its sources."""
    lhs, mhs = ng.array(X[0]), ng.array([7.0, 8.0, 9.0])
    for x in (lhs, mhs):
        x.attach_grad()
    with ng.autograd.record():
        y = ng.nd.fill_element_0index(lhs, mhs, ng.array([0.0, 3.0, 3.0]))
        total = (y * ng.array(X[1])).sum()
    total.backward()
    wanted, kept = X[0].copy(), X[1].copy()
    wanted[range(3), [0, 3, 3]], kept[range(3), [0, 3, 3]] = [7, 8, 9], 0
    np.testing.assert_array_equal(y.asnumpy(), wanted)
    np.testing.assert_array_equal(lhs.grad.asnumpy(), kept)
    np.testing.assert_array_equal(mhs.grad.asnumpy(), X[1][range(3), [0, 3, 3]])


def test_names_begin_alike():
    """X-NDA-04: ng.nd.linalg and ng.nd.random are parts of names."""
    np.testing.assert_allclose(ng.nd.linalg.det(2 * np.eye(2)).asnumpy(), 4)
    assert ng.nd.random.uniform(size=(2, 3)).shape == (2, 3)
    assert "potrf" in dir(ng.nd.linalg)
    with pytest.raises(AttributeError, match="linalg_pot"):
        _ = ng.nd.linalg.pot


def test_alignments_are_all_there_are():
    """OPP-24: the loss over alignments is the sum over all of them, one by one; so is its slope."""
    rng = np.random.default_rng(2)
    scores, label = rng.normal(size=(4, 1, 3)), (1, 1)
    share = np.exp(scores - np.logaddexp.reduce(scores, 2, keepdims=True))[:, 0]
    total, counts = 0.0, np.zeros((4, 3))
    for path in itertools.product(range(3), repeat=4):
        merged = [c for c, before in zip(path, (0, *path), strict=False) if c and c != before]
        if tuple(merged) == label:
            chance = np.prod(share[range(4), path])
            total += chance
            counts[range(4), path] += chance
    x = ng.array(scores)
    x.attach_grad()
    with ng.autograd.record():
        loss = ng.CTCLoss(x, ng.array([label]))
    loss.backward()
    np.testing.assert_allclose(loss.asnumpy(), [-np.log(total)], rtol=1e-12)
    np.testing.assert_allclose(x.grad.asnumpy()[:, 0], share - counts / total, rtol=1e-9)


def test_a_slope_for_each_element_of_a_sample():
    """OPP-24: prelu by gamma of a sample's shape, with its gradient."""
    gamma = np.linspace(0.1, 1, 12).reshape(3, 4)
    x, slope = ng.array(X - 7), ng.array(gamma)
    for a in (x, slope):
        a.attach_grad()
    with ng.autograd.record():
        y = ng.nd.LeakyReLU(x, slope, act_type="prelu")
    y.backward()
    np.testing.assert_allclose(y.asnumpy(), np.where(X > 7, X - 7, gamma * (X - 7)))
    np.testing.assert_allclose(slope.grad.asnumpy(), np.minimum(X - 7, 0).sum(0))
    on_gpu = [ng.array(v, device=GPU) for v in (X - 7, gamma)]
    found = ng.nd.LeakyReLU(*on_gpu, act_type="prelu").asnumpy()
    np.testing.assert_array_equal(found, y.asnumpy())


@pytest.mark.parametrize("space", [(7,), (5, 6)])
@pytest.mark.parametrize(("kernel", "stride", "pad"), [(3, 1, 0), (3, 2, 0), (2, 3, 1), (4, 3, 2)])
def test_pools_of_as_many_places_as_begin_within(space, kernel, stride, pad):
    """OPP-24: "same" has (n + 2 * pad) / stride places, rounded up; of windows cut at the end."""
    x = np.random.default_rng(0).normal(size=(2, 3, *space))
    how = {"kernel": kernel, "stride": stride, "pad": pad, "pooling_convention": "same"}
    places = [range(-pad, n + pad, stride) for n in space]
    wanted = {"max": np.max, "sum": np.sum}
    for kind in ("max", "sum", "avg", "alone"):
        counts = {"count_include_pad": kind == "avg"} if kind in ("avg", "alone") else {}
        made = ng.Pooling(x, pool_type="avg" if counts else kind, **how, **counts)
        assert made.shape == (2, 3, *map(len, places))
        for at in np.ndindex(*map(len, places)):
            first = [own[k] for own, k in zip(places, at, strict=True)]
            cells = tuple(slice(max(f, 0), f + kernel) for f in first)
            under = x[:, :, *cells].reshape(2, 3, -1)
            size = np.prod(
                [min(f + kernel, n + pad) - f for f, n in zip(first, space, strict=True)]
            )
            if kind in wanted:
                judge = wanted[kind](under, -1) if under.size else made[:, :, *at]
            else:
                judge = under.sum(-1) / max(size if kind == "avg" else under.shape[-1], 1)
            np.testing.assert_allclose(made[:, :, *at], judge, rtol=1e-12, atol=1e-12)


def test_upsampling_by_weights_interpolates():
    """OPP-14, OPP-24: the weight is a variable that begins bilinear, also of a symbol that was
    read from text; a constant stays one, but at the edges."""
    made = S.UpSampling(
        ng.var("x"), scale=2, sample_type="bilinear", num_filter=2, num_args=2, name="up"
    )
    assert made.list_arguments() == ["x", "up_weight"]
    exe = ng.load_json(made.tojson()).simple_bind(x=(1, 2, 4, 5))
    out = exe.forward(x=np.full((1, 2, 4, 5), 3.0))[0].asnumpy()
    assert out.shape == (1, 2, 8, 10)
    np.testing.assert_allclose(out[:, :, 1:-1, 1:-1], 3.0, rtol=1e-6)


def test_finite_numbers_are_asked_for_again():
    """OPP-24: with init_output=False what was 0 stays 0."""
    out = ng.ones(1)
    assert ng.nd.all_finite(ng.array([np.nan]), out=out) is out and out.item() == 0
    assert ng.nd.all_finite(ng.array([1.0]), init_output=False, out=out).item() == 0
    assert ng.nd.all_finite(ng.array([1.0]), out=out).item() == 1


def test_every_name_is_there():
    """OPP-14: names of the table are registered, and documented."""
    for name in " ".join(NAMED_FAMILIES.values()).split():
        assert registry.entry(name).doc, name


@pytest.mark.parametrize(("name", "other", "shape"), [
    ("reshape_like", (3, 2), (3, 2)),
    ("broadcast_like", (4, 2, 3), (4, 2, 3)),
    ("slice_like", (1, 2), (1, 2)),
])  # fmt: skip
def test_an_array_that_gives_its_shape_alone_stays_an_argument(name, other, shape):
    """Whether shapes are known or not; it has no gradient, and the array's memory is seen."""
    for sizes in ((None, None), ((2, 3), other)):
        a, b = (ng.var(n, shape=s, dtype="float32") for n, s in zip("ab", sizes, strict=True))
        y = getattr(ng.sym, name)(a, b)
        for graph in (y, ng.load_json(y.tojson())):
            assert graph.list_arguments() == ["a", "b"]
            assert graph.infer_shape(a=(2, 3), b=other)[1] == [shape]
    x, like = ng.ones((2, 3)), ng.ones(other)
    x.attach_grad()
    like.attach_grad()
    with ng.autograd.record():
        made = getattr(ng.nd, name)(x, like)
    made.backward()
    assert float(x.grad.sum()) == math.prod(shape) and not like.grad.any()
    assert np.shares_memory(getattr(ops, name)(X, np.ones((*X.shape,))), X)


BAD = [
    (lambda: ops.depth_to_space(X[None], -1), ShapeError, "depth_to_space: data has shape"),
    (lambda: ops.space_to_depth(X[None], 3), ShapeError, r"multiples of \(1, 3, 3\)"),
    (
        lambda: ops.Pooling(X, kernel=2, pad=(0, 0, 0), pooling_convention="same"),
        ArgumentError,
        "for 1 axes of space",
    ),
    (lambda: ng.nd.Cast(X, "int8", out=ng.zeros(3)), ShapeError, "Cast: out has .*needed are"),
    (lambda: ng.nd.moments(X, out=ng.zeros(())), ShapeError, "moments: out has"),
    (lambda: ops.Reshape(X, (5, -1)), ShapeError, "does not fit an array of shape"),
    (lambda: ops.Reshape(X, (-4, 5, -1)), ShapeError, "-4 splits one"),
    (lambda: ops.reshape_like(X, X[0]), ShapeError, "arrays of as many elements"),
    (lambda: ops.broadcast_like(X, X[0]), ShapeError, "does not broadcast"),
    (lambda: ops.slice_like(X[:, :2], X), ShapeError, "at axis 1 there are not so many"),
    (lambda: ops.slice_range(X, (0, 1), (1,)), ArgumentError, "one of each for the same axes"),
    (lambda: ops.Crop(X), ShapeError, "images, channels, height, width"),
    (lambda: ops.Crop(X[None], h_w=(9, 9)), ShapeError, "does not lie within"),
    (lambda: ops.Pad(X, pad_width=(1,)), ArgumentError, "has 1 numbers; give pairs"),
    (
        lambda: ops.Pad(X, "wrap"),
        ArgumentError,
        "mode='wrap'; expected 'constant', 'edge' or 'reflect'",
    ),
    (lambda: ops.Activation(X, "sine"), ArgumentError, "act_type='sine'; expected"),
    (lambda: ops.LeakyReLU(X, X[0, 0], act_type="prelu"), ArgumentError, "a slope for each"),
    (lambda: ops.im2col(X, kernel=9), ShapeError, "does not fit into space"),
    (lambda: ops.col2im(X, output_size=4, kernel=2), ShapeError, r"channels \* 2, 3"),
    (
        lambda: ops.UpSampling(X[None], X[None], scale=2, sample_type="bilinear"),
        ArgumentError,
        "2 arrays and num_filter=0",
    ),
    (lambda: ops.SequenceMask(X, use_sequence_length=True), ArgumentError, "is not given"),
    (lambda: ops.SequenceMask(X, [1], use_sequence_length=True), ShapeError, "one for each sample"),
    (lambda: ops.SequenceReverse(X, [1, 1], use_sequence_length=True, axis=2), ShapeError, "steps"),
    (lambda: ops.LayerNorm(X, np.ones(3), np.ones(3)), ShapeError, "one value for each element"),
    (lambda: ops.LRN(X[None], nsize=2), ShapeError, "nsize=2; expected an odd number"),
    (lambda: ops.L2Normalization(X, mode="all"), ArgumentError, "L2Normalization: mode='all'"),
    (lambda: ops.UpSampling(X[None], scale=0), ArgumentError, "UpSampling: scale=0"),
    (lambda: ops.SVMOutput(X, [1, 2]), ShapeError, "a class for each sample"),
    (lambda: ops.MakeLoss([1, 2]), DTypeError, "MakeLoss: data has dtype int64"),
    (lambda: ops.softmax_output(X[0], X[0, :2]), ShapeError, "label"),
    (lambda: ops.linalg_det(X), ShapeError, "expected square matrices"),
    (lambda: ops.linalg_potrf(-np.eye(2)), ValueError, "not positive definite"),
    (lambda: ops.linalg_maketrian(np.ones(4)), ShapeError, "4 elements are not a triangle"),
    (lambda: ops.Embedding([0], X[0], input_dim=9), ShapeError, r"expected \(9, any\)"),
    (lambda: ops.Embedding([7], X[0]), IndexingError, "out of bounds"),
    (lambda: ops.Embedding([0], X[0], dtype="flat"), ArgumentError, "not a dtype"),
    (lambda: ops.fill_element_0index(X, [0], [0]), ShapeError, "lhs has shape"),
    (lambda: ops.fill_element_0index(X[0], [0] * 3, [4] * 3), IndexingError, "out of bounds"),
    (lambda: ops.take(X, [0], 0, mode="near"), ArgumentError, "mode='near'"),
    (lambda: ops.topk(X, 1, ret_typ="all"), ArgumentError, "ret_typ='all'"),
    (lambda: ops.CTCLoss(X, [[1]]), ShapeError, "steps, samples, classes"),
    (lambda: ops.CTCLoss(X, [[1]] * 3, use_data_lengths=True), ArgumentError, "give one a sample"),
    (lambda: ops.Dropout(X, mode="never"), ArgumentError, "mode='never'"),
]


@pytest.mark.parametrize(("call", "error", "message"), BAD, ids=[m[:30] for _, _, m in BAD])
def test_bad_input(call, error, message):
    """OPR-16: operator, argument, the given, the expected."""
    with pytest.raises(error, match=message):
        call()


# a call in MXNet's words, and ours; x is (2, 3), y (2, 1), p the places
WORDS = """
sum(data=x, axis=1) ==> sum(x, axis=1)
exp(data=x) ==> exp(x)
broadcast_add(lhs=x, rhs=y) ==> add(x, y)
broadcast_power(lhs=x, rhs=2.0) ==> power(x, 2.0)
hypot(left=x, right=y) ==> hypot(x, y)
dot(lhs=x, rhs=x, transpose_b=True) ==> dot(x, x, transpose_b=True)
take(a=x, indices=p, axis=1) ==> take(x, [0, 2], axis=1, mode="clip")
take(x, [1, 0]) ==> take(x, [1, 0], axis=0)
take(x, [-1, 7], axis=1) ==> take(x, [0, 2], axis=1)
take(x, [4, 1], axis=None) ==> take(x, [4, 1])
where(condition=x, x=x, y=y) ==> where(x, x, y)
cumsum(a=x, axis=1) ==> cumsum(x, axis=1)
clip(data=x, a_min=-0.5, a_max=0.5) ==> clip(x, -0.5, 0.5)
clip(x, -0.5, 0.5) ==> clip(x, -0.5, 0.5)
swapaxes(data=x, dim1=0, dim2=1) ==> transpose(x)
smooth_l1(data=x, scalar=2.0) ==> smooth_l1(x, sigma=2.0)
sort(data=x, is_ascend=False) ==> sort(x, descending=True)
argsort(x, is_ascend=False, dtype="int32") ==> astype(argsort(x, descending=True), "int32")
topk(data=x, k=2, ret_typ="value", dtype="int32") ==> topk(x, 2, ret_typ="value")
topk(x, k=2, ret_typ="indices", dtype="int32") ==> astype(topk(x, 2, ret_typ="indices"), "int32")
stack(x, x, axis=1) ==> stack([x, x], axis=1)
concat(x, y, dim=1) ==> concatenate([x, y], 1)
concat(x, x, dim=0) ==> concatenate([x, x], 0)
split(data=x, num_outputs=3, axis=1, squeeze_axis=True)[2] ==> SliceChannel(x, 3, 1, True)[2]
reshape(data=x, shape=(0, -4, 3, 1)) ==> reshape(x, (2, 3, 1))
reshape(x, (0, 0, 1)) ==> expand_dims(x, 2)
split_v2(ary=x, indices_or_sections=(1,), axis=1)[1] ==> split(x, [1], 1)[1]
contrib.quadratic(x, a=1.0, b=2.0) ==> add(multiply(x, x), multiply(x, 2.0))
contrib.isnan(x) ==> isnan(x)
norm(x, ord=1, axis=(0, 1), out_dtype="float64") ==> astype(sum(abs(x)), "float64")
hard_sigmoid(x) ==> hard_sigmoid(x, alpha=0.2)
broadcast_to(y, shape=(0, 3)) ==> broadcast_to(y, (2, 3))
slice(x, begin=(0,), end=(1,), step=()) ==> slice(x, (0,), (1,))
BlockGrad(data=x) ==> stop_gradient(x)
all_finite(data=x) ==> all_finite(x)
batch_take(a=x, indices=p) ==> pick(x, [0, 2])
sum(x, axis=()) ==> sum(x)
mean(data=x, axis=(), keepdims=True) ==> mean(x, keepdims=True)
nansum(x, axis=()) ==> sum(x)
stack(x, axis=1) ==> expand_dims(x, 1)
softmin(data=x, dtype="float32") ==> astype(softmin(x), "float32")
broadcast_to(y, shape=sizes) ==> broadcast_to(y, (2, 3))
"""


SIZES = tuple(np.array([0, 3]))  # NumPy's integers
OURS = {
    word for row in WORDS.splitlines() for word in re.findall(r"(\w+)\(", row.rpartition("=> ")[2])
}


@pytest.mark.parametrize("row", WORDS.strip().splitlines())
@pytest.mark.parametrize("world", ["nd", "sym"])
def test_calls_in_words_of_mxnet(world, row):
    """OPP-16, OPP-24: operands by MXNet's names, and the signature of a row, in both worlds."""
    values = {"x": X[0, :2, :3] - 3.5, "y": X[0, :2, :1], "p": np.array([0.0, 2.0])}
    theirs, ours = row.split(" ==> ")
    wanted = eval(ours, {n: getattr(ng, n) for n in OURS}, values)
    arrays = {n: ng.array(v) for n, v in values.items()}
    if world == "nd":
        found = eval(f"nd.{theirs}", {"nd": ng.nd, "sizes": SIZES}, arrays)
    else:
        names = {n: ng.var(n, dtype="float64") for n in values}
        symbol = eval(f"sym.{theirs}", {"sym": ng.sym, "sizes": SIZES}, names)
        (found,) = symbol.eval(**{n: arrays[n] for n in symbol.list_arguments()})
    assert found.dtype == wanted.dtype
    np.testing.assert_array_equal(found.asnumpy(), wanted)


OUT = """
Cast(x, dtype="float16")
add_n(x, x)
zeros_like(x)
FullyConnected(x, x, num_hidden=2, no_bias=True)
SliceChannel(x, num_outputs=2)
moments(x, axes=0)
"""


@pytest.mark.parametrize("call", OUT.strip().splitlines())
def test_results_go_where_out_says(call):
    """X-NDA-03: every operator of ng.nd takes `out`, whatever its own parameters are."""
    scope = {"nd": ng.nd, "x": ng.array(X[0, :2, :2])}
    wanted = eval(f"nd.{call}", scope)
    several = isinstance(wanted, (list, tuple))
    outs = [ng.full(w.shape, 7, "float32") for w in (wanted if several else [wanted])]
    result = eval(f"nd.{call[:-1]}, out=out)", scope, {"out": outs if several else outs[0]})
    assert several or result is outs[0]
    for out, value in zip(outs, wanted if several else [wanted], strict=True):
        np.testing.assert_array_equal(out.asnumpy(), value.asnumpy().astype("float32"))


def test_draws_fill_out():
    """X-NDA-09: without a size a draw has the shape and dtype of `out`."""
    classes = ng.array([[0.0, 1.0], [1.0, 0.0]])
    assert ng.nd.random.multinomial(classes).tolist() == [1, 0]
    assert ng.nd.random.multinomial(classes, 2).tolist() == [[1, 1], [0, 0]]
    assert ng.nd.random.multinomial(3, ng.array([0.0, 1.0])).tolist() == [0, 3]  # NumPy's
    out = ng.zeros((2, 3), "float16")
    assert ng.nd.random.uniform(2.0, 3.0, out=out) is out
    assert ((out >= 2) & (out <= 3)).all()


def test_learned_slopes_begin_at_a_quarter():
    """OPP-16: as in MXNet and PyTorch, so that a new layer is not a plain ReLU."""
    exe = S.LeakyReLU(ng.var("x"), act_type="prelu", name="p").simple_bind(x=(2, 3))
    assert exe.arg_dict["p_gamma"].tolist() == [0.25] * 3


def test_parts_of_a_mask():
    """OPP-24: MXNet's words where the shape follows from values, or a list is empty."""
    assert ng.nd.boolean_mask(ng.array([[1, 2], [3, 4], [5, 6]]), ng.array([0, 1, 0])).tolist() == [
        [3, 4]
    ]
    assert ng.ones((3, 4)).reshape(shape=(2, -1)).shape == (2, 6)
    assert ng.var("x").reshape(shape=(2, -1)).infer_shape(x=(3, 4))[1] == [(2, 6)]
    assert ng.nd.uniform(0, 1, shape=(2,)).shape == ng.nd.normal(0, 1, shape=(2,)).shape == (2,)
    upper = ng.nd.linalg_potrf(ng.array(np.array([[4.0, 2.0], [2.0, 2.0]])), lower=False)
    assert upper.tolist() == [[2.0, 1.0], [0.0, 1.0]]
    assert ng.nd.linalg_potri(upper, lower=False).tolist() == [[0.5, -0.5], [-0.5, 1.0]]
    assert ng.nd.SequenceReverse(ng.array([[1.0], [2.0]]), None).tolist() == [[2.0], [1.0]]
    times = ng.nd.random_exponential(lam=1000.0, shape=(200,))
    assert float(times.mean()) < 0.01


def test_a_mask_of_the_largest_has_the_shape_of_data():
    """OPP-24: of all elements, too, as MXNet's; its words may leave `axis` out."""
    x = ng.array([[1.0, 5.0, 2.0], [4.0, 0.0, 3.0]])
    mask = ng.nd.topk(data=x, axis=None, k=2, ret_typ="mask")
    assert mask.tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]
    symbol = ng.sym.topk(ng.var("x"), k=1, ret_typ="mask")  # of a shape that is known later
    assert symbol.eval(x=x)[0].tolist() == [[0.0, 1.0, 0.0], [1.0, 0.0, 0.0]]


def test_methods_reduce_all_axes_but_some():
    """X-NDA-04: `exclude` of MXNet, as the functions have it."""
    x, s = ng.array(X), ng.var("x")
    for name in ("sum", "mean", "prod", "max", "min"):
        wanted = getattr(X, name)((0, 2)).tolist()
        assert getattr(x, name)(axis=1, exclude=True).tolist() == wanted
        assert getattr(s, name)(axis=1, exclude=True).eval(x=x)[0].tolist() == wanted


def test_shuffled_into_an_array():
    """X-NDA-09: MXNet's shuffle gives an array; NumPy's is in place."""
    x, out = ng.arange(50.0), ng.zeros(50)
    assert ng.nd.random.shuffle(x, out=out) is out
    assert sorted(out.tolist()) == x.tolist() == list(range(50))


def test_words_that_arrays_of_numpy_take_too():
    """What `ng` itself has by MXNet's name takes MXNet's words there."""
    x = np.arange(6.0).reshape(2, 3)
    assert ng.SwapAxis(data=x, dim1=0, dim2=1).tolist() == x.T.tolist()
    assert ng.Cast(data=x, dtype="int32").dtype == ng.cast(x, dtype="int32").dtype == np.int32
    assert ng.BlockGrad(data=x).tolist() == x.tolist()
    assert ng.batch_take(a=x, indices=[2, 0]).tolist() == [2.0, 3.0]
    assert ng.all_finite(data=x).tolist() == [1.0]
