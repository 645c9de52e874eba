"""The Numba emitter: a loop description becomes readable Python source.

The text is what a person would have written by hand: pointers from the argument record, an
inner loop from 0 that LLVM vectorises, the scalar body inside. It is kept on the kernel.
"""

from __future__ import annotations

from nbgraph.kernels.columns import Columns
from nbgraph.kernels.forms import Map, Reduce
from nbgraph.kernels.loops import Form, Loop
from nbgraph.kernels.rows import Rows
from nbgraph.kernels.scalar import GROWING
from nbgraph.kernels.totals import At, Fold, Leading, Totals
from nbgraph.kernels.writer import Source, Writer

_WRITERS: dict[Form, type[Writer]] = {
    "map": Map,
    "reduce": Reduce,
    "totals": Totals,
    "leading": Leading,
    "fold": Fold,
    "scan": Fold,
    "at": At,
    "rows": Rows,
    "columns": Columns,
}


def emit(loop: Loop) -> Source:
    """Return the source of a loop's kernel."""
    with GROWING:
        return _WRITERS[loop.form](loop).source()


__all__ = ["Source", "emit"]
