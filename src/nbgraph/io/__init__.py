"""Data loading: batches of samples from arrays, files and streams, in a seeded order.

>>> import numpy as np, nbgraph as ng
>>> it = ng.io.NDArrayIter(np.arange(6.0), np.arange(6), batch_size=4, shuffle=True, seed=3)
>>> for batch in it:
...     print(batch.data[0].shape, batch.pad)
(4,) 0
(4,) 2
"""

from nbgraph._listing import bring
from nbgraph.foreign import published

_PLACES = """
adapt as_iter
arrays Batches NDArrayIter
arrow_source ArrowIter ParquetIter
chunked ChunkedSource PartitionSource
csv_source CSVIter
image_folder ImageFolderIter ImageFolderSource
images ImageDecoder
iterator SourceIter
libsvm_source LibSVMIter
packing IRHeader pack pack_img unpack unpack_img
peek Peek
prefetch PrefetchingIter
protocol DataBatch DataDesc DataIter
record_source RecordIter RecordSource
recordio MXIndexedRecordIO MXRecordIO
sequences BucketSentenceIter SequenceSource
source ArraySource Source Stream
splits InputSplit
streams DatasetSource IterableStream
tables TableSource
"""
bring(globals(), _PLACES)

__dir__, __getattr__ = published("ng.io", globals(), "transforms")
