"""Rows of work, pushed one by one or as one plan, and what is made of rules."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import nbgraph as ng
from nbgraph.ops.updates import rules
from nbgraph.ops.updates.rules import variant
from nbgraph.optim.rows import Row, Rows, Slot
from nbgraph.optim.states import Clock, together


def test_rows_run_in_their_order(engine):
    """X-MAR-11: rows that touch the same arrays keep their order, in one push as in several."""
    for joint in (True, False):
        x, total, by = ng.ones(3000), ng.zeros(()), Slot("by", 2.0)
        rows = Rows(
            "test",
            [
                Row(ng.multiply, [x, by], [x]),
                Row(ng.multiply, [x, x], [total], ["add"]),
                Row(ng.add, [x, total], [x]),
            ],
        )
        for by.value in (2.0, 0.5):
            rows.run(joint=joint)
        np.testing.assert_allclose(total.item(), 3000 * 6001.0**2, rtol=1e-6)


@pytest.mark.parametrize("doubled", [False, True])
def test_variants_of_rules(doubled):
    """X-MAR-11: a guarded rule keeps its operands where it may not go; a doubled one has a copy."""
    guarded = variant(rules.momentum, ("weight", "velocity"), guarded=True, doubled=doubled)
    w, g, v = np.float32([[1, 2], [3, 4], [5, 6]])
    numbers = (0.5, 0.0, 1.0, np.inf, 0.5, 1.0)
    plain = rules.momentum(w, g, v, *numbers)
    for go in (True, False):
        new = guarded(w, g, v, *numbers, np.bool_(go))
        if doubled:
            np.testing.assert_array_equal(new[0], new[1])
            new = new[1:]
        for found, expected in zip(new, plain if go else (w, v), strict=True):
            np.testing.assert_array_equal(found, expected)


@settings(max_examples=50)
@given(st.lists(st.sets(st.sampled_from("abcd"), min_size=1), min_size=1, max_size=12))
def test_clocks_count_each_key(steps):
    """X-MAR-11: keys share clocks as long as they go together, and each counts its own steps."""
    clocks, counts = {}, dict.fromkeys("abcd", 0)
    for keys in steps:
        fresh = Clock()
        for key in keys:
            clocks.setdefault(key, fresh)
            counts[key] += 1
        for clock in set(together(clocks, keys).values()):
            clock.tick()
    assert {key: clock.count for key, clock in clocks.items()} == {
        key: n for key, n in counts.items() if n
    }
    assert all(clock.settled() == (clock.count, clock.count) for clock in clocks.values())
