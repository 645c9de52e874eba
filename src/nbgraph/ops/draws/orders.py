"""Random orders and choices: drawn indices, and elements of an array at these."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import ArgumentError, ShapeError, noun, require_shape
from nbgraph.operator.arrays.array_op import Spec, Specs
from nbgraph.operator.arrays.drawn_op import DrawnOp, draw_call
from nbgraph.operator.call import carrier_of
from nbgraph.operator.environment import EnvArguments
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.scalar.typing import as_operand
from nbgraph.ops.define import (
    Shape,
    as_known,
    axis_of,
    composed,
    deferrable,
    library,
    public,
    shape_tuple,
    whole,
)
from nbgraph.ops.draws import plain
from nbgraph.ops.draws.drawing import Array, named, seed_of
from nbgraph.ops.draws.fills import integers_kernel
from nbgraph.signatures import checked

_SUM_MAY_DIFFER = 1.5e-4  # of probabilities in float32 from 1; close to NumPy's own bound


class Weights:
    """Probabilities known at the call, as an attribute."""

    __slots__ = ("values",)

    def __init__(self, values: Array) -> None:
        self.values = values


# which elements ---------------------------------------------------------------------------------


def _infer(*specs: Spec, size: Shape, **_: Any) -> Spec:
    return Spec(size, np.dtype("int64"))


def _draw(
    inputs: Sequence[Array],
    outputs: Sequence[Array],
    *,
    env: EnvArguments,
    count: int,
    size: Shape,
    replace: bool,
    shuffle: bool,
    weights: Weights | str | None,
    device: Context | None,
    rng: Any,
    separate: int = 0,  # number of leading axes from loops and maps: each draws separately
) -> None:
    p = inputs[0] if isinstance(weights, str) else None if weights is None else weights.values
    random = env.random()
    if replace and weights is None and count:
        outputs[0][...] = plain.integers(random, size, 0, count).astype("int64")
        return
    for place in np.ndindex(size[:separate]):
        outputs[0][place] = random.choice(count, size[separate:], replace, p, shuffle=shuffle)


class _Choice(DrawnOp):
    """A choice of indices; with replacement and equal probabilities, `random.integers`."""

    def drawn_call(
        self, operands: Specs, stores: Sequence[bool], attributes: Any, *, host: bool
    ) -> KernelCall | None:
        count, size = attributes["count"], math.prod(attributes["size"])
        if not (attributes["replace"] and attributes["weights"] is None and count and size):
            return None
        drawn, own = integers_kernel("int64", 0, count, endpoint=False)
        return draw_call(drawn, own, size, host=host)


# an array among the operands is not read (except weights): it fixes the indices' device
_RESOURCES = ("parallel_random",)
_CHOICE = _Choice("random_choice", _infer, _draw, operands=("*operands",), resources=_RESOURCES)
_CHOICE.by_kernels()
_WORDS = 1 << 64  # number of distinct words
_SHORT = 4096  # elements; above, sorting is slower than NumPy's shuffle
_FEW = 16  # among so many elements the first one is found without sorting


def _drawn(
    operands: Sequence[Any],
    count: int,
    size: Shape,
    device: Context | None,
    rng: Any,
    *,
    replace: bool = True,
    shuffle: bool = True,
    weights: Weights | str | None = None,
) -> Any:
    """Return integers below `count`, on the device of the operands or on `device`."""
    return _CHOICE(
        *operands,
        count=count,
        size=size,
        replace=replace,
        shuffle=shuffle,
        weights=weights,
        device=None if operands else device,
        rng=seed_of(rng),
    )


def _order(operands: Sequence[Any], count: int, device: Context | None, rng: Any, k: int) -> Any:
    """Return the first k of the numbers below `count` in random order: that of random words."""
    if count > _SHORT:
        return _drawn(operands, count, (k,), device, rng, replace=False)
    words = _drawn(operands, _WORDS, (count,), device, rng)
    if k * _FEW <= count:
        return library.topk(words, k, ret_typ="indices")
    return library.argsort(words, stable=False)[:k]


def _many(name: str, a: Any, axis: int) -> tuple[Any, int, int]:
    """Return an array and its length along an axis, or None and the number that `a` stands for."""
    if carrier_of((a,)) is None:
        a = np.asarray(as_operand(name, "a" if "choice" in name else "x", a))
    a = as_known(name, a)
    if a.shape:
        axis = axis_of(name, whole(name, "axis", axis), len(a.shape))
        return a, a.shape[axis], axis
    count = whole(name, "the number", a.item() if isinstance(a, np.ndarray) else a)
    if count < 0:
        raise ShapeError(f"{name}: {count} is negative; give how many numbers, or an array")
    return None, count, 0


# what can be asked for --------------------------------------------------------------------------


@named("random_permutation")
@checked
@deferrable(draws=True)
def permutation(x: Any, axis: int = 0, *, device: Context | None = None, rng: Any = None) -> Any:
    """The parts of an array along an axis in random order; of a number n, those from 0 to n - 1.

    x : array, or the number n
    axis : int
    device : Context of the result without operands that are arrays, by default the host
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream
    >>> import nbgraph as ng
    >>> sorted(ng.random.permutation(5).tolist())
    [0, 1, 2, 3, 4]
    """
    array, count, axis = _many("random.permutation", x, axis)
    if array is None:
        return _order((), count, device, rng, count)
    return library.take(array, _order((array,), count, None, rng, count), axis=axis)


@composed("data", aliases=("shuffle",))
def shuffled(data: Any) -> Any:
    """A copy of an array, its slices along the first axis in random order: MXNet's shuffle.

    data : array with at least one axis
    -> array of the shape of data; each element's gradient goes to its origin
    >>> import nbgraph as ng
    >>> sorted(ng.nd.shuffle([3, 1, 2]).tolist())
    [1, 2, 3]
    """
    return permutation(data)


@named("random_shuffle")
@checked
def shuffle(x: Any, axis: int = 0, *, rng: Any = None) -> None:
    """Shuffle the slices of an array along an axis, in place.

    Parameters
    ----------
    x : array that is changed
    axis : int
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream

    >>> import nbgraph as ng
    >>> x = ng.arange(4)
    >>> ng.random.shuffle(x)
    >>> sorted(x.tolist())
    [0, 1, 2, 3]
    """
    if not isinstance(x, np.ndarray) and not hasattr(x, "asnumpy"):
        raise ArgumentError(
            f"random.shuffle: x is {noun(x)}; give an array, which is changed in place "
            "(random.permutation gives a new one, and takes symbols)"
        )
    if not x.shape:
        raise ShapeError("random.shuffle: x has shape (); an array with an axis is needed")
    array, count, axis = _many("random.shuffle", x, axis)
    x[...] = library.take(array, _order((array,), count, None, rng, count), axis=axis)


@public(_CHOICE)
@deferrable(draws=True)
def choice(
    a: Any,
    size: Any = None,
    replace: bool = True,
    p: Any = None,
    axis: int = 0,
    shuffle: bool = True,
    *,
    device: Context | None = None,
    rng: Any = None,
) -> Any:
    """Random slices of an array along an axis, or random integers below `a`.

    a : array, or a number
    size : int or shape of the result along `axis`; by default one slice
    replace : whether a slice may be chosen more than once
    p : array of each slice's probability, by default equal
    axis : int
    shuffle : without `replace`, False is faster and leaves the order undefined
    device : Context of the result without operands that are arrays, by default the host
    rng : a seed, a numpy.random.Generator or a SeedSequence; by default the device's stream
    ! ShapeError if there are too few slices for `size` without `replace`.
    >>> import nbgraph as ng
    >>> ng.random.choice(3, size=4, p=[0, 1, 0])
    array([1, 1, 1, 1])
    """
    name = "random.choice"
    array, count, axis = _many(name, a, axis)
    shape = () if size is None else shape_tuple(name, size, "size")
    wanted = math.prod(shape)
    if wanted and not count:
        raise ShapeError(f"{name}: a has nothing to choose from; give one or more")
    if not replace and wanted > count:
        raise ShapeError(
            f"{name}: size={size} asks for {wanted} of {count} without replacement; choose fewer, "
            "or replace=True"
        )
    operands, weights = _weights(name, p, count, wanted if not replace else 1)
    if array is not None:
        operands.append(array)
    if wanted and not replace and p is None and (shuffle or count <= _SHORT):
        index = library.reshape(_order(operands, count, device, rng, wanted), shape)
    else:
        order: Any = {"replace": bool(replace), "shuffle": bool(shuffle)}
        index = _drawn(operands, count, shape, device, rng, weights=weights, **order)
    return index if array is None else library.take(array, index, axis=axis)


def _weights(
    name: str, p: Any, count: int, distinct: int
) -> tuple[list[Any], Weights | str | None]:
    """Return probabilities as an operand, or checked now as an attribute."""
    if p is None:
        return [], None
    if carrier_of((p,)) is not None:
        require_shape(f"{name}: p", p.shape, (count,), "one for each of a")
        return [p], "operand"
    values = np.array(as_operand(name, "p", p), dtype="float64")
    require_shape(f"{name}: p", values.shape, (count,), "one for each of a")
    if not (values >= 0).all():
        raise ValueError(f"{name}: p has a negative probability, or NaN; expected 0 or more")
    total = values.sum()
    if not abs(total - 1) < _SUM_MAY_DIFFER:
        raise ValueError(f"{name}: the probabilities p sum to {total}; divide them by their sum")
    if np.count_nonzero(values) < distinct:
        raise ValueError(
            f"{name}: {distinct} are asked for without replacement, of which p allows "
            f"{np.count_nonzero(values)}; choose fewer, or replace=True"
        )
    return [], Weights(values / total)
