"""Masks, units and labels beside NDArrays: their classes carry the call out, or it is refused."""

import operator

import numpy as np
import pytest

import nbgraph as ng

V = np.array([1.0, 2.0, 3.0])
mine = ng.op(lambda x, y: x * y + 1)


class Labelled:
    """A class that carries ufuncs out with its labels, as pandas and xarray do; it knows NumPy."""

    def __init__(self, values):
        self.values = values

    def __array__(self, dtype=None, copy=None):
        return self.values

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        plain = [v.values if isinstance(v, Labelled) else v for v in inputs]
        if any(isinstance(v, ng.NDArray) for v in plain):
            return NotImplemented
        return Labelled(getattr(ufunc, method)(*plain, **options))

    def __radd__(self, other):
        return np.add(other, self)

    def __rmul__(self, other):
        return np.multiply(other, self)


class Unit(np.ndarray):
    """A subclass that keeps a unit, and knows NumPy's ufuncs alone, as astropy's."""

    def __array_ufunc__(self, ufunc, method, *inputs, **options):
        if not isinstance(ufunc, np.ufunc):
            raise TypeError(f"unknown ufunc {ufunc.__name__}")
        plain = [v.view(np.ndarray) if isinstance(v, Unit) else v for v in inputs]
        if any(isinstance(v, ng.NDArray) for v in plain):
            return NotImplemented
        return getattr(ufunc, method)(*plain, **options).view(Unit)


FOREIGN = {
    "labels": (Labelled(V), lambda actual: actual.values),
    "units": (V.view(Unit), np.asarray),
    "masks": (np.ma.array(V, mask=[0, 1, 0]), lambda actual: actual.data),
}
USES = {
    "a + o": (operator.add, V + V),
    "a * o": (operator.mul, V * V),
    "np.add": (np.add, V + V),
    "np.add swapped": (lambda a, o: np.add(o, a), V + V),
    "ng.add": (ng.add, V + V),
    "ng.multiply swapped": (lambda a, o: ng.multiply(o, a), V * V),
    "a += o": (operator.iadd, V + V),
}


@pytest.mark.parametrize("kind", FOREIGN)
@pytest.mark.parametrize("use", USES)
def test_their_class_carries_the_call_out(kind, use):
    other, values = FOREIGN[kind]
    function, wanted = USES[use]
    actual = function(ng.array(V, "float64"), other)
    assert type(actual) is type(other)
    if kind == "masks":
        assert actual.mask.tolist() == [False, True, False]
        actual, wanted = actual.filled(0), np.where([1, 0, 1], wanted, 0)
        np.testing.assert_array_equal(actual, wanted)
    else:
        np.testing.assert_array_equal(values(actual), wanted)


def test_operators_of_users_are_given_to_them():
    a = ng.array(V, "float64")
    assert type(mine(a, FOREIGN["labels"][0])) is Labelled
    assert mine(a, FOREIGN["masks"][0]).mask.tolist() == [False, True, False]
    with pytest.raises(TypeError, match="unknown ufunc"):
        mine(a, V.view(Unit))
    assert type(ng.sqrt(V.view(Unit))) is Unit  # it knows NumPy's
    with pytest.raises(TypeError, match="leave out= away"):
        ng.add(a, FOREIGN["masks"][0], out=ng.zeros(3))


@pytest.mark.parametrize("kind", ["units", "masks"])
def test_what_would_be_lost_is_refused(kind):
    other = FOREIGN[kind][0]
    for use in (ng.sum, ng.cumsum, lambda o: ng.matmul(ng.array(V), o)):
        with pytest.raises(TypeError):
            use(other)
    with pytest.raises(TypeError, match=r"mask or unit would be lost"):
        ng.sum(other)
    with pytest.raises(TypeError, match="no implementation found"):
        np.concatenate([ng.array(V), other])


@pytest.mark.parametrize("key", [[2, 0], [True, False, True]])
def test_an_index_with_labels_selects(key):
    a, other, wanted = ng.array(V, "float64"), Labelled(np.array(key)), V.copy()
    np.testing.assert_array_equal(a[other].asnumpy(), V[key])
    a[other] = wanted[key] = 7.0
    np.testing.assert_array_equal(a.asnumpy(), wanted)
    with pytest.raises(IndexError, match="an index array of dtype float64"):
        a[Labelled(V)]


def test_subclasses_that_keep_nothing_take_part():
    a = ng.array(V, "float64")
    for kind in (type("Plain", (np.ndarray,), {}), np.memmap):
        assert isinstance(a + V.view(kind), ng.NDArray)


def test_variables_of_xarray():
    """`other.variable` is xarray's in its own code, and the engine's in all other."""
    scope = {"__name__": "xarray.core.arithmetic"}
    exec("def look(other): return getattr(other, 'variable', other)", scope)
    a = ng.array(V)
    assert scope["look"](a) is a
    assert a.variable is a[:1].variable


def test_the_classes_themselves():
    a = ng.array(V, "float64")
    pd = pytest.importorskip("pandas")
    xr = pytest.importorskip("xarray")
    for other in (
        pd.Series(V, index=list("abc")),
        xr.DataArray(V, dims="t", coords={"t": [5, 6, 7]}),
        xr.Dataset({"a": ("t", V)}),
    ):
        for actual in (a + other, other + a, np.add(a, other), ng.add(a, other), mine(a, other)):
            assert type(actual) is type(other)


@pytest.mark.parametrize("use", [operator.add, operator.sub, operator.lt, operator.eq])
def test_frames_and_columns_of_pandas(use):
    pd = pytest.importorskip("pandas")
    values = np.arange(1.0, 7).reshape(2, 3)
    a, frame = ng.array(values), pd.DataFrame(values, index=[5, 6], columns=list("abc"))
    pd.testing.assert_frame_equal(use(frame, a), use(frame, values))
    pd.testing.assert_frame_equal(use(a, frame), use(values, frame))
    pd.testing.assert_frame_equal(a.T @ frame, values.T @ frame)
    column = frame["b"].copy()
    pd.testing.assert_series_equal(use(a[:, 0], column), use(values[:, 0], column))
    for actual in (
        ng.jit(lambda x: use(column, x))(values[:, 0]),
        use(column, ng.var("x", shape=(2,), dtype="float64")).eval(x=values[:, 0])[0],
    ):
        np.testing.assert_array_equal(np.asarray(actual), use(column, values[:, 0]))
    column += a[:, 0]
    np.testing.assert_array_equal(column, values[:, 0] + values[:, 1])


@pytest.mark.parametrize("dtype", ["float64", "Int64"])
@pytest.mark.parametrize("use", [operator.add, operator.isub, operator.pow, operator.lt, divmod])
def test_numbers_beside_pandas(use, dtype):
    """Frames compute by blocks of NumPy's, which the result of an array without axes has to be."""
    pd = pytest.importorskip("pandas")
    frame, number = pd.DataFrame({"a": [1, 2, 3], "b": [4, 5, 6]}, dtype=dtype), ng.array(2)
    for make in (frame.copy, frame["b"].copy):
        actual, wanted = use(make(), number), use(make(), 2)
        for one, own in zip(*((actual, wanted) if use is divmod else ([actual], [wanted]))):
            assert type(one) is type(own) and one.equals(own)
    column = frame["a"].astype("float64")  # masked ones clip by Python's numbers alone
    pd.testing.assert_series_equal(column.clip(number, 3), column.clip(2, 3))
    pd.testing.assert_frame_equal(frame.where(frame > number), frame.where(frame > 2))


def test_units():
    a = ng.array(V, "float64")
    units = pytest.importorskip("astropy.units")
    pint = pytest.importorskip("pint").UnitRegistry()
    for length in (V * units.m, V * pint.m):
        for actual in (a * length, length * a, np.multiply(a, length), ng.multiply(a, length)):
            assert type(actual) is type(length)
        for use in (lambda o: a + o, ng.exp, ng.sum):
            with pytest.raises(Exception, match=r"(?i)dimension|unit"):
                use(length)
