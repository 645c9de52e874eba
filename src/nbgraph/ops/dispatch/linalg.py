"""`numpy.linalg` on carriers: the functions of `ng.linalg`, with NumPy's names and options."""

from nbgraph.ops import linalg
from nbgraph.ops.dispatch.table import Function

FUNCTIONS = {name: Function("ours", "derived", getattr(linalg, name)) for name in dir(linalg)}
