"""Parquet, Arrow and datasets: the same rows from each, block by block; what is wrong is named.

SYS-10, DIO-01 and X-DIO-03 of the checklist: sources of tables, parts, errors.
"""

from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import ArrowIter, ParquetIter, SourceIter, TableSource, as_iter
from nbgraph.io.arrow_source import RowGroups
from nbgraph.io.tables import Tables
from tests.io.sources import numbers_of

pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")
dataset = pytest.importorskip("pyarrow.dataset")


def table_of(count, holes=()):
    numbers = np.arange(count, dtype=np.float32)
    pixels = pa.FixedSizeListArray.from_arrays(pa.array(np.repeat(numbers, 6)), 6)
    holed = pa.array([None if k in holes else float(k) for k in range(count)], pa.float64())
    words = [list(range(k % 3 + 1)) for k in range(count)]
    return pa.table(
        {"pixels": pixels, "holed": holed, "words": words, "y": np.arange(count, dtype=np.int32)}
    )


def in_parquet(path, table, rows):
    parquet.write_table(table, path, row_group_size=rows)
    return ParquetIter


def in_arrow(path, table, rows, compression=None):
    options = pa.ipc.IpcWriteOptions(compression=compression)
    with pa.ipc.new_file(path, table.schema, options=options) as file:
        file.write_table(table, max_chunksize=rows)
    return ArrowIter


def packed_in_arrow(path, table, rows):
    return in_arrow(path, table, rows, "zstd")


def in_memory(path, table, rows):
    pieces = pa.Table.from_batches(table.to_batches(max_chunksize=rows), table.schema)
    return lambda path, **options: ArrowIter(pieces, **options)


FORMATS = [in_parquet, in_arrow, packed_in_arrow, in_memory]
formats = pytest.mark.parametrize("write", FORMATS)


@formats
@settings(max_examples=30)
@given(count=st.integers(1, 40), rows=st.integers(1, 12), shuffle=st.booleans(), data=st.data())
def test_every_format_gives_the_rows_of_the_table(
    tmp_path_factory, write, count, rows, shuffle, data
):
    holes = data.draw(st.sets(st.integers(0, count - 1)))
    path = tmp_path_factory.mktemp("tables") / "table"
    make = write(path, table_of(count, holes), rows)
    it = make(
        path, data={"x": "pixels", "z": ["holed", "y"]}, label="y", missing=-1,
        shapes={"x": (2, 3)}, batch_size=4, shuffle=shuffle, window=2, last_batch_handle="keep",
    )  # fmt: skip
    found = []
    for batch in it:
        x, z, y = batch
        numbers = batch.index
        assert x.shape[1:] == (2, 3) and (x.asnumpy() == numbers[:, None, None]).all()
        expected = [-1 if n in holes else n for n in numbers.tolist()]
        assert z[:, 0].tolist() == expected and z[:, 1].tolist() == y.tolist() == numbers.tolist()
        found += numbers.tolist()
    assert sorted(found) == list(range(count))
    it.close()


@formats
def test_lists_of_several_lengths(tmp_path, write):
    make = write(tmp_path / "table", table_of(5), 2)

    def padded(columns, draws):
        return (np.array([np.resize(row, 3) for row in columns[0]]),)

    it = make(tmp_path / "table", data="words", batch_size=5, transforms=[padded])
    assert it.next().data[0].tolist()[:3] == [[0, 0, 0], [0, 1, 0], [0, 1, 2]]
    it = make(tmp_path / "table", data="words", shapes={"data": (1,)}, batch_size=5)
    with pytest.raises(
        DataError, match=r"row 1, column 'words': 2 values; expected 1.*\(.*[tT]able"
    ):
        list(it)


@formats
def test_a_hole_is_named(tmp_path, write):
    make = write(tmp_path / "table", table_of(9, holes=[5]), 4)
    it = make(tmp_path / "table", data="holed", batch_size=3)
    assert it.next().index.tolist() == [0, 1, 2]
    with pytest.raises(
        DataError, match="row 5, column 'holed': the value is missing; give missing="
    ):
        it.next()
    assert it.next().index.tolist() == [6, 7, 8]
    skipping = make(
        tmp_path / "table", data="holed", batch_size=3, on_error="skip", last_batch_handle="keep"
    )
    with pytest.warns(UserWarning, match="1 samples of epoch 0"):
        assert numbers_of(skipping) == [0, 1, 2, 3, 4, 6, 7, 8]


@pytest.mark.parametrize(
    ("values", "shape"),
    [
        (pa.array([True, False]), ()),
        (pa.array([1, 2]).dictionary_encode(), ()),
        (pa.array([[[1, 2]], [[3, 4]]], pa.list_(pa.list_(pa.int8(), 2), 1)), (1, 2)),
        (pa.array([b"ab", b"cd"]), (-1,)),
        (pa.array([Decimal("1.5"), Decimal("2.5")]), ()),
        (pa.FixedShapeTensorArray.from_numpy_ndarray(np.arange(12.0).reshape(2, 3, 2)), (3, 2)),
        (pa.chunked_array([[1.0], [2.0]]), ()),
        (pa.array([[1.0], [], [2.0]], pa.large_list(pa.float32())).slice(1), (-1,)),
    ],
)
def test_kinds_of_columns(values, shape):
    source = as_iter(pa.table({"x": values})).source
    (column,) = source.read(0, np.arange(source.blocks[1]))
    assert source.descs[0].shape == shape
    expected = [np.frombuffer(v, "u1") if isinstance(v, bytes) else v for v in values.to_pylist()]
    if hasattr(values, "to_numpy_ndarray"):
        expected = values.to_numpy_ndarray()
    for own, other in zip(column[:1], expected):
        assert np.array_equal(own, np.asarray(other, own.dtype))


@pytest.mark.parametrize(
    ("columns", "options", "error", "told"),
    [
        ({"a": ["x"]}, {}, DataError, "column 'a' is text"),
        ({"a": [None]}, {}, DataError, "column 'a' is of type null"),
        ({"a": [1], "b": [[1, 2]]}, {}, DataError, "'b' has values of shape .-1,., which cannot"),
        ({"a": [1]}, {"data": "b"}, DataError, "no column 'b'; there are a"),
        ({"a": [1]}, {"data": []}, ArgumentError, "no column is named; there are a"),
        ({"a": [1]}, {"data": {"x": "a"}, "label": {"x": "a"}}, ArgumentError, "both name .* 'x'"),
        ({"a": [1, 2]}, {"shapes": {"data": (3,)}}, DataError, "a row has 1 values; expected 3"),
        ({"a": [[1, None]]}, {"data": "a"}, DataError, "row 0.*within the list is missing"),
        ({"a": [1, None]}, {"missing": 0.5, "dtype": None}, ArgumentError, "missing=0.5 is none"),
        ({"a": pa.array([], pa.int8())}, {}, DataError, "has no row"),
    ],
)
def test_tables_that_make_no_batch(columns, options, error, told):
    with pytest.raises(error, match=told):
        ArrowIter(pa.table(columns), batch_size=2, **options).next()


# files ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("write", "make"), [(in_parquet, ParquetIter), (in_arrow, ArrowIter)])
def test_files_that_cannot_be_read(tmp_path, write, make):
    path = tmp_path / "table"
    with pytest.raises(DataError, match="there is no file .*table: its folder is empty"):
        make(path)
    path.write_bytes(b"")
    with pytest.raises(DataError, match="is empty: it has 0 bytes"):
        make(path)
    path.write_bytes(b"nothing of the kind" * 9)
    with pytest.raises(DataError, match="not read as"):
        make(path)
    write(path, table_of(20), 5)
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 2])
    with pytest.raises(DataError, match="table"):
        make(path)


def test_a_damaged_row_group_is_named_and_the_others_are_read(tmp_path):
    path = tmp_path / "table.parquet"
    values = np.random.default_rng(0).normal(size=400)
    parquet.write_table(pa.table({"a": values}), path, row_group_size=100, compression="zstd")
    damaged = bytearray(path.read_bytes())
    place = parquet.ParquetFile(path).metadata.row_group(1).column(0)
    start = place.dictionary_page_offset or place.data_page_offset
    damaged[start + 40 : start + place.total_compressed_size] = bytes(
        place.total_compressed_size - 40
    )
    path.write_bytes(damaged)
    it = ParquetIter(path, data="a", batch_size=100)
    assert it.next().index[0] == 0
    with pytest.raises(DataError, match=r"row group 1: .*table.parquet"):
        it.next()
    assert it.next().data[0].tolist() == np.float64(values[200:300]).tolist()


def test_a_folder_of_folders_is_one_dataset(tmp_path):
    table = pa.table({"a": np.arange(12.0), "part": np.arange(12) // 4})
    dataset.write_dataset(
        table, tmp_path / "set", format="parquet", partitioning=["part"], partitioning_flavor="hive"
    )
    (tmp_path / "set" / "_SUCCESS").touch()
    expected = [[float(k), k // 4] for k in range(12)]
    for uri in (tmp_path / "set", dataset.dataset(tmp_path / "set", partitioning="hive")):
        it = ParquetIter(uri, data=["a", "part"], batch_size=12)
        assert sorted(it.next().data[0].tolist()) == expected
    it = ParquetIter(str(tmp_path / "set" / "part=1") + "/*;" + str(tmp_path / "set" / "part=0"))
    assert len(it.source) == 8


def test_files_that_are_elsewhere(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    for write, make in ((in_parquet, ParquetIter), (in_arrow, ArrowIter)):
        write(tmp_path / "table", table_of(6), 2)
        with fsspec.open("memory://folder/table", "wb") as stream:
            stream.write((tmp_path / "table").read_bytes())
        it = make("memory://folder/table", data="y", batch_size=6)
        assert it.next().data[0].tolist() == list(range(6))
    with pytest.raises(DataError):
        ParquetIter("memory://folder/none")


def test_files_of_several_columns(tmp_path):
    in_arrow(tmp_path / "1", pa.table({"a": [1]}), 1)
    in_arrow(tmp_path / "2", pa.table({"b": [1]}), 1)
    with pytest.raises(DataError, match="the columns are b; expected a, as in"):
        ArrowIter([tmp_path / "1", tmp_path / "2"])


# memory -----------------------------------------------------------------------------------------


class Counted(Tables):
    """Row groups that note which were read, and with what columns."""

    def __init__(self, path):
        self.own = RowGroups(path)
        self.name, self.schema, self.blocks = self.own.name, self.own.schema, self.own.blocks
        self.reads = []

    def table(self, block, columns):
        self.reads.append((block, tuple(columns)))
        return self.own.table(block, columns)


@pytest.mark.parametrize("shuffle", [False, True])
def test_a_row_group_is_read_once_an_epoch_when_its_turn_comes(tmp_path, shuffle):
    in_parquet(tmp_path / "table", table_of(40), 5)
    tables = Counted(tmp_path / "table")
    it = SourceIter(TableSource(tables, "y"), 5, shuffle=shuffle, window=2)
    taken = 0
    for _ in it:
        taken += 1
        window = 2 if shuffle else 1
        assert len(tables.reads) <= -(-taken // window) * window + 1
    assert sorted(tables.reads) == [(k, ("y",)) for k in range(8)]


def test_a_part_reads_its_own_row_groups(tmp_path):
    in_parquet(tmp_path / "table", table_of(40), 5)
    tables = Counted(tmp_path / "table")
    it = SourceIter(TableSource(tables, "y"), 5, part=1, of=4)
    assert numbers_of(it) == list(range(10, 20))
    assert [block for block, _ in tables.reads] == [2, 3]
