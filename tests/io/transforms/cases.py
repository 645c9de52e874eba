"""The table of transforms, which templates run, and batches for them."""

import numpy as np

from nbgraph.io import transforms as T

N = 24
# transforms of images: any layout, uint8 and floats
IMAGES = [
    T.CenterCrop((5, 6)),
    T.RandomCrop((7, 6), padding=2, fill=3),
    T.RandomFlipLeftRight(),
    T.RandomFlipTopBottom(0.3),
    T.RandomAffine(20, (0.1, 0.2), (0.7, 1.2), 10, fill=2),
    T.RandomAffine((-40, 5), interpolation="nearest"),
    T.RandomBrightness(0.4),
    T.RandomContrast((0.3, 1.8)),
    T.RandomSaturation(0.6),
    T.RandomHue(0.3),
    T.RandomColorJitter(0.3, 0.2, 0.5, 0.1),
    T.RandomLighting(0.4),
    T.RandomNoise(3.0),
    T.Grayscale(),
    T.Grayscale(channels=3),
    T.ToFloat(),
    T.ToFloat(divisor=100),
    T.Normalize((10.0, 0.5, 3.0), (2.0, 4.0, 0.3)),
    T.Normalize(3, 2),
    T.ToCHW(),
    T.ToHWC(),
    T.ToTensor(),
    T.Cutout((4, 3), p=0.7, fill=1),
    T.Cast("float64"),
    T.Lambda(np.negative),
    T.RandomApply(T.RandomFlipLeftRight(1.0), p=0.4),
    T.OneOf([T.RandomBrightness(0.5), T.RandomContrast(0.5)], weights=(2, 1)),
    T.Compose([T.RandomCrop(6), T.RandomBrightness(0.2), T.ToTensor(), T.Normalize(0.5, 0.25)]),
    T.Resize((5, 11)),
    T.RandomResizedCrop((6, 5), scale=(0.2, 0.9)),
]
LABELS = [T.OneHot(5), T.Compose([T.OneHot(5), T.LabelSmoothing(0.2)])]
OF_BATCH = [T.Compose([T.OneHot(5), T.Mixup(0.4)]), T.Compose([T.OneHot(5), T.CutMix(p=0.8)])]
RANDOM = ("Random", "Cutout", "Mixup", "CutMix", "OneOf")
DTYPES = ("uint8", "float32")
LAYOUTS = {"HWC": (9, 8, 3), "CHW": (3, 9, 8)}


def images(layout="HWC", dtype="uint8", n=N, seed=0):
    values = np.random.default_rng(seed).integers(0, 256, (n, 9, 8, 3))
    values = values if layout == "HWC" else values.transpose(0, 3, 1, 2)
    return np.ascontiguousarray(values).astype(dtype)


def labels(n=N, seed=1):
    return np.random.default_rng(seed).integers(0, 5, n)


def draws(seed=3, epoch=2, n=N):
    return T.Draws(seed, epoch, np.random.default_rng(5).permutation(1000)[:n])
