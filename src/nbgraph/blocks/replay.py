"""A traced function on Dask arrays: each node of its graph is applied to them, lazily.

Gradients are nodes like others. That of a sum is a broadcast of its out-gradient, in the chunks of
the summed operand; so each block's gradient needs that block alone, and may be written and freed
before the next is read. That of a parameter is a sum over blocks.
"""

import math
from collections.abc import Sequence
from typing import Any

import dask.array as da
import numpy as np

from nbgraph.blocks.carrier import require_plain
from nbgraph.blocks.tasks import require_pure
from nbgraph.graph.build import GraphNode
from nbgraph.graph.constant import CONSTANT
from nbgraph.graph.graph import Graph
from nbgraph.graph.passes.share import share
from nbgraph.graph.passes.simplify import simplify
from nbgraph.operator.arrays.array_op import ArrayOp
from nbgraph.operator.call import call, recording
from nbgraph.operator.lazy import is_lazy
from nbgraph.operator.mapper.mapper import Mapper

_SMALL = 1 << 12  # elements up to which a uniform array is a NumPy array


def replayed(graph: Graph, arrays: Sequence[Any]) -> list[Any]:
    """Return the heads of a graph as Dask arrays, with Dask arrays, NDArrays and NumPy arrays as
    its variables; NDArrays are read now. A result has the chunks of a variable of its shape."""
    graph = simplify(share(graph))
    chunks = {a.shape: a.chunks for a in reversed(arrays) if is_lazy(a)}
    small = {a.shape: tuple((n,) for n in a.shape) for a in arrays if not is_lazy(a)}
    known: dict[Any, Any] = {}
    for variable, array in zip(graph.variables, arrays, strict=True):
        require_plain("jit", array, recording.get())
        known[variable, 0] = array if is_lazy(array) else np.asarray(array)
    for node in graph.nodes:
        if node.op is not None:
            values = [known[i] if type(i) is tuple else i for i in node.inputs]
            results = _applied(node, values, chunks)
            for i, value in enumerate(results if node.nout > 1 else [results]):
                known[node, i] = value
    heads = [known[head] for head in graph.heads]
    heads = [head if is_lazy(head) else da.asarray(np.asarray(head)) for head in heads]
    return [_cut(head, {**small, **chunks}) for head in heads]


def _applied(node: GraphNode, values: Sequence[Any], chunks: dict[Any, Any]) -> Any:
    op: Any = node.op
    attributes = node.attributes
    if isinstance(op, ArrayOp) and not values:
        return _source(node, op, chunks)
    if op.__name__ == "broadcast_to" and math.prod(attributes["shape"]) > _SMALL:
        array = da.broadcast_to(da.asarray(values[0]), attributes["shape"])
        return array.rechunk(_chunks(array.shape, chunks))
    if isinstance(op, Mapper):
        return _cut(op(*values, **attributes), chunks)
    return _cut(call(op, values, attributes), chunks)


def _source(node: GraphNode, op: ArrayOp, chunks: dict[Any, Any]) -> Any:
    """Return the result of an operator without operands; uniform arrays are made block by block."""
    if op is CONSTANT:
        return node.attributes["value"].array
    assert node.specs is not None, node
    shape, dtype = node.specs[0]
    if op.constant is not None and math.prod(shape) > _SMALL:
        value = op.constant(**node.attributes)
        return da.full(shape, value, dtype=dtype, chunks=_chunks(shape, chunks))
    require_pure(op)
    return op.on_numpy((), node.attributes, None)


def _chunks(shape: tuple[int, ...], chunks: dict[Any, Any]) -> Any:
    """Return chunks of a uniform array: on each axis those of a variable's equal axis."""
    if shape in chunks:
        return chunks[shape]
    along = {n: cut for known, cuts in chunks.items() for n, cut in zip(known, cuts, strict=True)}
    return tuple(along.get(n, (n,)) for n in shape)


def _cut(value: Any, chunks: dict[Any, Any]) -> Any:
    """Return a result in the chunks of the variables of its shape."""
    if is_lazy(value) and value.shape in chunks and value.chunks != chunks[value.shape]:
        return value.rechunk(chunks[value.shape])
    return value
