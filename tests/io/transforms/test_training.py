"""Trained from with augmentation: digits, and not a bit depends on how batches are prepared."""

import numpy as np
import pytest
from sklearn.datasets import load_digits

import nbgraph as ng
from nbgraph import nn
from nbgraph.io import NDArrayIter
from nbgraph.io import transforms as T

DIGITS = load_digits()
AUGMENT = [
    T.RandomCrop(8, padding=1),
    T.RandomAffine(10, scale=(0.9, 1.1)),
    T.RandomBrightness(0.2),
    T.ToFloat(16),
    T.Normalize(0.3, 0.4),
    T.RandomNoise(0.05),
]


def data(prefetch=0, start=0, stop=1400, transforms=AUGMENT, **how):
    x, y = DIGITS.images[start:stop].astype("float32"), DIGITS.target[start:stop]
    how = {"batch_size": 50, "seed": 2, "prefetch": prefetch, **how}
    return NDArrayIter(x, y, transforms=transforms, **how)


def trained(it, epochs):
    ng.random.seed(3)
    net = nn.Sequential(nn.Flatten(), nn.Dense(48, ng.relu, in_features=64), nn.Dense(10))
    nn.fit(
        net,
        it,
        loss=ng.cross_entropy,
        optimizer=lambda m: ng.optim.Adam(m, 0.01),
        epochs=epochs,
        progress=False,
    )
    it.close()
    return net


def test_bits_do_not_depend_on_prefetching():
    """X-DIO-02, X-ENG-09: nor on who decodes and transforms, and when."""
    found = []
    for prefetch in (0, 1, 4):
        net = trained(data(prefetch, stop=400, shuffle=True), epochs=2)
        found.append({name: array.asnumpy() for name, array in net.parameters().items()})
    for other in found[1:]:
        assert all((other[name] == values).all() for name, values in found[0].items())


@pytest.mark.parametrize("transforms", [AUGMENT, AUGMENT[3:5]], ids=["augmented", "plain"])
def test_digits_are_learnt(transforms):
    net = trained(data(transforms=transforms, shuffle=True, prefetch=2), epochs=8)
    rest = DIGITS.images[1400:].astype("float32")
    (x,) = T.Compose(AUGMENT[3:5])((rest,), T.Draws(0, 0, np.arange(len(rest))))
    guess = net(ng.array(x)).asnumpy().argmax(1)
    assert (guess == DIGITS.target[1400:]).mean() > 0.85


def test_each_epoch_has_its_own_augmentation():
    it = data(stop=100)
    epochs = [np.concatenate([b.data[0].asnumpy() for b in it]) for _ in range(2)]
    assert not (epochs[0] == epochs[1]).all((1, 2)).any()
    again = data(stop=100, batch_size=10, prefetch=3)
    assert (np.concatenate([b.data[0].asnumpy() for b in again]) == epochs[0]).all()
    again.close()


def test_a_part_and_a_resumed_epoch_have_the_same_numbers():
    """Wherever a sample is prepared, it is augmented alike."""
    whole = {}
    for batch in data(stop=90, batch_size=30):
        whole |= dict(zip(batch.index.tolist(), batch.data[0].asnumpy()))
    for part in range(3):
        for batch in data(stop=90, batch_size=7, part=part, of=3, last_batch_handle="keep"):
            for number, image in zip(batch.index.tolist(), batch.data[0].asnumpy()):
                assert (image == whole[number]).all()
    it = data(stop=90, batch_size=30, prefetch=2)
    it.next()
    other = data(stop=90, batch_size=30)
    other.load_state_dict(it.state_dict())
    for a, b in zip(it, other, strict=True):
        assert (a.data[0].asnumpy() == b.data[0].asnumpy()).all()
    it.close()
