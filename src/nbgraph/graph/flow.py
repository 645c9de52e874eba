"""Inference at one node from partly known shapes and dtypes; results are exact, never guesses.

Shapes propagate from operands to outputs and back through scalar operators of one array, and
through operators with a hook

    op.infer_partial(in_shapes, out_shapes, attributes) -> (in_shapes, out_shapes) or None

whose shapes or extents may be None. No shape is inferred backward through broadcasting.
"""

from __future__ import annotations

import contextlib
import itertools
import math
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from nbgraph.dtype import Dtype, is_float
from nbgraph.errors import DTypeError
from nbgraph.graph.build import NUMBERS, GraphNode, PartialShape, infer
from nbgraph.operator.arrays.array_op import Spec, Specs
from nbgraph.operator.mapper.mapper import Mapper
from nbgraph.shape import Shape, Shapes, merged

_RANKS = (2, 1, 3, 4, 0)  # ranks tried for arrays of unknown shape
_MOST = 128  # combinations of ranks that are tried
_SIZES = (1, 12)  # extents tried for unknown ones, to infer dtypes
_EXTENTS = (1, 2, 3, 4, 6, 12, 60, 5040, 1_000_003)  # small ones, of many divisors, a large prime
_INT64 = np.dtype("int64")
_FLOATS = (np.dtype("float32"), np.dtype("float64"))


def is_known(shape: PartialShape) -> bool:
    """Return whether a shape is known completely."""
    return shape is not None and None not in shape


def partial_shapes(node: GraphNode, operands: Shapes, outputs: Shapes) -> tuple[Shapes, Shapes]:
    """Return the shapes of array operands and of outputs that this node implies, not merged with
    the shapes known before, nor checked against them."""
    assert node.op is not None
    if not isinstance(node.op, Mapper):
        answer = node.op.infer_partial(operands, outputs, node.attributes)
        operands, outputs = (operands, outputs) if answer is None else answer
        operands = _only_fit(node, operands, outputs)
        certain = None if all(map(is_known, outputs)) else _certain_extents(node, operands)
        if certain is not None:
            outputs = [merged(o, c, node.label) for o, c in zip(outputs, certain, strict=True)]
        return operands, outputs
    open_entries = {e: s for e, s in zip(node.entries, operands, strict=True) if s != ()}
    if len(open_entries) != 1:
        if all(map(is_known, operands)):
            with contextlib.suppress(ValueError):  # the error is raised once dtypes are known too
                return operands, [np.broadcast_shapes(*operands)] * len(outputs)  # type: ignore[arg-type]
        return operands, outputs
    ((entry, shape),) = open_entries.items()  # others have no axes: the outputs have its shape
    operand_shapes = [outputs[0] if e == entry else () for e in node.entries]
    return operand_shapes, [shape] * len(outputs)


def _certain_extents(node: GraphNode, operands: Shapes) -> Shapes | None:
    """Return the extents of outputs that do not depend on unknown extents of operands, found by
    inference for many values of these; None if a rank is not known."""
    if not operands or any(s is None for s in operands):
        return None
    extents = _EXTENTS[: 1 if all(map(is_known, operands)) else None]
    for dtype in (*_FLOATS[:1], _INT64):
        trials = [
            _shapes_for(node, [Spec(_stand_in(s, 0, n), dtype) for s in operands]) for n in extents
        ]
        tried = [shapes for shapes in trials if shapes is not None]
        if len(tried) >= min(2, len(extents)):
            return [_common(shapes) for shapes in zip(*tried, strict=True)]
    return None


def _only_fit(node: GraphNode, operands: Shapes, outputs: Shapes) -> Shapes:
    """Return the operands with their only unknown extent set, if exactly one value fits the other
    known shapes, by inference for candidates."""
    missing = [(k, s.index(None)) for k, s in enumerate(operands) if s is not None and None in s]
    if len(missing) != 1 or any(s is None or s.count(None) > 1 for s in operands):
        return operands
    ((place, axis),) = missing

    def filled(extent: int) -> list[PartialShape]:
        shape = operands[place]
        assert shape is not None
        return [
            (*shape[:axis], extent, *shape[axis + 1 :]) if k == place else s
            for k, s in enumerate(operands)
        ]

    for dtype in (*_FLOATS[:1], _INT64):
        fitting: list[int] = []
        for extent in _candidates(operands, outputs):
            specs = [Spec(s, dtype) for s in filled(extent)]  # type: ignore[arg-type]
            shapes = _shapes_for(node, specs)
            if shapes is not None and all(map(_agrees, shapes, outputs)):
                fitting.append(extent)
                if len(fitting) > 1:
                    return operands
        if fitting:
            return filled(fitting[0])
    return operands


def _candidates(operands: Shapes, outputs: Shapes) -> list[int]:
    """Return plausible extents: those of these shapes, sizes and quotients, and neighbours."""
    extents_of = [[n for n in s if n is not None] for s in (*operands, *outputs) if s is not None]
    sizes = {math.prod(s) for s in extents_of}
    extents = {n for s in extents_of for n in s} | sizes
    extents |= {a // b for a in sizes for b in sizes if b and a % b == 0}
    return sorted({m for n in {1, *extents} for m in (n - 1, n, n + 1) if m >= 0})


def _agrees(shape: Shape, known: PartialShape) -> bool:
    if known is None:
        return True
    pairs = zip(shape, known, strict=False)
    return len(shape) == len(known) and all(n in (None, m) for m, n in pairs)


def _shapes_for(node: GraphNode, operands: Specs) -> list[tuple[int, ...]] | None:
    """Return the shapes of the outputs, or None if an extent or the dtype does not fit."""
    try:
        return [spec.shape for spec in infer(node.op, operands, node.attributes)]  # type: ignore[arg-type]
    except Exception:  # a user's shape function may raise anything then
        return None


def _common(shapes: Sequence[tuple[int, ...]]) -> PartialShape:
    if len({len(s) for s in shapes}) > 1:
        return None
    return tuple([n[0] if len(set(n)) == 1 else None for n in zip(*shapes, strict=True)])


def output_dtypes(
    node: GraphNode, dtypes: Sequence[Dtype | bool | float], shapes: Shapes
) -> list[Dtype] | None:
    """Return the dtypes of the outputs, which do not depend on extents, or None if undetermined.

    `dtypes` has a dtype or a number for each operand, `shapes` their partial shapes. Raises
    DTypeError if the dtypes do not fit.
    """
    op = node.op
    assert op is not None
    if isinstance(op, Mapper):
        return list(op.invoker.plan_of(dtypes, node.attributes).typed.outputs)
    answer = op.infer_dtypes(dtypes, [None] * op.nout, node.attributes)
    if answer is not None and all(d is not None for d in answer[1]):
        return list(answer[1])
    seen = [d for d in dtypes[:1] if isinstance(d, np.dtype)] if op.view is not None else None
    if seen and seen[0].kind != "c":  # only the parts of complex numbers have another dtype
        return seen
    for extent, ranks in itertools.product(_SIZES, _choices([s is None for s in shapes])):
        specs = [
            Spec(_stand_in(s, rank, extent), d) if isinstance(d, np.dtype) else d
            for d, s, rank in zip(dtypes, shapes, ranks, strict=True)
        ]
        try:
            return [spec.dtype for spec in infer(op, specs, node.attributes)]  # type: ignore[arg-type]
        except DTypeError:
            raise
        except Exception:  # noqa: S112 - shapes do not fit; a user's shape function raises anything
            continue
    return seen


def _choices(unknown: Sequence[bool]) -> Iterator[Sequence[int]]:
    """Yield combinations of ranks for operands of unknown shape, equal ranks first."""
    for rank in _RANKS:
        yield [rank] * len(unknown)
    every = itertools.product(*(_RANKS if missing else (0,) for missing in unknown))
    yield from itertools.islice(every, _MOST)


def certain_dtypes(node: GraphNode, dtypes: Sequence[Any], shapes: Shapes) -> list[Dtype] | None:
    """Return the dtypes of the outputs if they do not depend on unknown operands (None)."""
    try:
        single, double = (
            output_dtypes(node, [dtype if d is None else d for d in dtypes], shapes)
            for dtype in _FLOATS
        )
    except DTypeError:
        return None
    return single if single == double else None


def _stand_in(shape: PartialShape, rank: int, extent: int) -> tuple[int, ...]:
    """Return a shape with `extent` in place of unknown extents, and `rank` if it is None."""
    return tuple([extent if n is None else n for n in ([None] * rank if shape is None else shape)])


def keeps_float(node: GraphNode, dtypes: Sequence[Any], shapes: Shapes) -> bool:
    """Return whether the first output has the dtype of the floating operands, for any float dtype.

    `dtypes` has None for unknown operands.
    """
    try:
        for dtype in _FLOATS:
            tried = [
                dtype if d is None or (type(d) not in NUMBERS and is_float(d)) else d
                for d in dtypes
            ]
            outputs = output_dtypes(node, tried, shapes)
            if outputs is None or outputs[0] != dtype:
                return False
    except DTypeError:
        return False
    return True
