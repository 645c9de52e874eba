"""Every transform of the table: what all have in common."""

import pickle
from dataclasses import replace

import numpy as np
import pytest

from nbgraph.errors import NbgraphError
from nbgraph.io import DataDesc
from nbgraph.io import transforms as T
from tests.io.transforms.cases import (
    DTYPES,
    IMAGES,
    LABELS,
    LAYOUTS,
    OF_BATCH,
    RANDOM,
    draws,
    images,
    labels,
)

ALL = [*IMAGES, *LABELS, *OF_BATCH]
ids = repr


def equal(a, b):
    return len(a) == len(b) and all(
        x.dtype == y.dtype and x.shape == y.shape and (x == y).all() for x, y in zip(a, b)
    )


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("t", [*IMAGES, *LABELS], ids=ids)
def test_numbers_depend_on_the_sample_alone(t, layout, dtype):
    """X-DIO-02: neither the batch, nor its order, nor who prepared others before, matters."""
    columns, d = (images(layout, dtype), labels()), draws()
    whole = t(columns, d)
    order = np.random.default_rng(7).permutation(len(d))
    for part in np.split(order, [3, 4, 15]):
        own = t(tuple(c[part] for c in columns), T.Draws(d.seed, d.epoch, d.index[part]))
        assert equal(own, tuple(c[part] for c in whole))


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("t", ALL, ids=ids)
def test_numbers_repeat_for_a_seed_and_an_epoch(t, layout):
    columns = images(layout, "float32"), labels()
    before = [c.copy() for c in columns]
    first = t(columns, draws())
    assert equal(first, t(columns, draws()))
    assert equal(columns, before), "the transform has written its operands"
    chance = any(word in repr(t) for word in RANDOM)
    for other in (draws(seed=4), draws(epoch=3)):
        assert equal(first, t(columns, other)) != chance


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("t", ALL, ids=ids)
def test_what_is_described_comes_out(t, layout, dtype):
    columns = images(layout, dtype), labels()
    descs = [
        DataDesc("data", columns[0].shape[1:], dtype, "N" + layout),
        DataDesc("label", (), columns[1].dtype),
    ]
    stage = t.stage(descs, ["label"])
    found = stage(columns, draws())
    assert [(d.shape, d.dtype) for d in stage.descs] == [(c.shape[1:], c.dtype) for c in found]
    assert [d.name for d in stage.descs] == ["data", "label"] and stage.labels == ("label",)
    assert all(c.flags.c_contiguous for c in found)
    none = stage(tuple(c[:0] for c in columns), draws(n=0))
    assert [(c.shape[1:], c.dtype) for c in none] == [(c.shape[1:], c.dtype) for c in found]


@pytest.mark.parametrize("t", ALL, ids=ids)
def test_a_transform_is_the_call_that_makes_it(t):
    if "Lambda" not in repr(t):  # a function's repr is not a call
        assert eval(repr(t), vars(T)) == t
    assert pickle.loads(pickle.dumps(t)) == t


@pytest.mark.parametrize("t", IMAGES, ids=ids)
def test_images_of_several_shapes(t):
    """Those of one shape are transformed together, with the numbers of each sample."""
    big, small = images(n=10), np.ascontiguousarray(images(n=10, seed=2)[:, :8, :7])
    few = [x for pair in zip(big, small) for x in pair]
    desc = DataDesc("data", (-1, -1, 3), "uint8", "NHWC")
    d = draws(n=20)
    stage = t.stage([desc], [])
    (found,) = stage((few,), d)
    for offset, alike in enumerate((big, small)):
        own = T.Draws(d.seed, d.epoch, d.index[offset::2])
        alone = DataDesc("data", alike.shape[1:], "uint8", "NHWC")
        (wanted,) = t.stage([alone], [])((alike,), own)
        for k, w in enumerate(wanted):
            f = found[2 * k + offset]
            assert f.shape == w.shape and f.dtype == w.dtype and (f == w).all()
    if -1 not in stage.descs[0].shape:
        assert isinstance(found, np.ndarray) and found.shape[1:] == stage.descs[0].shape


@pytest.mark.parametrize("t", [t for t in IMAGES if isinstance(t, T.ColumnTransform)], ids=ids)
def test_an_image_and_its_mask_are_cut_alike(t):
    x = images(dtype="float32")
    a, b = replace(t, on="all")((x, x), draws())
    assert equal([a], [b])


@pytest.mark.parametrize("t", IMAGES, ids=ids)
def test_what_is_no_image_is_refused(t):
    """At the description, before the first batch, with the name of the column."""
    if isinstance(t, (T.RandomNoise, T.Cast, T.Lambda, T.ToFloat)) or t == T.Normalize(3, 2):
        return  # of any values
    with pytest.raises(NbgraphError, match="'data'.*shape|'data'.*images"):
        t.describe([DataDesc("data", (7,), "float32")])
    with pytest.raises(NbgraphError, match="'data' has .*shape \\(9, 7, 8\\)"):
        t.describe([DataDesc("data", (9, 7, 8), "float32")])


def test_a_column_that_is_not_there_is_named():
    descs = [DataDesc("data", (4, 4)), DataDesc("label", ())]
    with pytest.raises(NbgraphError, match="on='picture'.*no such column.*data, label.*give on="):
        T.RandomCrop(3, on="picture").stage(descs, ["label"])
    with pytest.raises(NbgraphError, match="on='label', but none is.*of which none are labels"):
        T.OneHot(3).stage(descs[:1], [])


WRONG = [
    (lambda: T.RandomCrop(0), "size=0"),
    (lambda: T.RandomCrop((1, 2, 3)), "size="),
    (lambda: T.RandomCrop(3.5), "size=3.5"),
    (lambda: T.RandomCrop(3, padding=-1), "padding=-1"),
    (lambda: T.CenterCrop(3, layout="NCHW"), "layout='NCHW'"),
    (lambda: T.RandomFlipLeftRight(1.5), "p=1.5"),
    (lambda: T.RandomFlipTopBottom("no"), "p='no'"),
    (lambda: T.RandomAffine(degrees=(5, 1)), "degrees="),
    (lambda: T.RandomAffine(degrees=-3), "degrees=-3"),
    (lambda: T.RandomAffine(scale=(0, 1)), "scale="),
    (lambda: T.RandomAffine(translate=2), "translate=2"),
    (lambda: T.RandomAffine(interpolation="cubic"), "interpolation="),
    (lambda: T.RandomAffine(shear=float("nan")), "shear=nan"),
    (lambda: T.RandomBrightness(-1), "amount=-1"),
    (lambda: T.RandomContrast((1, 0)), "amount="),
    (lambda: T.RandomHue(2), "amount"),
    (lambda: T.RandomColorJitter(contrast=-1), "contrast=-1"),
    (lambda: T.RandomLighting(float("inf")), "alpha=inf"),
    (lambda: T.RandomNoise(-1), "deviation=-1"),
    (lambda: T.Grayscale(2), "channels=2"),
    (lambda: T.ToFloat(0), "divisor=0"),
    (lambda: T.Normalize(0, (1, 0)), "std="),
    (lambda: T.Normalize("mean"), "mean='mean'"),
    (lambda: T.Cutout((0, 2)), "size="),
    (lambda: T.Mixup(0), "alpha=0"),
    (lambda: T.CutMix(p=-1), "p=-1"),
    (lambda: T.Resize(4, interpolation="magic"), "interpolation="),
    (lambda: T.Resize((4, 4), keep_ratio=True), "size="),
    (lambda: T.RandomResizedCrop(4, scale=(0, 1)), "scale="),
    (lambda: T.RandomResizedCrop(4, ratio=(2, 1)), "ratio="),
    (lambda: T.OneHot(0), "classes=0"),
    (lambda: T.LabelSmoothing(2), "share=2"),
    (lambda: T.Lambda(3), "function=3"),
    (lambda: T.PadSequences(0), "length=0"),
    (lambda: T.PadSequences(()), "length="),
    (lambda: T.Compose([T.ToTensor]), "call it with its parameters"),
    (lambda: T.Compose([3]), "3 is not a transform"),
    (lambda: T.Compose(T.ToTensor()), "expected a list"),
    (lambda: T.OneOf([]), "at least one"),
    (lambda: T.OneOf([T.ToFloat()], weights=(1, 2)), "weights="),
    (lambda: T.RandomApply(T.ToFloat(), p=3), "p=3"),
]


@pytest.mark.parametrize(("make", "told"), WRONG, ids=[told for _, told in WRONG])
def test_wrong_parameters_are_refused(make, told):
    with pytest.raises(NbgraphError) as raised:
        make()
    assert told in str(raised.value)
    assert "expected" in str(raised.value) or "give" in str(raised.value)


@pytest.mark.parametrize(
    "t",
    [
        T.RandomCrop(5, padding=1, fill=300),
        T.Cutout(2, fill=-1),
        T.RandomAffine(5, fill=0.5),
        T.PadSequences(value=-1),
    ],
    ids=ids,
)
def test_a_filling_that_the_dtype_does_not_hold(t):
    with pytest.raises(
        NbgraphError, match="whole number from 0 to 255, as column 'data' has uint8"
    ):
        t.describe([DataDesc("data", (9, 8, 3), "uint8")])
    t.describe([DataDesc("data", (9, 8, 3), "float32")])
