"""16-bit floats without the processor's help: NumPy's bits, for every value."""

import numpy as np
import pytest
from numba import njit

from nbgraph.native import floats

EVERY = np.arange(1 << 16, dtype=np.uint16)
HALVES = EVERY.view(np.float16)


@pytest.fixture
def without(monkeypatch):
    """As on a processor that lacks the instructions."""
    monkeypatch.setattr(floats, "HARDWARE_HALF", False)


def test_every_half_widens_as_in_numpy(without):
    """Normal, subnormal and infinite ones, both zeros; NaN stays NaN."""

    @njit
    def widen(words, out):
        for i in range(words.size):
            out[i] = floats.half_to_float(words[i])

    found = np.empty(EVERY.size, np.float32)
    widen(EVERY, found)
    np.testing.assert_array_equal(found, HALVES.astype(np.float32))
    np.testing.assert_array_equal(np.signbit(found), np.signbit(HALVES))


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_floats_narrow_as_in_numpy(without):
    """Halves, what lies in the middle of two, what lies beside that, and any bits."""

    @njit
    def narrow(values, out):
        for i in range(values.size):
            out[i] = floats.float_to_half(values[i])

    exact = HALVES[np.isfinite(HALVES)].astype(np.float32)
    middle = (exact + np.nextafter(HALVES[np.isfinite(HALVES)], np.float16(9))) / 2
    near = [np.nextafter(middle, np.float32(end)) for end in (-np.inf, np.inf)]
    any_bits = np.random.default_rng(1).integers(0, 1 << 32, 1 << 18, dtype=np.uint32)
    ends = np.array([np.inf, -np.inf, np.nan, 65519, 65520, 1e38], np.float32)
    given = np.concatenate([exact, middle, *near, any_bits.view(np.float32), ends])
    given = given.astype(np.float32)
    for values in (given, given.astype(np.float64) * (1 + 2**-40)):
        found = np.empty(values.size, np.uint16)
        narrow(values, found)
        wanted = values.astype(np.float16)
        np.testing.assert_array_equal(found.view(np.float16), wanted)
        np.testing.assert_array_equal(np.signbit(found.view(np.float16)), np.signbit(wanted))
