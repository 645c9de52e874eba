"""Both ways to park, each in a process of its own: `PARKING` is chosen when it is imported."""

from __future__ import annotations

import json
import platform
import sys
from pathlib import Path

import pytest

import nbgraph as ng
from tests.support import run_python

PROGRAM = Path(__file__).with_name("parking_program.py")
WAYS = {"auto": "futex", "portable": "portable"}
if sys.platform != "linux" or platform.machine() not in {"x86_64", "aarch64"}:
    WAYS["auto"] = "portable"
MILLISECOND = 1_000_000


@pytest.fixture(scope="module", params=WAYS)
def report(request):
    printed = run_python("-W", "error", PROGRAM, NBGRAPH_PARKING=request.param)
    return {"asked": request.param, **json.loads(printed)}


def test_the_setting_chooses_the_way(report):
    assert report["parking"] == WAYS[report["asked"]]


def test_a_sleeper_without_a_limit_is_woken(report):
    asleep, result = report["woken"]
    assert asleep and result == 1


def test_a_word_that_differs_is_not_waited_for(report):
    result, nanoseconds = report["differs"]
    assert result == 1 and nanoseconds < 1_000 * MILLISECOND


def test_time_runs_out(report):
    result, nanoseconds = report["time-out"]
    assert result == 0
    assert 29 * MILLISECOND <= nanoseconds < 5_000 * MILLISECOND


def test_the_low_half_of_the_word_is_compared(report):
    assert report["low half"] == 0


def test_no_wake_up_is_lost(report):
    late, seconds = report["ping-pong"]
    assert late == [0, 0], "a park ran into its limit of 20 s"
    assert seconds < 60


def test_all_sleepers_are_woken(report):
    assert report["many"] == 6


def test_memory_of_the_c_library_is_zeroed(report):
    assert report["allocated"]


def test_an_unknown_way_is_refused():
    with pytest.raises(ValueError, match="expected one of auto, portable"):
        ng.config(parking="spin")
