"""Implementations of an operator: a property creates an object wherever the operator runs."""

from abc import ABC, abstractmethod
from typing import Any

from nbgraph.errors import ArgumentError, DerivativeError
from nbgraph.operator.environment import OpContext
from nbgraph.operator.request import OpReqType, Requests, assign
from nbgraph.shape import Array, Arrays


class Operator(ABC):
    """An implementation of an operator: `forward`, and `backward` if it has a gradient.

    Both get NumPy arrays, C-contiguous and preallocated, and write their results into `out_data` or
    `in_grad`, each as its request says: with `self.assign(array, req, value)`, or directly (see
    `OpReqType`). Inputs are read-only. They run on any thread, after the call; one object never
    runs on two threads at once, unless its property is not `stateful`.

    >>> import nbgraph as ng
    >>> class Halve(ng.Operator):
    ...     def forward(self, ctx, in_data, req, out_data, aux_states):
    ...         self.assign(out_data[0], req[0], in_data[0] / 2)
    """

    _fixed = ""  # why attributes are frozen, or ""

    @abstractmethod
    def forward(
        self, ctx: OpContext, in_data: Arrays, req: Requests, out_data: Arrays, aux_states: Arrays
    ) -> None:
        """Compute the outputs, including hidden ones.

        Parameters
        ----------
        ctx : OpContext
            `is_train`, `device`, `stream`, and `requested`: the resources that `forward_resource`
            requested, in its order.
        in_data, out_data : sequence of ndarray
            In the order of `list_arguments` and `list_outputs`.
        req : sequence of OpReqType
            One per output. An output that is not needed (kNullOp) must not be written.
        aux_states : sequence of ndarray
            In the order of `list_auxiliary_states`; writable if `ctx.is_train`.
        """

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
        """Compute the gradients of the arguments, from those of the visible outputs.

        An array that `declare_backward_dependency` does not name is missing: reading it raises
        ArgumentError. `req` has one request per argument. `ctx.is_train` is True.
        """
        raise DerivativeError(f"{type(self).__name__}: it has no backward; write one")

    @staticmethod
    def assign(out: Array, req: OpReqType | str, value: Any) -> None:
        """Write `value` to `out` as the request says; it broadcasts to the shape of `out`."""
        assign(out, req, value)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._fixed:
            raise ArgumentError(f"{type(self).__name__}: self.{name} was to be set; {self._fixed}")
        object.__setattr__(self, name, value)


def fix(operator: Operator, why: str) -> None:
    """Forbid setting attributes, for the reason `why`; "" allows it again."""
    object.__setattr__(operator, "_fixed", why)


def has_backward(operator: Operator) -> bool:
    """Return whether there is a gradient."""
    return type(operator).backward is not Operator.backward
