"""A loop description as the text of a kernel for the GPU."""

from nbgraph.errors import CompileError
from nbgraph.kernels.cuda.grid import Grid
from nbgraph.kernels.cuda.maps import Map
from nbgraph.kernels.cuda.reductions import At, Fold, Leading, Reduce, Totals
from nbgraph.kernels.cuda.rows import Columns, Rows
from nbgraph.kernels.cuda.writer import Device
from nbgraph.kernels.loops.loop import Form, Loop
from nbgraph.kernels.loops.writer import Source
from nbgraph.kernels.scalar.graph import GROWING

_WRITERS: dict[Form, type[Device]] = {
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


def emit(loop: Loop, grid: Grid) -> Source:
    """Return the source of a loop's kernel for a grid."""
    writer = _WRITERS.get(loop.form)
    if writer is None:
        raise CompileError(f"{loop.name}: there is no GPU form of a loop of form {loop.form!r}")
    with GROWING:
        return writer(loop, grid).source()
