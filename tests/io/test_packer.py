"""X-DIO-04: The tool that packs images, and those that look into files of records."""

import os
import re
import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import MXIndexedRecordIO, RecordIter, packer, unpack, unpack_img
from nbgraph.io.__main__ import main

Image = pytest.importorskip("PIL.Image")


@pytest.fixture
def folder(tmp_path):
    """Two classes of images, 9 altogether; the first is the largest."""
    draw = np.random.default_rng(0)
    root = tmp_path / "images"
    for i in range(9):
        path = root / ("cat" if i < 5 else "dog") / f"{i}.{'jpg' if i % 2 else 'png'}"
        path.parent.mkdir(parents=True, exist_ok=True)
        size = (40, 30, 3) if i == 0 else (8, 12, 3)
        Image.fromarray(draw.integers(0, 256, size, np.uint8)).save(path)
    return root


def records_of(out):
    file = MXIndexedRecordIO(out.with_suffix(".idx"), out, "r")
    return {key: unpack(file.read_idx(key)) for key in file.keys}


def files_in(path):
    return sorted(p.name for p in path.iterdir() if p.is_file())


@pytest.mark.parametrize("workers", [1, 3])
def test_a_folder_is_packed_as_it_is(folder, tmp_path, workers, capsys):
    out = tmp_path / "out.rec"
    assert main(["pack", str(folder), str(out), "--workers", str(workers), "--verify"]) == 0
    said = capsys.readouterr().out
    assert "class 1: dog" in said and "9 records" in said and "verified" in said
    found = records_of(out)
    files = sorted(folder.rglob("*.*"))
    assert list(found) == list(range(9))
    assert [payload for _, payload in found.values()] == [f.read_bytes() for f in files]
    assert [header.label for header, _ in found.values()] == [0] * 5 + [1] * 4
    assert [header.id for header, _ in found.values()] == list(range(9))
    assert files_in(tmp_path) == ["out.idx", "out.rec"]
    x, y = RecordIter(out, 9, resize=(4, 4)).next()
    assert x.shape == (9, 4, 4, 3) and y.tolist() == [0] * 5 + [1] * 4


def test_a_list_is_packed_with_its_numbers_and_labels(folder, tmp_path):
    (tmp_path / "a.lst").write_text("7\t1.0\t2.5\tcat/0.png\n3\t0\t4\tdog/5.jpg\n\n")
    out = tmp_path / "out.rec"
    assert main(["pack", str(tmp_path / "a.lst"), str(out), "--root", str(folder), "--verify"]) == 0
    found = records_of(out)
    assert {k: h.label.tolist() for k, (h, _) in found.items()} == {7: [1, 2.5], 3: [0, 4]}


def test_resize_and_quality(folder, tmp_path):
    out = tmp_path / "out.rec"
    assert main(["pack", str(folder), str(out), "--resize", "15"]) == 0
    file = MXIndexedRecordIO(out.with_suffix(".idx"), out, "r")
    assert unpack_img(file.read_idx(0))[1].shape == (20, 15, 3)
    assert unpack(file.read_idx(1))[1] == (folder / "cat" / "1.jpg").read_bytes()
    assert main(["pack", str(folder), str(out), "--quality", "50"]) == 0
    assert all(payload[:2] == b"\xff\xd8" for _, payload in records_of(out).values())


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGBA", "CMYK", "I;16"])
def test_images_of_every_mode_can_be_encoded_anew(mode, tmp_path):
    (tmp_path / "a").mkdir()
    image = Image.new("RGBA", (8, 8), (200, 100, 50, 255))
    image = (
        Image.fromarray(np.full((8, 8), 300, np.uint16)) if mode == "I;16" else image.convert(mode)
    )
    image.save(tmp_path / "a" / ("0.jpg" if mode == "CMYK" else "0.png"))
    out = tmp_path / "out.rec"
    for option in ("--resize=4", "--quality=90"):
        assert main(["pack", str(tmp_path), str(out), option, "--verify"]) == 0


def test_the_order_is_that_of_the_seed(folder, tmp_path):
    found, _ = packer.entries(str(folder))
    orders = [[e.key for e in packer.shuffled(found, seed)] for seed in (1, 1, 2)]
    assert orders[0] == orders[1] != orders[2] and sorted(orders[2]) == list(range(9))
    out = tmp_path / "out.rec"
    assert main(["pack", str(folder), str(out), "--shuffle", "--seed", "1", "--verify"]) == 0
    assert list(records_of(out)) == orders[0]


def test_an_image_that_cannot_be_read(folder, tmp_path, capsys):
    out, bad = tmp_path / "out.rec", folder / "cat" / "3.jpg"
    whole = bad.read_bytes()
    bad.write_bytes(b"text")
    assert main(["pack", str(folder), str(out)]) == 1
    said = capsys.readouterr().err
    assert (
        "not an image that Pillow knows" in said and str(bad) in said and "--resume goes on" in said
    )
    assert not out.exists()
    assert main(["pack", str(folder), str(out), "--skip", "--verify"]) == 0
    assert "left out: 4 bytes are not an image" in capsys.readouterr().err
    assert sorted(records_of(out)) == [0, 1, 2, 4, 5, 6, 7, 8]
    bad.write_bytes(whole)


@pytest.mark.parametrize("done", range(10))
@pytest.mark.parametrize("torn", [b"", b"\x0a\x23", bytes(40)])
def test_an_interrupted_file_is_gone_on_with(folder, tmp_path, done, torn):
    found, _ = packer.entries(str(folder))
    straight, out = tmp_path / "straight.rec", tmp_path / "out.rec"
    packer.pack_files(found, straight)
    again = []

    def make(entry):
        if not again and entry.key == done:
            raise KeyboardInterrupt
        if again:
            assert entry.key >= done
        return packer.Recipe()(entry)

    if done < 9:
        with pytest.raises(KeyboardInterrupt):
            packer.pack_files(found, out, make=make, workers=1)
        part, places = packer.parts_of(out, found, make)
        with part.open("ab") as file:  # what a process was writing when it was killed
            file.write(torn)
        with places.open("ab") as file:
            file.write(torn and b"12")
    again.append(True)
    packer.pack_files(found, out, make=make if done < 9 else None, resume=True)
    assert out.read_bytes() == straight.read_bytes()
    assert out.with_suffix(".idx").read_bytes() == straight.with_suffix(".idx").read_bytes()
    assert len(files_in(tmp_path)) == 4


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="needs SIGKILL")
def test_a_killed_tool_resumes(folder, tmp_path):
    straight, out = tmp_path / "straight.rec", tmp_path / "out.rec"
    slow = (
        "import sys, time\nfrom nbgraph.io import packer\nfrom nbgraph.io.__main__ import main\n"
        "encode = packer.records.encode\n"
        "packer.records.encode = lambda data: (time.sleep(0.2), encode(data))[1]\n"
        "main(sys.argv[1:])\n"
    )
    command = [sys.executable, "-c", slow, "pack", str(folder), str(out)]
    process = subprocess.Popen(command, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
    found, _ = packer.entries(str(folder))
    places = packer.parts_of(out, found, packer.Recipe())[1]
    while not (places.exists() and places.stat().st_size):
        assert process.poll() is None
        time.sleep(0.01)
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert not out.exists()
    assert main(["pack", str(folder), str(out), "--resume", "--verify"]) == 0
    assert main(["pack", str(folder), str(straight)]) == 0
    assert out.read_bytes() == straight.read_bytes()


def test_a_full_disk_is_said_and_nothing_is_lost(folder, tmp_path, capsys):
    resource = pytest.importorskip("resource")
    out, straight = tmp_path / "out.rec", tmp_path / "straight.rec"
    assert main(["pack", str(folder), str(straight)]) == 0
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (straight.stat().st_size - 100, before[1]))
    try:
        assert main(["pack", str(folder), str(out)]) == 1
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert re.search(r"cannot be written: .*; what was written before", capsys.readouterr().err)
    assert main(["pack", str(folder), str(out), "--resume"]) == 0
    assert out.read_bytes() == straight.read_bytes()


@pytest.mark.parametrize(
    "text, match",
    [
        ("1\t2\n", r"line 1 is '1\\t2'; expected a number, labels and a path"),
        ("0\t1\ta.png\n1\tx\ta.png\n", "line 2 is"),
        ("5\t1\ta.png\n5\t1\tb.png\n", "2 lines have the number 5"),
    ],
)
def test_lists_that_are_none(text, match, tmp_path):
    (tmp_path / "a.lst").write_text(text)
    with pytest.raises(DataError, match=match):
        packer.entries(str(tmp_path / "a.lst"))


@pytest.mark.parametrize(
    "arguments, match",
    [
        (["pack", "none", "out.rec"], "no folder, and no list that can be read"),
        (["pack", "images", "out.rec", "--resize", "0"], "--resize 0: expected 1 to"),
        (["pack", "images", "out.rec", "--quality", "101"], "--quality 101: expected 1 to 100"),
        (["pack", "images", "out.rec", "--workers", "-1"], "workers=-1"),
        (["pack", "images", "out.idx"], "out.idx is the name of the file of places"),
        (["pack", "images", "none/out.rec"], "cannot be written: No such file"),
        (["list", "none.rec"], "there is no file none.rec"),
        (["show", "a.rec", "2"], "there is no record 2; it has 2"),
    ],
)
def test_what_the_tool_refuses(arguments, match, folder, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    with MXIndexedRecordIO("a.idx", "a.rec", "w") as file:
        file.write_idx(0, b"")
        file.write_idx(1, b"")
    assert main(arguments) == 1
    assert match in capsys.readouterr().err


def test_damage_is_found_by_verify(folder, tmp_path):
    out = tmp_path / "out.rec"
    found, _ = packer.entries(str(folder))
    packer.pack_files(found, out)
    packer.verify(found, out)
    with pytest.raises(DataError, match="labels .*: pack it again"):
        packer.verify([e._replace(labels=(5.0,)) for e in found], out)
    data = bytearray(out.read_bytes())
    data[60:200] = bytes(140)
    out.write_bytes(data)
    with pytest.raises(DataError, match=r"cannot be decoded.*record 0, byte 0"):
        packer.verify(found, out)
    out.with_suffix(".idx").write_text("0\t0\n")
    with pytest.raises(DataError, match="its index does not name its records"):
        packer.verify(found, out)


def test_list_show_and_index(folder, tmp_path, capsys):
    out, target = tmp_path / "out.rec", tmp_path / "shown.png"
    assert main(["pack", str(folder), str(out)]) == 0
    capsys.readouterr()
    assert main(["list", str(out)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 11 and "id 0, label 0: PNG 30 x 40" in lines[1]
    assert main(["show", str(out), "0", "--width", "20"]) == 0
    said = capsys.readouterr().out.splitlines()
    assert "record 0 at byte 0" in said[0] and [len(line) for line in said[1:]] == [20] * 13
    assert main(["show", str(out), "-8", "--out", str(target)]) == 0
    assert np.array_equal(Image.open(target), Image.open(folder / "cat" / "1.jpg"))
    places = out.with_suffix(".idx").read_bytes()
    out.with_suffix(".idx").unlink()
    assert main(["index", str(out)]) == 0
    assert out.with_suffix(".idx").read_bytes() == places


def test_records_that_are_no_images_are_shown_as_bytes(tmp_path, capsys):
    out = tmp_path / "a.rec"
    with MXIndexedRecordIO(tmp_path / "a.idx", out, "w") as file:
        file.write_idx(0, b"some text")
    assert main(["list", str(out)]) == 0
    assert "9 bytes without a header" in capsys.readouterr().out
    assert main(["show", str(out), "0"]) == 0
    assert "73 6f 6d 65 20 74 65 78 74" in capsys.readouterr().out
    assert main(["show", str(out), "0", "--out", str(tmp_path / "raw")]) == 0
    assert (tmp_path / "raw").read_bytes() == b"some text"


def test_a_terminal_gets_half_blocks_in_colour():
    from nbgraph.io.terminal import picture

    text = picture(np.uint8([[[255, 0, 0]], [[0, 0, 255]]]), colour=True)
    assert text == "\x1b[38;2;255;0;0m\x1b[48;2;0;0;255m▀\x1b[0m"


def test_a_picture_fits_the_terminal(monkeypatch):
    from nbgraph.io.terminal import picture

    monkeypatch.setenv("COLUMNS", "30")
    monkeypatch.setenv("LINES", "10")
    for shape, expected in (((40, 100, 3), (6, 30)), ((100, 40, 3), (10, 8)), ((4, 4, 3), (2, 4))):
        lines = picture(np.zeros(shape, np.uint8), colour=False).split("\n")
        assert (len(lines), len(lines[0])) == expected


@pytest.mark.parametrize("workers", [-1])
def test_workers(workers, folder, tmp_path):
    with pytest.raises(ArgumentError, match="expected 0 or the number of threads"):
        packer.pack_files([], tmp_path / "out.rec", workers=workers)


def test_any_function_makes_records(folder, tmp_path):
    found, _ = packer.entries(str(folder))
    packer.pack_files(found, tmp_path / "out.rec", make=lambda e: str(e.key).encode(), workers=2)
    file = MXIndexedRecordIO(tmp_path / "out.idx", tmp_path / "out.rec", "r")
    assert [int(file.read_idx(k)) for k in file.keys] == list(range(9))
