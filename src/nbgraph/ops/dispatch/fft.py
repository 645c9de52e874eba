"""`numpy.fft` on carriers: the functions of `ng.fft`, with NumPy's names and options."""

from nbgraph.ops import fft
from nbgraph.ops.dispatch.table import Function

FUNCTIONS = {name: Function("ours", "derived", getattr(fft, name)) for name in dir(fft)}
