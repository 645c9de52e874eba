"""Optimising by LLVM: what it leaves behind."""

import gc
import sys

import pytest

from nbgraph.codegen import optimise
from nbgraph.kernels.vector_math import texts
from tests.memory.watch import resident

TEXT = """
define i64 @scaled(i64 %a) {
  %b = mul i64 %a, 3
  ret i64 %b
}
"""


CALLING = """
define float @logarithm(float %a) {
  %b = call float @m_log_float32(float %a)
  ret float %b
}
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("text", "loops", "most"),
    [(TEXT, True, 15_000), (TEXT, False, 15_000), (CALLING, True, 8_000)],
    ids=["loops", "none", "instructions"],
)
def test_optimising_again_and_again_keeps_no_passes(text, loops, most):
    """The passes of one module are 30 KB, 80 KB once they have run; the few that inline a
    processor's instructions 10 KB."""
    mathematics = texts.texts([("log", "float32")]) if text is CALLING else ""

    def optimise_some(count):
        for _ in range(count):
            optimise.optimised(text + mathematics, "scaled", loops=loops)
        gc.collect()
        return resident()

    before = optimise_some(30)
    assert optimise_some(200) - before < 200 * most
