"""Files in LibSVM's format, "label index:value ...", which scikit-learn parses by blocks."""

import io
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.errors import DataError
from nbgraph.io.files import expand, extra, open_bytes
from nbgraph.io.iterator import SourceIter
from nbgraph.io.lines import TextFiles
from nbgraph.io.protocol import DataDesc
from nbgraph.io.source import Columns, Source, Values
from nbgraph.io.tables import PairedSource


class LibSVMIter(SourceIter):
    r"""Batches of rows of files in LibSVM's format, as dense arrays.

    Parameters
    ----------
    data_libsvm : str, path or sequence of these
        Files separated by ";", patterns, folders, or URLs that fsspec reads.
    data_shape : tuple of int
    label_libsvm : like data_libsvm, optional
        Files whose values are the labels, of `label_shape`, instead of the first word of each row.
    label_shape : tuple of int
    batch_size : int
    zero_based : bool
        Whether indices start at 0, as in MXNet, or at 1, as in LibSVM's tools.
    classes : int, optional
        The number of classes; with it, labels are int64.
    dtype : dtype
    **options : see SourceIter

    Raises
    ------
    DataError
        A file is absent, a row has another format, an index is out of bounds, or a label is not
        a class; the error has the row, its line and its byte offset.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp()) / "text"
    >>> _ = path.write_text("1 0:0.5 2:2\n0 1:1\n")
    >>> x, y = LibSVMIter(path, (3,), batch_size=2, classes=2).next()
    >>> x.tolist(), y.tolist()
    ([[0.5, 0.0, 2.0], [0.0, 1.0, 0.0]], [1, 0])
    """

    def __init__(
        self,
        data_libsvm: Any,
        data_shape: Sequence[int],
        label_libsvm: Any = None,
        label_shape: Sequence[int] = (1,),
        batch_size: int = 1,
        *,
        zero_based: bool = True,
        classes: int | None = None,
        dtype: Any = "float32",
        **options: Any,
    ) -> None:
        how: dict[str, Any] = {"zero_based": zero_based, "dtype": dtype}
        source: Source
        if label_libsvm is None:
            source = LibSVMSource(data_libsvm, data_shape, classes=classes, **how)
        else:
            first = LibSVMSource(data_libsvm, data_shape, label=None, **how)
            labels = LibSVMSource(
                label_libsvm, label_shape, data="label", label=None, every=first.every, **how
            )
            labels.labels = ("label",)
            source = PairedSource(first, labels)
        super().__init__(source, batch_size, **options)


class LibSVMSource(Source):
    """The rows of files in LibSVM's format; `label=None` omits the labels."""

    whole_blocks = True

    def __init__(
        self,
        uri: Any,
        shape: Sequence[int],
        *,
        data: str = "data",
        label: str | None = "label",
        zero_based: bool = True,
        classes: int | None = None,
        dtype: Any = "float32",
        every: int | None = None,
    ) -> None:
        self._read = extra(
            "sklearn.datasets", "scikit-learn", "data", "LibSVMIter"
        ).load_svmlight_file
        self.shape, self._zero_based, self._classes = tuple(shape), zero_based, classes
        files = [open_bytes(path) for path in expand(uri)]
        self._texts = TextFiles(files, every=every, ignored=b"#")
        self.name, self.every = self._texts.name, self._texts.every
        self.blocks, self.close = self._texts.blocks, self._texts.close
        descs = [DataDesc(data, self.shape, dtype)]
        if label is not None:
            descs.append(DataDesc(label, (), dtype if classes is None else "int64"))
            self.labels = (label,)
        self.descs = tuple(descs)

    def read(self, block: int, rows: Values) -> Columns:
        """Read a block, or some of its rows only."""
        whole = len(rows) == self.blocks[block + 1] - self.blocks[block]
        every = np.arange(len(rows)) if whole else rows
        try:
            values, labels = self._parsed(self._texts.text(block, None if whole else rows))
        except (ValueError, OverflowError) as error:
            raise self._row_fault(block, every) or DataError(str(error), file=self.name) from error
        if self._classes is not None:
            wrong = np.flatnonzero((labels < 0) | (labels >= self._classes))
            if len(wrong):
                reason = (
                    f"label {labels[wrong[0]]:g}; expected a class from 0 to {self._classes - 1}"
                )
                raise self._fault(block, int(every[wrong[0]]), reason)
        values = values.toarray().reshape(len(rows), *self.shape)
        columns = [values, labels][: len(self.descs)]
        typed = [c.astype(d.dtype, copy=False) for c, d in zip(columns, self.descs)]
        return tuple(column[rows] if whole else column for column in typed)

    def _parsed(self, text: bytes) -> Any:
        size = math.prod(self.shape)
        return self._read(io.BytesIO(text), n_features=size, zero_based=self._zero_based)

    def _row_fault(self, block: int, rows: Values) -> DataError | None:
        """Return an error for the first row that cannot be parsed, or None."""
        texts = self._texts.rows(block)
        for row in rows.tolist():
            try:
                self._parsed(texts[row])
            except (ValueError, OverflowError) as error:
                bounds = f"0 to {math.prod(self.shape) - 1}" if self._zero_based else "1 on"
                return self._fault(
                    block,
                    row,
                    f"{texts[row].strip()[:40].decode('utf-8', 'replace')!r}: {error}; expected "
                    f"'label index:value ...' with indices from {bounds}, by "
                    f"data_shape={self.shape} and zero_based={self._zero_based}",
                )
        return None

    def _fault(self, block: int, row: int, message: str) -> DataError:
        return self._texts.fault(block, row, f", {message}")
