"""Packed records: headers against bytes written out by hand, and images."""

import numpy as np
import pytest

from nbgraph.errors import ArgumentError, DataError
from nbgraph.io import ImageDecoder, IRHeader, pack, pack_img, unpack, unpack_img

GOLDEN = {
    "one label": ((0, 3.0, 7, 1), "00000000 00004040 0700000000000000 0100000000000000 616263"),
    "two labels": (
        (2, [1.0, -2.0], 7, 0),
        "02000000 00000000 0700000000000000 0000000000000000 0000803f 000000c0 616263",
    ),
}


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_headers(name):
    fields, text = GOLDEN[name]
    golden = bytes.fromhex(text)
    assert pack(IRHeader(*fields), b"abc") == pack(fields, b"abc") == golden
    header, payload = unpack(golden)
    assert (header.flag, header.id, header.id2, payload) == (fields[0], *fields[2:], b"abc")
    assert np.array_equal(header.label, np.float32(fields[1]))


def test_pack_sets_the_flag_from_the_label():
    assert unpack(pack((9, 1.5, 0, 0), b""))[0] == IRHeader(0, 1.5, 0, 0)
    assert unpack(pack((0, np.ones(3), 0, 0), b""))[0].flag == 3


@pytest.mark.parametrize("data", [b"", b"x" * 23, bytes.fromhex("ff") * 30])
def test_records_without_a_header_are_refused(data):
    with pytest.raises(DataError, match="was not made by pack"):
        unpack(data)


@pytest.mark.parametrize("fields", [(0, "a", 0, 0), (0, 1.0, -1, 0), (0, None, 0, 0)])
def test_headers_that_do_not_fit(fields):
    with pytest.raises(ArgumentError, match="does not fit"):
        pack(fields, b"")


@pytest.mark.parametrize("shape", [(5, 4), (5, 4, 1), (5, 4, 3), (5, 4, 4)])
def test_png_comes_back_as_it_was(shape):
    image = np.random.default_rng(0).integers(0, 256, shape, np.uint8)
    header, found = unpack_img(pack_img((0, 1.0, 2, 0), image, 9, ".png"))
    assert header.id == 2
    assert np.array_equal(found, image[..., 0] if shape[-1] == 1 else image)


def test_colour_and_quality():
    ramp = np.add.outer(np.arange(64), 2 * np.arange(64))
    image = np.stack([ramp, 200 - ramp, ramp // 2], -1).astype(np.uint8)
    record = pack_img((0, 0.0, 0, 0), image)
    assert np.abs(unpack_img(record)[1].astype(int) - image).mean() < 6
    assert unpack_img(record, iscolor=0)[1].shape == (64, 64)
    assert unpack_img(record, iscolor=1)[1].shape == (64, 64, 3)
    assert len(pack_img((0, 0.0, 0, 0), image, quality=20)) < len(record)


@pytest.mark.parametrize(
    "image, options, match",
    [
        (np.zeros((2, 2)), {}, "float64; expected uint8"),
        (np.zeros((2, 2, 2), np.uint8), {}, r"\(2, 2, 2\)"),
        (np.zeros((2, 2), np.uint8), {"img_fmt": ".txt"}, "img_fmt='.txt'"),
        (np.zeros((2, 2), np.uint8), {"quality": 0}, "quality=0; expected 1 to 100"),
        (np.zeros((2, 2), np.uint8), {"quality": 10, "img_fmt": ".png"}, "expected 0 to 9"),
        (np.zeros((2, 2, 4), np.uint8), {}, "JPEG cannot hold it"),
    ],
)
def test_images_that_cannot_be_packed(image, options, match):
    with pytest.raises(ArgumentError, match=match):
        pack_img((0, 0.0, 0, 0), image, **options)


def test_layouts_of_the_decoder():
    image = np.random.default_rng(0).integers(0, 256, (6, 4, 3), np.uint8)
    data = unpack(pack_img((0, 0.0, 0, 0), image, 1, ".png"))[1]
    assert np.array_equal(ImageDecoder()(data), image)
    planes = ImageDecoder(layout="CHW")(data)
    assert planes.dtype == np.float32 and planes.flags.c_contiguous
    assert np.allclose(planes, image.transpose(2, 0, 1) / 255, atol=1e-6)
    assert ImageDecoder("L")(data).shape == (6, 4, 1)
    assert ImageDecoder(resize=2)(data).shape == (3, 2, 3)
    assert ImageDecoder(resize=(5, 7))(data).shape == (5, 7, 3)
    assert ImageDecoder(resize=(5, 7), layout="CHW").desc("x").shape == (3, 5, 7)


def test_a_large_jpeg_is_decoded_at_a_lower_resolution():
    ramp = np.arange(512) // 2
    image = np.stack([np.add.outer(ramp, ramp) // 2] * 3, -1).astype(np.uint8)
    data = unpack(pack_img((0, 0.0, 0, 0), image))[1]
    small = ImageDecoder(resize=(32, 32))(data)
    assert np.abs(small.astype(int) - image.reshape(32, 16, 32, 16, 3).mean((1, 3))).max() < 6


@pytest.mark.parametrize(
    "options, match",
    [
        ({"mode": "BGR"}, "mode='BGR'; expected 'L', 'RGB' or 'RGBA'"),
        ({"layout": "WHC"}, "layout='WHC'"),
        ({"resize": 0}, "resize=0"),
        ({"resize": (1, 2, 3)}, "expected pixels, or"),
    ],
)
def test_arguments_of_the_decoder(options, match):
    with pytest.raises(ArgumentError, match=match):
        ImageDecoder(**options)


def test_what_is_no_image():
    with pytest.raises(DataError, match="4 bytes cannot be decoded as an image"):
        unpack_img(pack((0, 0.0, 0, 0), b"text"))
