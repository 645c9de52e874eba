"""Copies of `x` with a value written at an index, or added there, by kernels."""

from __future__ import annotations

import math
import operator
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Rule, Spec
from nbgraph.operator.arrays.device_forms import Part, Writes
from nbgraph.operator.arrays.pieces_op import PiecesOp
from nbgraph.operator.kernel_call import Application, Lowered
from nbgraph.operator.layout import layout
from nbgraph.ops.define import Shape, define_rows, library
from nbgraph.ops.elementwise.arithmetic import multiply
from nbgraph.ops.elementwise.comparison import equal
from nbgraph.ops.indexing.addressing import selected_shape
from nbgraph.ops.indexing.gathering import keyed, require_fit, selected_by
from nbgraph.ops.indexing.indexing import add_at
from nbgraph.ops.indexing.keys import Template, numpy_index
from nbgraph.ops.indexing.scattering import core_shape, write_call
from nbgraph.ops.shapes.slicing import full_key, numpy_key
from nbgraph.shape import Array, Arrays


class WritingOp(PiecesOp):
    """An operator of a copy of `x` in which a value is written at a key, or added there.

    `write`: `write(copy, index, value)`, in NumPy's terms. `rule`: its gradient.
    """

    def __init__(self, name: str, write: Callable[[Any, Any, Any], object], rule: Rule) -> None:
        def infer(x: Spec, value: Spec, *indices: Spec, key: Template) -> Spec:
            require_fit(name, value.shape, selected_by(name, x.shape, key, indices))
            return x

        operands = "x", "value", "*index_arrays"
        super().__init__(name, infer, self._pieces, gradient=rule, operands=operands)
        self.keeps, self._write, self.adds = frozenset(operands[2:]), write, write is add_at

    def at(self, x: Any, value: Any, arrays: tuple[Any, ...], key: Any, out: Any) -> Any:
        """Apply the operator at an index as it is written, or at a template with index arrays."""
        return keyed(self, (x, value), arrays, key, out)

    def _pieces(
        self, out: Array, x: Array, value: Array, *arrays: Array, key: Template
    ) -> Writes | None:
        """Return two copies if the key selects a part of `x`; see PiecesOp."""
        if self.adds or arrays:
            return None
        part = out[(*numpy_key(full_key(self.__name__, key, out.shape)), Ellipsis)]
        return iter([(out, 0, x), (part, 1, value.reshape(core_shape(value.shape, part.ndim)))])

    def lower(self, case: Application) -> Lowered | None:
        if not self.adds and len(case.operands) == 2:
            return super().lower(case)
        (x, value, *indices), (request,) = case.operands, case.requests
        dtype = np.dtype(compute_dtype(x.dtype)) if self.adds and is_float(x.dtype) else x.dtype
        target, key = layout(x.shape, dtype), case.attributes["key"]
        own = [target, layout(value.shape, dtype), *[layout(i.shape, i.dtype) for i in indices]]
        call = write_call(target, own[1], own[2:], key, adds=self.adds)
        if call is None:
            return None
        copy = self._call([Part(0, target, 0, 0, target)], 2, dtype)
        last = len(own)
        calls = replace(copy, order=(0, last)), replace(call, order=tuple(range(1, last + 1)))
        pairs = zip(case.arrays, (*own, target), strict=True)
        places = [None if a is b else b for a, b in pairs]
        if request == "add":
            places[-1] = target
        return Lowered(
            tuple([replace(each, name=self.__name__) for each in calls]), tuple(places), adds=False
        )

    def compute(self, inputs: Arrays, outputs: Arrays, attributes: Attributes, *_: Any) -> None:
        (x, value, *arrays), (out,), key = inputs, outputs, attributes["key"]
        np.copyto(out, x)
        wide = selected_shape(self.__name__, key, x.shape, [i.shape for i in arrays])
        places = numpy_index(self.__name__, key, x.shape, arrays)
        self._write(out, places, value.reshape(core_shape(value.shape, len(wide))))


def _update_rule(g: Gradients) -> list[Any]:
    _, _, *arrays = g.inputs
    key = g.attributes["key"]

    def to_value() -> Any:
        selected = library.gather(g.out_grad, *arrays, key=key)
        if arrays:
            selected = multiply(selected, _last_written(g, arrays, key))
        return _sum_to(selected, g.specs[1].shape)

    return [partial(library.index_update, g.out_grad, 0, *arrays, key=key), to_value]


def _last_written(g: Gradients, arrays: list[Any], key: Template) -> Any:
    """Return one where a value remains, zero where a repeated index overwrites it, by a write."""
    x, _, *indices = g.specs
    shape = selected_by("index_update", x.shape, key, tuple(indices))
    order = np.arange(math.prod(shape)).reshape(shape)
    nothing = library.zeros_like(g.out_grad, "int64")
    written = library.index_update(nothing, order, *arrays, key=key)
    stays = equal(library.gather(written, *arrays, key=key), order)
    return library.astype(stays, x.dtype)


def _sum_to(gradient: Any, shape: Shape) -> Any:
    """Return `sum_to`, for a value that may have more leading axes of size 1 than the selection."""
    core = core_shape(shape, len(gradient.shape))
    total = library.sum_to(gradient, core)
    return total if core == shape else library.reshape(total, shape)


_INDEX_UPDATE = WritingOp("index_update", operator.setitem, _update_rule)


def _add_rule(g: Gradients) -> list[Any]:
    _, _, *arrays = g.inputs
    gathered = partial(library.gather, g.out_grad, *arrays, key=g.attributes["key"])
    return [g.out_grad, lambda: _sum_to(gathered(), g.specs[1].shape)]


_INDEX_ADD = WritingOp("index_add", add_at, _add_rule)


_TABLE = """
index_update(x, value, *index_arrays, key, out=None): A copy of `x` with `x[key] = value`.
    value : array that broadcasts to `x[key]`, cast to the dtype of x; if places repeat, the last
        value stays
    key, *index_arrays : as those of `gather`
    >>> index_update([1, 2, 3], 0, key=[0, 2])
    array([0, 2, 0])
    = _INDEX_UPDATE.at(x, value, index_arrays, key, out)
index_add(x, value, *index_arrays, key, out=None): A copy of `x` with `value` added at `key`, once
    per occurrence of a repeated place.
    value : array that broadcasts to `x[key]`
    key, *index_arrays : as those of `gather`
    >>> index_add([1, 2, 3], 10, key=[0, 0])
    array([21,  2,  3])
    = _INDEX_ADD.at(x, value, index_arrays, key, out)
"""
define_rows(_TABLE, globals())
