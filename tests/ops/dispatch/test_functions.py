"""NumPy's functions on NDArrays, row by row of the tables, against NumPy."""

import io

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.ops.carrier.ufuncs import operator_for
from nbgraph.ops.dispatch.hosted import CREATION
from nbgraph.ops.dispatch.table import functions
from tests.ops.dispatch.calls import ARRAYS, CALLS, COMPLEX, FILES, WRITERS

ROWS = functions("numpy")
TEXTS = [(name, text.strip()) for name, row in CALLS.items() for text in row.split(";")]
NDARRAYS = {name: ng.array(value) for name, value in ARRAYS.items()}
_KINDS = "ours", "composed", "kept", "host", "values", "layout", "refused"


def evaluated(text, arrays):
    return eval(text, {"np": np}, dict(arrays))


def agree(found, wanted, text):
    """Values, dtype, shape, and NDArrays where NumPy has arrays or its scalars."""
    if isinstance(wanted, (tuple, list)):
        assert type(found) is type(wanted) and len(found) == len(wanted), text
        for f, w in zip(found, wanted, strict=True):
            agree(f, w, text)
    elif isinstance(wanted, (np.ndarray, np.number)) or type(wanted) is np.bool:
        assert isinstance(found, ng.NDArray), (text, type(found))
        assert (found.shape, found.dtype) == (wanted.shape, wanted.dtype), text
        exact = wanted.dtype.kind in "iub"
        rtol = 0 if exact else 3e-6 if wanted.dtype == "float32" else 1e-11
        values = found.asnumpy()
        np.testing.assert_allclose(values, wanted, rtol, 0 if exact else 1e-13, err_msg=text)
    else:
        assert type(found) is type(wanted) and found == wanted, text


@pytest.mark.everyday(1 / 2)
@pytest.mark.parametrize(("name", "text"), TEXTS, ids=[t for _, t in TEXTS])
def test_a_function_of_numpy_is_that_of_ndarrays(name, text):
    with np.errstate(all="ignore"):
        wanted = evaluated(text, ARRAYS)
    agree(evaluated(text, NDARRAYS), wanted, text)


@pytest.mark.parametrize("text", [t.strip() for t in COMPLEX.split(";") if t.strip()])
def test_complex_numbers(text):
    agree(evaluated(text, NDARRAYS), evaluated(text, ARRAYS), text)


def test_every_function_that_others_may_define_has_a_row():
    offered = {f.__name__ for f in vars(np).values() if hasattr(f, "_implementation")}
    like = {n for n, f in vars(np).items() if "like=None" in str(getattr(f, "__doc__", ""))}
    ufuncs = [f for f in vars(np).values() if isinstance(f, np.ufunc)]
    without = {f.__name__ for f in ufuncs if operator_for(f) is None}
    assert offered | like | without <= set(ROWS)
    assert all(row.how in _KINDS for row in ROWS.values())


def test_every_row_is_called():
    refused = {name for name, row in ROWS.items() if row.how == "refused"}
    assert set(ROWS) == set(CALLS) | refused | CREATION | set(WRITERS) | set(FILES) | {
        "sort_complex"
    }
    assert all(name in text for name, text in TEXTS)


DERIVED = [(n, CALLS[n].split(";")[0]) for n in CALLS if ROWS[n].gradient == "derived"]


@pytest.mark.parametrize(("name", "text"), DERIVED, ids=[name for name, _ in DERIVED])
def test_gradients(name, text):
    """Against central differences of NumPy's own function, for each array of floats."""
    words = set(text.replace("(", " ").replace("[", " ").replace(",", " ").split())
    words |= {w.strip(")]").split("[")[0].split(".")[0] for w in words}
    for place in sorted(words & set(ARRAYS)):
        x = ARRAYS[place]
        if x.dtype != "float64" or np.isnan(x).all() or "astype" in text:
            continue
        finite = np.isfinite(x)
        found = ng.grad(lambda a: total(evaluated(text, {**NDARRAYS, place: a})))(ng.array(x))
        wanted = np.zeros(x.shape)
        for at in zip(*finite.nonzero(), strict=True):
            step = np.zeros(x.shape)
            step[at] = 1e-6
            low, high = (total(evaluated(text, {**ARRAYS, place: x + d})) for d in (-step, step))
            wanted[at] = (high - low) / 2e-6
        np.testing.assert_allclose(
            found.asnumpy()[finite], wanted[finite], 1e-5, 1e-7, err_msg=text
        )


def total(found):
    """The sum of all elements, each with a weight of its own; NaN and infinity count nothing."""
    parts = found if isinstance(found, (tuple, list)) else [found]
    sums = []
    for part in parts:
        if not isinstance(part, ng.NDArray):
            part = np.asarray(part)
        weights = np.cos(np.arange(part.size)).reshape(part.shape)
        sums.append((part * weights).sum())
    return sum(sums[1:], sums[0])


@pytest.mark.parametrize("name", [n for n in CALLS if ROWS[n].gradient == "refused"])
def test_a_gradient_that_would_be_lost_is_refused(name):
    text = CALLS[name].split(";")[0]
    real = {k: v for k, v in ARRAYS.items() if v.dtype.kind != "c"}
    arrays = {k: ng.array(v, "float64") for k, v in real.items()}
    for a in arrays.values():
        a.attach_grad()
    with ng.autograd.record(), pytest.raises(TypeError, match=r"no gradient flows through it"):
        evaluated(text, arrays)


WRITES = [
    "np.copyto(a, p[:, None])",
    "np.copyto(a, 7, where=a > 0)",
    "np.copyto(a, y, where=b)",
    "np.fill_diagonal(a, 5)",
    "np.fill_diagonal(a, p, wrap=True)",
    "np.place(a, b, [1.0, 2.0])",
    "np.put(a, [0, 5, 0, -1], [9.0, 8.0, 7.0])",
    "np.put(a, n + 20, v, mode='wrap')",
    "np.put(a, [3, 4], 2.5)",
    "np.putmask(a, a < 0, p)",
    "np.put_along_axis(a, np.array([[0], [2], [1]]), 3.0, axis=1)",
    "np.put_along_axis(a, np.array([[0, 1, 1, 2]]), v[:4], axis=0)",
    "np.put_along_axis(a, np.array([0, 7]), p[:2], axis=None)",
    "np.put_along_axis(a, np.array([[0]]), 3.0, axis=0)",
    "np.nan_to_num(a, copy=False)",
    "np.sum(a, axis=0, out=a[0])",
    "np.median(a, axis=0, out=a[1])",
    "np.clip(a, 0, None, out=a)",
    "np.round(a, 1, out=a)",
]


@pytest.mark.parametrize("text", WRITES)
def test_functions_that_write(text):
    """To NDArrays, seen through views; to NumPy arrays they write values."""
    x, a = ARRAYS["x"].copy(), ng.array(ARRAYS["x"])
    row = a[1]
    evaluated(text, {**ARRAYS, "a": x})
    evaluated(text, {**NDARRAYS, "a": a})
    np.testing.assert_allclose(a.asnumpy(), x, 1e-12)
    np.testing.assert_allclose(row.asnumpy(), x[1], 1e-12)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_covariances_of_too_few_numbers():
    for text in ("np.cov(v[:0])", "np.cov(x, ddof=7)", "np.cov(x[:, :1])", "np.cov(x, ddof=4)"):
        agree(evaluated(text, NDARRAYS), evaluated(text, ARRAYS), text)


def test_a_number_of_decimals_may_be_numpys():
    assert ng.ones(2, "float32").round(np.int64(1)).dtype == np.float32


def test_what_numpy_refuses():
    v, n = NDARRAYS["v"], NDARRAYS["n"]
    for use, text in (
        (lambda: np.ediff1d(n, to_end=np.nan), "int64 holds no float64"),
        (lambda: np.ediff1d(n, to_begin=v[:2]), "int64 holds no float64"),
        (lambda: np.put_along_axis(v.copy(), np.array([[0]]), 1, axis=None), "have 2 axes"),
        (lambda: np.trim_zeros(v, "front"), "trim='front'"),
        (lambda: np.einsum(v, [-1]), "number them from 0"),
        (lambda: np.diag(NDARRAYS["c"]), r"shape \(2, 3, 4\); give a vector or a matrix"),
        (lambda: np.delete(v, [True, False]), "match the axis length of 5"),
        (lambda: np.clip(v, 0, 1, axis=0), "'axis'"),
        (lambda: np.split(v, 1.5), "sections=1.5 is not a whole number"),
        (lambda: np.split(v, [1.5]), "as an integer"),
        (lambda: np.around(v, 1.5), "as an integer"),
        (lambda: np.bincount(v, v), "according to the rule 'safe'"),
        (lambda: np.copyto(n.copy(), 1.5), "casting='same_kind'"),
        (lambda: np.fill_diagonal(NDARRAYS["s"].copy(), []), "no values to write"),
        (lambda: np.abs(v, where=np.ones(7, bool)), "do not broadcast"),
        (lambda: np.ix_(NDARRAYS["x"]), r"args\[0\] has shape \(3, 4\)"),
    ):
        with pytest.raises((TypeError, ValueError), match=text):
            use()


AXES = """
np.gradient(a, axis=2); np.rot90(a, axes=(0, 3)); np.rot90(a, axes=(0, -2)); np.rollaxis(a, 2)
np.rollaxis(a, 0, 4); np.insert(a, 0, 1, axis=2); np.delete(a, 0, axis=-3); np.trim_zeros(a, axis=2)
np.put_along_axis(a, a.astype(int), 1, axis=2); np.add.reduceat(a, [0], axis=2)
""".replace("\n", ";")


@pytest.mark.parametrize("text", [t.strip() for t in AXES.split(";") if t.strip()])
def test_an_axis_that_is_not_there_is_refused_as_by_numpy(text):
    raised = ValueError if "-2" in text or "rot90" in text else np.exceptions.AxisError
    for zeros in (np.zeros, ng.zeros):
        with pytest.raises(raised):
            evaluated(text, {"a": zeros((2, 3))})


def test_numpy_arrays_are_written_with_the_values_of_ndarrays():
    x, y = np.zeros((2, 2)), np.zeros((2, 2))
    np.copyto(x, ng.array([1.0, 2.0]))
    np.copyto(y, [1.0, 2.0])
    np.fill_diagonal(x, ng.array(7.0))
    np.fill_diagonal(y, 7.0)
    np.testing.assert_array_equal(x, y)
    with pytest.raises(TypeError, match="casting='same_kind'"):
        np.copyto(ng.zeros(3, "int32"), ng.ones(3))


def test_files_hold_the_values():
    x = np.arange(6.0).reshape(2, 3)
    for write in (np.save, np.savez, np.savez_compressed, np.savetxt):
        mine, wanted = io.BytesIO(), io.BytesIO()
        write(mine, ng.array(x, "float64"))
        write(wanted, x)
        assert len(mine.getvalue()) == len(wanted.getvalue())


def test_arrays_are_made_in_the_likeness_of_another():
    like = ng.zeros(2)
    for found, wanted in (
        (np.zeros(3, like=like), np.zeros(3)),
        (np.full((2,), 3, like=like), np.full((2,), 3)),
        (np.arange(4, like=like), np.arange(4)),
        (np.eye(2, like=like), np.eye(2)),
        (np.asarray([1, 2], like=like), np.asarray([1, 2])),
        (np.fromiter(range(3), int, like=like), np.arange(3)),
    ):
        agree(found, wanted, "like")
    assert np.asarray(like, like=like) is like


def test_what_is_refused_says_what_to_do():
    x = ng.ones((2, 3))
    for use, text in (
        (lambda: np.is_busday(x), "dates and times"),
        (lambda: np.sort(x, order="name"), "order='name'"),
        (lambda: np.pad(x, 1, mode="mean"), "mode='mean'"),
        (lambda: np.concatenate([x, x], dtype="int8", casting="safe"), "casting='safe'"),
    ):
        with pytest.raises(TypeError, match=text):
            use()
    with pytest.raises(ValueError, match=r"where= needs initial="):
        np.max(x, where=x > 0)


def test_symbols_and_traces_compose():
    """What is composed of operators needs no values: in graphs, too."""
    x = ARRAYS["x"].astype("float32")
    for f in (np.median, np.cov, lambda a: np.gradient(a, axis=0), lambda a: np.clip(a, None, 1)):
        np.testing.assert_allclose(ng.jit(f)(ng.array(x)).asnumpy(), f(x), 2e-6)
    s = ng.var("s", shape=(3, 4))
    assert np.quantile(s, [0.1, 0.2], axis=1).infer_shape()[1] == [(2, 3)]
    assert np.digitize(s, [1.0, 2.0]).infer_shape()[1] == [(3, 4)]
    for edges in (np.array([0.5, 1.0, 2.0]), np.array([2.0, 1.0, 0.5])):
        numbers = ng.jit(lambda a, b: np.digitize(a, b, right=True))(x, edges)
        np.testing.assert_array_equal(numbers, np.digitize(x, edges, right=True))
    with pytest.raises(TypeError, match="nanargmax"):
        np.nanargmax(s)


@pytest.mark.parametrize("name", sorted(set(functions("numpy")) & set(dir(np)) - {"shape"}))
def test_a_function_of_numpy_is_found_in_the_package(name):
    """What ng has no operator for is NumPy's own function, which asks its operands."""
    assert callable(getattr(ng, name))


def test_a_function_of_numpy_in_the_package_computes_where_its_operands_are():
    x = np.arange(6.0).reshape(2, 3)
    assert isinstance(ng.median(ng.array(x), axis=1), ng.NDArray)
    assert isinstance(ng.median(x), np.float64)
    lower = ng.array(x)[ng.tril_indices(2)]
    assert isinstance(lower, ng.NDArray)
    assert lower.tolist() == x[np.tril_indices(2)].tolist()
    assert ng.jit(lambda v: ng.nanmean(v * 2))(ng.array(x)).item() == 5.0
    assert ng.grad(ng.median)(ng.array([1.0, 5.0, 2.0])).tolist() == [0.0, 0.0, 1.0]


def test_bfloat16_is_a_dtype_of_floats():
    """NaN are skipped, the dtype stays, and gradients flow: its `kind` is not "f"."""
    x = ng.array([[1.0, np.nan, 3.0, 4.0], [2.0, 5.0, -7.0, 1.0]], dtype="bfloat16")
    for f, wanted in ((ng.nanmedian, [3, 1.5]), (ng.median, [np.nan, 1.5])):
        medians = f(x, axis=-1)
        assert medians.dtype == x.dtype
        np.testing.assert_array_equal(medians.asnumpy().astype(float), wanted)
    slope = ng.grad(lambda v: ng.convolve(v, x[1, :2]).sum())(x[1])
    assert slope.dtype == x.dtype and slope.tolist() == [7, 7, 7, 7]
