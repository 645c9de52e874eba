"""Rates by the number of a step."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError
from nbgraph.optim import schedules

FALLING = {
    "step": lambda rate: schedules.step(rate, 7, 0.5),
    "multifactor": lambda rate: schedules.multifactor(rate, [3, 10, 40], 0.1),
    "exponential": lambda rate: schedules.exponential(rate, 0.9),
    "poly": lambda rate: schedules.poly(rate, 60, 2.0),
    "linear": lambda rate: schedules.linear(rate, 60),
    "cosine": lambda rate: schedules.cosine(rate, 60),
}


@given(st.floats(1e-6, 10.0), st.sampled_from(sorted(FALLING)))
def test_schedules_fall_from_the_rate(rate, name):
    """X-MAR-11: what begins with a rate falls and stays between it and 0, for all steps."""
    at = FALLING[name](rate)
    rates = [at(n) for n in range(100)]
    assert rates[0] == pytest.approx(rate)
    assert all(a >= b >= -1e-15 for a, b in zip(rates, rates[1:], strict=False))
    assert rates[-1] < 0.2 * rate


def test_ends_are_reached():
    """X-MAR-11: schedules of a length end where they are told, and stay there."""
    for make in (schedules.poly, schedules.linear, schedules.cosine):
        at = make(1.0, 10, last=0.25)
        assert at(0) == 1.0 and at(10) == at(11) == at(10**6) == 0.25


def test_restarts_begin_again():
    """X-MAR-11: a cosine again and again, each time longer; far steps are found at once."""
    at = schedules.restarts(1.0, 10, stretch=2)
    assert [at(n) for n in (0, 10, 30, 70)] == [1.0] * 4
    assert at(20) == pytest.approx(0.5) and at(29) < 0.01
    assert schedules.restarts(1.0, 10)(10**12) == 1.0


def test_warmup_takes_one_rate():
    assert [schedules.warmup(0.5, 2)(n) for n in range(4)] == [0.0, 0.25, 0.5, 0.5]


def test_warmup_joins_the_schedule():
    """X-MAR-11: a line up to the schedule, which then begins with its first step."""
    at = schedules.warmup(schedules.linear(2.0, 10), 5, first=1.0)
    assert [at(n) for n in (0, 5, 10, 15)] == [1.0, 2.0, 1.0, 0.0]
    assert [at(n) for n in range(5)] == pytest.approx([1.0, 1.2, 1.4, 1.6, 1.8])


def test_one_cycle_goes_up_and_down():
    """X-MAR-11: the greatest rate once, ends as given."""
    at = schedules.one_cycle(1.0, 100)
    rates = [at(n) for n in range(100)]
    assert max(rates) == pytest.approx(1.0) and rates.index(max(rates)) == 29
    assert rates[0] == pytest.approx(0.04) and rates[-1] == pytest.approx(0.04e-4)
    assert at(500) == rates[-1]


def test_inverse_root():
    """X-MAR-11: up in a line, then down with the root."""
    at = schedules.inverse_root(0.5, 100)
    assert at(99) == 0.5 and at(49) == 0.25 and at(399) == 0.25
    assert at(1599) == pytest.approx(0.5 / math.sqrt(16))


@pytest.mark.parametrize(
    ("match", "make"),
    [
        ("step: every=0", lambda: schedules.step(1.0, 0)),
        ("cosine: steps=1.5", lambda: schedules.cosine(1.0, 1.5)),
        (r"multifactor: steps=\[3, 2\]", lambda: schedules.multifactor(1.0, [3, 2])),
        ("one_cycle: rise=1.5 of 10", lambda: schedules.one_cycle(1.0, 10, rise=1.5)),
        ("warmup: steps=True", lambda: schedules.warmup(schedules.constant(1.0), True)),
    ],
)
def test_what_schedules_refuse(match, make):
    """X-MAR-11: lengths that are none."""
    with pytest.raises(ArgumentError, match=match):
        make()
