"""The gradient of a property's operator as an operator, so that every carrier runs it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from nbgraph.device import Context
from nbgraph.dtype import as_dtype, is_float, name_of
from nbgraph.operator.array_op import ArrayOp, Gradients, Spec
from nbgraph.operator.environment import OpContext
from nbgraph.operator.full import running
from nbgraph.operator.full.handles import Handle, Kind
from nbgraph.operator.full.operator import Operator
from nbgraph.operator.full.places import ByObject
from nbgraph.operator.request import OpReqType, kNullOp

if TYPE_CHECKING:
    from nbgraph.operator.full.op import PropertyOp
    from nbgraph.resource import Resource

Array = np.ndarray[Any, Any]
SPECS = "_specs"  # attribute: shape and dtype name of each operand of the forward operator


class PropertyGradient(ByObject, ArrayOp):
    """The in-gradients that are wanted, in the order of the arguments.

    Its operands are what backward reads: out-gradients that are there, arguments, outputs; then
    the states. `given[k]`: whether the gradient of visible output k is an operand; others are
    zeros.
    """

    def __init__(self, op: PropertyOp, wanted: tuple[bool, ...], given: tuple[bool, ...]) -> None:
        facts = op.facts
        self.op, self.wanted, self.given, self.places = op, wanted, given, op.places
        self.reads = self._read_handles()
        super().__init__(
            f"_backward_{op.__name__}",
            self._specs,
            operands=[*map(_label, self.reads), *facts.states],
            nout=sum(wanted),
            resources=facts.backward_requests or (),
            inplace=tuple(self._pairs()),
            doc=f"The gradient of {op.__name__}.",
        )
        self.__module__ = op.__module__
        self.auxiliary = facts.states
        self.effect = facts.backward_requests is None

    def _read_handles(self) -> list[Handle]:
        """What the operands are, but for the states."""
        facts = self.op.facts
        count = len(facts.arguments)
        ins = [i for i in self.op.read_inputs if i < count]
        return [
            *(Handle("out_grad", k) for k in facts.reads_at("out_grad") if self.given[k]),
            *(Handle("in_data", i) for i in ins),
            *(Handle("out_data", k) for k in self.op.read_outputs),
        ]

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """In-place options as (operand, output)."""
        place = {handle: k for k, handle in enumerate(self.reads)}
        for source, target in self.op.facts.backward_pairs:
            if source in place and self.wanted[target.place]:
                yield place[source], sum(self.wanted[: target.place])

    def _specs(self, *_: Spec, **attributes: Any) -> list[Spec]:
        arguments = self.operand_specs((), attributes)[: len(self.wanted)]
        return [spec for spec, w in zip(arguments, self.wanted, strict=True) if w]

    # running ----------------------------------------------------------------------------------

    def operand_specs(
        self, inputs: Sequence[Array], attributes: Mapping[str, Any]
    ) -> tuple[Spec, ...]:
        """Of the forward operator's operands."""
        return tuple([Spec(tuple(shape), as_dtype(d)) for shape, d in attributes[SPECS]])

    def trains(self, is_train: bool) -> bool:
        """Who goes back trains."""
        return True

    def grant_to(
        self, device: Context, attributes: Mapping[str, Any], specs: Sequence[Spec]
    ) -> tuple[Resource, ...]:
        """See ArrayOp."""
        asked = self.op.facts.backward_requests
        if asked is None:
            arguments = self.operand_specs((), attributes)[: len(self.wanted)]
            asked = self.op.property.backward_resource([spec.shape for spec in arguments])
        return self.places.granted(device, asked)

    def run_by(
        self,
        operator: Operator,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        ctx: OpContext,
        specs: tuple[Spec, ...],
    ) -> None:
        """Call `backward` of an object."""
        if all(request is kNullOp for request in requests):
            return
        count = len(self.wanted)
        known = dict(zip(self.reads, inputs, strict=False))
        states = running.States(inputs[len(self.reads) :], writable=True)
        results = running.Results(
            _spread(outputs, self.wanted, None),
            specs[:count],
            _spread(requests, self.wanted, kNullOp),
        )
        grads, ins, outs = self._lists(known, specs)

        def backward() -> Any:
            return operator.backward(
                ctx, grads, ins, outs, results.requests, results.arrays, states.arrays
            )

        running.run(self.op.__name__, "backward", backward, specs[:count])
        results.deliver(self.op.__name__, "in_grad")
        states.deliver(self.op.__name__)

    def _lists(self, known: Mapping[Handle, Array], specs: tuple[Spec, ...]) -> list[Any]:
        """out_grad, in_data and out_data, with a stand-in for what is not declared."""
        made = self.op.known(specs).outputs
        rows: list[tuple[Kind, Sequence[Spec]]] = [
            ("out_grad", made[: self.op.facts.visible]),
            ("in_data", specs[: len(self.wanted)]),
            ("out_data", made),
        ]
        return [
            tuple([self._array(Handle(kind, k), known, spec) for k, spec in enumerate(of)])
            for kind, of in rows
        ]

    def _array(self, handle: Handle, known: Mapping[Handle, Array], spec: Spec) -> Any:
        if handle not in self.op.facts.reads:
            return running.Undeclared(self.op.__name__, repr(handle), spec)
        if handle in known:
            return running.given(known[handle])
        return running.given(np.zeros(*spec))  # nothing depends on that output

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.op, self.wanted, self.given)


def rule(g: Gradients) -> list[Any]:
    """The gradient rule of every property's operator: call its PropertyGradient."""
    op: Any = g.op
    count = len(op.facts.arguments)
    wanted = tuple(
        [w and is_float(s.dtype) for w, s in zip(g.wanted[:count], g.specs, strict=False)]
    )
    given = tuple([value is not None for value in g.out_grads[: op.visible]])
    nothing = [None] * (len(g.specs) - count)
    if not any(wanted) or not any(given):
        return [None] * count + nothing
    op.require_backward(g.specs)
    gradient: PropertyGradient = op.backward(wanted, given)
    of = {"out_grad": g.out_grads, "in_data": g.inputs, "out_data": g.outputs}
    values = [of[handle.kind][handle.place] for handle in gradient.reads]
    specs = tuple((tuple(s.shape), name_of(np.dtype(s.dtype))) for s in g.specs)
    found = gradient(*values, *g.inputs[count:], **{SPECS: specs})
    return [*_spread(found if isinstance(found, tuple) else (found,), wanted, None), *nothing]


def _spread(values: Sequence[Any], wanted: Sequence[bool], other: Any) -> list[Any]:
    """One for each argument."""
    rest = iter(values)
    return [next(rest) if w else other for w in wanted]


def _label(handle: Handle) -> str:
    return f"{handle.kind}{handle.place}"


def _again(op: PropertyOp, wanted: tuple[bool, ...], given: tuple[bool, ...]) -> PropertyGradient:
    return op.backward(wanted, given)
