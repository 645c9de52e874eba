"""Whether machine code for the GPU can be made here."""

import pytest

from nbgraph.kernels.cuda import machine


def required():
    """Skip where NVIDIA's linker is not installed; `scripts/test` installs it."""
    if machine.library() is None:
        pytest.skip(f"no nvJitLink for machine code: pip install '{machine.PACKAGE}'")
