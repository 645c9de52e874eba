"""Lists, choices and chances of transforms."""

import numpy as np
import pytest

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.io import DataDesc, NDArrayIter
from nbgraph.io import transforms as T
from tests.io.transforms.cases import draws, images, labels


def doubled(columns, draws):
    return (columns[0] * 2.0, *columns[1:])


def with_noise(columns, draws):
    return (columns[0] + draws.normal(columns[0].shape[1:]), draws.uniform((2,)), *columns[1:])


def test_functions_among_transforms():
    """What they make of a sample is found out by the first one."""
    t = T.Compose([T.CenterCrop(6), doubled, T.ToCHW(layout="HWC")])
    descs = [DataDesc("data", (9, 8, 3), "uint8"), DataDesc("label", (), "int64")]
    stage = t.stage(descs, ["label"])
    assert [(d.name, d.shape, d.dtype.name) for d in stage.descs] == [
        ("data", (3, 6, 6), "float64"),
        ("label", (), "int64"),
    ]
    x, y = stage((images(), labels()), draws())
    wanted = images()[:, 1:7, 1:7].transpose(0, 3, 1, 2) * 2.0
    assert (x == wanted).all() and (y == labels()).all()
    seen = []
    first = (np.ones((1, 3)),)

    def looked_at(columns, draws):
        seen.append(columns[0])
        return columns

    T.Compose([looked_at]).stage([DataDesc("data", (3,))], [], sample=lambda: first)
    assert seen[0] is first[0]


def test_functions_draw_for_themselves():
    x = np.zeros((24, 5))
    whole = T.Compose([with_noise, with_noise])((x,), draws())
    assert [c.shape for c in whole] == [(24, 5), (24, 2), (24, 2)]
    part = T.Compose([with_noise, with_noise])((x[3:7],), draws().take(slice(3, 7)))
    assert all((a[3:7] == b).all() for a, b in zip(whole, part))
    assert (whole[1] != whole[2]).all()


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (None, "NoneType"),
        ((np.zeros(3),), r"\(3,\)"),
        (np.zeros((24, 2)), "ndarray"),
        ((), "nothing"),
    ],
)
def test_functions_that_give_no_columns(made, told):
    def careless(columns, draws):
        return made if len(columns[0]) > 1 else columns

    with pytest.raises(ArgumentError, match=rf"careless: .*24.*; it gave .*{told}"):
        T.Compose([careless])((images(),), draws())


def square(x):
    return x * x


def test_what_an_iterator_takes():
    x = images()
    for one in (T.CenterCrop(4), [T.CenterCrop(4)], T.Compose([T.CenterCrop(4)])):
        assert NDArrayIter(x, transforms=one).next().data[0].shape == (1, 4, 4, 3)
    for wrong, told in [(3, "3 is not a transform"), ([T.ToTensor], "call it with its parameters")]:
        with pytest.raises(ArgumentError, match=f"transforms: .*{told}"):
            NDArrayIter(x, transforms=wrong)
    with pytest.raises(ArgumentError, match=r"square: .*takes \(columns, draws\).*Lambda\(func"):
        NDArrayIter(x, transforms=[square]).next()


def test_each_member_has_its_own_numbers():
    one = T.RandomBrightness(0.5)
    x = images(dtype="float32")
    (once,) = T.Compose([one])((x,), draws())
    (twice,) = T.Compose([one, one])((x,), draws())
    factor = once[:, 0, 0, 0] / x[:, 0, 0, 0]
    assert not np.isclose(twice[:, 0, 0, 0], x[:, 0, 0, 0] * factor**2).any()


def test_shares_of_a_choice():
    t = T.OneOf([T.Lambda(np.zeros_like), T.Lambda(np.ones_like)], weights=(1, 3))
    (found,) = t((np.full((4000, 1), 7.0),), T.Draws(0, 0, np.arange(4000)))
    assert set(found.ravel()) == {0.0, 1.0} and abs(found.mean() - 0.75) < 0.03
    rare = T.RandomApply(T.Lambda(np.zeros_like), p=0.1)
    (found,) = rare((np.ones((4000, 1)),), T.Draws(0, 0, np.arange(4000)))
    assert abs(found.mean() - 0.9) < 0.03


def test_choices_must_agree():
    with pytest.raises(ShapeError, match=r"OneOf: CenterCrop gives .*\[4, 4, 3\].*\[9, 8, 3\]"):
        T.OneOf([T.RandomHue(0.1), T.CenterCrop(4)]).describe([DataDesc("x", (9, 8, 3))])
    with pytest.raises(ShapeError, match="RandomApply: .*all must give the same"):
        T.RandomApply([T.ToFloat()]).describe([DataDesc("x", (9, 8, 3), "uint8")])


def test_labels_go_along():
    both = T.Compose([T.PadSequences(on="label"), T.OneHot(5, on="class")])
    descs = [DataDesc("x", (2,)), DataDesc("class", ()), DataDesc("tags", (-1,))]
    with pytest.raises(ShapeError, match="'class'.*expected sequences"):
        both.stage(descs, ["class", "tags"])
    stage = T.Compose([T.PadSequences(on="tags"), T.OneHot(5, on="class")]).stage(
        descs, ["class", "tags"]
    )
    assert stage.labels == ("class", "tags", "tags_length")


def test_mxnets_names():
    """The names of gluon.data.vision.transforms."""
    names = (
        "CenterCrop Cast Compose HybridCompose Normalize RandomApply RandomBrightness "
        "RandomColorJitter RandomContrast RandomCrop RandomFlipLeftRight RandomFlipTopBottom "
        "RandomGray RandomHue RandomLighting RandomResizedCrop RandomRotation RandomSaturation "
        "Resize Rotate ToTensor"
    )
    assert [n for n in names.split() if not hasattr(T, n)] == []
    x = images(dtype="float32")
    assert (T.RandomGray(1.0)((x,), draws())[0] == T.Grayscale(3)((x,), draws())[0]).all()
    turned = T.RandomRotation((90, 90), rotate_with_proba=0.5)((x[:, :8],), draws())[0]
    same = (turned == x[:, :8]).all((1, 2, 3))
    assert 0 < same.sum() < 24
    assert np.allclose(
        T.Rotate(90)((x[:, :8],), draws())[0], np.rot90(x[:, :8], 1, (1, 2)), atol=1e-3
    )
