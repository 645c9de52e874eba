"""Transforms that erase parts of images, or mix samples of a batch."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, require_number
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.base import Columns, ColumnTransform, Stage, changed, pair
from nbgraph.io.transforms.draws import Draws
from nbgraph.io.transforms.functions import blended
from nbgraph.io.transforms.images import IS_LAYOUT, Axes, Images, axes_of, channels_last
from nbgraph.io.transforms.values import require_probabilities
from nbgraph.shape import Array


class Cutout(Images):
    """Fill a rectangle of each image, centred at a random pixel, with one value.

    Parameters
    ----------
    size : int or (height, width)
        Size of the rectangle, which may lie partly outside of the image.
    p : float
        Probability that an image gets a rectangle.
    fill : float
    layout : "HWC", "CHW" or "HW", optional

    >>> x = np.ones((1, 4, 4))
    >>> float(Cutout((8, 8))((x,), Draws(0, 0, [0]))[0].sum())
    0.0
    """

    size: int | tuple[int, int]
    p: float = 1.0
    fill: float = 0
    layout: str | None = None
    _checks = {"size": (pair,)}

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        axes = self._axes(desc)
        size = np.broadcast_to(pair(f"{self.name}: size", self.size), (len(x), 2))
        chosen = draws.bernoulli(self.p)
        out = np.array(x)
        inside = rectangles(extents_of(x, axes), size * chosen[:, None], draws)
        channels_last(out, axes)[inside] = self.fill
        return out


class Mixup(ColumnTransform):
    """Blend each sample, data and labels, with another one of its batch.

    Parameters
    ----------
    alpha : float
        The share is drawn from the distribution Beta(alpha, alpha); a sample keeps the larger part
        of itself.
    p : float
        Probability that a sample is blended.
    on : str
        By default all columns. Labels are probabilities: see OneHot.

    Integers become float32. The choice of pairs depends on the samples of the batch, and so on
    batch_size, but neither on workers nor on prefetching.

    >>> x, y = np.array([[0.0], [1.0]]), np.eye(2)
    >>> mixed, labels = Mixup(1.0)((x, y), Draws(0, 0, [0, 1]))
    >>> bool(np.allclose(mixed[:, 0], labels[:, 1]))
    True
    """

    alpha: float = 0.2
    p: float = 1.0
    on: str | tuple[str, ...] = field(default="all", kw_only=True)
    _checks = {"alpha": (require_number, 1e-3), "p": (require_number, 0, 1), "layout": IS_LAYOUT}

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        places, after = self.places(descs, labels), list(descs)
        for k in places:
            after[k] = self._blended(descs[k], descs[k].name in labels)

        def run(columns: Columns, draws: Draws) -> Columns:
            partner, share = partners(draws), self._shares(draws)
            out = list(columns)
            for k in places:
                out[k] = _mean(_one_shape(self.name, columns[k], descs[k]), partner, share)
            return tuple(out)

        return Stage(after, labels, run)

    def _blended(self, desc: DataDesc, label: bool) -> DataDesc:
        if label:
            require_probabilities(self.name, desc)
        if -1 in desc.shape:
            raise _several_shapes(self.name, desc)
        return changed(desc, dtype="float32") if desc.dtype.kind in "iub" else desc

    def _shares(self, draws: Draws) -> Array:
        share = beta(draws, self.alpha)
        share = np.maximum(share, 1 - share)
        return np.where(draws.bernoulli(self.p), share, 1)


class CutMix(Mixup):
    """Paste a rectangle of another sample of the batch into each image; blend labels by area.

    Parameters
    ----------
    alpha : float
        The share of the area that stays is drawn from the distribution Beta(alpha, alpha).
    p : float
        Probability that a sample gets a rectangle.
    layout : "HWC", "CHW" or "HW", optional
    on : str
        By default all columns: images, and labels that are probabilities (see OneHot).

    Samples are paired as in Mixup.

    >>> x, y = np.stack([np.zeros((8, 8)), np.ones((8, 8))]), np.eye(2)
    >>> mixed, labels = CutMix(1.0)((x, y), Draws(0, 0, [0, 1]))
    >>> bool(np.allclose(mixed.mean((1, 2)), labels[:, 1]))
    True
    """

    alpha: float = 1.0
    layout: str | None = None

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        places, after = self.places(descs, labels), list(descs)
        images = [k for k in places if descs[k].name not in labels]
        if not images:
            raise ArgumentError(f"{self.name}: on={self.on!r} names no images, only labels")
        for k in places:
            if k in images:
                axes_of(self.name, self._blended(descs[k], False), self.layout)
            else:
                after[k] = self._blended(descs[k], True)

        def run(columns: Columns, draws: Draws) -> Columns:
            partner, out = partners(draws), list(columns)
            fraction, chosen = beta(draws, self.alpha), draws.bernoulli(self.p)
            share = np.ones(len(draws))
            for k in images:
                x = _one_shape(self.name, columns[k], descs[k])
                axes = axes_of(self.name, descs[k], self.layout)
                extents = np.array(extents_of(x, axes))
                side = np.sqrt(1 - np.where(chosen, fraction, 1))[:, None]
                size = np.rint(extents * side).astype(np.int64)
                inside = rectangles(extents, size, draws.again().child("place"))
                share = 1 - inside.sum((1, 2)) / max(1, extents.prod())
                image, (own, row, column) = np.array(x), np.nonzero(inside)
                others = channels_last(x, axes)[partner[own], row, column]
                channels_last(image, axes)[own, row, column] = others
                out[k] = image
            for k in places:
                if k not in images:
                    out[k] = _mean(_one_shape(self.name, columns[k], descs[k]), partner, share)
            return tuple(out)

        return Stage(after, labels, run)


def partners(draws: Draws) -> Array:
    """Return for each sample the index of the next one in a random order of the batch."""
    order = draws.order()
    places = np.empty_like(order)
    places[order] = np.roll(order, -1)
    return places


def beta(draws: Draws, alpha: float) -> Array:
    """Return float64 random numbers (n,) of the distribution Beta(alpha, alpha)."""
    from scipy.special import betaincinv  # loads SciPy

    u = draws.uniform().astype(np.float64) + 2.0**-25  # 24 bits: the middle of each step
    return betaincinv(alpha, alpha, u)


def extents_of(x: Array, axes: Axes) -> tuple[int, int]:
    """Return height and width of a batch of images."""
    return x.shape[axes.height], x.shape[axes.width]


def rectangles(extents: Any, size: Array, draws: Draws) -> Array:
    """Return the masks (n, height, width) of random rectangles of `size` (n, 2)."""
    middles = draws.below(np.broadcast_to(extents, size.shape))
    first = middles - size // 2
    inside: list[Array] = []
    for k, extent in enumerate(extents):
        at = np.arange(extent)
        inside.append((at >= first[:, k, None]) & (at < (first + size)[:, k, None]))
    return inside[0][:, :, None] & inside[1][:, None, :]


def _mean(x: Array, partner: Array, share: Array) -> Array:
    """Return share * sample + (1 - share) * partner for each sample."""
    own = share.reshape(-1, *[1] * (x.ndim - 1)).astype(np.float32)
    out = np.empty(x.shape, "float32" if x.dtype.kind in "iub" else x.dtype)
    if out.size:
        blended(x, x[partner], own, out=out, casting="unsafe")
    return out


def _one_shape(name: str, column: Any, desc: DataDesc) -> Array:
    if isinstance(column, np.ndarray):
        return column
    raise _several_shapes(name, desc)


def _several_shapes(name: str, desc: DataDesc) -> ShapeError:
    text = "has samples of several shapes; put a crop or Resize before it"
    return ShapeError(f"{name}: column {desc.name!r} {text}")
