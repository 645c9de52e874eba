"""Optimising by LLVM: what it leaves behind."""

import gc
import sys

import pytest

from nbgraph.codegen import optimise
from tests.memory.watch import resident

TEXT = """
define i64 @scaled(i64 %a) {
  %b = mul i64 %a, 3
  ret i64 %b
}
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize("loops", [True, False])
def test_optimising_again_and_again_keeps_no_passes(loops):
    """The passes of one module are 30 KB, 80 KB once they have run."""

    def optimise_some(count):
        for _ in range(count):
            optimise.optimised(TEXT, "scaled", loops=loops)
        gc.collect()
        return resident()

    before = optimise_some(30)
    assert optimise_some(200) - before < 200 * 15_000
