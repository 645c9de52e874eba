"""Softmax cross entropy as a simple operator with temporary space (SMP-38): the whole recipe.

Shapes, dtypes, function, gradient, registration. The library's own is a row program, which this
one judges.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from nbgraph.dtype import compute_dtype, is_float
from nbgraph.errors import DTypeError, ShapeError
from nbgraph.operator.environment import EnvArguments, OpContext
from nbgraph.operator.request import OpReqType, assign, kNullOp
from nbgraph.operator.simple import Input0, Input1, OutputGrad, TBlob, register_simple_op

Array = np.ndarray[Any, Any]
_NAME = "simple_softmax_cross_entropy"


def _shape(data: tuple[int, ...], label: tuple[int, ...], env: EnvArguments) -> tuple[int, ...]:
    if len(data) != 2 or label != data[:1]:
        raise ShapeError(
            f"{_NAME}: data{data} and label{label}; expected data (samples, classes) and label "
            "(samples,)"
        )
    return ()


def _dtype(data: np.dtype[Any], label: np.dtype[Any], env: EnvArguments) -> np.dtype[Any]:
    if not is_float(data):
        raise DTypeError(f"{_NAME}: data has dtype {data}; expected a floating one: use astype")
    return data


def _log_softmax(data: Array, env: EnvArguments) -> Array:
    """In temporary space; 16-bit floats are computed in float32."""
    space: Array = env.temp_space(data.shape, compute_dtype(data.dtype))
    largest = data.max(axis=1, keepdims=True, initial=-np.inf)
    np.subtract(data, largest, out=space)
    space -= np.log(np.exp(space).sum(axis=1, keepdims=True))
    return space


def _classes(label: Array, count: int) -> Array:
    found = label.astype(np.intp)
    wrong = np.flatnonzero((found < 0) | (found >= count))
    if wrong.size:
        i = int(wrong[0])
        raise ValueError(
            f"{_NAME}: label[{i}] is {label[i]}; expected a class from 0 to {count - 1}"
        )
    return found


def _forward(
    data: Input0, label: Input1, env: EnvArguments, ret: TBlob, req: OpReqType, ctx: OpContext
) -> None:
    classes = _classes(label.get(1), data.shape[1])
    log_p = _log_softmax(data.get(2), env)
    assign(ret.get(), req, -log_p[np.arange(classes.size), classes].sum())


def _gradient(
    out_grad: OutputGrad,
    data: Input0,
    label: Input1,
    env: EnvArguments,
    lhs_grad: TBlob,
    rhs_grad: TBlob,
    req_lhs: OpReqType,
    req_rhs: OpReqType,
    ctx: OpContext,
) -> None:
    """(softmax - one at the label) times the gradient of the loss; labels have none."""
    assign(rhs_grad.get(), req_rhs, 0)
    if req_lhs is kNullOp:
        return
    classes = _classes(label.get(1), data.shape[1])
    p = _log_softmax(data.get(2), env)
    np.exp(p, out=p)
    p[np.arange(classes.size), classes] -= 1
    p *= out_grad.get()
    assign(lhs_grad.get(), req_lhs, p)


softmax_cross_entropy = (
    register_simple_op(_NAME)
    .set_shape_function(_shape)
    .set_type_function(_dtype)
    .set_resource_request("temp_space")
    .set_function("cpu", _forward)
    .set_gradient("cpu", _gradient)
)
