"""Whole numbers between bounds: the high part of a product, exactly."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgraph.kernels.draws import ranges
from nbgraph.ops.draws import plain
from tests.kernels.draws.test_draws import WAYS, aligned, drawn, words

DTYPES = ["int64", "uint64", "int32", "uint8", "bool"]


@st.composite
def bounds(draw):
    name = draw(st.sampled_from(DTYPES))
    info = np.iinfo(name) if name != "bool" else np.iinfo("uint8")
    most = 1 if name == "bool" else info.max
    low = draw(st.integers(info.min, most) | st.just(info.min))
    return name, low, draw(st.integers(low, most) | st.just(most)) - low + 1


@pytest.mark.parametrize("way", WAYS)
@settings(max_examples=20)
@given(drawn(), bounds())
def test_numbers_are_the_high_part_of_a_product(way, asked, bounds):
    """X-NDA-08: of all integer dtypes, up to all their numbers."""
    (one, size), (name, low, count) = asked, bounds
    d, out = ranges.integers(name, count), aligned(size, np.dtype(name))
    WAYS[way](d, words(d, one, [out], d.words(low, count)), size)
    raw = [int(w) for w in one.generator().bit_generator.random_raw(2 * size)]
    if d.form == "pair":
        wanted = [((b << 64 | a) * count >> 128) + low for a, b in zip(*[iter(raw)] * 2)]  # noqa: B905
    else:
        wanted = [(a * count >> 64) + low for a in raw[:size]]
    wanted = np.array(wanted, np.dtype(name))
    assert np.array_equal(out, wanted)
    assert np.array_equal(plain.integers(one.generator(), (size,), low, count).astype(name), wanted)
