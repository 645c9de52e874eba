"""A batch to look at: the table of a terminal, the pictures of a notebook."""

import base64
import io
import re

import numpy as np
import pytest
from PIL import Image

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import (
    DataBatch,
    DataDesc,
    DataIter,
    NDArrayIter,
    PrefetchingIter,
    SourceIter,
    Stream,
)
from nbgraph.io import transforms as T
from nbgraph.io.peek import Peek, pixels


def digits(dtype="uint8"):
    x = np.arange(3 * 10 * 12).reshape(3, 10, 12).clip(0, 255)
    return DataBatch([x.astype(dtype)], [np.array([4, 0, 2])], 0, np.array([7, 1, 5]))


DESCS = [DataDesc("image", (3, 10, 12), "uint8"), DataDesc("label", (3,), "int64")]


def pictures(html):
    for text in re.findall(r"base64,([^']*)'", html):
        yield np.asarray(Image.open(io.BytesIO(base64.b64decode(text))))


def test_a_table_in_a_terminal():
    assert str(Peek(digits(), DESCS, classes=["zero", "one", "two"])) == (
        "sample  image                     label\n"
        "7       uint8[10, 12] 0 to 119    4\n"
        "1       uint8[10, 12] 120 to 239  0 zero\n"
        "5       uint8[10, 12] 240 to 255  2 two"
    )
    assert str(Peek(digits(), DESCS, count=1)).endswith("\n... and 2 more")


def test_pictures_with_labels_in_a_notebook():
    html = Peek(digits(), DESCS, classes=["zero", "<one>", "two"])._repr_html_()
    for picture, wanted in zip(pictures(html), digits()[0], strict=True):
        assert (picture == wanted).all()
    assert re.findall("<figcaption>(.*?)</figcaption>", html) == ["4", "0 zero", "2 two"]
    assert "<table>" not in html


def test_what_is_no_picture_is_a_table():
    batch = DataBatch([np.float32([[5.1, 1], [2, 3]]), np.array(["<a>", "b"])], [np.array([1, 0])])
    descs = [DataDesc("x", (2, 2)), DataDesc("word", (2,)), DataDesc("y", (2,))]
    shown = Peek(batch, descs)
    html = shown._repr_html_()
    assert "&lt;a&gt;" in html and ">[5.1, 1]</td>" in html and "<img" not in html
    assert shown._repr_png_() is None
    with pytest.raises(DataError, match="no images"):
        shown.save("sheet.png")


def test_padding_is_not_shown():
    batch = digits()
    batch.pad = 2
    assert str(Peek(batch, DESCS)).count("\n") == 1


def test_the_contact_sheet(tmp_path):
    shown = Peek(digits(), DESCS)
    shown.save(tmp_path / "sheet.png")
    sheet = np.asarray(Image.open(tmp_path / "sheet.png"))
    assert (tmp_path / "sheet.png").read_bytes() == shown._repr_png_()
    first = np.asarray(Image.fromarray(digits()[0][0]).resize((48, 40), 0).convert("RGB"))
    assert (sheet[3:43, 3:51] == first).all()
    assert (sheet[46:58, 3:51] != 255).any()  # the label below


@pytest.mark.parametrize(
    ("values", "layout", "wanted"),
    [
        (np.zeros((2, 3, 5, 6)), "NCHW", (2, 5, 6, 3)),
        (np.zeros((2, 5, 6, 3)), "N", (2, 5, 6, 3)),
        (np.zeros((2, 1, 5, 6)), "NCHW", (2, 5, 6)),
        (np.zeros((2, 5, 6)), "NHW", (2, 5, 6)),
        (np.zeros((2, 5, 6)), "N", None),  # a table of numbers, for all that is known
        (np.zeros((2, 5, 6, 2)), "NHWC", None),
        (np.zeros((2, 9)), "N", None),
        (np.zeros((0, 9, 9)), "N", None),
        (np.zeros((2, 9, 9), "M8[s]"), "N", None),
    ],
)
def test_what_is_taken_for_images(values, layout, wanted):
    found = pixels(values, layout)
    assert (None if found is None else found.shape) == wanted


def test_numbers_become_bytes():
    x = np.array([[[0.0, 0.5], [1.0, np.nan]]])
    assert pixels(x, "NHW").tolist() == [[[0, 128], [255, 0]]]
    wide = np.array([[[-1.0, 1.0], [3.0, 0.0]]])
    assert pixels(wide, "NHW").tolist() == [[[0, 128], [255, 64]]]
    assert pixels(np.array([[[0, 300]]]), "NHW").tolist() == [[[0, 255]]]


# of an iterator -----------------------------------------------------------------------------------


class Frames(Stream):
    name = "frames"

    def restart(self):
        return iter([(np.full((9, 9), k, "uint8"), k) for k in range(5)])


class Counting(DataIter):
    """As users write one: without a state."""

    def next(self):
        return DataBatch([np.ones(2)])


def shuffled(**how):
    x = np.arange(20 * 9 * 9).reshape(20, 9, 9)
    return NDArrayIter(x, np.arange(20), batch_size=6, shuffle=True, seed=1, **how)


@pytest.mark.parametrize("prefetch", [0, 2])
@pytest.mark.parametrize("taken", [0, 1, 3, 4])
def test_the_batch_comes_as_if_nothing_had_happened(taken, prefetch):
    """DIO-01: what is shown is the next batch."""
    it, other = shuffled(prefetch=prefetch), shuffled()
    for _ in range(taken):
        it.next(), other.next()
    shown = it.peek()
    assert str(shown) == str(it.peek())
    if taken == 4:
        it.reset(), other.reset()
    wanted = other.next()
    own = wanted.unpadded()
    assert shown.numbers == own.index.tolist()
    assert (shown.values[0] == own.data[0].asnumpy()).all()
    assert (it.next().index == wanted.index).all()
    it.close()


def test_every_iterator_can_be_looked_at():
    it = PrefetchingIter(shuffled())
    first = shuffled().next().index.tolist()
    assert it.peek().numbers == first and it.next().index.tolist() == first
    it.close()
    frames = SourceIter(Frames(), 2)
    assert str(frames.peek()).split("\n")[1].startswith("0 ")
    assert [b.index.tolist() for b in frames][:2] == [[0, 1], [2, 3]]
    with pytest.raises(ArgumentError, match=r"Counting.peek: .*ng.io.Peek\(batch, descs\)"):
        Counting().peek()
    with pytest.raises(DataError, match="no batch to look at"):
        NDArrayIter(np.ones((1, 2)), batch_size=6, last_batch_handle="discard").peek()


def test_augmented_images_are_shown():
    x = np.random.default_rng(0).integers(0, 256, (8, 9, 9, 3)).astype("uint8")
    it = NDArrayIter(x, np.arange(8), batch_size=4, transforms=[T.CenterCrop(5), T.ToTensor()])
    (first, *_) = pictures(it.peek(classes=list("abcdefgh"))._repr_html_())
    assert np.abs(first.astype(int) - x[0, 2:7, 2:7]).max() <= 1
    assert it.provide_data[0].shape == (4, 3, 5, 5) and it.provide_data[0].layout == "NCHW"
