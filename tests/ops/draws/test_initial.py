"""X-MAR-03: how parameters begin; seeded."""

import math
import pickle

import numpy as np
import pytest

import nbgraph as ng

init = ng.init
RANDOM = {
    "normal": (init.normal(1.0, 2.0), 1.0, 2.0),
    "uniform": (init.uniform(-1.0, 3.0), 1.0, 4 / math.sqrt(12)),
    "gumbel": (init.gumbel(), 0.5772, math.pi / math.sqrt(6)),
    "bernoulli": (init.bernoulli(0.25, 2.0, 1.0), 1.5, 2 * math.sqrt(0.25 * 0.75)),
    "dropout": (init.dropout(0.5), 1.0, 1.0),
    "glorot_uniform": (init.glorot_uniform(), 0.0, math.sqrt(2 / 500)),
    "glorot_normal": (init.glorot_normal(scale=2.0), 0.0, 2 * math.sqrt(2 / 500)),
    "glorot_fan_in": (init.glorot_uniform(fan_in=True), 0.0, 1 / math.sqrt(200)),
    "he_normal": (init.he_normal(), 0.0, math.sqrt(2 / 300)),
    "he_uniform": (init.he_uniform(1.0), 0.0, math.sqrt(1 / 300)),
    "lecun_normal": (init.lecun_normal(), 0.0, math.sqrt(1 / 300)),
    "lecun_uniform": (init.lecun_uniform(), 0.0, math.sqrt(1 / 300)),
    "truncated_normal": (init.truncated_normal(1.0, 2.0), 1.0, 2 * 0.87963),
    "truncated_scaling": (
        init.variance_scaling(3.0, mode="out", distribution="truncated"),
        0.0,
        math.sqrt(3 / 200),
    ),
    "mean_scaling": (init.variance_scaling(mode="mean"), 0.0, math.sqrt(1 / 250)),
    "orthogonal": (init.orthogonal(2.0), 0.0, 2 * math.sqrt(1 / 300)),
    "glorot_fan_out": (init.glorot_normal(fan_out=True), 0.0, 1 / math.sqrt(300)),
}


@pytest.mark.parametrize("name", RANDOM)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_random_ones_have_their_moments_and_repeat(name, dtype):
    fill, mean, deviation = RANDOM[name]
    ng.random.seed(7)
    first = np.asarray(fill((200, 300), np.dtype(dtype)))
    ng.random.seed(7)
    assert np.array_equal(first, np.asarray(fill((200, 300), np.dtype(dtype))))
    assert first.dtype == dtype
    error = 5 * deviation / math.sqrt(first.size)
    assert abs(first.mean() - mean) < error
    assert abs(first.std() / deviation - 1) < 0.05


@pytest.mark.parametrize(
    ("fill", "variance"),
    [
        (init.glorot_uniform(), 2 / ((32 + 64) * 9)),
        (init.glorot_normal(fan_in=True), 1 / (32 * 9)),
        (init.glorot_uniform(fan_out=True, scale=2.0), 4 / (64 * 9)),
        (init.he_normal(), 2 / (32 * 9)),
    ],
)
def test_windows_count_their_channels_and_elements(fill, variance):
    """As torch's xavier_uniform_ and MXNet's Xavier: not by the extents of the window alone."""
    w = np.asarray(fill((64, 32, 3, 3), np.dtype("float32")))
    assert abs(w.var() / variance - 1) < 0.05


def test_they_fill_parameters_and_variables():
    """Of an expression graph, and of an executor."""
    graph = ng.ExpressionGraph()
    w = graph.param("w", (3, 3), init=init.eye(2.0))
    assert np.array_equal(w.val.asnumpy(), 2 * np.eye(3))
    exe = ng.var("w", shape=(2, 3), init=init.arange()).simple_bind()
    assert exe.arg_dict["w"].tolist() == [[0, 1, 2], [3, 4, 5]]


@pytest.mark.parametrize("name", [n for n in dir(init) if n != "from_lambda"])
def test_they_are_pickled_by_name_and_options(name):
    """So layers are pickled that have not seen their input yet."""
    options = {"from_value": (3,), "from_values": ([1.0] * 16,), "from_sparse": ([1], [2.0])}
    options |= {"bernoulli": (0.5,), "dropout": (0.5,)}
    fill = getattr(init, name)(*options.get(name, ()))
    again = pickle.loads(pickle.dumps(fill))
    results = []
    for each in (fill, again):
        ng.random.seed(3)
        results.append(np.asarray(each((2, 2, 2, 2) if name == "bilinear" else (4, 4), "float32")))
    assert np.array_equal(*results) and type(again) is type(fill)


@pytest.mark.parametrize("wrap", [lambda v: v, lambda v: lambda shape, dtype: v])
def test_values_are_copied(wrap):
    values = ng.ones((2,))
    graph = ng.ExpressionGraph()
    graph.param("w", (2,), init=wrap(values)).val[:] = 5.0
    ng.var("w", shape=(2,), init=wrap(values)).simple_bind().arg_dict["w"][:] = 5.0
    assert values.tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("fill", "shape", "match"),
    [
        (init.eye(), (3,), "not a matrix"),
        (init.from_values([1, 2]), (3,), "2 values for shape"),
        (init.from_sparse([9], [1.0]), (3,), "out of bounds"),
        (init.glorot_uniform(), (3,), "give a matrix"),
        (init.sinusoidal(), (2, 3), "even number"),
        (init.he_normal(), (3,), "no inputs"),
        (init.orthogonal(), (3,), "no inputs"),
    ],
)
def test_shapes_that_do_not_fit(fill, shape, match):
    with pytest.raises(ng.ShapeError, match=match):
        fill(shape, np.dtype("float32"))


PLACES = {
    "param": lambda init: ng.ExpressionGraph().param("w", (2, 2), init=init),
    "variable": lambda init: ng.var("w", shape=(2, 2), init=init).simple_bind(),
    "module": lambda init: ng.nn.Dense(2, in_features=2, init=init),
}


@pytest.mark.parametrize("place", PLACES)
def test_a_function_that_was_not_called_and_a_name_are_refused(place):
    for fill in (init.ones, init.glorot_uniform, init.he_normal):
        with pytest.raises(ng.ArgumentError, match=rf"call it: ng.init.{fill.__name__}\(\)"):
            PLACES[place](fill)
    with pytest.raises(ng.ArgumentError, match=r"'xavier'.*such as ng.init.glorot_uniform\(\)"):
        PLACES[place]("xavier")


def test_a_mask_needs_a_probability():
    with pytest.raises(ng.ArgumentError, match=r"p=1\.0; give a probability"):
        init.dropout(1.0)


@pytest.mark.parametrize("shape", [(6, 4), (4, 6), (8, 2, 3, 3)])
def test_orthogonal_rows_or_columns(shape):
    """X-MAR-03: whichever are fewer are orthonormal, times the gain."""
    w = np.asarray(init.orthogonal(3.0)(shape, np.dtype("float64"))).reshape(shape[0], -1)
    small = w @ w.T if w.shape[0] < w.shape[1] else w.T @ w
    np.testing.assert_allclose(small, 9 * np.eye(min(w.shape)), atol=1e-12)


def test_kernels_count_as_inputs():
    """X-MAR-03: what a unit of a convolution sees is channels times the kernel's elements."""
    w = np.asarray(init.he_normal()((64, 32, 3, 3), np.dtype("float32")))
    assert abs(w.std() / math.sqrt(2 / (32 * 9)) - 1) < 0.03


@pytest.mark.parametrize(
    ("match", "make"),
    [
        ("mode='fan'", lambda: init.variance_scaling(mode="fan")),
        ("distribution='flat'", lambda: init.variance_scaling(distribution="flat")),
        ("low=1", lambda: init.truncated_normal(low=1, high=1)),
    ],
)
def test_what_scaled_ones_refuse(match, make):
    with pytest.raises(ng.ArgumentError, match=match):
        make()
