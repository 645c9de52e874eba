"""nbgraph.xp against the Array API standard, version 2025.12: names, signatures, dtypes, use.

The public suite itself is run by scripts/conformance; here is what it does not look at.
"""

import inspect

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph import xp
from tests.support import run_python

UNARY = """
abs acos acosh asin asinh atan atanh bitwise_invert ceil conj cos cosh exp expm1 floor imag
isfinite isinf isnan log log1p log2 log10 logical_not negative positive real reciprocal round
sign signbit sin sinh square sqrt tan tanh trunc matrix_transpose nonzero unique_all
unique_counts unique_inverse unique_values
"""
BINARY = """
add atan2 bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor copysign
divide equal floor_divide greater greater_equal hypot less less_equal logaddexp logical_and
logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract
matmul
"""
OTHERS = """
arange(start, /, stop=None, step=1, *, dtype=None, device=None)
asarray(obj, /, *, dtype=None, device=None, copy=None)
empty(shape, *, dtype=None, device=None)
empty_like(x, /, *, dtype=None, device=None)
eye(n_rows, n_cols=None, /, *, k=0, dtype=None, device=None)
from_dlpack(x, /, *, device=None, copy=None)
full(shape, fill_value, *, dtype=None, device=None)
full_like(x, /, fill_value, *, dtype=None, device=None)
linspace(start, stop, /, num, *, dtype=None, device=None, endpoint=True)
meshgrid(*arrays, indexing='xy')
ones(shape, *, dtype=None, device=None)
ones_like(x, /, *, dtype=None, device=None)
tril(x, /, *, k=0)
triu(x, /, *, k=0)
zeros(shape, *, dtype=None, device=None)
zeros_like(x, /, *, dtype=None, device=None)
astype(x, dtype, /, *, copy=True, device=None)
can_cast(from_, to, /)
finfo(type, /)
iinfo(type, /)
isdtype(dtype, kind)
result_type(*arrays_and_dtypes)
clip(x, /, min=None, max=None)
take(x, indices, /, *, axis=None)
take_along_axis(x, indices, /, *, axis=-1)
tensordot(x1, x2, /, *, axes=2)
vecdot(x1, x2, /, *, axis=-1)
broadcast_arrays(*arrays)
broadcast_shapes(*shapes)
broadcast_to(x, /, shape)
concat(arrays, /, *, axis=0)
expand_dims(x, /, axis)
flip(x, /, *, axis=None)
moveaxis(x, source, destination, /)
permute_dims(x, /, axes)
repeat(x, repeats, /, *, axis=None)
reshape(x, /, shape, *, copy=None)
roll(x, /, shift, *, axis=None)
squeeze(x, /, axis)
stack(arrays, /, *, axis=0)
tile(x, repetitions, /)
unstack(x, /, *, axis=0)
argmax(x, /, *, axis=None, keepdims=False)
argmin(x, /, *, axis=None, keepdims=False)
count_nonzero(x, /, *, axis=None, keepdims=False)
isin(x1, x2, /, *, invert=False)
searchsorted(x1, x2, /, *, side='left', sorter=None)
where(condition, x1, x2, /)
argsort(x, /, *, axis=-1, descending=False, stable=True)
sort(x, /, *, axis=-1, descending=False, stable=True)
cumulative_prod(x, /, *, axis=None, dtype=None, include_initial=False)
cumulative_sum(x, /, *, axis=None, dtype=None, include_initial=False)
max(x, /, *, axis=None, keepdims=False)
mean(x, /, *, axis=None, keepdims=False)
min(x, /, *, axis=None, keepdims=False)
prod(x, /, *, axis=None, dtype=None, keepdims=False)
std(x, /, *, axis=None, correction=0.0, keepdims=False)
sum(x, /, *, axis=None, dtype=None, keepdims=False)
var(x, /, *, axis=None, correction=0.0, keepdims=False)
all(x, /, *, axis=None, keepdims=False, out=None)
any(x, /, *, axis=None, keepdims=False, out=None)
diff(x, /, *, axis=-1, n=1, prepend=None, append=None)
"""
DTYPES = """
bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128
""".split()
INFO = {
    "capabilities": "",
    "default_device": "",
    "default_dtypes": "*, device=None",
    "devices": "",
    "dtypes": "*, device=None, kind=None",
}
METHODS = """
__abs__ __add__ __and__ __array_namespace__ __bool__ __dlpack__ __dlpack_device__ __eq__ __float__
__floordiv__ __ge__ __getitem__ __gt__ __index__ __int__ __invert__ __le__ __lshift__ __lt__
__matmul__ __mod__ __mul__ __ne__ __neg__ __or__ __pos__ __pow__ __rshift__ __setitem__ __sub__
__truediv__ __xor__ to_device
"""
OPERATORS = "add sub mul truediv floordiv mod pow and or xor lshift rshift matmul".split()


def plain(function):
    """A signature as text, without annotations."""
    found = inspect.signature(function)
    bare = [p.replace(annotation=inspect.Parameter.empty) for p in found.parameters.values()]
    return str(found.replace(parameters=bare, return_annotation=inspect.Signature.empty))[1:-1]


# names and signatures ---------------------------------------------------------------------------


def test_every_function_has_the_signature_of_the_standard():
    """SYS-04: names, kinds and defaults of all parameters; any and all have `out` besides, which
    xarray passes."""
    wanted = dict.fromkeys(UNARY.split(), "x, /") | dict.fromkeys(BINARY.split(), "x1, x2, /")
    for line in OTHERS.strip().splitlines():
        name, _, parameters = line.partition("(")
        wanted[name] = parameters[:-1]
    found = {name: plain(getattr(xp, name)) for name in wanted}
    assert found == wanted
    assert all(getattr(xp, name).__doc__ for name in wanted)
    assert all(getattr(xp, name).__name__ == name for name in wanted)


EXTENSIONS = {
    "linalg": """
cholesky(x, /, *, upper=False)
cross(x1, x2, /, *, axis=-1)
det(x, /)
diagonal(x, /, *, offset=0)
eig(x, /)
eigh(x, /)
eigvals(x, /)
eigvalsh(x, /)
inv(x, /)
matmul(x1, x2, /)
matrix_norm(x, /, *, keepdims=False, ord='fro')
matrix_power(x, n, /)
matrix_rank(x, /, *, rtol=None)
matrix_transpose(x, /)
outer(x1, x2, /)
pinv(x, /, *, rtol=None)
qr(x, /, *, mode='reduced')
slogdet(x, /)
solve(x1, x2, /)
svd(x, /, *, full_matrices=True)
svdvals(x, /)
tensordot(x1, x2, /, *, axes=2)
trace(x, /, *, offset=0, dtype=None)
vecdot(x1, x2, /, *, axis=-1)
vector_norm(x, /, *, axis=None, keepdims=False, ord=2)
""",
    "fft": """
fft(x, /, *, n=None, axis=-1, norm='backward')
ifft(x, /, *, n=None, axis=-1, norm='backward')
rfft(x, /, *, n=None, axis=-1, norm='backward')
irfft(x, /, *, n=None, axis=-1, norm='backward')
hfft(x, /, *, n=None, axis=-1, norm='backward')
ihfft(x, /, *, n=None, axis=-1, norm='backward')
fftn(x, /, *, s=None, axes=None, norm='backward')
ifftn(x, /, *, s=None, axes=None, norm='backward')
rfftn(x, /, *, s=None, axes=None, norm='backward')
irfftn(x, /, *, s=None, axes=None, norm='backward')
fftfreq(n, /, *, d=1.0, dtype=None, device=None)
rfftfreq(n, /, *, d=1.0, dtype=None, device=None)
fftshift(x, /, *, axes=None)
ifftshift(x, /, *, axes=None)
""",
}


@pytest.mark.parametrize("name", EXTENSIONS)
def test_the_extensions_have_the_signatures_of_the_standard(name):
    extension = getattr(xp, name)
    wanted = [line.partition("(") for line in EXTENSIONS[name].strip().splitlines()]
    found = {each: plain(getattr(extension, each)) for each, _, _ in wanted}
    assert found == {each: parameters[:-1] for each, _, parameters in wanted}
    assert sorted(dir(extension)) == sorted(found)


def test_the_extensions_give_the_values_of_numpy():
    rng = np.random.default_rng(2)
    host = rng.normal(size=(3, 3)) + 3 * np.eye(3)
    x = xp.asarray(host)
    for name in (
        "fft",
        "ifft",
        "rfft",
        "irfft",
        "hfft",
        "ihfft",
        "fftn",
        "ifftn",
        "rfftn",
        "irfftn",
    ):
        found, expected = getattr(xp.fft, name)(x, norm="ortho"), getattr(np.fft, name)
        np.testing.assert_allclose(found.asnumpy(), expected(host, norm="ortho"), atol=1e-12)
    for name in ("fftshift", "ifftshift"):
        found = getattr(xp.fft, name)(x)
        np.testing.assert_array_equal(found.asnumpy(), getattr(np.fft, name)(host))
    for name in ("fftfreq", "rfftfreq"):
        found = getattr(xp.fft, name)(5, d=0.5, dtype=xp.float64)
        np.testing.assert_allclose(found.asnumpy(), getattr(np.fft, name)(5, 0.5))
    for name in ("det", "inv", "pinv", "matrix_norm", "vector_norm", "matrix_rank", "svdvals"):
        found = getattr(xp.linalg, name)(x)
        np.testing.assert_allclose(found.asnumpy(), getattr(np.linalg, name)(host), atol=1e-12)
    np.testing.assert_allclose(xp.linalg.solve(x, x).asnumpy(), np.eye(3), atol=1e-12)


def test_arrays_have_the_attributes_and_methods_of_the_standard():
    """NDA-01: also the reflected and the in-place operators."""
    a = xp.ones((2, 2))
    names = METHODS.split() + [f"__{kind}{op}__" for op in OPERATORS for kind in "ri"]
    assert [name for name in names if not callable(getattr(a, name, None))] == []
    assert (a.dtype, a.device, a.ndim, a.shape, a.size) == (xp.float32, ng.cpu(), 2, (2, 2), 4)
    assert a.T.shape == a.mT.shape == (2, 2)
    assert a.__array_namespace__() is a.__array_namespace__(api_version="2024.12") is xp
    assert a.to_device(a.device) is a


def test_the_namespace_says_what_it_offers():
    """Versions, constants, devices and dtypes."""
    info = xp.__array_namespace_info__()
    assert {name: plain(getattr(info, name)) for name in INFO} == INFO
    assert xp.__array_api_version__ == "2025.12"
    assert (xp.newaxis, xp.inf) == (None, float("inf"))
    assert abs(xp.pi - np.pi) + abs(xp.e - np.e) == 0 and xp.nan != xp.nan
    assert info.default_device() in info.devices()
    assert list(info.dtypes()) == DTYPES
    assert all(getattr(xp, name) == dtype for name, dtype in info.dtypes().items())
    assert list(info.dtypes(kind=("bool", "real floating"))) == ["bool", "float32", "float64"]
    assert list(info.dtypes(kind="complex floating")) == ["complex64", "complex128"]
    assert info.default_dtypes()["complex floating"] == xp.complex64
    assert xp.finfo(xp.complex64).bits == 32 and xp.isdtype(xp.complex64, "numeric")
    assert info.capabilities()["max dimensions"] == xp.ones((1,) * 64).ndim


def test_the_default_float_is_the_librarys():
    """API rule 3: float32, or what is configured; NumPy's own arrays keep theirs."""
    for made in (xp.asarray(1.5), xp.ones(2), xp.linspace(0, 1, 3), xp.arange(2.0)):
        assert made.dtype == xp.float32
    assert xp.asarray(np.ones(2)).dtype == xp.float64
    assert xp.arange(3).dtype == xp.asarray(1).dtype == xp.int64
    with ng.config(default_float="float64"):
        assert xp.zeros(2).dtype == xp.float64
        assert xp.__array_namespace_info__().default_dtypes()["real floating"] == xp.float64


# dtypes -----------------------------------------------------------------------------------------


@given(st.sampled_from(DTYPES), st.sampled_from(DTYPES))
def test_promotion_is_that_of_numpy(a, b):
    """X-NDA-07: of dtypes, arrays and numbers."""
    wanted = np.result_type(np.dtype(a), np.dtype(b))
    x = xp.empty(2, dtype=a)
    assert xp.result_type(x, getattr(xp, b)) == wanted
    assert xp.can_cast(x, getattr(xp, b)) == np.can_cast(np.dtype(a), np.dtype(b))
    assert xp.result_type(x, True) == x.dtype


def test_limits_are_python_numbers():
    for name in DTYPES[1:9]:
        told, wanted = xp.iinfo(xp.ones(1, dtype=name)), np.iinfo(name)
        assert (told.min, told.max, told.bits) == (wanted.min, wanted.max, wanted.bits)
        assert type(told.max) is int and told.dtype == np.dtype(name)
    for name in DTYPES[9:11]:
        told, wanted = xp.finfo(getattr(xp, name)), np.finfo(name)
        assert (told.eps, told.max, told.smallest_normal) == (
            *(wanted.eps, wanted.max, wanted.smallest_normal),
        )
        assert type(told.eps) is float and told.bits == wanted.bits


BAD = [
    (lambda: xp.finfo(xp.int8), TypeError, "finfo: int8 is not a floating dtype"),
    (lambda: xp.iinfo(xp.float32), TypeError, "iinfo: float32 is not an integer dtype"),
    (lambda: xp.isdtype(xp.int8, "whole"), TypeError, "kind='whole'; expected 'bool'"),
    (xp.result_type, TypeError, "nothing was given"),
    (lambda: xp.asarray([1, 2], copy=False), ValueError, "copy=False.*have to be copied"),
    (lambda: xp.asarray(xp.ones(2), dtype="int8", copy=False), ValueError, "copy=False"),
    (lambda: xp.reshape(xp.ones((2, 3)).T, (6,), copy=False), ValueError, "have no view of"),
    (lambda: xp.expand_dims(xp.ones(2), axis=3), IndexError, "expand_dims: axis=3 does not exist"),
    (lambda: xp.sum(xp.ones(2), axis=-2), ng.AxisError, "sum: axis=-2 does not exist"),
    (lambda: xp.take(xp.ones((2, 2)), xp.arange(2)), ValueError, "say along which axis"),
    (lambda: xp.__array_namespace_info__().dtypes(kind="x"), TypeError, "kind='x'; expected"),
    (lambda: xp.__array_namespace_info__().dtypes(device="x"), ValueError, "device='x'; exp"),
    (lambda: xp.ones(2).__array_namespace__(api_version="2999.12"), ValueError, "2999.12"),
]


@pytest.mark.parametrize("call, error, text", BAD, ids=[text for _, _, text in BAD])
def test_what_cannot_be_is_refused_at_the_call(call, error, text):
    with pytest.raises(error, match=text):
        call()


# use --------------------------------------------------------------------------------------------


def test_copies_are_made_as_asked():
    """API rule 5: borrowed memory is read-only, so that only `copy=False` borrows."""
    host = np.arange(3.0)
    lent, own = xp.asarray(host, copy=False), xp.asarray(host)
    own[0] = 7
    host[1] = 9
    np.testing.assert_array_equal(lent.asnumpy(), [0, 9, 2])
    np.testing.assert_array_equal(own.asnumpy(), [7, 1, 2])
    with pytest.raises(ValueError, match="belongs to a NumPy array: write to a copy"):
        lent[0] = 1
    a = xp.ones((2, 3))
    assert xp.asarray(a) is a and xp.asarray(a, copy=True) is not a
    view, copy = xp.reshape(a, (6,)), xp.reshape(a, (6,), copy=True)
    a[0, 0] = 5
    assert (float(view[0]), float(copy[0])) == (5, 1)
    with pytest.raises(ValueError, match="shape"):
        a += xp.ones((2, 2, 3))  # in place, a shape does not change


def test_code_for_the_standard_runs_on_either_library():
    def softmax_loss(x, labels):
        space = x.__array_namespace__()
        shifted = x - space.max(x, axis=1, keepdims=True)
        scores = shifted - space.log(space.sum(space.exp(shifted), axis=1, keepdims=True))
        taken = space.take_along_axis(scores, space.expand_dims(labels, axis=1), axis=1)
        return -space.mean(taken), space.argsort(scores, axis=1)

    rng = np.random.default_rng(0)
    x, labels = rng.normal(size=(5, 4)), rng.integers(0, 4, 5)
    wanted, order = softmax_loss(x, labels)
    loss, found = softmax_loss(xp.asarray(x), xp.asarray(labels))
    assert loss.shape == () and isinstance(loss, ng.NDArray)
    np.testing.assert_allclose(float(loss), wanted, rtol=1e-14)
    np.testing.assert_array_equal(found.asnumpy(), order)


def test_results_of_unknown_shape():
    """Values are waited for: repeats, sets, masks."""
    x = xp.asarray([3, 1, 3, 2])
    np.testing.assert_array_equal(xp.repeat(x, xp.asarray([0, 2, 1, 0])).asnumpy(), [1, 1, 3])
    values, counts = xp.unique_counts(x)
    np.testing.assert_array_equal(values.asnumpy(), [1, 2, 3])
    np.testing.assert_array_equal(counts.asnumpy(), [1, 1, 2])
    everything = xp.unique_all(x)
    np.testing.assert_array_equal(values[everything.inverse_indices].asnumpy(), x.asnumpy())
    np.testing.assert_array_equal(x[x > 1].asnumpy(), [3, 3, 2])
    (places,) = xp.nonzero(x == 3)
    np.testing.assert_array_equal(places.asnumpy(), [0, 2])


@given(
    st.lists(st.sampled_from([1.0, 2.0, 3.0, float("nan")]), max_size=6),
    st.lists(st.sampled_from([0.0, 2.0, 3.0, float("nan")]), max_size=4),
    st.booleans(),
)
def test_membership_is_that_of_numpy(x, y, invert):
    found = xp.isin(xp.asarray(x, dtype="float64"), xp.asarray(y, dtype="float64"), invert=invert)
    np.testing.assert_array_equal(found.asnumpy(), np.isin(x, y, invert=invert))
    assert found.dtype == xp.bool and bool(xp.isin(2, xp.asarray([1, 2])))


def test_shapes_broadcast_without_arrays():
    assert xp.broadcast_shapes() == () and xp.broadcast_shapes((2, 1), (3,), ()) == (2, 3)
    assert xp.expand_dims(xp.ones(2), axis=(0, -1)).shape == (1, 2, 1)
    assert type(xp.meshgrid(xp.ones(2), xp.ones(3))) is tuple
    with pytest.raises(ValueError, match=r"broadcast_shapes: .* shape 0\(2,\), shape 1\(3,\)"):
        xp.broadcast_shapes((2,), (3,))


SCIPY = """
import numpy as np
import scipy.special, scipy.stats
import nbgraph as ng

values = np.array([0.1, 0.5, 2.0, 3.0])
x = ng.array(values)
for function in (scipy.special.expit, scipy.special.softmax, scipy.stats.zscore):
    found = function(x)
    assert isinstance(found, ng.NDArray), (function, type(found))
    np.testing.assert_allclose(found.asnumpy(), function(values), rtol=1e-13)
print("done")
"""


def test_scipy_takes_and_gives_arrays(tmp_path):
    """SYS-04: SciPy's functions for the standard, on a namespace they have never heard of."""
    program = tmp_path / "program.py"
    program.write_text(SCIPY)
    assert run_python(program, SCIPY_ARRAY_API="1") == "done\n"


@pytest.mark.parametrize("name", sorted(set(dir(xp.fft)) - {"fftfreq", "rfftfreq"}))
def test_transforms_are_those_of_numpy(name):
    x = np.arange(6.0).reshape(2, 3)
    found = getattr(xp.fft, name)(xp.asarray(x))
    np.testing.assert_allclose(found.asnumpy(), getattr(np.fft, name)(x), atol=1e-12)


def test_frequencies_are_of_the_default_float():
    for name in ("fftfreq", "rfftfreq"):
        found = getattr(xp.fft, name)(5, d=0.5)
        assert found.dtype == xp.float32
        np.testing.assert_allclose(found.asnumpy(), getattr(np.fft, name)(5, 0.5), rtol=1e-6)


def test_functions_of_numpy_that_xarray_asks_for():
    x = ng.array([[1.0, 2.0], [3.0, 5.0]])
    assert xp.einsum("ij,ij->i", x, x).tolist() == [5.0, 34.0]
    assert xp.pad(x, ((0, 1), (0, 0))).shape == (3, 2)
    assert xp.transpose(x, (1, 0)).tolist() == [[1.0, 3.0], [2.0, 5.0]]
    assert xp.concatenate([x, x], axis=1).shape == (2, 4)
    assert xp.any(x > 4, axis=0, out=None).tolist() == [False, True]
    assert xp.lib.stride_tricks.sliding_window_view(x, 2, axis=1).shape == (2, 1, 2)
    assert "einsum" not in dir(xp)
    with pytest.raises(AttributeError, match="no_such"):
        _ = xp.no_such
