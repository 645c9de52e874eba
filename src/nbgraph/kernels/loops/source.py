"""The Numba emitter: turns a loop description into readable Python source.

The text is as one would write by hand: pointers from the argument record, an inner loop from 0 that
LLVM vectorises, the scalar body inside. The kernel keeps it.
"""

from nbgraph.kernels.loops.loop import Form, Loop
from nbgraph.kernels.loops.writer import Source as Source
from nbgraph.kernels.scalar.graph import GROWING
from nbgraph.scopes import load

_WRITERS: dict[Form, str] = {  # by name, as a process imports only those it needs
    "map": "forms.Map",
    "reduce": "forms.Reduce",
    "totals": "totals.Totals",
    "leading": "totals.Leading",
    "fold": "totals.Fold",
    "scan": "totals.Fold",
    "at": "totals.At",
    "rows": "rows.Rows",
    "columns": "columns.Columns",
}


def emit(loop: Loop) -> Source:
    """Return the source text of a loop's kernel."""
    room, name = _WRITERS[loop.form].split(".")
    writer = getattr(load(f"nbgraph.kernels.loops.{room}"), name)
    with GROWING:
        source: Source = writer(loop).source()
    return source
