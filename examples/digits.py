"""Handwritten digits of scikit-learn, 8 x 8 cells each, in the same parts everywhere."""

from typing import NamedTuple

import numpy as np
from sklearn.datasets import load_digits


class Digits(NamedTuple):
    """Images of shape (1, 8, 8) with values from 0 to 1, and their digits."""

    train: tuple[np.ndarray, np.ndarray]
    test: tuple[np.ndarray, np.ndarray]


def digits(*, flat: bool = False) -> Digits:
    """1,437 images to train with and 360 to test."""
    source = load_digits()
    images = (source.data / 16).astype("float32")
    images = images if flat else images.reshape(-1, 1, 8, 8)
    order = np.random.default_rng(0).permutation(len(images))
    parts = [(images[part], source.target[part]) for part in (order[360:], order[:360])]
    return Digits(*parts)


def shifted(images: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The images, and each of them moved by a cell in four directions."""
    moves = [(0, 0), (1, 2), (-1, 2), (1, 3), (-1, 3)]
    found = [np.roll(images, step, axis) if axis else images for step, axis in moves]
    return np.concatenate(found), np.tile(labels, len(moves))
