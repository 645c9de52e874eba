"""A property with parameters as an operator over whole arrays, which every carrier runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import DerivativeError, DTypeError, ShapeError
from nbgraph.operator.array_op import ArrayOp, Spec
from nbgraph.operator.environment import OpContext
from nbgraph.operator.full import inference, running
from nbgraph.operator.full.backward import PropertyGradient, rule
from nbgraph.operator.full.facts import Facts
from nbgraph.operator.full.inference import Known
from nbgraph.operator.full.operator import Operator
from nbgraph.operator.full.places import ByObject, Places
from nbgraph.operator.full.property import OperatorProperty
from nbgraph.operator.request import OpReqType, kNullOp
from nbgraph.shape import Shapes

if TYPE_CHECKING:
    from nbgraph.operator.full.registered import RegisteredOperator
    from nbgraph.resource import Resource

Array = np.ndarray[Any, Any]
_KEPT = 256  # sets of operands whose inference is remembered


class Inferred(NamedTuple):
    """Shapes and dtypes of a call that is known in full."""

    outputs: tuple[Spec, ...]
    arguments: tuple[Spec, ...]


class PropertyOp(ByObject, ArrayOp):
    """What `register_operator` makes of a property, for one set of parameters.

    Its operands are the arguments, then the states; its outputs those of the property, hidden
    ones included. Where the property is `stateful`, each application is an object of its own.
    """

    def __init__(self, owner: RegisteredOperator, prop: OperatorProperty, facts: Facts) -> None:
        reads_ins, reads_outs = set(facts.reads_at("in_data")), set(facts.reads_at("out_data"))
        if prop.stateful:
            reads_outs.add(0)  # backward comes after forward, whatever it reads
        count = len(facts.arguments)
        reads_ins.update(range(count, count + len(facts.states)))
        super().__init__(
            owner.__name__,
            lambda *specs, **_: self.known(specs).outputs,
            gradient=rule,
            keeps=[f"out{k}" for k in reads_outs],
            operands=(*facts.arguments, *facts.states),
            nout=len(facts.outputs),
            resources=facts.forward_requests or (),
            inplace=[(source.place, target.place) for source, target in facts.forward_pairs],
            doc=owner.__doc__,
        )
        self.__module__ = owner.__module__
        self.owner, self.property, self.facts = owner, prop, facts
        self.keeps |= {self.operands[i] for i in reads_ins}
        self.read_inputs, self.read_outputs = tuple(sorted(reads_ins)), tuple(sorted(reads_outs))
        self.auxiliary, self.outputs, self.visible = facts.states, facts.outputs, facts.visible
        self.stateful = prop.stateful
        self.effect = prop.stateful or facts.forward_requests is None
        self.parameters: Mapping[str, Any] = prop.param.to_dict()
        self.places = Places(self)
        self._inferred: dict[tuple[Spec, ...], Inferred] = owner.inferred(prop)
        self._gradients: dict[Any, PropertyGradient] = {}

    def keeps_input(self, index: int) -> bool:
        """See ArrayOp."""
        return index in self.read_inputs

    def keeps_output(self, index: int) -> bool:
        """See ArrayOp."""
        return index in self.read_outputs

    def normalise(self, attributes: Mapping[str, Any]) -> Mapping[str, Any]:
        """The parameters, which were read before."""
        return self.parameters

    # shapes and dtypes ------------------------------------------------------------------------

    def known(self, specs: Sequence[Spec]) -> Inferred:
        """Outputs and arguments of a call; ShapeError or DTypeError where operands do not fit."""
        key = tuple(specs)
        found = self._inferred.get(key)
        if found is None:
            if len(self._inferred) >= _KEPT:
                self._inferred.clear()
            outputs = tuple(map(Spec, self._shapes(key), self._dtypes(key)))
            found = self._inferred[key] = Inferred(outputs, key[: len(self.facts.arguments)])
        return found

    def _shapes(self, specs: Sequence[Spec]) -> list[Any]:
        known = self._grouped([s.shape for s in specs], [None] * self.nout)
        found = inference.shapes(self.__name__, self.facts, self.property.infer_shape, known)
        for name, shape in zip(self.outputs, (found or known).outs, strict=True):
            if shape is None or None in shape:
                raise ShapeError(
                    f"{self.__name__}: infer_shape leaves output {name!r} open though all shapes "
                    f"are given ({', '.join(map(str, specs))}); let it give a tuple of sizes"
                )
        return (found or known).outs

    def _dtypes(self, specs: Sequence[Spec]) -> list[Any]:
        known = self._grouped([s.dtype for s in specs], [None] * self.nout)
        found = inference.dtypes(self.__name__, self.facts, self.property.infer_type, known)
        for name, dtype in zip(self.outputs, (found or known).outs, strict=True):
            if dtype is None:
                raise DTypeError(
                    f"{self.__name__}: infer_type leaves output {name!r} open though all dtypes "
                    "are given; let it give one"
                )
        return (found or known).outs

    def _grouped(self, operands: Sequence[Any], outputs: Sequence[Any]) -> Known:
        count = len(self.facts.arguments)
        return Known(list(operands[:count]), list(outputs), list(operands[count:]))

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Mapping[str, Any]
    ) -> tuple[Shapes, Shapes] | None:
        """See ArrayOp."""
        known = self._grouped(in_shapes, out_shapes)
        found = inference.shapes(self.__name__, self.facts, self.property.infer_shape, known)
        return None if found is None else ([*found.ins, *found.states], found.outs)

    def infer_dtypes(
        self, in_dtypes: Sequence[Any], out_dtypes: Sequence[Any], attributes: Mapping[str, Any]
    ) -> tuple[Sequence[Any], Sequence[Any]] | None:
        """See ArrayOp."""
        known = self._grouped(in_dtypes, out_dtypes)
        found = inference.dtypes(self.__name__, self.facts, self.property.infer_type, known)
        return None if found is None else ([*found.ins, *found.states], found.outs)

    # gradients --------------------------------------------------------------------------------

    def backward(self, wanted: tuple[bool, ...], given: tuple[bool, ...]) -> PropertyGradient:
        """The operator of the in-gradients that are wanted, where these out-gradients are given."""
        found = self._gradients.get((wanted, given))
        if found is None:
            found = self._gradients[wanted, given] = PropertyGradient(self, wanted, given)
        return found

    def require_backward(self, specs: Sequence[Spec]) -> None:
        """DerivativeError where the operator of these operands has no `backward`."""
        if not self.places.differentiable(tuple(specs)):
            raise DerivativeError(
                f"{self.__name__}: its operator has no backward, so no gradient flows through it; "
                "write one, use ng.stop_gradient, or ask for no gradient (grad_req='null')"
            )

    # running ----------------------------------------------------------------------------------

    def grant_to(
        self, device: Context, attributes: Mapping[str, Any], specs: Sequence[Spec]
    ) -> tuple[Resource, ...]:
        """See ArrayOp; the operator is made here, on the line of the call."""
        self.places.ready(device, tuple(specs))
        asked = self.facts.forward_requests
        if asked is None:
            asked = self.property.forward_resource([s.shape for s in self.known(specs).arguments])
        return self.places.granted(device, asked)

    def run_by(
        self,
        operator: Operator,
        inputs: Sequence[Array],
        outputs: Sequence[Array],
        requests: Sequence[OpReqType],
        ctx: OpContext,
        specs: Sequence[Spec],
    ) -> None:
        """The same by a certain object."""
        if all(request is kNullOp for request in requests):
            return
        count = len(self.facts.arguments)
        results = running.Results(outputs, list(map(Spec.of, outputs)), requests)
        states = running.States(inputs[count:], writable=ctx.is_train)
        in_data = tuple(map(running.given, inputs[:count]))

        def forward() -> Any:
            return operator.forward(ctx, in_data, results.requests, results.arrays, states.arrays)

        running.run(self.__name__, "forward", forward, specs)
        results.deliver(self.__name__, "out_data")
        states.deliver(self.__name__)

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.owner, self.property.get_params())

    def __repr__(self) -> str:
        listed = ", ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"<operator {self.__name__}({listed})>"


def _again(owner: Any, parameters: Mapping[str, str]) -> PropertyOp:
    return owner.of(parameters)
