"""LibSVM's text, by MXNet's spelling; what is told of rows that are wrong (X-DIO-03)."""

import numpy as np
import pytest

from nbgraph.errors import DataError
from nbgraph.io import LibSVMIter
from nbgraph.io import lines as lines_room
from tests.io.sources import numbers_of

pytest.importorskip("sklearn")


@pytest.fixture
def write(tmp_path):
    def written(text, name="data.txt"):
        (tmp_path / name).write_text(text)
        return tmp_path / name

    return written


@pytest.mark.parametrize("zero_based", [False, True])
@pytest.mark.parametrize("shuffle", [False, True])
def test_rows_are_dense_arrays(write, monkeypatch, zero_based, shuffle):
    monkeypatch.setattr(lines_room, "BLOCK", 32)
    values = np.random.default_rng(0).integers(0, 3, (20, 2, 3))
    rows = ["# a note"]
    for k, row in enumerate(values):
        cells = [f"{i + 1 - zero_based}:{v}" for i, v in enumerate(row.ravel()) if v]
        rows.append(" ".join([str(k), *cells]))
    it = LibSVMIter(
        write("\n".join(rows)), (2, 3), batch_size=6, shuffle=shuffle, zero_based=zero_based,
        classes=20, last_batch_handle="keep",
    )  # fmt: skip
    found = []
    for batch in it:
        x, y = batch
        assert (x.asnumpy() == values[batch.index]).all() and x.dtype == "float32"
        assert y.tolist() == batch.index.tolist() and y.dtype == "int64"
        found += y.tolist()
    assert sorted(found) == list(range(20)) and (shuffle or found == list(range(20)))


def test_labels_of_another_file(write):
    data, label = write("0 0:1 1:2\n0 1:3\n"), write("0 0:5\n0 0:6\n", "label.txt")
    it = LibSVMIter(data, (2,), label, (1,), batch_size=2)
    assert it.provide_label == [("label", (2, 1))]
    assert [array.tolist() for array in it.next()] == [[[1, 2], [0, 3]], [[5], [6]]]
    with pytest.raises(DataError, match="has 2 rows and .* has 1"):
        LibSVMIter(data, (2,), write("0 0:5\n", "label.txt"))


@pytest.mark.parametrize(
    ("row", "told"),
    [
        ("1 0:1 x", "'1 0:1 x': .*expected 'label index:value ...'"),
        ("1 0:a", "could not convert"),
        ("y 0:1", "could not convert"),
        ("1 99999999999999999999:1", "indices from 0 to 1, by data_shape=.2,. and zero_based=True"),
        ("1 2:1", "indices from 0 to 1, by data_shape=.2,. and zero_based=True"),
        ("3 0:1", "label 3; expected a class from 0 to 1"),
    ],
)
def test_a_row_that_is_wrong_is_named(write, row, told):
    path = write(f"1 0:1\n\n{row}\n0 1:1\n")
    it = LibSVMIter(path, (2,), batch_size=3, classes=2)
    with pytest.raises(DataError, match=r"row 1 \(line 3\), .*" + told + ".*data.txt, byte 7"):
        it.next()
    it = LibSVMIter(path, (2,), batch_size=2, classes=2, on_error="skip", last_batch_handle="keep")
    with pytest.warns(UserWarning, match="1 samples"):
        assert numbers_of(it) == [0, 2]


def test_files_that_cannot_be_read(write, tmp_path):
    with pytest.raises(DataError, match="there is no file"):
        LibSVMIter(tmp_path / "none", (2,))
    with pytest.raises(DataError, match="has no row"):
        LibSVMIter(write("# nothing\n"), (2,))
