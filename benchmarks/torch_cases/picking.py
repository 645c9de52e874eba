"""Rows of tables, gathering and scattering, and moving elements about."""

from __future__ import annotations

from typing import Any

import numpy as np

import nbgraph as ng
from benchmarks.torch_cases.case import Case, Rng, flag, normal, numbers, one_of, shape_of


def embedding(rng: Rng, torch: Any) -> Case:
    """With a padding index one time in two, whose row gets no gradient."""
    rows, units = numbers(rng, 2, 8, 2)
    indices = rng.integers(0, rows, shape_of(rng, 0, 3))
    padding = int(rng.integers(-rows, rows)) if flag(rng) else None
    return Case(
        f"embedding {padding=}",
        [indices, normal(rng, rows, units)],
        lambda i, w: ng.embedding(i, w, padding_index=padding),
        lambda i, w: torch.nn.functional.embedding(i, w, padding),
    )


def take(rng: Rng, torch: Any) -> Case:
    """take, index_select and take_along_axis with indices that repeat."""
    shape = shape_of(rng)
    axis = int(rng.integers(-len(shape), len(shape)))
    count, name = shape[axis], one_of(rng, "index_select", "take", "take_along_axis")
    x = normal(rng, *shape)
    if name == "take_along_axis":
        wanted = list(shape)
        wanted[axis] = int(rng.integers(1, 6))
        indices = rng.integers(0, count, wanted)
        return Case(f"{name} {axis=}", [x, indices],
                    lambda x, i: ng.take_along_axis(x, i, axis),
                    lambda x, i: torch.take_along_dim(x, i, axis))  # fmt: skip
    indices = rng.integers(0, count, int(rng.integers(0, 6)))
    if name == "take":
        return Case(f"{name} {axis=}", [x, indices],
                    lambda x, i: ng.take(x, i, axis),
                    lambda x, i: torch.index_select(x, axis, i))  # fmt: skip
    return Case(f"{name} {axis=}", [x, indices],
                lambda x, i: ng.index_select(x, axis, i),
                lambda x, i: torch.index_select(x, axis, i))  # fmt: skip


def scatter(rng: Rng, torch: Any) -> Case:
    """Adding and putting at indices along an axis."""
    shape = shape_of(rng, 1, 3)
    axis = int(rng.integers(len(shape)))
    wanted = list(shape)
    wanted[axis] = int(rng.integers(1, 7))
    indices = rng.integers(0, wanted[axis], shape)
    return Case(
        f"scatter_along_axis {axis=}",
        [normal(rng, *shape), indices],
        lambda v, i: ng.scatter_along_axis(v, i, tuple(wanted), axis),
        lambda v, i: torch.zeros(wanted, dtype=v.dtype).scatter_add(axis, i, v),
    )


def fancy(rng: Rng, torch: Any) -> Case:
    """Reading, adding and putting by a key of slices and index arrays."""
    shape = numbers(rng, 2, 6, 3)
    rows = rng.integers(0, shape[0], 4)
    columns = rng.integers(0, shape[1], 4)
    key = one_of(
        rng,
        (rows, columns),
        (slice(None), columns),
        (rows, slice(1, None)),
        (rows, slice(None), 0),
        (0, slice(None), slice(None, None, 2)),
        (Ellipsis, rng.integers(0, shape[2], (2, 2))),
    )
    x = normal(rng, *shape)
    part = np.asarray(x[key]).shape
    how = one_of(rng, "read", "add")
    theirs_key = tuple(torch.from_numpy(k) if isinstance(k, np.ndarray) else k for k in key)
    if how == "read":
        return Case(f"x[{key}]", [x], lambda x: x[key], lambda x: x[theirs_key])

    def add(x: Any, v: Any) -> Any:
        spots = torch.arange(x.numel()).reshape(x.shape)[theirs_key].reshape(-1)
        return x.reshape(-1).index_add(0, spots, v.reshape(-1)).reshape(x.shape)

    return Case(f"index_add {key}", [x, normal(rng, *part)],
                lambda x, v: ng.index_add(x, v, key=key), add)  # fmt: skip


def moved(rng: Rng, torch: Any) -> Case:
    """Joining, splitting, turning, padding, repeating."""
    shape = shape_of(rng, 2, 4)
    axis, x = int(rng.integers(len(shape))), normal(rng, *shape)
    pads = [numbers(rng, 0, 3, 2) for _ in shape]
    flat = [n for pair in reversed(pads) for n in pair]
    reps = numbers(rng, 1, 4, len(shape))
    order = tuple(int(a) for a in rng.permutation(len(shape)))
    step, k = int(rng.integers(-4, 5)), int(rng.integers(-2, 3))
    other = normal(rng, *shape)
    table: dict[str, tuple[list[Any], Any, Any]] = {
        "pad": ([x], lambda x: ng.pad(x, pads), lambda x: torch.nn.functional.pad(x, flat)),
        "tile": ([x], lambda x: ng.tile(x, reps), lambda x: x.repeat(reps)),
        "repeat": ([x], lambda x: ng.repeat(x, 3, axis),
                   lambda x: torch.repeat_interleave(x, 3, axis)),
        "roll": ([x], lambda x: ng.roll(x, step, axis), lambda x: torch.roll(x, step, axis)),
        "flip": ([x], lambda x: ng.flip(x, axis), lambda x: torch.flip(x, (axis,))),
        "transpose": ([x], lambda x: ng.transpose(x, order), lambda x: x.permute(order)),
        "concat": ([x, other], lambda *v: ng.concat(v, axis), lambda *v: torch.cat(v, axis)),
        "stack": ([x, other], lambda *v: ng.stack(v, axis), lambda *v: torch.stack(v, axis)),
        "split": ([x], lambda x: ng.array_split(x, 2, axis)[0],
                  lambda x: torch.tensor_split(x, 2, axis)[0]),
        "tril": ([x], lambda x: ng.tril(x, k), lambda x: torch.tril(x, k)),
        "triu": ([x], lambda x: ng.triu(x, k), lambda x: torch.triu(x, k)),
        "diagonal": ([x], lambda x: ng.diagonal(x, k), lambda x: torch.diagonal(x, k)),
        "clip": ([x], lambda x: ng.clip(x, -0.5, 0.7), lambda x: torch.clip(x, -0.5, 0.7)),
        "where": ([x, other], lambda a, b: ng.where(a > b, a * a, b * a),
                  lambda a, b: torch.where(a > b, a * a, b * a)),
        "diff": ([x], lambda x: ng.diff(x, 1, axis), lambda x: torch.diff(x, 1, axis)),
    }  # fmt: skip
    if len(shape) == 2:
        table["trace"] = [x], ng.trace, torch.trace
    name = one_of(rng, *table)
    operands, ours, theirs = table[name]
    # squared, so that there is a second derivative
    return Case(f"{name} axis={axis} k={k} step={step} pads={pads} reps={reps} order={order}",
                operands, lambda *v: ng.square(ours(*v)), lambda *v: theirs(*v) ** 2)  # fmt: skip


KINDS = {
    "embedding": embedding,
    "take": take,
    "scatter": scatter,
    "fancy": fancy,
    "moved": moved,
}
