"""Every form of kernel for the GPU on Numba's simulator, in processes of its own.

Each loop is run in a few grids over memory of its own and compared with the kernel for the CPU: bit
for bit, but for sums that threads share. Beside that the simulator looks at every access, so a
kernel that reads beside an array, races, or leaves out a barrier is found by what it does.
"""

import json

import pytest

from tests.support import ROOT, run_python

EVERYDAY = {"maps": 14, "reductions": 9, "methods": 6, "rows": 4}
FORMS = {
    "maps": {"map"},
    "reductions": {"reduce", "totals", "leading"},
    "methods": {"fold", "scan", "at"},
    "rows": {"rows", "columns"},
}


def child(module, *words):
    """What a program on the simulator prints, a line each."""
    options = {"cwd": ROOT, "timeout": 3600, "NUMBA_ENABLE_CUDASIM": "1"}
    printed = run_python("-m", f"tests.kernels.cuda.{module}", *words, **options)
    return [json.loads(line) for line in printed.splitlines()]


@pytest.mark.everyday(1 / 4)
@pytest.mark.parametrize("workload", EVERYDAY)
def test_simulated(workload, full):
    """SMP-39, SMP-24: loops of every form do on a GPU's threads what they do on the CPU."""
    count = 8 * EVERYDAY[workload] if full else EVERYDAY[workload]
    found = child("simulated", workload, "5", str(count))
    assert [each["wrong"] for each in found if each["wrong"]] == []
    assert {each["form"] for each in found} == FORMS[workload]
    columns = zip(*(g for each in found for g in each["grids"]))
    lanes, ranks, blocks, threads, teams, held = map(set, columns)
    assert max(ranks) > 0 and max(blocks) > 1 and min(threads) < max(threads)
    assert workload not in ("maps", "reductions") or max(lanes) > 1
    assert workload not in ("rows", "reductions") or len(teams) > 2
    assert workload != "rows" or held == {True, False}


@pytest.mark.slow
def test_mistakes_are_seen():
    """A kernel with a mistake is not passed: accesses, races, barriers, numbers."""
    for each in child("mutants"):
        assert any(one in each["said"] for one in each["expected"].split("|")), each
