"""The fast path of operators over whole arrays: its results, its records, and when it declines.

A test that says it took a call closes the slow path first.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.array import apply_array_op, apply_scalar_op
from nbgraph.operator.rows.row_op import RowOp
from tests.support import run_python

RNG = np.random.default_rng(0)


@pytest.fixture
def alone(monkeypatch):
    """`alone()`: the slow path is closed from now on."""

    def close():
        def refuse(*_, **__):
            raise AssertionError("the slow path was taken")

        monkeypatch.setattr(apply_array_op, "lift", refuse)

    return close


def values(*shape, dtype="float32"):
    return RNG.normal(size=shape).astype(dtype)


PLACES = ng.array([4, -1, 4, 0])
NINES = ng.array(9 * np.eye(6))
OUT = ng.zeros(6)
CALLS = {
    "a @ b": lambda a, b: a @ b,
    "a @ a": lambda a, b: a @ a,
    "matmul": ng.matmul,
    "transposed": lambda a, b: a.T @ b,
    "of a view": lambda a, b: a[::2] @ b[:, 1:],
    "dot": lambda a, b: ng.dot(a, b, transpose_b=True),
    "softmax": lambda a, b: ng.softmax(a, axis=0),
    "layer_norm": lambda a, b: ng.layer_norm(b, a[0], a[1]),
    "fully_connected": ng.fully_connected,
    "sum": lambda a, b: a.sum(),
    "rows": lambda a, b: a.sum(axis=1, keepdims=True),
    "columns of a view": lambda a, b: a[1:].prod(axis=0),
    "max": lambda a, b: a.max(axis=-1),
    "mean": lambda a, b: a.mean(),
    "std": lambda a, b: a.T.std(axis=0, ddof=1),
    "norm": lambda a, b: ng.norm(a),
    "cast": lambda a, b: a[::2].astype("float16"),
    "copy": lambda a, b: a.T.copy(),
    "any": lambda a, b: (a + b).any(axis=1),
    "all": lambda a, b: (a > b).all(axis=0),
    "count": lambda a, b: ng.count_nonzero(a > 9),
    "lines": lambda a, b: a[PLACES],
    "pairs": lambda a, b: a[PLACES, PLACES],
    "elements": lambda a, b: ng.take(a.astype("float16"), PLACES, axis=1),
    "sorted": lambda a, b: ng.sort(a, axis=0),
    "largest": lambda a, b: ng.topk(a[:, ::2], k=2)[0],
    "solved": lambda a, b: ng.linalg.solve(a @ a.T + NINES, a.astype("float64")),
    "root": lambda a, b: ng.linalg.cholesky(a @ a.T + NINES),
    "joined": lambda a, b: ng.concatenate((a, b, a), axis=1),
    "stacked": lambda a, b: ng.stack((a > 0, b > 0), axis=-1),
    "sum of steps": lambda a, b: a[::2, ::2].sum(axis=1),
    "softmax of columns": lambda a, b: ng.softmax(a.T, axis=1),
    "steps @ steps": lambda a, b: a[::2, ::2] @ b[::2, ::2],
    "steps @": lambda a, b: a[::2, ::2] @ b[:3],
    "truth": lambda a, b: ng.all(a, axis=0),
    "sum in float64": lambda a, b: a[:, ::2].sum(dtype="float64"),
    "halves": lambda a, b: a.astype("float16") @ b.T.astype("float16"),
    "diagonal": lambda a, b: ng.diag(a[0]),
    "joined of two dtypes": lambda a, b: ng.concatenate((a, b.astype("float64")), axis=1),
    "sum to an array": lambda a, b: ng.sum(a, axis=1, out=OUT) * 1,
    "cumsum to an array": lambda a, b: ng.cumsum(a[0], out=OUT) * 1,
    "numbers": lambda a, b: a[0, 1:] + ng.arange(5) + ng.full(5, 2.5) * ng.ones(5),
    "a row's elements": lambda a, b: a[1, [0, -1, 3]],
    "a column's lines": lambda a, b: a[PLACES, 2],
    "parts of lines": lambda a, b: a[PLACES, 1:4],
    "masked": lambda a, b: a[:, [True, False, True, True, False, False]],
    "with one array more": lambda a, b: ng.max(a, axis=0, initial=2.0),
    "max_pooling": lambda a, b: ng.max_pooling(a.reshape((1, 1, 6, 6)), 2),
}


@pytest.mark.parametrize("name", CALLS)
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_calls_are_found_again(threaded, alone, name, dtype):
    """X-NDA-04, ENG-31: the same values as the slow path, in new memory; then without it."""
    call, a, b = CALLS[name], *(ng.array(values(6, 6, dtype=dtype)) for _ in range(2))
    wanted = call(a, b).asnumpy()
    for _ in range(3):
        call(a, b)
    alone()
    kept = [call(a, b) for _ in range(4)]
    for made in kept:
        assert made.asnumpy().tobytes() == wanted.tobytes()
    a[:] = a + 1.0  # nothing of an earlier call is handed out again
    changed = call(a, b).asnumpy().tobytes() != wanted.tobytes()
    # the same for all that differs by a number, and for all numbers
    unchanged = name in ("softmax", "softmax of columns", "std", "any", "all", "count", "truth")
    assert changed or unchanged
    assert kept[0].asnumpy().tobytes() == wanted.tobytes()


@pytest.mark.parametrize("call", [
    lambda a, x: ng.exp(x) * a, lambda a, x: ng.sum(x, axis=1), lambda a, x: ng.softmax(x, axis=0),
    lambda a, x: x @ a, lambda a, x: x.T @ a, lambda a, x: ng.sort(x, axis=1) * a,
    lambda a, x: ng.diag(x[0]) @ a,
], ids="elements sum softmax product transposed sorted diagonal".split())  # fmt: skip
@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2, ::2]], ids=["whole", "steps"])
def test_recorded_calls_are_found_again(threaded, monkeypatch, call, part):
    """X-NDA-04: the tape records the operands as they are, not their copies."""
    a = ng.array(values(6, 6)[part])
    x = ng.array(values(6, 6))
    x.attach_grad()

    def gradient(*, known):
        with ng.autograd.record(), monkeypatch.context() as patch:
            y = x[part]
            if known:  # the slow path is closed
                patch.setattr(apply_array_op, "lift", None)
                patch.setattr(apply_scalar_op, "lift", None)
            loss = call(a, y)
        loss.backward()
        return loss.asnumpy().tobytes(), x.grad.asnumpy().tobytes()

    wanted = [gradient(known=False) for _ in range(3)]
    assert wanted[0] == wanted[1] == wanted[2]
    assert gradient(known=True) == wanted[0]


def test_lists_and_numbers_are_taken_by_value(threaded):
    """What becomes an array in each call anew is what is given then, way known or not."""
    x = values(4, 6)
    a = ng.array(x)
    wanted = ng.layer_norm(a, ng.ones(6), ng.zeros(6)).asnumpy()
    for k in range(4):
        assert a[[k, -1]].tolist() == x[[k, -1]].tolist()
        assert ng.concatenate([a[0], [k]]).tolist() == [*x[0].tolist(), k]
        made = ng.layer_norm(a, 2.0**k, 0.0).asnumpy()
        np.testing.assert_allclose(made, wanted * 2**k, rtol=1e-5, atol=1e-5)
        with pytest.raises(IndexError, match=f"index {4 + k}"):
            a[[0, 4 + k]].asnumpy()


def test_states_are_read_as_they_are_and_moved_in_training(threaded, alone):
    """Batch normalisation predicts by the fast path, and by what training left each time."""
    x, layer = ng.array(values(32, 3) * 3 + 1), ng.nn.BatchNorm()
    first = [layer(x).asnumpy() for _ in range(4)]
    with ng.autograd.record():
        layer(x)
    with ng.autograd.record(train_mode=False):  # told, and states stay
        second = [layer(x).asnumpy() for _ in range(3)]
    assert abs(second[0] - first[0]).max() > 0.1
    alone()
    assert layer(x).asnumpy().tobytes() == second[0].tobytes() == second[-1].tobytes()


def test_draws_by_other_numbers_are_found_again(threaded, alone):
    """The numbers are those of the call; what was drawn before comes from the same stream."""

    def drawn(numbers):
        ng.random.seed(5)
        return [ng.random.normal(loc, scale, size=7).asnumpy() for loc, scale in numbers]

    standard = drawn([(0, 1)] * 40)
    drawn([(0.5, 2.0)] * 3)
    alone()
    numbers = [(k / 4, 1 + k / 8) for k in range(40)]
    for (loc, scale), own, one in zip(numbers, drawn(numbers), standard, strict=True):
        np.testing.assert_allclose(own, one * scale + loc, rtol=1e-5, atol=1e-5)


def test_draws_are_found_again(threaded, alone):
    """The numbers are those of the slow path, in its order; gradients know what was dropped."""

    def drawn():
        ng.random.seed(5)
        made = []
        for _ in range(3):
            with ng.autograd.record():
                made.append(ng.dropout(a, 0.5))
            made[-1].backward()
            assert a.grad.tolist() == made[-1].tolist()
        return [x.tolist() for x in made]

    a = ng.ones(30)
    a.attach_grad()
    first = drawn()
    assert first[0] != first[1]
    alone()
    assert drawn() == first


@given(
    st.integers(1, 9),
    st.integers(1, 9),
    st.integers(1, 9),
    st.booleans(),
    st.booleans(),
    st.sampled_from(["float32", "float64"]),
)
def test_products_of_any_layouts(m, k, n, first, second, dtype):
    """MTE-03: the operand that BLAS takes first need not be the first one."""
    x = values(k, m, dtype=dtype).T if first else values(m, k, dtype=dtype)
    y = values(n, k, dtype=dtype).T if second else values(k, n, dtype=dtype)
    a = ng.array(values(k, m, dtype=dtype)).T if first else ng.array(x)
    b = ng.array(values(n, k, dtype=dtype)).T if second else ng.array(y)
    a[:], b[:] = ng.array(x), ng.array(y)
    tolerance = 1e-4 if dtype == "float32" else 1e-10
    for _ in range(3):
        np.testing.assert_allclose((a @ b).asnumpy(), x @ y, rtol=tolerance, atol=tolerance)


def test_gradients_are_recorded(threaded):
    """The tape records each call as by the slow path."""
    x, w = values(4, 5), values(5, 3)
    found = []
    for _ in range(4):
        a, b = ng.array(x), ng.array(w)
        a.attach_grad()
        b.attach_grad()
        with ng.autograd.record():
            loss = (ng.softmax(a @ b, axis=-1) ** 2).sum()
        loss.backward()
        found.append((a.grad.asnumpy().tobytes(), b.grad.asnumpy().tobytes()))
    assert len(set(found)) == 1


def test_what_is_not_as_it_was_takes_the_general_way(threaded):
    """Other layouts, attributes and devices; a failure that an operand carries."""
    a = ng.array(values(4, 4))
    for _ in range(3):
        ng.softmax(a, axis=-1)
    sums = ng.softmax(a, axis=0).asnumpy().sum(0)
    np.testing.assert_allclose(sums, 1, rtol=1e-5)
    assert ng.softmax(ng.array(values(2, 3)), axis=-1).shape == (2, 3)
    far = a.to(ng.gpu(0))
    assert ng.softmax(far, axis=-1).device == ng.gpu(0)
    for _ in range(3):
        ng.sort(a, axis=-1)
        ng.diag(a[0])
    assert ng.diag(far[0]).device == ng.gpu(0)
    assert ng.sort(far, axis=-1).tolist() == ng.sort(a, axis=-1).tolist()
    assert ng.sort(a, axis=0).tolist() == np.sort(a.asnumpy(), axis=0).tolist()
    assert ng.sort(a.astype("int64"), axis=-1).dtype == np.int64
    for _ in range(3):  # not positive definite: raised where the value is asked for
        root = ng.linalg.cholesky(-ng.ones((4, 4)))
        with pytest.raises(ValueError, match="positive definite"):
            root.asnumpy()
    for _ in range(3):
        bad = ng.take(ng.zeros((4, 4)), ng.array([9]), axis=0)
        with pytest.raises(IndexError, match="index 9"):
            (bad.reshape((1, 4)) @ a).asnumpy()
    with pytest.raises(ng.errors.ShapeError):
        _ = a @ ng.zeros((3, 3))


@ng.row_op
def _tempered(x, *, t=1.0, power: float = 2.0, lift=0):
    e = np.exp((x - x.max()) / t)
    return (e / e.sum()) ** power + lift


def _expected(x, t=1.0, power=2.0, lift=0):
    e = np.exp((x - x.max(-1, keepdims=True)) / t)
    return (e / e.sum(-1, keepdims=True)) ** power + lift


OPTIONS = [
    {"t": 2.0},
    {"t": 3, "power": 0.5},
    {"power": 1.5},
    {},
    {"t": 0.5, "power": 3, "lift": 1},
    {"power": -0.0, "t": 0.7},
    {"power": 0.0, "t": 0.7, "lift": 0.25},
    {"t": 0.125},
]


@pytest.mark.parametrize("part", [np.s_[:], np.s_[::2]], ids=["whole", "steps"])
@pytest.mark.parametrize("world", ["numpy", "arrays", "tape"])
def test_parameters_of_rows_are_no_part_of_a_key(threaded, monkeypatch, world, part):
    """SMP-14: calls that differ by numbers alone lower nothing, in any order, and mix nothing up;
    what one leaves out is the default, not what the last one had."""
    dtype, close = ("float64", 1e-9) if world == "tape" else ("float32", 2e-5)
    x = values(4, 6, dtype=dtype)[:, part]

    def run(options):
        if world == "numpy":
            return _tempered(x, **options), None
        a = ng.array(values(4, 6, dtype=dtype), dtype=dtype)[:, part]
        a[:] = x
        if world == "arrays":
            return _tempered(a, **options).asnumpy(), None
        a.attach_grad()
        with ng.autograd.record():
            y = _tempered(a, **options)
        y.backward()
        return y.asnumpy(), a.grad.asnumpy()

    first = [run(options) for options in OPTIONS]
    for (value, gradient), options in zip(first, OPTIONS, strict=True):
        np.testing.assert_allclose(value, _expected(x, **options), rtol=close)
        if gradient is not None:
            slope = ng.grad(lambda v, o=options: _tempered(v, **o).sum())(x)
            np.testing.assert_allclose(gradient, slope, rtol=close, atol=close)
    for options in OPTIONS * 5 if world == "tape" else ():  # then passes like these are graphs
        run(options)
    for kind in (type(_tempered), RowOp):
        monkeypatch.setattr(kind, "lower", lambda *_: pytest.fail("lowered again"))
    rng = np.random.default_rng(3)
    for k in rng.integers(0, len(OPTIONS), 40):
        for own, other in zip(run(OPTIONS[k]), first[k], strict=True):
            assert own is other is None or own.tobytes() == other.tobytes()
    for t in rng.uniform(0.1, 3, 10).tolist():
        np.testing.assert_allclose(run({"t": t})[0], _expected(x, t), rtol=close)


LOOP = """
import nbgraph as ng
from nbgraph.ops.shapes import slicing
x = ng.zeros((500, 2))
x.attach_grad()
for _ in range(2):
    with ng.autograd.record():
        y = ng.stack([x[i] for i in range(len(x))]).sum()
    y.backward()
assert (x.grad.asnumpy() == 1).all()
print(len(slicing.slice_scatter.op.shortcuts))
"""


def test_a_long_loop_over_slices_stays_on_the_quick_way(tmp_path):
    """Each slice is a call of its own: 500 of them, and their gradients, are all known."""
    program = tmp_path / "loop.py"
    program.write_text(LOOP)
    assert int(run_python(program)) >= 500
