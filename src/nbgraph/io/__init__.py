"""Data in: batches of samples from arrays, files and streams, in a seeded order.

>>> import numpy as np, nbgraph as ng
>>> it = ng.io.NDArrayIter(np.arange(6.0), np.arange(6), batch_size=4, shuffle=True, seed=3)
>>> for batch in it:
...     print(batch.data[0].shape, batch.pad)
(4,) 0
(4,) 2
"""

from nbgraph.io.adapt import as_iter as as_iter
from nbgraph.io.arrays import Batches as Batches
from nbgraph.io.arrays import NDArrayIter as NDArrayIter
from nbgraph.io.iterator import SourceIter as SourceIter
from nbgraph.io.protocol import DataBatch as DataBatch
from nbgraph.io.protocol import DataDesc as DataDesc
from nbgraph.io.protocol import DataIter as DataIter
from nbgraph.io.source import ArraySource as ArraySource
from nbgraph.io.source import Source as Source
from nbgraph.io.source import Stream as Stream
