"""Handwritten digits of scikit-learn, 8 x 8 cells each, in the same parts everywhere."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits


class Digits(NamedTuple):
    """Images of shape (1, 8, 8) with values from 0 to 1, and their digits."""

    train: tuple[np.ndarray, np.ndarray]
    validation: tuple[np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray]


def digits() -> Digits:
    """1,257 images to train with, 180 to choose settings by, and 360 for the result alone."""
    source = load_digits()
    images = (source.images[:, None] / 16).astype("float32")
    order = np.random.default_rng(0).permutation(len(images))
    parts = order[540:], order[360:540], order[:360]
    return Digits(*[(images[part], source.target[part]) for part in parts])


def shifted(images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The images, and each of them moved by a cell in eight directions; what comes in is empty."""
    wide = np.pad(images, [(0, 0), (0, 0), (1, 1), (1, 1)])
    found = [wide[:, :, y : y + 8, x : x + 8] for y in range(3) for x in range(3)]
    return np.concatenate(found), np.tile(labels, 9)
