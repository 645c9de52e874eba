"""Data in: batches of samples from arrays, files and streams, in a seeded order.

>>> import numpy as np, nbgraph as ng
>>> it = ng.io.NDArrayIter(np.arange(6.0), np.arange(6), batch_size=4, shuffle=True, seed=3)
>>> for batch in it:
...     print(batch.data[0].shape, batch.pad)
(4,) 0
(4,) 2
"""

from nbgraph._listing import public_names
from nbgraph.foreign import missing
from nbgraph.io.adapt import as_iter as as_iter
from nbgraph.io.arrays import Batches as Batches
from nbgraph.io.arrays import NDArrayIter as NDArrayIter
from nbgraph.io.arrow_source import ArrowIter as ArrowIter
from nbgraph.io.arrow_source import ParquetIter as ParquetIter
from nbgraph.io.chunked import ChunkedSource as ChunkedSource
from nbgraph.io.chunked import PartitionSource as PartitionSource
from nbgraph.io.csv_source import CSVIter as CSVIter
from nbgraph.io.image_folder import ImageFolderIter as ImageFolderIter
from nbgraph.io.image_folder import ImageFolderSource as ImageFolderSource
from nbgraph.io.images import ImageDecoder as ImageDecoder
from nbgraph.io.iterator import SourceIter as SourceIter
from nbgraph.io.libsvm_source import LibSVMIter as LibSVMIter
from nbgraph.io.packing import IRHeader as IRHeader
from nbgraph.io.packing import pack as pack
from nbgraph.io.packing import pack_img as pack_img
from nbgraph.io.packing import unpack as unpack
from nbgraph.io.packing import unpack_img as unpack_img
from nbgraph.io.peek import Peek as Peek
from nbgraph.io.prefetch import PrefetchingIter as PrefetchingIter
from nbgraph.io.protocol import DataBatch as DataBatch
from nbgraph.io.protocol import DataDesc as DataDesc
from nbgraph.io.protocol import DataIter as DataIter
from nbgraph.io.record_source import RecordIter as RecordIter
from nbgraph.io.record_source import RecordSource as RecordSource
from nbgraph.io.recordio import MXIndexedRecordIO as MXIndexedRecordIO
from nbgraph.io.recordio import MXRecordIO as MXRecordIO
from nbgraph.io.sequences import BucketSentenceIter as BucketSentenceIter
from nbgraph.io.sequences import SequenceSource as SequenceSource
from nbgraph.io.source import ArraySource as ArraySource
from nbgraph.io.source import Source as Source
from nbgraph.io.source import Stream as Stream
from nbgraph.io.splits import InputSplit as InputSplit
from nbgraph.io.streams import DatasetSource as DatasetSource
from nbgraph.io.streams import IterableStream as IterableStream
from nbgraph.io.tables import TableSource as TableSource

__dir__ = public_names(globals(), "transforms")
__getattr__ = missing("ng.io", globals())
