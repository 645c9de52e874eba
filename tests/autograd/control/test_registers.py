"""X-SYM-07: loops over a few numbers are one kernel, which computes what their operators do."""

import random

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.operator.kernel_call import lowered
from nbgraph.operator.layout import layout

FLOATS = ("float32", "float64")


def random_step(seed):
    """Return a step, what it begins with and what moves, as NumPy arrays."""
    dice = random.Random(seed)
    dtype = dice.choice(FLOATS)
    numbers = np.random.default_rng(seed)
    kinds = [dice.choice(("number", "vector", "count")) for _ in range(dice.randint(1, 3))]
    shape = {"number": (), "vector": (dice.randint(1, 4),), "count": ()}
    carries = [
        np.int64(dice.randint(-3, 3))
        if kind == "count"
        else numbers.normal(size=shape[kind]).astype(dtype)
        for kind in kinds
    ]
    steps = dice.randint(0, 7)
    xs = [numbers.normal(size=(steps, *shape[k])).astype(dtype) for k in ("number", "vector")]
    constant = numbers.normal(size=shape["vector"]).astype(dtype)
    plan = [(dice.randrange(6), dice.randrange(99), dice.randrange(99)) for _ in range(6)]

    def step(c, x):
        values = [v if k != "count" else v.astype(dtype) for k, v in zip(kinds, c)]
        values += [*x, ng.array(constant)]
        n = shape["vector"][0]
        scalar = lambda v: v if v.ndim == 0 else v[n - 1]
        for kind, i, j in plan:
            a, b = values[i % len(values)], values[j % len(values)]
            values.append(
                [
                    lambda: ng.tanh(a) + 0.5 * b,
                    lambda: ng.where(a > b, a * b, 0.25 - a),
                    lambda: ng.stack([scalar(a), *[scalar(b)] * (n - 1)]),
                    lambda: ng.exp(-a * a) / (1 + ng.abs(b)),
                    lambda: scalar(a) - 2 * scalar(b),
                    lambda: ng.maximum(ng.minimum(a, 1), ng.sin(b)),
                ][kind]()
            )
        last = {(): scalar(values[-1]), (n,): values[-2] if values[-2].ndim else x[1] + values[-2]}
        following = [
            v + 1 if kind == "count" else last[shape[kind]] * 0.5 + v
            for kind, v in zip(kinds, c, strict=True)
        ]
        return tuple(following), (values[-1], values[-3] > 0)

    return step, carries, xs, steps


def by_operators(step, carries, xs, steps, reverse):
    ys = [None] * steps
    for t in reversed(range(steps)) if reverse else range(steps):
        carries, ys[t] = step(carries, [x[t] for x in xs])
    return carries, ys


def jitted(step, steps, reverse):
    return ng.jit(lambda c, xs: ng.scan(step, tuple(c), xs, reverse=reverse, length=steps))


def arrays(values):
    return [ng.array(v, dtype=v.dtype) for v in values]


@pytest.mark.parametrize("part", range(4))
def test_random_loops(part, full):
    """Values are bit for bit those of operators, forward and in reverse."""
    for seed in range(part, 400 if full else 24, 4):
        step, carries, xs, steps = random_step(seed)
        reverse = seed % 2 == 1
        last, ys = jitted(step, steps, reverse)(arrays(carries), arrays(xs))
        wanted, parts = by_operators(step, arrays(carries), arrays(xs), steps, reverse)
        for a, b in zip(last, wanted, strict=True):
            assert a.dtype == b.dtype, seed
            np.testing.assert_array_equal(a.asnumpy(), b.asnumpy(), f"seed {seed}")
        for k, y in enumerate(ys):
            for t in range(steps):
                y_t, wanted_t = y[t].asnumpy(), parts[t][k].asnumpy()
                np.testing.assert_array_equal(y_t, wanted_t, f"seed {seed}")


@pytest.mark.parametrize("part", range(4))
def test_gradients_of_random_loops(part, full):
    for seed in range(part, 200 if full else 8, 4):
        step, carries, xs, steps = random_step(seed)
        reverse = seed % 2 == 1

        def loss(run, xs, carries=carries):
            last, ys = run(arrays(carries), xs)
            ys = [y for part in ys for y in part] if isinstance(ys, list) else ys[:1]
            floats = [y for y in (*last, *ys) if y.dtype.kind == "f"]
            return sum((ng.sum(y.astype("float64") ** 2) for y in floats), ng.sum(xs[0]))

        unrolled = lambda c, xs: by_operators(step, c, xs, steps, reverse)
        wanted = ng.grad(lambda *xs: loss(unrolled, xs), argnums=(0, 1))(*arrays(xs))
        loop = ng.grad(lambda *xs: loss(jitted(step, steps, reverse), xs), argnums=(0, 1))
        for a, b in zip(ng.jit(loop)(*arrays(xs)), wanted, strict=True):
            tolerance = 2e-3 if a.dtype == np.float32 else 1e-9
            np.testing.assert_allclose(a.asnumpy(), b.asnumpy(), tolerance, tolerance)


def calls_of(f, *operands):
    """The calls that the one loop of a graph comes down to."""
    names = [ng.var(f"x{k}", shape=x.shape, dtype=x.dtype.name) for k, x in enumerate(operands)]
    heads = f(*names)
    node, _ = (heads[0] if isinstance(heads, tuple) else heads).entry
    operands = [layout(s.shape, np.dtype(s.dtype)) for s in map(ng.graph.graph.spec, node.entries)]
    outputs = [layout(s.shape, np.dtype(s.dtype)) for s in node.specs]
    case = operands, outputs, ["write"] * len(outputs), node.attributes
    return lowered(node.op, *case).calls


@pytest.mark.parametrize(
    ("step", "state", "registers"),
    [
        (lambda c, x: (c * 0.5 + x, c), np.zeros(()), True),
        (lambda c, x: (ng.stack([c[1], ng.sin(c[0])]) * x, c), np.zeros(2), True),
        (lambda c, x: (c * ng.sum(c) + x, c), np.zeros(4), False),
        (lambda c, x: (c * x, c), np.zeros(5), False),
        (lambda c, x: (ng.sort(c) + x, c), np.zeros(3), False),
    ],
)
def test_which_loops_are_one_kernel(step, state, registers):
    """Maps over up to four numbers are; others go through a table of kernels."""
    (call,) = calls_of(lambda c, xs: ng.scan(step, c, xs)[1], state, np.zeros(9))
    assert (call.code.source.name == "steps") == registers


def test_a_loop_of_a_few_numbers_that_ends_by_its_test():
    """Its count, its state, results behind its end and failures within."""

    @ng.jit
    def f(x, most):
        test, step = lambda c: c[0] * c[1][0] < most, lambda c: (c[0] * 2, c[1] + 1)
        return ng.while_loop(test, step, (x, ng.stack([x, x])), max_iterations=6)

    for most, steps in ((-1.0, 0), (3.0, 1), (1e9, 6)):
        power, added = f(ng.array(1.0), ng.array(most))
        assert float(power) == 2.0**steps and added.asnumpy().tolist() == [1.0 + steps] * 2
    whole = ng.jit(lambda n: ng.while_loop(lambda c: c < n, lambda c: c * 3, ng.ones((), "int64")))
    assert [int(whole(ng.array(n, dtype="int64"))) for n in (0, 5, 10**12)] == [1, 9, 3**26]
