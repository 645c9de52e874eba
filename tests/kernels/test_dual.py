"""Functions with loops, compiled over dual numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.kernels.dual import compiled


def looped(x):
    s = x
    for _ in range(5):
        s = s * x + 3 * x / 7 - 0.1
        if s > 1:
            s = s / 3
    return s


@given(st.floats(-4, 4, width=32))
def test_literals_do_not_widen_float32(x):
    """MFU-03: the bits of the same steps in NumPy's float32."""
    x = np.float32(x)
    assert np.float32(compiled(looped, None, (), "float32")(x)).tobytes() == looped(x).tobytes()
