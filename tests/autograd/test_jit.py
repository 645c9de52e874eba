"""ng.jit: traced, compiled, found again; results, captured arrays, errors (X-SYM-07)."""

import pickle
from collections import OrderedDict
from typing import Any, NamedTuple

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ArgumentError
from tests.array.gpu import GPU
from tests.engine.conftest import engine

__all__ = ["engine"]

X = np.array([0.3, -0.7, 2.0], dtype="float32")


def same_bits(found, expected):
    found, expected = (v.asnumpy() if isinstance(v, ng.NDArray) else v for v in (found, expected))
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    assert found.tobytes() == expected.tobytes()


def elementwise(x, y):
    h = ng.tanh(x) * y + 0.5
    return ng.where(h > 0, h / (1 + h * h), -h), ng.exp(-h) - y


def test_the_same_bits_as_the_function():
    """X-SYM-07: a function of arrays as one graph, for each signature."""
    jitted = ng.jit(elementwise)
    for shape in [(3,), (4, 5), (), (0, 2), (1000,)]:
        rng = np.random.default_rng(1)
        x, y = (ng.array(rng.normal(size=shape)) for _ in range(2))
        for found, expected in zip(jitted(x, y), elementwise(x, y), strict=True):
            same_bits(found, expected)
    assert jitted.cache_size == 5


@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "uint8", "bool"])
def test_dtypes(dtype):
    def f(x, y):
        return x + y, (x * y).sum(), ng.maximum(x, y) == y

    x = ng.array(np.array([0, 1, 1, 0]).astype(dtype))
    y = ng.array(np.array([1, 1, 0, 0]).astype(dtype))
    for found, expected in zip(ng.jit(f)(x, y), f(x, y), strict=True):
        same_bits(found, expected)


def test_broadcasting_and_views_among_arguments():
    """Arguments that are not contiguous are copied first."""
    f = ng.jit(lambda x, y: x * y + x)
    x = ng.array(np.arange(12.0).reshape(3, 4))
    same_bits(f(x.T, x[:, 1]), x.T * x[:, 1] + x.T)
    same_bits(f(x[:, ::2], x[:, 1:2]), x[:, ::2] * x[:, 1:2] + x[:, ::2])


class Pair(NamedTuple):
    first: Any
    second: Any


def test_structures_in_and_out():
    def f(p, scale, *rest, flag=None):
        a, b = p["w"], p["more"][0]
        return {
            "pair": Pair(a * scale, [b, None, (a + rest[0],)]),
            "number": 3,
            "text": flag,
            "ordered": OrderedDict(x=a),
        }

    a, b = ng.array(X), ng.array(X + 1)
    found = ng.jit(f)({"w": a, "more": [b]}, 2.0, X, flag="yes")
    assert isinstance(found["pair"], Pair)
    assert type(found["ordered"]) is OrderedDict
    assert found["number"] == 3
    assert found["text"] == "yes"
    assert found["pair"].second[0] is b  # an argument is given back as it is
    assert found["ordered"]["x"] is a
    assert found["pair"].second[1] is None
    same_bits(found["pair"].first, X * 2)
    same_bits(found["pair"].second[2][0], X + X)


def test_results_that_are_no_new_arrays():
    """Arguments, captured arrays and constants come back as they are; one array twice is one."""
    w, a = ng.array([1.0]), ng.array(X)

    def f(x):
        y = x + 1
        return x, w, 7, None, y, y, x + 1

    found = ng.jit(f)(a)
    assert found[0] is a
    assert found[1] is w
    assert found[2:4] == (7, None)
    assert found[4] is found[5]
    assert found[6] is not found[4]
    found[4][...] = 0
    same_bits(found[6], X + 1)
    assert ng.jit(lambda: None)() is None
    assert ng.jit(lambda x: 3)(a) == 3
    same_bits(ng.jit(lambda: ng.ones(2))(), np.ones(2, "float32"))


def test_views_as_results_have_memory_of_their_own():
    x = ng.array(np.arange(6.0).reshape(2, 3))
    found = ng.jit(lambda x: (x.T, x[0], x.reshape(-1)))(x)
    found[1][...] = -1
    assert x.tolist() == [[0, 1, 2], [3, 4, 5]]
    same_bits(found[0], np.arange(6.0, dtype=x.dtype).reshape(2, 3).T.copy())


def test_one_array_for_several_arguments():
    """Arguments that share memory: the same array, views of one, a captured one."""
    w = ng.array(X)
    f = ng.jit(lambda x, y, z: x + 2 * y + w * z)
    flat = ng.array(np.arange(9.0).astype("float32"))
    for x, y, z in [(w, w, w), (flat[:3], flat[3:6], flat[6:]), (flat[:3], w, flat[:3])]:
        same_bits(f(x, y, z), x + 2 * y + w * z)
    assert f.cache_size == 1


def test_numbers_are_part_of_the_signature():
    f = ng.jit(lambda x, n: x * n)
    x = ng.array(X)
    for number in [2, 2.0, True, -0.0, 0.0, np.float64(2)]:
        same_bits(f(x, number), x * number)
    assert f.cache_size == 6
    integers = ng.array([1, 2])
    assert f(integers, 2).dtype == np.int64
    assert f(integers, 2.0).dtype == np.float64


def test_static_arguments():
    f = ng.jit(lambda x, axes, how="sum": getattr(x, how)(axes), static_argnames=("axes", "how"))
    x = ng.array(np.arange(6.0).reshape(2, 3))
    same_bits(f(x, (0,)), x.sum(0))
    same_bits(f(x, axes=(1,), how="max"), x.max(1))
    with pytest.raises(ArgumentError, match="axes is named in static_argnames, but a list"):
        f(x, [0])
    with pytest.raises(ArgumentError, match="n is an array, but it is named"):
        ng.jit(lambda n: n, static_argnames="n")(x)
    with pytest.raises(
        ArgumentError, match="'n', which is not an argument of <lambda>; there are: x"
    ):
        ng.jit(lambda x: x, static_argnames="n")


def test_writes_to_new_arrays_are_followed():
    """`h += 1` and `h[i] = v` on an array that the function made, seen through every name of it."""

    def f(x, y):
        h = x * 2
        same = h
        h += y
        h[1:] = 5
        h[h > 100] = 100.0
        same *= x
        return same, h

    x, y = ng.array(X), ng.array(X * 1000)
    for found, expected in zip(ng.jit(f)(x, y), f(x, y), strict=True):
        same_bits(found, expected)


def _diffuses(y):
    for i in range(2):
        y[i, i : i + 2] += y[2, :2]
    y[1:-1, 1:-1] += 0.1 * (y[2:, 1:-1] - 2 * y[1:-1, 1:-1] + y[:-2, 1:-1])
    return y


def _seen_through_many(y):
    turned = y.T
    part, row = turned[1:], y[0]
    part *= 3
    turned[0] = -1
    return y, turned, part, row


def _in_sections(y):
    left, right = ng.split(y, 2, axis=1)
    left += right
    right[:] = left * 2
    return y, left, right


def _by_other_axes(y):
    flipped, more = ng.flip(y, 0), ng.expand_dims(y, 0)
    flipped[0] = 1
    more[0, 1] = 9
    line = y[:, :3].diagonal()
    y *= 2
    return y, flipped, more, more.squeeze(), line


def _reshaped(y):
    flat, copied = y.reshape(-1), y.T.reshape(-1)
    flat[::2] = 0
    copied += 1
    nothing = y[:, :0]  # NumPy gives it strides of 0
    nothing += 1
    return y, flat, copied


@pytest.mark.parametrize(
    "write", [_diffuses, _seen_through_many, _in_sections, _by_other_axes, _reshaped]
)
def test_writes_are_seen_through_views(write):
    """A view and what it is a view of are one memory in `jit`, in `vmap` and on the tape, as they
    are without them: also in gradients."""
    x = ng.array(np.arange(12.0).reshape(3, 4))

    def f(x):
        out = write(x * 2)
        return out if isinstance(out, tuple) else (out,)

    def total(x):
        return sum((y * ng.cos(y)).sum() for y in f(x))

    plain = f(x)
    for found, expected in zip(ng.jit(f)(x), plain, strict=True):
        same_bits(found, expected)
    for found, expected in zip(ng.vmap(f)(ng.stack([x, x])), plain, strict=True):
        same_bits(found[1], expected)
    slope = ng.grad(total)(x)
    np.testing.assert_allclose(ng.jit(ng.grad(total))(x), slope, rtol=1e-12)
    step, way = 1e-6, ng.array(np.cos(np.arange(12.0)).reshape(3, 4))
    change = (total(x + step * way) - total(x - step * way)) / (2 * step)
    np.testing.assert_allclose((slope * way).sum(), change, rtol=1e-6)


def test_writes_that_cannot_be_followed_are_refused():
    w, x = ng.array(X), ng.array(X)

    def to_argument(x):
        x += 1

    def to_captured(x):
        w[0] = x[0]

    def also_captured(x):
        ng.add(w, x, out=w)

    def to_view_of_argument(x):
        view = x[1:]
        view += 1

    def to_view_of_captured(x):
        view = w[1:]
        view += 1

    with pytest.raises(ArgumentError, match="the argument x of jit of to_argument would"):
        ng.jit(to_argument)(x)
    with pytest.raises(ArgumentError, match="the argument x of jit of to_view_of_argument would"):
        ng.jit(to_view_of_argument)(x)
    for f in (to_captured, also_captured, to_view_of_captured):
        with pytest.raises(ArgumentError, match=r"finds outside its arguments would be written"):
            ng.jit(f)(x)
    same_bits(w, X)
    same_bits(x, X)

    def paused(x):
        y = x * 2
        with ng.autograd.pause():
            own = x * 3
            own[0] = 1.0  # of no gradient anyway
            y[1:] += own[1:]
        return y

    def to_broadcast(x):
        y = ng.broadcast_to(x * 2, (2, *x.shape))
        y += 1
        return y

    with pytest.raises(ArgumentError, match=r"from outside of autograd.pause\(\) would be written"):
        ng.jit(paused)(x)
    with pytest.raises(ArgumentError, match="a broadcast view would be written"):
        ng.jit(to_broadcast)(x)


def test_traced_arrays_are_taken_apart():
    """`x, y = state` in `jit`, a loop's body, `vmap` and derivatives; rows that are views."""

    def swings(state):
        place, speed = state
        return ng.stack([speed, -ng.sin(place)])

    x = ng.array([[1.0, 2.0], [3.0, 4.0]])
    same_bits(ng.jit(swings)(x[0]), swings(x[0]))
    same_bits(ng.vmap(swings)(x)[1], swings(x[1]))
    same_bits(ng.scan(lambda c, _: (swings(c), None), x[0], length=2)[0], swings(swings(x[0])))
    expected = [[0.0, 1.0], [-np.cos(1.0), 0.0]]
    np.testing.assert_allclose(ng.jacobian(swings)(x[0]), expected, rtol=1e-6)

    def scaled(x):
        y = x * 1
        for i, row in enumerate(y):
            row *= i + 2
        return y

    same_bits(ng.jit(scaled)(x), scaled(x))
    with pytest.raises(TypeError, match=r"of shape \(\)"):
        ng.jit(lambda x: [*x.sum()])(x)
    with pytest.raises(ArgumentError, match=r"graph of 100000 times .*use ng\.scan"):
        ng.jit(lambda x: [*x])(ng.zeros(100000))


@pytest.mark.parametrize(
    "branch",
    [
        lambda x: x if x.sum() > 0 else -x,
        lambda x: float(x[0]),
        lambda x: int(x[0]),
        lambda x: x.item(),
        lambda x: x.asnumpy(),
        lambda x: np.asarray(x) + 1,
        lambda x: x.tolist(),
        lambda x: 1.0 in x,
        lambda x: range(x[0]),
        lambda x: np.allclose(x, x),
    ],
)
def test_values_are_refused_with_line_and_remedy(branch):
    """X-SYM-07: what depends on an array's value names the line, the arguments and the remedy."""
    with pytest.raises(ArgumentError) as caught:
        ng.jit(branch)(ng.array(X))
    text = str(caught.value)
    assert "jit of <lambda>" in text
    assert f"test_jit.py:{branch.__code__.co_firstlineno}" in text
    assert "depends on x" in text
    assert "ng." in text


def test_values_of_captured_arrays_are_refused():
    w = ng.array(X)
    for f in (w.asnumpy, lambda: w[:1].item() + 0, lambda: float(w.sum()), lambda: bool(w[0])):
        with pytest.raises(ArgumentError, match="while"):
            ng.jit(f)()


def test_gradients_on_a_traced_array_name_the_remedy():
    for f in (lambda x: x.backward(), lambda x: x.attach_grad(), lambda x: x.grad):
        with pytest.raises(ArgumentError, match="ng.value_and_grad"):
            ng.jit(f)(ng.array(X))
    with pytest.raises(ArgumentError, match="ng.value_and_grad"):
        ng.var("x").backward()


def test_errors_of_the_function_are_its_own():
    """An exception passes unchanged, nothing is kept, and the next call traces again."""
    fails = [True]

    class OwnError(Exception):
        pass

    @ng.jit
    def f(x):
        if fails[0]:
            raise OwnError("mine")
        return x + 1

    with pytest.raises(OwnError, match="^mine$"):
        f(ng.array(X))
    assert f.cache_size == 0
    assert not ng.autograd.is_recording()
    fails[0] = False
    same_bits(f(ng.array(X)), X + 1)


def test_bad_input():
    x = ng.array(X)
    for bad in ("a", 3):
        with pytest.raises(ArgumentError, match="is not a function"):
            ng.jit(bad)

    def generator(x):
        yield x

    async def later(x):
        return x

    for f in (generator, later):
        with pytest.raises(ArgumentError, match="give a function that returns its arrays"):
            ng.jit(f)
    with pytest.raises(ArgumentError, match="returned a generator"):
        ng.jit(lambda x, g: g(x))(x, generator)
    with pytest.raises(ArgumentError, match=r"p\['k'\] is an object"):
        ng.jit(lambda p: p)({"k": object()})
    kept = []
    ng.jit(lambda x: kept.append(x * 2))(x)
    with pytest.raises(ArgumentError, match="whose trace has ended"):
        kept[0] + 1
    symbol = ng.var("outside", shape=(3,))
    with pytest.raises(ArgumentError, match="depends on 'outside'"):
        ng.jit(lambda x: x + symbol)(x)


def test_jit_of_jit_is_inlined():
    inner = ng.jit(lambda x: x * 2)
    outer = ng.jit(lambda x: inner(x) + inner(x + 1))
    same_bits(outer(ng.array(X)), X * 2 + (X + 1) * 2)
    assert inner.cache_size == 0
    assert "multiply" in repr(outer.graph(ng.array(X)))
    again = ng.jit(outer)
    assert again.traced_function is outer.traced_function


def test_recursion_while_tracing_is_inlined():
    @ng.jit
    def power(x, n):
        return x if n == 1 else x * power(x, n - 1)

    same_bits(power(ng.array(X), 3), X * (X * X))
    assert power.cache_size == 1


def test_symbols_pass_through():
    f = ng.jit(lambda x: ng.sin(x) * 2)
    assert f(ng.var("x")).list_arguments() == ["x"]


class Model:
    """A method that is traced; the object is part of the signature."""

    def __init__(self, w, scale):
        self.w, self.scale = ng.array(w), scale

    @ng.jit
    def __call__(self, x):
        return self.w * x * self.scale

    @ng.jit
    def shifted(self, x, by=1.0):
        return self(x) + by


def test_methods():
    first, second = Model(X, 2.0), Model(X + 1, 3.0)
    x = ng.array(X)
    for model in (first, second, first):
        same_bits(model.shifted(x), model.w * x * model.scale + 1.0)
        same_bits(model.shifted(x, by=2.0), model.w * x * model.scale + 2.0)
    assert "bound" in repr(first.shifted)
    first.w = ng.array(X * 5)
    first.scale = 7.0
    same_bits(first.shifted(x), first.w * x * 7.0 + 1.0)


@ng.jit
def at_module_level(x):
    """Its own documentation."""
    return x + 1


def test_it_looks_like_the_function():
    assert at_module_level.__name__ == "at_module_level"
    assert at_module_level.__doc__ == "Its own documentation."
    assert at_module_level.__wrapped__ is at_module_level.traced_function
    assert pickle.loads(pickle.dumps(at_module_level)) is at_module_level
    assert repr(ng.jit(elementwise)) == "<jit of elementwise, 0 signature(s)>"
    copy = pickle.loads(pickle.dumps(ng.jit(elementwise, static_argnames="y")))
    assert copy.static_argnames == ("y",)
    assert copy.traced_function is elementwise


def test_looking_inside():
    w = ng.array(X)
    f = ng.jit(lambda x: (ng.exp(x) * w + 1).sum())
    x = ng.array(X)
    assert repr(f.graph(x)).splitlines()[-2].startswith("%5 = sum(%4")
    report = f.explain(x)
    assert "arrays found outside: float32[3]" in str(report)
    assert report.to_dict()["tasks"]
    assert "<pre>" in report._repr_html_()
    assert str(f.explain()) == str(report) == repr(report)  # of the newest version
    f.clear_cache()
    assert f.cache_size == 0


def test_a_method_explains_itself():
    class Scaled:
        def __init__(self):
            self.factor = ng.array(X)

        @ng.jit
        def call(self, x):
            return x * self.factor

    scaled = Scaled()
    scaled.call(ng.array(X))
    assert "tasks: multiply0" in str(scaled.call.explain())
    assert "x: float32[1]" in str(scaled.call.explain(ng.array(X[:1])))


def test_the_number_of_versions_is_bounded():
    f = ng.jit(lambda x, n: x + n)
    x = ng.array(X)
    for n in range(300):
        f(x, n)
    assert f.cache_size == 256


def test_the_text_itself_runs_where_one_looks_closely():
    seen = []

    @ng.jit
    def f(x):
        seen.append(type(x))
        return ng.log(x)

    with ng.config(anomaly=1), pytest.raises(FloatingPointError, match="log"):
        f(ng.array([-1.0]))
    with ng.config(compiler="python"):
        f(ng.array([1.0]))
    assert seen == [ng.NDArray, ng.NDArray]


def test_default_float_is_part_of_the_signature():
    f = ng.jit(lambda: ng.ones(2))
    assert f().dtype == np.float32
    with ng.config(default_float="float64"):
        assert f().dtype == np.float64
    assert f().dtype == np.float32


def test_numpy_in_other_worlds():
    f = ng.jit(lambda x: np.sum(np.exp(x) * X))
    same_bits(f(X), (ng.exp(ng.array(X)) * X).sum())
    assert isinstance(f(X), ng.NDArray)


def test_on_every_engine(engine):
    """The same bits whatever runs the graph."""

    def f(x, y):
        h = ng.tanh(x @ y) + y[0]
        return h, (h * h).sum(axis=0), h.max()

    rng = np.random.default_rng(5)
    x, y = ng.array(rng.normal(size=(17, 9))), ng.array(rng.normal(size=(9, 9)))
    jitted = ng.jit(f)
    for _ in range(3):
        found, expected = jitted(x, y), f(x, y)
        same_bits(found[0], expected[0])
        same_bits(found[2], expected[2])
        np.testing.assert_allclose(found[1].asnumpy(), expected[1].asnumpy(), rtol=1e-13)
        x = x + 1


def test_functions_of_nd_take_traced_arrays():
    """SYM-05: `ng.nd` is for NDArrays, and a traced array stands for one."""
    y = np.float32([1, 2, 3])
    f = ng.jit(lambda x: ng.nd.sum(ng.nd.add(ng.nd.tanh(x), y)))
    x = ng.array([0.5, 1, 2])
    same_bits(f(x), ng.sum(ng.tanh(x) + y))
    (slope,) = ng.grad(f, argnums=(0,))(x)
    assert np.allclose(slope.asnumpy(), 1 - np.tanh(x.asnumpy()) ** 2)


def test_a_traced_array_is_where_the_arguments_are():
    """So that a function may put more there, as it does when it runs as it is written."""
    x, w = ng.array(X, device=GPU), np.arange(float(len(X)), dtype="float32")

    def f(a):
        return (a * ng.array(w, device=a.device)).sum()

    expected = float(np.dot(X.astype("float32"), w))
    for call in (f, ng.jit(f), ng.checkpoint(f), lambda a: ng.value_and_grad(ng.jit(f))(a)[0]):
        out = call(x)
        assert out.device == GPU
        assert out.item() == pytest.approx(expected, rel=1e-6)


def test_functions_among_arguments():
    """Operators, functions and modules are part of the signature by identity."""
    jitted = ng.jit(lambda f, x: f(x) * 2)
    rows = ng.array(X).reshape(1, 3)
    for function in (ng.tanh, ng.softmax, np.sin, lambda x: x + 1, ng.nn.Dense(2)):
        expected = function(rows) * 2
        for _ in range(2):
            np.testing.assert_allclose(jitted(function, rows), expected, rtol=1e-6)
    assert jitted.cache_size == 5
