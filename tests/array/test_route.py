"""Routes: the fast path of an operator gives what the slow path gives, and knows when not to.

A test that says the route took a call closes the slow path first.
"""

import gc
import operator
import sys

import numpy as np
import pytest

import nbgraph as ng
from nbgraph import storage
from nbgraph.array import apply_array_op, apply_scalar_op, entry, indexing, route
from nbgraph.codegen import builtin
from tests.array.samples import same

SMALL, LARGE = (3, 5), (3, 40_000)  # of small blocks any is taken, of large ones an idle one
K = 2.0


@pytest.fixture
def alone(monkeypatch):
    """`alone()`: the slow path is closed from now on."""

    def close():
        def refuse(*_):
            raise AssertionError("the slow path was taken")

        monkeypatch.setattr(apply_scalar_op, "lift", refuse)

    return close


def floats(*values):
    return np.float32(values)


def value(shape, dtype, step=1):
    size = int(np.prod(shape)) * step
    return (np.arange(size) % 7 + 1).astype(dtype).reshape(*shape[:-1], -1)[..., ::step]


def _two(x, y):
    return x + y, x * y


def _fma(x, y, z):
    return x * y + z


two, fma = ng.op(_two), ng.op(_fma)
CALLS = {
    "a + b": lambda a, b: a + b,
    "a + a": lambda a, b: a + a,
    "a * 2.5": lambda a, b: a * 2.5,
    "2 - a": lambda a, b: 2 - a,
    "-a": lambda a, b: -a,
    "abs(a)": lambda a, b: abs(a),
    "a < b": lambda a, b: a < b,
    "row": lambda a, b: a * b[0],
    "view": lambda a, b: a[::-1] - b,
    "two outputs": lambda a, b: two(a, b) if type(a) is ng.NDArray else _two(a, b),
    "a number between": lambda a, b: fma(a, 0.1, b) if type(a) is ng.NDArray else _fma(a, 0.1, b),
}


@pytest.mark.parametrize("dtype", [f"{s}int{b}" for s in ("", "u") for b in (8, 16, 32, 64)])
def test_integers_beside_arrays(threaded, alone, dtype):
    """X-NDA-04: those that a dtype holds have a route; others are an error, or compared as they
    are."""
    x, info = np.array([0, 1, 5], dtype), np.iinfo(dtype)
    a, least, most = ng.array(x), int(info.min), int(info.max)
    for _ in range(2):
        assert (a + 1).dtype == dtype
        assert (a < 1).asnumpy().tolist() == [True, False, False]
    for number in (least - 1, most + 1):
        with pytest.raises(OverflowError):
            a + number
        if abs(number) < 1 << 63:
            assert (a < number).asnumpy().tolist() == [number > 0] * 3
    alone()
    for number in (least, most if most < 1 << 63 else 1 << 62, 2):
        np.testing.assert_array_equal(a + number, x + number)
        np.testing.assert_array_equal(a < number, x < number)


@pytest.mark.parametrize("shape", [SMALL, LARGE])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "float16"])
@pytest.mark.parametrize("name", CALLS)
def test_routes_give_what_numpy_gives(threaded, name, dtype, shape):
    """X-NDA-04: the first call and those after it, while others hold blocks."""
    call = CALLS[name]
    if name == "a number between" and dtype == "int32":
        pytest.skip("a float beside integers gives another dtype in NumPy")
    x, y = value(shape, dtype), value(shape, dtype, 2)
    a, b = ng.array(x), ng.array(y)
    wanted = call(x, y)
    kept = []
    for _ in range(6):
        made = call(a, b)
        for one, other in zip(
            made if type(made) is tuple else (made,),
            wanted if type(wanted) is tuple else (wanted,),
            strict=True,
        ):
            assert one.dtype == other.dtype
            np.testing.assert_allclose(
                one.asnumpy(), other, rtol=1e-2 if dtype == "float16" else 1e-6
            )
        kept.append(made)


@pytest.mark.parametrize("shape", [SMALL, LARGE])
@pytest.mark.parametrize(
    "name", ["a + b", "a + a", "a * 2.5", "2 - a", "row", "two outputs", "a number between"]
)
def test_the_general_way_is_not_taken_again(threaded, alone, name, shape):
    """ENG-31: light operators that are repeated are pushed without asking."""
    x, y = value(shape, "float32"), value(shape, "float32")
    a, b = ng.array(x), ng.array(y)
    call = CALLS[name]
    b[0]
    call(a, b)
    call(a, b)
    alone()
    for _ in range(5):
        made, wanted = call(a, b), call(x, y)
        if type(made) is not tuple:
            made, wanted = (made,), (wanted,)
        for one, other in zip(made, wanted, strict=True):
            np.testing.assert_allclose(one.asnumpy(), other, rtol=1e-6)


def test_numbers_are_rounded_as_numpy_rounds_them(threaded, alone):
    """A Python number is weak: it takes the dtype of the array beside it."""
    x = np.float32([1, 3, 1e30])
    a, mask = ng.array(x), ng.array(np.array([True, False]))
    for number in (0.1, 7, True, -1, -1.0, 1e300, float("nan")):
        a * number
        with np.errstate(over="ignore"):
            same(a * number, x * np.float32(number))
    same(mask & True, np.array([True, False]))
    same(mask & True, np.array([True, False]))
    same(mask & False, np.array([False, False]))
    same(ng.array(np.float64([1, 2])) * 0.1, np.float64([1, 2]) * 0.1)
    with pytest.raises(OverflowError):
        a * 10**400
    ng.nd.add(a, 1.5, out=ng.zeros(3))  # another kernel for the same layouts
    a + 1.5
    alone()
    same(a + 2.5, x + np.float32(2.5))


@pytest.mark.parametrize(("dtype", "bits"), [("float16", 11), ("bfloat16", 8)])
def test_numbers_beside_16_bits_are_rounded_once(threaded, monkeypatch, dtype, bits):
    """Between two numbers of the dtype, at and near the middle; those that are not normal ones."""
    rng, ones = np.random.default_rng(0), ng.ones(2).astype(dtype)
    rounds = ones.asnumpy().dtype.type
    numbers = [0.0, -0.0, 3, -1, 2.0**15, 65504.0, 65520.0, 1e300, np.inf, np.nan, 2.0**-14, 1e-7]
    for exponent in range(-14, 15):
        unit = 2.0 ** (exponent - bits + 1)
        first = int(rng.integers(1 << bits - 1, 1 << bits)) * unit
        for part in (0.5, 0.5 + 2.0**-20, 0.5 - 2.0**-36, 1 - 2.0**-30):
            numbers += [first + part * unit, -first - part * unit]
    ones * 1.5
    with np.errstate(over="ignore"):
        for number in numbers:
            wanted = np.array([rounds(number)] * 2, "float64")
            same((ones * number).astype("float64"), wanted)
    monkeypatch.setattr(apply_scalar_op, "lift", None)
    ones * 2.5


def test_a_recorder_is_told(threaded, alone):
    """X-NDA-01: what routes carry out while something records has a gradient."""
    a, b = ng.array([1.0, 2.0, 3.0]), ng.array([4.0, 5.0, 6.0])
    a.attach_grad()
    both = ng.op(lambda x, y: x * y * y)
    for turn in range(4):
        if turn == 2:
            alone()
        with ng.autograd.record():
            total = (a * b + both(a, b)) * 2.0
        total.backward()
        same(a.grad, 2 * (b.asnumpy() + b.asnumpy() ** 2))


def test_arrays_that_routes_made_are_like_others(threaded):
    """Their place on a tape is there, and empty."""
    a = ng.array([1.0, 2.0])
    a + a
    made = a + a
    assert (made._node, made._output, made._stamp, made._holder) == (None, 0, 0, None)
    made.attach_grad()
    with ng.autograd.record():
        y = made * made
    y.backward()
    same(made.grad, floats(4.0, 8.0))


def test_a_changed_global_is_taken_up(threaded, monkeypatch):
    """The operator's text refers to it: the route is no longer its own."""
    scaled = ng.op(lambda x: x * K)
    a = ng.array([1.0, 2.0])
    for _ in range(3):
        same(scaled(a), floats(2.0, 4.0))
    monkeypatch.setitem(globals(), "K", 3.0)
    for _ in range(3):
        same(scaled(a), floats(3.0, 6.0))


def test_a_changed_closure_is_taken_up(threaded):
    def make():
        factor = 2.0

        def change():
            nonlocal factor
            factor = 5.0

        return ng.op(lambda x: x * factor), change

    scaled, change = make()
    a = ng.array([1.0, 2.0])
    for _ in range(3):
        same(scaled(a), floats(2.0, 4.0))
    change()
    same(scaled(a), floats(5.0, 10.0))


def test_settings_that_look_closely_are_heeded(threaded):
    """anomaly=1 finds the first NaN although the route was learnt without it."""
    a = ng.array([1.0, -1.0])
    root = ng.op(lambda x: x**0.5)
    for _ in range(3):
        root(a)
        a / a
    zero = ng.zeros(2)
    with ng.config(anomaly=1):
        with pytest.raises(FloatingPointError):
            root(a)
        with pytest.raises(FloatingPointError):
            zero / zero
    before = len(ng.engine.dump().operations)
    with ng.config(compiler="python"):
        same(a + a, floats(2.0, -2.0))
    assert len(ng.engine.dump().operations) == before


def test_a_graph_that_is_traced_gets_a_node(threaded):
    """Routes push nothing while a graph is made."""
    a = ng.array([1.0, 2.0])
    f = ng.jit(lambda x: (x + x) * 2.0)
    for _ in range(3):
        (a + a) * 2.0
        same(f(a), floats(4.0, 8.0))


def test_members_of_a_bulk_stay_in_order(threaded):
    """X-ENG-11: within a bulk the slow path is taken, after it routes are again."""
    a = ng.array([1.0, 2.0])
    a + a
    seen = []
    with ng.engine.bulk(10):
        ng.engine.push(lambda ctx: seen.append("first"), mutate_vars=[a.variable])
        b = a + a
        ng.engine.push(lambda ctx: seen.append("second"), const_vars=[b.variable])
    same(b, floats(2.0, 4.0))
    ng.waitall()
    assert seen == ["first", "second"]
    assert ng.engine.current()._owner.gate[0] is None
    same(a + a, floats(2.0, 4.0))
    assert ng.engine.current()._owner.gate[0] is not None


@pytest.mark.parametrize("kind", ["naive", "chaos", "threaded"])
def test_another_engine_takes_over(threaded, kind):
    """SYS-04: what was learnt for one engine is not pushed to another."""
    a = ng.array([1.0, 2.0])
    for _ in range(3):
        a + a
    ng.engine.set(kind)
    for _ in range(3):
        same((a + a) * 2.0, floats(4.0, 8.0))


def test_after_a_stop_pushes_start_the_engine_again(threaded):
    a = ng.array([1.0, 2.0])
    a + a
    ng.engine.current().stop()
    assert ng.engine.current()._owner.gate[0] is None
    for _ in range(3):
        same(a + a, floats(2.0, 4.0))


def test_arrays_of_two_devices_are_refused(threaded):
    """Nothing is copied between devices silently, whatever was learnt."""
    a, b = ng.ones(4), ng.ones(4, device=ng.cpu(1))
    for _ in range(3):
        a + a
        assert (b + b).device == ng.cpu(1)
    with pytest.raises(ng.DeviceError):
        a + b
    assert (b + b).device == ng.cpu(1)


def test_a_failure_goes_through_and_names_its_line(threaded):
    """An operand's failure reaches what was computed from it by a route."""
    a = ng.array([1.0, 2.0])
    a + a

    def fails(ctx):
        raise RuntimeError("lost")

    ng.engine.push(fails, mutate_vars=[a.variable])
    b = a + a
    with pytest.raises(RuntimeError, match="lost"):
        b.asnumpy()


def lines_of(*names):
    """Lines of the operations that wait, in the order of their pushes."""
    return [
        int(o.site.rpartition(":")[2].partition(" ")[0])
        for o in ng.engine.dump().operations
        if o.name in names
    ]


def test_a_dump_names_the_line_of_each_push(threaded, gate):
    """The lines are looked up in a route's memory, in the engine's, or asked for."""
    a = ng.array([1.0, 2.0])
    b = a + a
    held = gate(ng.engine, a.variable)
    first = sys._getframe().f_lineno + 2
    for _ in range(3):
        b = a + a
        b = (a + a) + b
    made = ng.maximum(a, b)
    lines = lines_of("add", "maximum")
    assert lines == [first, first + 1, first + 1] * 3 + [first + 2]
    held.open()
    ng.waitall()
    assert made.shape == (2,)


def test_many_lines_of_one_route(threaded, gate):
    """More than a route remembers, again and again."""
    text = "".join(f"made.append(a + a)  # {i}\n" for i in range(3 * entry.LINES))
    code = compile(text, "many.py", "exec")
    a, made = ng.array([1.0]), []
    held = gate(ng.engine, a.variable)
    for _ in range(2):
        exec(code, {"a": a, "made": made})
    lines = lines_of("add")
    assert lines == [*range(1, 3 * entry.LINES + 1)] * 2
    held.open()
    ng.waitall()


def test_nothing_is_held_and_nothing_is_lost(threaded):
    """STO-01: references and blocks after thousands of calls are what they were."""
    a, b = ng.ones(16), ng.ones(16)
    double = ng.op(lambda x: (x + x, x - x))
    other = ng.ones((2, 3))

    def turns(count):
        for _ in range(count):
            a + b
            a * 2.0
            double(a)
            try:
                double(a, b)
            except TypeError:
                pass
            a + other[0, 0]

    turns(50)
    ng.waitall()
    gc.collect()
    watched = [a, b, a._layout, a._chunk, type(a), a._chunk.bin.free]
    before = [sys.getrefcount(x) for x in watched], storage.stats().allocated
    turns(2000)
    ng.waitall()
    gc.collect()
    assert ([sys.getrefcount(x) for x in watched], storage.stats().allocated) == before


def test_what_is_no_call_is_declined(threaded):
    """Whatever it is given, the entry declines, and leaves no error behind."""
    a = ng.array([1.0, 2.0])
    adding = ng.op(lambda x, y: x + y)
    for _ in range(2):
        adding(a, a)
        adding(a, 2.0)
    push = adding.carried["routes"].push
    half = object.__new__(type(a))
    for given in ((), (0,), (0, (), ()), (0, [a, a]), (0, ()), (0, (a,)), (0, (a, a, a)), (0, a)):
        assert push(*given) is None
    for operands in ((a, "2"), (a, half), (half, a), (a, None), (a, np.ones(2)), (a, 2)):
        assert push(0, operands) is None
    with pytest.raises(TypeError):
        push("here", (a, a))
    same(push(0, (a, a)), floats(2.0, 4.0))


def test_another_interpreter_goes_without(threaded, monkeypatch):
    """Where the entry does not serve, nothing is learnt."""
    monkeypatch.setattr(builtin, "available", lambda: False)
    a = ng.array([1.0, 2.0])
    tripled = ng.op(lambda x: 3 * x)
    for _ in range(3):
        same(tripled(a), floats(3.0, 6.0))
    assert tripled.shortcut is None
    assert tripled.carried["routes"].push is route.declines


def test_a_subclass_of_float_is_looked_at(threaded):
    """It is not weak, as Python's own numbers are."""

    class Metres(float):
        pass

    a = ng.array([1.0, 2.0])
    for _ in range(3):
        a * 2.0
        same(a * Metres(3.0), np.float64([3.0, 6.0]))


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_results_over_arrays(threaded, alone, dtype):
    """`out` is written each time, also where it is an operand or a part, and refused."""
    op = ng.op(lambda x, y: x - 2 * y)
    values = np.linspace(-2, 2, 12).reshape(3, 4).astype(dtype)
    rows = ng.zeros((6, 4), dtype)
    for k in range(4):
        a, b = ng.array(values + k), ng.array(values)
        expected = (values + k) - 2 * values
        for out in (ng.zeros((3, 4), dtype), rows[k : k + 3], rows[::2]):
            before = rows.asnumpy()
            assert op(a, b, out=out) is out
            np.testing.assert_array_equal(out.asnumpy(), expected)
            assert op(b, b, out=out) is out
            np.testing.assert_array_equal(out.asnumpy(), -values)
            assert (rows.asnumpy() != before).any(axis=1).sum() <= 3
        op(a, 0.25 + k, out=out)
        np.testing.assert_array_equal(out.asnumpy(), values + k - dtype_of(values, 0.5 + 2 * k))
        op(a, b, out=a)
        np.testing.assert_array_equal(a.asnumpy(), expected)
        with pytest.raises(ng.errors.ShapeError):
            op(a, b, out=ng.zeros((4, 3), dtype))
    keys = [key for key in op.carried if isinstance(key, tuple) and key[0] == "over"]
    assert len(keys) <= 6
    alone()
    op(b, a, out=out)
    np.testing.assert_array_equal(out.asnumpy(), values - 2 * a.asnumpy())


def dtype_of(like, number):
    """A number rounded as an array of that dtype holds it."""
    return like.dtype.type(number)


def writes_over(X, x, lines):
    """Writes over an array `y` of the shape of `X`, whose values `x` has, by name."""

    def over(y, a=None, b=None, part=np.s_[:]):
        target = y[part] if part != np.s_[:] else y
        ng.subtract(target if a is None else a, target if b is None else b, out=target)
        return target

    return {
        "apart": lambda y: ng.subtract(x, 2.0, out=y),
        "first": lambda y: over(y, b=x),
        "last": lambda y: over(y, a=x),
        "both": over,
        "number": lambda y: over(y, a=2.5),
        "part": lambda y: over(y, a=x[::2], part=np.s_[::2]),
        "operand twice": lambda y: ng.subtract(x, x, out=y),
        "in place": lambda y: y.__isub__(x),
        "integer": lambda y: y.__isub__(3),
        "itself": lambda y: y.__imul__(y),
        "row": lambda y: y.__setitem__(1, x[0]),
        "elements": lambda y: y.__setitem__((2, slice(1, 3)), 7),
        "NumPy's": lambda y: ng.subtract(X, x, out=y),
        "product": lambda y: ng.matmul(x, x, out=y),
        "sum": lambda y: ng.sum(x, axis=1, out=y[0]),
        "taken": lambda y: ng.take(x, lines, axis=0, out=y[:3]),
        "lines": lambda y: y.__setitem__(lines, 2.5),
        "lines of an array": lambda y: y.__setitem__(lines, x[1:]),
        "long list": lambda y: y.__setitem__([0, 2] * 40, -0.0),
        "where": lambda y: y.__setitem__(x > 0, 3),
        "where by NumPy": lambda y: y.__setitem__(X > 0, 3),
        "rows by a mask": lambda y: y.__setitem__(X[0] > 0, 3.0),
    }


def test_writes_over_an_array_are_found_again(threaded, monkeypatch):
    """X-NDA-04: `out=`, `a op= b` and `a[key] = b` by a route, wherever the array stands among the
    operands; what shares memory otherwise, or is lent, takes the slow path."""
    rng = np.random.default_rng(0)
    X, Y = rng.normal(size=(2, 4, 4)).astype("float32")
    lines = ng.array([3, 0, 1])
    calls = writes_over(X, ng.array(X), lines)
    wanted = {}
    for name, call in calls.items():
        for _ in range(3):
            y = ng.array(Y)
            call(y)
            wanted.setdefault(name, y.asnumpy())
            assert y.asnumpy().tobytes() == wanted[name].tobytes(), name
    np.testing.assert_array_equal(wanted["first"], Y - X)
    np.testing.assert_array_equal(wanted["last"], X - Y)
    np.testing.assert_array_equal(wanted["part"][::2], X[::2] - Y[::2])
    np.testing.assert_allclose(wanted["sum"][0], X.sum(1), rtol=1e-5)
    np.testing.assert_array_equal(wanted["taken"][:3], X[[3, 0, 1]])
    np.testing.assert_array_equal(wanted["lines of an array"][[3, 0, 1]], X[1:])
    np.testing.assert_array_equal(wanted["where by NumPy"], np.where(X > 0, 3, Y))
    monkeypatch.setattr(apply_scalar_op, "lift", None)  # the slow path is closed
    monkeypatch.setattr(apply_array_op, "_copied_to", None)
    monkeypatch.setattr(indexing, "writable", None)
    for name, call in calls.items():
        y = ng.array(Y)
        call(y)
        assert y.asnumpy().tobytes() == wanted[name].tobytes(), name
    monkeypatch.undo()
    y = ng.array(Y)
    ng.exp(y[:2], out=y[1:3])
    np.testing.assert_array_equal(y[1:3].asnumpy(), ng.exp(Y[:2]))
    y[:3] = y[[1, 0, 2]]  # what is read is not what is written
    y[lines] = y[1:]
    wanted = np.array(y)
    for _ in range(3):
        y[lines], wanted[[3, 0, 1]] = y[1:], wanted[1:].copy()
        ng.cumsum(y, axis=0, out=y)
        wanted = np.cumsum(wanted, 0)
    np.testing.assert_allclose(y.asnumpy(), wanted, rtol=1e-5)
    lent = np.from_dlpack(y)
    for name, call in calls.items():
        with pytest.raises(ValueError, match="lent"):
            call(y)
    del lent


@pytest.mark.parametrize("scalar", ["float32", "float64", "int64", "uint8"])
@pytest.mark.parametrize("dtype", ["float32", "float64", "int64", "uint8"])
def test_scalars_of_numpy_give_what_numpy_gives(threaded, dtype, scalar):
    """Those of the array's dtype go as Python numbers, with the same dtype and values."""
    x, other = np.array([1, 2, 7], dtype), np.dtype(scalar).type(3)
    a = ng.array(x)
    for name in "add sub mul truediv floordiv mod pow lt eq ge".split():
        op = getattr(operator, name)
        for _ in range(2):
            same(op(a, other), op(x, other))
            same(op(other, a), op(other, x))
    a = ng.array([1.0, 2.0, 3.0])
    a.attach_grad()
    with ng.autograd.record():
        loss = (a * np.float32(2) + np.float32(1) * a).sum()
    loss.backward()
    assert a.grad.tolist() == [3, 3, 3]


def test_operands_of_numpy_are_found_again(threaded, monkeypatch):
    """X-NDA-04: arrays and lists beside an array become arrays and take its route, recorded too."""
    X = np.arange(8, dtype="float32").reshape(2, 4)
    a = ng.array(X + 1)
    a.attach_grad()
    calls = [lambda: a * X, lambda: X * a, lambda: a - [1.0, 2.0, 3.0, 4.0], lambda: np.add(a, a)]
    wanted = [(X + 1) * X, X * (X + 1), X + 1 - np.float32([1, 2, 3, 4]), 2 * X + 2]
    for _ in range(3):
        for call in calls:
            call()
    monkeypatch.setattr(apply_scalar_op, "push", None)  # the slow path is closed
    for call, expected in zip(calls, wanted, strict=True):
        np.testing.assert_array_equal(call().asnumpy(), expected)
    with ng.autograd.record():
        y = a * X
    monkeypatch.undo()
    y.backward()
    np.testing.assert_array_equal(a.grad.asnumpy(), X)
