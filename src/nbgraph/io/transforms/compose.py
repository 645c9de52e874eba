"""Transforms of transforms: a sequence, a random choice, or a random application of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError, function_name, require_number
from nbgraph.io.protocol import DataDesc
from nbgraph.io.source import taken
from nbgraph.io.transforms.base import (
    Array,
    Column,
    Columns,
    Stage,
    Transform,
    descs_of,
)
from nbgraph.io.transforms.chain import Pixels, Several
from nbgraph.io.transforms.draws import Draws
from nbgraph.signatures import accepts

Sample = Callable[[], Columns]


class Compose(Transform):
    """Apply transforms one after another.

    Parameters
    ----------
    transforms : sequence of transforms, or of functions f(columns, draws) -> columns
        Neighbours that act on each pixel alone run as one loop.

    >>> from nbgraph.io.transforms.scaling import Normalize, ToFloat
    >>> both = Compose([ToFloat(), Normalize(0.5, 0.5)])
    >>> both
    Compose(transforms=(ToFloat(), Normalize(mean=0.5, std=0.5)))
    >>> both((np.array([[0, 255]], "uint8"),), Draws(0, 0, [0]))[0].tolist()
    [[-1.0, 1.0]]
    """

    transforms: Sequence[Any]

    def __post_init__(self) -> None:
        self._set(transforms=checked(self.name, self.transforms))

    def stage(
        self, descs: Sequence[DataDesc], labels: Sequence[str] = (), *, sample: Sample | None = None
    ) -> Stage:
        """Return the transforms bound to columns; see Transform.

        `sample` returns the columns of one sample or more, on which functions without `describe`
        are called to learn the shapes of their results; by default a sample of zeros.
        """
        stages: list[Stage] = []
        at, start = 0, Stage(descs, labels, lambda columns, draws: columns)
        while at < len(self.transforms):
            here = stages[-1] if stages else start
            run = self._pixels(at, here)
            if len(run) > 1:
                one = _Fused(tuple(run), at, on=run[0].on)
                stages.append(one.stage(here.descs, here.labels))
                at += len(run)
                continue
            one = self.transforms[at]
            name = f"{at}.{_name(one)}"
            if isinstance(one, Transform):
                stages.append(_named(one.stage(here.descs, here.labels), name))
            else:
                before = tuple(stages)
                probe = _first(descs, sample, lambda c, d, b=before: _in_turn(b, c, d))
                stages.append(_named(_of_function(one, here, probe), name))
            at += 1
        last = stages[-1] if stages else start
        return Stage(last.descs, last.labels, lambda c, d: _in_turn(stages, c, d))

    def _pixels(self, at: int, here: Stage) -> list[Pixels]:
        """Return the transforms of pixels from index `at` on that act on the same columns."""
        run: list[Pixels] = []
        for one in self.transforms[at:]:
            if not isinstance(one, Pixels) or (run and one.on != run[0].on):
                break
            run.append(one)
        return run

    def __call__(self, columns: Columns, draws: Draws) -> Columns:
        descs = descs_of(columns)
        labels = [d.name for d in descs[1:][-1:]]
        first = tuple([column[:1] for column in columns])
        return self.stage(descs, labels, sample=lambda: first)(columns, draws)


class OneOf(Transform):
    """Apply one of several transforms to each sample, at random.

    Parameters
    ----------
    transforms : sequence of transforms
        Their results have the same shapes and dtypes.
    weights : sequence of numbers, optional
        The relative probability of each; by default equal.

    >>> from nbgraph.io.transforms.crops import RandomFlipLeftRight, RandomFlipTopBottom
    >>> turned = OneOf([RandomFlipLeftRight(1.0), RandomFlipTopBottom(1.0)])
    >>> x = np.tile(np.arange(4).reshape(1, 2, 2), (9, 1, 1))
    >>> sorted({int(y[0, 0]) for y in turned((x,), Draws(0, 0, np.arange(9)))[0]})
    [1, 2]
    """

    transforms: Sequence[Any]
    weights: Sequence[float] | None = None

    def __post_init__(self) -> None:
        transforms = checked(self.name, self.transforms)
        weights = self.weights
        if weights is not None:
            weights = tuple(require_number(f"{self.name}: weights", w, 0) for w in weights)
            if len(weights) != len(transforms) or not sum(weights):
                raise ArgumentError(
                    f"{self.name}: weights={self.weights!r} of {len(transforms)} transforms; "
                    "expected a number from 0 for each, not all of them 0"
                )
        if not transforms:
            raise ArgumentError(f"{self.name}: no transforms; give at least one")
        self._set(transforms=transforms, weights=weights)

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        stages = [
            _named(Compose([one]).stage(descs, labels), f"{k}.{_name(one)}")
            for k, one in enumerate(self.transforms)
        ]
        outputs = [[(d.name, d.shape, d.dtype) for d in stage.descs] for stage in stages]
        for one, own in zip(self.transforms, outputs, strict=True):
            if own != outputs[0]:
                raise ShapeError(
                    f"{self.name}: {_name(one)} gives {_text(own)}, {_name(self.transforms[0])} "
                    f"{_text(outputs[0])}; all must give the same"
                )
        weights = np.ones(len(stages)) if self.weights is None else np.array(self.weights)
        ends = np.cumsum(weights / weights.sum())[:-1].astype(np.float32)

        def run(columns: Columns, draws: Draws) -> Columns:
            choice = np.searchsorted(ends, draws.uniform(), side="right")
            places = [np.flatnonzero(choice == k) for k in range(len(stages))]
            parts = [
                stage(tuple([taken(c, p) for c in columns]), draws.take(p))
                for stage, p in zip(stages, places, strict=True)
                if len(p) or not len(draws)
            ]
            used = [p for p in places if len(p) or not len(draws)]
            return tuple([_together(each, used) for each in zip(*parts, strict=True)])

        return Stage(stages[0].descs, stages[0].labels, run)


class RandomApply(Transform):
    """Apply a transform, or several one after another, to some samples, at random.

    Parameters
    ----------
    transforms : transform, or sequence of transforms
        They change neither shapes nor dtypes.
    p : float
        Probability that a sample is transformed.

    >>> from nbgraph.io.transforms.crops import RandomFlipLeftRight
    >>> x = np.arange(8).reshape(2, 2, 2)
    >>> never = RandomApply(RandomFlipLeftRight(1.0), p=0.0)
    >>> bool((never((x,), Draws(0, 0, [0, 1]))[0] == x).all())
    True
    """

    transforms: Any
    p: float = 0.5

    def __post_init__(self) -> None:
        several = isinstance(self.transforms, (list, tuple))
        self._set(
            transforms=checked(self.name, self.transforms if several else (self.transforms,)),
            p=require_number(f"{self.name}: p", self.p, 0, 1),
        )

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        either = OneOf((Compose(()), Compose(self.transforms)), (1 - self.p, self.p))
        try:
            return either.stage(descs, labels)
        except ShapeError as error:
            raise ShapeError(f"{self.name}: {error}") from None


def checked(name: str, transforms: Any) -> tuple[Any, ...]:
    """Return transforms as a tuple; raise ArgumentError where one is not a transform."""
    listed = isinstance(transforms, (list, tuple))
    wrong = [t for t in transforms if not callable(t) or isinstance(t, type)] if listed else []
    if not listed or wrong:
        culprit = wrong[0] if wrong else transforms
        what = (
            "a class: call it with its parameters"
            if isinstance(culprit, type)
            else "not a transform"
        )
        raise ArgumentError(
            f"{name}: {culprit!r} is {what}; expected a list of transforms, or of functions "
            "f(columns, draws) -> columns"
        )
    return tuple(transforms)


def _name(one: Any) -> str:
    return one.name if isinstance(one, Transform) else function_name(one)


def _named(stage: Stage, name: str) -> Stage:
    """Return a stage with its own random numbers, identified by `name`."""
    return Stage(stage.descs, stage.labels, lambda c, d: stage(c, d.child(name)))


def _in_turn(stages: Sequence[Stage], columns: Columns, draws: Draws) -> Columns:
    for stage in stages:
        columns = stage(columns, draws)
    return columns


class _Fused(Several):
    """Transforms of pixels that run as one loop, each with its own random numbers."""

    transforms: tuple[Pixels, ...]
    first: int

    def parts(self) -> list[tuple[str, Pixels]]:
        return [(f"{k}.{one.name}", one) for k, one in enumerate(self.transforms, self.first)]


def _first(
    descs: Sequence[DataDesc], sample: Sample | None, before: Callable[[Columns, Draws], Columns]
) -> Callable[[], tuple[Columns, Draws]]:
    """Return a function that returns the columns of a sample after `before`, and their draws."""

    def batch() -> tuple[Columns, Draws]:
        zeros = tuple([np.zeros((1, *(max(n, 1) for n in d.shape)), d.dtype) for d in descs])
        columns = zeros if sample is None else sample()
        draws = Draws(0, 0, np.arange(len(columns[0])))
        return before(columns, draws), draws

    return batch


def _of_function(function: Any, here: Stage, probe: Callable[[], tuple[Columns, Draws]]) -> Stage:
    """Return the stage of a user's function of columns and draws."""
    if not accepts(function, 2):
        raise ArgumentError(
            f"{_name(function)}: a function among transforms takes (columns, draws), a tuple of "
            "arrays and random numbers; of one that takes an array alone make Lambda(function)"
        )

    def run(columns: Columns, draws: Draws) -> Columns:
        out = function(columns, draws)
        if (
            not isinstance(out, (tuple, list))
            or not out
            or not all(isinstance(c, (np.ndarray, list)) and len(c) == len(columns[0]) for c in out)
        ):
            raise ArgumentError(
                f"{_name(function)}: a transform gives a tuple of columns, arrays of as many "
                f"samples as it gets ({len(columns[0])}); it gave {_kinds(out)}"
            )
        return tuple(out)

    describe = getattr(function, "describe", None)
    if describe is not None:
        return Stage(describe(here.descs), here.labels, run)
    names = [d.name for d in here.descs]
    results = descs_of(run(*probe()))
    layouts = [d.layout for d in here.descs]
    descs = [
        DataDesc(names[k], d.shape, d.dtype, layouts[k]) if k < len(names) else d
        for k, d in enumerate(results)
    ]
    labels = [n for n in here.labels if n in [d.name for d in descs]]
    return Stage(descs, labels, run)


def _kinds(columns: Any) -> str:
    if isinstance(columns, (tuple, list)):
        return ", ".join(str(getattr(c, "shape", type(c).__name__)) for c in columns) or "nothing"
    return type(columns).__name__


def _together(parts: Sequence[Column], places: Sequence[Array]) -> Column:
    """Return one column, in the order of the batch, from parts with the samples of `places`."""
    back = np.argsort(np.concatenate(places), kind="stable")
    arrays = [p for p in parts if isinstance(p, np.ndarray)]
    if len(arrays) == len(parts) and len({a.shape[1:] for a in arrays}) == 1:
        return np.concatenate(arrays)[back]
    samples = [one for part in parts for one in part]
    return [samples[i] for i in back]


def _text(described: Sequence[tuple[Any, ...]]) -> str:
    return ", ".join(f"{name} {dtype}{list(shape)}" for name, shape, dtype in described)
