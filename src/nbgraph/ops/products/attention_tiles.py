"""How attention is cut into tiles, and the calls of its kernels; see `kernels.products.attention`.

Tiles and blocks depend on shapes alone. Arrays whose last axis lies element by element are taken as
they are, broadcast ones among them; others are copied first.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from nbgraph.dtype import compute_dtype
from nbgraph.operator.arrays.array_op import Attributes
from nbgraph.operator.arrays.tiled_op import tile_call
from nbgraph.operator.kernel_call import KernelCall, Lowered, in_word
from nbgraph.operator.layout import Layout, layout
from nbgraph.ops.windows.convolution_tiles import ONE

# rows and columns of a block of scores, by bytes of a float
_FORWARD = {4: (128, 256), 8: (128, 128)}
_BACKWARD = {4: (64, 128), 8: (64, 128)}
_ENOUGH = 8  # heads: so many make a tile each backward
_NUMBERS = "numbers", "delta"  # arrays with numbers of rows, which lie without gaps


class _Case(NamedTuple):
    """The arrays by their names, as the kernel takes them."""

    arrays: Mapping[str, Layout]
    attributes: Attributes
    block: tuple[int, int]

    @property
    def lead(self) -> tuple[int, ...]:
        """Axes in front, which count heads."""
        return self.arrays["query"].shape[:-2]

    @property
    def extents(self) -> tuple[int, int, int, int]:
        """Rows, columns, elements of a key, elements of a value."""
        (rows, size), (columns, width) = (self.arrays[n].shape[-2:] for n in ("query", "value"))
        return rows, columns, size, width


def _kind_of(mask: Sequence[Layout]) -> Any:
    return "" if not mask else "seen" if mask[0].dtype == np.bool_ else "added"


def _layouts(
    names: Sequence[str], arrays: Sequence[Layout], requests: Sequence[str]
) -> tuple[list[Layout], tuple[Layout | None, ...]]:
    """Return the layouts that the kernel takes, and those that arrays have to have for it; results
    that are added up, or not asked for, get memory of their own."""
    floats = [own.dtype for own in arrays if own.dtype != np.bool_]
    wide = np.dtype(compute_dtype(np.result_type(*floats)))
    words = ["write"] * (len(arrays) - len(requests)) + list(requests)
    results, places = list[Layout](), list[Layout | None]()
    for name, own, word in zip(names, arrays, words, strict=True):
        dtype = own.dtype if own.dtype == np.bool_ else wide
        stays = word == "write" and own.dtype == dtype and _fits(name, own)
        results.append(own if stays else layout(own.shape, dtype))
        places.append(None if stays else results[-1])
    return results, tuple(places)


def _fits(name: str, own: Layout) -> bool:
    if name in _NUMBERS:
        return own.contiguous
    *_, down, across = own.strides
    item, (rows, width) = own.dtype.itemsize, own.shape[-2:]
    if across != item and width != 1:
        return False
    return name == "mask" or (down % item == 0 and down >= width * item) or rows == 1


def _words(case: _Case, names: Sequence[str], parts: int) -> tuple[int, ...]:
    """Return all of the record behind the addresses."""
    from nbgraph.kernels.products.blas import routine  # SciPy comes with the first product

    rows, columns, size, width = case.extents
    dtype = case.arrays["query"].dtype
    blas, kind = routine(), dtype.name
    offset = columns - rows if case.attributes["causal"] else columns
    scale = in_word(dtype.type(case.attributes["scale"]).tobytes())
    arrays = [case.arrays[name] for name in names]
    return (
        *(blas.address, *blas.pointers(kind), blas.threads.address, ONE[kind]),
        *(size, width, offset, scale, *case.block, parts),
        *(_down(name, own) for name, own in zip(names, arrays, strict=True)),
        len(case.lead),
        *(
            word
            for d in reversed(range(len(case.lead)))
            for word in (case.lead[d], *(a.strides[d] if a.shape[d] != 1 else 0 for a in arrays))
        ),
    )


def _down(name: str, own: Layout) -> int:
    """Return elements from row to row; of a mask that all rows share none."""
    if name in _NUMBERS:
        return 0
    if own.shape[-2] == 1:
        return 0 if name == "mask" else own.shape[-1]
    return own.strides[-2] // own.dtype.itemsize


def _cost(case: _Case, products: int) -> int:
    """Return nanoseconds, roughly."""
    rows, columns, size, width = case.extents
    each = products * (size + width) / (64 if case.arrays["query"].dtype.itemsize == 4 else 32)
    return int(math.prod(case.lead) * rows * columns * (each + 0.6))


def forward(
    operands: Sequence[Layout],
    outputs: Sequence[Layout],
    requests: Sequence[str],
    attributes: Attributes,
) -> Lowered | None:
    """Return the call for `attention_parts`."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.products import attention as texts

    mask = _kind_of(operands[3:])
    names = texts.forward_arrays(mask)
    layouts, places = _layouts(names, [*operands, *outputs], requests)
    if any(0 in a.shape for a in layouts):
        return None
    block = _FORWARD[layouts[0].dtype.itemsize]
    case = _Case(dict(zip(names, layouts, strict=True)), attributes, block)
    dtype: Any = layouts[0].dtype.name
    rows, columns, *_ = case.extents
    parts = -(-rows // block[0])
    code = written("attention", texts.forward_text(dtype, mask), dtype)
    words = _words(case, names, parts)
    call = tile_call(code, (rows, columns), words, math.prod(case.lead) * parts, _cost(case, 1))
    return Lowered((_over(call, range(len(names)), 2),), places, adds=False)


def backward(
    operands: Sequence[Layout],
    outputs: Sequence[Layout],
    requests: Sequence[str],
    attributes: Attributes,
) -> Lowered | None:
    """Return the calls for `attention_gradient`: where there are few heads one for the query's,
    whose tiles are blocks of rows, and one for the others, whose tiles are columns."""
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.products import attention as texts

    mask = _kind_of(operands[6:])
    every = (*texts.QUERY, *texts.SOURCE)
    names = texts.backward_arrays(mask, every)
    layouts, places = _layouts(names, [*operands, *outputs], requests)
    if any(0 in a.shape for a in layouts):
        return None
    block = _BACKWARD[layouts[0].dtype.itemsize]
    case = _Case(dict(zip(names, layouts, strict=True)), attributes, block)
    dtype: Any = layouts[0].dtype.name
    rows, columns, *_ = case.extents
    asks = [name for name, request in zip(every, requests, strict=True) if request != "null"]
    ways = [way for way in (texts.QUERY, texts.SOURCE) if any(name in asks for name in way)]
    heads, calls = math.prod(case.lead), list[KernelCall]()
    if heads >= _ENOUGH and len(ways) > 1:
        ways = [every]
    for results in ways:
        own = texts.backward_arrays(mask, results)
        parts = -(-rows // block[0]) if results == texts.QUERY else 1
        if results == texts.SOURCE:
            parts = -(-columns // block[1])
        words = _words(case, own, parts)
        code = written("attention_gradient", texts.backward_text(dtype, mask, results), dtype)
        cost = _cost(case, 2)
        call = tile_call(code, (rows, columns), words, heads * parts, cost)
        calls.append(_over(call, map(names.index, own), len(results)))
    return Lowered(tuple(calls), places, adds=False)


def _over(call: KernelCall, order: Any, writes: int) -> KernelCall:
    return replace(call, order=tuple(order), writes=writes)
