"""nbgraph under the names of the Array API standard, version 2024.12.

Code written for the standard takes NDArrays: `x.__array_namespace__()` is this module. Functions
have the standard's names and signatures and are the library's operators; arrays are asynchronous,
and what needs values (`bool(x)`, `nonzero`, boolean indexing) waits for them.

Not here: complex dtypes, and the extensions linalg and fft. The default floating dtype is
`ng.config.default_float`, float32 unless set; the default integer dtype is int64.

>>> from nbgraph import xp
>>> x = xp.reshape(xp.arange(6, dtype=xp.float32), (2, 3))
>>> xp.sum(x, axis=0)
array([3., 5., 7.], dtype=float32)
>>> x.__array_namespace__() is xp
True
"""

from __future__ import annotations

import math

from nbgraph.xp.creation import *
from nbgraph.xp.dtypes import *
from nbgraph.xp.elementwise import *
from nbgraph.xp.info import *
from nbgraph.xp.linear_algebra import *
from nbgraph.xp.manipulation import *
from nbgraph.xp.reductions import *
from nbgraph.xp.searching import *

e = math.e
inf = math.inf
nan = math.nan
newaxis = None
pi = math.pi

__array_api_version__ = "2024.12"
