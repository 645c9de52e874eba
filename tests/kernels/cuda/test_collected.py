"""All other forms of loops as kernels for the GPU: reductions, folds, scans, row programs, graphs.

Everyday some kernels of each workload, in turn of every form; --full takes all that it makes.
"""

import json

import pytest

from tests.kernels.cuda import machine_code
from tests.kernels.llvm.test_collected import FORMS
from tests.support import ROOT, run_python

EVERYDAY = {"reductions": 16, "methods": 12, "rows": 9, "graphs": 10, "arrays": 16}


@pytest.mark.everyday(1 / 5)
@pytest.mark.parametrize("workload", EVERYDAY)
def test_collected_loops(workload, full):
    """What operators, methods and graphs come to: machine code as `proof` wants it, and the CPU's
    results where units are threads."""
    machine_code.required()
    count = 0 if full else EVERYDAY[workload]
    module = "tests.kernels.cuda.collected"
    printed = run_python("-m", module, workload, 5, count, cwd=ROOT, timeout=3600)
    found = [json.loads(line) for line in printed.splitlines()]
    assert {each["form"] for each in found} >= FORMS.get(workload, {"map", "rows"})
    assert len(found) == (count or found[0]["of"])
    assert [each["wrong"] for each in found if each["wrong"]] == []
