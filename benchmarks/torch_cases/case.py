"""What a configuration is, and draws that the families share."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

Array = np.ndarray[Any, Any]
Rng = np.random.Generator


class Case(NamedTuple):
    """One configuration: how it is called, its operands, and both functions of them.

    Gradients are taken with respect to floating operands; others (indices, masks) stand beside
    them. Where `order` is 1 no second derivatives are compared, where it is 0 no gradients.
    """

    text: str
    operands: Sequence[Array]
    ours: Callable[..., Any]
    theirs: Callable[..., Any]
    order: int = 2
    tolerance: float = 1e-9

    @property
    def floats(self) -> list[int]:
        """The operands that gradients are taken of, by position."""
        return [i for i, x in enumerate(self.operands) if x.dtype.kind == "f"]


Make = Callable[[Rng, Any], Case]  # from a generator and the module torch


def numbers(rng: Rng, least: int, most: int, count: int) -> tuple[int, ...]:
    """Whole numbers from `least` up to and without `most`."""
    return tuple(int(n) for n in rng.integers(least, most, count))


def one_of(rng: Rng, *choices: Any) -> Any:
    """One of these."""
    return choices[int(rng.integers(len(choices)))]


def flag(rng: Rng) -> bool:
    return bool(rng.integers(2))


def shape_of(rng: Rng, least: int = 1, most: int = 4, extent: int = 6) -> tuple[int, ...]:
    """A shape of `least` to `most` axes, now and then with an axis of one element."""
    return numbers(rng, 1, extent, int(rng.integers(least, most + 1)))


def normal(rng: Rng, *shape: int) -> Array:
    """Numbers of which one in three arrays does not lie in row-major order."""
    if len(shape) > 1 and rng.integers(3) == 0:
        return rng.normal(size=shape[::-1]).T
    if shape and rng.integers(4) == 0:
        return rng.normal(size=(*shape[:-1], 2 * shape[-1]))[..., ::2]
    return np.asarray(rng.normal(size=shape))


def distinct(rng: Rng, *shape: int) -> Array:
    """Numbers of which no two are equal, and none is near another."""
    count = int(np.prod(shape))
    return ((rng.permutation(count) + 0.5 - count / 2) / max(1, count / 4)).reshape(shape)


def some_axes(rng: Rng, count: int) -> tuple[int, ...] | int | None:
    """Any axes, in any order and counted from either end; one as a number, all as None."""
    kind = int(rng.integers(4))
    if kind == 0 or not count:
        return None
    if kind == 1:
        return int(rng.integers(-count, count))
    chosen = rng.permutation(count)[: rng.integers(1, count + 1)]
    return tuple(int(a) - count * int(rng.integers(2)) for a in chosen)


def dims(axis: Any, count: int) -> tuple[int, ...]:
    """Axes as PyTorch takes them."""
    if axis is None:
        return tuple(range(count))
    return axis if isinstance(axis, tuple) else (axis,)


def weights_of(module: Any) -> Iterator[Array]:
    """The parameters of a module of PyTorch."""
    for weight in module.parameters():
        yield weight.detach().numpy().copy()
