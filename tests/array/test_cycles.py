"""Arrays in reference cycles: the garbage collector finalises what refers to each other at once."""

import gc

import numpy as np
import pytest

import nbgraph as ng
from tests.array.samples import same


@pytest.mark.parametrize("kind", ["array", "view", "borrowed"])
def test_blocks_of_collected_cycles_are_used_again(kind):
    """NDA-01, STO: a block comes back to its pool once, with a variable that still works."""
    for turn in range(20):
        a = ng.array(np.arange(8.0) + turn)
        if kind == "view":
            a = a[1:]
        if kind == "borrowed":
            a = ng.asarray(np.arange(8.0))
        cycle = [a, a + 1]
        cycle.append(cycle)
        del a, cycle
        gc.collect(1)  # it is young
        made = [ng.array(np.arange(8.0) + i) for i in range(4)]
        sums = [x + 1 for x in made]
        for i, x in enumerate(sums):
            same(x, np.arange(8.0) + i + 1)


def test_books_count_collected_cycles_once():
    """STO: what a cycle held stays allocated while its block waits for a taker."""
    gc.collect()
    ng.waitall()
    ng.storage.empty_cache()  # else an idle block of the size may be taken
    before = ng.storage.stats().allocated
    cycle = [ng.zeros(300_000)]
    held = ng.storage.stats().allocated
    cycle.append(cycle)
    del cycle
    gc.collect()
    after = ng.storage.stats()
    assert before < held == after.allocated
    ng.waitall()
    ng.storage.empty_cache()
    assert ng.storage.stats().allocated <= before
