"""Products as cuBLAS is asked for them, on a library that does what BLAS says: column-major."""

import ctypes
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgraph.device import RunContext, cublas, gpu
from nbgraph.device.gemm import Gemm
from nbgraph.device.nvidia import Library, NvidiaDriver
from nbgraph.dtype import bfloat16
from nbgraph.errors import DeviceError
from nbgraph.kernels.cuda.gemms import MOST, Gemms, requests
from nbgraph.kernels.products.axes import Axis, Call
from nbgraph.ops.define import operator_of
from nbgraph.ops.products.contraction import einsum
from tests.device.fakes import compiled

FLOATS = tuple(map(np.dtype, ("float32", "float64", "float16")))


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compiled("fake_cublas.c", tmp_path_factory.mktemp("blas") / "libcublas.so")


@pytest.fixture(scope="module")
def driver(library, tmp_path_factory):
    cuda = compiled("fake_cuda.c", tmp_path_factory.mktemp("cuda") / "libcuda.so")
    made = NvidiaDriver(Library(cuda))
    made._products = cublas.Cublas(library)
    return made


@pytest.fixture(scope="module")
def stream(driver):
    return driver.stream(0)


def address(array):
    return array.__array_interface__["data"][0]


def asked(library):
    return list((ctypes.c_int64 * 8).in_dll(library, "asked"))


def multiply(stream, op, arrays, attributes, *, adds, dtype):
    """By what the library is asked for, with copies of what it does not take."""
    places = op.replacements(arrays[:2], arrays[2], attributes, (dtype,))
    laid = []
    for array, place in zip(arrays, places, strict=True):
        if place is None:
            laid.append(array)
            continue
        laid.append(np.ndarray(place.shape, dtype, strides=place.strides))
        laid[-1][...] = array
    call = op.arranged(laid[:2], laid[2], attributes, (dtype,))
    made = Gemms(call, dtype, adds=adds, tf32=False)
    first, second = laid[call.first], laid[1 - call.first]
    record = 0, 0, address(first), address(second), address(laid[2])
    made.issue(RunContext(gpu(0), stream), record, made)
    return laid[2]


@st.composite
def problems(draw):
    """Subscripts with rows, columns, sums and separate products in any order; arrays in pieces."""
    sizes = {c: draw(st.integers(1, 5)) for c in "abmnpkl"}
    both, rows, columns, inner = (
        draw(st.sets(st.sampled_from(c))) for c in ("ab", "mp", "n", "kl")
    )
    inner = inner or {"k"}
    shuffled = lambda names: "".join(draw(st.permutations(sorted(names))))  # noqa: E731
    a, b = shuffled(both | rows | inner), shuffled(both | columns | inner)
    out = shuffled(both | rows | columns)
    rng = np.random.default_rng(draw(st.integers(0, 1000)))
    dtype = draw(st.sampled_from(FLOATS))

    def array(names):
        shape = tuple(sizes[c] for c in names)
        step = tuple(slice(None, None, 2 if draw(st.booleans()) else 1) for _ in names)
        full = rng.integers(-3, 4, [2 * n if s.step == 2 else n for n, s in zip(shape, step)])
        return full.astype(dtype)[(*step, ...)]

    return f"{a},{b}->{out}", [array(a), array(b), array(out)], draw(st.booleans())


@settings(max_examples=150, deadline=None)
@given(problems())
def test_any_product_of_two_arrays(stream, problem):
    """MTE-03: rows and columns are right for all transposes, strides and shapes that are not
    square; what is there before is added to, or not read."""
    text, arrays, adds = problem
    wanted = np.einsum(text, *(x.astype("float64") for x in arrays[:2]))
    wanted = wanted + arrays[2] if adds else wanted
    if not adds:
        arrays[2][...] = np.nan
    attributes = {"subscripts": text}
    op = operator_of(einsum)
    found = multiply(stream, op, arrays, attributes, adds=adds, dtype=arrays[2].dtype)
    np.testing.assert_array_equal(found, wanted)  # small integers: sums are exact


@pytest.mark.parametrize("name", ["float32", "float64", "float16", "bfloat16"])
@pytest.mark.parametrize("forms", ["NN", "NT", "TN", "TT"])
def test_types_and_forms(stream, library, name, forms):
    """MTE-02: 16-bit floats go in as they are; the compute type is float32, or float64."""
    dtype = bfloat16() if name == "bfloat16" else np.dtype(name)
    rng = np.random.default_rng(1)
    a, b = (rng.integers(-4, 5, (4, 3)).astype(dtype), rng.integers(-4, 5, (3, 2)).astype(dtype))
    # column-major arrays are transposes of row-major ones
    x = np.array(a.T if forms[0] == "N" else a, order="C")
    y = np.array(b.T if forms[1] == "N" else b, order="C")
    out = np.full((2, 4), 7, dtype)
    lds = x.shape[1], y.shape[1], 4
    gemm = Gemm(4, 2, 3, forms, lds, dtype)
    stream.multiply(gemm, address(x), address(y), address(out))
    wanted = a.astype("float64") @ b.astype("float64")
    np.testing.assert_array_equal(out.T.astype("float64"), wanted)
    stream.multiply(gemm._replace(adds=True), address(x), address(y), address(out))
    np.testing.assert_array_equal(out.T.astype("float64"), 2 * wanted)
    assert asked(library)[5] == (70 if name == "float64" else 68)


def test_a_stream_has_a_handle_and_room_of_its_own(driver, library):
    """The same room at each product, on the stream: repeatable, and to be captured."""
    before = asked(library)[0]
    single = np.dtype("float32")
    x = np.ones((1, 1), single)
    gemm = Gemm(1, 1, 1, "NN", (1, 1, 1), single)
    free, _ = driver.memory(0)
    seen = []
    for own in (driver.stream(0), driver.stream(0)):
        for tf32 in (False, True):
            own.multiply(gemm._replace(tf32=tf32), *[address(x)] * 3)
            seen.append(asked(library)[3:6])
            assert seen[-1][0] == own.handle
    assert asked(library)[0] == before + 2 and free - driver.memory(0)[0] == 2 * (32 << 20)
    assert [kind for *_, kind in seen] == [68, 77, 68, 77]
    assert seen[0][1] == seen[1][1] != seen[2][1] == seen[3][1]
    double = gemm._replace(dtype=np.dtype("float64"), tf32=True)
    own.multiply(double, *[address(np.ones((1, 1)))] * 3)
    assert asked(library)[5] == 70


def test_many_products_are_few_requests(stream, library):
    """One axis goes with a request, as far as a grid does; others are requests of their own."""
    item, double = 8, np.dtype("float64")
    count = MOST + 3
    a = np.arange(count * 2.0).reshape(count, 1, 2)
    b = np.ones((2, 3))
    out = np.zeros((count, 1, 3))
    long = Axis(count, (2 * item, 0, 3 * item))
    axes = Axis(1), Axis(3, (0, item, item)), Axis(2, (item, 3 * item, 0))
    call = Call(1, axes[1], axes[0], axes[2], "NN", (3, 2, 3), vector=False, outer=(long,))
    assert requests(call, item) == 2
    before = asked(library)
    made = Gemms(call, double, adds=False, tf32=False)
    record = 0, 0, address(b), address(a), address(out)
    made.issue(RunContext(gpu(0), stream), record, made)
    after = asked(library)
    assert (after[1] - before[1], after[2] - before[2]) == (count, 2)
    np.testing.assert_array_equal(out, a @ b)
    # an axis that goes backwards is none that BLAS steps along
    flipped = call._replace(outer=(long._replace(steps=(-2 * item, 0, 3 * item)),))
    assert requests(flipped, item) == count


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"lds": (1, 3, 4)}, "columns of 4 elements, 1 apart, overlap"),
        ({"m": 1 << 31}, "a product that BLAS does not take"),
        ({"k": 0}, "a product that BLAS does not take"),
        ({"forms": "NC"}, "a product that BLAS does not take"),
    ],
)
def test_what_blas_does_not_take_is_refused(stream, change, message):
    """Before the library counts in 32 bits, or writes where nothing is."""
    gemm = Gemm(4, 2, 3, "NN", (4, 3, 4), np.dtype("float32"))._replace(**change)
    with pytest.raises(DeviceError, match=message):
        stream.multiply(gemm, 256, 256, 256)


def test_errors_of_the_library_are_told(driver, library):
    with pytest.raises(DeviceError, match=r"the value is invalid \(cuBLAS status 7 of cublasSetW"):
        cublas.Cublas(library).handle(5, (9, 0), lambda nbytes: 255)
    with pytest.raises(DeviceError, match=r"32 MiB of the device.*empty_cache"):
        cublas.Cublas(library).handle(5, (9, 0), lambda nbytes: 0)
    given = []
    for capability in ((8, 0), (10, 0), (12, 0)):
        with pytest.raises(DeviceError):
            cublas.Cublas(library).handle(5, capability, given.append)
    assert [nbytes >> 20 for nbytes in given] == [4, 32, 12]


@pytest.mark.skipif(sys.platform != "linux", reason="the names are those of Linux")
def test_where_the_library_is_found(monkeypatch, tmp_path):
    """X-ENG-14: in a toolkit, of a version that the driver takes; else what is missing is said."""
    monkeypatch.setitem(sys.modules, "cuda.pathfinder", None)
    monkeypatch.setitem(cublas._NAMES, "linux", "lib{}_fake.so.{}")
    monkeypatch.setenv("CUDA_HOME", str(tmp_path))
    with pytest.raises(DeviceError, match=r"cuBLAS, which was not found.*nbgraph\[cuda13\]"):
        cublas.load(13000)
    for major in (12, 13):
        compiled("fake_cublas.c", tmp_path / "lib64" / f"libcublas_fake.so.{major}")
    for version, major in ((12040, 12), (13000, 13)):
        found = cublas.load(version)
        assert found.path.endswith(f"libcublas_fake.so.{major}")
