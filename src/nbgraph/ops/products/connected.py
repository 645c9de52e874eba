"""Fully connected layers: a product with weights and a bias, in one kernel."""

import math
from collections.abc import Sequence
from typing import Any

from nbgraph.errors import ShapeError, require_shape
from nbgraph.kernels.products.axes import arrange
from nbgraph.operator.arrays.array_op import Gradients, Spec, Specs
from nbgraph.operator.arrays.tiled_op import TiledOp, tile_call
from nbgraph.operator.kernel_call import Application, KernelCall, Lowered
from nbgraph.operator.layout import layout
from nbgraph.ops.define import Shape, define_rows, library, require_floats
from nbgraph.ops.windows.convolution_tiles import ONE
from nbgraph.shape import Array, Shapes, merged


def _split(shape: Shape, *, flatten: bool) -> tuple[Shape, int]:
    """Return the axes that stay, and the number of inputs per element."""
    lead = shape[:1] if flatten else shape[:-1]
    return lead, math.prod(shape[len(lead) :])


def _infer(x: Spec, w: Spec, *bias: Spec, flatten: bool) -> Spec:
    name = "fully_connected"
    dtype = require_floats(name, x, w, *bias)
    inputs = _split(x.shape, flatten=flatten)[1]
    if not x.shape or len(w.shape) != 2 or inputs != w.shape[1]:
        raise ShapeError(
            f"{name}: x has shape {x.shape} and weight {w.shape}; with flatten={flatten} x needs "
            f"an axis, and weight the shape (features, {inputs if x.shape else 'inputs'})"
        )
    for own in bias:
        require_shape(f"{name}: bias", own.shape, w.shape[:1], "one value for each feature")
    lead, _ = _split(x.shape, flatten=flatten)
    return Spec((*lead, w.shape[0]), dtype)


def _partial(in_shapes: Shapes, out_shapes: Shapes, *, flatten: bool) -> tuple[Shapes, Shapes]:
    """Infer inputs of the weights from the data; features from weights, bias or result; leading
    extents of data and result are equal."""
    (x, w, *bias), (out,) = in_shapes, out_shapes
    known = [s[0] for s in (w, *bias) if s] + ([out[-1]] if out else [])
    features = next((n for n in known if n is not None), None)
    inputs = w[1] if w is not None and len(w) == 2 else None
    if x:
        each = x[1:] if flatten else x[-1:]
        whole = [n for n in each if n is not None]
        inputs = math.prod(whole) if len(whole) == len(each) else inputs
        count = 1 if flatten else len(x) - 1
        lead = merged(x[:count], out[:-1] if out else None, "fully_connected") or ()
        x, out = (*lead, *x[count:]), (*lead, features)
    return (x, (features, inputs), *[(features,) for _ in bias]), (out,)


def _tiling(specs: Specs, dtype: Any, *, flatten: bool) -> KernelCall | None:
    from nbgraph.kernels.compiler.written import written
    from nbgraph.kernels.products.axes import tile_of
    from nbgraph.kernels.products.blas import routine  # SciPy is loaded with the first product
    from nbgraph.kernels.products.connected import connected_text

    lead, inputs = _split(specs[0].shape, flatten=flatten)
    rows, features = math.prod(lead), specs[1].shape[0]
    own, size = (min(*each) for each in zip(tile_of(features, rows, inputs), (features, rows)))
    blocks, parts = -(-rows // size), -(-features // own)
    blas = routine()
    words = (
        *(blas.address, *blas.pointers(dtype), blas.threads.address, ONE[dtype]),
        *(inputs, features, own, parts, size),
    )
    code = written("fully_connected", connected_text(dtype, bias=len(specs) > 2), dtype)
    cost = int(rows * features * (inputs / (32 if dtype == "float32" else 16) + 0.3))
    return tile_call(code, (rows, blocks), words, blocks * parts, cost)


def _naive(x: Array, w: Array, *bias: Array, flatten: bool) -> Array:
    lead, inputs = _split(x.shape, flatten=flatten)
    out = (x.reshape(-1, inputs) if inputs else x.reshape(math.prod(lead), 0)) @ w.T
    return (out + bias[0] if bias else out).reshape(*lead, w.shape[0])


def _rule(g: Gradients) -> Sequence[Any]:
    """Use products of matrices; the bias gets the sum over rows."""
    (x, w), shape, features = g.inputs[:2], g.specs[0].shape, g.specs[1].shape[0]
    lead, inputs = _split(shape, **g.attributes)
    rows = math.prod(lead)
    out_grad = library.reshape(g.out_grad, (rows, features))
    slopes = [
        lambda: library.reshape(library.matmul(out_grad, w), shape),
        lambda: library.dot(out_grad, library.reshape(x, (rows, inputs)), transpose_a=True),
        lambda: library.sum(out_grad, axis=0),
    ]
    return slopes[: len(g.specs)]


class ConnectedOp(TiledOp):
    """A TiledOp that multiplies bfloat16 directly on processors that do."""

    def lower(self, case: Application) -> Lowered | None:
        operands, outputs, requests, attributes, host = case
        (out,), (request,), dtype = outputs, requests, outputs[0].dtype
        if host and dtype.name == "bfloat16" and all(x.dtype == dtype for x in operands):
            from nbgraph.operator.products import narrow  # loaded with the first of them

            x, w = operands[:2]
            rows = math.prod(_split(x.shape, **attributes)[0])
            (features, inputs), item = w.shape, dtype.itemsize
            sizes = {"row": rows, "feature": features, "k": inputs}
            across, along = {"k": item}, {"feature": item}
            steps = ({"row": inputs * item, **across}, {"feature": inputs * item, **across},
                     {"row": features * item, **along})  # fmt: skip
            call = arrange(sizes, steps, item)
            if call is not None and call.first == 1 and narrow.suits(dtype.name, item, call):
                places = [
                    None if o.contiguous else layout(o.shape, dtype) for o in (*operands, out)
                ]
                adds, bias = request == "add" and places[-1] is None, len(operands) > 2
                calls = narrow.calls(self.__name__, dtype.name, item, call, adds=adds, bias=bias)
                return Lowered(calls, tuple(places), narrow.packed(call, item))
        return super().lower(case)


_PLAIN, BIASED = (
    ConnectedOp("fully_connected", _infer, _tiling, _naive, gradient=_rule, keeps=("x", "weight"),
            operands=operands, partial=_partial)
    for operands in (("x", "weight"), ("x", "weight", "bias"))
)  # fmt: skip


_TABLE = """
fully_connected(x, weight, bias=None, *, flatten=True, out=None): `x` times the transpose of
    `weight`, plus `bias`.
    x : array (samples, *inputs)
    weight : array (features, inputs), inputs counted over all axes of x but the first; with
        flatten=False those of the last axis
    bias : array (features,), optional
    -> array (samples, features); with flatten=False (*leading axes of x, features)
    ! ShapeError where shapes do not fit.
    >>> import numpy as np
    >>> fully_connected(np.ones((2, 3)), np.ones((1, 3)), np.array([10.0]))
    array([[13.],
           [13.]])
    = _PLAIN(x, weight, flatten=bool(flatten), out=out) if bias is None else BIASED(x, weight, bias,
        flatten=bool(flatten), out=out)
"""
define_rows(_TABLE, globals())
