"""Sampled classes as candidates besides the true ones; smaller classes are more probable.

The probability of class k of n is log((k + 2) / (k + 1)) / log(n + 1): about that of the k-th word
of a language by frequency (Zipf, 1949), as in samplers of softmax over many classes (Jean et al.,
2015).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import Spec
from nbgraph.operator.arrays.drawn_op import DrawnOp
from nbgraph.operator.environment import EnvArguments
from nbgraph.ops.define import Shape, library, public, shape_tuple, whole
from nbgraph.ops.draws.distributions import uniform
from nbgraph.ops.draws.drawing import Array, named, seed_of
from nbgraph.signatures import checked


def _classes(rng: np.random.Generator, count: int, size: int) -> Array:
    """Return `size` classes below `count`."""
    numbers = np.exp(rng.random(size) * math.log1p(count)) - 1
    return np.minimum(numbers.astype("int64"), count - 1)


def _infer(*, size: Shape, **_: Any) -> tuple[Spec, Spec]:
    whole_numbers = np.dtype("int64")
    return Spec(size, whole_numbers), Spec(size[:-1], whole_numbers)


def _draw(
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    *,
    env: EnvArguments,
    range_max: int,
    size: Shape,
    device: Context | None,
    rng: Any,
) -> None:
    rows, tries = outputs[0].reshape(-1, size[-1]), np.empty(math.prod(size[:-1]), "int64")
    generator = env.random()
    for at, row in enumerate(rows):
        row[:], tries[at] = _distinct(generator, range_max, size[-1])
    outputs[0][...], outputs[1][...] = rows.reshape(size), tries.reshape(size[:-1])


def _distinct(rng: np.random.Generator, count: int, wanted: int) -> tuple[Array, int]:
    """Return distinct classes in the order of their draws, and the number of draws."""
    drawn, first = np.empty(0, "int64"), np.empty(0, "int64")
    while len(first) < wanted:
        drawn = np.concatenate([drawn, _classes(rng, count, max(64, 2 * wanted))])
        first = np.sort(np.unique(drawn, return_index=True)[1])
    return drawn[first[:wanted]], int(first[wanted - 1]) + 1 if wanted else 0


_UNIQUE = DrawnOp(
    "random_unique_zipfian", _infer, _draw, operands=(), nout=2, resources=("parallel_random",)
)


def _below(name: str, range_max: Any) -> int:
    count = whole(name, "range_max", range_max)
    if count < 1:
        raise ArgumentError(f"{name}: range_max={range_max!r}; expected 1 class or more")
    return count


@public(_UNIQUE)
def unique_zipfian(
    range_max: int, size: Any, *, device: Context | None = None, rng: Any = None
) -> tuple[Any, Any]:
    """Rows of distinct random classes below `range_max`; smaller ones are likelier.

    range_max : int, the number of classes
    size : shape of the result; classes differ along its last axis
    device : Context, by default the host
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream
    -> two arrays of int64: classes (*size,), and the number of draws of each row (*size[:-1],)
    ! ShapeError if a row is longer than `range_max`.
    >>> import nbgraph as ng
    >>> classes, tries = ng.random.unique_zipfian(4, (2, 4))
    >>> sorted(classes[0].tolist()), tries.shape
    ([0, 1, 2, 3], (2,))
    """
    name = "random.unique_zipfian"
    count, shape = _below(name, range_max), shape_tuple(name, size, "size")
    if not shape or shape[-1] > count:
        raise ShapeError(
            f"{name}: size={size!r} asks for rows of different classes of {count}; expected a "
            "shape whose last extent is at most that"
        )
    return _UNIQUE(range_max=count, size=shape, device=device, rng=seed_of(rng))


@named("rand_zipfian")
@checked
def zipfian(
    true_classes: Any, num_sampled: int, range_max: int, *, rng: Any = None
) -> tuple[Any, Any, Any]:
    """Random classes below `range_max`, smaller ones likelier, and expected counts.

    Parameters
    ----------
    true_classes : array (n,) of classes; results are on its device
    num_sampled : int, the number of classes drawn, with replacement
    range_max : int, the number of classes
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream

    Returns
    -------
    three arrays: classes (num_sampled,) of int64; expected counts of the true and of the drawn
        classes in `num_sampled` draws, float64

    >>> import nbgraph as ng
    >>> classes, true, drawn = ng.random.zipfian(ng.array([0]), 3, 1)
    >>> classes.tolist(), true.tolist(), drawn.tolist()
    ([0, 0, 0], [3.0], [3.0, 3.0, 3.0])
    """
    name = "random.zipfian"
    count, many = _below(name, range_max), whole(name, "num_sampled", num_sampled)
    limit = math.log1p(count)
    # an operand fixes the device, and makes graphs draw anew in each run
    zero = library.reshape(library.sum(library.zeros_like(true_classes, "float64")), (1,))
    numbers = uniform(zero, limit, (many,), dtype="float64", rng=rng)
    drawn = library.expm1(numbers)
    drawn = library.minimum(library.astype(drawn, "int64"), count - 1)

    def expected(classes: Any) -> Any:
        wide = library.astype(classes, "float64")
        chance = library.divide(library.log1p(library.divide(1.0, library.add(wide, 1.0))), limit)
        return library.multiply(chance, float(many))

    return drawn, expected(true_classes), expected(drawn)
