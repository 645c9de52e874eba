"""Running sums, products, extremes and recurrences as kernels: a unit per row, in order.

So hosts and devices have the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.kernels.loops.loop import STRIP
from nbgraph.kernels.scalar.kinds import Element
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Spec, Specs
from nbgraph.ops.define import axis_of
from nbgraph.ops.reductions.reductions import accumulator

_AT_ONCE = 8  # elements whose loads overlap in a thread
_Step = Callable[[Sequence[str], str], list[str]]  # of values and the index in the row


class _Rows(NamedTuple):
    """The computation of each row. `operands`: their elements, by name; `kind`: of the state `acc`,
    initially `start`; `step` updates it by an element's values, and `result` is stored. `first`:
    `start` is also stored, before all."""

    operands: dict[str, Element]
    out: Element
    kind: str
    step: _Step
    start: str
    first: bool
    result: str

    @property
    def states(self) -> dict[str, str]:
        """Return the states carried from element to element: names, and their kinds."""
        return {"acc": self.kind} | ({"spot": "int64"} if self.result == "spot" else {})

    def along(self, count: int) -> list[str]:
        """Return lines that iterate over a row, `count` elements at a time."""
        lines = [f"while k + {count} <= n:"]
        for j in range(count):
            for x, element in self.operands.items():
                value = element.load(f"{x}_at, at + {j} * width")
                lines.append(f"    {x}_{j} = {self.kind}({value})")
        for j in range(count):
            values = [f"{x}_{j}" for x in self.operands]
            lines += [f"    {line}" for line in self.step(values, f"(k + {j})")]
            lines.append(f"    {self.out.store(f'out_at, to + {j} * width', self.result)}")
        behind = f"at += {count} * width", f"to += {count} * width", f"k += {count}"
        return [*lines, *(f"    {line}" for line in behind)]

    def side_by_side(self, column: str) -> list[tuple[str, str, list[str]]]:
        """Return loops that process several rows in step: see `UnitText.steps`. States are in
        strips, each at its `column`."""
        ahead = int(self.first)
        begin = [f"{v}_strip = strip_{kind}()" for v, kind in self.states.items()]
        for v in self.states:
            begin.append(f"store({v}_strip, {column}, {self.start if v == 'acc' else 0})")
        if self.first:
            begin.append(self.out.store("out_at, row * (n + 1) * width + col", self.start))
        lines = []
        for x, element in self.operands.items():
            value = element.load(f"{x}_at, (row * n + k) * width + col", "load_input")
            lines.append(f"{x}_0 = {self.kind}({value})")
        lines += [f"{v} = load({v}_strip, {column})" for v in self.states]
        lines += self.step([f"{x}_0" for x in self.operands], "k")
        lines += [f"store({v}_strip, {column}, {v})" for v in self.states]
        to = f"out_at, (row * (n + {ahead}) + k + {ahead}) * width + col"
        lines.append(self.out.store(to, self.result, "store_output"))
        return [("begun", "1", begin), ("k", "n", lines)]


def in_order(
    name: str,
    operands: Specs,
    out: Spec,
    axis: int,
    kind: str,
    step: _Step,
    *,
    start: str,
    first: bool = False,
    result: str = "acc",
) -> Units | None:
    """Return the kernel with a unit per row; see `_Rows`. On hosts adjacent rows are processed in
    step, as vectors."""
    if operands[0].dtype.kind == "c":
        return None
    place = axis_of(name, axis, len(out.shape))
    count, width = math.prod(out.shape[:place]), math.prod(out.shape[place + 1 :])
    n = operands[0].shape[place]
    elements = {f"x{k}": _element(spec) for k, spec in enumerate(operands)}
    rows = _Rows(elements, _element(out), kind, step, start, first, result)
    share = min(width, STRIP)
    column = "col" if share == width else "col - piece * share"
    arrays = {x: (f"{x}_at", element.dtype) for x, element in elements.items()}
    return threads(
        name,
        {"n": n, "width": width, "count": count * width},
        {**arrays, "out": ("out_at", rows.out.dtype)},
        "at = row * n * width + col",
        f"to = row * (n + {int(first)}) * width + col",
        f"acc = {start}",
        *([rows.out.store("out_at, to", "acc"), "to += width"] if first else []),
        *(["spot = int64(0)"] if result == "spot" else []),
        "k = 0",
        *rows.along(_AT_ONCE),
        *rows.along(1),
        count="count",
        parts=[("row", ""), ("col", "width")],
        compute="float64" if kind == "float64" else "float32",
        cost=int(count * n * (3 + 0.3 * width)) if width > 1 else 0,
        share=share if width > 1 else 0,
        steps=rows.side_by_side(column) if width > 1 else [],
    )


def _element(spec: Spec) -> Element:
    """Return the stored form of elements: for bool a byte, 0 or 1."""
    return Element("uint8" if spec.dtype.kind == "b" else spec.dtype.name)


def _kind(dtype: np.dtype[Any]) -> str:
    """Return the dtype that elements are computed in."""
    return "uint8" if dtype.kind == "b" else accumulator(dtype).name


def totals(
    operands: Specs, outputs: Specs, *, name: str, sign: str, axis: int, **how: Any
) -> Units | None:
    """Return a running sum, in which -0.0 is neutral, or a running product."""
    if outputs[0].dtype.kind == "b":
        return None
    kind, first = _kind(outputs[0].dtype), how["include_initial"]
    zero = "0.0" if first or "float" not in kind else "-0.0"
    start = f"{kind}({zero if sign == '+' else 1})"

    def step(values: Sequence[str], place: str) -> list[str]:
        return [f"acc = {kind}(acc {sign} {values[0]})"]

    return in_order(name, operands, outputs[0], axis, kind, step, start=start, first=first)


def extremes(
    operands: Specs, outputs: Specs, *, name: str, axis: int, result: str = "acc"
) -> Units | None:
    """Return a running extreme, or (`spot`) its index."""
    kind, combine = _kind(operands[0].dtype), name[-3:]
    low = "-1e999" if combine == "max" else "1e999"
    start = f"{kind}({low})" if "float" in kind else f"{combine}_start_{kind}"

    def step(values: Sequence[str], place: str) -> list[str]:
        (value,) = values
        spot_line = f"spot = {place} if {value} == acc or {value} != {value} else spot"
        lines = [f"acc = acc_{combine}(acc, {value})", spot_line]
        return lines if result == "spot" else lines[:1]

    return in_order(name, operands, outputs[0], axis, kind, step, start=start, result=result)


places = partial(extremes, result="spot")


def recurrence(operands: Specs, outputs: Specs, *, axis: int) -> Units | None:
    """Return the recurrence; the first element of a is not read."""
    kind = _kind(outputs[0].dtype)

    def step(values: Sequence[str], place: str) -> list[str]:
        a, b = values
        return [f"acc = {b} if {place} == 0 else {a} * acc + {b}"]

    name, start = "linear_recurrence", f"{kind}(0.0)"
    return in_order(name, operands, outputs[0], axis, kind, step, start=start)


def logarithm(operands: Specs, outputs: Specs, *, axis: int) -> Units | None:
    """Use the larger value plus the logarithm of 1 and the ratio of the other to it."""
    kind = np.dtype(compute_dtype(operands[0].dtype)).name

    def step(values: Sequence[str], place: str) -> list[str]:
        (value,) = values
        more = "m_log1p(m_exp(-abs(apart)))"
        return [
            f"apart = acc - {value}",
            f"grown = acc_max(acc, {value}) + {more}",
            f"acc = acc + {kind}({math.log(2.0)!r}) if acc == {value} else grown",
        ]

    name, start = "logcumsumexp", f"{kind}(-1e999)"
    return in_order(name, operands, outputs[0], axis, kind, step, start=start)
