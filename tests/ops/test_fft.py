"""`ng.fft` against NumPy, in every world, with gradients in JAX's convention to second order."""

from functools import partial

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.kernels.products import fourier
from tests.ops.test_complex import check_gradients, numbers
from tests.worlds import WORLDS

RNG = np.random.default_rng(2)
X, Z = RNG.normal(size=(4, 5)), numbers(4, 5)
REAL = {"rfft", "rfftn", "rfft2", "ihfft"}
ONE = "fft ifft rfft irfft hfft ihfft".split()
SEVERAL = "fftn ifftn rfftn irfftn fft2 ifft2 rfft2 irfft2".split()
CASES = {
    **{f"{name} {how}": (name, how) for name in ONE for how in (
        {}, {"n": 7}, {"n": 3, "axis": 0}, {"norm": "ortho"}, {"norm": "forward", "n": 4})},
    **{f"{name} {how}": (name, how) for name in SEVERAL for how in (
        {}, {"s": (3, 6), "axes": (0, 1)}, {"norm": "ortho", "axes": (1, 0)},
        {"norm": "forward", "s": (6, 4), "axes": (-2, -1)})},
    **{f"{name} {how}": (name, how) for name in ("fftshift", "ifftshift") for how in (
        {}, {"axes": 0}, {"axes": (1,)})},
}  # fmt: skip


def operand(name):
    return X if name in REAL else Z


@pytest.mark.parametrize("case", CASES)
def test_values_are_those_of_numpy_in_every_world(case):
    name, how = CASES[case]
    x = operand(name)
    wanted = getattr(np.fft, name)(x, **how)
    for world in WORLDS:
        found = world(
            lambda a: getattr(np.fft if world is not WORLDS[3] else ng.fft, name)(a, **how), x
        )
        found = np.asarray(found[0] if isinstance(found, list) else found)
        assert found.dtype == wanted.dtype
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("case", CASES)
def test_gradients_to_second_order(case):
    name, how = CASES[case]
    check_gradients(lambda a: getattr(ng.fft, name)(a, **how), [operand(name)])


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
def test_results_are_written_to_out(name):
    wanted = getattr(np.fft, name)(ng.array(X))
    out = ng.zeros(wanted.shape, wanted.dtype)
    assert getattr(np.fft, name)(ng.array(X), out=out) is out
    np.testing.assert_array_equal(out, wanted)


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
@pytest.mark.parametrize("dtype", ["float16", "float32", "float64", "int32", "complex64", "bool"])
def test_dtypes_are_those_of_numpy(name, dtype):
    if name in REAL and dtype == "complex64":
        return
    x = (4 * X).astype(dtype)
    found, wanted = getattr(np.fft, name)(ng.array(x)), getattr(np.fft, name)(x)
    assert found.dtype == (wanted.dtype if dtype != "float16" else found.dtype)
    np.testing.assert_allclose(found.asnumpy(), wanted, rtol=1e-3, atol=1e-3)


LAYOUTS = {
    "steps that do not merge": lambda x: x.transpose(2, 0, 3, 1)[::2],
    "backwards": lambda x: x[:, ::-1, :, ::-1],
    "repeated": lambda x: np.broadcast_to(x[:, :1], (3, 4, 5, 2)),
    "nothing": lambda x: x[:0],
}


@pytest.mark.parametrize("name", [*ONE, *SEVERAL])
@pytest.mark.parametrize("lie", LAYOUTS)
def test_lines_lie_anywhere(name, lie):
    """NumPy's loops take lines of any steps; in a plan, too, they are kernels."""
    x = LAYOUTS[lie](numbers(3, 4, 5, 2))
    x = x.real if name in REAL else x
    for how in ({"axis": 1, "n": 5}, {"axis": 0}) if name in ONE else ({"axes": (2, 1)}, {}):
        if not x.size and how != {"axis": 1, "n": 5}:
            continue
        wanted = getattr(np.fft, name)(x, **how)
        f = partial(getattr(ng.fft, name), **how)
        for result in (f(x), f(ng.array(x)), ng.jit(f)(ng.array(x))):
            np.testing.assert_allclose(np.asarray(result), wanted, rtol=1e-12, atol=1e-12)


def test_numpy_without_its_loops(monkeypatch):
    """Another layout of NumPy's ufuncs is seen, and its functions are called."""
    monkeypatch.setattr(fourier, "loop_of", lambda name, character: None)
    x = RNG.normal(size=(2, 22))  # no other test has this shape, whose kernels would be known
    result = ng.jit(lambda x: ng.fft.irfft(ng.fft.rfft(x, norm="ortho")))(ng.array(x))
    wanted = np.fft.irfft(np.fft.rfft(x, norm="ortho"))
    np.testing.assert_allclose(result.asnumpy(), wanted, rtol=1e-12)


def test_all_of_numpy_is_there():
    assert set(np.fft.__all__) <= set(dir(ng.fft))


@pytest.mark.parametrize("n", [1, 4, 5])
def test_frequencies(n):
    for name in ("fftfreq", "rfftfreq"):
        found = getattr(ng.fft, name)(n, 0.5)
        assert isinstance(found, ng.NDArray)
        np.testing.assert_allclose(found.asnumpy(), getattr(np.fft, name)(n, 0.5))


ERRORS = [
    (lambda: ng.fft.fft(X, norm="none"), ng.ArgumentError, "norm='none'; expected 'backward'"),
    (lambda: ng.fft.fft(X, 0), ng.ShapeError, "0 points along axis -1; expected 1 or more"),
    (lambda: ng.fft.fftn(X, (2, 3), (0,)), ng.ShapeError, "expected equally many"),
    (lambda: ng.fft.fft(X, axis=3), ValueError, "axis"),
    (lambda: ng.fft.rfft(ng.array(Z)), TypeError, "not a real one; give ng.real"),
    (lambda: ng.fft.nothing, AttributeError, "no attribute 'nothing'"),
]


@pytest.mark.parametrize("call, error, match", ERRORS)
def test_errors_say_what_is_expected(call, error, match):
    with pytest.raises(error, match=match):
        call()
