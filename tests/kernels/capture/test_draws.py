"""Random draws inside a text: the same numbers wherever it runs, of the right distributions."""

# ruff: noqa: NPY002, PLW0108

import math
import pickle
import random

import numpy as np
import pytest
from scipy import stats

import nbgraph as ng
from nbgraph.kernels.capture.library import random_draws
from nbgraph.kernels.scalar.interpret import FloatDomain
from tests import worlds
from tests.array.gpu import GPU

rng = np.random.default_rng(7)
own = random.Random(3)
legacy = np.random.RandomState(5)
DTYPES = ("float32", "float64")
COUNT = 40_000


def noise(x):
    return random.gauss(0.0, x) + rng.normal(1.0, 2.0) * x


def spread(s):
    return np.random.normal(0.0, s)


def helped(x):
    return spread(1.0) + x * spread(2.0)


def branches(x):
    return own.random() if x > 0.5 else -rng.uniform(1.0, 2.0)


def steps(x):
    for _ in range(12):
        if random.random() < 0.25:
            continue
        x = x + legacy.standard_normal()
    return x


def long(x):
    total = 0.0
    for _ in range(40):
        total = total + own.choice((-1.0, 1.0)) * x
    return total


def rejected(x):
    n = 0
    while True:
        a, b = random.uniform(-1.0, 1.0), random.uniform(-1.0, 1.0)
        n += 1
        if a * a + b * b < 1.0:
            return x * a + n


def waits(p):
    n = 0
    while np.random.random() < p:
        n += 1
    return n + rng.exponential(0.5)


def sums(x):
    return sum(random.random() for _ in range(5)) * x + max(np.random.rand() for _ in range(3))


def dice(x):
    return x * random.randint(1, 6) + np.random.choice((0.5, 0.25), p=(0.3, 0.7))


def pair(x):
    return x * random.random(), rng.standard_normal()


def catches(x):
    try:
        return random.choice([1.0, 2.0]) / x
    except ZeroDivisionError:
        return random.random()


OFTEN = (helped, branches, rejected, pair)
SELDOM = (noise, steps, long, waits, sums, dice, catches)
TEXTS = (
    *(pytest.param(fn, id=fn.__name__) for fn in OFTEN),
    *(pytest.param(fn, id=fn.__name__, marks=pytest.mark.slow) for fn in SELDOM),
    pytest.param(lambda x: x + random.gauss(0.0, 1.0) * own.random(), id="lambda"),
)


@pytest.fixture(params=TEXTS)
def drawing(request):
    return ng.op(request.param)


def points(dtype, size=48):
    return np.linspace(0.1, 0.9, size).astype(dtype)


# the same numbers -------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_world_draws_the_same_numbers(drawing, dtype):
    x = points(dtype)
    f = lambda x: drawing(x, key=11)
    wanted = worlds.bits(worlds.numpy(f, x))
    for world in (worlds.ndarrays, worlds.bound, worlds.unfused, worlds.jit):
        assert worlds.bits(world(f, x)) == wanted, world.__name__
    on_gpu = drawing(ng.array(x, device=GPU), key=11)
    made = on_gpu if isinstance(on_gpu, tuple) else [on_gpu]
    for got, own in zip(made, worlds.numpy(f, x) if len(made) > 1 else [f(x)]):
        np.testing.assert_allclose(got.asnumpy(), own, rtol=4 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_text_itself_draws_them(drawing, dtype):
    x = points(dtype)
    compiled = drawing(x, key=11)
    with ng.config(compiler="python"):
        text = drawing(x, key=11)
    for got, wanted in zip(np.atleast_2d(compiled), np.atleast_2d(text)):
        assert got.dtype == wanted.dtype
        np.testing.assert_allclose(got, wanted, rtol=64 * np.finfo(dtype).eps, atol=1e-6)


def test_both_compilers_agree(drawing):
    wanted = drawing(points("float64"), key=11)
    with ng.config(compiler="numba"):
        np.testing.assert_array_equal(drawing(points("float64"), key=11), wanted)


@pytest.mark.parametrize("make", [lambda f, x: f(x), lambda f, x: f(ng.array(x)).asnumpy()])
def test_the_seed_of_the_library_decides(make):
    f, x = ng.op(noise), points("float32")
    ng.random.seed(3)
    first, second = make(f, x), make(f, x)
    ng.random.seed(3)
    np.testing.assert_array_equal(make(f, x), first)
    assert (first != second).all()


def test_arrays_and_graphs_take_the_same_draws_of_the_stream():
    f, x = ng.op(noise), points("float32")
    ng.random.seed(3)
    wanted = [f(x), f(x)]
    step = ng.jit(f)
    step(ng.array(x))
    ng.random.seed(3)
    for value in wanted:
        np.testing.assert_array_equal(step(ng.array(x)).asnumpy(), value)
    executor = worlds.bind(f, x)
    ng.random.seed(3)
    for value in wanted:
        np.testing.assert_array_equal(executor.forward(x0=x)[0].asnumpy(), value)


def test_threads_and_layouts_change_nothing():
    f, x = ng.op(rejected), np.linspace(0.0, 1.0, 200_000)
    whole = f(x, key=2)
    np.testing.assert_array_equal(f(ng.array(x), key=2).asnumpy(), whole)
    turned = f(np.asfortranarray(x.reshape(400, 500)), key=2)
    np.testing.assert_array_equal(turned, whole.reshape(400, 500))
    words = ng.random.integers(0, 1 << 64, size=x.size, dtype="uint64", rng=2).asnumpy()
    np.testing.assert_array_equal(f(x[1000:2000], words[1000:2000]), whole[1000:2000])


def test_a_generator_and_words_are_keys():
    f, x = ng.op(noise), points("float64")
    np.testing.assert_array_equal(f(x, key=np.random.default_rng(4)), f(x, key=4))
    words = np.arange(x.size, dtype="uint64")
    np.testing.assert_array_equal(f(x, key=words), f(x, words))


# places -----------------------------------------------------------------------------------------


def test_a_branch_that_is_not_taken_changes_no_other_draw():
    @ng.op
    def f(x):
        first = random.random() if x > 0 else 0.0
        return first, random.random()

    x = points("float64")
    np.testing.assert_array_equal(f(x, key=1)[1], f(-x, key=1)[1])


@ng.op
def several(x):
    draws = [random.random() for _ in range(4)]
    loop = x
    for _ in range(30):
        loop = loop + random.random() * (loop < 1e9)
        last = random.random()
    return draws[0], draws[1], draws[2], draws[3], spread(1.0), spread(1.0), last, loop


def test_no_two_draws_are_alike():
    made = np.stack(several(np.zeros(5000), key=1))
    assert len(np.unique(made)) == made.size
    related = np.corrcoef(made) - np.eye(len(made))
    assert np.abs(related).max() < 4 / math.sqrt(5000)
    after = [np.corrcoef(row[1:], row[:-1])[0, 1] for row in made]
    assert np.abs(after).max() < 4 / math.sqrt(5000)


def test_words_are_those_of_numpys_philox():
    key = 0x123456789ABCDEF1
    for place, visit in ((0, 1), (1, 0), (5, 0), (7, 3), (2, 9)):
        sequence, index = (0, place) if visit == 0 else (place + 1, visit - 1)
        counter = np.array([index >> 2, sequence, 0, 0], np.uint64)
        philox = np.random.Philox(key=np.array([key, 0], np.uint64), counter=counter)
        wanted = philox.random_raw(4)[index & 3]
        assert random_draws.word_of(key, place, visit) == wanted


# distributions ----------------------------------------------------------------------------------


def below_six(x):
    return random.randint(1, 6) + 0.0 * x


DISTRIBUTIONS = {
    "random": (lambda x: x * random.random(), stats.uniform()),
    "loop": (lambda x: x * [own.random() for _ in range(9)][-1], stats.uniform()),
    "uniform": (lambda x: x * np.random.uniform(-2.0, 3.0), stats.uniform(-2, 5)),
    "gauss": (lambda x: x * random.gauss(1.0, 2.0), stats.norm(1, 2)),
    "normal": (lambda x: x * rng.normal(loc=-1.0, scale=0.5), stats.norm(-1, 0.5)),
    "randn": (lambda x: x * np.random.randn(), stats.norm()),
    "ng.uniform": (lambda x: x * ng.random.uniform(-2.0, 3.0), stats.uniform(-2, 5)),
    "ng.normal": (lambda x: x * ng.random.normal(scale=0.5), stats.norm(0, 0.5)),
    "expovariate": (lambda x: x * random.expovariate(2.0), stats.expon(scale=0.5)),
    "exponential": (lambda x: x * legacy.exponential(3.0), stats.expon(scale=3)),
    "lognormal": (lambda x: x * rng.lognormal(0.0, 0.5), stats.lognorm(0.5)),
    "triangular": (lambda x: x * random.triangular(0.0, 2.0, 0.5), stats.triang(0.25, 0, 2)),
    "gumbel": (lambda x: x * np.random.gumbel(1.0, 2.0), stats.gumbel_r(1, 2)),
    "ng.laplace": (lambda x: x * ng.random.laplace(1.0, 2.0), stats.laplace(1, 2)),
    "ng.logistic": (lambda x: x * ng.random.logistic(1.0, 0.5), stats.logistic(1, 0.5)),
    "rayleigh": (lambda x: x * rng.rayleigh(2.0), stats.rayleigh(scale=2)),
    "weibull": (lambda x: x * rng.weibull(1.5), stats.weibull_min(1.5)),
    "pareto": (lambda x: x * legacy.pareto(5.0), stats.lomax(5)),
    "paretovariate": (lambda x: x * random.paretovariate(5.0), stats.pareto(5)),
}


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", DISTRIBUTIONS)
def test_distributions(name, dtype):
    text, wanted = DISTRIBUTIONS[name]
    made = ng.op(text)(np.ones(COUNT, dtype), key=5).astype("float64")
    assert stats.kstest(made, wanted.cdf).pvalue > 1e-3
    assert abs(made.mean() - wanted.mean()) < 5 * wanted.std() / math.sqrt(COUNT)
    assert abs(made.var() / wanted.var() - 1) < 0.1


COUNTED = {
    "randint": (lambda x: x + random.randint(1, 6), range(1, 7), None),
    "np.randint": (lambda x: x + np.random.randint(-2, 5), range(-2, 5), None),
    "integers": (lambda x: x + rng.integers(3, endpoint=True), range(4), None),
    "ng.randint": (lambda x: x + ng.random.randint(-2, 5), range(-2, 5), None),
    "randrange": (lambda x: x + random.randrange(10, 0, -3), range(1, 11, 3), None),
    "choice": (lambda x: x + random.choice((1, 4, 9)), (1, 4, 9), None),
    "np.choice": (lambda x: x + np.random.choice(5), range(5), None),
    "weighted": (lambda x: x + rng.choice((1, 2, 5), p=(0.2, 0.3, 0.5)), (1, 2, 5), (2, 3, 5)),
    "bernoulli": (lambda x: x + ng.random.bernoulli(0.25), (0, 1), (3, 1)),
    "geometric": (lambda x: x + min(rng.geometric(0.5), 3), (1, 2, 3), (2, 1, 1)),
}


@pytest.mark.parametrize("name", COUNTED)
def test_whole_numbers(name):
    text, values, weights = COUNTED[name]
    made = ng.op(text)(np.zeros(COUNT, "int64"), key=5)
    assert made.dtype == np.int64
    found, counts = np.unique(made, return_counts=True)
    assert set(found) == set(values)
    weights = np.ones(len(counts)) if weights is None else np.array(weights)
    assert stats.chisquare(counts, COUNT * weights / weights.sum()).pvalue > 1e-3


def test_bounds_of_whole_numbers_may_be_operands():
    f = ng.op(lambda low, high: random.randint(low, high))
    low, high = np.arange(-50, 50), np.arange(100) * 3
    for key in range(20):
        made = f(low, high, key=key)
        assert ((low <= made) & (made <= high)).all()
    huge = ng.op(lambda n: rng.integers(n))(np.full(COUNT, 3 << 60), key=1)
    assert stats.kstest(huge / float(3 << 60), stats.uniform().cdf).pvalue > 1e-3


def test_a_number_stays_below_1_in_single_precision():
    ones = FloatDomain().number(random_draws.fraction((1 << 64) - 1))
    assert ones == 1 - 2.0**-53
    top = ng.op(lambda x: x * random.random())(
        np.ones(1, "float32"), np.array([(1 << 64) - 1], "uint64")
    )
    assert top == np.float32(1 - 2.0**-24)


# derivatives ------------------------------------------------------------------------------------


@ng.op
def scaled(x, s):
    return x * random.gauss(1.0, s) if random.random() < 0.6 else s * x * x


@pytest.mark.parametrize("wrt", ["x", "s"])
def test_draws_are_constants_of_derivatives(wrt):
    x, s = points("float64"), points("float64")[::-1].copy()
    h = 1e-6
    dx, ds = (h, 0) if wrt == "x" else (0, h)
    differences = (scaled(x + dx, s + ds, key=5) - scaled(x - dx, s - ds, key=5)) / (2 * h)
    np.testing.assert_allclose(scaled.derivative(wrt)(x, s, key=5), differences, atol=1e-7)


@pytest.mark.parametrize("way", ["recorded", "jit", "bound"])
def test_backward_sees_the_draws_of_forward(way):
    x, s = points("float64"), points("float64")[::-1].copy()
    ng.random.seed(8)
    words = ng.random.integers(0, 1 << 64, size=x.size, dtype="uint64").asnumpy()
    ng.random.seed(8)
    if way == "bound":
        grads = {"x": ng.zeros(x.size, dtype="float64"), "s": ng.zeros(x.size, dtype="float64")}
        inputs = {"x": ng.array(x, dtype="float64"), "s": ng.array(s, dtype="float64")}
        executor = scaled(ng.var("x"), ng.var("s")).bind(ng.cpu(), inputs, grads)
        value = executor.forward(is_train=True)[0]
        executor.backward([ng.ones(x.size, dtype="float64")])
        slopes = grads["x"], grads["s"]
    else:
        inputs = [ng.array(v, dtype="float64") for v in (x, s)]
        for array in inputs:
            array.attach_grad()
        f = ng.jit(scaled) if way == "jit" else scaled
        with ng.autograd.record():
            value = f(*inputs)
        value.backward()
        slopes = [array.grad for array in inputs]
    np.testing.assert_array_equal(value.asnumpy(), scaled(x, s, words))
    for slope, wrt in zip(slopes, ("x", "s")):
        np.testing.assert_allclose(slope.asnumpy(), scaled.derivative(wrt)(x, s, words), rtol=1e-13)


def test_derivatives_are_certified():
    from nbgraph.operator.report.certified import certificates

    (found,) = certificates(scaled.scalar, "s")
    assert found.points >= 20 and found.worst < 1e-12


# operators of operators, files, messages --------------------------------------------------------


def test_other_operators_draw_by_its_places():
    twice = ng.op(lambda x: scaled(x, 0.5) - scaled(x, 0.5))
    assert np.count_nonzero(twice(np.ones(100), key=1)) > 70
    by_s = scaled.derivative("s")
    slope = ng.op(lambda x: by_s(x, 0.5) * random.random())
    assert len(np.unique(slope(np.ones(100), key=1))) > 50


def test_options_of_numpys_calls():
    f = ng.op(lambda a, b: a + b * random.random())
    assert f(1.0, 2.0).shape == ()
    assert len(np.unique(f(0.0, 1.0, out=np.zeros(9)))) == 9
    made = f(np.zeros(4), 1.0, out=np.full(4, 7.0), where=np.array([True, False, True, True]))
    assert made[1] == 7.0 and len(np.unique(made)) == 4
    assert f(np.zeros(3), 1.0, dtype="float32").dtype == np.float32
    assert f(np.zeros(3, "float16"), np.float16(1)).dtype == np.float16
    assert f.outer(np.zeros(2), np.ones(3)).shape == (2, 3)
    assert len(np.unique(f(ng.zeros((4, 1)), ng.ones((1, 5))).asnumpy())) == 20
    for method in (f.reduce, f.accumulate):
        with pytest.raises(ng.errors.ArgumentError, match="draws random numbers"):
            method(np.zeros(3))


def test_forms_have_words_where_they_draw():
    f = ng.op(lambda x, noisy=True: x + (random.gauss(0, 1) if noisy else 0.0))
    x = points("float64")
    np.testing.assert_array_equal(f(x, noisy=False), x)
    assert (f(x, key=1) != x).all()
    np.testing.assert_array_equal(f(x, True, key=1), f(x, key=1))


def test_files_hold_texts_that_draw():
    f, x = ng.op(noise), points("float64")
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(f))(x, key=3), f(x, key=3))
    loaded = ng.sym.load_json(f(ng.var("x")).tojson(), allow_code=True)
    assert loaded.list_arguments() == ["x"]


REFUSED = {
    "leave the size out": lambda x: x + np.random.normal(0.0, 1.0, 3)[0],
    "takes integers": lambda x: x + random.randint(0, 2.5),
    "use random, uniform": lambda x: x + np.random.vonmises(0.0, 1.0),
    "before the call": lambda x: x + ng.random.gamma(x),
    "cannot be drawn here": lambda x: x + random.gammavariate(x, 1.0),
    "another name": lambda key: key + random.random(),
}


@pytest.mark.parametrize("remedy", REFUSED)
def test_what_is_refused_says_what_to_write(remedy):
    with pytest.raises(ng.errors.CaptureError, match=remedy):
        ng.op(REFUSED[remedy])


def test_kernels_for_gpus_have_them_in_integers():
    text = ng.op(long).ptx("float32")
    assert "mul" in text and ".entry" in text


def test_an_operator_that_draws_by_the_library_is_pickled():
    op = ng.op(lambda x: x + ng.random.uniform(1.0, 2.0))
    copy = pickle.loads(pickle.dumps(op))
    np.testing.assert_array_equal(copy(points("float64"), key=3), op(points("float64"), key=3))
