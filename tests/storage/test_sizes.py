"""Size classes (X-MEM-08)."""

import hypothesis
import hypothesis.strategies as st

from nbgraph.storage.sizes import STRATEGIES, exact, readable, rounded

BYTES = st.integers(0, 2**40) | st.sampled_from(
    [2**k + d for k in range(5, 40) for d in (-1, 0, 1)]
)


@hypothesis.given(BYTES)
def test_rounded_classes_hold_what_is_asked_and_waste_less_than_half(nbytes):
    """X-MEM-08: powers of two to 2**24, then multiples of 2 MiB."""
    size = rounded(nbytes)
    assert size >= nbytes
    assert size % 64 == 0
    assert nbytes <= 32 or size < 2 * nbytes
    if nbytes <= 2**24:
        assert size.bit_count() == 1
    else:
        assert size % 2**21 == 0
        assert size - nbytes < 2**21
    assert rounded(size) == size  # a block of a class is of that class


@hypothesis.given(BYTES)
def test_exact_classes_waste_less_than_a_cache_line(nbytes):
    """X-MEM-08: the naive strategy."""
    size = exact(nbytes)
    assert size >= max(nbytes, 64)
    assert size % 64 == 0
    assert nbytes == 0 or size - nbytes < 64
    assert exact(size) == size


@hypothesis.given(BYTES, BYTES)
def test_a_larger_ask_has_no_smaller_class(a, b):
    for sized, _ in STRATEGIES.values():
        assert (sized(a) <= sized(b)) or a > b


def test_there_are_few_rounded_classes():
    """Up to 1 GiB there are 19 powers of two and 504 multiples of 2 MiB, and no more."""
    small = {rounded(n) for k in range(25) for n in (2**k - 1, 2**k) if n <= 2**24}
    assert len(small) == 19


def test_bytes_for_people():
    assert [readable(n) for n in (1023, 1024, 2**20, 5 * 2**40, 2**50, 2**60)] == [
        "1023 B",
        "1.0 KiB",
        "1.0 MiB",
        "5.0 TiB",
        "1.0 PiB",
        "1024.0 PiB",
    ]
