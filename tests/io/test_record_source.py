"""Files of records as sources of batches."""

import functools
import pickle
import tracemalloc
from pathlib import Path

import numpy as np
import pytest

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import (
    MXIndexedRecordIO,
    MXRecordIO,
    RecordIter,
    RecordSource,
    pack,
    pack_img,
    record_source,
)

MAGIC = bytes.fromhex("0a23d7ce")


@pytest.fixture(scope="module", params=["label", "labels", "none"])
def vectors(request, tmp_path_factory):
    """Two files of 11 vectors together, with a label, three labels or no header."""
    folder = tmp_path_factory.mktemp("vectors")
    values = np.arange(22, dtype="<i2").reshape(11, 2)
    for name, chosen in (("a", range(7)), ("b", range(7, 11))):
        with MXRecordIO(folder / f"{name}.rec", "w") as file:
            for i in chosen:
                label = i / 2 if request.param == "label" else [i, -i, 0.5]
                payload = values[i].tobytes()
                file.write(payload if request.param == "none" else pack((0, label, i, 0), payload))
    rows = np.arange(11, dtype=np.float32)
    labels = {
        "label": rows / 2,
        "labels": np.stack([rows, -rows, rows * 0 + 0.5], 1),
        "none": None,
    }[request.param]
    return folder, values, labels


def all_of(it):
    batches = list(it)
    return [np.concatenate([b[k].asnumpy() for b in batches]) for k in range(len(batches[0]))]


@pytest.mark.parametrize("block", [1 << 16, 3])
def test_arrays_of_one_length(vectors, block, monkeypatch):
    folder, values, labels = vectors
    monkeypatch.setattr(record_source, "_BLOCK_SAMPLES", block)
    options = {"decode": "raw", "shape": (2,), "dtype": "int16", "packed": labels is not None}
    found = all_of(RecordIter(folder, 4, last_batch_handle="keep", **options))
    assert np.array_equal(found[0], values)
    if labels is not None:
        assert np.array_equal(found[1], labels)
    order = RecordIter(folder, 4, shuffle=True, seed=1, last_batch_handle="keep", **options)
    index = np.concatenate([b.index for b in order])
    assert np.array_equal(all_of(order)[0].shape, values.shape)
    order.reset()
    assert sorted(index.tolist()) == list(range(11))
    parts = [
        RecordIter(folder, 11, part=k, of=3, last_batch_handle="keep", **options) for k in range(3)
    ]
    assert np.array_equal(np.concatenate([all_of(p)[0] for p in parts]), values)


def test_copies_and_single_records_agree(vectors):
    folder, values, labels = vectors
    options = {"shape": (2,), "dtype": "int16", "packed": labels is not None}
    raw = RecordSource(folder / "a.rec", decode="raw", **options)
    one = RecordSource(folder / "a.rec", decode=lambda data: np.frombuffer(data, "<i2"), **options)
    rows = np.array([3, 0, 3, 6])
    assert raw._plain[0].all() and not one._plain[0].any()
    for ours, theirs in zip(raw.read(0, rows), one.read(0, rows), strict=True):
        assert ours.dtype == theirs.dtype and np.array_equal(ours, theirs)


def test_a_batch_costs_its_own_bytes_and_not_those_of_the_file(tmp_path):
    with MXRecordIO(tmp_path / "a.rec", "w") as file:
        for i in range(1000):
            file.write(pack((0, i, i, 0), bytes([i % 256]) * 1000))
    source = RecordSource(tmp_path / "a.rec", decode="raw", shape=(1000,))
    outs = [np.empty((4, 1000), np.uint8), np.empty(4, np.float32)]
    tracemalloc.start()
    try:
        source.fill(0, np.array([999, 3, 3, 500]), outs)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert outs[0][:, 999].tolist() == [999 % 256, 3, 3, 500 % 256]
    assert outs[1].tolist() == [999, 3, 3, 500]
    assert peak < 50_000


def open_files(folder):
    """The files of a folder that this process has open; none where the system does not tell."""
    links = [link for link in Path("/proc/self/fd").glob("*") if link.is_symlink()]
    return [file for link in links if (file := link.resolve()).is_relative_to(folder)]


@pytest.mark.parametrize("decode", ["raw", np.frombuffer])
def test_prefetch_and_pickling_change_nothing_and_files_are_closed(vectors, decode):
    folder, values, labels = vectors
    if decode != "raw":
        decode = functools.partial(np.frombuffer, dtype="<i2")
    options = {"decode": decode, "shape": (2,), "dtype": "int16", "packed": labels is not None}
    options |= {"shuffle": True, "seed": 3, "last_batch_handle": "keep"}
    with RecordIter(folder, 2, **options) as plain:
        expected = all_of(plain)
        assert not Path("/proc/self/fd").exists() or open_files(folder)
        other = pickle.loads(pickle.dumps(plain.source))
        assert np.array_equal(other.read(0, np.arange(3))[0], plain.source.read(0, np.arange(3))[0])
        other.close()
    with RecordIter(folder, 2, prefetch=3, **options) as ahead:
        for ours, theirs in zip(all_of(ahead), expected, strict=True):
            assert np.array_equal(ours, theirs)
    assert not open_files(folder)


def test_remote_files(vectors):
    fsspec = pytest.importorskip("fsspec")
    folder, values, labels = vectors
    with fsspec.open("memory://vectors/a.rec", "wb") as target:
        target.write((folder / "a.rec").read_bytes())
    source = RecordSource(
        "memory://vectors/a.rec", decode="raw", shape=(2,), dtype="int16", packed=labels is not None
    )
    assert np.array_equal(source.read(0, np.array([5, 1]))[0], values[[5, 1]])


def test_records_of_several_parts_among_others(tmp_path):
    payloads = [b"abcdefgh", MAGIC + b"efgh", b"abcd" + MAGIC]
    with MXRecordIO(tmp_path / "a.rec", "w") as file:
        for payload in payloads:
            file.write(payload)
    it = RecordIter(tmp_path / "a.rec", 3, decode="raw", shape=(8,), packed=False)
    assert [bytes(row) for row in it.next()[0].asnumpy()] == payloads


def images(path, shapes, fmt=".png"):
    draw = np.random.default_rng(0)
    found = [draw.integers(0, 256, shape, np.uint8) for shape in shapes]
    with MXIndexedRecordIO(path.with_suffix(".idx"), path, "w") as file:
        for i, image in enumerate(found):
            file.write_idx(10 * i, pack_img((0, float(i), i, 0), image, 9, fmt))
    return found


def test_packed_images(tmp_path):
    path = tmp_path / "a.rec"
    expected = images(path, [(4, 5, 3)] * 3)
    it = RecordIter(path, 3)
    assert it.source.decodes and it.source.descs[0].layout == "NHWC"
    x, y = it.next()
    assert np.array_equal(x.asnumpy(), np.stack(expected)) and y.tolist() == [0, 1, 2]
    small, _ = RecordIter(path, 3, resize=(2, 2), layout="CHW").next()
    assert small.shape == (3, 3, 2, 2) and small.dtype == np.float32


def test_an_index_says_which_records_and_in_which_order(tmp_path):
    path, idx = tmp_path / "a.rec", tmp_path / "a.idx"
    images(path, [(2, 2)] * 3)
    lines = idx.read_text().splitlines(keepends=True)
    idx.write_text(lines[2] + lines[0])
    assert RecordIter(path, 2, index=idx).next()[1].tolist() == [2, 0]
    idx.write_text("7\t4\n")
    with pytest.raises(DataError, match=r"key 7 begins here.*a.rec, byte 4"):
        RecordIter(path, 2, index=idx)


@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_record_that_is_no_image(tmp_path, on_error):
    path = tmp_path / "a.rec"
    with MXRecordIO(path, "w") as file:
        for i in range(4):
            image = pack_img((0, float(i), i, 0), np.zeros((2, 2), np.uint8), 9, ".png")
            file.write(image[:-30] if i == 2 else image)
    offset = MXIndexedRecordIO(None, path, "r").idx[2]
    it = RecordIter(path, 2, mode="L", on_error=on_error, last_batch_handle="keep")
    if on_error == "raise":
        assert it.next()[1].tolist() == [0, 1]
        with pytest.raises(DataError, match="cannot be decoded") as caught:
            it.next()
        assert (caught.value.record, caught.value.offset) == (2, offset)
    else:
        with pytest.warns(UserWarning, match="1 samples of epoch 0 could not be read"):
            assert [y.tolist() for _, y in it] == [[0, 1], [3]]


@pytest.mark.parametrize("raw", [True, False])
@pytest.mark.parametrize("on_error", ["raise", "skip"])
def test_a_damaged_file_is_read_around_its_damage(tmp_path, on_error, raw):
    path = tmp_path / "a.rec"
    with MXRecordIO(path, "w") as file:
        for i in range(6):
            file.write(pack((0, float(i), i, 0), bytes([i] * 8)))
    data = bytearray(path.read_bytes())
    data[80:84] = b"oops"  # the third record's magic
    path.write_bytes(data[:-3])
    decode = "raw" if raw else lambda payload: np.frombuffer(payload, np.uint8)
    options = {"decode": decode, "shape": (8,), "last_batch_handle": "keep"}
    it = RecordIter(path, 1, on_error=on_error, **options)
    seen, told = [], []
    if on_error == "skip":
        with pytest.warns(UserWarning, match="2 samples of epoch 0 could not be read"):
            seen = [y.tolist() for _, y in it]
    while on_error == "raise":
        try:
            seen.append(it.next()[1].tolist())
        except DataError as error:
            told.append((error.file, error.record, error.offset))
        except StopIteration:
            break
    assert seen == [[0], [1], [3], [4]]
    assert told == ([(str(path), 2, 80), (str(path), 5, 200)] if on_error == "raise" else [])
    data[:4] = b"none"
    path.write_bytes(data)
    with pytest.raises(DataError, match="wrong magic.*record 0, byte 0"):
        RecordIter(path, 1, **options)


def test_a_function_says_by_the_first_record_what_it_makes(tmp_path):
    with MXRecordIO(tmp_path / "a.rec", "w") as file:
        for text in (b"1 2", b"3 4", b"5"):
            file.write(text)
    decode = lambda payload: np.array(payload.split(), np.float32)
    it = RecordIter(tmp_path / "a.rec", 2, decode=decode, packed=False)
    assert it.provide_data[0].shape == (2, 2) and it.provide_data[0].dtype == np.float32
    assert it.next()[0].tolist() == [[1, 2], [3, 4]]
    with pytest.raises(
        DataError, match=r"gave an array \(1,\); expected \(2,\) .*record 2, byte 24"
    ):
        it.next()


@pytest.mark.parametrize(
    "label, payload, options, match",
    [
        (1.0, b"abc", {}, "3 bytes where DataDesc.*record 1, byte 36"),
        ([1.0, 2.0], b"abcd", {}, "2 labels where 1 are expected"),
        (None, b"abcd", {}, "packed=False reads records without"),
        (
            1.0,
            b"abcd",
            {"decode": lambda data: [1 / (b - 97) for b in data]},
            "decode raised ZeroDiv",
        ),
    ],
)
def test_a_record_that_does_not_fit(label, payload, options, match, tmp_path):
    with MXRecordIO(tmp_path / "a.rec", "w") as file:
        file.write(pack((0, 0.0, 0, 0), b"zzzz"))
        file.write(payload if label is None else pack((0, label, 0, 0), payload))
    it = RecordIter(tmp_path / "a.rec", 2, **{"decode": "raw", "shape": (4,), **options})
    with pytest.raises(DataError, match=match):
        it.next()


@pytest.mark.parametrize(
    "options, match",
    [
        ({"decode": "raw", "shape": (-1,)}, r"shape=\(-1,\); expected the shape of every"),
        ({"decode": "jpeg"}, "decode='jpeg'; expected 'image', 'raw' or a function"),
        ({"index": "a.idx", "uris": "a.rec;a.rec"}, "2 were given"),
    ],
)
def test_arguments(options, match, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    images(tmp_path / "a.rec", [(2, 2)])
    with pytest.raises(ArgumentError, match=match):
        RecordIter(**{"uris": "a.rec", **options})


def test_a_file_without_records_is_refused(tmp_path):
    (tmp_path / "empty.rec").touch()
    with pytest.raises(DataError, match=r"there are no records \(.*empty.rec\)"):
        RecordIter(tmp_path / "empty.rec", batch_size=1)
