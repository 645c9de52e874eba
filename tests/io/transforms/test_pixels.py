"""Colour, normalisation and layout: values, against NumPy; a list of them is one loop."""

import numpy as np
import pytest

import nbgraph as ng
from nbgraph.errors import ShapeError
from nbgraph.io import DataDesc
from nbgraph.io import transforms as T
from nbgraph.io.transforms import chain
from tests.io.transforms.cases import DTYPES, LAYOUTS, draws, images

LUMA = np.array([0.299, 0.587, 0.114])


def stored(values, dtype):
    if dtype == "uint8":
        return np.rint(values).clip(0, 255)
    return values


def brightness(x, f):
    return x * f


def contrast(x, f):
    grey = (x @ LUMA).mean((1, 2)).reshape(-1, 1, 1, 1)
    return x * f + grey * (1 - f)


def saturation(x, f):
    return x * f + (x @ LUMA)[..., None] * (1 - f)


@pytest.mark.parametrize("dtype", [*DTYPES, "int16", "float64"])
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("t", "wanted"),
    [
        (T.RandomBrightness(0.5), brightness),
        (T.RandomContrast(0.5), contrast),
        (T.RandomSaturation(0.5), saturation),
    ],
)
def test_factors(t, wanted, layout, dtype):
    x = images(layout, dtype)
    (found,) = t((x,), draws())
    assert found.dtype == dtype
    last = np.moveaxis(x, 1, 3) if layout == "CHW" else x
    factor = draws().uniform((), 0.5, 1.5).astype("float64").reshape(-1, 1, 1, 1)
    values = stored(wanted(last.astype("float64"), factor), dtype)
    if layout == "CHW":
        values = np.moveaxis(values, 3, 1)
    whole = np.dtype(dtype).kind in "iu"
    assert np.abs(found - values).max() <= (1 if whole else 1e-3)
    assert not whole or (found != np.rint(values)).mean() < 0.01


def test_hue_turns_about_the_greys():
    x = images(dtype="float32")
    grey = np.repeat(x[..., :1], 3, axis=3)
    t = T.RandomHue((0.3, 0.3))
    assert np.abs(t((grey,), draws())[0] - grey).max() < 0.5
    turned = t((x,), draws())[0]
    assert np.abs(turned @ LUMA - x @ LUMA).max() < 0.5 and np.abs(turned - x).max() > 20
    back = T.RandomHue((-0.3, -0.3))((turned,), draws())[0]
    assert np.abs(back - x).max() < 1e-2


def test_grey_lighting_and_noise():
    x = images(dtype="float64")
    (grey,) = T.Grayscale()((x,), draws())
    assert grey.shape == (24, 9, 8, 1) and np.allclose(grey[..., 0], x @ LUMA, atol=1e-4)
    for dtype, scale in [("uint8", 255), ("float32", 1)]:
        flat = np.full((400, 2, 2, 3), 128 if dtype == "uint8" else 0.5, dtype)
        (lit,) = T.RandomLighting(0.1)((flat,), draws(n=400))
        assert lit.dtype == dtype and (lit == lit[:, :1, :1]).all()
        deviation = lit[:, 0, 0].astype(float).std(0) / scale
        assert (np.abs(deviation - 0.1 * 55.46 * 0.577 / 255) < 0.004).all()
    (noisy,) = T.RandomNoise(2.0)((x,), draws())
    assert abs((noisy - x).std() - 2) < 0.1 and abs((noisy - x).mean()) < 0.2


@pytest.mark.parametrize("layout", LAYOUTS)
def test_normalising(layout):
    x = images(layout, "uint8")
    mean, std = (0.2, 0.4, 0.6), (1.0, 2.0, 4.0)
    t = T.Compose([T.ToFloat(), T.Normalize(mean, std)])
    shape = (1, 1, 3) if layout == "HWC" else (3, 1, 1)
    small = (x / np.float32(255) - np.float32(mean).reshape(shape)) / np.float32(std).reshape(shape)
    (found,) = t((x,), draws())
    assert found.dtype == "float32" and np.allclose(found, small, rtol=1e-6, atol=1e-7)
    assert (T.ToFloat()((x,), draws())[0] == x / np.float32(255)).all()


def test_layouts():
    x = images()
    assert (T.ToCHW()((x,), draws())[0] == x.transpose(0, 3, 1, 2)).all()
    assert (T.ToHWC()((T.ToCHW()((x,), draws())[0],), draws())[0] == x).all()
    assert (T.ToHWC()((x,), draws())[0] == x).all()
    (desc,) = T.ToTensor().describe([DataDesc("x", (9, 8, 3), "uint8", "NHWC")])
    assert (desc.shape, desc.dtype, desc.layout) == ((3, 9, 8), np.float32, "NCHW")
    odd = [DataDesc("x", (3, 8, 3), "uint8", "NHWC")]  # nothing but the layout tells
    assert T.ToCHW().describe(odd)[0].shape == (3, 3, 8)
    with pytest.raises(ShapeError, match="layout not known.*give layout="):
        T.ToCHW().describe([DataDesc("x", (3, 8, 3), "uint8")])
    assert T.ToCHW(layout="HWC").describe([DataDesc("x", (3, 8, 3), "uint8")])[0].shape == (3, 3, 8)


PIPELINES = [
    [T.ToTensor(), T.Normalize((0.1, 0.2, 0.3), 0.5)],
    [T.RandomBrightness(0.5), T.RandomLighting(0.2), T.ToTensor(), T.RandomNoise(0.1)],
    [T.RandomContrast(0.5), T.RandomBrightness(0.2), T.RandomSaturation(0.5), T.ToFloat()],
    [T.ToCHW(), T.RandomHue(0.4), T.RandomBrightness(0.4), T.ToHWC(), T.Normalize(3, 7)],
    [T.Grayscale(), T.ToTensor(), T.Normalize(0.5, 0.5)],
]


@pytest.mark.parametrize("dtype", [*DTYPES, "float16", "int32"])
@pytest.mark.parametrize("pipeline", PIPELINES, ids=repr)
def test_a_list_gives_the_bits_of_its_members(pipeline, dtype):
    """Neighbours run as one loop: nothing is seen of it but the time."""
    x = images(dtype=dtype)
    stage = T.Compose(pipeline).stage([DataDesc("x", x.shape[1:], dtype, "NHWC")], [])
    (found,) = stage((x,), draws())
    columns, descs = (x,), [DataDesc("x", x.shape[1:], dtype, "NHWC")]
    for k, t in enumerate(pipeline):
        one = t.stage(descs, [])
        columns, descs = one(columns, draws().child(f"{k}.{t.name}")), one.descs
    (wanted,) = columns
    assert found.dtype == wanted.dtype == stage.descs[0].dtype and found.shape == wanted.shape
    assert (found == wanted).all()


def test_neighbours_are_one_loop(monkeypatch):
    """DIO-01: reading bytes and writing normalised floats, channels first, is one call."""
    calls = []
    run = chain._run
    monkeypatch.setattr(chain, "_run", lambda *how: calls.append(how) or run(*how))
    t = T.Compose([T.RandomBrightness(0.5), T.ToTensor(), T.Normalize((0.1, 0.2, 0.3), 0.5)])
    t((images(),), draws())
    assert len(calls) == 1


@pytest.mark.parametrize("compiler", ["python", "numba"])
def test_the_users_text_says_the_same(compiler):
    x = images(n=2, dtype="float32")
    t = T.Compose([T.RandomBrightness(0.5), T.Normalize((1, 2, 3), (2, 3, 4))])
    (quick,) = t((x,), draws(n=2))
    with ng.config(compiler=compiler):
        (plain,) = t((x,), draws(n=2))
    assert np.allclose(quick, plain, rtol=1e-6)
