"""einsum: sums of products by named indices; its gradient is einsum again."""

from __future__ import annotations

import string
from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.ops.define import Shape, cast, library, public
from nbgraph.ops.reductions import accumulator, sum_to

Array = np.ndarray[Any, Any]


class _Names(NamedTuple):
    """The indices of each operand and of the result: one letter an axis, no ellipsis."""

    operands: list[str]
    result: str

    @property
    def text(self) -> str:
        return ",".join(self.operands) + "->" + self.result


def _names(subscripts: str, shapes: Sequence[Shape]) -> _Names:
    """The subscripts with ellipses as letters and the result spelled out; checked."""
    given, arrow, result = subscripts.partition("->")
    operands = given.split(",")
    if len(operands) != len(shapes):
        raise ArgumentError(
            f"einsum: {subscripts!r} names {len(operands)} operand(s), {len(shapes)} were given"
        )
    free = [c for c in string.ascii_letters if c not in subscripts]
    pairs = list(zip(operands, shapes, strict=True))
    extra = max((len(s) - len(_letters(n)) for n, s in pairs if "..." in n), default=0)
    lead = "".join(free[: max(extra, 0)])
    spelled = [_spelled(n, s, lead, subscripts) for n, s in pairs]
    if not arrow:
        every = "".join(_letters(n) for n in operands)
        result = lead + "".join(sorted(c for c in set(every) if every.count(c) == 1))
    else:
        result = result.replace("...", lead)
    known = set("".join(spelled))
    if len(set(result)) != len(result) or not set(result) <= known:
        raise ArgumentError(
            f"einsum: the result of {subscripts!r} has to name indices of the operands, each once"
        )
    return _Names(spelled, result)


def _letters(names: str) -> str:
    return names.replace("...", "")


def _spelled(names: str, shape: Shape, lead: str, subscripts: str) -> str:
    letters = _letters(names)
    rest = len(shape) - len(letters)
    bad = not all(c in string.ascii_letters for c in letters)
    if bad or rest < 0 or (rest and "..." not in names):
        raise ShapeError(
            f"einsum: {names!r} of {subscripts!r} does not name the {len(shape)} axes of shape "
            f"{shape}; give a letter for each axis, or an ellipsis (...) for those that broadcast"
        )
    return names.replace("...", lead[len(lead) - rest :])


def _sizes(names: _Names, shapes: Sequence[Shape]) -> dict[str, int]:
    """The size of each index; a size of 1 broadcasts."""
    sizes: dict[str, int] = {}
    for own, shape in zip(names.operands, shapes, strict=True):
        twice = len(set(own)) < len(own)  # a diagonal does not broadcast
        for letter, n in zip(own, shape, strict=True):
            known = sizes.get(letter, n)
            if n != known and (twice or 1 not in (n, known)):
                raise ShapeError(
                    f"einsum: index {letter!r} of {names.text!r} has size {known} and size {n}; "
                    f"operands have shapes {list(shapes)}"
                )
            sizes[letter] = known if n == 1 else n
    return sizes


def _infer(*specs: Spec, subscripts: str) -> Spec:
    shapes = [spec.shape for spec in specs]
    names = _names(subscripts, shapes)
    sizes = _sizes(names, shapes)
    dtype = np.result_type(*(spec.dtype for spec in specs))
    return Spec(tuple(sizes[letter] for letter in names.result), dtype)


def _compute(inputs: list[Array], outputs: list[Array], *, subscripts: str) -> None:
    names = _names(subscripts, [x.shape for x in inputs])
    wide = accumulator(outputs[0].dtype)
    values = [x.astype(wide, copy=False) for x in inputs]
    # with an order of contraction chosen by sizes, pairs are left to BLAS
    outputs[0][...] = np.einsum(names.text, *values, optimize=wide.kind == "f")


def _rule(g: Gradients) -> list[Any]:
    """Operand and result change places. An index that no other has is spread by ones; one that
    an operand has twice is split in two, which an identity ties together."""
    shapes = [spec.shape for spec in g.specs]
    names = _names(g.attributes["subscripts"], shapes)
    sizes = _sizes(names, shapes)
    return [_of(i, names, sizes, g) if wanted else None for i, wanted in enumerate(g.wanted)]


def _of(i: int, names: _Names, sizes: dict[str, int], g: Gradients) -> Any:
    spec = g.specs[i]
    others = [own for k, own in enumerate(names.operands) if k != i]
    values = [x for k, x in enumerate(g.inputs) if k != i]
    pairs = zip("".join(others), (n for k, s in enumerate(g.specs) if k != i for n in s.shape))
    known = {letter for letter, n in pairs if n == sizes[letter]} | set(names.result)
    free = (c for c in string.ascii_letters if c not in sizes)
    mine, parts, added = "", [], []
    for letter in names.operands[i]:
        if letter in mine:
            fresh = next(free)
            parts.append(letter + fresh)
            added.append(np.eye(sizes[letter], dtype=spec.dtype))
            mine += fresh
            continue
        if letter not in known:
            parts.append(letter)
            added.append(np.ones(sizes[letter], spec.dtype))
        mine += letter
    text = ",".join([names.result, *others, *parts]) + "->" + mine
    return cast(sum_to(library.einsum(text, g.out_grad, *values, *added), spec.shape), spec)


_EINSUM = ArrayOp(
    "einsum",
    _infer,
    _compute,
    operands=("*operands",),
    gradient=_rule,
    keeps=("*operands",),
)


@public(_EINSUM)
def einsum(subscripts: str, *operands: Any, out: Any = None) -> Any:
    """Products of elements summed over the indices that the result does not name.

    >>> einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    if not isinstance(subscripts, str):
        raise ArgumentError(f"einsum: subscripts={subscripts!r}; give a text such as 'ij,jk->ik'")
    return _EINSUM(*operands, subscripts=subscripts.replace(" ", ""), out=out)
