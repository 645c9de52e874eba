"""A property as an operator over whole arrays, which every carrier runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from nbgraph.device import Context
from nbgraph.errors import DerivativeError
from nbgraph.operator.full import inference
from nbgraph.operator.full.arrays import (
    NO_STATES,
    Results,
    States,
    Undeclared,
    call_function,
    read_only,
)
from nbgraph.operator.full.gradient import CustomGradient, Find, Pass, Run, Specs, gradient_rule
from nbgraph.operator.full.handles import Facts, Handle, Handles, Kind
from nbgraph.operator.full.inference import DTYPE, SHAPE
from nbgraph.operator.full.operator import Operator
from nbgraph.operator.full.places import Places
from nbgraph.operator.full.property import OperatorProperty
from nbgraph.operator.layout import keep
from nbgraph.operator.spec import Attributes, Spec
from nbgraph.shape import Array, Shapes

_KEPT = 256  # sets of operands with cached inference
_NOTHING: Mapping[str, Any] = {}


class CustomOp(Pass):
    """An operator that a user writes: `semantics` is the property, `operator` the implementation.

    Its operands are the arguments, then the states; its outputs those of the facts, including
    hidden ones.
    """

    facts: Facts
    trains_backward: bool | None = True  # `ctx.is_train` of the gradient; None: as in the run

    def __init__(self, name: str, module: str, doc: str | None) -> None:
        super().__init__(name, self._infer_specs, operands=(), doc=doc)
        self.__module__ = module
        self._inferred: dict[Any, Specs] = {}
        self._gradients: dict[Any, CustomGradient] = {}

    def adopt(self, facts: Facts, *, stateful: bool = False) -> None:
        """Take over the facts of a property, and drop all caches."""
        reads = [facts.arguments[i] for i in facts.reads_at("in_data")]
        reads += [f"out{k}" for k in facts.reads_at("out_data")]
        if stateful:
            reads.append("out0")  # backward comes after forward, whatever it reads
        self.facts = facts
        self.operands, self.nout = (*facts.arguments, *facts.states), len(facts.outputs)
        self.__dict__.pop("nin", None)  # derived from the operands
        self.auxiliary, self.outputs, self.visible = facts.states, facts.outputs, facts.visible
        self.resources = facts.forward_requests or ()
        self.inplace = tuple([(read.place, out.place) for read, out in facts.forward_pairs])
        self.rule = gradient_rule if facts.reads else None
        self.keeps = frozenset((*reads, *facts.states))
        self._inferred, self._gradients = {}, {}

    def semantics(self, attributes: Attributes) -> OperatorProperty:
        """Return the property for the attributes of a call."""
        raise AssertionError

    def operator(self, run: Run) -> Operator:
        """Return the implementation for a run."""
        raise AssertionError

    # shapes and dtypes ------------------------------------------------------------------------

    def _infer_specs(self, *specs: Spec, **attributes: Any) -> Specs:
        return self.known(specs, self.gradient_attributes(attributes))

    def known(self, specs: Specs, attributes: Attributes = _NOTHING) -> Specs:
        """Return the specs of a call's outputs; raise ShapeError or DTypeError for misfits."""
        key: Any = (specs, *attributes.items()) if attributes else specs
        specs_of = self._inferred.get(key)
        if specs_of is None:
            prop = self.semantics(attributes)
            shapes, dtypes = (inference.outputs(self, prop, sort, specs) for sort in (SHAPE, DTYPE))
            specs_of = keep(self._inferred, key, tuple(map(Spec, shapes, dtypes)), _KEPT)
        return specs_of

    def infer_partial(
        self, in_shapes: Shapes, out_shapes: Shapes, attributes: Attributes
    ) -> tuple[Shapes, Shapes] | None:
        prop = self.semantics(attributes)
        return inference.infer(self, prop, SHAPE, in_shapes, out_shapes)

    def infer_dtypes(
        self, in_dtypes: Sequence[Any], out_dtypes: Sequence[Any], attributes: Attributes
    ) -> tuple[Sequence[Any], Sequence[Any]] | None:
        prop = self.semantics(attributes)
        return inference.infer(self, prop, DTYPE, in_dtypes, out_dtypes)

    # both passes ------------------------------------------------------------------------------

    def _run(self, run: Run) -> None:
        count = len(self.facts.arguments)
        results = Results(run.outputs, run.requests, self.inplace)
        states = NO_STATES
        if self.facts.states:
            states = States(run.reads[count:], writable=run.ctx.is_train)
        reads = tuple(map(read_only, run.reads[:count]))
        arrays = run.ctx, reads, results.requests, results.arrays, states.arrays
        forward = self.operator(run).forward
        call_function(self.__name__, "forward", forward, arrays, run.specs)
        results.deliver(self.__name__, "out_data")
        states.deliver(self.__name__)

    def in_gradients(self, run: Run, handles: Handles) -> Any:
        """Run the gradient; arrays that `backward` does not declare are stand-ins."""
        reads = dict(zip(handles, run.reads, strict=True))
        slopes = self.known(run.specs, self.gradient_attributes(run.attributes))

        def arrays(kind: Kind, specs: Specs) -> tuple[Any, ...]:
            return tuple([self._array(Handle(kind, k), reads, s) for k, s in enumerate(specs)])

        ctx = run.ctx
        if self.trains_backward is not None:
            ctx = ctx._replace(is_train=self.trains_backward)
        return self.operator(run).backward(
            ctx,
            arrays("out_grad", slopes[: self.facts.visible]),
            arrays("in_data", run.specs[: len(self.facts.arguments)]),
            arrays("out_data", slopes),
            run.requests,
            run.outputs,
            run.states,
        )

    def _array(self, handle: Handle, reads: Mapping[Handle, Array], spec: Spec) -> Any:
        if handle not in self.facts.reads:
            return Undeclared(self.__name__, repr(handle), spec)
        if handle in reads:
            return reads[handle]
        return read_only(np.zeros(*spec))  # the result does not depend on that output

    def backward(
        self, wanted: tuple[bool, ...], seeded: tuple[bool, ...] | None = None
    ) -> CustomGradient:
        """Return the operator of the needed in-gradients, for the out-gradients that exist."""
        seeded = (True,) * self.facts.visible if seeded is None else seeded
        gradient = self._gradients.get((wanted, seeded))
        if gradient is None:
            gradient = self._gradients[wanted, seeded] = CustomGradient(self, wanted, seeded)
        return gradient

    def require_backward(self, specs: Specs) -> None:
        """Raise DerivativeError if the operator of these operands has no gradient."""

    def gradient_attributes(self, attributes: Attributes) -> Mapping[str, Any]:
        """Return the attributes of a call that the operator's semantics depend on."""
        return attributes

    def grant_gradient(self, device: Context, specs: Specs) -> tuple[Any, ...]:
        """Return the resources of the gradient on a device, for operands of these specs."""
        raise AssertionError


class PropertyOp(CustomOp):
    """The operator of a registered property, for one set of parameters.

    If the property is `stateful`, each application is an object of its own.

    `owner`: RegisteredOperator. `prop`: OperatorProperty. `facts`: Facts.
    """

    def __init__(self, owner: Any, prop: OperatorProperty, facts: Facts) -> None:
        super().__init__(owner.__name__, owner.__module__, owner.__doc__)
        self.adopt(facts, stateful=prop.stateful)
        self.rule = gradient_rule
        self.owner, self.property, self.stateful = owner, prop, prop.stateful
        self.effect = prop.stateful or facts.forward_requests is None
        self.parameters: Mapping[str, Any] = prop.param.to_dict()
        self.places = Places(self)

    def another(self) -> PropertyOp:
        """Return another application, which shares the inference cache."""
        copy = PropertyOp(self.owner, self.property, self.facts)
        copy._inferred = self._inferred
        return copy

    def normalise(self, attributes: Attributes) -> Mapping[str, Any]:
        """Return the parameters, already read."""
        return self.parameters

    def semantics(self, attributes: Attributes) -> OperatorProperty:
        return self.property

    def operator(self, run: Run) -> Operator:
        return (run.find or self.places.operator)(run.ctx.device, run.specs)

    def require_backward(self, specs: Specs) -> None:
        if not self.places.differentiable(tuple(specs)):
            raise DerivativeError(
                f"{self.__name__}: its operator has no backward, so no gradient flows through it; "
                "write one, use ng.stop_gradient, or ask for no gradient (grad_req='null')"
            )

    def gradient_attributes(self, attributes: Attributes) -> Mapping[str, Any]:
        """Return none: its property has the parameters."""
        return _NOTHING

    def grant_to(self, device: Context, attributes: Attributes, specs: Specs) -> tuple[Any, ...]:
        """See ArrayOp; the operator object is created here, on the line of the call."""
        self.places.ready(device, tuple(specs))
        return self._granted(
            device, specs, self.facts.forward_requests, self.property.forward_resource
        )

    def grant_gradient(self, device: Context, specs: Specs) -> tuple[Any, ...]:
        return self._granted(
            device, specs, self.facts.backward_requests, self.property.backward_resource
        )

    def _granted(
        self, device: Context, specs: Specs, known: Any, asked: Callable[..., Any]
    ) -> tuple[Any, ...]:
        """Grant the requests, either fixed or those for these shapes."""
        if known is None:
            known = asked([s.shape for s in specs[: len(self.facts.arguments)]])
        return self.places.granted(device, known)

    def find_in(self, states: dict[Any, Any] | None) -> Find | None:
        return self.places.find_in(states) if self.stateful else None

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (self.owner, self.property.get_params())

    def __repr__(self) -> str:
        listed = ", ".join(f"{k}={v!r}" for k, v in self.parameters.items())
        return f"<operator {self.__name__}({listed})>"


def _again(owner: Any, parameters: Mapping[str, str]) -> PropertyOp:
    return owner.of(parameters)
