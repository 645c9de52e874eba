"""CSV files: columns by name, MXNet's spelling, holes, and what is told of rows that are wrong.

SYS-10, DIO-01 and X-DIO-03 of the checklist: CSVIter and its error case, parts.
"""

import numpy as np
import pytest

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import CSVIter
from nbgraph.io import lines as lines_room
from tests.io.sources import numbers_of

FLOWERS = "long,wide,kind\n5.1,3.5,0\n4.9,,1\n4.7,3.2,1\n"


@pytest.fixture
def write(tmp_path):
    def written(text, name="table.csv"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, newline="")
        return path

    return written


@pytest.mark.parametrize(
    ("data", "label", "shapes"),
    [
        (["long", "wide"], "kind", {"data": (3, 2), "label": (3,)}),
        (None, "kind", {"data": (3, 2), "label": (3,)}),
        ("long", "kind", {"data": (3,), "label": (3,)}),
        ({"a": "long", "b": ["wide"]}, {"y": "kind"}, {"a": (3,), "b": (3, 1), "y": (3,)}),
        (None, None, {"data": (3, 3)}),
    ],
)
def test_columns_by_name(write, data, label, shapes):
    it = CSVIter(write(FLOWERS), data=data, label=label, missing=-1.0, batch_size=3)
    batch = it.next()
    assert [array.shape for array in batch] == list(shapes.values())
    assert [desc.name for desc in (*it.provide_data, *it.provide_label)] == list(shapes)
    assert len(batch.label) == (0 if label is None else 1)
    assert all(array.dtype == "float32" for array in batch.data)
    if label is not None:
        assert batch.label[0].tolist() == [0, 1, 1] and batch.label[0].dtype == "int64"


@pytest.mark.parametrize("missing", [7.0, {"wide": 7.0}])
def test_holes_take_the_stated_value(write, missing):
    it = CSVIter(write(FLOWERS), data=["wide"], missing=missing, batch_size=3)
    assert it.next().data[0].asnumpy().ravel().tolist() == np.float32([3.5, 7, 3.2]).tolist()


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a,b,y\n1,2,0\n\n3,,1\n", r"row 1 \(line 4\), column 'b': the value is missing"),
        ("a,b,y\n1,2,0\n3,x,1\n", r"row 1 \(line 3\), column 'b': 'x' is not a number"),
        ("a,b,y\n1,2,0\n3,4\n", r"row 1 \(line 3\) has 2 columns; expected 3: a, b, y"),
        ("a,b,y\n1,2,0\n3,4,5,6\n", r"row 1 \(line 3\) has 4 columns"),
        ("a,b,y\n1,2,0\n3,4,9\n", r"row 1 \(line 3\), column 'y': label 9; .* from 0 to 2"),
        ("a,b,y\n1,2,0\n3,4,-1\n", r"row 1 .* label -1"),
        ("a,b,y\n1,2,0\n3,1_0,1\n", r"row 1 .* '1_0' is not a number"),
    ],
)
def test_a_row_that_is_wrong_is_named(write, text, told):
    it = CSVIter(write(text), label="y", batch_size=2, classes=3)
    with pytest.raises(DataError, match=told + r".*table.csv, byte \d+") as caught:
        it.next()
    assert caught.value.record == 1


def test_an_error_is_told_once_and_the_iterator_goes_on(write):
    rows = [f"{k},{'x' if k == 3 else k}\n" for k in range(8)]
    it = CSVIter(write("a,b\n" + "".join(rows)), batch_size=2)
    assert it.next().data[0].tolist() == [[0, 0], [1, 1]]
    with pytest.raises(DataError, match="row 3"):
        it.next()
    assert numbers_of(it) == [4, 5, 6, 7]


def test_rows_that_are_wrong_are_left_out(write):
    bad = {3: "3,x\n", 5: "5\n", 6: "6,\n"}
    rows = [bad.get(k, f"{k},{k}\n") for k in range(8)]
    it = CSVIter(
        write("a,b\n" + "".join(rows)), batch_size=4, on_error="skip", last_batch_handle="keep"
    )
    with pytest.warns(UserWarning, match="3 samples of epoch 0"):
        assert numbers_of(it) == [0, 1, 2, 4, 7]


@pytest.mark.parametrize(
    ("label", "told"),
    [("y", "column 'y' is text; .*classes="), ("z", "no column 'z'; there are a, y")],
)
def test_columns_that_make_no_array(write, label, told):
    with pytest.raises(DataError, match=told):
        CSVIter(write("a,y\n1,cat\n2,dog\n"), label=label)


def test_classes_by_their_names(write):
    path = write("a,y\n1,dog\n2,cat\n3,cow\n")
    it = CSVIter(path, label="y", classes=["cat", "dog", "cow"], batch_size=3)
    assert it.next().label[0].tolist() == [1, 0, 2]
    it = CSVIter(path, label="y", classes=["cat", "dog"], batch_size=3)
    with pytest.raises(DataError, match=r"row 2 \(line 4\), column 'y': 'cow' is not a class"):
        it.next()
    with pytest.raises(DataError, match="not text; give classes=2"):
        CSVIter(path, label="a", data={}, classes=["cat", "dog"])


def test_whole_numbers_that_end(write, monkeypatch):
    monkeypatch.setattr(lines_room, "BLOCK", 8)
    path = write("a,y\n1,0\n2,1\n3,0.5\n")
    it = CSVIter(path, label="y", batch_size=3)
    with pytest.raises(DataError, match=r"'0.5' is not a whole number.*dtype="):
        it.next()
    it = CSVIter(path, label="y", batch_size=3, dtype={"label": "float32"})
    assert it.next().label[0].tolist() == [0, 1, 0.5]


# MXNet's spelling -------------------------------------------------------------------------------


def test_samples_of_a_shape_and_labels_of_another_file(write, monkeypatch):
    monkeypatch.setattr(lines_room, "BLOCK", 16)
    values = np.arange(24).reshape(6, 2, 2)
    data = "".join(",".join(map(str, row.ravel())) + "\n" for row in values)
    paths = write(data, "data.csv"), write("".join(f"{k}.5\n" for k in range(6)), "label.csv")
    it = CSVIter(
        data_csv=paths[0], data_shape=(2, 2), label_csv=paths[1], label_shape=(1,), batch_size=4
    )
    assert it.provide_data == [("data", (4, 2, 2))] and it.provide_label == [("label", (4, 1))]
    batches = list(it)
    assert (np.concatenate([b.data[0] for b in batches])[:6] == values).all()
    assert batches[1].label[0].asnumpy().ravel().tolist() == [4.5, 5.5, 0.5, 1.5]
    assert batches[1].pad == 2


@pytest.mark.parametrize(
    ("data", "label", "shape", "error", "told"),
    [
        ("1,2\n3,4\n", "1\n", (2,), DataError, "has 2 rows and .* has 1"),
        ("a,b\n3,4\n", None, (2,), DataError, "row 0 .line 1., column '0': 'a' is not a number"),
        ("1,2\n3,4\n", None, (3,), DataError, "row 0 .* has 2 columns; expected 3"),
    ],
)
def test_files_without_names_that_do_not_fit(write, data, label, shape, error, told):
    label = None if label is None else write(label, "label.csv")
    with pytest.raises(error, match=told):
        CSVIter(write(data), shape, label, batch_size=2).next()


@pytest.mark.parametrize(
    "options",
    [{"data_shape": (2,), "label": "b"}, {"label_csv": "x.csv"}, {"label": ["a"], "data": {}}],
)
def test_spellings_are_not_mixed(write, options):
    path = write("a,b\n1,2\n")
    if "data" in options:
        assert CSVIter(path, **options).next().label[0].shape == (1, 1)
    else:
        with pytest.raises(ArgumentError, match="CSVIter: "):
            CSVIter(path, **options)


# files ------------------------------------------------------------------------------------------


def test_several_files_are_one(write):
    first, second = write("a,b\n1,2\n", "1.csv"), write("b,a\n4,3\n6,5\n", "2.csv")
    expected = [[1, 2], [3, 4], [5, 6]]
    for uri in (f"{first};{second}", [first, second], str(first.parent / "[12].csv")):
        it = CSVIter(uri, data=["a", "b"], batch_size=3)
        assert it.next().data[0].tolist() == expected
    with pytest.raises(DataError, match="the columns are a, c; expected a, b, as in"):
        CSVIter([first, write("a,c\n1,2\n", "3.csv")])


def test_files_that_are_elsewhere(write):
    fsspec = pytest.importorskip("fsspec")
    with fsspec.open("memory://folder/table.csv", "w") as stream:
        stream.write(FLOWERS)
    it = CSVIter("memory://folder/table.csv", label="kind", missing=0, batch_size=3)
    assert it.next().label[0].tolist() == [0, 1, 1]


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("tabel.csv", r"there is no file .*tabel.csv: its folder has table.csv"),
        ("none/a.csv", "its folder is not there"),
        ("empty.csv", "is empty: it has 0 bytes"),
        ("names.csv", "has no row"),
        ("twice.csv", "two columns are named 'a'"),
    ],
)
def test_files_that_cannot_be_read(write, tmp_path, name, told):
    for text, other in (
        (FLOWERS, "table"),
        ("", "empty"),
        ("a,b\n", "names"),
        ("a,a\n1,2\n", "twice"),
    ):
        write(text, f"{other}.csv")
    with pytest.raises(DataError, match=told):
        CSVIter(tmp_path / name)


@pytest.mark.parametrize("of", [1, 2, 3, 7])
def test_parts_are_disjoint_and_complete(write, monkeypatch, of):
    monkeypatch.setattr(lines_room, "BLOCK", 64)
    path = write("a\n" + "".join(f"{k}\n" for k in range(50)))
    found = []
    for part in range(of):
        it = CSVIter(path, batch_size=3, shuffle=True, part=part, of=of, last_batch_handle="keep")
        for batch in it:
            assert batch.data[0].asnumpy().ravel().tolist() == batch.index.tolist()
            found += batch.index.tolist()
    assert sorted(found) == list(range(50))
