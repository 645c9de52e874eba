"""X-DIO-01: Record files against bytes that were written out by hand from the published format."""

import os
import pickle
import struct

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError, DataError, EngineError, IndexingError
from nbgraph.io import MXIndexedRecordIO, MXRecordIO, records
from nbgraph.io.files import expand, open_bytes

HEAD = "0a23d7ce"
MAGIC = bytes.fromhex(HEAD)

# what is stored, and the bytes of the file
GOLDEN = {
    "one part": ([b"12345678"], f"{HEAD} 08000000 3132333435363738"),
    "padded": ([b"abcde"], f"{HEAD} 05000000 61626364 65000000"),
    "empty": ([b""], f"{HEAD} 00000000"),
    "three": (
        [b"a", b"", b"abcd"],
        f"{HEAD} 01000000 61000000 {HEAD} 00000000 {HEAD} 04000000 61626364",
    ),
    "magic inside": (
        [b"abcd" + MAGIC + b"efg"],
        f"{HEAD} 04000020 61626364 {HEAD} 03000060 65666700",
    ),
    "magic first and last": (
        [MAGIC + b"abcd" + MAGIC],
        f"{HEAD} 00000020 {HEAD} 04000040 61626364 {HEAD} 00000060",
    ),
    "magic alone, then another": (
        [MAGIC, b"z"],
        f"{HEAD} 00000020 {HEAD} 00000060 {HEAD} 01000000 7a000000",
    ),
    "magic off its alignment": ([b"ab" + MAGIC + b"cd"], f"{HEAD} 08000000 6162{HEAD}6364"),
    "magic cut by the end": ([b"abcd" + MAGIC[:3]], f"{HEAD} 07000000 61626364 0a23d700"),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_files_are_read_and_written_byte_for_byte(name, tmp_path):
    payloads, text = GOLDEN[name]
    golden = bytes.fromhex(text)
    ours, theirs = tmp_path / "ours.rec", tmp_path / "theirs.rec"
    with MXRecordIO(ours, "w") as file:
        for payload in payloads:
            file.write(payload)
        assert file.tell() == len(golden)
    assert ours.read_bytes() == golden
    theirs.write_bytes(golden)
    with MXRecordIO(theirs, "r") as file:
        assert list(file) == payloads
        assert file.read() is None
    index = records.scan(open_bytes(theirs))
    assert index.sizes.tolist() == [len(p) for p in payloads]


def test_a_golden_indexed_file(tmp_path):
    rec, idx = tmp_path / "a.rec", tmp_path / "a.idx"
    golden = bytes.fromhex(f"{HEAD} 03000000 6f6e6500 {HEAD} 05000000 74687265 65000000")
    with MXIndexedRecordIO(idx, rec, "w") as file:
        file.write_idx(1, b"one")
        file.write_idx(3, b"three")
    assert (rec.read_bytes(), idx.read_bytes()) == (golden, b"1\t0\n3\t12\n")
    file = MXIndexedRecordIO(str(idx), str(rec), "r")
    assert file.keys == [1, 3]
    assert [file.read_idx(3), file.read_idx(1), file.read(), file.read()] == [
        b"three",
        b"one",
        b"three",
        None,
    ]
    with pytest.raises(IndexingError, match=r"no key 2; it has 2 keys from 1 to 3"):
        file.read_idx(2)
    without = MXIndexedRecordIO(None, rec, "r")
    assert (without.keys, without.read_idx(1)) == ([0, 1], b"three")


def test_keys_of_another_type(tmp_path):
    paths = tmp_path / "a.idx", tmp_path / "a.rec"
    with MXIndexedRecordIO(*paths, "w", key_type=str) as file:
        file.write_idx("blue", b"1")
    assert MXIndexedRecordIO(*paths, "r", key_type=str).read_idx("blue") == b"1"


pieces = st.one_of(st.binary(max_size=9), st.just(MAGIC), st.just(MAGIC[:2]), st.just(MAGIC[2:]))
payload = st.lists(pieces, max_size=8).map(b"".join)


@given(st.lists(payload, max_size=12), st.sampled_from([1 << 20, 64, 8]), st.booleans())
def test_any_records_come_back_and_are_found(tmp_path_factory, payloads, window, long):
    path = tmp_path_factory.mktemp("any") / "a.rec"
    with MXRecordIO(path, "w") as file:
        starts = [(file.tell(), file.write(p))[0] for p in payloads]
    with MXRecordIO(path, "r") as file:
        assert list(file) == payloads
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(records, "_WINDOW", window)
        if long:  # heads alone are read
            patch.setattr(records, "_PAGE", -1)
        index = records.scan(open_bytes(path))
        found = []
        at = 0
        while (at := records.next_record(open_bytes(path), at)) < path.stat().st_size:
            found.append(at)
            at += 4
    assert index.starts.tolist() == found == starts
    assert index.sizes.tolist() == [len(p) for p in payloads]


def test_a_magic_that_another_writer_left_in_a_payload(tmp_path):
    path = tmp_path / "a.rec"
    heads = [bytes.fromhex(f"{HEAD} 0c000000"), bytes.fromhex(f"{HEAD} 01000000")]
    path.write_bytes(heads[0] + b"abcd" + MAGIC + b"efgh" + heads[1] + b"z000")
    assert list(MXRecordIO(path, "r")) == [b"abcd" + MAGIC + b"efgh", b"z"]
    assert records.scan(open_bytes(path)).starts.tolist() == [0, 20]


WHOLE = f"{HEAD} 04000000 61626364"
DAMAGED = {  # the bytes, then what is said, of which record, at which offset
    "head cut": (f"{WHOLE} {HEAD} 0400", "truncated: 6 bytes are left", 1, 12),
    "bytes cut": (f"{WHOLE} {HEAD} 09000000 61626364", "the last 5 of the record's 9 bytes", 1, 12),
    "wrong magic": (f"{WHOLE} 0b23d7ce 04000000 61626364", "wrong magic 0xced7230b", 1, 12),
    "not records at all": ("504b0304 00000000 00000000", "wrong magic 0x04034b50", 0, 0),
    "impossible length": (f"{HEAD} ffffff1f 61626364", "the last 536870907 of", 0, 0),
    "last part missing": (f"{WHOLE} {HEAD} 04000020 61626364", "last part is missing", 1, 12),
    "parts missing": (f"{HEAD} 04000020 61626364 {WHOLE}", "another record begins", 0, 12),
    "first part missing": (f"{WHOLE} {HEAD} 04000060 61626364", "its first part is missing", 1, 12),
    "unknown flag": (f"{HEAD} 040000a0 61626364", "a part has the flag 5", 0, 0),
}


@pytest.mark.parametrize("long", [False, True])
@pytest.mark.parametrize("name", DAMAGED)
def test_damage_is_named_by_file_record_and_offset(name, long, tmp_path, monkeypatch):
    text, match, record, offset = DAMAGED[name]
    path = tmp_path / "damaged.rec"
    path.write_bytes(bytes.fromhex(text))
    if long:
        monkeypatch.setattr(records, "_PAGE", -1)
    for read in (lambda: list(MXRecordIO(path, "r")), lambda: records.scan(open_bytes(path))):
        with pytest.raises(DataError, match=match) as caught:
            read()
        assert (caught.value.file, caught.value.record, caught.value.offset) == (
            str(path),
            record,
            offset,
        )


def test_reading_goes_on_behind_a_damaged_record(tmp_path):
    path = tmp_path / "a.rec"
    path.write_bytes(bytes.fromhex(f"{WHOLE} 0b23d7ce 04000000 61626364 {WHOLE} {HEAD}"))
    file = MXRecordIO(path, "r")
    assert file.read() == b"abcd"
    with pytest.raises(DataError, match="wrong magic.*record 1, byte 12"):
        file.read()
    assert file.read() == b"abcd"
    with pytest.raises(DataError, match="4 bytes are left.*record 3, byte 36"):
        file.read()
    assert file.read() is None


@pytest.mark.parametrize("line", ["1", "x\t0", "1\tx", "1\t2\t3"])
def test_a_damaged_index_names_its_line(line, tmp_path):
    rec, idx = tmp_path / "a.rec", tmp_path / "a.idx"
    rec.write_bytes(bytes.fromhex(WHOLE))
    idx.write_text(f"0\t0\n{line}\n")
    with pytest.raises(DataError, match="line 2 is .*; expected a key, a tab.*a.idx"):
        MXIndexedRecordIO(idx, rec, "r")


def test_an_index_that_is_no_text_names_its_line(tmp_path):
    rec, idx = tmp_path / "a.rec", tmp_path / "a.idx"
    rec.write_bytes(bytes.fromhex(WHOLE))
    idx.write_bytes(b"0\t0\n0\t\xff0\n")
    with pytest.raises(DataError, match=r"line 2 is '0\\t.*xff0'; expected a key.*a.idx"):
        MXIndexedRecordIO(idx, rec, "r")


def test_a_key_that_points_at_no_record(tmp_path):
    rec, idx = tmp_path / "a.rec", tmp_path / "a.idx"
    rec.write_bytes(bytes.fromhex(WHOLE))
    idx.write_text("5\t4\n")
    with pytest.raises(DataError, match="record of key 5: wrong magic 0x00000004; .*byte 4"):
        MXIndexedRecordIO(idx, rec, "r").read_idx(5)


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(DataError, match="there is no file .*none.rec: its folder"):
        MXRecordIO(tmp_path / "none.rec", "r")
    with pytest.raises(DataError, match="cannot be written: No such file"):
        MXRecordIO(tmp_path / "none" / "a.rec", "w")
    with MXRecordIO(tmp_path / "a.rec", "w"), pytest.raises(DataError, match="idx_path=None"):
        MXIndexedRecordIO(tmp_path / "none.idx", tmp_path / "a.rec", "r")


def test_the_wrong_direction(tmp_path):
    path = tmp_path / "a.rec"
    with MXRecordIO(path, "w") as file:
        with pytest.raises(ArgumentError, match="open for writing"):
            file.read()
        with pytest.raises(ArgumentError, match="expected bytes, not a str"):
            file.write("text")
    with MXRecordIO(path, "r") as file, pytest.raises(ArgumentError, match="open for reading"):
        file.write(b"")
    with pytest.raises(ArgumentError, match="open no more"):
        file.read()
    with pytest.raises(ArgumentError, match="expected 'r' or 'w'"):
        MXRecordIO(path, "a")


def test_an_empty_file_has_no_records(tmp_path):
    path = tmp_path / "a.rec"
    path.touch()
    assert list(MXRecordIO(path, "r")) == []
    assert len(records.scan(open_bytes(path)).starts) == 0


def test_reset_begins_again(tmp_path):
    path = tmp_path / "a.rec"
    with MXRecordIO(path, "w") as file:
        file.write(b"lost")
        file.reset()
        file.write(b"one")
        file.write(b"two")
    file = MXRecordIO(path, "r")
    assert [file.read(), file.tell(), file.reset(), file.read()] == [b"one", 12, None, b"one"]


def test_a_pickled_reader_goes_on_where_it_was(tmp_path):
    paths = tmp_path / "a.idx", tmp_path / "a.rec"
    with MXIndexedRecordIO(*paths, "w") as file:
        for i in range(3):
            file.write_idx(i, bytes([i]))
        with pytest.raises(ArgumentError, match="cannot be pickled"):
            pickle.dumps(file)
    file = MXIndexedRecordIO(*paths, "r")
    file.read()
    other = pickle.loads(pickle.dumps(file))
    assert [file.read(), other.read(), other.read_idx(0)] == [b"\1", b"\1", b"\0"]
    file.close()
    assert not pickle.loads(pickle.dumps(file)).is_open


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
@pytest.mark.filterwarnings("ignore:This process")
def test_a_fork_reads_on_its_own_and_writes_nothing(tmp_path):
    path = tmp_path / "a.rec"
    writer = MXRecordIO(path, "w")
    writer.write(b"one")
    writer.write(b"two")
    reader = MXRecordIO(path, "r")
    reader.read()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            right = reader.read() == b"two" and reader.read() is None
            try:
                writer.write(b"three")
            except EngineError:
                code = 0 if right else 2
        finally:
            os._exit(code)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert reader.read() == b"two"
    writer.write(b"three")
    assert list(MXRecordIO(path, "r")) == [b"one", b"two", b"three"]


def test_a_disk_that_becomes_full_leaves_whole_records(tmp_path):
    resource = pytest.importorskip("resource")
    path = tmp_path / "a.rec"
    file = MXRecordIO(path, "w")
    file.write(b"1234")
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (30, before[1]))
    try:
        with pytest.raises(DataError, match="32 bytes cannot be written: .*byte 12"):
            file.write(bytes(24))
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    file.write(b"5678")
    assert list(MXRecordIO(path, "r")) == [b"1234", b"5678"]


def test_a_remote_file_is_read(tmp_path):
    fsspec = pytest.importorskip("fsspec")
    with MXRecordIO(tmp_path / "a.rec", "w") as file:
        for i in range(3):
            file.write(bytes(i))
    with fsspec.open("memory://bucket/a.rec", "wb") as target:
        target.write((tmp_path / "a.rec").read_bytes())
    assert list(MXRecordIO("memory://bucket/a.rec", "r")) == [b"", b"\0", b"\0\0"]
    assert expand("memory://bucket") == ["memory:///bucket/a.rec"]
    assert len(records.scan(open_bytes("memory://bucket/a.rec")).starts) == 3
    assert list(MXRecordIO(f"file://{tmp_path}/a.rec", "r"))[2] == b"\0\0"
    with pytest.raises(DataError, match="there is no file memory://"):
        MXRecordIO("memory://bucket/none.rec", "r")


def test_lists_of_files(tmp_path):
    for name in ("b.rec", "a.rec", "c.txt"):
        (tmp_path / name).touch()
    a, b, c = (str(tmp_path / n) for n in ("a.rec", "b.rec", "c.txt"))
    assert expand(f"{b};{a}") == [b, a]
    assert expand([tmp_path / "*.rec"]) == [a, b]
    assert expand(tmp_path) == [a, b, c]
    with pytest.raises(DataError, match="no name matches"):
        expand(str(tmp_path / "*.csv"))
    with pytest.raises(DataError, match="names no file"):
        expand(";")


def test_a_payload_that_is_too_long_is_refused():
    longer = np.lib.stride_tricks.as_strided(np.zeros(1, np.uint8), (1 << 29,), (0,))
    with pytest.raises(ArgumentError, match="holds 536870911 at most"):
        records.encode(memoryview(longer))


def test_little_endian_words_are_the_format():
    assert records.encode(b"") == struct.pack("<II", 0xCED7230A, 0)
