"""Convolutions against loops over the window in NumPy, in every world."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout, layout_of
from nbgraph.operator.request import kAddTo
from nbgraph.ops.define import operator_of
from nbgraph.ops.windows import convolution_tiles, convolutions

TOLERANCE = {"float32": 2e-5, "float64": 1e-12, "float16": 2e-2}


def kernel_of(op, x, w, how):
    """The name of the kernel that computes a call."""
    (made,) = op.infer([Spec.of(x), Spec.of(w)], how)
    found = lowered(op, [layout_of(x), layout_of(w)], [layout(*made)], ["write"], how)
    return found.alone.code.loop.name


def cases(count, seed=0):
    """Random convolutions: attributes, data, weights and bias in float64."""
    rng = np.random.default_rng(seed)
    for k in range(count):
        axes = k % 3 + 1
        groups, channels, features = (int(n) for n in rng.integers(1, 4, 3))

        def whole(least, most, axes=axes):
            return tuple(int(n) for n in rng.integers(least, most, axes))

        how = {"stride": whole(1, 4), "pad": whole(0, 3), "dilation": whole(1, 3), "groups": groups}
        x = rng.normal(size=(int(rng.integers(1, 4)), groups * channels, *whole(5, 11)))
        w = rng.normal(size=(groups * features, channels, *whole(1, 4)))
        yield how, x, w, rng.normal(size=groups * features)


def pair(value, axes):
    return value if isinstance(value, tuple) else (value,) * axes


def loops(x, w, b, how):
    """The definition: for each place of the result, what lies under the window."""
    step, pad, gap = (pair(how[n], x.ndim - 2) for n in ("stride", "pad", "dilation"))
    wide = np.pad(x, [(0, 0), (0, 0), *((p, p) for p in pad)])
    each = zip(wide.shape[2:], w.shape[2:], step, gap)
    places = [(n - (k - 1) * g - 1) // s + 1 for n, k, s, g in each]
    out = np.zeros((x.shape[0], w.shape[0], *places))
    channels, features = w.shape[1], w.shape[0] // how["groups"]
    for at in np.ndindex(*places):
        cells = tuple(
            slice(a * s, a * s + (k - 1) * g + 1, g)
            for a, s, k, g in zip(at, step, w.shape[2:], gap)
        )
        under = wide[(slice(None), slice(None), *cells)]
        for f in range(w.shape[0]):
            first = f // features * channels
            own = under[:, first : first + channels]
            out[(slice(None), f, *at)] = (own * w[f]).sum(axis=tuple(range(1, x.ndim))) + b[f]
    return out


def close(found, wanted, dtype):
    assert str(found.dtype) == dtype
    scale = TOLERANCE[dtype] * max(1.0, float(np.abs(wanted).max()))
    np.testing.assert_allclose(np.asarray(found, "float64"), wanted, atol=scale)


@pytest.mark.parametrize("dtype", TOLERANCE)
def test_values_and_gradients(dtype):
    """OPP-24: one to three axes, strides, pads, dilations and groups, by the definition; gradients
    are what makes <convolution(x, w), g> linear in each."""
    for how, *values in cases(6):
        wanted = loops(*values, how)
        x, w, b = (v.astype(dtype) for v in values)
        close(ops.convolution(x, w, b, **how), wanted, dtype)
        g = np.random.default_rng(1).normal(size=wanted.shape)
        dx = ops.convolution_data(g.astype(dtype), w, size=x.shape[2:], **how)
        dw = ops.convolution_weights(x, g.astype(dtype), size=w.shape[2:], **how)
        total = np.sum(g * (wanted - values[2].reshape(-1, *(1,) * (x.ndim - 2))))
        size = TOLERANCE[dtype] * np.abs(g).sum() * np.abs(wanted).max()
        for found, value in ((dx, values[0]), (dw, values[1])):
            assert found.dtype == dtype
            assert abs(float(np.sum(found.astype("float64") * value)) - total) < size


@pytest.mark.parametrize("name", ["convolution", "convolution_data", "convolution_weights"])
def test_kernels_agree_with_the_specification(name):
    """The kernel, with tiles of every kind and added to what is there, against NumPy's loops."""
    for how, x, w, _ in cases(12, seed=2):
        out = ops.convolution(x, w, **how)
        given, more = {
            "convolution": ((x, w), {}),
            "convolution_data": ((out, w), {"size": x.shape[2:]}),
            "convolution_weights": ((x, out), {"size": w.shape[2:]}),
        }[name]
        op = operator_of(getattr(ops, name))
        judge = op.naive(*given, **how, **more)
        made = np.ones_like(judge)
        op.run(given, [made], [kAddTo], {**how, **more})
        np.testing.assert_allclose(made, 1 + judge, atol=1e-11)


@pytest.mark.parametrize(
    ("x", "w", "how"),
    [
        ((2, 700, 9, 9), (30, 700, 3, 3), {"pad": 1}),  # several panels of rows
        ((1, 3, 300, 301), (2, 3, 5, 5), {}),  # several blocks of places
        ((1, 16, 40, 40), (200, 16, 1, 1), {}),  # no columns; features are shared
        ((2, 64, 12, 12), (64, 1, 3, 3), {"groups": 64, "pad": 1}),
        ((1, 2, 20, 20, 20), (3, 2, 9, 9, 9), {}),
    ],
)
def test_large_layers(x, w, how):
    """Columns that do not fit into the room at once."""
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=x).astype("float32"), rng.normal(size=w).astype("float32")
    out = ops.convolution(x, w, **how)
    full = {"stride": 1, "pad": 0, "dilation": 1, "groups": 1, **how}
    wide = [v.astype("float64") for v in (x, w)]
    close(out, operator_of(ops.convolution).naive(*wide, **full), "float32")
    g = out / 7
    data, weights = {"size": x.shape[2:]}, {"size": w.shape[2:]}
    close(
        ops.convolution_data(g, w, **data, **how),
        operator_of(ops.convolution_data).naive(g.astype("float64"), wide[1], **data, **full),
        "float32",
    )
    close(
        ops.convolution_weights(x, g, **weights, **how),
        operator_of(ops.convolution_weights).naive(wide[0], g.astype("float64"), **weights, **full),
        "float32",
    )


def test_every_world_and_both_compilers_give_the_same_bits():
    """X-NDA-04: NumPy arrays, arrays, graphs and the other compiler; views are copied."""
    how, x, w, b = next(iter(cases(2, seed=4)))
    x, w, b = (v.astype("float32") for v in (x, w, b))
    wanted = ops.convolution(x, w, b, **how)
    sliced = np.repeat(x, 2, axis=-1)[..., ::2]
    np.testing.assert_array_equal(ops.convolution(sliced, w, b, **how), wanted)
    with ng.config(compiler="numba"):
        np.testing.assert_array_equal(ops.convolution(x, w, b, **how), wanted)
    arrays = [ng.array(v) for v in (x, w, b)]
    np.testing.assert_array_equal(ng.convolution(*arrays, **how).asnumpy(), wanted)
    reverse = slice(None, None, -1)
    flipped = ng.array(x[..., reverse])[..., reverse]
    np.testing.assert_array_equal(ng.convolution(flipped, *arrays[1:], **how).asnumpy(), wanted)
    symbol = ng.convolution(ng.var("x"), ng.var("w"), ng.var("b"), **how)
    exe = symbol.bind(args=dict(zip("xwb", arrays)))
    np.testing.assert_array_equal(exe.forward()[0].asnumpy(), wanted)
    with ng.config(compiler="python"):
        np.testing.assert_allclose(ops.convolution(x, w, b, **how), wanted, atol=1e-4)


def test_a_training_step_is_kernels_alone():
    """OPP-24: forward, both gradients and the sum are steps of one plan, none of them Python's."""
    x, w, b = ng.var("x"), ng.var("w"), ng.var("b")
    loss = ng.sum(ng.relu(ng.convolution(x, w, b, pad=1)) ** 2)
    exe = loss.simple_bind(x=(2, 3, 8, 8), w=(4, 3, 3, 3), b=(4,))
    rng = np.random.default_rng(5)
    given = {n: rng.normal(size=a.shape).astype("float32") for n, a in exe.arg_dict.items()}
    (found,) = exe.forward_backward(**given)
    steps = exe.plan().to_dict()["forward_backward"]
    assert all(step["does"].startswith("kernel") for step in steps)
    arrays = {n: ng.array(v) for n, v in given.items()}
    for array in arrays.values():
        array.attach_grad()
    with ng.autograd.record():
        value = ng.sum(ng.relu(ng.convolution(*arrays.values(), pad=1)) ** 2)
    value.backward()
    np.testing.assert_allclose(found.asnumpy(), value.asnumpy(), rtol=1e-5)
    for name, array in arrays.items():
        own = exe.grad_dict[name].asnumpy()
        np.testing.assert_allclose(own, array.grad.asnumpy(), rtol=1e-4, atol=1e-4)


def test_nothing_to_multiply():
    """No images, channels or features: zeros, and the bias."""
    assert ops.convolution(np.ones((0, 2, 5)), np.ones((3, 2, 2))).shape == (0, 3, 4)
    found = ops.convolution(np.ones((2, 0, 5)), np.ones((3, 0, 2)), np.arange(3.0))
    np.testing.assert_array_equal(found[:, :, 0], [[0, 1, 2]] * 2)


BAD = [
    (((1, 2), (1, 2, 1), {}), ShapeError, r"convolution: x has shape \(1, 2\)"),
    (((1, 3, 5), (1, 2, 2), {}), ShapeError, r"has 3 channels and weight\(1, 2, 2\) takes 2"),
    (((1, 2, 5), (3, 1, 2), {"groups": 2}), ShapeError, "features a multiple of 2"),
    (((1, 2, 5), (1, 2, 7), {}), ShapeError, "does not fit into space"),
    (((1, 2, 5), (1, 2, 2), {"stride": 0}), ArgumentError, "stride=0; expected whole numbers from"),
    (((1, 2, 5), (1, 2, 2), {"pad": (1, 1)}), ArgumentError, r"pad=\(1, 1\) has 2 number"),
    (((1, 2, 5), (1, 2, 2), {"groups": 0}), ArgumentError, "groups=0; expected"),
]


@pytest.mark.parametrize(("given", "error", "message"), BAD)
def test_bad_input(given, error, message):
    """OPP-04: what does not fit is said at the call, with both shapes."""
    x, w, how = given
    with pytest.raises(error, match=message):
        ops.convolution(np.ones(x), np.ones(w), **how)


def test_bad_dtypes_and_bias():
    """OPP-04: integers and a bias of another size are refused."""
    with pytest.raises(DTypeError, match="expected floats: use astype"):
        ops.convolution(np.ones((1, 1, 3), "int64"), np.ones((1, 1, 2)))
    with pytest.raises(ShapeError, match=r"bias has shape \(2,\); expected \(1,\)"):
        ops.convolution(np.ones((1, 1, 3)), np.ones((1, 1, 2)), np.ones(2))


@pytest.mark.parametrize("seed", range(20))
def test_few_places_at_once(monkeypatch, seed):
    """OPR-12: where little room is left for columns, places are cut into lines and parts of
    lines; the values stay."""
    random = np.random.default_rng(seed)
    axes = int(random.integers(1, 4))
    room = int(random.integers(40, 400))
    monkeypatch.setattr(convolution_tiles, "_room", lambda dtype: room)
    size, kernel = random.integers(4, 10, axes), random.integers(1, 4, axes)
    how = {
        "stride": tuple(random.integers(1, 3, axes).tolist()),
        "pad": tuple(random.integers(0, 3, axes).tolist()),
        "dilation": 1,
        "groups": int(random.integers(1, 3)),
    }
    for op in (convolutions._CONVOLUTION, convolutions._DATA, convolutions._WEIGHTS):
        monkeypatch.setattr(op, "carried", {})
    x = random.normal(size=(2, 2 * how["groups"], *size))
    w = random.normal(size=(3 * how["groups"], 2, *kernel))
    out = ops.convolution(x, w, **how)
    g = random.normal(size=out.shape)
    by_data = ops.convolution_data(g, w, size=tuple(size.tolist()), **how)
    by_weights = ops.convolution_weights(x, g, size=tuple(kernel.tolist()), **how)
    for found, naive in (
        (out, convolutions._naive(x, w, **how)),
        (by_data, convolutions._naive_data(g, w, size=tuple(size.tolist()), **how)),
        (by_weights, convolutions._naive_weights(x, g, size=tuple(kernel.tolist()), **how)),
    ):
        np.testing.assert_allclose(found, naive, rtol=1e-10, atol=1e-10)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_a_window_for_every_channel(seed, dtype):
    """OPR-12: depthwise convolutions have kernels of their own, and so have their gradients."""
    random = np.random.default_rng(seed)
    axes = int(random.integers(1, 3))
    groups, size = int(random.integers(2, 5)), random.integers(5, 12 if seed % 3 else 40, axes)
    how = {
        "stride": tuple(random.integers(1, 4, axes).tolist()),
        "pad": tuple(random.integers(0, 3, axes).tolist()),
        "dilation": tuple(random.integers(1, 3, axes).tolist()),
        "groups": groups,
    }
    x = random.normal(size=(2, groups, *size)).astype(dtype)
    w = random.normal(size=(groups, 1, *random.integers(1, 4, axes))).astype(dtype)
    b = random.normal(size=groups).astype(dtype)
    found = ops.convolution(x, w, b, **how)
    np.testing.assert_allclose(
        found, convolutions._naive(x, w, b, **how), rtol=0, atol=10 * TOLERANCE[dtype]
    )
    g = random.normal(size=found.shape).astype(dtype)
    where = {"size": tuple(size.tolist()), **how}
    np.testing.assert_allclose(
        ops.convolution_data(g, w, **where),
        convolutions._naive_data(g, w, **where),
        rtol=0,
        atol=10 * TOLERANCE[dtype],
    )
    window = {"size": w.shape[2:], **how}
    np.testing.assert_allclose(
        ops.convolution_weights(x, g, **window),
        convolutions._naive_weights(x, g, **window),
        rtol=0,
        atol=100 * TOLERANCE[dtype],
    )
    assert kernel_of(convolutions._CONVOLUTION, x, w, how) == "depthwise"


@pytest.mark.parametrize(("name", "groups"), [("depthwise", 4), ("direct", 1)])
def test_what_is_not_finite_stays_in_its_windows(name, groups):
    """OPR-15: places made in one vector, and those beyond the ends of lines, do not meet; the
    kernels without columns are the ones that ran."""
    x = np.zeros((2, 4, 19, 18), "float32")
    x[0, 3, 18, 17] = x[1, 0, 9, 0] = np.inf
    w = np.ones((4, 4 // groups, 3, 3), "float32")
    how = {"stride": 1, "pad": 1, "dilation": 1, "groups": groups}
    op = operator_of(ops.convolution)
    assert kernel_of(op, x, w, how) == name
    np.testing.assert_array_equal(ops.convolution(x, w, **how), convolutions._naive(x, w, **how))
    by_data = ops.convolution_data(x, w, size=(19, 18), **how)
    wanted = convolutions._naive_data(x, w, size=(19, 18), **how)
    np.testing.assert_array_equal(by_data, wanted)


WIDE = {  # groups, options: text without columns would be as long as a step or a window is wide
    "patches": (1, {"stride": 14}),
    "steps of channels": (4, {"stride": 40}),
    "wide windows of channels": (4, {"dilation": (1, 600), "pad": (1, 600)}),
}


@pytest.mark.parametrize("name", WIDE)
def test_wide_steps_have_the_text_of_columns(name):
    groups, options = WIDE[name]
    how = {"stride": 1, "pad": 0, "dilation": 1, "groups": groups, **options}
    random = np.random.default_rng(2)
    x = random.normal(size=(1, 4, 60, 61)).astype("float32")
    w = random.normal(size=(4, 4 // groups, 3, 3)).astype("float32")
    assert kernel_of(operator_of(ops.convolution), x, w, how) == "convolution"
    values = convolutions._naive(x, w, **how)
    np.testing.assert_allclose(ops.convolution(x, w, **how), values, rtol=1e-4, atol=1e-4)


@pytest.mark.parametrize("groups", [1, 2])
@pytest.mark.parametrize(("stride", "pad"), [((3, 1, 1), (1, 0, 0)), ((2, 1, 2), (0, 1, 1))])
def test_a_depth_of_one_beside_padding(stride, pad, groups):
    """The only place along it may lie in the padding; with both gradients."""
    rng = np.random.default_rng(3)
    x, w = rng.normal(size=(2, 2, 1, 4, 4)), rng.normal(size=(2, 2 // groups, 1, 2, 2))
    how = {"stride": stride, "pad": pad, "groups": groups}
    with ng.config(compiler="python"):
        expected = ops.convolution(x, w, **how)
    np.testing.assert_allclose(ops.convolution(x, w, **how), expected, atol=1e-12)

    def loss(a, b):
        return (ng.convolution(a, b, **how) ** 3).sum()

    slopes = ng.grad(loss, (0, 1))(ng.array(x), ng.array(w))
    steps = rng.normal(size=x.shape), rng.normal(size=w.shape)
    ends = [loss(x + t * steps[0], w + t * steps[1]) for t in (1e-6, -1e-6)]
    along = sum((np.asarray(g) * s).sum() for g, s in zip(slopes, steps, strict=True))
    np.testing.assert_allclose(along, (ends[0] - ends[1]) / 2e-6, rtol=1e-6, atol=1e-6)
