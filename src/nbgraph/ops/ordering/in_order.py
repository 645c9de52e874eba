"""Running sums, products, extremes and recurrences as kernels: a row for each unit, in its order.

So hosts and devices have the same bits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.kernels.loops.loop import STRIP
from nbgraph.kernels.scalar.kinds import Element
from nbgraph.operator.arrays.units import Units, threads
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import axis_of
from nbgraph.ops.reductions.reductions import accumulator

_AT_ONCE = 8  # elements whose loads a thread has under way
_Step = Callable[[Sequence[str], str], list[str]]  # of values and the place in the row


def in_order(
    name: str,
    operands: Sequence[Spec],
    out: Spec,
    axis: int,
    kind: str,
    step: _Step,
    *,
    start: str,
    first: bool = False,
    result: str = "acc",
) -> Units | None:
    """A unit a row: `acc` is `start` first, and `step` writes what an element's values do to it;
    `result` is stored. `first`: `start` is stored, too, before all. Rows side by side go on in step
    on hosts, as vectors."""
    if operands[0].dtype.kind == "c":
        return None
    place = axis_of(name, axis, len(out.shape))
    rows, width = math.prod(out.shape[:place]), math.prod(out.shape[place + 1 :])
    names = [f"x{k}" for k in range(len(operands))]
    element = _element(out)

    def some(count: int) -> list[str]:
        lines = [f"while k + {count} <= n:"]
        for j in range(count):
            for x, spec in zip(names, operands, strict=True):
                read = _element(spec).load(f"{x}_at, at + {j} * width")
                lines.append(f"    {x}_{j} = {kind}({read})")
        for j in range(count):
            values = [f"{x}_{j}" for x in names]
            lines += [f"    {line}" for line in step(values, f"(k + {j})")]
            lines.append(f"    {element.store(f'out_at, to + {j} * width', result)}")
        return [
            *lines,
            f"    at += {count} * width",
            f"    to += {count} * width",
            f"    k += {count}",
        ]

    share = min(width, STRIP)
    c = "col" if share == width else "col - piece * share"
    steps: list[tuple[str, str, list[str]]] = []
    if width > 1:
        states = {"acc": kind} | ({"found": "int64"} if result == "found" else {})
        at = "(row * n + k) * width + col"
        to = f"(row * (n + {int(first)}) + k + {int(first)}) * width + col"
        begin = [f"{v}_held = strip_{dtype}()" for v, dtype in states.items()]
        begin += [f"store({v}_held, {c}, {start if v == 'acc' else 0})" for v in states]
        begin += [element.store("out_at, row * (n + 1) * width + col", start)] if first else []
        reads = [
            f"{x}_0 = {kind}({_element(spec).load(f'{x}_at, {at}')})".replace(
                "load(", "load_input("
            )
            for x, spec in zip(names, operands, strict=True)
        ]
        lines = [
            *reads,
            *(f"{v} = load({v}_held, {c})" for v in states),
            *step([f"{x}_0" for x in names], "k"),
        ]
        lines += [f"store({v}_held, {c}, {v})" for v in states]
        lines.append(element.store(f"out_at, {to}", result).replace("store(", "store_output("))
        steps = [("begun", "1", begin), ("k", "n", lines)]

    arrays = {x: (f"{x}_at", _element(s).dtype) for x, s in zip(names, operands, strict=True)}
    return threads(
        name,
        {"n": operands[0].shape[place], "width": width, "count": rows * width},
        {**arrays, "out": ("out_at", element.dtype)},
        "at = row * n * width + col",
        f"to = row * (n + {int(first)}) * width + col",
        f"acc = {start}",
        *([element.store("out_at, to", "acc"), "to += width"] if first else []),
        *(["found = int64(0)"] if result == "found" else []),
        "k = 0",
        *some(_AT_ONCE),
        *some(1),
        count="count",
        parts=[("row", ""), ("col", "width")],
        compute="float64" if kind == "float64" else "float32",
        share=share if steps else 0,
        steps=steps,
    )


def _element(spec: Spec) -> Element:
    """What lies in memory: of bool a byte, 0 or 1."""
    return Element("uint8" if spec.dtype.kind == "b" else spec.dtype.name)


def _kind(dtype: np.dtype[Any]) -> str:
    """What elements are computed with."""
    return "uint8" if dtype.kind == "b" else accumulator(dtype).name


def totals(
    operands: Sequence[Spec],
    outputs: Sequence[Spec],
    *,
    name: str,
    sign: str,
    axis: int,
    **how: Any,
) -> Units | None:
    """A running sum, to which -0.0 adds nothing, or a running product."""
    if outputs[0].dtype.kind == "b":
        return None
    kind, first = _kind(outputs[0].dtype), how["include_initial"]
    zero = "0.0" if first or "float" not in kind else "-0.0"
    start = f"{kind}({zero if sign == '+' else 1})"

    def step(values: Sequence[str], place: str) -> list[str]:
        return [f"acc = {kind}(acc {sign} {values[0]})"]

    return in_order(name, operands, outputs[0], axis, kind, step, start=start, first=first)


def extremes(
    operands: Sequence[Spec], outputs: Sequence[Spec], *, name: str, axis: int, result: str = "acc"
) -> Units | None:
    """A running extreme, or (`found`) where it is."""
    kind, combine = _kind(operands[0].dtype), name[-3:]
    low = "-1e999" if combine == "max" else "1e999"
    start = f"{kind}({low})" if "float" in kind else f"{combine}_start_{kind}"

    def step(values: Sequence[str], place: str) -> list[str]:
        (value,) = values
        place_of = f"found = {place} if {value} == acc or {value} != {value} else found"
        lines = [f"acc = acc_{combine}(acc, {value})", place_of]
        return lines if result == "found" else lines[:1]

    return in_order(name, operands, outputs[0], axis, kind, step, start=start, result=result)


places = partial(extremes, result="found")


def recurrence(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> Units | None:
    """The first element of a is not looked at."""
    kind = _kind(outputs[0].dtype)

    def step(values: Sequence[str], place: str) -> list[str]:
        a, b = values
        return [f"acc = {b} if {place} == 0 else {a} * acc + {b}"]

    name, start = "linear_recurrence", f"{kind}(0.0)"
    return in_order(name, operands, outputs[0], axis, kind, step, start=start)


def logarithm(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> Units | None:
    """The larger one, and the logarithm of 1 and what the other is to it."""
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
