"""One node of a backward pass: from gradients of its outputs to gradients of its operands."""

from collections.abc import Container, Sequence
from typing import Any

import numpy as np

from nbgraph.array import anomaly
from nbgraph.array.core import Array, empty_of
from nbgraph.array.push import inferred, push
from nbgraph.array.route import Routes
from nbgraph.autograd.rules import MapRule
from nbgraph.autograd.sums import Sums
from nbgraph.autograd.tape import Record, TapeError, bare, kept
from nbgraph.engine import current
from nbgraph.graph.node import Entry, Node
from nbgraph.operator.arrays.array_op import Gradients, Spec
from nbgraph.operator.backward import rule_vjp
from nbgraph.operator.call import call
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, keep, layout
from nbgraph.ops.define import library
from nbgraph.settings import CLOSELY_ASKED, config
from nbgraph.storage import LARGE

_KEPT = 2048  # ways that a rule keeps


def step(node: Record, sums: Sums, useful: Container[Node], *, retain_graph: bool) -> None:
    """Compute the gradients of a node's operands and add them to `sums`."""
    flags = [entry is not None and entry[0] in useful for entry in node.inputs]
    came = [sums.pop((node, i)) for i in range(len(node.outputs))]
    gradients = [gradient for gradient, _ in came]
    if not any(flags) or all(g is None for g in gradients):
        return
    if node.saved is None:
        raise TapeError(
            f"backward of {node.op.__name__}: its values were freed by an earlier backward pass; "
            "pass retain_graph=True there"
        )
    flow = _Flow(node, gradients, flags, sums, came[0][1])
    if CLOSELY_ASKED[0] and config.anomaly:
        flow.run_watched()
    else:
        flow.run()
    if not retain_graph:
        node.saved = None


class _Flow:
    """Gradients on their way through a node: of its outputs, for the operands that want one.

    `owned`: whether the first of them has no other user.
    """

    __slots__ = ("gradients", "node", "owned", "sums", "wanted")

    def __init__(
        self, node: Record, gradients: Sequence[Any], wanted: list[bool], sums: Sums, owned: bool
    ) -> None:
        self.node, self.gradients, self.sums, self.owned = node, gradients, sums, owned
        layouts = zip(wanted, node.layouts, strict=True)
        self.wanted = [w and _floats(own) for w, own in layouts]

    def run(self) -> None:
        """Add the gradients of operands to the sums."""
        rule = self.node.rule
        if not isinstance(rule, MapRule):
            self._through_arrays()
            return
        if rule.problem is not None:
            rule.require()
        saved = self._values()
        zeros = [0.0 if g is None else g for g in self.gradients]
        operands = zeros + [saved[i] for i in rule.order]
        rule.reverse.require_certificate()
        if not any(self.wanted):
            return
        if self.sums.create_graph:
            self._recorded(rule, operands)
        elif not (self.owned and self._over_out_grad(rule, operands)):
            self._through_elements(rule, operands)

    def run_watched(self) -> None:
        """Do the same, and name the operator whose gradient is the first to have a NaN."""
        node, sums, gradients = self.node, self.sums, self.gradients
        asked = zip(node.inputs, self.wanted, strict=True)
        entries = [(i, e) for i, (e, wanted) in enumerate(asked) if e is not None and wanted]
        clean = anomaly.clean([*gradients, *(sums.get(entry) for _, entry in entries)])
        name = str(node.op.__name__)
        try:
            self.run()
        except FloatingPointError as problem:  # of an operator that the gradient is written with
            raise FloatingPointError(f"backward of {name}: {problem}") from problem
        if clean:
            anomaly.look_back(name, gradients, [(i, sums.get(entry)) for i, entry in entries])

    def _values(self) -> list[Any]:
        """Return the saved values, in the rule's order."""
        node = self.node
        assert node.saved is not None
        values = [v if n is None else kept(node.op, v, n) for v, n in node.saved]
        if not self.sums.create_graph:
            return values
        # differentiated again: what they were computed by when they were saved counts
        entries = [node.inputs[i] for i in node.rule.reads_inputs(len(node.inputs))]
        entries += [(node, i) for i in node.rule.reads_outputs(len(node.outputs))]
        return [_computed_by(v, entry) for v, entry in zip(values, entries, strict=True)]

    # scalar operators -------------------------------------------------------------------------

    def _through_elements(self, rule: MapRule, operands: Sequence[Any]) -> None:
        """Compute all in-gradients in one pass over the elements."""
        node, first = self.node, self.gradients[0]
        key = (
            *(v._layout if isinstance(v, Array) else type(v) for v in operands),
            *node.attributes.items(),
        )
        if self._routed(rule, key, operands):
            return
        inference = inferred(
            rule.reverse, operands, rule.reverse.parameters_of(dict(node.attributes))
        )
        captured = inference.plan.typed.captured
        results: list[Any] = []
        requests: list[str] = []
        passed: list[int] = []  # operands whose gradient is the out-gradient itself
        for slope, i in zip(captured.outputs, rule.wrt, strict=True):
            request, result = "null", _NOWHERE
            if not self.wanted[i]:
                pass
            elif slope is captured.operands[0] and first.dtype == node.layouts[i].dtype:
                passed.append(i)
            else:
                request, result = self._place(i, inference.shape, operands, results)
            results.append(result)
            requests.append(request)
        if any(request != "null" for request in requests):
            pushed = push(inference.plan, operands, results, None, requests)
            if set(requests) == {"write"}:
                _learn(rule, key, pushed, tuple([r._layout for r in results]), operands)
        for i, value, request in zip(rule.wrt, results, requests, strict=True):
            if request == "write":
                self._add(i, value, owned=True)
        for i in passed:
            self._add(i, first, owned=self.owned and len(passed) == 1)

    def _over_out_grad(self, rule: MapRule, operands: Sequence[Any]) -> bool:
        """Write the in-gradient over a large out-gradient that has no other user, which touches a
        third less memory; return whether that was possible. It needs one in-gradient, of that
        layout, and nothing to add it to."""
        node, gradient, sums = self.node, self.gradients[0], self.sums
        own = gradient._layout
        alone = len(rule.wrt) == 1 and gradient._holder is None
        if not alone or own.nbytes < LARGE or CLOSELY_ASKED[0]:
            return False
        i = rule.wrt[0]
        entry = node.inputs[i]
        if entry is None or node.layouts[i] is not own or sums.get(entry) is not None:
            return False
        inference = inferred(
            rule.reverse, operands, rule.reverse.parameters_of(dict(node.attributes))
        )
        captured = inference.plan.typed.captured
        if inference.outputs[0] is not own or captured.outputs[0] is captured.operands[0]:
            return False
        push(inference.plan, operands, [gradient], [gradient], ["write"])
        sums.add(entry, gradient, owned=True)
        return True

    def _place(
        self, i: int, shape: tuple[int, ...], operands: Sequence[Any], others: Sequence[Any]
    ) -> tuple[str, Any]:
        """Return where the gradient of operand i goes: onto what came before, or into a new
        array."""
        entry, own = self.node.inputs[i], self.node.layouts[i]
        assert entry is not None
        room = self.sums.room(entry) if own.shape == shape else None
        if room is None or any(room is other for other in others):
            arrays = [v._chunk for v in operands if isinstance(v, Array)]
            own_layout = layout(shape, own.dtype)
            reads = arrays if own_layout.nbytes >= LARGE else None
            return "write", empty_of(own_layout, arrays[0].device, reads)
        return "add", room

    def _routed(self, rule: MapRule, key: Any, operands: Sequence[Any]) -> bool:
        """Do the same by the route of an earlier pass; return whether there was one."""
        node, sums = self.node, self.sums
        former = rule.routes.get(key)
        if former is None:
            return False
        routes, outputs = former
        for i, fresh in zip(rule.wrt, outputs, strict=True):
            own = node.layouts[i]
            if not self.wanted[i] or own.shape != fresh.shape or own.dtype != fresh.dtype:
                return False
            if sums.get(node.inputs[i]) is not None:
                return False
        if not sums.site:
            sums.site = current().site_id()
        fresh = routes.push(sums.site, tuple(operands))
        if fresh is None:
            return False
        for i, value in zip(rule.wrt, fresh if type(fresh) is tuple else (fresh,), strict=True):
            entry = node.inputs[i]
            assert entry is not None
            sums.add(entry, value, owned=True)
        return True

    def _add(self, i: int, value: Any, *, owned: bool) -> None:
        """Add a contribution, summed over the axes along which operand i was broadcast."""
        entry, shape = self.node.inputs[i], self.node.layouts[i].shape
        assert entry is not None
        if value.shape != shape:
            value, owned = library.sum_to(value, shape), True
        self.sums.add(entry, value, owned=owned)

    def _recorded(self, rule: MapRule, operands: Sequence[Any]) -> None:
        results = call(rule.reverse, operands, self.node.attributes)
        results = results if isinstance(results, tuple) else (results,)
        for i, value in zip(rule.wrt, results, strict=True):
            entry, own = self.node.inputs[i], self.node.layouts[i]
            if self.wanted[i]:
                assert entry is not None
                if value.shape != own.shape:
                    value = library.sum_to(value, own.shape)
                if value.dtype != own.dtype:
                    value = library.astype(value, own.dtype)
                self.sums.add(entry, value)

    # operators over whole arrays --------------------------------------------------------------

    def _through_arrays(self) -> None:
        node, gradients, sums = self.node, self.gradients, self.sums
        saved = iter(self._values())
        inputs: list[Any] = [None] * len(node.inputs)
        for i in node.rule.reads_inputs(len(inputs)):
            inputs[i] = next(saved)
        outputs: list[Any] = [None] * len(node.outputs)
        for i in node.rule.reads_outputs(len(outputs)):
            outputs[i] = next(saved)
        if not any(self.wanted):
            return
        specs = [Spec(v.shape, v.dtype) if isinstance(v, Layout) else _NUMBER for v in node.layouts]
        known = gradients, inputs, outputs, specs, self.wanted
        slopes = rule_vjp(Gradients(node.op, node.attributes, *known))
        for entry, slope in zip(node.inputs, slopes, strict=True):
            if slope is not None:
                assert entry is not None
                owned = not sums.create_graph and self._unshared(slope, slopes)
                sums.add(entry, slope, owned=owned)

    def _unshared(self, value: Any, slopes: Sequence[Any]) -> bool:
        """Return whether a gradient of a rule is an array that has no other user."""
        if value._holder is not None or any(value is g for g in self.gradients):
            return False
        if sum(value is other for other in slopes) > 1:
            return False
        return not any(value is saved for saved, _ in self.node.saved or ())


def _computed_by(value: Any, entry: Entry | None) -> Any:
    if not isinstance(value, Array):
        return value
    again = bare(value)
    if entry is not None:
        again._node, again._output = entry
    return again


def _learn(
    rule: MapRule, key: Any, call: KernelCall, outputs: tuple[Layout, ...], operands: Sequence[Any]
) -> None:
    """Remember the way that a pass has gone; `outputs` are the layouts that the kernel wrote, which
    have the dtypes of operands: the out-gradient's may be another."""
    routes = Routes()
    if routes.learn(call, outputs, operands):
        keep(rule.routes, key, (routes, outputs), _KEPT)


class _Nowhere:
    """The place of an output that is not computed."""

    _layout = layout((), np.dtype("float32"))


_NOWHERE = _Nowhere()


def _floats(own: Any) -> bool:
    return isinstance(own, Layout) and own.dtype.kind in "cfV"


_NUMBER = Spec((), np.dtype("float64"))
