"""Blocks of lines are the rows that Python's reader finds, wherever pieces are cut."""

import csv
import io

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from nbgraph.errors import DataError
from nbgraph.io import lines as room
from nbgraph.io.files import open_bytes
from nbgraph.io.lines import TextFiles

CELL = st.sampled_from(["", "1", "-2.5", "ab", '"x"', '"a\nb"', '"say ""hi"""', '"\r\n"', "é"])
ROW = st.lists(CELL, min_size=2, max_size=3).map(",".join)
END = st.sampled_from(["\n", "\r\n", "\n\n", "\r\n\r\n"])


def file_of(folder, text):
    path = folder / "text.csv"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return open_bytes(path)


@settings(max_examples=60)
@given(
    st.lists(st.tuples(ROW, END), min_size=1, max_size=12),
    st.booleans(),
    st.booleans(),
    st.integers(1, 40),
    st.integers(1, 60),
)
def test_rows_are_those_of_pythons_reader(tmp_path_factory, parts, last, header, chunk, block):
    text = "".join(row + end for row, end in parts)
    text = text if last else text.rstrip("\r\n")
    expected = [row for row in csv.reader(io.StringIO(text, newline="")) if row][header:]
    assume(expected)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(room, "CHUNK", chunk)
        patch.setattr(room, "BLOCK", block)
        lines = TextFiles([file_of(tmp_path_factory.mktemp("lines"), text)], header=header)
        assert lines.blocks[-1] == len(expected)
        for number in range(len(lines.blocks) - 1):
            own = expected[lines.blocks[number] : lines.blocks[number + 1]]
            found = csv.reader(io.StringIO(lines.text(number).decode(), newline=""))
            assert [row for row in found if row] == own
            assert len(lines.rows(number)) == len(own)


def test_a_fault_tells_number_line_and_byte(tmp_path):
    lines = TextFiles([file_of(tmp_path, 'a,b\n1,2\n\n"x\ny",3\n5,6\n')], header=True, every=2)
    assert lines.blocks.tolist() == [0, 2, 3]
    error = lines.fault(1, 0, " is odd")
    assert str(error).startswith("row 2 (line 6) is odd (") and error.offset == 17
    assert error.record == 2


@pytest.mark.parametrize(
    ("text", "told"),
    [(b"\x1f\x8b\x08\x00", "packed by gzip"), ("a,b\n".encode("utf-16"), "UTF-16")],
)
def test_what_is_no_text_in_utf_8(tmp_path, text, told):
    with pytest.raises(DataError, match=told):
        TextFiles([file_of(tmp_path, text)])


def test_a_byte_order_mark_is_no_text(tmp_path):
    lines = TextFiles([file_of(tmp_path, b"\xef\xbb\xbf1,2\n3,4\n")])
    assert lines.rows(0) == [b"1,2\n", b"3,4\n"]
