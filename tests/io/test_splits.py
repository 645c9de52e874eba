"""Parts of lists of files: complete and disjoint, however the data lie in the files."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import InputSplit, MXRecordIO, splits

MAGIC = bytes.fromhex("0a23d7ce")
payloads = st.lists(st.one_of(st.binary(max_size=9), st.just(MAGIC * 2), st.just(b"abcd" + MAGIC)))
lines = st.lists(st.text("ab\r ", max_size=6).map(str.encode), max_size=8)


def parts(uris, of, kind):
    return [list(InputSplit(uris, k, of, kind=kind)) for k in range(of)]


@given(st.lists(payloads, min_size=1, max_size=4), st.integers(1, 9))
def test_records_are_in_one_part_each_for_every_number_of_parts(tmp_path_factory, files, of):
    folder = tmp_path_factory.mktemp("split")
    for i, file in enumerate(files):
        with MXRecordIO(folder / f"{i}.rec", "w") as target:
            for payload in file:
                target.write(payload)
    uris = ";".join(str(folder / f"{i}.rec") for i in range(len(files)))
    found = parts(uris, of, "recordio")
    assert list(itertools.chain(*found)) == list(itertools.chain(*files))


@given(st.lists(lines, min_size=1, max_size=4), st.integers(1, 9), st.booleans())
def test_lines_are_in_one_part_each(tmp_path_factory, files, of, ended):
    folder = tmp_path_factory.mktemp("split")
    expected = []
    for i, file in enumerate(files):
        text = b"\n".join(file) + (b"\n" if ended and file else b"")
        (folder / f"{i}.txt").write_bytes(text)
        own = text.split(b"\n")
        expected += [line.removesuffix(b"\r") for line in (own[:-1] if not own[-1] else own)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(splits, "_CHUNK", 3)
        assert list(itertools.chain(*parts(folder, of, "text"))) == expected


def test_parts_do_not_follow_the_files(tmp_path):
    for i, count in enumerate([1, 5, 2]):
        with MXRecordIO(tmp_path / f"{i}.rec", "w") as target:
            for j in range(count):
                target.write(b"%d%d12" % (i, j))
    assert [len(part) for part in parts(tmp_path, 4, "recordio")] == [2, 2, 2, 2]


def test_damage_is_said_at_iteration(tmp_path):
    path = tmp_path / "a.rec"
    path.write_bytes(MAGIC + bytes([9, 0, 0, 0]) + b"abc")
    split = InputSplit(path)
    with pytest.raises(DataError, match=r"the last 6 of the record's 9 bytes .*a.rec, record 0"):
        list(split)
    split.close()


@pytest.mark.parametrize(
    "options, match",
    [
        ({"part": 2, "of": 2}, "part=2 of=2; parts are numbered from 0 to 1"),
        ({"kind": "csv"}, "expected 'recordio' or 'text'"),
    ],
)
def test_arguments(options, match, tmp_path):
    with pytest.raises(ArgumentError, match=match):
        InputSplit(tmp_path / "a.rec", **options)
