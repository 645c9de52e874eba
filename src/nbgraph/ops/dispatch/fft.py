"""`numpy.fft` on carriers: the functions of `ng.fft`, with NumPy's names and options."""

import functools
from typing import Any

from nbgraph.ops import fft
from nbgraph.ops.define import library
from nbgraph.ops.dispatch.table import Function


def _row(function: Any) -> Function:
    @functools.wraps(function)
    def call(*args: Any, out: Any = None, **options: Any) -> Any:
        result = function(*args, **options)
        return result if out is None else library.copy(result, out=out)

    return Function("ours", "derived", call)


FUNCTIONS = {name: _row(getattr(fft, name)) for name in dir(fft)}
