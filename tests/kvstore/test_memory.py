"""Rounds leave nothing behind: neither in a worker nor in its shard."""

from __future__ import annotations

import gc
import sys
from itertools import pairwise
from pathlib import Path

import dask.config
import distributed  # noqa: F401  (enters its defaults in the configuration)
import pytest

import nbgraph as ng
from tests.kvstore.here import run

PARTS = 5
LARGE, SMALL = 1 << 15, 8  # elements: a message of its own, and one that shares a message
STATM = Path("/proc/self/statm")


def in_use():
    """Blocks of Python, bytes of arrays, and resident bytes (0 where the system does not tell)."""
    resident = 4096 * int(STATM.read_text().split()[1]) if STATM.exists() else 0
    return sys.getallocatedblocks(), ng.storage.stats().in_use, resident


def measured(rank, rounds, kind, leak=False):
    """What is in use after so many rounds, and after as many again, some times."""
    kv = ng.kv.create(kind)
    kv.init(["w", "b"], [ng.zeros(LARGE), ng.zeros(SMALL)])
    kv.set_optimizer(ng.optim.SGD(lr=0.1, momentum=0.9))
    outs = [ng.zeros(LARGE), ng.zeros(SMALL)]
    found, kept = [], []
    for _ in range(PARTS):
        for _ in range(rounds):
            kv.pushpull(["w", "b"], [ng.ones(LARGE), ng.ones(SMALL)], outs)
            if leak:
                kept.append([kv.pull("w")])
        kv.barrier()
        gc.collect()
        found.append(in_use())
        kv.barrier()
    return found


def growth(found, rounds):
    """What every round leaves: the least of the parts, as what is there once and for all comes in
    some of them."""
    return [min(b - a for a, b in pairwise(each)) / rounds for each in zip(*found, strict=True)]


@pytest.mark.parametrize("kind", ["dist_sync", "dist_async"])
def test_rounds_leave_nothing(kind):
    blocks, nbytes, _ = growth(run(1, measured, 60, kind)[0], 60)
    assert blocks < 2
    assert nbytes < SMALL


def test_what_is_left_is_seen():
    _, nbytes, _ = growth(run(1, measured, 20, "dist_sync", True)[0], 20)
    assert nbytes >= LARGE


@pytest.mark.slow
def test_ten_thousand_rounds_leave_nothing():
    """Two processes: what a worker sends, what a shard sums, and Dask between them. Its profiler is
    off: it keeps some hundred dicts a second, for an hour."""
    rounds = 10_000 // PARTS
    quiet = dask.config.set({"distributed.worker.profile.enabled": False})
    with quiet, ng.kv.cluster(workers=2) as cluster:
        for found in cluster.run(measured, rounds, "dist_sync"):
            blocks, nbytes, resident = growth(found, rounds)
            assert blocks < 0.2
            assert nbytes < SMALL
            assert resident < 1024
