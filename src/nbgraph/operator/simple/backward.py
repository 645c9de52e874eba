"""The gradient of a simple operator as an operator of its own, so that every carrier runs it."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.device import Context, RunContext, cpu, run_context
from nbgraph.dtype import as_dtype, is_float, name_of
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.environment import OpContext
from nbgraph.operator.request import OpReqType, kNullOp
from nbgraph.operator.simple.function import on_device, requests_of
from nbgraph.operator.simple.launching import OwnKernel
from nbgraph.operator.simple.running import Target, execute

if TYPE_CHECKING:
    from nbgraph.operator.simple.op import SimpleOp
    from nbgraph.resource import Resource

Array = np.ndarray[Any, Any]
SPECS = "_specs"  # attribute: shape and dtype name of each operand of the forward operator


class BackwardOp(ArrayOp):
    """In-gradients of a simple operator, those that are wanted, in operand order.

    Its operands are out_grad and what the gradient's form keeps (the output, the operands); its
    attributes those of the forward call, and the operands' shapes and dtypes.
    """

    kind = "own"

    def __init__(self, op: SimpleOp, wanted: tuple[bool, ...]) -> None:
        form = op.gradient_form
        super().__init__(
            f"_backward_{op.__name__}",
            self._specs,
            operands=form.blobs,
            nout=sum(wanted),
            resources=op.resources,
            doc=f"The gradient of {op.__name__}.",
        )
        self.__module__ = op.__module__
        self.op, self.wanted = op, wanted
        may = wanted[0] and all(f.option for f in op.gradients.values())
        self.inplace = ((0, 0),) if may else ()

    def _specs(self, *specs: Spec, **attributes: Any) -> list[Spec]:
        found = _operand_specs(attributes)
        return [s for s, w in zip(found, self.wanted, strict=True) if w]

    def grant(
        self, device: Context, attributes: Mapping[str, Any] | None = None
    ) -> tuple[Resource, ...]:
        """Its resources; DeviceError where the gradient has no function for the device."""
        on_device(self.op.__name__, "gradient", self.op.gradients, device)
        return super().grant(device) if device.host else ()

    def own_kernel(self, device: Context, attributes: Mapping[str, Any]) -> OwnKernel:
        """What a GPU launches for a call."""
        function = on_device(self.op.__name__, "gradient", self.op.gradients, device)
        number = itertools.count()
        specs = zip(_operand_specs(attributes), self.wanted, strict=True)
        targets = tuple(next(number) if wanted else spec for spec, wanted in specs)
        own = {name: value for name, value in attributes.items() if name != SPECS}
        return OwnKernel(function, targets, own, self.op.environment(own, ()))

    def run(
        self,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        attributes: Mapping[str, Any],
        *,
        resources: Sequence[Resource] = (),
        is_train: bool = False,
        run_ctx: RunContext | None = None,
    ) -> None:
        """Call the gradient function; see ArrayOp.run."""
        if all(req is kNullOp for req in requests):
            return
        ctx = OpContext(is_train, run_ctx or run_context(cpu()), resources)
        function = on_device(self.op.__name__, "gradient", self.op.gradients, ctx.device)
        given = iter(outputs)
        targets: list[Target] = [
            next(given) if w else (s.shape, s.dtype)
            for s, w in zip(_operand_specs(attributes), self.wanted, strict=True)
        ]
        own = {name: value for name, value in attributes.items() if name != SPECS}
        execute(
            function,
            inputs,
            targets,
            requests_of(requests, self.wanted),
            self.op.environment(own, resources),
            own,
            ctx,
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return BackwardOp, (self.op, self.wanted)


def rule(g: Gradients) -> list[Any]:
    """The gradient rule of every simple operator: call its BackwardOp."""
    op: Any = g.op
    wanted = tuple(w and is_float(s.dtype) for w, s in zip(g.wanted, g.specs, strict=True))
    if g.out_grad is None or not any(wanted):
        return [None] * len(wanted)
    form = op.gradient_form
    values = [g.out_grad]
    if form.keeps_output:
        values.append(g.outputs[0])
    if form.keeps_inputs:
        values.extend(g.inputs)
    specs = tuple((tuple(s.shape), name_of(np.dtype(s.dtype))) for s in g.specs)
    found = op.backward(wanted)(*values, **{**g.attributes, SPECS: specs})
    given = iter(found if isinstance(found, tuple) else (found,))
    return [next(given) if w else None for w in wanted]


def _operand_specs(attributes: Mapping[str, Any]) -> list[Spec]:
    return [Spec(tuple(shape), as_dtype(dtype)) for shape, dtype in attributes[SPECS]]
