"""The Numba emitter: a loop description becomes readable Python source.

The text is what a person would have written by hand: pointers from the argument record, an
inner loop from 0 that LLVM vectorises, the scalar body inside. It is kept on the kernel.
"""

from __future__ import annotations

from nbgraph.kernels.loops.loop import Form, Loop
from nbgraph.kernels.loops.writer import Source as Source
from nbgraph.kernels.scalar.graph import GROWING
from nbgraph.scopes import load

_WRITERS: dict[Form, str] = {  # by name, as a process needs few of them
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
    """Return the source of a loop's kernel."""
    room, name = _WRITERS[loop.form].split(".")
    writer = getattr(load(f"nbgraph.kernels.loops.{room}"), name)
    with GROWING:
        source: Source = writer(loop).source()
    return source
