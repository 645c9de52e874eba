"""All other forms of loops by both compilers: reductions, folds, scans, row programs, graphs.

Everyday a few kernels of each workload, in turn of every form; --full takes all that it makes.
Sums inside a run are reordered by LLVM, which sees the same loops from both compilers, so they have
the same bits, too.
"""

import json

import pytest

from tests.support import ROOT, run_python

EVERYDAY = {"reductions": 9, "methods": 6, "rows": 4, "graphs": 8}
FORMS = {
    "reductions": {"reduce", "totals", "leading"},
    "methods": {"fold", "scan", "at"},
    "rows": {"rows", "columns"},
    "graphs": {"map", "reduce", "rows"},
}


@pytest.mark.everyday(1 / 4)
@pytest.mark.parametrize("workload", EVERYDAY)
def test_collected_loops(workload, full):
    """The loops that operators, methods and graphs come to, over memory of their own."""
    count = 0 if full else EVERYDAY[workload]
    module = "tests.kernels.llvm.collected"
    printed = run_python("-m", module, workload, 5, count, cwd=ROOT, timeout=3600)
    found = [json.loads(line) for line in printed.splitlines()]
    assert {each["form"] for each in found} >= FORMS[workload]
    assert len(found) == (found[0]["of"] if full else count)
    assert [each["wrong"] for each in found if each["wrong"]] == []
