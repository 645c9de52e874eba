"""The base classes of transforms, which turn the columns of a batch into other columns.

A column is an array (n, *shape), or a list of n arrays where samples differ in shape. A transform
has no state besides its parameters, which its `repr` shows. `stage` binds it to the columns of a
source, so that shapes are checked once, before the first batch. All random numbers come from
`Draws` and depend on the number of the sample.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, dataclass_transform

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.io.protocol import DataDesc
from nbgraph.io.transforms.draws import Draws
from nbgraph.shape import Array

Column = Array | list[Array]
Columns = tuple[Column, ...]
Run = Callable[[Columns, Draws], Columns]
# parameter -> its check, a function (name in messages, value, *bounds) -> value, and the bounds
Checks = Mapping[str, tuple[Any, ...]]


class Stage:
    """A transform bound to the columns of a source.

    Parameters
    ----------
    descs : DataDesc of a sample, for each output column
    labels : names of the output columns that are labels
    run : function (columns, draws) -> output columns
    """

    __slots__ = ("descs", "labels", "run")

    def __init__(self, descs: Sequence[DataDesc], labels: Sequence[str], run: Run) -> None:
        self.descs, self.labels, self.run = tuple(descs), tuple(labels), run

    def __call__(self, columns: Columns, draws: Draws) -> Columns:
        """Return the output columns for a batch."""
        return self.run(columns, draws)


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
@dataclass(frozen=True, repr=False)
class Transform:
    """The base of transforms; a subclass becomes a frozen dataclass and defines `stage`."""

    _checks: ClassVar[Checks] = {}

    def __init_subclass__(cls, **how: Any) -> None:
        super().__init_subclass__(**how)
        tables = [vars(base).get("_checks", {}) for base in reversed(cls.__mro__)]
        cls._checks = {name: row for table in tables for name, row in table.items()}
        dataclass(frozen=True, repr=False)(cls)

    def __post_init__(self) -> None:
        """Check parameters by the rows of the class and its bases; a subclass may check more."""
        for f in dataclasses.fields(self):
            if f.name in self._checks:
                check, *bounds = self._checks[f.name]
                self._set(
                    **{f.name: check(f"{self.name}: {f.name}", getattr(self, f.name), *bounds)}
                )

    def __repr__(self) -> str:
        parts = [
            f"{f.name}={value!r}"
            for f in dataclasses.fields(self)
            if (value := getattr(self, f.name)) is not f.default and value != f.default
        ]
        return f"{type(self).__name__}({', '.join(parts)})"

    @property
    def name(self) -> str:
        """The name in messages and in the keys of random numbers."""
        return type(self).__name__

    def _set(self, **values: Any) -> None:
        """Set parameters to their checked values, during initialisation."""
        for name, value in values.items():
            object.__setattr__(self, name, value)

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        """Return this transform bound to columns; ShapeError where one does not fit."""
        raise ArgumentError(f"{self.name}: a transform defines stage")

    def describe(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> tuple[Any, ...]:
        """Return the DataDesc of each output column for these input columns."""
        return self.stage(descs, labels).descs

    def __call__(self, columns: Columns, draws: Draws) -> Columns:
        """Return the columns after the transform. The last of several columns counts as the label;
        iterators, which know their labels, call `stage`."""
        descs = descs_of(columns)
        return self.stage(descs, [d.name for d in descs[1:][-1:]])(columns, draws)


class ColumnTransform(Transform):
    """A transform of one column at a time; a subclass defines `described` and `apply`.

    Parameters
    ----------
    on : "data", "label", "all", a name, or a tuple of names
        The columns to act on. Several columns get the same random numbers, so that an image and its
        mask are cut alike.
    """

    on: str | tuple[str, ...] = field(default="data", kw_only=True)

    def described(self, desc: DataDesc) -> DataDesc:
        """Return the DataDesc of the result for this column; ShapeError where it does not fit."""
        return desc

    def apply(self, x: Array, draws: Draws, desc: DataDesc) -> Array:
        """Return the result (n, *shape) for the column `x`, whose samples `desc` describes."""
        raise ArgumentError(f"{self.name}: a transform of columns defines apply")

    def stage(self, descs: Sequence[DataDesc], labels: Sequence[str] = ()) -> Stage:
        places = self.places(descs, labels)
        after = [self.described(d) if k in places else d for k, d in enumerate(descs)]

        def run(columns: Columns, draws: Draws) -> Columns:
            out = list(columns)
            for k in places:
                out[k] = self._column(out[k], draws.again(), descs[k])
            return tuple(out)

        return Stage(after, labels, run)

    def places(self, descs: Sequence[DataDesc], labels: Sequence[str]) -> list[int]:
        """Return the numbers of the columns in `on`; raise ArgumentError for an unknown name."""
        names = [d.name for d in descs]
        chosen: Any = {
            "all": names,
            "data": [n for n in names if n not in labels],
            "label": [n for n in names if n in labels],
        }.get(self.on if isinstance(self.on, str) else "", self.on)
        chosen = [chosen] if isinstance(chosen, str) else list(chosen)
        missing = [n for n in chosen if n not in names]
        if missing or not chosen:
            what = f"on={self.on!r}, but " + ("there is no such column" if missing else "none is")
            raise ArgumentError(
                f"{self.name}: {what}; the columns are {', '.join(names)}, of which "
                f"{', '.join(labels) or 'none'} are labels; give on= one of these names"
            )
        return [names.index(n) for n in chosen]

    def _column(self, x: Column, draws: Draws, desc: DataDesc) -> Column:
        if isinstance(x, np.ndarray):
            return self.apply(x, draws, desc)

        def alike(part: Array, some: Draws) -> Array:
            """Apply the transform to the samples of one shape in a column of several shapes."""
            own = changed(desc, shape=part.shape[1:], dtype=part.dtype)
            try:
                self.described(own)
            except ShapeError as error:
                raise ShapeError(f"{error} (sample {some.index[0]})") from None
            return self.apply(part, some, own)

        return by_shape(x, draws, alike)


def by_shape(column: list[Array], draws: Draws, apply: Callable[[Array, Draws], Array]) -> Column:
    """Apply a function to the samples of each shape together; one array if all results fit."""
    groups: dict[Any, list[int]] = {}
    for i, x in enumerate(column):
        groups.setdefault((x.shape, x.dtype), []).append(i)
    results = list(column)
    for places in groups.values():
        some = [column[i] for i in places]
        for i, value in zip(places, apply(stacked(some), draws.take(places)), strict=True):
            results[i] = value
    return stacked(results) if len({(x.shape, x.dtype) for x in results}) == 1 else results


def stacked(samples: list[Array]) -> Array:
    """Return samples of one shape as one array; a view of a single one."""
    return samples[0][None] if len(samples) == 1 else np.stack(samples)


def descs_of(columns: Columns) -> list[DataDesc]:
    """Return descriptions of columns by their arrays alone; -1 for extents that differ."""
    descs: list[DataDesc] = []
    for k, x in enumerate(columns):
        if not len(x) and not isinstance(x, np.ndarray):
            raise ArgumentError(f"column{k}: a list of no samples; give an array (0, *shape)")
        shapes = [x.shape[1:]] if isinstance(x, np.ndarray) else [sample.shape for sample in x]
        alike = len({len(s) for s in shapes}) == 1
        shape = [a[0] if len({*a}) == 1 else -1 for a in zip(*shapes)] if alike else ()
        dtype = x.dtype if isinstance(x, np.ndarray) else x[0].dtype
        descs.append(DataDesc(f"column{k}", shape, dtype))
    return descs


def changed(desc: DataDesc, **values: Any) -> DataDesc:
    """Return a description with some entries replaced."""
    entries = {n: getattr(desc, n) for n in ("name", "shape", "dtype", "layout")}
    return DataDesc(**{**entries, **values})


def require_fits(name: str, parameter: str, value: float, desc: DataDesc) -> None:
    """Raise ArgumentError where a column's dtype cannot represent a fill value."""
    if desc.dtype.kind in "iu":
        ends = np.iinfo(desc.dtype)
        if not ends.min <= value <= ends.max or value != int(value):
            raise ArgumentError(
                f"{name}: {parameter}={value:g}; expected a whole number from {ends.min} to "
                f"{ends.max}, as column {desc.name!r} has {desc.dtype}"
            )


# parameters -------------------------------------------------------------------------------------


def pair(what: str, value: Any, least: int = 1) -> tuple[int, int]:
    """Return height and width from one whole number or two; ArgumentError for other values."""
    both = (value, value) if isinstance(value, (int, np.integer)) else value
    if (
        not isinstance(both, (tuple, list))
        or len(both) != 2
        or not all(isinstance(n, (int, np.integer)) and n >= least for n in both)
        or isinstance(value, bool)
    ):
        raise ArgumentError(
            f"{what}={value!r}; expected a whole number from {least} on, or (height, width) of such"
        )
    return int(both[0]), int(both[1])


def interval(
    what: str, value: Any, least: float = -np.inf, around: float | None = None
) -> tuple[float, float]:
    """Return the ends of an interval: two numbers in order, from `least` on. One number r means the
    interval (around - r, around + r), cut off at `least`, where `around` is a number."""
    ends = value
    if around is not None and isinstance(value, (int, float)) and value >= 0:
        ends = (max(least, around - value), around + value)
    if (
        not isinstance(ends, (tuple, list))
        or len(ends) != 2
        or not all(isinstance(e, (int, float, np.number)) and np.isfinite(e) for e in ends)
        or not least <= ends[0] <= ends[1]
    ):
        one = "a number from 0 on, or " if around is not None else ""
        bound = f", from {least:g} on" if np.isfinite(least) else ""
        raise ArgumentError(
            f"{what}={value!r}; expected {one}(low, high), two finite numbers in order{bound}"
        )
    return float(ends[0]), float(ends[1])
