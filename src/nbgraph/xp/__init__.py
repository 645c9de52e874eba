"""nbgraph under the names of the Array API standard, version 2025.12.

Code written for the standard takes NDArrays: `x.__array_namespace__()` is this module. Functions
have the standard's names and signatures and are the library's operators; arrays are asynchronous,
and what needs values (`bool(x)`, `nonzero`, boolean indexing) waits for them.

The extensions are `xp.linalg` and `xp.fft`. The default floating dtype is
`ng.config.default_float`, float32 unless set; the default integer dtype is int64.

>>> from nbgraph import xp
>>> x = xp.reshape(xp.arange(6, dtype=xp.float32), (2, 3))
>>> xp.sum(x, axis=0)
array([3., 5., 7.], dtype=float32)
>>> x.__array_namespace__() is xp
True
"""

import math
from types import SimpleNamespace
from typing import Any as Any

import numpy as np

from nbgraph import ops as ops
from nbgraph.array import NDArray as NDArray
from nbgraph.array import dlpack as dlpack
from nbgraph.device import Context as Context
from nbgraph.operator.declared import TYPES, define, parse
from nbgraph.ops.dispatch.table import function_for
from nbgraph.xp import dtypes, functions, info
from nbgraph.xp import fft as fft
from nbgraph.xp import linalg as linalg
from nbgraph.xp.dtypes import *
from nbgraph.xp.functions import *
from nbgraph.xp.functions import UniqueAll as UniqueAll
from nbgraph.xp.functions import UniqueCounts as UniqueCounts
from nbgraph.xp.functions import UniqueInverse as UniqueInverse
from nbgraph.xp.info import *
from nbgraph.xp.table import FUNCTIONS

_TYPES = {**TYPES, **dict.fromkeys(("x", "x1", "x2"), "NDArray")}
_names = define(parse(FUNCTIONS, "ops"), globals(), "NDArray", types=_TYPES)
e = math.e
inf = math.inf
nan = math.nan
newaxis = None
pi = math.pi

__array_api_version__ = "2025.12"

_BEYOND = frozenset("concatenate cross einsum gradient pad quantile transpose".split())


def __getattr__(name: str) -> Any:
    """Return a function of NumPy that the standard lacks, but xarray needs from namespaces."""
    if name == "lib":
        windows = function_for(np.lib.stride_tricks.sliding_window_view)
        assert windows is not None
        return SimpleNamespace(stride_tricks=SimpleNamespace(sliding_window_view=windows.call))
    row = function_for(getattr(np, name)) if name in _BEYOND else None
    if row is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return row.call


def __dir__() -> list[str]:
    """Return the names of the standard."""
    special = "__array_api_version__ e fft inf linalg nan newaxis pi".split()
    return [*_names, *dtypes.__all__, *functions.__all__, *info.__all__, *special]
