"""einsum: sums of products by named indices; its gradient is einsum again.

If shapes are known, an einsum is decomposed at its call: into diagonals and sums of single
operands, then products of pairs, in the order of `np.einsum_path`. A pair is one call of BLAS, or a
multiplication if hardly anything is summed.
"""

from __future__ import annotations

import functools
import math
import string
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.arrays.array_op import Attributes, Gradients, Spec
from nbgraph.operator.products.op import Labels, ProductOp
from nbgraph.ops.define import Shape, as_array, deferrable, kept, library, public
from nbgraph.shape import Array, Arrays

_NATIVE = np.dtype("float32"), np.dtype("float64")
_SHORT = 64  # elements: shorter sums of products are multiplications and additions


class _Names(NamedTuple):
    """The indices of each operand and of the result: one letter per axis, no ellipsis."""

    operands: list[str]
    result: str

    @property
    def text(self) -> str:
        return ",".join(self.operands) + "->" + self.result


def _names(subscripts: str, shapes: Sequence[Shape]) -> _Names:
    """Return the subscripts with ellipses as letters and an explicit result; checked."""
    labels, arrow, result = subscripts.partition("->")
    operands = labels.split(",")
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
    """Return the size of each index; a size of 1 broadcasts."""
    sizes: dict[str, int] = {}
    for own, shape in zip(names.operands, shapes, strict=True):
        for letter, n in zip(own, shape, strict=True):
            first = shape[own.index(letter)]  # a diagonal does not broadcast
            known = sizes.get(letter, n) if n == first else first
            if n != known and (n != first or 1 not in (n, known)):
                raise ShapeError(
                    f"einsum: index {letter!r} of {names.text!r} has size {known} and size {n}; "
                    f"operands have shapes {list(shapes)}"
                )
            sizes[letter] = known if n == 1 else n
    return sizes


@functools.lru_cache(maxsize=1024)
def _sized(subscripts: str, shapes: tuple[Shape, ...]) -> tuple[_Names, Mapping[str, int]]:
    """Return the names for operands of these shapes, and the size of each index; cached, so do not
    modify them."""
    names = _names(subscripts, shapes)
    return names, _sizes(names, shapes)


# a pair -----------------------------------------------------------------------------------------


def product_rule(g: Gradients) -> Sequence[Any]:
    """Return the gradients of a product of two arrays: the out-gradient times the other operand,
    summed over the indices that the operand lacks."""
    assert isinstance(g.op, ProductOp)
    labels = g.op.labels(*g.specs, **g.attributes)
    assert labels is not None, g.op
    sizes = labels.sizes(g.specs[0].shape, g.specs[1].shape)
    letters = dict(zip(dict.fromkeys((*labels.a, *labels.b)), string.ascii_letters, strict=False))

    def gradient(i: int) -> Any:
        spec, own, other = g.specs[i], labels[i], labels[1 - i]
        kept = [d for d, n in zip(own, spec.shape, strict=True) if n == sizes[d]]
        text = [[letters[d] for d in names] for names in (labels.out, other, kept)]
        out, beside, mine = map("".join, text)
        gradient = library.einsum(f"{out},{beside}->{mine}", g.out_grad, g.inputs[1 - i])
        return library.reshape(gradient, spec.shape) if kept != list(own) else gradient

    return [lambda: gradient(0), lambda: gradient(1)]


class EinsumOp(ProductOp):
    """einsum as an operator: a kernel for a pair, else decomposed when computed."""

    def _spec(self, *specs: Spec, **attributes: Any) -> Spec:
        subscripts = attributes["subscripts"]
        names, sizes = _sized(subscripts, tuple([spec.shape for spec in specs]))
        dtype = np.result_type(*(spec.dtype for spec in specs))
        return Spec(tuple(sizes[letter] for letter in names.result), dtype)

    def apart(self, inputs: Arrays, attributes: Attributes) -> Array:
        """See ProductOp. On copies, as operators would wait for other work on the memory."""
        if not all(x.size for x in inputs):  # zeros; nothing to decompose
            return self.naive(inputs, attributes)
        return apart(attributes["subscripts"], *map(np.array, inputs))

    def naive(self, inputs: Arrays, attributes: Attributes) -> Array:
        names = _names(attributes["subscripts"], [x.shape for x in inputs])
        ordered = len(inputs) > 2 and inputs[0].dtype.kind == "f"
        return np.einsum(names.text, *inputs, optimize=ordered)


def _pair(*specs: Spec, subscripts: str) -> Labels | None:
    """Return the labels of two operands' axes; None if it is more than one product."""
    if len(specs) != 2:
        return None
    shapes = [spec.shape for spec in specs]
    names = _names(subscripts, shapes)
    sizes = _sizes(names, shapes)
    a, b = names.operands
    if len(set(a)) < len(a) or len(set(b)) < len(b):
        return None
    for letter in set(a + b) - set(names.result):
        pairs = zip((a, b), shapes, strict=True)
        if any(letter not in n or s[n.index(letter)] != sizes[letter] for n, s in pairs):
            return None
    return Labels(tuple(a), tuple(b), tuple(names.result))


# taken apart ------------------------------------------------------------------------------------


@kept
def apart(subscripts: str, *operands: Any) -> Any:
    """Apply operators of the library; shapes are known, dtypes are all float32 or float64."""
    shapes = tuple([tuple(x.shape) for x in operands])
    names, sizes = _sized(subscripts, shapes)
    left = list(zip(operands, names.operands, strict=True))
    for group in _path(names.text, shapes):
        chosen = [left.pop(k) for k in sorted(group, reverse=True)][::-1]
        value, own = chosen[0]
        for k, (other, beside) in enumerate(chosen[1:], 2):
            rest = [*(n for _, n in left), *(n for _, n in chosen[k:]), names.result]
            value, own = _product(value, own, other, beside, "".join(rest), sizes, names.result)
        left.append((value, own))
    value, own = _single(*left[0], names.result, sizes)
    order = tuple(own.index(letter) for letter in names.result)
    return value if order == tuple(range(len(order))) else library.transpose(value, order)


@functools.lru_cache(maxsize=1024)
def _path(text: str, shapes: tuple[Shape, ...]) -> list[tuple[int, ...]]:
    """Return which operands to multiply, step by step; results are appended."""
    if len(shapes) == 1:
        return []
    if len(shapes) == 2:
        return [(0, 1)]
    stand_ins = [np.broadcast_to(np.float32(0), shape) for shape in shapes]
    return [step for step in np.einsum_path(text, *stand_ins)[0][1:] if len(step) > 1]


def _single(value: Any, own: str, rest: str, sizes: Mapping[str, int]) -> tuple[Any, str]:
    """Return an operand with each of its indices once, and only those still needed."""
    for letter in dict.fromkeys(own):
        while own.count(letter) > 1:
            first = own.index(letter)
            second = own.index(letter, first + 1)
            value = library.diagonal(value, 0, first, second)  # which comes last
            own = own[:first] + own[first + 1 : second] + own[second + 1 :] + letter
    ones = [d for d, c in enumerate(own) if value.shape[d] == 1 < sizes[c]]
    if ones:
        value = library.squeeze(value, tuple(ones))
        own = "".join(c for d, c in enumerate(own) if d not in ones)
    gone = tuple(d for d, c in enumerate(own) if c not in rest)
    if gone:
        value = library.sum(value, axis=gone)
        own = "".join(c for c in own if c in rest)
    return value, own


def _product(
    x: Any, a: str, y: Any, b: str, rest: str, sizes: Mapping[str, int], result: str
) -> tuple[Any, str]:
    """Return the product of two operands over the indices that later steps, or the result, need."""
    x, a = _single(x, a, b + rest, sizes)
    y, b = _single(y, b, a + rest, sizes)
    x, a = _single(x, a, b + rest, sizes)  # an index of size 1 may have been dropped
    summed, out, by_blas = _layout(a, b, rest, sizes, result)
    if by_blas:
        return _EINSUM(x, y, subscripts=f"{a},{b}->{out}"), out
    every = out + "".join(summed)
    value = library.multiply(_spread(x, a, every), _spread(y, b, every))
    if summed:
        value = library.sum(value, axis=tuple(range(len(out), len(every))))
    return value, out


def _layout(
    a: str, b: str, rest: str, sizes: Mapping[str, int], result: str
) -> tuple[list[str], str, bool]:
    """Return a product's summed labels, its result's, and whether BLAS does it."""
    both = [c for c in dict.fromkeys(a + b) if c in rest]
    summed = [c for c in a if c not in rest]
    out = "".join(sorted(both, key=lambda c: result.find(c) if c in result else -1))
    apart = set(a) ^ set(b)
    if out and out[-1] not in apart:  # BLAS lacks this layout; another's view is free
        kinds = [set(a) & set(b), set(a), set(b)]
        out = "".join(sorted(out, key=lambda c: [c in kind for kind in kinds].index(True)))
    enough = bool(apart) or math.prod(sizes[c] for c in summed) >= _SHORT
    return summed, out, bool(summed) and enough


@functools.lru_cache(maxsize=1024)
def _one_product(subscripts: str, shapes: tuple[Shape, ...]) -> str | None:
    """Return the subscripts if an einsum is a single product by BLAS, or None."""
    names, sizes = _sized(subscripts, shapes)
    if len(shapes) != 2:
        return None
    a, b = names.operands
    for own, other, shape in ((a, b, shapes[0]), (b, a, shapes[1])):
        kept = len(set(own)) == len(own) and set(own) <= set(other + names.result)
        if not kept or any(sizes[c] != n for c, n in zip(own, shape, strict=True)):
            return None
    _, out, by_blas = _layout(a, b, names.result, sizes, names.result)
    return names.text if by_blas and out == names.result else None


def _spread(x: Any, own: str, every: str) -> Any:
    """Return x with the axes of `every`; those it lacks have size 1."""
    order = tuple(own.index(c) for c in every if c in own)
    if order != tuple(range(len(order))):
        x = library.transpose(x, order)
    lacking = tuple(d for d, c in enumerate(every) if c not in own)
    return library.expand_dims(x, lacking) if lacking else x


# the operator -----------------------------------------------------------------------------------


def _rule(g: Gradients) -> Sequence[Any]:
    """Swap operand and result. An index that occurs nowhere else is expanded by ones; one that an
    operand has twice is split in two, joined by an identity."""
    if _pair(*g.specs, **g.attributes) is not None:
        return product_rule(g)
    shapes = tuple([spec.shape for spec in g.specs])
    names, sizes = _sized(g.attributes["subscripts"], shapes)
    return [_of(i, names, sizes, g) if wanted else None for i, wanted in enumerate(g.wanted)]


def _of(i: int, names: _Names, sizes: Mapping[str, int], g: Gradients) -> Any:
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
    return library.einsum(text, g.out_grad, *values, *added)


_EINSUM = EinsumOp("einsum", _pair, operands=("*operands",), gradient=_rule, keeps=("*operands",))


@public(_EINSUM)
@deferrable()
def einsum(subscripts: str, *operands: Any, out: Any = None) -> Any:
    """Products of elements summed over the indices that the result does not name.

    subscripts : letters for the axes of each operand, "ij,jk->ik"; an ellipsis (...) for axes that
        broadcast. Without an arrow the result has the letters that occur once, in alphabetical
        order.
    *operands : arrays
    ! ShapeError where indices do not fit the shapes, ArgumentError for invalid subscripts.
    >>> einsum("ij,j->i", [[1, 2], [3, 4]], [1, 1])
    array([3, 7])
    """
    if not isinstance(subscripts, str):
        raise ArgumentError(f"einsum: subscripts={subscripts!r}; give a text such as 'ij,jk->ik'")
    subscripts = subscripts.replace(" ", "")
    arrays = [as_array(x) for x in operands]
    if _divisible(arrays):
        one = _one_product(subscripts, tuple([tuple(x.shape) for x in arrays]))
        if one is not None:
            return _EINSUM(*arrays, subscripts=one, out=out)
        result = apart(subscripts, *arrays)  # also with `out`: another order of sums has other bits
        return result if out is None else library.copy(result, out=out)
    return _EINSUM(*arrays, subscripts=subscripts, out=out)


def _divisible(operands: Sequence[Any]) -> bool:
    """Return whether it can be decomposed now, without intermediate rounding."""
    dtypes = {getattr(x, "dtype", None) for x in operands}
    known = all(x.shape is not None and None not in x.shape for x in operands)
    return known and len(dtypes) == 1 and dtypes.pop() in _NATIVE
