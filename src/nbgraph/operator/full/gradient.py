"""A pass of a user's operator, and the operator of its in-gradients.

Both passes run on arrays in C order, with requests and in-place rights; so every carrier runs the
gradient like the operator itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from nbgraph.device import Context, RunContext, cpu, gpu, run_context
from nbgraph.dtype import as_dtype, is_float, name_of
from nbgraph.operator.arrays.array_op import ArrayOp, Attributes, Gradients, Spec, Specs
from nbgraph.operator.environment import OpContext, Turn
from nbgraph.operator.full.arrays import Results, States, call_function, read_only
from nbgraph.operator.full.handles import Handle
from nbgraph.operator.request import INPLACE_WORDS, Requests, kNullOp
from nbgraph.shape import Arrays

if TYPE_CHECKING:
    from nbgraph.operator.kernel_call import Application, Lowered
    from nbgraph.resource import Resource

Find = Callable[[Context, Specs], Any]  # returns the object that runs a pass
SPECS = "_specs"  # attribute: shape and dtype name of each operand of the forward operator


class Run(NamedTuple):
    """One run of a pass, on arrays in C order; arrays to read are not writable."""

    ctx: OpContext
    attributes: Attributes
    specs: Specs  # of the operator's operands
    find: Find | None  # finds the object that runs it; None: the object of immediate calls
    reads: Arrays
    outputs: Arrays
    requests: Requests
    states: Arrays


class Pass(ArrayOp):
    """A pass of a user's operator: the operator itself, or its gradient."""

    words = INPLACE_WORDS  # kernels see in-place requests

    def within(self, states: dict[Any, Any] | None) -> Any:
        find = self.find_in(states)
        return self if find is None else SimpleNamespace(run=partial(self.run, find=find))

    def lower(self, case: Application) -> Lowered | None:
        """See ArrayOp: on devices the kernel that the author wrote for them."""
        from nbgraph.operator.full.kernels import own_lowered  # loaded with the first device

        own = self.own_kernel(gpu(), case.attributes)
        return own_lowered(self.__name__, own, case)

    def numbers(self, attributes: Attributes, *, is_train: bool) -> Sequence[int]:
        return (int(is_train),)

    def own_kernel(self, device: Context, attributes: Attributes) -> Any:
        """Return the `OwnKernel` that a GPU launches for a call."""
        raise AssertionError

    def find_in(self, states: dict[Any, Any] | None) -> Find | None:
        """Return the function that finds the operator object of an application: in an executor,
        which keeps it in `states`, or in a compiled function (None). Return None for immediate
        calls' object."""
        return None

    def run(
        self,
        inputs: Arrays,
        outputs: Arrays,
        requests: Requests,
        attributes: Attributes,
        *,
        resources: Sequence[Resource] = (),
        is_train: bool = False,
        run_ctx: RunContext | None = None,
        find: Find | None = None,
    ) -> None:
        """Run the pass on arrays in C order, and copy back results elsewhere; see ArrayOp."""
        if requests.count(kNullOp) == len(requests):
            return
        if resources:
            resources = tuple([r for r in resources if type(r) is not Turn])
        ctx = OpContext(is_train, run_ctx or run_context(cpu()), resources)
        specs = self.operand_specs(inputs, attributes)
        self._run(Run(ctx, attributes, specs, find, inputs, outputs, requests, ()))

    def operand_specs(self, inputs: Arrays, attributes: Attributes) -> Specs:
        """Return the specs of the forward operator's operands."""
        return tuple(map(Spec.of, inputs))

    def _run(self, run: Run) -> None:
        """Run the pass on a carrier's arrays, with at least one output needed."""
        raise AssertionError


class CustomGradient(Pass):
    """The operator of the needed in-gradients, in the order of the arguments.

    Its operands are what the gradient reads: existing out-gradients, arguments, outputs; then the
    states. `seeded[k]`: whether the gradient of visible output k is an operand; others are zeros.
    Its attributes are those of the forward call, and the operands' shapes and dtypes.
    """

    def __init__(self, op: Any, wanted: tuple[bool, ...], seeded: tuple[bool, ...]) -> None:
        facts = op.facts
        self.op, self.wanted, self.seeded = op, wanted, seeded
        self.reads = list(self._read_handles())
        super().__init__(
            f"_backward_{op.__name__}",
            self._specs,
            operands=[*(f"{h.kind}{h.place}" for h in self.reads), *facts.states],
            nout=sum(wanted),
            resources=facts.backward_requests or (),
            inplace=tuple(self._pairs()),
            doc=f"The gradient of {op.__name__}.",
        )
        self.__module__, self.kernels = op.__module__, op.kernels
        self.auxiliary = facts.states
        self.effect = facts.backward_requests is None

    def _read_handles(self) -> Iterator[Handle]:
        """Yield the handles of the operands, except the states."""
        op = self.op
        for k in op.facts.reads_at("out_grad"):
            if self.seeded[k]:
                yield Handle("out_grad", k)
        for i in range(len(op.facts.arguments)):
            if op.keeps_input(i):
                yield Handle("in_data", i)
        for k in range(op.nout):
            if op.keeps_output(k):
                yield Handle("out_data", k)

    def _pairs(self) -> Iterator[tuple[int, int]]:
        """Yield in-place options as (operand, output)."""
        index = {handle: k for k, handle in enumerate(self.reads)}
        for source, target in self.op.facts.backward_pairs:
            if source in index and self.wanted[target.place]:
                yield index[source], sum(self.wanted[: target.place])

    def _specs(self, *_: Spec, **attributes: Any) -> list[Spec]:
        specs = self.operand_specs((), attributes)
        return [spec for spec, w in zip(specs, self.wanted, strict=False) if w]

    def operand_specs(self, inputs: Arrays, attributes: Attributes) -> Specs:
        return tuple([Spec(tuple(shape), as_dtype(d)) for shape, d in attributes[SPECS]])

    def find_in(self, states: dict[Any, Any] | None) -> Find | None:
        return self.op.find_in(states)

    def grant_to(self, device: Context, attributes: Attributes, specs: Specs) -> tuple[Any, ...]:
        return self.op.grant_gradient(device, self.operand_specs((), attributes))

    def own_kernel(self, device: Context, attributes: Attributes) -> Any:
        targets = _spread(range(self.nout), self.wanted, self.operand_specs((), attributes))
        return self.op.own_kernel(device, _without_specs(attributes), tuple(targets))

    def _run(self, run: Run) -> None:
        op, specs, count = self.op, run.specs[: len(self.wanted)], len(self.reads)
        states = States(run.reads[count:], writable=True)
        results = Results(
            _spread(run.outputs, self.wanted, specs),
            _spread(run.requests, self.wanted, [kNullOp] * len(specs)),
            self.inplace,
        )
        reads, attributes = tuple(map(read_only, run.reads[:count])), _without_specs(run.attributes)
        own = Run(
            *(run.ctx, attributes, run.specs, run.find),
            *(reads, results.arrays, results.requests, states.arrays),
        )
        call_function(op.__name__, "backward", op.in_gradients, (own, self.reads), specs)
        results.deliver(op.__name__, "in_grad")
        states.deliver(op.__name__)

    def __reduce__(self) -> tuple[Any, ...]:
        return _gradient_of, (self.op, self.wanted, self.seeded)


def gradient_rule(g: Gradients) -> list[Any]:
    """Apply the CustomGradient of an operator: the gradient rule of all operators of users."""
    op: Any = g.op
    count = len(op.facts.arguments)
    flags = tuple(
        [w and is_float(s.dtype) for w, s in zip(g.wanted[:count], g.specs, strict=False)]
    )
    present = tuple([value is not None for value in g.out_grads[: op.facts.visible]])
    if not any(flags) or not any(present):
        return [None] * len(g.specs)
    op.require_backward(g.specs)
    gradient: CustomGradient = op.backward(flags, present)
    of = {"out_grad": g.out_grads, "in_data": g.inputs, "out_data": g.outputs}
    values = [of[handle.kind][handle.place] for handle in gradient.reads]
    specs = tuple((tuple(s.shape), name_of(np.dtype(s.dtype))) for s in g.specs)
    attributes = {**op.gradient_attributes(g.attributes), SPECS: specs}
    slopes = gradient(*values, *g.inputs[count:], **attributes)
    slopes = slopes if isinstance(slopes, tuple) else (slopes,)
    return _spread(slopes, flags, [None] * len(flags)) + [None] * (len(g.specs) - count)


def _spread(values: Sequence[Any], wanted: Sequence[bool], others: Sequence[Any]) -> list[Any]:
    """Return one value per argument: the next of `values` if wanted, else the one of `others`."""
    rest = iter(values)
    return [next(rest) if w else other for w, other in zip(wanted, others, strict=False)]


def _without_specs(attributes: Attributes) -> Mapping[str, Any]:
    return {name: value for name, value in attributes.items() if name != SPECS}


def _gradient_of(op: Any, wanted: tuple[bool, ...], seeded: tuple[bool, ...]) -> CustomGradient:
    return op.backward(wanted, seeded)
