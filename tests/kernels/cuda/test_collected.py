"""All other forms of loops as kernels for the GPU: reductions, folds, scans, row programs, graphs.

Everyday some kernels of each workload, in turn of every form; --full takes all that it makes.
"""

import json
import subprocess
import sys

import pytest

from tests.kernels.cuda import machine_code
from tests.kernels.llvm.test_collected import FORMS
from tests.support import ROOT

EVERYDAY = {"reductions": 16, "methods": 12, "rows": 9, "graphs": 10, "arrays": 16}


@pytest.mark.everyday(1 / 5)
@pytest.mark.parametrize("workload", EVERYDAY)
def test_collected_loops(workload, full):
    """What operators, methods and graphs come to: machine code as `proof` wants it, and the CPU's
    results where units are threads."""
    machine_code.required()
    count = 0 if full else EVERYDAY[workload]
    child = subprocess.run(
        [sys.executable, "-m", "tests.kernels.cuda.collected", workload, "5", str(count)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=3600,
        check=False,
    )
    assert child.returncode == 0, child.stderr
    found = [json.loads(line) for line in child.stdout.splitlines()]
    assert {each["form"] for each in found} >= FORMS.get(workload, {"map", "rows"})
    assert len(found) == (count or found[0]["of"])
    assert [each["wrong"] for each in found if each["wrong"]] == []
