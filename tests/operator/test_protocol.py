"""The NumPy protocol of operators: call options, overrides, errors, what others may do with them.

Kernel budget: about 20.
"""

# ruff: noqa: E501, PLW0108 - a table of refusals, one a line

import inspect
import math
import pickle

import numpy as np
import pytest
from numba import njit

import nbgraph as ng
from nbgraph.errors import ArgumentError, DTypeError, ShapeError
from tests.support import run_python


@ng.op
def blend(x, y=0.5, *, rate=2.0, shift=0.0):
    """x and y, mixed."""
    return x * rate + y + shift


@ng.op
def polar(r, phi):
    return r * math.cos(phi), r * math.sin(phi)


X = np.linspace(-2, 2, 9)
OUT = np.zeros(9)
half = ng.op(lambda x: 0.5 * x)


class Metres(np.ndarray):
    pass


# call options -----------------------------------------------------------------------------------


def test_operands_by_position_name_and_default():
    """SMP-10, SMP-14, SMP-32: arity from the signature; parameters enter without an array."""
    wanted = X * 2 + 0.5
    for got in (blend(X), blend(X, 0.5), blend(x=X), blend(X, y=0.5), blend(y=0.5, x=X)):
        np.testing.assert_array_equal(got, wanted)
    np.testing.assert_array_equal(blend(X, rate=3, shift=1), X * 3 + 0.5 + 1)
    np.testing.assert_array_equal(blend(X, rate=np.float64(3)), X * 3 + 0.5)


def test_lists_scalars_and_0d():
    assert blend([1, 2]).dtype == np.float64
    assert type(blend(1.0)) is np.float64
    assert type(blend(np.array(1.0, np.float32), rate=1.0)) is np.float32
    assert blend([]).shape == (0,)
    assert half([[1, 2], [3, 4]]).tolist() == [[0.5, 1.0], [1.5, 2.0]]
    assert blend(X.astype("f4"), 1).dtype == np.float32  # numbers are weak
    assert blend(X.astype("f4"), np.float64(1)).dtype == np.float64


def test_out():
    out = np.full(9, np.nan)
    assert blend(X, out=out) is out
    np.testing.assert_array_equal(out, blend(X))
    assert blend(X, out=(out,)) is out
    wide = np.zeros((3, 9))
    np.testing.assert_array_equal(blend(X, out=wide), np.tile(blend(X), (3, 1)))
    narrow = np.zeros(9, np.float32)
    np.testing.assert_array_equal(blend(X, out=narrow), blend(X).astype(np.float32))
    with pytest.raises(TypeError, match=r"blend.*float64.*int32.*same_kind"):
        blend(X, out=np.zeros(9, np.int32))
    whole = blend(X, out=np.zeros(9, np.int32), casting="unsafe")
    assert whole.tolist() == blend(X).astype(int).tolist()


def test_tuple_outputs():
    x, y = polar(2.0, X)
    np.testing.assert_allclose(x**2 + y**2, 4)
    a, b = np.empty(9), np.empty(9)
    got = polar(2.0, X, out=(a, None))
    assert got[0] is a
    np.testing.assert_array_equal(got[1], y)
    assert polar(2.0, X, out=(a, b))[1] is b
    with pytest.raises(ArgumentError, match=r"polar: out has 1 .* gives 2"):
        polar(2.0, X, out=a)


def test_where():
    mask = X > 0
    out = np.full(9, 7.0)
    assert blend(X, out=out, where=mask) is out
    np.testing.assert_array_equal(out, np.where(mask, blend(X), 7))
    grid = np.zeros((2, 9))
    blend(X, out=grid, where=np.array([[True], [False]]))
    np.testing.assert_array_equal(grid, [blend(X), np.zeros(9)])
    np.testing.assert_array_equal(blend(X, where=mask)[mask], blend(X)[mask])
    inplace = X.copy()
    blend(inplace, out=inplace, where=mask)
    np.testing.assert_array_equal(inplace, np.where(mask, blend(X), X))
    with pytest.raises(TypeError, match="where must be boolean, not int64"):
        blend(X, where=np.ones(9, int))
    assert blend(1.0, where=True) == blend(1.0)


def test_dtype_casting_and_order():
    assert blend(X, dtype=np.float32).dtype == np.float32
    assert blend([1, 2], dtype="float32").dtype == np.float32
    with pytest.raises(DTypeError, match=r"blend: operand 'x'.*float64.*float32"):
        blend(X, dtype=np.float32, casting="safe")
    grid = np.asfortranarray(np.ones((3, 4)))
    for order, flag in zip("KAFC", "FFFC", strict=True):
        assert half(grid, order=order).flags[f"{flag}_CONTIGUOUS"]
    turned = np.ones((2, 3, 4)).transpose(1, 2, 0)
    assert half(turned).strides == np.negative(turned).strides
    with pytest.raises(ValueError, match="order"):
        half(grid, order="X")


def test_outputs_by_position():
    """Behind the operands, as NumPy's ufuncs take them."""
    for _ in range(4):
        out, a, b = np.empty(9), np.empty(9), np.empty(9)
        assert blend(X, 0.5, out) is out
        np.testing.assert_array_equal(out, X * 2 + 0.5)
        x, y = polar(2.0, X, a, b)
        assert x is a and y is b
        np.testing.assert_allclose(a, 2 * np.cos(X), 1e-15)
        assert polar(2.0, X, a)[0] is a
        made = ng.zeros(9)
        assert ng.add(ng.array(X), 1, made) is made
    np.testing.assert_allclose(made.asnumpy(), X + 1, 1e-6)


def test_a_loop_by_its_signature():
    assert blend(X, signature="ff->f").dtype == "float32"
    assert ng.add([1, 2], 3, signature="dd->d").dtype == "float64"
    assert ng.add([1, 2], 3, signature=(None, None, "f")).dtype == "float32"
    assert ng.less([1, 2], 3, signature="dd->?").tolist() == [True, True]
    with pytest.raises(DTypeError, match=r"no loop for signature='DD->D'.*ff->f"):
        blend(X, signature="DD->D")
    with pytest.raises(ArgumentError, match="signature= and dtype="):
        blend(X, signature="ff->f", dtype="f")
    named = ng.op(lambda x, *, signature=2.0: x * signature)
    assert named(1.0, signature=3.0) == 3.0


def test_subclasses_are_not_kept_where_not_asked_for():
    assert type(half(X.view(Metres), subok=False)) is np.ndarray
    assert type(half(np.ma.array(X), subok=False)) is np.ndarray


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_casting_rules(casting):
    """As NumPy has them, of operands and of outputs."""
    i, f, d = np.arange(3), np.arange(3, dtype="f4"), np.arange(3.0)
    calls = [
        (ng.add, np.add, (i, i)),
        (ng.add, np.add, (i, d)),
        (ng.add, np.add, (f, d)),
        (ng.add, np.add, (f, f)),
        (ng.sqrt, np.sqrt, (i,)),
        (ng.sqrt, np.sqrt, (f,)),
        (ng.less, np.less, (f, d)),
        (ng.add, np.add, (d, d, np.zeros(3, "f4"))),
        (ng.add, np.add, (d, d, np.zeros(3, int))),
    ]
    for mine, numpys, operands in calls:
        try:
            wanted = numpys(*operands, casting=casting)
        except TypeError:
            with pytest.raises(TypeError, match="cast"):
                mine(*operands, casting=casting)
            continue
        np.testing.assert_array_equal(mine(*operands, casting=casting), wanted)
    if casting in ("no", "equiv"):
        with pytest.raises(TypeError, match="Cannot cast"):
            np.add(ng.array(f), d, casting=casting)
    with pytest.raises(ValueError, match="casting='never'"):
        ng.add(i, i, casting="never")


# refusals ---------------------------------------------------------------------------------------

BAD = {
    "shapes": (lambda: blend(np.ones(3), np.ones(4)), ShapeError, r"blend: .*x\(3,\), y\(4,\)"),
    "out shape": (lambda: blend(np.ones(3), out=np.ones(4)), ShapeError, r"out has shape \(4,\)"),
    "array for a parameter": (lambda: blend(X, rate=X), ArgumentError, r"'rate' is an array.*operand"),
    "list for a parameter": (lambda: blend(X, rate=[1.0]), ArgumentError, "'rate' is an array"),
    "unexpected keyword argument": (lambda: blend(X, rat=1), ArgumentError, r"'rat'.*rate, shift"),
    "missing operand": (lambda: blend(), ArgumentError, r"operand 'x' is missing.*blend\(x, y=0.5"),
    "too many operands": (lambda: blend(X, X, OUT, X), ArgumentError, "takes 2 operand"),
    "operand twice": (lambda: blend(X, x=X), ArgumentError, "'x' is given twice"),
    "longdouble": (lambda: blend(X.astype("longdouble")), TypeError, "is not supported"),
    "objects": (lambda: blend(np.array([1, None])), TypeError, r"'x'.*object"),
    "strings": (lambda: blend("text"), TypeError, "'x' is 'text'; give numbers"),
    "ragged": (lambda: blend([[1], [1, 2]]), TypeError, "'x' is ragged"),
    "out is not an array": (lambda: blend(X, out=[1.0] * 9), TypeError, "out must be an array, not list"),
    "too many outs": (lambda: blend(X, out=(OUT, OUT)), ArgumentError, "out has 2"),
    "derivative of what": (lambda: blend.derivative("z"), ArgumentError, "choose one of x, y, rate, shift"),
    "derivative order": (lambda: blend.derivative("x", order=0), ValueError, "order must be 1 or more"),
    "prefer": (lambda: ng.op(prefer="speed")(lambda x: x), ArgumentError, "'memory' or 'accuracy'"),
}  # fmt: skip


@pytest.mark.parametrize("name", BAD)
def test_errors_name_what_is_wrong(name):
    call, kind, message = BAD[name]
    for _ in range(4):  # calls that recur take a shorter way, which must refuse the same
        blend(X, X)
    with pytest.raises(kind, match=message):
        call()
    with ng.config(compiler="python"), pytest.raises(kind):
        call()


def test_the_short_way_takes_nothing_that_does_not_fit():
    """After calls that recur: other counts, dtypes, layouts, None among outputs, overlap."""
    r, phi = np.ones(9), X
    for _ in range(4):
        x, y = polar(r, phi)
    a = np.empty(9)
    got = polar(r, phi, out=(a, None))
    assert got[0] is a
    np.testing.assert_array_equal(got[1], y)
    with pytest.raises(ArgumentError):
        polar(r, phi, a, out=a)
    np.testing.assert_array_equal(polar(r[::2], phi[::2])[1], y[::2])
    np.testing.assert_array_equal(polar(r.astype("f4"), phi)[1], y)
    np.testing.assert_array_equal(polar(r, phi.astype("f4"))[1], polar(r, phi.astype("f4"))[1])
    np.testing.assert_array_equal(polar(r, phi[:1])[0], np.full(9, x[0]))
    np.testing.assert_array_equal(polar(r[:, None], phi)[0], np.tile(x, (9, 1)))
    assert polar(r.view(Metres), phi)[0].__class__ is Metres
    memory = np.linspace(-2, 2, 19)
    for _ in range(4):
        half(memory)
    wanted = 0.5 * memory[:9]
    half(memory[:9], out=memory[1:10])
    np.testing.assert_array_equal(memory[1:10], wanted)
    with pytest.raises(ShapeError):
        half(np.ones(4), out=np.ones(5))
    frozen = np.ones(4)
    frozen.flags.writeable = False
    with pytest.raises(ValueError, match="read-only"):
        half(np.ones(4), out=frozen)
    with ng.config(compiler="python"):
        np.testing.assert_array_equal(half(memory), 0.5 * memory)


def test_read_only_out():
    out = np.zeros(9)
    out.flags.writeable = False
    with pytest.raises(ValueError, match=r"output array 0 is read-only"):
        blend(X, out=out)
    np.testing.assert_array_equal(out, 0)


# others' classes --------------------------------------------------------------------------------


class Logs:
    def __init__(self):
        self.seen = []

    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        self.seen.append((ufunc, method, inputs, kwargs))
        return "carried out"


class Declines:
    def __array_ufunc__(self, ufunc, method, *inputs, **kwargs):
        return NotImplemented


class LogsBetter(Logs):
    pass


def test_other_classes_are_asked():
    other = Logs()
    assert blend(X, other, rate=3.0) == "carried out"
    ((ufunc, method, inputs, kwargs),) = other.seen
    assert ufunc is blend
    assert (method, kwargs) == ("__call__", {"rate": 3.0})
    assert inputs[0] is X
    assert blend.reduce(other) == blend.accumulate(other) == blend.outer(X, other) == "carried out"
    assert [entry[1] for entry in other.seen[1:]] == ["reduce", "accumulate", "outer"]
    out = Logs()
    assert blend(X, out=out) == "carried out"
    assert out.seen[0][3]["out"] == (out,)


def test_subclasses_are_asked_first_and_refusals_are_errors():
    first, second = Logs(), LogsBetter()
    assert blend(first, second) == "carried out"
    assert second.seen
    assert not first.seen
    assert blend(Declines(), first) == "carried out"
    with pytest.raises(TypeError, match="'Declines'.*NotImplemented"):
        blend(X, Declines())

    class Forbids:
        __array_ufunc__ = None

    with pytest.raises(TypeError, match="'Forbids' does not support operators"):
        blend(X, Forbids())


def test_array_subclasses_and_masks():
    metres = X.view(Metres)
    assert type(blend(metres)) is type(np.negative(metres)) is Metres
    assert type(blend(metres, out=np.empty(9))) is np.ndarray
    masked = np.ma.masked_array(X, mask=X > 0)
    got = blend(masked)
    np.testing.assert_array_equal(got.mask, masked.mask)
    np.testing.assert_array_equal(got.filled(-9), (masked * 2 + 0.5).filled(-9))


def test_torch_like_arrays_are_told_what_to_do():
    kind = type("Tensor", (), {"__module__": "torch"})
    with pytest.raises(TypeError, match="from_dlpack"):
        blend(kind())


# what it is -------------------------------------------------------------------------------------


def test_names_signature_and_types():
    assert (blend.nin, blend.nout, blend.nargs) == (2, 1, 3)
    assert (polar.nin, polar.nout) == (2, 2)
    assert blend.__name__ == blend.__qualname__ == "blend"
    assert blend.__module__ == __name__
    assert blend.__doc__.startswith("x and y, mixed.")
    assert str(inspect.signature(blend)) == "(x, y=0.5, *, rate=2.0, shift=0.0)"
    assert inspect.unwrap(blend).__code__.co_name == "blend"
    assert {"ff->f", "dd->d", "ll->d"} <= set(blend.types)
    assert "dd->dd" in polar.types
    assert ng.op(lambda a, b: a & b).types == ["??->?", "bb->b", "BB->B", "hh->h", "HH->H", "ii->i",
                                               "II->I", "ll->l", "LL->L"]  # fmt: skip
    assert repr(blend) == "<op blend(x, y=0.5, *, rate=2.0, shift=0.0)>"
    assert ng.op(name="named")(lambda x: x).__name__ == "named"
    assert ng.op(blend) is blend
    assert blend.derivative("x").__signature__ == blend.__signature__
    assert blend.derivative(0) is blend.derivative("x")


def test_identities():
    """Those of NumPy's ufuncs of the same name; of others what is set."""
    for name in "add multiply logical_and logical_or bitwise_and hypot logaddexp maximum".split():
        assert getattr(ng, name).identity == getattr(np, name).identity
    own = ng.op(lambda x, y: x + y)
    assert own.identity is None
    with pytest.raises(ValueError, match="no identity"):
        own.reduce([])
    own.identity = 0
    assert own.reduce([]) == ng.add.reduce([]) == 0
    assert ng.multiply.reduce(np.ones((2, 0)), axis=1).tolist() == [1, 1]
    assert ng.add.reduce(X, where=X > 0) == pytest.approx(X[X > 0].sum())
    assert ng.add.ntypes == len(ng.add.types)


def test_derivative_with_respect_to_a_parameter():
    np.testing.assert_array_equal(blend.derivative("rate")(X), X)


def test_an_operator_inside_operators():
    twice = ng.op(lambda x: half(half(x)) + blend(x, rate=1.0))
    np.testing.assert_array_equal(twice(X), 0.25 * X + X + 0.5)
    np.testing.assert_allclose(twice.derivative(0)(X), 1.25)
    both = ng.op(lambda r: polar(r, 0.5)[0] + polar(r, 0.5)[1])
    np.testing.assert_allclose(both(X), X * (math.cos(0.5) + math.sin(0.5)))


def test_an_operator_inside_the_users_own_njit_code():
    @njit
    def total(a):
        s = 0.0
        for v in a:
            s += half(v)
        return s

    assert total(X + 1) == pytest.approx(0.5 * (X + 1).sum())


LOADER = """
import pickle, sys
import numpy as np
op, slope = pickle.load(open(sys.argv[1], "rb"))
assert not any("test_protocol" in name for name in sys.modules)
print(op(np.arange(3.0), rate=3.0).tolist(), slope(np.arange(3.0)).tolist(), op.__name__)
"""


def test_operators_of_the_library_are_pickled_by_name():
    assert pickle.loads(pickle.dumps(ng.exp)) is ng.exp
    again = pickle.loads(pickle.dumps(ng.exp.derivative()))
    assert again(0.5) == ng.exp(0.5)


def test_pickled_by_content(tmp_path):
    """Loaded by a process that does not have the defining module."""
    path = tmp_path / "operator.pickle"
    path.write_bytes(pickle.dumps((blend, blend.derivative("x"))))
    script = tmp_path / "load.py"
    script.write_text(LOADER)
    assert run_python(script, path).strip() == "[0.5, 3.5, 6.5] [2.0, 2.0, 2.0] blend"
    assert pickle.loads(pickle.dumps(polar))(1.0, 0.0) == (1.0, 0.0)


def test_an_integer_parameter_that_does_not_fit_is_refused():
    op = ng.op(lambda a, *, n=3: a + n)
    assert op(np.int8([1]))[0] == 4
    with pytest.raises(OverflowError, match="n=300 is out of bounds for int8"):
        op(np.int8([1]), n=300)
