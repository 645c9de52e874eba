"""What a jit function depends on besides its arguments: it is traced again when that changed, and
only then (NB-01, X-SYM-07)."""

import functools
from types import SimpleNamespace as Space

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator import registry

X = np.array([0.5, -1.0, 2.0], dtype="float32")


def values(found):
    return found.asnumpy().tolist()


class Counted:
    """A function that counts its traces."""

    def __init__(self, text, **space):
        self.traced = []
        self.space = {"ng": ng, "mark": self.traced.append, **space}
        exec(text, self.space)
        self.jitted = ng.jit(self.space["f"])

    def __call__(self, *args):
        return values(self.jitted(ng.array(X), *args))

    @property
    def traces(self):
        return len(self.traced)


F = "def f(x):\n    mark(1)\n    return {}\n"


def test_arrays_found_outside_are_read_at_each_call():
    """X-SYM-07: writes in place between calls are seen, without another trace."""
    w = ng.array(X)
    f = Counted(F.format("x * w"), w=w)
    assert f() == (X * X).tolist()
    w += 1
    assert f() == (X * (X + 1)).tolist()
    w[0] = 10
    assert f()[0] == 5.0
    assert f.traces == 1
    f.space["w"] = ng.array(X * 2)
    assert f() == (X * X * 2).tolist()
    assert f.traces == 2


def test_operators_on_arrays_found_outside_are_not_frozen():
    """`w * 2` and `ng.ones(...)` within the function are part of the graph."""
    w = ng.array(X)
    jitted = ng.jit(lambda x: x + (w * 2 - w[0]) @ (ng.eye(3) + ng.array([1.0, 2.0, 3.0])))
    plain = jitted.traced_function
    for _ in range(3):
        np.testing.assert_allclose(values(jitted(w)), values(plain(w)), rtol=1e-6)
        w *= 3
    assert jitted.cache_size == 1


def test_helpers_that_were_redefined():
    """NB-01: a helper, a helper's helper and a constant of it, edited in another cell."""
    f = Counted(
        "k = 2.0\ndef inner(x):\n    return x * k\ndef helper(x):\n    return inner(x) + 1\n"
        + F.format("helper(x)")
    )
    assert f() == (X * 2 + 1).tolist()
    exec("def inner(x):\n    return x * k * 10", f.space)
    assert f() == (X * 20 + 1).tolist()
    f.space["k"] = 3.0
    assert f() == (X * 30 + 1).tolist()
    exec("def helper(x):\n    return -x", f.space)
    assert f() == (-X).tolist()
    before = f.traces
    f.space["unrelated"] = 5
    f.space["inner"] = None  # helper does not call it any more
    assert f() == (-X).tolist()
    assert f.traces == before


CHANGES = {
    "a global number": ({"n": 2}, "x * n", lambda s: s.update(n=3)),
    "a name that was not there": (
        {},
        "x * (m if 'm' in globals() else 1)",
        lambda s: s.update(m=4),
    ),
    "an element of a list": ({"p": [1.0, 2.0]}, "x * p[1]", lambda s: s.update(p=[1.0, 5.0])),
    "an array in a dict": (
        {"p": {"w": ng.array(X)}},
        "x * p['w']",
        lambda s: s["p"].update(w=ng.array(X * 3)),
    ),
    "a longer list": ({"p": [1.0]}, "x * len(p)", lambda s: s["p"].append(2.0)),
    "an element deep inside": (
        {"p": {"a": [{"b": 2.0}]}},
        "x * p['a'][0]['b']",
        lambda s: s["p"]["a"][0].update(b=9.0),
    ),
    "an attribute": ({"o": Space(k=2.0)}, "x * o.k", lambda s: setattr(s["o"], "k", 7.0)),
    "an attribute of an attribute": (
        {"o": Space(i=Space(k=2.0))},
        "x * o.i.k",
        lambda s: setattr(s["o"].i, "k", 7.0),
    ),
    "a default": (
        {"g": lambda x, k=2.0: x * k},
        "g(x)",
        lambda s: setattr(s["g"], "__defaults__", (3.0,)),
    ),
    "the code itself": (
        {"g": lambda x: x * 2},
        "g(x)",
        lambda s: setattr(s["g"], "__code__", (lambda x: x * 5).__code__),
    ),
    "what is beside a partial function": (
        {"h": 2.0, "g": functools.partial(lambda k, x: x * k, 2.0)},
        "g(x) * h",
        lambda s: s.update(h=3.0),
    ),
    "an operator": (
        {"g": ng.op(lambda x: x * 2)},
        "g(x)",
        lambda s: s.update(g=ng.op(lambda x: x * 7)),
    ),
}


@pytest.mark.parametrize("case", CHANGES)
def test_what_was_changed_counts(case):
    """NB-01: whatever the text refers to."""
    space, text, change = CHANGES[case]
    f = Counted(F.format(text), **space)
    plain = f.space["f"]
    first = f()
    assert f() == first
    assert f.traces == 1
    change(f.space)
    second = f()
    assert second != first
    assert second == values(plain(ng.array(X)))
    assert f() == second
    assert f.traces == 3  # one of them is the function itself


def test_closures():
    def make(k):
        def helper(x):
            return x * k

        def change(value):
            nonlocal k
            k = value

        return ng.jit(helper), change

    f, change = make(2)
    assert values(f(ng.array(X))) == (X * 2).tolist()
    change(5)
    assert values(f(ng.array(X))) == (X * 5).tolist()


def test_an_operator_whose_helper_changed():
    space = {"ng": ng, "k": 2.0}
    import linecache

    text = "@ng.op\ndef scaled(x):\n    return x * k\ndef f(x):\n    return scaled(x)\n"
    linecache.cache["<cell 1>"] = (len(text), None, text.splitlines(keepends=True), "<cell 1>")
    exec(compile(text, "<cell 1>", "exec"), space)
    f = ng.jit(space["f"])
    assert values(f(ng.array(X))) == (X * 2).tolist()
    space["k"] = 3.0
    assert values(f(ng.array(X))) == (X * 3).tolist()


def test_objects_count_by_the_attributes_that_are_used():
    class Model:
        def __init__(self):
            self.k, self.steps = 2.0, 0

        def scale(self):
            return self.k

    model = Model()
    f = Counted(F.format("x * model.scale()"), model=model)
    f()
    model.steps += 1
    f()
    assert f.traces == 1
    model.k = 4.0
    assert f() == (X * 4).tolist()
    Model.scale = lambda self: 10.0
    assert f() == (X * 10).tolist()
    assert f.traces == 3


# random numbers ---------------------------------------------------------------------------------


def test_dropout_draws_anew():
    """New numbers at each call, again after a seed; two draws of one call differ."""
    f = ng.jit(lambda x: (ng.dropout(x), ng.dropout(x), ng.random.normal(size=(4,))))
    x = ng.ones(200)

    def run():
        with ng.autograd.train_mode():
            return [values(v) for v in f(x)]

    ng.random.seed(3)
    first, second = run(), run()
    assert first[0] != first[1]
    for a, b in zip(first, second, strict=True):
        assert a != b
    assert set(first[0]) == {0.0, 2.0}
    ng.random.seed(3)
    assert [run(), run()] == [first, second]
    f.clear_cache()
    ng.random.seed(3)
    assert [run(), run()] == [first, second]  # tracing draws nothing


def test_dropout_follows_the_mode_of_the_call():
    f = ng.jit(ng.dropout)
    x = ng.ones(100)
    assert set(values(f(x))) == {1.0}
    with ng.autograd.train_mode():
        assert set(values(f(x))) == {0.0, 2.0}
    assert set(values(f(x))) == {1.0}


def test_modes_within_the_function():
    def f(x):
        with ng.autograd.predict_mode():
            still = ng.dropout(x)
        with ng.autograd.train_mode():
            return still, ng.dropout(x), ng.autograd.is_training()

    f = ng.jit(f)
    for mode in (ng.autograd.train_mode, ng.autograd.predict_mode):
        with mode():
            still, dropped, trained = f(ng.ones(100))
        assert set(values(still)) == {1.0}
        assert set(values(dropped)) == {0.0, 2.0}
        assert trained is True


def test_dropout_and_its_gradient_agree():
    f = lambda x: (ng.dropout(x) * 3).sum()
    x = ng.ones(100)
    for made in (ng.jit(ng.value_and_grad(f)), ng.value_and_grad(ng.jit(f))):
        value, slope = made(x)  # which trains, as without jit
        assert set(values(slope)) == {0.0, 6.0}
        assert value.item() == sum(values(slope))
    x.attach_grad()
    jitted = ng.jit(f)
    with ng.autograd.record():
        value = jitted(x)
    value.backward()
    assert value.item() == sum(values(x.grad))


def test_draws_with_numpy_parameters_are_not_frozen():
    f = ng.jit(lambda: (ng.random.normal(loc=np.zeros(5)), ng.dropout(np.ones(100, "float32"))))
    with ng.autograd.train_mode():
        first, second = f(), f()
    for a, b in zip(first, second, strict=True):
        assert values(a) != values(b)


@pytest.mark.filterwarnings("ignore:operator")
def test_an_operator_that_is_registered_anew_is_seen():
    """SYM-05: a cell that registers an operator is run again; the function finds it by name."""

    def register(factor):
        def forward(src, env, ret, req, ctx):
            ng.assign(ret.get(), req, src.get() * factor)

        return ng.register_simple_op("times_of_the_cell").set_function("cpu", forward)

    x = ng.ones(3)
    try:
        register(2.0)
        f = ng.jit(lambda a: ng.sum(ng.nd.times_of_the_cell(a)))
        g = ng.jit(lambda a: ng.sum(ng.times_of_the_cell(a)))
        assert (float(f(x)), float(g(x))) == (6, 6)
        register(5.0)
        assert (float(f(x)), float(g(x))) == (15, 15)
    finally:
        registry.remove("times_of_the_cell")


_SCALE = 1.0


@ng.op(certify=False)
def scaled_of_the_cell(x):
    return x * _SCALE if x > 0 else 0.0


FOLLOWERS = {
    "sum": lambda x: scaled_of_the_cell(x).sum(),
    "max": lambda x: ng.max(scaled_of_the_cell(x)),
    "square": lambda x: (scaled_of_the_cell(x) ** 2).sum(),
    "chain": lambda x: scaled_of_the_cell(x) + 1,
    "slope": ng.grad(lambda x: (scaled_of_the_cell(x) * 2).sum()),
}


@pytest.mark.parametrize("name", FOLLOWERS)
def test_a_global_that_an_operator_reads(monkeypatch, name):
    """NB-01: a cell gives it another value; a loop that reduces what the operator gives follows."""
    plain, space = FOLLOWERS[name], scaled_of_the_cell.__wrapped__.__globals__
    traced, x = ng.jit(plain), ng.array(X)
    for scale in (1.0, 10.0, 3.0):
        monkeypatch.setitem(space, "_SCALE", scale)
        wanted = values(plain(x))
        assert values(traced(x)) == wanted
        if name != "slope":
            assert plain(ng.var("x")).simple_bind(x=X.shape).forward(x=X)[0].tolist() == wanted
