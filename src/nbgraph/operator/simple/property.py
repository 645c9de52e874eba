"""A simple operator as a full one: its property and its implementation."""

import inspect
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import ArgumentError, ShapeError
from nbgraph.operator.environment import OpContext
from nbgraph.operator.full.handles import Handles
from nbgraph.operator.full.operator import Operator
from nbgraph.operator.full.property import DtypeList, OperatorProperty, Pairs, ShapeList
from nbgraph.operator.request import Requests
from nbgraph.operator.spec import Attributes
from nbgraph.settings import config
from nbgraph.shape import Arrays, same_shape

Rule = Callable[..., Any]
SHAPE, TYPE = "set_shape_function", "set_type_function"


class SimpleProperty(OperatorProperty):
    """The property of a simple operator with the attributes of one call."""

    stateful = False

    def __init__(self, op: Any, attributes: Attributes) -> None:
        self.op, self.attributes = op, attributes

    def list_arguments(self) -> Sequence[str]:
        return self.op.operands

    def infer_shape(
        self, in_shapes: ShapeList, out_shapes: ShapeList, aux_shapes: ShapeList
    ) -> Any:
        """Return the output's shape by the user's function; without one all shapes are equal."""
        op, rule = self.op, self.op.rules.get(SHAPE)
        is_known = all(s is not None and None not in s for s in in_shapes)
        if rule is not None or not in_shapes:
            if not is_known:
                return False
            env = op.environment(self.attributes, op.requests)
            shape = self._requested_shape() if rule is None else rule(*in_shapes, env)
            return in_shapes, [shape], []
        if is_known and any(s != in_shapes[0] for s in in_shapes):
            listed = ", ".join(f"{n}{s}" for n, s in zip(op.operands, in_shapes, strict=True))
            raise ShapeError(
                f"{op.__name__}: shapes differ: {listed}; operands must have equal shapes: "
                "broadcast them before the call, or give the operator a set_shape_function"
            )
        return (*same_shape(in_shapes, out_shapes, op=op.__name__), [])

    def _requested_shape(self) -> Any:
        """Return the shape that a call without operands requests."""
        shape = self.attributes.get("shape")
        if shape is None:
            raise ArgumentError(
                f"{self.op.__name__}: an operator without operands needs set_shape_function(fn), "
                "or a keyword parameter 'shape'"
            )
        return shape

    def infer_type(self, in_dtypes: DtypeList, out_dtypes: DtypeList, aux_dtypes: DtypeList) -> Any:
        """Return the output's dtype by the user's function; without one the common dtype."""
        if any(dtype is None for dtype in in_dtypes):
            return False
        op, rule = self.op, self.op.rules.get(TYPE)
        if rule is not None:
            dtype = rule(*in_dtypes, op.environment(self.attributes, op.requests))
        elif in_dtypes:
            dtype = np.result_type(*in_dtypes)  # type: ignore[arg-type]
        else:
            dtype = self.attributes.get("dtype") or config.default_float
        return in_dtypes, [dtype], []

    def declare_backward_dependency(
        self, out_grad: Handles, in_data: Handles, out_data: Handles
    ) -> Handles:
        """Return what the form of the gradient reads; nothing without a gradient."""
        if not self.op.gradients:
            return []
        form = self.op.gradient_form
        kept = [*(in_data if form.keeps_inputs else ()), *(out_data if form.keeps_output else ())]
        return [*out_grad, *kept]

    def forward_inplace_option(self, in_data: Handles, out_data: Handles) -> Pairs:
        """Return the first operand and the output, if the functions of all devices allow it."""
        may = all(f.option for f in self.op.functions.values())
        return [(in_data[0], out_data[0])] if may and in_data else []

    def backward_inplace_option(
        self, out_grad: Handles, in_data: Handles, out_data: Handles, in_grad: Handles
    ) -> Pairs:
        """Return the out-gradient and first in-gradient, if the gradients of all devices may."""
        may = all(f.option for f in self.op.gradients.values())
        return [(out_grad[0], in_grad[0])] if may and in_grad else []

    def forward_resource(self, in_shapes: Sequence[Any]) -> Any:
        return self.op.requests

    backward_resource = forward_resource

    def create_operator(
        self, ctx: Context, in_shapes: Sequence[tuple[int, ...]], in_dtypes: Sequence[np.dtype[Any]]
    ) -> Operator:
        return FunctionOperator(self.op, self.attributes)


class FunctionOperator(Operator):
    """The functions of a simple operator for the attributes of one call."""

    def __init__(self, op: Any, attributes: Attributes) -> None:
        self.op, self.attributes = op, attributes

    def forward(
        self, ctx: OpContext, in_data: Arrays, req: Requests, out_data: Arrays, aux_states: Arrays
    ) -> None:
        env = self.op.environment(self.attributes, ctx.requested)
        function = self.op.function_on("function", ctx.device)
        function.call(ctx, env, self.attributes, in_data, out_data, req)

    def backward(
        self,
        ctx: OpContext,
        out_grad: Arrays,
        in_data: Arrays,
        out_data: Arrays,
        req: Requests,
        in_grad: Arrays,
        aux_states: Arrays,
    ) -> None:
        env = self.op.environment(self.attributes, ctx.requested)
        function = self.op.function_on("gradient", ctx.device)
        form = function.form
        reads = [
            *out_grad,
            *(in_data if form.keeps_inputs else ()),
            *(out_data if form.keeps_output else ()),
        ]
        function.call(ctx, env, self.attributes, reads, in_grad, req)


def require_rule(op: str, setter: str, fn: Any, names: Sequence[str]) -> Rule:
    """Return a shape or type function, which must take one argument per operand, and env."""
    try:
        inspect.signature(fn).bind(*names, None)
    except (TypeError, ValueError):
        raise ArgumentError(
            f"{op}: {setter} takes a function of ({', '.join((*names, 'env'))}), not {fn!r}"
        ) from None
    return fn
