"""RES-01, NDA-02, X-NDA-08, X-NDA-09: what ng.random draws, from which stream, in which world."""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

import nbgraph as ng
from nbgraph import resource
from nbgraph.operator.arrays.array_op import ArrayOp, Spec
from tests.engine.conftest import engine, gate, threads

__all__ = ["engine", "gate", "threads"]

r = ng.random
N = 4000

# distribution -> the call, and who judges it
LINES = {
    "uniform": (lambda **a: r.uniform(-1.5, 2, N, **a), stats.uniform(-1.5, 3.5)),
    "random": (lambda **a: r.random(N, **a), stats.uniform()),
    "normal": (lambda **a: r.normal(1, 0.5, (40, N // 40), **a), stats.norm(1, 0.5)),
    "standard_normal": (lambda **a: r.standard_normal(N, **a), stats.norm()),
    "lognormal": (lambda **a: r.lognormal(0.5, 0.5, N, **a), stats.lognorm(0.5, scale=np.exp(0.5))),
    "exponential": (lambda **a: r.exponential(2, N, **a), stats.expon(scale=2)),
    "standard_exponential": (lambda **a: r.standard_exponential(N, **a), stats.expon()),
    "gumbel": (lambda **a: r.gumbel(1, 2, N, **a), stats.gumbel_r(1, 2)),
    "laplace": (lambda **a: r.laplace(1, 2, N, **a), stats.laplace(1, 2)),
    "logistic": (lambda **a: r.logistic(1, 2, N, **a), stats.logistic(1, 2)),
    "standard_gamma": (lambda **a: r.standard_gamma(2.5, N, **a), stats.gamma(2.5)),
    "gamma": (lambda **a: r.gamma(2.5, 3, N, **a), stats.gamma(2.5, scale=3)),
    "truncated_normal": (
        lambda **a: r.truncated_normal(1, 2, N, low=-1, high=3, **a),
        stats.truncnorm(-1, 3, 1, 2),
    ),
    "beta": (lambda **a: r.beta(2, 3, N, **a), stats.beta(2, 3)),
}
ZIPF = stats.rv_discrete(values=(np.arange(20), np.diff(np.log(np.arange(1, 22))) / np.log(21)))
COUNTS = {
    "integers": (lambda **a: r.integers(-3, 4, N, **a), stats.randint(-3, 4)),
    "poisson": (lambda **a: r.poisson(3, N, **a), stats.poisson(3)),
    "binomial": (lambda **a: r.binomial(9, 0.3, N, **a), stats.binom(9, 0.3)),
    "geometric": (lambda **a: r.geometric(0.3, N, **a), stats.geom(0.3)),
    "bernoulli": (lambda **a: r.bernoulli(0.3, N, dtype="int64", **a), stats.bernoulli(0.3)),
    "categorical": (lambda **a: r.categorical(ng.array(np.log([0.2, 0.5, 0.3])), N, **a),
                    stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3]))),
    "multinomial": (lambda **a: r.multinomial(9, ng.array([0.3, 0.3, 0.4]), N, **a)[:, 1],
                    stats.binom(9, 0.3)),
    "negative_binomial": (lambda **a: r.negative_binomial(2.5, 0.4, N, **a),
                          stats.nbinom(2.5, 0.4)),
    "dispersed": (lambda **a: r.generalized_negative_binomial(3, 0.5, N, **a),
                  stats.nbinom(2, 1 / 2.5)),
    "sample_multinomial": (
        lambda **a: ng.sample_multinomial(ng.array([0.2, 0.5, 0.3]), N, dtype="int64", **a),
        stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3])),
    ),
    "zipfian": (lambda **a: r.zipfian(ng.array([1]), N, 20, **a)[0], ZIPF),
    "unique_zipfian": (lambda **a: r.unique_zipfian(20, (N, 1), **a)[0][:, 0], ZIPF),
    "choice": (lambda **a: r.choice(3, N, p=[0.2, 0.5, 0.3], **a),
               stats.rv_discrete(values=([0, 1, 2], [0.2, 0.5, 0.3]))),
}  # fmt: skip
ALL = {name: row[0] for name, row in (LINES | COUNTS).items()}


def same(a, b):
    return np.array_equal(np.asarray(a), np.asarray(b))


# which numbers ----------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["float32", "float64", "float16"])
@pytest.mark.parametrize("name", LINES)
def test_numbers_on_a_line_have_their_distribution(name, dtype):
    draw, judge = LINES[name]
    x = draw(dtype=dtype, rng=12)
    assert x.dtype == dtype and x.size == N
    values = x.asnumpy().astype("float64").ravel()
    assert stats.kstest(values, judge.cdf).pvalue > 1e-3
    assert len(np.unique(values)) > N / (40 if dtype == "float16" else 1.1)


@pytest.mark.parametrize("name", COUNTS)
def test_counts_have_their_distribution(name):
    draw, judge = COUNTS[name]
    values = draw(rng=5).asnumpy()
    assert values.dtype == "int64"
    expected = N * judge.pmf(np.arange(-5, 40))
    seen = np.array([(values == k).sum() for k in range(-5, 40)])
    large = expected > 5
    assert stats.chisquare(seen[large], expected[large] * seen[large].sum() / expected[large].sum()).pvalue > 1e-3  # fmt: skip  # noqa: E501
    assert seen[~large].sum() <= 3 * expected[~large].sum() + 10


@pytest.mark.parametrize("name", ["normal", "truncated_normal", "integers", "poisson", "gamma"])
def test_the_plain_version_draws_the_same(name):
    """By NumPy and SciPy, of the same words."""
    found = ALL[name](rng=8).asnumpy()
    with ng.config(compiler="python"):
        plain = ALL[name](rng=8).asnumpy()
    np.testing.assert_allclose(found, plain, rtol=1e-5, atol=1e-6)


def test_a_half_open_interval_is_half_open():
    """What is rounded to 16 bits does not become 1."""
    for dtype in ("float16", "bfloat16"):
        pytest.importorskip("ml_dtypes") if dtype == "bfloat16" else None
        x = r.random(200_000, dtype=dtype, rng=0).asnumpy().astype("float64")
        assert x.max() < 1 and x.min() >= 0 and abs(x.mean() - 0.5) < 0.01


def test_default_dtypes():
    """NumPy's names, this library's floats."""
    assert r.normal().dtype == np.float32 and r.normal().shape == ()
    with ng.config(default_float="float64"):
        assert r.uniform(size=2).dtype == np.float64
    assert r.integers(5).dtype == np.int64 and r.integers(5, size=3, dtype="uint8").dtype == "uint8"
    assert r.bernoulli(size=3).dtype == bool
    assert r.poisson(4.0, 3, dtype="float32").dtype == np.float32


# reproducible -----------------------------------------------------------------------------------


def everything():
    r.seed(7)
    drawn = [draw() for draw in ALL.values()]
    drawn += [r.permutation(9), r.normal(ng.zeros(3), 2.0), r.normal(size=3, device=ng.cpu(1))]
    return drawn


EXPECTED = []


def test_the_same_on_every_engine(engine):
    """RES-01: same seed, same numbers, whatever runs them and in whatever order."""
    for _ in range(3):
        found = [x.asnumpy() for x in reversed(everything())]
        if not EXPECTED:
            EXPECTED.extend(found)
        assert all(same(a, b) for a, b in zip(found, EXPECTED, strict=True))


def test_the_push_fixes_the_numbers_not_the_run(threads, gate):
    """X-NDA-08: draws that run in another order than they were pushed give what they would have."""
    r.seed(3)
    expected = [r.normal(size=4).asnumpy() for _ in range(4)]
    r.seed(3)
    blocked = ng.zeros(4)
    held = gate(ng.engine, blocked.variable)
    late = r.normal(blocked, 1)  # returns although what it needs is held
    others = [r.normal(size=4) for _ in range(3)]
    for x, y in zip(others, expected[1:], strict=True):
        assert same(x, y)  # while the first has not run
    held.open()
    assert same(late, expected[0])


def test_each_call_draws_anew():
    """DESIGN 2.5: two equal calls never give the same."""
    for draw in ALL.values():
        assert not same(draw(), draw())
    r.seed(1)
    a = r.normal(size=5)
    r.seed(2)
    assert not same(a, r.normal(size=5))
    assert not same(r.normal(size=5), r.normal(size=5, device=ng.cpu(1)))


@pytest.mark.parametrize("name", ALL)
def test_rng_says_from_where(name):
    """SPEC 7: a seed repeats; a generator moves on, draw by draw, and stands for its seed at first;
    the device's stream does not notice."""
    draw = ALL[name]
    assert same(draw(rng=4), draw(rng=4)) and not same(draw(rng=4), draw(rng=5))
    rng = np.random.default_rng(4)
    first, second = draw(rng=rng), draw(rng=rng)
    assert same(first, draw(rng=4)) and not same(first, second)
    rng = np.random.default_rng(4)
    draw(rng=rng)
    assert same(draw(rng=rng), second)
    assert same(draw(rng=np.random.SeedSequence(4)), first)
    assert same(draw(rng=[4, 1]), draw(rng=[4, 1]))
    before = resource.draw().number
    draw(rng=rng)
    assert resource.draw().number == before + 1


def test_a_generator_serves_its_owner_meanwhile(threads, gate):
    """What the caller takes from it after a push does not depend on when that runs."""
    rng, judge = (np.random.Generator(np.random.MT19937(9)) for _ in range(2))
    held = gate(ng.engine, (blocked := ng.zeros(2)).variable)
    x = r.normal(blocked, 1, rng=rng)
    own = rng.random(3)
    held.open()
    y = r.normal(size=2, rng=judge)
    assert same(x, y) and same(own, judge.random(3))


# parameters -------------------------------------------------------------------------------------


@given(
    st.sampled_from([(), (3,), (2, 1), (2, 3)]),
    st.sampled_from([(), (3,), (2, 3)]),
    st.sampled_from([None, (2, 3), (4, 2, 3)]),
)
def test_parameters_broadcast(loc, scale, size):
    shape = np.broadcast_shapes(loc, scale) if size is None else size
    a, b = ng.full(loc, 1000.0), ng.full(scale, 0.25)
    for x in (r.normal(a, b, size), r.logistic(a, b, size), r.gumbel(1000.0, b, shape)):
        assert x.shape == shape and ((x > 900) & (x < 1100)).all()
    assert r.beta(a, b, size).shape == r.binomial(5, b, shape).shape == shape
    assert r.gamma(a, b, size).shape == r.integers(ng.zeros(loc, "int64"), 3, shape).shape == shape


def test_array_parameters_and_numbers_give_the_same():
    """Standard numbers scaled and moved: in the draw, or by operators."""
    for draw in (r.normal, r.gumbel, r.laplace, r.logistic):
        a = draw(2.0, 3.0, size=50, rng=1)
        b = draw(ng.full(50, 2.0), ng.full(50, 3.0), rng=1)
        np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-5, atol=1e-5)
    a, b = r.uniform(2, 5, 50, rng=1), r.uniform(ng.full(50, 2.0), 5.0, rng=1)
    np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), rtol=1e-6)
    assert same(r.beta(2, 3, 5, rng=1), r.beta(ng.full(5, 2.0), 3, rng=1))
    assert same(r.poisson(4, 5, rng=1), r.poisson(ng.full(5, 4.0), rng=1))


def test_dtypes_of_array_parameters():
    x = ng.ones(3, "float64")
    assert r.normal(x, 1.0).dtype == np.float64 and r.gamma(x, ng.ones(3)).dtype == np.float64
    assert r.normal(x, 1.0, dtype="float32").dtype == np.float32
    assert r.normal(ng.arange(3)).dtype == np.float32  # integers say nothing
    assert r.uniform(ng.arange(3), 7).dtype == np.float32


def test_worlds():
    """API rule 1: NumPy in, NumPy out; numbers give NDArrays; names are in the registry."""
    x = r.normal(np.zeros(3), 1.0, rng=1)
    assert type(x) is np.ndarray and x.dtype == np.float64
    assert same(x, r.normal(ng.zeros(3, "float64"), 1.0, rng=1))
    for made in (r.normal(), r.choice(4), r.permutation(3), r.integers(3, size=2)):
        assert isinstance(made, ng.NDArray)
    assert isinstance(ng.nd.random_normal(np.zeros(3), 1.0), ng.NDArray)
    assert isinstance(ng.nd.random_uniform(size=3), ng.NDArray)
    assert r.normal(ng.zeros(2, device=ng.cpu(1))).device == ng.cpu(1)
    assert r.randint is r.integers and ng.random_randint is r.integers


def test_gradients_flow_to_place_and_scale():
    """By the path of each number: d/dloc is 1, d/dscale the standard number."""
    loc, scale = ng.full(6, 2.0), ng.full((1,), 3.0)
    loc.attach_grad()
    scale.attach_grad()
    for draw in (r.normal, r.gumbel, r.laplace, r.logistic):
        with ng.autograd.record():
            x = draw(loc, scale, rng=3)
        x.backward()
        assert same(loc.grad, np.ones(6, "float32"))
        standard = draw(size=6, rng=3).sum()
        np.testing.assert_allclose(scale.grad.asnumpy(), [standard.item()], rtol=1e-5)
    with ng.autograd.record():
        x = r.uniform(loc, 5.0, rng=3)
    x.backward()
    np.testing.assert_allclose(loc.grad.asnumpy(), 1 - r.random(6, rng=3).asnumpy(), rtol=1e-5)


def test_gradients_that_do_not_exist_are_refused():
    """DESIGN 2.9: by name."""
    a = ng.full(3, 2.0)
    a.attach_grad()
    with ng.autograd.record():
        x = r.beta(a, 1.0)
    with pytest.raises(ng.DerivativeError, match="random_beta"):
        x.backward()


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (lambda: r.normal(0, -1), ValueError, "random.normal: scale=-1; expected 0 or more"),
        (lambda: r.normal(0, np.array([1.0, -2.0])), ValueError, "random.normal: scale="),
        (lambda: r.normal(0, float("nan")), ValueError, "scale=nan"),
        (lambda: r.normal("a"), TypeError, "random.normal: loc='a'; expected a real number"),
        (lambda: r.normal(size=-1), ValueError, "size=-1 has a negative size"),
        (lambda: r.normal(size=2.5), TypeError, "size=2.5"),
        (lambda: r.normal(dtype="int64"), TypeError, "dtype=int64; expected a floating one"),
        (lambda: r.normal(ng.zeros(3), size=(3, 2)), ValueError, "random_normal"),
        (lambda: r.normal(ng.zeros((2, 3)), size=3), ValueError, "size=(3,) does not hold"),
        (lambda: r.normal(ng.zeros(3), device=ng.cpu(1)), ValueError, "leave device out"),
        (lambda: r.normal(rng="seed"), TypeError, "rng='seed'; expected None, a whole number"),
        (lambda: r.normal(rng=-1), TypeError, "rng=-1"),
        (lambda: r.normal(rng=np.random.RandomState(1)), TypeError, "RandomState"),
        (lambda: r.normal(device="cpu"), TypeError, "device='cpu'"),
        (lambda: r.normal(device=ng.gpu(99)), ValueError, "gpu"),
        (lambda: r.uniform(2, 1), ValueError, "random.uniform: high - low=-1"),
        (lambda: r.uniform(0, float("inf")), ValueError, "high=inf; expected finite numbers"),
        (lambda: r.exponential(-1), ValueError, "random.exponential: scale=-1"),
        (lambda: r.gamma(-1), ValueError, "random.gamma: shape=-1"),
        (lambda: r.beta(0, 1), ValueError, "random.beta: a=0; expected more than 0"),
        (lambda: r.poisson(-1), ValueError, "random.poisson: lam=-1"),
        (lambda: r.binomial(2.5, 0.5), TypeError, "random.binomial: n=2.5; expected whole"),
        (lambda: r.binomial(-1, 0.5), ValueError, "random.binomial: n=-1"),
        (lambda: r.binomial(3, 1.5), ValueError, "p=1.5; expected a probability"),
        (lambda: r.geometric(0), ValueError, "random.geometric: p=0"),
        (lambda: r.integers(3, 3), ValueError, "low=3, high=3; expected high > low"),
        (lambda: r.integers(0), ValueError, "expected high > low"),
        (lambda: r.integers(4, 3, endpoint=True), ValueError, "expected high >= low"),
        (lambda: r.integers(0, 300, dtype="uint8"), ValueError, "uint8 holds 0 to 255"),
        (lambda: r.integers(1.5), TypeError, "high=1.5; expected whole numbers"),
        (lambda: r.integers(3, dtype="float32"), TypeError, "expected an integer one"),
        (lambda: r.permutation(-2), ValueError, "random.permutation: -2 is negative"),
        (lambda: r.permutation(1.5), TypeError, "random.permutation: the number=1.5"),
        (lambda: r.permutation(ng.zeros(3), axis=1), ValueError, "axis=1 does not exist"),
        (lambda: r.shuffle([1, 2]), TypeError, "give an array, which is changed in place"),
        (lambda: r.negative_binomial(0, 0.5), ValueError, "n=0; expected more than 0"),
        (lambda: r.generalized_negative_binomial(-1, 1), ValueError, "mu=-1; expected 0 or more"),
        (lambda: r.unique_zipfian(3, (2, 4)), ValueError, "rows of different classes of 3"),
        (lambda: r.zipfian(ng.zeros(1), 2, 0), TypeError, "range_max=0; expected 1 class"),
        (lambda: r.shuffle(ng.zeros(())), ValueError, "random.shuffle: x has shape ()"),
        (lambda: r.choice(0, 2), ValueError, "nothing to choose from"),
        (lambda: r.choice(3, 4, replace=False), ValueError, "asks for 4 of 3 without replacement"),
        (lambda: r.choice(3, p=[0.5, 0.5]), ValueError, "p has shape (2,); expected (3,)"),
        (lambda: r.choice(2, p=[0.5, 0.6]), ValueError, "sum to 1.1; divide them"),
        (lambda: r.choice(2, p=[1.5, -0.5]), ValueError, "negative probability"),
        (lambda: r.choice(2, 2, replace=False, p=[1, 0]), ValueError, "of which p allows 1"),
        (lambda: r.seed(-1), TypeError, "seed: n=-1"),
        (lambda: r.norml, AttributeError, "norml"),
    ],
)
def test_bad_input(call, error, text):
    """Where values are at hand they are looked at, at the call."""
    with pytest.raises(error) as caught:
        call()
    assert text in str(caught.value)


def test_what_is_only_known_later_is_raised_at_the_wait(engine):
    """NumPy's own words, at the wait."""
    x = r.poisson(ng.full(2, -1.0))
    with pytest.raises(ValueError, match="lam < 0"):
        x.asnumpy()
    x = r.poisson(1e6, 3, dtype="int8")
    with pytest.raises(OverflowError, match=r"random.poisson: .* int8 cannot hold"):
        x.asnumpy()


# orders -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("make", [ng.array, np.array], ids=["NDArray", "NumPy"])
def test_orders(make, engine):
    x = make(np.arange(24.0).reshape(4, 6))
    for axis in (0, 1, -1):
        y = r.permutation(x, axis, rng=3)
        assert type(y) is type(x)
        z = np.asarray(y)
        assert same(np.sort(z, axis), np.asarray(x)) and not same(z, np.asarray(x))
        whole = make(np.asarray(x).copy())
        view = whole[:, :]
        r.shuffle(view, axis, rng=3)
        assert same(whole, z)
    r.seed(0)
    orders = {tuple(r.permutation(3).tolist()) for _ in range(100)}
    assert len(orders) == 6


@pytest.mark.parametrize("world", [np.asarray, ng.array], ids=["NumPy", "NDArray"])
def test_choices_with_replacement_are_whole_numbers_in_all_worlds(world):
    """By a kernel where there is one: the same numbers."""
    for count in (1, 3, 2**20, 2**40):
        assert same(r.choice(count, (5, 9), rng=1), r.integers(count, size=(5, 9), rng=1))
    x = np.arange(9) * 2
    wanted = x[np.asarray(r.integers(9, size=50, rng=1))]
    for _ in range(4):
        assert same(r.choice(world(x), 50, rng=1), wanted)
    assert same(ng.jit(lambda a: r.choice(a, 50, rng=1))(world(x)), wanted)
    rows = ng.vmap(lambda a: r.choice(a, 50))(ng.array(np.stack([x] * 3))).asnumpy()
    assert len({row.tobytes() for row in rows}) == 3 and set(rows.ravel()) == set(x)


def test_choice():
    x = ng.arange(12).reshape(3, 4)
    assert r.choice(x, (2, 5), axis=1).shape == (3, 2, 5)
    assert r.choice(x).shape == (4,) and r.choice(7).shape == ()
    distinct = r.choice(10, 10, replace=False)
    assert sorted(distinct.tolist()) == list(range(10))
    assert same(r.choice(x, 3, replace=False, shuffle=False, rng=1).shape, (3, 4))
    p = ng.array([0.0, 1.0, 0.0])
    assert same(r.choice(3, 5, p=p), np.ones(5, int))
    assert same(r.choice(x, 2, p=p)[0], x[1])
    assert type(r.choice(np.arange(3), 2)) is np.ndarray
    late = r.choice(3, 2, p=ng.array([0.5, 0.5, 0.5]))
    with pytest.raises(ValueError, match="sum to 1"):
        late.asnumpy()


def test_symbols_are_brought_into_random_order():
    """Of symbols whose shape follows when they are bound, each run in an order of its own."""
    x = np.arange(12.0, dtype="float32").reshape(6, 2)
    for made, axis in (
        (r.permutation(ng.var("x")), 0),
        (r.permutation(ng.var("x"), axis=-1), 1),
        (ng.sym.shuffle(ng.load_json(ng.var("x").tojson())), 0),
    ):
        exe = ng.load_json(made.tojson()).simple_bind(x=x.shape)
        orders = set()
        for _ in range(8):
            found = exe.forward(is_train=True, x=x)[0].asnumpy()
            assert same(np.sort(found, axis), x)
            orders.add(tuple(found.ravel()))
        assert len(orders) > 1
        exe.backward(ng.ones(x.shape))
        assert same(exe.grad_dict["x"], np.ones_like(x))
    assert same(np.sort(ng.nd.shuffle(x), 0), x) and type(ng.shuffle(x)) is np.ndarray
    with pytest.raises(TypeError, match="permutation gives a new one, and takes symbols"):
        r.shuffle(ng.var("x"))


# classes ----------------------------------------------------------------------------------------


def test_logarithms_of_the_chances_of_what_is_drawn():
    """With get_prob: of the classes that came, with gradients as of reinforcement learning."""
    chances = np.array([[0.2, 0.8], [0.5, 0.5], [1.0, 0.0]])
    x = ng.array(chances)
    x.attach_grad()
    with ng.autograd.record():
        classes, logs = ng.sample_multinomial(x, (4, 2), get_prob=True)
    logs.backward()
    assert classes.shape == logs.shape == (3, 4, 2) and classes.dtype == "int32"
    rows = np.arange(3).reshape(3, 1, 1)
    np.testing.assert_allclose(logs, np.log(chances[rows, classes.asnumpy()]), rtol=1e-12)
    counts = np.stack([(classes.asnumpy() == k).sum((1, 2)) for k in (0, 1)], 1)
    with np.errstate(all="ignore"):
        np.testing.assert_allclose(x.grad, np.where(counts, counts / chances, 0), rtol=1e-12)
    made = ng.Group(list(ng.sample_multinomial(ng.var("x"), (4,), get_prob=True)))
    classes, logs = ng.load_json(made.tojson()).simple_bind(x=(3, 2)).forward(x=chances)
    found = np.log(chances[np.arange(3)[:, None], classes.asnumpy()])
    np.testing.assert_allclose(logs, found, rtol=1e-6, atol=1e-7)
    classes, logs = r.categorical(ng.array(np.log(chances[:2])), (5, 2), get_prob=True)
    found = np.log(chances[:2])[np.arange(2), classes.asnumpy()]
    np.testing.assert_allclose(logs, found, rtol=1e-6)


def test_candidates():
    """How often classes are expected; different ones in a row, with how many draws they took."""
    true = ng.array([0, 3])
    drawn, of_true, of_drawn = r.zipfian(true, 5, 7)
    chance = lambda k: 5 * np.log((k + 2) / (k + 1)) / np.log(8)
    np.testing.assert_allclose(of_true, chance(np.array([0.0, 3.0])), rtol=1e-12)
    np.testing.assert_allclose(of_drawn, chance(drawn.asnumpy()), rtol=1e-12)
    assert type(r.zipfian(np.array([0]), 5, 7)[0]) is np.ndarray
    exe = ng.Group(list(r.zipfian(ng.var("t"), 50, 70)))
    exe = exe.simple_bind(grad_req="null", t=(2,))
    runs = [exe.forward(t=[0, 3])[0].asnumpy() for _ in range(2)]
    assert not same(*runs)
    rows, tries = r.unique_zipfian(30, (4, 30))
    assert same(np.sort(rows.asnumpy(), 1), np.tile(np.arange(30), (4, 1)))
    assert (tries.asnumpy() >= 30).all() and len(set(tries.tolist())) > 1


def test_gradients_flow_through_orders():
    x = ng.arange(5.0)
    x.attach_grad()
    with ng.autograd.record():
        y = r.permutation(x, rng=2) * ng.arange(5.0)
    y.backward()
    assert same(x.grad[r.permutation(5, rng=2)], np.arange(5.0, dtype="float32"))


# the registry -----------------------------------------------------------------------------------


def test_users_register_source_operators(engine):
    """X-NDA-09: an operator without operands, random or not, gives an NDArray where it is asked."""

    def compute(inputs, outputs, *, env, n, device):
        outputs[0][...] = env.random().integers(1, 7, n).sum()

    dice = ArrayOp(
        "dice", lambda *, n, device: Spec((), np.dtype("int64")), compute,
        operands=(), resources=["parallel_random"],
    )  # fmt: skip
    r.seed(1)
    a = dice(n=3, device=ng.cpu(1))
    assert isinstance(a, ng.NDArray) and a.device == ng.cpu(1) and 3 <= a.item() <= 18
    assert len({dice(n=100, device=None).item() for _ in range(9)}) > 1


def test_signatures_are_numpys():
    """NDA-02: names, order and defaults; device, dtype and rng come after."""
    for name in ALL:
        if not hasattr(np.random.Generator, name):
            continue
        own = inspect.signature(getattr(r, name)).parameters
        text = getattr(np.random.Generator, name).__doc__.split("(", 1)[1].split(")\n", 1)[0]
        theirs = [p.split("=")[0].strip() for p in text.split(",")]
        theirs = [p for p in theirs if p not in ("out", "method", "dtype")]
        assert [p for p in own if p in theirs] == theirs, name
        assert "rng" in own and own["rng"].default is None


SAMPLED = {
    "uniform": (([0.0, 2.0], [1.0, 4.0]), [0.5, 3.0]),
    "normal": (([0.0, 2.0], [1.0, 0.1]), [0.0, 2.0]),
    "gamma": (([1.0, 4.0], [2.0, 0.5]), [2.0, 2.0]),
    "exponential": (([1.0, 4.0],), [1.0, 0.25]),
    "poisson": (([1.0, 4.0],), [1.0, 4.0]),
    "negative_binomial": (([2.0, 4.0], [0.5, 0.8]), [2.0, 1.0]),
    "generalized_negative_binomial": (([2.0, 1.0], [0.5, 0.1]), [2.0, 1.0]),
}


@pytest.mark.parametrize("name", SAMPLED)
def test_numbers_for_each_element(name):
    """X-NDA-09: MXNet's sample_ operators draw several numbers for each element of parameters."""
    parameters, means = SAMPLED[name]
    arrays = [ng.array(p) for p in parameters]
    ng.random.seed(0)
    draw = getattr(ng.nd, f"sample_{name}")
    numbers = draw(*arrays, shape=(50, 80))
    assert numbers.shape == (2, 50, 80) and numbers.dtype == np.float32
    np.testing.assert_allclose(numbers.asnumpy().mean((1, 2)), means, rtol=0.1, atol=0.05)
    assert draw(*arrays).shape == (2,)
    scales = [1 / arrays[0]] if name == "exponential" else arrays
    ng.random.seed(0)
    again = getattr(ng.nd.random, name)(*scales, shape=(50, 80))
    np.testing.assert_allclose(again, numbers, rtol=1e-6)
    operands = [ng.var(f"x{i}") for i in range(len(arrays))]
    symbol = getattr(ng.sym, f"sample_{name}")(*operands, shape=3, dtype="float64")
    (found,) = symbol.eval(**{f"x{i}": x for i, x in enumerate(arrays)})
    assert found.shape == (2, 3) and found.dtype == np.float64


@pytest.mark.parametrize("name", SAMPLED)
def test_numbers_like_an_array(name):
    """X-NDA-09: MXNet's draws in the shape and dtype of an array; `nd.random` has a scale where
    `nd.random_exponential` has a rate."""
    first = [p[0] for p in SAMPLED[name][0]]
    data, mean = ng.zeros((50, 80), "float64"), SAMPLED[name][1][0]
    ng.random.seed(0)
    numbers = getattr(ng.nd.random, f"{name}_like")(data, *first)
    assert numbers.shape == data.shape and numbers.dtype == data.dtype
    assert abs(float(numbers.mean()) - mean) < 0.1
    (drawn,) = getattr(ng.sym.random, f"{name}_like")(ng.var("x")).eval(x=data)
    assert drawn.shape == data.shape and drawn.dtype == data.dtype


def test_words_of_mxnet_for_draws():
    assert abs(float(ng.nd.random.exponential(0.1, shape=(4000,)).mean()) - 0.1) < 0.02
    assert abs(float(ng.nd.random_exponential(lam=10, shape=(4000,)).mean()) - 0.1) < 0.02
    order = ng.nd.random.shuffle(ng.arange(20))  # a new array
    assert sorted(order.tolist()) == list(range(20)) != order.tolist()
