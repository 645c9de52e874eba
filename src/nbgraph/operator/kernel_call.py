"""Kernel calls: the work of an operator for arrays of certain layouts, for every carrier.

`lowered` returns an operator's calls from a cache. Three runners execute the same list: `run` here,
immediately on NumPy arrays; `array.runner.push` on NDArrays; `executor.tasks` as rows of a plan.
For layouts that the kernels do not take, arrays are copied.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.operator import parallel
from nbgraph.operator.layout import Layout, Layouts, keep, layout, layout_of
from nbgraph.operator.request import Requests, assign
from nbgraph.operator.spec import Attributes, Spec, items_of
from nbgraph.settings import config
from nbgraph.shape import Arrays, Space, address

if TYPE_CHECKING:
    from nbgraph.operator.arrays.array_op import ArrayOp

_KEPT = 1024  # entries cached per operator
_NUMBERS = 64  # sets of numbers cached per call
_FREES = 10_000  # nanoseconds from which the GIL is released


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class KernelCall:
    """A kernel over arrays of certain layouts: its record except addresses and numbers.

    The record: `head`, the addresses of arrays, `words`, the numbers, `tail`. `order`: the indices
    of these arrays among operands, outputs and scratch memory; the last `writes` of them are
    written. `size`: of the iteration space. `cost`: rough nanoseconds. `scalars`: kind and
    precision of each number. `device`: its launcher on devices other than the host, if not the loop
    of its code. `resumes`: see `NativeCall`.
    """

    name: str
    code: Any
    head: tuple[int, ...]
    order: tuple[int, ...]
    words: tuple[int, ...]
    size: int
    cost: int
    scalars: tuple[tuple[str, str], ...] = ()
    tail: tuple[int, ...] = ()
    writes: int = 1
    device: Any = None
    resumes: bool = False
    cache: dict[Any, Any] = field(default_factory=dict[Any, Any], init=False)  # of its launchers
    _runner: list[Any] = field(default_factory=list[Any], init=False)  # see `runner`

    def block(self, addresses: Sequence[int], numbers: Sequence[Any] = ()) -> tuple[int, ...]:
        """Return the record of one call; `addresses` are in `order`."""
        if not self.scalars:
            return (*self.head, *addresses, *self.words, *self.tail)
        words = [scalar_word(v, *s) for v, s in zip(numbers, self.scalars, strict=True)]
        return (*self.head, *addresses, *self.words, *words, *self.tail)

    def having(self, words: Sequence[int]) -> KernelCall:
        """Return the same call with other scalar parameters, the last of its words."""
        call = replace(self, words=(*self.words[: len(self.words) - len(words)], *words))
        object.__setattr__(call, "cache", self.cache)  # launchers do not depend on them
        return call

    def operations(self, layouts: Layouts) -> int | None:
        """Return the number of operations of a loop over a scalar graph, for profiles, or None for
        other kernels. `layouts`: of all arrays; the largest one has the number of elements."""
        from nbgraph.kernels.loops.cost import operations  # loaded with a profile
        from nbgraph.kernels.loops.loop import Loop

        loop = getattr(self.code, "loop", None)
        if not isinstance(loop, Loop):
            return None
        return operations(loop) * max([own.size for own in layouts], default=0)

    @property
    def runner(self) -> Callable[..., Any] | None:
        """Return `kernels.compiler.entry.runner` for a call not worth other threads, over arrays in
        `order`; None the first time, as a call may not be repeated."""
        runners = self._runner
        if not runners:
            runners.append(None)
        elif len(runners) == 1:
            from nbgraph.kernels.compiler.entry import (
                runner,  # loaded with a repeated call on NumPy arrays
            )

            behind = *self.words, *self.tail
            runners.append(
                None
                if self.cost >= parallel.GRAIN or self.scalars
                else runner(
                    *(self.code.address, len(self.order), self.head, behind, self.size),
                    frees=self.cost >= _FREES,
                )
            )
        return runners[-1]

    def of_numbers(self, numbers: Sequence[Any]) -> KernelCall:
        """Return the call with these values of its first numbers among its words."""
        words = tuple([scalar_word(v, *s) for v, s in zip(numbers, self.scalars)])
        table = self.cache.setdefault("numbers", {})
        call = table.get(words)
        if call is None:
            rest = self.scalars[len(words) :]
            call = replace(self, words=(*self.words, *words), scalars=rest)
            keep(table, words, call, _NUMBERS)
        return call

    def run(self, arrays: Arrays) -> None:
        """Run the call now, over operands, outputs and scratch memory."""
        quick = self.runner
        if quick is not None and quick(*[arrays[k] for k in self.order]) is not None:
            return
        addresses = [address(arrays[k]) for k in self.order]
        block = np.array([*self.head, *addresses, *self.words, *self.tail], np.int64)
        parallel.run(self.code, block, self.size, self.cost, arrays)


class Lowered(NamedTuple):
    """The kernel calls of an operator, in order.

    `places`: the required layouts of operands, then outputs; None: any layout is accepted.
    `scratch`: memory between the calls. `adds`: whether a written output may instead be added to,
    with the bits of a sum of the two.
    """

    calls: tuple[KernelCall, ...]
    places: tuple[Layout | None, ...]
    scratch: tuple[Layout, ...] = ()
    adds: bool = True

    @property
    def alone(self) -> KernelCall | None:
        """Return the only call, if arrays need no copies; `scratch` follows its outputs."""
        one = len(self.calls) == 1 and not any(self.places)
        return self.calls[0] if one else None

    def having(self, values: Sequence[Any]) -> Lowered:
        """Return the same calls with these values of their first numbers; see `ArrayOp.values`."""
        if not values:
            return self
        return self._replace(calls=tuple([call.of_numbers(values) for call in self.calls]))

    def run(self, inputs: Arrays, outputs: Arrays) -> Arrays:
        """Run the calls now; return the results, each in the output or in memory of its own."""
        arrays, count = [*inputs, *outputs], len(inputs)
        for k, own in enumerate(self.places):
            if own is not None:
                arrays[k] = own.copy(arrays[k]) if k < count else own.empty()
        arrays += [own.empty() for own in self.scratch]
        for call in self.calls:
            call.run(arrays)
        return arrays[count : count + len(outputs)]


class Application(NamedTuple):
    """An operator applied to arrays of certain layouts, for which kernels are made.

    `requests`: "write", "add" or "null" per output; `host`: on the host, else on devices.
    """

    operands: Layouts
    outputs: Layouts
    requests: Sequence[str]
    attributes: Attributes
    host: bool

    @classmethod
    def at_once(cls, operands: Layouts, outputs: Layouts, attributes: Attributes) -> Application:
        """Return an application on the host that writes all outputs."""
        return cls(operands, outputs, ["write"] * len(outputs), attributes, True)

    @property
    def arrays(self) -> tuple[Layout, ...]:
        """Operands and outputs."""
        return *self.operands, *self.outputs

    @property
    def specs(self) -> list[Spec]:
        """Shapes and dtypes of the operands."""
        return [Spec(x.shape, x.dtype) for x in self.operands]

    @property
    def needed(self) -> list[int]:
        """The indices of outputs that are needed."""
        return [k for k, request in enumerate(self.requests) if request != "null"]

    def contiguous(self, *, stores: bool = True) -> tuple[Layout | None, ...]:
        """Return `Lowered.places` for a kernel of contiguous arrays. If it only `stores`, results
        to be added to an output are computed in separate memory."""
        words = [*("write" for _ in self.operands), *self.requests]
        return tuple(
            None if x.contiguous and not (stores and word == "add") else layout(x.shape, x.dtype)
            for x, word in zip(self.arrays, words, strict=True)
        )


def lowered(
    op: ArrayOp,
    operands: Layouts,
    outputs: Layouts,
    requests: Sequence[str],
    attributes: Attributes,
    host: bool = True,
) -> Lowered | None:
    """Return the kernel calls of an operator for arrays of these layouts, or None if a Python
    function computes it or compiler="python" is set. `requests`: "write", "add" or "null".

    >>> import numpy as np
    >>> from nbgraph.operator.layout import layout
    >>> from nbgraph.ops.define import operator_of
    >>> from nbgraph.ops.normalisation.softmaxes import softmax
    >>> x = layout((8, 5), np.dtype("float32"))
    >>> found = lowered(operator_of(softmax), [x], [x], ["write"], {"axis": 0, "temperature": 1.0})
    >>> found.alone.size  # rows
    5
    """
    form = lowered_form(op, Application(operands, outputs, requests, attributes, host))
    return None if form is None else form.having(op.values(attributes))


def lowered_form(op: ArrayOp, case: Application) -> Lowered | None:
    """Return the result of `lowered` before it has the values of attributes that are numbers of the
    record, on which it does not depend."""
    operands, outputs, requests, attributes, host = case
    there = "host" if host else "devices"
    if there not in op.kernels or (host and config.compiler == "python"):
        return None
    own_attributes = [item for item in items_of(op.fixed(attributes)) if item[0] != "rng"]
    key = ("lowered", host, len(operands), *operands, *outputs, *requests, *own_attributes)
    if not host:
        key = *key, bool(config.tf32)
    if key not in op.carried:
        if all(word == "null" for word in requests):
            return None
        numbers = any(own.dtype.kind == "c" for own in case.arrays)
        lowering = None if numbers and there not in op.takes_complex else op.lower(case)
        return keep(op.carried, key, lowering, _KEPT)
    return op.carried[key]


def run(
    op: ArrayOp, inputs: Arrays, outputs: Arrays, requests: Requests, attributes: Attributes
) -> bool:
    """Run an operator's kernels over NumPy arrays; return whether it has kernels."""
    words = [op.words[request] for request in requests]
    in_layouts, out_layouts = [layout_of(x) for x in inputs], [layout_of(x) for x in outputs]
    lowering = lowered(op, in_layouts, out_layouts, words, attributes)
    if lowering is None:
        return False
    results = lowering.run(inputs, outputs)
    for out, value, request in zip(outputs, results, requests, strict=True):
        if value is not out:
            assign(out, request, value.astype(out.dtype, copy=False))
    return True


_DOUBLE, _SINGLE = struct.Struct("<d"), struct.Struct("<f")
_WORD, _HALF_WORD = struct.Struct("<q"), struct.Struct("<i")


def scalar_word(value: Any, kind: str, precision: str) -> int:
    """Return a scalar operand as a word of the record, first rounded to `precision`.

    >>> scalar_word(1.0, "f", "float64") == 0x3FF0000000000000
    True
    """
    if kind != "f":
        value = int(value)
        return value - (1 << 64) if value >= 1 << 63 else value
    value = float(value)  # OverflowError for an integer beyond all floats
    if precision == "float64":
        return _WORD.unpack(_DOUBLE.pack(value))[0]
    if precision != "float32":
        value = float(np.dtype(precision).type(value))
    try:
        return _HALF_WORD.unpack(_SINGLE.pack(value))[0]
    except OverflowError:  # infinite in float32
        return _HALF_WORD.unpack(_SINGLE.pack(math.copysign(math.inf, value)))[0]


def in_word(value: bytes) -> int:
    """Return the bytes of a scalar parameter as a word of the record."""
    return int.from_bytes(value.ljust(8, b"\0"), "little", signed=True)


def of_space(where: Space, words: Sequence[int] = ()) -> dict[str, Any]:
    """Return the fields of a call over an iteration space, whose steps precede `words`."""
    tail: list[int] = []
    for extent, steps in where.outer:
        tail += [extent, *steps]
    head = where.inner, len(where.outer)
    return {"head": head, "words": (*where.steps, *words), "tail": tuple(tail)}
