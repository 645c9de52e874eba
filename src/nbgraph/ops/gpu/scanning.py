"""Running sums, products, extremes and recurrences on GPUs: a row for each thread, in its order.

So they have the bits of the host, but for logarithms. Where rows are long and few, running sums,
products and extremes go by stretches: each is scanned by itself, then their last values are, and
what comes before a stretch is combined with it. So a sum is added up in another order: an element
of n takes part in STRETCH + log(n) / log(STRETCH) additions one after another, times two.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, real_dtype
from nbgraph.kernels.cuda.sweeps import Element
from nbgraph.operator.arrays import elsewhere
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.spec import Spec
from nbgraph.ops.define import axis_of, library
from nbgraph.ops.gpu.addressing import threads
from nbgraph.ops.gpu.complexes import by_parts
from nbgraph.ops.ordering.running import cumargmax, cumargmin, cummax, cummin, logcumsumexp
from nbgraph.ops.ordering.scans import cumulative_prod, cumulative_sum, linear_recurrence
from nbgraph.ops.reductions.reductions import accumulator, total_dtype
from nbgraph.ops.shapes.slicing import at_axis, slice_view

STRETCH = 256  # elements that one thread of a long row takes
MANY = 1 << 14  # rows that keep a device busy
_AT_ONCE = 8  # elements whose loads a thread has under way
_LOG_2 = math.log(2.0)
_Step = Callable[[Sequence[str], str], list[str]]  # of values and the place in the row


def _call(
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
) -> KernelCall | None:
    """A thread a row: `acc` is `start` first, and `step` writes what an element's values do to it;
    `result` is stored. `first`: `start` is stored, too, before all."""
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
    )


def _element(spec: Spec) -> Element:
    """What lies in memory: of bool a byte, 0 or 1."""
    return Element("uint8" if spec.dtype.kind == "b" else spec.dtype.name)


def _kind(dtype: np.dtype[Any]) -> str:
    """What elements are computed with."""
    return "uint8" if dtype.kind == "b" else accumulator(dtype).name


# by one thread a row ----------------------------------------------------------------------------


def _enter_totals(op: Any, sign: str) -> None:
    """The form of a running sum, to which -0.0 adds nothing, or of a running product."""

    @elsewhere.unit(op)
    def total(
        operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int, **how: Any
    ) -> KernelCall | None:
        if outputs[0].dtype.kind == "b":
            return None
        kind = _kind(outputs[0].dtype)
        zero = "0.0" if how["include_initial"] or "float" not in kind else "-0.0"
        start = f"{kind}({zero if sign == '+' else 1})"

        def step(values: Sequence[str], place: str) -> list[str]:
            return [f"acc = {kind}(acc {sign} {values[0]})"]

        return _call(op.__name__, operands, outputs[0], axis, kind, step,
                     start=start, first=how["include_initial"])  # fmt: skip


_enter_totals(cumulative_sum, "+")
_enter_totals(cumulative_prod, "*")


def _enter_extremes(op: Any, places: Any, combine: str) -> None:
    """The forms of a running extreme, and of where it is."""

    def first(kind: str) -> str:
        low = "-1e999" if combine == "max" else "1e999"
        return f"{kind}({low})" if "float" in kind else f"{combine}_start_{kind}"

    @elsewhere.unit(op)
    def extreme(
        operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int
    ) -> KernelCall | None:
        kind = _kind(operands[0].dtype)

        def step(values: Sequence[str], place: str) -> list[str]:
            return [f"acc = acc_{combine}(acc, {values[0]})"]

        return _call(op.__name__, operands, outputs[0], axis, kind, step, start=first(kind))

    @elsewhere.unit(places)
    def found(operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int) -> KernelCall | None:
        kind = _kind(operands[0].dtype)

        def step(values: Sequence[str], place: str) -> list[str]:
            (value,) = values
            return [
                f"acc = acc_{combine}(acc, {value})",
                f"found = {place} if {value} == acc or {value} != {value} else found",
            ]

        return _call(places.__name__, operands, outputs[0], axis, kind, step,
                     start=first(kind), result="found")  # fmt: skip


_enter_extremes(cummax, cumargmax, "max")
_enter_extremes(cummin, cumargmin, "min")


@elsewhere.unit(linear_recurrence)
def recurrence(
    operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int
) -> KernelCall | None:
    """The first element of a is not looked at."""
    kind = _kind(outputs[0].dtype)

    def step(values: Sequence[str], place: str) -> list[str]:
        a, b = values
        return [f"acc = {b} if {place} == 0 else {a} * acc + {b}"]

    return _call("linear_recurrence", operands, outputs[0], axis, kind, step, start=f"{kind}(0.0)")


@elsewhere.unit(logcumsumexp)
def running_log(
    operands: Sequence[Spec], outputs: Sequence[Spec], *, axis: int
) -> KernelCall | None:
    """The larger one, and the logarithm of 1 and what the other is to it."""
    kind = np.dtype(compute_dtype(operands[0].dtype)).name

    def step(values: Sequence[str], place: str) -> list[str]:
        (value,) = values
        more = "m_log1p(m_exp(-abs(apart)))"
        return [
            f"apart = acc - {value}",
            f"grown = acc_max(acc, {value}) + {more}",
            f"acc = acc + {kind}({_LOG_2!r}) if acc == {value} else grown",
        ]

    return _call("logcumsumexp", operands, outputs[0], axis, kind, step, start=f"{kind}(-1e999)")


# by stretches -----------------------------------------------------------------------------------


def _stretched(
    scan: Callable[..., Any], combine: Callable[[Any, Any], Any], x: Any, axis: int
) -> Any:
    """A scan of long rows; None where a thread a row is as quick."""
    shape = tuple(x.shape)
    place = axis_of("axis", axis, len(shape))
    n, rows = shape[place], math.prod(shape) // max(1, shape[place])
    if n < 4 * STRETCH or rows >= MANY:
        return None
    before, after, count = shape[:place], shape[place + 1 :], n // STRETCH

    def part(x: Any, first: int, last: int, along: int = place) -> Any:
        return slice_view(x, at_axis(along, slice(first, last)))

    whole = part(x, 0, count * STRETCH)
    own = scan(library.reshape(whole, (*before, count, STRETCH, *after)), axis=place + 1)
    ends = part(own, STRETCH - 1, STRETCH, place + 1)
    ends = scan(library.reshape(ends, (*before, count, *after)), axis=place)
    earlier = library.reshape(part(ends, 0, count - 1), (*before, count - 1, 1, *after))
    later = combine(part(own, 1, count), earlier)
    pieces = [
        library.reshape(part(own, 0, 1), (*before, STRETCH, *after)),
        library.reshape(later, (*before, (count - 1) * STRETCH, *after)),
    ]
    if n > count * STRETCH:
        rest = scan(part(x, count * STRETCH, n), axis=place)
        pieces.append(combine(rest, part(ends, count - 1, count)))
    return library.concatenate(pieces, place)


def _enter_long_totals(op: Any, combine: str, none: str) -> None:
    """The form of a running sum or product over long rows."""

    @elsewhere.composed(op)
    def long(x: Any, *, axis: int, dtype: Any, include_initial: bool) -> Any:
        total = total_dtype(np.dtype(x.dtype), dtype)
        wide = accumulator(total)

        def scan(x: Any, *, axis: int) -> Any:
            return op(x, axis=axis, dtype=wide)

        if total.kind == "c" and combine == "add":
            how = {"axis": axis, "include_initial": include_initial}
            return by_parts(op, library.astype(x, total), dtype=real_dtype(total), **how)
        if total.kind in "bc":
            return None
        totals = _stretched(scan, getattr(library, combine), x, axis)
        if totals is None:
            return None
        if include_initial:
            start = getattr(library, none)(slice_view(totals, at_axis(axis, slice(0, 1))))
            totals = library.concatenate([start, totals], axis)
        return totals if wide == total else library.astype(totals, total)


def _enter_long_extremes(op: Any, combine: str) -> None:
    """The form of a running extreme over long rows."""

    @elsewhere.composed(op)
    def long(x: Any, *, axis: int) -> Any:
        return _stretched(op, getattr(library, combine), x, axis)


_enter_long_totals(cumulative_sum, "add", "zeros_like")
_enter_long_totals(cumulative_prod, "multiply", "ones_like")
_enter_long_extremes(cummax, "maximum")
_enter_long_extremes(cummin, "minimum")
