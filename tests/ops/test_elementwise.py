"""Every elementwise operator of the library against NumPy: values, dtypes, layouts, slopes.

Everyday most operators are compiled once, for a dtype that the name chooses, while result dtypes
and slopes are tried for all; with --full every operator meets every dtype, layout and request.
Proves SMP-01, MFU-06 and OPR-10 for the library, MND-20 for its result dtypes.
"""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import ops
from nbgraph.errors import DerivativeError
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.operator.scalar.typing import resolve
from tests.ops import elementwise as table

every_op = pytest.mark.parametrize("name", table.NAMES)


def outputs(result):
    return result if isinstance(result, tuple) else (result,)


def ordered(values):
    """Floating values as integers in order: their differences are units in the last place."""
    bits = values.view(f"i{values.itemsize}").astype(object)
    return np.where(bits < 0, -(bits + (1 << (8 * values.itemsize - 1))), bits)


def assert_same(name, got, wanted, arrays, units):
    """Equal dtype and values; floats within `units`, NaN for NaN, zeros of the same sign."""
    assert got.dtype == wanted.dtype, (name, got.dtype, wanted.dtype)
    assert got.shape == wanted.shape
    if got.dtype.kind != "f":
        bad = got != wanted
    else:
        nan = np.isnan(wanted)
        off = np.where(nan, 0, ordered(got) - ordered(wanted))
        bad = (np.isnan(got) != nan) | (np.abs(off) > units)
        if name in table.ABSOLUTE:
            with np.errstate(invalid="ignore"):
                near = np.abs(got.astype("d") - wanted.astype("d"))
                bad &= ~(near <= table.ABSOLUTE[name] * np.finfo(got.dtype).eps)
        if name not in table.OPEN_ZERO:
            bad |= ~nan & (wanted == 0) & (got == 0) & (np.signbit(got) != np.signbit(wanted))
    wrong = [(*(a[i] for a in arrays), got[i], wanted[i]) for i in np.flatnonzero(bad)[:3]]
    assert not wrong, (name, wrong)


def check_values(name, dtype):
    op, arrays = getattr(ops, name), table.operands(name, dtype)
    try:
        wanted = table.expected(name, arrays)
    except TypeError:
        with pytest.raises(TypeError):
            op(*arrays)
        return
    with np.errstate(all="ignore"):
        got = outputs(op(*arrays))
    assert len(got) == len(wanted)
    for a, b in zip(got, wanted, strict=True):
        if name in table.WRITTEN:
            with np.errstate(over="ignore"):
                b = b.astype(a.dtype)
        assert_same(name, a, b, arrays, table.bound(name))


@pytest.mark.parametrize("name", table.EVERYDAY)
def test_values(name):
    """Extremes, zeros, NaN and infinities, as NumPy."""
    check_values(name, table.everyday_dtype(name))


@pytest.mark.slow
@every_op
@pytest.mark.parametrize("dtype", table.DTYPES)
def test_values_of_every_dtype(name, dtype):
    """The whole product."""
    if name in table.WRITTEN and np.dtype(dtype).kind != "f":
        pytest.skip("NumPy says nothing about it")
    check_values(name, dtype)


# dtypes -----------------------------------------------------------------------------------------

NUMPY_NAMES = [n for n in table.NAMES if n not in table.WRITTEN and n not in ("clip", "round")]


def inferred(op, dtypes):
    common = np.result_type(*dtypes)
    parameters = {p.name: p.default for p in op.scalar.parameters}
    return resolve(op.scalar, dtypes, common, parameters).outputs


def numpy_result(name, dtypes):
    with np.errstate(all="ignore"):
        result = getattr(np, name)(*[np.ones(1, d) for d in dtypes])
    return tuple(part.dtype for part in outputs(result))


@pytest.mark.parametrize("name", NUMPY_NAMES)
def test_result_dtypes(name):
    """NEP 50 for every dtype and every pair of dtypes; what NumPy refuses is refused."""
    op = getattr(ops, name)
    dtypes = [np.dtype(d) for d in table.DTYPES]
    cases = list(itertools.product(dtypes, repeat=min(op.nin, 2)))
    for case in cases:
        if op.nin == 3:
            case = (np.dtype(bool), *case)
        try:
            wanted = numpy_result(name, case)
        except TypeError:
            with pytest.raises(TypeError):
                inferred(op, case)
        else:
            assert inferred(op, case) == wanted, (name, case)


def test_python_numbers_are_weak():
    """NEP 50: a Python number takes the array's dtype; a list is an array of its own."""
    x = np.array([1, 2], np.int8)
    assert ops.add(x, 1).dtype == np.int8
    assert ops.add(x, 1.5).dtype == (x + 1.5).dtype
    assert ops.maximum(np.float32([1]), 2).dtype == np.float32
    assert ops.exp([0, 1]).dtype == np.float64
    with pytest.raises(OverflowError, match="300"):
        ops.add(x, 300)
    np.testing.assert_array_equal(ops.less(x, 300), [True, True])
    np.testing.assert_array_equal(ops.greater(np.uint64([1, 2**63]), -1), [True, True])


# layouts ----------------------------------------------------------------------------------------


def arranged(array, layout):
    """The same values in another layout."""
    if layout == "strided":
        wide = np.empty((*array.shape, 2), array.dtype)
        wide[..., 0] = array
        return wide[..., 0]
    if layout == "reversed":
        return array[::-1].copy()[::-1]
    return np.asfortranarray(array)


def check_layouts(name, dtype):
    op = getattr(ops, name)
    rng = np.random.default_rng(7)
    rows = [np.array(rng.integers(1, 3, (4, 6)), dtype) for _ in range(op.nin)]
    plain = outputs(op(*rows))
    for layout in ("strided", "reversed", "fortran"):
        for a, b in zip(outputs(op(*[arranged(r, layout) for r in rows])), plain, strict=True):
            np.testing.assert_array_equal(a, b)
    for a, b in zip(outputs(op(rows[0], *[r[:1] for r in rows[1:]])),
                    outputs(op(rows[0], *[np.repeat(r[:1], 4, 0) for r in rows[1:]])),
                    strict=True):  # fmt: skip
        np.testing.assert_array_equal(a, b)
    for a, b in zip(outputs(op(*[r[0, 0] for r in rows])), plain, strict=True):  # 0-d
        assert np.ndim(a) == 0
        np.testing.assert_array_equal(a, b[0, 0])
        assert a.dtype == b.dtype
    for a, b in zip(outputs(op(*[r[:0] for r in rows])), plain, strict=True):
        assert a.shape == (0, 6) and a.dtype == b.dtype


def layout_dtype(name):
    return "i" if name in table.INTEGER_ONLY else "f"


@pytest.mark.parametrize("family", table.FAMILIES)
def test_layouts(family):
    """Broadcasting, 0-d, empty, strided and reversed operands: one operator of each family."""
    names = [n for n in table.NAMES if table.FAMILY[n] == family]
    name = table.chosen(family, names)
    check_layouts(name, layout_dtype(name))


@st.composite
def broadcast_pairs(draw):
    """Two float64 arrays whose shapes broadcast, in any order of axes."""
    shape = draw(st.lists(st.integers(0, 3), max_size=4))
    pair = []
    for _ in range(2):
        own = [draw(st.sampled_from([1, n])) for n in shape][draw(st.integers(0, len(shape))) :]
        axes = draw(st.permutations(range(len(own))))
        values = np.arange(np.prod(own, dtype=int), dtype=np.float64).reshape(own) + 0.5
        pair.append(values.transpose(axes).copy("C").transpose(np.argsort(axes)))
    return pair


@given(broadcast_pairs())
@settings(max_examples=60)
def test_shapes_broadcast(pair):
    """Any two shapes that NumPy broadcasts, of any order of axes, sizes 0 and 1 included."""
    got, wanted = ops.subtract(*pair), np.subtract(*pair)
    assert np.shape(got) == wanted.shape
    np.testing.assert_array_equal(got, wanted)


@pytest.mark.slow
@every_op
def test_layouts_of_every_operator(name):
    check_layouts(name, layout_dtype(name))


@pytest.mark.slow
@every_op
def test_requests_of_every_operator(name):
    """OPR-10: `add` accumulates, for every operator of the library."""
    check_requests(name)


@pytest.mark.parametrize("family", table.FAMILIES)
def test_requests(family):
    """OPR-10: `add` accumulates into what is there; one operator of each family."""
    check_requests(table.chosen(family + "add", [n for n in table.NAMES
                                                 if table.FAMILY[n] == family]))  # fmt: skip


def check_requests(name):
    op = getattr(ops, name)
    rows = [np.array([1, 2, 1], layout_dtype(name))] * op.nin
    operands, plan = op.invoker.prepare(rows, op.parameters_of({}))
    plain = outputs(op(*rows))
    old = [np.ones_like(p) for p in plain]
    op.invoker.run(plan, operands, old, ["add"] * len(old))
    for a, b in zip(old, plain, strict=True):
        wanted = a | b if b.dtype == bool else np.ones_like(b) + b
        np.testing.assert_array_equal(a, wanted)


# slopes -----------------------------------------------------------------------------------------

SLOPES = [(name, i) for name in table.DIFFERENTIABLE for i in range(getattr(ops, name).nin)]


@pytest.mark.parametrize(("name", "wrt"), SLOPES)
def test_slopes(name, wrt, full):
    """Every derivative passes its certificate and equals differences of the reference."""
    op = getattr(ops, name)
    if name == "where" and wrt == 0:
        pytest.skip("a condition has no slope")
    with ng.config(compiler="auto" if full else "python"):
        got = outputs(op.derivative(wrt)(*table.points(name)))
    for a, b in zip(got, table.slope(name, wrt), strict=True):
        np.testing.assert_allclose(a, b, rtol=2e-6, atol=2e-8)


@pytest.mark.parametrize("name", sorted(table.REFUSED))
def test_what_has_no_slope_says_so(name):
    """Comparisons, bits and neighbours: refused, and the operator is named."""
    op = getattr(ops, name)
    with pytest.raises(DerivativeError, match=rf"{name}.* no derivative"):
        op.derivative(0)(*[np.ones(2)] * op.nin)


@pytest.mark.parametrize(("name", "at", "slopes"), [
    ("maximum", (2.0, 2.0), (1.0, 0.0)),
    ("minimum", (2.0, 2.0), (1.0, 0.0)),
    ("logaddexp", (2.0, 2.0), (0.5, 0.5)),
    ("logaddexp2", (-1.0, -1.0), (0.5, 0.5)),
    ("absolute", (0.0,), (0.0,)),
    ("relu", (0.0,), (0.0,)),
    ("relu6", (6.0,), (0.0,)),
    ("leaky_relu", (0.0,), (0.01,)),
    ("hypot", (0.0, 0.0), (0.0, 0.0)),
    ("sign", (0.0,), (0.0,)),
])  # fmt: skip
def test_slopes_at_kinks_are_as_documented(name, at, slopes):
    op = getattr(ops, name)
    with ng.config(compiler="python"):
        got = [float(op.derivative(i)(*map(np.float64, at))) for i in range(op.nin)]
    assert got == list(slopes)


# parameters, and what users get wrong -------------------------------------------------------------


def test_round_to_decimals():
    x = np.array([1.25, -2.675, 1234.5, np.nan, np.inf])
    for decimals in (-2, 0, 1, 3):
        np.testing.assert_array_equal(ops.round(x, decimals=decimals), np.round(x, decimals))
    whole = np.array([15, 25, -149], np.int16)
    for decimals in (-2, -1, 0, 2):
        got = ops.round(whole, decimals=decimals)
        np.testing.assert_array_equal(got, np.round(whole, decimals))
        assert got.dtype == np.int16


def test_parameters_of_activations():
    x = np.array([-1.5, 0.5])
    np.testing.assert_allclose(ops.leaky_relu(x, slope=0.2), [-0.3, 0.5])
    np.testing.assert_allclose(ops.elu(x, alpha=2.0), [2 * np.expm1(-1.5), 0.5])
    np.testing.assert_array_equal(ops.hard_tanh(x, low=-0.25, high=0.25), [-0.25, 0.25])
    inner = np.sqrt(2 / np.pi) * (x + 0.044715 * x**3)
    np.testing.assert_allclose(ops.gelu(x, approximate="tanh"), 0.5 * x * (1 + np.tanh(inner)))


def test_every_public_name_is_an_operator_with_an_example():
    """MFU-06: each name of the index is there; aliases are one object; each shows an example."""
    for names in table.FAMILIES.values():
        for name in names:
            op = getattr(ops, name)
            assert isinstance(op, Mapper), name
            assert ">>>" in op.__doc__, name
            assert getattr(ops, name) is op
    assert ops.abs is ops.absolute
    assert ops.arcsin is ops.asin
    assert ops.mod is ops.remainder


def test_every_dtype_is_chosen_by_some_operator():
    """The everyday selection leaves no dtype out."""
    assert {table.everyday_dtype(n) for n in table.EVERYDAY} >= set("fdelBhLI?b")
    assert len(table.EVERYDAY) > len(table.NAMES) // 2


def test_bad_operands_are_named():
    """Bad input: dtype, count, unknown keyword."""
    with pytest.raises(TypeError, match=r"bitwise_and.*floating"):
        ops.bitwise_and(np.ones(2), 1)
    with pytest.raises(TypeError, match=r"subtract.*bool"):
        ops.subtract(np.array([True]), np.array([False]))
    with pytest.raises(TypeError, match=r"bitwise_and.*floating"):
        ops.bitwise_and(np.array([1], np.int64), np.array([1], np.uint64))
    with pytest.raises(TypeError, match=r"add.*2 operand"):
        ops.add(1, 2, 3)
    with pytest.raises(TypeError, match=r"add.*'x2' is missing"):
        ops.add(1)
    with pytest.raises(ValueError, match=r"add"):
        ops.add(np.ones(2), np.ones(3))
    target = np.ones(2)  # not an output: the operator has a parameter by name
    with pytest.raises(TypeError, match=r"polygamma: takes 1 operand.*\(x, \*, n=1\)"):
        ops.polygamma(1, target)
    assert target.tolist() == [1, 1]
    with pytest.raises(TypeError, match=r"floor.*complex"):
        ops.floor(1j)
    with pytest.raises(TypeError, match=r"gelu"):
        ops.gelu(1.0, approximation="tanh")


@pytest.mark.parametrize("world", [np.asarray, ng.array, list], ids=["numpy", "array", "list"])
def test_limits_and_choices_that_are_left_out(world):
    """As in NumPy: one limit, none, and the places where a condition holds."""
    x = world([1.0, 5.0, 9.0])
    for limited in (ng.clip(x, None, 2), ng.clip(x, max=2), ng.clip(x, min=None, max=2)):
        assert limited.tolist() == [1, 2, 2]
    assert ng.clip(x, 3).tolist() == ng.clip(x, 3, None).tolist() == [3, 5, 9]
    assert ng.clip(x, None, None).tolist() == [1, 5, 9]
    assert ng.where(np.array([False, True, True]))[0].tolist() == [1, 2]
    with pytest.raises(ng.errors.ArgumentError, match="where: the operand 'x2' is missing"):
        ng.where(x, 1)
    assert ng.jit(lambda v: ng.clip(v, None, 2))(ng.array([1.0, 5.0])).tolist() == [1, 2]


def test_constants_and_types_of_numpy_have_its_names():
    assert ng.pi == np.pi and ng.newaxis is None and np.isnan(ng.nan)
    assert ng.zeros(2, ng.int16).dtype == np.int16
    assert "float32" not in dir(ng)


@pytest.mark.parametrize(
    ("shape", "axes"),
    [
        ((3, 70, 60), (1, 2, 0)),
        ((2, 64, 2, 48), (1, 3, 0, 2)),
        ((5, 257), (1, 0)),
        ((2, 9), (1, 0)),
    ],
)
def test_runs_of_a_few_elements_are_gone_through_along_a_longer_axis(shape, axes):
    """As of an image whose channels become its last axis."""
    x = np.random.default_rng(3).normal(size=shape).astype("float32")
    y = x.transpose(axes)
    wanted = np.ascontiguousarray(y) * np.float32(2)
    for turned in (y, ng.array(x).transpose(axes)):
        out = ng.ones(wanted.shape)
        assert np.array_equal(np.asarray(ng.multiply(turned, 2, out=out)), wanted)
        assert np.array_equal(np.asarray(ng.multiply(turned, wanted)), y * wanted)
    assert np.array_equal(ng.array(x).transpose(axes).copy().asnumpy(), y)
    assert np.array_equal(ng.jit(lambda a: a.transpose(axes) * 2)(x), wanted)
