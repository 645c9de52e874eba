"""`ng.fft`: NumPy's and the Array API's discrete Fourier transforms, asynchronous, with gradients.

pocketfft computes them, on the host, by `numpy.fft`; in graphs and `ng.jit` they are rows that call
it. float32 gives complex64; integers count as float64.

>>> import nbgraph as ng
>>> ng.fft.rfft(ng.array([1.0, 0.0, 0.0, 0.0]))
array([1.+0.j, 1.+0.j, 1.+0.j], dtype=complex64)
"""

import importlib
from typing import Any


def __getattr__(name: str) -> Any:
    """Return a function, which loads at its first use (PEP 562)."""
    transforms = importlib.import_module("nbgraph.ops.fft.transforms")
    if name not in transforms.NAMES:
        raise AttributeError(f"module 'nbgraph.fft' has no attribute {name!r}")
    value = globals()[name] = getattr(transforms, f"fft_{name}")
    return value


def __dir__() -> list[str]:
    return sorted(importlib.import_module("nbgraph.ops.fft.transforms").NAMES)
