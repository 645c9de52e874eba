"""Crops, flips, affine maps, other sizes: values, against NumPy, SciPy and Pillow by the image."""

import numpy as np
import pytest
from PIL import Image
from scipy import ndimage

from nbgraph.errors import ShapeError
from nbgraph.io import DataDesc
from nbgraph.io import transforms as T
from tests.io.transforms.cases import LAYOUTS, draws, images


def by_image(t, function, layout="HWC", dtype="uint8"):
    """What `t` makes of images, and what `function(image (H, W, C), number)` makes of each."""
    x = images(layout, dtype)
    (found,) = t((x,), draws())
    if layout == "CHW":
        x, found = x.transpose(0, 2, 3, 1), found.transpose(0, 2, 3, 1)
    return found, np.stack([function(image, i) for i, image in enumerate(x)])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_crops(layout):
    t = T.RandomCrop((8, 5), padding=(2, 1), fill=9)
    rows, columns = draws().below(np.tile([13 - 8 + 1, 10 - 5 + 1], (24, 1))).T
    assert len(set(rows)) > 3 and len(set(columns)) > 3

    def cut(image, i):
        wide = np.pad(image, ((2, 2), (1, 1), (0, 0)), constant_values=9)
        return wide[rows[i] : rows[i] + 8, columns[i] : columns[i] + 5]

    found, wanted = by_image(t, cut, layout)
    assert (found == wanted).all()
    found, wanted = by_image(T.CenterCrop((4, 5)), lambda image, _: image[2:6, 1:6], layout)
    assert (found == wanted).all()


def test_every_place_of_a_crop_is_reached():
    x = np.arange(25).reshape(1, 5, 5)
    corners = {int(T.RandomCrop(4)((x,), T.Draws(0, e, [0]))[0][0, 0, 0]) for e in range(60)}
    assert corners == {0, 1, 5, 6}


@pytest.mark.parametrize("layout", LAYOUTS)
def test_flips(layout):
    chosen = draws().bernoulli(0.4)
    assert 0 < chosen.sum() < 24
    for t, axis in [(T.RandomFlipLeftRight(0.4), 1), (T.RandomFlipTopBottom(0.4), 0)]:
        found, wanted = by_image(
            t, lambda image, i, axis=axis: np.flip(image, axis) if chosen[i] else image, layout
        )
        assert (found == wanted).all()


@pytest.mark.parametrize("dtype", ["uint8", "float32", "float64", "int32"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_affine_maps(layout, dtype):
    t = T.RandomAffine((-30, 60), (0.1, 0.2), (0.7, 1.3), 15, fill=5)
    maps = t._maps((9, 8), draws())

    def mapped(image, i):
        planes = [
            ndimage.affine_transform(
                image[..., k].astype(float),
                maps[i, :, :2],
                maps[i, :, 2],
                order=1,
                mode="grid-constant",
                cval=5,
            )
            for k in range(3)
        ]
        return np.stack(planes, axis=-1)

    found, wanted = by_image(t, mapped, layout, dtype)
    limit = {"uint8": 0.5001, "int32": 0.5001, "float32": 1e-4, "float64": 1e-9}[dtype]
    assert found.dtype == dtype and np.abs(found - wanted).max() <= limit


def test_turning_scaling_and_moving():
    """By quarters, and by whole pixels, nothing is interpolated."""
    x = images(dtype="float32")[:1, :8]  # 8 x 8
    one = T.Draws(0, 0, [0])
    for quarters in (1, 2, 3):
        t = T.RandomAffine((90 * quarters,) * 2)
        assert np.allclose(t((x,), one)[0], np.rot90(x, quarters, (1, 2)), atol=1e-3)
    doubled = T.RandomAffine(scale=(2, 2), interpolation="nearest")((x,), one)[0]
    assert np.allclose(doubled[0, 1:7:2, 1:7:2], x[0, 2:5, 2:5]) and doubled.shape == x.shape
    leaning = T.RandomAffine(shear=(45, 45))((x,), one)[0]
    upper, lower = leaning[0, 0, 4:], leaning[0, 7, :4]  # the top goes right, the bottom left
    assert np.allclose(upper, x[0, 0, :4] * 0.5 + x[0, 0, 1:5] * 0.5, atol=1e-3)
    assert np.allclose(lower, x[0, 7, 3:7] * 0.5 + x[0, 7, 4:8] * 0.5, atol=1e-3)
    moved = T.RandomAffine(translate=(0.25, 0.0), fill=-1)
    (rows, columns) = moved._maps((8, 8), one)[0, :, 2]
    assert 0 < abs(rows) <= 2 and columns == 0


@pytest.mark.parametrize("method", ["nearest", "linear", "cubic", "lanczos", "box"])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_resizing_is_pillows(layout, method):
    resample = {"linear": "BILINEAR", "cubic": "BICUBIC"}.get(method, method.upper())

    def resized(image, _):
        return np.asarray(Image.fromarray(image).resize((11, 6), Image.Resampling[resample]))

    t = T.Resize((6, 11), interpolation=method)
    found, wanted = by_image(t, resized, layout)
    assert (found == wanted).all()

    def planes(image, _):
        few = [Image.fromarray(np.ascontiguousarray(image[..., k])) for k in range(3)]
        few = [plane.resize((11, 6), Image.Resampling[resample]) for plane in few]
        return np.stack([np.asarray(plane) for plane in few], axis=-1)

    found, wanted = by_image(t, planes, layout, "float32")
    assert (found == wanted).all()


def test_the_shorter_side():
    t = T.Resize(4, keep_ratio=True)
    for shape, wanted in [((8, 12), (4, 6)), ((12, 8), (6, 4)), ((4, 4), (4, 4)), ((9, 4), (9, 4))]:
        x = np.zeros((2, *shape, 3), "uint8")
        assert t((x,), draws(n=2))[0].shape == (2, *wanted, 3)
        assert t.describe([DataDesc("x", x.shape[1:], x.dtype)])[0].shape == (*wanted, 3)
    assert t.describe([DataDesc("x", (-1, -1, 3), "uint8", "NHWC")])[0].shape == (-1, -1, 3)


def test_random_resized_crops():
    t = T.RandomResizedCrop((7, 6), scale=(0.2, 0.6), ratio=(0.5, 2))
    boxes = t._boxes(40, 50, draws())
    for left, top, right, bottom in boxes:
        assert 0 <= left < right <= 50 and 0 <= top < bottom <= 40
        area, ratio = (right - left) * (bottom - top), (right - left) / (bottom - top)
        assert 0.15 < area / 2000 < 0.7 and 0.45 < ratio < 2.2
    x = np.random.default_rng(0).integers(0, 256, (24, 40, 50, 3)).astype("uint8")
    (found,) = t((x,), draws())
    for image, box, got in zip(x, boxes, found):
        cut = Image.fromarray(image).resize((6, 7), Image.Resampling.BILINEAR, box)
        assert (got == np.asarray(cut)).all()
    thin = T.RandomResizedCrop(4, scale=(0.9, 1), ratio=(1, 1))._boxes(4, 400, draws(n=3))
    assert thin == [(198, 0, 202, 4)] * 3


def test_a_crop_larger_than_its_image_is_refused():
    descs = [DataDesc("picture", (4, 9, 3), "uint8")]
    with pytest.raises(ShapeError, match=r"'picture' has images of 4 x 9.*5 x 5 cannot.*padding="):
        T.RandomCrop(5).describe(descs)
    assert T.RandomCrop(5, padding=1).describe(descs)[0].shape == (5, 5, 3)
    few = [np.zeros((6, 6, 3), "uint8"), np.zeros((6, 4, 3), "uint8")]
    with pytest.raises(ShapeError, match=r"6 x 4.*\(sample 31\)"):
        T.RandomCrop(5)((few,), T.Draws(0, 0, [30, 31]))
