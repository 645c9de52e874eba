"""The semantics of an operator, apart from its implementation."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import ArgumentError
from nbgraph.operator.full.handles import Handle, Handles
from nbgraph.operator.full.operator import Operator
from nbgraph.operator.parameters import Param as Parameters
from nbgraph.shape import PartialShape

ShapeList = list[PartialShape]
DtypeList = list[np.dtype[Any] | None]
Pairs = Sequence[tuple[Handle, Handle]]


class NoParam(Parameters):
    """The parameters of an operator without parameters."""


class OperatorProperty(ABC):
    """The semantics of an operator; `create_operator` returns its implementation.

    `infer_shape` and `create_operator` must be written. All else has a default: one argument
    `data`, one output, no states, no parameters, one dtype for all; the backward pass reads
    everything, nothing is done in place, no resources. Methods may use `self.param`, the parameters
    of the call, but no changing state.

    Attributes
    ----------
    Param : subclass of ng.Param
        The parameters: fields with types, defaults, bounds and documentation.
    stateful : bool
        Whether operators keep state on themselves, for example between `forward` and `backward`.
        Each application then has an operator of its own, and another one in every executor. If
        False, operators are frozen after creation, equal applications of a graph are computed once,
        and compiled functions (`ng.jit`) may run them several times before backward. Values that
        backward needs are then hidden outputs.

    >>> import nbgraph as ng
    >>> class Scale(ng.OperatorProperty):
    ...     class Param(ng.Param):
    ...         factor: float = ng.field(2.0, doc="What elements are multiplied by.")
    ...
    ...     def infer_shape(self, in_shapes, out_shapes, aux_shapes):
    ...         return in_shapes, in_shapes, []
    ...
    ...     def create_operator(self, ctx, in_shapes, in_dtypes):
    ...         raise NotImplementedError
    >>> Scale(factor="0.5").get_params()
    {'factor': '0.5'}
    """

    Param: ClassVar[type[Parameters]] = NoParam
    stateful: ClassVar[bool] = True
    param: Parameters
    _fixed = False

    def __init__(self, **kwargs: Any) -> None:
        self.init(kwargs)
        object.__setattr__(self, "_fixed", True)

    def __setattr__(self, name: str, value: Any) -> None:
        if self._fixed:
            raise ArgumentError(
                f"{type(self).__name__}: {name} was to be set; a property does not change once it "
                "is made: keep values in local variables, or on the operator"
            )
        object.__setattr__(self, name, value)

    # parameters -------------------------------------------------------------------------------

    def init(self, kwargs: Mapping[str, Any]) -> None:
        """Read the parameters, values or text, into `self.param`; ArgumentError names one that is
        unknown, missing or invalid."""
        self.param = self.Param.parse(kwargs, type(self).__name__)

    def get_params(self) -> dict[str, str]:
        """Return the parameters as text that `init` reads."""
        return self.param.to_strings()

    # names ------------------------------------------------------------------------------------

    def list_arguments(self) -> Sequence[str]:
        """Return the names of the arguments: data, weights, biases, labels."""
        return ["data"]

    def list_outputs(self) -> Sequence[str]:
        """Return the names of the outputs; those from `num_visible_outputs()` on are hidden."""
        return ["output"]

    def list_auxiliary_states(self) -> Sequence[str]:
        """Return the names of arrays that `forward` writes in training, such as moving averages."""
        return []

    def num_outputs(self) -> int:
        """Return the number of outputs, including hidden ones."""
        return len(self.list_outputs())

    def num_visible_outputs(self) -> int:
        """Return the number of outputs that a call returns; the others are for `backward` alone."""
        return self.num_outputs()

    def initial(self, name: str) -> Any:
        """Return the initial value of an argument or state that a graph creates by itself: the
        `init` of `ng.var`. None: zeros."""
        return None

    # shapes and dtypes ------------------------------------------------------------------------

    @abstractmethod
    def infer_shape(
        self, in_shapes: ShapeList, out_shapes: ShapeList, aux_shapes: ShapeList
    ) -> Any:
        """Complete the shapes of arguments, outputs and states, in every possible direction.

        Unknown shapes or extents are None. Either fill the lists and return True, or return the
        three lists; return False if nothing follows yet. A TypeError counts as False while
        something is unknown, as `None[0]` raises one. The caller detects contradictions to the
        known shapes; raise ShapeError for other conditions.
        """

    def infer_type(self, in_dtypes: DtypeList, out_dtypes: DtypeList, aux_dtypes: DtypeList) -> Any:
        """Return dtypes as `infer_shape` returns shapes. By default all are equal."""
        known = [d for d in (*in_dtypes, *out_dtypes, *aux_dtypes) if d is not None]
        if not known:
            return False
        for dtypes in (in_dtypes, out_dtypes, aux_dtypes):
            dtypes[:] = [known[0]] * len(dtypes)
        return True

    # the backward pass, memory, resources -----------------------------------------------------

    def declare_backward_dependency(
        self, out_grad: Handles, in_data: Handles, out_data: Handles
    ) -> Handles:
        """Return those arrays that `backward` reads; others are not kept. By default all."""
        return [*out_grad, *in_data, *out_data]

    def forward_inplace_option(self, in_data: Handles, out_data: Handles) -> Pairs:
        """Return pairs (in_data[i], out_data[j]): that output may use the argument's memory. If the
        suggestion is followed, the request is kWriteInplace. By default none."""
        return []

    def backward_inplace_option(
        self, out_grad: Handles, in_data: Handles, out_data: Handles, in_grad: Handles
    ) -> Pairs:
        """Return pairs (array read, in_grad[j]): that gradient may use its memory. By default
        none."""
        return []

    def forward_resource(self, in_shapes: Sequence[Any]) -> Any:
        """Return requests of `forward`: "random", "parallel_random", "temp_space"; by default none.
        It is also called with shapes that are None."""
        return []

    def backward_resource(self, in_shapes: Sequence[Any]) -> Any:
        """Return requests of `backward`."""
        return []

    # the implementation -----------------------------------------------------------------------

    @abstractmethod
    def create_operator(
        self, ctx: Context, in_shapes: Sequence[tuple[int, ...]], in_dtypes: Sequence[np.dtype[Any]]
    ) -> Operator | Sequence[Operator] | None:
        """Return an operator for a device, and arguments of these shapes and dtypes.

        For a list of operators, the fastest is determined by timing the first calls, each with
        another one. None: there is none for that device.
        """
