"""Arrays on GPUs: the kernels of operators, and refusals.

Kernels are those of the host's loops (see `nbgraph.kernels.cuda`), or forms of operators over whole
arrays (see `operator.arrays.device_forms`). An operator without either raises DeviceError with the
remedy; nothing is copied to the host silently.
"""

import functools
from collections.abc import Sequence
from typing import Any

from nbgraph.array.chunk import shared
from nbgraph.array.copying import fill_from
from nbgraph.array.core import Array, empty_of, make
from nbgraph.array.issue import launches_of
from nbgraph.array.place import Place, Values, place, refuse
from nbgraph.array.push import copied, same, write
from nbgraph.array.runner import Job, deliver, push_lowered
from nbgraph.array.transfer import fetch, send
from nbgraph.device import Context, RunContext
from nbgraph.engine import Variable
from nbgraph.engine.inline import in_charge
from nbgraph.engine.properties import NORMAL, OVERWRITE
from nbgraph.kernels.compiler.kernel import deferring
from nbgraph.operator.arrays.device_forms import (
    Composed,
    Library,
    Parts,
    Pieces,
    Unit,
    form_of,
    parts_of,
)
from nbgraph.operator.arrays.unit_op import unit_lowered
from nbgraph.operator.call import recording
from nbgraph.operator.kernel_call import KernelCall
from nbgraph.operator.layout import Layout, layout
from nbgraph.operator.request import WORDS, kAddTo, kNullOp, kWriteTo
from nbgraph.operator.spec import Attributes, Spec
from nbgraph.ops.elementwise.casting import astype, caster


class Accelerator(Place):
    """The memory of a GPU; see `place.Place`."""

    host = False
    preparing = staticmethod(deferring)

    def read(self, array: Any) -> Values:
        return fetch(array if array._layout.contiguous else copied(array))

    def begin(self, array: Any, values: Values) -> None:
        send(array, values)

    def push(
        self,
        call: KernelCall,
        reads: Sequence[Variable],
        writes: Sequence[Any],
        block: Sequence[int],
        *,
        overwrites: bool,
    ) -> None:
        """See Place. Errors of the compiler are raised at the call."""
        device: Context = writes[0].device
        launches = launches_of(call)
        if not call.size:
            return
        ready = launches.ready(block, device.device_id)
        in_charge().push_to_device(
            device,
            functools.partial(launches.issue, record=block, ready=ready),
            const_vars=reads,
            mutate_vars=writes,
            name=call.name,
            prop=OVERWRITE if overwrites else NORMAL,
        )

    def write_elements(self, array: Any, value: Any, indices: Sequence[Any], key: Any) -> None:
        """See Place; the kernel runs over the selected positions only."""
        from nbgraph.ops.gpu import scattering  # it lies above

        item = array.dtype.itemsize
        operands, attributes = scattering.at_index(
            None,
            astype(value, array.dtype),
            indices,
            shape=array.shape,
            key=key,
            sums=False,
            steps=[step // item for step in array._layout.strides],
        )
        operands = [copied(x) if x._chunk is array._chunk else x for x in operands]
        _unit(
            Job(scattering.GROUPS, operands, [array], [kWriteTo], attributes, False), begins=False
        )

    def composed(
        self, op: Any, values: Sequence[Any], attributes: Attributes, specs: Sequence[Any]
    ) -> list[Any] | None:
        form = form_of(op, Composed)
        if form is None:
            return None
        recorder = recording.get()
        try:
            recording.set(None)  # the operator itself is recorded
            outputs = form.run(*values, **attributes)
            if outputs is None:
                return None
            results = outputs if type(outputs) is tuple else (outputs,)
            return [_own(x, spec, values) for x, spec in zip(results, specs, strict=True)]
        finally:
            recording.set(recorder)

    def carry_out(self, job: Job) -> bool:
        op, done = job.op, False
        with deferring():
            if op.kernels:
                done = push_lowered(job)
            elif op.view is not None:
                _write_view(job)
                done = True
            elif op.copies:
                (x,), (out,), (request,) = job.inputs, job.results, job.requests
                write(caster(x.dtype, out.dtype) or same, x, out, WORDS[request])
                done = True
        if not (done or _formed(job)):
            refuse(op.__name__, job.results[0].device)
        return True


def _own(x: Any, spec: Spec, values: Sequence[Array]) -> Any:
    """Return a result, copied if it shares memory with an operand."""
    if x.dtype != spec.dtype:
        return astype(x, spec.dtype)
    lent = not x._layout.contiguous or any(x._chunk is v._chunk for v in values)
    return copied(x) if lent else x


def _write_view(job: Job) -> None:
    """Push a copy of a view of operand 0, or of a contiguous copy if its strides allow no view."""
    (x,), (out,), (request,) = job.inputs, job.results, job.requests
    for source in (x, copied(x)):
        try:
            view = job.op.view(source._view(), **job.attributes)
        except ValueError:
            continue
        write(same, source._of_view(view), out, WORDS[request])
        return
    raise AssertionError(job.op.__name__)


def _formed(job: Job) -> bool:
    """Push the operator's form for devices; return False if it has none. Results that are added to
    or are not contiguous are computed in new memory and copied."""
    op, inputs, results, requests, attributes, whole = job
    if all(request is kNullOp for request in requests):
        return True
    specs = [Spec(r.shape, r.dtype) for r in results]
    targets = place(results[0].device).composed(op, inputs, attributes, specs)
    if targets is None:
        direct = [
            q is not kAddTo and q is not kNullOp and r._layout.contiguous
            for r, q in zip(results, requests, strict=True)
        ]
        targets = [
            r if d else empty_of(layout(*spec), r.device)
            for r, d, spec in zip(results, direct, specs, strict=True)
        ]
        # ignore a failure that the block has from an earlier use
        whole = whole or not (any(direct) or op.auxiliary)
        direct_job = Job(op, inputs, targets, [kWriteTo] * len(targets), attributes, whole)
        if not (_pieces(direct_job) or _unit(direct_job) or _library(direct_job)):
            return False
    for result, own, request in zip(results, targets, requests, strict=True):
        if own is not result and request is not kNullOp and result.size:
            write(same, own, result, WORDS[request])
    return True


def _pieces(job: Job) -> bool:
    form = form_of(job.op, Pieces)
    if form is not None:
        _write_parts(form.parts, job)
    return form is not None


def _write_parts(parts: Parts, job: Job) -> None:
    """Push the copies into the first result, one after another."""
    out = job.results[0]
    pieces = parts_of(parts, [x._layout for x in job.inputs], out._layout, job.attributes)
    assert pieces is not None, job.attributes
    for part in pieces:
        target = _seen(out, part.offset, part.layout)
        if part.operand is None:
            fill_from(target, part.source)
        else:
            fill_from(target, _seen(job.inputs[part.operand], part.from_offset, part.source))


def _seen(array: Array, offset: int, own: Layout) -> Any:
    return make(array._chunk, array._address + offset, own, shared(array))


def _unit(job: Job, *, begins: bool = True) -> bool:
    """Push the operator's kernel; return False if it has none. Without `begins` it continues from
    the values of the output."""
    form, lowering = form_of(job.op, Unit), unit_lowered(job.op, job.application())
    if form is None or lowering is None:
        return False
    if begins and form.first is not None:
        _write_parts(form.first, job)
        job = job._replace(whole=False)
    deliver(lowering, job)
    return True


def _library(job: Job) -> bool:
    op, inputs, outputs, _, attributes, whole = job
    form = form_of(op, Library)
    if form is None:
        return False
    inputs = [x if x._layout.contiguous else copied(x) for x in inputs]
    views = [(x._address, x.shape, x.dtype, x.strides) for x in (*inputs, *outputs)]
    run, writes = functools.partial(form.run, **attributes), [x._chunk for x in outputs]
    in_charge().push_to_device(
        outputs[0].device,
        functools.partial(_call, run=run, views=views),
        const_vars=[c for c in dict.fromkeys(x._chunk for x in inputs) if c not in writes],
        mutate_vars=list(dict.fromkeys(writes)),
        name=op.__name__,
        prop=OVERWRITE if whole else NORMAL,
    )
    return True


def _call(run_ctx: RunContext, *, run: Any, views: Sequence[Any]) -> None:
    run_ctx.stream.call(run, views)
