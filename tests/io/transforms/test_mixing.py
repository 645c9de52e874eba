"""Cutout, mixup and cutmix: values, against NumPy sample by sample."""

import numpy as np
import pytest
from scipy import stats

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.io import DataDesc
from nbgraph.io import transforms as T
from nbgraph.io.transforms.mixing import beta, partners
from tests.io.transforms.cases import LAYOUTS, draws, images

CLASSES = np.eye(24, dtype="float32")  # a class for each sample: who was mixed with whom


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cutout(layout):
    x = images(layout, "float32") + 1
    (found,) = T.Cutout((4, 3), p=0.8)((x,), draws())
    last = np.moveaxis(found, 1, 3) if layout == "CHW" else found
    areas = set()
    for image in last:
        rows, columns = np.nonzero((image == 0).all(-1))
        areas.add(len(rows))
        if len(rows):
            box = np.ptp(rows) + 1, np.ptp(columns) + 1
            assert box[0] <= 4 and box[1] <= 3 and len(rows) == box[0] * box[1]
    assert {0, 12} <= areas and len(areas) > 3
    kept = found != 0
    assert (found[kept] == x[kept]).all()


def test_mixup_blends_data_and_labels_alike():
    x = images(dtype="float32")
    mixed, label = T.Mixup(0.5)((x, CLASSES), draws())
    assert mixed.dtype == label.dtype == np.float32
    others = []
    for i in range(24):
        share = label[i, i]
        (rest,) = np.flatnonzero(np.delete(label[i], i))
        rest += rest >= i
        others.append(int(rest))
        assert 0.5 <= share <= 1 and np.isclose(label[i, rest], 1 - share)
        assert np.allclose(mixed[i], x[i] * share + x[rest] * (1 - share), atol=1e-3)
    assert sorted(others) == list(range(24))  # each is somebody's partner, once
    never, same = T.Mixup(p=0.0)((x, CLASSES), draws())
    assert (never == x).all() and (same == CLASSES).all()
    (bytes_,) = T.Mixup(on="data")((images(),), draws())
    assert bytes_.dtype == np.float32


@pytest.mark.parametrize("layout", LAYOUTS)
def test_cutmix_puts_a_rectangle(layout):
    x = np.arange(24).reshape(24, 1, 1, 1) * np.ones((9, 8, 3))
    x = x.astype("uint8") if layout == "HWC" else x.astype("uint8").transpose(0, 3, 1, 2)
    mixed, label = T.CutMix()((x, CLASSES), draws())
    assert mixed.dtype == np.uint8
    last = np.moveaxis(mixed, 1, 3) if layout == "CHW" else mixed
    several = 0
    for i, image in enumerate(last):
        rows, columns = np.nonzero((image != i).all(-1))
        assert np.isclose(label[i, i], 1 - len(rows) / 72, atol=1e-6)
        if len(rows):
            several += 1
            assert len(rows) == (np.ptp(rows) + 1) * (np.ptp(columns) + 1)
            (other,) = set(image[rows, columns].ravel().tolist())
            assert np.isclose(label[i, other], len(rows) / 72, atol=1e-6)
    assert several > 15


def test_partners_and_shares():
    d = draws(n=200)
    assert sorted(partners(d)) == list(range(200)) and (partners(d.again()) != np.arange(200)).all()
    assert partners(T.Draws(0, 0, [4])).tolist() == [0]
    for alpha in (0.2, 1.0, 3.0):
        found = beta(T.Draws(0, 0, np.arange(4000)), alpha)
        assert stats.kstest(found, stats.beta(alpha, alpha).cdf).pvalue > 1e-4


def test_classes_are_not_blended():
    descs = [DataDesc("data", (9, 8, 3)), DataDesc("label", (), "int64")]
    for t in (T.Mixup(), T.CutMix(), T.LabelSmoothing(0.1)):
        with pytest.raises(ArgumentError, match=r"'label' has samples int64\[\].*put OneHot"):
            t.stage(descs, ["label"])
    with pytest.raises(ShapeError, match="several shapes.*crop or Resize"):
        T.Mixup(on="data").stage([DataDesc("data", (-1, 8, 3))], [])
    with pytest.raises(ArgumentError, match="names no images"):
        T.CutMix(on="label").stage([descs[0], DataDesc("label", (5,))], ["label"])
